"""One part, scanned for many leaves: read once in each way, chosen and transformed once for all that begin alike.

What a scan finds of each leaf is counted: the rows that went into it, and who read them. Results of parts merge in the
fixed tree; so a scan is all that an engine has to run, on any worker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tenfold.core import Chunk, Codes
from tenfold.core.statistic import Grouped
from tenfold.engine.plan import Groups, Leaf, Reader
from tenfold.engine.tally import Counted, this_machine
from tenfold.engine.together import segments
from tenfold.engine.tree import Tree
from tenfold.sources import Source
from tenfold.stats.combinators import Coder, View


class Found:
    """A summary for each of some leaves; None, of a leaf that has not read this part."""

    __slots__ = ("each",)

    def __init__(self, each: Sequence[Any]) -> None:
        self.each = tuple(each)

    def __add__(self, other: Found) -> Found:
        pairs = zip(self.each, other.each, strict=True)
        return Found([b if a is None else a if b is None else a + b for a, b in pairs])


@dataclass(frozen=True, eq=False)
class Scan:
    """The summaries of some leaves."""

    leaves: tuple[Leaf, ...]

    def __call__(self, source: Source, part: int) -> Found:
        """Of one part."""
        trees = [Tree() for _ in self.leaves]
        for at, chunk, codes in rows_of(self.leaves, source, part):
            trees[at].push(summary_of(self.leaves[at], chunk, codes))
        return Found([tree.total() if tree else None for tree in trees])


def rows_of(leaves: Sequence[Leaf], source: Source, part: int) -> Iterator[tuple[int, Chunk, Codes | None]]:
    """The number of a leaf, a chunk of its rows, and their groups if it has any: all chunks for all leaves."""
    views: dict[View, _Rows] = {}
    for at, leaf in enumerate(leaves):
        if part % leaf.every == 0:
            here = views.setdefault(leaf.view, _Rows())
            for step in leaf.steps:
                here = here.after(step, part)
            here.leaves.append((at, here.coder(leaf, part)))
    with source.once(part, len(views)):
        for view, rows in views.items():
            for chunk in source.chunks(part, view.need, view.schema):
                yield from rows.read(chunk)


@dataclass(eq=False)
class _Rows:
    """Rows that some leaves want, and those that are made from them by a further step."""

    leaves: list[tuple[int, Coder | None]] = field(default_factory=list)
    coders: dict[Any, Coder] = field(default_factory=dict)
    further: dict[Any, tuple[Reader, _Rows]] = field(default_factory=dict)

    def after(self, step: Any, part: int) -> _Rows:
        """The rows after a step, the same for all that go there."""
        if step not in self.further:
            self.further[step] = (step.reader(part), _Rows())
        return self.further[step][1]

    def coder(self, leaf: Leaf, part: int) -> Coder | None:
        """Of the leaf's key; leaves with equal keys share one, since it remembers the rows it has seen."""
        if leaf.by is None:
            return None
        return self.coders.setdefault(leaf.by, _once(leaf.by.coder(part)))

    def read(self, chunk: Chunk) -> Iterator[tuple[int, Chunk, Codes | None]]:
        """A chunk of these rows, for all who wait for it."""
        for at, coder in self.leaves:
            yield at, chunk, None if coder is None else coder(chunk)
        for reader, rows in self.further.values():
            yield from rows.read(reader(chunk))


def _once(coder: Coder) -> Coder:
    """The same coder, asked once for each chunk."""
    last: list[Any] = [None, None]

    def code(chunk: Chunk) -> Codes:
        if last[0] is not chunk:
            last[:] = [chunk, coder(chunk)]
        found: Codes = last[1]
        return found

    return code


def summary_of(leaf: Leaf, chunk: Chunk, codes: Codes | None) -> Counted | Groups:
    """Of the rows of a chunk, or of each group of them."""
    if leaf.by is None:
        return counted(leaf, chunk)
    assert codes is not None
    statistic = leaf.statistic
    if not isinstance(statistic, Grouped):
        return Groups({g: counted(leaf, some) for g, some in segments(chunk, codes)}, chunk.dropped)
    drawn, kept = drawn_anew(leaf, chunk)
    codes = codes if kept is None else codes[kept]
    rows = np.bincount(codes[codes >= 0], minlength=leaf.by.groups)
    found = statistic.summarize_groups(drawn, codes, leaf.by.groups)
    here = frozenset([this_machine()])
    return Groups({g: Counted(s, int(rows[g]), 0, here) for g, s in enumerate(found) if rows[g]}, chunk.dropped)


def counted(leaf: Leaf, chunk: Chunk) -> Counted:
    """The summary of a chunk, whatever its groups, and its rows."""
    drawn, _ = drawn_anew(leaf, chunk)
    return Counted(leaf.statistic.summarize(drawn), drawn.n, chunk.dropped, frozenset([this_machine()]))


def drawn_anew(leaf: Leaf, chunk: Chunk) -> tuple[Chunk, Codes | None]:
    """The rows with the weights that the leaf's draws give them, and which rows have any; None: all, as they are."""
    if not leaf.draws:
        return chunk, None
    for draw in leaf.draws:
        chunk = chunk._replace(weight=draw.weight(chunk), uniform=False)
    if chunk.held is not None:  # what is held stands row by row beside the weights
        return chunk, None
    kept = np.flatnonzero(chunk.weight)
    return chunk.rows(kept), kept
