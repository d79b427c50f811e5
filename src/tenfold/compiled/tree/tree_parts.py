"""Rows on their way down a tree where values are missing: by class, or in parts."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import kernel
from tenfold.compiled.tree.tree_growing import COLUMN, FIRST, PLACE, ROUTE
from tenfold.compiled.tree.tree_search import NO_INDEX, ZERO

SHARE_BITS = 40
"""bits of the share that a child has of its parent's weight"""


@kernel
def down_by_class(bins, na_bin, node, route, where, label, out):
    """The node of each row, starting from the given ones; a missing value takes the branch of the row's class."""
    for i in range(bins.shape[1]):
        k = out[i]
        while node[k, COLUMN] >= 0:
            b = bins[node[k, COLUMN], i]
            if b == na_bin[node[k, COLUMN]]:
                branch = where[k, label[i]]
            elif node[k, ROUTE] >= 0:
                branch = route[node[k, ROUTE] + b]
                if branch < 0:
                    break
            else:
                branch = 0 if b <= node[k, PLACE] else 1
            k = node[k, FIRST] + branch
        out[i] = k


@kernel
def down_in_parts(bins, na_bin, node, arity, route, share, row, at, part, new_row, new_at, new_part):
    """Move rows, which may be in parts, one level down; return the number of parts, written if there is room."""
    room, n = len(new_row), ZERO
    for e in range(len(row)):
        k, i = at[e], row[e]
        j = node[k, COLUMN]
        b = bins[j, i] if j >= 0 else 0
        if j >= 0 and (b == na_bin[j] or (node[k, ROUTE] >= 0 and route[node[k, ROUTE] + b] < 0)):
            heavy, left = ZERO, part[e]
            for c in range(arity[k]):
                heavy = c if share[node[k, FIRST] + c, 0] > share[node[k, FIRST] + heavy, 0] else heavy
                left -= (part[e] * share[node[k, FIRST] + c, 0]) >> SHARE_BITS
            for c in range(arity[k]):
                some = ((part[e] * share[node[k, FIRST] + c, 0]) >> SHARE_BITS) + (left if c == heavy else 0)
                if some > 0:
                    if n < room:
                        new_row[n], new_at[n], new_part[n] = i, node[k, FIRST] + c, some
                    n += 1
            continue
        if j >= 0 and node[k, ROUTE] >= 0:
            k = node[k, FIRST] + route[node[k, ROUTE] + b]
        elif j >= 0:
            k = node[k, FIRST] + (0 if b <= node[k, PLACE] else 1)
        if n < room:
            new_row[n], new_at[n], new_part[n] = i, k, part[e]
        n += 1
    return n


@kernel
def add_parts(bins, offset, row, slot, part, label, a, b, hist):
    """Add rows in parts to histograms, hist[slot, channel, cell]; a row is counted by its shares."""
    last = hist.shape[1] - 1
    for j in range(bins.shape[0]):
        column = bins[j]
        for e in range(len(row)):
            s = slot[e]
            if s < 0:
                continue
            i, n = row[e], part[e]
            cell = offset[j] + column[i]
            if b is not None:
                hist[s, 0, cell] += a[i] * n
                hist[s, 1, cell] += b[i] * n if len(b) else n
            if label is not None:
                hist[s, label[i], cell] += a[i] * n if len(a) else n
            hist[s, last, cell] += n


@kernel
def spread(block, column, threshold, first, arity, route_at, width, route, share, value, out):
    """out[i] += value of the leaves of row i, weighted by the share of the row that reaches them."""
    node, part = np.empty(len(column), np.int64), np.empty(len(column))
    for i in range(block.shape[0]):
        node[0], part[0], top = 0, 1.0, 1
        while top:
            top -= 1
            k, p = node[top], part[top]
            if column[k] < 0:
                for c in range(value.shape[1]):
                    out[i, c] += p * value[k, c]
                continue
            x = block[i, column[k]]
            branch = NO_INDEX
            if route_at[k] < 0:
                if not np.isnan(x):
                    branch = ZERO if x <= threshold[k] else ZERO + 1
            elif 0 <= x < width[k] - 1:
                branch = route[route_at[k] + int(x)]
            for c in range(arity[k]):
                if branch < 0 or branch == c:
                    node[top], part[top] = first[k] + c, p * (share[first[k] + c] if branch < 0 else 1.0)
                    top += 1
