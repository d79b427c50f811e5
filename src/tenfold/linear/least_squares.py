"""Least squares by the route that the rows need: the learner that LinearRegression and Ridge are.

Minimise ½ Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + ½ α |β|². The normal equations A β = b come from the centred
co-moments; the penalty enters here, never in the summary. A perturbation bound for each coefficient says
how many digits hold. If rounding could be seen beside the noise of the data, one more scan is asked
for, whose summary is the triangular factor of the design; with `precision="high"` the moments themselves are summed
in twice the working precision; of thousands of categories, conjugate gradients find the coefficients. Robust standard
errors need the scores of the rows at the coefficients: one scan more.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tenfold.core import ONE, Array, Claim, Columns, Design, Need, Schema, Stop
from tenfold.core.statistic import Statistic
from tenfold.estimator import SummaryScored
from tenfold.estimator.featured import Featured
from tenfold.estimator.grouping import with_groups
from tenfold.linear.conjugate import Search
from tenfold.linear.inference import ROBUST, Inference, infer
from tenfold.linear.inferring import Inferring
from tenfold.linear.routes import DoubleDouble, GramMatrix, LinearState, Problem, Route, TriangularFactors
from tenfold.linear.solving import EPS
from tenfold.linear.wide import WIDE, ConjugateGradients, too_many
from tenfold.stats.coded import NO_MERGE, CodedMoments, Products
from tenfold.stats.double_moments import DoubleMoments
from tenfold.stats.metrics import Regression, Sum
from tenfold.stats.moments import Moments
from tenfold.stats.rfactor import RFactor
from tenfold.stats.scores import DoubleScores, FactorScores, Scores, ScoresAt

GRAM, FACTORS, DOUBLE, CONJUGATE = GramMatrix(), TriangularFactors(), DoubleDouble(), ConjugateGradients()
ROUTES: dict[type, Route] = {
    Moments: GRAM,
    RFactor: FACTORS,
    DoubleMoments: DOUBLE,
    CodedMoments: CONJUGATE,
    Products: CONJUGATE,
}
"""by which a summary came"""


class LeastSquares(Inferring, Featured, SummaryScored):
    """What LinearRegression and Ridge share; the parameters are theirs."""

    passes = ONE
    need = Need("mixed", sparse=True, target="number")
    model_type = LinearState
    summary_types: ClassVar[tuple[type, ...]] = (
        Moments, RFactor, DoubleMoments, Scores, FactorScores, DoubleScores, CodedMoments, Products,
    )  # fmt: skip
    steering = frozenset({"step", "phase", "round", "center", "scale", "levels", "rest", "root", "search"})

    alpha: float
    fit_intercept: bool
    standard_errors: str = "classical"
    precision: str = "normal"

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        checkpoint: Any = None,
        stop: Stop | None = None,
    ) -> Any:
        """Fit to arrays, a frame, or a Source.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
            The rows. A Source brings its own target and weights.
        y : array, optional
            The target.
        sample_weight : array, optional
            A weight for each row. A row of weight 2 counts as two rows, one of weight 0 as none.
        groups : array or str, optional
            With `standard_errors="cluster"`: the cluster of each row, or the name of the column that says it, which
            is then no feature. A Source takes a name.
        checkpoint : str, path or Checkpoint, optional
            A folder in which to save how far the fit is; a fit that was cut off goes on from there.
        stop : Gap, Rounds, Seconds or a rule of your own, optional
            As all learners take it; one of a single pass has nothing to stop.

        Returns
        -------
        self : object
        """
        if groups is not None:
            if self.standard_errors != "cluster":
                raise ValueError('groups go with standard_errors="cluster"')
            X, y, sample_weight = with_groups(self, X, y, sample_weight, groups), None, None
        return super().fit(X, y, sample_weight, checkpoint=checkpoint, stop=stop)

    def start(self, schema: Schema) -> LinearState:
        """Zero coefficients."""
        p, categories = int(schema.size("feature") or 0), int(schema.levels.sum())
        phase, none = "double" if self.precision == "high" else "moments", np.zeros((0, 0))
        joint = np.zeros(p + 1)
        state = LinearState(
            0, phase, 0, np.zeros(p), 0.0, joint, np.ones(p + 1), schema.levels, joint, none, Search.none()
        )
        if not too_many(categories):
            return state
        if self.precision == "high" or self.standard_errors in ROBUST:
            asked = 'precision="high"' if self.precision == "high" else f'standard_errors="{self.standard_errors}"'
            raise ValueError(
                f"{asked} takes a matrix of all features, and {categories:,} categories are too many for one. Remedy: "
                f"the default, or fewer than {WIDE:,} categories"
            )
        return CONJUGATE.begun(state)

    def ask(self, state: LinearState) -> Statistic[Any] | None:
        """What the route asks for; with the scores of the rows, if the standard errors need them."""
        if state.step:
            return None
        base = self._route(state).statistic(state)
        if state.phase != "scores":
            return base
        kind = "HC0" if self.standard_errors == "HC1" else self.standard_errors
        center = state.center[: len(state.coef)]
        return ScoresAt(base, kind, state.coef, state.intercept, center, state.root, state.levels)

    def _route(self, state: LinearState) -> Route:
        """On which the state is."""
        if state.phase in ("sums", "search"):
            return CONJUGATE
        if self.precision == "high":
            return DOUBLE
        return FACTORS if state.round else GRAM

    def update(self, state: LinearState, summary: Any) -> LinearState:
        """Solve; read the rows again where that gains digits, then for scores at the coefficients."""
        scored = isinstance(summary, Scores)
        base, problem = summary.base if scored else summary, self._problem(state)
        route = ROUTES[type(base)]
        state = route.update(problem, state, base, scored)
        if not state.step:
            return state
        if self.standard_errors not in ROBUST or (scored and summary.fits):
            return state._replace(root=np.zeros((0, 0)))
        center = state.center
        if isinstance(base, Moments):
            center = base.mean if self.fit_intercept else np.zeros_like(base.mean)
        root = route.judged(problem, state, base)[0].root
        return state._replace(step=0, phase="scores", center=center, root=root)

    def certify(self, state: LinearState, summary: Any) -> tuple[Claim, ...] | None:
        """How near to the optimum, how many digits hold, and whether columns repeat each other."""
        base = summary.base if isinstance(summary, Scores) else summary
        return ROUTES[type(base)].certify(self._problem(state), state, base)

    def _problem(self, state: LinearState) -> Problem:
        return Problem(self.alpha, self.fit_intercept, state.levels)

    def predict_from(self, state: LinearState, X: Columns) -> Array:
        """Xβ + β₀."""
        return Design.of(X, state.levels) @ state.coef + state.intercept

    def regression_from(self, state: LinearState, rows: int, m: Any) -> Regression | None:
        """The errors of the predictions for other rows, read off their moments; None if that would lose digits."""
        return errors_from_moments(state.coef, state.intercept, rows, m)

    def infer(self) -> Inference:
        """What the summary says about the coefficients: standard errors and what follows from them."""
        summary, kind = self.summary_, self.standard_errors
        if summary is None:
            raise ValueError("this model was saved without its summary, and standard errors are made from that")
        robust = isinstance(summary, Scores)
        if kind in ROBUST and not (robust and summary.fits):
            raise ValueError(
                f"{kind} standard errors need the rows at these coefficients, and this model was merged from others. "
                'Remedy: fit to all rows, or use standard_errors="classical", which merge'
            )
        base = summary.base if robust else summary
        found, rounding = ROUTES[type(base)].judged(self._problem(self.model_), self.model_, base)
        given = (self.alpha, self.fit_intercept, float(base.weight), rounding)
        return infer(found, kind, *given, summary if robust else None)

    @property
    def does_not_merge(self) -> str:
        """A product at one model's coefficients says nothing of another's."""
        return NO_MERGE if isinstance(self.summary_, (CodedMoments, Products)) else ""


def errors_from_moments(coef: Array, intercept: float, rows: int, m: object) -> Regression | None:
    """The errors of a linear model on rows whose moments are known; None if that would lose digits."""
    if not isinstance(m, Moments):
        return None
    u = np.append(-coef, 1.0)
    around = float(u @ m.comoment @ u)
    shift = float(u @ m.mean + u @ m.rest) - intercept
    squared = around + m.weight * shift**2
    rough, spread = np.abs(u), np.sqrt(np.maximum(np.diag(m.comoment), 0.0))
    size = float(rough @ spread) ** 2 + m.weight * float(rough @ np.abs(m.mean)) ** 2
    if not EPS * size < 1e-11 * squared:
        return None
    target = float(m.mean[-1]), float(m.rest[-1]), Sum(float(m.comoment[-1, -1]))
    return Regression(rows, m.weight, *target, Sum(np.nan), Sum(squared))
