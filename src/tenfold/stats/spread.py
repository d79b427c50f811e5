"""Weight, mean and sum of squares around the mean, by class and column or by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from tenfold.core import Array, Chunk
from tenfold.kernels.spread import add_spread, add_spread_present
from tenfold.stats.moments import two_sum


@dataclass(frozen=True, eq=False)
class ClassSpread:
    """Of each column within each class."""

    weight: Annotated[Array, "class"]
    mean: Annotated[Array, "class", "column"]
    rest: Annotated[Array, "class", "column"]
    """what the mean lacks to twice the precision: beside a large mean, differences need it"""
    square: Annotated[Array, "class", "column"]

    @classmethod
    def of(cls, chunk: Chunk, classes: int) -> ClassSpread:
        """Summarize a chunk whose target holds class codes."""
        p = chunk.X.shape[1]
        weight, mean, square = np.zeros(classes), np.zeros((classes, p)), np.zeros((classes, p))
        shift = np.zeros((classes, p))
        height = chunk.X.block_rows()
        for rows, block in chunk.X.blocks(1 << 16, dtype=None, checked=False):
            add_spread(block, chunk.y[rows], chunk.weight[rows], height, shift, weight, mean, square)
        chunk.X.check_sums(square)
        return cls(weight, *two_sum(shift, mean), square)

    def __add__(self, other: ClassSpread) -> ClassSpread:
        weight, *more = _merge(self, other, self.weight[:, None], other.weight[:, None])
        return ClassSpread(weight[:, 0], *more)


@dataclass(frozen=True, eq=False)
class ColumnSpread:
    """Of each column, missing values left out."""

    weight: Annotated[Array, "column"]
    mean: Annotated[Array, "column"]
    rest: Annotated[Array, "column"]
    square: Annotated[Array, "column"]

    @classmethod
    def of(cls, chunk: Chunk) -> ColumnSpread:
        """Summarize a chunk."""
        p = chunk.X.shape[1]
        shift, weight, mean, square = np.zeros(p), np.zeros(p), np.zeros(p), np.zeros(p)
        height = chunk.X.block_rows()
        for rows, block in chunk.X.blocks(1 << 16, dtype=None, checked=False):
            add_spread_present(block, chunk.weight[rows], height, shift, weight, mean, square)
        chunk.X.check_sums(square)
        return cls(weight, *two_sum(shift, mean), square)

    def __add__(self, other: ColumnSpread) -> ColumnSpread:
        return ColumnSpread(*_merge(self, other, self.weight, other.weight))


def _merge(a: Any, b: Any, n1: Array, n2: Array) -> tuple[Array, Array, Array, Array]:
    """Chan, Golub and LeVeque, entry by entry; a weight of zero is the identity to the bit."""
    weight = n1 + n2
    share = np.divide(n2, weight, out=np.zeros_like(weight), where=weight > 0)
    delta = (b.mean - a.mean) + (b.rest - a.rest)
    mean, rest = two_sum(a.mean, a.rest + delta * share)
    square = a.square + b.square + delta * delta * (n1 * share)
    mean = np.where(n1 == 0, b.mean, np.where(n2 == 0, a.mean, mean))
    rest = np.where(n1 == 0, b.rest, np.where(n2 == 0, a.rest, rest))
    return weight, mean, rest, square
