"""Multi-layer perceptrons, trained by backpropagation.

Minimise F(w) = Σ cᵢ ℓ(f(xᵢ; w), yᵢ) / C + α |W|² / 2C, where C = Σ cᵢ and the intercepts among w are not penalised;
with `l1_ratio` = ρ the penalty is α ((1 - ρ) |W|² / 2 + ρ Σ |W|) / C.
With "sgd" and "adam" an epoch goes from part to part, in mini-batches. With "lbfgs" and "cg" every round is the loss
and the gradient over all rows, which merge: one reduce, the same bits on any runner.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY
from numbers import Integral
from typing import Annotated, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from tenfold.core import Array, Claim, Codes, Columns, DataError, Design, Remedy, Schema
from tenfold.core.axes import Bundle
from tenfold.core.field_values import NOT_NAN, Between
from tenfold.core.learner import Done
from tenfold.core.statistic import Expression
from tenfold.estimator import check_is_fitted, fitted
from tenfold.estimator.epochs import Epoch, FinalPass, Validate
from tenfold.estimator.shell.constraints import array, boolean, choice, decay, infinity, integer, real, seed, share
from tenfold.estimator.shell.keyword_decisions import ignored_verbose
from tenfold.estimator.shell.keywords import refused
from tenfold.estimator.summary_table import Summary
from tenfold.estimator.updating.continuing import Continues
from tenfold.neural_network.graphs.network_summary import network_summary
from tenfold.neural_network.mlp.mlp_epoch import BatchRule, NetworkEpoch
from tenfold.neural_network.mlp.network_weights import ACTIVATIONS, Embedding, Network
from tenfold.neural_network.mlp.objective import NetworkGradient, Objective
from tenfold.neural_network.training import (
    Diverged,
    EpochSummary,
    NetworkState,
    TrainedNetwork,
    Training,
    norm,
    training_of,
)
from tenfold.stats.counts.weight_by_class import ClassWeights, WeightByClass
from tenfold.stats.optimize.lbfgs import Descent

BATCH = 200
"""rows of a batch that is called "auto"."""
SMALLEST = 1e-6
"""a learning rate that is not made smaller by "adaptive"."""
EPS = float(np.finfo(np.float64).eps)


class MLPModel(NamedTuple):
    """A network, and where it goes on if more rows come."""

    weights: Annotated[Array, "parameter"]
    sizes: Annotated[Codes, "layer", Between(1, 1 << 31)]
    n_iter: int
    training: Training
    schema: Schema


class BalancingClasses(NamedTuple):
    """The state of a fit that first weighs the classes, to balance them."""

    step: int
    schema: Schema
    onto: Bundle
    """the training that a warm start goes on with, if any"""


class FullBatchDescent(NamedTuple):
    """The state of a fit along gradients of all rows; the weights of the training are those to try."""

    step: int
    schema: Schema
    training: Training
    descent: Descent
    passes: int
    """over the rows, so far"""


class Restarting(NamedTuple):
    """The state of a fit from several starts, one after another, of which the best is kept."""

    step: int
    schema: Schema
    start: int
    """the number of the start that is being tried"""
    now: Bundle
    """the state of the fit from it"""
    best: Bundle
    """the best model of those before; none at first"""
    value: Annotated[float, NOT_NAN]
    """how good it is, the lower the better"""

    @property
    def state(self) -> Any:
        """Where the fit from this start is."""
        return self.now.each[0]


Single: TypeAlias = FullBatchDescent | NetworkState[MLPModel]
"""the state of a fit from one start"""
State: TypeAlias = BalancingClasses | Single | Restarting
SINGLE = (Epoch, Validate, FullBatchDescent, FinalPass)


some_kept_back = refused("no rows would be kept back", Remedy("tn.{name}(validation_fraction=0.1)"), 0)


class MLP(Continues, TrainedNetwork[BalancingClasses | FullBatchDescent | Restarting, ClassWeights, MLPModel]):
    """What MLPClassifier and MLPRegressor share."""

    hidden: ClassVar[frozenset[str]] = frozenset({"training", "weights", "sizes"})
    law_params = (
        {"max_iter": 2, "hidden_layer_sizes": (4,), "solver": "lbfgs", "activation": "tanh"},
        {"max_iter": 3, "hidden_layer_sizes": (4,)},
        {"max_iter": 2, "hidden_layer_sizes": (2,), "solver": "cg", "activation": "logistic"},
        {"max_iter": 3, "hidden_layer_sizes": 3, "solver": "sgd", "learning_rate_init": 1e-9, "batch_size": 5},
        {"max_iter": 3, "hidden_layer_sizes": (3, 2), "early_stopping": True, "dropout": 0.5,
         "activation": "leaky_relu"},
        {"max_iter": 3, "hidden_layer_sizes": (3,), "shuffle": False, "activation": "logistic"},
        {"max_iter": 2, "hidden_layer_sizes": (3,), "batch_norm": True, "embedding": 2, "l1_ratio": 0.5, "n_init": 2},
    )  # fmt: skip

    hidden_layer_sizes: Annotated[int | Sequence[int], array, integer(1, 1 << 20)] = (100,)
    activation: Annotated[str, choice(*ACTIVATIONS)] = "relu"
    _: KW_ONLY
    solver: Annotated[str, choice("adam", "sgd", "lbfgs", "cg")] = "adam"
    alpha: Annotated[float, real(0)] = 1e-4
    batch_size: Annotated[int | str, choice("auto"), integer(1, 1 << 24)] = "auto"
    learning_rate: Annotated[str, choice("constant", "invscaling", "adaptive")] = "constant"
    learning_rate_init: Annotated[float, real(0, open=True)] = 1e-3
    power_t: Annotated[float, real(0)] = 0.5
    max_iter: Annotated[int, integer(1)] = 200
    shuffle: Annotated[bool, boolean] = True
    random_state: Annotated[int | None, seed] = 0
    tol: Annotated[float, real(0)] = 1e-4
    momentum: Annotated[float, share()] = 0.9
    nesterovs_momentum: Annotated[bool, boolean] = True
    early_stopping: Annotated[bool, boolean] = False
    validation_fraction: Annotated[float, share(open=True), some_kept_back] = 0.1
    beta_1: Annotated[float, decay] = 0.9
    beta_2: Annotated[float, decay] = 0.999
    epsilon: Annotated[float, real(0, open=True)] = 1e-8
    n_iter_no_change: Annotated[int, integer(1), infinity] = 10
    dropout: Annotated[float, share()] = 0.0
    l1_ratio: Annotated[float, share()] = 0.0
    batch_norm: Annotated[bool, boolean] = False
    embedding: Annotated[int | str | None, choice("auto"), integer(1, 1 << 16), None] = None
    n_init: Annotated[int, integer(1)] = 1
    warm_start: Annotated[bool, boolean] = False
    max_fun: Annotated[int, integer(1)] = 15000
    device: Annotated[str | None, str, None] = None
    verbose: Annotated[int, ignored_verbose] = False

    def _network(self, schema: Schema) -> Network:
        """The shape of the network for rows of this schema."""
        outputs, loss = self._outputs(schema)
        sizes = (int(schema.size("feature") or 0), *self._hidden(), outputs)
        return Network(sizes, self.activation, loss, bool(self.batch_norm), self._embeddings(schema.levels))

    def _embeddings(self, levels: Codes) -> tuple[Embedding, ...]:
        """Which columns are embedded, and in how many numbers."""
        given, counts = self.embedding, np.maximum(levels, 1)
        if given is None:
            return ()
        first = np.cumsum(counts) - counts
        each = [(at, n) for at, n, has in zip(first.tolist(), counts.tolist(), levels > 0) if has]
        return tuple(Embedding(at, n, embedding_width(n) if isinstance(given, str) else int(given)) for at, n in each)

    def _outputs(self, schema: Schema) -> tuple[int, str]:
        """How many outputs there are, and their loss."""
        raise NotImplementedError

    def _hidden(self) -> tuple[int, ...]:
        given: Any = self.hidden_layer_sizes
        each = (given,) if isinstance(given, Integral) else tuple(given)
        if not all(isinstance(size, Integral) and int(size) > 0 for size in each):
            raise ValueError(f"hidden_layer_sizes must be > 0, integers, one for each hidden layer, not {given!r}")
        return tuple(int(size) for size in each)

    @property
    def _in_batches(self) -> bool:
        return self.solver in ("adam", "sgd")

    def start(self, schema: Schema) -> State:
        if self.dropout >= 1:
            raise ValueError("dropout must be below 1: at 1 no unit is left")
        if not self._in_batches:
            solver = f"solver={self.solver!r}"
            if self.dropout:
                raise ValueError(f"{solver} looks at all units at once. Remedy: dropout=0, or solver='adam'")
            if self.batch_norm:
                raise ValueError(f"batch_norm normalises batches, and {solver} has none. Remedy: solver='adam'")
            if self.alpha and self.l1_ratio:
                raise ValueError(f"{solver} takes a smooth penalty. Remedy: l1_ratio=0, or solver='adam'")
        factors = self._factors(schema, None)
        return BalancingClasses(0, schema, Bundle(())) if factors is None else self._first(schema, factors)

    def _factors(self, schema: Schema, mass: Array | None) -> Array | None:
        """Factors of the weights of rows of each class; None: they need the weight of each; empty: there are none."""
        return np.zeros(0)

    def _first(self, schema: Schema, factors: Array) -> State:
        """The state at the first start, or the only one."""
        first: Single = self._started(schema, factors)
        return first if self.n_init == 1 else Restarting(0, schema, 0, Bundle((first,)), Bundle(()), math.inf)

    def _begun(self, step: int, schema: Schema, training: Training) -> Single:
        if self._in_batches:
            return Epoch.of(step, schema, training)
        return FullBatchDescent(step, schema, training, Descent.at(training.weights), 0)

    def again(self, model: MLPModel, schema: Schema) -> State:
        """A fit from the weights of a model, of which nothing else is taken over but the losses so far."""
        none, training = np.zeros_like(model.weights), model.training
        if len(none) != self._network(model.schema).length:
            raise ValueError(
                "a fit that continues needs layers as the model has them. Remedy: warm_start=False and no start, or "
                "the same hidden_layer_sizes, batch_norm and embedding"
            )
        training = training._replace(
            weights=model.weights, first=none, second=none, best=model.weights, steps=0, idle=0, left=self.max_iter,
            rate=float(self.learning_rate_init), validation_scores=np.zeros(0),
        )  # fmt: skip
        factors = self._factors(model.schema, None)
        if factors is None:
            return BalancingClasses(model.n_iter, model.schema, Bundle((training,)))
        return self._begun(model.n_iter, model.schema, training._replace(factors=factors))

    def ask(self, state: State) -> Expression | None:
        """The weights of the classes; epochs, each followed by validation, or gradients of all rows; the final pass."""
        match state:
            case BalancingClasses(schema=schema):
                return WeightByClass(len(schema.classes))
            case Restarting():
                return self.ask(state.state)
            case FullBatchDescent(schema=schema, training=training):
                return self._gradient(schema, training, training.weights)
        return super().ask(state)

    def _epoch(self, state: Epoch[Training]) -> NetworkEpoch:
        schema, training = state.schema, state.training
        how = (self.turn(state), self.shuffle, schema.levels, state.step > 0, training.summary, self._network(schema))
        rest = (self._rule(training), self._holdout(), training.factors)
        return NetworkEpoch(*how, *rest, order=self.order(state) or 0)

    def _gradient(self, schema: Schema, training: Training, weights: Array, learned: bool = True) -> NetworkGradient:
        network = self._network(schema)
        return NetworkGradient(
            network, weights, schema.levels, self._holdout(), learned, training.factors, self._device
        )

    @property
    def _device(self) -> str:
        """The name of the device that computes."""
        return "cpu" if self.device is None else str(self.device)

    @property
    def _penalties(self) -> tuple[float, float]:
        return float(self.alpha * (1 - self.l1_ratio)), float(self.alpha * self.l1_ratio)

    def _rule(self, training: Training) -> BatchRule:
        """The rule of the next epoch's steps."""
        batch = BATCH if isinstance(self.batch_size, str) else int(self.batch_size)
        nesterov = bool(self.nesterovs_momentum and self.momentum > 0)
        return BatchRule(
            self.solver == "adam", batch, training.rate, *self._penalties, float(self.momentum), nesterov,
            float(self.beta_1), float(self.beta_2), float(self.epsilon), float(self.dropout), self._device,
        )  # fmt: skip

    def _next_rate(self, training: Training) -> float:
        if self.solver == "sgd" and self.learning_rate == "invscaling":
            return float(self.learning_rate_init) / (training.seen + 1) ** self.power_t
        return training.rate

    def _shorter_steps(self, rate: float) -> float | None:
        adaptive = self.solver == "sgd" and self.learning_rate == "adaptive"
        return rate / 5 if adaptive and rate > SMALLEST else None

    def _model_of(self, step: int, schema: Schema, training: Training) -> MLPModel:
        return MLPModel(training.best, np.array(self._network(schema).sizes, dtype=np.int64), step, training, schema)

    def model(self, state: State) -> MLPModel | None:
        # The network as it is; while it is scored, there is none.
        if isinstance(state, FullBatchDescent):
            return self._model_of(state.step, state.schema, state.training)
        return super().model(state)

    def ending(self, state: State) -> State | None:
        """The final pass over the weights of the epochs so far, or the end at the last step that was taken."""
        match state:
            case FullBatchDescent(step, schema, training, descent) if step:
                then = self._final(step, schema, training._replace(weights=training.best))
                return Done.of(then.model, step) if descent.moved else then
            case Restarting():
                now = self.ending(state.state)
                if isinstance(now, Done):
                    now = FinalPass.of(now.model, now.step)
                return None if now is None else state._replace(start=self.n_init - 1, now=Bundle((now,)))
        return super().ending(state)

    def update(self, state: State, s: ClassWeights | EpochSummary | Objective) -> State:
        """On to what comes next, or one epoch further."""
        match state, s:
            case BalancingClasses(step, schema, onto), ClassWeights(weight=mass):
                factors = self._factors(schema, mass)
                factors = np.zeros(0) if factors is None else factors
                if not onto.each:
                    return self._first(schema, factors)
                return self._begun(step, schema, onto.each[0]._replace(factors=factors))
            case Restarting(), EpochSummary() | Objective():
                return self._tried(state, s)
        return self._single(state, s)

    def _single(self, state: Any, s: Any) -> Single:
        """A fit from one start, one round further."""
        if isinstance(state, FullBatchDescent):
            return self._down(state, s)
        then: Any = super().update(state, s)
        found: Single = then
        return found

    def _tried(self, state: Restarting, s: EpochSummary | Objective) -> State:
        """The fit from one of several starts one round further; if it has ended, the next, or the best of them."""
        step, best, value, now = state.step + 1, state.best, state.value, None
        last = state.start + 1 == self.n_init
        try:
            now = self._single(state.state, s)
        except Diverged:
            if last and not best.each:
                raise
        if now is not None:
            if not isinstance(now, Done) or not isinstance(s, Objective):
                return state._replace(step=step, now=Bundle((now,)))
            scores = now.model.training.validation_scores
            found = -float(scores.max()) if len(scores) else self._objective(state.schema, s)[0]
            if found < value or not best.each:
                best, value = Bundle((now.model,)), found
            else:
                now = None
        if not last:
            begun = self._started(state.schema, training_of(state.state).factors, state.start + 1)
            return Restarting(step, state.schema, state.start + 1, Bundle((begun,)), best, value)
        kept = best.each[0]
        return FinalPass.of(kept, kept.n_iter) if now is None else now

    def _down(self, state: FullBatchDescent, s: Objective) -> Single:
        """A step from the weights of a summary, or another try of the last one."""
        training, schema, passes = state.training, state.schema, state.passes + 1
        value, slope = self._objective(schema, s)
        first = math.isinf(state.descent.value)
        if first and not (math.isfinite(value) and math.isfinite(norm(slope))):
            raise DataError(
                "the loss or its gradient overflows: values are too large. Remedy: rescale the columns, "
                "StandardScaler(), and a target of numbers"
            )
        descent = state.descent.next(value, slope, conjugate=self.solver == "cg")
        if not descent.moved:
            if descent.stuck or passes >= self.max_fun:
                return self._final(state.step, schema, training._replace(weights=descent.point, best=descent.point))
            return state._replace(training=training._replace(weights=descent.trial), descent=descent, passes=passes)
        step, here = state.step + (not first), training.weights
        curve = np.append(training.loss_curve, value)
        training = training._replace(
            best=here, left=training.left - (not first), loss_curve=training.loss_curve if first else curve
        )
        flat = descent.fall <= 64 * EPS * max(abs(value), 1.0)
        if np.abs(slope).max(initial=0.0) <= self.tol or training.left <= 0 or passes >= self.max_fun or flat:
            return Done.of(self._model_of(step, schema, training._replace(loss_curve=curve)), step)
        return FullBatchDescent(step, schema, training._replace(weights=descent.trial), descent, passes)

    def _held_back(self, model: MLPModel, s: Objective) -> list[Claim]:
        gap = s.held.loss / s.held.mass - s.loss / s.mass
        loss, *bound = super()._held_back(model, s)
        why = "that, minus the mean over the training rows"
        return [loss, Claim("validation gap", gap, "estimated", why, "data"), *bound]

    def scores(self, model: MLPModel, X: Columns) -> Array:
        """Outputs of the network for each row."""
        return self._network(model.schema).outputs(model.weights, Design.of(X, model.schema.levels))

    def is_valid(self, model: MLPModel, summary: object, schema: Schema) -> bool:
        return tuple(model.sizes.tolist()) == self._network(schema).sizes and super().is_valid(model, summary, schema)

    def size_fits(self, record: Any) -> bool:
        if isinstance(record, Restarting):
            begun = len(record.now.each) == 1 and isinstance(record.state, SINGLE)
            tried = len(record.best.each) <= (record.start > 0) and all(
                isinstance(m, MLPModel) for m in record.best.each
            )
            return begun and tried and all(map(self.size_fits, (*record.now.each, *record.best.each)))
        if isinstance(record, BalancingClasses):
            onto = record.onto.each
            if len(onto) > 1 or not all(isinstance(one, Training) for one in onto):
                return False
            return all(len(one.weights) == self._network(record.schema).length for one in onto)
        return super().size_fits(record)

    def resumable(self, state: State, summary: object, schema: Schema) -> bool:
        if isinstance(state, Restarting):
            return self.size_fits(state) and self.resumable(state.state, summary, schema)
        return (
            self.size_fits(state) if isinstance(state, BalancingClasses) else super().resumable(state, summary, schema)
        )

    @fitted
    def summary(self) -> Summary:
        """A table of the layers, how they were trained, and the claims of the certificate.

        Returns
        -------
        summary : Summary
            Print it, or show it in a notebook.
        """
        check_is_fitted(self)
        return network_summary(self)

    @property
    @fitted
    def coefs_(self) -> list[Array]:
        """The coefficients of each layer: units below x units above."""
        return [W for W, _ in self._network(self.model_.schema).layers(self.model_.weights)]

    @property
    @fitted
    def intercepts_(self) -> list[Array]:
        """The constants of each layer's units."""
        return [b for _, b in self._network(self.model_.schema).layers(self.model_.weights)]

    @property
    @fitted
    def embeddings_(self) -> dict[str, Array]:
        """The embedding of each column that has one, by its name: its categories x its width."""
        schema = self.model_.schema
        names = [name for name, levels in zip(schema.names, schema.levels) if levels]
        return dict(zip(names, self._network(schema).tables(self.model_.weights)))

    @property
    @fitted
    def n_layers_(self) -> int:
        """How many layers there are, that of the inputs included."""
        return len(self.model_.sizes)

    @property
    @fitted
    def n_outputs_(self) -> int:
        """How many units the last layer has."""
        return int(self.model_.sizes[-1])

    @property
    @fitted
    def t_(self) -> int:
        """How many rows were learned from in all epochs."""
        return self.model_.training.seen

    @property
    @fitted
    def loss_(self) -> float:
        """The mean loss with its penalty in the last epoch."""
        return float(self.loss_curve_[-1])

    @property
    @fitted
    def best_validation_score_(self) -> float | None:
        """The best score on the validation rows of all epochs; None without `early_stopping`."""
        scores = self.validation_scores_
        return float(scores.max()) if len(scores) else None


def embedding_width(categories: int) -> int:
    """How many numbers a category gets if there are so many: 1.6 n^0.56, as experience has it, at most 600."""
    return min(600, categories, round(1.6 * categories**0.56))
