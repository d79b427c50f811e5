"""A tree split by split, so that threads can share the columns of a large node between them.

The same whole numbers and the same arithmetic as in `kernels/tree_growing.py` and `kernels/tree_search.py`, the same
tree; here Σg and Σh of a bin stand side by side while they are summed, and the cuts of a column are rated all at once.
"""

from __future__ import annotations

import numpy as np

from tenfold.kernels.compiling import dividing, kernel
from tenfold.kernels.tree_filling import LOW, PACKED
from tenfold.kernels.tree_growing import (
    ARITY,
    COLUMN,
    DEPTH,
    FIRST,
    LEAST,
    MOST,
    ROUTE,
    START,
    STOP,
    SUMS,
    sort_rows,
)  # fmt: skip
from tenfold.kernels.tree_levels import branches_of
from tenfold.kernels.tree_search import (
    NOISE,
    NONE,
    NOUGHT,
    NUMERIC,
    badness,
    bins_with_rows,
    leaf_value,
    search_column,
)

BLOCK = 2048
"""rows that stay in cache while all columns take them in"""


@kernel
def gather(rows, start, stop, a, b, w, pair, heft):
    """Of the rows of a node, in their order: g with a one in its low bits, and h; and the weight, if any."""
    for i in range(start, stop):
        r = rows[i]
        pair[i - start, 0] = (a[r] << LOW) + 1
        if len(b):
            pair[i - start, 1] = b[r]
        if len(w):
            heft[i - start, 0] = w[r]


@kernel
def add_pairs(bins, offset, low, high, rows, start, stop, pair, cells):
    """cells[cell of row i] += pair[i], for columns low to high, two at a time: they do not wait for each other."""
    n = stop - start
    at = np.empty(n, np.uint32)
    for i in range(n):
        at[i] = rows[start + i]
    j = low
    while j + 1 < high:
        x, y = bins[j], bins[j + 1]
        c, d = cells[offset[j] : offset[j + 1]], cells[offset[j + 1] : offset[j + 2]]
        for i in range(n):
            r, v, w = at[i], pair[i, 0], pair[i, 1]
            k, m = np.uint64(x[r]), np.uint64(y[r])
            c[k, 0] += v
            c[k, 1] += w
            d[m, 0] += v
            d[m, 1] += w
        j += 2
    if j < high:
        x, c = bins[j], cells[offset[j] : offset[j + 1]]
        for i in range(n):
            k = np.uint64(x[at[i]])
            c[k, 0] += pair[i, 0]
            c[k, 1] += pair[i, 1]


@kernel
def fill_columns(hist, bins, offset, low, high, rows, start, stop, pair, bent, heft, cells):
    """The histogram of sums of a node, for columns low to high. Not bent: h is one. No heft: every weight is one."""
    a, z = offset[low], offset[high]
    mask = (1 << LOW) - 1
    for s in range(start, stop, PACKED):
        e = min(s + PACKED, stop)
        for k in range(a, z):
            cells[k, 0] = 0
            cells[k, 1] = 0
        for t in range(s, e, BLOCK):
            u = min(t + BLOCK, e)
            add_pairs(bins, offset, low, high, rows, t, u, pair[t - start : u - start], cells)
        if s == start:
            for k in range(a, z):
                n = cells[k, 0] & mask
                hist[0, k] = (cells[k, 0] - n) >> LOW
                hist[1, k] = cells[k, 1]
                hist[2, k] = n
        else:
            for k in range(a, z):
                n = cells[k, 0] & mask
                hist[0, k] += (cells[k, 0] - n) >> LOW
                hist[1, k] += cells[k, 1]
                hist[2, k] += n
    if not bent:
        for k in range(a, z):
            hist[1, k] = hist[2, k]
    if len(heft):
        for k in range(a, z):
            cells[k, 0] = 0
        for t in range(start, stop, BLOCK):
            u = min(t + BLOCK, stop)
            add_pairs(bins, offset, low, high, rows, t, u, heft[t - start : u - start], cells)
        for k in range(a, z):
            hist[2, k] = cells[k, 0]


@dividing
def rate(g, h, n, count, total, base, units, rules, drop):
    """The decrease of each cut of bins in their order, -1 where it may not be, from sums up to each."""
    gu, hu, l2 = units[0], units[1], rules[2]
    least_rows, least_weight = rules[0], rules[1]
    tg, th, tn = total[0], total[1], total[2]
    for k in range(count):
        a, b = h[k] * hu, (th - h[k]) * hu
        x, z = g[k] * gu, (tg - g[k]) * gu
        fine = (n[k] >= least_rows) & (tn - n[k] >= least_rows) & (a >= least_weight) & (b >= least_weight)
        found = base + x * x / (a + l2) + z * z / (b + l2)
        drop[k] = found if fine else -1.0


@kernel
def scan_free(hist, first, count, total, base, units, rules, room, drop):
    """As `search_column` for numbers of which none is missing, without bounds: (decrease, place, missing left)."""
    g = h = n = NOUGHT
    for k in range(count):
        g += hist[0, first + k]
        h += hist[1, first + k]
        n += hist[2, first + k]
        room[0, k], room[1, k], room[2, k] = g, h, n
    rate(room[0], room[1], room[2], count, total, base, units, rules, drop)
    best, at = -1.0, NONE
    for k in range(count):
        if drop[k] > best:
            best, at = drop[k], k
    if not best > -NOISE * base or at < 0:
        return -1.0, NONE, False
    after = at + 1
    while hist[2, first + after] == 0:
        after += 1
    return best, (at + after - 1) // 2, 2 * room[2, at] >= total[2]


@kernel
def best_of(hist, offset, kind, gap, low, high, total, units, rules, cost, way, bounds, room, drop, present, out):
    """The best split of a node over columns low to high: merit (-1: none), column, place, order, missing left."""
    base = badness(total, SUMS, units, rules[2], bounds[0], bounds[1])
    free = bounds[0] == -np.inf and bounds[1] == np.inf and rules[0] >= 1 and rules[1] > 0
    out[0], out[1] = -1.0, -1
    work = np.zeros(3, np.int64)
    for j in range(low, high):
        start = offset[j]
        if free and kind[j] == NUMERIC and way[j] == 0 and hist[2, start + gap[j]] == 0:
            found, at, left = scan_free(hist, start, gap[j], total, base, units, rules, room, drop)
            by = NOUGHT
        else:
            count = bins_with_rows(hist[2], start, offset[j + 1], present)
            if count < 2:
                continue
            found, at, by, left = search_column(
                hist, start, present, count, gap[j], kind[j], total, base, SUMS, units, rules, cost[j], way[j],
                bounds[0], bounds[1], work,
            )  # fmt: skip
        if found > out[0]:
            out[0], out[1], out[2], out[3], out[4] = found, j, at, by, left


@kernel
def work(
    bins, offset, kind, gap, low, high, rows, start, stop, pair, bent, heft, less, more, sums_less, sums_more, units,
    rules, cost, way, bounds_less, bounds_more, cells, room, drop, present, out,
):  # fmt: skip
    """For columns low to high: the smaller child's histogram, the larger's from the parent's, the best split of each.

    `more` comes as the parent's histogram; for the root it is empty, and `less` alone is filled.
    """
    fill_columns(less, bins, offset, low, high, rows, start, stop, pair, bent, heft, cells)
    best_of(
        less, offset, kind, gap, low, high, sums_less, units, rules, cost, way, bounds_less, room, drop, present, out[0]
    )
    if not len(more):
        return
    for c in range(3):
        for k in range(offset[low], offset[high]):
            more[c, k] -= less[c, k]
    best_of(
        more, offset, kind, gap, low, high, sums_more, units, rules, cost, way, bounds_more, room, drop, present, out[1]
    )


@kernel
def divide(bins, offset, kind, gap, hist, node, real, sums, k, nodes, way, units, l2, rows, aside, table, split, ends):
    """Split node k: its rows are sorted, and its children are the nodes that come next. The width of its routes."""
    j = node[k, COLUMN]
    branches_of(hist, offset, kind, gap, node[k], SUMS, table, split)
    sort_rows(bins[j], table, 2, rows, node[k, START], node[k, STOP], aside, ends)
    node[k, FIRST], node[k, ARITY] = nodes, 2
    for side in range(2):
        child = nodes + side
        node[child, COLUMN] = node[child, ROUTE] = -1
        node[child, DEPTH] = node[k, DEPTH] + 1
        node[child, START] = ends[0] if side else node[k, START]
        node[child, STOP] = node[k, STOP] if side else ends[0]
        for c in range(3):
            sums[child, c] = split[side, c]
            real[child, c] = real[k, c]
    if way[j] != 0:
        x = leaf_value(split[0, 0] * units[0], split[0, 1] * units[1] + l2, real[k, LEAST], real[k, MOST])
        y = leaf_value(split[1, 0] * units[0], split[1, 1] * units[1] + l2, real[k, LEAST], real[k, MOST])
        side = MOST if way[j] > 0 else LEAST
        real[nodes, side] = real[nodes + 1, LEAST + MOST - side] = 0.5 * (x + y)
    return 0 if kind[j] == NUMERIC else gap[j] + 1
