"""Grow a tree over rows that are at hand: bins by column, an index of rows that is sorted into nodes.

All sums are of whole numbers (`kernels/tree_search.py`), so this gives the same tree as merging histograms of parts
level by level; it only takes less time where the rows of a node are in one place.
"""

from __future__ import annotations

import numpy as np

from tenfold.kernels.compiling import interruptible, kernel
from tenfold.kernels.shuffling import mix
from tenfold.kernels.tree_filling import bins_of, clear, count_column, fill_classes, fill_pairs, total_of
from tenfold.kernels.tree_search import (
    CHANCE,
    GROUP_ROWS,
    MULTIWAY,
    NONE,
    NOUGHT,
    NUMERIC,
    SUMS,
    bins_with_rows,
    group_order,
    group_rare,
    impurity,
    leaf_value,
    loss_of_sums,
    row_weight,
    search_classes,
    search_sums,
)

SMALL = 512
"""nodes with fewer rows have no histogram of their own"""
COLUMN, PLACE, ORDER, TURN, FIRST, ARITY, ROUTE, DEPTH, START, STOP, SLOT, PATH, FIELDS = range(13)
"""what is known of a node: the column it splits (-1: a leaf), where, in which order of categories, whether missing
values go left; its first child, how many it has, where its routes begin (-1: a threshold); its depth, the span of its
rows, the place of its histogram, a number that belongs to its place in the tree"""
MERIT, LEAST, MOST = range(3)
"""of its split; the bounds of its value"""


@kernel
def longer(table, more):
    """A table with so many more lines."""
    n, m = table.shape
    out = np.zeros((n + more, m), table.dtype)
    for i in range(n):
        for j in range(m):
            out[i, j] = table[i, j]
    return out


@kernel
def take_away(whole, part):
    """A histogram less another."""
    for c in range(whole.shape[0]):
        for k in range(whole.shape[1]):
            whole[c, k] -= part[c, k]


@kernel
def branch_path(path, branch):
    """The number of a branch."""
    return np.int64(mix(np.uint64(path) + np.uint64(2 * branch + 3)))


@kernel
def draw(features, key, out):
    """The columns in an order that belongs to a node."""
    n = len(features)
    for k in range(n):
        out[k] = features[k]
    for k in range(n - 1):
        key = mix(key + np.uint64(0x9E3779B97F4A7C15))
        other = k + np.int64(key % np.uint64(n - k))
        out[k], out[other] = out[other], out[k]


@kernel
def routes(hist, first, present, count, total, criterion, units, rules, kind, place, by, out):
    """out[b]: the branch of each category of a split (-1: no row of the node has it); how many branches."""
    for b in range(len(out)):
        out[b] = -1
    if kind == MULTIWAY:
        for k in range(count):
            out[present[k]] = k
        return count
    groups, size = group_rare(hist, first, present, count, rules[GROUP_ROWS])
    order = group_order(groups, size, total, by, criterion, units, rules)
    side = np.empty(size, np.int64)
    for k in range(size):
        side[order[k]] = 0 if k < place else 1
    at = NOUGHT
    for k in range(count):
        rare = hist[hist.shape[0] - 1, first + present[k]] < rules[GROUP_ROWS]
        out[present[k]] = side[size - 1] if rare else side[at]
        at += 0 if rare else 1
    return 2


@kernel
def row_noise(squares, total, units, rules):
    """The variance of a row of a node, times what a row weighs, from its channel sums and Σ of squares."""
    weight = total[1] * units[1]
    if weight <= 0:
        return 0.0
    sums = total[0] * units[0]
    spread = max(squares * -rules[CHANCE] - sums * sums / weight, 0.0)
    return spread / weight * row_weight(total, NOUGHT + SUMS, units, rules) * units[1]


@kernel
def sort_rows(column, table, rows, start, stop, aside):
    """Sort the rows of a node by branch, of two, in their order; where the first branch ends."""
    here, there, one = np.uint64(start), np.uint64(0), np.uint64(1)
    for i in range(stop - start):
        r = rows[np.uint64(start + i)]
        right = np.uint64(table[column[r]])
        rows[here] = r
        aside[there] = r
        here += one - right
        there += right
    split = np.int64(here)
    for i in range(stop - split):
        rows[split + i] = aside[i]
    return split


@kernel
def sort_rows_by(column, table, branches, rows, start, stop, aside, ends):
    """The same of any number of branches; ends[k]: where branch k ends."""
    for k in range(branches + 1):
        ends[k] = 0
    for i in range(start, stop):
        aside[i - start] = rows[i]
        ends[table[column[rows[i]]] + 1] += 1
    ends[0] = start
    for k in range(branches):
        ends[k + 1] += ends[k]
    for i in range(stop - start):
        k = table[column[aside[i]]]
        rows[ends[k]] = aside[i]
        ends[k] += 1


@interruptible
@kernel
def grow(
    bins, offset, kind, gap, features, label, a, b, square, rows, channels, criterion, units, rules, cost, way,
    max_depth, min_split, max_leaves, least_merit, most_features, seed, low, high,
):  # fmt: skip
    """Grow a tree over `rows`, which end up sorted by leaf.

    Returns tables of the nodes in the order of creation (fields, merit and bounds, channel sums), and the routes of
    splits of categories. kind: None, if all columns are numbers. label and cost: None, if sums are split; b and way:
    None, if classes are. What is None is not compiled. `max_leaves` 0: split all that can be; else the best split of
    all leaves comes next. `seed` is the root's number, low and high bound its value. `square`: squares of rows for
    `row_noise`, or None.
    """
    p = len(offset) - 1
    cells = offset[p]
    widest = 1
    for j in range(p):
        widest = max(widest, offset[j + 1] - offset[j])
    size = NOUGHT + 64
    node = np.zeros((size, FIELDS), np.int64)
    real = np.zeros((size, 3))
    sums = np.zeros((size, channels), np.int64)
    route, routed = np.zeros((64, 1), np.int64), 0
    opened, open_count = np.empty(len(rows), np.int64), 0
    pool, spare, made = np.zeros((4, channels, cells), np.int64), np.empty(len(rows) // SMALL * 2 + 4, np.int64), 0
    spares = 0
    small, words = np.zeros((channels, widest), np.int64), np.zeros((widest + 63) // 64, np.uint64)
    table, present = np.empty(widest, np.int64), np.empty(widest + 1, np.int64)
    chosen, work = np.empty(len(features), np.int64), np.zeros(channels, np.int64)
    aside, ends = np.empty(len(rows), rows.dtype), np.zeros(widest + 1, np.int64)

    node[0, COLUMN], node[0, STOP], node[0, SLOT], node[0, ROUTE] = -1, len(rows), -1, -1
    real[0, LEAST], real[0, MOST] = low, high
    total_of(rows, NOUGHT, len(rows), label, a, b, sums[0])
    node[0, PATH] = seed
    nodes, leaves, fresh, inherited = NOUGHT + 1, 1, NOUGHT, NONE
    while True:
        # ---- histograms of the new leaves that want one: the smaller's is filled, the larger's is what is left ----
        for k in range(fresh, nodes):
            m = node[k, STOP] - node[k, START]
            able = m >= min_split and (max_depth < 0 or node[k, DEPTH] < max_depth)
            if label is not None and able:
                able = impurity(sums[k], NOUGHT, NOUGHT + 1, channels - 1, criterion)[0] > 0
            node[k, TURN] = able  # for now: whether to look for a split
            node[k, SLOT] = -2 if able and m >= SMALL else -1
        for turn in range(nodes - fresh):
            k = fresh + turn
            if inherited >= 0:
                less = sums[fresh, channels - 1] > sums[fresh + 1, channels - 1]
                k = fresh + (1 if less != (turn == 1) else 0)
                if turn == 0 and node[2 * fresh + 1 - k, SLOT] == -2:
                    node[k, SLOT] = -2
                if turn == 1 and node[k, SLOT] == -2:
                    take_away(pool[inherited], pool[node[2 * fresh + 1 - k, SLOT]])
                    node[k, SLOT] = inherited
                    inherited = -1
                    continue
            if node[k, SLOT] == -2:
                if spares == 0:
                    if made == len(pool):
                        pool = longer(pool.reshape(made, channels * cells), made).reshape(2 * made, channels, cells)
                    spare[0], spares, made = made, 1, made + 1
                spares -= 1
                node[k, SLOT] = spare[spares]
                hist, start, stop = pool[spare[spares]], node[k, START], node[k, STOP]
                if label is not None:
                    fill_classes(hist, bins, offset, rows, start, stop, label, a)
                if b is not None:
                    fill_pairs(hist, bins, offset, rows, start, stop, a, b)
        if inherited >= 0:
            spare[spares] = inherited
            spares += 1
        # ---- the best split of each ----
        for k in range(fresh, nodes):
            best, j, at, by, left = -1.0, NONE, NONE, NOUGHT, False
            if node[k, TURN]:
                base, noise = 0.0, rules[CHANCE]
                if label is not None:
                    base = impurity(sums[k], NOUGHT, NOUGHT + 1, channels - 1, criterion)[0]
                if b is not None:
                    base = loss_of_sums(sums[k], units, rules[2], real[k, LEAST], real[k, MOST])
                if square is not None:
                    squares = NOUGHT
                    for i in range(node[k, START], node[k, STOP]):
                        squares += square[rows[i]]
                    noise = row_noise(squares, sums[k], units, rules)
                picked, tries, done = features, len(features), NOUGHT
                if most_features < len(features):
                    draw(features, np.uint64(node[k, PATH]), chosen)
                    picked, tries = chosen, most_features
                while done < tries or (best <= least_merit and done < len(features)):
                    c = picked[done]
                    done += 1
                    hist, first = small, NOUGHT
                    if node[k, SLOT] >= 0:
                        hist, first = pool[node[k, SLOT]], offset[c]
                        count = bins_with_rows(hist[channels - 1], first, offset[c + 1], present)
                    else:
                        count_column(bins[c], rows, node[k, START], node[k, STOP], label, a, b, small, words)
                        count = bins_of(words, offset[c + 1] - offset[c], present)
                    if count > 1:
                        found, place, order, to_left = -1.0, NONE, NOUGHT, False
                        if cost is not None:
                            found, place, order, to_left = search_classes(
                                hist, first, present, count, gap, kind, c, sums[k], base, criterion, units, rules, cost,
                                work,
                            )  # fmt: skip
                        if way is not None:
                            found, place, order, to_left = search_sums(
                                hist, first, present, count, gap, kind, c, sums[k], base, noise, units, rules, way,
                                real[k, LEAST], real[k, MOST],
                            )  # fmt: skip
                        if found > best:
                            best, j, at, by, left = found, c, place, order, to_left
                    if node[k, SLOT] < 0:
                        clear(small, present, count)
            if best > least_merit:
                node[k, COLUMN], node[k, PLACE], node[k, ORDER], node[k, TURN], real[k, MERIT] = j, at, by, left, best
                opened[open_count] = k
                open_count += 1
            else:
                node[k, TURN] = 0
            if node[k, SLOT] >= 0 and (best <= least_merit or node[k, STOP] - node[k, START] < SMALL):
                spare[spares] = node[k, SLOT]
                spares += 1
                node[k, SLOT] = -1
        # ---- the leaf to split next ----
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
        # ---- its branches ----
        j, start, stop = node[k, COLUMN], node[k, START], node[k, STOP]
        width = offset[j + 1] - offset[j]
        branches = 2
        if kind is not None and kind[j] != NUMERIC:
            count_column(bins[j], rows, start, stop, label, a, b, small, words)
            count = bins_of(words, width, present)
            branches = routes(
                small, NOUGHT, present, count, sums[k], criterion, units, rules, kind[j], node[k, PLACE],
                node[k, ORDER], table[:width],
            )  # fmt: skip
            clear(small, present, count)
            while routed + width > len(route):
                route = longer(route, len(route))
            node[k, ROUTE] = routed
            for v in range(width):
                route[routed + v, 0] = table[v]
            routed += width
        else:
            for v in range(width):
                table[v] = 0 if v <= node[k, PLACE] else 1
            if gap[j] >= 0:
                table[gap[j]] = 0 if node[k, TURN] else 1
        while nodes + branches > size:
            node, real, sums = longer(node, size), longer(real, size), longer(sums, size)
            size *= 2
        if kind is not None and branches != 2:
            sort_rows_by(bins[j], table, branches, rows, start, stop, aside, ends)
        else:
            ends[0], ends[1] = sort_rows(bins[j], table, rows, start, stop, aside), stop
        node[k, FIRST], node[k, ARITY] = nodes, branches
        for turn in range(branches):
            child = nodes + turn
            node[child, START], node[child, STOP] = (ends[turn - 1] if turn else start), ends[turn]
            node[child, DEPTH], node[child, COLUMN], node[child, ROUTE] = node[k, DEPTH] + 1, -1, -1
            for side in range(3):
                real[child, side] = real[k, side]
            node[child, PATH] = branch_path(node[k, PATH], turn)
        if branches == 2:
            less = nodes if ends[0] - start <= ends[1] - ends[0] else nodes + 1
            total_of(rows, node[less, START], node[less, STOP], label, a, b, sums[less])
            for c in range(channels):
                sums[2 * nodes + 1 - less, c] = sums[k, c] - sums[less, c]
            if way is not None and way[j] != 0:
                x = leaf_value(sums[nodes, 0] * units[0], sums[nodes, 1] * units[1] + rules[2], real[k, 1], real[k, 2])
                y = leaf_value(
                    sums[nodes + 1, 0] * units[0], sums[nodes + 1, 1] * units[1] + rules[2], real[k, 1], real[k, 2]
                )
                side = MOST if way[j] > 0 else LEAST
                real[nodes, side] = real[nodes + 1, LEAST + MOST - side] = 0.5 * (x + y)
        else:
            for child in range(nodes, nodes + branches):
                total_of(rows, node[child, START], node[child, STOP], label, a, b, sums[child])
        inherited = node[k, SLOT]
        if branches != 2 and inherited >= 0:
            spare[spares] = inherited
            spares += 1
            inherited = -1
        fresh = nodes
        nodes += branches
        leaves += branches - 1
    for i in range(open_count):
        node[opened[i], COLUMN] = -1
    return node[:nodes], real[:nodes], sums[:nodes], route[:routed, 0]
