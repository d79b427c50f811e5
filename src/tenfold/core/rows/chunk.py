"""Chunk: one part in memory, as one learner reads it; the argument of `summarize`.

Whatever is drawn by chance of rows (bootstraps, folds, validation rows) is drawn by their places: the number of
the part, and the number of the row among those of the part that have a weight. So two rows, however alike, are drawn
independently; and every worker draws the same, since it asks nobody else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from tenfold.core.arrays import AnyColumn, Array, Codes, HeldRows, RowIndex
from tenfold.core.errors import DataError
from tenfold.core.rows.columns import Columns

ROW_IDS_PER_PART = 1 << 36
"""more rows than a part has"""
ROW_IDS_PER_LEVEL = 1 << 58
"""more places than a source has: within a learner that draws, a learner that it is made of draws by other places"""


class Chunk(NamedTuple):
    """Rows of one part. Rows of weight zero are not in it."""

    X: Columns
    y: AnyColumn
    """float64 numbers, or int64 class codes, or None"""
    weight: Array
    uniform: bool
    """whether every weight is one"""
    part: int
    offset: int
    """number of the part's first row in the source"""
    dropped: int = 0
    """rows of weight zero that were left out"""
    held: HeldRows = None
    """result of the learner's lens for these rows; X then has no columns and y is None"""
    scratch: HeldRows = None
    """result of the statistic's `follow` for these rows and the state"""
    side: Mapping[str, AnyColumn] = {}
    """side columns, unconverted: those that the need names, and those passed with the rows"""
    starts: Codes | None = None
    """where each sequence begins, if the need is of whole sequences"""
    first_row_id: int = 0
    """row id of the first row of the chunk, as it was loaded"""
    picked: Codes | None = None
    """indices of the selected rows of the loaded chunk; None: all, in order"""
    whole: Columns | None = None
    """all columns of the rows, where X has some of them; None: X has all"""
    window: Literal["", "first", "later"] = ""
    """whether the chunk is a window of a long sequence: its first, or a continuation of the chunk before"""

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self.X.shape[0]

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.n) if self.uniform else float(self.weight.sum())

    def rows(self, which: RowIndex) -> Chunk:
        """Some of the rows: a slice or their numbers. Sequences are chosen whole, or not at all."""
        y = None if self.y is None else self.y[which]
        first, picked = self.first_row_id, self.picked
        if picked is not None:
            picked = picked[which]
        elif isinstance(which, slice):
            first += which.start
        else:
            picked = which
        return self._replace(
            X=self.X.rows(which),
            whole=None if self.whole is None else self.whole.rows(which),
            y=y,
            weight=self.weight[which],
            dropped=0,
            side={name: chosen(values, which) for name, values in self.side.items()},
            starts=None if self.starts is None else self._starts_among(which),
            first_row_id=first,
            picked=picked,
        )

    def of_weight(self) -> Chunk:
        """Leave out the rows that a draw gave weight zero."""
        return self if self.uniform else self.rows(np.flatnonzero(self.weight))

    def _starts_among(self, which: RowIndex) -> Codes:
        """Where each sequence begins among some of the rows."""
        begins = np.zeros(self.n + 1, dtype=bool)
        begins[self.starts] = begins[self.n] = True
        rows = np.arange(self.n)[which]
        first, last = begins[rows], begins[rows + 1]
        goes_on = np.where(last[:-1], first[1:], rows[1:] == rows[:-1] + 1)
        if len(rows) and not (first[0] and last[-1] and goes_on.all()):
            raise DataError(
                "rows come in whole sequences, and this choice of rows cuts some. Remedy: folds, groups and draws that "
                "go by sequence"
            )
        return np.flatnonzero(first)

    def places(self) -> Codes:
        """The place of each row, by which it is drawn: its part, and its number among the rows that have a weight."""
        at = np.arange(self.n) if self.picked is None else self.picked
        return self.first_row_id + np.asarray(at, dtype=np.int64)

    def inner(self, depth: int = 1) -> Chunk:
        """The same rows for a learner within a learner: its draws have nothing to do with those around it."""
        return self._replace(first_row_id=self.first_row_id + depth * ROW_IDS_PER_LEVEL)


def chosen(values: AnyColumn, which: RowIndex) -> AnyColumn:
    """Some entries of an array of numpy or Arrow: a slice, or their numbers."""
    return values[which] if isinstance(which, slice) else values.take(which)


def concatenated(columns: Sequence[AnyColumn]) -> AnyColumn:
    """Arrays of numpy or Arrow, all of one type, as one."""
    if isinstance(columns[0], np.ndarray):
        return np.concatenate(columns)
    import pyarrow as pa

    plain = [c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in columns]  # each has its own
    return pa.chunked_array(plain).combine_chunks()


def segments(chunk: Chunk, codes: Codes) -> Iterator[tuple[int, Chunk]]:
    """Return the rows of each group in the chunk: slices if groups are contiguous, else copies."""
    return ((group, chunk.rows(which)) for group, which in places_by_group(codes))


def places_by_group(codes: Codes) -> Iterator[tuple[int, slice | Codes]]:
    """Return the positions of each group's rows: a slice if groups are contiguous, else their indices."""
    order = None if bool((codes[1:] >= codes[:-1]).all()) else np.argsort(codes, kind="stable")
    ordered = codes if order is None else codes[order]
    new = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    starts = [*np.flatnonzero(new).tolist(), len(ordered)]
    for start, stop in pairwise(starts):
        if ordered[start] >= 0:
            yield int(ordered[start]), slice(start, stop) if order is None else order[start:stop]
