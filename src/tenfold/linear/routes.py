"""Routes from rows to the coefficients of least squares: the statistic that is asked for, and what solves its summary.

Three of them have a matrix of all features: the Gram matrix of merged moments, the triangular factor where moments lose
digits that the data can tell, and moments in double-double. A summary's type says by which route it came, so that
models merge and are verified whatever was asked for last.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Codes, Flags
from tenfold.core.allowed import LEVELS, OneOf
from tenfold.core.statistic import Statistic
from tenfold.linear.claims import claims_of
from tenfold.linear.conjugate import Search
from tenfold.linear.references import among, kept, some, steadied
from tenfold.linear.solving import EPS, Solution, from_moments, quick
from tenfold.linear.solving_double import TINY, another_round, from_double
from tenfold.linear.solving_factor import FACTOR, from_factor
from tenfold.stats.double_moments import DoubleComoments, DoubleMoments, ResidualComoments
from tenfold.stats.moments import Comoments, Moments
from tenfold.stats.rfactor import FactorAndGradient, RFactor

ROUNDS = 4
"""scans for R-factors, or for double-double moments, at the most"""
FEW = 256
"""features, if categories are among them, for which R-factors are worth making them all"""


class LinearState(NamedTuple):
    """A linear model, and how its summary is made."""

    step: int
    phase: Annotated[str, OneOf("moments", "double", "rfactor", "scores", "sums", "search")]
    round: int
    """how many R-factors or double-double moments were made"""
    coef: Annotated[Array, "feature"]
    intercept: float
    center: Annotated[Array, "joint"]
    """where an R-factor is centred"""
    scale: Annotated[Array, "joint"]
    levels: Annotated[Codes, "column", LEVELS]
    """how many categories each column has, 0 if it is numeric"""
    rest: Annotated[Array, "predictor"]
    """what intercept and coefficients lack to twice the precision"""
    root: Annotated[Array, "known", "direction"]
    """R with RRᵀ the inverse of the normal matrix, while scores are asked for"""
    search: Search
    """where it is, if there are too many categories for a matrix"""

    @property
    def values(self) -> Array:
        """The coefficients, then the intercept."""
        return np.append(self.coef, self.intercept)

    def at(self, values: Array) -> LinearState:
        """The same with other coefficients, and the intercept."""
        return self._replace(coef=values[:-1], intercept=float(values[-1]))


class Problem(NamedTuple):
    """½ Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + ½ α |β|², and how many categories each column has."""

    alpha: float
    fit_intercept: bool
    levels: Codes

    def kept(self, summary: Any) -> Flags | None:
        """The features that have a coefficient; None, all.

        Without a penalty the categories of a column say no more than the constant does: the first that has any
        weight is the one that the others are compared with. So it is with the constant that the categories of the
        first column make, if there is no other.
        """
        if self.alpha or not self.levels.any():
            return None
        present = (summary if isinstance(summary, Moments) else summary.moments()).mean > 0
        return kept(self.levels, present, self.fit_intercept)


class Route(ABC):
    """A way from rows to coefficients."""

    @abstractmethod
    def statistic(self, state: LinearState) -> Statistic[Any]:
        """What is asked of the rows."""

    @abstractmethod
    def update(self, problem: Problem, state: LinearState, summary: Any, last: bool) -> LinearState:
        """The coefficients that the summary gives; done (`step`), unless another scan would tell more.

        `last`: no further round is worth it.
        """

    @abstractmethod
    def certify(self, problem: Problem, state: LinearState, summary: Any) -> tuple[Claim, ...] | None:
        """What is known of the state's coefficients; None while there are none."""

    @abstractmethod
    def judged(self, problem: Problem, state: LinearState, summary: Any) -> tuple[Solution, float]:
        """What standard errors are made from: the state's coefficients as a solution, and the rounding of its squares.

        The latter is the relative error of Σ w (y - xᵀβ - β₀)².
        """


class MatrixRoute(Route):
    """A way that has a matrix of all features, solved or factored on the driver."""

    how: ClassVar[str]
    """what is merged, in the words of a certificate"""

    @abstractmethod
    def solve(self, problem: Problem, summary: Any, given: Array | None) -> Solution:
        """Solve, or judge given values: of all features that the summary has."""

    @abstractmethod
    def rounding(self, found: Solution) -> float:
        """Relative rounding error of the squared residuals' sum."""

    def solution(self, problem: Problem, summary: Any, given: Array | None = None) -> Solution:
        """Solve, or judge given values: of the features that have a coefficient."""
        return self.solve(problem, self.solvable(problem, summary), _among_kept(given, problem.kept(summary)))

    def solvable(self, problem: Problem, summary: Any) -> Any:
        """The summary of the features that have a coefficient."""
        return some(summary, problem.kept(summary))

    def certify(self, problem: Problem, state: LinearState, summary: Any) -> tuple[Claim, ...] | None:
        """How near to the optimum, how many digits hold, and whether columns repeat each other."""
        if state.phase in ("moments", "double") and not state.step:
            return None
        return claims_of(self.solution(problem, summary, state.values), self.how, bool(state.step))

    def judged(self, problem: Problem, state: LinearState, summary: Any) -> tuple[Solution, float]:
        """The state's solution, of all features."""
        keep = problem.kept(summary)
        found = self.solve(problem, some(summary, keep), _among_kept(state.values, keep))
        if keep is not None:
            root, center = np.zeros((len(keep) + 1, found.root.shape[1])), np.zeros(len(keep))
            root[np.append(True, keep)], center[keep] = found.root, found.center
            found = found._replace(values=among(found.values, keep), root=root, center=center)
        return found, self.rounding(found)


class GramMatrix(MatrixRoute):
    """The normal equations of merged moments: one scan, which serves every penalty."""

    how = "moments"

    def statistic(self, state: LinearState) -> Comoments:
        """Moments of the features and the target."""
        return Comoments(state.levels)

    def solve(self, problem: Problem, summary: Moments, given: Array | None) -> Solution:
        """By the eigenvectors of the correlations."""
        return from_moments(summary, problem.alpha, problem.fit_intercept, given)

    def solvable(self, problem: Problem, summary: Moments) -> Moments:
        """Of the features that have a coefficient; with a penalty, of all, and better conditioned."""
        if problem.alpha and problem.levels.any():
            return steadied(summary, problem.levels, problem.fit_intercept)
        return super().solvable(problem, summary)

    def update(self, problem: Problem, state: LinearState, summary: Moments, last: bool) -> LinearState:
        """By Cholesky's factor if no digit is in doubt; if some are, a triangular factor of the rows is asked for."""
        values = quick(self.solvable(problem, summary), problem.alpha, problem.fit_intercept)
        doubtful = False
        if values is None:
            found = self.solution(problem, summary)
            values, doubtful = found.values, found.wants_factor
        state = state.at(among(values, problem.kept(summary)))
        if doubtful and (len(state.coef) < FEW or not state.levels.any()):
            return self._escalated(problem, state, summary)
        return state._replace(step=1)

    def _escalated(self, problem: Problem, state: LinearState, m: Moments) -> LinearState:
        """Asks for the factor of the columns around their means, each in about its own unit."""
        center = m.mean if problem.fit_intercept else np.zeros_like(m.mean)
        size = np.diag(m.comoment) + m.weight * (m.mean - center) ** 2
        scale = np.exp2(np.round(np.log2(np.sqrt(np.where(size > 0, size, 1.0)))))
        return state._replace(phase="rfactor", round=1, center=center, scale=scale)

    def rounding(self, found: Solution) -> float:
        """Squares are summed."""
        return EPS


class TriangularFactors(MatrixRoute):
    """The triangular factor of the design (TSQR), corrected by exact gradients: twice the digits of moments."""

    how = "R-factors"

    def statistic(self, state: LinearState) -> FactorAndGradient:
        """The factor, and the gradient at the coefficients so far."""
        return FactorAndGradient(state.center, state.scale, state.coef, state.intercept, state.levels)

    def solve(self, problem: Problem, summary: RFactor, given: Array | None) -> Solution:
        """By the singular values of the factor."""
        return from_factor(summary, problem.alpha, problem.fit_intercept, given)

    def update(self, problem: Problem, state: LinearState, summary: RFactor, last: bool) -> LinearState:
        """Corrected coefficients; read again at those where that sharpens them."""
        found = self.solution(problem, summary)
        state = state.at(among(found.values, problem.kept(summary)))
        if not last and found.wants_round and 0 < state.round < ROUNDS:
            return state._replace(round=state.round + 1)
        return state._replace(step=1)

    def rounding(self, found: Solution) -> float:
        """Residuals are small beside the target, and so are their errors."""
        return float(FACTOR * np.sqrt(found.rss / found.tss) if found.tss else 0.0)


class DoubleDouble(MatrixRoute):
    """Moments and normal equations in double-double: about 32 digits all the way."""

    how = "double-double moments"

    def statistic(self, state: LinearState) -> DoubleComoments | ResidualComoments:
        """Moments of the target; then of what the coefficients so far leave of it."""
        if state.phase == "double" and not state.round:
            return DoubleComoments(state.levels)
        values = np.append(state.intercept, state.coef)
        return ResidualComoments(values, state.rest, state.center[: len(state.coef)], state.levels)

    def solve(self, problem: Problem, summary: DoubleMoments, given: Array | None) -> Solution:
        """By Cholesky's factor, in double-double."""
        return from_double(summary, problem.alpha, problem.fit_intercept, given)

    def update(self, problem: Problem, state: LinearState, summary: DoubleMoments, last: bool) -> LinearState:
        """Corrected coefficients; read again at those where that gains digits."""
        found, keep = self.solution(problem, summary), problem.kept(summary)
        assert found.rest is not None
        center = np.append(summary.mean[:-1] * problem.fit_intercept, 0.0)
        state = state.at(among(found.values, keep))
        state = state._replace(rest=np.roll(among(found.rest, keep), 1), center=center)
        if not last and another_round(summary, found) and state.round < ROUNDS:
            return state._replace(round=state.round + 1)
        return state._replace(step=1)

    def rounding(self, found: Solution) -> float:
        """Squares are summed, in double-double."""
        return TINY


def _among_kept(given: Array | None, keep: Flags | None) -> Array | None:
    """Given values of the features that have a coefficient, then the intercept."""
    return given if given is None or keep is None else given[np.append(keep, True)]
