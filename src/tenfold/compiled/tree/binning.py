"""From values to bins, and from bins to histograms: bytes, column after column."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import kernel

GRID_CELLS = 512
"""of the grid that says where to begin looking for a value's bin"""


@kernel
def make_grid(edges, low, scale, first):
    """first[j, c]: how many edges of column j lie in cells before c, so below any value of cell c."""
    p, m = edges.shape
    for j in range(p):
        at = 0
        for c in range(GRID_CELLS):
            while at < m and edges[j, at] < np.inf and _cell(edges[j, at], low[j], scale[j]) < c:
                at += 1
            first[j, c] = at


@kernel
def _cell(x, low, scale):
    """The cell of a value: never decreasing in it, which is all that the search needs."""
    z = (x - low) * scale
    if z >= GRID_CELLS - 1:
        return GRID_CELLS - 1
    return int(z) if z > 0 else 0


@kernel
def bin_block(block, edges, low, scale, first, start, bins):
    """bins[j, start + i]: how many edges of column j lie below the value of row i."""
    m = edges.shape[1]
    for j in range(block.shape[1]):
        for i in range(block.shape[0]):
            x = block[i, j]
            b = first[j, _cell(x, low[j], scale[j])]
            while b < m and x > edges[j, b]:
                b += 1
            bins[j, start + i] = b


@kernel
def add_class_bins(bins, label, weight, stride, histogram):
    """Add each row's weight to histogram[j, label * stride + bin], for every column j.

    Four columns at a time: their sums do not wait for each other. Unsigned indices need no test for negative ones.
    """
    p, n = bins.shape
    first = np.empty(4096, np.uint64)
    fours = p - p % 4
    for start in range(0, n, 4096):
        stop = min(start + 4096, n)
        for i in range(start, stop):
            first[i - start] = np.uint64(label[i]) * np.uint64(stride)
        heft = weight[start:stop]
        for j in range(0, fours, 4):
            a, b, c, d = bins[j, start:stop], bins[j + 1, start:stop], bins[j + 2, start:stop], bins[j + 3, start:stop]
            one, two, three, four = histogram[j], histogram[j + 1], histogram[j + 2], histogram[j + 3]
            for i in range(stop - start):
                w, at = heft[i], first[i]
                one[at + np.uint64(a[i])] += w
                two[at + np.uint64(b[i])] += w
                three[at + np.uint64(c[i])] += w
                four[at + np.uint64(d[i])] += w
        for j in range(fours, p):
            a, one = bins[j, start:stop], histogram[j]
            for i in range(stop - start):
                one[first[i] + np.uint64(a[i])] += heft[i]


@kernel
def ends_of_gaps(block, values, low, scale, first, least, greatest):
    """Lower least[j, b] and raise greatest[j, b] to the values of column j between its given values b - 1 and b."""
    m = values.shape[1]
    for j in range(block.shape[1]):
        for i in range(block.shape[0]):
            x = block[i, j]
            if not (-np.inf < x < np.inf):
                continue
            b = first[j, _cell(x, low[j], scale[j])]
            while b < m and x > values[j, b]:
                b += 1
            if b < m and x == values[j, b]:
                continue
            least[j, b] = min(least[j, b], x)
            greatest[j, b] = max(greatest[j, b], x)
