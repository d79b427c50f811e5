"""Pipelines of affine steps and a learner of moments as one learner of one pass: Σ of A (x - c) + d is A Σ Aᵀ.

No step needs the rows as the steps before it make them. Summaries of the raw rows are made once, and steps are fitted
one after the other to what is known of their columns: exact but for rounding, other bits than those of two passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

from tenfold.core import ONE, Certificate, Claim, Need, Schema
from tenfold.core.axes import Bundle
from tenfold.core.learner import Initial
from tenfold.core.schema import plain_columns
from tenfold.estimator import AffineTransformer, Estimator, Regressor, SummaryScored, Transformer
from tenfold.estimator.ensembles.pipeline import Pipeline
from tenfold.estimator.ensembles.predictor_chain import ChainedRegressor
from tenfold.estimator.ensembles.transformer_chain import Chain, Chained, ChainModel, named_steps
from tenfold.estimator.shell.constraints import anything
from tenfold.models.pipelines.paired_summaries import (
    ComomentsAndExtremes,
    ComomentsAndOwn,
    MomentsAndExtremes,
    MomentsAndOwn,
    RawSummary,
)
from tenfold.stats.metrics import Regression
from tenfold.stats.moments.affine_map import KnownColumns
from tenfold.stats.moments.extremes import ExtremesByColumn
from tenfold.stats.moments.moments import Comoments, Moments

ABSORBED = "absorbed"
"""how a pipeline was fitted: its steps were taken into one summary of the rows"""
INSTEAD = (
    "Remedy: gather=True, which fits the pipeline to the rows of each cell; or StandardScaler, MinMaxScaler, "
    "MaxAbsScaler, RobustScaler or PCA before a linear model"
)


class Absorbed(NamedTuple):
    """The state at which all steps are fitted."""

    step: int
    kept: Bundle
    """the model"""
    asks: bool
    """whether a step would read the rows again, to gain digits"""


class AbsorbedSteps(Chained):
    """Affine transformers and a learner of moments, all fitted to one summary of the rows.

    Parameters
    ----------
    steps : list of (str, learner)
    shared : tuple of records
        Models of the steps before the last; empty: each fit makes its own.
    """

    passes = ONE  # type: ignore[assignment]

    shared: Annotated[Any, anything] = ()

    @property
    def need(self) -> Need:
        # What the last step takes: its numbers are finite.
        last = self.steps[-1][1].need
        return Need("numeric", target=last.target, positive=last.positive, binary=last.binary)

    def statistic(self, schema: Schema) -> Comoments | ComomentsAndOwn | ComomentsAndExtremes:
        """Moments of the raw rows; with extremes, or the summary of the first step, if a step takes these."""
        *before, last = self.learners()
        if not isinstance(last, AffineTransformer) and not isinstance(last.statistic(schema), Comoments):
            raise TypeError(
                f"{type(last).__name__} with these parameters, or of so many columns, takes more than moments of the "
                f"columns, which are all that is known of them after other steps. {INSTEAD}"
            )
        moments = Comoments(target=self.need.target is not None)
        if self.shared:
            return moments
        if before[0].knows == "rows":
            return ComomentsAndOwn(moments, before[0].statistic(schema))
        if any(isinstance(step, AffineTransformer) and step.knows == "extremes" for step in self.learners()):
            return ComomentsAndExtremes(moments, ExtremesByColumn())
        return moments

    def start(self, schema: Schema) -> Initial:  # type: ignore[override]
        return Initial(0, schema)

    def ask(self, state: Initial | Absorbed) -> Comoments | ComomentsAndOwn | ComomentsAndExtremes | None:  # type: ignore[override]
        if isinstance(state, Initial):
            return self.statistic(state.schema)
        return Comoments() if state.asks else None

    def update(self, state: Initial, summary: RawSummary) -> Absorbed:  # type: ignore[override]
        """Fit one step after the other to what is known of its columns."""
        known, links, asks = _known(summary, len(state.schema.columns)), list[Bundle](), False
        width = 0
        *before, last = self.learners()
        for at, step in enumerate(before):
            schema = Bundle((), width).schema(state.schema)
            own = known.own if step.knows == "rows" else step.summary_from(known)
            if self.shared:
                model = self.shared[at]
            else:
                model, again = _fit_to(step, schema, own)
                asks |= again
            links.append(Bundle((model, own), width))
            known = known.moved(step.affine_from(model))
            width = known.width
        own = last.summary_from(known) if isinstance(last, AffineTransformer) else known.moments
        model, again = _fit_to(last, Bundle((), width).schema(state.schema), own)
        links.append(Bundle((model, own), width))
        return Absorbed(1, Bundle((ChainModel(Bundle(tuple(links))),)), asks or again)

    def model(self, state: Initial | Absorbed) -> ChainModel | None:  # type: ignore[override]
        return state.kept.each[0] if isinstance(state, Absorbed) else None

    def kept_summary(self, model: ChainModel, summary: Any) -> Any:
        return summary

    def moved(self, model: ChainModel, summary: RawSummary) -> Moments:
        """Return the moments of other rows as the steps before the last make them."""
        moments = summary if isinstance(summary, Moments) else summary.moments
        known = KnownColumns(moments, len(moments.mean) - 1)
        for step, link in zip(self.learners()[:-1], model.links.each, strict=False):
            known = known.moved(step.affine_from(link.each[0]))
        return known.moments

    def table_row(self, schema: Schema, model: ChainModel) -> dict[str, Any]:
        # That of the last step, whose columns have the names that the steps before it give them.
        *before, last = self.learners()
        names = list(schema.names)
        for step, link in zip(before, model.links.each, strict=False):
            step._set(link.schema(schema), link.each[0], None, Certificate())
            names = step.names_out(names)
        after = Schema(plain_columns(tuple(names)), schema.target, schema.classes, schema.named)
        found: dict[str, Any] = last.table_row(after, model.links.each[-1].each[0])
        return found

    def sharing(self, schema: Schema, summary: Any) -> AbsorbedSteps:
        """Return the learner whose steps before the last are those of a summary of all rows."""
        found = self.model(self.update(Initial(0, schema), summary))
        assert found is not None
        shared = tuple(link.each[0] for link in found.links.each[:-1])
        return type(self)(self.steps, shared)

    def as_pipeline(self, fitted: Any, asks: bool) -> Pipeline:
        """Return the fitted pipeline of a cell: its steps have summaries and claims of their own."""
        steps = fitted.fitted_steps()
        where = fitted.certificate_.provenance
        for step in steps[1:]:  # the rows were read once, for the first of them
            step.certificate_ = Certificate(step.certificate_.claims, replace(where, passes=0.0))
        if asks:
            why = "a fit of the rows would have read them once more; this one was made of their summary"
            claim, last = Claim("another scan", 1.0, "proved", why, "arithmetic"), steps[-1].certificate_
            steps[-1].certificate_ = Certificate((*last.claims, claim), last.provenance)
        named = [(name, step) for (name, _), step in zip(self.steps, steps, strict=True)]
        return Pipeline(named)


class AbsorbedRegressor(AbsorbedSteps, ChainedRegressor, SummaryScored):
    """Affine transformers and a linear model.

    Parameters
    ----------
    steps : list of (str, learner)
    shared : tuple of records
    """

    def regression_from(self, model: Any, rows: int, summary: Any) -> Regression | None:
        # By the last step, of moments as the steps before it make them.
        if not isinstance(self.last, SummaryScored):
            return None
        found: Regression | None = self.last.regression_from(
            model.links.each[-1].each[0], rows, self.moved(model, summary)
        )
        return found


class AbsorbedTransformer(AbsorbedSteps, Chain):
    """Affine transformers, one after the other.

    Parameters
    ----------
    steps : list of (str, learner)
    shared : tuple of records
    """

    def names_out(self, names: list[str]) -> list[str]:
        for step, link in zip(self.learners(), self.model_.links.each, strict=True):
            step._set(link.schema(self.schema_), link.each[0], None, Certificate())
            names = step.names_out(names)
        return names


def _known(summary: RawSummary, width: int) -> KnownColumns:
    """Return what a summary of the raw rows knows of their columns."""
    match summary:
        case Moments():
            return KnownColumns(summary, width)
        case MomentsAndExtremes(moments, extremes):
            return KnownColumns(moments, width, extremes)
        case MomentsAndOwn(moments, own):
            return KnownColumns(moments, width, own=own.each[0])


def _fit_to(step: Any, schema: Schema, summary: Any) -> tuple[Any, bool]:
    """Return the model of a step, and whether a fit of the rows would read them again."""
    state = step.update(step.start(schema), summary)
    model = step.model(state)
    if model is None:
        raise ValueError(f"{type(step).__name__} makes no model of one summary: its rows must be read more than once")
    return model, step.ask(state) is not None


def absorbed_pipeline(pipeline: Any) -> Any:
    """Return a pipeline as a learner of one pass; of one step, that step. What is not absorbed is refused in words."""
    steps = [(name, step) for name, step in named_steps(pipeline)]
    if not steps:
        raise TypeError("the pipeline has no step that learns. Remedy: one that ends it")
    for name, step in steps:
        if not isinstance(step, Estimator):
            raise TypeError(f"step {name!r} of the pipeline is {step!r}, which is not of tenfold. {INSTEAD}")
        step._validate_params()
    *before, (name, last) = [(name, step._blank()) for name, step in steps]
    if not before:
        return last
    _check_maps([*before, (name, last)] if isinstance(last, AffineTransformer) else before)
    if last.need.target == "class" or not isinstance(last, (Regressor, Transformer)) or last.passes != ONE:
        raise TypeError(
            f"step {name!r} of the pipeline, {type(last).__name__}, is not made of moments of the columns, which are "
            f"all that is known of them after the steps before it. {INSTEAD}"
        )
    kind = AbsorbedTransformer if isinstance(last, Transformer) else AbsorbedRegressor
    return kind([*before, (name, last)])


def _check_maps(steps: Sequence[tuple[str, Any]]) -> None:
    """Refuse steps that are no affine map of what is known of their columns."""
    mixed = ""
    for at, (name, step) in enumerate(steps):
        where = f"step {name!r} of the pipeline, {type(step).__name__},"
        if not isinstance(step, AffineTransformer):
            raise TypeError(
                f"{where} is no affine map of the columns, so the pipeline of a cell is not made of one summary of its "
                f"rows. {INSTEAD}"
            )
        if step.knows == "rows" and at:
            raise TypeError(
                f"{where} takes quantiles of what the steps before it make. Remedy: put it first, or gather=True"
            )
        if step.knows == "extremes" and (mixed or steps[0][1].knows == "rows"):
            who = mixed or type(steps[0][1]).__name__
            raise TypeError(
                f"{where} takes extremes of its columns, which are not known after {who}. Remedy: put it before, or "
                "gather=True"
            )
        if not step.is_affine:
            raise TypeError(f"{where} clips values, which is no affine map. Remedy: clip=False, or gather=True")
        if step.mixes_columns:
            mixed = type(step).__name__
