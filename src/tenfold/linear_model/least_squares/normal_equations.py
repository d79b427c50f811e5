"""Least squares from moments, with an estimate of what rounding did to each coefficient.

Rounding errors are taken as independent and of the usual size. A perturbation of relative size γ in the
scaled system S u = c moves u by γ |S⁻¹| sizes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy.linalg as sla

from tenfold.compiled.linear_model.solving import solve_well
from tenfold.core import Array, Flags
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
    second = _second(m, fit_intercept)
    if given is None:
        refuse_small(np.diag(second)[:p], math.sqrt(m.weight) * m.mean[:p], alpha)
    yy = max(float(second[p, p]), 0.0)  # of a constant target it may be a rounding error
    varies = varying(np.diag(second)[:p], m.mean[:p], m.weight)
    square = np.maximum(np.diag(second)[:p], 0.0)
    scale = np.where(varies, np.sqrt(square + alpha), np.inf)
    # Columns in units of their own length: the condition number of S is then within a factor of p of the least that any
    # scaling gives (van der Sluis), and bounds on rounding do not depend on the units of the user's columns.
    S = (second[:p, :p] + alpha * np.eye(p)) / np.outer(scale, scale)
    np.fill_diagonal(S, 1.0)
    c = second[:p, p] / scale
    half, rank = _inverse_half(S, least)
    inverse = half @ half.T
    condition = condition_of(half, len(S))
    rank -= int((~varies).sum())
    if given is None:
        u = half @ (half.T @ c)
        u = u + half @ (half.T @ (c - S @ u))  # one step of refinement: what the eigenvectors lost to rounding
    else:
        u = np.where(varies, given[:p] * np.where(varies, scale, 0.0), 0.0)
    back = functionals(1.0 / scale, m.mean[:p], fit_intercept)
    values = given if given is not None else values_of(u / scale, m.mean, fit_intercept)

    gamma = EPS * (1.0 + np.log2(m.weight + 1.0) / 8)  # each level of the merge tree rounds a sum once more
    size = math.sqrt(u @ u + yy)
    rest = math.sqrt(max(yy - float(c @ u), 0.0))
    own = np.where(varies, np.sqrt(square), 0.0) / scale  # beside the penalty, a column may be nothing
    reach, spread = norms(back @ inverse), norms(back @ half)
    floor = _last_rounding(values, m.mean, fit_intercept)
    slip = half.T @ (c - S @ u)
    drift = np.abs(back @ (half @ slip))
    stir = norms((back @ inverse) * own) * math.sqrt(float((own * u) @ (own * u)) + yy)  # rounding is of the columns
    error = floor + drift + ERROR_DEVIATIONS * gamma * stir
    half = half / scale[:, None]
    if rank < varies.sum():
        error = np.full(p + 1, np.inf)
        whole = np.where(np.outer(varies, varies), second[:p, :p], 0.0) + alpha * np.eye(p)
        half = _inverse_half(whole, least)[0]
        if given is None:
            shortest = sla.lstsq(whole, np.where(varies, second[:p, p], 0.0), cond=least * p)[0]
            values = values_of(shortest, m.mean, fit_intercept)
    root = sla.block_diag([[1 / math.sqrt(m.weight) if fit_intercept and m.weight else 0.0]], half)
    along = np.append(-values[:p], 1.0)
    gap = 0.5 * float(slip @ slip) + 0.5 * float(np.trace(inverse)) * (ERROR_DEVIATIONS * gamma * size) ** 2
    gap += 0.5 * m.weight * float(floor[p] ** 2) * fit_intercept
    return Solution(
        values, error, spread * rest / math.sqrt(max(m.weight - p - 1, 1.0)), floor,
        np.append(math.sqrt(yy) * own / scale, math.sqrt(yy / max(m.weight, 1.0))),
        gap / (0.5 * yy) if yy > 0 else 0.0, varies, rank, root, m.mean[:p] * fit_intercept,
        max(float(along @ second @ along), 0.0), yy, reach > 100 * norms(back),
        too_small_beside(np.diag(second), m.mean, m.weight), condition=condition,
    )  # fmt: skip


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
    gamma = EPS * (1.0 + np.log2(weight + 1.0) / 8)
    solve_well(second, mean, weight, gamma, math.sqrt(MIN_ACCURATE_SQUARE), alphas, coef, sure)
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
    """The intercepts of each fold and each of its models."""
    terms = np.empty((*coef.shape[:2], mean.shape[1]))
    terms[..., 0] = mean[:, -1:]
    np.multiply(-mean[:, None, :-1], coef, out=terms[..., 1:])
    return np.array([[math.fsum(one) for one in some] for some in terms.tolist()])


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


def _last_rounding(values: Array, mean: Array, fit_intercept: bool) -> Array:
    """Rounding of the values themselves and, for the intercept, of the means it is made from."""
    floor = EPS * np.abs(values)
    if fit_intercept:
        p = len(values) - 1
        floor[p] += 2 * EPS * math.sqrt(mean[p] ** 2 + ((mean[:p] * values[:p]) ** 2).sum())
    return floor


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


def _inverse_half(S: Array, least: float = EPS) -> tuple[Array, int]:
    """H with HHᵀ the inverse of a Gram matrix, or its pseudo-inverse, and the rank."""
    values, vectors = sla.eigh(S)
    keep = values > least * len(S) * values[-1:].max(initial=0.0)
    return vectors[:, keep] / np.sqrt(values[keep]), int(keep.sum())
