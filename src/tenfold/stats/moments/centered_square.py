"""Weight, mean and centred square of one number to a row, merged by the rule of Chan, Golub and LeVeque."""

from __future__ import annotations

import numpy as np

from tenfold.core import Array, Chunk, Mergeable
from tenfold.core.statistic import Grouped
from tenfold.stats.moments.moments import two_sum


class Centre(Mergeable):
    """Mean and centred square of numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold.stats.moments.centered_square import Centre
    >>> both = Centre.of(np.array([1.0, 3.0]), np.ones(2)) + Centre.of(np.array([5.0]), np.ones(1))
    >>> both.mean, both.variance
    (3.0, 2.6666666666666665)
    """

    weight: float
    mean: float
    rest: float
    """low-order part of the mean, in double-double"""
    square: float
    """Σ w (z - mean)²"""
    by_weight = ("weight", "square")

    @classmethod
    def of(cls, numbers: Array, weight: Array) -> Centre:
        """Summarize rows.

        Parameters
        ----------
        numbers, weight : array of shape (rows,)
        """
        total = float(weight.sum())
        if total == 0:
            return cls(0.0, 0.0, 0.0, 0.0)
        first = float(numbers[0])
        around = numbers - first  # exactly zero where all are equal
        shift = float(weight @ around) / total
        around = around - shift
        slip = float(weight @ around)  # zero but for rounding: Σ w d² - (Σ w d)² / Σ w takes that rounding out again
        square = max(0.0, float(weight @ (around * around)) - slip * slip / total)
        mean, rest = two_sum(first, shift + slip / total)
        return cls(total, mean, rest, square)

    def __add__(self, other: Centre) -> Centre:
        if other.weight == 0:
            return self
        if self.weight == 0:
            return other
        weight = self.weight + other.weight
        delta = (other.mean - self.mean) + (other.rest - self.rest)  # high parts first: equal ones cancel exactly
        share = other.weight / weight
        mean, rest = two_sum(self.mean, self.rest + delta * share)
        return Centre(weight, mean, rest, self.square + other.square + delta * delta * (self.weight * share))

    @property
    def variance(self) -> float:
        """Mean squared distance from the mean."""
        return self.square / self.weight if self.weight else np.nan


class TargetCentre(Grouped[Centre]):
    """Weight, mean and squares of the target."""

    def summarize(self, chunk: Chunk) -> Centre:
        return Centre.of(chunk.y, chunk.weight)
