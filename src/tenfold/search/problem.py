"""Search problem: the best point of a space under an objective that evaluates a whole population at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tenfold.core import Array, Values
from tenfold.engine import Runner
from tenfold.search.spaces import Space
from tenfold.theory.checks import whole

Objective = Callable[[Values], Array]


@dataclass(frozen=True, eq=False)
class Problem:
    """Objective over a space.

    Parameters
    ----------
    objective : callable
        It takes a population, an array with a row for each point, and gives the fitness of each: one array. It may not
        depend on chance, nor write to the population.
    space : Space
        `Bits`, `Discrete`, `Permutations` or `Box`.
    maximize : bool, default=True
        Whether a greater fitness is better.
    batch_size : int, default=1024
        Rows that the objective is given at once; batches are what threads or workers of the runner share. Take 1 if
        one evaluation takes long, such as a cross-validation.
    optimum : float, optional
        Maximum fitness, if known: a search stops when it is reached.
    name : str, default="problem"

    Examples
    --------
    >>> from tenfold import search
    >>> most_ones = search.Problem(lambda X: X.sum(axis=1), search.Bits(20), optimum=20)
    >>> search.optimize(most_ones, search.Genetic(), evaluations=20_000).fitness
    20.0
    """

    objective: Objective
    space: Space
    maximize: bool = True
    batch_size: int = 1024
    optimum: float | None = None
    name: str = "problem"

    def __post_init__(self) -> None:
        if not callable(self.objective):
            raise TypeError(f"objective must be a function of a population, not a {type(self.objective).__name__}")
        if not isinstance(self.space, Space):
            raise TypeError(f"space must be Bits, Discrete, Permutations or Box, not a {type(self.space).__name__}")
        whole("batch_size", self.batch_size)

    @property
    def sign(self) -> float:
        """1 if the fitness is maximized, -1 if it is minimized: scores are fitness times sign."""
        return 1.0 if self.maximize else -1.0

    def scores(self, X: Values, runner: Runner) -> Array:
        """The fitness of each row times sign, batch by batch wherever the runner works; batches do not depend on it."""
        batches = -(-len(X) // self.batch_size)
        found = runner.map(_Batch(self.objective, X, self.batch_size), range(batches), None)
        return self.sign * np.concatenate(list(found))


@dataclass(frozen=True, eq=False)
class _Batch:
    """The fitness of one batch of a population."""

    objective: Objective
    X: Values
    size: int

    def __call__(self, batch: int) -> Array:
        some = self.X[batch * self.size : (batch + 1) * self.size].view()
        some.flags.writeable = False
        fitness = np.asarray(self.objective(some), dtype=np.float64)
        if fitness.shape != (len(some),):
            raise ValueError(
                f"objective must give one number for each row of the population, an array of shape ({len(some)},), but "
                f"gave the shape {fitness.shape}. Remedy: work along axis 1, as X.sum(axis=1) does"
            )
        if np.isnan(fitness).any():
            raise ValueError(
                f"objective gave NaN for {some[np.isnan(fitness)][0].tolist()}. Remedy: give points that are not "
                "allowed an infinitely bad fitness"
            )
        return fitness
