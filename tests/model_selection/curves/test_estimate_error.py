"""Bias and variance of an estimate: closed forms, scipy's bootstrap, and that the parts add up."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import tenfold as tn
from tenfold import DataError, estimate_error
from tenfold.naive_bayes.distributions import Uniform


def close(found, want, spread):
    """Within five standard errors of a mean of 4000 draws."""
    return abs(found - want) <= 5 * spread / np.sqrt(4_000)


def test_parts_add_up_and_the_variance_is_the_trace_of_the_covariance():
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 3))

    def draw(rng):
        return X, X @ [1.0, -1.0, 0.5] + rng.normal(size=30)

    found = estimate_error(lambda X, y: tn.Ridge(5.0).fit(X, y).coef_, draw, truth=[1.0, -1.0, 0.5], draws=200)
    assert found.mean_squared_error == pytest.approx(found.squared_bias + found.variance, rel=1e-12)
    np.testing.assert_allclose(found.covariance, np.cov(found.estimates.T, ddof=0), rtol=1e-10)
    assert found.variance == pytest.approx(np.trace(found.covariance))


@pytest.mark.parametrize("ddof", [0, 1])
def test_variance_of_normal_draws_by_its_closed_form(ddof):
    n, var = 8, 4.0
    found = estimate_error(
        lambda x: np.var(x, ddof=ddof), lambda rng: rng.normal(scale=2.0, size=n), truth=var, draws=4_000
    )
    scale = (n - 1) / (n - ddof)
    spread = scale * var * np.sqrt(2 / (n - 1))
    assert close(found.bias[0], (scale - 1) * var, spread)
    assert found.variance == pytest.approx(spread**2, rel=0.2)


def test_the_largest_of_uniform_draws_is_biased():
    """E max = n θ / (n + 1), Var = n θ² / ((n + 1)² (n + 2))."""
    n = 5
    found = estimate_error(lambda x: Uniform.of(x).ml, lambda rng: rng.uniform(0, 3, n), truth=3.0, draws=4_000)
    var = n * 9 / ((n + 1) ** 2 * (n + 2))
    assert close(found.bias[0], -3 / (n + 1), np.sqrt(var))
    assert found.variance == pytest.approx(var, rel=0.2)


def test_ridge_has_the_bias_and_the_covariance_of_its_closed_form():
    """-α (X'X + α)⁻¹ β and σ² (X'X + α)⁻¹ X'X (X'X + α)⁻¹; columns that depend on each other, few rows."""
    random = np.random.default_rng(1)
    X = random.integers(0, 3, size=(15, 3)).astype(float)
    X[:, 2] = X[:, 0] + 0.3 * random.normal(size=15)
    beta, alpha, sigma = np.array([1.0, -2.0, 0.5]), 2.0, 0.7

    def draw(rng):
        return X, X @ beta + sigma * rng.normal(size=15)

    def fitted(X, y):
        return tn.Ridge(alpha, fit_intercept=False).fit(X, y).coef_

    found = estimate_error(fitted, draw, truth=beta, draws=4_000)
    inverse = np.linalg.inv(X.T @ X + alpha * np.eye(3))
    covariance = sigma**2 * inverse @ X.T @ X @ inverse
    for got, want, var in zip(found.bias, -alpha * inverse @ beta, np.diag(covariance), strict=True):
        assert close(got, want, np.sqrt(var))
    np.testing.assert_allclose(found.covariance, covariance, atol=0.1 * covariance.max())


def test_bootstrap_of_the_median_has_the_standard_error_of_scipy():
    x = np.random.default_rng(2).integers(0, 20, 60).astype(float)  # ties
    found = estimate_error(np.median, x, draws=3_000)
    theirs = scipy.stats.bootstrap((x,), np.median, n_resamples=3_000, random_state=0)
    assert np.sqrt(found.variance) == pytest.approx(theirs.standard_error, rel=0.1)
    assert found.truth == np.median(x)


def test_frames_are_drawn_row_by_row_and_seeds_decide():
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [1.0, 4.0, 16.0]})

    def estimate(rows):
        assert (rows["b"] == rows["a"] ** 2).all()
        return rows.to_numpy().mean(axis=0)

    one, same, other = (estimate_error(estimate, frame, draws=20, random_state=seed) for seed in (0, 0, 1))
    assert np.array_equal(one.estimates, same.estimates)
    assert not np.array_equal(one.estimates, other.estimates)
    assert "20 samples" in str(one)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: estimate_error(np.mean, lambda rng: rng.normal(size=3)), ValueError, "truth .* must be given"),
        (lambda: estimate_error(np.mean, np.zeros(0)), DataError, "one at least"),
        (lambda: estimate_error(np.dot, (np.zeros(3), np.zeros(2))), DataError, "as many in each"),
        (lambda: estimate_error(np.mean, np.ones(3), truth=[1.0, 2.0]), ValueError, "one number for each"),
        (lambda: estimate_error(lambda x: np.nan, np.ones(3), truth=1.0), DataError, "of sample 0"),
        (lambda: estimate_error(np.mean, np.ones(3), draws=1), ValueError, "draws"),
    ],
)
def test_wrong_input_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()
