"""Triangular factor of the centred columns, which keeps digits that squared moments would lose.

Factors merge by stacking and factoring again (TSQR).
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from tenfold.core import Array, Chunk, Mergeable
from tenfold.core.statistic import Statistic
from tenfold.stats.moments.moments import Moments, two_sum


class Triangle(Mergeable):
    """Upper triangular R with RᵀR = DᵀWD, where D = [1, x - center]."""

    weight: float
    center: Annotated[Array, "column"]
    factor: Annotated[Array, "predictor", "predictor"]

    @classmethod
    def of(cls, chunk: Chunk, center: Array) -> Triangle:
        """Summarize a chunk, block by block."""
        p = chunk.X.shape[1]
        factor = np.zeros((p + 1, p + 1))
        for rows, block in chunk.X.blocks(max(256, 4 * p), shift=center):
            design = np.ones((len(block), p + 1))
            design[:, 1:] = block
            factor = _stacked(factor, design * np.sqrt(chunk.weight[rows])[:, None])
        return cls(float(chunk.weight.sum()), center, factor)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Moments):
            return self.moments() + other
        if other.weight == 0:
            return self
        if self.weight == 0:
            return other
        below = other.factor
        if not np.array_equal(self.center, other.center):
            below = below.copy()
            # x - c = (x - c') + (c' - c): each column takes a multiple of that of ones, so the rows are not needed
            below[:, 1:] += np.outer(below[:, 0], other.center - self.center)
        return Triangle(self.weight + other.weight, self.center, _stacked(self.factor, below))

    def __radd__(self, other: Any) -> Any:
        """Moments + R is moments: the digits that R had beyond them are gone."""
        return other + self.moments() if isinstance(other, Moments) else NotImplemented

    def canonical(self) -> Moments:
        """Return a canonical form that is equal for all factors of the same rows."""
        return self.moments()

    def moments(self) -> Moments:
        """The moments these rows have."""
        p = len(self.center)
        if self.weight == 0:
            return Moments(0.0, np.zeros(p), np.zeros(p), np.zeros((p, p)))
        centred = self.factor[1:, 1:]
        return Moments(self.weight, *self.mean(), centred.T @ centred)

    def mean(self) -> tuple[Array, Array]:
        """Return the mean of the columns, and its low-order part."""
        return two_sum(self.center, self.factor[0, 1:] / (self.factor[0, 0] or 1.0))


class TriangularFactor(Statistic[Triangle]):
    """The triangular factor of the columns around a centre: small variances keep the digits that squares would lose."""

    center: Array

    def summarize(self, chunk: Chunk) -> Triangle:
        return Triangle.of(chunk, self.center)


def _stacked(top: Array, below: Array) -> Array:
    """The R of two stacked matrices, with a diagonal that is not negative."""
    factor = np.linalg.qr(np.vstack([top, below]), mode="r")  # unique but for signs, which the next line fixes
    return np.asarray(np.where(np.diag(factor) < 0, -1.0, 1.0)[:, None] * factor)
