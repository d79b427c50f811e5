"""Bridge regression: argmin 1/(2W) Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + α Σ |βⱼ|^q, where W = Σ wᵢ and q > 0."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np

from tenfold.compiled.linear_model.concave_penalty import coordinate_gain, descend_concave_powers
from tenfold.compiled.linear_model.coordinates import duality_gap
from tenfold.compiled.linear_model.power_penalty import descend_powers, power_gap
from tenfold.core import Array, Claim, Schema
from tenfold.estimator.shell.constraints import boolean, integer, real
from tenfold.linear_model.penalized.penalized import ROUNDING_ASSUMPTION, PenalisedModel, Shrunken, claims_of
from tenfold.linear_model.penalized.quadratic import LARGEST_PENALTY, ROUNDING_GAP, Gram
from tenfold.stats.moments.moments import Comoments, Moments

MAX_LOG_COEFFICIENT = 600.0
"""logarithm of the largest size of a coefficient, in units of its own, whose powers are still numbers"""
LITTLE_PENALTY = 1e-3
"""share of the penalty, of squares, of the solution that a descent with a power below 1 starts from too"""
START_TOL = 1e-6
"""duality gap of the solutions that such descents start from"""
STEP_TOL = 1e-13
"""of such a descent: no coefficient moved by more than this share of the longest"""


class BridgeRegression(Shrunken):
    """Linear regression with a penalty on the q-th powers of the coefficients, in one pass.

    The bridge from the lasso (q = 1) to ridge regression (q = 2), and beyond it. Below 2 large coefficients are shrunk
    less than by ridge regression and small ones more; above 1 none becomes exactly 0 (unless it is less than a float
    can be), and the penalty has one minimum even of columns that depend on each other. Below 1 (q = 1/2, say) fewer
    coefficients stay than with the lasso, and those are shrunk less; but the problem is not convex: the best of several
    descents is kept, in which no coefficient alone can be changed for the better.

    The moments of the rows are merged, as for :class:`Lasso` and :class:`Ridge`; then coordinate descent works on their
    Gram matrix, with Newton's steps of all coefficients in between, until the duality gap is at most `tol`. With q < 1
    the gap is that to a convex problem whose minimum is not above: it bounds how far the best coefficients of all could
    be ahead, but does not vanish.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, above 0. With q = 1 it is that of :class:`Lasso`; with q = 2 the model is that of
        :class:`Ridge` with a penalty of 2 W alpha, W the sum of the weights.
    q : float, default=1.5
        The power, above 0. Below 1 the problem is not convex: what is found need not be the lowest minimum.
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
        {"alpha": 0.1, "q": 0.5},
    )

    alpha: Annotated[float, real(0, open=True)] = 1.0
    _: KW_ONLY
    q: Annotated[float, real(0, open=True)] = 1.5
    fit_intercept: Annotated[bool, boolean] = True
    tol: Annotated[float, real(0)] = 1e-12
    max_iter: Annotated[int, integer(1)] = 10_000

    def statistic(self, schema: Schema) -> Comoments:
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
        gap = self._gap(problem, model.coef)
        if self.q >= 1:
            return claims_of(problem, gap, model.coef, self.tol)
        _, *others = claims_of(problem, gap, model.coef, self.tol)
        why = (
            "the minimum of a lasso whose penalty is nowhere above, as a share of half the mean squares of y: with a "
            "power below 1 the problem is not convex, and the lowest minimum may be as far below"
        )
        alone = "how far the objective falls if one coefficient alone goes to its best value"
        return (
            Claim("gap", gap, "estimated", why, "objective", ROUNDING_ASSUMPTION),
            Claim(
                "coordinate gain", self._gain(problem, model.coef), "estimated", alone, "objective", ROUNDING_ASSUMPTION
            ),
            *others,
        )

    def _descend(self, problem: Gram) -> tuple[Array, int]:
        """The minimiser in units of its own, and sweeps."""
        if self.q in (1, 2):
            return problem.solve(*self._net(), False, self.tol, self.max_iter)
        beta, u = np.zeros(problem.width), np.empty(problem.width)
        if not problem.unit:
            return beta, 0
        if self.q < 1:
            return self._best_descent(problem)
        sizes, tol = self._sizes(problem), 0.5 * max(self.tol, ROUNDING_GAP)
        sweeps, _ = descend_powers(
            problem.S, problem.q, sizes, float(self.q), problem.curvature, tol, self.max_iter, beta, u
        )
        return beta, int(sweeps)

    def _gap(self, problem: Gram, coef: Array) -> float:
        """How far the objective can be above its minimum, as a share of half the mean squares of y."""
        if self.q in (1, 2) or not problem.unit:
            return problem.gap(coef, *self._net(), False)
        if self.q < 1:
            return problem.share(self._gap_to_lasso(problem, coef), coef)
        beta, u, rest, error = problem.standardized(coef)
        found = power_gap(beta, u, rest + error, self._sizes(problem), float(self.q), problem.curvature, error)
        return problem.share(float(found), coef)

    def _best_descent(self, problem: Gram) -> tuple[Array, int]:
        """The lowest end of descents from 0, from the lasso and from nearly no penalty, and their sweeps."""
        sizes, sweeps, ends = self._sizes(problem), 0, []
        few = self.alpha * LITTLE_PENALTY
        starts = [np.zeros(problem.width)]
        starts += [problem.solve(a, r, False, START_TOL, self.max_iter)[0] for a, r in ((self.alpha, 1.0), (few, 0.0))]
        for beta in starts:
            u = np.empty(problem.width)
            sweeps += int(
                descend_concave_powers(problem.S, problem.q, sizes, float(self.q), STEP_TOL, self.max_iter, beta, u)
            )
            ends.append((self._value(problem, beta, sizes), beta))
        return min(ends, key=lambda end: end[0])[1], sweeps

    def _value(self, problem: Gram, beta: Array, sizes: Array) -> float:
        """The objective, in units of its own: the square of the target is 1."""
        return 0.5 * problem.products(beta)[1] + float(((np.abs(beta) / sizes) ** self.q).sum())

    def _gain(self, problem: Gram, coef: Array) -> float:
        """By how much the objective falls at the most if one coefficient changes."""
        if not problem.unit:
            return 0.0
        beta, u, _, _ = problem.standardized(coef)
        return 2.0 * float(coordinate_gain(problem.S, self._sizes(problem), float(self.q), beta, u))

    def _gap_to_lasso(self, problem: Gram, coef: Array) -> float:
        """How far the objective is above a bound on its minimum.

        No coefficient of the minimiser is larger than one that alone costs what is found, and up to there its power is
        at least the chord: the minimum of the lasso of these chords is not above.
        """
        beta, _, rest, error = problem.standardized(coef)
        sizes = self._sizes(problem)
        value = 0.5 * (rest + error) + float(((np.abs(beta) / sizes) ** self.q).sum())
        with np.errstate(over="ignore"):
            chords = np.minimum(value ** (1.0 - 1.0 / self.q) / sizes, LARGEST_PENALTY)
        none = np.zeros(problem.width)
        below, _ = problem.descend(chords, none, False, 0.5 * max(self.tol, ROUNDING_GAP), self.max_iter, none)
        u, left = problem.products(below)
        lasso = 0.5 * left + float(chords @ np.abs(below))
        slack = float(duality_gap(below, u, left + error, chords, none, False, error))
        return min(value, max(value - (lasso - slack), 0.0))

    def _net(self) -> tuple[float, float]:
        """The elastic net, alpha and l1_ratio, that has this penalty if q is 1 or 2."""
        return (self.alpha, 1.0) if self.q == 1 else (2.0 * self.alpha, 0.0)

    def _sizes(self, problem: Gram) -> Array:
        """How large each coefficient, in units of its own, must be for its penalty to be the square of the target's."""
        of_one = math.log(self.alpha) + (self.q - 2.0) * math.log(problem.unit)
        sizes = np.log(problem.scale) - of_one / self.q
        return np.exp(np.clip(np.where(problem.varies, sizes, 0.0), -MAX_LOG_COEFFICIENT, MAX_LOG_COEFFICIENT))
