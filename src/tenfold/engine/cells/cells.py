"""Cells of some parts: summaries by key, or the rows themselves while those are fewer bytes.

Rows are a summary that is made later: each keeps the number of its part, and what is merged of them, whenever that is,
has the bits of the fixed tree. So few rows of many cells travel as rows, and many rows of few cells as summaries. Rows
that exceed the memory of the runner go to files.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tenfold.compiled.rows.sorted_keys import deal
from tenfold.core import Bits, Chunk, Codes, Flags
from tenfold.core.rows.joined_rows import joined
from tenfold.engine.cells.keys import Keys, changes
from tenfold.engine.cells.part_rows import PartRows, RowFiles, StoredRows, chunk_bytes
from tenfold.engine.cells.summing import CellRuns, Summaries, Summing

GATHERED_ROWS = 1 << 16
"""rows of some cells that are put together at a time, about; a cell of more is summarized part by part"""
STACK_BYTES = 1 << 22
"""bytes of summaries that are made at a time, so that they stay in cache"""
RUNS_PER_CELL = 16
"""runs of rows of one part, for each of these summaries, that are taken at a time"""
ROWS_PER_SUMMARY = 4
"""bytes of rows for each byte of summaries, up to which they travel as rows: several nodes of the merge tree are there
at a time, and each has a summary of the same cell"""


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
    pieces: tuple[PartRows | StoredRows, ...] = ()
    """in the order of their parts; all in memory, or all in files"""
    files: RowFiles | None = None
    """where rows may go that exceed the memory; None: they stay there"""

    def __len__(self) -> int:
        return len(self.keys)

    @classmethod
    def of(
        cls, summing: Summing, chunk: Chunk, hash: Bits, keys: Keys, classes: int | None, files: RowFiles | None = None
    ) -> Cells:
        """Summarize one part, or keep its rows; they are sorted by their hashes."""
        starts = changes(hash)
        rows = np.diff(np.append(starts, len(hash)))
        present = None
        if classes is not None:
            present = np.zeros((len(starts), classes), bool)
            present[np.repeat(np.arange(len(starts)), rows), chunk.y] = True
        if not len(starts):
            return cls(summing, keys, rows, present, 0, None, (), files)
        if not summing.in_stacks:
            return cls(summing, keys, rows, present, 0, summing.of(chunk, starts), (), files)
        unit = summing.size(Summaries(summing.empty(chunk), {}))
        if travels_as_rows(chunk_bytes(chunk), unit * len(starts), files):
            piece = PartRows(hash, chunk._replace(side={}), chunk.part)
            return cls(summing, keys, rows, present, unit, None, (piece,), files)
        return cls(summing, keys, rows, present, unit, summing.of(chunk, starts), (), files)

    def __add__(self, other: Cells) -> Cells:
        if not len(self) or not len(other):
            return self if len(self) else other
        keys, here, there = self.keys.united(other.keys)
        rows = np.where(here >= 0, self.rows[here], 0) + np.where(there >= 0, other.rows[there], 0)
        classes = None
        if self.classes is not None and other.classes is not None:
            classes = (self.classes[here] & (here >= 0)[:, None]) | (other.classes[there] & (there >= 0)[:, None])
        files = self.files or other.files
        if self.pieces and other.pieces:
            both = Cells(self.summing, keys, rows, classes, self.unit, None, self.pieces + other.pieces, files)
            return both._within_memory()
        sums = self.summing.merged(self.summaries, other.summaries, here, there)
        return Cells(self.summing, keys, rows, classes, self.unit, sums, (), files)

    def _within_memory(self) -> Cells:
        """Return cells of rows as they are, with their rows in files, or summarized: whatever memory has room for."""
        as_rows = sum(piece.nbytes for piece in self.pieces)
        if not travels_as_rows(as_rows, self.unit * len(self), self.files):
            return self.summarized()
        if self.files is None or as_rows <= self.files.most:
            return self
        return replace(self, pieces=tuple(map(self.files.store, self.pieces)))

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
        for start, some in self._in_memory():
            for at, found in some._of_rows():
                yield slice(start + at.start, start + at.stop), found

    def _in_memory(self) -> Iterator[tuple[int, Cells]]:
        """Yield consecutive cells whose rows are in memory, each time with the place of the first."""
        stored = [piece for piece in self.pieces if isinstance(piece, StoredRows)]
        if not stored:
            yield 0, self
            return
        edges = [0, *np.searchsorted(self.keys.hash, stored[0].files.edges()).tolist(), len(self)]
        for number, (start, stop) in enumerate(itertools.pairwise(edges)):
            if start < stop:
                pieces = tuple(piece.range(number) for piece in stored)
                yield start, self._those(np.arange(start, stop), tuple(piece for piece in pieces if len(piece.hash)))

    def _those(self, at: Codes, pieces: tuple[PartRows, ...]) -> Cells:
        """Return some cells, by their places in ascending order, and the rows of theirs."""
        return Cells(self.summing, self.keys.taken(at), self.rows[at], None, self.unit, None, pieces)

    def _of_rows(self) -> Iterator[tuple[slice, Summaries]]:
        """Summarize cells whose rows are in memory."""
        ends = np.cumsum(self.rows)
        start = 0
        while start < len(self):
            before = int(ends[start - 1]) if start else 0
            stop = max(int(np.searchsorted(ends, before + GATHERED_ROWS, "right")), start + 1)
            low, high = self.keys.hash[start], self.keys.hash[stop - 1]
            some = [piece.between(low, high) for piece in self.pieces if isinstance(piece, PartRows)]
            some = [piece for piece in some if len(piece.hash)]
            if ends[stop - 1] - before > GATHERED_ROWS:
                yield slice(start, stop), self._of_large(some)
            else:
                yield from self._of_small(start, some, self.keys.hash[start:stop])
            start = stop

    def _of_large(self, pieces: list[PartRows]) -> Summaries:
        """Summarize one cell of many rows: part by part, so that they are not put together."""
        each = self.summing.joined([self.summing.of(piece.chunk, np.zeros(1, np.int64)) for piece in pieces])
        return self.summing.in_tree(each, np.zeros(len(pieces), np.int64), np.array([piece.part for piece in pieces]))

    def _of_small(self, first: int, pieces: list[PartRows], keys: Bits) -> Iterator[tuple[slice, Summaries]]:
        """Summarize consecutive cells from the first on: their rows are put together, sorted by cell and part."""
        chunk, hash = joined([piece.chunk for piece in pieces]), np.concatenate([piece.hash for piece in pieces])
        part = np.repeat([piece.part for piece in pieces], [len(piece.hash) for piece in pieces])
        if len(pieces) > 1:  # the parts are in order, and stay so within a cell
            edges = np.cumsum([0, *(len(piece.hash) for piece in pieces)])
            cell, order = np.empty((2, len(hash)), np.int64)
            deal(keys, hash, edges, cell, order)
            chunk, hash, part = chunk.rows(order), hash[order], part[order]
        starts = changes(hash, part)
        of_run, part = hash[starts], part[starts]
        firsts = np.append(changes(of_run), len(starts))
        cell = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
        ends, places = np.append(starts, chunk.n), {piece.part: piece.chunk.X.place for piece in pieces}
        at, most = 0, max(STACK_BYTES // self.unit, 1)
        while at < len(firsts) - 1:
            last = int(np.searchsorted(firsts, firsts[at] + RUNS_PER_CELL * most, "right")) - 1
            last = max(min(last, at + most, len(firsts) - 1), at + 1)
            a, b = int(firsts[at]), int(firsts[last])
            some = chunk.rows(slice(int(ends[a]), int(ends[b])))
            runs = CellRuns(starts[a:b] - starts[a], cell[a:b], part[a:b], places)
            yield slice(first + at, first + last), self.summing.of_parts(some, runs)
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
        different, again = np.unique(at, return_inverse=True)
        found = []
        for start, stop, pieces in self._pieces_of(different):
            some = different[start:stop]
            wanted = self.keys.hash[some]
            those = [piece.of(wanted) for piece in pieces]
            found.append(self._those(some, tuple(piece for piece in those if len(piece.hash))).summaries)
        return self.summing.taken(self.summing.joined(found), again)

    def _pieces_of(self, at: Codes) -> Iterator[tuple[int, int, list[PartRows]]]:
        """Yield rows in memory among which those of some cells are, and which of the cells they are, first and last."""
        stored = [piece for piece in self.pieces if isinstance(piece, StoredRows)]
        if not stored:
            yield 0, len(at), [piece for piece in self.pieces if isinstance(piece, PartRows)]
            return
        edges = [0, *np.searchsorted(self.keys.hash[at], stored[0].files.edges()).tolist(), len(at)]
        for number, (start, stop) in enumerate(itertools.pairwise(edges)):
            if start < stop:
                yield start, stop, [piece.range(number) for piece in stored]


def travels_as_rows(rows: int, summaries: int, files: RowFiles | None) -> bool:
    """Whether some bytes of rows are to be kept, and not the bytes of summaries that they would become."""
    return rows < ROWS_PER_SUMMARY * summaries or (files is not None and summaries > files.most)
