"""Nearest centres, starts of k-means, densities and lengths of rows against numpy."""

import numpy as np
import pytest
from scipy.stats import norm

from compiled.ways import both_ways
from tenfold.compiled.moments.densities import add_log_density, log_density
from tenfold.compiled.neighbors.nearest import CACHED_ROWS, add_lloyd, nearest, nearest_distances
from tenfold.compiled.neighbors.seeding import greedy_seeds
from tenfold.compiled.rows import row_lengths

RANDOM = np.random.default_rng(0)


def away(rows, centers):
    return ((rows[:, None].astype(float) - centers[None]) ** 2).sum(axis=2)


@both_ways(nearest)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_nearest_centre(run, kind):
    rows = RANDOM.normal(size=(CACHED_ROWS + 3, 4)).astype(kind)  # more than fit in cache
    centers = RANDOM.normal(size=(5, 4)).astype(kind)
    label = np.full(len(rows), -1)
    run(rows, centers, (centers**2).sum(axis=1), label)
    np.testing.assert_array_equal(label, away(rows, centers).argmin(axis=1))


@both_ways(nearest)
def test_of_centres_as_near_the_first_is_taken(run):
    label = np.full(3, -1)
    run(np.zeros((3, 2)), np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]), np.ones(3), label)
    assert label.tolist() == [0, 0, 0]


@both_ways(add_lloyd)
def test_sums_of_a_step(run):
    rows, centers, w = (
        RANDOM.normal(size=(CACHED_ROWS + 50, 3)),
        RANDOM.normal(size=(4, 3)),
        RANDOM.random(CACHED_ROWS + 50),
    )
    weight, total, square = np.zeros(4), np.zeros((4, 3)), np.zeros(3)
    run(rows, w, centers, (centers**2).sum(axis=1), centers, weight, total, square)
    label = away(rows, centers).argmin(axis=1)
    d = rows - centers[label]
    np.testing.assert_allclose(weight, np.bincount(label, w, 4), rtol=1e-12)
    np.testing.assert_allclose(total, [w[label == k] @ d[label == k] for k in range(4)], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(square, w @ d**2, rtol=1e-12)


@both_ways(nearest_distances)
def test_distances_to_given_centres(run):
    rows, centers, label, out = RANDOM.normal(size=(9, 3)), RANDOM.normal(size=(2, 3)), np.arange(9) % 2, np.empty(9)
    run(rows, centers, label, out)
    np.testing.assert_allclose(out, away(rows, centers)[np.arange(9), label], rtol=1e-13)


def seeds_of(columns, weight, uniform):
    """Greedy k-means++ as it is told in books."""
    rows, near, chosen = columns.T, np.ones(columns.shape[1]), []
    for k, draws in enumerate(uniform):
        mass = np.cumsum(weight * near)
        if mass[-1] <= 0:
            break
        tried = [min(int(np.searchsorted(mass, u * mass[-1], side="right")), len(rows) - 1) for u in draws]
        tried = tried[:1] if k == 0 else tried
        after = [((rows - rows[at]) ** 2).sum(axis=1) for at in tried]
        after = [one if k == 0 else np.minimum(one, near) for one in after]
        best = int(np.argmin([weight @ one for one in after]))
        chosen.append(tried[best])
        near = after[best]
    return chosen


@both_ways(greedy_seeds)
@pytest.mark.parametrize("seed", range(5))
def test_greedy_seeds(run, seed):
    random = np.random.default_rng(seed)
    columns, weight = random.normal(size=(3, 40)), random.integers(0, 3, 40).astype(float)
    uniform = random.random((6, 4))
    found = run(columns, weight, uniform)
    assert found.tolist() == seeds_of(columns, weight, uniform)
    assert (weight[found] > 0).all()


@both_ways(greedy_seeds)
def test_no_more_seeds_than_distinct_rows(run):
    columns = np.array([[0.0, 0.0, 1.0, 1.0, 5.0]])
    found = run(columns, np.array([1.0, 1.0, 1.0, 1.0, 0.0]), RANDOM.random((4, 3)))
    assert sorted(columns[0, found]) == [0.0, 1.0]


@both_ways(log_density)
@pytest.mark.parametrize("columns", [1, 7, 8, 9, 23, 64])
def test_log_density(run, columns):
    """For any number of columns: terms are added in pairs, eight at a time."""
    rows, group = RANDOM.normal(size=(6, columns)), np.array([0, 1, 0, 1, 1, 0])
    theta, scale = RANDOM.normal(size=(2, 3, columns)), RANDOM.random((2, 3, columns)) + 0.5
    level = -np.log(scale * np.sqrt(2 * np.pi)).sum(axis=2)
    out = np.empty((6, 3))
    run(rows, group, level, theta, 0.5 / scale**2, out)
    for i in range(6):
        wanted = norm.logpdf(rows[i], theta[group[i]], scale[group[i]]).sum(axis=1)
        np.testing.assert_allclose(out[i], wanted, rtol=1e-12)


@both_ways(add_log_density)
@pytest.mark.parametrize("columns", [1, 7, 8, 9, 23])
def test_log_density_of_what_is_not_missing(run, columns):
    rows, group = RANDOM.normal(size=(6, columns)), np.array([0, 1, 0, 1, 1, 0])
    rows[RANDOM.random(rows.shape) < 0.3] = np.nan
    theta, scale = RANDOM.normal(size=(2, 3, columns)), RANDOM.random((2, 3, columns)) + 0.5
    out = np.ones((6, 3))
    run(rows, group, -np.log(scale * np.sqrt(2 * np.pi)), theta, 0.5 / scale**2, out)
    for i in range(6):
        wanted = np.nansum(norm.logpdf(rows[i], theta[group[i]], scale[group[i]]), axis=1)
        np.testing.assert_allclose(out[i], 1 + wanted, rtol=1e-12)


@both_ways(row_lengths.divide_by_lengths)
@pytest.mark.parametrize("size", [1.0, 1e-200, 1e200, 1e308])
@pytest.mark.parametrize(("name", "order"), [("LARGEST", np.inf), ("SUM", 1), ("ROOT", 2)])
def test_rows_of_any_size_come_out_of_length_one(run, size, name, order):
    rows = RANDOM.uniform(-1, 1, size=(5, 4))
    rows[2] = 0
    out = np.empty(20)
    run((rows * size).ravel(), np.arange(0, 21, 4), getattr(row_lengths, name), out)
    wanted = rows / np.where(rows.any(axis=1), np.linalg.norm(rows, order, axis=1), 1)[:, None]
    np.testing.assert_allclose(out.reshape(5, 4), wanted, rtol=1e-13)
