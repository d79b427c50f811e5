"""Losses of boosting: their gradients in whole units, their values, and margins that take in a new tree."""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.decorators import inner_dividing, kernel, written_in
from tenfold.compiled.precision.exponential import exp, log1p
from tenfold.compiled.rows.shuffling import mix

SQUARED, ABSOLUTE, QUANTILE, POISSON, LOGISTIC, SOFTMAX = range(6)
QUANTILE_LEAF_LOSSES = (ABSOLUTE, QUANTILE)
"""losses whose leaves say a quantile of the residuals"""
MAX_GRADIENT_UNITS = (1 << 36) - 1
"""the largest gradient, in units: what is larger counts as this"""
ROWS_PER_TREE_BLOCK = 128
"""rows that go through all trees before the next do"""


@written_in
def logistic_slopes(m, y):
    """Slope and curvature of ln(1 + exp(m)) - m y."""
    e = exp(-abs(m))
    q = (1.0 if m >= 0 else e) / (1.0 + e)
    return q - y, e / ((1.0 + e) * (1.0 + e))


@inner_dividing
def logistic(margin, target, g_times, h_times, g, h):
    """Return slope and curvature of the logistic loss of a row of weight one, in whole units."""
    for i in range(len(margin)):
        slope, curve = logistic_slopes(margin[i], target[i])
        g[i] = np.int64(np.rint(slope * g_times))
        h[i] = np.int64(np.rint(curve * h_times))


@inner_dividing
def logistic_losses(margin, target, times, cap, out):
    """The logistic loss of rows of weight one, in whole units."""
    for i in range(len(margin)):
        m = margin[i]
        out[i] = np.int64(np.rint(min((max(m, 0.0) - m * target[i] + log1p(exp(-abs(m)))) * times, cap)))


@kernel
def gradients(loss, margin, output, target, weight, times, level, g_unit, h_unit, start, stop, g, h):
    """g and h of some rows for one output: slope and curvature of the loss, times the weight, in whole units.

    margin: rows x outputs. Weights that are whole numbers come as `times`, so that a row of weight two is rounded as
    two rows are; else they are in `weight`. Both are empty, if every one is one. h: empty, if all are one.
    """
    if loss == LOGISTIC and not len(weight) and not len(times):
        logistic(margin[start:stop, 0].copy(), target[start:stop], 1 / g_unit, 1 / h_unit, g[start:stop], h[start:stop])
        return
    for i in range(start, stop):
        m, y = margin[i, output], target[i]
        w = weight[i] if len(weight) else 1.0
        curve = 1.0
        if loss == LOGISTIC:
            slope, curve = logistic_slopes(m, y)
        elif loss == SOFTMAX:
            top = margin[i, 0]
            for c in range(1, margin.shape[1]):
                top = max(top, margin[i, c])
            total = 0.0
            for c in range(margin.shape[1]):
                total += math.exp(margin[i, c] - top)
            q = math.exp(m - top) / total
            slope, curve = q - (1.0 if y == output else 0.0), q * (1.0 - q)
        elif loss == POISSON:
            q = math.exp(m)
            slope, curve = q - y, q
        elif loss == SQUARED:
            slope = m - y
        else:
            up, down = (1.0 - level, -level) if loss == QUANTILE else (1.0, -1.0)
            slope = up if m > y else (down if m < y else 0.0)
        most = MAX_GRADIENT_UNITS // times[i] if len(times) else MAX_GRADIENT_UNITS
        g[i] = np.int64(min(max(np.rint(slope * w / g_unit), -most), most))
        if len(h):
            h[i] = np.int64(min(np.rint(curve * w / h_unit), most))
        if len(times):
            g[i] *= times[i]
            h[i] *= times[i]


@kernel
def loss_sum(loss, margin, target, weight, level, keep, unit, cap, start, stop, sums, heft):
    """Add the losses of training rows and of validation rows, in whole units, and their weights.

    cap: the largest loss of a row, in units, so that no sum overflows an integer.
    """
    if loss == LOGISTIC and not len(weight):
        units = np.empty(stop - start, np.int64)
        logistic_losses(margin[start:stop, 0].copy(), target[start:stop], 1 / unit, cap, units)
        learned, whole, rows = 0, 0, 0
        for i in range(stop - start):
            whole += units[i]
            learned += units[i] * keep[start + i]
            rows += keep[start + i]
        sums[0] += learned
        sums[1] += whole - learned
        heft[0] += rows
        heft[1] += stop - start - rows
        return
    for i in range(start, stop):
        y = target[i]
        w = weight[i] if len(weight) else 1.0
        if loss == SOFTMAX:
            top = margin[i, 0]
            for c in range(1, margin.shape[1]):
                top = max(top, margin[i, c])
            total = 0.0
            for c in range(margin.shape[1]):
                total += math.exp(margin[i, c] - top)
            value = top + math.log(total) - margin[i, int(y)]
        else:
            m = margin[i, 0]
            if loss == LOGISTIC:
                value = max(m, 0.0) - m * y + log1p(exp(-abs(m)))
            elif loss == POISSON:
                value = math.exp(m) - y * m
            elif loss == SQUARED:
                value = 0.5 * (m - y) ** 2
            else:
                up, down = (1.0 - level, level) if loss == QUANTILE else (1.0, 1.0)
                value = up * (m - y) if m > y else down * (y - m)
        side = 0 if keep[i] else 1
        sums[side] += np.int64(np.rint(min(max(value * w / unit, -cap), cap)))
        heft[side] += w


@kernel
def add_leaves(index, start, stop, value, output, margin):
    """margin[i, output] += the value of the leaf in which row i is; leaves are spans of the index."""
    for k in range(len(start)):
        v = value[k]
        for i in range(start[k], stop[k]):
            margin[index[i], output] += v


@kernel
def add_trees_of_bins(bins, column, place, swing, first, route_at, route, deep, value, roots, start, outputs, margin):
    """Add the predictions of the trees from number `start` on, one after the other, for the bins of row i to margin[i].

    All rows of a block go down a step at a time: there is no branch to guess, as a leaf leads to itself (`Walk`).
    """
    n, at = bins.shape[1], np.empty(ROWS_PER_TREE_BLOCK, np.int32)
    for s in range(0, n, ROWS_PER_TREE_BLOCK):
        e = min(ROWS_PER_TREE_BLOCK, n - s)
        for t in range(start, len(roots)):
            for i in range(e):
                at[i] = roots[t]
            for _ in range(deep[t]):
                for i in range(e):
                    k = np.uint32(at[i])
                    b = np.int32(bins[np.uint32(column[k]), np.uint64(s + i)])
                    if route_at[k] >= 0:
                        branch = route[route_at[k] + b]
                        at[i] = first[k] + branch if branch >= 0 else at[i]
                    else:
                        at[i] = first[k] + np.int32((b > place[k]) & (b != swing[k]))
            for i in range(e):
                margin[s + i, t % outputs] += value[np.uint32(at[i])]


@kernel
def add_trees(
    block, column, threshold, strays, first, route_at, width, route, deep, value, roots, start, outputs, margin
):
    """Add the predictions of the trees, as `add_trees_of_bins`, from the values of rows."""
    n, at = block.shape[0], np.empty(ROWS_PER_TREE_BLOCK, np.int32)
    for s in range(0, n, ROWS_PER_TREE_BLOCK):
        e = min(ROWS_PER_TREE_BLOCK, n - s)
        rows = block[s : s + e]
        for t in range(start, len(roots)):
            for i in range(e):
                at[i] = roots[t]
            for _ in range(deep[t]):
                for i in range(e):
                    k = np.uint32(at[i])
                    x = rows[np.uint64(i), np.uint32(column[k])]
                    if route_at[k] >= 0:
                        code = int(x) if 0 <= x < width[k] - 1 else width[k] - 1
                        branch = route[route_at[k] + code]
                        at[i] = first[k] + branch if branch >= 0 else at[i]
                    else:
                        at[i] = first[k] + np.int32((not x <= threshold[k]) & ((x == x) | strays[k]))
            for i in range(e):
                margin[s + i, t % outputs] += value[np.uint32(at[i])]


@kernel
def add_values(nodes, value, output, margin):
    """margin[i, output] += the value of the node of row i."""
    for i in range(len(nodes)):
        margin[i, output] += value[nodes[i]]


@kernel
def count_digits(place, key, weight, prefix, shift, bits, out):
    """out[place[i], d] += weight[i], where d is a digit of the key of row i, if its digits before are the prefix.

    place -1: the row is not counted.
    """
    mask = np.uint64((1 << bits) - 1)
    for i in range(len(place)):
        s = place[i]
        if s < 0:
            continue
        rest = key[i] >> np.uint64(shift)
        if (rest >> np.uint64(bits)) == prefix[s]:
            out[s, np.int64(rest & mask)] += weight[i] if len(weight) else 1


@kernel
def in_share(numbers, seed, draw, share, out):
    """out[i]: whether row i is in a random share of the rows, by its row id: the same rows in whatever parts."""
    for i in range(len(numbers)):
        x = (
            np.uint64(numbers[i]) * np.uint64(0x9E3779B97F4A7C15)
            + np.uint64(seed)
            + np.uint64(draw) * np.uint64(0xD1B54A32D192ED03)
        )
        out[i] = float(mix(x) >> np.uint64(11)) * 2.0**-53 < share
