"""Rows of parts, sorted by the hash of their key: in memory, or in a file, by ranges of hash.

Where they are does not show in the bits: a range is read as it was written.
"""

from __future__ import annotations

import itertools
import pickle
import shutil
import tempfile
import threading
import weakref
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Bits, Chunk, Codes, Columns
from tenfold.core.rows.joined_rows import joined
from tenfold.engine.runner import Session

LEAST_RANGES, MOST_RANGES = 3, 12
"""bits of a hash that number its range, at least and at most"""
RANGES_PER_MEMORY = 32
"""ranges of rows that would fill the memory of a runner: one is read at a time, and its rows are put together"""
SHARE = 4
"""share of the memory that the rows of one node of the merge tree may take, as a divisor: all nodes take twice that"""


class PartRows(NamedTuple):
    """Rows of one part, sorted by the hash of their key."""

    hash: Bits
    chunk: Chunk
    part: int

    @property
    def nbytes(self) -> int:
        """About how many bytes they take."""
        return chunk_bytes(self.chunk)

    def between(self, low: np.uint64, high: np.uint64) -> PartRows:
        """Return the rows of the hashes from one to another, both included."""
        some = slice(int(np.searchsorted(self.hash, low, "left")), int(np.searchsorted(self.hash, high, "right")))
        return PartRows(self.hash[some], self.chunk.rows(some), self.part)

    def of(self, hashes: Bits) -> PartRows:
        """Return the rows of some hashes, which are in order."""
        first, end = np.searchsorted(self.hash, hashes, "left"), np.searchsorted(self.hash, hashes, "right")
        many = end - first
        rows = np.repeat(first - (np.cumsum(many) - many), many) + np.arange(int(many.sum()))
        return PartRows(self.hash[rows], self.chunk.rows(rows), self.part)


class StoredRows:
    """Rows of one part in a file: each range of hash can be read by itself."""

    def __init__(self, files: RowFiles, path: Path, ends: Codes, part: int, nbytes: int) -> None:
        self.files, self.path, self.ends = files, path, ends
        self.part, self.nbytes = part, nbytes

    def range(self, number: int) -> PartRows:
        """Return the rows of one range of hash."""
        with open(self.path, "rb") as file:
            file.seek(int(self.ends[number]))
            raw = file.read(int(self.ends[number + 1] - self.ends[number]))
        hash, chunk = pickle.loads(raw)  # a file that this process wrote, in a folder of its own
        return PartRows(hash, chunk, self.part)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the rows: the file is of this process only."""
        return _in_memory, ([self.range(number) for number in range(len(self.ends) - 1)],)


def _in_memory(each: list[PartRows]) -> PartRows:
    hash, chunk = np.concatenate([one.hash for one in each]), joined([one.chunk for one in each])
    return PartRows(hash, chunk, each[0].part)


class RowFiles:
    """Files of rows that exceed the memory of a runner, in a temporary folder that lasts as long as this does.

    Parameters
    ----------
    memory : int
        Bytes that rows may take in memory, about half of which they do.
    expected : int
        About how many bytes there are; 0: nobody knows.
    """

    def __init__(self, memory: int, expected: int = 0) -> None:
        self.memory = memory
        self.most = memory // SHARE
        """bytes of the rows of one node of the merge tree, beyond which they go to files"""
        ranges = RANGES_PER_MEMORY * (expected or 8 * memory) // max(memory, 1)
        self.bits = min(max(ranges.bit_length(), LEAST_RANGES), MOST_RANGES)
        """leading bits of a hash that number its range"""
        self._folder: Path | None = None
        self._lock = threading.Lock()

    @classmethod
    def of(cls, session: Session, jobs: int) -> RowFiles | None:
        """Return files for the rows of some jobs of a session; None, if workers merge them, who have other files."""
        expected = (session.source.counted or 0) * 8 * (len(session.source.names) + 3)
        return cls(session.memory // jobs, expected) if session.merges_here else None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the limits: the files are of this process only."""
        return RowFiles, (self.memory,)

    @property
    def folder(self) -> Path:
        """The folder, which is removed with the last that refers to this."""
        with self._lock:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="tenfold-cells-"))
                weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            return self._folder

    def edges(self) -> Bits:
        """Return the first hash of each range but the first."""
        return np.arange(1, 1 << self.bits, dtype=np.uint64) << np.uint64(64 - self.bits)

    def store(self, piece: PartRows | StoredRows) -> StoredRows:
        """Return the rows of a part as they are in a file; write it, if they are in none."""
        if isinstance(piece, StoredRows):
            return piece
        cuts = [0, *np.searchsorted(piece.hash, self.edges()).tolist(), len(piece.hash)]
        ends = np.zeros(len(cuts), np.int64)
        path = Path(tempfile.mktemp(dir=self.folder))
        try:
            with open(path, "xb") as file:
                for number, (start, stop) in enumerate(itertools.pairwise(cuts)):
                    some = slice(start, stop)
                    pickle.dump((piece.hash[some], piece.chunk.rows(some)), file, protocol=5)
                    ends[number + 1] = file.tell()
        except OSError as error:
            raise OSError(
                f"rows that wait for their cells exceed the memory of the runner, and {self.folder} cannot take them: "
                f"{error}. Remedy: a folder with more room, TMPDIR=...; or more memory, "
                "tenfold.on(tenfold.Local(memory=...))"
            ) from None
        return StoredRows(self, path, ends, piece.part, piece.nbytes)


def chunk_bytes(chunk: Chunk) -> int:
    """Return about how many bytes the rows of a chunk take."""
    data = chunk.X.data
    pieces = data if isinstance(data, tuple) else (getattr(data, "data", data),)
    return sum(int(some.nbytes) for some in pieces) + (16 if chunk.uniform else 24) * chunk.n


def in_rows(chunk: Chunk) -> Chunk:
    """Return a chunk whose numbers stand row by row: rows of a cell are then copied in one go."""
    X = chunk.X
    if not isinstance(X.data, tuple) or type(X) is not Columns or not X.data:
        return chunk
    data = np.empty(X.shape, X.dtype)
    for some, block in X.blocks(dtype=None, checked=False):
        data[some] = block
    return chunk._replace(X=X.other_columns(data, X.names, X.missing))
