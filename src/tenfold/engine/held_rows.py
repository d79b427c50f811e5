"""Rows of a part held between rounds: transformed by a lens, by group, with the scratch of the current statistic.

All of it can be made again from the rows and the statistic, to the same bits: whoever keeps it may spill or lose it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tenfold.core import Chunk, Codes
from tenfold.core.rows.row_sketch import RowSketch
from tenfold.core.statistic import Expression, Held, Ordered
from tenfold.engine.merge_tree import MergeTree, merge
from tenfold.engine.plan import Groups, Leaf, Plan
from tenfold.engine.row_counts import Counted, this_machine
from tenfold.engine.scan_part import (
    UNGROUPED,
    LeafSummary,
    Read,
    by_group,
    drawn_anew,
    keys_of,
    marks_of,
    rows_of,
    summary_of,
    through,
)
from tenfold.sources import Source
from tenfold.stats.combinators import As, View

Scratch = dict[int, Any]
"""scratch by group, made by a statistic's `follow` for one chunk; empty for statistics without one"""


class Piece(NamedTuple):
    """Held rows of one chunk."""

    groups: dict[int, Chunk]
    """rows by group; with draws, those of positive weight"""
    rows: dict[int, int]
    """how many there were of each group"""
    dropped: int
    """how many had no weight"""
    marks: RowSketch | None = None
    """of the rows, if they are to be recognised again later"""


def read(
    leaves: Sequence[Leaf], lost: Sequence[Leaf], source: Source, part: int
) -> tuple[LeafSummary, list[list[Piece]]]:
    """A part, read once: the summaries of some leaves, and the rows of others through their lenses, chunk by chunk."""
    trees = [MergeTree() for _ in leaves]
    pieces: list[list[Piece]] = [[] for _ in lost]
    for at, chunk, codes in rows_of([*leaves, *lost], source, part):
        if at < len(leaves):
            trees[at].push(summary_of(leaves[at], chunk, codes))
            continue
        pieces[at - len(leaves)].append(_piece(lost[at - len(leaves)], chunk, codes))
    return LeafSummary([tree.total() if tree else None for tree in trees]), pieces


def _piece(leaf: Leaf, chunk: Chunk, codes: Codes | None) -> Piece:
    some = by_group(chunk, codes)
    held = {group: drawn_anew(leaf, rows)[0] for group, rows in some.items()}
    if isinstance(leaf.statistic, Held):  # else rows that stages made are held as they are
        held = {group: through(leaf.statistic.lens, rows) for group, rows in held.items()}
    counts = {group: rows.n for group, rows in some.items()}
    return Piece(held, counts, chunk.dropped, marks_of(leaf, chunk))


def of_chunk(expression: Expression, chunk: Chunk, view: View) -> Any:
    """Return the value of an expression for one chunk: nothing is held, and keys see this chunk alone."""
    plan = Plan(As(view, expression), at_once=False)
    found: list[Any] = []
    for leaf in plan.leaves:
        some = chunk.rows(slice(0, 0)) if chunk.part % leaf.every else chunk
        rows, codes = Read(some, {key: key.coder(chunk.part)(some) for key in keys_of(leaf)}).of(leaf)
        if isinstance(leaf.statistic, Ordered):
            found.append(Counted(leaf.statistic.step(None, rows), rows.n, 0, frozenset()))
        elif not isinstance(leaf.statistic, Held):
            found.append(summary_of(leaf, rows, codes))
        else:
            pieces = [_piece(leaf, rows, codes)]
            found.append(of_held(leaf, pieces, follow(leaf, pieces, None)))
    return plan.answer(found)


def follow(leaf: Leaf, pieces: Sequence[Piece], before: Sequence[Scratch] | None) -> list[Scratch]:
    """Return the scratch of held rows for the leaf's statistic, updated from an earlier one if available."""
    statistic = leaf.statistic
    if not isinstance(statistic, Held):
        return [{} for _ in pieces]
    earlier: Sequence[Scratch] = [{} for _ in pieces] if before is None else before
    return [
        {group: statistic.follow(rows.held, old.get(group)) for group, rows in piece.groups.items()}
        for piece, old in zip(pieces, earlier, strict=True)
    ]


def of_held(leaf: Leaf, pieces: Sequence[Piece], scratch: Sequence[Scratch]) -> Counted | Groups:
    """Return the summary of a part from its held rows."""
    found: Counted | Groups = merge(_summary(leaf, *both) for both in zip(pieces, scratch, strict=True))
    return found


def _summary(leaf: Leaf, piece: Piece, scratch: Scratch) -> Counted | Groups:
    here, marks = frozenset([this_machine()]), piece.marks
    if leaf.by is None:
        rows = piece.groups[UNGROUPED]
        summary = leaf.statistic.summarize(rows._replace(scratch=scratch.get(UNGROUPED)))
        return Counted(summary, piece.rows[UNGROUPED], piece.dropped, here, marks, rows.n)
    each: dict[int, Counted] = {}
    for group, rows in piece.groups.items():
        summary = leaf.statistic.summarize(rows._replace(scratch=scratch.get(group)))
        each[group] = Counted(summary, piece.rows[group], 0, here, marks, rows.n)
        marks = None  # those of the chunk are counted once
    return Groups(each, piece.dropped)


@dataclass(frozen=True, eq=False)
class Scan:
    """Job that summarizes leaves without holding: what would be held is made, used and dropped."""

    leaves: tuple[Leaf, ...]

    def parts(self, source: Source) -> range:
        """Return the parts that any leaf reads."""
        return range(0, len(source), math.gcd(*(leaf.every for leaf in self.leaves)))

    def __call__(self, source: Source, part: int) -> LeafSummary:
        """The summaries of the leaves on one part."""
        plain = [leaf for leaf in self.leaves if not leaf.held]
        held = [leaf for leaf in self.leaves if leaf.held]
        found, pieces = read(plain, held, source, part)
        read_now, made = iter(found.each), iter(pieces)
        return LeafSummary([_fresh(leaf, next(made)) if leaf.held else next(read_now) for leaf in self.leaves])


def _fresh(leaf: Leaf, pieces: list[Piece]) -> Counted | Groups | None:
    return of_held(leaf, pieces, follow(leaf, pieces, None)) if pieces else None
