"""One part after another: for learners whose summaries do not merge, because the order of the rows matters.

Rows come in windows of a fixed number, wherever parts are cut, so the cuts change nothing. What goes from part to
part is small: where the walk has led, and the rows that do not fill a window yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import scipy.sparse as sp

from tenfold.core import Chunk, Codes, Columns
from tenfold.core.learner import Walker
from tenfold.core.marks import Marks
from tenfold.engine.tally import Counted, this_machine
from tenfold.engine.together import Item, Many, Together
from tenfold.kernels.shuffling import deal
from tenfold.sources import Source


def route(job: Together, source: Source) -> list[int]:
    """The parts in the order in which they are walked."""
    parts = job.parts(source)
    order = job.items[0].ask.order
    if not order:
        return list(parts)
    drawn = np.empty(len(parts), np.int64)
    deal(np.arange(len(parts)), order, len(parts), drawn)
    return [parts[int(at)] for at in drawn]


class Place(NamedTuple):
    """How far the walk of one learner is."""

    summary: Any = None
    waiting: tuple[Chunk, ...] = ()
    """rows that do not fill a window yet"""
    many: int = 0
    """how many these are"""
    rows: int = 0
    dropped: int = 0
    machines: frozenset[str] = frozenset()
    marks: Marks | None = None

    def on(self, item: Item, chunk: Chunk, codes: Codes | None) -> Place:
        """A chunk further."""
        learner = cast(Walker, item.learner)
        rows = item.pick(chunk, codes)
        size = learner.window(item.state, rows.X)
        waiting, count, summary, at = self.waiting, self.many, self.summary, 0
        if count and count + rows.n >= size:
            at = size - count
            summary = learner.step(item.state, summary, joined((*waiting, rows.rows(slice(0, at)))))
            waiting, count = (), 0
        while rows.n - at >= size:
            summary = learner.step(item.state, summary, rows.rows(slice(at, at + size)))
            at += size
        if at < rows.n or not (waiting or at):
            waiting = (*waiting, rows.rows(slice(at, rows.n)) if at else rows)
            count += rows.n - at
        seen = self.machines or frozenset([this_machine()])
        if this_machine() not in seen:
            seen |= {this_machine()}
        marks = item.marks(rows)
        if marks is not None and self.marks is not None:
            marks = self.marks + marks
        return Place(summary, waiting, count, self.rows + rows.n, self.dropped + chunk.dropped, seen, marks)

    def end(self, item: Item) -> Counted:
        """The rows that still wait, and then the summary of all."""
        summary, learner = self.summary, cast(Walker, item.learner)
        if self.waiting:
            summary = learner.step(item.state, summary, joined(self.waiting))
        return Counted(summary, self.rows, self.dropped, self.machines, self.marks)


Places = tuple[Place, ...]


def walk(job: Together, source: Source, part: int, places: Places | None) -> Places:
    """All items of a job one part further."""
    now = [Place() for _ in job.items] if places is None else list(places)
    for at, chunk, codes in job.chunks(source, part):
        now[at] = now[at].on(job.items[at], chunk, codes)
    return tuple(now)


def arrived(job: Together, places: Places) -> Many:
    """The summaries, once all parts are walked."""
    return Many(tuple(place.end(item) for item, place in zip(job.items, places, strict=True)))


@dataclass(frozen=True, eq=False)
class InOrder:
    """A job of one piece, all parts one after another: right on any runner; some walk it part by part themselves."""

    job: Together

    def parts(self, source: Source) -> range:
        """One piece of work, which reads all parts."""
        return range(1)

    def __call__(self, source: Source, part: int) -> Many:
        """The summaries of all parts."""
        places = None
        for at in route(self.job, source):
            places = walk(self.job, source, at, places)
        assert places is not None
        return arrived(self.job, places)


def joined(chunks: tuple[Chunk, ...]) -> Chunk:
    """Several chunks as one."""
    if len(chunks) == 1:
        return chunks[0]
    first, pieces = chunks[0], [c.X.data for c in chunks]
    if isinstance(pieces[0], tuple):
        data: Any = tuple(np.concatenate(same) for same in zip(*pieces, strict=True))
    else:
        data = sp.vstack(pieces, format="csr") if sp.issparse(pieces[0]) else np.concatenate(pieces)
    numbers = np.concatenate([c.X.numbers() for c in chunks])
    X = Columns(data, first.X.names, missing=first.X.missing, kept=numbers, place=first.X.place)
    y = None if first.y is None else np.concatenate([c.y for c in chunks])
    weight = np.concatenate([c.weight for c in chunks])
    chunk = Chunk(X, y, weight, all(c.uniform for c in chunks), first.part, first.offset)
    return chunk._replace(picked=np.concatenate([c.places() for c in chunks]))
