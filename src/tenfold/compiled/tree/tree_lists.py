"""Attribute lists and a class list (SLIQ): every node of a level finds its best split in one walk along each column.

An attribute list holds the rows in the order of a column's values, sorted once; the class list tells the slot (the
node) and the class of each row. Cuts lie between distinct values of a node's rows.
"""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import inner, kernel
from tenfold.compiled.tree.tree_filling import bins_of, clear, count_column
from tenfold.compiled.tree.tree_missing import split_gain
from tenfold.compiled.tree.tree_search import (
    NO_INDEX,
    RATIO,
    SUBSET,
    SUMS,
    ZERO,
    search_sets_of_classes,
    search_sets_of_sums,
)

MAX_EXHAUSTIVE_CATEGORIES = 12
"""categories at the most of which all sets are tried, where no order is known to hold the best"""


@inner
def add_row(t, i, label, a, b):
    """Add a row to channel sums."""
    if b is not None:
        t[0] += a[i]
        t[1] += b[i] if len(b) else 1
    if label is not None:
        t[label[i]] += a[i] if len(a) else 1
    t[len(t) - 1] += 1


@inner
def try_cut(left, na_bin, total, base, criterion, units, rules, cost, branch):
    """Return the gain of a cut with these channel sums on its left, and whether missing values go left."""
    channels = len(left)
    first, last = (1, 2) if criterion == SUMS else (0, channels - 1)  # channels of weights
    best, to_left = -1.0, 2 * left[first:last].sum() >= total[first:last].sum()
    for turn in range(2 if na_bin[channels - 1] > 0 else 1):
        for c in range(channels):
            branch[0, c] = left[c] + (na_bin[c] if turn else 0)
            branch[1, c] = total[c] - branch[0, c]
        found = split_gain(branch, ZERO + 2, 0.0, base, 0.0, False, criterion, units, rules, cost)
        if found > best:
            best = found
            if na_bin[channels - 1] > 0:
                to_left = turn == 1
    return best, to_left


@kernel
def best_thresholds(
    order, known, value, slot, label, a, b, total, base, criterion, units, rules, cost, gain, threshold, to_left
):
    """For every slot, find the best cut of one column: gain (-1: none), place, and side of missing values."""
    slots, channels = total.shape
    left, na_bin = np.zeros((slots, channels), np.int64), np.zeros((slots, channels), np.int64)
    last, branch = np.empty(slots), np.empty((2, channels), np.int64)
    for s in range(slots):
        gain[s] = -1.0
    for k in range(known, len(order)):
        if slot[order[k]] >= 0:
            add_row(na_bin[slot[order[k]]], order[k], label, a, b)
    for k in range(known):
        i = order[k]
        s = slot[i]
        if s < 0:
            continue
        x = value[i]
        if left[s, channels - 1] > 0 and x > last[s]:
            found, turn = try_cut(left[s], na_bin[s], total[s], base[s], criterion, units, rules, cost, branch)
            if found > gain[s]:
                middle = last[s] + 0.5 * (x - last[s])
                gain[s], to_left[s] = found, turn
                threshold[s] = middle if last[s] < middle < x else last[s]
        add_row(left[s], i, label, a, b)
        last[s] = x
    for s in range(slots):
        if na_bin[s, channels - 1] > 0 and left[s, channels - 1] > 0:
            for c in range(channels):
                branch[0, c] = left[s, c]
                branch[1, c] = na_bin[s, c]
            found = split_gain(branch, ZERO + 2, 0.0, base[s], 0.0, False, criterion, units, rules, cost)
            if found > gain[s]:
                gain[s], threshold[s], to_left[s] = found, np.inf, False


@inner
def try_sets(cells, present, count, total, base, criterion, units, rules, cost, branch):
    """The best of all sets of categories; the last one stays on the right. Returns the gain, and the set as bits."""
    channels = len(total)
    best, chosen = -1.0, ZERO
    for mask in range(1, 1 << (count - 1)):
        for c in range(channels):
            branch[0, c] = 0
            for k in range(count):
                if (mask >> k) & 1:
                    branch[0, c] += cells[c, present[k]]
            branch[1, c] = total[c] - branch[0, c]
        found = split_gain(branch, ZERO + 2, 0.0, base, 0.0, False, criterion, units, rules, cost)
        if found > best:
            best, chosen = found, ZERO + mask
    return best, chosen


@kernel
def best_sets(
    column, width, kind, rows, ends, noise, label, a, b, total, base, criterion, units, rules, cost, gain, place, by
):
    """For every slot, find the best split of a categorical column, missing values as one more category.

    The split is a place and an order, or (-1) a set.
    """
    slots, channels = total.shape
    cells, words = np.zeros((channels, width), np.int64), np.zeros((width + 63) // 64, np.uint64)
    present, work = np.empty(width + 1, np.int64), np.zeros(channels, np.int64)
    branch = np.empty((2, channels), np.int64)
    start = ZERO
    for s in range(slots):
        gain[s] = -1.0
        count_column(column, rows, start, ends[s], label, a, b, cells, words)
        start = ends[s]
        count = bins_of(words, width, present)
        if count > 1:
            if (
                label is not None
                and kind == SUBSET
                and count <= MAX_EXHAUSTIVE_CATEGORIES
                and (criterion == RATIO or channels > 3)
            ):
                gain[s], place[s] = try_sets(
                    cells, present, count, total[s], base[s], criterion, units, rules, cost, branch
                )
                by[s] = NO_INDEX
            elif label is not None:
                gain[s], place[s], by[s] = search_sets_of_classes(
                    cells, ZERO, present, count, kind, total[s], base[s], criterion, units, rules, cost, work
                )
            if b is not None:
                gain[s], place[s] = search_sets_of_sums(
                    cells, ZERO, present, count, kind, total[s], base[s], noise[s], units, rules, -np.inf, np.inf
                )
                by[s] = 0
        clear(cells, present, count)
