"""Calibration of probabilities: among rows with probability p, a share p should be positive.

Rows are sorted into bins by their probability; each bin keeps weight, weight of the positives and the sum of the
probabilities. The edges of the bins are given, so that the bins of any two parts are the same and simply add.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np

from tenfold.core import Array, Codes, Flags, Mergeable, VectorLike
from tenfold.stats.metrics.ranking import Ranking
from tenfold.stats.metrics.rows import as_codes, as_numbers, weighted
from tenfold.stats.moments.moments import two_sum


class Calibration(Mergeable):
    """Weight, positives and probabilities by bin.

    Examples
    --------
    >>> from tenfold.stats.metrics import Calibration
    >>> some = Calibration.of([0, 1, 1], [0.1, 0.3, 0.9], edges=[0.5])
    >>> more = Calibration.of([1], [0.7], edges=[0.5])
    >>> (some + more).prob_true, (some + more).prob_pred
    (array([0.5, 1. ]), array([0.2, 0.8]))
    """

    edges: Annotated[Array, "edge"]
    """between the bins; a probability on an edge belongs to the bin below it"""
    rows: Annotated[Codes, "bin"]
    """number of rows with positive weight"""
    weight: Annotated[Array, "bin"]
    squares: Annotated[Array, "bin"]
    """sum of the squared weights"""
    positive: Annotated[Array, "bin"]
    """weight of the positive rows"""
    total: Annotated[Array, "bin"]
    """weighted sum of the probabilities"""
    rest: Annotated[Array, "bin"]
    """low-order part of the sum, in double-double"""

    @classmethod
    def of(
        cls,
        truth: VectorLike,
        probability: VectorLike,
        weight: VectorLike = None,
        *,
        edges: Array | None = None,
        bins: int = 5,
    ) -> Calibration:
        """Summarize rows.

        Parameters
        ----------
        truth : array of shape (rows,)
            Class codes, 1 the positive one.
        probability : array of shape (rows,)
            Of the positive class.
        weight : array of shape (rows,), optional
        edges : array of shape (bins - 1,), optional
            Between the bins, rising. By default they are equally wide, see `even_edges`.
        bins : int, default=5
            How many, if no edges are given.
        """
        cuts = even_edges(bins) if edges is None else np.asarray(edges, dtype=np.float64)
        if np.isnan(cuts).any() or (np.diff(cuts) < 0).any():
            raise ValueError("edges between bins are numbers that rise")
        truth, p, row_weight = weighted(weight, truth, probability)
        truth, p = as_codes(truth, 2, "truth"), as_numbers(p, "probability")
        if len(p) and not (p.min() >= 0 and p.max() <= 1):
            raise ValueError("a probability is NaN or not between 0 and 1")
        place, k = np.searchsorted(cuts, p), len(cuts) + 1

        def sums(terms: Array) -> Array:
            return np.bincount(place, terms, k).astype(np.float64, copy=False)

        total = sums(row_weight * p)
        return cls(
            cuts, np.bincount(place, minlength=k), sums(row_weight), sums(row_weight * row_weight),
            sums(row_weight * truth), total, np.zeros(k),
        )  # fmt: skip

    def __add__(self, other: Calibration) -> Calibration:
        if not np.array_equal(self.edges, other.edges):
            raise ValueError("the bins have other edges. Remedy: summarize both with the same edges")
        total, rest = two_sum(self.total, other.total)
        total, rest = two_sum(total, rest + (self.rest + other.rest))
        return Calibration(
            self.edges,
            self.rows + other.rows,
            self.weight + other.weight,
            self.squares + other.squares,
            self.positive + other.positive,
            total,
            rest,
        )

    @property
    def filled(self) -> Flags:
        """Return which bins have rows."""
        return self.rows > 0

    @property
    def prob_true(self) -> Array:
        """Share of the positives, of each bin that has rows."""
        share: Array = self.positive[self.filled] / self.weight[self.filled]
        return share

    @property
    def prob_pred(self) -> Array:
        """Mean probability, of each bin that has rows."""
        mean: Array = (self.total + self.rest)[self.filled] / self.weight[self.filled]
        return mean

    @property
    def expected_error(self) -> float:
        """Mean distance of the two, over the rows (expected calibration error); it shrinks with wider bins."""
        if not self.rows.sum():
            return math.nan
        weight = self.weight[self.filled]
        return float((weight * np.abs(self.prob_true - self.prob_pred)).sum() / weight.sum())


def even_edges(bins: int) -> Array:
    """Return the edges of n equally wide bins from 0 to 1."""
    if bins < 1:
        raise ValueError(f"bins={bins}: one at least")
    return np.linspace(0.0, 1.0, bins + 1)[1:-1]


def quantile_edges(ranking: Ranking, bins: int) -> Array:
    """The edges between bins of about as many rows each, from a ranking of the probabilities.

    They are the quantiles of numpy where the ranking is exact and no row has a weight; else within a bin of these.

    Parameters
    ----------
    ranking : Ranking
    bins : int
    """
    ends = np.cumsum(ranking.positive + ranking.negative)
    if bins < 1 or not len(ends):
        raise ValueError(f"bins={bins}: one at least" if bins < 1 else "there are no rows")
    at = (ends[-1] - 1) * (np.linspace(0, 1, bins + 1)[1:-1] * 100 / 100)
    below = np.floor(at)
    low, high = (
        ranking.low[np.minimum(np.searchsorted(ends, place, side="right"), len(ends) - 1)]
        for place in (below, below + 1)
    )
    part, step = at - below, high - low
    edges: Array = np.where(part < 0.5, low + step * part, high - step * (1 - part))
    return edges
