"""A sum in twice the working precision: however the parts are merged, the last digit stays."""

from __future__ import annotations

import math

import numpy as np

from tenfold.core import Array, Mergeable
from tenfold.stats.moments.moments import two_sum


class Sum(Mergeable):
    """Sum in double-double."""

    high: float = 0.0
    low: float = 0.0
    """low-order part of the sum"""

    @classmethod
    def of(cls, terms: Array) -> Sum:
        """The sum of an array, added in pairs."""
        return cls(float(np.sum(terms)))

    @property
    def value(self) -> float:
        """The sum as one number."""
        return self.high + self.low

    def __add__(self, other: Sum) -> Sum:
        high, low = two_sum(self.high, other.high)
        if not math.isfinite(high):
            return Sum(high)
        return Sum(*two_sum(high, low + (self.low + other.low)))
