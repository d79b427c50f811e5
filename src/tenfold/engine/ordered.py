"""One part after another: for statistics whose summaries do not merge, because the order of the rows matters.

Rows come in windows of a fixed number, wherever parts are cut, so the cuts change nothing. What goes from part to part
is small: where the walk has led, and the rows that do not fill a window yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from tenfold.core import Chunk, Codes
from tenfold.core.statistic import Ordered
from tenfold.engine.plan import Groups, Leaf
from tenfold.engine.scanning import drawn_anew, rows_of
from tenfold.engine.tally import Counted, this_machine
from tenfold.engine.together import segments
from tenfold.engine.walking import joined
from tenfold.kernels.shuffling import deal
from tenfold.sources import Source

ALL = -1
"""the group of all rows, where a leaf has no key"""


def route(parts: int, order: int) -> list[int]:
    """The parts in the order in which they are walked."""
    if not order:
        return list(range(parts))
    drawn = np.empty(parts, np.int64)
    deal(np.arange(parts), order, parts, drawn)
    return [int(at) for at in drawn]


class Place(NamedTuple):
    """How far the walk of one leaf, or of one of its groups, is."""

    summary: Any = None
    waiting: tuple[Chunk, ...] = ()
    """rows that do not fill a window yet"""
    rows: int = 0
    dropped: int = 0
    machines: frozenset[str] = frozenset()

    def on(self, statistic: Ordered[Any], chunk: Chunk, dropped: int) -> Place:
        """Some rows further."""
        size, summary, waiting, at = statistic.window(chunk.X), self.summary, self.waiting, 0
        many = sum(some.n for some in waiting)
        if waiting and many + chunk.n >= size:
            at = size - many
            summary, waiting = statistic.step(summary, joined((*waiting, chunk.rows(slice(0, at))))), ()
        while chunk.n - at >= size:
            summary, at = statistic.step(summary, chunk.rows(slice(at, at + size))), at + size
        if at < chunk.n:
            waiting = (*waiting, chunk.rows(slice(at, chunk.n)))
        machines = self.machines | {this_machine()}
        return Place(summary, waiting, self.rows + chunk.n, self.dropped + dropped, machines)

    def end(self, statistic: Ordered[Any]) -> Counted:
        """The rows that still wait, and then the summary of all."""
        summary = statistic.step(self.summary, joined(self.waiting)) if self.waiting else self.summary
        return Counted(summary, self.rows, self.dropped, self.machines)


Places = dict[tuple[int, int], Place]
"""by the number of a leaf, and the group"""


def walk(leaves: Sequence[Leaf], source: Source, part: int, places: Places) -> Places:
    """All leaves one part further."""
    now = dict(places)
    for at, chunk, codes in rows_of(leaves, source, part):
        for group, rows in _pieces(chunk, codes):
            drawn, _ = drawn_anew(leaves[at], rows)
            before = now.get((at, group), Place())
            now[at, group] = before.on(cast(Ordered[Any], leaves[at].statistic), drawn, rows.dropped)
    return now


def arrived(leaves: Sequence[Leaf], places: Places) -> list[Counted | Groups]:
    """The summaries, once all parts are walked."""
    found: list[Counted | Groups] = []
    for at, leaf in enumerate(leaves):
        ends = {g: place.end(cast(Ordered[Any], leaf.statistic)) for (i, g), place in places.items() if i == at}
        found.append(ends[ALL] if leaf.by is None else Groups(ends))
    return found


def _pieces(chunk: Chunk, codes: Codes | None) -> Iterator[tuple[int, Chunk]]:
    if codes is None:
        yield ALL, chunk
    else:
        yield from segments(chunk, codes)
