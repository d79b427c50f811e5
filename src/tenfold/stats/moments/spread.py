"""Weight, mean and sum of squares around the mean, by class and column or by column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.moments.spread import (
    add_spread,
    add_spread_columns,
    add_spread_present,
    spread_of_cells,
    spread_present_of_cells,
)
from tenfold.core import Array, Chunk, Codes, DataError, Mergeable
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.statistic import Grouped, Stacked
from tenfold.stats.moments.moments import TOO_LARGE, refuse_infinite, two_sum


class ClassSpread(Mergeable):
    """Mean and squared deviations of each column within each class."""

    weight: Annotated[Array, "class", NOT_NEGATIVE]
    mean: Annotated[Array, "class", "column"]
    rest: Annotated[Array, "class", "column"]
    """low-order part of the mean, in double-double: differences of large means need it"""
    square: Annotated[Array, "class", "column"]
    by_weight = ("weight", "square")

    @classmethod
    def of(cls, chunk: Chunk, classes: int) -> ClassSpread:
        """Summarize a chunk whose target holds class codes."""
        return cls(*_by(chunk, chunk.y, classes))

    @classmethod
    def by_group(cls, chunk: Chunk, codes: Codes, groups: int, classes: int) -> list[ClassSpread]:
        """Summarize the rows of each group: a class of a group is a group too. Rows of group -1 are left out."""
        if len(codes) and codes.min() < 0:
            kept = np.flatnonzero(codes >= 0)
            chunk, codes = chunk.rows(kept), codes[kept]
        found = _by(chunk, codes * classes + chunk.y, groups * classes)
        return [cls(*(a[g * classes : (g + 1) * classes] for a in found)) for g in range(groups)]

    def __add__(self, other: ClassSpread) -> ClassSpread:
        weight, *more = _merge(self, other, self.weight[..., None], other.weight[..., None])
        return ClassSpread(weight[..., 0], *more)


class SpreadByClass(Grouped[ClassSpread], Stacked[ClassSpread]):
    """Weight, mean and squares of each column within each class."""

    classes: int

    def summarize(self, chunk: Chunk) -> ClassSpread:
        return ClassSpread.of(chunk, self.classes)

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> list[ClassSpread]:
        return ClassSpread.by_group(chunk, codes, groups, self.classes)

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> ClassSpread:
        if sp.issparse(chunk.X.data):
            return super().summarize_cells(chunk, starts)
        weight = np.empty((len(starts), self.classes))
        return ClassSpread(weight, *_of_cells(spread_of_cells, chunk, chunk.y, starts, self.classes, weight))


class PresentSpread(Mergeable):
    """Spread of numeric columns within classes without missing values; zeros at the positions of categories."""

    weight: Annotated[Array, "class", "feature", NOT_NEGATIVE]
    mean: Annotated[Array, "class", "feature"]
    rest: Annotated[Array, "class", "feature"]
    square: Annotated[Array, "class", "feature"]
    by_weight = ("weight", "square")

    @classmethod
    def by_group(
        cls, chunk: Chunk, codes: Codes, groups: int, classes: int, places: Codes, width: int
    ) -> list[PresentSpread]:
        """Summarize the rows of each group; `places` are the positions of the columns among the features."""
        found = []
        for some in _present(chunk, codes * classes + chunk.y, groups * classes):
            wide = np.zeros((groups, classes, width))
            wide[:, :, places] = some.reshape(groups, classes, -1)
            found.append(wide)
        return [cls(*(wide[g] for wide in found)) for g in range(groups)]

    def __add__(self, other: PresentSpread) -> PresentSpread:
        return PresentSpread(*_merge(self, other, self.weight, other.weight))


class ColumnSpread(Mergeable):
    """Mean and squared deviations of each column, without missing values."""

    weight: Annotated[Array, "column", NOT_NEGATIVE]
    mean: Annotated[Array, "column"]
    rest: Annotated[Array, "column"]
    square: Annotated[Array, "column"]
    by_weight = ("weight", "square")

    @classmethod
    def of(cls, chunk: Chunk) -> ColumnSpread:
        """Summarize a chunk, column by column; of CSR rows without missing values, stored values only."""
        if sp.issparse(chunk.X.data) and not np.isnan(chunk.X.data.data).any():
            return cls(*_stored(chunk))
        return cls(*(found[0] for found in _present(chunk, np.zeros(chunk.n, np.int64), 1)))

    def __add__(self, other: ColumnSpread) -> ColumnSpread:
        return ColumnSpread(*_merge(self, other, self.weight, other.weight))


class SpreadByColumn(Grouped[ColumnSpread], Stacked[ColumnSpread]):
    """Weight, mean and squares of each column, missing values left out."""

    def summarize(self, chunk: Chunk) -> ColumnSpread:
        return ColumnSpread.of(chunk)

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> ColumnSpread:
        if sp.issparse(chunk.X.data):
            return super().summarize_cells(chunk, starts)
        weight, group = np.empty((len(starts), 1, chunk.X.shape[1])), np.zeros(chunk.n, np.int64)
        found = weight, *_of_cells(spread_present_of_cells, chunk, group, starts, 1, weight)
        return ColumnSpread(*(field[:, 0] for field in found))


def _of_cells(
    kernel: Callable[..., int], chunk: Chunk, group: Codes, starts: Codes, groups: int, weight: Array
) -> list[Array]:
    """Mean, its rest, and squares by cell and group; their weights go to `weight`."""
    if not chunk.X.missing:
        chunk.X.check()
    found = [np.empty((len(starts), groups, chunk.X.shape[1])) for _ in range(3)]
    ends = np.append(starts, chunk.n)
    if kernel(chunk.X.unchecked(), group, chunk.weight, ends, chunk.X.block_rows(), weight, *found) >= 0:
        raise DataError(TOO_LARGE)  # who asks looks at the cells by themselves
    return found


def _by(chunk: Chunk, group: Codes, groups: int) -> tuple[Array, Array, Array, Array]:
    """Weight, mean, its rest, and squares by group."""

    addresses, height = chunk.X.addresses, chunk.X.block_rows()

    def add(known: bool, *into: Array) -> None:
        if addresses is not None:
            add_spread_columns(addresses, chunk.X.data[0][:0], group, chunk.weight, height, known, *into)
            return
        for rows, block in chunk.X.blocks(dtype=None, checked=False, whole=True):
            add_spread(block, group[rows], chunk.weight[rows], height, known, *into)

    return _of(chunk, add, np.zeros((groups, chunk.X.shape[1])), np.zeros(groups))


def _present(chunk: Chunk, group: Codes, groups: int) -> tuple[Array, Array, Array, Array]:
    """The same with a weight of each group and column: that of the values that are not missing."""
    shape = groups, chunk.X.shape[1]

    def add(known: bool, *into: Array) -> None:
        for rows, block in chunk.X.blocks(dtype=None, checked=False, whole=True):
            add_spread_present(block, group[rows], chunk.weight[rows], chunk.X.block_rows(), known, *into)

    return _of(chunk, add, np.zeros(shape), np.zeros(shape))


def _stored(chunk: Chunk) -> tuple[Array, Array, Array, Array]:
    """Weight, mean, its rest, and squares of CSR rows: around the mean of each column, zeros by their weight."""
    X, total = chunk.X.entries(), float(chunk.weight.sum())
    at, x, w = X.indices, X.data.astype(np.float64, copy=False), np.repeat(chunk.weight, np.diff(X.indptr))

    def add(values: Array) -> Array:
        return np.asarray(np.bincount(at, values, minlength=X.shape[1]), dtype=np.float64)

    full = np.bincount(at, minlength=X.shape[1]) == len(chunk.weight)
    zeros = np.where(full, 0.0, total - add(w))
    with np.errstate(over="ignore", invalid="ignore"):
        mean = add(w * x) / (total or 1.0)
        d = x - mean[at]
        left = add(w * d) - zeros * mean  # nothing, were it not for rounding
        square = np.maximum(add(w * d * d) + zeros * mean * mean - left * left / (total or 1.0), 0.0)
    chunk.X.check_sums(square)
    return np.full(X.shape[1], total), *two_sum(mean, left / (total or 1.0)), square


def _of(chunk: Chunk, add: Callable[..., None], shift: Array, weight: Array) -> tuple[Array, Array, Array, Array]:
    """Weight, mean, its rest, and squares; once more around the mean if the first rows were far from it."""
    known = False
    while True:
        mean, square = np.zeros_like(shift), np.zeros_like(shift)
        weight[:] = 0.0
        add(known, shift, weight, mean, square)
        chunk.X.check_sums(square)
        row_weight = weight if weight.shape == mean.shape else weight[:, None]
        if known or not (np.sqrt(square) < 1e-2 * np.sqrt(row_weight) * np.abs(mean)).any():
            return weight, *two_sum(shift, mean), square
        shift, known = shift + mean, True


def _merge(a: Any, b: Any, n1: Array, n2: Array) -> tuple[Array, Array, Array, Array]:
    """Chan, Golub and LeVeque, entry by entry; a weight of zero is the identity to the bit."""
    weight = n1 + n2
    share = np.divide(n2, weight, out=np.zeros_like(weight), where=weight > 0)
    delta = np.where((n1 == 0) | (n2 == 0), 0.0, (b.mean - a.mean) + (b.rest - a.rest))
    mean, rest = two_sum(a.mean, a.rest + delta * share)
    with np.errstate(over="ignore"):
        square = a.square + b.square + delta * delta * (n1 * share)
    refuse_infinite(square)
    mean = np.where(n1 == 0, b.mean, np.where(n2 == 0, a.mean, mean))
    rest = np.where(n1 == 0, b.rest, np.where(n2 == 0, a.rest, rest))
    return weight, mean, rest, square
