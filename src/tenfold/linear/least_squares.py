"""Least squares from merged moments, or from merged R-factors where moments lose digits.

Minimise ½ Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + ½ α |β|². The normal equations A β = b come from the centred
co-moments; the penalty enters here, never in the summary. A perturbation bound for each coefficient says
how many digits hold. If rounding could be seen beside the noise of the data, one more scan is asked
for, whose summary is the triangular factor of the design.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import scipy.linalg as sla

from tenfold.core import ONE, Array, Ask, Chunk, Claim, Columns, Need, Schema
from tenfold.estimator import Regressor
from tenfold.stats.moments import Moments
from tenfold.stats.rfactor import RFactor

EPS = float(np.finfo(np.float64).eps)


class LinearState(NamedTuple):
    """A linear model, and where to centre and scale if its summary is to be an R-factor."""

    step: int
    phase: str
    coef: Annotated[Array, "column"]
    intercept: float
    center: Annotated[Array, "joint"]
    scale: Annotated[Array, "joint"]


class Solution(NamedTuple):
    """Coefficients with first-order bounds on what rounding did to them."""

    coef: Array
    intercept: float
    coef_error: Array
    intercept_error: float
    noise: Array
    """standard error of each coefficient, from the residuals"""
    gap: float
    """relative to ½ Σ (y - ȳ)²"""
    varies: Any
    """which columns are not constant"""
    rank: int
    """of those"""


class LeastSquares(Regressor):
    """What LinearRegression and Ridge share; `alpha` and `fit_intercept` are theirs."""

    passes = ONE
    need = Need("numeric", sparse=True, target="number")
    state_type = LinearState
    summary_types = (Moments, RFactor)

    alpha: float
    fit_intercept: bool

    def start(self, schema: Schema) -> LinearState:
        """Zero coefficients."""
        p = len(schema.columns)
        return LinearState(0, "moments", np.zeros(p), 0.0, np.zeros(p + 1), np.ones(p + 1))

    def ask(self, state: LinearState) -> Ask | None:
        """Moments, then an R-factor if they are not enough."""
        return None if state.step else Ask(state.phase)

    def summarize(self, state: LinearState, chunk: Chunk) -> Moments | RFactor:
        """The moments or the R-factor of the columns and the target."""
        if state.phase == "moments":
            return Moments.of(chunk)
        return RFactor.of(chunk, state.center, state.scale)

    def update(self, state: LinearState, summary: Any) -> LinearState:
        """Solve; go on to R-factors if rounding could be seen beside the noise."""
        found = self._solve(summary)
        state = state._replace(coef=found.coef, intercept=found.intercept)
        if state.phase == "moments" and isinstance(summary, Moments) and not _enough(found):
            spread = np.sqrt(np.diag(summary.comoment))
            center = summary.mean if self.fit_intercept else np.zeros_like(summary.mean)
            if not self.fit_intercept:
                spread = np.sqrt(spread**2 + summary.weight * summary.mean**2)
            return state._replace(phase="rfactor", center=center, scale=np.where(spread, spread, 1.0))
        return state._replace(step=1)

    def certify(self, state: LinearState, summary: Any) -> tuple[Claim, ...] | None:
        """How near to the optimum, how many digits hold, and whether columns repeat each other."""
        if not state.coef.any() and not state.step:
            return None
        found = self._solve(summary, state)
        how = "moments" if isinstance(summary, Moments) else "R-factors"
        digits = _digits(found)
        claims = [
            Claim(
                "gap",
                found.gap,
                "estimated",
                f"residual of the normal equations ({how}), as a share of the sum of squares of y",
                "objective",
                "rounding errors of the usual size",
            ),
            Claim(
                "digits",
                digits,
                "estimated",
                f"perturbation bound of the least certain coefficient, from merged {how}"
                + ("" if state.step else "; another scan would give more"),
                "arithmetic",
                "the numbers given are exact; rounding errors of the usual size",
            ),
        ]
        varying = int(found.varies.sum())
        if varying < len(state.coef):
            why = "these columns never change beside the intercept; their coefficient is 0"
            still = len(state.coef) - varying
            claims.append(Claim("constant columns", float(still), "proved", why, "data"))
        if found.rank < varying:
            why = (
                f"only {found.rank} of {varying} columns tell something the others do not; of all "
                "solutions the shortest is given"
            )
            claims.append(Claim("rank", float(found.rank), "estimated", why, "data"))
        return tuple(claims)

    def predict_from(self, state: LinearState, X: Columns) -> Array:
        """Xβ + β₀."""
        return X @ state.coef + state.intercept

    def _solve(self, summary: Any, state: LinearState | None = None) -> Solution:
        """Solve, or (given a state) judge the coefficients it has."""
        if isinstance(summary, Moments):
            return _from_moments(summary, self.alpha, self.fit_intercept, state)
        return _from_factor(summary, self.alpha, self.fit_intercept, state)


def _digits(found: Solution) -> float:
    """Decimal digits of the least certain coefficient: 0 to 15."""
    values = np.append(found.coef, found.intercept)
    errors = np.append(found.coef_error, found.intercept_error)
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(errors == 0, 0.0, errors / np.abs(values)).max()
        return float(np.clip(-np.log10(relative), 0.0, 15.0)) if relative < np.inf else 0.0


def _enough(found: Solution) -> bool:
    """Whether rounding errors are small beside each coefficient, or lost in its noise."""
    allowed = np.maximum(1e-11 * np.abs(found.coef), 1e-9 * found.noise)
    return bool((found.coef_error <= allowed).all())


def _from_moments(
    m: Moments, alpha: float, fit_intercept: bool, state: LinearState | None
) -> Solution:
    p = len(m.mean) - 1
    second = m.comoment
    if not fit_intercept:
        second = second + m.weight * np.outer(m.mean, m.mean)
    A, b, yy = second[:p, :p] + alpha * np.eye(p), second[:p, p], float(second[p, p])
    varies = _varies(np.diag(second)[:p], m.mean[:p], m.weight)
    scale = np.where(varies, np.sqrt(np.diag(A)), np.inf)
    S, c, length = A / np.outer(scale, scale), b / scale, np.sqrt(yy)
    np.fill_diagonal(S, 1.0)
    inverse, rank = _inverse(S)
    rank -= int((~varies).sum())
    u = inverse @ c if state is None else np.where(varies, state.coef * scale, 0.0)
    if state is None:
        u = u + inverse @ (c - S @ u)
    gamma = EPS * (4 + np.log2(m.weight + 1))
    slip = np.abs(c - S @ u) + gamma * (np.abs(u).sum() + length)
    error = np.abs(inverse) @ slip if rank == varies.sum() else np.full(p, np.inf)
    rss = max(yy - float(c @ u), 0.0)
    noise = np.sqrt(np.diag(inverse) * rss / max(m.weight - p - 1, 1.0))
    gap = 0.5 * slip @ np.abs(inverse) @ slip
    return _finish(u, scale, error, noise, gap, yy, rank, varies, m.mean, fit_intercept, state)


def _from_factor(
    r: RFactor, alpha: float, fit_intercept: bool, state: LinearState | None
) -> Solution:
    p = len(r.center) - 1
    factor = r.factor[:, 1:] * r.scale
    if fit_intercept:
        mean = r.center + factor[0] / r.factor[0, 0]
        factor = factor[1:]
    else:
        mean = r.center
    T, b = factor[:, :p], factor[:, p]
    if alpha:
        T = np.vstack([T, np.sqrt(alpha) * np.eye(p)])
        b = np.append(b, np.zeros(p))
    sizes = np.sqrt((factor[:, :p] ** 2).sum(axis=0))
    varies = _varies(sizes**2, mean[:p], r.weight)
    scale = np.where(varies, np.sqrt((T**2).sum(axis=0)), np.inf)
    length = float(np.sqrt((b**2).sum()))
    left, values, right = sla.svd(T / scale, full_matrices=False)
    keep = values > EPS * max(T.shape) * values[:1].max(initial=0.0)
    rank = int(keep.sum())
    pseudo = (right[keep].T / values[keep]) @ left[:, keep].T
    if state is not None:
        u = np.where(varies, state.coef * scale, 0.0)
    elif rank == p and T.shape[0] == p + 1:
        u = sla.solve_triangular(T[:p] / scale, b[:p])
    elif rank == varies.sum():
        u = sla.lstsq(T / scale, b)[0]
    else:
        shortest = sla.lstsq(np.where(varies, T, 0.0), b, cond=EPS * max(T.shape))[0]
        u = np.where(varies, shortest * scale, 0.0)
    residual = b - (T / scale) @ u
    gamma = 4 * EPS * np.sqrt(p + 1)
    size, rest = np.abs(u).sum() + length, float(np.sqrt(residual @ residual))
    inverse = pseudo @ pseudo.T
    error = gamma * (np.sqrt((pseudo**2).sum(axis=1)) * size + np.abs(inverse).sum(axis=1) * rest)
    if rank < varies.sum():
        error = np.full(p, np.inf)
    noise = np.sqrt(np.diag(inverse) * rest**2 / max(r.weight - p - 1, 1.0))
    slope = (T / scale).T @ residual
    gap = 0.5 * float(slope @ inverse @ slope) + (gamma * size) ** 2
    return _finish(
        u, scale, error, noise, gap, length**2, rank, varies, mean, fit_intercept, state
    )


def _finish(
    u: Array, scale: Array, error: Array, noise: Array, gap: float, yy: float, rank: int,
    varies: Any, mean: Array, fit_intercept: bool, state: LinearState | None,
) -> Solution:  # fmt: skip
    """Back to the scale of the data."""
    p = len(u)
    coef = u / scale if state is None else state.coef
    coef_error = np.where(varies, error / scale, 0.0)
    intercept, intercept_error = 0.0, 0.0
    if fit_intercept:
        intercept = float(mean[p] - mean[:p] @ coef) if state is None else state.intercept
        terms = np.abs(mean[p]) + np.abs(mean[:p] * coef).sum()
        weighed = np.abs(mean[:p][varies]) @ coef_error[varies]
        intercept_error = float(weighed + 2 * EPS * terms)
    return Solution(
        coef, intercept, coef_error, intercept_error, noise / scale,
        float(gap / (0.5 * yy)) if yy > 0 else 0.0, varies, rank,
    )  # fmt: skip


def _varies(square: Array, mean: Array, weight: float) -> Any:
    """Which columns are more than a constant and its rounding."""
    return square > weight * (4 * EPS * mean) ** 2


def _inverse(S: Array) -> tuple[Array, int]:
    """Inverse of a unit-diagonal Gram matrix, or the pseudo-inverse, and its rank.

    Rows and columns of constants are zero but for the diagonal.
    """
    values, vectors = sla.eigh(S)
    keep = values > EPS * len(S) * values[-1:].max(initial=0.0)
    return (vectors[:, keep] / values[keep]) @ vectors[:, keep].T, int(keep.sum())
