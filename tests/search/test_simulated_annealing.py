"""Annealing against its theory: the chance to accept a loss, and the distribution at a constant temperature."""

import itertools

import numpy as np
import pytest
from scipy import stats

from tenfold import search
from tenfold.search import State


@pytest.mark.parametrize(("loss", "temperature"), [(0.5, 1.0), (2.0, 1.0), (1.0, 0.3), (10.0, 5.0)])
def test_worse_points_are_accepted_with_the_probability_of_metropolis(loss, temperature):
    n = 40_000
    state = State(0, np.zeros((n, 1), dtype=np.int64), np.zeros(n), np.zeros(n, dtype=np.int64))
    method = search.SimulatedAnnealing(n, search.Constant(temperature))
    after = method.accept(state, np.ones((n, 1), dtype=np.int64), np.full(n, -loss), np.random.default_rng(0))
    went = int(after.X.sum())
    assert stats.binomtest(went, n, np.exp(-loss / temperature)).pvalue > 1e-4
    assert (after.scores == np.where(after.X[:, 0] == 1, -loss, 0.0)).all()


def test_better_and_equal_points_are_always_accepted():
    state = State(0, np.zeros((4, 1)), np.array([0.0, 1.0, -np.inf, -np.inf]), np.zeros(4, dtype=np.int64))
    scores = np.array([0.0, 1.5, -np.inf, 3.0])
    after = search.SimulatedAnnealing(4, search.Constant(1e-9)).accept(
        state, np.ones((4, 1)), scores, np.random.default_rng(0)
    )
    assert after.X[:, 0].tolist() == [1, 1, 1, 1]
    assert after.scores.tolist() == scores.tolist()


@pytest.mark.parametrize(
    "space", [search.Bits(4), search.Discrete([2, 3, 3]), search.Permutations(4), search.Permutations(4, "swap")],
    ids=repr,
)  # fmt: skip
def test_at_a_constant_temperature_points_are_drawn_as_boltzmann_says(space):
    if isinstance(space, search.Permutations):
        points = np.array(list(itertools.permutations(range(4))))
    else:
        points = np.array(list(itertools.product(*map(range, space.sizes))))
    fitness = np.random.default_rng(1).normal(size=len(points))
    base = 4 ** np.arange(points.shape[1])
    place = np.full(4 ** points.shape[1], -1)
    place[points @ base] = np.arange(len(points))
    problem = search.Problem(lambda X: fitness[place[X @ base]], space)
    method = search.SimulatedAnnealing(20_000, search.Constant(0.7))
    found = search.optimize(problem, method, evaluations=20_000 * 80, target=np.inf)
    count = np.bincount(place[found.population @ base], minlength=len(points))
    wanted = np.exp(fitness / 0.7)
    assert stats.chisquare(count, 20_000 * wanted / wanted.sum()).pvalue > 1e-4


def test_schedules():
    assert search.GeometricDecay(2.0, 0.5, 0.2)(3) == 0.25
    assert search.GeometricDecay(2.0, 0.5, 0.3)(3) == 0.3
    assert search.LinearDecay(1.0, 0.25, 0.1)(3) == 0.25
    assert search.LinearDecay(1.0, 0.25, 0.1)(9) == 0.1
    assert search.LogarithmicDecay(2.0)(5) == pytest.approx(2 / np.log(np.e + 5))
    for schedule in (search.GeometricDecay(), search.LinearDecay(), search.LogarithmicDecay(), search.Constant()):
        falls = np.diff([schedule(round) for round in range(2_000)])
        assert (falls <= 0).all()
        assert schedule(10**6) > 0
    for wrong in (
        lambda: search.GeometricDecay(decay=1.0),
        lambda: search.LinearDecay(fall=0),
        lambda: search.Constant(0),
    ):
        with pytest.raises(ValueError, match="above 0"):
            wrong()
