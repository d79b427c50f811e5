"""Regression errors: absolute, squared, and relative to the variance of the target."""

from __future__ import annotations

import math

import numpy as np

from tenfold.core import Mergeable, VectorLike
from tenfold.stats.metrics.rows import as_numbers, weighted
from tenfold.stats.metrics.sums import Sum
from tenfold.stats.moments.moments import two_sum


class Regression(Mergeable):
    """Sums of the errors, and the centred square of the target, merged by the formula of Chan, Golub and LeVeque.

    Examples
    --------
    >>> from tenfold.stats.metrics import Regression
    >>> monday = Regression.of([1.0, 2.0], [1.0, 3.0])
    >>> tuesday = Regression.of([3.0, 6.0], [3.0, 6.0])
    >>> (monday + tuesday).mse
    0.25
    """

    rows: int
    """number of rows with positive weight"""
    weight: float
    mean: float
    rest: float
    """low-order part of the mean, in double-double"""
    square: Sum
    absolute: Sum
    squared: Sum

    @classmethod
    def of(cls, y: VectorLike, prediction: VectorLike, weight: VectorLike = None) -> Regression:
        """Summarize rows.

        Parameters
        ----------
        y, prediction : array of shape (rows,)
        weight : array of shape (rows,), optional
        """
        y, prediction, weight = weighted(weight, y, prediction)
        y, prediction = as_numbers(y, "truth"), as_numbers(prediction, "prediction")
        if len(y) == 0:
            return cls(0, 0.0, 0.0, 0.0, Sum(), Sum(), Sum())
        for what, numbers in (("truth", y), ("prediction", prediction)):
            if not np.isfinite(numbers).all():
                raise ValueError(f"the {what} holds NaN or infinity")
        total = float(weight.sum())
        with np.errstate(over="ignore", invalid="ignore"):  # squares too large are infinite
            error = np.abs(y - prediction)
            around = y - y[0]  # exactly zero where the target is constant
            shift = float((weight * around).sum()) / total
            around -= shift
            slip = float((weight * around).sum())
            square = Sum(max(0.0, float((weight * around**2).sum()) - slip * slip / total))
            mean, rest = two_sum(float(y[0]), shift)
            return cls(len(y), total, mean, rest, square, Sum.of(weight * error), Sum.of(weight * error**2))

    def __add__(self, other: Regression) -> Regression:
        if other.rows == 0:
            return self
        if self.rows == 0:
            return other
        weight = self.weight + other.weight
        delta = (other.mean - self.mean) + (other.rest - self.rest)
        share = other.weight / weight
        mean, rest = two_sum(self.mean, self.rest + delta * share)
        return Regression(
            self.rows + other.rows,
            weight,
            mean,
            rest,
            self.square + other.square + Sum(delta * delta * (self.weight * share)),
            self.absolute + other.absolute,
            self.squared + other.squared,
        )

    @property
    def mae(self) -> float:
        """Return the mean absolute error."""
        return self.absolute.value / self.weight if self.rows else math.nan

    @property
    def mse(self) -> float:
        """Return the mean squared error."""
        return self.squared.value / self.weight if self.rows else math.nan

    @property
    def rmse(self) -> float:
        """Root of the mean squared error."""
        return math.sqrt(self.mse)

    @property
    def r2(self) -> float:
        """Share of the target's square that is explained.

        Of fewer than two rows NaN; of a constant target 1 if every prediction is right, else 0.
        """
        if self.rows < 2:
            return math.nan
        missed, spread = self.squared.value, self.square.value
        if spread == 0:
            return float(missed == 0)
        return 1 - missed / spread
