"""Subset of a source, selected by row number: nothing is copied, and any worker selects the same rows.

Numbers are dealt into groups by chance: of as many rows in a row as there are groups, one is in each. A subset has the
rows of some groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tenfold.compiled.rows.shuffling import deal
from tenfold.core import Codes, DataError, MatrixLike
from tenfold.core.rows.chunk import ROW_IDS_PER_PART
from tenfold.sources.array_source import ArraySource
from tenfold.sources.source import Source
from tenfold.sources.tables import ArrowSource

COUNTED_ROWS = 1 << 20
"""rows that are counted at a time"""


class Deal(NamedTuple):
    """Which rows a subset has."""

    seed: int
    groups: int
    first: int
    """the subset has the groups from this one on"""
    stop: int
    """and up to this one, without it"""

    def takes(self, numbers: Codes) -> Codes:
        """Which of the rows with these numbers are in the subset, as places among them."""
        out = np.empty(len(numbers), np.int64)
        deal(numbers, self.seed, self.groups, out)
        return np.flatnonzero((out >= self.first) & (out < self.stop))


class Subset(ArrowSource):
    """Some rows of files, frames or Dask's collections, part by part."""

    def __init__(self, base: ArrowSource, deal: Deal) -> None:
        super().__init__(base.types, base.roles, base.where)
        self.base, self.deal = base, deal
        self.named, self.asked, self.names = base.named, base.asked, base.names

    def __len__(self) -> int:
        return len(self.base)

    @property
    def computed(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        return self.base.computed

    @property
    def n_rows(self) -> int | None:
        if isinstance(self.base, Subset):
            sizes = self._sizes()
            return None if sizes is None else sum(rows for _, rows in sizes)
        if self.base.counted is None:
            return None
        rows = self.base.counted
        return sum(
            len(self.deal.takes(np.arange(at, min(at + COUNTED_ROWS, rows)))) for at in range(0, rows, COUNTED_ROWS)
        )

    def _sizes(self) -> list[tuple[int, int]] | None:
        """The number of the first row of each part, and how many rows it has; they are numbered from there on."""
        if isinstance(self.base, Subset):
            given = self.base._sizes()
        else:
            starts = self.base.starts()
            given = None if starts is None else list(zip(starts[:-1], np.diff(starts), strict=True))
        if given is None:
            return None
        return [(start, len(self.deal.takes(np.arange(start, start + rows)))) for start, rows in given]

    def tables(self, part: int, columns: list[str], rows: int | None = None) -> Iterator[tuple[int, pa.Table]]:
        at, left = 0, rows
        # rows that a cluster computes are numbered in each part again
        apart = 0 if self.base.graph() is None else part * ROW_IDS_PER_PART
        for start, table in self.base.tables(part, columns):
            kept = self.deal.takes(np.arange(start, start + table.num_rows) + apart)
            some = table.take(pa.array(kept if left is None else kept[:left]))
            yield start + at, some
            at += some.num_rows - table.num_rows
            if left is not None:
                left -= some.num_rows
                if not left:
                    return

    def file_starts(self, starts: Codes | None = None) -> Codes | None:
        return self.base.file_starts(starts)

    def place(self, part: int) -> str:
        return self.base.place(part)

    def in_memory(self) -> int:
        return self.base.in_memory()

    def arrays(self) -> tuple[Any, ...]:
        return self.base.arrays()

    def graph(self) -> Any:
        return self.base.graph()

    def fingerprint(self) -> str:
        return f"{tuple(self.deal)} of {self.base.fingerprint()}, {self.names}"


def subset(source: MatrixLike, deal: Deal) -> Source:
    """The rows of a source that a deal takes."""
    if not isinstance(source, Source):
        raise DataError(f"a {type(source).__name__} cannot be split. Remedy: convert it to a source, tenfold.scan(...)")
    if source.sequence is not None:
        raise DataError("rows of sequences cannot be split one by one. Remedy: select whole sequences, where=...")
    if isinstance(source, ArraySource):
        rows = deal.takes(np.arange(source.counted))
        X = tuple(column[rows] for column in source.X) if isinstance(source.X, tuple) else source.X[rows]
        y, weight = (None if values is None else values[rows] for values in (source.y, source.weight))
        return ArraySource(X, y, weight, source.names if source.named else None)
    if not isinstance(source, ArrowSource):
        raise DataError(
            f"rows of a {type(source).__name__} cannot be split. Remedy: split the rows that it is made of, before"
        )
    return Subset(source, deal)
