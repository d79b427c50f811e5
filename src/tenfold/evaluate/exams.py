"""Models judged on the rows they learned from and on rows they did not, for curves: one scan for all of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import column_or_1d

from tenfold.core import Ask, Chunk, Codes, DataError
from tenfold.engine.keys import Key
from tenfold.engine.loop import schema_of
from tenfold.engine.plan import Groups
from tenfold.engine.stages import transformed
from tenfold.engine.tally import Counted, this_machine
from tenfold.engine.together import Together
from tenfold.engine.tree import merge
from tenfold.estimator.kinds import winners
from tenfold.evaluate.a_column import without_column
from tenfold.evaluate.entries import Entry
from tenfold.evaluate.folds import Plan
from tenfold.evaluate.hearing import hear
from tenfold.evaluate.in_memory import codes_of
from tenfold.evaluate.run import Run
from tenfold.sources import Source
from tenfold.stats.metrics import Scorer

LEARNED, JUDGED = 0, 1
"""the two sides of an exam: rows learned from, rows not"""


@dataclass(frozen=True, eq=False)
class Exam:
    """One model and its score on both sides; to be summarized together with others."""

    learner: Any
    need: Any
    schema: Any
    key: Key
    sides: tuple[tuple[int, ...], tuple[int, ...]]
    """groups that it learned from, and groups that it did not"""
    state: Any
    before: tuple[tuple[Any, Any], ...]
    scorer: Scorer
    n_classes: int
    ask: ClassVar[Ask] = Ask("score")
    name: ClassVar[str] = ""

    def summarize(self, chunk: Chunk, codes: Codes) -> Groups:
        """The summary of each side's rows."""
        side = np.full(self.key.groups + 1, -1)  # the last is of rows that belong nowhere
        for number, groups in enumerate(self.sides):
            side[list(groups)] = number
        of = side[codes]
        rows = np.flatnonzero(of >= 0)
        if not len(rows):
            return Groups({}, chunk.dropped)
        some = chunk if len(rows) == chunk.n else chunk.rows(rows)
        said = self._said(transformed(self.before, some, self.learner.need).X)
        here, each = frozenset([this_machine()]), {}
        for number in (LEARNED, JUDGED):
            mine = np.flatnonzero(of[rows] == number)
            if len(mine):
                weight = None if some.uniform else some.weight[mine]
                found = self.scorer.summarize(some.y[mine], said[mine], weight, self.n_classes)
                each[number] = Counted(found, len(mine), 0, here)
        return Groups(each, chunk.dropped)

    def _said(self, X: Any) -> Any:
        if not self.n_classes:
            return self.learner.predict_from(self.state, X)
        scores = self.learner.scores_from(self.state, X)
        return winners(scores) if self.scorer.needs == "prediction" else self.learner.probability_from(scores)


class Exams(Run):
    """A cross-validation whose models are judged on the rows they learned from too, by one score."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        if len(self.scoring) != 1:
            raise ValueError("a curve is of one score: give the name of one")
        self.learned: dict[int, Any] = {}
        """by entry, the scores of each split on the rows it learned from"""

    def scores(self) -> tuple[Any, Any]:
        """On both sides: entries x splits each."""
        return np.array([self.learned[id(e)] for e in self.entries]), np.array([e.scores[0] for e in self.entries])

    def _fill(self, entry: Entry, j: int, values: tuple[float, float], sizes: tuple[int, int], splits: int) -> None:
        if entry.scores is None:
            entry.scores = np.full((1, splits), np.nan)
            self.learned[id(entry)] = np.full(splits, np.nan)
        self.learned[id(entry)][j], entry.scores[0, j] = values
        self.sizes.setdefault(j, sizes)

    def _read_off(self, entry: Entry, found: Plan) -> bool:
        """Both scores from the summaries of the groups, where the learner can: then nothing is read again."""
        learner, scorer = entry.stages[-1], entry.scorers[0]
        plain = scorer.name in ("r2", "neg_mean_squared_error", "neg_root_mean_squared_error")
        if len(entry.stages) > 1 or not plain or not hasattr(learner, "judge_from"):
            return False
        table = []
        for j, m in enumerate(entry.members[0]):
            if m.grouped is None:
                return False
            apart = _merged(m.grouped, found.splits[j].test, j)
            sides = ((m.at.rows, m.at.summary), (apart.rows, apart.summary))
            judged = [learner.judge_from(m.at.state, rows, summary) for rows, summary in sides]
            if None in judged:
                return False
            table.append(((scorer.value(judged[0]), scorer.value(judged[1])), (m.at.rows, apart.rows)))
        for j, (values, sizes) in enumerate(table):
            self._fill(entry, j, values, sizes, len(table))
        return True

    def _score(self, entries: list[Entry], source: Source, session: Any, found: Plan) -> None:
        if not entries:
            return
        places = [(entry, j) for entry in entries for j in range(len(found.splits))]
        exams: Any = tuple(self._exam(e, j, found) for e, j in places)
        done = session.reduce(Together(exams))
        self.scans += 1
        for (entry, j), sides in zip(places, done.each, strict=True):
            learned, judged = (_merged(sides, (number,), j) for number in (LEARNED, JUDGED))
            scorer = entry.scorers[0]
            values = (scorer.value(learned.summary), scorer.value(judged.summary))
            self._fill(entry, j, values, (learned.rows, judged.rows), len(found.splits))

    def _exam(self, entry: Entry, j: int, found: Plan) -> Exam:
        m, split = entry.members[-1][j], found.splits[j]
        known = None if m.schema is None else m.schema.classes
        entry.scorers = (entry.scorers[0].among(known),)
        return Exam(
            entry.stages[-1], entry.need, m.schema, split.key, (split.train, split.test), m.at.state, m.before,
            entry.scorers[0], 0 if known is None else len(known),
        )  # fmt: skip

    def _in_memory(self, entry: Entry, source: Any, found: Plan, session: Any) -> None:
        began = time.perf_counter()
        schema = schema_of(source, entry.need, session)
        X, y = without_column(self.X, self.column), column_or_1d(self.y)
        entry.scorers = (entry.scorers[0].among(schema.classes),)
        codes = {id(key): codes_of(key, source, entry, schema, found) for key in {s.key for s in found.splits}}
        for j, split in enumerate(found.splits):
            rows = [np.flatnonzero(np.isin(codes[id(split.key)], side)) for side in (split.train, split.test)]
            model = clone(entry.given).fit(_some(X, rows[0]), y[rows[0]])
            values = tuple(self._mark(entry, model, _some(X, some), y[some], schema.classes) for some in rows)
            self._fill(entry, j, values, (len(rows[0]), len(rows[1])), len(found.splits))  # type: ignore[arg-type]
        entry.seconds = time.perf_counter() - began

    @staticmethod
    def _mark(entry: Entry, model: Any, X: Any, y: Any, classes: Any) -> float:
        """The score of a model that was fitted in memory."""
        scorer = entry.scorers[0]

        def wants(known: Any) -> list[Any]:
            return [(scorer.needs, scorer.summarize)]

        return scorer.value(hear(model, X, y, None, wants, classes=classes).summaries[0])


def _merged(grouped: Any, groups: Any, j: int) -> Any:
    some = [grouped.each[g] for g in groups if g in grouped.each]
    if not some:
        raise DataError(
            f"split {j} has no rows to learn from, or none to be judged on. Remedy: fewer folds, or shuffle"
        )
    return merge(some)


def _some(X: Any, which: Any) -> Any:
    from sklearn.utils import _safe_indexing

    return _safe_indexing(X, which)
