"""The leaf of each row in a tree, from its values or from its bins."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import kernel


@kernel
def bin_values(block, edges, levels, na_bin, low, scale, first, cells, start, bins):
    """bins[j, start + i]: the number of edges of column j below row i's value, its category, or the missing bin."""
    for j in range(block.shape[1]):
        column = bins[j]
        if levels[j] > 0:
            for i in range(block.shape[0]):
                x = block[i, j]
                column[start + i] = int(x) if 0 <= x < levels[j] else na_bin[j]
            continue
        top = na_bin[j] - 1
        for i in range(block.shape[0]):
            x = block[i, j]
            z = (x - low[j]) * scale[j]
            b = first[j, cells - 1 if z >= cells - 1 else (int(z) if z > 0 else 0)]
            while b < top and x > edges[j, b]:
                b += 1
            column[start + i] = na_bin[j] if np.isnan(x) else b


@kernel
def leaves_of(block, column, threshold, turn, first, route_at, width, route, root, out):
    """out[i]: the node in which row i ends. A row with a category that was not in a node ends there."""
    for i in range(block.shape[0]):
        k = root
        while column[k] >= 0:
            x = block[i, column[k]]
            if route_at[k] < 0:
                k = first[k] + ((1 - turn[k]) if np.isnan(x) else (0 if x <= threshold[k] else 1))
                continue
            code = int(x) if 0 <= x < width[k] - 1 else width[k] - 1
            branch = route[route_at[k] + code]
            if branch < 0:
                break
            k = first[k] + branch
        out[i] = k


@kernel
def sides_of(block, column, threshold, turn, first, route_at, width, route, root, taken, left, right):
    """Go down as `leaves_of` does, and record the selected rows' nearest values on each side of each threshold."""
    for i in range(block.shape[0]):
        if not taken[i]:
            continue
        k = root
        while column[k] >= 0:
            x = block[i, column[k]]
            if route_at[k] < 0:
                if np.isnan(x):
                    k = first[k] + 1 - turn[k]
                elif x <= threshold[k]:
                    left[k] = max(left[k], x)
                    k = first[k]
                else:
                    right[k] = min(right[k], x)
                    k = first[k] + 1
                continue
            code = int(x) if 0 <= x < width[k] - 1 else width[k] - 1
            branch = route[route_at[k] + code]
            if branch < 0:
                break
            k = first[k] + branch


@kernel
def leaves_of_bins(bins, offset, na_bin, column, place, turn, first, route_at, route, root, out):
    """out[i]: the node in which row i ends, from its bins, starting at the node in `out`."""
    for i in range(bins.shape[1]):
        k = max(out[i], root)
        while column[k] >= 0:
            b = bins[column[k], i]
            if route_at[k] >= 0:
                branch = route[route_at[k] + b]
                if branch < 0:
                    break
            elif b == na_bin[column[k]]:
                branch = 1 - turn[k]
            else:
                branch = 0 if b <= place[k] else 1
            k = first[k] + branch
        out[i] = k
