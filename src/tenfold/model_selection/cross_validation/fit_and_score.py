"""Fit candidates to the folds and score them: one scan for all folds of all learners that need no more.

What `cross_validate`, `tune`, the curves and `bias_variance` share. Which rows a fold holds is not decided here: see
`folds.py`.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, column_or_1d, has_fit_parameter

from tenfold.core import ONE, Array, Codes, DataError, Labels, MatrixLike, Need, Schema
from tenfold.core.errors import naming, warn_user
from tenfold.core.statistic import Expression
from tenfold.engine import Local, Member, Snapshot, current, opened, run, schema_of
from tenfold.engine.group_keys import Key, Listed, Stratified
from tenfold.engine.loop import usual_scans
from tenfold.engine.plan import Groups
from tenfold.engine.progress import Work, bar, progress
from tenfold.engine.row_counts import Counted
from tenfold.engine.runner import Session
from tenfold.engine.stages import refuse_kinds, schema_after
from tenfold.estimator import SummaryScored
from tenfold.estimator.categorical_columns import ListsCategories
from tenfold.estimator.ensembles.predictor import Model
from tenfold.estimator.shell.callbacks import History
from tenfold.metrics.outcomes import Called
from tenfold.metrics.predictors import GivenPredictions
from tenfold.metrics.scoring import Scoring, scorers_of
from tenfold.model_selection.cross_validation.candidates import Candidate
from tenfold.model_selection.cross_validation.cross_validation_result import CrossValidation
from tenfold.model_selection.cross_validation.fold_shift import ColumnMeans, warn_of_shift
from tenfold.model_selection.cross_validation.folds import (
    Folds,
    FoldSplit,
    Grouping,
    Splits,
    column_of,
    jobs_ahead,
    nested_shares,
    splits_of,
)
from tenfold.model_selection.cross_validation.listed_numbers import ListedNumbers
from tenfold.model_selection.cross_validation.lookups import Lookups, schema_jobs
from tenfold.model_selection.frame_columns import computed_column, only_column, without_column
from tenfold.sources import Source
from tenfold.sources.column_choice import no_rows
from tenfold.sources.expressions.expression import ColumnExpression
from tenfold.sources.frames import materialized
from tenfold.sources.inputs import as_source, form_of, is_lazy, refuse_lazy
from tenfold.sources.validation import refuse_continuous_categories
from tenfold.stats.combinators import As, By, Each, joined
from tenfold.stats.metrics import Regression, Scorer
from tenfold.stats.predictor_scores import Score

TRANSFORMED_NEED = Need()
"""of columns that a transformer makes, whoever takes them"""
SCORES_FROM_SUMMARIES = ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error")
"""scores that can be computed from summaries, without reading the rows"""


class FitAndScore:
    """Runner of one call of `cross_validate`, `tune` or a curve."""

    def __init__(
        self,
        candidates: list[Candidate],
        X: MatrixLike,
        y: ArrayLike | None,
        *,
        folds: Folds,
        shuffle: bool | None,
        seed: int,
        groups: Grouping | None,
        scoring: Scoring | None,
        repeats: int = 1,
        whole: bool = False,
        keep: bool = False,
        pos_label: object = None,
        both: bool = False,
        shares: Array | Codes | None = None,
        weight: ArrayLike | None = None,
    ) -> None:
        self.candidates, self.X, self.y = candidates, materialized(X), y
        self.computed: ColumnExpression | None = None
        """what identifies the fold or the group of rows that are read part by part"""
        self.note = ""
        """how rows were divided, in words that follow the number of folds"""
        self.folds, self.groups = self._of_rows(folds), self._of_rows(groups)
        self.shuffle, self.seed, self.repeats = shuffle, seed, repeats
        self.whole = whole
        """whether the models of all rows are made too, where they cost nothing more"""
        self.keep = keep
        """whether the summaries that scores were read off are kept"""
        self.both = both
        """whether models are scored on their training rows too"""
        self.shares = shares
        """of what each split leaves to learn from"""
        self.weight = None if weight is None else np.asarray(weight)
        """of each row, in fitting and in scoring"""
        self.failed: list[tuple[Candidate, int, ValueError]] = []
        """scores that some split does not have, by their number, and why"""
        self.scans = 0
        self.classes: Labels | None = None
        self.sizes: dict[int, tuple[int, int]] = {}
        if wrong := [one.name for one in candidates if is_classifier(one.given) != is_classifier(candidates[0].given)]:
            kinds = ("classifier", "regressor")[:: 1 if is_classifier(candidates[0].given) else -1]
            raise ValueError(
                f"{candidates[0].name} is a {kinds[0]} and {wrong[0]} a {kinds[1]}: they have no score in common. "
                "Remedy: score them separately"
            )
        for one in candidates:
            if not one.stages:
                refuse_lazy(X, one.name)
            with self._naming(one):
                one.bind(self.X, self.column)
            one.scorers = scorers_of(scoring, one.given, pos_label, one.name, outcomes=True)
        self.scoring = [s.title for s in candidates[0].scorers]
        if both and len(self.scoring) != 1:
            raise ValueError("a curve is of one score: give the name of one")

    def results(self) -> CrossValidation:
        """Fit and score all candidates, and gather the results."""
        began = time.perf_counter()
        batches: dict[tuple[object, ...], list[Candidate]] = {}
        for candidate in self.candidates:
            form = form_of(self.X, candidate.need) if candidate.stages else ("in memory",)
            batches.setdefault(form, []).append(candidate)  # of one form: fitted over the same scans
        with progress("cross-validation"):
            for some in batches.values():
                self._fit_and_score(some)
        for candidate, s, error in self.failed:
            if np.isnan(candidate.scores[s]).all():
                raise error
        scores = np.array([candidate.scores for candidate in self.candidates])
        return CrossValidation(
            given=[e.given_name for e in self.candidates],
            learners=[e.given for e in self.candidates],
            scoring=self.scoring,
            metrics=[s.name for s in self.candidates[0].scorers],
            scores=scores,
            sizes=[self.sizes[j] for j in sorted(self.sizes)],
            scans=self.scans,
            seconds=time.perf_counter() - began,
            fit_seconds=[e.seconds for e in self.candidates],
            summaries=[e.summaries for e in self.candidates],
            classes=self.classes,
            pos_label=self.pos_label,
            division=self.note,
        )

    @property
    def pos_label(self) -> object:
        """The positive class of the scores that have one, once it is known."""
        return next((scorer.pos_label for scorer in self.candidates[0].scorers if scorer.instead), None)

    def _source(self, candidate: Candidate) -> Source:
        """The rows, without the fold column.

        Of an estimator in memory the target alone, beside that column: of others, it makes what it likes.
        """
        if candidate.stages:
            source = as_source(self.X, self.y, self.weight, candidate.need)
            return source if self.column is None else source.without(self.column)
        if self.column is None:
            return as_source(np.zeros((_num_samples(self.X), 1)), self.y, self.weight, candidate.need)
        candidate.need = replace(candidate.need, kinds="categorical", missing=True)
        return as_source(only_column(self.X, self.column), self.y, self.weight, candidate.need)

    def _naming(self, candidate: Candidate) -> AbstractContextManager[None]:
        """Name the candidate in errors, if it is one of several."""
        return naming(self._title(candidate))

    def _title(self, candidate: Candidate) -> str:
        """The name of the candidate in errors; empty, if there is no other."""
        return candidate.name if len(self.candidates) > 1 else ""

    @property
    def column(self) -> str | None:
        """The name of the fold or group column."""
        return None if self.computed is not None else column_of(self.folds, self.groups)

    def _of_rows(self, given: Any) -> Any:
        """Folds or groups; an expression as the name of its column, or as its values, of a frame in memory."""
        if not isinstance(given, ColumnExpression):
            return given
        self.note = f"by {given!r}"
        if not is_lazy(self.X):
            return computed_column(self.X, given)
        self.computed = given
        return repr(given)

    def _fit_and_score(self, candidates: list[Candidate]) -> None:
        """Fit and score the candidates over shared scans."""
        with self.divided(candidates) as rows:
            if not candidates[0].stages:
                for candidate in candidates:
                    self._in_memory(candidate, rows.session, rows.splits.each)
                return
            self.fit(candidates, rows)
            splits = rows.splits.each
            self._score([e for e in candidates if not self._read_off(e, splits)], rows.session, splits)

    @contextmanager
    def divided(self, candidates: list[Candidate]) -> Iterator[Divided]:
        """The rows of candidates that are read in the same form, opened, and what each model learns from."""
        with self._naming(candidates[0]):
            given = source = self._source(candidates[0])
            if self.computed is not None:
                name = repr(self.computed)
                source = given.with_columns(**{name: self.computed}).without(name)
        ours, need = bool(candidates[0].stages), candidates[0].need
        with opened(current() if ours else Local(threads=1), source) as session:
            for candidate in candidates:
                candidate.need = candidate.need if ours else need
            lookups = self._lookups(candidates, source, session)
            if ours and (seen := bar()) is not None:
                scans = _scans_after(-1, candidates)
                seen.expect(None if scans is None else scans + bool(lookups.ahead))
                seen.ask(Work("columns and classes"))
            for candidate in candidates:
                with self._naming(candidate):
                    candidate.schema = schema_of(source, candidate.need, lookups)
                    if ours:
                        candidate.schema = candidate.stages[0].with_listed_categories(candidate.schema)
            found = self._splits(source, need, lookups)
            self.scans += lookups.scans if ours else 0
            for candidate in candidates:
                candidate.source, candidate.need = given, replace(candidate.need, side=found.side)
                candidate.scorers = tuple(scorer.for_classes(candidate.schema.classes) for scorer in candidate.scorers)
                self.classes = candidate.schema.classes
            yield Divided(source, session, found)

    def _lookups(self, candidates: list[Candidate], source: Source, session: Session) -> Lookups:
        """The schemas of all candidates and the counts that the folds need, to be found in one scan."""
        jobs = schema_jobs(source, [one.need for one in candidates])
        return Lookups(session, jobs + jobs_ahead(self.folds, self.groups, source, candidates[0].need))

    def fit(self, candidates: list[Candidate], rows: Divided) -> None:
        """Fit the models of all splits, stage by stage."""
        for stage in itertools.count():
            if not (some := [e for e in candidates if stage < len(e.stages)]):
                break
            for at, candidate in enumerate(some):
                with self._naming(candidate):
                    self._code_listed(candidate, stage, len(rows.splits.each))
                alike = next((one for one in some[:at] if one.learns_alike(candidate, stage)), None)
                if alike is not None:  # their steps differ later, if at all
                    candidate.members.append(alike.members[stage])
                    for member in alike.members[stage]:
                        member.who = tuple(dict.fromkeys((*member.who, candidate.short_name)))
                    continue
                with self._naming(candidate):
                    self._enrol(candidate, stage, rows.splits.each)
            members = list(dict.fromkeys(m for e in some for m in e.members[stage]))
            members += [e.whole for e in some if e.whole]
            self.scans += run(members, rows.source, rows.session, _scans_after(stage, candidates))

    def _splits(self, source: Source, need: Need, session: Session) -> Splits:
        """Which rows each model learns from and is scored on."""
        found = splits_of(
            self.folds, source, need, session, shuffle=self.shuffle, random_state=self.seed, groups=self.groups,
            repeats=self.repeats,
        )  # fmt: skip
        self.note = found.note or self.note
        if self.shares is None:
            return found
        return nested_shares(found, self.shares, source, need, session, self.seed)

    def _code_listed(self, candidate: Candidate, stage: int, splits: int) -> None:
        """Put a step before a learner that lists numbers of the step before it as categories, to learn their values."""
        if not stage or not isinstance(candidate.stages[stage], ListsCategories):
            return
        names = set[str]()
        for j in range(splits):
            learner, schema = self._bound(candidate, stage, j)
            if learner.need.each:
                names |= {
                    c.name
                    for c in schema.columns
                    if c.kind == "numeric" and learner.need.kind_of(c.name) == "categorical"
                }
        if names:
            candidate.stages.insert(stage, ListedNumbers(tuple(sorted(names))))

    def _bound(self, candidate: Candidate, stage: int, split: int) -> tuple[Any, Schema]:
        """The learner of a stage with the columns that it chooses, and the schema of the rows of a split before it."""
        learner, before = candidate.stages[stage], candidate.before(split)
        if learner.chooses_columns:
            rows = no_rows(schema_after(before, candidate.schema, TRANSFORMED_NEED).names)
            learner = learner.bound(rows, target=candidate.stages[-1].need.target)
        return learner, schema_after(before, candidate.schema, learner.need)

    def _enrol(self, candidate: Candidate, stage: int, splits: Sequence[FoldSplit]) -> None:
        """Members for one stage of a candidate: one for each split."""
        learner, schema = candidate.stages[stage], candidate.schema
        if candidate.need.binary and len(schema.classes) > 2:
            raise ValueError(f"{candidate.name} is of two classes, and the target has {len(schema.classes)}")
        mine = schema if learner.need.target else Schema(schema.columns, None, None, schema.named)
        start = None if stage else learner.start(mine)
        members = []
        for j, split in enumerate(splits):
            before = candidate.before(j)
            if stage:  # each split has columns of its own: other words, other categories
                learner, mine = self._bound(candidate, stage, j)
                refuse_kinds(mine, learner.need, before[-1][0])
                refuse_continuous_categories(mine, learner.need, ())
                start = learner.start(mine)
            members.append(
                Member(
                    learner, Snapshot(mine, start), learner.stop(), (), split.key, split.train, before,
                    candidate.need, schema, certified=False, title=self._title(candidate), who=(candidate.short_name,),
                    fold=f"fold {j + 1} of {len(splits)}",
                )
            )  # fmt: skip
        candidate.members.append(members)
        if self.whole and len(candidate.stages) == 1 and learner.passes == ONE:
            key: Key | None = splits[0].key
            if isinstance(key, Listed) and key.codes.min() < 0:
                key = None  # it leaves rows out
            at = Snapshot(mine, start)
            candidate.whole = Member(
                learner, at, learner.stop(), [History()], key, None, (), candidate.need, schema,
                title=self._title(candidate),
            )  # fmt: skip

    def _read_off(self, candidate: Candidate, splits: Sequence[FoldSplit]) -> bool:
        """Whether the scores could be read off the summaries of the groups, and were."""
        learner = candidate.stages[-1]
        plain = all(s.name in SCORES_FROM_SUMMARIES for s in candidate.scorers)
        if len(candidate.stages) > 1 or not plain or not isinstance(learner, SummaryScored):
            return False
        found: list[tuple[int, bool, Regression, tuple[int, int]]] = []
        for j, (m, split) in enumerate(zip(candidate.members[0], splits, strict=True)):
            if m.grouped is None:
                return False
            apart = _of(m.grouped, split.test, j)
            sides = [(apart.rows, apart.summary), (m.at.rows, m.at.summary)]
            for learned, side in enumerate(sides[: 1 + self.both]):
                judged = learner.regression_from(m.at.model, *side)
                if judged is None:
                    return False
                found.append((j, bool(learned), judged, (m.at.rows, apart.rows)))
        for j, learned, judged, sizes in found:
            candidate.fill(j, len(splits), [s.value(judged) for s in candidate.scorers], learned)
            self.sizes.setdefault(j, sizes)
        return True

    def _score(self, candidates: list[Candidate], session: Session, splits: Sequence[FoldSplit]) -> None:
        """Score rows by models fitted without them, or with them: one scan for all candidates."""
        if not candidates:
            return
        asked = []
        for candidate in candidates:
            for some in self._sides(splits):
                last = [candidate.members[-1][j] for j in dict.fromkeys(side.split for side in some)]
                classes = candidate.schema.classes
                models = [Model.of(m.learner, m.at.model, m.before, classes, by_decision=True) for m in last]
                with self._naming(candidate):
                    asked.append((candidate, some, Score.of(models, candidate.scorers)))
        first, key = candidates[0], splits[0].key
        shift: tuple[Expression, ...] = ()
        if isinstance(key, Stratified) and key.seed is None and not self.both:  # in the order of the rows
            rows = max(m.at.rows for m in first.members[-1])
            shift = (As(first.view, By((key,), ColumnMeans.for_rows(rows // len(first.source)))),)
        if (seen := bar()) is not None:
            seen.ask(Work("scores"))
        done = session.answer(Each((*(_side_scores(*one, splits) for one in asked), *shift)))
        self.scans += 1
        for means in done[len(asked) :]:
            warn_of_shift([means.each[g].summary for g in sorted(means.each)], first.schema.names)
        for (candidate, some, score), grouped in zip(asked, done):
            self._take(candidate, some, score, grouped, [m.at.rows for m in candidate.members[-1]])

    def _in_memory(self, candidate: Candidate, session: Session, splits: Sequence[FoldSplit]) -> None:
        """Fit an estimator of another library to each split, and score it."""
        began = time.perf_counter()
        X, y = without_column(self.X, self.column), column_or_1d(self.y)
        there = numbers_of(candidate)
        codes = {key: codes_of(key, candidate) for key in {split.key for split in splits}}
        rows = [tuple(there[np.isin(codes[s.key], side)] for side in (s.test, s.train)) for s in splits]

        def models(some: list[Side]) -> Iterator[tuple[BaseEstimator, Codes]]:
            for j in dict.fromkeys(side.split for side in some):
                test, train = rows[j]
                weighted = {} if self.weight is None else weight_of_fit(candidate, self.weight[train])
                model = clone(candidate.given).fit(_safe_indexing(X, train), y[train], **weighted)
                yield model, np.concatenate(rows[j]) if self.both else test

        wanted = frozenset(scorer.needs for scorer in candidate.scorers)
        for some in self._sides(splits):
            given = GivenPredictions.by(models(some), X, wanted, candidate.schema.classes)
            score = Score.of([given], candidate.scorers)
            grouped = session.answer(_side_scores(candidate, some, score, splits))
            self._take(candidate, some, score, grouped, [len(train) for _, train in rows])
        candidate.seconds = time.perf_counter() - began

    def _take(self, one: Candidate, some: list[Side], score: Score, grouped: Groups, learned_from: list[int]) -> None:
        """Store the scores of some splits."""
        for at, (j, _, learned) in enumerate(some):
            counted = _of(grouped, (at,), j)
            found = [(scorer, score.summary(scorer, counted.summary)) for scorer in one.scorers]
            values = [self._value(one, s, j, *each) for s, each in enumerate(found)]
            one.fill(j, len(learned_from), values, learned)
            if not learned:
                self.sizes.setdefault(j, (learned_from[j], counted.rows))
                if self.keep:
                    one.keep(j, counted.summary.each)

    def _value(self, one: Candidate, s: int, j: int, scorer: Scorer, summary: object) -> float:
        """A score of a split; NaN, with a warning, where a scorer of scikit-learn has none for these rows."""
        try:
            return scorer.value(summary)
        except ValueError as error:
            if isinstance(error, DataError) or not isinstance(scorer, Called):
                raise
            self.failed.append((one, s, error))
            warn_user(f"{scorer.title} of split {j} is NaN: {error}")
            return np.nan

    def _sides(self, splits: Sequence[FoldSplit]) -> list[list[Side]]:
        """Batches that are scored in one scan: splits with disjoint rows, or both sides of a split."""
        tests = [Side(j, split.test, False) for j, split in enumerate(splits)]
        if not self.both:
            return [[tests[j] for j in some] for some in disjoint_sets(splits)]
        return [[test, Side(j, split.train, True)] for j, (test, split) in enumerate(zip(tests, splits, strict=True))]


class Divided(NamedTuple):
    """Opened rows, and how they are divided."""

    source: Source
    session: Session
    splits: Splits


class Side(NamedTuple):
    """Rows to score the model of a split on: its training rows, or others."""

    split: int
    groups: tuple[int, ...]
    learned: bool


def _scans_after(stage: int, candidates: Sequence[Candidate]) -> int | None:
    """About how many scans follow a stage, those of later ones and one for the scores; None, if nobody knows."""
    later = itertools.zip_longest(*(one.stages[stage + 1 :] for one in candidates))
    each = [
        [usual_scans(learner, stage + at >= 0) for learner in some if learner is not None]
        for at, some in enumerate(later)
    ]
    return None if any(None in some for some in each) else 1 + sum(max(filter(None, some)) for some in each)


def _side_scores(candidate: Candidate, some: list[Side], score: Score, splits: Sequence[FoldSplit]) -> Expression:
    """A score of some sides, each of them a group."""
    key = joined(splits[some[0].split].key, [side.groups for side in some])
    return As(candidate.view, By((key,), score))


def weight_of_fit(candidate: Candidate, weight: Array) -> dict[str, Array]:
    """Weights as an estimator of another library takes them, by name: a pipeline for its last step."""
    model, name = candidate.given, "sample_weight"
    if isinstance(model, Pipeline):
        last, model = model.steps[-1]
        name = f"{last}__{name}"
    if not has_fit_parameter(model, "sample_weight"):
        raise ValueError(f"{candidate.name} takes no sample_weight. Remedy: leave it, or the weights, out")
    return {name: weight}


def numbers_of(candidate: Candidate) -> Codes:
    """The number of every row that has a weight, of rows in memory."""
    source, parts = candidate.source, range(len(candidate.source))
    each = [c.X.numbers() for part in parts for c in source.chunks(part, candidate.need, candidate.schema)]
    return np.concatenate(each)


def codes_of(key: Key, candidate: Candidate) -> Codes:
    """The group of every row, of rows in memory."""
    each = []
    for part in range(len(candidate.source)):
        coder = key.coder(part)
        each += [coder(chunk) for chunk in candidate.source.chunks(part, candidate.need, candidate.schema)]
    return np.concatenate(each)


def _of(grouped: Groups, groups: Sequence[int], j: int) -> Counted:
    """Merge the summaries of the groups that a split is scored on."""
    if not any(g in grouped.each for g in groups):
        raise DataError(f"split {j} has no rows to be scored on: all have weight zero. Remedy: shuffle, or fewer folds")
    return grouped.of(groups)


def disjoint_sets(splits: Sequence[FoldSplit]) -> list[list[int]]:
    """Numbers of splits in as few sets as possible in which no group is scored twice."""
    sets: list[tuple[Key, set[int], list[int]]] = []
    for j, split in enumerate(splits):
        for key, used, some in sets:
            if key is split.key and not used & set(split.test):
                used.update(split.test)
                some.append(j)
                break
        else:
            sets.append((split.key, set(split.test), [j]))
    return [some for _, _, some in sets]
