"""Where a search looks: bit strings, codes, permutations, and reals in a box.

A population is an array with a row for each point. Every operation works on all rows at once, and draws from the
generator it is given and from nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Codes, Flags, Values
from tenfold.theory.checks import one_of, positive, vector, whole

Move = Literal["reverse", "swap"]


class Space(ABC):
    """A set of points, and how to draw, change and combine them."""

    @property
    @abstractmethod
    def n_variables(self) -> int:
        """How many variables a point has."""

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> Values:
        """Draw n points from the uniform distribution."""

    @abstractmethod
    def neighbors(self, X: Values, rng: np.random.Generator) -> Values:
        """Draw a neighbour of each row; two points are as likely to be drawn from each other."""

    @abstractmethod
    def mutate(self, X: Values, rate: float, rng: np.random.Generator) -> Values:
        """Change each variable of each row with a probability."""

    @abstractmethod
    def combine(self, first: Values, second: Values, mask: Flags) -> Values:
        """Make children that take the variables in the mask from the first parent, the others from the second."""

    @abstractmethod
    def check(self, X: ArrayLike) -> Values:
        """Take points that a user gives, or refuse them."""


class Discrete(Space):
    """Codes: each variable is a whole number from 0 to below its size.

    Parameters
    ----------
    sizes : list of int
        How many values each variable has, two at least.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> search.Discrete([3, 3, 5]).sample(2, np.random.default_rng(0)).tolist()
    [[2, 1, 2], [0, 0, 0]]
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes: Codes = np.array([whole("sizes", size, 2) for size in sizes], dtype=np.int64)
        if not len(self.sizes):
            raise ValueError("sizes must have an entry for each variable, and has none")

    def __repr__(self) -> str:
        return f"Discrete({self.sizes.tolist()})"

    @property
    def n_variables(self) -> int:
        return len(self.sizes)

    def sample(self, n: int, rng: np.random.Generator) -> Values:
        return rng.integers(0, self.sizes, (n, len(self.sizes)))

    def neighbors(self, X: Values, rng: np.random.Generator) -> Values:
        rows, which = np.arange(len(X)), rng.integers(0, len(self.sizes), len(X))
        size = self.sizes[which]
        out = X.copy()
        out[rows, which] = (X[rows, which] + rng.integers(1, size)) % size
        return out

    def mutate(self, X: Values, rate: float, rng: np.random.Generator) -> Values:
        shift = (rng.random(X.shape) < rate) * rng.integers(1, self.sizes, X.shape)
        return np.asarray((X + shift) % self.sizes)

    def combine(self, first: Values, second: Values, mask: Flags) -> Values:
        return np.where(mask, first, second)

    def check(self, X: ArrayLike) -> Values:
        found = _table(X, self.n_variables)
        if (found != np.floor(found)).any() or (found < 0).any() or (found >= self.sizes).any():
            raise ValueError(f"points of {self!r} must be whole numbers from 0 to below the size of their variable")
        return found.astype(np.int64)


class Bits(Discrete):
    """Strings of bits: each variable is 0 or 1.

    Parameters
    ----------
    n : int
        How many bits there are.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> search.Bits(5).sample(2, np.random.default_rng(0)).tolist()
    [[1, 1, 1, 0, 0], [0, 0, 0, 0, 1]]
    """

    def __init__(self, n: int) -> None:
        super().__init__([2] * whole("n", n))

    def __repr__(self) -> str:
        return f"Bits({self.n_variables})"


@dataclass(frozen=True)
class Permutations(Space):
    """Space of permutations: each row has every integer from 0 to n - 1 once.

    Parameters
    ----------
    n : int
    move : {"reverse", "swap"}, default="reverse"
        Kind of neighbours: a reversed segment (two edges of a tour change), or two swapped entries.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> search.Permutations(5).sample(2, np.random.default_rng(0)).tolist()
    [[3, 2, 1, 0, 4], [3, 1, 2, 0, 4]]
    """

    n: int
    move: Move = "reverse"

    def __post_init__(self) -> None:
        whole("n", self.n, 2)
        one_of("move", self.move, ("reverse", "swap"))

    @property
    def n_variables(self) -> int:
        return self.n

    def sample(self, n: int, rng: np.random.Generator) -> Values:
        return np.argsort(rng.random((n, self.n)), axis=1)

    def neighbors(self, X: Values, rng: np.random.Generator) -> Values:
        first = rng.integers(0, self.n, len(X))
        second = (first + rng.integers(1, self.n, len(X))) % self.n
        low, high = np.minimum(first, second)[:, None], np.maximum(first, second)[:, None]
        place = np.arange(self.n)
        moved = (place >= low) & (place <= high) if self.move == "reverse" else (place == low) | (place == high)
        return np.take_along_axis(X, np.where(moved, low + high - place, place), axis=1)

    def mutate(self, X: Values, rate: float, rng: np.random.Generator) -> Values:
        some = rng.random(len(X)) < 1 - (1 - rate) ** self.n
        return np.where(some[:, None], self.neighbors(X, rng), X)

    def combine(self, first: Values, second: Values, mask: Flags) -> Values:
        # Order crossover: entries in the mask stay where the first has them, the rest is in the second's order.
        taken = np.zeros(first.shape, dtype=bool)
        np.put_along_axis(taken, first, mask, axis=1)
        left = np.argsort(np.take_along_axis(taken, second, axis=1), axis=1, kind="stable")
        places = np.argsort(mask, axis=1, kind="stable")
        out = np.empty_like(first)
        np.put_along_axis(out, places, np.take_along_axis(second, left, axis=1), axis=1)
        return np.where(mask, first, out)

    def check(self, X: ArrayLike) -> Values:
        found = _table(X, self.n)
        if (np.sort(found, axis=1) != np.arange(self.n)).any():
            raise ValueError(f"points of {self!r} must have each whole number from 0 to {self.n - 1} once")
        return found.astype(np.int64)


class Box(Space):
    """Reals between two bounds each.

    Parameters
    ----------
    low, high : list of float
        The bounds of each variable.
    step : float, default=0.1
        The standard deviation of a move, as a share of the width; moves are reflected at the bounds.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> search.Box([0, -5], [1, 5]).sample(2, np.random.default_rng(0)).round(2).tolist()
    [[0.64, -2.3], [0.04, -4.83]]
    """

    def __init__(self, low: ArrayLike, high: ArrayLike, step: float = 0.1) -> None:
        self.low, self.high, self.step = vector("low", low), vector("high", high), positive("step", step)
        if self.low.shape != self.high.shape or not (self.low < self.high).all():
            raise ValueError("low and high must have an entry for each variable, low below high")

    def __repr__(self) -> str:
        return f"Box({self.low.tolist()}, {self.high.tolist()}, step={self.step:g})"

    @property
    def n_variables(self) -> int:
        return len(self.low)

    def sample(self, n: int, rng: np.random.Generator) -> Values:
        return self.low + (self.high - self.low) * rng.random((n, len(self.low)))

    def neighbors(self, X: Values, rng: np.random.Generator) -> Values:
        rows, which = np.arange(len(X)), rng.integers(0, len(self.low), len(X))
        move = np.zeros(X.shape)
        move[rows, which] = rng.standard_normal(len(X))
        return self._reflected(X, move)

    def mutate(self, X: Values, rate: float, rng: np.random.Generator) -> Values:
        return self._reflected(X, (rng.random(X.shape) < rate) * rng.standard_normal(X.shape))

    def combine(self, first: Values, second: Values, mask: Flags) -> Values:
        return np.where(mask, first, second)

    def check(self, X: ArrayLike) -> Values:
        found = _table(X, self.n_variables)
        if not ((found >= self.low) & (found <= self.high)).all():
            raise ValueError(f"points must lie within the bounds of {self!r}")
        return found

    def _reflected(self, X: Values, move: Array) -> Array:
        """Return moved points reflected at the bounds; unmoved coordinates keep their bits."""
        width = self.high - self.low
        there = np.mod(X - self.low + self.step * width * move, 2 * width)
        back = np.minimum(self.low + np.minimum(there, 2 * width - there), self.high)
        return np.where(move == 0, X, back)


def _table(X: ArrayLike, width: int) -> Array:
    """Points as an array with a row for each."""
    found = np.asarray(X, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != width or not len(found):
        raise ValueError(f"points must have a row each and {width} columns, not the shape {found.shape}")
    return found
