"""How networks are trained: epochs along batches, validation after each, and a final pass over all rows.

Minimise F(w) = Σ cᵢ ℓ(f(xᵢ; w), yᵢ) / C + (λ₂ |W|² / 2 + λ₁ Σ |W|) / C, where xᵢ is a row, or a sequence of rows,
C = Σ cᵢ, and W are the weights among w that are penalised. F is not convex: where a fit ends is certified (how steep
it is there), not that nothing lower exists.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, NamedTuple, Protocol, TypeAlias, cast

import numpy as np

from tenfold.core import Array, Claim, DataError, Schema
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.learner import Done, ModelT, StateT, SummaryT
from tenfold.core.statistic import Expression, Statistic
from tenfold.estimator import Estimator, fitted
from tenfold.estimator.epochs import Epoch, FinalPass, TrainedByEpochs, Validate
from tenfold.neural_network.mlp.objective import Objective
from tenfold.stats.rows.draws import Holdout
from tenfold.theory import held_out_bound

DELTA = 0.05
"""the chance that a bound fails"""


class Diverged(DataError):
    """The weights of a network diverged; from another start they may not."""

    @classmethod
    def at(cls, rate: float) -> Diverged:
        """Steps of this length were too long."""
        return cls(
            f"the weights diverge, with learning_rate_init={rate:.3g}. Remedy: a smaller one, or rescale the "
            "columns, StandardScaler(), and a target of numbers"
        )


@dataclass(frozen=True, eq=False)
class EpochSummary:
    """Where batches have led, and what they cost on the way. It does not merge: the next batch begins there."""

    weights: Annotated[Array, "parameter"]
    first: Annotated[Array, "parameter"]
    """the velocity; of Adam the mean of gradients"""
    second: Annotated[Array, "parameter"]
    """of Adam the mean of their squares, else zeros"""
    steps: int
    """batches in all epochs"""
    seen: int
    """rows, or sequences, in all epochs"""
    loss: float
    """summed over the rows of this epoch, with the penalty of each batch"""
    mass: Annotated[float, NOT_NEGATIVE]


class Training(NamedTuple):
    """Where the weights of a network are, and how they came there."""

    weights: Annotated[Array, "parameter"]
    first: Annotated[Array, "parameter"]
    """the velocity; of Adam the mean of gradients"""
    second: Annotated[Array, "parameter"]
    """of Adam the mean of their squares, else zeros"""
    best: Annotated[Array, "parameter"]
    """the weights of the epoch with the best validation score; without validation, those of the last epoch"""
    steps: int
    """batches in all epochs"""
    seen: int
    """rows, or sequences, in all epochs"""
    rate: Annotated[float, NOT_NEGATIVE]
    """the length of a step in the next epoch"""
    idle: int
    """epochs without an improvement"""
    left: int
    """epochs, or rounds, that may still come"""
    loss_curve: Annotated[Array, "epoch"]
    validation_scores: Annotated[Array, "validated"]
    factors: Annotated[Array, "weighted class", NOT_NEGATIVE]
    """of the weights of rows of each class; empty if there are none"""

    @property
    def summary(self) -> EpochSummary:
        """Where the next epoch begins."""
        return EpochSummary(self.weights, self.first, self.second, self.steps, self.seen, 0.0, 0.0)


NetworkState: TypeAlias = Epoch[Training] | Validate[Training] | FinalPass[ModelT] | Done[ModelT]
NetworkSummary: TypeAlias = EpochSummary | Objective


class HasWeights(Protocol):
    """The fields that the models of all networks have."""

    @property
    def weights(self) -> Array: ...
    @property
    def n_iter(self) -> int: ...
    @property
    def training(self) -> Training: ...
    @property
    def schema(self) -> Schema: ...


class TrainedNetwork(
    TrainedByEpochs[StateT | NetworkState[ModelT], SummaryT | NetworkSummary, ModelT],
    Estimator[StateT | NetworkState[ModelT], SummaryT | NetworkSummary, ModelT],
    Generic[StateT, SummaryT, ModelT],
):
    """What networks share. A subclass writes `_network`, `_epoch`, `_gradient` and `_model_of`.

    Its model has fields `weights`, `n_iter`, `training` and `schema`.
    """

    expected_failed_checks: ClassVar[dict[str, str]] = {}
    training_types = (Training,)
    mixing = False
    n_init = 1
    _examples: ClassVar[str] = "rows"
    """what batches are of"""

    if TYPE_CHECKING:  # parameters of the subclasses
        alpha: float
        learning_rate_init: float
        early_stopping: bool
        validation_fraction: float
        tol: float

    def _network(self, schema: Schema) -> Any:
        """The shape of the network for rows of this schema."""
        raise NotImplementedError

    def _gradient(self, schema: Schema, training: Training, weights: Array, learned: bool = True) -> Statistic[Any]:
        """Loss and gradient over the training rows, if `learned`, and the score of the validation rows."""
        raise NotImplementedError

    @property
    def _in_batches(self) -> bool:
        """Whether steps are made from batches, not from all rows."""
        return True

    @property
    def _penalties(self) -> tuple[float, float]:
        """The penalties of squares and of absolute values."""
        return float(self.alpha), 0.0

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        return bool(self._in_batches and (self.shuffle or self.early_stopping))

    def _holdout(self) -> Holdout:
        held = self.validation_fraction if self.early_stopping and self._in_batches else 0.0
        return Holdout(int(self.random_state or 0), held)

    # ---- where a fit begins ----------------------------------------------------------------------

    def start(self, schema: Schema) -> StateT | NetworkState[ModelT]:
        """The state before the rows are read, with random weights."""
        return self._started(schema, np.zeros(0))

    def _started(self, schema: Schema, factors: Array, start: int = 0) -> Any:
        """The state at random weights, others for each number of a start."""
        seed = int(self.random_state or 0)
        weights = self._network(schema).initial([seed, start] if start else seed)
        none, curve, rate = np.zeros_like(weights), np.zeros(0), float(self.learning_rate_init)
        training = Training(weights, none, none, weights, 0, 0, rate, 0, self.max_iter, curve, curve, factors)
        return self._begun(0, schema, training)

    def _begun(self, step: int, schema: Schema, training: Training) -> Any:
        """The state from which a training goes on."""
        return Epoch.of(step, schema, training)

    def onward(self, model: Any) -> Any:
        training = model.training
        training = training._replace(left=1, idle=0, best=training.weights, validation_scores=np.zeros(0))
        return self._begun(model.n_iter, model.schema, training)

    # ---- what comes next -------------------------------------------------------------------------

    def ask(self, state: StateT | NetworkState[ModelT]) -> Expression | None:
        """Epochs, each followed by a look at the validation rows; at the end how steep the objective is."""
        if isinstance(state, Validate):
            return self._gradient(state.schema, state.training, state.training.weights, learned=False)
        return super().ask(state)

    def _final_pass(self, model: Any) -> Statistic[Any]:
        return self._gradient(model.schema, model.training, model.weights)

    def ending(self, state: Any) -> Any:
        """The final pass over the weights of the epochs so far."""
        if isinstance(state, Epoch) and state.training.left < self.max_iter:
            return self._final(state.step, state.schema, state.training)
        return None

    def update(
        self, state: StateT | NetworkState[ModelT], s: SummaryT | NetworkSummary
    ) -> StateT | NetworkState[ModelT]:
        """On to what comes next, or one epoch further."""
        if isinstance(state, Validate):
            found: NetworkState[ModelT] = self._validated(state, s)
            return found
        return super().update(state, s)

    def _after_epoch(self, state: Epoch[Training], s: EpochSummary) -> Any:
        if not s.mass:
            raise DataError(
                f"early_stopping sets all {self._examples} aside for validation. Remedy: more {self._examples}, or a "
                "smaller validation_fraction"
            )
        if not (np.isfinite(s.weights).all() and np.isfinite(s.second).all() and math.isfinite(s.loss)):
            raise Diverged.at(self.learning_rate_init)
        then = state.training._replace(
            weights=s.weights, first=s.first, second=s.second, steps=s.steps, seen=s.seen,
            left=state.training.left - 1, loss_curve=np.append(state.training.loss_curve, s.loss / s.mass),
        )  # fmt: skip
        then = then._replace(rate=self._next_rate(then))
        if self._holdout().share:
            return Validate.of(state.step, state.schema, then)
        return self._by_loss(state, then)

    def _validated(self, state: Validate[Training], s: Any) -> Any:
        """The state after a look at the validation rows."""
        now = state.training
        if not s.held.mass:  # so few rows that none is held back
            return self._by_loss(state, now)
        score = s.held.score(self.need.target == "number")
        if not math.isfinite(score):
            raise Diverged.at(self.learning_rate_init)
        before = float(now.validation_scores.max(initial=-math.inf))
        idle = now.idle + 1 if score < before + self.tol else 0
        best = now.weights if score > before or not len(now.validation_scores) else now.best
        scores = np.append(now.validation_scores, score)
        return self._next(state, now._replace(best=best, idle=idle, validation_scores=scores))

    def _by_loss(self, state: Epoch[Training] | Validate[Training], now: Training) -> Any:
        """The state after an epoch without a validation score: whether it improved anything, its loss tells."""
        curve = now.loss_curve
        worse = len(curve) > 1 and bool(curve[-1] > curve[:-1].min() - self.tol)
        return self._next(state, now._replace(best=now.weights, idle=now.idle + 1 if worse else 0))

    def _next(self, state: Epoch[Training] | Validate[Training], now: Training) -> Any:
        """One more epoch, perhaps with shorter steps; or the final pass."""
        idle = now.idle > self.n_iter_no_change
        if idle and (shorter := self._shorter_steps(now.rate)):
            now, idle = now._replace(rate=shorter, idle=0), False
        go_on = self._final if idle or now.left <= 0 else Epoch.of
        return go_on(state.step + 1, state.schema, now)

    def _next_rate(self, training: Training) -> float:
        """The length of a step in the epoch after this training."""
        return training.rate

    def _shorter_steps(self, rate: float) -> float | None:
        """The length of a step where the last epochs have improved nothing; None: the fit ends."""
        return None

    def _objective(self, schema: Schema, s: Objective) -> tuple[float, Array]:
        """The objective with its penalty, and its gradient."""
        heavy = np.where(self._network(schema).penalised, s.weights, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            l2, l1 = self._penalties
            value = (s.loss + 0.5 * l2 * float(heavy @ heavy) + l1 * float(np.abs(heavy).sum())) / s.mass
            return value, (s.slope + l2 * heavy + l1 * np.sign(heavy)) / s.mass

    def _check_final(self, model: Any, s: Objective) -> None:
        value, slope = self._objective(model.schema, s)
        if not (math.isfinite(value) and math.isfinite(norm(slope))):
            raise Diverged.at(self.learning_rate_init)

    # ---- claims ----------------------------------------------------------------------------------

    def certify(self, model: ModelT, s: SummaryT | NetworkSummary) -> tuple[Claim, ...] | None:
        """What the objective is at the end, and how steep; and how validation rows are predicted."""
        network = cast(HasWeights, model)
        if not isinstance(s, Objective) or not len(s.slope) or not np.array_equal(s.weights, network.weights):
            return None
        value, slope = self._objective(network.schema, s)
        usual = "rounding errors of the usual size"
        vacuous = "vacuous: a network is not convex, and nothing is known but that no loss is below 0"
        why = (
            "max_iter was reached"
            if network.training.left <= 0
            else "the improvement was below tol, or a rule ended it"
        )
        over = f"mean loss and penalty, over the training {self._examples}"
        rounds = "epochs" if self._in_batches else "steps along gradients of all rows"
        claims = [
            Claim("objective", value, "proved", over, "objective", usual),
            Claim("gradient", norm(slope), "proved", "its norm: 0 at a stationary point", "objective", usual),
            Claim("gap", value, "proved", vacuous, "objective", usual),
            Claim("epochs", float(network.n_iter), "proved", f"{rounds}; then {why}", "objective"),
        ]
        return (*claims, *self._held_back(network, s)) if s.held.mass else tuple(claims)

    def _held_back(self, model: Any, s: Objective) -> list[Claim]:
        """What the validation rows say."""
        held, some = s.held, f"validation {self._examples}"
        why = f"mean over the {some}; a little too low, as they chose the epoch"
        claims = [Claim("validation loss", held.loss / held.mass, "estimated", why, "data")]
        if self.need.target == "class" and not s.uneven:
            epochs = max(self.max_iter, model.n_iter) * self.n_init
            bound = held_out_bound(held.errors, held.rows, DELTA / epochs)
            why = f"with 95 % confidence, exact binomial: {held.errors:,} errors on {held.rows:,} {some}, "
            why += f"choice among {epochs:,} epochs {'' if self.n_init == 1 else 'of all starts '}counted in"
            assumed = f"{self._examples} drawn independently from one distribution"
            claims.append(Claim("validation bound", float(bound), "with confidence", why, "unseen rows", assumed))
        return claims

    # ---- files -----------------------------------------------------------------------------------

    def is_valid(self, model: Any, summary: object, schema: Schema) -> bool:
        many = self._network(schema).length
        fits = self._fits(model.training, schema) and len(model.weights) == many
        return fits and (not isinstance(summary, (EpochSummary, Objective)) or len(summary.weights) == many)

    def size_fits(self, record: Any) -> bool:
        at = record.model if isinstance(record, (FinalPass, Done)) else record
        return isinstance(at.training, Training) and len(at.training.weights) == self._network(at.schema).length

    def resumable(self, state: Any, summary: object, schema: Schema) -> bool:
        if isinstance(state, FinalPass) and not self.is_valid(state.model, None, schema):
            return False
        return self.size_fits(state) and (isinstance(state, Done) or self._fits(training_of(state), schema))

    def _fits(self, training: Training, schema: Schema) -> bool:
        """Whether a training has the weights of this network, and factors of its classes."""
        many, factors = self._network(schema).length, len(training.factors)
        return len(training.weights) == many and factors in (0, schema.size("class"))

    # ---- attributes ------------------------------------------------------------------------------

    @property
    @fitted
    def n_iter_(self) -> int:
        """How many epochs were run; of gradients of all rows, how many steps were made."""
        return max(self.model_.n_iter, 1)

    @property
    @fitted
    def loss_curve_(self) -> Array:
        """The mean loss with its penalty in each epoch, of each batch before it was learned from."""
        curve: Array = self.model_.training.loss_curve
        return curve

    @property
    @fitted
    def best_loss_(self) -> float:
        """The lowest loss of all epochs."""
        return float(self.loss_curve_.min())

    @property
    @fitted
    def validation_scores_(self) -> Array:
        """The score after each epoch on the validation rows, or sequences: accuracy, or R²."""
        scores: Array = self.model_.training.validation_scores
        return scores


def training_of(state: Any) -> Training:
    """How far the training is at a state, or was when its model was made."""
    found: Training = state.model.training if isinstance(state, (FinalPass, Done)) else state.training
    return found


def norm(slope: Array) -> float:
    """The norm of a gradient, infinite if its squares overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.linalg.norm(slope))
