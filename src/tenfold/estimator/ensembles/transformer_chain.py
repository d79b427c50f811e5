"""Chain of transformers as one transformer: a pipeline among the branches of a ColumnTransformer.

Each step learns from what the ones before it make of the rows, in scans that it shares with whatever learns beside it:
while the first pipeline's scaler learns, so does the second one's. Steps see numbers from the second on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, NamedTuple

from tenfold.core import MANY, SEQUENTIAL, Claim, Codes, Columns, DataError, Matrix, Need, Schema
from tenfold.core.axes import Bundle
from tenfold.core.contract import RecordTypes
from tenfold.core.learner import Done
from tenfold.core.schema import plain_columns
from tenfold.core.statistic import Expression
from tenfold.core.value import ByParams
from tenfold.engine.loop import usual_scans
from tenfold.engine.stages import Before, kinds_before, origins_of, refuse_kinds, stages_of, width_after
from tenfold.estimator.ensembles.members import (
    NO_RECORD,
    advance,
    fitted_member,
    is_empty,
    resumable_member,
    sound_member,
    with_members,
)
from tenfold.estimator.ensembles.passthrough import Passthrough
from tenfold.estimator.ensembles.pipeline import Pipeline, passes_by
from tenfold.estimator.files.registry import is_pipeline
from tenfold.estimator.shell.constraints import anything
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.fitted_params import frozen
from tenfold.estimator.shell.kinds import Transformer
from tenfold.estimator.target_kind import TargetTransformer
from tenfold.stats.combinators import After, Continue, Each
from tenfold.stats.member_summaries import Joint


class Chaining(NamedTuple):
    """The state while one of the steps learns."""

    step: int
    schema: Schema
    done: Bundle
    """of each step that is done, its model and its last summary, as a bundle of its own"""
    now: Bundle
    """the state of the step that learns"""


class ChainModel(NamedTuple):
    """Model of a chain: the model and the last summary of each step, each as a bundle."""

    links: Bundle


class Chained(Estimator):
    """Steps one after the other, as one learner.

    Parameters
    ----------
    steps : list of (str, learner)
    """

    passes = MANY
    most_rounds = 0
    hidden = frozenset({"links"})

    steps: Annotated[Any, anything]

    def learners(self) -> list[Any]:
        """Copies of the steps, not fitted."""
        return [step._blank() for _, step in self.steps]

    @property
    def need(self) -> Need:
        # What the first step takes, as categories if a later one takes those; the target if one of them does.
        steps = self.learners()
        targets = [step.need.target for step in steps if step.need.target is not None]
        return replace(
            steps[0].need,
            target=targets[0] if targets else None,
            binary=any(step.need.binary for step in steps),
            positive=any(step.need.positive for step in steps),
            kinds=kinds_before(steps),
        )

    @property
    def usual_scans(self) -> int | None:  # type: ignore[override]
        # Those of all steps.
        each = [usual_scans(step) for step in self.learners()]
        return None if None in each else sum(filter(None, each))

    @property
    def record_types(self) -> RecordTypes:
        return with_members(super().record_types, self.learners())

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        return any(step.draws_rows for step in self.learners())

    # ---- the fit: one step after the other ---------------------------------------------------------

    def _before(self, done: Bundle) -> Before:
        """The steps that are done, with their models."""
        return [(step, link.each[0]) for step, link in zip(self.learners(), done.each, strict=False)]

    def with_listed_categories(self, schema: Schema) -> Schema:
        found: Schema = self.learners()[0].with_listed_categories(schema)
        return found

    def start(self, schema: Schema) -> Chaining:
        """The first step at its own start."""
        return Chaining(0, schema, NO_RECORD, Bundle((self.learners()[0].start(schema),)))

    def ask(self, state: Chaining | Done[ChainModel]) -> Expression | None:
        """Return the expression of the current step, on rows transformed by the steps before it."""
        if not isinstance(state, Chaining):
            return None
        at = len(state.done.each)
        steps = self.learners()
        asked: Expression = Continue(str(at), steps[at].ask(state.now.each[0]))
        if at:
            held = any(step.costly for step in steps[:at]) and steps[at].passes == MANY
            before = stages_of(self._before(state.done), steps[at].need, training=True, by=ByParams)
            asked = After(before, asked, held)
        return Each((asked,), state.now.width)

    def update(self, state: Chaining, summary: Joint) -> Chaining | Done[ChainModel]:
        """One turn of the step; once it is done, the next one is at its start."""
        at, steps, step = len(state.done.each), self.learners(), state.step + 1
        mine = summary.each.each[0]
        after, done = advance(steps[at], state.now.each[0], mine, state.now.schema(state.schema))
        if not done:
            return state._replace(step=step, now=replace(state.now, each=(after,)))
        link = Bundle((after, steps[at].kept_summary(after, mine)), state.now.width)
        links = Bundle((*state.done.each, link))
        if at + 1 == len(steps):
            return Done.of(ChainModel(links), step)
        now = Bundle((), self._width_after(steps[at], after, state.now, state.schema))
        refuse_kinds(now.schema(state.schema), steps[at + 1].need, steps[at])
        return Chaining(step, state.schema, links, replace(now, each=(steps[at + 1].start(now.schema(state.schema)),)))

    @staticmethod
    def _width_after(step: Any, model: Any, link: Bundle, schema: Schema) -> int:
        """Return the number of columns that a step makes; 0 if it passes categorical columns on unchanged."""
        columns = link.width or len(schema.columns)
        width = width_after(step, model, columns)
        if not step.passes_categories(link.schema(schema)):
            return width
        if width != columns:
            raise DataError(
                f"{type(step).__name__} makes indicators beside text, which no step of a pipeline among transformers "
                "of columns takes. Remedy: add_indicator=False; OneHotEncoder has an indicator of missing values"
            )
        return 0

    def model(self, state: Chaining | Done[ChainModel]) -> ChainModel | None:
        return state.model if isinstance(state, Done) else None

    def certify(self, model: ChainModel, s: Joint) -> tuple[Claim, ...] | None:
        """Return the claims of the steps, each under its name."""
        each = zip(self.steps, self.learners(), model.links.each, strict=True)
        found: list[Claim] = []
        for at, ((name, _), step, link) in enumerate(each):
            claims = () if is_empty(link.each[1]) else step.certify(*link.each)
            if claims is None:
                return None
            found += [(c.of_input() if at else c)._replace(kind=f"{name}: {c.kind}") for c in claims]
        return tuple(found)

    def kept_summary(self, model: ChainModel, summary: Joint) -> Joint:
        # How many rows there were: summaries are kept with the models.
        return Joint(summary.rows, Bundle((NO_RECORD,), summary.each.width))

    # ---- the fitted steps ----------------------------------------------------------------------------

    def before_last(self, model: ChainModel, X: Columns, training: bool = False) -> tuple[Any, Any, Columns]:
        """The last step, its model, and the rows as the steps before it make them."""
        *before, (last, at) = self._before(model.links)
        for stage in stages_of(before, last.need, training=training):
            X = stage.of(X)
        return last, at, X

    def fitted_steps(self) -> list[Any]:
        """The steps as they would be if they had been fitted one by one."""
        schema, out = self.schema_, []
        for step, link in zip(self.learners(), self.model_.links.each, strict=True):
            model, summary = link.each
            known = None if is_empty(summary) else summary
            out.append(fitted_member(step, model, known, schema, self.certificate_.provenance))
            if isinstance(step, Transformer):
                names = tuple(step.names_out(list(schema.names)))
                columns = step.columns_out(schema, model) or plain_columns(names)
                schema = Schema(columns, schema.target, schema.classes, schema.named)
        out[0].computed = self.computed
        return out

    # ---- files -----------------------------------------------------------------------------------------

    def is_valid(self, model: ChainModel, summary: object, schema: Schema) -> bool:
        return len(model.links.each) == len(self.steps) and self._fits(model.links, schema) is not None

    def resumable(self, state: Any, summary: object, schema: Schema) -> bool:
        # The same while a step learns.
        if not isinstance(state, Chaining):
            return isinstance(state, Done)
        at, now = len(state.done.each), state.now
        if at >= len(self.steps) or type(summary) is not Joint or len(summary.each.each) != 1 or len(now.each) != 1:
            return False
        if now.rows_key != (self._fits(state.done, schema), False, ()) or summary.each.rows_key != now.rows_key:
            return False
        return resumable_member(self.learners()[at], now.each[0], summary.each.each[0], now.schema(schema))

    def _fits(self, links: Bundle, schema: Schema) -> int | None:
        """The width of the rows after steps that are sound, 0 after none; None if one of them is not sound."""
        width = 0
        if links.rows_key != (0, False, ()):
            return None
        for step, link in zip(self.learners(), links.each, strict=False):
            if not isinstance(link, Bundle) or link.rows_key != (width, False, ()) or len(link.each) != 2:
                return None
            if not sound_member(step, *link.each, link.schema(schema)):
                return None
            if isinstance(step, Transformer):
                width = self._width_after(step, link.each[0], link, schema)
        return width


class Chain(Chained, Transformer):
    """Transformers one after the other.

    Parameters
    ----------
    steps : list of (str, transformer)
    """

    @property
    def cross_fits(self) -> bool:
        return any(step.cross_fits for step in self.learners())

    def transform_from(self, model: ChainModel, X: Columns) -> Matrix:
        """Apply the steps to rows, one after the other."""
        last, at, X = self.before_last(model, X)
        return last.transform_from(at, X)

    def training_from(self, model: ChainModel, X: Columns) -> Matrix:
        last, at, X = self.before_last(model, X, training=True)
        return last.training_from(at, X)

    def passes_categories(self, schema: Schema) -> bool:
        return all(step.passes_categories(schema) for step in self.learners())

    def code_counts(self) -> Codes | None:
        # Those that the last step makes.
        found: Codes | None = self.fitted_steps()[-1].code_counts()
        return found

    def origins(self, model: ChainModel, width: int) -> Codes | None:
        # Through all steps.
        return origins_of(self._before(model.links), width)

    def names_out(self, names: list[str]) -> list[str]:
        for step in self.fitted_steps():
            names = step.names_out(names)
        return names


def named_steps(pipeline: Any) -> list[tuple[str, Any]]:
    """The steps that learn, with their names; of pipelines within it, after the name of these."""
    given = pipeline.steps
    pairs = isinstance(given, (list, tuple)) and all(isinstance(m, (list, tuple)) and len(m) == 2 for m in given)
    if not pairs or not given or not all(isinstance(name, str) for name, _ in given):
        raise ValueError(f"the steps of a pipeline must be a list of (name, transformer), not {given!r}")
    found: list[tuple[str, Any]] = []
    for name, step in given:
        if is_pipeline(step):
            found += [(f"{name}__{inner}", one) for inner, one in named_steps(step)]
        elif not passes_by(step):
            found.append((name, step))
    return found


def steps_of(transformer: Any) -> list[Any]:
    """The steps of a pipeline that learn, or a transformer itself."""
    return [step for _, step in named_steps(transformer)] if is_pipeline(transformer) else [transformer]


def check_steps(who: str, steps: list[tuple[str, Any]], remedy: str) -> None:
    """Refuse steps that cannot learn in scans that they share, by the name of the step.

    remedy: what to do with a step that takes columns apart.
    """
    for at, (name, step) in enumerate(steps):
        where = f"step {name!r} of {who} is {step!r}"
        if not isinstance(step, Transformer):
            raise TypeError(
                f"{where}, which is not a transformer of tenfold, so it cannot share a scan. Remedy: a transformer of "
                "tenfold, or 'passthrough'"
            )
        if step.passes == SEQUENTIAL:
            raise TypeError(f"{where}, which reads one row after another: it cannot share a scan")
        if step.chooses_columns and not isinstance(step, TargetTransformer):
            raise TypeError(f"{where}, which takes columns apart. Remedy: {remedy}")
        handed_on = all(one.may_pass_categories for _, one in steps[:at])
        taken = ("numeric", "mixed", "unused", *(("categorical", "text") if handed_on else ()))
        if at and step.need.kinds not in taken:
            first = "missing values need no imputer before an encoder"
            if step.need.kinds == "text":
                first = "TextFeatures(missing='empty') takes missing text"
            raise TypeError(
                f"{where}, which takes categories or text, and the step before it makes numbers. Remedy: it comes "
                f"first ({first}), or has a branch and columns of its own"
            )
        step._validate_params()


def chained(pipeline: Any) -> Any:
    """The steps of a pipeline as one transformer, not fitted; of one step, that step."""
    steps = [(name, step._blank()) for name, step in named_steps(pipeline)]
    if not steps:
        return Passthrough()
    return steps[0][1] if len(steps) == 1 else Chain(steps)


def as_pipeline(pipeline: Any, fitted: Any) -> Pipeline:
    """Return a pipeline of the fitted steps."""
    found = dict(
        zip(
            [name for name, _ in named_steps(pipeline)],
            fitted.fitted_steps() if isinstance(fitted, Chained) else [fitted],
            strict=False,
        )
    )
    return _filled(pipeline, found, "")


def _filled(pipeline: Any, found: dict[str, Any], inside: str) -> Pipeline:
    """A copy of a pipeline, with steps by their names."""
    return Pipeline(
        [
            (name, _filled(step, found, f"{inside}{name}__") if is_pipeline(step) else found.get(inside + name, step))
            for name, step in pipeline.steps
        ]
    )


def learns_target(transformer: Any) -> bool:
    """Whether a transformer, or a step of a pipeline, must learn the kind of the target."""
    return any(isinstance(step, TargetTransformer) for step in steps_of(transformer))


def with_target(transformer: Any, kind: Any) -> Any:
    """A transformer that knows whether the target is of numbers or of classes, if it learns from it."""
    if isinstance(transformer, TargetTransformer):
        return transformer.with_target(kind)
    if not is_pipeline(transformer):
        return transformer
    found = frozen(transformer)
    found.steps = [(name, with_target(step, kind)) for name, step in found.steps]
    return found
