"""Conditioning: NumPy's number, how far minima move, and the claim of least squares."""

import math

import numpy as np
import pytest

from tenfold import LinearRegression, Ridge
from tenfold.theory import condition_number, minimum_shift


def test_as_numpy_and_what_a_penalty_does():
    random = np.random.default_rng(0)
    for n in (1, 2, 5, 20):
        A = random.normal(size=(n + 3, n))
        P = A.T @ A
        assert condition_number(P) == pytest.approx(np.linalg.cond(P), rel=1e-8)
        low, high = np.linalg.eigvalsh(P)[[0, -1]]
        assert condition_number(P + 3 * np.eye(n)) == pytest.approx((high + 3) / (low + 3), rel=1e-10)
    A = random.normal(size=(3, 5))
    assert condition_number(A.T @ A) == math.inf
    assert condition_number(A.T @ A + np.eye(5)) < math.inf


def test_no_minimum_moves_farther():
    """Also where P is nearly singular; the bound is reached within a small factor by the worst directions."""
    random, tightest = np.random.default_rng(1), 0.0
    for _ in range(300):
        n = int(random.integers(1, 6))
        Q, _ = np.linalg.qr(random.normal(size=(n, n)))
        values = np.exp(random.uniform(-6, 0, n))
        P = Q @ np.diag(values) @ Q.T
        q = Q[:, values.argmax()] * random.normal()  # along the largest: the minimum is short
        D = random.normal(size=(n, n))
        dP = (D + D.T) * random.choice([0.0, 1e-4]) * values.min()
        dq = Q[:, values.argmin()] * 1e-3 * np.linalg.norm(q)
        x, moved = np.linalg.solve(P, -q), np.linalg.solve(P + dP, -q - dq)
        share = np.linalg.norm(moved - x) / np.linalg.norm(x)
        in_P, in_q = np.linalg.norm(dP, 2) / np.linalg.norm(P, 2), np.linalg.norm(dq) / np.linalg.norm(q)
        bound = minimum_shift(np.linalg.cond(P), in_P, in_q)
        assert not bound.vacuous
        assert share <= float(bound) * (1 + 1e-9)
        tightest = max(tightest, share / float(bound))
    assert tightest > 0.9


@pytest.mark.parametrize("learner", [LinearRegression(), Ridge(5.0), LinearRegression(fit_intercept=False)])
def test_least_squares_says_how_well_posed_it_is(learner):
    random = np.random.default_rng(2)
    X = random.normal(size=(60, 3)) * [1.0, 1e4, 1e-3] + [0.0, 1e4, 0.0]
    X[:, 2] += 1e-3 * X[:, 0]
    y = random.normal(size=60)
    model = learner.fit(X, y)
    A = X - X.mean(axis=0) * model.fit_intercept
    P = A.T @ A + model.alpha * np.eye(3)
    unit = np.sqrt(np.diag(P))
    assert model.certificate_["condition"].value == pytest.approx(condition_number(P / np.outer(unit, unit)), rel=1e-6)
    again = LinearRegression().fit(np.column_stack([X, X[:, 0]]), y)  # a column twice: many minima
    assert again.certificate_["rank"].value == 3
    assert again.certificate_.get("condition") is None
    kept = Ridge(1.0).fit(np.column_stack([X, X[:, 0]]), y)
    assert kept.certificate_["condition"].value < math.inf


def test_wrong_matrices_are_named():
    for bad in ([[1.0, 2.0]], [[1.0, 2.0], [0.0, 1.0]], [[-1.0]], [1.0], [[math.nan]]):
        with pytest.raises(ValueError, match=r"\bP\b"):
            condition_number(bad)
