"""Residuals are 0 at optima that others found, and not elsewhere."""

import numpy as np
import pytest
from scipy.optimize import minimize, nnls
from sklearn.svm import SVC

from tenfold.theory import kkt, kkt_svm


def problem(seed):
    """A convex quadratic problem in 4 unknowns: 3 inequalities, one equality."""
    random = np.random.default_rng(seed)
    L = random.normal(size=(4, 4))
    return L @ L.T + 0.1 * np.eye(4), random.normal(size=4), random.normal(size=(3, 4)), random.random(3)


@pytest.mark.parametrize("seed", range(5))
def test_against_scipy(seed):
    P, q, G, h = problem(seed)
    A, b = np.ones((1, 4)), np.array([0.1])
    found = minimize(
        lambda x: x @ P @ x / 2 + q @ x,
        np.zeros(4),
        jac=lambda x: P @ x + q,
        method="SLSQP",
        constraints=[
            {"type": "ineq", "fun": lambda x: h - G @ x, "jac": lambda x: -G},
            {"type": "eq", "fun": lambda x: A @ x - b, "jac": lambda x: A},
        ],
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    x = found.x
    active = h - G @ x < 1e-6
    # the multipliers: the least squares of stationarity, with those of active inequalities at least 0
    columns = np.column_stack([G[active].T, A.T, -A.T])
    solved, _ = nnls(columns, -(P @ x + q))
    z, y = np.zeros(3), np.array([solved[-2] - solved[-1]])
    z[active] = solved[:-2]
    at = kkt(P, q, x, G=G, h=h, z=z, A=A, b=b, y=y)
    assert at.worst < 1e-5
    assert abs(at.gap) < 1e-5
    off = kkt(P, q, x + 0.1, G=G, h=h, z=z, A=A, b=b, y=y)
    assert off.feasibility > 1e-2
    assert off.stationarity > 1e-3


def test_each_condition_by_itself():
    """min (x - 2)²/2 where x ≤ 1: x = 1, z = 1."""
    P, q, G, h = [[1.0]], [-2.0], [[1.0]], [1.0]
    assert kkt(P, q, [1.0], G=G, h=h, z=[1.0]).worst == 0
    assert kkt(P, q, [2.0], G=G, h=h, z=[0.0]).feasibility == 1
    assert kkt(P, q, [3.0], G=G, h=h, z=[-1.0]).multipliers == 1
    assert kkt(P, q, [0.0], G=G, h=h, z=[2.0]).complementarity == 2
    assert kkt(P, q, [0.0], G=G, h=h, z=[0.0]).stationarity == 2
    dual = kkt(P, q, [0.5], G=G, h=h, z=[1.5])  # feasible on both sides: the gap is that of the values
    assert dual.stationarity == dual.feasibility == dual.multipliers == 0
    assert dual.gap == pytest.approx(0.5 * 0.25 - 1.0 + 0.125 + 1.5)  # ½x² - 2x + (½x² + z)
    assert "gap 0.75" in str(dual)
    assert kkt([[2.0]], [-2.0], [1.0]).worst == 0


def fitted(seed, C):
    random = np.random.default_rng(seed)
    x = random.normal(size=(30, 2))
    y = np.where(x[:, 0] + 0.3 * random.normal(size=30) > 0, 1.0, -1.0)
    K = np.exp(-((x[:, None] - x) ** 2).sum(axis=2))
    model = SVC(C=C, kernel="precomputed", tol=1e-10).fit(K, y)
    alpha = np.zeros(30)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return K, y, alpha, float(model.intercept_[0])


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(3))
def test_against_libsvm(C, seed):
    K, y, alpha, bias = fitted(seed, C)
    at = kkt_svm(K, y, alpha, bias, C)
    assert at.worst < 1e-6 * C  # libsvm keeps the kernel in single precision
    assert abs(at.gap) < 1e-5
    assert kkt_svm(K, y, alpha, bias, np.full(30, C)) == at
    assert kkt_svm(K, y, alpha, bias + 0.5, C).complementarity > 1e-3
    assert kkt_svm(K, y, alpha * 1.5, bias, C).feasibility > 1e-3


def test_the_gap_is_proved_for_any_feasible_point():
    K, y, alpha, bias = fitted(0, 1.0)
    best = kkt_svm(K, y, alpha, bias, 1.0)
    random = np.random.default_rng(0)

    def primal(v, offset):
        return v @ K @ v / 2 + np.maximum(1 - y * (K @ v + offset), 0).sum()

    optimum = primal(alpha * y, bias)
    for _ in range(20):
        some = random.random(30)
        some[y > 0] *= some[y < 0].sum() / some[y > 0].sum()
        some /= max(1.0, some.max())
        at = kkt_svm(K, y, some, 0.3, 1.0)
        assert at.feasibility < 1e-12
        assert primal(some * y, 0.3) - optimum <= at.gap + 1e-9
        assert at.gap > best.gap


def test_hard_margin():
    """Points 1, 3 and -1 on a line: w = 1, the one at 3 is idle."""
    x = np.array([1.0, 3.0, -1.0])
    y = np.array([1.0, 1.0, -1.0])
    at = kkt_svm(np.outer(x, x), y, [0.5, 0.0, 0.5], 0.0)
    assert at.worst == 0
    assert at.gap == 0
    assert kkt_svm(np.outer(x, x), y, [0.25, 0.0, 0.25], 0.0).feasibility == 0.5
    # beyond the margin but with a weight: not complementary
    assert kkt_svm(np.outer(x, x), y, [0.4, 0.1, 0.5], 0.0).complementarity > 0.1


def test_arguments():
    with pytest.raises(ValueError, match="P must be symmetric"):
        kkt([[1, 2], [0, 1]], [0, 0], [0, 0])
    with pytest.raises(ValueError, match="q must be 2"):
        kkt([[1, 0], [0, 1]], [0], [0, 0])
    with pytest.raises(ValueError, match="G, h and z together"):
        kkt([[1.0]], [0.0], [0.0], G=[[1.0]])
    with pytest.raises(ValueError, match="A must be a matrix"):
        kkt([[1.0]], [0.0], [0.0], A=[[1.0, 2.0]], b=[0.0], y=[0.0])
    with pytest.raises(ValueError, match="z must be 1"):
        kkt([[1.0]], [0.0], [0.0], G=[[1.0]], h=[0.0], z=[0.0, 1.0])
    with pytest.raises(ValueError, match="x must"):
        kkt([[1.0]], [0.0], [float("nan")])
    with pytest.raises(ValueError, match="y must"):
        kkt_svm([[1.0]], [2.0], [0.0], 0.0)
    with pytest.raises(ValueError, match="K must"):
        kkt_svm([[1.0, 1.0]], [1.0, -1.0], [0.0, 0.0], 0.0)
    with pytest.raises(ValueError, match="C must"):
        kkt_svm([[1.0]], [1.0], [0.0], 0.0, -1.0)


@pytest.mark.parametrize("seed", range(5))
def test_erratum_23_slater_asks_for_one_point_inside_all_constraints(seed):
    """With one w strictly inside all, multipliers sum to at most (f(w) - f*) / its least slack; else to anything."""
    P, q, G, h = problem(seed)
    inside = np.zeros(4)  # h > 0: one point for all
    found = minimize(
        lambda x: x @ P @ x / 2 + q @ x,
        inside,
        jac=lambda x: P @ x + q,
        method="SLSQP",
        constraints=[{"type": "ineq", "fun": lambda x: h - G @ x, "jac": lambda x: -G}],
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    active = h - G @ found.x < 1e-6
    z = np.zeros(3)
    z[active] = nnls(G[active].T, -(P @ found.x + q))[0] if active.any() else 0
    assert kkt(P, q, found.x, G=G, h=h, z=z).worst < 1e-5
    assert z.sum() <= -found.fun / (h - G @ inside).min() + 1e-6
    # x ≤ 0 and -x ≤ 0: each has a point strictly inside, no point is inside both, and no bound on multipliers holds
    for size in (0.0, 1.0, 1e6):
        at = kkt([[1.0]], [0.0], [0.0], G=[[1.0], [-1.0]], h=[0.0, 0.0], z=[size, size])
        assert (at.worst, at.gap) == (0, 0)
