"""Gradient descent, row by row, batch by batch, or over all rows: w ← w - η ∇(loss of some rows + penalty).

Minimise F = Σ cᵢ ℓ(fᵢ, yᵢ) / Σ cᵢ + ½ α₂ |w|² + α₁ |w|₁, where f = wᵀx + b; b is not penalised. Over all rows the
gradients merge, and a round is one reduce. Row by row, parts are walked one after another; or each from the same
state, and the ends merge into their mean (mixing). One more pass, which merges, then proves how steep F still is.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from math import inf, isfinite
from typing import Annotated, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from tenfold.compiled.linear_model import losses as by_number
from tenfold.compiled.linear_model.descent import rate
from tenfold.core import Array, Claim, Columns, DataError, Design, Schema
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.learner import Done
from tenfold.core.statistic import Expression, Statistic
from tenfold.estimator import Estimator, fitted
from tenfold.estimator.epochs import Epoch, FinalPass, TrainedByEpochs
from tenfold.estimator.feature_coefficients import Featured
from tenfold.estimator.shell.constraints import boolean, choice, integer, real, seed, share
from tenfold.estimator.shell.keyword_decisions import (
    averaged_from_start,
    ignored_verbose,
    known_schedule,
    no_early_stopping,
    not_held_back,
    not_passive_aggressive,
    some_l1_ratio,
)
from tenfold.estimator.shell.kinds import warn_not_converged
from tenfold.estimator.updating.continuing import Continues
from tenfold.linear_model.least_squares.normal_equations import norms
from tenfold.linear_model.sgd.sgd_epoch import SCHEDULES, DescentEpoch, OrderedDescentEpoch, StepRule
from tenfold.linear_model.sgd.sgd_summaries import (
    TWO,
    LinearObjective,
    LossGradient,
    RowLengths,
    Scale,
    SGDEpochSummary,
    gap_of,
    steepness,
)
from tenfold.stats.optimize.loss_functions import LOSSES, Loss

DIVERGED = "the weights diverge, with steps of length {:.3g}. Remedy: {}, or rescale the columns, StandardScaler()"


class SGDTraining(NamedTuple):
    """Where the weights are, and how they came there."""

    summary: SGDEpochSummary
    """constants, then coefficients; the model is its weights, or its average"""
    radius: Annotated[float, NOT_NEGATIVE]
    """no row's |x|² + 1 is above this; 0 while it is not known"""
    left: int
    """epochs that may still come"""
    loss_curve: Annotated[Array, "epoch"]
    """mean loss in each epoch: of each row before it was learned from"""


class SGDModel(NamedTuple):
    """A linear model, and the state from which `partial_fit` continues."""

    coef: Annotated[Array, "output", "feature"]
    intercept: Annotated[Array, "output"]
    n_iter: int
    training: SGDTraining
    schema: Schema


class Scaling(NamedTuple):
    """The state of a fit that looks how long rows are: the first step length follows from it."""

    step: int
    schema: Schema
    training: SGDTraining


class GradientDescent(NamedTuple):
    """The state of a fit along the gradient of all rows."""

    step: int
    schema: Schema
    training: SGDTraining
    spread: Annotated[float, NOT_NEGATIVE]
    """mean of the rows' |x|² + 1"""


State: TypeAlias = Scaling | Epoch[SGDTraining] | GradientDescent | FinalPass[SGDModel] | Done
Summary: TypeAlias = Scale | SGDEpochSummary | LinearObjective


class LinearDescent(Featured, TrainedByEpochs[State, Summary, SGDModel]):
    """A linear model fitted by gradient descent: row by row, by batches, or by all rows."""

    hidden: ClassVar[frozenset[str]] = frozenset({"training"})
    training_types = (SGDTraining,)

    loss: str | Loss
    penalty: str | None
    alpha: float
    l1_ratio: float
    fit_intercept: bool
    tol: float | None
    eta0: str | float
    learning_rate: str
    power_t: float
    decay: float
    batch_size: int | None
    momentum: float
    nesterovs_momentum: bool
    average: bool
    n_iter_no_change: int
    model_: SGDModel

    def _loss(self) -> Loss:
        """The loss to go down, as an object."""
        return self.loss if isinstance(self.loss, Loss) else LOSSES[self.loss]()

    def _way(self, outputs: int) -> int:
        """How classes become the numbers that a loss takes."""
        raise NotImplementedError

    def _outputs(self, schema: Schema) -> int:
        return 1

    @property
    def draws_rows(self) -> bool:
        # Whether rows are met in a drawn order: steps along the gradient of all rows know none.
        return self.shuffle and self.batch_size is not None

    def start(self, schema: Schema) -> State:
        """The state before the rows are looked at, with weights of zero."""
        loss, p = self._loss(), int(schema.size("feature") or 0)
        if loss.code == by_number.ZERO_ONE:
            raise ValueError("the 0-1 loss has no slope to go down. Remedy: hinge or log_loss, which are above it")
        if loss.kind == "class" and schema.target == "number":
            raise ValueError(f"{loss} is a loss of classes, and the target is numbers. Remedy: SGDClassifier")
        none = np.zeros((self._outputs(schema), p + 1))
        summary = SGDEpochSummary(none, none, none, 0.0, 0.0, 0.0, 0.0)
        return Scaling(0, schema, SGDTraining(summary, 0.0, self.max_iter, np.zeros(0)))

    def onward(self, model: SGDModel) -> State:
        return Scaling(model.n_iter, model.schema, model.training._replace(left=1))

    def again(self, model: SGDModel, schema: Schema) -> State:
        """The state at the coefficients of a model, of which nothing else is taken over: steps begin again."""
        weights = self._coefs(model.training.summary)
        if len(weights) != self._outputs(schema):
            raise ValueError(
                f"the model has coefficients for {len(weights)} outputs, and loss={self.loss!r} needs "
                f"{self._outputs(schema)}. Remedy: the loss of the model"
            )
        none = np.zeros_like(weights)
        summary = SGDEpochSummary(weights, none, none, 0.0, 0.0, 0.0, 0.0)
        return Scaling(0, schema, SGDTraining(summary, 0.0, self.max_iter, np.zeros(0)))

    def ask(self, state: State) -> Expression | None:
        """How long rows are; epochs, or gradients of all rows; how steep it is at the end."""
        match state:
            case Scaling():
                return RowLengths(state.schema.levels)
            case GradientDescent(_, schema, training):
                return self._gradient(schema, training.summary.weights)
        return super().ask(state)

    def _epoch(self, state: Epoch[SGDTraining]) -> Statistic[Any]:
        start = state.training.summary
        rule = self._rule(state.step, self._eta0(state.training.radius), len(start.weights))
        how = (self.turn(state), self.shuffle, state.schema.levels, state.step > 0, start, rule)
        order = self.order(state)
        return DescentEpoch(*how) if order is None else OrderedDescentEpoch(*how, order=order)

    def _final_pass(self, model: SGDModel) -> Statistic[Any]:
        return self._gradient(model.schema, self._coefs(model.training.summary))

    def _gradient(self, schema: Schema, weights: Array) -> LossGradient:
        """Loss and gradient over all rows."""
        return LossGradient(weights, *self._kind(len(weights)), schema.levels)

    def _model_of(self, step: int, schema: Schema, training: SGDTraining) -> SGDModel:
        found = self._coefs(training.summary)
        return SGDModel(found[:, 1:].copy(), found[:, 0].copy(), step, training, schema)

    def model(self, state: State) -> SGDModel | None:
        """The weights so far; before the first step, or while they are scored, there is none."""
        if isinstance(state, GradientDescent):
            return self._model_of(*state[:3])
        return super().model(state)

    def ending(self, state: State) -> State | None:
        """The final pass over the weights of the epochs so far."""
        if isinstance(state, Epoch) and state.training.left < self.max_iter:
            return self._final(state.step, state.schema, state.training)
        return None

    def _coefs(self, summary: SGDEpochSummary) -> Array:
        """What the model is: constants, then coefficients."""
        return summary.average if self.average else summary.weights

    def _rule(self, epoch: int, eta0: float, outputs: int) -> StepRule:
        """The rule of the next epoch's steps: loss, schedule, penalties, momentum."""
        loss, target, e = self._kind(outputs)
        return StepRule(
            loss, target, self.batch_size or 1, SCHEDULES.index(self.learning_rate), self.fit_intercept, self.average,
            self.nesterovs_momentum, e, eta0, self.power_t, self.decay, *self._penalties(), self.momentum, self.alpha,
            epoch,
        )  # fmt: skip

    def _kind(self, outputs: int) -> tuple[int, int, float]:
        """Number of the loss, how targets enter, and e. The cross-entropy of two classes is logistic."""
        loss, way = self._loss(), self._way(outputs)
        code = by_number.LOGISTIC if way == TWO and loss.code == by_number.SOFTMAX else loss.code
        return code, way, loss.e

    def _penalties(self) -> tuple[float, float]:
        """The penalties α₂ of squares and α₁ of absolute values."""
        share = {None: None, "l2": 0.0, "l1": 1.0, "elasticnet": self.l1_ratio}[self.penalty]
        return (0.0, 0.0) if share is None else (self.alpha * (1 - share), self.alpha * share)

    def _eta0(self, size: float) -> float:
        """The first step length: as given, or the longest that is safe for rows whose |x|² + 1 is so large."""
        if self.eta0 != "auto":
            return float(self.eta0)
        bend = self._loss().curvature
        return 1 / ((bend if isfinite(bend) else 1.0) * size + self._penalties()[0])

    def _diverged(self, eta0: float) -> DataError:
        remedy = f"eta0={eta0 / 1000:.1g}" if self.eta0 == "auto" else "eta0='auto'"
        return DataError(DIVERGED.format(eta0, remedy))

    def update(self, state: State, s: Summary) -> State:
        """On to what comes next, or one epoch further."""
        match state, s:
            case Scaling(step, schema, training), Scale():
                training = training._replace(radius=max(training.radius, s.radius))
                if self.batch_size is None:
                    return GradientDescent(step, schema, training, s.squares / s.mass)
                return Epoch.of(step, schema, training)
            case GradientDescent(), LinearObjective():
                return self._down(state, s)
        return super().update(state, s)

    def _worst(self, outputs: int) -> float:
        """Mean loss at zero weights, if it is the same for all rows; otherwise infinite."""
        return inf

    def _check_final(self, model: SGDModel, s: LinearObjective) -> None:
        # Weights that are far worse than none at all: steps have led away from the minimum.
        if s.loss / s.mass > 2 * self._worst(len(s.weights)):
            warn_not_converged(
                f"the mean loss of {type(self).__name__} is {s.loss / s.mass:.3g} at the end, more than twice that of "
                f"weights of zero: steps of {self._eta0(model.training.radius):.3g}, times the weights of the rows, "
                "lead away from the minimum. Remedy: divide sample_weight by its mean, a smaller eta0, or "
                "StandardScaler()"
            )

    def _after_epoch(self, state: Epoch[SGDTraining], s: SGDEpochSummary) -> State:
        training = state.training
        curve = np.append(training.loss_curve, s.loss / s.mass)
        if not np.isfinite(self._coefs(s)).all() or not np.isfinite(curve[-1]):
            raise self._diverged(self._eta0(training.radius))
        left = training.left - 1
        then = SGDTraining(replace(s, loss=0.0, mass=0.0), training.radius, left, curve)
        go_on = self._final if left <= 0 or self.idle(curve) else Epoch.of
        return go_on(state.step + 1, state.schema, then)

    def _down(self, state: GradientDescent, s: LinearObjective) -> State:
        """A step down the gradient over all rows."""
        l2, l1 = self._penalties()
        steep, training, eta0 = steepness(s, l2, l1, self.fit_intercept), state.training, self._eta0(state.spread)
        last = training.summary
        if not isfinite(s.loss) or not np.isfinite(steep).all():
            raise self._diverged(eta0)
        if training.left <= 0 or (self.tol is not None and norms(steep.reshape(1, -1))[0] <= self.tol):
            final = self._final(*state[:3])
            return final if self.average else Done.of(final.model, state.step)
        choices, numbers = self._rule(state.step, eta0, len(last.weights)).arrays()
        eta = float(rate(choices[3], numbers, last.t))
        g = s.slope / s.mass
        g[:, 1:] += l2 * s.weights[:, 1:]
        if not self.fit_intercept:
            g[:, 0] = 0.0
        velocity = self.momentum * last.velocity - eta * g
        here = s.weights if not self.nesterovs_momentum else s.weights - self.momentum * last.velocity
        weights = here + velocity
        weights[:, 1:] = np.sign(weights[:, 1:]) * np.maximum(np.abs(weights[:, 1:]) - eta * l1, 0.0)
        averaged = last.averaged + 1
        average = last.average + (weights - last.average) / averaged
        if self.nesterovs_momentum:
            weights = weights + self.momentum * velocity
        training = SGDTraining(
            SGDEpochSummary(weights, velocity, average, averaged, last.t + 1, 0.0, 0.0), training.radius,
            training.left - 1, np.append(training.loss_curve, s.loss / s.mass),
        )  # fmt: skip
        return state._replace(step=state.step + 1, training=training)

    def certify(self, model: SGDModel, s: Summary) -> tuple[Claim, ...] | None:
        """What the objective is here, how steep, how far from its smallest value; and how the rows were walked."""
        if not isinstance(s, LinearObjective) or not np.array_equal(s.weights, self._coefs(model.training.summary)):
            return None
        l2, l1 = self._penalties()
        usual = "rounding errors of the usual size"
        steep = float(norms(steepness(s, l2, l1, self.fit_intercept).reshape(1, -1))[0])
        claims = [
            Claim(
                "objective",
                s.value(l2, l1),
                "proved",
                "mean loss and penalty, over all rows",
                "objective",
                usual,
            ),
            Claim("gradient", steep, "proved", "length of the shortest subgradient", "objective", usual),
        ]
        convex = self._loss().convex
        gap = gap_of(s, l2, l1, self.fit_intercept, *self._kind(len(s.weights))) if convex else inf
        why = "no weights have an objective below it by more: it is strongly convex"
        if gap >= claims[0].value:
            gap, why = claims[0].value, "vacuous: nothing is known but that no loss is below 0"
        claims.append(Claim("gap", gap, "proved", why, "objective", usual))
        short = "the gradient was below tol" if self.batch_size is None else "the loss fell by less than tol"
        ended = f"{short}, or a rule ended it" if model.training.left > 0 else "max_iter was reached"
        claims.append(Claim("epochs", float(model.n_iter), "proved", f"then {ended}", "objective"))
        if self.batch_size is not None:
            claims.append(self.mixed())
        return tuple(claims)

    def scores(self, model: SGDModel, X: Columns) -> Array:
        """Wx + b, rows x outputs."""
        return Design.of(X, model.schema.levels) @ np.ascontiguousarray(model.coef.T) + model.intercept

    def is_valid(self, model: SGDModel, summary: object, schema: Schema) -> bool:
        """Whether there are as many outputs as the classes need."""
        return len(model.coef) == len(model.training.summary.weights) == self._outputs(schema)

    def resumable(self, state: State, summary: object, schema: Schema) -> bool:
        """Whether a training has as many outputs as the classes need."""
        if isinstance(state, FinalPass):
            return self.is_valid(state.model, summary, schema)
        return isinstance(state, Done) or len(state.training.summary.weights) == self._outputs(schema)

    @property
    @fitted
    def n_iter_(self) -> int:
        """How many epochs were run."""
        return max(self.model_.n_iter, 1)

    @property
    @fitted
    def t_(self) -> float:
        """How many steps were made in all epochs."""
        return self.model_.training.summary.t

    @property
    @fitted
    def loss_curve_(self) -> Array:
        """Mean loss in each epoch."""
        return self.model_.training.loss_curve


class SGD(Continues, LinearDescent, Estimator[State, Summary, SGDModel]):  # type: ignore[override]
    """What SGDClassifier and SGDRegressor share."""

    kept_parameters: ClassVar[tuple[str, ...]] = ("fit_intercept",)

    _: KW_ONLY
    penalty: Annotated[str | None, choice("l2", "l1", "elasticnet"), None] = "l2"
    alpha: Annotated[float, real(0)] = 1e-4
    l1_ratio: Annotated[float, share(), some_l1_ratio] = 0.15
    fit_intercept: Annotated[bool, boolean] = True
    max_iter: Annotated[int, integer(1)] = 1000
    tol: Annotated[float | None, real(0), None] = 1e-3
    shuffle: Annotated[bool, boolean] = True
    random_state: Annotated[int | None, seed] = 0
    learning_rate: Annotated[str, choice(*SCHEDULES), known_schedule, not_passive_aggressive] = "invscaling"
    eta0: Annotated[str | float, choice("auto"), real(0, open=True)] = "auto"
    power_t: Annotated[float, real(0)] = 0.25
    decay: Annotated[float, real(0)] = 0.1
    batch_size: Annotated[int | None, integer(1), None] = 1
    momentum: Annotated[float, real(0)] = 0.0
    nesterovs_momentum: Annotated[bool, boolean] = False
    average: Annotated[bool, boolean, averaged_from_start] = False
    n_iter_no_change: Annotated[int, integer(1)] = 5
    mixing: Annotated[bool, boolean] = False
    verbose: Annotated[int, ignored_verbose] = 0
    early_stopping: Annotated[bool, no_early_stopping] = False
    validation_fraction: Annotated[float, not_held_back] = 0.1
    warm_start: Annotated[bool, boolean] = False
