"""Weight, mean and sum of squares by group and column.

Values are taken relative to the first one of their group. A cache-full of rows is read twice, for its means
and then for the squares around them, and merged into the running values: no raw sum of squares anywhere.
"""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.decorators import kernel
from tenfold.compiled.precision.error_free import two_sum
from tenfold.compiled.rows.copying import copy_columns


@kernel
def add_spread(rows, group, row_weight, height, known, shift, weight, mean, square):
    """Merge rows into `weight[g]`, `mean[g, j]`, `square[g, j]`, where g = group[i].

    Unless it is `known`, the first row of a group becomes its `shift[g]`; `mean` is relative to it.
    """
    groups, p = mean.shape
    total = np.empty(groups)
    sums = np.empty((groups, p))
    squares = np.empty((groups, p))
    for start in range(0, rows.shape[0], height):
        stop = min(start + height, rows.shape[0])
        total[:] = 0.0
        sums[:] = 0.0
        squares[:] = 0.0
        for i in range(start, stop):
            g = group[i]
            w = row_weight[i]
            if not known and weight[g] == 0.0 and total[g] == 0.0:
                for j in range(p):
                    shift[g, j] = rows[i, j]
            total[g] += w
            for j in range(p):
                sums[g, j] += w * (rows[i, j] - shift[g, j])
        for g in range(groups):
            if total[g] > 0:
                for j in range(p):
                    sums[g, j] /= total[g]
        for i in range(start, stop):
            g = group[i]
            w = row_weight[i]
            for j in range(p):
                d = (rows[i, j] - shift[g, j]) - sums[g, j]
                squares[g, j] += w * d * d
        for g in range(groups):
            if total[g] > 0:
                both = weight[g] + total[g]
                share = total[g] / both
                for j in range(p):
                    d = sums[g, j] - mean[g, j]
                    mean[g, j] += d * share
                    square[g, j] += squares[g, j] + d * d * weight[g] * share
                weight[g] = both


@kernel
def add_spread_columns(addresses, like, group, row_weight, height, known, shift, weight, mean, square):
    """Merge rows as `add_spread` does, from columns of `len(group)` values at `addresses`, in the type of `like`."""
    n, p = len(group), len(addresses)
    block, nothing = np.empty((min(height, n), p), like.dtype), np.zeros(p, like.dtype)
    for start in range(0, n, height):
        stop = min(start + height, n)
        copy_columns(addresses, like, start, stop, nothing, block)
        some, heft = group[start:stop], row_weight[start:stop]
        add_spread(block[: stop - start], some, heft, height, known, shift, weight, mean, square)


@kernel
def add_spread_present(rows, group, row_weight, height, known, shift, weight, mean, square):
    """Merge rows as `add_spread` does, leaving out missing values: each column of a group has its `weight[g, j]`."""
    groups, p = mean.shape
    total = np.empty((groups, p))
    sums = np.empty((groups, p))
    squares = np.empty((groups, p))
    for start in range(0, rows.shape[0], height):
        stop = min(start + height, rows.shape[0])
        if not known and weight.size and weight.min() == 0.0:
            total[:] = weight
            for i in range(start, stop):
                g = group[i]
                for j in range(p):
                    if total[g, j] == 0.0 and rows[i, j] == rows[i, j]:
                        shift[g, j] = rows[i, j]
                        total[g, j] = 1.0
        total[:] = 0.0
        sums[:] = 0.0
        squares[:] = 0.0
        for i in range(start, stop):
            g = group[i]
            w = row_weight[i]
            for j in range(p):
                here = rows[i, j] == rows[i, j]
                total[g, j] += w if here else 0.0
                sums[g, j] += w * (rows[i, j] - shift[g, j]) if here else 0.0
        for g in range(groups):
            for j in range(p):
                if total[g, j] > 0:
                    sums[g, j] /= total[g, j]
        for i in range(start, stop):
            g = group[i]
            w = row_weight[i]
            for j in range(p):
                d = (rows[i, j] - shift[g, j]) - sums[g, j] if rows[i, j] == rows[i, j] else 0.0
                squares[g, j] += w * d * d
        for g in range(groups):
            for j in range(p):
                if total[g, j] > 0:
                    both = weight[g, j] + total[g, j]
                    share = total[g, j] / both
                    d = sums[g, j] - mean[g, j]
                    mean[g, j] += d * share
                    square[g, j] += squares[g, j] + d * d * weight[g, j] * share
                    weight[g, j] = both


@kernel
def spread_of_cells(rows, group, row_weight, starts, height, weight, mean, rest, square):
    """Weight, mean, its low-order part, and squares of each cell, by group, as of its rows alone.

    Cell c has the rows from `starts[c]` up to `starts[c + 1]`. Return the number of the first cell with squares that
    are not finite; -1, if there is none.
    """
    cells, groups, p = mean.shape
    shift = np.empty((groups, p))
    for c in range(cells):
        some = slice(starts[c], starts[c + 1])
        known = False
        shift[:] = 0.0
        for _ in range(2):
            weight[c] = 0.0
            mean[c] = 0.0
            square[c] = 0.0
            add_spread(rows[some], group[some], row_weight[some], height, known, shift, weight[c], mean[c], square[c])
            far = False
            for g in range(groups):
                root = 1e-2 * math.sqrt(weight[c, g])
                for j in range(p):
                    if not math.isfinite(square[c, g, j]):
                        return c
                    far |= math.sqrt(square[c, g, j]) < root * abs(mean[c, g, j])
            if known or not far:
                break
            known = True
            shift += mean[c]
        for g in range(groups):
            for j in range(p):
                mean[c, g, j], rest[c, g, j] = two_sum(shift[g, j], mean[c, g, j])
    return -1


@kernel
def spread_present_of_cells(rows, group, row_weight, starts, height, weight, mean, rest, square):
    """The same as `spread_of_cells`, leaving out missing values: each column of a group has its weight."""
    cells, groups, p = mean.shape
    shift = np.empty((groups, p))
    for c in range(cells):
        some = slice(starts[c], starts[c + 1])
        known = False
        shift[:] = 0.0
        for _ in range(2):
            weight[c] = 0.0
            mean[c] = 0.0
            square[c] = 0.0
            add_spread_present(
                rows[some], group[some], row_weight[some], height, known, shift, weight[c], mean[c], square[c]
            )
            far = False
            for g in range(groups):
                for j in range(p):
                    if not math.isfinite(square[c, g, j]):
                        return c
                    far |= math.sqrt(square[c, g, j]) < 1e-2 * math.sqrt(weight[c, g, j]) * abs(mean[c, g, j])
            if known or not far:
                break
            known = True
            shift += mean[c]
        for g in range(groups):
            for j in range(p):
                mean[c, g, j], rest[c, g, j] = two_sum(shift[g, j], mean[c, g, j])
    return -1


@kernel
def rule_out(rows, group, binary, counts):
    """Clear `binary[g, j]` where a value is neither 0 nor 1, and `counts[g, j]` where one is below 0; NaN aside."""
    for i in range(rows.shape[0]):
        g = group[i]
        for j in range(rows.shape[1]):
            x = rows[i, j]
            if x != 0.0 and x != 1.0 and x == x:
                binary[g, j] = False
                if x < 0.0:
                    counts[g, j] = False
