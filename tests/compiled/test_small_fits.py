"""Kernels of small fits say what numpy and the longer ways say."""

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from tenfold.compiled.neighbors.lloyd_rounds import settle
from tenfold.compiled.rows.extremes import all_finite, find_zeros, raise_to_sizes, widen
from tenfold.linear_model.least_squares.normal_equations import from_moments, quick, quick_each
from tenfold.stats.fold_summaries import FoldMoments, but_one
from tenfold.stats.moments.moments import Moments


def test_extremes_leave_nan_out():
    X = np.random.default_rng(0).normal(size=(50, 7))
    X[3, 2] = X[9, 5] = np.nan
    X[:, 6] = np.nan
    low, high, largest = np.full(7, np.inf), np.full(7, -np.inf), np.zeros(7)
    widen(X, low, high)
    raise_to_sizes(X, largest)
    np.testing.assert_array_equal(low[:6], np.nanmin(X[:, :6], axis=0))
    np.testing.assert_array_equal(high[:6], np.nanmax(X[:, :6], axis=0))
    np.testing.assert_array_equal(largest[:6], np.nanmax(np.abs(X[:, :6]), axis=0))
    assert (low[6], high[6], largest[6]) == (np.inf, -np.inf, 0.0)


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_one_value_is_not_finite(odd):
    X = np.full((30, 5), 1e308)
    assert all_finite(X)
    X[29, 4] = odd
    assert not all_finite(X)


def test_rows_of_zeros():
    X = np.zeros((3, 4))
    X[1, 3] = 1e-300
    zero = np.empty(3, bool)
    find_zeros(X, zero)
    assert zero.tolist() == [True, False, True]


def folds(rows=200, columns=6, count=5):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(count, rows, columns + 1))
    X[..., -1] += X[..., :-1].sum(axis=-1)
    mean = X.mean(axis=1)
    comoment = np.stack([(x - m).T @ (x - m) for x, m in zip(X, mean, strict=True)])
    return FoldMoments(np.full(count, float(rows)), mean, np.zeros_like(mean), comoment)


def test_folds_left_out_at_once_are_those_left_out_one_by_one():
    each = folds()
    whole, others = each.but_one()
    same, rest = but_one(each.each())
    for a, b in [(whole, same), *zip(others.each(), rest, strict=True)]:
        assert a.weight == b.weight
        for name in ("mean", "rest", "comoment"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_systems_solved_at_once_are_those_solved_one_by_one(fit_intercept):
    each, alphas = folds(), np.array([10.0, 0.5])
    values, sure = quick_each(each, alphas, fit_intercept)
    assert sure.all()
    for k, m in enumerate(each.each()):
        for a, alpha in enumerate(alphas.tolist()):
            np.testing.assert_array_equal(values[k, a], quick(m, alpha, fit_intercept))
            np.testing.assert_allclose(values[k, a], from_moments(m, alpha, fit_intercept).values, rtol=1e-12)


def test_columns_that_repeat_each_other_are_in_doubt():
    each = folds(columns=2)
    each.comoment[:, 1] = each.comoment[:, 0]
    each.comoment[:, :, 1] = each.comoment[:, :, 0]
    assert not quick_each(each, np.array([0.0]), True)[1].any()


def test_moments_of_other_columns_do_not_merge():
    a, b = folds(columns=2).each()[0], folds(columns=3).each()[0]
    assert isinstance(a, Moments)
    with pytest.raises(ValueError, match="do not merge"):
        a + b


@pytest.mark.parametrize("columns", [2, 20, 150])
def test_centres_settle_at_means(columns):
    rows = np.random.default_rng(2).normal(size=(60, columns)) + np.repeat([[-9.0], [9.0]], 30, axis=0)
    centers = rows[[0, 59]].copy()
    inertia = settle(rows, np.ones(60), centers, 100, 1e-7)
    np.testing.assert_allclose(centers, [rows[:30].mean(axis=0), rows[30:].mean(axis=0)], rtol=1e-12)
    np.testing.assert_allclose(inertia, sum(((r - r.mean(axis=0)) ** 2).sum() for r in (rows[:30], rows[30:])))


@pytest.mark.parametrize("name", ["LinearRegression", "Ridge", "RidgeCV", "Lasso", "PoissonRegressor"])
def test_nobody_complains_of_rows_without_numbers(name, capfd):
    """BLAS does, of a matrix without columns: it prints, and goes on."""
    X = pd.DataFrame({"colour": ["red", "blue", "green"] * 8})
    y = np.arange(24) % 3 + np.arange(24) % 5 + 1.0
    assert np.isfinite(getattr(tn, name)().fit(X, y).predict(X)).all()
    assert capfd.readouterr() == ("", "")
