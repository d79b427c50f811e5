"""Weight, mean and centred square of one number to a row, merged by the rule of Chan, Golub and LeVeque."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.compiled.moments.centered_square import summarize_centres
from tenfold.core import Array, Chunk, Codes, Mergeable
from tenfold.core.mergeable import cell_of
from tenfold.core.statistic import Grouped, Stacked
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
        return cell_of(cls.of_cells(numbers, weight, np.zeros(1, np.int64)), 0)

    @classmethod
    def of_cells(cls, numbers: Array, weight: Array, starts: Codes) -> Centre:
        """Return the stack of the summaries of some cells, whose first rows are `starts`."""
        found: Any = np.empty((4, len(starts)))
        given = (np.ascontiguousarray(some, dtype=np.float64) for some in (numbers, weight))
        summarize_centres(*given, np.append(starts, len(numbers)), *found)
        return cls(*found)

    def __add__(self, other: Centre) -> Centre:
        """Merge two summaries, or two stacks of them; one without weight changes nothing."""
        if not np.ndim(self.weight):
            return self if other.weight == 0 else other if self.weight == 0 else self._with(other)
        with np.errstate(invalid="ignore"):
            both = self._with(other)
        none, other_none = np.equal(self.weight, 0), np.equal(other.weight, 0)
        fields: Any = zip(*(vars(one).values() for one in (self, other, both)), strict=True)
        return Centre(*(np.where(other_none, a, np.where(none, b, c)) for a, b, c in fields))

    def _with(self, other: Centre) -> Centre:
        weight = self.weight + other.weight
        delta = (other.mean - self.mean) + (other.rest - self.rest)  # high parts first: equal ones cancel exactly
        share = other.weight / weight
        mean, rest = two_sum(self.mean, self.rest + delta * share)
        return Centre(weight, mean, rest, self.square + other.square + delta * delta * (self.weight * share))

    @property
    def variance(self) -> float:
        """Mean squared distance from the mean."""
        return self.square / self.weight if self.weight else np.nan


class TargetCentre(Grouped[Centre], Stacked[Centre]):
    """Weight, mean and squares of the target."""

    def summarize(self, chunk: Chunk) -> Centre:
        return Centre.of(chunk.y, chunk.weight)

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> Centre:
        return Centre.of_cells(chunk.y, chunk.weight, starts)
