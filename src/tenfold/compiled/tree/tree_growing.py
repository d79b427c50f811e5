"""Grow a tree over rows in memory: bins by column, and an index of rows that is sorted by node.

All sums are of whole numbers (`tree_search.py`), so this gives the same tree as merging histograms of parts level by
level; it only takes less time where the rows of a node are in one place.
"""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import inner, kernel
from tenfold.compiled.rows.shuffling import mix
from tenfold.compiled.tree.tree_filling import (
    bins_of,
    clear,
    count_column,
    count_few,
    fill_classes,
    fill_pairs,
    total_of,
)
from tenfold.compiled.tree.tree_search import (
    CHANCE,
    GROUP_ROWS,
    MULTIWAY,
    NO_INDEX,
    NUMERIC,
    SUMS,
    ZERO,
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

MAX_ROWS_WITHOUT_HISTOGRAM = 512
"""nodes with fewer rows, or fewer than twice the bins of a column, have no histogram of their own"""
MAX_ROWS_SORTED_SINGLY = 24
"""nodes with so few rows put their bins in order one by one"""
COLUMN, PLACE, ORDER, TURN, FIRST, ARITY, ROUTE, DEPTH, START, STOP, SLOT, PATH, FIELDS = range(13)
"""what is known of a node: the column it splits (-1: a leaf), where, in which order of categories, whether missing
values go left; its first child, how many it has, where its routes begin (-1: a threshold); its depth, the span of its
rows, the place of its histogram, a number that belongs to its place in the tree"""
MERIT, LEAST, MOST = range(3)
"""of its split; the bounds of its value"""
NODES, LEAVES, FRESH, INHERITED, OPEN, MADE, SPARES, ROUTED, WANT_NODES, WANT_SLOTS, WANT_ROUTES, STATE = range(12)
"""of a tree that grows: how many nodes and leaves there are, from where on they are new, the histogram they share; how
many leaves may be split, how many histograms were made, how many are spare; the length of the routes; and the lengths
of the tables without which it cannot go on"""


@kernel
def in_levels(node, root):
    """List a root and the nodes below it, level by level."""
    order, count, at = np.empty(len(node), np.int64), 1, 0
    order[0] = root
    while at < count:
        k = order[at]
        at += 1
        if node[k, COLUMN] >= 0:
            for branch in range(node[k, ARITY]):
                order[count] = node[k, FIRST] + branch
                count += 1
    return order[:count]


@kernel
def branch_path(path, branch):
    """Return the number of a branch, which identifies its path from the root."""
    return np.int64(mix(np.uint64(path) + np.uint64(2 * branch + 3)))


@kernel
def draw(features, key, out):
    """Shuffle the columns in the random order of a node."""
    n = len(features)
    for k in range(n):
        out[k] = features[k]
    for k in range(n - 1):
        key = mix(key + np.uint64(0x9E3779B97F4A7C15))
        other = k + np.int64(key % np.uint64(n - k))
        out[k], out[other] = out[other], out[k]


@kernel
def routes(hist, first, present, count, total, criterion, units, rules, kind, place, by, out):
    """out[b]: the branch of each category of a split (-1: no row of the node has it); return the number of branches."""
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
    at = ZERO
    for k in range(count):
        rare = hist[hist.shape[0] - 1, first + present[k]] < rules[GROUP_ROWS]
        out[present[k]] = side[size - 1] if rare else side[at]
        at += 0 if rare else 1
    return 2


@kernel
def row_noise(squares, total, units, rules):
    """Return the variance of a node's targets times the weight of a row, from its channel sums and Σ of squares."""
    weight = total[1] * units[1]
    if weight <= 0:
        return 0.0
    sums = total[0] * units[0]
    spread = max(squares * -rules[CHANCE] - sums * sums / weight, 0.0)
    return spread / weight * row_weight(total, ZERO + SUMS, units, rules) * units[1]


@inner
def sort_rows(column, table, rows, start, stop, aside):
    """Partition the rows of a node into two branches, stably; return where the first branch ends."""
    here, there, one = np.uint64(start), np.uint64(0), np.uint64(1)
    for i in range(stop - start):
        r = rows[np.uint64(start + i)]
        right = np.uint64(table[column[r]])
        rows[here] = r
        aside[there] = r
        here += one - right
        there += right
    split = np.int64(here)
    right_rows = rows[split:stop]
    for i in range(len(right_rows)):
        right_rows[i] = aside[i]
    return split


@inner
def sort_rows_by(column, table, branches, rows, start, stop, aside, ends):
    """Partition the rows of a node into any number of branches, stably; ends[k]: where branch k ends."""
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


@kernel
def grow(
    bins, offset, kind, na_bin, label, a, b, square, rows, criterion, units, rules, cost, monotonic, max_depth,
    min_split, max_leaves, min_gain, most_features, node, real, sums, route, pool, flat, spare, opened, state,
):  # fmt: skip
    """Grow a tree from its root; `rows` end up sorted by leaf. Return False if longer tables are needed: call again.

    The tables of the nodes (fields, gain and bounds, channel sums) are written in the order of creation, and the
    routes of splits of categories. kind: None, if all columns are numbers. label and cost: None, if sums are split; b
    and way: None, if classes are. Branches on None are not compiled. `max_leaves` 0: split every leaf that can be;
    else the leaf with the best split comes next. `square`: squares of rows for `row_noise`, empty if not needed, None
    for classes. `pool`: histograms, and `flat`: a flat view of them.
    """
    p, channels = len(offset) - 1, sums.shape[1]
    widest, most = ZERO + 1, ZERO + 2
    every, chosen, work = np.empty(p, np.int64), np.empty(p, np.int64), np.empty(channels, np.int64)
    for j in range(p):
        widest = max(widest, offset[j + 1] - offset[j])
        every[j] = j
        if kind is not None and kind[j] == MULTIWAY:
            most = max(most, offset[j + 1] - offset[j])
    table, present, ends = np.empty(widest, np.int64), np.empty(widest + 1, np.int64), np.empty(widest + 1, np.int64)
    small, words = np.empty((channels, widest), np.int64), np.empty((widest + 63) // 64, np.uint64)
    aside = np.empty(len(rows), np.uint32)
    for w in range(len(words)):
        words[w] = 0
    for c in range(channels):
        for v in range(widest):
            small[c, v] = 0
    large = max(MAX_ROWS_WITHOUT_HISTOGRAM, 2 * widest)
    nodes, leaves, fresh = state[NODES], state[LEAVES], state[FRESH]
    inherited, open_count, made = state[INHERITED], state[OPEN], state[MADE]
    spares, routed = state[SPARES], state[ROUTED]
    while True:
        # ---- histograms of the new leaves that want one: the smaller's is filled, the larger's is what is left ----
        slots = made - spares
        for k in range(fresh, nodes):
            m = node[k, STOP] - node[k, START]
            able = m >= min_split and (max_depth < 0 or node[k, DEPTH] < max_depth)
            if label is not None and able:
                able = impurity(sums[k], ZERO, ZERO + 1, channels - 1, criterion)[0] > 0
            node[k, TURN], node[k, SLOT] = able, -1  # for now: whether to look for a split
            if able and m >= large:
                node[k, SLOT] = -2
                slots += 1
        if inherited >= 0:
            slots = min(slots, made - spares + 1)
        routes_wide = ZERO
        if kind is not None:
            routes_wide += routed + widest
        if nodes + most > len(node) or slots > len(pool) or routes_wide > len(route):
            state[NODES], state[LEAVES], state[FRESH] = nodes, leaves, fresh
            state[INHERITED], state[OPEN], state[MADE] = inherited, open_count, made
            state[SPARES], state[ROUTED] = spares, routed
            state[WANT_NODES], state[WANT_SLOTS], state[WANT_ROUTES] = nodes + most, slots, routes_wide
            return False
        for turn in range(nodes - fresh):
            k = fresh + turn
            if inherited >= 0:
                less = sums[fresh, channels - 1] > sums[fresh + 1, channels - 1]
                k = fresh + (1 if less != (turn == 1) else 0)
                other = node[2 * fresh + 1 - k, SLOT]
                if turn == 0 and other == -2:
                    node[k, SLOT] = -2
                if turn == 1 and node[k, SLOT] == -2:
                    whole, part = pool[inherited], pool[other]
                    for c in range(channels):
                        for v in range(offset[p]):
                            whole[c, v] -= part[c, v]
                    node[k, SLOT] = inherited
                    inherited = NO_INDEX
                    continue
            if node[k, SLOT] == -2:
                if spares == 0:
                    spare[0], spares, made = made, 1, made + 1
                spares -= 1
                node[k, SLOT] = spare[spares]
                start, stop = node[k, START], node[k, STOP]
                if label is not None:
                    fill_classes(
                        flat, spare[spares] * channels * offset[p], channels, bins, offset, rows, start, stop, label, a
                    )
                if b is not None:
                    fill_pairs(pool[spare[spares]], bins, offset, rows, start, stop, a, b)
        if inherited >= 0:
            spare[spares] = inherited
            spares += 1
        # ---- the best split of each ----
        for k in range(fresh, nodes):
            best, start, stop = -1.0, node[k, START], node[k, STOP]
            slot = node[k, SLOT]
            if node[k, TURN]:
                base, noise = 0.0, rules[CHANCE]
                if label is not None:
                    base = impurity(sums[k], ZERO, ZERO + 1, channels - 1, criterion)[0]
                if b is not None:
                    base = loss_of_sums(sums[k], units, rules[2], real[k, LEAST], real[k, MOST])
                if b is not None and len(square):
                    squares = ZERO
                    for i in range(start, stop):
                        squares += square[rows[i]]
                    noise = row_noise(squares, sums[k], units, rules)
                picked, done = every, ZERO
                if most_features < p:
                    draw(every, np.uint64(node[k, PATH]), chosen)
                    picked = chosen
                while done < most_features or (best <= min_gain and done < p):
                    c = picked[done]
                    done += 1
                    hist, first = small, ZERO
                    if slot >= 0:
                        hist, first = pool[slot], offset[c]
                        count = bins_with_rows(hist[channels - 1], first, offset[c + 1], present)
                    elif stop - start <= MAX_ROWS_SORTED_SINGLY:
                        count = count_few(bins[c], rows, start, stop, label, a, b, small, present)
                    else:
                        count_column(bins[c], rows, start, stop, label, a, b, small, words)
                        count = bins_of(words, offset[c + 1] - offset[c], present)
                    if count > 1:
                        found, place = -1.0, NO_INDEX
                        order, to_left = ZERO, False
                        if cost is not None:
                            found, place, order, to_left = search_classes(
                                hist, first, present, count, na_bin, kind, c, sums[k], base, criterion, units, rules,
                                cost, work,
                            )  # fmt: skip
                        if monotonic is not None:
                            found, place, order, to_left = search_sums(
                                hist, first, present, count, na_bin, kind, c, sums[k], base, noise, units, rules,
                                monotonic, real[k, LEAST], real[k, MOST],
                            )  # fmt: skip
                        if found > best:
                            best = found
                            node[k, COLUMN], node[k, PLACE] = c, place
                            node[k, ORDER], node[k, TURN] = order, to_left
                    if slot < 0:
                        clear(small, present, count)
            if best > min_gain:
                real[k, MERIT], opened[open_count] = best, k
                open_count += 1
            else:
                node[k, COLUMN] = -1
                node[k, PLACE] = node[k, ORDER] = node[k, TURN] = 0
            if slot >= 0 and (best <= min_gain or stop - start < large):
                spare[spares] = slot
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
        branches = ZERO + 2
        if kind is not None and kind[j] != NUMERIC:
            count_column(bins[j], rows, start, stop, label, a, b, small, words)
            count = bins_of(words, width, present)
            branches = routes(
                small, ZERO, present, count, sums[k], criterion, units, rules, kind[j], node[k, PLACE],
                node[k, ORDER], table[:width],
            )  # fmt: skip
            clear(small, present, count)
            node[k, ROUTE] = routed
            for v in range(width):
                route[routed + v] = table[v]
            routed += width
        else:
            for v in range(width):
                table[v] = 0 if v <= node[k, PLACE] else 1
            if na_bin[j] >= 0:
                table[na_bin[j]] = 0 if node[k, TURN] else 1
        if kind is not None and branches != 2:
            sort_rows_by(bins[j], table, branches, rows, start, stop, aside, ends)
        else:
            ends[0], ends[1] = sort_rows(bins[j], table, rows, start, stop, aside), stop
        node[k, FIRST], node[k, ARITY] = nodes, branches
        for turn in range(branches):
            child = nodes + turn
            node[child, START], node[child, STOP] = start, ends[turn]
            node[child, COLUMN] = node[child, ROUTE] = -1
            node[child, DEPTH], node[child, PATH] = node[k, DEPTH] + 1, branch_path(node[k, PATH], turn)
            for side in range(3):
                real[child, side] = real[k, side]
            start = ends[turn]
        if kind is not None and branches != 2:
            for child in range(nodes, nodes + branches):
                total_of(rows, node[child, START], node[child, STOP], label, a, b, sums[child])
        else:
            less = nodes if ends[0] - node[k, START] <= ends[1] - ends[0] else nodes + 1
            total_of(rows, node[less, START], node[less, STOP], label, a, b, sums[less])
            for c in range(channels):
                sums[2 * nodes + 1 - less, c] = sums[k, c] - sums[less, c]
            if monotonic is not None and monotonic[j] != 0:
                x = leaf_value(sums[nodes, 0] * units[0], sums[nodes, 1] * units[1] + rules[2], real[k, 1], real[k, 2])
                y = leaf_value(
                    sums[nodes + 1, 0] * units[0], sums[nodes + 1, 1] * units[1] + rules[2], real[k, 1], real[k, 2]
                )
                side = MOST if monotonic[j] > 0 else LEAST
                real[nodes, side] = real[nodes + 1, LEAST + MOST - side] = 0.5 * (x + y)
        inherited = node[k, SLOT]
        if branches != 2 and inherited >= 0:
            spare[spares] = inherited
            spares += 1
            inherited = NO_INDEX
        fresh = nodes
        nodes += branches
        leaves += branches - 1
    for i in range(open_count):
        node[opened[i], COLUMN] = -1
    state[NODES], state[ROUTED] = nodes, routed
    return True
