"""Adaline, a linear unit that learns classes by the delta rule: w ← w + η (t - wᵀx) x, where t is 1 or -1.

It goes down F(w) = Σ cᵢ (tᵢ - wᵀxᵢ - b)² / 2 Σ cᵢ. With m and S the mean and the covariance of the rows, q the
covariance of rows and targets, and r the mean error, the slope of F is -r in b and Sw - q - rm in w. So the rule of all
rows at once needs their moments alone, which merge: one pass, and no rows in its epochs. They hold the minimum of F
too: at any weights, F lies above its minimum by ½ (q - Sw)ᵀ S⁺ (q - Sw) + ½ r².
"""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Need, Schema
from tenfold.core.learner import Done
from tenfold.core.statistic import Expression
from tenfold.estimator.epochs import FinalPass
from tenfold.estimator.shell.constraints import boolean, choice, integer, real, seed
from tenfold.estimator.shell.decision_function import Deciding
from tenfold.linear_model.class_moments.linear_scores import class_means, shortfalls
from tenfold.linear_model.class_moments.whitening import ROUNDING_ASSUMPTION, Whitening, digits, whiten
from tenfold.linear_model.least_squares.normal_equations import norms, varying
from tenfold.linear_model.sgd.sgd import GradientDescent, LinearDescent, Scaling, SGDModel, State
from tenfold.linear_model.sgd.sgd_summaries import REST, TWO, Scale, SGDEpochSummary
from tenfold.stats.moments.scatter import Scatter, ScatterWithinClasses


class SquaredErrors(NamedTuple):
    """Targets of 1 and -1 and the columns, in moments: all that the mean squared error depends on."""

    target: Array
    """mean target of each output"""
    center: Array
    """m, the mean of the rows"""
    covariance: Array
    """S"""
    pull: Array
    """q, outputs x columns"""
    weight: float

    @classmethod
    def of(cls, s: Scatter) -> SquaredErrors:
        """Build the moments from class weights, class means and the within-class scatter; two classes have one
        output."""
        share, center, apart, _ = class_means(s, None)
        if len(share) <= 2:
            share, apart = (share[1:], apart[1:]) if len(share) == 2 else (np.zeros(1), np.zeros_like(apart))
        total = s.overall()
        return cls(2 * share - 1, center, total.comoment / total.weight, 2 * share[:, None] * apart, total.weight)

    def error(self, weights: Array) -> Array:
        """r, the mean of target less output."""
        return self.target - weights[:, 0] - weights[:, 1:] @ self.center

    def slip(self, weights: Array) -> Array:
        """q - Sw: 0 where the errors do not vary with the columns."""
        return self.pull - weights[:, 1:] @ self.covariance

    def value(self, weights: Array) -> float:
        """F, half the mean of the squared errors, summed over the outputs."""
        spread = 1 - self.target**2 - (weights[:, 1:] * (self.pull + self.slip(weights))).sum(axis=1)
        return float(0.5 * (np.maximum(spread, 0.0) + self.error(weights) ** 2).sum())

    def slope(self, weights: Array, constant: bool) -> Array:
        """The gradient of F in the constants, which may be kept at 0, and in the coefficients."""
        r = self.error(weights)
        return -np.column_stack([r if constant else np.zeros_like(r), self.slip(weights) + np.outer(r, self.center)])

    def curvature(self, constant: bool) -> float:
        """The largest second derivative of F: steps up to its inverse never overshoot."""
        squares = self.covariance + np.outer(self.center, self.center)
        if constant:
            squares = np.block([[np.ones((1, 1)), self.center[None, :]], [self.center[:, None], squares]])
        return float(np.linalg.eigvalsh(squares)[-1])

    def whitening(self, constant: bool) -> Whitening:
        """Whitening transform of the covariance; without a constant, of the mean products."""
        if not constant:
            squares = self.covariance + np.outer(self.center, self.center)
            return whiten(squares, np.diag(squares) > 0, 1e-6)
        return whiten(self.covariance, varying(np.diag(self.covariance), np.abs(self.center), 1.0), 1e-6)

    def gap(self, weights: Array, constant: bool) -> float:
        """How far F is above its smallest value."""
        r, half = self.error(weights), self.whitening(constant).half
        if constant:
            return float(0.5 * (((self.slip(weights) @ half) ** 2).sum() + (r**2).sum()))
        return float(0.5 * (((self.slip(weights) + np.outer(r, self.center)) @ half) ** 2).sum())


class Adaline(LinearDescent, Deciding):  # type: ignore[override]
    """Adaline: a linear unit trained by the delta rule (LMS, Widrow and Hoff), a threshold on its output; sequential.

    Targets are 1 for a class and -1 for the others. Unlike the perceptron it learns from every row, also from those
    that are right, so it settles where no plane separates the classes. Over all rows (`batch_size=None`) an epoch needs
    only their moments: one pass, however many epochs. The minimum is known from the same moments, so the certificate
    bounds their distance from it; :class:`~tenfold.LeastSquaresClassifier` needs no epochs. More than
    two classes: each against the rest. Columns are numbers.

    Parameters
    ----------
    batch_size : int or None, default=None
        Rows to a step. None: all, the batch form; 1 is the stochastic form.
    eta0 : float or "auto", default="auto"
        The step length. "auto": the longest that cannot overshoot, for any row (found by one more pass), or for all.
    fit_intercept : bool, default=True
        Whether to fit a constant term beside the coefficients.
    max_iter : int, default=1000
        Epochs at most.
    tol : float or None, default=0.001
        Stop when the loss of `n_iter_no_change` epochs is not lower by this much than before; over all rows when the
        gradient is shorter than this. None: never.
    n_iter_no_change : int, default=5
        How many epochs in a row may bring no improvement of `tol` before the fit stops.
    shuffle : bool, default=True
        Whether to take rows in another order in each epoch; if not, as they come.
    random_state : int, default=0
        Seed of the order. None draws one, and the certificate records it.
    mixing : bool, default=False
        False: one part after another. True: each part from the same weights, at the same time, and then their
        mean. Both give the same bits on any number of workers.

    Attributes
    ----------
    classes_ : array
    coef_ : array of shape (1, features) for two classes, else (classes, features)
    intercept_ : array of shape (1,) or (classes,)
    loss_curve_ : array of shape (epochs,)
        Half the mean squared error in each epoch: of each row before it was learned from.
    n_iter_ : int
    t_ : float
        Steps.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import Adaline
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [False, True, True, True]
    >>> model = Adaline(tol=1e-9).fit(X, y)
    >>> model.coef_.round(6).tolist(), model.intercept_.round(6).tolist()
    ([[1.0, 1.0]], [-0.5])
    >>> model.predict(X).tolist()
    [False, True, True, True]
    >>> bool(model.certificate_["gap"].value < 1e-12)
    True
    """

    need = Need("numeric", target="class")
    law_params = (
        {"max_iter": 4},
        {"max_iter": 4, "batch_size": 1},
        {"max_iter": 3, "batch_size": 5, "shuffle": False},
        {"max_iter": 3, "batch_size": 1, "mixing": True, "fit_intercept": False},
    )
    expected_failed_checks: ClassVar[dict[str, str]] = {}

    batch_size: Annotated[int | None, integer(1), None] = None
    _: KW_ONLY
    eta0: Annotated[str | float, choice("auto"), real(0, open=True)] = "auto"
    fit_intercept: Annotated[bool, boolean] = True
    max_iter: Annotated[int, integer(1)] = 1000
    tol: Annotated[float | None, real(0), None] = 1e-3
    n_iter_no_change: Annotated[int, integer(1)] = 5
    shuffle: Annotated[bool, boolean] = True
    random_state: Annotated[int | None, seed] = 0
    mixing: Annotated[bool, boolean] = False
    loss = "squared_error"
    penalty = None
    alpha = l1_ratio = power_t = decay = momentum = 0.0
    learning_rate = "constant"
    nesterovs_momentum = average = False

    def _outputs(self, schema: Schema) -> int:
        return 1 if len(schema.classes) <= 2 else len(schema.classes)

    def _way(self, outputs: int) -> int:
        return TWO if outputs == 1 else REST

    def start(self, schema: Schema) -> State:
        return self._begun(super().start(schema))

    def onward(self, model: SGDModel) -> State:
        return self._begun(super().onward(model))

    def _begun(self, state: State) -> State:
        """Of all rows at once the length of each is not asked for."""
        if self.batch_size is not None or not isinstance(state, Scaling):
            return state
        return GradientDescent(*state, 0.0)

    def ask(self, state: State) -> Expression | None:
        # How long rows are and epochs, row by row; the moments of all rows, to learn from or to score by.
        if isinstance(state, (GradientDescent, FinalPass)):
            schema = state.schema if isinstance(state, GradientDescent) else state.model.schema
            return ScatterWithinClasses(len(schema.classes))
        return super().ask(state)

    def update(self, state: State, s: Scale | SGDEpochSummary | Scatter) -> State:  # type: ignore[override]  # no objective
        match state, s:
            case GradientDescent(), Scatter():
                return self._stepped(state, SquaredErrors.of(s))
            case FinalPass(), Scatter():
                return Done.of(state.model, state.step)
            case _, Scale() | SGDEpochSummary():
                return super().update(state, s)
        raise AssertionError

    def _stepped(self, state: GradientDescent, errors: SquaredErrors) -> State:
        """One step of the delta rule of all rows."""
        training, here = state.training, state.training.summary.weights
        slope = errors.slope(here, self.fit_intercept)
        eta = float(self.eta0) if self.eta0 != "auto" else 1 / (errors.curvature(self.fit_intercept) or 1.0)
        with np.errstate(over="ignore", invalid="ignore"):
            value = errors.value(here)
        if not np.isfinite(value) or not np.isfinite(slope).all():
            raise self._diverged(eta)
        if training.left <= 0 or (self.tol is not None and norms(slope.reshape(1, -1))[0] <= self.tol):
            return Done.of(self._model_of(*state[:3]), state.step)
        summary = replace(training.summary, weights=here - eta * slope, t=training.summary.t + 1)
        curve = np.append(training.loss_curve, value)
        training = training._replace(summary=summary, left=training.left - 1, loss_curve=curve)
        return state._replace(step=state.step + 1, training=training)

    def certify(self, model: SGDModel, s: Scale | SGDEpochSummary | Scatter) -> tuple[Claim, ...] | None:  # type: ignore[override]
        if not isinstance(s, Scatter):
            return None
        errors, weights = SquaredErrors.of(s), model.training.summary.weights
        white = errors.whitening(self.fit_intercept)
        steep = float(norms(errors.slope(weights, self.fit_intercept).reshape(1, -1))[0])
        why = "above the minimum, which least squares finds in the same moments"
        which = "smallest eigenvalue of the correlations of the columns: of the minimum, columns having unit variance"
        short = "the gradient was below tol" if self.batch_size is None else "the loss fell by less than tol"
        ended = short if model.training.left > 0 else "max_iter was reached"
        half = "half the mean squared error, over all rows"
        claims = (
            Claim("objective", errors.value(weights), "proved", half, "objective", ROUNDING_ASSUMPTION),
            Claim(
                "gradient",
                steep,
                "proved",
                "its norm: 0 at the minimum and nowhere else",
                "objective",
                ROUNDING_ASSUMPTION,
            ),
            Claim("gap", errors.gap(weights, self.fit_intercept), "estimated", why, "objective", ROUNDING_ASSUMPTION),
            Claim("epochs", float(model.n_iter), "proved", f"then {ended}", "objective"),
            digits(white.least, errors.weight, which),
            *shortfalls(white.varies, white.rank, "fewer columns", "rows"),
        )
        return claims if self.batch_size is None else (*claims, self.mixed())
