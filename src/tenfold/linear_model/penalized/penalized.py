"""Least squares with penalties on absolute values and squares, from merged moments, or from rows if they are few.

Minimise 1/(2W) Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + α ρ |β|₁ + ½ α (1 - ρ) |β|², where W = Σ wᵢ. The penalty enters when the
model is made, so one summary serves every penalty, and the whole path.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Claim, Columns, Design, Need, Schema
from tenfold.core.field_values import ANYTHING
from tenfold.estimator import OnePass, SummaryScored, fitted
from tenfold.estimator.feature_coefficients import Featured
from tenfold.estimator.shell.constraints import boolean, integer, real
from tenfold.estimator.shell.keyword_decisions import (
    any_selection,
    copied,
    gram_is_merged,
    not_least_squares,
    restarted,
    some_max_iter,
    unseeded,
)
from tenfold.estimator.shell.multi_output import MultiOutput
from tenfold.linear_model.least_squares.least_squares import errors_from_moments
from tenfold.linear_model.penalized.penalty_path import LassoPath, Sparse, path_of, summary_of
from tenfold.linear_model.penalized.quadratic import Quadratic, quadratic
from tenfold.stats.metrics import Regression
from tenfold.stats.moments.moments import Comoments, Moments
from tenfold.stats.rows.wide_rows import Rows, RowsOrComoments

MIN_WIDE_FEATURES = 1000
"""features from which on rows are kept while they are fewer than these"""
ROUNDING_ASSUMPTION = "rounding errors independent and of the usual size"


class PenalisedModel(NamedTuple):
    """A linear model whose coefficients are penalised."""

    coef: Annotated[Array, "feature"]
    intercept: float
    n_iter: int
    dual_gap: Annotated[float, ANYTHING]
    schema: Schema


class Shrunken(Featured, OnePass, SummaryScored):
    """Base of `Lasso`, `ElasticNet` and `BridgeRegression`: prediction with their models."""

    need = Need("mixed", sparse=True, target="number")

    def predict_from(self, model: PenalisedModel, X: Columns) -> Array:
        """The predictions Xβ + β₀ of some rows."""
        return Design.of(X, model.schema.levels) @ model.coef + model.intercept

    def regression_from(self, model: PenalisedModel, rows: int, summary: object) -> Regression | None:
        # The errors of the predictions for other rows, read off their moments; None if that would lose digits.
        return errors_from_moments(model.coef, model.intercept, rows, summary)


class Penalised(MultiOutput, Shrunken):
    """Base of `Lasso` and `ElasticNet`."""

    l1_ratio = 1.0

    alpha: Annotated[float, real(0, open=True), not_least_squares] = 1.0
    fit_intercept: Annotated[bool, boolean] = True
    positive: Annotated[bool, boolean] = False
    tol: Annotated[float, real(0)] = 1e-12
    max_iter: Annotated[int, integer(1), some_max_iter] = 10_000
    _: KW_ONLY
    precompute: Annotated[Any, gram_is_merged] = False
    copy_X: Annotated[bool, copied] = True
    warm_start: Annotated[bool, restarted] = False
    random_state: Annotated[int | None, unseeded] = None
    selection: Annotated[str, any_selection] = "cyclic"

    def statistic(self, schema: Schema) -> Comoments | RowsOrComoments:
        wide = int(schema.size("feature") or 0) > MIN_WIDE_FEATURES
        return RowsOrComoments(schema.levels) if wide else Comoments(schema.levels)

    def solve(self, schema: Schema, summary: Moments | Rows) -> PenalisedModel:
        # Descend; the penalty enters here.
        found = descended(quadratic(summary, self.fit_intercept), self, self.alpha, self.l1_ratio)
        return PenalisedModel(*found, schema)

    def certify(self, model: PenalisedModel, summary: Moments | Rows) -> tuple[Claim, ...]:
        """How near to the optimum, by duality, and which columns are in the model."""
        problem = quadratic(summary, self.fit_intercept)
        gap = problem.gap(model.coef, self.alpha, self.l1_ratio, self.positive)
        return claims_of(problem, gap, model.coef, self.tol)

    @property
    @fitted
    def sparse_coef_(self) -> Any:
        """The coefficients as a CSR matrix of one row for each output."""
        from scipy.sparse import csr_matrix

        return csr_matrix(self.coef_)

    @fitted
    def path(self, alphas: ArrayLike = 100, eps: float = 1e-3) -> LassoPath:
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
        return path_of(self, summary_of(self), self.l1_ratio, alphas, eps)


def descended(problem: Quadratic, learner: Sparse, alpha: float, l1_ratio: float) -> tuple[Array, float, int, float]:
    """Coefficients, intercept, sweeps and duality gap for one penalty."""
    beta, sweeps = problem.solve(alpha, l1_ratio, learner.positive, learner.tol, learner.max_iter)
    coef, intercept = problem.values(beta)
    gap = problem.gap(coef, alpha, l1_ratio, learner.positive) * 0.5 * problem.unit**2
    return coef, intercept, max(sweeps, 1), gap


def claims_of(problem: Quadratic, gap: float, coef: Array, tol: float) -> tuple[Claim, ...]:
    """Claims about a solution: its duality gap and digits."""
    why = f"duality, as a share of half the mean squares of y, rounding included; {problem.how}"
    if not gap <= tol:
        why += f"; more than tol = {tol:g}: max_iter sweeps, or rounding, ended the descent"
    inside = "columns with a coefficient that is not 0"
    claims = [
        Claim("gap", gap, "estimated", why, "objective", ROUNDING_ASSUMPTION),
        Claim("nonzero", float(np.count_nonzero(coef)), "proved", inside, "objective"),
    ]
    still = float((~problem.varies).sum())
    if still:
        why = "these columns change by no more than rounding, or by too little to be squared; their coefficient is 0"
        claims.append(Claim("constant columns", still, "estimated", why, "data"))
    return tuple(claims)
