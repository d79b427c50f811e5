"""Rows of rare targets, and the edges beside their values."""

import numpy as np
import pytest

import tenfold as tn
from tenfold.core import Chunk, Columns
from tenfold.stats.trees.rare_rows import Neighbors, Strata, rare_values


def chunk(X, y):
    return Chunk(Columns(X), y, np.ones(len(X)), True, 0, 0)


def fields(one):
    return one.stratum, one.key, one.u, one.row, one.count


@pytest.mark.parametrize("kind", ["classes", "many classes", "numbers"])
def test_strata_merge_to_the_bit_wherever_rows_are_cut(kind):
    draw = np.random.default_rng(0)
    X, u = draw.normal(size=(6000, 2)), draw.random(6000)
    strata = {"classes": 3, "many classes": 40, "numbers": 2}[kind]
    y = np.round(draw.normal(size=6000), 1) if kind == "numbers" else draw.integers(0, strata, 6000) ** 2 // strata
    whole = Strata.of(chunk(X, y), u, strata)
    parts = [slice(0, 50), slice(50, 4000), slice(4000, 4000), slice(4000, 6000)]
    a, b, c, d = (Strata.of(chunk(X[part], y[part]), u[part], strata) for part in parts)
    for merged in (a + b + c + d, (d + c) + (b + a), (a + (b + d)) + c):
        for one, other in zip(fields(whole + c), fields(merged), strict=True):
            np.testing.assert_array_equal(one, other)


def test_edges_lie_halfway_between_a_rare_value_and_its_neighbours():
    draw = np.random.default_rng(1)
    X = np.round(draw.normal(size=(5000, 2)), 3)
    y = np.zeros(5000, np.int64)
    rare = draw.choice(5000, 12, replace=False)
    y[rare] = 1
    strata = Strata.of(chunk(X, y), draw.random(5000), 2)
    values = rare_values(strata, False, np.zeros(2, np.int64), 63)
    asked = Neighbors(values)
    gaps = asked.summarize(chunk(X[:900], y[:900])) + asked.summarize(chunk(X[900:], y[900:]))
    found = gaps.edges(values, np.full((2, 1), np.inf))
    for j in range(2):
        every = np.unique(X[:, j])
        at = np.searchsorted(every, np.unique(X[rare, j]))
        low = np.unique(np.concatenate([at[at > 0] - 1, at[at < len(every) - 1]]))
        expected = every[low] + 0.5 * (every[low + 1] - every[low])
        np.testing.assert_array_equal(found[j][np.isfinite(found[j])], expected)


def test_a_quantile_between_the_same_two_values_is_no_second_edge():
    asked = Neighbors(np.array([[5.0]]))
    gaps = asked.summarize(chunk(np.arange(10.0)[:, None], np.zeros(10, np.int64)))
    found = gaps.edges(np.array([[5.0]]), np.array([[2.5, 4.4, 5.7, 7.5]]))
    assert found.tolist() == [[2.5, 4.5, 5.5, 7.5]]


def test_common_classes_have_no_values_of_their_own():
    draw = np.random.default_rng(2)
    strata = Strata.of(chunk(draw.normal(size=(400, 2)), draw.integers(0, 2, 400)), draw.random(400), 2)
    assert rare_values(strata, False, np.zeros(2, np.int64), 63).shape == (2, 0)


def test_rows_of_one_target_are_taken_together_whatever_their_hash():
    draw = np.random.default_rng(3)
    X, y = draw.normal(size=(30, 1)), draw.integers(-2, 3, 30).astype(float)
    for _ in range(5):
        strata = Strata.of(chunk(X, y), draw.random(30), 2)
        found = [set(rows[:, 0].tolist()) for rows, _ in strata.groups(True)]
        expected = []
        for key in (y, -y):
            ends = np.unique(np.sort(key)[[7, 10, 15, 21]])
            expected += [set(X[key <= end, 0].tolist()) for end in ends if (key > end).any()]
        assert found == expected


def test_bins_of_few_whole_targets_do_not_depend_on_the_unit_of_a_column():
    draw = np.random.default_rng(4)
    for _ in range(10):
        X, y = draw.normal(size=(40, 1)), draw.integers(-1, 2, 40).astype(float)
        one = tn.GradientBoostingRegressor(n_estimators=3, max_bins=16).fit(X, y).predict(X)
        for factor in (2.0**-40, 2.0**40):
            scaled = X * factor
            other = tn.GradientBoostingRegressor(n_estimators=3, max_bins=16).fit(scaled, y).predict(scaled)
            np.testing.assert_array_equal(other, one)
