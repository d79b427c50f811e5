"""Cells of some parts: summaries by key, or the rows themselves while those are fewer bytes.

Rows are a summary that is made later: each keeps the number of its part, and what is merged of them, whenever that is,
has the bits of the fixed tree. So few rows of many cells travel as rows, and many rows of few cells as summaries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tenfold.core import Bits, Chunk, Codes, Flags
from tenfold.core.rows.joined_rows import joined
from tenfold.engine.cells.keys import Keys, changes
from tenfold.engine.cells.summing import Summaries, Summing

GATHERED_ROWS = 1 << 16
"""rows of some cells that are put together at a time, about"""
STACK_BYTES = 1 << 22
"""bytes of the summaries of parts of cells that are merged at a time, so that they stay in cache"""


class PartRows(NamedTuple):
    """Rows of one part, sorted by the hash of their key."""

    hash: Bits
    chunk: Chunk
    part: int


@dataclass(frozen=True, eq=False)
class Cells:
    """Summaries by key, or rows of which they are made."""

    summing: Summing
    keys: Keys
    rows: Codes
    """number of rows of each cell"""
    classes: Flags | None
    """cells x classes: which classes the target has in each; None: the target is no class"""
    unit: int
    """bytes of one summary"""
    found: Summaries | None
    """the summaries; None: they are to be made of `pieces`"""
    pieces: tuple[PartRows, ...] = ()

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def of(cls, summing: Summing, chunk: Chunk, hash: Bits, keys: Keys, classes: int | None) -> Cells:
        """Summarize one part, or keep its rows; they are sorted by their hashes."""
        starts = changes(hash)
        rows = np.diff(np.append(starts, len(hash)))
        present = None
        if classes is not None:
            present = np.zeros((len(starts), classes), bool)
            present[np.repeat(np.arange(len(starts)), rows), chunk.y] = True
        if not len(starts):
            return cls(summing, keys, rows, present, 0, None)
        if summing.in_stacks:
            unit = summing.size(Summaries(summing.empty(chunk), {}))
            if chunk_bytes(chunk) < unit * len(starts):
                piece = PartRows(hash, chunk._replace(side={}), chunk.part)
                return cls(summing, keys, rows, present, unit, None, (piece,))
            return cls(summing, keys, rows, present, unit, summing.of(chunk, starts))
        return cls(summing, keys, rows, present, 0, summing.of(chunk, starts))

    def __add__(self, other: Cells) -> Cells:
        if not len(self) or not len(other):
            return self if len(self) else other
        keys, here, there = self.keys.united(other.keys)
        rows = np.where(here >= 0, self.rows[here], 0) + np.where(there >= 0, other.rows[there], 0)
        classes = None
        if self.classes is not None and other.classes is not None:
            classes = (self.classes[here] & (here >= 0)[:, None]) | (other.classes[there] & (there >= 0)[:, None])
        if self.pieces and other.pieces:
            pieces = self.pieces + other.pieces
            both = Cells(self.summing, keys, rows, classes, self.unit, None, pieces)
            as_rows = sum(chunk_bytes(piece.chunk) for piece in pieces)
            return both if as_rows < self.unit * len(keys) else both.summarized()
        sums = self.summing.merged(self.summaries, other.summaries, here, there)
        return Cells(self.summing, keys, rows, classes, self.unit, sums)

    def summarized(self) -> Cells:
        """Return the same cells with their summaries made."""
        return replace(self, found=self.summaries, pieces=())

    @cached_property
    def summaries(self) -> Summaries:
        """The summaries of all cells."""
        if self.found is not None:
            return self.found
        return self.summing.joined([some for _, some in self.batches()])

    def batches(self) -> Iterator[tuple[slice, Summaries]]:
        """Yield consecutive cells with their summaries, a few at a time if they are made of rows."""
        if self.found is not None or "summaries" in self.__dict__:
            yield slice(0, len(self)), self.summaries
            return
        ends = np.cumsum(self.rows)
        start = 0
        while start < len(self):
            before = int(ends[start - 1]) if start else 0
            stop = max(int(np.searchsorted(ends, before + GATHERED_ROWS, "right")), start + 1)
            yield from self._of_rows(start, stop)
            start = stop

    def _of_rows(self, start: int, stop: int) -> Iterator[tuple[slice, Summaries]]:
        """Summarize the rows of consecutive cells: of each part, then merged."""
        low, high = self.keys.hash[start], self.keys.hash[stop - 1]
        chunks, hashes, parts = [], [], []
        for piece in self.pieces:
            a, b = int(np.searchsorted(piece.hash, low, "left")), int(np.searchsorted(piece.hash, high, "right"))
            if a < b:
                chunks.append(piece.chunk.rows(slice(a, b)))
                hashes.append(piece.hash[a:b])
                parts.append(np.full(b - a, piece.part))
        chunk, hash, part = joined(chunks), np.concatenate(hashes), np.concatenate(parts)
        if len(chunks) > 1:  # the parts are in order, and stay so within a cell
            order = np.argsort(hash, kind="stable")
            chunk, hash, part = chunk.rows(order), hash[order], part[order]
        starts = changes(hash, part)
        cell = np.searchsorted(self.keys.hash[start:stop], hash[starts])
        ends = np.append(starts, chunk.n)
        at, most = 0, max(STACK_BYTES // self.unit, 1)
        while at < len(starts):  # as many whole cells as summaries of theirs stay in cache
            last = int(np.searchsorted(cell, cell[min(at + most, len(cell)) - 1], "right"))
            if last - at > most and cell[at] != cell[last - 1]:
                last = int(np.searchsorted(cell, cell[last - 1], "left"))
            some = chunk.rows(slice(int(ends[at]), int(ends[last])))
            found = self.summing.of(some, starts[at:last] - starts[at])
            found = self.summing.in_tree(found, cell[at:last], part[starts[at:last]])
            yield slice(start + int(cell[at]), start + int(cell[last - 1]) + 1), found
            at = last

    def taken(self, at: Codes) -> Summaries:
        """Return the summaries of some cells, in the order asked for."""
        if self.found is not None or "summaries" in self.__dict__:
            return self.summing.taken(self.summaries, at)
        order = np.argsort(at, kind="stable")
        some = self._only(at[order])
        return self.summing.taken(some, np.argsort(order, kind="stable"))

    def _only(self, at: Codes) -> Summaries:
        """Make the summaries of some cells, by their places in ascending order, of their rows."""
        pieces, wanted = [], self.keys.hash[at]
        for hash, chunk, part in self.pieces:
            first, end = np.searchsorted(hash, wanted, "left"), np.searchsorted(hash, wanted, "right")
            many = end - first
            rows = np.repeat(first - (np.cumsum(many) - many), many) + np.arange(int(many.sum()))
            if len(rows):
                pieces.append(PartRows(hash[rows], chunk.rows(rows), part))
        keys = self.keys.taken(at)
        return replace(self, keys=keys, rows=self.rows[at], classes=None, pieces=tuple(pieces)).summaries


def chunk_bytes(chunk: Chunk) -> int:
    """Return about how many bytes the rows of a chunk take."""
    data = chunk.X.data
    pieces = data if isinstance(data, tuple) else (getattr(data, "data", data),)
    return sum(int(some.nbytes) for some in pieces) + (16 if chunk.uniform else 24) * chunk.n
