"""Conditions of convex problems that are not quadratic, at optima that scipy and Clarabel find, and at others."""

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from tenfold.theory import ConvexProblem, dual_value, kkt, lagrangian


def logistic(seed):
    """Logistic regression with |w|² ≤ 0.3 and 1'w = 0.2: the problem, and its optimum by SLSQP."""
    random = np.random.default_rng(seed)
    X, sign = random.normal(size=(30, 3)), random.choice([-1.0, 1.0], 30)
    X += sign[:, None] * [1.0, 0.5, 0.2]

    def value(w):
        return np.logaddexp(0, -sign * (X @ w)).sum()

    def slope(w):
        return -X.T @ (sign / (1 + np.exp(sign * (X @ w))))

    A, b = np.ones((1, 3)), np.array([0.2])
    problem = ConvexProblem(
        value, slope, constraints=[lambda w: w @ w - 0.3], constraint_gradients=[lambda w: 2 * w], A=A, b=b
    )
    found = minimize(
        value,
        np.full(3, 0.2 / 3),
        jac=slope,
        method="SLSQP",
        constraints=[
            {"type": "ineq", "fun": lambda w: 0.3 - w @ w, "jac": lambda w: -2 * w},
            {"type": "eq", "fun": lambda w: A @ w - b, "jac": lambda w: A},
        ],
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    w = found.x
    multipliers = np.linalg.lstsq(np.column_stack([2 * w, A[0]]), -slope(w))[0]
    return problem, w, multipliers[:1], multipliers[1:], found.fun


@pytest.mark.parametrize("seed", range(4))
def test_logistic_regression_beside_scipy(seed):
    problem, w, z, y, value = logistic(seed)
    at = problem.kkt(w, z, y)
    assert at.worst < 1e-5
    assert z[0] > 0.1  # the constraint is active
    assert problem.lagrangian(w, z, y) == pytest.approx(value, abs=1e-5)
    assert problem.dual_value(z, y, start=np.zeros(3)) == pytest.approx(value, abs=1e-5)  # strong duality


@pytest.mark.parametrize("seed", range(4))
def test_wrong_multipliers_and_points_are_seen(seed):
    problem, w, z, y, value = logistic(seed)
    assert problem.kkt(w, 1.1 * z, y).stationarity > 1e-3
    assert problem.kkt(w, z, y + 0.1).stationarity > 1e-2
    assert problem.kkt(w, -z, y).multipliers > 0.1
    assert problem.kkt(1.1 * w, z, y).feasibility > 1e-2
    assert problem.kkt(0.5 * w, z, y).complementarity > 1e-2
    for wrong in (0.3 * z, 3 * z):
        assert problem.dual_value(wrong, y, start=np.zeros(3)) < value - 1e-4  # weak duality


def test_geometric_problem_beside_clarabel():
    """log Σ exp(aᵢ'x + bᵢ) least where x'x ≤ 1, as exponential and second-order cones."""
    random = np.random.default_rng(0)
    a, b = random.normal(size=(5, 2)) + 0.8, random.normal(size=5)
    # over (x, t, u): t least, Σ u ≤ 1, exp(a'x + b - t) ≤ u, |x| ≤ 1
    rows, right, cones = [np.r_[0, 0, 0, np.ones(5)]], [1.0], [clarabel.NonnegativeConeT(1)]
    for i in range(5):
        rows += [np.r_[-a[i], 1, np.zeros(5)], np.zeros(8), np.r_[0, 0, 0, -np.eye(5)[i]]]
        right += [b[i], 1.0, 0.0]
        cones.append(clarabel.ExponentialConeT())
    rows += [np.zeros(8), -np.eye(8)[0], -np.eye(8)[1]]
    right += [1.0, 0.0, 0.0]
    cones.append(clarabel.SecondOrderConeT(3))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    q = np.r_[0, 0, 1.0, np.zeros(5)]
    solved = clarabel.DefaultSolver(
        sp.csc_matrix((8, 8)), q, sp.csc_matrix(np.array(rows)), np.array(right), cones, settings
    ).solve()
    x = np.array(solved.x[:2])
    problem = ConvexProblem(lambda x: np.logaddexp.reduce(a @ x + b), constraints=[lambda x: x @ x - 1])  # differences
    weights = np.exp(a @ x + b - np.logaddexp.reduce(a @ x + b))
    z = np.array([-(a.T @ weights) @ x / 2])
    assert problem.kkt(x, z).worst < 1e-5
    assert problem.dual_value(z, start=[0.0, 0.0]) == pytest.approx(solved.obj_val, abs=1e-6)
    assert problem.kkt(x, 1.5 * z).stationarity > 0.1


def test_quadratic_problems_have_the_residuals_of_matrices():
    random = np.random.default_rng(1)
    L = random.normal(size=(4, 4))
    P, q, G, h = L @ L.T, random.normal(size=4), random.normal(size=(3, 4)), random.random(3)
    A, b = random.normal(size=(2, 4)), random.normal(size=2)
    x, z, y = random.normal(size=4), random.random(3), random.normal(size=2)
    problem = ConvexProblem(
        lambda x: x @ P @ x / 2 + q @ x,
        lambda x: P @ x + q,
        constraints=[lambda x, i=i: G[i] @ x - h[i] for i in range(3)],
        constraint_gradients=[lambda x, i=i: G[i] for i in range(3)],
        A=A,
        b=b,
    )
    ours, theirs = problem.kkt(x, z, y), kkt(P, q, x, G=G, h=h, z=z, A=A, b=b, y=y)
    for name in ("stationarity", "feasibility", "multipliers", "complementarity"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name))
    free = ConvexProblem(problem.objective, problem.gradient, constraints=problem.constraints)
    assert free.lagrangian(x, z) == pytest.approx(lagrangian(P, q, G, h, x, z))
    assert free.dual_value(z, start=np.zeros(4)) == pytest.approx(dual_value(P, q, G, h, z), rel=1e-6)


def test_a_lagrangian_without_a_least_value():
    line = ConvexProblem(lambda x: x[0], lambda x: np.ones(1), constraints=[lambda x: -x[0]])
    assert line.dual_value([0.5], start=[1.0]) == -np.inf
    assert line.dual_value([1.0], start=[1.0]) == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(ValueError, match="no least value of the Lagrangian was found from this start"):
        ConvexProblem(lambda x: -np.log(x[0])).dual_value(start=[1.0])


def test_wrong_gradients_and_shapes_are_named():
    with pytest.raises(ValueError, match=r"the gradient of the objective is 1 in x\[1\].*differences.*give 4"):
        ConvexProblem(lambda x: x @ x, lambda x: np.array([2 * x[0], 1.0])).kkt([1.0, 2.0])
    with pytest.raises(ValueError, match="the gradient of constraint 0 is"):
        ConvexProblem(lambda x: x @ x, constraints=[lambda x: x[0]], constraint_gradients=[lambda x: -np.ones(1)]).kkt(
            [1.0], [0.0]
        )
    with pytest.raises(ValueError, match="one for each of the 1 constraints, not 2"):
        ConvexProblem(lambda x: 0.0, constraints=[len], constraint_gradients=[len, len])
    with pytest.raises(ValueError, match="the objective must give a finite number"):
        ConvexProblem(lambda x: x).lagrangian([1.0, 2.0])
    with pytest.raises(ValueError, match="z must"):
        ConvexProblem(lambda x: x @ x).kkt([1.0], [1.0])
    with pytest.raises(ValueError, match="give A and b together"):
        ConvexProblem(lambda x: x @ x, A=[[1.0]])
