"""A tree split by split, so that threads can share the columns of a large node between them.

The same whole numbers and the same arithmetic as in `tree_growing.py` and `tree_search.py`, the same tree; here a row
adds one word to a bin, and the cuts of a column are rated all at once.
"""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import inner, inner_dividing, kernel
from tenfold.compiled.tree.tree_growing import (
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
from tenfold.compiled.tree.tree_levels import branches_of
from tenfold.compiled.tree.tree_search import (
    CENTERED_NOISE,
    CHANCE,
    DECREASE_NOISE,
    L2,
    NO_INDEX,
    NUMERIC,
    SUMS,
    TARGET_ROUNDING,
    ZERO,
    bins_with_rows,
    leaf_value,
    loss_of_sums,
    search_sums,
)
from tenfold.compiled.tree.tree_sums import fill_sums
from tenfold.compiled.work_queue import CLOSED, DONE, back_off, fetch_add, load, publish, store, take, wait_for_all

LESS, MORE, NEW, OLD, ABLE_LESS, ABLE_MORE, SPLIT, WIDE, WORDS = range(9)
"""of a step: the two new leaves (that with fewer rows first; no second: the root), where the histogram of the first is
to be and where that of their parent is, whether they may be split; which node was, and how many routes that gave"""


@inner_dividing
def rate(g, h, n, count, total, base, units, rules, drop):
    """The decrease of each cut of bins in their order, -1 where it may not be, from sums up to each."""
    gu, hu, l2 = units[0], units[1], rules[2]
    least_rows, least_weight = rules[0], rules[1]
    tg, th, tn = total[0], total[1], total[2]
    mean = 0.0
    if l2 == 0 and th > 0:
        mean, base = tg * gu / (th * hu), 0.0
    for k in range(count):
        a, b = h[k] * hu, (th - h[k]) * hu
        x, z = g[k] * gu - mean * a, (tg - g[k]) * gu - mean * b
        fine = (n[k] >= least_rows) & (tn - n[k] >= least_rows) & (a >= least_weight) & (b >= least_weight)
        found = base + (x * x / (a + l2) + z * z / (b + l2))
        drop[k] = found if fine else -1.0


@inner_dividing
def refuse_rounding(h, n, count, total, units, rules, drop):
    """Set to -1 the decreases that rows of equal targets may give because their sums were rounded apart."""
    rounded = rules[TARGET_ROUNDING] * rules[TARGET_ROUNDING]
    for k in range(count):
        if drop[k] > 0:
            a, b = h[k] * units[1] + rules[L2], (total[1] - h[k]) * units[1] + rules[L2]
            some, rest = float(n[k]), float(total[2] - n[k])
            if drop[k] <= rounded * (some * some / a + rest * rest / b):
                drop[k] = -1.0


@inner
def scan_free(hist, first, count, total, base, units, rules, room, drop):
    """As `search_column` for numbers of which none is missing, without bounds: (decrease, place, missing left)."""
    g = h = n = ZERO
    sums, curves, counts = hist[0, first:], hist[1, first:], hist[2, first:]
    for k in range(count):
        g += sums[k]
        h += curves[k]
        n += counts[k]
        room[0, k], room[1, k], room[2, k] = g, h, n
    rate(room[0], room[1], room[2], count, total, base, units, rules, drop)
    if rules[TARGET_ROUNDING] > 0:
        refuse_rounding(room[1], room[2], count, total, units, rules, drop)
    best, at = -1.0, NO_INDEX
    for k in range(count):
        if drop[k] > best:
            best, at = drop[k], k
    if not best > -(CENTERED_NOISE if rules[L2] == 0 and total[1] > 0 else DECREASE_NOISE) * base or at < 0:
        return -1.0, NO_INDEX, False
    after = at + 1
    while hist[2, first + after] == 0:
        after += 1
    return best, (at + after - 1) // 2, 2 * room[1, at] >= total[1]


@inner
def best_of(hist, offset, kind, na_bin, low, high, total, units, rules, monotonic, bounds, room, drop, present, out):
    """The best split of a node over columns low to high: gain (-1: none), column, place, order, missing left."""
    base = loss_of_sums(total, units, rules[2], bounds[0], bounds[1])
    free = bounds[0] == -np.inf and bounds[1] == np.inf and rules[0] >= 1 and rules[1] > 0
    out[0], out[1] = -1.0, -1
    for j in range(low, high):
        start = offset[j]
        if free and (kind is None or kind[j] == NUMERIC) and monotonic[j] == 0 and hist[2, start + na_bin[j]] == 0:
            found, at, left = scan_free(hist, start, na_bin[j], total, base, units, rules, room, drop)
            by = ZERO
        else:
            count = bins_with_rows(hist[2], start, offset[j + 1], present)
            if count < 2:
                continue
            found, at, by, left = search_sums(
                hist, start, present, count, na_bin, kind, j, total, base, rules[CHANCE], units, rules, monotonic,
                bounds[0], bounds[1],
            )  # fmt: skip
        if found > out[0]:
            out[0], out[1], out[2], out[3], out[4] = found, j, at, by, left


@inner
def work(
    bins, offset, kind, na_bin, low, high, rows, word, short, h, pool, node, real, sums, step, units, rules,
    monotonic, cells, room, drop, present, out,
):  # fmt: skip
    """For columns low to high: the smaller leaf's histogram, the larger's from the parent's, the best split of each."""
    for side in range(2):
        k = step[LESS + side]
        if k < 0:
            break
        hist = pool[step[NEW + side]]
        if side == 0:
            fill_sums(hist, bins, offset, low, high, rows, node[k, START], node[k, STOP], word, short, h, cells)
        else:
            less = pool[step[NEW]]
            for c in range(3):
                whole, some = hist[c, offset[low] : offset[high]], less[c, offset[low] : offset[high]]
                for i in range(len(whole)):
                    whole[i] -= some[i]
        if step[ABLE_LESS + side]:
            best_of(
                hist, offset, kind, na_bin, low, high, sums[k], units, rules, monotonic, real[k, LEAST:], room, drop,
                present, out[side],
            )  # fmt: skip


@inner
def note(outs, step, min_gain, node, real, opened):
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
        if found[0] > min_gain:
            node[k, COLUMN], node[k, PLACE], node[k, ORDER] = np.int64(found[1]), np.int64(found[2]), np.int64(found[3])
            node[k, TURN] = np.int64(found[4])
            real[k, MERIT] = opened[k] = found[0]


@inner
def split_best(
    bins, offset, kind, na_bin, pool, node, real, sums, nodes, monotonic, units, rules, min_split, max_depth, rows,
    aside, table, split, slot, opened, step,
):  # fmt: skip
    """Split the leaf with the largest gain, the oldest of equal ones; return False if there is none.

    Its rows are sorted, and its children are the nodes that come next.
    """
    k = NO_INDEX
    for i in range(nodes):
        if opened[i] > -np.inf and (k < 0 or opened[i] > opened[k]):
            k = i
    if k < 0:
        return False
    opened[k] = -np.inf
    j, start, stop = node[k, COLUMN], node[k, START], node[k, STOP]
    step[SPLIT], step[WIDE] = k, 0
    if kind is not None and kind[j] != NUMERIC:
        step[WIDE] = na_bin[j] + 1
    branches_of(pool[slot[k]], offset, kind, na_bin, node[k], sums[k], ZERO + SUMS, units, rules, table, split)
    middle = sort_rows(bins[j], table, rows, start, stop, aside)
    node[k, FIRST], node[k, ARITY] = nodes, 2
    for side in range(2):
        child = nodes + side
        node[child, COLUMN] = node[child, ROUTE] = -1
        node[child, DEPTH] = node[k, DEPTH] + 1
        node[child, START] = middle if side else start
        node[child, STOP] = stop if side else middle
        for c in range(3):
            sums[child, c] = split[side, c]
            real[child, c] = real[k, c]
    if monotonic[j] != 0:
        l2, least, most = rules[L2], real[k, LEAST], real[k, MOST]
        x = leaf_value(split[0, 0] * units[0], split[0, 1] * units[1] + l2, least, most)
        y = leaf_value(split[1, 0] * units[0], split[1, 1] * units[1] + l2, least, most)
        bound = MOST if monotonic[j] > 0 else LEAST
        real[nodes, bound] = real[nodes + 1, LEAST + MOST - bound] = 0.5 * (x + y)
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
def grow_best(
    bins, offset, kind, na_bin, word, short, h, pool, node, real, sums, step, units, rules, monotonic, cells, ends,
    outs, queue, min_gain, min_split, max_depth, max_leaves, rows, aside, route, leading,
):  # fmt: skip
    """Grow a tree, best leaf first, from node 0; return the number of nodes and the length of the routes.

    The columns from ends[i] to ends[i + 1] are a piece of the work. One thread leads; others take pieces until the tree
    is grown. kind: None, if all columns are numbers.
    """
    wide, most = 2, len(node)
    for j in range(len(na_bin)):
        wide = max(wide, na_bin[j] + 1)
    room, drop, present = np.empty((3, wide), np.int64), np.empty(wide), np.empty(wide + 1, np.int64)
    table, split = np.empty(wide, np.int64), np.empty((wide, 3), np.int64)
    slot, opened = np.empty(most, np.int64), np.empty(most)
    for k in range(most):
        slot[k], opened[k] = 0, -np.inf
    pieces, nodes, routed, turns = len(ends) - 1, ZERO + 1, ZERO, ZERO
    fresh = leading and step[ABLE_LESS] + step[ABLE_MORE] > 0
    if fresh:
        publish(queue)
    while True:
        k = NO_INDEX
        if fresh or not leading:
            k = take(queue, pieces)
        if k >= 0:
            work(
                bins, offset, kind, na_bin, ends[k], ends[k + 1], rows, word, short, h, pool, node, real, sums, step,
                units, rules, monotonic, cells, room, drop, present, outs[k],
            )  # fmt: skip
            fetch_add(queue, DONE, 1)
            turns = ZERO
            continue
        if not leading:
            if load(queue, CLOSED):
                return ZERO, ZERO
            turns = back_off(turns)
            continue
        if fresh:
            wait_for_all(queue, pieces)
            note(outs, step, min_gain, node, real, opened)
        if not split_best(
            bins, offset, kind, na_bin, pool, node, real, sums, nodes, monotonic, units, rules, min_split, max_depth,
            rows, aside, table, split, slot, opened, step,
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
        fresh = step[ABLE_LESS] + step[ABLE_MORE] > 0
        if fresh:
            publish(queue)
    for k in range(nodes):
        if opened[k] > -np.inf:
            node[k, COLUMN] = -1
    store(queue, CLOSED, 1)
    return nodes, routed
