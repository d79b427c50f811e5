"""One scan for all folds of all learners that need no more: what `cross_validate`, `tune` and the curves share."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, column_or_1d

from tenfold.core import ONE, Chunk, Codes, Column, Columns, DataError, Need, Schema
from tenfold.core.statistic import Expression
from tenfold.engine import Local, Member, Snapshot, current, opened, run, schema_of
from tenfold.engine.keys import Key, Listed, Stratified
from tenfold.engine.plan import Groups
from tenfold.engine.progress import progress
from tenfold.engine.runner import Session
from tenfold.engine.stages import transformed
from tenfold.engine.tally import Counted
from tenfold.estimator import SummaryScored
from tenfold.estimator.callbacks import History
from tenfold.estimator.predictor import Model
from tenfold.evaluate.cross_validation.candidates import Entry, scorers_of
from tenfold.evaluate.cross_validation.fold_shift import ColumnMeans, warn_of_shift
from tenfold.evaluate.cross_validation.folds import Split, Splits, nested_shares, splits_of
from tenfold.evaluate.cross_validation.result import CrossValidation
from tenfold.evaluate.frame_columns import only_column, unnamed, without_column
from tenfold.evaluate.scoring.predictors import Given
from tenfold.sources import Source
from tenfold.sources.frames import is_frame, settled
from tenfold.sources.inputs import as_source, form_of, refuse_lazy
from tenfold.stats.combinators import As, By, Each, joined
from tenfold.stats.score import Score


class Run:
    """One call of `cross_validate` or `tune`."""

    def __init__(
        self,
        entries: list[Entry],
        X: Any,
        y: Any,
        folds: Any,
        shuffle: bool,
        seed: int,
        groups: Any,
        scoring: Any,
        repeats: int = 1,
        whole: bool = False,
        keep: bool = False,
        pos_label: Any = None,
        both: bool = False,
        shares: Any = None,
    ) -> None:
        self.entries, self.X, self.y = entries, settled(X), y
        self.folds, self.shuffle, self.seed, self.groups, self.repeats = folds, shuffle, seed, groups, repeats
        self.whole = whole
        self.scans = 0
        self.classes: Any = None
        self.keep = keep
        self.both = both
        """whether models are judged on the rows that they learned from too"""
        self.shares = shares
        """of what each split leaves to learn from"""
        self.sizes: dict[int, tuple[int, int]] = {}
        if len({entry.classifies for entry in entries}) > 1:
            raise ValueError("regressors and classifiers have no score in common: judge them apart")
        names = [scoring] if isinstance(scoring, str) else scoring
        for entry in entries:
            if not entry.stages:
                refuse_lazy(X, entry.name)
            entry.scorers = scorers_of(names, entry, pos_label)
        self.scoring = [s.name for s in entries[0].scorers]
        if both and len(self.scoring) != 1:
            raise ValueError("a curve is of one score: give the name of one")

    def results(self) -> CrossValidation:
        """Everything fitted and scored."""
        began = time.perf_counter()
        batches: dict[tuple[Any, ...], list[Entry]] = {}
        for entry in self.entries:
            batches.setdefault(self._batch(entry), []).append(entry)
        with progress("cross-validation"):
            for some in batches.values():
                self._judge(some)
        scores = np.array([entry.scores for entry in self.entries])
        return CrossValidation(
            given=[e.given_name for e in self.entries],
            learners=[e.given for e in self.entries],
            scoring=self.scoring,
            scores=scores,
            sizes=[self.sizes[j] for j in sorted(self.sizes)],
            scans=self.scans,
            seconds=time.perf_counter() - began,
            fit_seconds=[e.seconds for e in self.entries],
            summaries=[e.kept for e in self.entries],
            classes=self.classes,
            pos_label=self.pos_label,
        )

    @property
    def pos_label(self) -> Any:
        """The positive class of the scores that have one, once it is known."""
        return next((scorer.pos_label for scorer in self.entries[0].scorers if scorer.instead), None)

    def _batch(self, entry: Entry) -> tuple[Any, ...]:
        """Entries with equal answers are fitted over the same scans."""
        return form_of(self.X, entry.need) if entry.stages else ("in memory",)

    def _source(self, entry: Entry) -> Any:
        """The rows, without the column that says their fold."""
        if not entry.stages:
            return self._bare(entry)
        source = as_source(self.X, self.y, None, entry.need)
        return source if self.column is None else source.without(self.column)

    def _bare(self, entry: Entry) -> Any:
        """The target, and the column that says the fold: of other columns, estimators in memory make what they like."""
        if self.column is None:
            nothing = np.zeros((_num_samples(self.X), 1))
            return as_source(nothing, self.y, None, entry.need)
        if not is_frame(self.X):
            raise unnamed(self.column)
        X = only_column(self.X, self.column)
        entry.need = replace(entry.need, kinds="categorical", missing=True)
        return as_source(X, self.y, None, entry.need)

    @property
    def column(self) -> str | None:
        """The column that says the fold or the group."""
        return next((c for c in (self.folds, self.groups) if isinstance(c, str)), None)

    def _judge(self, entries: list[Entry]) -> None:
        """Fit and score the entries over shared scans."""
        source = self._source(entries[0])
        ours, need = bool(entries[0].stages), entries[0].need
        with opened(current() if ours else Local(threads=1), source) as session:
            for entry in entries:
                entry.need = entry.need if ours else need
                self.scans += ours and source.known(entry.need) is None
                entry.schema = schema_of(source, entry.need, session)
            found = self._splits(source, need, session)
            self.scans += found.scans if ours else 0
            for entry in entries:
                entry.source, entry.need = source, replace(entry.need, side=found.side)
                entry.scorers = tuple(scorer.among(entry.schema.classes) for scorer in entry.scorers)
                self.classes = entry.schema.classes
            if not ours:
                for entry in entries:
                    self._in_memory(entry, session, found.each)
                return
            for stage in range(max(len(e.stages) for e in entries)):
                some = [e for e in entries if stage < len(e.stages)]
                for entry in some:
                    self._enrol(entry, stage, found.each)
                members = [m for e in some for m in e.members[stage]]
                self.scans += run([*members, *(e.whole for e in some if e.whole)], source, session)
            self._score([e for e in entries if not self._read_off(e, found.each)], session, found.each)

    def _splits(self, source: Source, need: Need, session: Session) -> Splits:
        """Which rows each model learns from and is judged on."""
        options = {"shuffle": self.shuffle, "random_state": self.seed, "groups": self.groups}
        found = splits_of(self.folds, source, need, session, repeats=self.repeats, **options)
        if self.shares is None:
            return found
        return nested_shares(found, self.shares, source, need, session, self.seed)

    def _enrol(self, entry: Entry, stage: int, splits: Sequence[Split]) -> None:
        """Members for one stage of an entry: one for each split."""
        learner, schema = entry.stages[stage], entry.schema
        if entry.need.binary and len(schema.classes) > 2:
            raise ValueError(f"{entry.name} is of two classes, and the target has {len(schema.classes)}")
        mine = schema if learner.need.target else Schema(schema.columns, None, None, schema.named)
        befores: list[tuple[Any, ...]] = [()] * len(splits)
        if stage:
            stages = entry.stages[:stage]
            befores = [tuple((s, m[j].at.model) for s, m in zip(stages, entry.members)) for j in range(len(splits))]
            mine = _after(befores[0], schema, learner.need)
        start = learner.start(mine)
        members = [
            Member(
                learner, Snapshot(mine, start), learner.stop(), (), split.key, split.train, before,
                entry.need, schema, certified=False,
            )
            for split, before in zip(splits, befores, strict=True)
        ]  # fmt: skip
        entry.members.append(members)
        if self.whole and len(entry.stages) == 1 and learner.passes == ONE:
            key: Any = splits[0].key
            if isinstance(key, Listed) and key.codes.min() < 0:
                key = None  # it leaves rows out
            at = Snapshot(mine, start)
            entry.whole = Member(learner, at, learner.stop(), [History()], key, None, (), entry.need, schema)

    def _read_off(self, entry: Entry, splits: Sequence[Split]) -> bool:
        """Whether the scores could be read off the summaries of the groups, and were."""
        learner = entry.stages[-1]
        plain = all(s.name in ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error") for s in entry.scorers)
        if len(entry.stages) > 1 or not plain or not isinstance(learner, SummaryScored):
            return False
        found: list[tuple[int, bool, Any, tuple[int, int]]] = []
        for j, (m, split) in enumerate(zip(entry.members[0], splits, strict=True)):
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
            entry.fill(j, len(splits), [s.value(judged) for s in entry.scorers], learned)
            self.sizes.setdefault(j, sizes)
        return True

    def _score(self, entries: list[Entry], session: Session, splits: Sequence[Split]) -> None:
        """Score rows by the models that have not seen them, or have: one scan for all entries."""
        if not entries:
            return
        asked = []
        for entry in entries:
            for some in self._sides(splits):
                last = [entry.members[-1][j] for j in dict.fromkeys(side.split for side in some)]
                models = [Model.of(m.learner, m.at.model, m.before, entry.schema.classes) for m in last]
                asked.append((entry, some, Score.of(models, entry.scorers)))
        first, key = entries[0], splits[0].key
        shift: tuple[Expression, ...] = ()
        if isinstance(key, Stratified) and key.seed is None and not self.both:  # in the order of the rows
            rows = max(m.at.rows for m in first.members[-1])
            shift = (As(first.view, By((key,), ColumnMeans.among(rows // len(first.source)))),)
        done = session.answer(Each((*(_judged(*one, splits) for one in asked), *shift)))
        self.scans += 1
        for means in done[len(asked) :]:
            warn_of_shift([means.each[g].summary for g in sorted(means.each)], first.schema.names)
        for (entry, some, score), grouped in zip(asked, done):
            self._take(entry, some, score, grouped, [m.at.rows for m in entry.members[-1]])

    def _in_memory(self, entry: Entry, session: Session, splits: Sequence[Split]) -> None:
        """Fit an estimator of another library to each split, and score it."""
        began = time.perf_counter()
        X, y = without_column(self.X, self.column), column_or_1d(self.y)
        codes = {key: codes_of(key, entry) for key in {split.key for split in splits}}
        rows = [tuple(np.flatnonzero(np.isin(codes[s.key], side)) for side in (s.test, s.train)) for s in splits]

        def models(some: list[Side]) -> Iterator[tuple[Any, Codes]]:
            for j in dict.fromkeys(side.split for side in some):
                test, train = rows[j]
                model = clone(entry.given).fit(_safe_indexing(X, train), y[train])
                yield model, np.concatenate(rows[j]) if self.both else test

        wanted = frozenset(scorer.needs for scorer in entry.scorers)
        for some in self._sides(splits):
            given = Given.by(models(some), X, wanted, entry.schema.classes)
            score = Score.of([given], entry.scorers)
            grouped = session.answer(_judged(entry, some, score, splits))
            self._take(entry, some, score, grouped, [len(train) for _, train in rows])
        entry.seconds = time.perf_counter() - began

    def _take(self, entry: Entry, some: list[Side], score: Score, grouped: Groups, learned_from: list[int]) -> None:
        """The scores of some splits."""
        for at, (j, _, learned) in enumerate(some):
            counted = _of(grouped, (at,), j)
            values = [one.value(score.summary(one, counted.summary)) for one in entry.scorers]
            entry.fill(j, len(learned_from), values, learned)
            if not learned:
                self.sizes.setdefault(j, (learned_from[j], counted.rows))
                if self.keep:
                    entry.keep(j, counted.summary.each)

    def _sides(self, splits: Sequence[Split]) -> list[list[Side]]:
        """What is judged at once: as many splits as have no row in common; or both sides of a split."""
        tests = [Side(j, split.test, False) for j, split in enumerate(splits)]
        if not self.both:
            return [[tests[j] for j in some] for some in _apart(splits)]
        return [[test, Side(j, split.train, True)] for j, (test, split) in enumerate(zip(tests, splits, strict=True))]


class Side(NamedTuple):
    """Rows to judge the model of a split on: those that it learned from, or others."""

    split: int
    groups: tuple[int, ...]
    learned: bool


def _judged(entry: Entry, some: list[Side], score: Score, splits: Sequence[Split]) -> Expression:
    """A score of some sides, each of them a group."""
    key = joined(splits[some[0].split].key, [side.groups for side in some])
    return As(entry.view, By((key,), score))


def codes_of(key: Key, entry: Entry) -> Codes:
    """The group of every row, of rows in memory."""
    each = []
    for part in range(len(entry.source)):
        coder = key.coder(part)
        each += [coder(chunk) for chunk in entry.source.chunks(part, entry.need, entry.schema)]
    return np.concatenate(each)


def _of(grouped: Groups, groups: Sequence[int], j: int) -> Counted:
    """What the groups that a split is judged on are merged to."""
    if not any(g in grouped.each for g in groups):
        raise DataError(f"split {j} has no rows to be judged on: all have weight zero. Remedy: shuffle, or fewer folds")
    return grouped.of(groups)


def _apart(splits: Sequence[Split]) -> list[list[int]]:
    """Numbers of splits in as few sets as possible in which no group is judged twice."""
    sets: list[tuple[Any, set[int], list[int]]] = []
    for j, split in enumerate(splits):
        for key, used, some in sets:
            if key is split.key and not used & set(split.test):
                used.update(split.test)
                some.append(j)
                break
        else:
            sets.append((split.key, set(split.test), [j]))
    return [some for _, _, some in sets]


def _after(before: tuple[Any, ...], schema: Schema, need: Need) -> Schema:
    """What the outputs of transformers hold."""
    p = len(schema.columns)
    none = Chunk(Columns(np.empty((0, p)), schema.names), None, np.empty(0), True, 0, 0)
    width = transformed(before, none, need).X.shape[1]
    columns = tuple(Column(f"x{j}", "numeric") for j in range(width))
    return Schema(columns, need.target, schema.classes if need.target == "class" else None, False)
