"""Search methods: they propose points to evaluate, and accept the evaluated ones. They hold no state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from tenfold.core import Array, Codes, Values
from tenfold.search.spaces import Space


class State(NamedTuple):
    """State of a method after a round. A greater score is better."""

    round: int
    """0 when the first population is evaluated, -1 before"""
    X: Values
    """the population: a row for each point"""
    scores: Array
    failures: Codes
    """of each row, for how many rounds it has not become better"""


class Method(ABC):
    """Interface of search methods. Everything a method needs of the past is in its state."""

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
