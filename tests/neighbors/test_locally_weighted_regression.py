"""Locally weighted regression: beside weighted least squares by hand, and what happens where rows are few or alike."""

import numpy as np
import pytest

import tenfold as tn

random = np.random.default_rng(0)
X = random.uniform(-2, 2, size=(150, 2))
Y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * random.normal(size=150)
Q = random.uniform(-2, 2, size=(20, 2))


def tricube(u):
    return np.maximum(1 - u**3, 0) ** 3


def by_hand(x, degree, weight_of, k=25, h=None, rows=X, y=Y):
    """The polynomial's value at x, by weighted least squares around x."""
    away = np.sqrt(((rows - x) ** 2).sum(axis=1))
    h = np.sort(away)[k - 1] if h is None else h
    w = np.where(away <= h, weight_of(away / h), 0.0)
    Z = rows - x
    columns = [np.ones(len(rows))]
    if degree > 0:
        columns += list(Z.T)
    if degree > 1:
        columns += [Z[:, 0] ** 2, Z[:, 0] * Z[:, 1], Z[:, 1] ** 2]
    A = np.column_stack(columns)
    return np.linalg.lstsq(A * np.sqrt(w)[:, None], y * np.sqrt(w), rcond=None)[0][0]


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_it_is_weighted_least_squares_at_each_row(degree):
    model = tn.LocallyWeightedRegression(25, degree=degree).fit(X, Y)
    np.testing.assert_allclose(model.predict(Q), [by_hand(x, degree, tricube) for x in Q], rtol=1e-8)
    wide = tn.LocallyWeightedRegression(bandwidth=0.9, degree=degree, kernel="gaussian").fit(X, Y)
    gauss = [by_hand(x, degree, lambda u: np.exp(-4.5 * u**2), h=0.9) for x in Q]
    np.testing.assert_allclose(wide.predict(Q), gauss, rtol=1e-8)


def test_erratum_28_locally_weighted_regression_needs_weights():
    """The textbook fits a plane to the k nearest rows, all alike: it jumps wherever a row enters, and errs more."""
    x = np.sort(np.random.default_rng(1).uniform(0, 6, 120))[:, None]
    y = np.sin(2 * x[:, 0]) + 0.1 * np.random.default_rng(2).normal(size=120)
    grid = np.linspace(0.5, 5.5, 4000)[:, None]
    ours = tn.LocallyWeightedRegression(25).fit(x, y).predict(grid)
    textbook = np.array([by_hand(g, 1, np.ones_like, 25, rows=x, y=y) for g in grid])
    np.testing.assert_allclose(tn.LocallyWeightedRegression(25, kernel="uniform").fit(x, y).predict(grid), textbook)
    assert np.abs(np.diff(textbook)).max() > 5 * np.abs(np.diff(ours)).max()
    truth = np.sin(2 * grid[:, 0])
    assert np.mean((ours - truth) ** 2) < 0.7 * np.mean((textbook - truth) ** 2)


def test_a_plane_is_found_wherever_it_is():
    plane = 3.0 + X @ [2.0, -1.0]
    model = tn.LocallyWeightedRegression(12).fit(X + 1e6, plane)
    np.testing.assert_allclose(model.predict(Q + 1e6), 3.0 + Q @ [2.0, -1.0], rtol=1e-6)


def test_rows_that_tell_no_slope():
    one = tn.LocallyWeightedRegression(5).fit(np.ones((8, 2)), np.arange(8.0))
    np.testing.assert_allclose(one.predict([[1.0, 1.0], [5.0, 0.0]]), 3.5)
    line = tn.LocallyWeightedRegression(6).fit(np.column_stack([np.arange(9.0), np.full(9, 2.0)]), np.arange(9.0))
    np.testing.assert_allclose(line.predict([[3.3, 2.0]]), 3.3)
    assert tn.LocallyWeightedRegression().fit([[1.0]], [4.0]).predict([[7.0]]).tolist() == [4.0]


def test_one_row_that_counts_is_its_target_beside_any_other_query():
    """With rounding, one row is a little off its own weighted centre: that is no slope."""
    rows, y = random.normal(size=(200, 2)), random.normal(size=200)
    weight = random.integers(1, 3, 200).astype(float)
    for degree in (1, 2):
        model = tn.LocallyWeightedRegression(2, kernel="epanechnikov", degree=degree)
        model.fit(rows, y, sample_weight=weight)
        queries = random.normal(size=(300, 2))
        away = ((queries[:, None] - rows) ** 2).sum(axis=2)
        nearest = away.argmin(axis=1)
        alone = weight[nearest] == 1  # the second of two is as far as h and counts nothing
        found = model.predict(queries)
        np.testing.assert_allclose(found[alone], y[nearest][alone], rtol=1e-12)
        np.testing.assert_allclose([model.predict(q[None])[0] for q in queries[:40]], found[:40], rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_rows_whose_differences_underflow_when_squared_tell_no_slope():
    # One row counts, and its own mean is off by a rounding of 1e-301: its square is 0, itself is not.
    rows = np.array([[-2.5e-301, 4.41e9], [8.47e-301, -2.252e10]])
    model = tn.LocallyWeightedRegression().fit(rows, [-0.8, -1.2])
    assert model.predict([[-8.43e-301, -6.48e9]]).tolist() == [-0.8]


def test_the_order_of_equally_far_rows_does_not_matter():
    rows = random.integers(0, 4, (60, 2)).astype(float)
    y, order = random.normal(size=60), random.permutation(60)
    for kernel in ("tricube", "uniform"):
        a = tn.LocallyWeightedRegression(9, kernel=kernel).fit(rows, y).predict(rows)
        b = tn.LocallyWeightedRegression(9, kernel=kernel).fit(rows[order], y[order]).predict(rows)
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def test_leave_one_out_error_is_that_of_leaving_each_out():
    some = slice(0, 60)
    model = tn.LocallyWeightedRegression(15).fit(X[some], Y[some])
    others = [np.delete(np.arange(60), i) for i in range(60)]
    off = [tn.LocallyWeightedRegression(15).fit(X[o], Y[o]).predict(X[[i]])[0] - Y[i] for i, o in enumerate(others)]
    claim = model.certificate_["leave-one-out error"]
    assert claim.value == pytest.approx(np.sqrt(np.mean(np.square(off))), rel=1e-9)
    weight = random.integers(1, 3, 60).astype(float)
    again = np.repeat(np.arange(60), weight.astype(int))
    weighted = tn.LocallyWeightedRegression(15).fit(X[some], Y[some], sample_weight=weight)
    repeated = tn.LocallyWeightedRegression(15).fit(X[again], Y[again])
    np.testing.assert_allclose(weighted.predict(Q), repeated.predict(Q), rtol=1e-8)
    assert weighted.certificate_["leave-one-out error"].value == pytest.approx(
        repeated.certificate_["leave-one-out error"].value, rel=1e-8
    )
