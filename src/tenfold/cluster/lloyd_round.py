"""What the rounds of k-means need: weight and sum of the rows nearest to each centre, and the farthest rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from tenfold.compiled.neighbors.nearest import CACHED_ROWS, add_lloyd, center_distances, nearest, nearest_distances
from tenfold.core import Array, Chunk, Codes, Columns, DataError, Matrix, Mergeable
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.statistic import Statistic
from tenfold.stats.rows.weighted_sample import Race

FLOAT32_SQUARE_RANGE = 1e-25, 1e30
"""squares that float32 holds with all its digits"""


class Lloyd(Mergeable):
    """Rows by their nearest centre, as differences to it."""

    centers: Annotated[Array, "cluster", "column"]
    weight: Annotated[Array, "cluster", NOT_NEGATIVE]
    total: Annotated[Array, "cluster", "column"]
    """sums of rows minus their centre"""
    inertia: float

    @classmethod
    def of(cls, chunk: Chunk, centers: Array) -> Lloyd:
        """Summarize a chunk; who is nearest in its own float type, sums in float64."""
        k, p = centers.shape
        weight, total, square = np.zeros(k), np.zeros((k, p)), np.zeros(p)
        near = _Nearest(chunk.X, centers)
        for rows, block in near.blocks():
            add_lloyd(block, chunk.weight[rows], near.cast, near.norms, near.exact, weight, total, square)
        chunk.X.check_sums(square)
        return cls(centers, weight, total, float(square.sum()))

    same_in_all = ("centers",)

    def means(self) -> Array:
        """The mean of each centre's rows; a centre without rows stays where it is."""
        weight = self.weight[:, None]
        moved = np.divide(self.total, weight, out=np.zeros_like(self.total), where=weight > 0)
        return self.centers + moved


class NearestSums(Statistic[Lloyd]):
    """Weight and sum of the rows nearest to each centre."""

    centers: Array

    def summarize(self, chunk: Chunk) -> Lloyd:
        return Lloyd.of(chunk, self.centers)


class FarthestRows(Statistic[Race]):
    """The distinct rows that are farthest from their nearest centre."""

    most: int
    centers: Array

    def summarize(self, chunk: Chunk) -> Race:
        with np.errstate(divide="ignore"):
            return Race.of(chunk, np.full(chunk.n, np.exp(-1.0)), distances(chunk.X, self.centers), self.most)


def labels(X: Columns, centers: Array) -> Codes:
    """The nearest centre of each row."""
    out = np.empty(len(X), np.int64)
    near = _Nearest(X, centers)
    for rows, block in near.blocks(checked=True):
        nearest(block, near.cast, near.norms, out[rows])
    return out


def distances(X: Columns, centers: Array) -> Array:
    """The squared distance of each row to its nearest centre."""
    label, out = labels(X, centers), np.empty(len(X))
    for rows, block in X.blocks():
        nearest_distances(block, centers, label[rows], out[rows])
    return out


def all_distances(X: Columns, centers: Array) -> Array:
    """The distance of each row to each centre."""
    out = np.empty((len(X), len(centers)))
    columns = np.ascontiguousarray(centers.T)
    for rows, block in X.blocks():
        center_distances(block, columns, out[rows])
    return out


class _Nearest:
    """Centres around a shift.

    Distances come from |c|² - 2cx, which loses digits if the centres are far from the origin beside
    their spread: then, and only then, everything is moved towards it.
    """

    @np.errstate(over="ignore")
    def __init__(self, X: Columns, centers: Array) -> None:
        self.X = X
        middle = centers.mean(axis=0)
        far = np.abs(middle).max(initial=0.0) > 4 * np.sqrt(((centers - middle) ** 2).mean())
        self.shift = middle.astype(X.dtype).astype(np.float64) if far else None
        self.exact = centers if self.shift is None else centers - self.shift
        norms = (self.exact**2).sum(axis=1)
        if not np.isfinite(norms).all():
            raise DataError("the centres are too large to be squared. Remedy: rescale the columns")
        fits = X.dtype == np.float64 or FLOAT32_SQUARE_RANGE[0] < norms.max(initial=0.0) < FLOAT32_SQUARE_RANGE[1]
        self.dtype = None if fits else np.float64
        self.cast, self.norms = (a.astype(X.dtype if fits else np.float64) for a in (self.exact, norms))

    def blocks(self, checked: bool = False) -> Iterator[tuple[slice, Matrix]]:
        return self.X.blocks(8 * CACHED_ROWS, shift=self.shift, dtype=self.dtype, checked=checked, whole=True)
