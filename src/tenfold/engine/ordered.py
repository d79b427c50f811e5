"""Sequential processing of parts, for statistics that depend on the order of the rows and do not merge.

Rows come in windows of a fixed number, wherever parts are cut, so the cuts change nothing. What goes from part to part
is small: where the walk has led, and the rows that do not fill a window yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from tenfold.compiled.rows.shuffling import deal
from tenfold.core import Chunk
from tenfold.core.rows.joined_rows import joined
from tenfold.core.rows.row_sketch import RowSketch
from tenfold.core.statistic import Ordered
from tenfold.engine.plan import Groups, Leaf
from tenfold.engine.row_counts import Counted, this_machine
from tenfold.engine.scan_part import UNGROUPED, LeafSummary, by_group, drawn_anew, marks_of, rows_of
from tenfold.sources import Source


def route(parts: int, order: int) -> list[int]:
    """The parts in the order in which they are walked."""
    if not order:
        return list(range(parts))
    drawn = np.empty(parts, np.int64)
    deal(np.arange(parts), order, parts, drawn)
    return [int(at) for at in drawn]


class RowPosition(NamedTuple):
    """How far the walk of one leaf, or of one of its groups, is."""

    summary: Any = None
    waiting: tuple[Chunk, ...] = ()
    """rows that do not fill a window yet"""
    rows: int = 0
    drawn: int = 0
    dropped: int = 0
    machines: frozenset[str] = frozenset()
    marks: RowSketch | None = None

    def on(self, statistic: Ordered, chunk: Chunk, whole: Chunk, marks: RowSketch | None) -> RowPosition:
        """Return the position some rows later, counting sequences where rows come in sequences."""
        size, summary, waiting, at = statistic.window(chunk.X), self.summary, self.waiting, 0
        here, many = _count(chunk), sum(_count(some) for some in waiting)
        if waiting and many + here >= size:
            at = size - many
            summary, waiting = statistic.step(summary, joined((*waiting, _rows_between(chunk, 0, at)))), ()
        while here - at >= size:
            summary, at = statistic.step(summary, _rows_between(chunk, at, at + size)), at + size
        if at < here:
            waiting = (*waiting, _rows_between(chunk, at, here))
        machines = self.machines | {this_machine()}
        if marks is not None and self.marks is not None:
            marks = self.marks + marks
        counts = self.rows + whole.n, self.drawn + chunk.n, self.dropped + whole.dropped
        return RowPosition(summary, waiting, *counts, machines, marks or self.marks)

    def end(self, statistic: Ordered) -> Counted:
        """The rows that still wait, and then the summary of all."""
        summary = statistic.step(self.summary, joined(self.waiting)) if self.waiting else self.summary
        return Counted(summary, self.rows, self.dropped, self.machines, self.marks, self.drawn)


def _count(chunk: Chunk) -> int:
    """How many rows there are, or sequences."""
    return chunk.n if chunk.starts is None else len(chunk.starts)


def _rows_between(chunk: Chunk, first: int, last: int) -> Chunk:
    """The rows, or the sequences, from the first to before the last."""
    if chunk.starts is None:
        return chunk.rows(slice(first, last))
    edges = np.append(chunk.starts, chunk.n)
    return chunk.rows(slice(int(edges[first]), int(edges[last])))


Places = dict[tuple[int, int], RowPosition]
"""by the number of a leaf, and the group"""


def walk(leaves: Sequence[Leaf], source: Source, part: int, places: Places) -> Places:
    """Advance all leaves by one part."""
    now = dict(places)
    for at, chunk, codes in rows_of(leaves, source, part):
        for group, rows in by_group(chunk, codes).items():
            drawn, _ = drawn_anew(leaves[at], rows)
            before = now.get((at, group), RowPosition())
            marks = marks_of(leaves[at], rows)
            now[at, group] = before.on(cast(Ordered, leaves[at].statistic), drawn, rows, marks)
    return now


def arrived(leaves: Sequence[Leaf], places: Places) -> list[Counted | Groups]:
    """The summaries, once all parts are walked."""
    found: list[Counted | Groups] = []
    for at, leaf in enumerate(leaves):
        ends = {g: place.end(cast(Ordered, leaf.statistic)) for (i, g), place in places.items() if i == at}
        found.append(ends[UNGROUPED] if leaf.by is None else Groups(ends))
    return found


@dataclass(frozen=True, eq=False)
class Walked:
    """The summaries of leaves that walk the parts in one order: a job of one piece, right on any runner."""

    leaves: tuple[Leaf, ...]
    order: int

    def parts(self, source: Source) -> range:
        """One piece of work, which reads all parts."""
        return range(1)

    def __call__(self, source: Source, part: int) -> LeafSummary:
        """The summaries of all parts."""
        places: Places = {}
        for at in route(len(source), self.order):
            places = walk(self.leaves, source, at, places)
        return LeafSummary(arrived(self.leaves, places))
