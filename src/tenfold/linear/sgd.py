"""Gradient descent, row by row, batch by batch, or over all rows: w ← w - η ∇(loss of some rows + penalty).

Minimise F = Σ cᵢ ℓ(fᵢ, yᵢ) / Σ cᵢ + ½ α₂ |w|² + α₁ |w|₁, where f = wᵀx + b; b is not penalised. Over all rows the
gradients merge, and a round is one reduce. Row by row, parts are walked one after another; or each from the same
state, and the ends merge into their mean (mixing). One more pass, which merges, then proves how steep F still is.
"""

from __future__ import annotations

from math import isfinite
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Codes, Columns, DataError, Design, Schema
from tenfold.core.allowed import LEVELS, NOT_NEGATIVE, OneOf
from tenfold.core.losses import LOSSES, Loss
from tenfold.estimator.featured import Featured
from tenfold.estimator.sequential import Sequential
from tenfold.kernels import losses as by_number
from tenfold.kernels.descent import rate
from tenfold.linear.sgd_epoch import SCHEDULES, DescentEpoch, OrderedDescentEpoch, StepRule
from tenfold.linear.solving import norms
from tenfold.linear.steepness import TWO, LossGradient, Objective, RowLengths, Scale, Walk, gap_of, steepness

DIVERGED = (
    "the weights grow without end, with steps of length {:.3g}. Remedy: eta0='auto', or rescale the columns, "
    "StandardScaler()"
)


class SGDState(NamedTuple):
    """A linear model, and where the walk is."""

    step: int
    phase: Annotated[str, OneOf("scale", "batch", "epoch", "gradient", "done")]
    coef: Annotated[Array, "output", "feature"]
    intercept: Annotated[Array, "output"]
    weights: Annotated[Array, "output", "predictor"]
    """where the walk is: constants, then coefficients; the model, unless that is the average"""
    velocity: Annotated[Array, "output", "predictor"]
    average: Annotated[Array, "output", "predictor"]
    averaged: Annotated[float, NOT_NEGATIVE]
    """steps in the average"""
    t: Annotated[float, NOT_NEGATIVE]
    """steps so far"""
    radius: Annotated[float, NOT_NEGATIVE]
    """no row's |x|² + 1 is above this; 0 while it is not known"""
    spread: Annotated[float, NOT_NEGATIVE]
    """their mean, if steps are of all rows"""
    left: int
    """epochs that may still come"""
    loss_curve: Annotated[Array, "epoch"]
    """mean loss in each epoch: of each row before it was learned from"""
    levels: Annotated[Codes, "column", LEVELS]


class Descent(Featured, Sequential):
    """What SGDRegressor and SGDClassifier share."""

    model_type: ClassVar[type] = SGDState
    summary_types: ClassVar[tuple[type, ...]] = (Scale, Walk, Objective)
    steering: ClassVar[frozenset[str]] = frozenset(SGDState._fields) - {"coef", "intercept", "t", "loss_curve"}

    loss: Any
    penalty: str | None
    alpha: float
    l1_ratio: float
    fit_intercept: bool
    tol: float | None
    eta0: Any
    learning_rate: str
    power_t: float
    decay: float
    batch_size: int | None
    momentum: float
    nesterovs_momentum: bool
    average: bool
    n_iter_no_change: int

    def _loss(self) -> Loss:
        """The loss object."""
        return self.loss if isinstance(self.loss, Loss) else LOSSES[self.loss]()

    def _way(self, outputs: int) -> int:
        """How targets become numbers."""
        raise NotImplementedError

    def _outputs(self, schema: Schema) -> int:
        return 1

    @property
    def draws_rows(self) -> bool:
        """Whether rows are met in a drawn order: steps along the gradient of all rows know none."""
        return self.shuffle and self.batch_size is not None

    def start(self, schema: Schema) -> SGDState:
        """Zero weights."""
        loss, p = self._loss(), int(schema.size("feature") or 0)
        if loss.code == by_number.ZERO_ONE:
            raise ValueError("the 0-1 loss has no slope to go down. Remedy: hinge or log_loss, which are above it")
        if loss.kind == "class" and schema.target == "number":
            raise ValueError(f"{loss} is a loss of classes, and the target is numbers. Remedy: SGDClassifier")
        none = np.zeros((self._outputs(schema), p + 1))
        return SGDState(
            0, "scale", none[:, 1:], none[:, 0], none, none, none, 0.0, 0.0, 0.0, 0.0, self.max_iter,
            np.zeros(0), schema.levels,
        )  # fmt: skip

    def onward(self, state: SGDState) -> SGDState:
        """One epoch more, over other rows."""
        return state._replace(phase="scale", left=1)

    def ask(self, state: SGDState) -> RowLengths | DescentEpoch | LossGradient | None:
        """How long rows are; epochs; how steep it is at the end."""
        if state.phase == "done":
            return None
        if state.phase == "scale":
            return RowLengths(state.levels)
        if state.phase == "epoch":
            start = Walk(state.weights, state.velocity, state.average, state.averaged, state.t, 0.0, 0.0)
            how = (self.turn(state), self.shuffle, state.levels, state.step > 0, start, self._rule(state))
            order = self.order(state)
            return DescentEpoch(*how) if order is None else OrderedDescentEpoch(*how, order=order)
        weights = state.weights if state.phase == "batch" else _model(state)
        return LossGradient(weights, *self._kind(len(weights)), state.levels)

    def _rule(self, state: SGDState) -> StepRule:
        """How steps are made."""
        loss, target, e = self._kind(len(state.weights))
        return StepRule(
            loss, target, self.batch_size or 1, SCHEDULES.index(self.learning_rate), self.fit_intercept, self.average,
            self.nesterovs_momentum, e, self._eta0(state), self.power_t, self.decay, *self._penalties(), self.momentum,
            self.alpha, state.step,
        )  # fmt: skip

    def _kind(self, outputs: int) -> tuple[int, int, float]:
        """Number of the loss, how targets enter, and e. The cross-entropy of two classes is logistic."""
        loss, way = self._loss(), self._way(outputs)
        code = by_number.LOGISTIC if way == TWO and loss.code == by_number.SOFTMAX else loss.code
        return code, way, loss.e

    def _penalties(self) -> tuple[float, float]:
        """α₂ and α₁."""
        share = {None: None, "l2": 0.0, "l1": 1.0, "elasticnet": self.l1_ratio}[self.penalty]
        return (0.0, 0.0) if share is None else (self.alpha * (1 - share), self.alpha * share)

    def _eta0(self, state: SGDState) -> float:
        """The first step length: as given, or the longest that is safe for every row (or for their mean)."""
        if self.eta0 != "auto":
            return float(self.eta0)
        bend = self._loss().curvature
        size = state.spread if self.batch_size is None else state.radius
        return 1 / ((bend if isfinite(bend) else 1.0) * size + self._penalties()[0])

    def update(self, state: SGDState, s: Scale | Walk | Objective) -> SGDState:
        """On to the next phase, or one epoch further."""
        if isinstance(s, Scale):
            phase, spread = ("batch", s.squares / s.mass) if self.batch_size is None else ("epoch", 0.0)
            return state._replace(phase=phase, radius=max(state.radius, s.radius), spread=spread)
        if state.phase == "gradient":
            return state._replace(phase="done")
        if isinstance(s, Objective):
            return self._down(state, s)
        curve = np.append(state.loss_curve, s.loss / s.mass)
        weights = s.average if self.average else s.weights
        if not np.isfinite(weights).all() or not np.isfinite(curve[-1]):
            raise DataError(DIVERGED.format(self._eta0(state)))
        left = state.left - 1
        ends = left <= 0 or self._idle(curve)
        return state._replace(
            step=state.step + 1, phase="gradient" if ends else "epoch", coef=weights[:, 1:], intercept=weights[:, 0],
            weights=s.weights, velocity=s.velocity, average=s.average, averaged=s.averaged, t=s.t, left=left,
            loss_curve=curve,
        )  # fmt: skip

    def _idle(self, curve: Array) -> bool:
        """Whether the loss has not fallen by `tol` for some epochs."""
        last = self.n_iter_no_change
        if self.tol is None or len(curve) <= last:
            return False
        return bool(curve[-last:].min() > curve[:-last].min() - self.tol)

    def _down(self, state: SGDState, s: Objective) -> SGDState:
        """A step down the gradient over all rows."""
        l2, l1 = self._penalties()
        steep = steepness(s, l2, l1, self.fit_intercept)
        if not isfinite(s.loss) or not np.isfinite(steep).all():
            raise DataError(DIVERGED.format(self._eta0(state)))
        if state.left <= 0 or (self.tol is not None and norms(steep.reshape(1, -1))[0] <= self.tol):
            return state._replace(phase="gradient" if self.average else "done")
        choices, numbers = self._rule(state).arrays()
        eta = float(rate(choices[3], numbers, state.t))
        g = s.slope / s.mass
        g[:, 1:] += l2 * s.weights[:, 1:]
        if not self.fit_intercept:
            g[:, 0] = 0.0
        velocity = self.momentum * state.velocity - eta * g
        here = s.weights if not self.nesterovs_momentum else s.weights - self.momentum * state.velocity
        weights = here + velocity
        weights[:, 1:] = np.sign(weights[:, 1:]) * np.maximum(np.abs(weights[:, 1:]) - eta * l1, 0.0)
        averaged = state.averaged + 1
        average = state.average + (weights - state.average) / averaged
        if self.nesterovs_momentum:
            weights = weights + self.momentum * velocity
        found = average if self.average else weights
        return state._replace(
            step=state.step + 1, coef=found[:, 1:], intercept=found[:, 0], weights=weights, velocity=velocity,
            average=average, averaged=averaged, t=state.t + 1, left=state.left - 1,
            loss_curve=np.append(state.loss_curve, s.loss / s.mass),
        )  # fmt: skip

    def certify(self, state: SGDState, s: Scale | Walk | Objective) -> tuple[Claim, ...] | None:
        """What the objective is here, how steep, how far from its least value; and how the rows were walked."""
        if not isinstance(s, Objective) or state.phase == "gradient" or not np.array_equal(s.weights, _model(state)):
            return None
        l2, l1 = self._penalties()
        usual = "rounding errors of the usual size"
        steep = float(norms(steepness(s, l2, l1, self.fit_intercept).reshape(1, -1))[0])
        claims = [
            Claim("objective", s.value(l2, l1), "proved", "mean loss and penalty, over all rows", "objective", usual),
            Claim("gradient", steep, "proved", "length of the shortest subgradient", "objective", usual),
        ]
        gap = gap_of(s, l2, l1, self.fit_intercept, *self._kind(len(s.weights)))
        why = "no weights have an objective below it by more: it is strongly convex"
        if gap >= claims[0].value:
            gap, why = claims[0].value, "vacuous: nothing is known but that no loss is below 0"
        claims.append(Claim("gap", gap, "proved", why, "objective", usual))
        ended = "the loss no longer fell by tol" if state.left > 0 else "no more were allowed"
        if self.batch_size is None:
            ended = "the gradient was below tol" if state.left > 0 else "no more were allowed"
        claims.append(Claim("epochs", float(state.step), "proved", f"then {ended}", "objective"))
        if self.batch_size is not None:
            how = "one part after another, each from where the last one led"
            if self.mixing:
                how = "each part from the same weights, then their mean (iterative parameter mixing)"
            claims.append(Claim("mixed", float(self.mixing), "proved", how, "objective"))
        return tuple(claims)

    def scores(self, state: SGDState, X: Columns) -> Array:
        """Wx + b, rows x outputs."""
        return Design.of(X, state.levels) @ np.ascontiguousarray(state.coef.T) + state.intercept

    def sound(self, state: SGDState, summary: Any, schema: Schema) -> bool:
        """Whether there are as many outputs as the classes need."""
        return len(state.coef) == self._outputs(schema)

    @property
    def n_iter_(self: Any) -> int:
        """Epochs."""
        return max(int(self.model_.step), 1)


def _model(state: SGDState) -> Array:
    """Constants, then coefficients."""
    return np.column_stack([state.intercept, state.coef])
