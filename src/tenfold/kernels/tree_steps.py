"""A tree split by split, so that threads can share the columns of a large node between them.

The same whole numbers and the same arithmetic as in `kernels/tree_growing.py` and `kernels/tree_search.py`, the same
tree; here a row adds one word to a bin, and the cuts of a column are rated all at once.
"""

from __future__ import annotations

import numpy as np

from tenfold.kernels.compiling import dividing, kernel
from tenfold.kernels.desk import CLOSED, DONE, add, await_all, lay_out, look, put, rest, take
from tenfold.kernels.tree_growing import (
    ARITY,
    COLUMN,
    DEPTH,
    FIRST,
    LEAST,
    MERIT,
    MOST,
    ORDER,
    PLACE,
    ROUTE,
    START,
    STOP,
    TURN,
    sort_rows,
)  # fmt: skip
from tenfold.kernels.tree_levels import branches_of
from tenfold.kernels.tree_search import (
    CHANCE,
    L2,
    NOISE,
    NONE,
    NOUGHT,
    NUMERIC,
    SUMS,
    badness,
    bins_with_rows,
    leaf_value,
    search_column,
)
from tenfold.kernels.tree_sums import fill_sums

LESS, MORE, NEW, OLD, ABLE_LESS, ABLE_MORE, SPLIT, WIDE, WORDS = range(9)
"""of a step: the two new leaves (that with fewer rows first; no second: the root), where the histogram of the first is
to be and where that of their parent is, whether they may be split; which node was, and how many routes that gave"""


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
        found = base + (x * x / (a + l2) + z * z / (b + l2))
        drop[k] = found if fine else -1.0


@kernel
def scan_free(hist, first, count, total, base, units, rules, room, drop):
    """As `search_column` for numbers of which none is missing, without bounds: (decrease, place, missing left)."""
    g = h = n = NOUGHT
    sums, curves, counts = hist[0, first:], hist[1, first:], hist[2, first:]
    for k in range(count):
        g += sums[k]
        h += curves[k]
        n += counts[k]
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
    return best, (at + after - 1) // 2, 2 * room[1, at] >= total[1]


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
                hist, start, present, count, gap[j], kind[j], total, base, rules[CHANCE], SUMS, units, rules, cost[j],
                way[j], bounds[0], bounds[1], work,
            )  # fmt: skip
        if found > out[0]:
            out[0], out[1], out[2], out[3], out[4] = found, j, at, by, left


@kernel
def work(
    bins, offset, kind, gap, low, high, rows, word, short, h, pool, node, real, sums, step, units, rules, cost,
    way, cells, room, drop, present, out,
):  # fmt: skip
    """For columns low to high: the smaller leaf's histogram, the larger's from the parent's, the best split of each."""
    k, other = step[LESS], step[MORE]
    less, more = pool[step[NEW]], pool[step[OLD]]
    fill_sums(less, bins, offset, low, high, rows, node[k, START], node[k, STOP], word, short, h, cells)
    best_of(
        less, offset, kind, gap, low, high, sums[k], units, rules, cost, way, real[k, LEAST:], room, drop, present,
        out[0],
    )  # fmt: skip
    if other < 0:
        return
    for c in range(3):
        whole, some = more[c, offset[low] : offset[high]], less[c, offset[low] : offset[high]]
        for i in range(len(whole)):
            whole[i] -= some[i]
    best_of(
        more, offset, kind, gap, low, high, sums[other], units, rules, cost, way, real[other, LEAST:], room, drop,
        present, out[1],
    )  # fmt: skip


@kernel
def note(outs, step, least_merit, node, real, opened):
    """The best splits of the two new leaves, of those that were found over some columns each."""
    for side in range(2):
        k = step[LESS + side]
        if k < 0 or not step[ABLE_LESS + side]:
            continue
        best = 0
        for i in range(1, len(outs)):
            if outs[i, side, 0] > outs[best, side, 0]:
                best = i
        found = outs[best, side]
        if found[0] > least_merit:
            node[k, COLUMN], node[k, PLACE], node[k, ORDER] = np.int64(found[1]), np.int64(found[2]), np.int64(found[3])
            node[k, TURN] = np.int64(found[4])
            real[k, MERIT] = opened[k] = found[0]


@kernel
def split_best(
    bins, offset, kind, gap, pool, node, real, sums, nodes, way, units, rules, min_split, max_depth, rows, aside,
    table, split, ends, slot, opened, step,
):  # fmt: skip
    """Split the leaf of the greatest merit, of equals that which came first; False: there is none."""
    k = NONE
    for i in range(nodes):
        if opened[i] > -np.inf and (k < 0 or opened[i] > opened[k]):
            k = i
    if k < 0:
        return False
    opened[k] = -np.inf
    step[SPLIT] = k
    step[WIDE] = divide(
        bins, offset, kind, gap, pool[slot[k]], node, real, sums, k, nodes, way, units, rules, rows, aside, table,
        split, ends,
    )  # fmt: skip
    first = sums[nodes, 2] <= sums[nodes + 1, 2]
    step[LESS], step[MORE] = (nodes, nodes + 1) if first else (nodes + 1, nodes)
    step[OLD] = slot[k]
    step[NEW] += 1
    slot[step[LESS]], slot[step[MORE]] = step[NEW], step[OLD]
    for side in range(2):
        i = step[LESS + side]
        step[ABLE_LESS + side] = sums[i, 2] >= min_split and (max_depth < 0 or node[i, DEPTH] < max_depth)
    return True


@kernel
def divide(
    bins, offset, kind, gap, hist, node, real, sums, k, nodes, way, units, rules, rows, aside, table, split, ends
):
    """Split node k: its rows are sorted, and its children are the nodes that come next. The width of its routes."""
    j = node[k, COLUMN]
    l2 = rules[L2]
    branches_of(hist, offset, kind, gap, node[k], sums[k], SUMS, units, rules, table, split)
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


@kernel
def grow_best(
    bins, offset, kind, gap, word, short, h, pool, node, real, sums, step, units, rules, cost, way, cells, ends,
    outs, desk, least_merit, min_split, max_depth, max_leaves, rows, aside, route,
):  # fmt: skip
    """Grow a tree, best leaf first, from its root, which is node 0; how many nodes, and the length of the routes.

    The columns from ends[i] to ends[i + 1] are a piece of the work; `help_grow` takes some.
    """
    wide, most = 2, len(node)
    for j in range(len(gap)):
        wide = max(wide, gap[j] + 1)
    room, drop, present = np.empty((3, wide), np.int64), np.empty(wide), np.empty(wide + 1, np.int64)
    table, split, bounds = np.empty(wide, np.int64), np.zeros((wide, 3), np.int64), np.zeros(3, np.int64)
    slot, opened = np.zeros(most, np.int64), np.full(most, -np.inf)
    pieces, nodes, routed = len(ends) - 1, NOUGHT + 1, NOUGHT
    while True:
        if step[ABLE_LESS] or step[ABLE_MORE]:
            lay_out(desk)
            k = take(desk, pieces)
            while k >= 0:
                work(
                    bins, offset, kind, gap, ends[k], ends[k + 1], rows, word, short, h, pool, node, real, sums,
                    step, units, rules, cost, way, cells, room, drop, present, outs[k],
                )  # fmt: skip
                add(desk, DONE, 1)
                k = take(desk, pieces)
            await_all(desk, pieces)
            note(outs, step, least_merit, node, real, opened)
        if not split_best(
            bins, offset, kind, gap, pool, node, real, sums, nodes, way, units, rules, min_split, max_depth, rows,
            aside, table, split, bounds, slot, opened, step,
        ):  # fmt: skip
            break
        if step[WIDE]:
            node[step[SPLIT], ROUTE] = routed
            for b in range(step[WIDE]):
                route[routed + b] = table[b]
            routed += step[WIDE]
        nodes += 2
        if nodes + 1 >= 2 * max_leaves:
            break
    for k in range(nodes):
        if opened[k] > -np.inf:
            node[k, COLUMN] = -1
    put(desk, CLOSED, 1)
    return nodes, routed


@kernel
def help_grow(
    bins, offset, kind, gap, word, short, h, pool, node, real, sums, step, units, rules, cost, way, cells, ends,
    outs, desk, rows,
):  # fmt: skip
    """Take pieces of the work of `grow_best`, until the tree is grown."""
    wide = 2
    for j in range(len(gap)):
        wide = max(wide, gap[j] + 1)
    room, drop, present = np.empty((3, wide), np.int64), np.empty(wide), np.empty(wide + 1, np.int64)
    pieces, turns = len(ends) - 1, 0
    while not look(desk, CLOSED):
        k = take(desk, pieces)
        if k < 0:
            turns = rest(turns)
            continue
        turns = 0
        work(
            bins, offset, kind, gap, ends[k], ends[k + 1], rows, word, short, h, pool, node, real, sums, step,
            units, rules, cost, way, cells, room, drop, present, outs[k],
        )  # fmt: skip
        add(desk, DONE, 1)
