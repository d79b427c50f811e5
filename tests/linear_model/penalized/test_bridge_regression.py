"""Bridge regression: the lasso and ridge at its ends, scipy in between and below, closed forms, certificates."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

import tenfold as tn
from tenfold import BridgeRegression, Lasso, LinearRegression, Ridge

POWERS = (1.05, 1.5, 1.9, 2.5, 6.0)


def data(seed=0, n=200, p=6):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, p)) * 10.0 ** random.integers(-1, 2, p) + random.normal(size=p) * 5
    y = X @ (random.normal(size=p) * (random.random(p) < 0.6)) + random.normal(size=n) + 7
    return X, y, random.uniform(0.1, 3.0, n) * (random.random(n) < 0.8)


def objective(X, y, weight, alpha, q, coef, intercept):
    return weight @ (y - X @ coef - intercept) ** 2 / (2 * weight.sum()) + alpha * (np.abs(coef) ** q).sum()


def slopes(model, X, y, weight):
    """The slope of the objective in each coefficient, beside the size of its two terms."""
    inner = (X * weight[:, None]).T @ (y - model.predict(X)) / weight.sum()
    outer = model.alpha * model.q * np.abs(model.coef_) ** (model.q - 1) * np.sign(model.coef_)
    return inner - outer, np.abs(X * weight[:, None]).T @ np.abs(y) / weight.sum()


def test_one_is_the_lasso():
    X, y, weight = data()
    ours, lasso = (one.fit(X, y, sample_weight=weight) for one in (BridgeRegression(0.3, q=1), Lasso(0.3)))
    assert np.array_equal(ours.coef_, lasso.coef_)
    assert ours.intercept_ == lasso.intercept_
    assert (ours.coef_ == 0).any()


def test_two_is_ridge():
    X, y, weight = data()
    ridge = Ridge(2 * 0.3 * weight.sum()).fit(X, y, sample_weight=weight)
    ours = BridgeRegression(0.3, q=2).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, ridge.coef_, rtol=1e-10)
    near = BridgeRegression(0.3, q=2 + 1e-9).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(near.coef_, ridge.coef_, rtol=1e-6)


def test_near_one_it_is_near_the_lasso():
    X, y, _ = data(1)
    lasso, ours = Lasso(0.2).fit(X, y), BridgeRegression(0.2, q=1 + 1e-9).fit(X, y)
    np.testing.assert_allclose(ours.coef_, lasso.coef_, atol=1e-6)
    assert ours.certificate_["gap"].value <= ours.tol


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("q", POWERS)
def test_scipy(q, fit_intercept):
    X, y, weight = data(2, n=60, p=4)
    X = (X - X.mean(axis=0)) / X.std(axis=0) + 0.3
    model = BridgeRegression(0.2, q=q, fit_intercept=fit_intercept).fit(X, y, sample_weight=weight)

    def value(at):
        return objective(X, y, weight, 0.2, q, at[:4], at[4] * fit_intercept)

    start = np.append(LinearRegression().fit(X, y).coef_, y.mean())
    found = minimize(value, start, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14, "maxiter": 20_000})
    ours = value(np.append(model.coef_, model.intercept_))
    assert ours <= found.fun * (1 + 1e-12)
    assert ours == pytest.approx(found.fun, rel=1e-6)


@pytest.mark.parametrize("alpha", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("q", POWERS)
@pytest.mark.parametrize("shape", [(200, 6), (20, 50)], ids=["tall", "wide"])
def test_the_slope_is_zero(shape, q, alpha):
    X, y, weight = data(3, *shape)
    model = BridgeRegression(alpha, q=q, tol=0).fit(X, y, sample_weight=weight)
    slope, size = slopes(model, X, y, weight)
    assert (np.abs(slope) <= 1e-5 * size).all()
    assert model.certificate_["gap"].value <= 1e-12


def test_orthogonal_columns_are_shrunk_one_by_one():
    """Where XᵀX = n, each coefficient solves β + α q β^(q-1) = b alone; for q = 3/2 this is a quadratic in √β."""
    random = np.random.default_rng(0)
    X = np.sqrt(50) * np.linalg.qr(random.normal(size=(50, 6)))[0]
    y = random.normal(size=50) * 3
    b = X.T @ y / 50
    root = (np.sqrt(0.6**2 + 4 * np.abs(b)) - 0.6) / 2
    model = BridgeRegression(0.4, q=1.5, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, np.sign(b) * root**2, rtol=1e-10)


@pytest.mark.parametrize("q", [1.2, 1.5, 3.0])
def test_a_large_penalty_shrinks_all_and_leaves_none_out(q):
    """The limit is (|slope at 0| / (α q))^(1 / (q - 1)), never 0."""
    X, y, _ = data(4)
    alpha = 1e12
    model = BridgeRegression(alpha, q=q).fit(X, y)
    slope = (X - X.mean(axis=0)).T @ (y - y.mean()) / len(y)
    limit = np.sign(slope) * (np.abs(slope) / (alpha * q)) ** (1 / (q - 1))
    np.testing.assert_allclose(model.coef_, limit, rtol=1e-3)
    assert (model.coef_ != 0).all()
    assert model.certificate_["nonzero"].value == X.shape[1]


def test_next_to_no_penalty_is_least_squares():
    X, y, _ = data()
    np.testing.assert_allclose(BridgeRegression(1e-13).fit(X, y).coef_, LinearRegression().fit(X, y).coef_, atol=1e-10)


def test_equal_columns_share_and_opposite_ones_are_opposite():
    X, y, _ = data()
    coef = BridgeRegression(0.1, q=1.3).fit(np.column_stack([X[:, :2], X[:, 0], -X[:, 0]]), y).coef_
    np.testing.assert_allclose(coef[2:], [coef[0], -coef[0]], rtol=1e-5)


@pytest.mark.parametrize("q", POWERS)
@pytest.mark.parametrize("shape", [(40, 8), (12, 30)], ids=["tall", "wide"])
def test_the_certified_gap_is_not_below_the_true_one(shape, q):
    for seed in range(5):
        X, y, weight = data(seed, *shape)
        X[:, 1:] += 3 * X[:, :1]
        cut, best = (
            BridgeRegression(0.05, q=q, tol=tol, max_iter=most).fit(X, y, sample_weight=weight)
            for tol, most in ((1e-12, 1), (0.0, 10_000))
        )
        value = [objective(X, y, weight, 0.05, q, one.coef_, one.intercept_) for one in (cut, best)]
        assert cut.dual_gap_ >= value[0] - value[1] - 1e-12 * value[1]
        claim = cut.certificate_["gap"]
        assert ("max_iter" in claim.because) == (claim.value > cut.tol)


def test_the_gap_of_a_descent_that_was_cut_short_holds():
    X, y, _ = data(5, 100, 5)
    X[:, 1:] += 20 * X[:, :1]
    one = np.ones(len(y))
    cut, best = (BridgeRegression(0.1, max_iter=most).fit(X, y) for most in (1, 10_000))
    true = objective(X, y, one, 0.1, 1.5, cut.coef_, cut.intercept_) - objective(
        X, y, one, 0.1, 1.5, best.coef_, best.intercept_
    )
    assert true * 0.999 <= cut.dual_gap_
    assert best.dual_gap_ <= 1e-12 * y.var()


def test_weights_are_rows_that_come_more_often():
    X, y, _ = data(n=50)
    often = np.random.default_rng(0).integers(0, 4, 50)
    a = BridgeRegression(0.2).fit(X, y, sample_weight=often)
    b = BridgeRegression(0.2).fit(np.repeat(X, often, axis=0), np.repeat(y, often))
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-7)


def test_constant_columns_and_targets():
    X, y, _ = data()
    X[:, 4] = 3.7
    model = BridgeRegression(0.1).fit(X, y)
    assert model.coef_[4] == 0
    assert model.certificate_["constant columns"].value == 1
    still = BridgeRegression(0.1).fit(X, np.full(len(X), 2.5))
    assert not still.coef_.any()
    assert still.intercept_ == 2.5
    assert still.certificate_["gap"].value == 0


@pytest.mark.parametrize(("unit", "q"), [(1e-30, 1.5), (1e30, 1.5), (1e-3, 50.0), (1e3, 50.0)])
def test_units_change_nothing(unit, q):
    """In other units of y, the coefficients are so many times larger if the penalty goes with them."""
    X, y, _ = data(n=50)
    a = BridgeRegression(0.1, q=q).fit(X, y)
    b = BridgeRegression(0.1 * unit ** (2 - q), q=q).fit(X, y * unit)
    np.testing.assert_allclose(b.coef_ / unit, a.coef_, rtol=1e-6)


def test_sparse_rows_are_dense_rows():
    X, y, _ = data()
    X[np.abs(X) < 3] = 0
    a, b = BridgeRegression(0.1).fit(X, y), BridgeRegression(0.1).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-8)


def test_categories_are_columns_of_zeros_and_ones():
    X, y, _ = data(p=3)
    color = np.array(["red", "green", "blue"])[np.random.default_rng(1).integers(0, 3, len(y))]
    frame = pd.DataFrame({"a": X[:, 0], "color": color, "b": X[:, 1]})
    model = BridgeRegression(0.1).fit(frame, y + 4 * (color == "red"))
    plain = np.column_stack([X[:, 0], color == "blue", color == "green", color == "red", X[:, 1]]).astype(float)
    np.testing.assert_allclose(model.coef_, BridgeRegression(0.1).fit(plain, y + 4 * (color == "red")).coef_, rtol=1e-7)
    assert model.coef_names_.tolist() == ["a", "color_blue", "color_green", "color_red", "b"]


def test_one_scan_serves_every_power_and_penalty():
    X, y, _ = data()
    cv = tn.cross_validate([BridgeRegression(0.1), BridgeRegression(0.5, q=1.2), Lasso(0.1), Ridge()], X, y, folds=5)
    assert cv.scans == 1
    assert tn.tune(BridgeRegression(), {"q": [1.0, 1.5, 2.0], "alpha": [0.01, 0.1]}, X, y, folds=5).scans == 1


def lowest_of_all(X, y, weight, alpha, q):
    """The lowest minimum: each set of columns by itself, from many starts, by scipy."""
    share = weight / weight.sum()
    A, b = X - share @ X, y - share @ y
    best, p = 0.5 * share @ b**2, X.shape[1]
    random = np.random.default_rng(0)
    for columns in (np.flatnonzero(bits) for bits in np.ndindex(*[2] * p) if any(bits)):
        some = A[:, columns] * np.sqrt(share)[:, None]
        full = np.linalg.lstsq(some, b * np.sqrt(share), rcond=None)[0]

        def value(beta, some=some):
            return 0.5 * ((b * np.sqrt(share) - some @ beta) ** 2).sum() + alpha * (np.abs(beta) ** q).sum()

        def slope(beta, some=some):
            power = np.abs(beta) + 1e-12
            return -some.T @ (b * np.sqrt(share) - some @ beta) + alpha * q * np.sign(beta) * power ** (q - 1)

        starts = [full, *(full * random.uniform(0.3, 1.0, len(columns)) for _ in range(2))]
        best = min([best, *(minimize(value, at, jac=slope, method="BFGS").fun for at in starts)])
    return best


@pytest.mark.parametrize("q", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("alpha", [0.02, 0.3])
def test_below_one_against_all_sets_of_columns(q, alpha):
    """The bound on the gap holds; most often the lowest minimum is found, and always a minimum in each coordinate."""
    found = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        X = random.integers(0, 4, size=(40, 4)).astype(float)  # as people count: repeated rows, few values
        X[:, 1] += X[:, 0] * (seed % 2)
        y = X @ [1.0, 0.0, -0.5, 0.1] + random.normal(size=40)
        weight = random.integers(1, 4, 40).astype(float)
        model = BridgeRegression(alpha, q=q).fit(X, y, sample_weight=weight)
        ours = objective(X, y, weight, alpha, q, model.coef_, model.intercept_)
        best = lowest_of_all(X, y, weight, alpha, q)
        assert best >= ours - model.dual_gap_ - 1e-12
        found.append(ours <= best * (1 + 1e-9))
        assert 0 <= model.certificate_["coordinate gain"].value <= 1e-12
        for j in range(4):
            for to in (0.0, *(model.coef_[j] * np.linspace(-1.5, 1.5, 31)), *np.linspace(-3, 3, 61)):
                coef = model.coef_.copy()
                coef[j] = to
                intercept = np.average(y - X @ coef, weights=weight)
                assert objective(X, y, weight, alpha, q, coef, intercept) >= ours - 1e-12
    assert np.mean(found) >= 5 / 6


def test_below_one_orthogonal_columns_are_kept_or_dropped_one_by_one():
    """Where XᵀX = n and q = 1/2, β > 0 solves a cubic in √β; it is kept if that costs less than 0."""
    random = np.random.default_rng(0)
    X = np.sqrt(50) * np.linalg.qr(random.normal(size=(50, 8)))[0]
    y = random.normal(size=50) * 3
    b, alpha, want = X.T @ y / 50, 0.15, []
    for one in np.abs(b):
        roots = np.roots([1.0, 0.0, -one, alpha / 2])  # s³ - b s + α/2 = 0, with s = √β
        each = [s.real**2 for s in roots if abs(s.imag) < 1e-9 and s.real > 0]
        want.append(min([0.0, *each], key=lambda beta, one=one: 0.5 * (one - beta) ** 2 + alpha * beta**0.5))
    model = BridgeRegression(alpha, q=0.5, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, np.sign(b) * want, rtol=1e-9)
    assert 0 < np.count_nonzero(model.coef_) < 8


def test_below_one_fewer_stay_than_with_the_lasso_and_they_are_shrunk_less():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 12))
    beta = np.append([3.0, -2.0, 1.0], np.zeros(9))
    y = X @ beta + random.normal(size=300)
    lasso, ours = Lasso(0.1).fit(X, y), BridgeRegression(0.1, q=0.5).fit(X, y)
    assert np.flatnonzero(ours.coef_).tolist() == [0, 1, 2]
    assert np.count_nonzero(lasso.coef_) > 3
    assert (np.abs(ours.coef_ - beta).max()) < np.abs(lasso.coef_ - beta).max()
    assert "not convex" in ours.certificate_["gap"].because


def test_below_one_of_constant_columns_and_targets_and_of_more_columns_than_rows():
    X, y, weight = data(3, 20, 50)
    model = BridgeRegression(0.1, q=0.5).fit(X, y, sample_weight=weight)
    assert model.certificate_["coordinate gain"].value <= 1e-10
    assert 0 < np.count_nonzero(model.coef_) < 20
    X[:, 0] = 4.0
    assert BridgeRegression(0.1, q=0.5).fit(X, y).coef_[0] == 0
    flat = BridgeRegression(0.1, q=0.5).fit(X, np.full(20, 3.0))
    assert (flat.coef_ == 0).all()
    assert flat.intercept_ == 3.0
    assert flat.dual_gap_ == 0


@pytest.mark.parametrize("wrong", [{"alpha": 0.0}, {"q": 0.0}, {"q": np.inf}, {"q": np.nan}, {"max_iter": 0}])
def test_refused(wrong):
    with pytest.raises(ValueError):
        BridgeRegression(**wrong).fit([[1.0], [2.0]], [1.0, 2.0])
