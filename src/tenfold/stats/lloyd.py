"""What one round of k-means needs: weight and sum of the rows nearest to each centre."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from tenfold.core import Array, Chunk, Codes, Columns
from tenfold.kernels.nearest import add_lloyd, nearest

ROWS = 512
"""rows of a block: its distances to the centres stay in cache"""


@dataclass(frozen=True, eq=False)
class Lloyd:
    """Rows by their nearest centre, around a shift that follows from the centres."""

    weight: Annotated[Array, "cluster"]
    total: Annotated[Array, "cluster", "column"]
    """sums of rows minus the shift"""
    inertia: float
    distance: float
    """of the farthest row, squared"""
    farthest: Annotated[Array, "column"]

    @classmethod
    def of(cls, chunk: Chunk, centers: Array) -> Lloyd:
        """Summarize a chunk; distances in the chunk's own float type, sums in float64."""
        k, p = centers.shape
        weight, total = np.zeros(k), np.zeros((k, p))
        inertia, distance, farthest = 0.0, -1.0, np.zeros(p)
        exact, cast, norms, shift = _around(centers, chunk.X.dtype)
        product, best = np.empty((k, ROWS), cast.dtype), np.empty(ROWS, cast.dtype)
        label = np.empty(ROWS, np.int64)
        for rows, block in chunk.X.blocks(ROWS, shift=shift, dtype=None):
            more, far, at = add_lloyd(
                block, chunk.weight[rows], cast, exact, norms, product, best, label, weight, total
            )
            inertia += more
            row = block[at] + shift
            if (far, tuple(-row)) > (distance, tuple(-farthest)):
                distance, farthest = far, row
        return cls(weight, total, inertia, distance, farthest)

    def __add__(self, other: Lloyd) -> Lloyd:
        far = max(self, other, key=lambda s: (s.distance, tuple(-s.farthest)))
        return Lloyd(
            self.weight + other.weight,
            self.total + other.total,
            self.inertia + other.inertia,
            far.distance,
            far.farthest,
        )

    def means(self, centers: Array) -> Array:
        """The mean of each centre's rows; a centre without rows stays where it is."""
        shift = _shift(centers)
        weight = self.weight[:, None]
        mean = np.divide(self.total, weight, out=np.zeros_like(self.total), where=weight > 0)
        return np.where(weight > 0, shift + mean, centers)


def labels(X: Columns, centers: Array) -> Codes:
    """The nearest centre of each row."""
    out = np.empty(len(X), np.int64)
    _, cast, norms, shift = _around(centers, X.dtype)
    product, best = np.empty((len(cast), ROWS), cast.dtype), np.empty(ROWS, cast.dtype)
    for rows, block in X.blocks(ROWS, shift=shift, dtype=None):
        nearest(block, cast, norms, product, best, out[rows])
    return out


def _shift(centers: Array) -> Array:
    """Near the middle of the centres, and a float32, so that every float type subtracts the same."""
    with np.errstate(over="ignore"):
        middle = centers.mean(axis=0).astype(np.float32).astype(np.float64)
    return np.where(np.isfinite(middle), middle, 0.0)


def _around(centers: Array, dtype: Any) -> tuple[Array, Any, Any, Array]:
    """Centres minus the shift, in float64 and in the data's type, their norms, and the shift."""
    shift = _shift(centers)
    exact = centers - shift
    return exact, exact.astype(dtype), (exact**2).sum(axis=1).astype(dtype), shift


def cached_rows(rows: Array, weight: Array) -> Iterator[Chunk]:
    """A few rows in memory as a chunk of their own."""
    yield Chunk(Columns(rows), None, weight, False, 0, 0)
