"""Hill climbing: go to a neighbour if it is no worse; begin again where no neighbour has been better for long."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tenfold.core import Array, Values
from tenfold.search.method import Method, State
from tenfold.search.spaces import Space
from tenfold.theory.checks import whole


@dataclass(frozen=True)
class HillClimbing(Method):
    """Hill climbing with random restarts, with many climbers in parallel.

    In each round every climber looks at one neighbour by chance. One that has met `attempts` neighbours in a row, none
    of them better, begins again at a random point.

    Parameters
    ----------
    climbers : int, default=50
        Points that climb at once, each on its own: one call of the objective evaluates a neighbour of each.
    attempts : int, default=100
    sideways : bool, default=True
        Whether to go to neighbours that are as good, which crosses plateaus. Such a step is no success.

    Examples
    --------
    >>> from tenfold import search
    >>> search.optimize(search.queens(8), search.HillClimbing(), evaluations=20_000).fitness
    0.0
    """

    climbers: int = 50
    attempts: int = 100
    sideways: bool = True

    def __post_init__(self) -> None:
        whole("climbers", self.climbers)
        whole("attempts", self.attempts)

    @property
    def size(self) -> int:
        return self.climbers

    def propose(self, state: State, space: Space, rng: np.random.Generator) -> Values:
        X = space.neighbors(state.X, rng)
        lost = state.failures >= self.attempts
        if lost.any():
            X[lost] = space.sample(int(lost.sum()), rng)
        return X

    def accept(self, state: State, X: Values, scores: Array, rng: np.random.Generator) -> State:
        restart = state.failures >= self.attempts
        better = restart | (scores > state.scores)
        go = better | (scores == state.scores) if self.sideways else better
        failures = np.where(better, 0, state.failures + 1)
        return State(
            state.round + 1, np.where(go[:, None], X, state.X), np.where(go, scores, state.scores), failures
        )  # fmt: skip
