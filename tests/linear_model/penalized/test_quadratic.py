"""The two ways to the same model: moments, and rows while they are few."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as peer

import tenfold as tn
from tenfold import ElasticNet, ElasticNetCV, Lasso, LassoCV
from tenfold.linear_model.cross_validated import elastic_net_cv
from tenfold.linear_model.penalized import penalized
from tenfold.linear_model.penalized.quadratic import Gram, Wide
from tenfold.sources import part_rows
from tenfold.stats.fold_summaries import FoldMoments, FoldRows
from tenfold.stats.moments.moments import Moments
from tenfold.stats.rows import wide_rows as rows_module
from tenfold.stats.rows.wide_rows import Rows
from tenfold.testing import bits, check_contract, check_laws


def data(n=60, p=1500, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, p)) * 10.0 ** random.integers(-1, 2, p) + random.normal(size=p)
    return X, X[:, :6] @ random.normal(size=6) + random.normal(size=n) + 5, random.uniform(0.3, 2.0, n)


@pytest.fixture
def wide(monkeypatch):
    """Rows are kept whatever the number of columns."""
    for module in (penalized, elastic_net_cv):
        monkeypatch.setattr(module, "MIN_WIDE_FEATURES", 0)
    monkeypatch.setattr(rows_module, "MAX_SHARE_OF_COMOMENTS", 1e9)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.3])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_wide_data_of_scikit_learn(form, l1_ratio, fit_intercept):
    X, y, weight = data()
    X[:, 4:][np.abs(X[:, 4:]) < 0.5] = 0
    how = {"l1_ratio": l1_ratio, "fit_intercept": fit_intercept}
    with part_rows(25):
        model = ElasticNet(0.4, **how).fit(form(X), y, sample_weight=weight)
    assert isinstance(model.summary_, Rows)
    assert "60" in model.certificate_["gap"].because
    wanted = peer.ElasticNet(0.4, tol=1e-12, max_iter=10**6, **how).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, wanted.coef_, atol=1e-7)
    slope = X.T @ (weight * (y - model.predict(X))) / weight.sum() - 0.4 * (1 - l1_ratio) * model.coef_
    inside = model.coef_ != 0
    np.testing.assert_allclose(slope[inside], 0.4 * l1_ratio * np.sign(model.coef_[inside]), rtol=1e-8)
    assert (np.abs(slope[~inside]) <= 0.4 * l1_ratio * (1 + 1e-9)).all()
    assert model.certificate_["gap"].value <= 1e-12


def test_means_far_from_zero_lose_nothing():
    X, y, _ = data()
    far = Lasso(0.5).fit(X + 1e6, y)
    np.testing.assert_allclose(far.coef_, Lasso(0.5).fit(X, y).coef_, atol=1e-8)


def test_the_path_and_folds_of_wide_data():
    X, y, _ = data()
    path = Lasso().fit(X, y).path(15, eps=0.05)
    assert path.gaps.max() <= 1e-12
    alphas, coefs, _ = peer.lasso_path(X - X.mean(axis=0), y - y.mean(), alphas=15, eps=0.05, tol=1e-12, max_iter=10**6)
    np.testing.assert_allclose(path.alphas, alphas, rtol=1e-11)
    np.testing.assert_allclose(path.coefs, coefs.T, atol=1e-6)
    model = LassoCV(alphas=8, eps=0.05, cv=4).fit(X, y)
    assert isinstance(model.summary_, FoldRows)
    wanted = peer.LassoCV(alphas=8, eps=0.05, cv=4, tol=1e-12, max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(model.mse_path_, wanted.mse_path_, rtol=1e-6)
    assert model.alpha_ == pytest.approx(wanted.alpha_)


def test_many_rows_of_many_columns_become_moments():
    X, y, _ = data(n=1200, p=1001)
    with part_rows(500):
        model = Lasso(0.5).fit(X, y)
    assert isinstance(model.summary_, Moments)
    assert isinstance(Lasso(0.5).fit(X[:900], y[:900]).summary_, Rows)
    both = Lasso(0.5).fit(X[:900], y[:900]) + Lasso(0.5).fit(X[900:], y[900:])
    np.testing.assert_allclose(both.coef_, model.coef_, atol=1e-12)


def test_squares_alone_are_solved_by_way_of_the_rows():
    X, y, _ = data()
    model = ElasticNet(0.5, l1_ratio=0.0).fit(X, y)
    wanted = peer.Ridge(0.5 * len(y), solver="svd").fit(X, y)
    np.testing.assert_allclose(model.coef_, wanted.coef_, atol=1e-12)
    assert model.certificate_["gap"].value <= 1e-12


def test_a_file_with_rows(tmp_path):
    X, y, _ = data()
    for some in (X, sp.csr_array(np.where(np.abs(X) > 2, X, 0.0))):
        model = Lasso(0.5).fit(some, y)
        model.save(tmp_path / "wide.tenfold")
        again = tn.load(tmp_path / "wide.tenfold")
        assert bits(again.summary_) == bits(model.summary_)
        assert again.verify().origin == "verified"


@pytest.mark.parametrize("learner", [Lasso(0.1), ElasticNet(0.1)], ids=["lasso", "net"])
def test_rows_obey_the_laws(wide, learner):
    assert isinstance(Lasso().fit([[1.0], [2.0]], [1.0, 2.0]).summary_, Rows)
    check_laws(learner, draws=3)
    assert check_contract(learner, rows=7)


def test_rows_by_fold_obey_the_laws(wide):
    assert isinstance(LassoCV().fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 0.0]).summary_, FoldRows)
    check_laws(ElasticNetCV(alphas=8), draws=3)


def test_both_ways_lead_to_one_model():
    X, y, weight = data(n=80, p=30)
    rows = Rows(weight, y, X.ravel(), np.zeros(0, np.int64), np.full(80, 30), 30)
    for fit_intercept in (True, False):
        a, b = Gram(rows.moments(), fit_intercept), Wide(rows, fit_intercept)
        for alpha, ratio in ((0.05, 1.0), (0.5, 0.5)):
            one, other = (q.values(q.solve(alpha, ratio, False, 1e-13, 10**5)[0]) for q in (a, b))
            np.testing.assert_allclose(one[0], other[0], atol=1e-11)
            assert one[1] == pytest.approx(other[1], abs=1e-10)
            assert a.gap(one[0], alpha, ratio, False) == pytest.approx(b.gap(one[0], alpha, ratio, False), abs=1e-12)


def test_a_gap_is_not_claimed_for_what_is_not_optimal():
    """Any point has a gap, and it covers what the optimum saves."""
    X, y, _ = data(n=50, p=6)
    problem = Gram(Rows(np.ones(50), y, X.ravel(), np.zeros(0, np.int64), np.full(50, 6), 6).moments(), True)
    random = np.random.default_rng(0)

    def objective(coef, ratio):
        off = (y - y.mean()) - (X - X.mean(axis=0)) @ coef
        return off @ off / 100 + 0.3 * ratio * np.abs(coef).sum() + 0.15 * (1 - ratio) * coef @ coef

    for ratio in (1.0, 0.5, 0.0):
        best = problem.values(problem.solve(0.3, ratio, False, 1e-14, 10**5)[0])[0]
        for _ in range(50):
            coef = best + random.normal(size=6) * 10.0 ** random.integers(-4, 1)
            saved = (objective(coef, ratio) - objective(best, ratio)) / (y.var() / 2)
            assert problem.gap(coef, 0.3, ratio, False) >= saved


def test_folds_become_moments_too():
    X, y, _ = data(n=1300, p=1001)
    with part_rows(400):
        model = LassoCV(alphas=[30.0, 10.0], cv=2).fit(X, y)
    assert isinstance(model.summary_, FoldMoments)
