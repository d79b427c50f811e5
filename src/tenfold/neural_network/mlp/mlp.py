"""Multi-layer perceptrons, trained by backpropagation.

Minimise F(w) = Σ cᵢ ℓ(f(xᵢ; w), yᵢ) / C + α |W|² / 2C, where C = Σ cᵢ and the intercepts among w are not penalised;
with `l1_ratio` = ρ the penalty is α ((1 - ρ) |W|² / 2 + ρ Σ |W|) / C.
With "sgd" and "adam" parts are walked one after another, in mini-batches. With "lbfgs" and "cg" every round is the loss
and the gradient over all rows, which merge: one reduce, the same bits on any runner. F is not convex: where a fit ends
is certified (how steep it is there), not that nothing lower exists.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY
from numbers import Integral
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Codes, Columns, DataError, Design, Remedy, Schema
from tenfold.core.axes import Bundle
from tenfold.core.field_values import NOT_NAN, NOT_NEGATIVE, Between
from tenfold.core.learner import Done
from tenfold.estimator import Estimator, check_is_fitted
from tenfold.estimator.shell.constraints import array, boolean, choice, decay, infinity, integer, real, seed, share
from tenfold.estimator.shell.keyword_decisions import ignored_verbose
from tenfold.estimator.shell.keywords import refused
from tenfold.estimator.shell.sequential import Sequential
from tenfold.estimator.summary_table import Summary
from tenfold.neural_network.graphs.network_summary import network_summary
from tenfold.neural_network.mlp.mlp_epoch import BatchRule, Diverged, NetworkEpoch, Walk
from tenfold.neural_network.mlp.network_weights import ACTIVATIONS, Embedding, Network
from tenfold.neural_network.mlp.objective import NetworkGradient, Objective
from tenfold.stats.counts.class_mass import ClassMass, MassByClass
from tenfold.stats.optimize.gradient_descent import Descent
from tenfold.stats.rows.draws import Holdout
from tenfold.theory import held_out_bound

BATCH = 200
"""rows of a batch that is called "auto"."""
DELTA = 0.05
"""the chance that a bound fails"""
SMALLEST = 1e-6
"""a learning rate that is not made smaller by "adaptive"."""
EPS = float(np.finfo(np.float64).eps)


class Course(NamedTuple):
    """Where the weights are, and how they came there."""

    weights: Annotated[Array, "parameter"]
    first: Annotated[Array, "parameter"]
    """the velocity; of Adam the mean of gradients"""
    second: Annotated[Array, "parameter"]
    best: Annotated[Array, "parameter"]
    """the weights of the epoch that told validation rows the best; if none are, those of the last"""
    steps: int
    rows: int
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
    def walk(self) -> Walk:
        """Where the next epoch begins."""
        return Walk(self.weights, self.first, self.second, self.steps, self.rows, 0.0, 0.0)


class MLPModel(NamedTuple):
    """A network, and where it goes on if more rows come."""

    weights: Annotated[Array, "parameter"]
    sizes: Annotated[Codes, "layer", Between(1, 1 << 31)]
    n_iter: int
    course: Course
    schema: Schema


class Weighing(NamedTuple):
    """The state of a fit that first weighs the classes, to balance them."""

    step: int
    schema: Schema
    onto: Bundle
    """the course that a warm start goes on with, if any"""


class Walking(NamedTuple):
    """The state of a fit that learns from one batch after another."""

    step: int
    schema: Schema
    course: Course


class Validating(NamedTuple):
    """The state of a fit that has ended an epoch, and looks how rows are told that are held back."""

    step: int
    schema: Schema
    course: Course


class Descending(NamedTuple):
    """The state of a fit that goes down the gradient of all rows; the weights of the course are those to try."""

    step: int
    schema: Schema
    course: Course
    descent: Descent
    passes: int
    """over the rows, so far"""


class Judging(NamedTuple):
    """The state of a fit that has ended: one more pass shows how steep the objective is there."""

    step: int
    schema: Schema
    course: Course


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


Single = Walking | Validating | Descending | Judging | Done
"""the state of a fit from one start"""
State = Weighing | Single | Restarting


some_kept_back = refused("no rows would be kept back", Remedy("tn.{name}(validation_fraction=0.1)"), 0)


class MLP(Sequential, Estimator):
    """What MLPClassifier and MLPRegressor share."""

    hidden: ClassVar[frozenset[str]] = frozenset({"course", "weights", "sizes"})
    expected_failed_checks: ClassVar[dict[str, str]] = {}
    mixing = False

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
    def draws_rows(self) -> bool:  # type: ignore[override]
        return self._in_batches and (self.shuffle or self.early_stopping)

    @property
    def _in_batches(self) -> bool:
        """Whether steps are made from batches, not from all rows."""
        return self.solver in ("adam", "sgd")

    def _holdout(self) -> Holdout:
        held = self.validation_fraction if self.early_stopping and self._in_batches else 0.0
        return Holdout(int(self.random_state or 0), held)

    def start(self, schema: Schema) -> State:
        """The state before the rows are looked at, with random weights."""
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
        return Weighing(0, schema, Bundle(())) if factors is None else self._first(schema, factors)

    def _factors(self, schema: Schema, mass: Array | None) -> Array | None:
        """Factors of the weights of rows of each class; None: they need the weight of each; empty: there are none."""
        return np.zeros(0)

    def _first(self, schema: Schema, factors: Array) -> State:
        """The state at the first start, or the only one."""
        first = self._started(schema, factors, 0)
        none = Bundle(())
        return first if self.n_init == 1 else Restarting(0, schema, 0, Bundle((first,)), none, math.inf)

    def _started(self, schema: Schema, factors: Array, start: int) -> Single:
        """The state at random weights, others for each number of a start."""
        seed = int(self.random_state or 0)
        weights = self._network(schema).initial([seed, start] if start else seed)
        none = np.zeros_like(weights)
        rate, curve = float(self.learning_rate_init), np.zeros(0)
        course = Course(weights, none, none, weights, 0, 0, rate, 0, self.max_iter, curve, curve, factors)
        return self._begun(0, schema, course)

    def _begun(self, step: int, schema: Schema, course: Course) -> Single:
        if self._in_batches:
            return Walking(step, schema, course)
        return Descending(step, schema, course, Descent.at(course.weights), 0)

    def onward(self, model: MLPModel) -> State:
        course = model.course._replace(left=1, idle=0, best=model.course.weights, validation_scores=np.zeros(0))
        return self._begun(model.n_iter, model.schema, course)

    def again(self, model: MLPModel) -> State:
        """A fit from the weights of a model, of which nothing else is taken over but the losses so far."""
        none, course = np.zeros_like(model.weights), model.course
        if len(none) != self._network(model.schema).length:
            raise ValueError("warm_start needs layers of the same sizes. Remedy: warm_start=False")
        course = course._replace(
            weights=model.weights, first=none, second=none, best=model.weights, steps=0, idle=0, left=self.max_iter,
            rate=float(self.learning_rate_init), validation_scores=np.zeros(0),
        )  # fmt: skip
        factors = self._factors(model.schema, None)
        if factors is None:
            return Weighing(model.n_iter, model.schema, Bundle((course,)))
        return self._begun(model.n_iter, model.schema, course._replace(factors=factors))

    def ask(self, state: State) -> NetworkEpoch | NetworkGradient | MassByClass | None:
        """Epochs, with a look at validation rows after each; or gradients of all rows; at the end how steep it is."""
        match state:
            case Weighing(schema=schema):
                return MassByClass(len(schema.classes))
            case Restarting():
                return self.ask(state.state)
            case Walking(_, schema, course):
                network = self._network(schema)
                how = (self.turn(state), self.shuffle, schema.levels, state.step > 0, course.walk, network)
                return NetworkEpoch(
                    *how, self._rule(course), self._holdout(), course.factors, order=self.order(state) or 0
                )
            case Validating(course=course):
                return self._gradient(state.schema, course, course.weights, learned=False)
            case Descending(course=course):
                return self._gradient(state.schema, course, course.weights)
            case Judging(course=course):
                return self._gradient(state.schema, course, course.best)
            case Done():
                return None

    def _gradient(self, schema: Schema, course: Course, weights: Array, learned: bool = True) -> NetworkGradient:
        network = self._network(schema)
        return NetworkGradient(network, weights, schema.levels, self._holdout(), learned, course.factors, self._device)

    @property
    def _device(self) -> str:
        """The name of the device that computes."""
        return "cpu" if self.device is None else str(self.device)

    @property
    def _penalties(self) -> tuple[float, float]:
        """The penalties of squares and of absolute values."""
        return float(self.alpha * (1 - self.l1_ratio)), float(self.alpha * self.l1_ratio)

    def _rule(self, course: Course) -> BatchRule:
        """The rule of the next epoch's steps."""
        batch = BATCH if isinstance(self.batch_size, str) else int(self.batch_size)
        nesterov = bool(self.nesterovs_momentum and self.momentum > 0)
        return BatchRule(
            self.solver == "adam", batch, course.rate, *self._penalties, float(self.momentum), nesterov,
            float(self.beta_1), float(self.beta_2), float(self.epsilon), float(self.dropout), self._device,
        )  # fmt: skip

    def model(self, state: State) -> MLPModel | None:
        # The network as it is; while it is scored, there is none.
        match state:
            case Walking(step, schema, course) | Descending(step, schema, course):
                sizes = np.array(self._network(schema).sizes, dtype=np.int64)
                return MLPModel(course.best, sizes, step, course, schema)
            case Done():
                return state.model
        return None

    def ending(self, state: State) -> State | None:
        """The last look at the weights of the epochs so far, or the end at the last step that was taken."""
        match state:
            case Walking(step, schema, course) if course.left < self.max_iter:
                return Judging(step, schema, course)
            case Descending(step, schema, course, descent) if step:
                course = course._replace(weights=course.best)
                if descent.moved:
                    return Done.of(self.model(state._replace(course=course)), step)
                return Judging(step, schema, course)
            case Restarting():
                now = self.ending(state.state)
                if isinstance(now, Done):
                    now = Judging(now.step, state.schema, now.model.course)
                return None if now is None else state._replace(start=self.n_init - 1, now=Bundle((now,)))
        return None

    def update(self, state: State, s: ClassMass | Walk | Objective) -> State:
        """On to what comes next, or one epoch further."""
        match state, s:
            case Weighing(step, schema, onto), ClassMass(mass=mass):
                factors = self._factors(schema, mass)
                factors = np.zeros(0) if factors is None else factors
                if not onto.each:
                    return self._first(schema, factors)
                return self._begun(step, schema, onto.each[0]._replace(factors=factors))
            case Restarting(), Walk() | Objective():
                return self._tried(state, s)
            case ((Walking() | Validating() | Descending() | Judging()), Walk() | Objective()):
                return self._single(state, s)
        raise AssertionError

    def _tried(self, state: Restarting, s: Walk | Objective) -> State:
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
            scores = now.model.course.validation_scores
            found = -float(scores.max()) if len(scores) else self._objective(state.schema, s)[0]
            if found < value or not best.each:
                best, value = Bundle((now.model,)), found
            else:
                now = None
        if not last:
            begun = self._started(state.schema, state.state.course.factors, state.start + 1)
            return Restarting(step, state.schema, state.start + 1, Bundle((begun,)), best, value)
        kept = best.each[0]
        return Judging(kept.n_iter, state.schema, kept.course._replace(best=kept.weights)) if now is None else now

    def _single(self, state: Single, s: Walk | Objective) -> Single:
        """A fit from one start, one round further."""
        match state, s:
            case Walking(), Walk():
                return self._walked(state, s)
            case Validating(), Objective():
                return self._validated(state, s)
            case Descending(), Objective():
                return self._down(state, s)
            case Judging(step, schema, course), Objective():
                value, slope = self._objective(schema, s)
                if not (math.isfinite(value) and math.isfinite(_norm(slope))):
                    raise Diverged.at(self.learning_rate_init)
                return Done.of(self.model(Walking(step, schema, course)), step)
        raise AssertionError

    def _walked(self, state: Walking, s: Walk) -> Single:
        """The state one epoch further."""
        if not s.mass:
            raise DataError(
                "early_stopping sets all rows aside for validation. Remedy: more rows, or a smaller validation_fraction"
            )
        if not (np.isfinite(s.weights).all() and np.isfinite(s.second).all() and math.isfinite(s.loss)):
            raise Diverged.at(self.learning_rate_init)
        course = state.course
        rate = course.rate
        if self.solver == "sgd" and self.learning_rate == "invscaling":
            rate = float(self.learning_rate_init) / (s.rows + 1) ** self.power_t
        curve = np.append(course.loss_curve, s.loss / s.mass)
        then = course._replace(
            weights=s.weights, first=s.first, second=s.second, steps=s.steps, rows=s.rows, rate=rate,
            left=course.left - 1, loss_curve=curve,
        )  # fmt: skip
        if self._holdout().share:
            return Validating(state.step, state.schema, then)
        return self._by_loss(Walking(state.step, state.schema, then))

    def _by_loss(self, state: Walking | Validating) -> Single:
        """The state after an epoch of which the loss alone tells whether it brought anything."""
        course = state.course
        curve = course.loss_curve
        worse = len(curve) > 1 and bool(curve[-1] > curve[:-1].min() - self.tol)
        course = course._replace(best=course.weights, idle=course.idle + 1 if worse else 0)
        return self._next(Walking(state.step + 1, state.schema, course))

    def _validated(self, state: Validating, s: Objective) -> Single:
        """The state after a look at the validation rows."""
        course = state.course
        if not s.held.mass:  # so few rows that none is held back
            return self._by_loss(state)
        score = s.held.score(self._outputs(state.schema)[1] == "squared_error")
        if not math.isfinite(score):
            raise Diverged.at(self.learning_rate_init)
        before = float(course.validation_scores.max(initial=-math.inf))
        idle = course.idle + 1 if score < before + self.tol else 0
        best = course.weights if score > before or not len(course.validation_scores) else course.best
        scores = np.append(course.validation_scores, score)
        course = course._replace(best=best, idle=idle, validation_scores=scores)
        return self._next(Walking(state.step + 1, state.schema, course))

    def _next(self, state: Walking) -> Single:
        """One more epoch, with shorter steps perhaps; or a last look."""
        course = state.course
        tired = course.idle > self.n_iter_no_change
        if tired and self.solver == "sgd" and self.learning_rate == "adaptive" and course.rate > SMALLEST:
            course, tired = course._replace(rate=course.rate / 5, idle=0), False
        return (Judging if tired or course.left <= 0 else Walking)(state.step, state.schema, course)

    def _down(self, state: Descending, s: Objective) -> Single:
        """A step from the place of a summary, or another try of the last one."""
        course, schema, passes = state.course, state.schema, state.passes + 1
        value, slope = self._objective(schema, s)
        first = math.isinf(state.descent.value)
        if first and not (math.isfinite(value) and math.isfinite(_norm(slope))):
            raise DataError(
                "the loss or its gradient overflows: values are too large. Remedy: rescale the columns, "
                "StandardScaler(), and a target of numbers"
            )
        descent = state.descent.next(value, slope, conjugate=self.solver == "cg")
        if not descent.moved:
            if descent.stuck or passes >= self.max_fun:
                there = course._replace(weights=descent.point, best=descent.point)
                return Judging(state.step, schema, there)
            return state._replace(course=course._replace(weights=descent.trial), descent=descent, passes=passes)
        step, here = state.step + (not first), course.weights
        curve = np.append(course.loss_curve, value)
        course = course._replace(
            best=here, left=course.left - (not first), loss_curve=course.loss_curve if first else curve
        )
        flat = descent.fall <= 64 * EPS * max(abs(value), 1.0)
        if np.abs(slope).max(initial=0.0) <= self.tol or course.left <= 0 or passes >= self.max_fun or flat:
            ended = course._replace(loss_curve=curve)
            return Done.of(self.model(state._replace(step=step, course=ended)), step)
        return Descending(step, schema, course._replace(weights=descent.trial), descent, passes)

    def _objective(self, schema: Schema, s: Objective) -> tuple[float, Array]:
        """The objective with its penalty, and its gradient."""
        heavy = np.where(self._network(schema).penalised, s.weights, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            l2, l1 = self._penalties
            value = (s.loss + 0.5 * l2 * float(heavy @ heavy) + l1 * float(np.abs(heavy).sum())) / s.mass
            return value, (s.slope + l2 * heavy + l1 * np.sign(heavy)) / s.mass

    def certify(self, model: MLPModel, s: Walk | Objective) -> tuple[Claim, ...] | None:
        """What the objective is at the end, and how steep; and how rows are told that were held back."""
        if not isinstance(s, Objective) or not len(s.slope) or not np.array_equal(s.weights, model.weights):
            return None
        value, slope = self._objective(model.schema, s)
        steep, usual = _norm(slope), "rounding errors of the usual size"
        vacuous = "vacuous: a network is not convex, and nothing is known but that no loss is below 0"
        ended = (
            "then max_iter was reached"
            if model.course.left <= 0
            else "then the improvement was below tol, or a rule ended it"
        )
        what = "epochs" if self._in_batches else "steps along gradients of all rows"
        claims = [
            Claim(
                "objective",
                value,
                "proved",
                "mean loss and penalty, over the training rows",
                "objective",
                usual,
            ),
            Claim("gradient", steep, "proved", "its norm: 0 at a stationary point", "objective", usual),
            Claim("gap", value, "proved", vacuous, "objective", usual),
            Claim("epochs", float(model.n_iter), "proved", f"{what}; {ended}", "objective"),
        ]
        return (*claims, *self._held_back(model, s)) if s.held.mass else tuple(claims)

    def _held_back(self, model: MLPModel, s: Objective) -> list[Claim]:
        """What the rows say that were held back."""
        told = s.held
        chose = "a little too low, as they chose the epoch"
        gap = told.loss / told.mass - s.loss / s.mass
        claims = [
            Claim(
                "validation loss", told.loss / told.mass, "estimated", f"mean over the validation rows; {chose}", "data"
            ),
            Claim("validation gap", gap, "estimated", "that, minus the mean over the training rows", "data"),
        ]
        if self._outputs(model.schema)[1] != "squared_error" and not s.uneven:
            epochs = max(self.max_iter, model.n_iter) * self.n_init
            bound = held_out_bound(told.errors, told.rows, DELTA / epochs)
            why = f"with 95 % confidence, exact binomial: {told.errors:,} errors on {told.rows:,} validation rows, "
            why += f"choice among {epochs:,} epochs {'' if self.n_init == 1 else 'of all starts '}counted in"
            assumed = "rows drawn independently from one distribution"
            claims.append(Claim("validation bound", float(bound), "with confidence", why, "unseen rows", assumed))
        return claims

    def scores(self, model: MLPModel, X: Columns) -> Array:
        """Outputs of the network for each row."""
        return self._network(model.schema).outputs(model.weights, Design.of(X, model.schema.levels))

    def is_valid(self, model: MLPModel, summary: object, schema: Schema) -> bool:
        network = self._network(schema)
        fits = tuple(model.sizes.tolist()) == network.sizes
        fits = fits and len(model.weights) == len(model.course.weights) == network.length
        fits = fits and len(model.course.factors) in (0, schema.size("class"))
        return fits and (not isinstance(summary, (Walk, Objective)) or len(summary.weights) == network.length)

    def size_fits(self, record: Any) -> bool:
        if isinstance(record, Restarting):
            begun = len(record.now.each) == 1 and isinstance(record.state, (Walking, Validating, Descending, Judging))
            tried = len(record.best.each) <= (record.start > 0) and all(
                isinstance(m, MLPModel) for m in record.best.each
            )
            return begun and tried and all(map(self.size_fits, (*record.now.each, *record.best.each)))
        at = record.model if isinstance(record, Done) else record
        if isinstance(at, Weighing):
            onto = at.onto.each
            if len(onto) > 1 or not all(isinstance(one, Course) for one in onto):
                return False
            return all(len(one.weights) == self._network(at.schema).length for one in onto)
        return len(at.course.weights) == self._network(at.schema).length

    def resumable(self, state: State, summary: object, schema: Schema) -> bool:
        if isinstance(state, Restarting):
            return self.size_fits(state) and self.resumable(state.state, summary, schema)
        if isinstance(state, (Done, Weighing)):
            return self.size_fits(state)
        fits = len(state.course.weights) == self._network(schema).length
        return fits and len(state.course.factors) in (0, schema.size("class"))

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
    def coefs_(self) -> list[Array]:
        """The coefficients of each layer: units below x units above."""
        return [W for W, _ in self._network(self.model_.schema).layers(self.model_.weights)]

    @property
    def intercepts_(self) -> list[Array]:
        """The constants of each layer's units."""
        return [b for _, b in self._network(self.model_.schema).layers(self.model_.weights)]

    @property
    def embeddings_(self) -> dict[str, Array]:
        """The embedding of each column that has one, by its name: its categories x its width."""
        schema = self.model_.schema
        names = [name for name, levels in zip(schema.names, schema.levels) if levels]
        return dict(zip(names, self._network(schema).tables(self.model_.weights)))

    @property
    def n_iter_(self) -> int:
        """How many epochs were run; with "lbfgs" and "cg", how many steps were made."""
        return max(self.model_.n_iter, 1)

    @property
    def n_layers_(self) -> int:
        """How many layers there are, that of the inputs included."""
        return len(self.model_.sizes)

    @property
    def n_outputs_(self) -> int:
        """How many units the last layer has."""
        return int(self.model_.sizes[-1])

    @property
    def t_(self) -> int:
        """How many rows were learned from in all epochs."""
        return self.model_.course.rows

    @property
    def loss_curve_(self) -> Array:
        """The mean loss with its penalty in each epoch, of each batch before it was learned from."""
        return self.model_.course.loss_curve

    @property
    def best_loss_(self) -> float:
        """The lowest loss of all epochs."""
        return float(self.loss_curve_.min())

    @property
    def loss_(self) -> float:
        """The mean loss with its penalty in the last epoch."""
        return float(self.loss_curve_[-1])

    @property
    def best_validation_score_(self) -> float | None:
        """The best score on the validation rows of all epochs; None without `early_stopping`."""
        scores = self.validation_scores_
        return float(scores.max()) if len(scores) else None

    @property
    def validation_scores_(self) -> Array:
        """The score after each epoch on the validation rows: accuracy, or R²."""
        return self.model_.course.validation_scores


def embedding_width(categories: int) -> int:
    """How many numbers a category gets if there are so many: 1.6 n^0.56, as experience has it, at most 600."""
    return min(600, categories, round(1.6 * categories**0.56))


def _norm(slope: Array) -> float:
    """The norm of a gradient, infinite if its squares overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.linalg.norm(slope))
