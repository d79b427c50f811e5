"""What is held of a part between rounds: rows through a lens, group by group, and the scratch that goes with them.

All of it can be made again from the rows and the statistic, to the same bits: whoever keeps it may spill or lose it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Chunk, Columns
from tenfold.core.chunk import segments
from tenfold.core.statistic import Held, Lens, Statistic
from tenfold.engine.plan import Groups, Leaf
from tenfold.engine.scanning import Found, counted, rows_of, summary_of
from tenfold.engine.tally import Counted
from tenfold.engine.tree import Tree, merge
from tenfold.sources import Source

ALL = -1
"""the group of all rows, where a leaf has no key"""

Scratch = dict[int, Any]
"""by group, what a statistic's `follow` made for one chunk; of statistics that have none it is empty"""


class Piece(NamedTuple):
    """One chunk, held: its rows by group, and how many had no weight."""

    groups: dict[int, Chunk]
    dropped: int


def read(leaves: Sequence[Leaf], lost: Sequence[Leaf], source: Source, part: int) -> tuple[Found, list[list[Piece]]]:
    """A part, read once: the summaries of some leaves, and the rows of others through their lenses, chunk by chunk."""
    trees = [Tree() for _ in leaves]
    pieces: list[list[Piece]] = [[] for _ in lost]
    for at, chunk, codes in rows_of([*leaves, *lost], source, part):
        if at < len(leaves):
            trees[at].push(summary_of(leaves[at], chunk, codes))
            continue
        leaf = lost[at - len(leaves)]
        some = {ALL: chunk} if codes is None else dict(segments(chunk, codes))
        lens = leaf.statistic.lens if isinstance(leaf.statistic, Held) else None  # else rows that stages made
        held = some if lens is None else {group: through(lens, rows) for group, rows in some.items()}
        pieces[at - len(leaves)].append(Piece(held, chunk.dropped))
    return Found([tree.total() if tree else None for tree in trees]), pieces


def through(lens: Lens, chunk: Chunk) -> Chunk:
    """The rows with what a lens makes of them in place of their columns."""
    nothing = Columns(np.empty((chunk.n, 0)), ())
    return chunk._replace(X=nothing, y=None, held=lens(chunk), dropped=0)


def seen(statistic: Statistic[Any], chunk: Chunk) -> Chunk:
    """A chunk as a statistic summarizes it: through its lens, if it has one, with what belongs to the rows."""
    if not isinstance(statistic, Held):
        return chunk
    held = through(statistic.lens, chunk)
    return held._replace(scratch=statistic.follow(held.held, None))


def follow(leaf: Leaf, pieces: Sequence[Piece], before: Sequence[Scratch] | None) -> list[Scratch]:
    """What belongs to held rows at the leaf's statistic, made from that of an earlier one, if it is there."""
    statistic = leaf.statistic
    if not isinstance(statistic, Held):
        return [{} for _ in pieces]
    earlier: Sequence[Scratch] = [{} for _ in pieces] if before is None else before
    return [
        {group: statistic.follow(rows.held, old.get(group)) for group, rows in piece.groups.items()}
        for piece, old in zip(pieces, earlier, strict=True)
    ]


def of_held(leaf: Leaf, pieces: Sequence[Piece], scratch: Sequence[Scratch]) -> Counted | Groups:
    """The summary of a part from what is held of it."""
    found: Counted | Groups = merge(_summary(leaf, *both) for both in zip(pieces, scratch, strict=True))
    return found


def _summary(leaf: Leaf, piece: Piece, scratch: Scratch) -> Counted | Groups:
    each = {group: counted(leaf, rows._replace(scratch=scratch.get(group))) for group, rows in piece.groups.items()}
    if leaf.by is not None:
        return Groups(each, piece.dropped)
    one = each[ALL]
    return Counted(one.summary, one.rows, piece.dropped, one.machines)


@dataclass(frozen=True, eq=False)
class Scan:
    """The summaries of some leaves: what would be held is made, used and forgotten. A job that runs anywhere."""

    leaves: tuple[Leaf, ...]

    def parts(self, source: Source) -> range:
        """As many as some leaf reads."""
        return range(0, len(source), math.gcd(*(leaf.every for leaf in self.leaves)))

    def __call__(self, source: Source, part: int) -> Found:
        """Of one part."""
        plain = [leaf for leaf in self.leaves if not leaf.held]
        held = [leaf for leaf in self.leaves if leaf.held]
        found, pieces = read(plain, held, source, part)
        read_now, made = iter(found.each), iter(pieces)
        return Found([_fresh(leaf, next(made)) if leaf.held else next(read_now) for leaf in self.leaves])


def _fresh(leaf: Leaf, pieces: list[Piece]) -> Counted | Groups | None:
    return of_held(leaf, pieces, follow(leaf, pieces, None)) if pieces else None
