"""Routes from rows to the coefficients of least squares: the statistic that is asked for, and what solves its summary.

Three of them have a matrix of all features: the Gram matrix of merged moments, the triangular factor where moments lose
digits that the data determine, and moments in double-double. The type of a summary identifies its route, so that
models merge and are verified regardless of the last route.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, ClassVar, Generic, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Flags, Schema
from tenfold.core.learner import Initial
from tenfold.linear_model.least_squares.double_double import DOUBLE_DOUBLE_EPS, another_round, from_double
from tenfold.linear_model.least_squares.normal_equations import EPS, Solution, from_moments, quick
from tenfold.linear_model.least_squares.qr import RFACTOR_ERROR, from_factor
from tenfold.linear_model.least_squares.reference_levels import Matrix, S, expand, kept_features, select, steadied
from tenfold.linear_model.least_squares.solution_claims import claims_of
from tenfold.stats.moments.double_moments import DoubleComoments, DoubleMoments, ResidualComoments
from tenfold.stats.moments.moments import Comoments, Moments
from tenfold.stats.moments.rfactor import FactorAndGradient, RFactor

MAX_EXTRA_SCANS = 4
"""scans for R-factors, or for double-double moments, at most"""
MAX_QR_FEATURES = 256
"""features, if categories are among them, for which R-factors are worth making them all"""


class LinearModel(NamedTuple):
    """Coefficients of the features, and a constant."""

    coef: Annotated[Array, "feature"]
    intercept: float
    schema: Schema

    @classmethod
    def of(cls, values: Array, schema: Schema) -> LinearModel:
        """Build the model from a vector of the coefficients, then the intercept."""
        return cls(values[:-1], float(values[-1]), schema)

    @property
    def values(self) -> Array:
        """Vector of the coefficients, then the intercept."""
        return np.append(self.coef, self.intercept)


class Factoring(NamedTuple):
    """The state of a fit that reads the rows for a triangular factor, and for the gradient at a model."""

    step: int
    round: int
    """how many R-factors there will have been"""
    model: LinearModel
    center: Annotated[Array, "joint"]
    """of the features and the target: where the factor is centred"""
    scale: Annotated[Array, "joint"]

    def statistic(self) -> FactorAndGradient:
        """The factor, and the gradient at the coefficients so far."""
        model = self.model
        return FactorAndGradient(self.center, self.scale, model.coef, model.intercept, model.schema.levels)


class Refining(NamedTuple):
    """The state of a fit that reads the rows for what a model leaves of the target, in double-double."""

    step: int
    round: int
    """how many double-double moments there will have been, after the first"""
    model: LinearModel
    rest: Annotated[Array, "predictor"]
    """what intercept and coefficients lack to twice the precision"""
    center: Annotated[Array, "feature"]

    def statistic(self) -> ResidualComoments:
        """Moments of what the coefficients so far leave of the target."""
        model = self.model
        values = np.append(model.intercept, model.coef)
        return ResidualComoments(values, self.rest, self.center, model.schema.levels)


class RouteStep(NamedTuple):
    """The model that a summary gives, and what another pass would begin from."""

    model: LinearModel
    again: Initial | Factoring | Refining
    """the state that would read the rows again, at this model"""
    worthwhile: bool
    """whether another pass would be more accurate"""


class RidgeProblem(NamedTuple):
    """½ Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + ½ α |β|², and what the columns hold."""

    alpha: float
    fit_intercept: bool
    schema: Schema

    def kept_features(self, summary: Matrix) -> Flags | None:
        """The features that have a coefficient; None, all.

        Without a penalty the categories of a column are collinear with the constant: the first that has any
        weight is the reference level. The same holds for the constant that the categories of the
        first column make, if there is no other.
        """
        levels = self.schema.levels
        if self.alpha or not levels.any():
            return None
        present = (summary if isinstance(summary, Moments) else summary.moments()).mean > 0
        return kept_features(levels, present, self.fit_intercept)


class Route(ABC, Generic[S]):
    """A way from rows to coefficients that has a matrix of all features, solved or factored on the driver."""

    how: ClassVar[str]
    """the merged quantity, for the certificate"""

    @abstractmethod
    def update(self, problem: RidgeProblem, state: Initial | Factoring | Refining, summary: S, last: bool) -> RouteStep:
        """The coefficients that the summary gives, and how to go on; `last`: no further round is worth it."""

    @abstractmethod
    def solve(self, problem: RidgeProblem, summary: S, given: Array | None) -> Solution:
        """Solve, or score given values: of all features that the summary has."""

    @abstractmethod
    def rounding(self, found: Solution) -> float:
        """Relative rounding error of the squared residuals' sum."""

    def solution(self, problem: RidgeProblem, summary: S, given: Array | None = None) -> Solution:
        """Solve, or score given values: of the features that have a coefficient."""
        return self.solve(problem, self.solvable(problem, summary), _among_kept(given, problem.kept_features(summary)))

    def solvable(self, problem: RidgeProblem, summary: S) -> S:
        """The summary of the features that have a coefficient."""
        keep = problem.kept_features(summary)
        return summary if keep is None else select(summary, keep)

    def certify(self, problem: RidgeProblem, model: LinearModel, summary: S) -> tuple[Claim, ...]:
        """How near to the optimum, how many digits hold, and whether columns repeat each other."""
        return claims_of(self.solution(problem, summary, model.values), self.how)

    def solution_for_errors(self, problem: RidgeProblem, model: LinearModel, summary: S) -> tuple[Solution, float]:
        """Solution that standard errors are computed from, over all features, and the rounding error of its squares.

        The latter is the relative error of Σ w (y - xᵀβ - β₀)².
        """
        keep = problem.kept_features(summary)
        found = self.solve(problem, select(summary, keep), _among_kept(model.values, keep))
        if keep is not None:
            root, center = np.zeros((len(keep) + 1, found.root.shape[1])), np.zeros(len(keep))
            root[np.append(True, keep)], center[keep] = found.root, found.center
            found = found._replace(values=expand(found.values, keep), root=root, center=center)
        return found, self.rounding(found)


class GramMatrix(Route[Moments]):
    """The normal equations of merged moments: one scan, which serves every penalty."""

    how = "moments"

    def statistic(self, schema: Schema) -> Comoments:
        """Moments of the features and the target."""
        return Comoments(schema.levels)

    def solve(self, problem: RidgeProblem, summary: Moments, given: Array | None) -> Solution:
        return from_moments(summary, problem.alpha, problem.fit_intercept, given)

    def solvable(self, problem: RidgeProblem, summary: Moments) -> Moments:
        # Of the features that have a coefficient; with a penalty, of all, and better conditioned.
        if not problem.alpha:
            return super().solvable(problem, summary)
        levels = problem.schema.levels
        return steadied(summary, levels, problem.fit_intercept) if levels.any() else summary

    def update(
        self, problem: RidgeProblem, state: Initial | Factoring | Refining, summary: Moments, last: bool
    ) -> RouteStep:
        # By Cholesky's factor if no digit is in doubt; if some are, a triangular factor of the rows is asked for.
        values = quick(self.solvable(problem, summary), problem.alpha, problem.fit_intercept)
        doubtful = False
        if values is None:
            found = self.solution(problem, summary)
            values, doubtful = found.values, found.wants_factor
        keep = problem.kept_features(summary)
        model = LinearModel.of(values if keep is None else expand(values, keep), problem.schema)
        if doubtful and (len(model.coef) < MAX_QR_FEATURES or not problem.schema.levels.any()):
            return RouteStep(model, self._escalated(problem, model, summary), True)
        return RouteStep(model, Initial(0, problem.schema), False)

    def _escalated(self, problem: RidgeProblem, model: LinearModel, m: Moments) -> Factoring:
        """Asks for the factor of the columns around their means, each in about its own unit."""
        center = m.mean if problem.fit_intercept else np.zeros_like(m.mean)
        size = np.diag(m.comoment) + m.weight * (m.mean - center) ** 2
        scale = np.exp2(np.round(np.log2(np.sqrt(np.where(size > 0, size, 1.0)))))
        return Factoring(0, 1, model, center, scale)

    def rounding(self, found: Solution) -> float:
        # The rounding of one operation: squares are summed.
        return EPS


class TriangularFactors(Route[RFactor]):
    """The triangular factor of the design (TSQR), corrected by exact gradients: twice the digits of moments."""

    how = "R-factors"

    def solve(self, problem: RidgeProblem, summary: RFactor, given: Array | None) -> Solution:
        return from_factor(summary, problem.alpha, problem.fit_intercept, given)

    def update(
        self, problem: RidgeProblem, state: Initial | Factoring | Refining, summary: RFactor, last: bool
    ) -> RouteStep:
        # Corrected coefficients; read again at those where that sharpens them.
        found = self.solution(problem, summary)
        model = LinearModel.of(expand(found.values, problem.kept_features(summary)), problem.schema)
        if not isinstance(state, Factoring):  # merged
            return RouteStep(model, state, False)
        again = Factoring(0, state.round + 1, model, state.center, state.scale)
        return RouteStep(model, again, not last and found.wants_round and state.round < MAX_EXTRA_SCANS)

    def rounding(self, found: Solution) -> float:
        return float(RFACTOR_ERROR * np.sqrt(found.rss / found.tss) if found.tss else 0.0)


class DoubleDouble(Route[DoubleMoments]):
    """Moments and normal equations in double-double: about 32 digits all the way."""

    how = "double-double moments"

    def statistic(self, schema: Schema) -> DoubleComoments:
        """Moments of the features and the target."""
        return DoubleComoments(schema.levels)

    def solve(self, problem: RidgeProblem, summary: DoubleMoments, given: Array | None) -> Solution:
        return from_double(summary, problem.alpha, problem.fit_intercept, given)

    def update(
        self, problem: RidgeProblem, state: Initial | Factoring | Refining, summary: DoubleMoments, last: bool
    ) -> RouteStep:
        # Corrected coefficients; read again at those where that gains digits.
        found, keep = self.solution(problem, summary), problem.kept_features(summary)
        assert found.rest is not None
        model = LinearModel.of(expand(found.values, keep), problem.schema)
        rest, center = np.roll(expand(found.rest, keep), 1), summary.mean[:-1] * problem.fit_intercept
        round = state.round if isinstance(state, Refining) else 0
        again = Refining(0, round + 1, model, rest, center)
        return RouteStep(model, again, not last and round < MAX_EXTRA_SCANS and another_round(summary, found))

    def rounding(self, found: Solution) -> float:
        return DOUBLE_DOUBLE_EPS


def _among_kept(given: Array | None, keep: Flags | None) -> Array | None:
    """Given values of the features that have a coefficient, then the intercept."""
    return given if given is None or keep is None else given[np.append(keep, True)]
