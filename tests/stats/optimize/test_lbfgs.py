"""Descent by L-BFGS and conjugate gradients, and its line search, against scipy's and the conditions of Wolfe."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from tenfold.stats.optimize.lbfgs import MAX_LINE_TRIALS, MIN_BRACKET_WIDTH, SUFFICIENT_DECREASE, Descent, LineSearch

LINES = {
    "parabola": (lambda t: (t - 3.0) ** 2, lambda t: 2 * (t - 3.0)),
    "Moré and Thuente 1": (lambda t: -t / (t**2 + 2), lambda t: (t**2 - 2) / (t**2 + 2) ** 2),
    "Moré and Thuente 2": (
        lambda t: (t + 0.004) ** 5 - 2 * (t + 0.004) ** 4,
        lambda t: 5 * (t + 0.004) ** 4 - 8 * (t + 0.004) ** 3,
    ),
    "exponential": (lambda t: math.exp(min(t, 700.0)) - 9 * t, lambda t: math.exp(min(t, 700.0)) - 9),
    "waves": (lambda t: math.cos(5 * t) / 5 + 0.1 * t**2 - t, lambda t: -math.sin(5 * t) + 0.2 * t - 1),
}


@pytest.mark.parametrize("curvature", [0.9, 0.1])
@pytest.mark.parametrize("first", [1e-3, 0.1, 1.0, 10.0, 1e3])
@pytest.mark.parametrize("name", LINES)
def test_steps_that_are_taken_satisfy_the_conditions_of_wolfe(name, first, curvature):
    phi, slope = LINES[name]
    search, taken = LineSearch.begin(phi(0.0), slope(0.0), first), False
    while not taken:
        found = search.step
        search, taken = search.next(phi(found), slope(found), curvature)
        assert search.tried <= MAX_LINE_TRIALS
    assert phi(found) <= phi(0.0) + SUFFICIENT_DECREASE * found * slope(0.0)
    narrow = search.high - search.low <= MIN_BRACKET_WIDTH * search.high
    assert narrow or abs(slope(found)) <= curvature * abs(slope(0.0))
    assert not narrow or name in ("Moré and Thuente 2", "waves")  # the others are easy


@pytest.mark.parametrize("first", [1e-3, 0.1, 1.0, 10.0, 1e3])
@pytest.mark.parametrize("name", LINES)
def test_places_that_are_tried_are_those_of_minpack(name, first):
    """dcsrch of MINPACK-2, as scipy has it."""
    dcsrch = pytest.importorskip("scipy.optimize._dcsrch").DCSRCH
    phi, slope = LINES[name]
    theirs = []

    def noted(t):
        theirs.append(float(t))
        return phi(t)

    dcsrch(noted, slope, SUFFICIENT_DECREASE, 0.1, 0.1, 0.0, 1e10)(
        first, phi0=phi(0.0), derphi0=slope(0.0), maxiter=MAX_LINE_TRIALS
    )
    search, taken, mine = LineSearch.begin(phi(0.0), slope(0.0), first), False, []
    while not taken:
        mine.append(search.step)
        search, taken = search.next(phi(search.step), slope(search.step), 0.1)
    np.testing.assert_allclose(mine, theirs, rtol=1e-9)


def descended(value, slope, x, rounds, **how):
    descent, places = Descent.at(x), []
    for _ in range(rounds):
        descent = descent.next(value(descent.trial), slope(descent.trial), **how)
        if descent.moved:
            places.append(descent.point)
        if descent.stuck or np.abs(descent.slope).max() < 1e-9:
            break
    return descent, np.array(places)


def test_places_are_those_of_scipy():
    x = np.array([-1.2, 1.0, 0.7, -0.4])
    seen = [x]
    minimize(rosen, x, jac=rosen_der, method="L-BFGS-B", callback=lambda intermediate: seen.append(intermediate.copy()))
    places = descended(rosen, rosen_der, x, 200)[1]
    np.testing.assert_allclose(places[:20], seen[:20], rtol=1e-6, atol=1e-6)
    assert len(seen) > 20


@pytest.mark.parametrize("conjugate", [False, True])
def test_the_minimum_of_a_curved_valley_is_found(conjugate):
    descent, places = descended(rosen, rosen_der, np.array([-1.2, 1.0, 0.7]), 2000, conjugate=conjugate)
    np.testing.assert_allclose(descent.point, 1.0, atol=1e-6)
    values = [rosen(each) for each in places]
    assert values == sorted(values, reverse=True)


def test_conjugate_gradients_of_a_parabola_take_few_steps():
    """With exact searches it is as many as there are eigenvalues; with these, not many more."""
    random = np.random.default_rng(0)
    Q = np.linalg.qr(random.standard_normal((30, 30)))[0]
    A, b = Q @ np.diag(np.repeat([1.0, 10.0, 100.0], 10)) @ Q.T, random.standard_normal(30)
    how = {"conjugate": True}
    descent, places = descended(lambda x: x @ A @ x / 2 - b @ x, lambda x: A @ x - b, np.zeros(30), 300, **how)
    np.testing.assert_allclose(descent.point, np.linalg.solve(A, b), atol=1e-7)
    assert len(places) < 40


def test_places_without_a_value_are_left():
    """log x is not there below 0: the search comes back."""

    def value(x):
        return float(x[0] - math.log(x[0])) if x[0] > 0 else math.nan

    descent, _ = descended(value, lambda x: 1 - 1 / x, np.array([0.01]), 100)
    assert descent.point[0] == pytest.approx(1.0)


def test_a_descent_that_finds_nothing_lower_is_stuck():
    descent, _ = descended(lambda x: float(np.abs(x).sum()) + 1.0, lambda x: -np.sign(x) - 3, np.array([1.0]), 200)
    assert descent.stuck
    assert descent.point[0] == 1.0
