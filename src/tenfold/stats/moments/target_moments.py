"""How each column goes with a target of numbers: means, squares and products around them, without those of pairs."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tenfold.core import Array, Chunk, Mergeable
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.statistic import Grouped
from tenfold.stats.moments.moments import refuse_infinite


class ColumnTargetMoments(Mergeable):
    """Mean and squares of each column and of the target, and their products, around the means."""

    weight: Annotated[float, NOT_NEGATIVE]
    mean: Annotated[Array, "column"]
    square: Annotated[Array, "column", NOT_NEGATIVE]
    product: Annotated[Array, "column"]
    target_mean: float
    target_square: Annotated[float, NOT_NEGATIVE]
    by_weight = ("weight", "square", "product", "target_square")

    def __add__(self, other: ColumnTargetMoments) -> ColumnTargetMoments:
        """Chan, Golub and LeVeque; a weight of zero is the identity to the bit."""
        if not self.weight or not other.weight:
            return self if self.weight else other
        weight = self.weight + other.weight
        share = other.weight / weight
        x, y = other.mean - self.mean, other.target_mean - self.target_mean
        with np.errstate(over="ignore", invalid="ignore"):
            square = self.square + other.square + x * x * (self.weight * share)
            product = self.product + other.product + x * y * (self.weight * share)
            target_square = self.target_square + other.target_square + y * y * (self.weight * share)
        refuse_infinite(square)
        refuse_infinite(product)
        mean, target_mean = self.mean + x * share, self.target_mean + y * share
        return ColumnTargetMoments(weight, mean, square, product, target_mean, target_square)


class MomentsWithTarget(Grouped[ColumnTargetMoments]):
    """Mean and squares of each column and of the target, and their products."""

    def summarize(self, chunk: Chunk) -> ColumnTargetMoments:
        w, y, p = chunk.weight, chunk.y, chunk.X.shape[1]
        n = float(w.sum())
        if not n:
            return ColumnTargetMoments(0.0, np.zeros(p), np.zeros(p), np.zeros(p), 0.0, 0.0)
        target_mean = float(w @ y) / n
        target_mean += float(w @ (y - target_mean)) / n
        off = w * (y - target_mean)
        mean, square, product, left = np.zeros((4, p))
        with np.errstate(over="ignore", invalid="ignore"):
            for rows, block in chunk.X.blocks():
                mean += w[rows] @ block / n
            for rows, block in chunk.X.blocks():
                d = block - mean
                left += w[rows] @ d
                square += w[rows] @ (d * d)
                product += off[rows] @ d
        square = np.maximum(square - left * (left / n), 0.0)
        chunk.X.check_sums(square)
        refuse_infinite(product)
        return ColumnTargetMoments(n, mean + left / n, square, product, target_mean, float(off @ (y - target_mean)))
