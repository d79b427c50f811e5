"""Where textbooks slip: the formulas of least squares as they must be."""

import numpy as np
import pytest
import scipy.optimize

from tenfold import LinearRegression, Ridge


def test_signed_distance_is_the_value_over_the_length_of_the_weights():
    """f(x) / |w| is the distance from the plane f = 0, with the sign of the side (erratum 7)."""
    random = np.random.default_rng(0)
    w, w0, x = random.normal(size=3), 0.7, random.normal(size=3)
    rows = random.normal(size=(9, 3))
    model = LinearRegression().fit(rows, rows @ w + w0)
    distance = float(model.predict(x[None])[0]) / np.linalg.norm(model.coef_)
    on_plane = {"type": "eq", "fun": lambda z: z @ w + w0}
    nearest = scipy.optimize.minimize(lambda z: (z - x) @ (z - x), np.zeros(3), constraints=on_plane, tol=1e-12).x
    np.testing.assert_allclose(abs(distance), np.linalg.norm(x - nearest), rtol=1e-6)
    assert np.sign(distance) == np.sign((x - nearest) @ w)


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


def test_dual_ridge():
    """a = (K + λI)⁻¹ t with K = XX' (N x N, not X'X) gives the primal w = X'a (erratum 15)."""
    random = np.random.default_rng(2)
    X, t = random.normal(size=(12, 5)), random.normal(size=12)
    a = np.linalg.solve(X @ X.T + 0.3 * np.eye(12), t)
    np.testing.assert_allclose(Ridge(0.3, fit_intercept=False).fit(X, t).coef_, X.T @ a, rtol=1e-10)


@pytest.mark.parametrize("shift", [0.0, 1000.0])
def test_gradient_of_the_penalty_and_a_bias_that_is_not_penalised(shift):
    """The gradient of (λ/k) Σ w² is (2λ/k) w; the bias has none, so a shifted target shifts it alone (erratum 20)."""
    random = np.random.default_rng(3)
    X, y, k, lam = random.normal(size=(30, 3)), random.normal(size=30), 30, 6.0
    model = Ridge(lam).fit(X, y + shift)  # ½ Σ e² + ½ λ Σ w², which is k/2 times the mean of e² + (λ/k) Σ w²
    e = y + shift - model.predict(X)
    np.testing.assert_allclose(-2 / k * X.T @ e + 2 * lam / k * model.coef_, 0, atol=1e-10)
    assert abs(e.sum()) < 1e-9
    np.testing.assert_allclose(model.coef_, Ridge(lam).fit(X, y).coef_, rtol=1e-9)
