"""Generalized linear models by Newton's method: each pass is a merged loss, gradient and Hessian.

Minimise Σ wᵢ ℓ(yᵢ, xᵢᵀβ + β₀) + ½ λ₂ |β|² + λ₁ Σ|βⱼ|. A share of the parts gives scales and a first answer, then
all rows are read until the gap is proved to be small: mostly two or three times. Where the Hessian would be too large,
L-BFGS takes its place.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from tenfold.core import MANY, Array, Claim, Codes, Columns, DataError, Design, Flags, Schema
from tenfold.core.allowed import CLASS_COUNT, LEVELS, NOT_NAN, Index, OneOf
from tenfold.core.certificate import Status
from tenfold.estimator.featured import Featured
from tenfold.kernels.glm import GAMMA, LOGISTIC
from tenfold.linear.lbfgs import onward
from tenfold.linear.newton import EPS, Local, around, levelled, moved, place, strong
from tenfold.stats.curvature import Beginning, Curvature, CurvatureAt, FeatureScales

SHARE = 16
"""each so many parts one is read for a first answer"""
FEW = 8
"""and of these, first, each so many rows one"""
ENOUGH = 16384
"""rows of a share that are worth a first answer of their own"""
WIDE = 2000
"""coefficients whose Hessian is too large"""
EXACT = 1e-6
"""without a penalty standard errors are wanted, so the Hessian must be that of the estimate: the gap is so much less"""
FAR = 25
"""rounds after which a fit without a penalty that still walks is walking to infinity"""
SMALL = 2.3e-162
"""the square of what is smaller is nought"""


class GlmState(NamedTuple):
    """A linear model, where it came from, and how to go on."""

    step: int
    phase: Annotated[str, OneOf("begin", "all", "few", "share", "newton", "errors", "done")]
    turn: int
    coef: Annotated[Array, "output", "feature"]
    intercept: Annotated[Array, "output"]
    center: Annotated[Array, "feature"]
    scale: Annotated[Array, "feature"]
    reach: float
    """the largest squared length of a row in these; 0 before it was measured"""
    levels: Annotated[Codes, "column", LEVELS]
    classes: Annotated[int, CLASS_COUNT]
    """0 if the target holds numbers"""
    fixed: Annotated[int, Index("feature", none=True)]
    """the feature whose coefficient is one, the offset; -1 if there is none"""
    base_coef: Annotated[Array, "output", "feature"]
    base_intercept: Annotated[Array, "output"]
    base_value: Annotated[float, NOT_NAN]
    """the objective where the last step began, infinite before the first"""
    promise: float
    """by how much the step promised to lower it"""
    base_gradient: Annotated[Array, "output", "predictor"]
    steps: Annotated[Array, "memory", "output", "predictor"]
    bends: Annotated[Array, "memory", "output", "predictor"]

    @property
    def at(self) -> tuple[Array, Array]:
        """The place."""
        return self.coef, self.intercept

    @property
    def metric(self) -> tuple[Array, Array]:
        """Centre and scale of the columns."""
        return self.center, self.scale


class Glm(Featured):
    """What the three models share. They bring `kind`, `penalties` and their parameters."""

    passes: ClassVar[str] = MANY
    model_type: ClassVar[type] = GlmState
    summary_types: ClassVar[tuple[type, ...]] = (Beginning, Curvature)
    steering: ClassVar[frozenset[str]] = frozenset(GlmState._fields) - {"coef", "intercept"}
    kind: ClassVar[int]
    fit_intercept: bool
    tol: float
    max_iter: int

    def penalties(self, weight: float) -> tuple[float, float]:
        """λ₂ and λ₁, for rows of so much weight."""
        raise NotImplementedError

    def known(self, schema: Schema) -> int:
        """The feature whose coefficient is one; -1 if there is no offset."""
        return -1

    def start(self, schema: Schema) -> GlmState:
        """Noughts, and a coefficient of one for the offset."""
        classes = 0 if schema.classes is None else len(schema.classes)
        if schema.classes is not None and classes < 2:
            raise ValueError(f"{type(self).__name__} needs two classes, but the target has one class: {schema.classes}")
        k, p = classes if classes > 2 else 1, int(schema.size("feature") or 0)
        if k * (p + 1) > WIDE and self.penalties(1.0)[1]:
            raise ValueError(
                f"{k * (p + 1):,} coefficients are too many for a penalty of absolute values: it needs their Hessian. "
                f"Remedy: l1_ratio=0, or at most {WIDE:,} of them"
            )
        coef, none = np.zeros((k, p)), np.zeros((0, k, p + 1))
        fixed = self.known(schema)
        if fixed >= 0:
            coef[:, fixed] = 1.0
        zeros = np.zeros(k)
        first = "all" if k * (p + 1) > WIDE else "begin"
        return GlmState(
            0, first, 0, coef, zeros, np.zeros(p), np.ones(p), 0.0, schema.levels, classes, fixed,
            coef, zeros, math.inf, 0.0, np.zeros((k, p + 1)), none, none,
        )  # fmt: skip

    def ask(self, state: GlmState) -> FeatureScales | CurvatureAt | None:
        """A share first, then all rows, at each new place."""
        if state.phase == "done":
            return None
        if state.phase in ("begin", "all"):
            return FeatureScales(self.kind, state.classes, state.levels, every=SHARE if state.phase == "begin" else 1)
        return CurvatureAt(
            *state.at, self.kind, *state.metric, state.levels, state.reach,
            curved=state.coef.shape[0] * (state.coef.shape[1] + 1) <= WIDE,
            expected=state.phase == "errors" and self.kind == GAMMA,
            thinned=FEW if state.phase == "few" else 1,
            every=SHARE if state.phase in ("few", "share") else 1,
        )  # fmt: skip

    def update(self, state: GlmState, s: Beginning | Curvature) -> GlmState:
        """To the next place, or to the next phase."""
        state = state._replace(turn=state.turn + 1)
        if isinstance(s, Beginning):
            return self._began(state, s)
        whole = state.phase not in ("few", "share")
        state = state._replace(step=state.step + 1, reach=s.reach) if whole else state
        squared, absolute = self._penalties(state, s)
        free = self._free(state)
        value = self._value(s, squared, absolute, free)
        nought = s.weight * math.log(max(state.classes, 1))
        if whole and state.classes and value > 1.001 * nought and math.isinf(state.base_value):  # a bad share
            return state._replace(coef=0 * state.coef, intercept=0 * state.intercept)
        slack = 16 * EPS * (abs(value) + s.size + s.weight)
        if not (s.finite and math.isfinite(value) and value <= state.base_value - 1e-4 * state.promise + slack):
            return self._shorter(state)
        if not len(s.gram):
            return self._lbfgs(state, s, value, squared, free)
        here = around(s, state.metric, squared, absolute, free)
        d = here.step()
        coef, intercept = place(d, s, state.metric, free)
        if absolute and self.fit_intercept and len(intercept) > 1:  # with squares alone, they are level by themselves
            intercept = levelled(intercept)
        then = state._replace(
            coef=coef, intercept=intercept, promise=here.falls(d),
            base_coef=s.coef, base_intercept=s.intercept, base_value=value,
        )  # fmt: skip
        if not whole:
            near = 2 * here.falls(d) < max(1.0, 0.5 * len(d)) or state.turn > FAR
            after = "share" if state.phase == "few" else "newton"
            return then._replace(phase=after, base_value=math.inf) if near else then
        return self._go_on(state, then, s, here, d)

    def _go_on(self, state: GlmState, then: GlmState, s: Curvature, here: Local, d: Array) -> GlmState:
        """Whether this place, or the one after the step, is where to stop."""
        small = max(self.tol * s.weight, 2 * here.rough * here.rough)
        if not any(self._penalties(state, s)):
            if self.kind == LOGISTIC and s.worst < 0:
                return state._replace(phase="done")
            exact = max(EXACT * self.tol * s.weight, 2 * here.rough * here.rough)
            if here.gap() <= exact and state.phase == "errors":
                return state._replace(phase="done")
            if self.kind == LOGISTIC and state.step > FAR and np.abs(d).max(initial=0.0) > 0.1:
                return state._replace(phase="done")
            return then._replace(phase="errors" if here.gap(d) <= small else "newton")
        if here.gap(d) <= small:
            return then._replace(phase="done")
        return then

    def _began(self, state: GlmState, s: Beginning) -> GlmState:
        """Centre and scale of the columns, and a first intercept."""
        if not s.weight:
            return state._replace(phase="all")
        mean = s.mean if self.fit_intercept else np.zeros_like(s.mean)
        scale = np.hypot(np.sqrt(s.square / s.weight), s.mean - mean)
        free = self._free(state)[0, 1:]
        center = np.where((np.abs(mean) > scale) | ~free, mean, 0.0)  # where nothing is far, rows need no copy
        scale = np.where(scale > 0, scale, np.abs(s.mean))
        scale = np.hypot(scale, 2 * math.sqrt(self.penalties(s.weight)[0] / s.weight))  # of the Hessian, about
        scale = np.where(scale > 0, scale, 1.0)
        if (scale < SMALL).any():
            j = int(scale.argmin())
            what = f"predictor number {j} is too small to be squared (about {scale[j]:.0e})"
            raise DataError(f"{what}, and no penalty holds its coefficient. Remedy: rescale the column, or drop it")
        intercept = np.zeros(len(state.intercept))
        if self.fit_intercept and self.kind != LOGISTIC:
            target = float(s.target[0]) / s.weight
            intercept[:] = math.log(target) - state.coef[0] @ center if target > 0 else 0.0
        enough = state.phase == "begin" and s.rows >= max(ENOUGH, 20 * state.coef.size)
        phase = "few" if enough else "newton"
        return state._replace(phase=phase, center=center, scale=scale, intercept=intercept)

    def _shorter(self, state: GlmState) -> GlmState:
        """Back towards where the last step began."""
        coef = state.base_coef + 0.25 * (state.coef - state.base_coef)
        intercept = state.base_intercept + 0.25 * (state.intercept - state.base_intercept)
        if np.array_equal(coef, state.base_coef) and np.array_equal(intercept, state.base_intercept):
            if math.isinf(state.base_value) and state.phase not in ("few", "share"):
                raise DataError("sums over the rows overflow: a column is too large. Remedy: rescale the columns")
            return state._replace(phase="newton" if state.phase in ("few", "share") else "done")
        return state._replace(coef=coef, intercept=intercept, promise=0.25 * state.promise)

    def _lbfgs(self, state: GlmState, s: Curvature, value: float, squared: float, free: Flags) -> GlmState:
        """A step from the gradients so far."""
        if self._wide_gap(s, value, state, squared, free) <= math.sqrt(self.tol) * s.weight:
            return state._replace(phase="done")
        return state._replace(base_value=value, **onward(state, s, squared, free))

    def _penalties(self, state: GlmState, s: Curvature) -> tuple[float, float]:
        """Those of all rows, as far as the rows that were read go."""
        squared, absolute = self.penalties(s.weight)
        part = {"few": SHARE * FEW, "share": SHARE}.get(state.phase, 1)
        return squared / part, absolute / part

    def _free(self, state: GlmState) -> Flags:
        """Which entries are to be found: not the offset, nor one category of each column if there is no penalty."""
        k, p = state.coef.shape
        free = np.ones((k, p + 1), bool)
        free[:, 0] = self.fit_intercept
        if state.fixed >= 0:
            free[:, state.fixed + 1] = False
        if not any(self.penalties(1.0)):
            starts = np.cumsum(np.maximum(state.levels, 1)) - np.maximum(state.levels, 1)
            for j in np.flatnonzero(state.levels)[0 if self.fit_intercept else 1 :]:
                free[:, starts[j] + 1] = False
        return free

    def _value(self, s: Curvature, squared: float, absolute: float, free: Flags) -> float:
        coef = np.where(free[:, 1:], s.coef, 0.0)
        with np.errstate(over="ignore"):  # coefficients too long to be squared: the step to them is shortened
            penalty = 0.5 * squared * float((coef**2).sum()) if squared else 0.0
        return s.loss + penalty + absolute * float(np.abs(coef).sum())

    def _wide_gap(self, s: Curvature, value: float, state: GlmState, squared: float, free: Flags) -> float:
        """Without a Hessian: by the squares in the penalty, or because no loss is below its least."""
        more = value - self._value(s, squared, 0.0, free)  # absolute values, which are nought at the least
        return min(strong(s, state.center, squared, free) + more, value - s.least)

    def certify(self, state: GlmState, s: Beginning | Curvature) -> tuple[Claim, ...] | None:
        """How far above its minimum the objective is, and what the data do to it."""
        if not isinstance(s, Curvature) or state.phase in ("few", "share"):
            return None
        if not s.finite:
            why = "sums over the rows overflow at the last step. Remedy: rescale the columns"
            return (Claim("gap", math.inf, "proved", why, "objective"),) if state.phase == "done" else None
        squared, absolute = self._penalties(state, s)
        free = self._free(state)
        claims = []
        same = np.array_equal(s.coef, state.coef) and np.array_equal(s.intercept, state.intercept)
        value = self._value(s, squared, absolute, free)
        gap = self._wide_gap(s, value, state, squared, free) if same else math.inf
        status: Status = "proved"
        why = "no loss is below its least" if gap >= value - s.least else "the penalty is strongly convex"
        if len(s.gram):
            here = around(s, state.metric, squared, absolute, free)
            d = None
            if not same:
                step = moved((s.coef, s.intercept), state.at, state.metric)
                if absolute and self.fit_intercept and len(step) > 1:
                    step[:, 0] = levelled(step[:, 0])
                d = step[free]
            newton = here.gap(d)
            if newton <= gap:
                gap, why = newton, "the gradient in the length of the Hessian, and how fast that can fall"
                whole = here.rank == len(here.at) or not absolute
                status = "proved" if here.sound and whole else "estimated"
            if here.rank < len(here.at):
                said = f"only {here.rank} of {len(here.at)} columns tell something the others do not"
                claims.append(Claim("rank", float(here.rank), "estimated", said, "data"))
        usual = "the Hessian is not singular but for rounding" if status == "estimated" else ""
        claims.insert(0, Claim("gap", gap / s.weight, status, f"{why}; per row", "objective", usual))
        return (*claims, *self._more(state, s, squared + absolute))

    def _more(self, state: GlmState, s: Curvature, penalty: float) -> tuple[Claim, ...]:
        return ()

    def margins(self, state: GlmState, X: Columns) -> Array:
        """Rows x outputs."""
        return np.asarray(Design.of(X, state.levels) @ state.coef.T + state.intercept)
