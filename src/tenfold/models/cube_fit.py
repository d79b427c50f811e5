"""The fit of a cube: cells by key of one learner or several, from one scan of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from sklearn.pipeline import _name_estimators

from tenfold.core import ONE, DataError, MatrixLike, Schema, VectorLike
from tenfold.core.errors import naming
from tenfold.core.statistic import Gathered, Ordered
from tenfold.engine import current, opened, schema_of
from tenfold.engine.cells.keys import Missing
from tenfold.engine.cells.part_rows import RowFiles
from tenfold.engine.cells.summarize_cells import SummarizeCells
from tenfold.engine.cells.summing import Summing
from tenfold.engine.job import Together
from tenfold.engine.plan import NO_ROWS
from tenfold.engine.progress import progress
from tenfold.engine.runner import Session
from tenfold.estimator import Classifier, Estimator, Regressor
from tenfold.estimator.ensembles.transformer_chain import named_steps
from tenfold.estimator.files.registry import is_pipeline
from tenfold.model_selection.cross_validation.lookups import Lookups, schema_jobs
from tenfold.models.cross_validation.level_scores import LevelScores, scores_of
from tenfold.models.cross_validation.summarize_folds import SummarizeFolds
from tenfold.models.cube_level import CubeLevel, Origin, beside
from tenfold.models.pipelines.absorbed_pipeline import AbsorbedSteps, absorbed_pipeline
from tenfold.sources import Source, as_source
from tenfold.sources.frames import materialized
from tenfold.sources.inputs import as_named_source, form_of, is_lazy
from tenfold.stats.combinators import View, statistics


class FittedCells(NamedTuple):
    """The cells of one learner."""

    learner: Any
    schema: Schema
    levels: list[CubeLevel]
    """of each key, the whole one first"""
    lazy: bool
    scores: LevelScores | None = None
    """of held-out rows, if they are wanted"""


class Keyed(NamedTuple):
    """How the rows of a cube are dealt to cells."""

    names: tuple[str, ...]
    """the columns of the key"""
    levels: tuple[tuple[str, ...], ...]
    """the keys whose cells are summarized from rows, the whole one first"""
    missing: Missing
    cv: int | str | None = None
    """number of folds, or the column that has them"""
    shared_steps: bool = False
    """whether cells share the steps of a pipeline before the last"""

    @property
    def side(self) -> tuple[str, ...]:
        """Columns that are read and no features."""
        return (*self.names, self.cv) if isinstance(self.cv, str) else self.names

    @property
    def fold(self) -> str:
        """The name of the column of folds."""
        return self.cv if isinstance(self.cv, str) else beside("fold", self.names)

    @property
    def folds(self) -> int:
        """The number of folds that rows are dealt to; 0: they are a column."""
        return self.cv if isinstance(self.cv, int) else 0

    def job(self, summing: Summing, files: RowFiles | None) -> SummarizeCells:
        """Return the job that summarizes the cells."""
        if self.cv is None:
            return SummarizeCells(summing, self.levels, self.missing, files)
        levels = (*self.levels, (*self.names, self.fold))
        return SummarizeFolds(summing, levels, self.missing, files, fold=self.fold, folds=self.folds)


def named_learners(given: Any) -> list[tuple[str, Any]]:
    """Return learners with their names: of a list, those that `make_pipeline` would give; one learner has none."""
    if isinstance(given, Mapping):
        found = list(given.items())
    elif not isinstance(given, (list, tuple)):
        return [("", given)]
    elif all(isinstance(one, tuple) and len(one) == 2 for one in given):
        found = list(given)
    else:
        found = list(_name_estimators(list(given)))
    names = [name for name, _ in found]
    if not names or not all(isinstance(name, str) and name for name in names) or len({*names}) < len(names):
        raise ValueError(f"the learners of a cube must have different names, not {names}")
    return found


def fit_cells(
    learners: Sequence[tuple[str, Any]],
    keyed: Keyed,
    X: MatrixLike,
    y: VectorLike,
    weight: VectorLike,
) -> list[FittedCells]:
    """Return the cells of each learner. Rows in memory are read once for each form in which they are wanted."""
    blanks: list[Any] = []
    for name, given in learners:
        with naming(name):
            blanks.append(_checked(given))
            if keyed.cv is not None and not isinstance(blanks[-1], (Classifier, Regressor)):
                raise TypeError(
                    f"{type(given).__name__} predicts nothing, so held-out rows have no score. Remedy: cv=None"
                )
    X = materialized(X)
    if any(learner.chooses_columns for learner in blanks):
        named = as_named_source(X)
        features = X if named is None else named.without(*(name for name in keyed.side if name in named.names))
        blanks = [one.bound(features, y) if one.chooses_columns else one for one in blanks]
    batches: dict[tuple[object, ...], list[int]] = {}
    for at, learner in enumerate(blanks):
        batches.setdefault(() if len(blanks) == 1 or is_lazy(X) else form_of(X, learner.need), []).append(at)
    found: dict[int, FittedCells] = {}
    with progress("Cube"):
        for places in batches.values():
            for at in places:
                with naming(learners[at][0]):
                    source = as_source(X, y, weight, blanks[at].need, model=blanks[at]._blank())
            if source.outputs:
                raise DataError("a cube has one target. Remedy: a cube for each column of the target")
            source = source.without(*(name for name in keyed.side if name in source.names))
            source.check_there(keyed.side)
            some = [(learners[at][0], blanks[at]) for at in places]
            found |= zip(places, _scanned(some, source, keyed), strict=True)
    return [found[at] for at in range(len(blanks))]


def learner_that_applies(given: Any) -> Any:
    """Return the learner whose outputs those of a cell are: itself, or the last step of a pipeline."""
    return named_steps(given)[-1][1] if is_pipeline(given) and named_steps(given) else given


def _checked(given: Any) -> Any:
    """Return a learner whose models can be made of one summary of the rows, unfitted; others are refused."""
    given = absorbed_pipeline(given) if is_pipeline(given) else given
    if not isinstance(given, Estimator):
        raise TypeError(
            f"{given!r} is not a learner of tenfold, so its models cannot be made from one scan. Remedy: a "
            "learner of one pass, such as tenfold.Ridge()"
        )
    learner = given._blank()
    learner._validate_params()
    name = type(learner).__name__
    if getattr(learner, "passes", None) != ONE:
        raise TypeError(
            f"{name} reads its rows several times, so the models of the cells cannot be made from one scan. "
            "Remedy: a learner of one pass, such as Ridge, LinearRegression, GaussianNB or StandardScaler; or "
            "gather=True, which fits it to the gathered rows of each cell"
        )
    if learner.need.sequence is not None:
        raise TypeError(f"{name} learns from whole sequences, and cells are made of rows. Remedy: a fit for each key")
    if (seed := learner.seed()) is not None:
        learner.__dict__["random_state"] = seed
    return learner


def _refuse_statistic(learner: Any, asked: Any) -> None:
    for statistic in statistics(asked):
        if isinstance(statistic, (Gathered, Ordered)):
            raise TypeError(
                f"{type(learner).__name__} needs all rows at once, or one after another, and cells are made from "
                "summaries. Remedy: a learner of one pass, such as Ridge or GaussianNB, or gather=True"
            )


def _scanned(learners: Sequence[tuple[str, Any]], source: Source, keyed: Keyed) -> list[FittedCells]:
    """Return the cells of learners that read the same rows; what several ask for is computed once."""
    with opened(current(), source) as session:
        lookups: Session = session
        if len(learners) > 1:
            lookups = Lookups(session, schema_jobs(source, [learner.need for _, learner in learners]))
        files = RowFiles.of(session, len(learners) * (len(keyed.levels) + (keyed.cv is not None)))
        schemas, jobs = list[Schema](), list[SummarizeCells]()
        for name, learner in learners:
            with naming(name):
                schema = learner.with_listed_categories(schema_of(source, learner.need, lookups))
                asked = learner.ask(learner.start(schema))
                _refuse_statistic(learner, asked)
            need = replace(learner.need, side=tuple(dict.fromkeys([*learner.need.side, *keyed.side])))
            schemas.append(schema)
            jobs.append(keyed.job(Summing(View(need, schema), asked), files))
        different = list(dict.fromkeys(jobs))
        counted = _reduced(session, different)
        found = []
        for (name, learner), schema, job in zip(learners, schemas, jobs, strict=True):
            cells = counted[different.index(job)]
            if not cells.rows:
                raise DataError(NO_ROWS)
            origin = Origin(
                source.fingerprint(), len(source), cells.dropped, cells.machines, learner.seed(), source.first_part,
                source.computed,
            )  # fmt: skip
            each = [
                CubeLevel(learner, schema, level, some, origin, direct=True)
                for level, some in zip(job.levels, cells.summary.each, strict=True)
            ]
            if keyed.shared_steps and isinstance(learner, AbsorbedSteps):
                each = _sharing_steps(each)
            scores = None
            if keyed.cv is not None:
                with naming(name):
                    scores = scores_of(each.pop(), session, keyed.folds, job.summing.view.need, keyed.missing)
            found.append(FittedCells(each[0].learner, schema, each, source.lazy, scores))
    return found


def _sharing_steps(levels: list[CubeLevel]) -> list[CubeLevel]:
    """Return the cells of a pipeline whose steps before the last are those of all rows."""
    first = levels[0]
    whole = first.rolled_up(())
    if reason := next(iter(whole.models.reasons.values()), ""):
        raise DataError(f"the steps before the last cannot be made of all rows: {reason}")
    learner = first.learner.sharing(first.schema, first.cells.summing.cell(whole.cells.summaries, 0))
    return [CubeLevel(learner, one.schema, one.names, one.cells, one.origin, one.direct) for one in levels]


def _reduced(session: Session, jobs: list[SummarizeCells]) -> list[Any]:
    """Return the results of jobs, from one scan."""
    if len(jobs) == 1:
        return [session.reduce(jobs[0])]
    views = [job.summing.view for job in jobs]
    columns = chain.from_iterable(session.source.columns_read(view.need, view.schema) for view in views)
    return list(session.reduce(Together(tuple(jobs), tuple(dict.fromkeys(columns)))).each)
