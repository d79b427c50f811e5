"""Distributions of columns: exact of few values; of many, the same bits always, and within the stated rank error."""

import numpy as np
import pytest

from tenfold.core import Chunk, Columns
from tenfold.core.axes import bits
from tenfold.stats.counts import distribution
from tenfold.stats.counts.distribution import DistributionByColumn


def summary(X, weight=None):
    X = np.asarray(X, dtype=np.float64)
    uniform = weight is None
    weight = np.ones(len(X)) if uniform else np.asarray(weight, dtype=np.float64)
    return DistributionByColumn().summarize(Chunk(Columns(X, missing=True), None, weight, uniform, 0, 0))


@pytest.fixture
def few_groups(monkeypatch):
    monkeypatch.setattr(distribution, "MAX_COLUMN_GROUPS", 64)
    monkeypatch.setattr(distribution, "MIN_COLUMN_GROUPS", 64)


SHARES = np.array([0.0, 0.01, 0.25, 0.5, 0.75, 0.999, 1.0])


def columns(n=3000):
    random = np.random.default_rng(0)
    return np.column_stack(
        [
            random.normal(size=n),
            random.integers(-3, 30, n),
            np.where(random.random(n) < 0.5, 0.0, random.exponential(size=n)),
            1.6e9 + 1e7 * random.random(n),
            np.exp(5 * random.normal(size=n)) * random.choice([-1, 1], n),
            np.full(n, -0.0),
        ]
    )


def test_quantiles_are_those_of_numpy():
    X = columns()
    X[::7, 0] = np.nan
    found = summary(X)
    assert found.rank_error == 0
    assert found.missing.tolist() == [np.isnan(X[:, 0]).sum(), 0, 0, 0, 0, 0]
    for j, column in enumerate(found.columns):
        np.testing.assert_array_equal(column.quantiles(SHARES), np.nanquantile(X[:, j], SHARES))


def test_quantiles_do_not_depend_on_the_order_of_adding_weights():
    """Nine of fifteen rows are 1: a share of 6/15 of the weight lies between two values, however it was summed."""
    X = np.array([1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0])[:, None]
    weight = np.full(15, 1 / 15)
    whole = summary(X, weight)
    parts = [summary(X[:cut], weight[:cut]) + summary(X[cut:], weight[cut:]) for cut in range(1, 15)]
    assert len({float(each.weight[0]) for each in [whole, *parts]}) > 1
    for each in [whole, *parts]:
        (found,) = each.column(0).quantiles(np.array([0.4]), "averaged_inverted_cdf")
        (first,) = each.column(0).quantiles(np.array([0.4]), "inverted_cdf")
        assert (found, first) == (0.5, 0.0)


def test_a_weight_of_whole_numbers_repeats_rows():
    X, weight = columns(500), np.random.default_rng(1).integers(0, 4, 500)
    kept = weight > 0
    found = summary(X[kept], weight[kept])
    assert bits(found) == bits(summary(np.repeat(X, weight, axis=0)))
    shares = summary(X[kept], weight[kept] / 8)  # the scale of weights that count no rows does not matter
    for a, b, values in zip(found.columns, shares.columns, X.T, strict=True):
        expected = np.quantile(np.repeat(values, weight), SHARES[1:-1], method="averaged_inverted_cdf")
        np.testing.assert_array_equal(b.quantiles(SHARES[1:-1]), expected)
        np.testing.assert_array_equal(a.quantiles(SHARES[1:-1], "averaged_inverted_cdf"), expected)
        expected = np.quantile(np.repeat(values, weight), SHARES[1:-1], method="inverted_cdf")
        np.testing.assert_array_equal(a.quantiles(SHARES[1:-1], "inverted_cdf"), expected)
        assert a.mode() == b.mode()


@pytest.mark.parametrize("cuts", [[1500], [1, 2, 2, 700], list(range(0, 3000, 97))])
def test_bits_do_not_depend_on_cuts_or_order(few_groups, cuts):
    X = columns()
    whole = summary(X)
    pieces = [summary(some) for some in np.split(np.random.default_rng(2).permutation(X), cuts)]
    joined = pieces[0]
    for piece in pieces[1:]:
        joined = joined + piece
    tree = pieces
    while len(tree) > 1:
        tree = [sum_of(tree[k : k + 2]) for k in range(0, len(tree), 2)]
    assert bits(whole) == bits(joined) == bits(tree[0])
    assert max(np.diff(whole.first)) <= 64
    assert whole.is_valid(None)


def sum_of(some):
    return some[0] if len(some) == 1 else some[0] + some[1]


def test_quantiles_of_many_values_are_within_the_stated_rank_error(few_groups):
    X = columns()
    found = summary(X)
    assert 0 < found.rank_error < 0.2
    for j, column in enumerate(found.columns):
        ranks = np.sort(X[:, j])
        for share, value in zip(SHARES, column.quantiles(SHARES), strict=True):
            low, high = np.searchsorted(ranks, value, "left"), np.searchsorted(ranks, value, "right")
            off = max(low - share * (len(X) - 1) - 1, share * (len(X) - 1) - high, 0)
            assert off <= column.rank_error * len(X) + 1
        assert column.quantiles(np.array([0.0, 1.0])).tolist() == [ranks[0], ranks[-1]]
    assert found.column(2).mode() == 0.0  # a value that is half of all is not lost among others
    assert found.column(1).rank_error == 0  # 33 whole numbers are few
    assert found.column(5).quantiles(np.array([0.5])).tobytes() == np.zeros(1).tobytes()  # no -0


def test_the_error_is_small_for_many_rows():
    X = np.random.default_rng(3).normal(size=(300_000, 1))
    found = summary(X)
    assert len(found.low) > 20_000
    assert 0 < found.rank_error < 1e-3
    assert abs(found.column(0).quantiles(np.array([0.3]))[0] - np.quantile(X, 0.3)) < 1e-3


def test_of_no_values():
    empty = summary(np.empty((0, 2)))
    gone = summary(np.full((3, 2), np.nan))
    assert np.isnan(gone.column(0).quantiles(SHARES)).all()
    assert np.isnan(gone.column(0).mode())
    assert bits(empty + gone) == bits(gone)
