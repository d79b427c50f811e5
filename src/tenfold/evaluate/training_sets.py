"""Models of disjoint training sets: the rows are dealt to the sets, and one scan gives the models of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import column_or_1d

from tenfold.core import Ask, Chunk, Codes, DataError, Need
from tenfold.engine.keys import Key, Numbered, Shuffled
from tenfold.engine.loop import schema_of
from tenfold.engine.plan import Groups
from tenfold.engine.stages import transformed
from tenfold.engine.tally import Counted, this_machine
from tenfold.engine.together import Together
from tenfold.estimator.kinds import winners
from tenfold.evaluate.folds import Plan, Split, plan
from tenfold.evaluate.in_memory import codes_of
from tenfold.evaluate.loss_parts import Parts, squared, zero_one
from tenfold.evaluate.run import Run
from tenfold.sources import Source
from tenfold.sources.labels import class_codes, levels

PLACES = 1000
"""that rows are dealt, to tell those to judge on"""


class Dealt(Numbered):
    """Rows to judge on are the last group; the others are dealt to the sets."""

    test: int
    """of `PLACES`"""
    seed: int

    def of(self, numbers: Codes) -> Codes:
        """By two deals that have nothing to do with each other."""
        last = self.groups - 1
        sets = Shuffled(last, self.seed + 1).of(numbers)
        return np.where(Shuffled(PLACES, self.seed).of(numbers) < self.test, last, sets)


@dataclass(frozen=True, eq=False)
class Panel:
    """All models of a learner, heard on the rows that none of them learned from."""

    learner: Any
    need: Any
    schema: Any
    key: Key
    models: tuple[tuple[Any, tuple[tuple[Any, Any], ...]], ...]
    n_classes: int
    truth: Any
    ask: ClassVar[Ask] = Ask("score")
    name: ClassVar[str] = ""

    def summarize(self, chunk: Chunk, codes: Codes) -> Groups:
        """The parts of the loss of some rows."""
        rows = np.flatnonzero(codes == self.key.groups - 1)
        if not len(rows):
            return Groups({}, chunk.dropped)
        some = chunk.rows(rows)
        truth = None if self.truth is None else self.truth[some.X.numbers()]
        need = self.learner.need
        said = np.array([self._one(state, transformed(before, some, need).X) for state, before in self.models])
        if self.n_classes:
            parts = zero_one(said, some.y, truth, some.weight, self.n_classes)
        else:
            parts = squared(said, some.y, truth, some.weight)
        return Groups({0: Counted(parts, len(rows), 0, frozenset([this_machine()]))}, chunk.dropped)

    def _one(self, state: Any, X: Any) -> Any:
        if self.n_classes:
            return winners(self.learner.scores_from(state, X))
        return self.learner.predict_from(state, X)


class Sets(Run):
    """A run in which each split learns from a set of its own, and all are judged on the same rows."""

    def __init__(self, *options: Any, sets: int, test: float) -> None:
        super().__init__(*options)
        self.sets, self.test = sets, test
        self.truth: Any = None
        self.parts: Parts | None = None
        self.train_size = 0.0

    def _plan(self, source: Source, need: Need, session: Any) -> Plan:
        starts, scans = None, 0
        if source.counted is None:
            found = plan(2, source, need.without_target(), session, shuffle=True)
            starts, scans = found.starts, found.scans
        key = Dealt(self.sets + 1, max(1, round(PLACES * self.test)), self.seed, starts=starts)
        return Plan(tuple(Split(key, (j,), (self.sets,)) for j in range(self.sets)), starts, scans)

    def _read_off(self, entry: Any, found: Plan) -> bool:
        return False

    def _score(self, entries: list[Any], source: Source, session: Any, found: Plan) -> None:
        for entry in entries:
            last = entry.members[-1]
            schema = last[0].schema
            classes = schema.classes if entry.classifies else None
            truth = self.truth if self.truth is None or classes is None else class_codes(self.truth, classes)
            panel = Panel(
                entry.stages[-1], entry.need, schema, found.splits[0].key,
                tuple((m.at.state, m.before) for m in last), 0 if classes is None else len(classes), truth,
            )  # fmt: skip
            done = session.reduce(Together((panel,))).each[0]
            self.scans += 1
            self._done(entry, done.each[0].summary if done.each else None, [m.at.rows for m in last])

    def _in_memory(self, entry: Any, source: Any, found: Plan, session: Any) -> None:
        codes = codes_of(found.splits[0].key, source, entry, schema_of(source, entry.need, session), found)
        rows = [np.flatnonzero(codes == g) for g in range(self.sets + 1)]
        y = column_or_1d(self.y)
        pairs = [(_safe_indexing(self.X, some), y[some]) for some in rows[:-1]]
        judged, truth = rows[-1], self.truth
        truth = None if truth is None else truth[judged]
        parts = judged_by(entry.given, pairs, _safe_indexing(self.X, judged), y[judged], truth)
        self._done(entry, parts, [len(some) for some in rows[:-1]])

    def _done(self, entry: Any, parts: Parts | None, sizes: list[int]) -> None:
        if parts is None:
            raise DataError("there are no rows to judge on. Remedy: more rows, or a larger share `test`")
        self.parts, self.train_size = parts, float(np.mean(sizes))
        entry.scores = np.full((1, self.sets), np.nan)
        self.sizes = {j: (n, parts.rows) for j, n in enumerate(sizes)}


def judged_by(learner: Any, pairs: Any, X: Any, y: Any, truth: Any) -> Parts:
    """Of models of the pairs of rows and targets."""
    said = [np.asarray(clone(learner).fit(rows, target).predict(X)) for rows, target in pairs]
    even = np.ones(len(y))
    if not is_classifier(learner):
        return squared(np.array(said, dtype=float), y.astype(float), truth, even)
    classes = levels(np.concatenate([y, *said, *([] if truth is None else [truth])]), "y")
    codes = np.array([class_codes(one, classes) for one in said])
    target = None if truth is None else class_codes(truth, classes)
    return zero_one(codes, class_codes(y, classes), target, even, len(classes))
