"""The triangular factor of the design: twice the digits of the moments, at several times the cost.

The design has a constant column, then the columns and the target, centred and scaled. Factors merge
by stacking and factoring again (TSQR).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from tenfold.core import Array, Chunk
from tenfold.stats.moments import Moments


@dataclass(frozen=True, eq=False)
class RFactor:
    """Upper triangular R with RᵀR = DᵀWD, where D = [1, (z - center) / scale]."""

    weight: float
    center: Annotated[Array, "joint"]
    scale: Annotated[Array, "joint"]
    factor: Annotated[Array, "design", "design"]

    @classmethod
    def of(cls, chunk: Chunk, center: Array, scale: Array) -> RFactor:
        """Summarize a chunk, block by block."""
        p, q = chunk.X.shape[1], len(center)
        factor = np.zeros((q + 1, q + 1))
        for rows, block in chunk.X.blocks(max(256, 4 * q), shift=center[:p], room=q - p):
            design = np.empty((len(block), q + 1))
            design[:, 0] = 1.0
            design[:, 1:] = block
            if q > p:
                design[:, q] = chunk.y[rows] - center[p]
            design[:, 1:] /= scale
            if not chunk.uniform:
                design *= np.sqrt(chunk.weight[rows])[:, None]
            factor = _triangle(factor, design)
        return cls(float(chunk.weight.sum()), center, scale, factor)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Moments):
            return self.moments() + other
        if other.weight == 0:
            return self
        if self.weight == 0:
            return other
        return RFactor(
            self.weight + other.weight,
            self.center,
            self.scale,
            _triangle(self.factor, other.around(self.center, self.scale).factor),
        )

    def __radd__(self, other: Any) -> Any:
        """Moments + R is moments: the digits that R had beyond them are gone."""
        return other + self.moments() if isinstance(other, Moments) else NotImplemented

    def around(self, center: Array, scale: Array) -> RFactor:
        """The same data centred and scaled otherwise; exact, the factor stays triangular."""
        if np.array_equal(center, self.center) and np.array_equal(scale, self.scale):
            return self
        move = np.diag(np.append(1.0, self.scale / scale))
        move[0, 1:] = (self.center - center) / scale
        return RFactor(self.weight, center, scale, self.factor @ move)

    def moments(self) -> Moments:
        """The moments these rows have."""
        if self.weight == 0:
            return Moments(0.0, np.zeros_like(self.center), np.zeros((len(self.center),) * 2))
        corner, sums = self.factor[0, 0], self.factor[0, 1:]
        centred = self.factor[1:, 1:] * self.scale
        return Moments(
            self.weight, self.center + self.scale * sums / corner, centred.T @ centred
        )


def _triangle(top: Array, below: Array) -> Array:
    """The R of two stacked matrices, with a diagonal that is not negative."""
    factor = np.linalg.qr(np.vstack([top, below]), mode="r")
    return np.where(np.diag(factor) < 0, -1.0, 1.0)[:, None] * factor
