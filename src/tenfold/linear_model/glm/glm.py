"""Generalized linear models by Newton's method: each pass is a merged loss, gradient and Hessian.

Minimise Σ wᵢ ℓ(yᵢ, xᵢᵀβ + β₀) + ½ λ₂ |β|² + λ₁ Σ|βⱼ|. A share of the parts gives scales and a first answer, then
all rows are read until the gap is proved to be small: mostly two or three times. Where the Hessian would be too large,
L-BFGS takes its place.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np

from tenfold.compiled.linear_model.glm import GAMMA, LOGISTIC
from tenfold.core import MANY, Array, Claim, Columns, DataError, Design, Flags, Schema, Stop
from tenfold.core.arrays import MatrixLike, VectorLike, symmetrize
from tenfold.core.certificate import Status
from tenfold.core.contract import for_users
from tenfold.core.field_values import NOT_NAN, Between, OneOf
from tenfold.core.learner import Done
from tenfold.estimator.feature_coefficients import Featured
from tenfold.estimator.shell.callbacks import with_callbacks
from tenfold.estimator.updating.continuing import Continues
from tenfold.linear_model.glm.newton import EPS, QuadraticModel, around, levelled, moved, place, root_of, strong
from tenfold.linear_model.inference.inference import RobustErrors
from tenfold.linear_model.inference.standard_errors import ROBUST
from tenfold.stats.optimize.curvature import Beginning, Curvature, CurvatureAt, FeatureScales
from tenfold.stats.optimize.lbfgs import direction, remember
from tenfold.stats.optimize.score_products import CurvatureScores, ScoresAt

PARTS_PER_SHARE = 16
"""one in this many parts is read for the first estimate"""
FIRST_SHARE_PARTS = 8
"""of these parts, at most one in this many rows is read at first"""
MIN_SHARE_ROWS = 2048
"""rows of a share that are worth a first answer of their own"""
MIN_CLASS_ROWS = 32
"""minimum number of rows of each class in the share: rows sorted by class make it useless otherwise"""
MAX_HESSIAN_FEATURES = 2000
"""coefficients whose Hessian is too large"""
UNPENALIZED_TOL = 1e-6
"""without a penalty standard errors are wanted, so the Hessian must be that of the estimate: the gap is so much less"""
DIVERGENCE_ROUNDS = 25
"""rounds after which a fit without a penalty that still walks is walking to infinity"""
DIVERGENCE_STEP = 0.1
"""then its steps are still longer than this, in the scale of the columns"""
SQUARE_UNDERFLOW = 2.3e-162
"""the squares of smaller numbers underflow to zero"""


class GlmModel(NamedTuple):
    """A linear model, and how many passes over all rows led to it."""

    coef: Annotated[Array, "output", "feature"]
    intercept: Annotated[Array, "output"]
    n_iter: int
    schema: Schema


class Iterate(NamedTuple):
    """Coefficients at which the next pass measures the objective, and the start of the step to them."""

    coef: Annotated[Array, "output", "feature"]
    intercept: Annotated[Array, "output"]
    center: Annotated[Array, "feature"]
    scale: Annotated[Array, "feature"]
    reach: float
    """the largest squared length of a row in these; 0 before it was measured"""
    base_coef: Annotated[Array, "output", "feature"]
    base_intercept: Annotated[Array, "output"]
    base_value: Annotated[float, NOT_NAN] = math.inf
    """the objective where the step began, infinite before the first"""
    promise: float = 0.0
    """by how much the step promised to lower it"""


class Memory(NamedTuple):
    """What L-BFGS remembers, in the scale of the columns."""

    gradient: Annotated[Array, "output", "predictor"]
    """the last one"""
    steps: Annotated[Array, "memory", "output", "predictor"]
    """the last ones"""
    bends: Annotated[Array, "memory", "output", "predictor"]
    """what each of them did to the gradient"""

    @classmethod
    def none(cls, outputs: int, features: int) -> Memory:
        """Before the first step."""
        none = np.zeros((0, outputs, features + 1))
        return cls(np.zeros((outputs, features + 1)), none, none)


class MeasuringScales(NamedTuple):
    """The state of a fit that looks for the scales of the columns: in a share of the parts, or in all."""

    step: int
    schema: Schema
    coef: Annotated[Array, "output", "feature"]
    """zeros, and a coefficient of one for the offset"""
    every: Annotated[int, OneOf(1, PARTS_PER_SHARE)]


class MeasuringScalesAround(NamedTuple):
    """The state of a fit that continues from coefficients, and looks for the scales of the columns in all parts."""

    step: int
    schema: Schema
    coef: Annotated[Array, "output", "feature"]
    intercept: Annotated[Array, "output"]


class Approaching(NamedTuple):
    """The state of a fit that steps on a share of the parts, and on few of their rows at first."""

    step: int
    schema: Schema
    place: Iterate
    turn: int
    thinned: Annotated[int, Between(1, FIRST_SHARE_PARTS)]


class Newton(NamedTuple):
    """The state of a fit that steps on all rows."""

    step: int
    schema: Schema
    place: Iterate


class Confirming(NamedTuple):
    """The state of a fit without a penalty that looks once more: standard errors want the Hessian of the estimate."""

    step: int
    schema: Schema
    place: Iterate


class Lbfgs(NamedTuple):
    """The state of an L-BFGS fit: too many coefficients for a Hessian, which the last steps approximate."""

    step: int
    schema: Schema
    place: Iterate
    memory: Memory


class ReadingScores(NamedTuple):
    """The state of a fit that reads the rows for their scores at the estimate, which robust standard errors need."""

    step: int
    schema: Schema
    place: Iterate
    root: Annotated[Array, "known", "direction"]
    """R with RRᵀ the inverse of the Hessian"""


OnAllRows = Newton | Confirming | Lbfgs
State = MeasuringScales | MeasuringScalesAround | Approaching | OnAllRows | ReadingScores | Done


class Glm(Continues, RobustErrors, Featured):
    """Base of the generalized linear models, which define `kind`, `penalties` and their parameters."""

    passes: ClassVar[str] = MANY
    remembers: ClassVar[bool] = False  # the minimum of the new rows is the same from any start
    usual_scans: ClassVar[int | None] = 10  # Newton's steps, the first of them from some of the parts
    scans_of_transformed: ClassVar[int | None] = 6  # the share is held
    kind: ClassVar[int]

    @property
    def most_rounds(self) -> None:
        # `max_iter` is far more than Newton's method takes.
        return None

    @with_callbacks
    @for_users
    def fit(
        self,
        X: MatrixLike,
        y: VectorLike = None,
        sample_weight: VectorLike = None,
        *,
        groups: VectorLike = None,
        start: Any = None,
        checkpoint: Any = None,
        stop: Stop | None = None,
    ) -> Self:
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
            With `standard_errors="cluster"`: the cluster of each row, or the name of the column that has it, which
            is then no feature. A Source takes a name.
        start : fitted model of the same class, optional
            A model whose coefficients are where the fit begins. The minimum is the same from any start; from one that
            is near it takes fewer passes.
        checkpoint : str, path or Checkpoint, optional
            Folder for checkpoints; an interrupted fit resumes from the last one.
        stop : Gap, Rounds, Seconds or a rule of your own, optional
            When to stop early, `Gap(1e-3) | Seconds(60)`: looked at after each round that leaves a certified model.

        Returns
        -------
        self : object
        """
        X, y, sample_weight = self._grouped(X, y, sample_weight, groups)
        return self._fit(X, y, sample_weight, start=start, checkpoint=checkpoint, stop=stop)

    def penalties(self, weight: float) -> tuple[float, float]:
        """λ₂ and λ₁, for rows of so much weight."""
        raise NotImplementedError

    def offset_feature(self, schema: Schema) -> int:
        """The feature whose coefficient is one; -1 if there is no offset."""
        return -1

    def start(self, schema: Schema) -> State:
        """Zeros, and a coefficient of one for the offset."""
        if _classes(schema) == 1:
            raise ValueError(f"{type(self).__name__} needs two classes, but the target has one class: {schema.classes}")
        k, p = _outputs(schema), int(schema.size("feature") or 0)
        if k * (p + 1) > MAX_HESSIAN_FEATURES and self.penalties(1.0)[1]:
            raise ValueError(
                f"{k * (p + 1):,} coefficients are too many for a penalty of absolute values: it needs their Hessian. "
                f"Remedy: l1_ratio=0, or at most {MAX_HESSIAN_FEATURES:,} of them"
            )
        coef = self._zeros(schema)
        return MeasuringScales(0, schema, coef, 1 if k * (p + 1) > MAX_HESSIAN_FEATURES else PARTS_PER_SHARE)

    def again(self, model: GlmModel, schema: Schema) -> MeasuringScalesAround:
        """The coefficients of a model, but for those that are fixed."""
        fixed, free = self._zeros(schema), self._free(schema)
        coef = np.where(free[:, 1:], model.coef, fixed)
        return MeasuringScalesAround(0, schema, coef, np.where(free[:, 0], model.intercept, 0.0))

    def _zeros(self, schema: Schema) -> Array:
        coef, fixed = np.zeros((_outputs(schema), int(schema.size("feature") or 0))), self.offset_feature(schema)
        if fixed >= 0:
            coef[:, fixed] = 1.0
        return coef

    def ask(self, state: State) -> FeatureScales | CurvatureAt | ScoresAt | None:
        """A share first, then all rows, at each new place."""
        match state:
            case MeasuringScales(_, schema, _, every):
                return FeatureScales(self.kind, _classes(schema), schema.levels, every=every)
            case MeasuringScalesAround(_, schema):
                return FeatureScales(self.kind, _classes(schema), schema.levels, every=1)
            case Approaching():
                return self._curvature(state, thinned=state.thinned, every=PARTS_PER_SHARE)
            case Newton() | Confirming() | Lbfgs():
                return self._curvature(state, expected=isinstance(state, Confirming) and self.kind == GAMMA)
            case ReadingScores(_, schema, at, root):
                where = (at.coef[0], float(at.intercept[0]), at.center, root, schema.levels)
                return ScoresAt(self._curvature(state), self._scores, *where, self.kind)
            case Done():
                return None

    def _curvature(
        self, state: Approaching | OnAllRows | ReadingScores, expected: bool = False, thinned: int = 1, every: int = 1
    ) -> CurvatureAt:
        at = state.place
        metric, curved = (at.center, at.scale, state.schema.levels, at.reach), not isinstance(state, Lbfgs)
        return CurvatureAt(at.coef, at.intercept, self.kind, *metric, curved, expected, thinned, every=every)

    def model(self, state: State) -> GlmModel | None:
        match state:
            case Newton() | Confirming() | Lbfgs() | ReadingScores():
                return GlmModel(state.place.coef, state.place.intercept, max(state.step, 1), state.schema)
            case Done():
                return state.model
        return None

    def update(self, state: State, s: Beginning | Curvature | CurvatureScores) -> State:
        """Advance to the next iterate, or to the next state."""
        match state, s:
            case MeasuringScales() | MeasuringScalesAround(), Beginning():
                return self._began(state, s)
            case Approaching(), Curvature():
                return self._stepped(state._replace(turn=state.turn + 1), s)
            case Newton() | Confirming() | Lbfgs(), Curvature():
                reached = state.place._replace(reach=s.reach)
                return self._stepped(state._replace(step=state.step + 1, place=reached), s)
            case ReadingScores(), CurvatureScores():
                return self._done(state)
        raise AssertionError

    def _stepped(self, state: Approaching | OnAllRows, s: Curvature) -> State:
        """A step, or a shorter one, from the place of a summary."""
        at, classes, whole = state.place, _classes(state.schema), not isinstance(state, Approaching)
        squared, absolute = self._penalties(state, s)
        free = self._free(state.schema)
        value = self._value(s, squared, absolute, free)
        zero = s.weight * math.log(max(classes, 1))
        if whole and classes and value > 1.001 * zero and math.isinf(at.base_value):  # a bad share
            return state._replace(place=at._replace(coef=0 * at.coef, intercept=0 * at.intercept))
        slack = 16 * EPS * (abs(value) + s.size + s.weight)
        if not (s.finite and math.isfinite(value) and value <= at.base_value - 1e-4 * at.promise + slack):
            return self._shorter(state, s)
        if isinstance(state, Lbfgs):
            if self._wide_gap(s, value, squared, free) <= math.sqrt(self.tol) * s.weight:
                return self._done(state)
            return _quasi_newton_step(state, s, value, squared, free)
        here = around(s, squared, absolute, free)
        d = here.step()
        coef, intercept = place(d, s, free)
        if absolute and self.fit_intercept and len(intercept) > 1:  # with squares alone, they are level by themselves
            intercept = levelled(intercept)
        falls = here.falls(d)
        then = at._replace(
            coef=coef, intercept=intercept, promise=falls,
            base_coef=s.coef, base_intercept=s.intercept, base_value=value,
        )  # fmt: skip
        if not isinstance(state, Approaching):
            return self._go_on(state, then, s, here, d, value)
        if not (2 * falls < max(1.0, 0.5 * len(d)) or state.turn > DIVERGENCE_ROUNDS):
            return state._replace(place=then)
        then = then._replace(base_value=math.inf)
        return state._replace(place=then, thinned=1) if state.thinned > 1 else Newton(state.step, state.schema, then)

    def _go_on(
        self, state: Newton | Confirming, then: Iterate, s: Curvature, here: QuadraticModel, d: Array, value: float
    ) -> State:
        """Whether this place, or the one after the step, is where to stop."""
        small = max(self.tol * s.weight, 2 * here.rough * here.rough)
        squared, absolute = self._penalties(state, s)
        if squared or absolute:
            after = state._replace(place=then)
            if here.gap(d) <= small:
                return self._done(after)
            # far columns beside one-hot ones round the Hessian so that it proves nothing: the penalty may, and the next
            # step promises less than the objective is rounded by
            wide_gap = self._wide_gap(s, value, squared, self._free(state.schema))
            return self._done(state) if wide_gap <= small and then.promise <= EPS * value else after
        if self.kind == LOGISTIC and s.worst < 0:
            return self._done(state)
        exact = max(UNPENALIZED_TOL * self.tol * s.weight, 2 * here.rough * here.rough)
        if here.gap() <= exact and isinstance(state, Confirming):
            return self._estimated(state, s)
        if self.kind == LOGISTIC and state.step > DIVERGENCE_ROUNDS and np.abs(d).max(initial=0.0) > DIVERGENCE_STEP:
            return self._done(state)
        return (Confirming if here.gap(d) <= small else Newton)(state.step, state.schema, then)

    def _estimated(self, state: OnAllRows, s: Curvature) -> State:
        """The end, if the errors are not robust; else the rows are read for their scores at this place."""
        if (
            self.standard_errors not in ROBUST
            or isinstance(state, Lbfgs)
            or any(self.penalties(1.0))
            or len(s.coef) > 1
        ):
            return self._done(state)
        free = self._free(state.schema)[0]
        return ReadingScores(state.step, state.schema, state.place, root_of(symmetrize(s.gram[0]), free))

    def _done(self, state: OnAllRows | ReadingScores) -> Done:
        return Done.of(self.model(state), state.step)

    def _began(self, state: MeasuringScales | MeasuringScalesAround, s: Beginning) -> State:
        """Centre and scale of the columns, and a first intercept."""
        if not s.weight and isinstance(state, MeasuringScales):
            return state._replace(every=1)
        mean = s.mean if self.fit_intercept else np.zeros_like(s.mean)
        scale = np.hypot(np.sqrt(s.square / s.weight), s.mean - mean)
        free = self._free(state.schema)[0, 1:]
        center = np.where((np.abs(mean) > scale) | ~free, mean, 0.0)  # where nothing is far, rows need no copy
        scale = np.where(scale > 0, scale, np.abs(s.mean))
        scale = np.hypot(scale, 2 * math.sqrt(self.penalties(s.weight)[0] / s.weight))  # of the Hessian, about
        scale = np.where(scale > 0, scale, 1.0)
        if (scale < SQUARE_UNDERFLOW).any():
            j = int(scale.argmin())
            what = f"predictor number {j} is too small to be squared (about {scale[j]:.0e})"
            raise DataError(f"{what}, and no penalty holds its coefficient. Remedy: rescale the column, or drop it")
        (k, p), coef = state.coef.shape, self._zeros(state.schema)
        intercept = np.zeros(k)
        if self.fit_intercept and self.kind != LOGISTIC:
            target = float(s.target[0]) / s.weight
            intercept[:] = math.log(target) - coef[0] @ center if target > 0 else 0.0
        at = Iterate(coef, intercept, center, scale, 0.0, coef, np.zeros(k))
        if isinstance(state, MeasuringScalesAround):  # whence steps back, if its values overflow, lead to those above
            at = at._replace(coef=state.coef, intercept=state.intercept, base_intercept=intercept)
        if k * (p + 1) > MAX_HESSIAN_FEATURES:
            return Lbfgs(0, state.schema, at, Memory.none(k, p))
        if isinstance(state, MeasuringScalesAround):
            return Newton(0, state.schema, at)
        enough = 20 * state.coef.size
        fewest = s.rows * s.target.min() / s.weight if self.kind == LOGISTIC else s.rows
        if state.every > 1 and s.rows >= max(MIN_SHARE_ROWS, enough) and fewest >= MIN_CLASS_ROWS:
            return Approaching(0, state.schema, at, 1, max(1, min(s.rows // (8 * enough), FIRST_SHARE_PARTS)))
        return Newton(0, state.schema, at)

    def _shorter(self, state: Approaching | OnAllRows, s: Curvature) -> State:
        """Back towards where the last step began."""
        at = state.place
        coef = at.base_coef + 0.25 * (at.coef - at.base_coef)
        intercept = at.base_intercept + 0.25 * (at.intercept - at.base_intercept)
        if not (np.array_equal(coef, at.base_coef) and np.array_equal(intercept, at.base_intercept)):
            return state._replace(place=at._replace(coef=coef, intercept=intercept, promise=0.25 * at.promise))
        if isinstance(state, Approaching):
            return Newton(state.step, state.schema, at._replace(base_value=math.inf))
        if math.isinf(at.base_value):
            raise DataError("sums over the rows overflow: a column is too large. Remedy: rescale the columns")
        if not s.finite:
            return self._done(state._replace(place=at._replace(coef=coef, intercept=intercept)))
        return self._estimated(state, s)

    def _penalties(self, state: Approaching | OnAllRows, s: Curvature) -> tuple[float, float]:
        """Penalties of the full objective, scaled to the rows that were read."""
        squared, absolute = self.penalties(s.weight)
        part = PARTS_PER_SHARE * state.thinned if isinstance(state, Approaching) else 1
        return squared / part, absolute / part

    def _free(self, schema: Schema) -> Flags:
        """Which entries are to be found: not the offset, nor one category of each column if there is no penalty."""
        levels, fixed = schema.levels, self.offset_feature(schema)
        free = np.ones((_outputs(schema), int(schema.size("feature") or 0) + 1), bool)
        free[:, 0] = self.fit_intercept
        if fixed >= 0:
            free[:, fixed + 1] = False
        if not any(self.penalties(1.0)):
            starts = np.cumsum(np.maximum(levels, 1)) - np.maximum(levels, 1)
            for j in np.flatnonzero(levels)[0 if self.fit_intercept else 1 :]:
                free[:, starts[j] + 1] = False
        return free

    def _value(self, s: Curvature, squared: float, absolute: float, free: Flags) -> float:
        coef = np.where(free[:, 1:], s.coef, 0.0)
        with np.errstate(over="ignore"):  # coefficients too long to be squared: the step to them is shortened
            penalty = 0.5 * squared * float((coef**2).sum()) if squared else 0.0
        return s.loss + penalty + absolute * float(np.abs(coef).sum())

    def _wide_gap(self, s: Curvature, value: float, squared: float, free: Flags) -> float:
        """Without a Hessian: by the squares in the penalty, or because no loss is below its least."""
        more = value - self._value(s, squared, 0.0, free)  # absolute values, which are zero at least
        return min(strong(s, squared, free) + more, value - s.least)

    def certify(self, model: GlmModel, s: Beginning | Curvature | CurvatureScores) -> tuple[Claim, ...] | None:
        """How far above its minimum the objective is, and what the data do to it."""
        if isinstance(s, CurvatureScores):
            return self.certify(model, s.base)
        if not isinstance(s, Curvature):
            return None
        same = np.array_equal(s.coef, model.coef) and np.array_equal(s.intercept, model.intercept)
        if not s.finite:
            why = "sums over the rows overflow at the last step. Remedy: rescale the columns"
            return None if same else (Claim("gap", math.inf, "proved", why, "objective"),)
        squared, absolute = self.penalties(s.weight)
        free = self._free(model.schema)
        claims, here = [], None
        value = self._value(s, squared, absolute, free)
        gap = self._wide_gap(s, value, squared, free) if same else math.inf
        status: Status = "proved"
        why = "no loss is below its least" if gap >= value - s.least else "the penalty is strongly convex"
        if len(s.gram):
            here = around(s, squared, absolute, free)
            d = None
            if not same:
                step = moved((s.coef, s.intercept), (model.coef, model.intercept), (s.center, s.scale))
                if absolute and self.fit_intercept and len(step) > 1:
                    step[:, 0] = levelled(step[:, 0])
                d = step[free]
            newton = here.gap(d)
            if newton <= gap:
                gap, why = newton, "the gradient in the length of the Hessian, and how fast that can fall"
                whole = here.rank == len(here.at) or not absolute
                status = "proved" if here.is_valid and whole else "estimated"
            if here.rank < len(here.at):
                said = f"only {here.rank} of {len(here.at)} columns are linearly independent"
                claims.append(Claim("rank", float(here.rank), "estimated", said, "data"))
        usual = "the Hessian is not singular but for rounding" if status == "estimated" else ""
        claims.insert(0, Claim("gap", gap / s.weight, status, f"{why}; per row", "objective", usual))
        return (*claims, *self._more(model, s, squared + absolute, here))

    def _more(self, model: GlmModel, s: Curvature, penalty: float, here: QuadraticModel | None) -> tuple[Claim, ...]:
        return ()

    def margins(self, model: GlmModel, X: Columns) -> Array:
        """The linear predictor of each row for each output."""
        return np.asarray(Design.of(X, model.schema.levels) @ model.coef.T + model.intercept)

    def resumable(self, state: State, summary: object, schema: Schema) -> bool:
        k = _outputs(schema)
        fits = not isinstance(state, Lbfgs) or len(state.memory.gradient) == k
        return isinstance(state, (MeasuringScales, MeasuringScalesAround, Done)) or (
            fits and len(state.place.coef) == k
        )


def _outputs(schema: Schema) -> int:
    """Number of outputs: one for each class; one for two classes or for numbers."""
    return max(_classes(schema) if _classes(schema) != 2 else 1, 1)


def _classes(schema: Schema) -> int:
    """How many classes there are; 0 if the target holds numbers."""
    return 0 if schema.classes is None else len(schema.classes)


def _quasi_newton_step(state: Lbfgs, s: Curvature, value: float, squared: float, free: Flags) -> Lbfgs:
    """The state one step of L-BFGS further, from where the objective has this value."""
    at, (last_gradient, steps, bends) = state.place, state.memory
    unit = np.append(1.0, s.scale)
    gradient = np.where(free, s.gradient, 0.0) / unit
    gradient[:, 1:] += squared * np.where(free[:, 1:], s.coef, 0.0) / s.scale
    if np.isfinite(at.base_value):
        last = moved((at.base_coef, at.base_intercept), (s.coef, s.intercept), (s.center, s.scale))
        steps, bends = remember(steps, bends, last, gradient - last_gradient)
    first = 1 / max(float(np.abs(s.drift[:, 0]).sum()) * s.reach, np.finfo(np.float64).tiny)
    step = direction(gradient, steps, bends, first)
    promise = -float((gradient * step).sum())
    step /= unit
    coef, intercept = s.coef + step[:, 1:], s.intercept + step[:, 0] - step[:, 1:] @ s.center
    then = at._replace(
        coef=coef, intercept=intercept, base_coef=s.coef, base_intercept=s.intercept, base_value=value, promise=promise
    )
    return state._replace(place=then, memory=Memory(gradient, steps, bends))
