"""Least squares with penalties on absolute values and squares, from merged moments, or from rows if they are few.

Minimise 1/(2W) Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + α ρ |β|₁ + ½ α (1 - ρ) |β|², where W = Σ wᵢ. The penalty enters when the
model is made, so one summary serves every penalty, and the whole path.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import ONE, Array, Claim, Codes, Columns, Design, Need, Never, Schema, Stop
from tenfold.core.allowed import ANYTHING, LEVELS
from tenfold.estimator import SummaryScored
from tenfold.estimator.featured import Featured
from tenfold.linear.least_squares import errors_from_moments
from tenfold.linear.paths import LassoPath, path_of
from tenfold.linear.quadratic import quadratic
from tenfold.stats.metrics import Regression
from tenfold.stats.moments import Comoments, Moments
from tenfold.stats.rows import Rows, RowsOrComoments

WIDE = 1000
"""features from which on rows are kept while they are fewer than these"""
USUAL = "rounding errors independent and of the usual size"


class PenalisedState(NamedTuple):
    """A sparse linear model."""

    step: int
    wide: bool
    """whether rows are kept"""
    levels: Annotated[Codes, "column", LEVELS]
    """how many categories each column has, 0 if it is numeric"""
    coef: Annotated[Array, "feature"]
    intercept: float
    n_iter: int
    dual_gap: Annotated[float, ANYTHING]


class Penalised(Featured, SummaryScored):
    """What Lasso and ElasticNet share."""

    passes = ONE
    need = Need("mixed", sparse=True, target="number")
    model_type = PenalisedState
    summary_types = (Moments, Rows)
    steering = frozenset({"step", "wide", "levels"})

    alpha: float
    fit_intercept: bool
    positive: bool
    tol: float
    max_iter: int

    def start(self, schema: Schema) -> PenalisedState:
        """Zero coefficients; whether rows are kept follows from the number of features."""
        p = int(schema.size("feature") or 0)
        return PenalisedState(0, p > WIDE, schema.levels, np.zeros(p), 0.0, 0, math.inf)

    def ask(self, state: PenalisedState) -> Comoments | RowsOrComoments | None:
        """Once: the same moments, or rows, serve every penalty, and Ridge."""
        if state.step:
            return None
        return RowsOrComoments(state.levels) if state.wide else Comoments(state.levels)

    def stop(self) -> Stop:
        """`max_iter` counts sweeps of coordinate descent, not passes over the rows."""
        return Never()

    def regression_from(self, state: PenalisedState, rows: int, m: Any) -> Regression | None:
        """The errors of the predictions for other rows, read off their moments; None if that would lose digits."""
        return errors_from_moments(state.coef, state.intercept, rows, m)

    def update(self, state: PenalisedState, summary: Moments | Rows) -> PenalisedState:
        """Descend."""
        problem = quadratic(summary, self.fit_intercept)
        beta, sweeps = problem.solve(self.alpha, self._ratio, self.positive, self.tol, self.max_iter)
        coef, intercept = problem.values(beta)
        gap = problem.gap(coef, self.alpha, self._ratio, self.positive) * 0.5 * problem.unit**2
        return state._replace(step=1, coef=coef, intercept=intercept, n_iter=max(sweeps, 1), dual_gap=gap)

    def certify(self, state: PenalisedState, summary: Moments | Rows) -> tuple[Claim, ...] | None:
        """How near to the optimum, by duality, and which columns are in the model."""
        if not state.step:
            return None
        problem = quadratic(summary, self.fit_intercept)
        gap = problem.gap(state.coef, self.alpha, self._ratio, self.positive)
        return claims_of(problem, gap, state.coef, self.tol)

    def predict_from(self, state: PenalisedState, X: Columns) -> Array:
        """Xβ + β₀."""
        return Design.of(X, state.levels) @ state.coef + state.intercept

    def path(self, alphas: Any = 100, eps: float = 1e-3) -> LassoPath:
        """The models of all penalties, from the summary of this one: no row is read.

        Parameters
        ----------
        alphas : int or array, default=100
            Penalties, or how many, from the least that makes all coefficients 0 down to `eps` times as much.
        eps : float, default=1e-3

        Returns
        -------
        path : LassoPath
        """
        return path_of(self, self._ratio, alphas, eps)

    @property
    def _ratio(self) -> float:
        return getattr(self, "l1_ratio", 1.0)


def claims_of(problem: Any, gap: float, coef: Array, tol: float) -> tuple[Claim, ...]:
    """What is known of a solution."""
    why = f"duality, as a share of half the mean squares of y, rounding included; {problem.how}"
    if not gap <= tol:
        why += f"; more than tol = {tol:g}: max_iter sweeps, or rounding, ended the descent"
    inside = "columns with a coefficient that is not 0"
    claims = [
        Claim("gap", gap, "estimated", why, "objective", USUAL),
        Claim("nonzero", float(np.count_nonzero(coef)), "proved", inside, "objective"),
    ]
    still = float((~problem.varies).sum())
    if still:
        why = "these columns change by no more than rounding, or by too little to be squared; their coefficient is 0"
        claims.append(Claim("constant columns", still, "estimated", why, "data"))
    return tuple(claims)
