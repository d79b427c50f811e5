"""MIMIC: draw points from a distribution in which variables depend on each other as they do in the best points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tenfold.core import Array, Values
from tenfold.search.dependence_trees import Model, fit_dependence, pair_counts
from tenfold.search.method import Method, State
from tenfold.search.spaces import Discrete, Permutations, Space
from tenfold.theory.checks import fraction, number, one_of, whole

MAX_PERMUTATION = 64
"""values of a permutation: the table of pairs has n⁴ numbers, 134 MB of 64 values"""


@dataclass(frozen=True)
class MIMIC(Method):
    """Mutual-information-maximizing input clustering, for bits, codes and permutations.

    In each round the best share of the population is summarized by how often any two values meet; a distribution is
    fitted to that, in which each variable depends on one other, and the next points are drawn from it. Of permutations
    the variables are the places, and each is drawn among the values that are left. In a tour it only matters which
    values are neighbours, and in such problems hill climbing finds better points in less time.

    Parameters
    ----------
    population : int, default=200
    keep : float, default=0.2
        The share of the population that the distribution is fitted to.
    model : {"tree", "chain", "independent"}, default="tree"
        The tree of greatest mutual information, the greedy chain of De Bonet, Isbell and Viola (1997), or variables
        that do not depend on each other, as in UMDA.
    smoothing : float, default=1.0
        Added to the counts, spread over the values of a variable: keeps values alive that no good point has. With 0,
        values that the best points have lost by chance never return.

    Examples
    --------
    >>> from tenfold import search
    >>> found = search.optimize(search.four_peaks(40), search.MIMIC(population=1_000), evaluations=50_000)
    >>> found.fitness, search.four_peaks(40).optimum
    (75.0, 75)
    >>> search.optimize(search.queens(8), search.MIMIC(population=300), evaluations=20_000).fitness
    0.0
    """

    population: int = 200
    keep: float = 0.2
    model: Model = "tree"
    smoothing: float = 1.0

    def __post_init__(self) -> None:
        whole("population", self.population, 2)
        fraction("keep", self.keep)
        one_of("model", self.model, ("tree", "chain", "independent"))
        if not number("smoothing", self.smoothing) >= 0:
            raise ValueError(f"smoothing must not be negative, got {self.smoothing!r}")

    @property
    def size(self) -> int:
        return self.population

    def check(self, space: Space) -> None:
        if not isinstance(space, Discrete | Permutations):
            raise TypeError(
                f"MIMIC searches Bits, Discrete and Permutations, not {type(space).__name__}. Remedy: Genetic, "
                "SimulatedAnnealing or HillClimbing"
            )
        if isinstance(space, Permutations) and space.n > MAX_PERMUTATION:
            raise ValueError(
                f"MIMIC counts all pairs of places and values: {space.n} are more than {MAX_PERMUTATION}. Remedy: "
                "Genetic, SimulatedAnnealing or HillClimbing"
            )

    def propose(self, state: State, space: Space, rng: np.random.Generator) -> Values:
        assert isinstance(space, Discrete | Permutations)
        orders = isinstance(space, Permutations)
        sizes = np.full(space.n_variables, space.n_variables) if isinstance(space, Permutations) else space.sizes
        kept = max(int(self.keep * len(state.X)), 1)
        best = state.X[np.argsort(-state.scores, kind="stable")[:kept]]
        found = fit_dependence(pair_counts(best, sizes), sizes, self.model, self.smoothing)
        return (found.sample_permutations if orders else found.sample)(self.population, rng)

    def accept(self, state: State, X: Values, scores: Array, rng: np.random.Generator) -> State:
        return State(state.round + 1, X, scores, np.zeros(len(scores), dtype=np.int64))
