"""Weight, mean and sum of squares around the mean, by class and column or by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from tenfold.core import Array, Chunk
from tenfold.kernels.spread import add_spread, add_spread_present


@dataclass(frozen=True, eq=False)
class ClassSpread:
    """Of each column within each class."""

    weight: Annotated[Array, "class"]
    mean: Annotated[Array, "class", "column"]
    square: Annotated[Array, "class", "column"]

    @classmethod
    def of(cls, chunk: Chunk, classes: int) -> ClassSpread:
        """Summarize a chunk whose target holds class codes."""
        p = chunk.X.shape[1]
        weight, mean, square = np.zeros(classes), np.zeros((classes, p)), np.zeros((classes, p))
        height = chunk.X.block_rows()
        for rows, block in chunk.X.blocks(1 << 16, dtype=None, checked=False):
            add_spread(block, chunk.y[rows], chunk.weight[rows], height, weight, mean, square)
        chunk.X.check_sums(square)
        return cls(weight, mean, square)

    def __add__(self, other: ClassSpread) -> ClassSpread:
        weight, mean, square = _merge(
            self.weight[:, None], self.mean, self.square,
            other.weight[:, None], other.mean, other.square,
        )  # fmt: skip
        return ClassSpread(weight[:, 0], mean, square)


@dataclass(frozen=True, eq=False)
class ColumnSpread:
    """Of each column, missing values left out."""

    weight: Annotated[Array, "column"]
    mean: Annotated[Array, "column"]
    square: Annotated[Array, "column"]

    @classmethod
    def of(cls, chunk: Chunk) -> ColumnSpread:
        """Summarize a chunk."""
        p = chunk.X.shape[1]
        weight, mean, square = np.zeros(p), np.zeros(p), np.zeros(p)
        height = chunk.X.block_rows()
        for rows, block in chunk.X.blocks(1 << 16, dtype=None, checked=False):
            add_spread_present(block, chunk.weight[rows], height, weight, mean, square)
        chunk.X.check_sums(square)
        return cls(weight, mean, square)

    def __add__(self, other: ColumnSpread) -> ColumnSpread:
        return ColumnSpread(
            *_merge(self.weight, self.mean, self.square, other.weight, other.mean, other.square)
        )


def _merge(n1: Any, m1: Any, s1: Any, n2: Any, m2: Any, s2: Any) -> Any:
    """Chan, Golub and LeVeque, entry by entry; a weight of zero is the identity to the bit."""
    weight = n1 + n2
    share = np.divide(n2, weight, out=np.zeros_like(weight), where=weight > 0)
    delta = m2 - m1
    mean = np.where(n1 == 0, m2, m1 + delta * share)
    return weight, mean, s1 + s2 + delta * delta * (n1 * share)
