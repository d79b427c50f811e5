"""A genetic algorithm: parents win tournaments, children mix them and mutate, the best live on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tenfold.core import Array, Flags, Values
from tenfold.search.method import Method, State
from tenfold.search.spaces import Space
from tenfold.theory.checks import between, one_of, whole

Crossover = Literal["uniform", "one_point", "two_point"]


@dataclass(frozen=True)
class Genetic(Method):
    """A genetic algorithm: the best points are crossed and changed.

    Each parent is the best of some that are drawn (a tournament); a child takes some variables from one parent and the
    rest from the other, of permutations in its order, and then mutates.

    Parameters
    ----------
    population : int, default=200
    mutation : float, optional
        The probability that a variable changes; by default one in each child on average.
    crossover : {"uniform", "one_point", "two_point"}, default="uniform"
        Which variables come from the first parent: each with probability 1/2, those before a point, or a stretch.
    tournament : int, default=3
        How many are drawn for each parent; the more, the greedier.
    elite : int, default=1
        How many of the best live on unchanged; they are not evaluated again.

    Examples
    --------
    >>> from tenfold import search
    >>> problem = search.knapsack([10, 5, 2, 8, 15], [1, 2, 3, 4, 5], capacity=14)
    >>> found = search.optimize(problem, search.Genetic(population=20), evaluations=1_000)
    >>> found.best.tolist(), found.fitness
    ([0, 0, 1, 1, 0], 7.0)
    """

    population: int = 200
    mutation: float | None = None
    crossover: Crossover = "uniform"
    tournament: int = 3
    elite: int = 1

    def __post_init__(self) -> None:
        whole("population", self.population, 2)
        whole("tournament", self.tournament)
        whole("elite", self.elite, 0, self.population - 1)
        one_of("crossover", self.crossover, ("uniform", "one_point", "two_point"))
        if self.mutation is not None:
            between("mutation", self.mutation)

    @property
    def size(self) -> int:
        return self.population

    def propose(self, state: State, space: Space, rng: np.random.Generator) -> Values:
        children = self.population - self.elite
        drawn = rng.integers(0, len(state.X), (2, children, self.tournament))
        winners = np.take_along_axis(drawn, state.scores[drawn].argmax(axis=2)[..., None], axis=2)[..., 0]
        mask = self._mask((children, space.n_variables), rng)
        made = space.combine(state.X[winners[0]], state.X[winners[1]], mask)
        return space.mutate(made, 1 / space.n_variables if self.mutation is None else self.mutation, rng)

    def accept(self, state: State, X: Values, scores: Array, rng: np.random.Generator) -> State:
        best = np.argsort(-state.scores, kind="stable")[: self.elite]
        scores = np.concatenate([state.scores[best], scores])
        return State(state.round + 1, np.concatenate([state.X[best], X]), scores, np.zeros(len(scores), dtype=np.int64))

    def _mask(self, shape: tuple[int, int], rng: np.random.Generator) -> Flags:
        """Which variables of each child come from its first parent."""
        if self.crossover == "uniform":
            return rng.random(shape) < 0.5
        n, place = shape[1], np.arange(shape[1])
        if self.crossover == "one_point":
            return np.asarray(place < rng.integers(0, n + 1, (shape[0], 1)))
        ends = np.sort(rng.integers(0, n + 1, (shape[0], 2)), axis=1)
        return np.asarray((place >= ends[:, :1]) & (place < ends[:, 1:]))
