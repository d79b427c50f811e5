"""Sums of squares and products, by group and by class, against numpy."""

import numpy as np
import pytest

from compiled.ways import both_ways
from tenfold.compiled.moments import comoments as co
from tenfold.compiled.moments.scatter import add_scatter
from tenfold.compiled.moments.spread import add_spread, add_spread_present, rule_out

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(67, 3)) + [1e6, -3.0, 0.0]
Y = RANDOM.normal(size=67) + 50
SHIFT = np.append(X[0], Y[0])
WEIGHT = RANDOM.integers(0, 4, 67) / 2


def gram_of(rows, y, weight, shift):
    d = np.column_stack([rows - shift[:3], y - shift[3], np.ones(len(rows))])
    return np.tril((d * weight[:, None]).T @ d)


@both_ways(co.add_comoments)
@pytest.mark.parametrize("height", [1, 8, 100])
@pytest.mark.parametrize("weighted", [False, True])
def test_gram_matrices_around_a_shift(run, height, weighted):
    weight = WEIGHT if weighted else np.ones(67)
    found = np.zeros((5, 5))
    run(X, Y, np.sqrt(WEIGHT) if weighted else np.empty(0), SHIFT, height, found)
    np.testing.assert_allclose(np.tril(found), gram_of(X, Y, weight, SHIFT), rtol=1e-12, atol=1e-9)


@both_ways(co.add_comoments)
def test_without_a_target(run):
    found = np.zeros((4, 4))
    run(X, np.empty(0), np.empty(0), SHIFT[:3], 10, found)
    d = np.column_stack([X - SHIFT[:3], np.ones(67)])
    np.testing.assert_allclose(np.tril(found), np.tril(d.T @ d), rtol=1e-12, atol=1e-9)


@both_ways(co.add_comoments_in_place)
@pytest.mark.parametrize("height", [1, 9, 100])
def test_of_rows_that_are_shifted_already(run, height):
    found = np.ones((5, 5))
    run(X - SHIFT[:3], Y, SHIFT, height, found)
    wanted = gram_of(X, Y, np.ones(67), SHIFT) + np.tril(np.ones((5, 5)))
    np.testing.assert_allclose(np.tril(found), wanted, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("height", [7, 100])
def test_of_columns(narrow, height):
    """Compiled only: columns come by their addresses."""
    columns = [np.ascontiguousarray(X[:, j]) for j in range(3)]
    addresses = np.array([one.ctypes.data for one in columns], np.uint64).astype(np.int64)
    found = np.zeros((5, 5))
    co.add_comoments_columns(addresses, columns[0][:0], Y, SHIFT, SHIFT[:3], height, narrow, found)
    np.testing.assert_allclose(np.tril(found), gram_of(X, Y, np.ones(67), SHIFT), rtol=1e-12, atol=1e-9)


@both_ways(co.add_comoments_by)
@pytest.mark.parametrize("weighted", [False, True])
def test_by_group_one_of_which_is_left_out_and_one_empty(run, weighted):
    group = RANDOM.integers(-1, 3, 67)
    group[group == 1] = 3  # nobody is in group 1
    found = np.zeros((4, 5, 5))
    counts, buffer = np.empty(5, np.int64), np.empty((67, 5))
    run(X, Y, np.sqrt(WEIGHT) if weighted else np.empty(0), group, SHIFT, counts, buffer, found)
    for g in range(4):
        some, weight = group == g, WEIGHT if weighted else np.ones(67)
        wanted = gram_of(X[some], Y[some], weight[some], SHIFT)
        np.testing.assert_allclose(np.tril(found[g]), wanted, rtol=1e-12, atol=1e-9)


@both_ways(add_scatter)
@pytest.mark.parametrize("weighted", [False, True])
def test_scatter_around_the_shift_of_each_class(run, weighted):
    group, label = RANDOM.integers(-1, 2, 67), RANDOM.integers(0, 3, 67)
    shift, weight = RANDOM.normal(size=(3, 3)) + X[0], WEIGHT if weighted else np.ones(67)
    gram, sums, total = np.zeros((2, 3, 3)), np.zeros((2, 3, 3)), np.zeros((2, 3))
    given = (WEIGHT, np.sqrt(WEIGHT)) if weighted else (np.empty(0), np.empty(0))
    run(X, *given, group, label, shift, np.empty(3, np.int64), np.empty((67, 3)), gram, sums, total)
    for g in range(2):
        d = (X - shift[label])[group == g]
        w = weight[group == g]
        np.testing.assert_allclose(np.tril(gram[g]), np.tril((d * w[:, None]).T @ d), rtol=1e-12, atol=1e-9)
        for c in range(3):
            some = label[group == g] == c
            np.testing.assert_allclose(sums[g, c], w[some] @ d[some], rtol=1e-12, atol=1e-9)
            assert total[g, c] == pytest.approx(w[some].sum())


@both_ways(add_spread)
@pytest.mark.parametrize("height", [1, 8, 100])
def test_mean_and_squares_by_group(run, height):
    """Large means beside small spreads: no digits are lost."""
    group = RANDOM.integers(0, 3, 67)
    group[group == 1] = 2  # nobody is in group 1
    shift, weight, mean, square = np.zeros((3, 3)), np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    rows = X + 1e8
    for some in (slice(0, 30), slice(30, 67)):  # in two calls
        run(rows[some], group[some], WEIGHT[some] + 1, height, False, shift, weight, mean, square)
    for g in (0, 2):
        some, w = rows[group == g], WEIGHT[group == g] + 1
        middle = np.average(some, axis=0, weights=w)
        assert weight[g] == w.sum()
        np.testing.assert_allclose(shift[g] + mean[g], middle, rtol=1e-15)
        np.testing.assert_allclose(square[g], w @ (some - middle) ** 2, rtol=1e-6)
    assert not weight[1]
    assert not square[1].any()


@both_ways(add_spread_present)
@pytest.mark.parametrize("height", [1, 8, 100])
def test_mean_and_squares_of_what_is_not_missing(run, height):
    rows = X.copy()
    rows[RANDOM.random(rows.shape) < 0.3] = np.nan
    rows[:9, 0] = np.nan  # a first block without a value
    rows[:, 2] = np.nan
    group = RANDOM.integers(0, 2, len(rows))
    rows[group == 1, 1] = np.nan  # a group without a value
    shift, weight, mean, square = (np.zeros((2, 3)) for _ in range(4))
    run(rows, group, WEIGHT + 1, height, False, shift, weight, mean, square)
    for g, j in ((0, 0), (1, 0), (0, 1)):
        there = ~np.isnan(rows[:, j]) & (group == g)
        middle = np.average(rows[there, j], weights=WEIGHT[there] + 1)
        assert weight[g, j] == (WEIGHT[there] + 1).sum()
        assert shift[g, j] + mean[g, j] == pytest.approx(middle, rel=1e-14)
        assert square[g, j] == pytest.approx((WEIGHT[there] + 1) @ (rows[there, j] - middle) ** 2, rel=1e-10)
    for g, j in ((1, 1), (0, 2), (1, 2)):
        assert (weight[g, j], mean[g, j], square[g, j]) == (0, 0, 0)


@both_ways(rule_out)
def test_columns_that_are_zeros_and_ones_or_counts(run):
    rows = np.array([[0.0, 3.0, 1.0], [1.0, np.nan, 0.0], [np.nan, 0.5, -1.0]])
    binary, counts = np.ones((2, 3), bool), np.ones((2, 3), bool)
    run(rows, np.array([0, 0, 1]), binary, counts)
    assert binary.tolist() == [[True, False, True], [True, False, False]]
    assert counts.tolist() == [[True, True, True], [True, True, False]]
