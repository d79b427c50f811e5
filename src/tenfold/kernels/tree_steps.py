"""A tree split by split, so that threads can share the columns of a large node between them.

The same functions as in `kernels/tree_growing.py`, the same whole numbers, the same tree.
"""

from __future__ import annotations

import numpy as np

from tenfold.kernels.compiling import kernel
from tenfold.kernels.tree_growing import BLOCK, LOW, PACKED, SUMS
from tenfold.kernels.tree_search import badness, search


@kernel
def gather(rows, start, stop, a, b, first, second):
    """Σg with the number of rows in its low bits, and Σh, of the rows of a node in their order."""
    for i in range(start, stop):
        r = rows[i]
        first[i - start] = (a[r] << LOW) + 1
        if len(b):
            second[i - start] = b[r]


@kernel
def add_values(bins, offset, low, high, rows, start, stop, value, plane):
    """plane[cell of row i] += value[i], for columns low to high, two at a time."""
    at = np.empty(BLOCK, np.uint32)
    for s in range(start, stop, BLOCK):
        n = min(BLOCK, stop - s)
        for i in range(n):
            at[i] = rows[s + i]
        some = value[s - start : s - start + n]
        j = low
        while j + 1 < high:
            x, y = bins[j], bins[j + 1]
            c, d = plane[offset[j] : offset[j + 1]], plane[offset[j + 1] : offset[j + 2]]
            for i in range(n):
                r, v = at[i], some[i]
                c[np.uint64(x[r])] += v
                d[np.uint64(y[r])] += v
            j += 2
        if j < high:
            x, c = bins[j], plane[offset[j] : offset[j + 1]]
            for i in range(n):
                c[np.uint64(x[at[i]])] += some[i]


@kernel
def fill_columns(hist, bins, offset, low, high, rows, start, stop, first, second):
    """The histogram of sums of a node, for columns low to high."""
    a, z = offset[low], offset[high]
    hist[:, a:z] = 0
    packed = np.empty(z, np.int64)
    mask = (1 << LOW) - 1
    for s in range(start, stop, PACKED):
        e = min(s + PACKED, stop)
        packed[a:z] = 0
        add_values(bins, offset, low, high, rows, s, e, first[s - start :], packed)
        for k in range(a, z):
            n = packed[k] & mask
            hist[0, k] += (packed[k] - n) >> LOW
            hist[2, k] += n
        if len(second):
            add_values(bins, offset, low, high, rows, s, e, second[s - start :], hist[1])
    if not len(second):
        hist[1, a:z] = hist[2, a:z]


@kernel
def work(
    bins, offset, kind, gap, low, high, rows, start, stop, first, second, less, more, sums_less, sums_more, units,
    rules, cost, way, bounds_less, bounds_more, out,
):  # fmt: skip
    """For columns low to high: the smaller child's histogram, the larger's from the parent's, the best split of each.

    `more` comes as the parent's histogram; for the root it is empty, and `less` alone is filled.
    """
    fill_columns(less, bins, offset, low, high, rows, start, stop, first, second)
    some = np.arange(low, high)
    base = badness(sums_less, SUMS, units, rules[2], bounds_less[0], bounds_less[1])
    found = search(
        less, offset, kind, gap, some, sums_less, base, SUMS, units, rules, cost, way, bounds_less[0], bounds_less[1]
    )
    out[0, 0], out[0, 1], out[0, 2], out[0, 3], out[0, 4] = found
    if not len(more):
        return
    for c in range(3):
        for k in range(offset[low], offset[high]):
            more[c, k] -= less[c, k]
    base = badness(sums_more, SUMS, units, rules[2], bounds_more[0], bounds_more[1])
    found = search(
        more, offset, kind, gap, some, sums_more, base, SUMS, units, rules, cost, way, bounds_more[0], bounds_more[1]
    )
    out[1, 0], out[1, 1], out[1, 2], out[1, 3], out[1, 4] = found
