"""Weight, mean and centred co-moments of the features and the target.

A numeric column is one feature, a categorical one as many as it has categories; their columns of zeros and ones are
never made, only counted.
Two of them merge by the rule of Chan, Golub and LeVeque: with δ the difference of the means,
C = C₁ + C₂ + δδᵀ n₁n₂/(n₁+n₂). Raw sums of squares are never formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.blas import NARROW
from tenfold.compiled.moments.category_sums import add_by_code
from tenfold.compiled.moments.cells import merge_cells, summarize_cells, summarize_trees
from tenfold.compiled.moments.comoments import (
    add_comoments,
    add_comoments_by,
    add_comoments_columns,
    add_comoments_in_place,
)
from tenfold.compiled.moments.moments import merge_moments, move_each_to_mean, move_to_mean, rough_means
from tenfold.core import Array, Chunk, Codes, ColumnError, DataError, Design, Flags, Mergeable
from tenfold.core.errors import MergeError
from tenfold.core.statistic import Grouped, Stacked

TOO_LARGE = "a column is too large to be squared. Remedy: rescale it, tenfold.MaxAbsScaler()"
T = TypeVar("T", float, Array)
NO_NUMBERS = np.zeros(0)
ROWS_PER_PRODUCT = 256
"""rows of a group, about, whose products are formed at a time"""
SHIFT_ROWS = 256
"""rows whose mean is the shift of a part"""
MIN_CROSS_SCALE = 1e-145
"""columns below lose digits when they are squared, and their products with others do"""
MIN_SQUARE_SCALE = 1e-150
"""columns below lose digits when they are squared alone"""


class Moments(Mergeable):
    """Moments of the features, followed by the target if the chunk has one."""

    weight: float
    mean: Annotated[Array, "joint"]
    rest: Annotated[Array, "joint"]
    """low-order part of the mean, in double-double: differences of large means need it"""
    comoment: Annotated[Array, "joint", "joint"]
    by_weight = ("weight", "comoment")

    @classmethod
    def of(cls, chunk: Chunk, levels: Codes | None = None) -> Moments:
        """Summarize a chunk in one pass over memory, or two if `levels` has categorical columns.

        Each block is filled with √w (z - shift) and √w; its Gram matrix holds the co-moments and
        the sums around the shift, and the sums move the shift to the mean at the end.
        """
        if levels is not None and levels.any():
            return cls._of_both(chunk, levels)
        n, p = chunk.X.shape
        q = p + (chunk.y is not None)
        if n == 0:
            return cls(0.0, np.zeros(q), np.zeros(q), np.zeros((q, q)))
        # Squares around a shift near the mean do not cancel when they are moved to the mean. The mean of the first rows
        # is such a shift, unless the rows are sorted or drift: then a second pass over memory takes the mean itself.
        found, far = cls._around(chunk, *first_mean(chunk))
        return cls._around(chunk, found.mean, False)[0] if far else found

    @classmethod
    def _around(cls, chunk: Chunk, shift: Array, centred: bool) -> tuple[Moments, bool]:
        """Summarize around a shift; and whether it was so far from the mean that squares lost digits."""
        gram, q = _gram(chunk, shift, centred), len(shift)
        mean, rest, comoment = np.empty(q), np.empty(q), np.empty((q, q))
        far = move_to_mean(gram, shift, mean, rest, comoment)
        return cls(chunk.total, mean, rest, comoment), far

    @classmethod
    def _of_both(cls, chunk: Chunk, levels: Codes) -> Moments:
        """Numbers first; then their sums around the mean by category, and how often two categories meet."""
        design = Design.of(chunk.X, levels)
        numbers = cls.of(chunk._replace(X=design.numbers))
        q, p, k = len(numbers.mean), len(design.numeric), len(design.coded)
        at = np.append(design.numeric, design.width)[:q]
        size = design.width + q - p
        mean, rest, comoment = np.zeros(size), np.zeros(size), np.zeros((size, size))
        if chunk.n == 0:
            return cls(0.0, mean, rest, comoment)
        mean[at], rest[at], comoment[np.ix_(at, at)] = numbers.mean, numbers.rest, numbers.comoment
        cross = np.zeros((k, q))
        for rows, block in design.numbers.blocks(shift=numbers.mean[:p]):
            some = np.empty((len(block), q))
            some[:, :p] = block
            if q > p:
                some[:, p] = chunk.y[rows] - numbers.mean[p]
            some *= chunk.weight[rows, None]
            add_by_code(design.addresses, design.like, design.first, some, rows.start, cross)
        pairs = design.pairs(chunk.weight)
        count = pairs.diagonal().copy()
        cross -= np.outer(count, numbers.rest)  # blocks are around the rounded mean: this moves them to the exact one
        pairs -= np.outer(count, count) / numbers.weight
        # n (N - n) / N instead of n - n² / N, which would lose the digits of a category that most rows have
        pairs.flat[:: k + 1] = count * ((numbers.weight - count) / numbers.weight)
        comoment[np.ix_(design.coded, at)] = cross
        comoment[np.ix_(at, design.coded)] = cross.T
        comoment[np.ix_(design.coded, design.coded)] = pairs
        mean[design.coded] = count / numbers.weight
        return cls(numbers.weight, mean, rest, comoment)

    def only(self, features: Flags) -> Moments:
        """Return the moments of a subset of the features, and the target."""
        at = np.append(np.flatnonzero(features), np.arange(len(features), len(self.mean)))
        return Moments(self.weight, self.mean[at], self.rest[at], self.comoment[np.ix_(at, at)])

    @property
    def without_target(self) -> Moments:
        """The moments of the features alone, of rows that have a target."""
        return Moments(self.weight, self.mean[:-1], self.rest[:-1], self.comoment[:-1, :-1])

    def moved(self, matrix: Array, center: Array, offset: Array | float = 0.0) -> Moments:
        """Return the moments of A (x - center) + offset, and of the target: exact but for rounding, without the rows.

        A one-dimensional matrix is a diagonal one.
        """
        p, k = len(center), len(matrix)
        around = (self.mean[:p] - center, self.rest[:p])
        square = self.comoment[:p, :p]
        if matrix.ndim == 1:
            mean, rest = (matrix * some for some in around)
            square = square * np.outer(matrix, matrix)
            cross = matrix[:, None] * self.comoment[:p, p:]
        else:
            mean, rest = (matrix @ some for some in around)
            square = matrix @ square @ matrix.T
            square = (square + square.T) / 2
            cross = matrix @ self.comoment[:p, p:]
        size = k + len(self.mean) - p
        comoment = np.empty((size, size))
        comoment[:k, :k], comoment[:k, k:], comoment[k:, :k] = square, cross, cross.T
        comoment[k:, k:] = self.comoment[p:, p:]
        means = np.append(mean + offset, self.mean[p:]), np.append(rest, self.rest[p:])
        return Moments(self.weight, *means, comoment)

    @classmethod
    def by_group(cls, chunk: Chunk, codes: Codes, groups: int) -> list[Moments]:
        """Summarize the rows of each group, in one pass over memory too."""
        weight, *each = cls.stacked(chunk, codes, groups)
        return [cls(*fields) for fields in zip(weight.tolist(), *each, strict=True)]

    @classmethod
    def stacked(cls, chunk: Chunk, codes: Codes, groups: int) -> tuple[Array, Array, Array, Array]:
        """Return the fields of all groups stacked: weights, means and their low-order parts, and co-moments."""
        shift, _ = first_mean(chunk) if chunk.n else (np.zeros(chunk.X.shape[1] + (chunk.y is not None)), True)
        p, q = chunk.X.shape[1], len(shift)
        gram, counts = np.zeros((groups, q + 1, q + 1)), np.zeros(groups + 1, np.int64)
        height = min(max(chunk.X.block_rows(q + 1), ROWS_PER_PRODUCT * groups), max(chunk.n, 1))
        buffer = np.empty((height, q + 1))
        y = NO_NUMBERS if chunk.y is None else chunk.y
        root = NO_NUMBERS if chunk.uniform else np.sqrt(chunk.weight)
        for rows, block in chunk.X.blocks(height, dtype=None, checked=False):
            add_comoments_by(block, y[rows], root[rows], codes[rows], shift, counts, buffer, gram)
        chunk.X.check_sums(np.diagonal(gram, axis1=1, axis2=2)[:, :p].sum(axis=0))
        weight, mean, rest = gram[:, q, q].copy(), np.empty((groups, q)), np.empty((groups, q))
        comoment, far = np.empty((groups, q, q)), np.empty(groups, bool)
        move_each_to_mean(gram, shift, mean, rest, comoment, far)
        for g in range(groups) if not chunk.uniform or far.any() else ():
            if far[g]:  # the group is far from the first rows of the part
                other = cls.of(chunk.rows(np.flatnonzero(codes == g)))
                weight[g], mean[g], rest[g], comoment[g] = other.weight, other.mean, other.rest, other.comoment
            elif weight[g]:
                weight[g] = chunk.weight[codes == g].sum()
        return weight, mean, rest, comoment

    def __add__(self, other: Any) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        if other.weight == 0:
            return self
        if self.weight == 0:
            return other
        both = (a for m in (self, other) for a in (m.weight, *map(np.ascontiguousarray, (m.mean, m.rest, m.comoment))))
        q = len(self.mean)
        if len(other.mean) != q:
            raise MergeError(f"moments of {q} columns and of {len(other.mean)} do not merge")
        mean, rest, comoment = np.empty(q), np.empty(q), np.empty((q, q))
        if not merge_moments(*both, mean, rest, comoment):
            refuse_infinite(np.diag(comoment))
        return Moments(self.weight + other.weight, mean, rest, comoment)


class Comoments(Grouped[Moments], Stacked[Moments]):
    """Weight, mean and centred co-moments of the features and the target: enough for any penalty of least squares."""

    levels: Codes | None = None
    """how many categories each column has, 0 if it is numeric; None: all are"""
    target: bool = True
    """whether the target is included with the features"""

    def summarize(self, chunk: Chunk) -> Moments:
        return Moments.of(self._wanted(chunk), self.levels)

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> Sequence[Moments | None]:
        if self.levels is not None and self.levels.any():
            return super().summarize_groups(chunk, codes, groups)
        return Moments.by_group(self._wanted(chunk), codes, groups)

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> Moments:
        chunk = self._wanted(chunk)
        if not self._has_kernel(chunk):
            return super().summarize_cells(chunk, starts)
        given, found = _kernel_arguments(chunk), _many(len(starts), _width(chunk))
        ends = np.append(starts, chunk.n)
        wrong = summarize_cells(*given, ends, _height(chunk), SHIFT_ROWS, *found)
        if wrong >= 0:  # of which the column is named
            self.summarize(chunk.rows(slice(int(ends[wrong]), int(ends[wrong + 1]))))
            raise DataError(TOO_LARGE)
        return Moments(*found)  # type: ignore[arg-type]

    def summarize_parts(self, chunk: Chunk, starts: Codes, cells: Codes, parts: Codes) -> Moments:
        some = self._wanted(chunk)
        if not self._has_kernel(some):
            return super().summarize_parts(chunk, starts, cells, parts)
        firsts = np.append(np.flatnonzero(np.append(True, cells[1:] != cells[:-1])), len(cells))
        given, found = _kernel_arguments(some), _many(len(firsts) - 1, _width(some))
        ends = np.append(starts, some.n)
        if summarize_trees(*given, ends, parts, firsts, _height(some), SHIFT_ROWS, *found) >= 0:
            raise DataError(TOO_LARGE)  # or not finite: who asks looks at the cells by themselves
        return Moments(*found)  # type: ignore[arg-type]

    def merge_cells(self, a: Moments, b: Moments, cells_a: Codes, cells_b: Codes) -> Moments:
        found = _many(len(cells_a), a.mean.shape[1])
        fields = ((m.weight, m.mean, m.rest, m.comoment) for m in (a, b))
        wrong = merge_cells(cells_a, cells_b, *next(fields), *next(fields), *found)
        if wrong >= 0:
            refuse_infinite(np.diag(found[3][wrong]))
        return Moments(*found)  # type: ignore[arg-type]

    def _has_kernel(self, chunk: Chunk) -> bool:
        return not ((self.levels is not None and self.levels.any()) or sp.issparse(chunk.X.data))

    def _wanted(self, chunk: Chunk) -> Chunk:
        return chunk if self.target else chunk._replace(y=None)


def _kernel_arguments(chunk: Chunk) -> tuple[Array, Array, Array, Array]:
    """Rows, target, weights and their roots, as kernels take them."""
    y = np.empty((chunk.n, 0)) if chunk.y is None else np.ascontiguousarray(chunk.y, dtype=np.float64)[:, None]
    return chunk.X.unchecked(), y, chunk.weight, NO_NUMBERS if chunk.uniform else np.sqrt(chunk.weight)


def _width(chunk: Chunk) -> int:
    return chunk.X.shape[1] + (chunk.y is not None)


def _height(chunk: Chunk) -> int:
    """How many rows are copied at a time."""
    return chunk.X.block_rows(_width(chunk) + 1)


def _many(cells: int, q: int) -> tuple[Array, Array, Array, Array]:
    """Room for the fields of many cells."""
    return np.empty(cells), np.empty((cells, q)), np.empty((cells, q)), np.empty((cells, q, q))


def _gram(chunk: Chunk, shift: Array, centred: bool) -> Array:
    """Gram matrix of √w (z - shift) and √w, lower triangle."""
    p, q = chunk.X.shape[1], len(shift)
    y = NO_NUMBERS if chunk.y is None else chunk.y
    gram = np.zeros((q + 1, q + 1))
    height = chunk.X.block_rows(q + 1)
    addresses, narrow = chunk.X.addresses, q < NARROW
    around = np.zeros(p) if centred else shift[:p]
    if chunk.uniform and addresses is not None and chunk.y is not None:
        add_comoments_columns(addresses, chunk.X.data[0][:0], y, shift, around, height, narrow, gram)
    elif chunk.uniform and not narrow:
        for rows, block in chunk.X.blocks(height, shift=None if centred else around, checked=False, whole=True):
            add_comoments_in_place(block, y[rows], shift, height, gram)
    else:
        root = NO_NUMBERS if chunk.uniform else np.sqrt(chunk.weight)
        for rows, block in chunk.X.blocks(height, dtype=None, checked=False, whole=True):
            add_comoments(block, y[rows], root[rows], shift, height, gram)
    chunk.X.check_sums(np.diag(gram)[:p])
    return gram


def refuse_infinite(squares: Array) -> None:
    """Refuse sums of squares, by column, that have overflowed where parts were merged."""
    fine = np.isfinite(squares)
    if not fine.all():
        raise ColumnError(
            int(np.argwhere(~fine)[0][-1]), "is too large to be squared. Remedy: rescale it, tenfold.MaxAbsScaler()"
        )


def refuse_small(squares: Array, mean: Array, added: float = 0.0, least: float = MIN_CROSS_SCALE) -> None:
    """Raise for a nonzero column so small that its squares underflow and it looks constant.

    `squares` are mean squares around the mean. A penalty or smoothing `added` to them makes up for lost digits,
    if they are negligible beside it.
    """
    size = np.maximum(np.sqrt(np.maximum(squares, 0.0)), np.abs(mean))
    small = (size > 0) & (size < least)
    if small.any() and not added > 1e20 * least**2:
        at = tuple(np.argwhere(small)[0].tolist())
        raise ColumnError(
            at[-1],
            f"is too small to be squared (about {size[at]:.0e}). Remedy: rescale it, tenfold.MaxAbsScaler(), or leave "
            "it out",
        )


def too_small(j: int) -> ColumnError:
    """Return the error of columns whose squared differences underflow, if no other column varies."""
    return ColumnError(
        j, "is too small: distances would vanish. Remedy: columns of similar scale, tenfold.MaxAbsScaler() first"
    )


def two_sum(a: T, b: T) -> tuple[T, T]:
    """a + b and its rounding error, exactly."""
    total = a + b  # Knuth's: unlike Dekker's shorter form, it does not need |a| >= |b|
    part = total - a
    return total, (a - (total - part)) + (b - part)


def first_mean(chunk: Chunk) -> tuple[Array, bool]:
    """Mean of the first rows, columns then target: near the mean, and exact if constant.

    If every column is within its own spread of zero, zero serves as well, and the answer is True.
    """
    # unchecked: a shift that is not finite makes no sum finite, and whoever sums looks at that
    _, block = next(chunk.X.blocks(min(SHIFT_ROWS, chunk.n), checked=False))
    m, p, weight = len(block), chunk.X.shape[1], chunk.weight[: len(block)]
    total = float(m) if chunk.uniform else float(weight.sum())
    shift = np.empty(p + (chunk.y is not None))
    centred = rough_means(block, weight, total, shift[:p])
    if centred:
        shift[:p] = 0.0
    if chunk.y is not None:
        rough_means(np.ascontiguousarray(chunk.y[:m], dtype=np.float64)[:, None], weight, total, shift[p:])
    return shift, centred


def rough_mean(rows: Array, weight: Array) -> Array:
    """The mean of each column; its first value where that overflows."""
    mean = np.empty(rows.shape[1])
    rough_means(rows, weight, float(weight.sum()), mean)
    return mean
