"""Where textbooks slip: the formulas of least squares as they must be."""

import numpy as np
import pytest
import scipy.optimize

from tenfold import Lasso, LinearDiscriminantAnalysis, LinearRegression, LogisticRegression, Perceptron, Ridge
from tenfold.core import Chunk, Columns
from tenfold.linear_model.sgd.perceptron_epoch import Margins
from tenfold.theory import signed_distance


def distance(x, w):
    """Of a point from the plane w'z = 0, by a search for the nearest point of the plane."""
    on_plane = {"type": "eq", "fun": lambda z: z @ w}
    nearest = scipy.optimize.minimize(lambda z: (z - x) @ (z - x), np.zeros(3), constraints=on_plane, tol=1e-12).x
    return np.linalg.norm(x - nearest)


@pytest.mark.parametrize("eta0", [0.1, 7.0])
def test_signed_distance_is_the_value_over_the_length_of_the_weights(eta0):
    """The margin is the least f(x) / |w| on the right side, however long the weights are (erratum 7)."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(60, 3))
    rows = rows[np.abs(rows @ [1.0, -2.0, 0.5]) > 0.4]
    y = rows @ [1.0, -2.0, 0.5] > 0
    model = Perceptron(fit_intercept=False, eta0=eta0, tol=None, max_iter=1000).fit(rows, y)
    w = model.coef_[0]
    each = np.array([distance(x, w) for x in rows])
    assert abs(np.linalg.norm(w) - 1) > 0.1
    np.testing.assert_allclose(model.certificate_["margin"].value, each.min(), rtol=1e-5)
    np.testing.assert_allclose(np.abs(model.decision_function(rows)) / np.linalg.norm(w), each, rtol=1e-5)
    # one row on the wrong side, at twice its distance
    chunk = Chunk(Columns(np.vstack([rows, -2 * rows[:1]])), np.append(y, y[0]), np.ones(len(y) + 1), True, 0, 0)
    found = Margins.of(chunk, np.zeros(3, np.int64), np.append(0.0, w)[None], False)
    np.testing.assert_allclose(found.margin, [-2 * each[0]], rtol=1e-5)


def test_erratum_7_signed_distance():
    """f(x) / |w|: the nearest point of the plane is so far off, on that side; f alone, or f / |w|², is neither."""
    random = np.random.default_rng(4)
    x, w, b = random.normal(size=(20, 3)), np.array([2.0, -1.0, 2.0]), 0.7
    found = signed_distance(x, w, b)
    nearest = x - found[:, None] * w / 3
    np.testing.assert_allclose(nearest @ w + b, 0, atol=1e-12)
    others = nearest + np.cross(random.normal(size=(20, 3)), w)  # points of the plane: none is nearer
    assert (np.linalg.norm(x - others, axis=1) >= np.abs(found)).all()
    assert (np.sign(found) == np.sign(x @ w + b)).all()
    np.testing.assert_allclose(signed_distance(x, 5 * w, 5 * b), found)
    f = x @ w + b
    for wrong in (f, f / (w @ w)):
        assert np.abs((x - wrong[:, None] * w / 3) @ w + b).min() > 1e-3
    with pytest.raises(ValueError, match="weights"):
        signed_distance(x, [0.0, 0.0, 0.0])


def test_the_pseudo_inverse_by_normal_equations_needs_full_column_rank():
    """(A'A)⁻¹A' is the pseudo-inverse of full column rank; without it, the shortest solution is another formula's."""
    random = np.random.default_rng(1)
    A, y = random.normal(size=(20, 4)), random.normal(size=20)
    np.testing.assert_allclose(np.linalg.inv(A.T @ A) @ A.T, np.linalg.pinv(A), atol=1e-12)
    model = LinearRegression(fit_intercept=False).fit(A, y)
    np.testing.assert_allclose(model.coef_, np.linalg.pinv(A) @ y, rtol=1e-10)
    A[:, 3] = A[:, 0] - A[:, 1]
    assert np.linalg.cond(A.T @ A) > 1e15
    model = LinearRegression(fit_intercept=False).fit(A, y)
    np.testing.assert_allclose(model.coef_, np.linalg.pinv(A) @ y, atol=1e-9)
    assert model.certificate_["rank"].value == 3


@pytest.mark.parametrize("columns", [5, 40])
def test_dual_ridge(columns):
    """What Ridge leaves over, by λ, is a = (K + λI)⁻¹ t with K = XX' (N x N, not X'X), and w = X'a (erratum 15)."""
    random = np.random.default_rng(2)
    X, t = random.normal(size=(12, columns)), random.normal(size=12)
    model = Ridge(0.3, fit_intercept=False).fit(X, t)
    a = (t - model.predict(X)) / 0.3
    np.testing.assert_allclose((X @ X.T + 0.3 * np.eye(12)) @ a, t, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(a, np.linalg.solve(X @ X.T + 0.3 * np.eye(12), t), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.coef_, X.T @ a, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("shift", [0.0, 1000.0])
def test_gradient_of_the_penalty_and_a_bias_that_is_not_penalised(shift):
    """The gradient of (λ/k) Σ w² is (2λ/k) w; the bias has none, so a shifted target shifts it alone (erratum 20)."""
    random = np.random.default_rng(3)
    n, k, lam = 30, 3, 0.7  # rows and features
    X, y = random.normal(size=(n, k)), random.normal(size=n)
    model = Ridge(2 * n * lam / k).fit(X, y + shift)  # ½ Σ e² + ½ α Σ w², n times 1/(2n) Σ e² + (λ/k) Σ w²
    e = y + shift - model.predict(X)
    np.testing.assert_allclose(-X.T @ e / n + 2 * lam / k * model.coef_, 0, atol=1e-10)
    assert abs(e.sum()) < 1e-9
    np.testing.assert_allclose(model.coef_, Ridge(2 * n * lam / k).fit(X, y).coef_, rtol=1e-9)


@pytest.mark.parametrize("q", [1, 2])
def test_the_penalty_of_texts_by_the_number_of_features(q):
    """1/(2n) Σ e² + (λ/k) Σ |w|^q with k features is Lasso(λ/k) and Ridge(2nλ/k), whatever the power is."""
    random = np.random.default_rng(5)
    n, k, lam = 40, 5, 0.7
    X = random.normal(size=(n, k))
    y = X @ [2.0, 0.0, -1.0, 0.5, 0.0] + random.normal(size=n)

    def objective(w):
        e = y - X @ w[1:] - w[0]
        return e @ e / (2 * n) + lam / k * (np.abs(w[1:]) ** q).sum()

    options = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 20_000, "maxfev": 20_000, "adaptive": True}
    model = Lasso(lam / k).fit(X, y) if q == 1 else Ridge(2 * n * lam / k).fit(X, y)
    mine = np.append(model.intercept_, model.coef_)
    found = scipy.optimize.minimize(objective, np.zeros(k + 1), method="Nelder-Mead", options=options)
    np.testing.assert_allclose(mine, found.x, atol=1e-5)
    assert objective(mine) <= found.fun + 1e-12


def test_erratum_31_logistic_regression_is_discriminative():
    """It models P(y | x) alone: rows kept by x teach the same; the normal classes of LDA, P(x | y), are others then."""
    random = np.random.default_rng(6)
    x = random.normal(size=(40_000, 1))
    y = random.random(40_000) < 1 / (1 + np.exp(-1.5 * x[:, 0] - 0.5))
    kept = (x[:, 0] > 0.5) | (random.random(40_000) < 0.1)
    for discriminative, learner in ((True, LogisticRegression(C=np.inf)), (False, LinearDiscriminantAnalysis())):
        whole, part = (learner.fit(x[some], y[some]).coef_[0, 0] for some in (slice(None), kept))
        assert (abs(part - whole) < 0.15) == discriminative
    assert not hasattr(LogisticRegression().fit(x, y), "means_")
