"""Tests of whether two samples are of one distribution, from counts and from groups of values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from tenfold.core import Array
from tenfold.stats.counts.distribution import ValueGroups

MIN_EXPECTED = 5.0
"""count that a cell must be expected to have for the chi-squared distribution to hold; smaller ones are merged"""


class TwoSamples(NamedTuple):
    """How far two samples are apart, and how likely that is by chance."""

    distance: float
    """0 to 1: of numbers the largest difference of the distribution functions; of counts half the sum of those of the
    shares, the share of rows that would have to change"""
    p: float


def of_numbers(a: ValueGroups, b: ValueGroups) -> TwoSamples:
    """Test two samples of numbers by Kolmogorov and Smirnov.

    Where groups hold different values the distance is the least that it can be, so that the test errs to one side.
    """
    n, m = a.total, b.total
    if not n or not m:
        return TwoSamples(0.0, 1.0)
    at = np.unique(np.concatenate([a.low, a.high, b.low, b.high]))
    low_a, low_b = (_upto(one.high, one.weight, at) for one in (a, b))
    high_a, high_b = (_upto(one.low, one.weight, at) for one in (a, b))
    distance = max(float((low_a - high_b).max()), float((low_b - high_a).max()), 0.0)
    return TwoSamples(distance, float(stats.kstwo.sf(distance, max(round(n * m / (n + m)), 1))))


def _upto(ends: Array, weight: Array, at: Array) -> Array:
    """Return the share of the weight whose ends are not above each point."""
    upto = np.concatenate([[0.0], np.cumsum(weight)])
    found: Array = upto[np.searchsorted(ends, at, side="right")] / upto[-1]
    return found


def of_counts(a: Array, b: Array) -> TwoSamples:
    """Test counts of the same values in two samples by Pearson's chi-squared statistic."""
    n, m = float(a.sum()), float(b.sum())
    if not n or not m:
        return TwoSamples(0.0, 1.0)
    distance = 0.5 * float(np.abs(a / n - b / m).sum())
    counts = _taken_together(np.vstack([a, b]))
    if counts.shape[1] < 2:
        return TwoSamples(distance, 1.0)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / (n + m)
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return TwoSamples(distance, float(stats.chi2.sf(statistic, counts.shape[1] - 1)))


def _taken_together(counts: Array) -> Array:
    """Return the counts with the rarest values taken together, until each is expected to be there often enough."""
    counts = counts[:, counts.sum(axis=0) > 0]
    counts = counts[:, np.argsort(counts.sum(axis=0), kind="stable")]
    share = min(counts.sum(axis=1)) / counts.sum()
    expected = np.cumsum(counts.sum(axis=0)) * share
    rare = int(np.count_nonzero(counts.sum(axis=0) * share < MIN_EXPECTED))
    if not rare:
        return counts
    while rare < counts.shape[1] and expected[rare - 1] < MIN_EXPECTED:
        rare += 1
    return np.column_stack([counts[:, :rare].sum(axis=1), counts[:, rare:]])
