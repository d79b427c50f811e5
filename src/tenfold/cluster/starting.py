"""Where k-means starts: from rows by their content, not by where they stand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from tenfold.core import Array, Chunk, Codes
from tenfold.core.statistic import Grouped, Statistic
from tenfold.kernels.nearest import add_lloyd
from tenfold.kernels.seeding import greedy_seeds
from tenfold.stats.lloyd import distances
from tenfold.stats.race import Race, row_bits, uniform
from tenfold.stats.spread import ColumnSpread

BUCKETS = 1 << 14
"""rows that are repeated often show in the weight of their bucket"""
RESTARTS = 3
SETTLE = 100
"""rounds over the sample before the first over all rows"""


@dataclass(frozen=True, eq=False)
class Spread:
    """Mean and squares of the columns, and how the weight falls into buckets of a row hash."""

    columns: ColumnSpread
    mass: Annotated[Array, "bucket"]

    def __add__(self, other: Spread) -> Spread:
        return Spread(self.columns + other.columns, self.mass + other.mass)


class SpreadAndMass(Grouped[Spread]):
    """Mean and squares of the columns, and the weight in each bucket of a row hash."""

    seed: int | None

    def summarize(self, chunk: Chunk) -> Spread:
        """Sum the rows, column by column, and hash them."""
        bucket = _bucket_of(row_bits(chunk.X, self.seed))
        return Spread(ColumnSpread.of(chunk), np.bincount(bucket, chunk.weight, BUCKETS).astype(np.float64))


class StartSample(Statistic[Race]):
    """A weighted sample of distinct rows to start from: rows far from the mean, or often repeated, are likelier."""

    most: int
    seed: int | None
    squares: float
    """mean squared distance from the mean"""
    mean: Array
    mass: Array
    """share of the weight in each bucket"""

    def summarize(self, chunk: Chunk) -> Race:
        """Let the rows race, by their content."""
        away = np.zeros(chunk.n)
        for rows, block in chunk.X.blocks(shift=self.mean):
            away[rows] = (block**2).sum(axis=1)
        bits = row_bits(chunk.X, self.seed)
        rate = self.mass[_bucket_of(bits)] * (1.0 + (away / self.squares if self.squares > 0 else 0.0))
        return Race.of(chunk, uniform(bits), rate, self.most)


class FarthestRows(Statistic[Race]):
    """The distinct rows that are farthest from their nearest centre."""

    most: int
    centers: Array

    def summarize(self, chunk: Chunk) -> Race:
        """Let the rows race, the farther the faster."""
        with np.errstate(divide="ignore"):
            return Race.of(chunk, np.full(chunk.n, np.exp(-1.0)), distances(chunk.X, self.centers), self.most)


def _bucket_of(bits: Any) -> Codes:
    """The bucket of each row, from the bits of its hash."""
    found: Codes = (bits & np.uint64(BUCKETS - 1)).astype(np.int64)
    return found


def start_from(rows: Array, weight: Array, n_clusters: int, seed: Any, complete: bool) -> Array:
    """The best of a few greedy k-means++ starts over weighted rows, settled on them.

    If they are `complete`, all there are, settling is what k-means does, only cheaper here.
    """
    random = np.random.default_rng(seed)
    with np.errstate(over="ignore"):
        middle = weight @ rows / weight.sum()
    if not np.isfinite(middle).all():  # a heavy row of very large numbers
        middle = (weight / weight.sum()) @ rows
    rows = rows - middle
    rows.flags.writeable = False
    columns = np.ascontiguousarray(rows.T)
    trials = 2 + int(math.log(n_clusters))
    best, least = rows[:1], math.inf
    for _ in range(RESTARTS):
        chosen = greedy_seeds(columns, weight, random.random((n_clusters, trials)))
        centers, inertia = _settle(rows, weight, rows[chosen], 3, 1e-3)
        if inertia < least:
            best, least = centers, inertia
    return _settle(rows, weight, best, SETTLE, 1e-7 if complete else 1e-3)[0] + middle


@np.errstate(over="ignore", invalid="ignore")  # rows that cannot be squared are refused when all of them are read
def _settle(rows: Array, weight: Array, centers: Array, most: int, little: float) -> tuple[Array, float]:
    """Move centres to the means of their rows till little is gained; they, and the inertia before."""
    before = math.inf
    for _ in range(most):
        heft, total = np.zeros(len(centers)), np.zeros(centers.shape)
        square = np.zeros(centers.shape[1])
        add_lloyd(rows, weight, centers, (centers**2).sum(axis=1), centers, heft, total, square)
        inertia = float(square.sum())
        if inertia >= before * (1 - little):
            return centers, inertia
        before = inertia
        centers = centers + total / np.where(heft > 0, heft, 1.0)[:, None]
    return centers, before
