"""How networks of whole sequences are trained: epochs of Adam along batches of sequences.

Minimise F(w) = Σ cᵢ ℓ(f(sᵢ; w), yᵢ) / C + α |W|² / 2C over sequences sᵢ with weights cᵢ, where C = Σ cᵢ and constants
among w are not penalised. F is not convex: where a fit ends is certified (how steep it is there), not that nothing
lower exists.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Claim, DataError, Schema
from tenfold.core.field_values import NOT_NAN
from tenfold.core.learner import Done
from tenfold.estimator import Estimator
from tenfold.estimator.sequences.sequence_kinds import SequenceClassifier
from tenfold.estimator.shell.constraints import boolean, integer, real, seed, share
from tenfold.estimator.shell.sequential import Sequential
from tenfold.neural_network.mlp.mlp_epoch import Diverged, Walk
from tenfold.neural_network.mlp.objective import Objective
from tenfold.neural_network.sequences.recurrent import Recurrent
from tenfold.neural_network.sequences.sequence_network import SequenceNetwork, Sequences
from tenfold.neural_network.sequences.sequence_statistics import AdamRule, SequenceEpoch, SequenceGradient
from tenfold.neural_network.sequences.transformer import Transformer
from tenfold.stats.rows.draws import Holdout
from tenfold.theory import held_out_bound

DELTA = 0.05
"""the chance that a bound fails"""
UNITS = 1 << 14
"""of a layer, at most"""
BETAS, EPSILON = (0.9, 0.999), 1e-8
"""of Adam, as everywhere"""


class Training(NamedTuple):
    """Where the weights of a network of sequences are, and how they came there."""

    weights: Annotated[Array, "parameter"]
    first: Annotated[Array, "parameter"]
    """the mean of gradients"""
    second: Annotated[Array, "parameter"]
    """the mean of their squares"""
    best: Annotated[Array, "parameter"]
    """the weights of the epoch that told validation sequences the best; if none are, those of the last"""
    steps: int
    sequences: int
    """learned from in all epochs"""
    idle: int
    """epochs without an improvement"""
    left: int
    """epochs that may still come"""
    loss_curve: Annotated[Array, "epoch", NOT_NAN]
    validation_scores: Annotated[Array, "validated", NOT_NAN]


class SequenceNetworkModel(NamedTuple):
    """The weights of a network of sequences, and where it goes on if more sequences come."""

    weights: Annotated[Array, "parameter"]
    n_iter: int
    training: Training
    schema: Schema


class Epochs(NamedTuple):
    """The state of a fit that learns from one batch of sequences after another."""

    step: int
    schema: Schema
    training: Training


class Validation(NamedTuple):
    """The state of a fit that has ended an epoch, and looks how sequences are told that are held back."""

    step: int
    schema: Schema
    training: Training


class LastLook(NamedTuple):
    """The state of a fit that has ended: one more pass shows how steep the objective is there."""

    step: int
    schema: Schema
    training: Training


State = Epochs | Validation | LastLook | Done


class SequenceTraining(Sequential, Estimator):
    """What networks of whole sequences share. A subclass writes `_encoder(schema)`."""

    hidden: ClassVar[frozenset[str]] = frozenset({"training", "weights", "schema"})
    expected_failed_checks: ClassVar[dict[str, str]] = {}
    mixing = False

    _: KW_ONLY
    alpha: Annotated[float, real(0)] = 1e-4
    batch_size: Annotated[int, integer(1, 1 << 24)] = 32
    learning_rate_init: Annotated[float, real(0, open=True)] = 3e-3
    max_iter: Annotated[int, integer(1)] = 100
    shuffle: Annotated[bool, boolean] = True
    random_state: Annotated[int | None, seed] = 0
    tol: Annotated[float, real(0)] = 1e-4
    n_iter_no_change: Annotated[int, integer(1)] = 10
    early_stopping: Annotated[bool, boolean] = False
    validation_fraction: Annotated[float, share(open=True)] = 0.1

    def _encoder(self, schema: Schema) -> Recurrent | Transformer:
        """What makes a code of each sequence."""
        raise NotImplementedError

    def _network(self, schema: Schema) -> SequenceNetwork:
        """The shape of the network for rows of this schema."""
        outputs, loss = 1, "squared_error"
        if self.need.target == "class":
            classes = len(schema.classes)
            outputs, loss = (1, "log_loss") if classes <= 2 else (classes, "cross_entropy")
        return SequenceNetwork(self._encoder(schema), outputs, loss)

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        return bool(self.shuffle or self.early_stopping)

    def _holdout(self) -> Holdout:
        return Holdout(int(self.random_state or 0), self.validation_fraction if self.early_stopping else 0.0)

    def start(self, schema: Schema) -> State:
        """The state before the sequences are looked at, with random weights."""
        weights = self._network(schema).initial(int(self.random_state or 0))
        none, curve = np.zeros_like(weights), np.zeros(0)
        return Epochs(0, schema, Training(weights, none, none, weights, 0, 0, 0, self.max_iter, curve, curve))

    def onward(self, model: SequenceNetworkModel) -> State:
        now = model.training
        now = now._replace(left=1, idle=0, best=now.weights, validation_scores=np.zeros(0))
        return Epochs(model.n_iter, model.schema, now)

    def ask(self, state: State) -> SequenceEpoch | SequenceGradient | None:
        """Epochs, with a look at validation sequences after each; at the end how steep the objective is."""
        match state:
            case Epochs(_, schema, now):
                start = Walk(now.weights, now.first, now.second, now.steps, now.sequences, 0.0, 0.0)
                rule = AdamRule(
                    int(self.batch_size), float(self.learning_rate_init), float(self.alpha), *BETAS, EPSILON
                )
                how = (self.turn(state), bool(self.shuffle), schema.levels, start, self._network(schema), rule)
                return SequenceEpoch(*how, self._holdout(), order=self.order(state) or 0)
            case Validation(_, schema, now):
                return SequenceGradient(self._network(schema), now.weights, schema.levels, self._holdout(), False)
            case LastLook(_, schema, now):
                return SequenceGradient(self._network(schema), now.best, schema.levels, self._holdout(), True)
            case Done():
                return None

    def model(self, state: State) -> SequenceNetworkModel | None:
        # The network as it is; while it is looked at, there is none.
        match state:
            case Epochs(step, schema, now):
                return SequenceNetworkModel(now.best, step, now, schema)
            case Done():
                found: SequenceNetworkModel = state.model
                return found
        return None

    def ending(self, state: State) -> State | None:
        """The last look at the weights of the epochs so far."""
        if isinstance(state, Epochs) and state.training.left < self.max_iter:
            return LastLook(state.step, state.schema, state.training)
        return None

    def update(self, state: State, s: Walk | Objective) -> State:
        """On to what comes next, or one epoch further."""
        match state, s:
            case Epochs(), Walk():
                return self._walked(state, s)
            case Validation(), Objective():
                return self._validated(state, s)
            case LastLook(step, schema, now), Objective():
                if not all(map(math.isfinite, self._objective(schema, s))):
                    raise Diverged.at(self.learning_rate_init)
                return Done.of(self.model(Epochs(step, schema, now)), step)
        raise AssertionError

    def _objective(self, schema: Schema, s: Objective) -> tuple[float, float]:
        """The objective with its penalty, and the norm of its gradient."""
        heavy = np.where(self._network(schema).penalised, s.weights, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            value = (s.loss + 0.5 * self.alpha * float(heavy @ heavy)) / s.mass
            return value, float(np.linalg.norm((s.slope + self.alpha * heavy) / s.mass))

    def _walked(self, state: Epochs, s: Walk) -> State:
        """The state one epoch further."""
        if not s.mass:
            raise DataError(
                "early_stopping sets all sequences aside for validation. Remedy: more, or a smaller validation_fraction"
            )
        if not (np.isfinite(s.weights).all() and np.isfinite(s.second).all() and math.isfinite(s.loss)):
            raise Diverged.at(self.learning_rate_init)
        now = state.training._replace(
            weights=s.weights, first=s.first, second=s.second, steps=s.steps, sequences=s.rows,
            left=state.training.left - 1, loss_curve=np.append(state.training.loss_curve, s.loss / s.mass),
        )  # fmt: skip
        if self.early_stopping:
            return Validation(state.step, state.schema, now)
        return self._by_loss(state, now)

    def _by_loss(self, state: Epochs | Validation, now: Training) -> State:
        """The state after an epoch of which the loss alone tells whether it brought anything."""
        curve = now.loss_curve
        worse = len(curve) > 1 and bool(curve[-1] > curve[:-1].min() - self.tol)
        return self._next(state, now._replace(best=now.weights, idle=now.idle + 1 if worse else 0))

    def _validated(self, state: Validation, s: Objective) -> State:
        """The state after a look at the validation sequences."""
        now = state.training
        if not s.held.mass:  # so few that none is held back
            return self._by_loss(state, now)
        score = s.held.score(self.need.target == "number")
        if not math.isfinite(score):
            raise Diverged.at(self.learning_rate_init)
        before = float(now.validation_scores.max(initial=-math.inf))
        idle = now.idle + 1 if score < before + self.tol else 0
        best = now.weights if score > before or not len(now.validation_scores) else now.best
        scores = np.append(now.validation_scores, score)
        return self._next(state, now._replace(best=best, idle=idle, validation_scores=scores))

    def _next(self, state: Epochs | Validation, now: Training) -> State:
        """One more epoch, or a last look."""
        done = now.idle > self.n_iter_no_change or now.left <= 0
        return (LastLook if done else Epochs)(state.step + 1, state.schema, now)

    def certify(self, model: SequenceNetworkModel, s: Walk | Objective) -> tuple[Claim, ...] | None:
        """What the objective is at the end, and how steep; and how sequences are told that were held back."""
        if not isinstance(s, Objective) or not len(s.slope) or not np.array_equal(s.weights, model.weights):
            return None
        value, steep = self._objective(model.schema, s)
        usual = "rounding errors of the usual size"
        vacuous = "vacuous: a network is not convex, and nothing is known but that no loss is below 0"
        ended = (
            "then max_iter was reached"
            if model.training.left <= 0
            else "then the improvement was below tol, or a rule ended it"
        )
        over = "mean loss and penalty, over the training sequences"
        claims = [
            Claim("objective", value, "proved", over, "objective", usual),
            Claim("gradient", steep, "proved", "its norm: 0 at a stationary point", "objective", usual),
            Claim("gap", value, "proved", vacuous, "objective", usual),
            Claim("epochs", float(model.n_iter), "proved", f"epochs; {ended}", "objective"),
        ]
        return (*claims, *self._held_back(model, s)) if s.held.mass else tuple(claims)

    def _held_back(self, model: SequenceNetworkModel, s: Objective) -> list[Claim]:
        """What the sequences say that were held back."""
        told = s.held
        why = "mean over the validation sequences; a little too low, as they chose the epoch"
        claims = [Claim("validation loss", told.loss / told.mass, "estimated", why, "data")]
        if self.need.target == "class" and not s.uneven:
            epochs = max(self.max_iter, model.n_iter)
            bound = held_out_bound(told.errors, told.rows, DELTA / epochs)
            why = f"with 95 % confidence, exact binomial: {told.errors:,} errors on {told.rows:,} validation sequences"
            why += f", choice among {epochs:,} epochs counted in"
            assumed = "sequences drawn independently from one distribution"
            claims.append(Claim("validation bound", float(bound), "with confidence", why, "unseen rows", assumed))
        return claims

    def _told(self, model: SequenceNetworkModel, chunk: Chunk) -> Array:
        """What the outputs say of each sequence."""
        return Sequences.of(chunk, model.schema.levels).told(self._network(model.schema), model.weights)

    # ---- files -----------------------------------------------------------------------------------

    def is_valid(self, model: SequenceNetworkModel, summary: object, schema: Schema) -> bool:
        many = self._network(schema).length
        fits = len(model.weights) == len(model.training.weights) == many
        return fits and (not isinstance(summary, (Walk, Objective)) or len(summary.weights) == many)

    def size_fits(self, record: Any) -> bool:
        at = record.model if isinstance(record, Done) else record
        return len(at.training.weights) == self._network(at.schema).length

    def resumable(self, state: State, summary: object, schema: Schema) -> bool:
        return isinstance(state, Done) or len(state.training.weights) == self._network(schema).length

    # ---- attributes ------------------------------------------------------------------------------

    @property
    def parameters_(self) -> dict[str, Array]:
        """The arrays of weights by name."""
        network = self._network(self.model_.schema)
        return dict(zip(network.shapes, network.arrays(self.model_.weights)))

    @property
    def n_iter_(self) -> int:
        """How many epochs were run."""
        return max(self.model_.n_iter, 1)

    @property
    def loss_curve_(self) -> Array:
        """The mean loss with its penalty in each epoch, of each batch before it was learned from."""
        return self.model_.training.loss_curve

    @property
    def best_loss_(self) -> float:
        """The lowest loss of all epochs."""
        return float(self.loss_curve_.min())

    @property
    def validation_scores_(self) -> Array:
        """The score after each epoch on the validation sequences: accuracy, or R²."""
        return self.model_.training.validation_scores


class SequenceNetworkClassifier(SequenceTraining, SequenceClassifier):
    """What classifiers by such networks share: softmax of the outputs, or one logistic output for two classes."""

    def scores_from(self, model: SequenceNetworkModel, chunk: Chunk) -> Array:
        # What the outputs say of each class; of two classes the first has zero.
        f = self._told(model, chunk)
        if f.shape[1] > 1 or len(model.schema.classes) == 1:
            return f
        return np.column_stack([np.zeros(len(f)), f])
