"""Mistake bounds against learners that run, and the margin bound against points that are shattered."""

from itertools import product
from math import log

import numpy as np
import pytest
from scipy.optimize import minimize

from tenfold.theory import (
    find_s_mistakes,
    halving_mistakes,
    margin_dimension,
    perceptron_mistakes,
    weighted_majority_mistakes,
)

POINTS = np.array(list(product((0, 1), repeat=4)))


def conjunctions():
    """What each conjunction over four attributes says of the 16 points."""
    made = {tuple(((np.array(w) == POINTS) | (np.array(w) == 2)).all(axis=1)) for w in product((0, 1, 2), repeat=4)}
    return np.array(sorted(made | {tuple([False] * 16)}))


@pytest.mark.parametrize("seed", range(5))
def test_halving_and_find_s(seed):
    random = np.random.default_rng(seed)
    H = conjunctions()
    assert float(halving_mistakes(len(H))) == 6
    target = H[random.integers(len(H))]
    alive, halving, specific, find_s = H, 0, None, 0
    for i in random.integers(0, 16, 400):
        halving += (alive[:, i].mean() > 0.5) != target[i]
        alive = alive[alive[:, i] == target[i]]
        covers = specific is not None and bool(((POINTS[i] == specific) | (specific == 2)).all())
        find_s += covers != target[i]
        if target[i] and not covers:
            specific = POINTS[i] if specific is None else np.where(POINTS[i] == specific, specific, 2)
    assert halving <= float(halving_mistakes(len(H)))
    assert find_s <= float(find_s_mistakes(4))


def test_find_s_can_err_as_often_as_said():
    """Everything is positive: the first row, then one attribute at a time."""
    rows = [np.zeros(4, dtype=int), *np.eye(4, dtype=int)]
    specific, mistakes = None, 0
    for row in rows:
        if specific is None or not ((row == specific) | (specific == 2)).all():
            mistakes += 1
            specific = row if specific is None else np.where(row == specific, specific, 2)
    assert mistakes == float(find_s_mistakes(4)) == 5


def test_halving_from_the_logarithm():
    assert float(halving_mistakes(log_size=log(973))) == 9
    assert float(halving_mistakes(2**200)) == 200
    with pytest.raises(ValueError, match="either size or log_size"):
        halving_mistakes()


@pytest.mark.parametrize("beta", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(3))
def test_weighted_majority(beta, seed):
    random = np.random.default_rng(seed)
    said = random.integers(0, 2, (300, 12))
    truth = np.where(random.random(300) < 0.9, said[:, 3], 1 - said[:, 3])
    weight, mistakes = np.ones(12), 0
    for says, right in zip(said, truth, strict=True):
        mistakes += (weight @ says > weight.sum() / 2) != right
        weight = np.where(says == right, weight, beta * weight)
    best = int((said != truth[:, None]).sum(axis=0).min())
    assert mistakes <= float(weighted_majority_mistakes(12, best, beta))
    assert float(weighted_majority_mistakes(12, best)) == pytest.approx((best + np.log2(12)) / np.log2(4 / 3))


@pytest.mark.parametrize("seed", range(5))
def test_perceptron(seed):
    random = np.random.default_rng(seed)
    u = random.normal(size=3)
    u /= np.linalg.norm(u)
    x = random.uniform(-1, 1, (200, 3))
    x = x[np.abs(x @ u) > 0.05]
    y = np.sign(x @ u)
    w, updates, changed = np.zeros(3), 0, True
    while changed:
        changed = False
        for row, label in zip(x, y, strict=True):
            if label * (w @ row) <= 0:
                w, updates, changed = w + label * row, updates + 1, True
    bound = perceptron_mistakes(float(np.linalg.norm(x, axis=1).max()), float(np.abs(x @ u).min()))
    assert 0 < updates <= float(bound)


def test_erratum_8_a_perceptron_that_changes_below_zero_only_never_starts():
    x, y = np.array([[1.0, 2.0], [-1.0, -2.0]]), np.array([1.0, -1.0])
    w = np.zeros(2)
    assert not (y * (x @ w) < 0).any(), "no row is wrong, so none would change w = 0"
    assert (y * (x @ w) <= 0).all()


def half_width(x, y):
    """1/‖w‖ of the widest strip between the classes."""
    start = np.zeros(x.shape[1] + 1)
    constraint = {"type": "ineq", "fun": lambda v: y * (x @ v[:-1] + v[-1]) - 1}
    found = minimize(lambda v: v[:-1] @ v[:-1] / 2, start, constraints=[constraint], options={"maxiter": 500})
    return 1 / np.linalg.norm(found.x[:-1]) if found.success else 0.0


def simplex(n):
    """Half the narrowest strip that any labelling of n corners in a unit ball leaves."""
    x = np.eye(n) - 1 / n
    x /= np.linalg.norm(x[0])
    labellings = [np.array(y) for y in product((-1.0, 1.0), repeat=n) if abs(sum(y)) < n]
    return min(half_width(x, y) for y in labellings)


def test_erratum_21_the_bound_needs_half_the_width():
    """Two points on a line leave a strip of width 2, so R²/width² + 1 is below the two that are shattered."""
    line = half_width(np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0]))
    assert line == pytest.approx(1.0)
    assert float(margin_dimension(1.0, line * (1 - 1e-9), 1)) == 2
    assert (1.0 / (2 * line)) ** 2 + 1 < 2
    for n in (4, 6):  # here the rounding up does not save it either
        half = simplex(n)
        assert float(margin_dimension(1.0, half * (1 - 1e-6))) >= n
        assert float(margin_dimension(1.0, 2 * half)) < n, "with the whole width it is false"


@pytest.mark.parametrize("n", [3, 4, 5])
def test_corners_of_a_simplex(n):
    """n corners in a unit ball are shattered by the narrowest strip any labelling leaves."""
    margin = simplex(n)
    assert margin > 0
    assert n <= float(margin_dimension(1.0, margin * (1 - 1e-6), n - 1))
    assert n <= float(margin_dimension(1.0, margin * (1 - 1e-6)))


def test_margin_numbers():
    assert float(margin_dimension(2.0, 0.5)) == 17
    assert float(margin_dimension(1.0, 0.9, 50)) == 3
    bound = margin_dimension(1.0, 0.1, 5)
    assert bound.vacuous
    assert float(bound) == 6
    assert float(margin_dimension(1e200, 1e-50, 7)) == 8
