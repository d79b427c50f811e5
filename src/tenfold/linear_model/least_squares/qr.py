"""Least squares from a triangular factor, corrected by the exact gradient.

A perturbation of relative size γ in the factor T moves the scaled unknowns by γ |T⁻¹| sizes and, through the residual,
by γ |S⁻¹| |r|, where the normal equations would by γ |S⁻¹| sizes: that is what another scan for T can gain.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg as sla

from tenfold.core import Array, Flags
from tenfold.linear_model.least_squares.normal_equations import (
    EPS,
    ERROR_DEVIATIONS,
    Solution,
    condition_of,
    from_moments,
    functionals,
    norms,
    shares,
    too_small,
    values_of,
    varying,
)
from tenfold.stats.moments.rfactor import RFactor

RFACTOR_ERROR = 16 * EPS
"""relative error of a column of a merged R-factor: a few roundings at each stacking"""


def from_factor(r: RFactor, alpha: float, fit_intercept: bool, given: Array | None = None) -> Solution:
    """Solve from the R-factor, correct by the exact gradient, or score given values."""
    p = len(r.center) - 1
    first = 0 if fit_intercept else 1
    T, b = r.factor[:, first : p + 1], r.factor[:, p + 1] * r.scale[p]
    sizes = (r.factor[1 - first :, 1:-1] ** 2).sum(axis=0)
    varies = varying(sizes * r.scale[:p] ** 2, r.center[:p], r.weight)
    if alpha:
        penalty = np.zeros((p, T.shape[1]))
        penalty[:, 1 - first :] = np.diag(math.sqrt(alpha) / r.scale[:p])
        T, b = np.vstack([T, penalty]), np.append(b, np.zeros(p))
    live = np.append(np.ones(1 - first, bool), varies)
    with np.errstate(over="ignore"):  # of a penalty beside a column that is nothing
        scale = np.where(live, np.sqrt((T**2).sum(axis=0)), np.inf)
    T = T / scale
    half, left, rank = _pseudo_inverse(T)
    inverse = half @ half.T
    per_unit = np.append(np.ones(1 - first), 1.0 / r.scale[:p]) / scale
    back = functionals(per_unit, r.center[:p], fit_intercept)
    rank -= 1 - first

    u = half @ (left @ b)
    u = u + half @ (left @ (b - T @ u))  # one step of refinement
    constant = r.center[p] if fit_intercept else 0.0  # the target was centred by it
    length = float(np.sqrt(b @ b))
    solved = _values_at(back @ u, constant, fit_intercept)
    rest = float(np.sqrt(max(((b - T @ u) ** 2).sum(), 0.0)))
    reach, spread = norms(back @ inverse), norms(back @ half)
    error = ERROR_DEVIATIONS * RFACTOR_ERROR * (spread * math.sqrt(u @ u + length**2) + reach * rest)
    exact, doubt = solved, error
    own = np.sqrt(sizes) / scale[1 - first :]  # beside the penalty, a column may be nothing
    unit = np.append(length * own * per_unit[1 - first :], length / math.sqrt(max(r.weight, 1.0)))
    blur = np.zeros(p + 1)
    if np.isfinite(r.gradient).all() and rank == varies.sum():
        at = np.append(r.coef, r.intercept)
        slope = (r.gradient + r.remainder)[first:] / scale
        slope = slope - _penalised(alpha * r.coef, per_unit, first)
        # One Newton step with the gradient of the rows themselves: its error is that of a small correction, not of the
        # solution, as in the corrected seminormal equations (Björck).
        delta = half @ (half.T @ slope)
        corrected = at + back @ delta
        moves = spread * float(np.linalg.norm(delta)) + reach * float(np.linalg.norm(T @ delta))
        delta_error = ERROR_DEVIATIONS * (RFACTOR_ERROR * moves + EPS * norms(back * delta))
        blur = ERROR_DEVIATIONS * norms((back @ half) @ (half.T / scale) @ r.blur[:, first:].T)
        if shares(delta_error, corrected, unit).max() < shares(error, solved, unit).max():
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
    level = math.fsum([values[p], -r.center[p], *(r.center[:p] * values[:p])]) if fit_intercept else 0.0
    left_over = r.factor @ np.concatenate([[-level], -values[:p] * r.scale[:p], r.scale[p:]])
    spread_y = r.factor[1 - first :, -1] * r.scale[p]
    root = np.roll(functionals(per_unit, np.zeros(p), fit_intercept) @ half, 1, axis=0)
    if rank < varies.sum():
        root = from_moments(r.moments(), alpha, fit_intercept, values).root
    return Solution(
        values, error, spread * rest / math.sqrt(max(r.weight - p - 1, 1.0)), floor, unit,
        gap / (0.5 * length**2) if length > 0 else 0.0, varies, rank, root, r.center[:p],
        float(left_over @ left_over), float(spread_y @ spread_y),
        lost=too_small(sizes * r.scale[:p] ** 2, r.center[:p], r.weight), condition=condition_of(half, len(half)),
    )  # fmt: skip


def _values_at(moved: Array, constant: float, fit_intercept: bool) -> Array:
    values = moved.copy()
    values[-1] = values[-1] + constant if fit_intercept else 0.0
    return values


def _penalised(coef: Array, per_unit: Array, first: int) -> Array:
    """The gradient of the penalty, αβ, in the scaled unknowns."""
    return np.append(np.zeros(1 - first), coef) * per_unit


def _shortest(r: RFactor, fit_intercept: bool, varies: Flags) -> Array:
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
    return values_of(coef, mean, fit_intercept)


def _pseudo_inverse(T: Array) -> tuple[Array, Array, int]:
    """H and L with HHᵀ = (TᵀT)⁺ and HL = T⁺, and the rank."""
    left, values, right = sla.svd(T, full_matrices=False)
    keep = values > EPS * max(T.shape) * values[:1].max(initial=0.0)
    return right[keep].T / values[keep], left[:, keep].T, int(keep.sum())
