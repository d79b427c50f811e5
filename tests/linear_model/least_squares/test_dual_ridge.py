"""Ridge regression of more features than rows: the dual has the same answer, and says how near it is."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge as Peer

import tenfold as tn
from rational import exact_solution
from tenfold import Ridge
from tenfold.linear_model.least_squares import dual_ridge
from tenfold.sources import part_rows
from tenfold.stats.moments.moments import Moments
from tenfold.stats.rows.wide_rows import Rows
from tenfold.testing import bits, check_laws


@pytest.fixture
def wide(monkeypatch):
    """A few features are many."""
    monkeypatch.setattr(dual_ridge, "MIN_WIDE_FEATURES", 3)


def data(n=30, p=1200, shift=0.0, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, p)) + shift
    return X, 3 * X[:, 0] + random.normal(size=n) + 7, random.integers(0, 3, n).astype(float)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("alpha", "shift"), [(1.0, 0.0), (1e-6, 5.0), (100.0, 1000.0)])
def test_equals_scikit_learn_with_weights_and_in_any_form(alpha, shift, fit_intercept):
    X, y, weight = data(shift=shift)
    theirs = Peer(alpha, fit_intercept=fit_intercept).fit(X, y, weight)
    size = np.abs(theirs.coef_).max()
    for rows in (X, X.astype(np.float64, order="F"), sp.csr_array(X)):
        with part_rows(11):
            model = Ridge(alpha, fit_intercept=fit_intercept).fit(rows, y, weight)
        assert isinstance(model.summary_, Rows)
        assert f"dual of {(weight > 0).sum()} rows" in model.certificate_["gap"].because
        loose = 1e-6 if shift == 1000.0 and (sp.issparse(rows) or not fit_intercept) else 1e-11
        np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=0, atol=loose * size)
        np.testing.assert_allclose(model.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-6)


def test_equals_the_normal_equations_and_merges_into_them(wide):
    X, y, _ = data(40, 12)
    with part_rows(9):
        few, more = Ridge(0.3).fit(X[:8], y[:8]), Ridge(0.3).fit(X[8:], y[8:])
        assert isinstance(few.summary_, Rows)
        assert isinstance(more.summary_, Moments)
        np.testing.assert_allclose((few + more).coef_, Ridge(0.3).fit(X, y).coef_, rtol=1e-10)
        half, other = Ridge(0.3).fit(X[:4], y[:4]), Ridge(0.3).fit(X[4:8], y[4:8])
    assert bits((half + other).model_) == bits(few.model_)
    A = X[:8] - X[:8].mean(axis=0)
    wanted = np.linalg.solve(A.T @ A + 0.3 * np.eye(12), A.T @ (y[:8] - y[:8].mean()))
    np.testing.assert_allclose(few.coef_, wanted, rtol=1e-9)
    assert few.standard_errors_.shape == (13,)


def test_digits_and_gap_hold(wide):
    """Beside exact fractions: no coefficient is farther off than the digits say, nor the objective than the gap."""
    for seed, shift, alpha in ((0, 0.0, 1.0), (1, 100.0, 1e-3), (2, 1e5, 0.1), (3, 0.0, 1e-8)):
        X, y, _ = data(6, 12, shift, seed)
        model = Ridge(alpha).fit(X, y)
        assert isinstance(model.summary_, Rows)
        exact = exact_solution(X, y, alpha, True)[:-1]
        share = np.abs(model.coef_ - exact) / np.abs(exact)
        assert share.max() <= 10 ** -model.certificate_["digits"].value, (seed, share.max())
        assert model.certificate_["digits"].value > 6
        A, t = X - X.mean(axis=0), y - y.mean()

        def value(b, A=A, t=t, alpha=alpha):
            return 0.5 * ((t - A @ b) ** 2).sum() + 0.5 * alpha * (b**2).sum()

        worse = model.coef_ * (1 + 1e-4)
        problem = model._problem(model.schema_)
        gap = dual_ridge.claims_of(problem, model.model_._replace(coef=worse), model.summary_)[0].value * 0.5 * (t @ t)
        assert value(worse) - value(exact) <= gap


def test_laws_hold_of_rows_that_become_moments(wide):
    check_laws(Ridge(0.5), 2)


def test_constant_columns_categories_and_few_rows(wide):
    X, y, _ = data(6, 10)
    X[:, 4] = 2.5
    model = Ridge(1.0).fit(X, y)
    assert isinstance(model.summary_, Rows)
    assert model.coef_[4] == 0
    frame = pd.DataFrame({"a": X[:, 0], "b": list("uvwxyz"), "c": list("uvuvuv")})
    model = Ridge(1.0).fit(frame, y)
    assert isinstance(model.summary_, Rows)
    design = pd.get_dummies(frame).to_numpy(dtype=float)
    np.testing.assert_allclose(model.predict(frame), Peer(1.0).fit(design, y).predict(design), rtol=1e-10)
    one = Ridge(1.0).fit(X[:1], y[:1])
    assert not one.coef_.any()
    assert one.intercept_ == y[0]
    with pytest.raises(tn.DataError, match="too large to be squared"):
        Ridge(1.0).fit(X * 1e200, y)


def test_folds_and_files(wide, tmp_path):
    X, y, _ = data(30, 40)
    ours, theirs = tn.cross_validate([Ridge(1.0), Peer(1.0)], X, y, folds=5).scores
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)
    model = Ridge(1.0).fit(X, y)
    model.save(tmp_path / "m.tenfold")
    assert bits(tn.load(tmp_path / "m.tenfold").model_) == bits(model.model_)


@pytest.mark.parametrize("alpha", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_sparse_rows_are_solved_by_their_products_alone(alpha, fit_intercept, monkeypatch):
    random = np.random.default_rng(1)
    X = sp.random_array((80, 1500), density=0.02, format="csr", rng=1)
    y, weight = X @ random.normal(size=1500) + 5, random.integers(0, 3, 80).astype(float)
    by_matrix = Ridge(alpha, fit_intercept=fit_intercept).fit(X.toarray(), y, weight)
    monkeypatch.setattr(dual_ridge, "by_cholesky", None)
    model = Ridge(alpha, fit_intercept=fit_intercept).fit(X, y, weight)
    np.testing.assert_allclose(model.coef_, by_matrix.coef_, atol=1e-10 * np.abs(by_matrix.coef_).max())
    np.testing.assert_allclose(model.intercept_, by_matrix.intercept_, rtol=1e-10)
    assert model.certificate_["gap"].value < 1e-20
    error = np.abs(model.coef_ - by_matrix.coef_) / np.abs(by_matrix.coef_).max()
    assert -np.log10(error.max()) > model.certificate_["digits"].value > 6


def test_sparse_rows_that_take_many_steps_are_solved_by_their_matrix(monkeypatch):
    X = sp.random_array((80, 1500), density=0.02, format="csr", rng=1)
    y = X @ np.random.default_rng(1).normal(size=1500)
    expected = Ridge(1e-9).fit(X.toarray(), y)
    monkeypatch.setattr(dual_ridge, "MAX_CG_STEPS", 3)
    np.testing.assert_allclose(Ridge(1e-9).fit(X, y).coef_, expected.coef_, rtol=1e-6, atol=1e-9)
    monkeypatch.setattr(dual_ridge, "by_cholesky", None)
    with pytest.raises(TypeError):
        Ridge(1e-9).fit(X, y)


def test_erratum_16_the_dual_pays_off_where_columns_are_many():
    """It has as many unknowns as rows: 30 x 1,200 is solved by rows, 1,200 x 30 by the products of columns."""
    random = np.random.default_rng(9)
    for rows, columns, kept, words in ((30, 1200, Rows, "dual of 30 rows"), (1200, 30, Moments, "normal equations")):
        X, y = random.normal(size=(rows, columns)), random.normal(size=rows)
        model = Ridge(2.0, fit_intercept=False).fit(X, y)
        assert isinstance(model.summary_, kept)
        assert words in model.certificate_["gap"].because
        a = np.linalg.solve(X @ X.T + 2 * np.eye(rows), y)
        np.testing.assert_allclose(model.coef_, X.T @ a, rtol=1e-7, atol=1e-9)
