"""One scan for all folds of all learners that need no more: what `cross_validate`, `tune` and the curves share."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from tenfold.core import ONE, Chunk, Column, Columns, DataError, Need, Schema
from tenfold.engine import Member, Snapshot, current, opened, run, schema_of
from tenfold.engine.keys import Listed, Stratified
from tenfold.engine.progress import progress
from tenfold.engine.stages import transformed
from tenfold.engine.together import Together
from tenfold.engine.tree import merge
from tenfold.estimator.callbacks import History
from tenfold.evaluate.a_column import only_column, unnamed, without_column
from tenfold.evaluate.entries import Entry, scorers_of
from tenfold.evaluate.fold_shift import FoldShift
from tenfold.evaluate.folds import Plan, Split, plan
from tenfold.evaluate.in_memory import scores_in_memory
from tenfold.evaluate.results import CrossValidation
from tenfold.evaluate.trials import Trial
from tenfold.sources import Source
from tenfold.sources.frames import is_frame, settled
from tenfold.sources.inputs import as_source, form_of, refuse_lazy


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
    ) -> None:
        self.entries, self.X, self.y = entries, settled(X), y
        self.folds, self.shuffle, self.seed, self.groups, self.repeats = folds, shuffle, seed, groups, repeats
        self.whole = whole
        self.scans = 0
        self.classes: Any = None
        self.keep = keep
        self.sizes: dict[int, tuple[int, int]] = {}
        if len({entry.classifies for entry in entries}) > 1:
            raise ValueError("regressors and classifiers have no score in common: judge them apart")
        names = [scoring] if isinstance(scoring, str) else scoring
        for entry in entries:
            if not entry.stages:
                refuse_lazy(X, entry.name)
            entry.scorers = scorers_of(names, entry, pos_label)
        self.scoring = [s.name for s in entries[0].scorers]

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
        for entry in entries:
            if not entry.stages:
                entry.need = entries[0].need
        with opened(current(), source) as session:
            ours = [e for e in entries if e.stages]
            for entry in ours:
                self.scans += source.known(entry.need) is None
                schema_of(source, entry.need, session)
            need = entries[0].need
            found = self._plan(source, need, session)
            self.scans += found.scans if ours else 0
            for entry in entries:
                entry.source = source
                entry.need = replace(entry.need, side=found.side)
            for stage in range(max((len(e.stages) for e in ours), default=0)):
                some = [e for e in ours if stage < len(e.stages)]
                for entry in some:
                    self._enrol(entry, stage, source, session, found)
                members = [m for e in some for m in e.members[stage]]
                self.scans += run([*members, *(e.whole for e in some if e.whole)], source, session)
            self._score([e for e in ours if not self._read_off(e, found)], source, session, found)
            for entry in entries:
                if not entry.stages:
                    self._in_memory(entry, source, found, session)

    def _plan(self, source: Source, need: Need, session: Any) -> Plan:
        """Which rows each model learns from and is judged on."""
        options = {"shuffle": self.shuffle, "random_state": self.seed, "groups": self.groups}
        return plan(self.folds, source, need, session, repeats=self.repeats, **options)

    def _enrol(self, entry: Entry, stage: int, source: Source, session: Any, found: Plan) -> None:
        """Members for one stage of an entry: one for each split."""
        learner = entry.stages[stage]
        schema = schema_of(source, entry.need, session)
        if entry.need.binary and len(schema.classes) > 2:
            raise ValueError(f"{entry.name} is of two classes, and the target has {len(schema.classes)}")
        mine = schema if learner.need.target else Schema(schema.columns, None, None, schema.named)
        befores: list[tuple[Any, ...]] = [()] * len(found.splits)
        if stage:
            stages = entry.stages[:stage]
            befores = [
                tuple((s, m[j].at.state) for s, m in zip(stages, entry.members)) for j in range(len(found.splits))
            ]
            mine = _after(befores[0], schema, learner.need)
        start = learner.start(mine)
        members = [
            Member(
                learner, Snapshot(mine, start), learner.stop(), (), split.key, split.train, before,
                entry.need, schema, certified=False,
            )
            for split, before in zip(found.splits, befores, strict=True)
        ]  # fmt: skip
        entry.members.append(members)
        if self.whole and len(entry.stages) == 1 and learner.passes == ONE:
            key: Any = found.splits[0].key
            if isinstance(key, Listed) and key.codes.min() < 0:
                key = None  # it leaves rows out
            at = Snapshot(mine, start)
            entry.whole = Member(learner, at, learner.stop(), [History()], key, None, (), entry.need, schema)

    def _read_off(self, entry: Entry, found: Plan) -> bool:
        """Whether the scores could be read off the summaries of the groups, and were."""
        learner = entry.stages[-1]
        plain = all(s.name in ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error") for s in entry.scorers)
        if len(entry.stages) > 1 or not plain or not hasattr(learner, "judge_from"):
            return False
        table, sizes = [], []
        for j, m in enumerate(entry.members[0]):
            if m.grouped is None:
                return False
            counted = _of_test(m.grouped, found.splits[j], j)
            judged = learner.judge_from(m.at.state, counted.rows, counted.summary)
            if judged is None:
                return False
            table.append([s.value(judged) for s in entry.scorers])
            sizes.append((m.at.rows, counted.rows))
        for j, size in enumerate(sizes):
            self.sizes.setdefault(j, size)
        entry.scores = np.array(table).T
        return True

    def _score(self, entries: list[Entry], source: Source, session: Any, found: Plan) -> None:
        """Score rows by the models that have not seen them: one scan for all entries."""
        if not entries:
            return
        trials: list[Trial] = []
        places: list[tuple[Entry, list[int]]] = []
        for entry in entries:
            for some in _apart(found.splits):
                trials.append(self._trial(entry, some, found.splits))
                places.append((entry, some))
        shifts = _in_file_order(trials[0])
        done = session.reduce(Together((*trials, *shifts)))
        self.scans += 1
        for shift, means in zip(shifts, done.each[len(trials) :], strict=True):
            shift.warn(means)
        for entry in entries:
            entry.scores = np.full((len(entry.scorers), len(found.splits)), np.nan)
        for (entry, some), grouped in zip(places, done.each):
            for j in some:
                counted = _of_test(grouped, found.splits[j], j)
                for i, scorer in enumerate(entry.scorers):
                    entry.scores[i, j] = scorer.value(counted.summary.each[scorer.summarize])
                if self.keep:
                    entry.keep(j, counted.summary.each.values())
                self.sizes.setdefault(j, (entry.members[-1][j].at.rows, counted.rows))

    def _trial(self, entry: Entry, some: list[int], splits: Sequence[Split]) -> Trial:
        last = entry.members[-1]
        schema = last[0].schema
        classes = len(schema.classes) if schema is not None and schema.classes is not None else 0
        self.classes = schema.classes if classes and schema is not None else None
        entry.scorers = tuple(scorer.among(self.classes) for scorer in entry.scorers)
        models = {g: (last[j].at.state, last[j].before) for j in some for g in splits[j].test}
        return Trial(entry.stages[-1], entry.need, schema, splits[some[0]].key, models, entry.scorers, classes)

    def _in_memory(self, entry: Entry, source: Any, found: Plan, session: Any) -> None:
        began = time.perf_counter()
        schema = schema_of(source, entry.need, session)
        X = without_column(self.X, self.column)
        self.classes = schema.classes
        sizes = scores_in_memory(entry, clone, X, self.y, source, schema, found, self.keep)
        for j, size in enumerate(sizes):
            self.sizes.setdefault(j, size)
        entry.seconds = time.perf_counter() - began


def _of_test(grouped: Any, split: Split, j: int) -> Any:
    """What the groups that a split is judged on are merged to."""
    some = [grouped.each[g] for g in split.test if g in grouped.each]
    if not some:
        raise DataError(f"split {j} has no rows to be judged on: all have weight zero. Remedy: shuffle, or fewer folds")
    return merge(some)


def _in_file_order(trial: Trial) -> tuple[FoldShift, ...]:
    """What tells whether folds are alike, if they are stratified in the order of the rows."""
    in_order = isinstance(trial.key, Stratified) and trial.key.seed is None
    return (FoldShift(trial.need, trial.schema, trial.key),) if in_order else ()


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
