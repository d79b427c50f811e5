"""Lasso and elastic net: scikit-learn, the optimality conditions, closed forms, certificates from both sides."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.linear_model as peer

import tenfold as tn
import tiers
from linear_model.penalized.gaps import MODELS, broken
from tenfold import ElasticNet, Lasso, LinearRegression, Ridge
from tenfold.sources import part_rows
from tenfold.testing import bits


def data(seed=0, n=300, p=12):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, p)) * 10.0 ** random.integers(-1, 2, p) + random.normal(size=p) * 5
    y = X @ (random.normal(size=p) * (random.random(p) < 0.5)) + random.normal(size=n) + 7
    return X, y, random.uniform(0.1, 3.0, n) * (random.random(n) < 0.8)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # rounding keeps the peer from such a gap
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5, 0.05])
def test_scikit_learn(l1_ratio, positive, fit_intercept, weighted):
    X, y, weight = data()
    weight = weight if weighted else None
    for alpha in (0.02, 0.5):
        how = {"l1_ratio": l1_ratio, "fit_intercept": fit_intercept, "positive": positive}
        with part_rows(70):
            model = ElasticNet(alpha, **how).fit(X, y, sample_weight=weight)
        wanted = peer.ElasticNet(alpha, tol=1e-15, max_iter=100_000, **how).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(model.coef_, wanted.coef_, rtol=1e-9, atol=1e-11)
        assert model.intercept_ == pytest.approx(wanted.intercept_, rel=1e-9)
        assert model.certificate_["gap"].value <= model.tol
        assert model.certificate_["nonzero"].value == np.count_nonzero(wanted.coef_)


def test_lasso_is_the_elastic_net_without_squares():
    X, y, _ = data()
    a, b = Lasso(0.3).fit(X, y), ElasticNet(0.3, l1_ratio=1.0).fit(X, y)
    assert np.array_equal(a.coef_, b.coef_)
    assert a.dual_gap_ == b.dual_gap_


def test_without_absolute_values_it_is_ridge():
    X, y, weight = data()
    model = ElasticNet(0.3, l1_ratio=0.0).fit(X, y, sample_weight=weight)
    ridge = Ridge(0.3 * weight.sum()).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-11)


def test_with_next_to_no_penalty_it_is_least_squares():
    X, y, _ = data()
    np.testing.assert_allclose(Lasso(1e-13).fit(X, y).coef_, LinearRegression().fit(X, y).coef_, atol=1e-11)


def test_orthogonal_columns_are_thresholded_one_by_one():
    """Where XᵀX = n, the lasso is sign(b) (|b| - α)₊ of the least squares coefficients b."""
    random = np.random.default_rng(0)
    Q = np.linalg.qr(random.normal(size=(50, 6)) - 0.0)[0]
    X = np.sqrt(50) * Q
    y = random.normal(size=50) * 3
    b = X.T @ y / 50
    model = Lasso(0.4, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, np.sign(b) * np.maximum(np.abs(b) - 0.4, 0), atol=1e-14)


def test_conditions_of_the_optimum():
    """Xᵀr/n is α for columns in the model, with the sign of the coefficient, and no more for the others."""
    X, y, _ = data(3, n=100, p=60)
    model = Lasso(0.2).fit(X, y)
    slope = (X - X.mean(axis=0)).T @ (y - model.predict(X)) / len(y)
    inside = model.coef_ != 0
    assert 0 < inside.sum() < 60
    np.testing.assert_allclose(slope[inside], 0.2 * np.sign(model.coef_[inside]), rtol=1e-10)
    assert (np.abs(slope[~inside]) <= 0.2).all()


def test_equal_columns_share_their_coefficient():
    X, y, _ = data()
    twice = np.column_stack([X[:, :3], X[:, :1]])
    coef = ElasticNet(0.1).fit(twice, y).coef_
    assert coef[0] == pytest.approx(coef[3], rel=1e-12)


@pytest.mark.parametrize("name", ["ridge", "lasso", "elastic net"])
def test_certified_gap_is_the_true_gap_from_both_sides(name):
    # problems of Ridge are cheap, and one of eight shows whether rounding is left out
    some = tiers.draws(60, 200) if name == "ridge" else tiers.draws(12, 50)
    below, above, largest = broken(MODELS[name], draws=some, first=5000)
    assert not below, "the certified gap is below the true one"
    assert not above, "the certified gap is far above the true one"
    assert largest <= 1e-12


def test_the_gap_says_that_a_descent_was_cut_off():
    X, y, _ = data(1, n=40, p=39)
    X[:, 1:] += 10 * X[:, :1]
    rough, fine = (Lasso(1e-3, max_iter=most).fit(X, y) for most in (1, 100_000))

    def objective(model):
        return ((y - model.predict(X)) ** 2).mean() / 2 + 1e-3 * np.abs(model.coef_).sum()

    true = (objective(rough) - objective(fine)) / (y.var() / 2)
    claim = rough.certificate_["gap"]
    assert claim.value >= true > rough.tol
    assert "max_iter" in claim.because
    assert rough.dual_gap_ == pytest.approx(claim.value * y.var() / 2)


def test_constant_columns_and_targets():
    X, y, _ = data()
    X[:, 4] = 3.7
    model = Lasso(0.1).fit(X, y)
    assert model.coef_[4] == 0
    assert model.certificate_["constant columns"].value == 1
    still = Lasso(0.1).fit(X, np.full(len(X), 2.5))
    assert not still.coef_.any()
    assert still.intercept_ == 2.5
    assert still.certificate_["gap"].value == 0


def test_sparse_rows_are_dense_rows():
    X, y, _ = data()
    X[np.abs(X) < 3] = 0
    a, b = Lasso(0.1).fit(X, y), Lasso(0.1).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-12)


def test_categories_are_columns_of_zeros_and_ones():
    X, y, _ = data(p=3)
    random = np.random.default_rng(1)
    color = np.array(["red", "green", "blue"])[random.integers(0, 3, len(y))]
    y = y + 4 * (color == "red")
    frame = pd.DataFrame({"a": X[:, 0], "color": color, "b": X[:, 1]})
    model = Lasso(0.1).fit(frame, y)
    plain = np.column_stack([X[:, 0], color == "blue", color == "green", color == "red", X[:, 1]]).astype(float)
    np.testing.assert_allclose(model.coef_, Lasso(0.1).fit(plain, y).coef_, rtol=1e-10)
    assert model.coef_names_.tolist() == ["a", "color_blue", "color_green", "color_red", "b"]
    assert model.path(3).names == ("a", "color_blue", "color_green", "color_red", "b")


def test_one_scan_serves_penalties_and_ridge():
    X, y, _ = data()
    both = [Lasso(0.01), Lasso(0.1), ElasticNet(0.1), Ridge()]
    cv = tn.cross_validate(both, X, y, folds=5)
    assert cv.scans == 1
    tuned = tn.tune(Lasso(), {"alpha": [0.01, 0.1, 1.0]}, X, y, folds=5)
    assert tuned.scans == 1
    for k, test in enumerate(np.array_split(np.arange(len(y)), 5)):
        train = np.setdiff1d(np.arange(len(y)), test)
        alone = Lasso(0.1).fit(X[train], y[train]).score(X[test], y[test])
        assert cv.scores[1, 0, k] == pytest.approx(alone, rel=1e-10)


def test_a_file_brings_everything_back(tmp_path):
    X, y, _ = data()
    model = Lasso(0.1).fit(X, y)
    model.save(tmp_path / "lasso.tenfold")
    again = tn.load(tmp_path / "lasso.tenfold")
    assert bits(again.model_) == bits(model.model_)
    assert again.verify().origin == "verified"
    assert np.array_equal(again.path(5).coefs, model.path(5).coefs)


@pytest.mark.parametrize("wrong", [{"alpha": 0.0}, {"l1_ratio": 1.5}, {"max_iter": 0}])
def test_refused(wrong):
    with pytest.raises(ValueError):
        ElasticNet(**wrong).fit([[1.0], [2.0]], [1.0, 2.0])


SCALINGS = [
    # what stands before Σ (y - ŷ)² and before λ Σ |β|ᵏ, and alpha of Lasso (k = 1) and of Ridge (k = 2), for λ = 1
    (lambda n, k: (1.0, 1.0), lambda n: (1 / (2 * n), 1.0)),
    (lambda n, k: (0.5, 0.5), lambda n: (1 / (2 * n), 1.0)),
    (lambda n, k: (0.5, 1.0), lambda n: (1 / n, 2.0)),
    (lambda n, k: (1 / n, 1.0), lambda n: (1 / 2, n)),
    (lambda n, k: (1 / (2 * n), 1 / k), lambda n: (1.0, n)),
]


@pytest.mark.parametrize(("factors", "alphas"), SCALINGS)
def test_how_texts_scale_the_penalty(factors, alphas):
    """The table of the documentation: the slope of each text's objective is 0 at the model with that alpha."""
    X, y, _ = data(n=50, p=4)
    X, y = X - X.mean(axis=0), y - y.mean()
    for k, learner in ((1, Lasso), (2, Ridge)):
        before, penalty = factors(50, k)
        lam = 0.2 * 50 if before >= 0.5 else 0.2
        coef = learner(lam * alphas(50)[k - 1]).fit(X, y).coef_
        slope = -2 * before * X.T @ (y - X @ coef) + lam * penalty * k * np.abs(coef) ** (k - 1) * np.sign(coef)
        inside = coef != 0
        assert inside.any()
        assert np.abs(slope[inside]).max() < 1e-8 * np.abs(2 * before * X.T @ y).max()


def test_squares_around_zero_that_overflow_are_refused():
    X = [[3.37e200], [3.37e200]]
    with part_rows(1), pytest.raises(tn.DataError, match=r"columns are too large. Remedy: divide each"):
        tn.Lasso(fit_intercept=False).fit(X, [1.0, 2.0])
