"""Simulated annealing: go to a worse neighbour with probability exp(-loss / temperature), and cool down."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tenfold.core import Array, Values
from tenfold.search.method import Method, State
from tenfold.search.spaces import Space
from tenfold.theory.checks import fraction, positive, whole

Schedule = Callable[[int], float]
"""the temperature of a round, counted from 0"""


@dataclass(frozen=True)
class GeometricDecay:
    """T = max(start * decay^round, low): the usual schedule.

    Parameters
    ----------
    start : float, default=1.0
    decay : float, default=0.99
    low : float, default=0.001

    Examples
    --------
    >>> from tenfold import search
    >>> schedule = search.GeometricDecay(start=8.0, decay=0.5, low=1.5)
    >>> [schedule(round) for round in range(4)]
    [8.0, 4.0, 2.0, 1.5]
    """

    start: float = 1.0
    decay: float = 0.99
    low: float = 0.001

    def __post_init__(self) -> None:
        positive("start", self.start)
        fraction("decay", self.decay)
        positive("low", self.low)

    def __call__(self, round: int) -> float:
        return max(self.start * self.decay**round, self.low)


@dataclass(frozen=True)
class LinearDecay:
    """T = max(start - fall * round, low): it reaches the lowest temperature and stays there.

    Parameters
    ----------
    start : float, default=1.0
    fall : float, default=0.001
        By how much the temperature falls in each round.
    low : float, default=0.001

    Examples
    --------
    >>> from tenfold import search
    >>> schedule = search.LinearDecay(start=2.0, fall=0.5, low=0.25)
    >>> [schedule(round) for round in range(5)]
    [2.0, 1.5, 1.0, 0.5, 0.25]
    """

    start: float = 1.0
    fall: float = 0.001
    low: float = 0.001

    def __post_init__(self) -> None:
        for name in ("start", "fall", "low"):
            positive(name, getattr(self, name))

    def __call__(self, round: int) -> float:
        return max(self.start - self.fall * round, self.low)


@dataclass(frozen=True)
class LogarithmicDecay:
    """T = start / ln(e + round): so slow that a chain finds the optimum for sure, if it has for ever (Hajek 1988).

    That holds if `start` is at least the depth of the deepest local optimum that is not global.

    Parameters
    ----------
    start : float, default=1.0

    Examples
    --------
    >>> from tenfold import search
    >>> search.LogarithmicDecay(3.0)(0)
    3.0
    """

    start: float = 1.0

    def __post_init__(self) -> None:
        positive("start", self.start)

    def __call__(self, round: int) -> float:
        return self.start / math.log(math.e + round)


@dataclass(frozen=True)
class Constant:
    """Constant temperature: the chains draw points with probability proportional to exp(fitness / T).

    Parameters
    ----------
    temperature : float, default=1.0

    Examples
    --------
    >>> from tenfold import search
    >>> search.Constant(0.5)(1_000)
    0.5
    """

    temperature: float = 1.0

    def __post_init__(self) -> None:
        positive("temperature", self.temperature)

    def __call__(self, round: int) -> float:
        return self.temperature


@dataclass(frozen=True)
class SimulatedAnnealing(Method):
    """Simulated annealing, with many chains in parallel.

    In each round every chain looks at one neighbour by chance. It goes there if it is better, and if it is worse with
    probability exp(-loss / T), where T is the temperature of the round.

    Parameters
    ----------
    chains : int, default=50
        Points that move at once, each on its own: one call of the objective evaluates a neighbour of each.
    schedule : callable, default=GeometricDecay()
        The temperature of a round: `GeometricDecay`, `LinearDecay`, `LogarithmicDecay`, `Constant`, or any function of
        the number of the round.

    Examples
    --------
    >>> from tenfold import search
    >>> rastrigin = search.rastrigin(2)
    >>> found = search.optimize(rastrigin, search.SimulatedAnnealing(schedule=search.GeometricDecay(10)),
    ...                         evaluations=100_000)
    >>> found.fitness < 0.1
    True
    """

    chains: int = 50
    schedule: Schedule = field(default_factory=GeometricDecay)

    def __post_init__(self) -> None:
        whole("chains", self.chains)
        if not callable(self.schedule):
            raise TypeError(f"schedule must be a function of the round, as GeometricDecay() is, not {self.schedule!r}")

    @property
    def size(self) -> int:
        return self.chains

    def propose(self, state: State, space: Space, rng: np.random.Generator) -> Values:
        return space.neighbors(state.X, rng)

    def accept(self, state: State, X: Values, scores: Array, rng: np.random.Generator) -> State:
        temperature = positive(f"the temperature of round {state.round}", self.schedule(state.round))
        better = scores >= state.scores
        loss = np.subtract(state.scores, scores, out=np.zeros(len(scores)), where=~better)
        go = rng.random(len(scores)) < np.exp(-loss / temperature)
        failures = np.where(scores > state.scores, 0, state.failures + 1)
        return State(
            state.round + 1, np.where(go[:, None], X, state.X), np.where(go, scores, state.scores), failures
        )  # fmt: skip
