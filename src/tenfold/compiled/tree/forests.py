"""Bootstrap draws of rows for the trees of a forest, sums of the trees' predictions, and trees whose cuts are drawn.

A cut of a column is drawn by the number of its node's path and that of the column, between the least and the greatest
value of the node's rows: so it is the same from rows in one place (`grow_drawn`) and from a histogram (`search_drawn`).
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import numpy as np

from tenfold.compiled.decorators import inner, kernel
from tenfold.compiled.rows.shuffling import mix
from tenfold.compiled.tree.tree_filling import bins_of, clear, count_column, total_of
from tenfold.compiled.tree.tree_growing import (
    ARITY,
    COLUMN,
    DEPTH,
    FIRST,
    FRESH,
    LEAST,
    LEAVES,
    MERIT,
    MOST,
    NODES,
    OPEN,
    ORDER,
    PATH,
    PLACE,
    ROUTE,
    ROUTED,
    SLOT,
    START,
    STOP,
    TURN,
    WANT_NODES,
    WANT_ROUTES,
    branch_path,
    draw,
    routes,
    row_noise,
    sort_rows,
)
from tenfold.compiled.tree.tree_search import (
    CHANCE,
    GROUP_ROWS,
    L2,
    NO_INDEX,
    NUMERIC,
    ZERO,
    bins_with_rows,
    chance_of,
    group_order,
    group_rare,
    impurity,
    loss_of_sums,
    scan_classes,
    scan_sums,
)

MAX_DRAWS = 15
"""times that a row is drawn, at the most: more have a chance below 1e-14"""
_NO_DRAW = sum(Fraction((-1) ** n, factorial(n)) for n in range(40))
CUMULATIVE_DRAWS = np.array(
    [int(_NO_DRAW * sum(Fraction(1, factorial(i)) for i in range(k + 1)) * 2**64) for k in range(MAX_DRAWS)], np.uint64
)
"""in units of 2⁻⁶⁴: the chance that a Poisson number of mean one is at most k"""


@kernel
def tree_keys(seed, stream, first, out):
    """out[t]: the random key of each tree from `first` on."""
    start = mix(np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(stream))
    for t in range(len(out)):
        out[t] = mix(start + np.uint64(first + t + 1) * np.uint64(0xD1B54A32D192ED03))


@inner
def times(number, key):
    """Return how often a tree draws a row: a Poisson number of mean one."""
    u = mix(np.uint64(number) * np.uint64(0x9E3779B97F4A7C15) + key)
    k = 0
    while k < MAX_DRAWS and u >= CUMULATIVE_DRAWS[k]:
        k += 1
    return k


@kernel
def draw_rows(numbers, key, out):
    """out[i]: how often a tree draws row i."""
    for i in range(len(numbers)):
        out[i] = times(numbers[i], key)


@kernel
def add_forest(block, column, threshold, turn, first, route_at, width, route, roots, value, out):
    """Add the prediction of every tree for row i to out[i]."""
    for t in range(len(roots)):
        for i in range(block.shape[0]):
            k = roots[t]
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
            for c in range(out.shape[1]):
                out[i, c] += value[k, c]


@kernel
def add_unseen(bins, na_bin, column, place, turn, first, route_at, route, roots, value, numbers, keys, out, count):
    """Add the predictions of the trees that did not draw row i to out[i], and count them; without row ids, of all."""
    for t in range(len(roots)):
        for i in range(bins.shape[1]):
            if len(numbers) and times(numbers[i], keys[t]) > 0:
                continue
            k = roots[t]
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
            for c in range(out.shape[1]):
                out[i, c] += value[k, c]
            count[i] += 1


@inner
def drawn_bin(centers, first, last, share):
    """The last bin on the left of a cut at a share of the way from the centre of one bin to that of another."""
    cut = centers[first] + share * (centers[last] - centers[first])
    a, b = first, last - 1
    while a < b:
        m = (a + b) // 2
        if centers[m + 1] <= cut:
            a = m + 1
        else:
            b = m
    return a


@inner
def search_drawn_column(
    hist, first, present, count, na_bin, kind, j, centers, path, total, base, noise, criterion, units, rules, cost,
    sides, order, work,
):  # fmt: skip
    """Rate a drawn cut of column j: (decrease, place, order, whether missing values go left).

    `present`: the bins that have rows, in order. Categories are in the order of their means; how many of them go left
    is drawn. `sides` has room for the sums of both sides and of missing values, `order` is that of the sides.
    """
    channels = hist.shape[0]
    key = mix(np.uint64(path) + np.uint64(2 * j + 1) * np.uint64(0xD1B54A32D192ED03))
    share = np.float64(key >> np.uint64(11)) * 2.0**-53
    best, place, by, left = -1.0, NO_INDEX, ZERO, False
    if kind[j] != NUMERIC:
        groups, size = group_rare(hist, first, present, count, rules[GROUP_ROWS])
        if size < 2:
            return best, place, by, left
        place = ZERO + 1 + np.int64(share * (size - 1))
        orders, start = ZERO + 1, ZERO
        if cost is not None:
            orders = channels - 1
            start += channels - 2 if orders <= 2 else 0
        for c in range(start, orders):
            ranked = group_order(groups, size, total, c, criterion, units, rules)
            chance_gain = chance_of(groups, size, total, base, noise, c, criterion, units, rules)
            for channel in range(channels):
                sides[channel, 0] = sides[channel, 1] = 0
                for k in range(size):
                    sides[channel, 0 if k < place else 1] += groups[channel, ranked[k]]
            found = -1.0
            if cost is None:
                found, _, _ = scan_sums(
                    sides, ZERO, order, ZERO + 2, NO_INDEX, total, base, chance_gain, units, rules, ZERO, -np.inf,
                    np.inf,
                )  # fmt: skip
            if cost is not None:
                found, _, _ = scan_classes(
                    sides, ZERO, order, ZERO + 2, NO_INDEX, total, base, chance_gain, criterion, units, rules, cost[j],
                    work,
                )  # fmt: skip
            if found > best:
                best, by = found, c
        return best, place, by, left
    known, missing = count, NO_INDEX
    for channel in range(channels):
        sides[channel, 0] = sides[channel, 1] = sides[channel, 2] = 0
    if present[count - 1] == na_bin[j]:
        known, missing = count - 1, ZERO + 2
        for channel in range(channels):
            sides[channel, 2] = hist[channel, first + na_bin[j]]
    last = present[known - 1]
    place = last
    if known > 1:
        place = drawn_bin(centers[j], present[0], last, share)
    for k in range(known):
        side = 0 if present[k] <= place else 1
        for channel in range(channels):
            sides[channel, side] += hist[channel, first + present[k]]
    both = min(known, ZERO + 2)
    k = ZERO
    if cost is None:
        best, k, left = scan_sums(
            sides, ZERO, order, both, missing, total, base, 0.0, units, rules, ZERO, -np.inf, np.inf
        )
    if cost is not None:
        best, k, left = scan_classes(
            sides, ZERO, order, both, missing, total, base, 0.0, criterion, units, rules, cost[j], work
        )
    return best, last if k == both else place, by, left


@kernel
def search_drawn(
    hist, offset, kind, na_bin, centers, features, path, total, base, noise, criterion, units, rules, cost
):  # fmt: skip
    """Best of the drawn cuts of some columns of a node: (gain, column, place, order, missing left); -1: there is none.

    cost: of each column, None for sums.
    """
    channels = len(total)
    sides, order, work = np.zeros((channels, 3), np.int64), np.arange(2), np.zeros(channels, np.int64)
    present = np.empty(hist.shape[1], np.int64)
    best, feature, place, by, turn = -1.0, NO_INDEX, NO_INDEX, ZERO, False
    for j in features:
        start = offset[j]
        count = bins_with_rows(hist[channels - 1], start, offset[j + 1], present)
        if count < 2:
            continue
        found, at, order_by, left = search_drawn_column(
            hist, start, present, count, na_bin, kind, j, centers, path, total, base, noise, criterion, units, rules,
            cost, sides, order, work,
        )  # fmt: skip
        if found > best:
            best, feature, place, by, turn = found, j, at, order_by, left
    return best, feature, place, by, turn


@kernel
def grow_drawn(
    bins, offset, kind, na_bin, centers, label, a, b, square, rows, criterion, units, rules, cost, max_depth, min_split,
    max_leaves, min_gain, most_features, node, real, sums, route, opened, state,
):  # fmt: skip
    """Grow a tree whose cuts are drawn; return False if longer tables are needed: call again.

    Parameters are those of `tree_growing.grow`. Only the bins that rows of a node are in are counted, column by column.
    """
    p, channels = len(offset) - 1, sums.shape[1]
    widest = ZERO + 1
    every, chosen, work = np.empty(p, np.int64), np.empty(p, np.int64), np.empty(channels, np.int64)
    for j in range(p):
        widest = max(widest, offset[j + 1] - offset[j])
        every[j] = j
    table, present = np.empty(widest, np.int64), np.empty(widest + 1, np.int64)
    small, words = np.zeros((channels, widest), np.int64), np.zeros((widest + 63) // 64, np.uint64)
    sides, order = np.zeros((channels, 3), np.int64), np.arange(2)
    aside = np.empty(len(rows), np.uint32)
    nodes, leaves, fresh = state[NODES], state[LEAVES], state[FRESH]
    open_count, routed = state[OPEN], state[ROUTED]
    while True:
        if nodes + 2 > len(node) or routed + widest > len(route):
            state[NODES], state[LEAVES], state[FRESH] = nodes, leaves, fresh
            state[OPEN], state[ROUTED] = open_count, routed
            state[WANT_NODES], state[WANT_ROUTES] = nodes + 2, routed + widest
            return False
        for k in range(fresh, nodes):
            best, start, stop = -1.0, node[k, START], node[k, STOP]
            able = stop - start >= min_split and (max_depth < 0 or node[k, DEPTH] < max_depth)
            base, noise = 0.0, rules[CHANCE]
            if label is not None:
                base = impurity(sums[k], ZERO, ZERO + 1, channels - 1, criterion)[0]
                able = able and base > 0
            if b is not None:
                base = loss_of_sums(sums[k], units, rules[L2], real[k, LEAST], real[k, MOST])
                if able and len(square):
                    squares = ZERO
                    for i in range(start, stop):
                        squares += square[rows[i]]
                    noise = row_noise(squares, sums[k], units, rules)
            if able:
                picked, done = every, ZERO
                if most_features < p:
                    draw(every, np.uint64(node[k, PATH]), chosen)
                    picked = chosen
                while done < most_features or (best <= min_gain and done < p):
                    c = picked[done]
                    done += 1
                    count_column(bins[c], rows, start, stop, label, a, b, small, words)
                    count = bins_of(words, offset[c + 1] - offset[c], present)
                    if count > 1:
                        found, place, by, to_left = search_drawn_column(
                            small, ZERO, present, count, na_bin, kind, c, centers, node[k, PATH], sums[k], base, noise,
                            criterion, units, rules, cost, sides, order, work,
                        )  # fmt: skip
                        if found > best:
                            best = found
                            node[k, COLUMN], node[k, PLACE], node[k, ORDER], node[k, TURN] = c, place, by, to_left
                    clear(small, present, count)
            if best > min_gain:
                real[k, MERIT], opened[open_count] = best, k
                open_count += 1
            else:
                node[k, COLUMN] = -1
                node[k, PLACE] = node[k, ORDER] = node[k, TURN] = 0
        if open_count == 0 or (max_leaves > 0 and leaves >= max_leaves):
            break
        at = open_count - 1
        if max_leaves > 0:
            for i in range(open_count):
                x, y = real[opened[i], MERIT], real[opened[at], MERIT]
                if x > y or (x == y and opened[i] < opened[at]):
                    at = i
        k = opened[at]
        open_count -= 1
        opened[at] = opened[open_count]
        j, start, stop = node[k, COLUMN], node[k, START], node[k, STOP]
        width = offset[j + 1] - offset[j]
        if kind[j] != NUMERIC:
            count_column(bins[j], rows, start, stop, label, a, b, small, words)
            count = bins_of(words, width, present)
            routes(
                small, ZERO, present, count, sums[k], criterion, units, rules, kind[j], node[k, PLACE], node[k, ORDER],
                table[:width],
            )  # fmt: skip
            clear(small, present, count)
            node[k, ROUTE] = routed
            for v in range(width):
                route[routed + v] = table[v]
            routed += width
        else:
            for v in range(width):
                table[v] = 0 if v <= node[k, PLACE] else 1
            table[na_bin[j]] = 0 if node[k, TURN] else 1
        split = sort_rows(bins[j], table, rows, start, stop, aside)
        node[k, FIRST], node[k, ARITY] = nodes, 2
        for turn in range(2):
            child = nodes + turn
            node[child, START], node[child, STOP] = (split, stop) if turn else (start, split)
            node[child, COLUMN] = node[child, ROUTE] = node[child, SLOT] = -1
            node[child, DEPTH], node[child, PATH] = node[k, DEPTH] + 1, branch_path(node[k, PATH], turn)
            for side in range(3):
                real[child, side] = real[k, side]
        less = nodes if split - start <= stop - split else nodes + 1
        total_of(rows, node[less, START], node[less, STOP], label, a, b, sums[less])
        for c in range(channels):
            sums[2 * nodes + 1 - less, c] = sums[k, c] - sums[less, c]
        fresh = nodes
        nodes += 2
        leaves += 1
    for i in range(open_count):
        node[opened[i], COLUMN] = -1
    state[NODES], state[ROUTED] = nodes, routed
    return True
