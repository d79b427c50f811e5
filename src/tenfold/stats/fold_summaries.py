"""Summaries by fold: every fold's rows by themselves, merged fold by fold, and all but one by prefix and suffix."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tenfold.compiled.moments.moments import merge_pairs
from tenfold.core import Array, Chunk, Codes, Flags, Mergeable, Schema
from tenfold.core.field_values import COUNTS, NOT_NEGATIVE
from tenfold.core.statistic import Grouped, Statistic
from tenfold.stats.combinators import Coder, Key
from tenfold.stats.moments.moments import Moments, refuse_infinite
from tenfold.stats.rows.draws import folds_of
from tenfold.stats.rows.wide_rows import Rows

DEFAULT_FOLDS = 5
"""of `cv=None`, as in scikit-learn"""


class Pieces(Mergeable):
    """How many rows each chunk has, in their order."""

    part: Annotated[Codes, "piece", COUNTS]
    offset: Annotated[Codes, "piece", COUNTS]
    """number in the source of the part's, or the chunk's, first row"""
    rows: Annotated[Codes, "piece", COUNTS]
    dropped: Annotated[Codes, "piece", COUNTS]
    """number of rows with weight zero"""

    @classmethod
    def of(cls, chunk: Chunk) -> Pieces:
        """Count the rows of one chunk; zero if it has none."""
        some = 1 if chunk.n or chunk.dropped else 0
        return cls(*(np.full(some, v, np.int64) for v in (chunk.part, chunk.offset, chunk.n, chunk.dropped)))

    def __add__(self, other: Pieces) -> Pieces:
        names = ("part", "offset", "rows", "dropped")
        return Pieces(*(np.concatenate([getattr(self, n), getattr(other, n)]) for n in names))


class RowsByChunk(Statistic[Pieces]):
    """Number of rows of each chunk, on which contiguous folds depend.

    Each model of a cross-validation counts its own rows, since those of a group lie between those of others.
    """

    def summarize(self, chunk: Chunk) -> Pieces:
        return Pieces.of(chunk)


class ChunkStarts(NamedTuple):
    """The number of the first row of each chunk."""

    part: Codes
    offset: Codes
    first: Codes

    def of(self, chunk: Chunk) -> int:
        """The number of a chunk's first row."""
        if not chunk.n:
            return 0
        return int(self.first[np.flatnonzero((self.part == chunk.part) & (self.offset == chunk.offset))[0]])


class DrawnFolds(Key):
    """Folds at random, to which rows are dealt by their places."""

    seed: int

    def coder(self, part: int) -> Coder:
        return lambda chunk: folds_of(chunk, self.seed, self.groups)


class FoldsInOrder(Key):
    """Contiguous folds whose sizes differ by at most one."""

    rows: int
    """of all folds, those of weight zero left out"""
    starts: ChunkStarts

    def coder(self, part: int) -> Coder:
        sizes = np.full(self.groups, self.rows // self.groups) + (np.arange(self.groups) < self.rows % self.groups)
        ends = np.cumsum(sizes)
        return lambda chunk: np.searchsorted(ends, self.starts.of(chunk) + np.arange(chunk.n), side="right")


class ListedFolds(Key):
    """Folds given by an array with the fold of each row."""

    codes: Codes
    starts: ChunkStarts

    def coder(self, part: int) -> Coder:
        def code(chunk: Chunk) -> Codes:
            found: Codes = self.codes[self.starts.of(chunk) + chunk.X.numbers() - chunk.offset]
            return found

        return code


def listed(cv: Any) -> NDArray[Any]:
    """Return the fold of each row, from an array, or from pairs of training rows and test rows."""
    pairs = isinstance(cv, (list, tuple)) and all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in cv)
    if not pairs:
        return np.asarray(cv)
    n = sum(len(test) for _, test in cv)
    out = np.full(n, -1)
    for k, (_, test) in enumerate(cv):
        out[np.asarray(test)[np.asarray(test) < n]] = k
    if (out < 0).any() or any(
        len(train) + len(test) != n or (out[train] == k).any() for k, (train, test) in enumerate(cv)
    ):
        raise ValueError(
            "cv must have each row in the test side of one split, and in the training side of all others. Remedy: "
            "cv= the fold of each row"
        )
    return out


def codes_of(cv: Any) -> Codes:
    """The number of the fold of each row."""
    given = listed(cv)
    if given.ndim != 1:
        raise ValueError("cv must be the fold of each row, or a list of (train, test)")
    codes = np.unique(given, return_inverse=True)[1].astype(np.int64)
    if not codes.any():
        raise ValueError("cv puts all rows into one fold")
    return codes


class FoldMoments(Mergeable):
    """The moments of each fold."""

    weight: Annotated[Array, "fold", NOT_NEGATIVE]
    mean: Annotated[Array, "fold", "joint"]
    rest: Annotated[Array, "fold", "joint"]
    comoment: Annotated[Array, "fold", "joint", "joint"]
    by_weight = ("weight", "comoment")

    @classmethod
    def of(cls, chunk: Chunk, levels: Codes, codes: Codes, folds: int) -> FoldMoments:
        """Summarize a chunk whose rows are in these folds."""
        in_order = bool((codes[1:] >= codes[:-1]).all())
        if not in_order and not levels.any():
            return cls(*Moments.stacked(chunk, codes, folds))
        if in_order:
            ends = np.searchsorted(codes, np.arange(folds + 1))
            each: Any = [slice(a, b) for a, b in pairwise(ends.tolist())]
        else:
            each = [np.flatnonzero(codes == k) for k in range(folds)]
        return cls._stack([Moments.of(chunk.rows(rows), levels) for rows in each])

    @classmethod
    def _stack(cls, each: Sequence[Moments]) -> FoldMoments:
        names = ("mean", "rest", "comoment")
        return cls(np.array([m.weight for m in each]), *(np.stack([getattr(m, n) for m in each]) for n in names))

    def each(self) -> list[Moments]:
        """The moments of each fold, in order."""
        parts = zip(self.weight.tolist(), self.mean, self.rest, self.comoment, strict=True)
        return [Moments(*fields) for fields in parts]

    def __len__(self) -> int:
        return len(self.weight)

    def take(self, folds: Codes | Flags) -> FoldMoments:
        """The moments of some of the folds, by number or by flag."""
        return FoldMoments(self.weight[folds], self.mean[folds], self.rest[folds], self.comoment[folds])

    def filled(self) -> FoldMoments:
        """The folds that have rows."""
        some = self.weight > 0
        return self if some.all() else self.take(some)

    def but_one(self) -> tuple[Moments, FoldMoments]:
        """The merge of all, and of all but each one; every fold has rows."""
        k, (pairs, whole, others) = len(self), _pairs_but_one(len(self))
        every = FoldMoments(*(_room_for(a, len(pairs)) for a in (self.weight, self.mean, self.rest, self.comoment)))
        if not merge_pairs(pairs, k, every.weight, every.mean, every.rest, every.comoment):
            refuse_infinite(np.diagonal(every.comoment, axis1=1, axis2=2))
        merged = Moments(float(every.weight[whole]), every.mean[whole], every.rest[whole], every.comoment[whole])
        return merged, every.take(others)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, FoldMoments):
            return NotImplemented
        return FoldMoments._stack([a + b for a, b in zip(self.each(), other.each(), strict=True)])


class FoldRows(Mergeable):
    """The rows themselves, while they are few, each with its fold."""

    rows: Rows
    fold: Annotated[Codes, "row", COUNTS]
    folds: int

    @classmethod
    def of(cls, chunk: Chunk, levels: Codes, codes: Codes, folds: int) -> Any:
        """Keep the rows of a chunk by fold, or their moments by fold if those are smaller."""
        rows = Rows.of(chunk, levels)
        if isinstance(rows, Moments):
            return FoldMoments.of(chunk, levels, codes, folds)
        return cls(rows, codes, folds)

    def is_valid(self, schema: Schema) -> bool:
        """Whether every row is in a valid fold."""
        return len(self.fold) == len(self.rows) and bool((self.fold < self.folds).all())

    def each(self) -> list[Rows]:
        """The rows of each fold, in order."""
        return [self.rows.take(np.flatnonzero(self.fold == k)) for k in range(self.folds)]

    def moments(self) -> FoldMoments:
        """The moments by fold that these rows have."""
        return FoldMoments._stack([rows.moments() for rows in self.each()])

    def canonical(self) -> FoldMoments:
        """Return the rows in a canonical order, for comparison."""
        return self.moments()

    def __add__(self, other: Any) -> Any:
        if isinstance(other, FoldMoments):
            return self.moments() + other
        both = self.rows + other.rows
        if isinstance(both, Moments):
            return self.moments() + other.moments()
        return FoldRows(both, np.concatenate([self.fold, other.fold]), self.folds)

    def __radd__(self, other: Any) -> Any:
        """Moments + rows are moments."""
        return other + self.moments() if isinstance(other, FoldMoments) else NotImplemented


class ComomentsByFold(Statistic[FoldMoments | FoldRows]):
    """The moments of the rows of each fold: models that leave a fold out, and their errors on it, are read off them."""

    fold: Key
    levels: Codes
    """how many categories each column has, 0 if it is numeric"""
    keep_rows: bool = False
    """whether rows are kept while they are few"""

    def summarize(self, chunk: Chunk) -> FoldMoments | FoldRows:
        codes, kind = self.fold.coder(chunk.part)(chunk), FoldRows if self.keep_rows else FoldMoments
        found: FoldMoments | FoldRows = kind.of(chunk, self.levels, codes, self.fold.groups)
        return found


class ComomentsByDrawnFold(ComomentsByFold, Grouped[FoldMoments | FoldRows]):
    """Co-moments by random fold: the fold of a row is independent of the other rows."""


@lru_cache(maxsize=32)
def _pairs_but_one(n: int) -> tuple[Codes, int, Codes]:
    """Return a schedule of pairwise merges of `n` summaries that leaves each out, with the index of each result.

    The result of pair i has index `n + i`.
    """
    pairs: list[tuple[int, int]] = []

    def merged(a: int, b: int) -> int:
        pairs.append((a, b))
        return n + len(pairs) - 1

    whole, others = but_one(range(n), merged)
    return np.array(pairs, np.int64).reshape(-1, 2), whole, np.array(others, np.int64)


def _room_for(a: Array, more: int) -> Array:
    """A copy, with room for more behind."""
    out = np.empty((len(a) + more, *a.shape[1:]))
    out[: len(a)] = a
    return out


def but_one(each: Sequence[Any], merged: Callable[[Any, Any], Any] = operator.add) -> tuple[Any, list[Any]]:
    """The merge of all, and of all but each one: never a difference, which would lose digits."""
    ahead, behind = [each[0]], [each[-1]]
    for summary in each[1:]:
        ahead.append(merged(ahead[-1], summary))
    for summary in each[-2:0:-1]:
        behind.append(merged(summary, behind[-1]))
    behind.reverse()  # it begins with the second
    last = len(each) - 1
    between = [merged(ahead[k - 1], behind[k]) for k in range(1, last)]
    return ahead[-1], [behind[0], *between, ahead[-2]] if last else []
