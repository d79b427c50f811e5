"""Least squares by the route that the rows need: the learner that LinearRegression and Ridge are.

Minimise ½ Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + ½ α |β|². The normal equations A β = b come from the centred
co-moments; the penalty enters here, never in the summary. A perturbation bound for each coefficient shows
how many digits hold. If rounding could be seen beside the noise of the data, one more scan is asked
for, whose summary is the triangular factor of the design; with `precision="high"` the moments themselves are summed
in twice the working precision; of thousands of categories, conjugate gradients find the coefficients; with a penalty,
and more features than rows, the dual has one equation for each row. Robust standard errors need the scores of the rows
at the coefficients: one scan more.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Columns, Design, Need, Schema
from tenfold.core.axes import Bundle
from tenfold.core.learner import Done, Initial
from tenfold.core.statistic import Statistic
from tenfold.estimator import OnePass, SummaryScored
from tenfold.estimator.feature_coefficients import Featured
from tenfold.estimator.shell.multi_output import MultiOutput
from tenfold.linear_model.inference.inference import Inferring, RobustErrors
from tenfold.linear_model.inference.standard_errors import ROBUST, Inference, infer
from tenfold.linear_model.least_squares import dual_ridge
from tenfold.linear_model.least_squares.conjugate_gradients import (
    MAX_COUNTED_CATEGORIES,
    Checking,
    ConjugateGradients,
    Searching,
    too_many,
)
from tenfold.linear_model.least_squares.normal_equations import EPS
from tenfold.linear_model.least_squares.reference_levels import Matrix
from tenfold.linear_model.least_squares.routes import (
    DoubleDouble,
    Factoring,
    GramMatrix,
    LinearModel,
    Refining,
    RidgeProblem,
    Route,
    TriangularFactors,
)
from tenfold.stats.metrics import Regression, Sum
from tenfold.stats.moments.category_moments import NO_MERGE, CodedMoments, Products
from tenfold.stats.moments.double_moments import DoubleMoments
from tenfold.stats.moments.moments import Moments
from tenfold.stats.moments.rfactor import RFactor
from tenfold.stats.optimize.score_products import DoubleScores, FactorScores, ScoreProducts, ScoresAt
from tenfold.stats.rows.wide_rows import Rows, RowsOrComoments

GRAM, FACTORS, DOUBLE, CONJUGATE = GramMatrix(), TriangularFactors(), DoubleDouble(), ConjugateGradients()
ROUTES: dict[type, Route[Any]] = {Moments: GRAM, RFactor: FACTORS, DoubleMoments: DOUBLE}
"""by which a summary came"""


class Scoring(NamedTuple):
    """The state of a fit that reads the rows for their scores at a model, which robust standard errors need."""

    step: int
    model: LinearModel
    center: Annotated[Array, "feature"]
    root: Annotated[Array, "known", "direction"]
    """R with RRᵀ the inverse of the normal matrix"""
    base: Bundle
    """the state whose statistic comes along, so that models still merge"""


State = Initial | Factoring | Refining | Searching | Checking | Scoring | Done
Summary = Matrix | ScoreProducts | FactorScores | DoubleScores | CodedMoments | Products | Rows


class LeastSquares(MultiOutput, RobustErrors, OnePass, Inferring, Featured, SummaryScored):
    """Base of `LinearRegression` and `Ridge`, which define the parameters."""

    need = Need("mixed", sparse=True, target="number")

    precision = "normal"
    merges_if = f"if categories are at most {MAX_COUNTED_CATEGORIES:,}"

    def statistic(self, schema: Schema) -> Statistic:
        # Moments: of pairs of features, in double-double, or without pairs of categories if those are too many.
        # With a penalty and very many features, the rows themselves while they are fewer.
        categories, plain = int(schema.levels.sum()), self.precision == "normal" and self.standard_errors not in ROBUST
        has_matrix = not categories or not too_many(categories)
        if self.alpha and plain and has_matrix and int(schema.size("feature") or 0) > dual_ridge.MIN_WIDE_FEATURES:
            return RowsOrComoments(schema.levels)
        if has_matrix:
            return (DOUBLE if self.precision == "high" else GRAM).statistic(schema)
        if self.precision == "high" or self.standard_errors in ROBUST:
            asked = 'precision="high"' if self.precision == "high" else f'standard_errors="{self.standard_errors}"'
            raise ValueError(
                f"{asked} takes a matrix of all features, and {categories:,} categories are too many for one. Remedy: "
                f"the default, or fewer than {MAX_COUNTED_CATEGORIES:,} categories"
            )
        return CONJUGATE.statistic(schema)

    def ask(self, state: State) -> Statistic | None:
        # What the route asks for; with the scores of the rows, if the standard errors need them.
        match state:
            case Initial() | Done():
                return super().ask(state)
            case Scoring(_, model, center, root, base):
                place = (model.coef, model.intercept, center, root, model.schema.levels)
                return ScoresAt(self.ask(base.each[0]), self._scores, *place)  # type: ignore[arg-type]
            case _:
                return state.statistic()

    @property
    def merges_unsolved(self) -> bool:
        # Return False: the model of the first pass decides whether the rows are read again.
        return False

    def update(self, state: State, summary: Summary) -> State:
        # Solve; read the rows again where that gains digits, then for scores at the coefficients.
        match state, summary:
            case Searching(), Products():
                return CONJUGATE.update(self._problem(state.schema), state, summary)
            case Initial() | Checking(), CodedMoments():
                found = CONJUGATE.begin(self._problem(state.schema), state, summary)
                return found if isinstance(found, Searching) else Done.of(found)
            case Initial(), Rows():
                return Done.of(dual_ridge.model_of(self._problem(state.schema), summary))
            case Scoring(), ScoreProducts():
                return self._solved(state.model.schema, state.base.each[0], summary.base, summary)
            case Initial(), ScoreProducts():  # merged
                return self._solved(state.schema, state, summary.base, summary)
            case Initial(), Moments() | RFactor() | DoubleMoments():
                return self._solved(state.schema, state, summary)
            case Factoring() | Refining(), Moments() | RFactor() | DoubleMoments():
                return self._solved(state.model.schema, state, summary)
        raise AssertionError

    def _solved(
        self, schema: Schema, state: Initial | Factoring | Refining, base: Matrix, scores: ScoreProducts | None = None
    ) -> State:
        """The model of a summary with a matrix, or the state that reads the rows once more."""
        problem, route = self._problem(schema), ROUTES[type(base)]
        model, again, worthwhile = route.update(problem, state, base, scores is not None)
        if worthwhile:
            return again
        if self.standard_errors not in ROBUST or (scores is not None and scores.fits):
            return Done.of(model)
        p = len(model.coef)
        center = again.center[:p] if isinstance(again, (Factoring, Refining)) else np.zeros(p)
        if isinstance(base, Moments) and self.fit_intercept:
            center = base.mean[:p]
        return Scoring(0, model, center, route.solution_for_errors(problem, model, base)[0].root, Bundle((again,)))

    def model(self, state: State) -> LinearModel | None:
        # The last coefficients; while conjugate gradients search there are none.
        return None if isinstance(state, (Initial, Searching, Checking)) else state.model

    def certify(self, model: LinearModel, summary: Summary) -> tuple[Claim, ...] | None:
        """How near to the optimum, how many digits hold, and whether columns repeat each other."""
        problem = self._problem(model.schema)
        match summary:
            case CodedMoments():
                return CONJUGATE.certify(problem, summary)
            case Products():
                return None
            case Rows():
                return dual_ridge.claims_of(problem, model, summary)
        base = summary.base if isinstance(summary, ScoreProducts) else summary
        return ROUTES[type(base)].certify(problem, model, base)

    def _problem(self, schema: Schema) -> RidgeProblem:
        return RidgeProblem(self.alpha, self.fit_intercept, schema)

    def predict_from(self, model: LinearModel, X: Columns) -> Array:
        """The predicted numbers, Xβ + β₀."""
        return Design.of(X, model.schema.levels) @ model.coef + model.intercept

    def regression_from(self, model: LinearModel, rows: int, summary: object) -> Regression | None:
        # The errors of the predictions for other rows, read off their moments; None if that would lose digits.
        return errors_from_moments(model.coef, model.intercept, rows, summary)

    def infer(self) -> Inference:
        """Inference about the coefficients: standard errors, tests and intervals."""
        summary, kind = self.summary_, self.standard_errors
        if summary is None:
            raise ValueError("this model was saved without its summary, and standard errors are made from that")
        if isinstance(summary, (CodedMoments, Products)):
            raise ValueError(
                f"standard errors take a matrix of all features, and {len(summary.product):,} categories "
                f"are too many for one. Remedy: fewer than {MAX_COUNTED_CATEGORIES:,}"
            )
        scores = summary if isinstance(summary, ScoreProducts) else None
        if kind in ROBUST and not (scores is not None and scores.fits):
            raise ValueError(
                f"{kind} standard errors need the rows at these coefficients, and this model was merged from others. "
                'Remedy: fit to all rows, or use standard_errors="classical", which merge'
            )
        base = summary.moments() if isinstance(summary, Rows) else summary if scores is None else scores.base
        found, rounding = ROUTES[type(base)].solution_for_errors(self._problem(self.schema_), self.model_, base)
        given = (self.alpha, self.fit_intercept, float(base.weight), rounding)
        return infer(found, kind, *given, scores)

    @property
    def does_not_merge(self) -> str:
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
