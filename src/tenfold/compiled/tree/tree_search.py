"""The best split of a node, from a histogram of whole numbers.

A histogram has one plane per channel and one cell per bin of each column. For classes the channels are the weights of
the classes; for sums they are Σg and Σh in fixed point; the number of rows comes last in both. Whole numbers add up
exactly in any order, so a split does not depend on how rows were cut into parts, and a sibling may be subtracted.

What two branches are worth is added before anything else is: cuts that are each other's mirror images are as good, to
the bit, and of two columns that divide the rows alike the first is taken, whatever the weights.

Loops are written out with plain numbers: calls that pass arrays cost several times the arithmetic.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tenfold.compiled.decorators import inner, inner_dividing, kernel
from tenfold.compiled.rows.sorting import sort_by

GINI, ENTROPY, ERROR, RATIO, COST_SQUARE, COST_POWER, SUMS = range(7)
"""what makes a split good; SUMS is the decrease of a quadratic loss, for regression and boosting"""
NUMERIC, SUBSET, MULTIWAY = range(3)
"""how a column is split: at a threshold, into two sets of categories, into one branch a category"""
ZERO: Any = np.int64(0)
NO_INDEX: Any = np.int64(-1)
"""typed constants: a plain 0 would compile a function once more"""
DECREASE_NOISE = 1e-14
"""a decrease of squares that is this share of what it is taken from is rounding"""
CENTERED_NOISE = 4e-30
"""the same of sums that were taken from the mean of the node: what rounding leaves is squared"""
LEAF_ROWS, LEAF_WEIGHT, L2, COST_POWER_OF, GROUP_ROWS, SMOOTH, PENALTY, CHANCE, COUNTED, PARTS_OF_ROW = range(10)
TARGET_ROUNDING = 10
"""the limits of a split: rows and weight of a leaf at least, the penalty of leaf values, the power of costs; rows of a
category below which it joins the other rare ones, rows at the mean of the node that are added to each category before
they are sorted, multiple of the chance decrease of many categories that is subtracted, that decrease for one
category where the criterion is SUMS (below zero: each node has its own, from squares in this unit), whether a weight
of two stands for two rows, what a row counts for in the channel of rows, and by how much Σg of a row is off at most
where rows of equal targets were rounded apart"""
UNPENALIZED_CATEGORIES = 10
"""categories that gain no more by chance than a column of numbers does, which has many more places to be cut"""


@inner_dividing
def impurity(plane, start, step, channels, criterion):
    """Return the impurity of class weights times their sum, and the sum; the weights are `step` apart."""
    total = 0.0
    for c in range(channels):
        total += plane[start + c * step]
    if total <= 0:
        return 0.0, 0.0
    if criterion == GINI:
        square = 0.0
        for c in range(channels):
            w = float(plane[start + c * step])
            square += w * w
        return total - square / total, total
    if criterion == ERROR:
        most = 0.0
        for c in range(channels):
            most = max(most, float(plane[start + c * step]))
        return total - most, total
    spread = total * math.log2(total)
    for c in range(channels):
        w = float(plane[start + c * step])
        if w > 0:
            spread -= w * math.log2(w)
    return max(spread, 0.0), total


@kernel
def leaf_value(g, h, low, high):
    """-G / H, held within bounds."""
    v = -g / h if h > 0 else 0.0
    return min(max(v, low), high)


@inner
def loss_of_sums(t, units, l2, low, high):
    """The quadratic loss of a node with these channel sums, at its best value within bounds."""
    g, h = t[0] * units[0], t[1] * units[1] + l2
    v = leaf_value(g, h, low, high)
    return 2 * g * v + h * v * v


@kernel
def node_impurity(t, criterion, units, l2, low, high):
    """Return the impurity of a node with these channel sums, which a split decreases."""
    if criterion != SUMS:
        return impurity(t, ZERO, ZERO + 1, len(t) - 1, criterion)[0]
    return loss_of_sums(t, units, l2, low, high)


@inner
def adjusted_gain(drop, a, b, criterion, cost, power):
    """Return the gain ratio, or the gain per cost, from the decrease of a split."""
    whole = a + b
    gain = drop / whole
    if criterion == RATIO:
        bits = 0.0
        for part in (a, b):
            if 0 < part < whole:
                bits -= part / whole * math.log2(part / whole)
        return gain / bits if bits > 1e-12 else 0.0
    if criterion == COST_SQUARE:
        return gain * gain / cost
    return (2.0**gain - 1.0) / (cost + 1.0) ** power


@inner_dividing
def scan_sums(hist, first, order, count, na_bin, total, base, chance_gain, units, rules, monotonic, low, high):
    """Best cut of bins in some order: (decrease, number of bins on the left, whether missing values go left).

    chance: what is subtracted from the decrease. Without a penalty or bounds, sums are taken from the mean of the node
    first: its square, which one far target makes huge, is then not taken from another as huge.
    """
    floor = -DECREASE_NOISE * (base - chance_gain)
    gu, hu, l2 = units[0], units[1], rules[2]
    least_rows, least_weight = rules[0], rules[1]
    tg, th, tn = total[0], total[1], total[2]
    mg, mh, mn = (
        (hist[0, first + na_bin], hist[1, first + na_bin], hist[2, first + na_bin]) if na_bin >= 0 else (0, 0, 0)
    )
    free = monotonic == 0 and low == -np.inf and high == np.inf
    mean = 0.0
    if free and l2 == 0 and th > 0:
        mean = tg * gu / (th * hu)
        floor, base = -CENTERED_NOISE * base, 0.0
    base = base - chance_gain
    rounded = rules[TARGET_ROUNDING] * rules[TARGET_ROUNDING]
    g = h = n = ZERO
    best, place, missing_left = -1.0, ZERO, False
    for k in range(count if mn > 0 else count - 1):
        cell = first + order[k]
        g += hist[0, cell]
        h += hist[1, cell]
        n += hist[2, cell]
        for turn in range(2 if mn > 0 and k + 1 < count else 1):
            lg, lh, ln = (g + mg, h + mh, n + mn) if turn else (g, h, n)
            rn = tn - ln
            if ln < least_rows or rn < least_rows or ln == 0 or rn == 0:
                continue
            a, b = lh * hu, (th - lh) * hu
            if a < least_weight or b < least_weight:
                continue
            x, z = lg * gu - mean * a, (tg - lg) * gu - mean * b
            a, b = a + l2, b + l2
            if free:
                drop = base + ((x * x / a if a > 0 else 0.0) + (z * z / b if b > 0 else 0.0))
                if rounded > 0 and drop <= rounded * (float(ln) * ln / a + float(rn) * rn / b):
                    continue
            else:
                u, v = leaf_value(x, a, low, high), leaf_value(z, b, low, high)
                if (monotonic > 0 and u > v) or (monotonic < 0 and u < v):
                    continue
                drop = base - ((2 * x * u + a * u * u) + (2 * z * v + b * v * v))
            if drop > best:
                best, place, missing_left = drop, k + 1, turn == 1 if mn > 0 else 2 * lh >= th
    return best if best > floor else -1.0, place, missing_left


@inner_dividing
def scan_classes(hist, first, order, count, na_bin, total, base, chance_gain, criterion, units, rules, cost, work):
    """Best cut of bins in some order, for class weights; `work` has room for the channels."""
    channels = len(total)
    rows = channels - 1
    base = base - chance_gain
    least_rows, least_weight = rules[0], rules[1] / units[0]
    missing = hist[rows, first + na_bin] if na_bin >= 0 else ZERO
    for c in range(channels):
        work[c] = 0
    best, place, missing_left = -1.0, ZERO, False
    for k in range(count if missing > 0 else count - 1):
        cell = first + order[k]
        for c in range(channels):
            work[c] += hist[c, cell]
        for turn in range(2 if missing > 0 and k + 1 < count else 1):
            ln, rn = work[rows], total[rows] - work[rows]
            if turn:
                ln += missing
                rn -= missing
            if ln >= least_rows and rn >= least_rows and ln > 0 and rn > 0:
                a = b = x = z = 0.0
                for c in range(rows):
                    m = hist[c, first + na_bin] if turn else 0
                    u, v = float(work[c] + m), float(total[c] - work[c] - m)
                    a += u
                    b += v
                    if criterion == GINI:
                        x += u * u
                        z += v * v
                    elif criterion == ERROR:
                        x = max(x, u)
                        z = max(z, v)
                    else:
                        x += u * math.log2(u) if u > 0 else 0.0
                        z += v * math.log2(v) if v > 0 else 0.0
                if a <= 0 or b <= 0 or a < least_weight or b < least_weight:
                    continue
                if criterion == GINI:
                    drop = base - ((a - x / a) + (b - z / b))
                elif criterion == ERROR:
                    drop = base - ((a - x) + (b - z))
                else:
                    drop = base - ((a * math.log2(a) - x) + (b * math.log2(b) - z))
                if chance_gain > 0 and drop <= 0:
                    continue
                found = max(drop, 0.0)
                if criterion > ERROR:
                    found = adjusted_gain(found, a, b, criterion, cost, rules[3])
                if found > best:
                    best, place, missing_left = found, k + 1, turn == 1 if missing > 0 else a >= b
    return best, place, missing_left


@inner
def branch_all(hist, first, order, count, total, base, criterion, units, rules, cost):
    """Return the gain of one branch for each category; -1 unless two branches have enough rows."""
    channels, cells = hist.shape
    flat = hist.reshape(channels * cells)
    drop, bits, large, whole, mean = base, 0.0, 0, 0.0, 0.0
    if criterion == SUMS and rules[2] == 0 and total[1] > 0:
        drop, mean = 0.0, total[0] * units[0] / (total[1] * units[1])
    for k in range(count):
        cell = first + order[k]
        if criterion == SUMS:
            h = hist[1, cell] * units[1]
            g, h = hist[0, cell] * units[0] - mean * h, h + rules[2]
            drop += g * g / h if h > 0 else 0.0
        else:
            worse, weight = impurity(flat, cell, cells, channels - 1, criterion)
            drop -= worse
            whole += weight
            if weight > 0:
                bits -= weight * math.log2(weight)
        large += hist[channels - 1, cell] >= rules[0]
    if large < 2:
        return -1.0
    if criterion == SUMS and rules[2] == 0 and drop <= -CENTERED_NOISE * base:
        drop = 0.0
    drop = max(drop, 0.0)
    if criterion <= ERROR or criterion == SUMS:
        return drop
    gain, bits = drop / whole, bits / whole + math.log2(whole)
    if criterion == RATIO:
        return gain / bits if bits > 1e-12 else 0.0
    if criterion == COST_SQUARE:
        return gain * gain / cost
    return (2.0**gain - 1.0) / (cost + 1.0) ** rules[3]


@inner
def weight_of_cells(hist, cell, criterion):
    """Return the weight of the rows in a cell: of all classes, or Σh."""
    if criterion == SUMS:
        return float(hist[1, cell])
    total = 0.0
    for c in range(hist.shape[0] - 1):
        total += hist[c, cell]
    return total


@inner
def row_weight(total, criterion, units, rules):
    """Return the weight of a row in the channels of a node: one unit, or the mean if weights are not counts of rows."""
    weight = 0.0
    if criterion == SUMS:
        weight += total[1]
    else:
        for c in range(len(total) - 1):
            weight += total[c]
    if rules[COUNTED] > 0:
        return 1.0 / units[1]
    return weight * rules[PARTS_OF_ROW] / max(total[len(total) - 1], 1)


@inner
def group_rare(hist, first, present, count, least):
    """Return the channel sums of categories with enough rows, then of all others together, and the number of groups."""
    channels = hist.shape[0]
    groups = np.zeros((channels, count), np.int64)
    size = ZERO
    for k in range(count):
        if hist[channels - 1, first + present[k]] >= least:
            for c in range(channels):
                groups[c, size] = hist[c, first + present[k]]
            size += 1
    if size < count:
        for k in range(count):
            if hist[channels - 1, first + present[k]] < least:
                for c in range(channels):
                    groups[c, size] += hist[c, first + present[k]]
        size += 1
    return groups, size


@kernel
def group_order(groups, size, total, by, criterion, units, rules):
    """Groups by their mean, or by the share of one class, shrunk towards that of the node; ties by their number."""
    smooth, whole = 0.0, 0.0
    if rules[SMOOTH] > 0:
        smooth = rules[SMOOTH] * row_weight(total, criterion, units, rules)
        for k in range(size):
            whole += weight_of_cells(groups, k, criterion)
    part = 0.0
    if smooth > 0 and whole > 0:
        for k in range(size):
            part += groups[by, k]
        part = smooth * part / whole
    key, order = np.empty(size), np.arange(size)
    for k in range(size):
        weight = weight_of_cells(groups, k, criterion) + smooth
        key[k] = (groups[by, k] + part) / weight if weight > 0 else 0.0
    return sort_by(key, order)


@inner
def chance_of(groups, size, total, base, noise, by, criterion, units, rules):
    """Return the decrease that a split of n groups gives by chance, beyond that of a numeric column.

    If the groups carry no information, each adds the variance of a row to the squares between them, and sorted by their
    means (or by the share of class `by`) they are cut where most of that is found. Groups of unequal weight count as
    (Σ√w)² / Σw of equal ones. Of groups of one row each, it is all that telling the class apart would gain.
    """
    if rules[PENALTY] <= 0 or size <= UNPENALIZED_CATEGORIES:
        return 0.0
    roots, whole = 0.0, 0.0
    for k in range(size):
        weight = weight_of_cells(groups, k, criterion)
        roots += math.sqrt(weight)
        whole += weight
    if whole <= 0:
        return 0.0
    many, row = roots * roots / whole, row_weight(total, criterion, units, rules)
    beyond = many - UNPENALIZED_CATEGORIES * max(
        1.0 - many * row / whole, 0.0
    )  # categories of a row each are all chance
    if beyond <= 0:
        return 0.0
    if criterion == SUMS:
        return rules[PENALTY] * noise * beyond
    others = total.copy()
    others[by] = 0
    apart = (base - node_impurity(others, criterion, units, 0.0, -np.inf, np.inf)) / whole
    if criterion == ERROR:
        return rules[PENALTY] * math.sqrt(max(apart * (1 - apart), 0.0) * whole * row * beyond)
    if criterion != GINI:
        apart = max(apart, 1 / (2 * math.log(2.0)))
    return rules[PENALTY] * apart * row * beyond


@inner
def place_between(present, k, count):
    """The last bin on the left of a cut after k bins of those that have rows."""
    if k == 0:
        return NO_INDEX
    return (present[k - 1] + present[k] - 1) // 2 if k < count else present[k - 1]


@inner
def search_sets_of_sums(hist, first, present, count, kind, total, base, noise, units, rules, low, high):
    """Best split of a column of categories, of sums: (decrease, place); noise: the variance of a row.

    Subset: the first `place` groups of an order go left. Multiway: each goes its own way.
    """
    criterion = ZERO + SUMS
    if kind == MULTIWAY:
        return branch_all(hist, first, present, count, total, base, criterion, units, rules, 1.0), ZERO
    groups, size = group_rare(hist, first, present, count, rules[GROUP_ROWS])
    if size < 2:
        return -1.0, ZERO
    order = group_order(groups, size, total, ZERO, criterion, units, rules)
    chance_gain = chance_of(groups, size, total, base, noise, ZERO, criterion, units, rules)
    best, place, _ = scan_sums(
        groups, ZERO, order, size, NO_INDEX, total, base, chance_gain, units, rules, ZERO, low, high
    )
    return best, place


@inner
def search_sets_of_classes(hist, first, present, count, kind, total, base, criterion, units, rules, cost, work):
    """Best split of a categorical column, of class weights, and the class by whose share the groups are ordered."""
    if kind == MULTIWAY:
        best = branch_all(hist, first, present, count, total, base, criterion, units, rules, cost)
        return best, ZERO, ZERO
    best, place, by = -1.0, ZERO, ZERO
    groups, size = group_rare(hist, first, present, count, rules[GROUP_ROWS])
    if size < 2:
        return best, place, by
    classes = len(total) - 1
    for c in range(classes - 1 if classes <= 2 else 0, classes):  # of two, one order is enough (Breiman)
        order = group_order(groups, size, total, c, criterion, units, rules)
        chance_gain = chance_of(groups, size, total, base, 0.0, c, criterion, units, rules)
        found, k, _ = scan_classes(
            groups, ZERO, order, size, NO_INDEX, total, base, chance_gain, criterion, units, rules, cost, work
        )
        if found > best:
            best, place, by = found, k, c
    return best, place, by


@inner
def search_sums(hist, first, present, count, na_bin, kind, j, total, base, noise, units, rules, monotonic, low, high):
    """Best split of column j, of sums: (decrease, place, order, whether missing values go left).

    `present`: the bins that have rows, in order, with that of missing values (its `gap`, or -1) last, if it has any.
    Rows up to bin `place` go left; of categories see above. `kind` None: all columns are numbers, and the search for
    sets of categories is not compiled.
    """
    if kind is not None and kind[j] != NUMERIC:
        best, place = search_sets_of_sums(
            hist, first, present, count, kind[j], total, base, noise, units, rules, low, high
        )
        return best, place, ZERO, False
    if na_bin[j] >= 0 and count and present[count - 1] == na_bin[j]:
        count -= 1
    best, k, left = scan_sums(
        hist, first, present, count, na_bin[j], total, base, 0.0, units, rules, monotonic[j], low, high
    )
    return best, place_between(present, k, count), ZERO, left


@inner
def search_classes(hist, first, present, count, na_bin, kind, j, total, base, criterion, units, rules, cost, work):
    """Best split of column j, of class weights; `work` has room for the channels."""
    if kind is not None and kind[j] != NUMERIC:
        best, place, by = search_sets_of_classes(
            hist, first, present, count, kind[j], total, base, criterion, units, rules, cost[j], work
        )
        return best, place, by, False
    if na_bin[j] >= 0 and count and present[count - 1] == na_bin[j]:
        count -= 1
    best, k, left = scan_classes(
        hist, first, present, count, na_bin[j], total, base, 0.0, criterion, units, rules, cost[j], work
    )
    return best, place_between(present, k, count), ZERO, left


@inner
def bins_with_rows(rows, start, stop, present):
    """List the bins of a column that have rows, in order; return their number."""
    count = ZERO
    for b in range(stop - start):
        if rows[start + b] > 0:
            present[count] = b
            count += 1
    return count


@kernel
def search(
    hist, offset, kind, na_bin, features, total, base, noise, criterion, units, rules, cost, monotonic, low, high
):
    """Best split of a node over some columns: (gain, column, place, order, missing left); gain -1: there is none.

    cost: of each column, None for sums. way: in which direction predictions go with it, None for classes.
    """
    channels = len(total)
    work = np.zeros(channels, np.int64)
    present = np.empty(hist.shape[1], np.int64)
    best, feature, place, by, turn = -1.0, NO_INDEX, NO_INDEX, ZERO, False
    for j in features:
        start = offset[j]
        count = bins_with_rows(hist[channels - 1], start, offset[j + 1], present)
        if count < 2:
            continue
        found, at, order_by, left = -1.0, NO_INDEX, ZERO, False
        if cost is not None:
            found, at, order_by, left = search_classes(
                hist, start, present, count, na_bin, kind, j, total, base, criterion, units, rules, cost, work
            )
        if monotonic is not None:
            found, at, order_by, left = search_sums(
                hist,
                start,
                present,
                count,
                na_bin,
                kind,
                j,
                total,
                base,
                noise,
                units,
                rules,
                monotonic,
                low,
                high,
            )
        if found > best:
            best, feature, place, by, turn = found, j, at, order_by, left
    return best, feature, place, by, turn
