"""Moments of many cells: summarized cell after cell, and merged in pairs, with the bits of each cell by itself."""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.blas import LANES, NARROW
from tenfold.compiled.decorators import dividing, inner_dividing
from tenfold.compiled.moments.comoments import add_comoments, add_comoments_in_place
from tenfold.compiled.moments.moments import merge_moments, move_to_mean, rough_means
from tenfold.compiled.precision.error_free import two_sum

PAIRWISE_ROWS = 128
"""numbers that are summed in eight sums, before sums are added in pairs"""


@dividing
def sum_in_pairs(numbers):
    """The sum of some numbers, with the bits of `numpy.sum`."""
    n = len(numbers)
    if n < 8:
        total = 0.0
        for i in range(n):
            total += numbers[i]
        return total
    if n <= PAIRWISE_ROWS:
        each = numbers[:8].copy()
        whole = n - n % 8
        for i in range(8, whole, 8):
            for j in range(8):
                each[j] += numbers[i + j]
        total = ((each[0] + each[1]) + (each[2] + each[3])) + ((each[4] + each[5]) + (each[6] + each[7]))
        for i in range(whole, n):
            total += numbers[i]
        return total
    half = n // 2
    half -= half % 8
    return sum_in_pairs(numbers[:half]) + sum_in_pairs(numbers[half:])


@dividing
def summarize_cells(rows, y, weight, root, starts, height, first_rows, total, mean, rest, comoment):
    """Moments of each cell; cell c has the rows from `starts[c]` up to `starts[c + 1]`.

    `y` has a column, or none; `root`, the square roots of the weights, is empty if every weight is one. `height` is how
    many rows are copied at a time, `first_rows` is of how many the mean is the first shift. Return the number of the
    first cell with a sum of squares that is not finite; -1, if there is none.
    """
    p = rows.shape[1]
    q = mean.shape[1]
    shift, gram, block = np.empty(q), np.empty((q + 1, q + 1)), np.empty((height, p))
    target = y[:, 0] if q > p else np.zeros(0)
    for c in range(len(starts) - 1):
        a, b = starts[c], starts[c + 1]
        total[c] = sum_in_pairs(weight[a:b]) if len(root) else b - a
        if b - a == 1:
            for j in range(q):
                mean[c, j] = (rows[a, j] if j < p else y[a, 0]) + 0.0
                rest[c, j] = 0.0
                for k in range(q):
                    comoment[c, j, k] = 0.0
                if not math.isfinite(mean[c, j]):
                    return c
            continue
        fine = _summarize(
            rows[a:b], y[a:b], target[a:b], weight[a:b], root[a:b], height, first_rows, shift, gram, block,
            mean[c], rest[c], comoment[c],
        )  # fmt: skip
        if not fine:
            return c
    return -1


@inner_dividing
def _summarize(rows, y, target, weight, root, height, first_rows, shift, gram, block, mean, rest, comoment):
    """Moments of the rows of one cell; return whether their squares are finite."""
    n, p = rows.shape
    m = min(first_rows, n)
    first = sum_in_pairs(weight[:m]) if len(root) else float(m)
    centred = rough_means(rows[:m], weight[:m], first, shift[:p])
    if centred:
        shift[:p] = 0.0
    if len(shift) > p:
        rough_means(y[:m], weight[:m], first, shift[p:])
    far = True
    for _ in range(2):
        if far:
            gram[:] = 0.0
            _add(rows, target, root, shift, height, block, gram)
            for j in range(p):
                if not math.isfinite(gram[j, j]):
                    return False
            far = move_to_mean(gram, shift, mean, rest, comoment)
            shift[:] = mean
    return True


@dividing
def summarize_trees(rows, y, weight, root, starts, parts, firsts, height, first_rows, total, mean, rest, comoment):
    """Moments of each cell: those of its rows in each part, merged in the fixed tree over the parts.

    Cell c has the runs from `firsts[c]` up to `firsts[c + 1]`; run f has the rows from `starts[f]` up to
    `starts[f + 1]`, which are of the part `parts[f]`. The other arguments are those of `summarize_cells`. Return the
    number of the first cell whose moments are not finite; -1, if there is none.
    """
    p, q = rows.shape[1], mean.shape[1]
    wide = (q + LANES - 1) // LANES * LANES
    depth = 2
    for f in range(len(parts)):
        while parts[f] >> (depth - 2):
            depth += 1
    shift, gram, block = np.empty(q), np.empty((q + 1, q + 1)), np.empty((height, p))
    centre, low, square, delta = np.empty(q), np.empty(q), np.empty((q, q)), np.zeros(wide)
    # subtrees that are not merged yet, each of earlier parts than the next; in rows of whole vectors
    weights, single, met = np.empty(depth), np.empty(depth, np.bool_), np.empty(depth, np.int64)
    means, rests, comoments = np.zeros((depth, wide)), np.zeros((depth, wide)), np.zeros((depth, q, wide))
    target = y[:, 0] if q > p else np.zeros(0)
    for c in range(len(firsts) - 1):
        top = -1
        for f in range(firsts[c], firsts[c + 1]):
            height_above = 64
            if f > firsts[c]:
                height_above, apart = 0, parts[f] ^ parts[f - 1]
                while apart:
                    apart >>= 1
                    height_above += 1
                while top > 0 and met[top] < height_above:
                    top -= 1
                    _merge_next(top, q, weights, single, means, rests, comoments, delta)
            top += 1
            met[top] = height_above
            a, b = starts[f], starts[f + 1]
            weights[top] = sum_in_pairs(weight[a:b]) if len(root) else b - a
            single[top] = b - a == 1
            if single[top]:
                for j in range(q):
                    means[top, j] = (rows[a, j] if j < p else y[a, 0]) + 0.0
                    rests[top, j] = 0.0
                continue
            fine = _summarize(
                rows[a:b], y[a:b], target[a:b], weight[a:b], root[a:b], height, first_rows, shift, gram, block,
                centre, low, square,
            )  # fmt: skip
            if not fine:
                return c
            for i in range(q):
                means[top, i], rests[top, i] = centre[i], low[i]
                for j in range(q):
                    comoments[top, i, j] = square[i, j]
        while top > 0:
            top -= 1
            _merge_next(top, q, weights, single, means, rests, comoments, delta)
        total[c] = weights[0]
        for i in range(q):
            mean[c, i], rest[c, i] = means[0, i], rests[0, i]
            for j in range(q):
                comoment[c, i, j] = 0.0 if single[0] else comoments[0, i, j]
            if not (math.isfinite(mean[c, i]) and math.isfinite(comoment[c, i, i])):
                return c
    return -1


@inner_dividing
def _merge_next(k, q, weights, single, means, rests, comoments, delta):
    """Merge moments k + 1 into moments k, as `merge_moments`; those of a single row have no co-moments."""
    share = weights[k + 1] / (weights[k] + weights[k + 1])
    between = weights[k] * share
    for j in range(len(delta)):
        delta[j] = (means[k + 1, j] - means[k, j]) + (rests[k + 1, j] - rests[k, j])
        means[k, j], rests[k, j] = two_sum(means[k, j], rests[k, j] + delta[j] * share)
    left, right = comoments[k], comoments[k + 1]
    if single[k] and single[k + 1]:
        for i in range(q):
            for j in range(len(delta)):
                left[i, j] = 0.0 + (delta[i] * delta[j]) * between
    elif single[k]:
        for i in range(q):
            for j in range(len(delta)):
                left[i, j] = 0.0 + right[i, j] + (delta[i] * delta[j]) * between
    elif single[k + 1]:
        for i in range(q):
            for j in range(len(delta)):
                left[i, j] = left[i, j] + 0.0 + (delta[i] * delta[j]) * between
    else:
        for i in range(q):
            for j in range(len(delta)):
                left[i, j] = left[i, j] + right[i, j] + (delta[i] * delta[j]) * between
    single[k] = False
    weights[k] += weights[k + 1]


@inner_dividing
def _add(rows, y, root, shift, height, block, gram):
    """Add the Gram matrix of the rows of a cell, as those of a chunk by itself are added."""
    n, p = rows.shape
    if len(root) or len(shift) < NARROW:
        add_comoments(rows, y, root, shift, height, gram)
        return
    for start in range(0, n, height):
        stop = min(start + height, n)
        for i in range(start, stop):
            for j in range(p):
                block[i - start, j] = rows[i, j] - shift[j]
        add_comoments_in_place(block[: stop - start], y[start:stop], shift, height, gram)


@dividing
def merge_cells(
    cells1, cells2, total1, mean1, rest1, comoment1, total2, mean2, rest2, comoment2, total, mean, rest, comoment
):
    """Moments of both cells of each pair, or of the one that is not -1 and has rows.

    Return the number of the first pair whose squares are not finite; -1, if there is none.
    """
    for k in range(len(cells1)):
        a, b = cells1[k], cells2[k]
        if a >= 0 and b >= 0 and total1[a] != 0.0 and total2[b] != 0.0:
            total[k] = total1[a] + total2[b]
            fine = merge_moments(
                total1[a], mean1[a], rest1[a], comoment1[a], total2[b], mean2[b], rest2[b], comoment2[b],
                mean[k], rest[k], comoment[k],
            )  # fmt: skip
            if not fine:
                return k
        elif b < 0 or (a >= 0 and total2[b] == 0.0):
            total[k], mean[k], rest[k], comoment[k] = total1[a], mean1[a], rest1[a], comoment1[a]
        else:
            total[k], mean[k], rest[k], comoment[k] = total2[b], mean2[b], rest2[b], comoment2[b]
    return -1
