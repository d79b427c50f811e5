"""What a search method is: it proposes points to evaluate, and accepts what was evaluated. It keeps nothing itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from tenfold.core import Array, Codes, Values
from tenfold.search.spaces import Space


class State(NamedTuple):
    """Where a method stands after a round. Scores are greater where points are better."""

    round: int
    """0 when the first population is evaluated, -1 before"""
    X: Values
    """the population: a row for each point"""
    scores: Array
    failures: Codes
    """of each row, for how many rounds it has not become better"""


class Method(ABC):
    """A way to search. What it needs of the past is in the state."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many points the first population has."""

    def check(self, space: Space) -> None:
        """Refuse a space that this method cannot search."""
        return

    @abstractmethod
    def propose(self, state: State, space: Space, rng: np.random.Generator) -> Values:
        """Make the points to evaluate next."""

    @abstractmethod
    def accept(self, state: State, X: Values, scores: Array, rng: np.random.Generator) -> State:
        """Make the state after the points that were proposed are evaluated."""
