"""Least squares of many cells in one call: the coefficients of each, to the bit those of a fit of its moments alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tenfold.compiled.linear_model.normal_equations import (
    ANOTHER_SCAN,
    CONDITION,
    FACTS,
    GAP,
    NO_ROWS,
    NOT_FINITE,
    RANK,
    RSS,
    SOLVED,
    TOO_SMALL,
    TSS,
    score_each,
    solve_each,
)
from tenfold.core import Array, Codes
from tenfold.core.driver_threads import run_all, thread_count
from tenfold.linear_model.least_squares.normal_equations import MIN_ACCURATE_SQUARE, gamma_of
from tenfold.linear_model.least_squares.routes import MAX_QR_FEATURES

STATUS = {
    SOLVED: "solved",
    NO_ROWS: "no rows",
    ANOTHER_SCAN: "wants another scan",
    NOT_FINITE: "not finite",
    TOO_SMALL: "a column is too small to be squared",
}
"""what became of a cell, by its code"""
MIN_CELLS_PER_THREAD = 64


class ManySolutions(NamedTuple):
    """Coefficients of many cells, and what became of each."""

    coef: Array
    """cells x features; zeros in a cell that has no solution"""
    intercept: Array
    status: Codes
    """SOLVED, NO_ROWS, ANOTHER_SCAN (the coefficients are those at which a fit of the rows would read them again),
    NOT_FINITE or TOO_SMALL"""


class ManyClaims(NamedTuple):
    """What the certificates of many cells claim, and standard errors; NaN in a cell that has no solution."""

    gap: Array
    digits: Array
    condition: Array
    """of the normal equations; infinite if columns repeat each other"""
    rank: Array
    constant: Codes
    """number of columns that do not vary"""
    standard_errors: Array
    """cells x terms, the features and then the intercept: classical ones, 0 for a term that is 0 by definition"""
    sigma2: Array
    """variance of the residuals"""
    df: Array
    """degrees of freedom that the residuals have"""
    rss: Array
    tss: Array


def solve_many(
    weight: Array, mean: Array, comoment: Array, alpha: float, fit_intercept: bool, levels: Codes | None = None
) -> ManySolutions:
    """Coefficients of each cell: to the bit those that `Ridge` or `LinearRegression` makes of the same moments.

    `mean` has cells x (features, target), `comoment` one axis more, as `Moments` with an axis of cells in front; only
    its upper triangles are read. `levels` has the number of categories of each column, 0 if it is numeric. No cell
    raises an error. The cells are shared among the threads of `driver_threads`.
    """
    cells, q = mean.shape
    weight, mean, comoment = (np.ascontiguousarray(a, dtype=float) for a in (weight, mean, comoment))
    values, status = np.empty((cells, q)), np.empty(cells, np.int64)
    given = (weight, mean, comoment, _gammas(weight), float(alpha), fit_intercept, _cuts(levels))
    least = math.sqrt(MIN_ACCURATE_SQUARE)
    _shared(cells, lambda a, z: solve_each(*given, least, MAX_QR_FEATURES, a, z, values, status))
    return ManySolutions(values[:, :-1], values[:, -1], status)


def certify_many(
    weight: Array,
    mean: Array,
    comoment: Array,
    alpha: float,
    fit_intercept: bool,
    solutions: ManySolutions,
    levels: Codes | None = None,
) -> ManyClaims:
    """Claims about the solutions of `solve_many`, as in the certificates of single fits; and standard errors."""
    cells, q = mean.shape
    weight, mean, comoment = (np.ascontiguousarray(a, dtype=float) for a in (weight, mean, comoment))
    values = np.column_stack([solutions.coef, solutions.intercept])
    facts, errors = np.full((cells, FACTS), np.nan), np.full((cells, q), np.nan)
    worst, sigma2, df = (np.full(cells, np.nan) for _ in range(3))
    constant = np.zeros(cells, np.int64)
    given = (weight, mean, comoment, _gammas(weight), float(alpha), fit_intercept, _cuts(levels), values)
    status = np.ascontiguousarray(solutions.status)
    out = (facts, worst, constant, errors, sigma2, df)
    _shared(cells, lambda a, z: score_each(*given, status, a, z, *out))
    if not fit_intercept:
        errors = errors[:, :-1]
    gap, condition, rank, rss, tss = (facts[:, i] for i in (GAP, CONDITION, RANK, RSS, TSS))
    return ManyClaims(gap, _digits(worst), condition, rank, constant, errors, sigma2, df, rss, tss)


def _gammas(weight: Array) -> Array:
    """The relative rounding of each cell's sums; of cells that have no number of rows, anything."""
    return np.asarray(gamma_of(np.where((weight > 0) & (weight < np.inf), weight, 0.0)))


def _cuts(levels: Codes | None) -> Codes:
    """The first feature of each categorical column, and that behind its last."""
    if levels is None or not levels.any():
        return np.zeros((0, 2), np.int64)
    ends = np.cumsum(np.maximum(levels, 1))
    at = np.flatnonzero(levels)
    return np.ascontiguousarray(np.column_stack([ends[at] - levels[at], ends[at]]).astype(np.int64))


def _shared(cells: int, call: Callable[[int, int], None]) -> None:
    """Call it for ranges of cells, one for each thread of the driver."""
    threads = min(thread_count(), max(1, cells // MIN_CELLS_PER_THREAD))
    ends = [cells * i // threads for i in range(threads + 1)]
    run_all([partial(call, a, z) for a, z in pairwise(ends)])


def _digits(worst: Array) -> Array:
    """Decimal digits of the least certain value of each cell: 0 to 15."""
    with np.errstate(divide="ignore"):
        return np.clip(-np.log10(worst), 0.0, 15.0)
