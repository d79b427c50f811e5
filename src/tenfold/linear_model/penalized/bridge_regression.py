"""Bridge regression: argmin 1/(2W) Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + α Σ |βⱼ|^q, where W = Σ wᵢ and q ≥ 1."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np

from tenfold.compiled.linear_model.power_penalty import descend_powers, power_gap
from tenfold.core import Array, Claim, Schema
from tenfold.estimator.shell.constraints import boolean, integer, real
from tenfold.linear_model.penalized.penalized import PenalisedModel, Shrunken, claims_of
from tenfold.linear_model.penalized.quadratic import ROUNDING_GAP, Gram
from tenfold.stats.moments.moments import Comoments, Moments

MAX_LOG_COEFFICIENT = 600.0
"""logarithm of the largest size of a coefficient, in units of its own, whose powers are still numbers"""


class BridgeRegression(Shrunken):
    """Linear regression with a penalty on the q-th powers of the coefficients, in one pass.

    The bridge from the lasso (q = 1) to ridge regression (q = 2), and beyond it. Below 2 large coefficients are shrunk
    less than by ridge regression and small ones more; above 1 none becomes exactly 0 (unless it is less than a float
    can be), and the penalty has one minimum even of columns that depend on each other.

    The moments of the rows are merged, as for :class:`Lasso` and :class:`Ridge`; then coordinate descent works on their
    Gram matrix, with Newton's steps of all coefficients in between, until the duality gap is at most `tol`.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, above 0. With q = 1 it is that of :class:`Lasso`; with q = 2 the model is that of
        :class:`Ridge` with a penalty of 2 W alpha, W the sum of the weights.
    q : float, default=1.5
        The power, at least 1: below, the problem is not convex, and no minimum could be certified.
    fit_intercept : bool, default=True
        Whether to fit a constant beside the columns. It is not penalised.
    tol : float, default=1e-12
        The duality gap at which to stop, as a share of half the mean squares of y. Below 1.4e-14 gaps are
        rounding errors, and that is taken instead.
    max_iter : int, default=10000
        Maximum number of sweeps over the coefficients. The certificate bounds the distance from the optimum.

    Attributes
    ----------
    coef_ : array of shape (features,)
        One for each numeric column, and for each category of the others.
    coef_names_ : array of shape (features,)
        A column, or a column, an underscore, and a category.
    intercept_ : float
    n_iter_ : int
        Sweeps.
    dual_gap_ : float
        How far the objective can be above its minimum.
    certificate_ : Certificate
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if the columns have names.

    References
    ----------
    Frank, I. E. and Friedman, J. H. (1993). A statistical view of some chemometrics regression tools. Technometrics.

    Examples
    --------
    >>> from tenfold import BridgeRegression
    >>> X = [[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]]
    >>> model = BridgeRegression(alpha=0.5, q=1.5).fit(X, [-3.0, 0.5, 2.5])
    >>> model.coef_.round(3).tolist()
    [1.413, -0.12]
    """

    law_params = (
        {},
        {"alpha": 0.1, "q": 1.0},
        {"alpha": 0.1, "q": 2.0},
        {"fit_intercept": False, "q": 1.1},
        {"q": 3.0},
    )

    alpha: Annotated[float, real(0, open=True)] = 1.0
    _: KW_ONLY
    q: Annotated[float, real(0, open=True)] = 1.5
    fit_intercept: Annotated[bool, boolean] = True
    tol: Annotated[float, real(0)] = 1e-12
    max_iter: Annotated[int, integer(1)] = 10_000

    def statistic(self, schema: Schema) -> Comoments:
        if self.q < 1:
            raise ValueError(
                f"q is {self.q}, but with a power below 1 the penalty is not convex: it has many minima, and none can "
                "be certified. Remedy: q=1 (the lasso, which sets coefficients to 0) or more"
            )
        return Comoments(schema.levels)

    def solve(self, schema: Schema, summary: Moments) -> PenalisedModel:
        # Descend; the power and the penalty enter here.
        problem = Gram(summary, self.fit_intercept)
        beta, sweeps = self._descend(problem)
        coef, intercept = problem.values(beta)
        gap = self._gap(problem, coef) * 0.5 * problem.unit**2
        return PenalisedModel(coef, intercept, max(sweeps, 1), gap, schema)

    def certify(self, model: PenalisedModel, summary: Moments) -> tuple[Claim, ...]:
        """How near to the optimum, by duality, and which columns are in the model."""
        problem = Gram(summary, self.fit_intercept)
        return claims_of(problem, self._gap(problem, model.coef), model.coef, self.tol)

    def _descend(self, problem: Gram) -> tuple[Array, int]:
        """The minimiser in units of its own, and sweeps."""
        if self.q in (1, 2):
            return problem.solve(*self._net(), False, self.tol, self.max_iter)
        beta, u = np.zeros(problem.width), np.empty(problem.width)
        if not problem.unit:
            return beta, 0
        sizes, tol = self._sizes(problem), 0.5 * max(self.tol, ROUNDING_GAP)
        sweeps, _ = descend_powers(
            problem.S, problem.q, sizes, float(self.q), problem.curvature, tol, self.max_iter, beta, u
        )
        return beta, int(sweeps)

    def _gap(self, problem: Gram, coef: Array) -> float:
        """How far the objective can be above its minimum, as a share of half the mean squares of y."""
        if self.q in (1, 2) or not problem.unit:
            return problem.gap(coef, *self._net(), False)
        beta, u, rest, error = problem.seen(coef)
        found = power_gap(beta, u, rest + error, self._sizes(problem), float(self.q), problem.curvature, error)
        return problem.share(float(found), coef)

    def _net(self) -> tuple[float, float]:
        """The elastic net, alpha and l1_ratio, that has this penalty if q is 1 or 2."""
        return (self.alpha, 1.0) if self.q == 1 else (2.0 * self.alpha, 0.0)

    def _sizes(self, problem: Gram) -> Array:
        """How large each coefficient, in units of its own, must be for its penalty to be the square of the target's."""
        of_one = math.log(self.alpha) + (self.q - 2.0) * math.log(problem.unit)
        sizes = np.log(problem.scale) - of_one / self.q
        return np.exp(np.clip(np.where(problem.varies, sizes, 0.0), -MAX_LOG_COEFFICIENT, MAX_LOG_COEFFICIENT))
