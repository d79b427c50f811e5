"""The sample from which initial centres are drawn: rows are selected by their content, not by their position."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tenfold.cluster.lloyd_round import distances
from tenfold.core import Array, Bits, Chunk, Codes, Mergeable
from tenfold.core.statistic import Grouped, Statistic
from tenfold.stats.moments.moments import MIN_SQUARE_SCALE, too_small
from tenfold.stats.moments.spread import ColumnSpread
from tenfold.stats.rows.weighted_sample import Race, row_bits, uniform

HASH_BUCKETS = 1 << 14
"""rows that are repeated often show in the weight of their bucket"""
MIN_SQUARED_DISTANCE = 1e-9
"""how far a row counts to be, at least: so rows on a candidate have a place in the race, the last"""


class BucketSpread(Mergeable):
    """Mean and squares of the columns, and how the weight falls into buckets of a row hash."""

    columns: ColumnSpread
    mass: Annotated[Array, "bucket"]

    @property
    def weight(self) -> float:
        """Total weight of the rows."""
        return float(self.columns.weight.max())

    @property
    def square(self) -> float:
        """The squared distances of all rows from their mean, summed."""
        return float(self.columns.square.sum())

    def refuse_small(self) -> None:
        """Raise if all columns are constant or too small to be squared: all distances would be 0."""
        if self.square < MIN_SQUARE_SCALE**2 * self.weight:
            small = (self.columns.mean != 0) & (np.abs(self.columns.mean) < MIN_SQUARE_SCALE)
            if small.any():
                raise too_small(int(small.argmax()))


class SpreadAndMass(Grouped[BucketSpread]):
    """Mean and squares of the columns, and the weight in each bucket of a row hash."""

    seed: int | None

    def summarize(self, chunk: Chunk) -> BucketSpread:
        bucket = _bucket_of(row_bits(chunk.X, self.seed))
        return BucketSpread(ColumnSpread.of(chunk), np.bincount(bucket, chunk.weight, HASH_BUCKETS).astype(np.float64))


class StartSample(Statistic[Race]):
    """A weighted sample of distinct rows to start from: rows far from the mean, or often repeated, are likelier."""

    most: int
    seed: int | None
    squares: float
    """mean squared distance from the mean"""
    mean: Array
    mass: Array
    """share of the weight in each bucket"""

    @classmethod
    def of(cls, most: int, seed: int | None, s: BucketSpread) -> StartSample:
        """So many rows at most, drawn by how rows spread."""
        return cls(most, seed, s.square / s.weight, s.columns.mean, s.mass / s.weight)

    def summarize(self, chunk: Chunk) -> Race:
        away = np.zeros(chunk.n)
        for rows, block in chunk.X.blocks(shift=self.mean):
            away[rows] = (block**2).sum(axis=1)
        bits = row_bits(chunk.X, self.seed)
        rate = self.mass[_bucket_of(bits)] * (1.0 + (away / self.squares if self.squares > 0 else 0.0))
        return Race.of(chunk, uniform(bits), rate, self.most)


class FarSample(Statistic[Race]):
    """A sample of distinct rows: the farther from all candidates, and the more often repeated, the likelier."""

    most: int
    seed: int | None
    draw: int
    """the number of this draw: each has numbers of its own"""
    squares: float
    """mean squared distance from the mean"""
    mass: Array
    """share of the weight in each bucket"""
    candidates: Array

    def summarize(self, chunk: Chunk) -> Race:
        away = distances(chunk.X, self.candidates) / self.squares if self.squares > 0 else np.zeros(chunk.n)
        rate = self.mass[_bucket_of(row_bits(chunk.X, self.seed))] * (away + MIN_SQUARED_DISTANCE)
        lot = row_bits(chunk.X, (self.seed or 0) + (self.draw + 1 << 32))
        return Race.of(chunk, uniform(lot), rate, self.most)


def _bucket_of(bits: Bits) -> Codes:
    """The bucket of each row, from the bits of its hash."""
    found: Codes = (bits & np.uint64(HASH_BUCKETS - 1)).astype(np.int64)
    return found
