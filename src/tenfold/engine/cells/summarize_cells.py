"""The job that summarizes the cells of each part: keys are found in the same scan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from tenfold.core import Chunk
from tenfold.core.rows.chunk import ROW_IDS_PER_PART
from tenfold.core.rows.joined_rows import joined
from tenfold.engine.cells.cells import Cells
from tenfold.engine.cells.keys import Keys, Missing, changes, hashes_of, key_column, refuse_collision
from tenfold.engine.cells.part_rows import RowFiles, in_rows
from tenfold.engine.cells.summing import Summing
from tenfold.engine.job import Job
from tenfold.engine.merge_tree import merge
from tenfold.engine.row_counts import Counted, this_machine
from tenfold.sources import Source

MAX_JOINED_ROWS = 1 << 21
"""rows of a part that comes in pieces, up to which a cell is summarized as if the part came in one"""


@dataclass(frozen=True, eq=False)
class CellsByLevel:
    """The cells of several keys, of the same rows."""

    each: tuple[Cells, ...]

    def __add__(self, other: CellsByLevel) -> CellsByLevel:
        return CellsByLevel(tuple(a + b for a, b in zip(self.each, other.each, strict=True)))


@dataclass(frozen=True)
class SummarizeCells(Job):
    """Job that summarizes the rows of each key, for one key or several."""

    summing: Summing
    levels: tuple[tuple[str, ...], ...]
    """the columns of each key"""
    missing: Missing
    files: RowFiles | None = None
    """where rows go that exceed the memory of a runner whose merges are in this process; None: they stay in memory"""

    def __call__(self, source: Source, part: int) -> Counted:
        """The cells of one part, counted."""
        view, pieces, held = self.summing.view, list[Chunk](), list[Chunk]()
        for chunk in source.chunks(part, view.need, view.schema):
            if held and sum(some.n for some in held) + chunk.n > MAX_JOINED_ROWS:
                pieces.append(joined(held))
                held = []
            held.append(chunk)
        pieces.append(joined(held))
        counted: Counted = merge(self._cells(piece, len(pieces) == 1) for piece in pieces)
        return counted

    def _cells(self, chunk: Chunk, whole: bool) -> Counted:
        """The cells of a part, or of a piece of it."""
        each = tuple(self._of(chunk, names, whole) for names in self.levels)
        if not whole:  # rows know their part only, and pieces of it are summarized by themselves
            each = tuple(cells.summarized() if len(cells) else cells for cells in each)
        return Counted(CellsByLevel(each), chunk.n, chunk.dropped, frozenset([this_machine()]))

    def _of(self, chunk: Chunk, names: tuple[str, ...], whole: bool) -> Cells:
        columns = [key_column(chunk.side[name], name) for name in names]
        hash, check = hashes_of(columns, names, self.missing, chunk.n)
        order = np.argsort(hash, kind="stable")
        hash, check = hash[order], check[order]
        starts = changes(hash)
        refuse_collision(check, np.repeat(check[starts], np.diff(np.append(starts, len(hash)))))
        firsts = pa.array(order[starts])
        table = pa.table([column.take(firsts) for column in columns], names=list(names))
        classes: Any = self.summing.view.schema.classes
        keys = Keys(hash[starts], check[starts], table)
        side = {**chunk.side, **dict(zip(names, columns, strict=True))}  # of types whose rows can be taken
        some = in_rows(chunk._replace(side=side)).rows(order)
        if whole and chunk.n:  # rows are drawn by their places: a cell numbers its rows as a fit of these alone does
            first = int(chunk.places()[0]) // ROW_IDS_PER_PART * ROW_IDS_PER_PART
            within = np.arange(chunk.n) - np.repeat(starts, np.diff(np.append(starts, chunk.n)))
            some = some._replace(first_row_id=first, picked=within)
        return Cells.of(self.summing, some, hash, keys, None if classes is None else len(classes), self.files)
