"""Splits chosen without missing values, which then go to the most common branch, or in parts to all branches.

The gap of a column is the cell of the rows that miss it. The most common value of a threshold is the heavier side; of
categories it is the heaviest one, among the rows of the node or among those of the row's own class. Splits that learn
where missing values go are searched in `tree_search.py`.
"""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.decorators import inner, kernel
from tenfold.compiled.tree.tree_growing import routes
from tenfold.compiled.tree.tree_search import (
    CENTERED_NOISE,
    COST_SQUARE,
    ERROR,
    GROUP_ROWS,
    MULTIWAY,
    NO_INDEX,
    NUMERIC,
    RATIO,
    SUBSET,
    SUMS,
    TARGET_ROUNDING,
    ZERO,
    bins_with_rows,
    chance_of,
    group_order,
    group_rare,
    impurity,
    node_impurity,
)

LEARNED, NODE, CLASS, PARTS = range(4)
"""missing values are on the side that lowers impurity more; take the most common value of the node, or of the row's
class in it; go to every branch in parts"""
ROW_PARTS = 1 << 12
"""parts of a row"""


@inner
def weight_of(t, start, step, channels, criterion):
    """Return the total weight of channel sums."""
    if criterion == SUMS:
        return t[start + step]
    total = ZERO
    for c in range(channels - 1):
        total += t[start + c * step]
    return total


@inner
def split_gain(branch, count, na_bin, base, chance_gain, multiway, criterion, units, rules, cost):
    """Return the gain of a split into branches with these channel sums and a missing weight `na_bin`; -1: too few rows.

    chance: what is subtracted from the decrease. Sums of targets are taken from the mean of all branches first, as in
    `scan_sums`.
    """
    channels = branch.shape[1]
    flat = branch.reshape(branch.shape[0] * channels)
    drop, bits, whole, large, able = base - chance_gain, 0.0, 0.0, 0, True
    mean, error = 0.0, 0.0
    if criterion == SUMS:
        drop = -chance_gain
        g, h = 0.0, 0.0
        for k in range(count):
            g += branch[k, 0]
            h += branch[k, 1]
        mean = g * units[0] / (h * units[1]) if h > 0 else 0.0
    for k in range(count):
        w = float(weight_of(flat, k * channels, ZERO + 1, channels, criterion))
        n = branch[k, channels - 1]
        large += n >= rules[0]
        able = able and n >= rules[0] and n > 0 and w > 0 and w * units[1] >= rules[1]
        whole += w
        bits -= w * math.log2(w) if criterion == RATIO and w > 0 else 0.0
        if criterion == SUMS:
            h = w * units[1]
            g = branch[k, 0] * units[0] - mean * h
            drop += g * g / h if h > 0 else 0.0
            error += rules[TARGET_ROUNDING] * rules[TARGET_ROUNDING] * float(n) * n / h if h > 0 else 0.0
        else:
            drop -= impurity(flat, k * channels, ZERO + 1, channels - 1, criterion)[0]
    if (multiway and large < 2) or not (multiway or able):
        return -1.0
    if criterion == SUMS:
        return drop if drop > error and drop > -CENTERED_NOISE * base else -1.0
    drop = max(drop, 0.0)
    if criterion <= ERROR:
        return drop
    whole += na_bin
    bits -= na_bin * math.log2(na_bin) if na_bin > 0 else 0.0
    gain, bits = drop / whole, bits / whole + math.log2(whole)
    if criterion == RATIO:
        return gain / bits if bits > 1e-12 else 0.0
    if criterion == COST_SQUARE:
        return gain * gain / cost
    return (2.0**gain - 1.0) / (cost + 1.0) ** rules[3]


@inner
def sides(left, known, na_bin, policy, criterion, branch, where):
    """Return the heavier side of a threshold, after adding missing rows to sides; where[c] is that of class c."""
    channels = len(left)
    for c in range(channels):
        branch[0, c] = left[c]
        branch[1, c] = known[c] - left[c]
    flat = branch.reshape(branch.shape[0] * channels)
    a = weight_of(flat, ZERO, ZERO + 1, channels, criterion)
    heavier = ZERO if a >= weight_of(flat, ZERO + channels, ZERO + 1, channels, criterion) else ZERO + 1
    if policy == NODE:
        for c in range(channels):
            branch[heavier, c] += na_bin[c]
    elif policy == CLASS:
        for c in range(channels - 1):
            where[c] = 0 if left[c] > known[c] - left[c] or (2 * left[c] == known[c] and heavier == 0) else 1
            branch[where[c], c] += na_bin[c]
    return heavier


@inner
def fold_in(hist, start, width, na_bin, policy, criterion, cells, where):
    """Add missing rows to the cells of a categorical column; return the heaviest category. No rows are counted
    twice: by class, those that are missing are counted nowhere."""
    channels = hist.shape[0]
    flat = hist.reshape(channels * hist.shape[1])
    common, most = NO_INDEX, NO_INDEX
    for b in range(width):
        for c in range(channels):
            cells[c, b] = hist[c, start + b]
        w = weight_of(flat, start + b, hist.shape[1], channels, criterion)
        if hist[channels - 1, start + b] > 0 and w > most:
            common, most = b, w
    if policy == NODE:
        for c in range(channels):
            cells[c, common] += na_bin[c]
    elif policy == CLASS:
        for c in range(channels - 1):
            where[c] = common
            for b in range(width):
                if hist[c, start + b] > hist[c, start + where[c]]:
                    where[c] = b
            cells[c, where[c]] += na_bin[c]
    return common


@kernel
def search_known(
    hist, offset, kind, gaps, features, total, noise, criterion, units, rules, cost, policy, cells, branch, where
):  # fmt: skip
    """Find the best split, as `search`, for the other rules of missing values: (gain, column, place, order)."""
    channels = hist.shape[0]
    present = np.empty(hist.shape[1], np.int64)
    na_bin, known, left = np.empty(channels, np.int64), np.empty(channels, np.int64), np.empty(channels, np.int64)
    best, feature, place, by = -1.0, NO_INDEX, NO_INDEX, ZERO
    for j in features:
        start, width = offset[j], gaps[j]
        count = bins_with_rows(hist[channels - 1], start, start + width, present)
        if count < 2:
            continue
        for c in range(channels):
            na_bin[c] = hist[c, start + width]
            known[c] = total[c] - na_bin[c]
            left[c] = 0
        base = node_impurity(known if policy == PARTS else total, criterion, units, rules[2], -np.inf, np.inf)
        apart = float(weight_of(na_bin, ZERO, ZERO + 1, channels, criterion)) if policy == PARTS else 0.0
        if kind[j] == NUMERIC:
            for k in range(count - 1):
                for c in range(channels):
                    left[c] += hist[c, start + present[k]]
                sides(left, known, na_bin, policy, criterion, branch, where)
                found = split_gain(branch, ZERO + 2, apart, base, 0.0, False, criterion, units, rules, cost[j])
                if found > best:
                    best, feature, place, by = found, j, (present[k] + present[k + 1] - 1) // 2, ZERO
            continue
        fold_in(hist, start, width, na_bin, policy, criterion, cells, where)
        if kind[j] == MULTIWAY:
            for k in range(count):
                for c in range(channels):
                    branch[k, c] = cells[c, present[k]]
            found = split_gain(branch, count, apart, base, 0.0, True, criterion, units, rules, cost[j])
            if found > best:
                best, feature, place, by = found, j, ZERO, ZERO
            continue
        groups, size = group_rare(cells, ZERO, present, count, rules[GROUP_ROWS])
        one = criterion == SUMS or channels <= 3
        for order_by in range(min(1, channels - 2) if one else 0, min(1, channels - 2) + 1 if one else channels - 1):
            by_sum = ZERO if criterion == SUMS else ZERO + order_by
            order = group_order(groups, size, total, by_sum, criterion, units, rules)
            seen = known if policy == PARTS else total
            chance_gain = chance_of(groups, size, seen, base, noise, by_sum, criterion, units, rules)
            for c in range(channels):
                branch[0, c] = 0
                branch[1, c] = known[c] if policy == PARTS else total[c]
            for k in range(size - 1):
                for c in range(channels):
                    branch[0, c] += groups[c, order[k]]
                    branch[1, c] -= groups[c, order[k]]
                found = split_gain(branch, ZERO + 2, apart, base, chance_gain, False, criterion, units, rules, cost[j])
                if found > best and (chance_gain == 0 or found > 0):
                    best, feature, place, by = found, j, k + 1, by_sum
    return best, feature, place, by


@kernel
def branches_known(
    hist, offset, kind, gaps, j, place, by, total, criterion, units, rules, policy, cells, table, branch, where
):  # fmt: skip
    """Apply the best split to a node: the branch of each bin, the channel sums of the branches (the missing rows
    in theirs, if they have one), where[c]: the branch of missing rows of class c. How many branches; that of missing
    values in prediction."""
    channels = hist.shape[0]
    start, width = offset[j], gaps[j]
    na_bin, known, left = np.empty(channels, np.int64), np.empty(channels, np.int64), np.zeros(channels, np.int64)
    for c in range(channels):
        na_bin[c] = hist[c, start + width]
        known[c] = total[c] - na_bin[c]
    if kind[j] == NUMERIC:
        for b in range(width):
            table[b] = 0 if b <= place else 1
            for c in range(channels):
                left[c] += hist[c, start + b] if b <= place else 0
        table[width] = sides(left, known, na_bin, policy, criterion, branch, where)
        return ZERO + 2, table[width]
    common = fold_in(hist, start, width, na_bin, policy, criterion, cells, where)
    present = np.empty(width, np.int64)
    count = bins_with_rows(hist[channels - 1], start, start + width, present)
    for b in range(width):
        table[b] = -1
    if kind[j] == MULTIWAY:
        for k in range(count):
            table[present[k]] = k
    else:
        count = routes(cells, ZERO, present, count, total, criterion, units, rules, SUBSET, place, by, table[:width])
    for k in range(count):
        for c in range(channels):
            branch[k, c] = 0
    for b in range(width):
        if table[b] >= 0:
            for c in range(channels):
                branch[table[b], c] += cells[c, b]
    if policy == CLASS:
        for c in range(channels - 1):
            where[c] = table[where[c]]
    table[width] = -1 if policy == PARTS else table[common]
    return count, table[common]
