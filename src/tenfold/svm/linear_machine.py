"""What `LinearSVC` and `LinearSVR` share: two ways to the best planes, and the duality gap that ends both.

½‖w‖² + Σ Cᵢ loss(yᵢ - wᵀxᵢ) least. Of up to some hundred columns: the method of multipliers. Each row holds its dual
variable; losses that have a kink are smoothed around it, Newton's method solves that, each pass a merged slope and
curvature, and the dual variables move. Of more columns: rows are gathered, for dual coordinate descent.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.linear_model.dual_descent import descend_dual
from tenfold.core import MANY, Array, Claim, Columns, Flags, Mergeable, Schema
from tenfold.core.field_values import NOT_NAN, NOT_NEGATIVE, POSITIVE
from tenfold.core.learner import Done, Initial
from tenfold.estimator.shell.constraints import boolean, choice, integer, positive, real
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.keyword_decisions import some_rounds, unseeded
from tenfold.estimator.shell.kinds import warn_not_converged
from tenfold.svm.dual.dual_variables import (
    STEP_FRACTIONS,
    DesignLens,
    DesignRows,
    MarginSums,
    SmoothedMargins,
    class_costs,
    outputs_of,
    read_only,
)
from tenfold.svm.gathered_design import AllDesignRows, GatheredDesign

ALWAYS_GATHERED_BYTES = 1 << 22
"""bytes of rows that are always gathered: a pass over fewer is dominated by its overhead"""
MAX_HESSIAN_FEATURES = 500
"""columns up to which `dual="auto"` makes Hessians"""
SMOOTHING_GROWTH = 3.0
"""by how much losses are less smooth each time the dual variables have moved"""
MAX_SMOOTHING = 1e8
"""by how much at most: from there on as many moves as are needed, since rounding grows as smoothness falls"""
MULTIPLIER_SLOPE_RATIO = 0.01
"""multipliers move when the squared slope is so small a part of their own squared move"""


class GapSums(Mergeable):
    """Sums over all rows at some planes and dual variables, from which the gap of each output follows."""

    loss: Annotated[Array, "output", NOT_NEGATIVE]
    slack: Annotated[Array, "output", NOT_NEGATIVE]
    pull: Annotated[Array, "output", "predictor"]


class MachineModel(NamedTuple):
    """Planes; and, of gathered rows, the sums that prove how good they are."""

    coef: Annotated[Array, "output", "column"]
    intercept: Annotated[Array, "output"]
    n_iter: int
    weights: Annotated[Array, "output", "predictor"]
    """as they were found: the coefficient of the constant, if there is one, comes last"""
    loss: Annotated[Array, "output", NOT_NEGATIVE]
    slack: Annotated[Array, "output", NOT_NEGATIVE]
    pull: Annotated[Array, "output", "predictor"]
    radius: Annotated[float, NOT_NEGATIVE] = 0.0
    """the largest length of a row"""
    highest: Annotated[float, NOT_NEGATIVE] = 0.0
    """the largest |y|; 1 of classes"""


class Climbing(NamedTuple):
    """The state of the method of multipliers: the planes to look at next, and where the step to them began."""

    step: int
    schema: Schema
    mass: Annotated[Array, "class"]
    weights: Annotated[Array, "output", "predictor"]
    centres: Annotated[Array, "centre", "output", "predictor"]
    """planes at which the dual variables were moved"""
    sigmas: Annotated[Array, "centre", POSITIVE]
    sigma: Annotated[float, POSITIVE]
    base: Annotated[Array, "output", "predictor"]
    base_value: Annotated[Array, "output", NOT_NAN]
    """of the smoothed objective; infinite where no step was made"""
    promise: Annotated[Array, "output", NOT_NEGATIVE]
    """by how much the step was to lower it"""
    radius: Annotated[float, NOT_NEGATIVE]
    highest: Annotated[float, NOT_NEGATIVE]


State = Initial | Climbing | Done


class LinearMachine(Estimator):
    """Base of `LinearSVC` and `LinearSVR`."""

    passes: ClassVar[str] = MANY
    hidden = frozenset({"weights", "loss", "slack", "pull", "radius", "highest"})

    _: KW_ONLY
    tol: Annotated[float, real(0, open=True)] = 1e-4
    C: Annotated[float, real(0, open=True)] = 1.0
    fit_intercept: Annotated[bool, boolean] = True
    intercept_scaling: Annotated[float, positive] = 1.0
    dual: Annotated[bool | str, boolean, choice("auto")] = "auto"
    verbose: Annotated[int, "verbose"] = 0
    random_state: Annotated[int | None, unseeded] = None
    max_iter: Annotated[int, integer(0), some_rounds] = 1000

    @property
    def _squared(self) -> bool:
        """Whether the loss is squared."""
        return self.loss.startswith("squared")

    @property
    def _epsilon(self) -> float:
        return 0.0

    def _factors(self, schema: Schema, mass: Array) -> Array:
        """Class weight that multiplies C, for each class."""
        return np.ones(1)

    def _by_descent(self, schema: Schema) -> bool:
        """Whether rows are gathered for dual coordinate descent."""
        if self._free_intercept:
            return False
        return len(schema.columns) > MAX_HESSIAN_FEATURES if self.dual == "auto" else bool(self.dual)

    @property
    def _free_intercept(self) -> bool:
        """Whether the intercept is not penalised."""
        return bool(self.fit_intercept) and math.isinf(self.intercept_scaling)

    @property
    def _constant(self) -> float:
        if not self.fit_intercept:
            return 0.0
        return 1.0 if self._free_intercept else float(self.intercept_scaling)

    def start(self, schema: Schema) -> State:
        """The state before any rows are read; what cannot be fitted is refused here."""
        if self._free_intercept and self.dual is True:
            name = type(self).__name__
            raise ValueError(
                "dual=True moves one dual variable at a time, which leaves the intercept penalised, and "
                f"intercept_scaling=inf asks for one that is not. Remedy: tn.{name}(dual=False, "
                f"intercept_scaling=float('inf')), or tn.{name.removeprefix('Linear')}(kernel='linear')"
            )
        return Initial(0, schema)

    def ask(self, state: State) -> AllDesignRows | SmoothedMargins | None:
        """All rows, for descent or if they are few; then slopes and curvatures."""
        match state:
            case Initial(_, schema):
                return AllDesignRows(
                    _classes(schema), self._constant, 0 if self._by_descent(schema) else ALWAYS_GATHERED_BYTES
                )
            case Climbing(schema=schema):
                k = _classes(schema)
                own, other = class_costs(k, self.C, self._factors(schema, state.mass))
                centres = (state.weights, state.base, state.centres, state.sigmas, state.sigma)
                lens = DesignLens(k, self._constant)
                return SmoothedMargins(*centres, own, other, k > 0, self._epsilon, self._squared, lens=lens)
        return None

    def model(self, state: State) -> MachineModel | None:
        match state:
            case Climbing():
                return self._model(state.weights, max(state.step, 1), at=state)
            case Done():
                return state.model
        return None

    def _model(
        self, weights: Array, n_iter: int, sums: GapSums | None = None, at: Climbing | None = None
    ) -> MachineModel:
        k, p = len(weights), weights.shape[1] - self.fit_intercept
        intercept = self._constant * weights[:, p] if self.fit_intercept else np.zeros(k)
        sums = GapSums(np.zeros(k), np.zeros(k), np.zeros_like(weights)) if sums is None else sums
        largest = (0.0, 0.0) if at is None else (at.radius, at.highest)
        plane = (weights[:, :p].copy(), intercept, n_iter, weights)
        return MachineModel(*plane, sums.loss, sums.slack, sums.pull, *largest)

    def update(self, state: State, s: MarginSums | GatheredDesign) -> State:
        """The next planes, or the last."""
        match state, s:
            case Initial(_, schema), GatheredDesign():
                if self._by_descent(schema):
                    return Done.of(self._descended(schema, s))
                k = _classes(schema)
                shape = (k if k > 2 else 1, len(schema.columns) + self.fit_intercept)
                none, w = np.zeros((0, *shape)), np.zeros(shape)
                sigma = 1.0 if k or not s.size else s.total / s.size
                started = (w, np.full(len(w), math.inf), np.zeros(len(w)))
                largest = (s.radius, 1.0 if k else s.highest)
                begun = Climbing(0, schema, s.mass, w, none, np.zeros(0), sigma, *started, *largest)
                return self._alone(begun, s) if s.complete else begun
            case Climbing(), MarginSums():
                return self._climbed(state._replace(step=state.step + 1), s)
        raise AssertionError

    def _alone(self, at: Climbing, s: GatheredDesign) -> Done:
        """All passes, over rows that are here."""
        k = _classes(at.schema)
        rows = DesignRows(s.dense(), outputs_of(s.label, k) if k else s.number[None])
        scratch = None
        while True:
            asked = self.ask(at._replace(base=at.weights))
            assert isinstance(asked, SmoothedMargins)
            scratch = asked.follow(rows, scratch)
            sums = asked.sums(rows, s.weight, scratch[1])
            if not self._fell(at, sums).all():  # what is on the way matters only then
                asked = self.ask(at)
                assert isinstance(asked, SmoothedMargins)
                sums = asked.sums(rows, s.weight, scratch[1])
            then = self._climbed(at._replace(step=at.step + 1), sums)
            if isinstance(then, Done) or then.step >= self.max_iter:
                gap_sums = GapSums(sums.loss, sums.slack, sums.pull)
                model = self._model(at.weights, at.step + 1, gap_sums, at)
                return Done.of(model)
            at = then

    def _climbed(self, at: Climbing, s: MarginSums) -> Climbing | Done:
        """A step of Newton's method; or a part of the last; or, if that is done, dual variables that move."""
        w = at.weights
        ridge = self._ridge(w.shape[1])
        enough = self.tol * self._primal(w, s)
        if float(self._gaps(w, s, at.radius, at.highest).sum()) <= enough:
            return Done.of(self._model(w, at.step, at=at), at.step)
        value, fell = self._value(w, s), self._fell(at, s)
        slope = ridge * w - s.pull
        still = np.einsum("ij,j,ij->i", slope, ridge, slope)
        if self._free_intercept:
            still += 4 * np.abs(slope[:, -1]) * self._intercept_bound(w, s, at.radius, at.highest)
        near = still <= np.maximum(MULTIPLIER_SLOPE_RATIO * s.moved, MULTIPLIER_SLOPE_RATIO * enough / len(w))
        near &= not self._squared
        if (near & fell).all():
            return at._replace(
                centres=np.concatenate([at.centres, w[None]]),
                sigmas=np.append(at.sigmas, at.sigma),
                sigma=min(
                    at.sigma * SMOOTHING_GROWTH, max(at.sigma, MAX_SMOOTHING * float(at.sigmas[:1].sum()) or math.inf)
                ),
                base=w,
                base_value=np.full(len(w), math.inf),
            )
        then, base = w.copy(), w.copy()
        base_value, promise = value.copy(), np.zeros(len(w))
        for k in range(len(w)):
            if not fell[k]:  # the best part of the step
                ways = at.base[k] + STEP_FRACTIONS[:, None] * (w[k] - at.base[k])
                values = 0.5 * np.einsum("ij,j,ij->i", ways, ridge, ways) + s.line[k]
                best = int(np.argmin(values))
                then[k] = base[k] = ways[best]
                base_value[k] = math.inf
                if values[best] >= at.base_value[k]:  # not even the shortest goes down
                    base[k], base_value[k], promise[k] = (
                        at.base[k],
                        at.base_value[k],
                        STEP_FRACTIONS[-1] * at.promise[k],
                    )
                    then[k] = ways[-1]
                continue
            if near[k]:
                base_value[k] = math.inf
                continue
            p = w.shape[1]
            step = -_solved(np.diag(ridge) + s.curvature[k].reshape(p, p), slope[k])
            promise[k] = max(-float(slope[k] @ step), 0.0)
            then[k] = w[k] + step
        if np.array_equal(then, w):  # rounding: no step changes anything
            return Done.of(self._model(w, at.step, at=at), at.step)
        return at._replace(weights=then, base=base, base_value=base_value, promise=promise)

    def _descended(self, schema: Schema, s: GatheredDesign) -> MachineModel:
        """Dual coordinate descent on all rows, for each output."""
        classes = _classes(schema)
        own, other = class_costs(classes, self.C, self._factors(schema, s.mass))
        X = s.design()
        targets = outputs_of(s.label, classes) if classes else s.number[None]
        found = []
        for k, y in enumerate(targets):
            cost = s.weight * np.where(y > 0, own[k], other[k]) if classes else s.weight * own[k]
            low, high = (np.where(y < 0, -cost, 0.0), np.where(y > 0, cost, 0.0)) if classes else (-cost, cost)
            found.append(descended(X, y, low, high, self._epsilon, self._squared, self.tol, self.max_iter))
        weights, epochs, loss, slack = (np.array(each) for each in zip(*found))
        return self._model(weights, int(epochs.max()), GapSums(loss, slack, weights))

    def kept_summary(self, model: MachineModel, summary: Any) -> GapSums:
        # The sums that prove the gap; rows and curvatures are not kept.
        return summary if isinstance(summary, GapSums) else _sums(model, summary)

    def certify(self, model: MachineModel, s: MarginSums | GatheredDesign | GapSums) -> tuple[Claim, ...] | None:
        """The duality gap of all planes."""
        if isinstance(s, GatheredDesign) and not s.complete:
            return None
        sums = _sums(model, s)
        gap = float(self._gaps(model.weights, sums, model.radius, model.highest).sum())
        primal = self._primal(model.weights, sums)
        why = f"primal value {primal:.9g} minus that of dual variables within their bounds"
        if self._free_intercept:
            why += "; the intercept is not penalised: a best one is not above largest target + largest row · ‖w‖"
        elif self.fit_intercept:
            why += "; the intercept is penalised"
        say = "share of the primal value that the optimum may be below it"
        return (
            Claim("gap", gap, "proved", why, "objective"),
            Claim("relative gap", gap / primal if primal > 0 else 0.0, "proved", say, "objective"),
        )

    def _after_fit(self, source: object) -> None:
        share = self.certificate_["relative gap"].value
        if share > self.tol:
            warn_not_converged(
                f"{type(self).__name__}: the duality gap is {share:.1e} of the objective, above tol={self.tol:g}, "
                f"after max_iter={self.max_iter} rounds. Remedy: a larger max_iter, a smaller C, or columns of like "
                "size, StandardScaler()"
            )

    def _ridge(self, p: int) -> Array:
        """How much the square of each coefficient is penalised: by 1, and the free intercept not at all."""
        out = np.ones(p)
        out[p - self._free_intercept :] = 0.0
        return out

    def _norms(self, weights: Array) -> Array:
        """½‖w‖² of each output, without a free intercept."""
        return np.asarray(0.5 * np.einsum("ij,j,ij->i", weights, self._ridge(weights.shape[1]), weights))

    def _primal(self, weights: Array, s: GapSums | MarginSums) -> float:
        return float((self._norms(weights) + s.loss).sum())

    def _value(self, weights: Array, s: MarginSums) -> Array:
        """The smoothed objective of each output."""
        return np.asarray(self._norms(weights) + s.value)

    def _fell(self, at: Climbing, s: MarginSums) -> Flags:
        """Whether the smoothed objective fell by enough with the last step, but for rounding."""
        rounding = 64 * np.finfo(float).eps * (np.abs(s.value) + s.loss)
        return np.asarray(self._value(at.weights, s) <= at.base_value - 1e-4 * at.promise + rounding)

    def _gaps(self, weights: Array, s: GapSums | MarginSums, radius: float, highest: float) -> Array:
        """The duality gap of each output: what multipliers fall short of the losses, and how far they pull from w.

        With a free intercept b the multipliers β should add up to 0. If they do not, the dual is that of the problem
        with |b| ≤ B, which has the same optimum where B bounds the best intercept: its gap has B|Σβ| - bΣβ in place of
        the square.
        """
        off = weights - s.pull
        found = s.slack + self._norms(off)
        if self._free_intercept:
            total, b = s.pull[:, -1], weights[:, -1]
            found = found + np.abs(total) * self._intercept_bound(weights, s, radius, highest) - b * total
        return np.asarray(found)

    def _intercept_bound(self, weights: Array, s: GapSums | MarginSums, radius: float, highest: float) -> Array:
        """How large the best intercept of each output is at most.

        Beyond `highest` + R‖w‖ all values are above all targets (1 and -1 of classes), or below, and the losses fall
        towards it. ‖w‖²/2 of the best plane is at most the objective of this one.
        """
        bound = highest + self._epsilon + radius * np.sqrt(2 * (self._norms(weights) + s.loss))
        return np.maximum(bound, np.abs(weights[:, -1]))

    def is_valid(self, model: MachineModel, summary: object, schema: Schema) -> bool:
        k = _classes(schema)
        return model.weights.shape == (k if k > 2 else 1, len(schema.columns) + self.fit_intercept)

    def resumable(self, state: State, summary: object, schema: Schema) -> bool:
        if not isinstance(state, Climbing):
            return True
        return self.is_valid(self._model(state.weights, 1), summary, schema) and len(state.centres) == len(state.sigmas)

    def margins(self, model: MachineModel, X: Columns) -> Array:
        """wᵀx + b of each row for each plane."""
        return np.asarray(X @ model.coef.T + model.intercept)


def descended(
    X: Any, y: Array, low: Array, high: Array, epsilon: float, squared: bool, tol: float, most: int
) -> tuple[Array, int, float, float]:
    """Plane, epochs, loss and gap of dual coordinate descent; bounds are those of a loss that is not squared."""
    n = len(y)
    beta, w, d = np.zeros(n), np.zeros(X.shape[1]), np.zeros(n)
    if squared:
        price = np.maximum(high, -low)
        d = 0.5 / np.where(price > 0, price, 1.0)
        low, high = np.where(low < 0, -math.inf, 0.0), np.where(high > 0, math.inf, 0.0)
    none, nothing = np.zeros(0), np.zeros(0, np.int64)
    rows = (X, none, nothing, nothing)
    if sp.issparse(X):
        rows = (np.zeros((0, 0)), X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64))
    fixed = [read_only(each) for each in (*rows, y, low, high, d)]
    epochs, gap, loss, _ = descend_dual(*fixed, float(epsilon), float(tol), most, beta, w)
    return w, int(epochs), float(loss), float(gap)


def _solved(H: Array, g: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(H, g))
    except np.linalg.LinAlgError:  # rounding: columns of very different sizes
        return np.asarray(np.linalg.lstsq(H, g)[0])


def _sums(model: MachineModel, s: Any) -> GapSums:
    """Gap sums of a pass, or of a model fitted to gathered rows."""
    if isinstance(s, GatheredDesign):
        return GapSums(model.loss, model.slack, model.pull)
    return GapSums(s.loss, s.slack, s.pull)


def _classes(schema: Schema) -> int:
    """How many classes there are; 0 if the target holds numbers."""
    return 0 if schema.classes is None else len(schema.classes)
