"""Double-double arrays, entry by entry: the unevaluated sum of two float64 arrays, with about 32 digits."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tenfold.compiled.precision.double import product
from tenfold.core import Array
from tenfold.stats.moments.moments import two_sum

SPLITTER = 134217729.0
"""2²⁷ + 1, Veltkamp's constant: it splits a float64 into two halves of 26 bits, whose products are exact"""


class Double(NamedTuple):
    """Double-double number `high + low`, where `low` is the rounding error of `high`.

    Examples
    --------
    >>> from tenfold.stats.moments.double import Double
    >>> third = Double.of(1.0) / Double.of(3.0)
    >>> float((third * Double.of(3.0) - Double.of(1.0)).rounded())
    0.0
    """

    high: Any
    low: Any

    @classmethod
    def of(cls, values: Any) -> Double:
        """Create a double-double array from float64 numbers."""
        return cls(values, np.zeros_like(values))

    def __add__(self, other: Double) -> Double:  # type: ignore[override]
        high, low = two_sum(self.high, other.high)
        return Double(*two_sum(high, low + (self.low + other.low)))  # the second keeps |low| within half a unit of high

    def __neg__(self) -> Double:
        return Double(-self.high, -self.low)

    def __sub__(self, other: Double) -> Double:
        return self + -other

    def __mul__(self, other: Double) -> Double:  # type: ignore[override]
        high, low = _two_product(self.high, other.high)
        # low times low is below the last of the 32 digits: it is left out
        return Double(*two_sum(high, low + (self.high * other.low + self.low * other.high)))

    def __truediv__(self, other: Double) -> Double:
        # Long division: each quotient in float64 adds 16 digits, and the third corrects the rounding of the second.
        first = self.high / other.high
        left = self - other * Double.of(first)
        second = left.high / other.high
        left = left - other * Double.of(second)
        return Double(*two_sum(first, second + left.high / other.high))

    def __matmul__(self, other: Double) -> Double:
        """Return the matrix product."""
        return Double(*product(*(np.ascontiguousarray(a, dtype=np.float64) for a in (*self, *other))))

    def at(self, where: Any) -> Double:
        """Return a selection of the entries."""
        return Double(self.high[where], self.low[where])

    def outer(self, other: Double) -> Double:
        """Return the outer product with another vector."""
        return self.at(np.s_[:, None]) * other.at(np.s_[None, :])

    def scaled(self, powers: Array) -> Double:
        """Times powers of two, which is exact."""
        return Double(self.high * powers, self.low * powers)

    @property
    def T(self) -> Double:
        """The transposed matrix."""
        return Double(self.high.T, self.low.T)

    def rounded(self) -> Any:
        """Return the nearest float64 numbers."""
        return self.high + self.low


def _two_product(a: Any, b: Any) -> tuple[Any, Any]:
    """a · b and its rounding error, exactly (barring overflow)."""
    # Dekker's product: the halves have 26 bits, so their four products are exact. The order of the sums matters: each
    # partial sum is exact too. Simplified by algebra, the result would be 0.
    total = a * b
    t = SPLITTER * a
    ah = t - (t - a)
    t = SPLITTER * b
    bh = t - (t - b)
    al, bl = a - ah, b - bh
    return total, ((ah * bh - total) + ah * bl + al * bh) + al * bl
