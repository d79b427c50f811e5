"""Rows themselves as a summary: they merge by being put one after another, and are joined once, at the end."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from tenfold.core.arrays import ColumnData, Values, ones
from tenfold.core.errors import DataError
from tenfold.core.mergeable import Mergeable
from tenfold.core.rows.chunk import Chunk, concatenated


class JoinedRows(Mergeable):
    """Some rows, in order: a rope of chunks."""

    chunks: tuple[Chunk, ...]
    most: int
    """bytes that they may take together"""
    relative: str
    """the alternative for larger data, as the call to write"""

    @cached_property
    def size(self) -> int:
        """How many bytes the chunks take, about."""
        return sum(_size(chunk) for chunk in self.chunks)

    def __add__(self, other: JoinedRows) -> JoinedRows:
        both = JoinedRows(self.chunks + other.chunks, self.most, self.relative)
        if both.size > self.most:
            raise too_many(self.most, self.relative)
        return both

    def joined(self) -> Chunk:
        """Return all chunks concatenated to one."""
        return joined(self.chunks)


def too_many(most: int, relative: str) -> DataError:
    """Return the error of rows that exceed a number of bytes; `relative` is the alternative to call."""
    return DataError(
        f"all rows are needed at once, and they take more than the {most / 2**20:,.0f} MiB that may be used. Remedy: "
        f"{relative}, which needs no rows in memory; or let more be used, tenfold.on(tenfold.Local(memory=...))"
    )


def _size(chunk: Chunk) -> int:
    data = chunk.X.data
    pieces: tuple[Values, ...] = data if isinstance(data, tuple) else (data,)
    if sp.issparse(data):
        pieces = (data.data, data.indices, data.indptr)
    values = (*pieces, chunk.weight, *(() if chunk.y is None else (chunk.y,)), *chunk.side.values())
    return sum(int(some.nbytes) for some in values)


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Several chunks as one; each row keeps its number and its place."""
    first, pieces = chunks[0], [chunk.X.data for chunk in chunks]
    if len(chunks) == 1:
        return first
    if isinstance(pieces[0], tuple):
        data: ColumnData = tuple(np.concatenate(same) for same in zip(*pieces, strict=True))
    else:
        data = sp.vstack(pieces, format="csr") if sp.issparse(pieces[0]) else np.concatenate(pieces)
    numbers = np.concatenate([chunk.X.numbers() for chunk in chunks])
    uniform = all(chunk.uniform for chunk in chunks)
    starts = None
    if first.starts is not None:
        ends = np.cumsum([0, *(chunk.n for chunk in chunks[:-1])])
        starts = np.concatenate([chunk.starts + end for chunk, end in zip(chunks, ends, strict=True)])
    return Chunk(
        X=first.X.other_rows(data, 0, numbers),
        y=None if first.y is None else np.concatenate([chunk.y for chunk in chunks]),
        weight=ones(len(numbers)) if uniform else np.concatenate([chunk.weight for chunk in chunks]),
        uniform=uniform,
        part=first.part,
        offset=first.offset,
        dropped=sum(chunk.dropped for chunk in chunks),
        side={name: concatenated([chunk.side[name] for chunk in chunks]) for name in first.side},
        starts=starts,
        picked=np.concatenate([chunk.places() for chunk in chunks]),
    )
