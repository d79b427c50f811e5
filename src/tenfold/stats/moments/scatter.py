"""Scatter of rows around the means of their classes: pooled over classes, or for each one.

Two of them merge by the rule of Chan, Golub and LeVeque, class by class: with δ the difference of a class's means,
its scatter is C₁ + C₂ + δδᵀ n₁n₂/(n₁+n₂), and what all classes share is the sum of these.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypeVar

import numpy as np

from tenfold.compiled.moments.scatter import add_scatter
from tenfold.core import Array, Chunk, Codes, DataError, Mergeable
from tenfold.core.arrays import symmetrize
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.mergeable import cell_of, joined_stacks, stacked, taken
from tenfold.core.statistic import Grouped, Stacked, cell_of_rows
from tenfold.stats.moments.moments import (
    NO_NUMBERS,
    ROWS_PER_PRODUCT,
    SHIFT_ROWS,
    Comoments,
    Moments,
    refuse_infinite,
    rough_mean,
    two_sum,
)

FEW_ROWS = 512
"""rows up to which those of a class are put together, as the cells of a cube are: more are taken as they come"""
R = TypeVar("R")


class Scatter(Mergeable):
    """Weight and mean of each class, and the scatter within classes, pooled."""

    weight: Annotated[Array, "class", NOT_NEGATIVE]
    mean: Annotated[Array, "class", "column"]
    rest: Annotated[Array, "class", "column"]
    """low-order part of the mean, in double-double: differences of large means need it"""
    within: Annotated[Array, "column", "column"]
    """Σ w (x - mean of its class)(x - mean of its class)ᵀ"""
    by_weight = ("weight", "within")

    @classmethod
    def of(cls, chunk: Chunk, classes: int) -> Scatter:
        """Summarize a chunk whose target holds class codes, in one pass over memory; few rows class by class."""
        if 0 < chunk.n <= FEW_ROWS and (few := _of_few(chunk, classes)) is not None:
            return few.pooled()
        return cls.by_group(chunk, np.zeros(chunk.n, np.int64), 1, classes)[0]

    @classmethod
    def by_group(cls, chunk: Chunk, codes: Codes, groups: int, classes: int) -> list[Scatter]:
        """Summarize the rows of each group, in one pass over memory too. Rows of group -1 are left out."""
        if chunk.n == 0:
            return [cls._nothing(classes, chunk.X.shape[1])] * groups
        shift = _first_means(chunk, classes)
        gram, sums, total = _around(chunk, codes, groups, shift)
        return [cls._group(chunk, codes, groups, g, gram[g], sums[g], total[g], shift) for g in range(groups)]

    @classmethod
    def _nothing(cls, classes: int, columns: int) -> Scatter:
        zeros = np.zeros((classes, columns))
        return cls(np.zeros(classes), zeros, zeros, np.zeros((columns, columns)))

    @classmethod
    def _group(
        cls, chunk: Chunk, codes: Codes, groups: int, g: int, gram: Array, sums: Array, total: Array, shift: Array
    ) -> Scatter:
        offset = _shares(sums, total)
        if _far(gram, offset, total):  # squares that far from the means would cancel: take them around the means
            if groups > 1:
                return cls.of(chunk.rows(np.flatnonzero(codes == g)), len(total))
            shift = shift + offset
            again, sums, _ = _around(chunk, codes, 1, shift)
            gram, offset = again[0], _shares(sums[0], total)
        root = offset * np.sqrt(total)[:, None]
        within = gram - root.T @ root
        seen = (total > 0)[:, None]
        return cls(total, *two_sum(np.where(seen, shift, 0.0), offset), symmetrize(within))

    def __add__(self, other: Scatter) -> Scatter:
        if not other.weight.any():
            return self
        if not self.weight.any():
            return other
        weight, delta, mean, rest = _means(self, other)
        # the root of n m / (n + m) on each side of a product, so that the result is symmetric to the bit
        between = delta * np.sqrt(self.weight * _shares(other.weight, weight))[..., None]
        with np.errstate(over="ignore"):
            within = self.within + other.within
        return Scatter(weight, mean, rest, _with_squares(within, between))

    def overall(self) -> Moments:
        """The moments of the rows whatever their class; of a stack too."""
        total: Any = self.weight.sum(axis=-1)
        share = _shares(self.weight, np.broadcast_to(total[..., None], self.weight.shape))
        # differences from the heaviest class keep the digits that sums of large means lose
        first = np.take_along_axis(self.mean, self.weight.argmax(axis=-1)[..., None, None], -2)
        apart = np.where(share[..., None] > 0, (self.mean - first) + self.rest, 0.0)
        middle = np.matmul(share[..., None, :], apart)
        mean, rest = two_sum(first, middle)
        comoment = _with_squares(self.within, (apart - middle) * np.sqrt(self.weight)[..., None])
        return Moments(total if total.ndim else float(total), mean[..., 0, :], rest[..., 0, :], comoment)


class ScatterWithinClasses(Grouped[Scatter], Stacked[Scatter]):
    """Weight and mean of each class, and the scatter within classes, pooled."""

    classes: int

    def summarize(self, chunk: Chunk) -> Scatter:
        return Scatter.of(chunk, self.classes)

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> list[Scatter]:
        return Scatter.by_group(chunk, codes, groups, self.classes)

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> Scatter:
        return _in_cells(self.summarize, partial(_pooled_of_few_in_cells, self.classes), chunk, starts)


class ClassMoments(Mergeable):
    """Weight, mean and centred co-moments of the columns within each class."""

    weight: Annotated[Array, "class", NOT_NEGATIVE]
    mean: Annotated[Array, "class", "column"]
    rest: Annotated[Array, "class", "column"]
    """low-order part of the mean, in double-double"""
    comoment: Annotated[Array, "class", "column", "column"]
    by_weight = ("weight", "comoment")

    @classmethod
    def of(cls, chunk: Chunk, classes: int) -> ClassMoments:
        """Summarize a chunk whose target holds class codes, in one pass over memory; few rows class by class."""
        if 0 < chunk.n <= FEW_ROWS and (few := _of_few(chunk, classes)) is not None:
            return few
        return cls.by_group(chunk, np.zeros(chunk.n, np.int64), 1, classes)[0]

    @classmethod
    def by_group(cls, chunk: Chunk, codes: Codes, groups: int, classes: int) -> list[ClassMoments]:
        """Summarize the rows of each group: a class of a group is a group too. Rows of group -1 are left out."""
        place = np.where(codes < 0, -1, codes * classes + chunk.y)
        each = Moments.by_group(chunk._replace(y=None), place, groups * classes)
        return [cls._stacked(each[g * classes : (g + 1) * classes]) for g in range(groups)]

    @classmethod
    def _stacked(cls, each: list[Moments]) -> ClassMoments:
        weight = np.array([m.weight for m in each])
        return cls(weight, *(np.array([getattr(m, name) for m in each]) for name in ("mean", "rest", "comoment")))

    def __add__(self, other: ClassMoments) -> ClassMoments:
        weight, delta, mean, rest = _means(self, other)
        row_weight = self.weight * _shares(other.weight, weight)
        with np.errstate(over="ignore", invalid="ignore"):
            between = delta[..., :, None] * (delta * row_weight[..., None])[..., None, :]
            comoment = self.comoment + other.comoment + between
        refuse_infinite(np.diagonal(comoment, axis1=-2, axis2=-1))
        return ClassMoments(weight, mean, rest, comoment)

    def pooled(self) -> Scatter:
        """The scatter within classes, all together; of a stack too."""
        within = self.comoment[..., 0, :, :]
        for c in range(1, self.comoment.shape[-3]):
            within = within + self.comoment[..., c, :, :]
        return Scatter(self.weight, self.mean, self.rest, within)


class ComomentsByClass(Grouped[ClassMoments], Stacked[ClassMoments]):
    """Weight, mean and centred co-moments of the columns within each class."""

    classes: int

    def summarize(self, chunk: Chunk) -> ClassMoments:
        return ClassMoments.of(chunk, self.classes)

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> list[ClassMoments]:
        return ClassMoments.by_group(chunk, codes, groups, self.classes)

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> ClassMoments:
        return _in_cells(self.summarize, partial(_of_few_in_cells, self.classes), chunk, starts)


def _of_few(chunk: Chunk, classes: int) -> ClassMoments | None:
    """Return the moments of few rows by class; None, if they are not finite."""
    try:
        return cell_of(_of_few_in_cells(classes, chunk, np.zeros(1, np.int64)), 0)
    except DataError:
        return None


def _of_few_in_cells(classes: int, chunk: Chunk, starts: Codes) -> ClassMoments:
    """Return the moments by class of cells: the rows of one class of a cell are a cell of their own."""
    group = cell_of_rows(starts, chunk.n) * classes + chunk.y
    order = np.argsort(group, kind="stable")
    if not chunk.uniform:
        order = order[chunk.weight[order] > 0]
    group = group[order]
    firsts = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
    shape, p = (len(starts), classes), chunk.X.shape[1]
    weight, mean, rest, comoment = (np.zeros((*shape, *more)) for more in ((), (p,), (p,), (p, p)))
    if len(order):
        found = Comoments(target=False).summarize_cells(chunk.rows(order)._replace(y=None), firsts)
        at = np.divmod(group[firsts], classes)
        weight[at], mean[at], rest[at], comoment[at] = found.weight, found.mean, found.rest, found.comoment
    return ClassMoments(weight, mean, rest, comoment)


def _pooled_of_few_in_cells(classes: int, chunk: Chunk, starts: Codes) -> Scatter:
    """Return the scatter within classes of cells."""
    return _of_few_in_cells(classes, chunk, starts).pooled()


def _in_cells(one: Callable[[Chunk], R], few: Callable[[Chunk, Codes], R], chunk: Chunk, starts: Codes) -> R:
    """Return the stack of the summaries of cells: those of few rows at once, as each of them is by itself."""
    ends = np.append(starts, chunk.n)
    sizes = np.diff(ends)
    large = sizes > FEW_ROWS
    if not large.any():
        return few(chunk, starts)
    pieces = [stacked([one(chunk.rows(slice(ends[c], ends[c + 1]))) for c in np.flatnonzero(large).tolist()])]
    if not large.all():
        some = sizes[~large]
        pieces.append(few(chunk.rows(np.flatnonzero(np.repeat(~large, sizes))), np.cumsum(some) - some))
    order = np.argsort(~large, kind="stable")
    return taken(joined_stacks(pieces), np.argsort(order, kind="stable"))


def _means(a: Any, b: Any) -> tuple[Array, Array, Array, Array]:
    """Weight, difference, mean and its rest, by class; a class that one of two lacks is the other's, to the bit."""
    weight = a.weight + b.weight
    n1, n2 = a.weight[..., None], b.weight[..., None]
    delta = np.where((n1 == 0) | (n2 == 0), 0.0, (b.mean - a.mean) + (b.rest - a.rest))
    mean, rest = two_sum(a.mean, a.rest + delta * _shares(b.weight, weight)[..., None])
    mean = np.where(n1 == 0, b.mean, np.where(n2 == 0, a.mean, mean))
    rest = np.where(n1 == 0, b.rest, np.where(n2 == 0, a.rest, rest))
    return weight, delta, mean, rest


def _with_squares(comoment: Array, between: Array) -> Array:
    """Add Σ b bᵀ over the classes: one after the other, no product of matrices, so that stacks have the same bits."""
    with np.errstate(over="ignore", invalid="ignore"):
        for c in range(between.shape[-2]):
            comoment = comoment + between[..., c, :, None] * between[..., c, None, :]
    refuse_infinite(np.diagonal(comoment, axis1=-2, axis2=-1))
    return comoment


def _shares(part: Array, whole: Array) -> Array:
    """part / whole, nothing of nothing being nothing."""
    whole = whole if part.shape == whole.shape else whole[:, None]
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _far(gram: Array, offset: Array, total: Array) -> bool:
    """Whether the shifts were so far from the means that squares around them lose digits."""
    size = np.diag(gram)
    return bool((size - total @ offset**2 < 1e-4 * size).any())


def _around(chunk: Chunk, codes: Codes, groups: int, shift: Array) -> tuple[Array, Array, Array]:
    """Return by group: the Gram matrix around the shift of each class, and its sums and weights by class."""
    classes, p = shift.shape
    gram, sums, total = np.zeros((groups, p, p)), np.zeros((groups, classes, p)), np.zeros((groups, classes))
    counts = np.zeros(groups + 1, np.int64)
    height = min(max(chunk.X.block_rows(), ROWS_PER_PRODUCT * groups), chunk.n)
    buffer = np.empty((height, p))
    weight = NO_NUMBERS if chunk.uniform else chunk.weight
    root = np.sqrt(weight)
    for rows, block in chunk.X.blocks(height, dtype=None, checked=False):
        add_scatter(
            block, weight[rows], root[rows], codes[rows], chunk.y[rows], shift, counts, buffer, gram, sums, total
        )
    chunk.X.check_sums(np.diagonal(gram, axis1=1, axis2=2).sum(axis=0))
    return gram, sums, total


def _first_means(chunk: Chunk, classes: int) -> Array:
    """The mean of each class in the first rows; that of the first row where a class is not among them."""
    _, block = next(chunk.X.blocks(min(SHIFT_ROWS, chunk.n), dtype=np.float64))
    weight, y = chunk.weight[: len(block)], chunk.y[: len(block)]
    out = np.repeat(block[:1], classes, axis=0)
    for c in np.unique(y).tolist():
        some = y == c
        out[c] = rough_mean(block[some], weight[some])
    return out
