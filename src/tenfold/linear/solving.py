"""Least squares from a summary, with an estimate of what rounding did to each coefficient.

Rounding errors are taken as independent and of the usual size. A perturbation of relative size γ in the
scaled system S u = c moves u by γ |S⁻¹| sizes; one in the triangular factor T moves it by γ |T⁻¹| sizes
and, through the residual, by γ |S⁻¹| |r|: that is what another scan for T can gain.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg as sla

from tenfold.core import Array
from tenfold.stats.moments import Moments
from tenfold.stats.rfactor import RFactor

EPS = float(np.finfo(np.float64).eps)
SURE = 4.0
"""standard deviations of rounding errors that an estimate covers"""
FACTOR = 16 * EPS
"""relative error of a column of a merged R-factor: a few roundings at each stacking"""


class Solution(NamedTuple):
    """Coefficients (the intercept last), and how wrong they may be."""

    values: Array
    error: Array
    noise: Array
    """standard error of each, from the residuals"""
    floor: Array
    """the part of the error that no further scan can mend"""
    unit: Array
    """the value that alone would explain the target: beside it, smaller ones count as zero"""
    gap: float
    """relative to ½ Σ (y - ȳ)²"""
    varies: Any
    """which columns are not constant"""
    rank: int
    """of those"""
    blown: Any = False
    """which values the condition of the system makes uncertain, not their being near zero"""

    @property
    def relative(self) -> Array:
        """Error of each value as a share of it."""
        return _shares(self.error, self.values, self.unit)

    @property
    def digits(self) -> float:
        """Decimal digits of the least certain value: 0 to 15."""
        worst = float(self.relative.max(initial=0.0))
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


def from_moments(m: Moments, alpha: float, fit_intercept: bool, given: Array | None = None) -> Solution:
    """Solve the normal equations, or judge given values (the intercept last)."""
    p = len(m.mean) - 1
    second = m.comoment
    if not fit_intercept:
        second = second + m.weight * np.outer(m.mean, m.mean)
    yy = float(second[p, p])
    varies = _varies(np.diag(second)[:p], m.mean[:p], m.weight)
    with np.errstate(invalid="ignore"):
        scale = np.where(varies, np.sqrt(np.diag(second)[:p] + alpha), np.inf)
    S = (second[:p, :p] + alpha * np.eye(p)) / np.outer(scale, scale)
    np.fill_diagonal(S, 1.0)
    c = second[:p, p] / scale
    half, rank = _inverse_half(S)
    inverse = half @ half.T
    rank -= int((~varies).sum())
    if given is None:
        u = half @ (half.T @ c)
        u = u + half @ (half.T @ (c - S @ u))
    else:
        u = np.where(varies, given[:p] * np.where(varies, scale, 0.0), 0.0)
    back = _functionals(1.0 / scale, m.mean[:p], fit_intercept)
    values = given if given is not None else _values(u / scale, m.mean, fit_intercept)

    gamma = EPS * (1.0 + np.log2(m.weight + 1.0) / 8)
    size = math.sqrt(u @ u + yy)
    rest = math.sqrt(max(yy - float(c @ u), 0.0))
    reach, spread = _norms(back @ inverse), _norms(back @ half)
    floor = _last_rounding(values, m.mean, fit_intercept)
    slip = half.T @ (c - S @ u)
    drift = np.abs(back @ (half @ slip))
    error = floor + drift + SURE * gamma * reach * size
    if rank < varies.sum():
        error = np.full(p + 1, np.inf)
        if given is None:
            whole = np.where(np.outer(varies, varies), second[:p, :p], 0.0) + alpha * np.eye(p)
            shortest = sla.lstsq(whole, np.where(varies, second[:p, p], 0.0), cond=EPS * p)[0]
            values = _values(shortest, m.mean, fit_intercept)
    gap = 0.5 * float(slip @ slip) + 0.5 * p * (gamma * size) ** 2
    return Solution(
        values, error, spread * rest / math.sqrt(max(m.weight - p - 1, 1.0)), floor,
        np.append(math.sqrt(yy) / scale, math.sqrt(yy / max(m.weight, 1.0))),
        gap / (0.5 * yy) if yy > 0 else 0.0, varies, rank, reach > 100 * _norms(back),
    )  # fmt: skip


def quick(m: Moments, alpha: float, fit_intercept: bool) -> Array | None:
    """Coefficients and intercept if the system is so well-conditioned that no digit is in doubt; else None.

    Bounds that are cheap and crude take the place of those of `from_moments`.
    """
    p = len(m.mean) - 1
    second = m.comoment if fit_intercept else m.comoment + m.weight * np.outer(m.mean, m.mean)
    diagonal, yy = np.diag(second)[:p], float(second[p, p])
    if not (p and yy > 0 and _varies(diagonal, m.mean[:p], m.weight).all()):
        return None
    scale = np.sqrt(diagonal + alpha)
    S = second[:p, :p] / scale
    S /= scale[:, None]
    S.flat[:: p + 1] = 1.0
    factor, info = sla.lapack.dpotrf(S.T, lower=1)
    if info:
        return None
    norm = float(np.abs(S).sum(axis=0).max())
    inverse = 2.0 / max(float(sla.lapack.dpocon(factor, norm, uplo="L")[0]) * norm, EPS)  # of S, about
    c = second[:p, p] / scale
    u = sla.lapack.dpotrs(factor, c, lower=1)[0]
    u = u + sla.lapack.dpotrs(factor, c - S @ u, lower=1)[0]
    gamma = EPS * (1.0 + np.log2(m.weight + 1.0) / 8)
    rest = yy - float(c @ u)
    noise = math.sqrt(max(rest, 0.0) / (max(m.weight - p - 1, 1.0) * norm))
    error = SURE * gamma * inverse * math.sqrt(u @ u + yy)
    if inverse > 50 or error > 1e-10 * noise:
        return None
    return _values(u / scale, m.mean, fit_intercept)


def from_factor(r: RFactor, alpha: float, fit_intercept: bool, given: Array | None = None) -> Solution:
    """Solve from the R-factor, correct by the exact gradient, or judge given values."""
    p = len(r.center) - 1
    first = 0 if fit_intercept else 1
    T, b = r.factor[:, first : p + 1], r.factor[:, p + 1] * r.scale[p]
    sizes = (r.factor[1 - first :, 1:-1] ** 2).sum(axis=0)
    varies = _varies(sizes * r.scale[:p] ** 2, r.center[:p], r.weight)
    if alpha:
        penalty = np.zeros((p, T.shape[1]))
        penalty[:, 1 - first :] = np.diag(math.sqrt(alpha) / r.scale[:p])
        T, b = np.vstack([T, penalty]), np.append(b, np.zeros(p))
    live = np.append(np.ones(1 - first, bool), varies)
    scale = np.where(live, np.sqrt((T**2).sum(axis=0)), np.inf)
    T = T / scale
    half, left, rank = _pseudo_inverse(T)
    inverse = half @ half.T
    per_unit = np.append(np.ones(1 - first), 1.0 / r.scale[:p]) / scale
    back = _functionals(per_unit, r.center[:p], fit_intercept)
    rank -= 1 - first

    u = half @ (left @ b)
    u = u + half @ (left @ (b - T @ u))
    constant = r.center[p] if fit_intercept else 0.0  # the target was centred by it
    length = float(np.sqrt(b @ b))
    solved = _values_at(back @ u, constant, fit_intercept)
    rest = float(np.sqrt(max(((b - T @ u) ** 2).sum(), 0.0)))
    reach, spread = _norms(back @ inverse), _norms(back @ half)
    error = SURE * FACTOR * (spread * math.sqrt(u @ u + length**2) + reach * rest)
    exact, doubt = solved, error
    unit = np.append(length * per_unit[1 - first :], length / math.sqrt(max(r.weight, 1.0)))
    blur = np.zeros(p + 1)
    if np.isfinite(r.gradient).all() and rank == varies.sum():
        at = np.append(r.coef, r.intercept)
        slope = (r.gradient + r.remainder)[first:] / scale
        slope = slope - _penalised(alpha * r.coef, per_unit, first)
        delta = half @ (half.T @ slope)
        corrected = at + back @ delta
        sizes = spread * float(np.linalg.norm(delta)) + reach * float(np.linalg.norm(T @ delta))
        delta_error = SURE * (FACTOR * sizes + EPS * _norms(back * delta))
        blur = SURE * _norms((back @ half) @ (half.T / scale) @ r.blur[:, first:].T)
        if _shares(delta_error, corrected, unit).max() < _shares(error, solved, unit).max():
            exact, doubt = corrected, delta_error
    values = exact if given is None else given
    floor = EPS * np.abs(values) + blur
    error = floor + doubt + np.abs(values - exact)
    if rank < varies.sum():
        if given is None:
            values = _shortest(r, fit_intercept, varies)
        error = np.full(p + 1, np.inf)
        floor = error
    if given is not None:
        u = np.zeros(len(live))
        u[live] = np.append(np.zeros(1 - first), given[:p])[live] / per_unit[live]
        if fit_intercept:
            u[0] = (given[p] - constant + r.center[:p] @ given[:p]) / per_unit[0]
    slip = half.T @ (T.T @ (b - T @ u))
    gap = 0.5 * float(slip @ slip) + 0.5 * p * (EPS * length) ** 2
    return Solution(
        values, error, spread * rest / math.sqrt(max(r.weight - p - 1, 1.0)), floor, unit,
        gap / (0.5 * length**2) if length > 0 else 0.0, varies, rank,
    )  # fmt: skip


def _values(coef: Array, mean: Array, fit_intercept: bool) -> Array:
    """Coefficients and intercept ȳ - x̄ᵀβ, summed exactly before it is rounded."""
    p = len(coef)
    constant = 0.0
    if fit_intercept:
        constant = math.fsum([mean[p], *(-mean[:p] * coef)])
    return np.append(coef, constant)


def _values_at(moved: Array, constant: float, fit_intercept: bool) -> Array:
    values = moved.copy()
    values[-1] = values[-1] + constant if fit_intercept else 0.0
    return values


def _functionals(per_unit: Array, center: Array, fit_intercept: bool) -> Array:
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


def _penalised(coef: Array, per_unit: Array, first: int) -> Array:
    """The gradient of the penalty, αβ, in the scaled unknowns."""
    return np.append(np.zeros(1 - first), coef) * per_unit


def _last_rounding(values: Array, mean: Array, fit_intercept: bool) -> Array:
    """Rounding of the values themselves and, for the intercept, of the means it is made from."""
    floor = EPS * np.abs(values)
    if fit_intercept:
        p = len(values) - 1
        floor[p] += 2 * EPS * math.sqrt(mean[p] ** 2 + ((mean[:p] * values[:p]) ** 2).sum())
    return floor


def _shortest(r: RFactor, fit_intercept: bool, varies: Any) -> Array:
    """The shortest of all least-squares solutions."""
    p = len(r.center) - 1
    factor = r.factor[:, 1:] * r.scale
    mean = r.center
    if fit_intercept:
        mean = r.center + factor[0] / r.factor[0, 0]
        factor = factor[1:]
    else:
        factor = factor + np.outer(r.factor[:, 0], r.center)
    X = np.where(varies, factor[:, :p], 0.0)
    coef = sla.lstsq(X, factor[:, p], cond=EPS * max(X.shape))[0]
    return _values(coef, mean, fit_intercept)


def _shares(error: Array, values: Array, unit: Array) -> Array:
    """Each error as a share of its value, or of a value too small to matter."""
    size = np.maximum(np.abs(values), 1e-10 * unit)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(error == 0, 0.0, error / size)


def _norms(rows: Array) -> Array:
    return np.asarray(np.sqrt((rows**2).sum(axis=1)))


def _varies(square: Array, mean: Array, weight: float) -> Any:
    """Which columns are more than a constant and its rounding."""
    return square > weight * (4 * EPS * mean) ** 2


def _inverse_half(S: Array) -> tuple[Array, int]:
    """H with HHᵀ the inverse of a Gram matrix, or its pseudo-inverse, and the rank."""
    values, vectors = sla.eigh(S)
    keep = values > EPS * len(S) * values[-1:].max(initial=0.0)
    return vectors[:, keep] / np.sqrt(values[keep]), int(keep.sum())


def _pseudo_inverse(T: Array) -> tuple[Array, Array, int]:
    """H and L with HHᵀ = (TᵀT)⁺ and HL = T⁺, and the rank."""
    left, values, right = sla.svd(T, full_matrices=False)
    keep = values > EPS * max(T.shape) * values[:1].max(initial=0.0)
    return right[keep].T / values[keep], left[:, keep].T, int(keep.sum())
