"""Moments of many cells: summarized cell after cell, and merged in pairs, with the bits of each cell by itself."""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.blas import NARROW
from tenfold.compiled.decorators import dividing, inner_dividing
from tenfold.compiled.moments.comoments import add_comoments, add_comoments_in_place
from tenfold.compiled.moments.moments import merge_moments, move_to_mean, rough_means

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
        m = min(first_rows, b - a)
        first = sum_in_pairs(weight[a : a + m]) if len(root) else float(m)
        centred = rough_means(rows[a : a + m], weight[a : a + m], first, shift[:p])
        if centred:
            shift[:p] = 0.0
        if q > p:
            rough_means(y[a : a + m], weight[a : a + m], first, shift[p:])
        far = True
        for _ in range(2):
            if far:
                gram[:] = 0.0
                _add(rows[a:b], target[a:b], root[a:b], shift, height, block, gram)
                for j in range(p):
                    if not math.isfinite(gram[j, j]):
                        return c
                far = move_to_mean(gram, shift, mean[c], rest[c], comoment[c])
                shift[:] = mean[c]
    return -1


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
