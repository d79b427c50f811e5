"""k-means on a line: against every partition into intervals, and its fixed point."""

from itertools import combinations

import numpy as np
import pytest

from tenfold.stats.one_dimensional_kmeans import line_centers


def inertia(values, weight, centers):
    return float((weight * ((values[:, None] - centers) ** 2).min(axis=1)).sum())


def best(values, weight, k):
    """The least inertia of all partitions into k intervals."""
    found = []
    for cuts in combinations(range(1, len(values)), k - 1):
        some = np.split(np.arange(len(values)), cuts)
        centers = np.array([np.average(values[one], weights=weight[one]) for one in some])
        found.append(inertia(values, weight, centers))
    return min(found)


@pytest.mark.parametrize("seed", range(5))
def test_a_fixed_point_no_better_than_the_best(seed):
    random = np.random.default_rng(seed)
    values, k = np.sort(random.normal(size=9)), 3
    weight = random.integers(1, 5, 9).astype(float)
    start = np.linspace(values[0], values[-1], k)
    centers = line_centers(values, weight, start)
    least = best(values, weight, k)
    assert least - 1e-12 <= inertia(values, weight, centers) <= inertia(values, weight, start)
    nearest = np.abs(values[:, None] - centers).argmin(axis=1)
    for j in range(k):
        assert centers[j] == pytest.approx(np.average(values[nearest == j], weights=weight[nearest == j]), rel=1e-9)


def test_as_many_centres_as_values_are_the_values():
    values = np.array([0.0, 1e-3, 5.0, 1e3])
    found = line_centers(values, np.full(4, 2.0), np.linspace(0, 1e3, 4))
    np.testing.assert_allclose(found, values, rtol=1e-9, atol=1e-9)


def test_very_large_and_very_small_values():
    for size in (1e300, 1e-300):
        found = line_centers(np.array([-1.0, 0.0, 1.0]) * size, np.ones(3), np.array([-0.5, 0.5]) * size)
        np.testing.assert_allclose(found / size, [-0.5, 1.0])
