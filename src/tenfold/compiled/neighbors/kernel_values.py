"""Kernel functions of pairs of rows, computed from their products or from their differences."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import dividing, inner_dividing, written_in
from tenfold.compiled.precision.exponential import exp

LAPLACIAN, CHI2, ADDITIVE_CHI2 = 0, 1, 2
CANCELLATION_SHARE = {"float32": 1e-3, "float64": 1e-5}
"""a squared distance below this share of the squares of both rows lost digits and is recomputed from differences"""
CACHED_VALUES = 256
"""values of a row that are worked on while they are in cache"""

HIGH, LOW, PER, END = np.float32(0.693359375), np.float32(-2.12194440e-4), np.float32(1.44269504), np.float32(87.0)
C7, C6, C5 = np.float32(1 / 5040), np.float32(1 / 720), np.float32(1 / 120)
C4, C3, C2, C1 = np.float32(1 / 24), np.float32(1 / 6), np.float32(0.5), np.float32(1.0)


@written_in
def exp32(x):
    """e to the x in float32, to two units in the last place; x is held within -87 and 87."""
    x = min(max(x, -END), END)
    k = np.rint(x * PER)
    r = (x - k * HIGH) - k * LOW
    p = C7 * r + C6
    p = p * r + C5
    p = p * r + C4
    p = p * r + C3
    p = p * r + C2
    p = p * r + C1
    p = p * r + C1
    return p * np.int32((np.int32(k) + np.int32(127)) << np.int32(23)).view(np.float32)


@inner_dividing
def _distances(row, square, squares, near):
    """Replace the products of a row with others by squared distances; return how many of these lost digits."""
    lost = 0
    for j in range(len(row)):
        both = square + squares[j]
        d = both - (row[j] + row[j])
        lost += d <= near * both
        row[j] = d
    return lost


@inner_dividing
def _exponentials(row, factor):
    """Replace values by the exponentials of a factor times them."""
    if row.itemsize == 4:
        for j in range(len(row)):
            row[j] = exp32(factor * row[j])
    else:
        for j in range(len(row)):
            row[j] = exp(factor * row[j])


@dividing
def gaussian_values(X, Z, squares_x, squares_z, gamma, out):
    """Turn out[i, j] = <X[i], Z[j]> into exp(-gamma[0] |X[i] - Z[j]|²); all of one float type.

    A squared distance below the share gamma[1] of the squares of both rows is recomputed from the differences.
    """
    factor, near = -gamma[0], gamma[1]
    p = X.shape[1]
    for i in range(out.shape[0]):
        square = squares_x[i]
        for start in range(0, out.shape[1], CACHED_VALUES):
            row, squares = out[i, start : start + CACHED_VALUES], squares_z[start : start + CACHED_VALUES]
            if _distances(row, square, squares, near):
                for j in range(len(row)):
                    if row[j] <= near * (square + squares[j]):
                        d = near - near
                        for c in range(p):
                            d += (X[i, c] - Z[start + j, c]) * (X[i, c] - Z[start + j, c])
                        row[j] = d
            _exponentials(row, factor)


@inner_dividing
def _add_differences(x, column, kind, row):
    """Subtract |x - z|, or (x - z)² / (x + z), of a value x and each value z of a column."""
    if kind == LAPLACIAN:
        for j in range(len(row)):
            row[j] -= abs(x - column[j])
    else:
        for j in range(len(row)):
            both = x + column[j]
            away = x - column[j]
            row[j] -= away * away / both if both != 0 else away - away


@dividing
def difference_values(X, columns, kind, gamma, out):
    """out[i, j] = exp(-gamma[0] d), d the sum of |x - z| or of (x - z)² / (x + z) over columns; or -d itself."""
    factor = gamma[0]
    for i in range(out.shape[0]):
        for start in range(0, out.shape[1], CACHED_VALUES):
            row = out[i, start : start + CACHED_VALUES]
            row[:] = factor - factor
            for c in range(len(columns)):
                _add_differences(X[i, c], columns[c, start : start + CACHED_VALUES], kind, row)
            if kind != ADDITIVE_CHI2:
                _exponentials(row, factor)
