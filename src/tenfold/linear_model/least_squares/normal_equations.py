"""Least squares from moments, with an estimate of what rounding did to each coefficient.

Rounding errors are taken as independent and of the usual size. A perturbation of relative size γ in the
scaled system S u = c moves u by γ |S⁻¹| sizes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg as sla

from tenfold.compiled.linear_model.normal_equations import (
    CONDITION,
    FACTS,
    GAP,
    KNOWN,
    LOST,
    RANK,
    RSS,
    TSS,
    solve_or_score,
)
from tenfold.compiled.linear_model.solving import solve_well
from tenfold.compiled.precision.exact_sums import constants_of
from tenfold.core import Array, DataError, Flags
from tenfold.stats.fold_summaries import FoldMoments
from tenfold.stats.moments.moments import Moments, refuse_infinite, refuse_small

EPS = float(np.finfo(np.float64).eps)
MIN_ACCURATE_SQUARE = 1e-290
"""squares below have lost digits"""
SMALLEST_SUBNORMAL = 5e-324
"""the step between numbers that are next to zero"""
ERROR_DEVIATIONS = 4.0
"""standard deviations of rounding errors that an estimate covers"""


class Solution(NamedTuple):
    """Coefficients (the intercept last), and how wrong they may be."""

    values: Array
    error: Array
    noise: Array
    """standard error of each, from the residuals"""
    floor: Array
    """the part of the error that no further scan can correct"""
    unit: Array
    """the value that alone would explain the target: beside it, smaller ones count as zero"""
    gap: float
    """relative to ½ Σ (y - ȳ)²"""
    varies: Flags
    """which columns are not constant"""
    rank: int
    """of those"""
    root: Array
    """R with RRᵀ the inverse of the penalised normal matrix of the level at `center` and the coefficients"""
    center: Array
    rss: float
    """Σ w (y - xᵀβ - β₀)²"""
    tss: float
    """Σ w (y - ȳ)²; without an intercept, Σ w y²"""
    blown: Flags | bool = False
    """which values the condition of the system makes uncertain, not their being near zero"""
    lost: bool = False
    """whether a column, or the target, is too small to be squared"""
    rest: Array | None = None
    """what the values lack to twice the precision, if they were found in it"""
    condition: float = math.inf
    """of the penalised normal matrix, each column in its own unit"""

    @property
    def relative(self) -> Array:
        """Error of each value as a share of it."""
        return shares(self.error, self.values, self.unit)

    @property
    def digits(self) -> float:
        """Decimal digits of the least certain value: 0 to 15."""
        worst = np.inf if self.lost else float(self.relative.max(initial=0.0))
        return min(max(-math.log10(worst), 0.0), 15.0) if 0 < worst < np.inf else 15.0 * (worst == 0)

    @property
    def wants_factor(self) -> bool:
        """Whether moments lose digits that an R-factor would keep and the noise does not hide."""
        seen = (self.relative > 1e-11) & (self.error > 1e-10 * self.noise)
        return bool((seen | ((self.relative > 1e-8) & self.blown)).any())

    @property
    def wants_round(self) -> bool:
        """Whether another scan at these coefficients would sharpen them."""
        return bool(((self.relative > 1e-13) & (self.error > 2 * self.floor)).any())


def from_moments(
    m: Moments, alpha: float, fit_intercept: bool, given: Array | None = None, least: float = EPS
) -> Solution:
    """Solve the normal equations, or score given values (the intercept last).

    Eigenvalues up to `least` for each column, beside the largest, count as zero.
    """
    p = len(m.mean) - 1
    second, mean = np.ascontiguousarray(_second(m, fit_intercept)), np.ascontiguousarray(m.mean)
    refuse_infinite(np.diag(second))
    if given is None:
        refuse_small(np.diag(second)[:p], math.sqrt(m.weight) * mean[:p], alpha)
    values = np.empty(p + 1) if given is None else np.array(given, dtype=float)
    error, noise, floor, unit = (np.empty(p + 1) for _ in range(4))
    blown, varies, half, facts = np.empty(p + 1, bool), np.empty(p, bool), np.empty((p, p)), np.empty(FACTS)
    fine = solve_or_score(
        second, mean, float(m.weight), float(gamma_of(m.weight)), float(alpha), fit_intercept, float(least),
        given is not None, True, values, error, noise, floor, unit, blown, varies, half, facts,
    )  # fmt: skip
    if not fine:
        raise DataError("products of columns are too large to be summed. Remedy: rescale the columns")
    level = 1 / math.sqrt(m.weight) if fit_intercept and m.weight else 0.0
    root = sla.block_diag([[level]], half[:, : int(facts[KNOWN])])
    return Solution(
        values, error, noise, floor, unit, float(facts[GAP]), varies, int(facts[RANK]), root, mean[:p] * fit_intercept,
        float(facts[RSS]), float(facts[TSS]), blown, bool(facts[LOST]), condition=float(facts[CONDITION]),
    )  # fmt: skip


def gamma_of(weight: Array | float) -> Any:
    """The relative rounding of sums over so many rows: each level of the merge tree rounds a sum once more."""
    return EPS * (1.0 + np.log2(weight + 1.0) / 8)


def quick(m: Moments, alpha: float, fit_intercept: bool) -> Array | None:
    """Coefficients and intercept if the system is so well-conditioned that no digit is in doubt; else None.

    Bounds that are cheap and crude take the place of those of `from_moments`.
    """
    second, mean = np.ascontiguousarray(_second(m, fit_intercept)), np.ascontiguousarray(m.mean)
    coef, sure = _quick(second[None], mean[None], np.array([m.weight], float), np.array([alpha], float))
    return values_of(coef[0, 0], m.mean, fit_intercept) if sure[0, 0] else None


def quick_each(m: FoldMoments, alphas: Array, fit_intercept: bool) -> tuple[Array, Flags]:
    """Solutions of each fold with each penalty, and which of them are accurate to all digits."""
    p = m.mean.shape[1] - 1
    coef, sure = _quick(_second(m, fit_intercept), m.mean, m.weight, alphas)
    values = np.zeros((*sure.shape, p + 1))
    values[..., :p] = coef
    if fit_intercept:
        values[..., p] = constants(m.mean, coef)
    return values, sure


def _quick(second: Array, mean: Array, weight: Array, alphas: Array) -> tuple[Array, Flags]:
    """Coefficients of some systems with some penalties, and of which no digit is in doubt."""
    many = (len(second), len(alphas))
    coef, sure = np.empty((*many, mean.shape[1] - 1)), np.empty(many, bool)
    solve_well(second, mean, weight, gamma_of(weight), math.sqrt(MIN_ACCURATE_SQUARE), alphas, coef, sure)
    return coef, sure


def _second(m: Moments | FoldMoments, fit_intercept: bool) -> Array:
    """Squares and products around the means; around zero, if there is no intercept."""
    if fit_intercept:
        return m.comoment
    weight = np.asarray(m.weight)[..., None, None]
    with np.errstate(over="ignore", invalid="ignore"):
        second = m.comoment + weight * (m.mean[..., :, None] * m.mean[..., None, :])
    refuse_infinite(np.diagonal(second, axis1=-2, axis2=-1))
    return second


def values_of(coef: Array, mean: Array, fit_intercept: bool) -> Array:
    """Coefficients and intercept ȳ - x̄ᵀβ, summed exactly before it is rounded."""
    return np.append(coef, constant(mean, coef) if fit_intercept else 0.0)


def constant(mean: Array, coef: Array) -> float:
    """The intercept ȳ - x̄ᵀβ."""
    # fsum rounds once, whatever the order: the terms may cancel, and the order of a BLAS product depends on its size
    return math.fsum([float(mean[-1]), *(-mean[:-1] * coef).tolist()])


def constants(mean: Array, coef: Array) -> Array:
    """The intercepts of each fold and each of its models, summed as `constant` does."""
    out = np.empty(coef.shape[:2])
    constants_of(np.ascontiguousarray(mean), np.ascontiguousarray(coef), out)
    return out


def functionals(per_unit: Array, center: Array, fit_intercept: bool) -> Array:
    """The matrix that takes scaled unknowns to coefficients and intercept.

    `per_unit` has an entry for the constant first, if the unknowns have one.
    """
    p, q = len(center), len(per_unit)
    back = np.zeros((p + 1, q))
    back[:p, q - p :] = np.diag(per_unit[q - p :])
    if fit_intercept:
        back[p, q - p :] = -center * per_unit[q - p :]
        if q > p:
            back[p, 0] = per_unit[0]
    return back


def shares(error: Array, values: Array, unit: Array) -> Array:
    """Each error as a share of its value, or of a value too small to matter."""
    size = np.maximum(np.abs(values), 1e-10 * unit)
    error = np.maximum(error, np.where(values, SMALLEST_SUBNORMAL, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error == 0, 0.0, error / size)


def norms(rows: Array) -> Array:
    """The length of each row, in a unit that is a power of two, so that no square leaves the range of float64."""
    unit = np.ldexp(1.0, np.frexp(np.abs(rows).max(axis=1, initial=0.0))[1])  # dividing by it rounds nothing
    with np.errstate(over="ignore"):  # beside infinity, whose row is infinitely long
        return np.asarray(np.sqrt(((rows / unit[:, None]) ** 2).sum(axis=1)) * unit)


def varying(square: Array, size: Array, weight: float) -> Flags:
    """Which columns are more than a constant and its rounding, and can be squared without losing digits.

    `square` has their sums of squares around the mean, `size` how large values are, `weight` how many there are.
    """
    rounding = math.sqrt(weight) * 4 * EPS * np.abs(size)
    return np.asarray(np.sqrt(np.maximum(square, 0.0)) > np.maximum(rounding, math.sqrt(MIN_ACCURATE_SQUARE)))


def too_small(square: Array, mean: Array, weight: float) -> bool:
    """Whether a column has values other than zero, but so small that their squares are zero or lose digits."""
    size = _sizes(square, mean, weight)
    return bool(((size > 0) & (size < math.sqrt(MIN_ACCURATE_SQUARE))).any())


def too_small_beside(square: Array, mean: Array, weight: float) -> bool:
    """Whether a column, or the product of one with the target, is so small that digits are lost; the target is last."""
    size = _sizes(square, mean, weight)
    with np.errstate(over="ignore"):  # of constant columns
        lost = (size[:-1] > 0) & (size[:-1] * size[-1] < MIN_ACCURATE_SQUARE) & (size[-1] > 0)
    return too_small(square[:-1], mean[:-1], weight) or bool(lost.any())


def _sizes(square: Array, mean: Array, weight: float) -> Array:
    """Length of each column, about zero or about its mean, whichever is more."""
    return np.maximum(np.sqrt(np.maximum(square, 0.0)), math.sqrt(weight) * np.abs(mean))


def condition_of(half: Array, columns: int) -> float:
    """The condition number of a Gram matrix, from its eigenvectors over the roots of their values."""
    if half.shape[1] < columns or not columns:
        return math.inf if columns else 1.0
    each = (half**2).sum(axis=0)
    return float(each.max() / each.min())
