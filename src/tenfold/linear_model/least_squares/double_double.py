"""Least squares from moments in double-double: the whole way from the rows to the coefficients has 32 digits.

What is solved for is the correction of the coefficients at which the moments were taken. So the error is what
rounding in double-double does to the correction, and what rounding to float64 did to the data before.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg as sla

from tenfold.compiled.precision.double import cholesky, solve
from tenfold.core import Array
from tenfold.linear_model.least_squares.normal_equations import (
    EPS,
    ERROR_DEVIATIONS,
    Solution,
    from_moments,
    norms,
    too_small_beside,
    varying,
)
from tenfold.stats.moments.double import Double
from tenfold.stats.moments.double_moments import DoubleMoments
from tenfold.stats.moments.moments import refuse_infinite, refuse_small

DOUBLE_DOUBLE_EPS = 2.0**-104
"""relative rounding error of double-double"""
MIN_COLUMN_SHARE = (16 * EPS) ** 2
"""a column whose share beside the others is smaller is there by rounding alone"""


def from_double(m: DoubleMoments, alpha: float, fit_intercept: bool, given: Array | None = None) -> Solution:
    """Solve, or score given values (the intercept last)."""
    p = len(m.center)
    weight = Double(m.weight, m.weight_rest)
    mean = Double(m.mean, m.mean_rest)
    second, start = m.second(), Double(m.coef, m.coef_rest)
    if not fit_intercept:
        with np.errstate(over="ignore", invalid="ignore"):
            second = second + mean.outer(mean) * weight
        refuse_infinite(np.diag(second.high))
    if given is None:
        refuse_small(np.diag(second.high)[:p], math.sqrt(m.weight) * m.mean[:p], alpha)
    A = second.at(np.s_[:p, :p]) + Double.of(alpha * np.eye(p))
    penalty = start.at(np.s_[1:]) * Double.of(np.full(p, alpha))
    c = second.at(np.s_[:p, p]) - penalty
    square = np.diag(A.high)
    varies = varying(np.diag(second.high)[:p], m.mean[:p], m.weight)
    # powers of two near the length of each column: scaling by them is exact, and does what scaling by lengths would
    size = np.where(varies, np.exp2(-np.round(np.log2(np.where(varies, square, 1.0)) / 2)), 0.0)
    S = A.scaled(np.outer(size, size))
    S.high[~varies, ~varies] = 1.0
    c = c.scaled(size)
    factor, factor_rest, rank = cholesky(*S, MIN_COLUMN_SHARE)
    if rank < p:
        rounded = from_moments(m.moments(), alpha, fit_intercept, given, least=16 * EPS)
        unknown = np.full(p + 1, np.inf)
        return rounded._replace(error=unknown, floor=unknown, rest=np.zeros(p + 1))
    u = _solved(factor, factor_rest, c)
    u = u + _solved(factor, factor_rest, c - _times(S, u))  # refinement: the residual is computed in double-double too
    inverse = Double(*solve(factor, factor_rest, *Double.of(np.eye(p))))
    delta = u.scaled(size)
    exact = _with_level(start, delta, mean, fit_intercept)
    values = np.roll(exact.rounded(), -1) if given is None else given
    if not fit_intercept:
        values = np.append(values[:p], 0.0)

    back = np.zeros((p + 1, p + 1))  # from level and scaled coefficients to coefficients and intercept
    back[:p, 1:] = np.diag(size)
    if fit_intercept:
        back[p] = np.append(1.0, -m.mean[:p] * size)
    level = 1 / m.weight if fit_intercept and m.weight else 0.0
    root = sla.block_diag([[math.sqrt(level)]], size[:, None] * (inverse @ Double(factor, factor_rest)).high)
    root[1:, 1:][~varies] = 0.0
    center = m.mean[:p] * fit_intercept
    spread = np.vstack([root[1:], root[0] - center @ root[1:]])
    shake = ERROR_DEVIATIONS * norms(spread @ (root.T @ m.around(center).blur.T))
    gamma = DOUBLE_DOUBLE_EPS * (1.0 + np.log2(m.weight + 1.0) / 8)
    rest = max(float(second.high[p, p]), 0.0)
    length = math.sqrt(float(u.high @ u.high) + rest)
    reach = norms(back[:, 1:] @ inverse.high)
    doubt = ERROR_DEVIATIONS * gamma * (reach * length + norms(back) * math.sqrt(rest))
    floor = EPS * np.abs(values) + shake
    error = floor + doubt + np.abs(values - np.roll(exact.rounded(), -1))
    if not fit_intercept:
        error[p] = 0.0
    slip = Double.of(values[:p]) - exact.at(np.s_[1:])
    slip = Double(np.where(varies, slip.high / np.where(varies, size, 1.0), 0.0), np.zeros(p))
    gap = 0.5 * float(slip.high @ S.high @ slip.high) + 0.5 * p * (gamma * length) ** 2
    rss = max(_quadratic(second, delta), 0.0)
    tss = max(_quadratic(second, -start.at(np.s_[1:])), rss)  # it may have lost all its digits
    own = np.sqrt(np.maximum(np.diag(second.high)[:p], 0.0)) * size  # beside the penalty, a column may be nothing
    return Solution(
        values, error, norms(spread) * math.sqrt(rss / max(m.weight - p - 1, 1.0)), floor,
        np.append(math.sqrt(tss) * own * size, math.sqrt(tss / max(m.weight, 1.0))),
        gap / (0.5 * tss) if tss > 0 else 0.0, varies, int(varies.sum()), root, center, rss, tss,
        lost=too_small_beside(np.diag(second.high), m.mean, m.weight), rest=np.roll(exact.low, -1),
        condition=float(np.linalg.norm(S.high, 2) * np.linalg.norm(inverse.high, 2)) if p else 1.0,
    )  # fmt: skip


def another_round(m: DoubleMoments, found: Solution) -> bool:
    """Whether moments at these coefficients would be more accurate: always, if none were taken yet."""
    return (not m.coef.any() and bool(found.values.any())) or found.wants_round


def _solved(factor: Array, rest: Array, b: Double) -> Double:
    x, low = solve(factor, rest, b.high[:, None], b.low[:, None])
    return Double(x[:, 0], low[:, 0])


def _times(S: Double, u: Double) -> Double:
    found = S @ Double(u.high[:, None], u.low[:, None])
    return Double(found.high[:, 0], found.low[:, 0])


def _with_level(start: Double, delta: Double, mean: Double, fit_intercept: bool) -> Double:
    """Intercept and coefficients: where they began, corrected."""
    p = len(delta.high)
    coef = start.at(np.s_[1:]) + delta
    level = Double.of(0.0)
    if fit_intercept:
        level = start.at(0) + mean.at(p)
        for j in range(p):
            level = level - mean.at(j) * delta.at(j)
    return Double(np.append(level.high, coef.high), np.append(level.low, coef.low))


def _quadratic(second: Double, delta: Double) -> float:
    """Σ w (r - xᵀδ)², around its mean if there is an intercept."""
    along = Double(np.append(-delta.high, 1.0), np.append(-delta.low, 0.0))
    left = _times(second, along)
    return float((Double(along.high[None], along.low[None]) @ Double(left.high[:, None], left.low[:, None])).high[0, 0])
