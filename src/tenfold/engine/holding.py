"""What is held of a part between rounds: rows through a lens, group by group, and the scratch that goes with them.

All of it can be made again from the rows and the statistic, to the same bits: whoever keeps it may spill or lose it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Chunk, Columns
from tenfold.core.statistic import Held
from tenfold.engine.plan import Groups, Leaf
from tenfold.engine.scanning import counted, rows_of
from tenfold.engine.tally import Counted
from tenfold.engine.together import segments
from tenfold.engine.tree import merge
from tenfold.sources import Source

ALL = -1
"""the group of all rows, where a leaf has no key"""

Scratch = dict[int, Any]
"""by group, what a statistic's `follow` made for one chunk; of statistics that have none it is empty"""


class Piece(NamedTuple):
    """One chunk, held: its rows by group, and how many had no weight."""

    groups: dict[int, Chunk]
    dropped: int


def hold(leaf: Leaf, source: Source, part: int) -> list[Piece]:
    """The rows of a part through the leaf's lens, chunk by chunk."""
    found = []
    for _, chunk, codes in rows_of((leaf,), source, part):
        some = {ALL: chunk} if codes is None else dict(segments(chunk, codes))
        found.append(Piece({group: _through(leaf, rows) for group, rows in some.items()}, chunk.dropped))
    return found


def _through(leaf: Leaf, chunk: Chunk) -> Chunk:
    """The rows with what the lens makes of them in place of their columns; as they are, if stages made them."""
    if not isinstance(leaf.statistic, Held):
        return chunk
    nothing = Columns(np.empty((chunk.n, 0)), ())
    return chunk._replace(X=nothing, y=None, held=leaf.statistic.lens(chunk), dropped=0)


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
