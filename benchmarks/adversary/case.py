"""What a case is, and what a check may say of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Case(NamedTuple):
    """Rows, a learner, the form that rows come in, the way they take, and what the answer is held against."""

    learner: Any
    columns: dict[str, Any]
    """one-dimensional arrays by name, each in its own type; text has objects, None where it is missing"""
    y: Any
    weight: Any
    form: Callable[[dict[str, Any]], Any]
    target: Callable[[Any], Any]
    way: Callable[[Any], Any]
    check: Callable[[Any], None]
    kinds: tuple[str, ...] = ()
    """names of what was drawn, for the counts"""

    @property
    def tags(self) -> list[tuple[str, str]]:
        """What it is counted under; the first two name it."""
        learner = type(self.learner).__name__
        learner = f"Pipeline of {type(self.learner.steps[-1][1]).__name__}" if learner == "Pipeline" else learner
        named = [("learner", learner), ("check", self.check.__name__), ("way", self.way.__name__)]
        return [*named, ("form", self.form.__name__), *(("data", kind) for kind in self.kinds)]

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values())))

    def rows(self, index: Any) -> Any:
        """Some of the rows, perhaps more than once or in another order."""
        return self._replace(
            columns={name: values[index] for name, values in self.columns.items()},
            y=None if self.y is None else self.y[index],
            weight=None if self.weight is None else self.weight[index],
        )


class Problem(NamedTuple):
    """A check that draws what it needs by itself: rows, networks, files. Small sizes make small problems."""

    check: Callable[[Any], None]
    seed: tuple[int, ...]
    size: int
    """from 1 to 12"""
    kind: str

    @property
    def tags(self) -> list[tuple[str, str]]:
        """What it is counted under; the first two name it."""
        return [("kind", self.kind), ("check", self.check.__name__)]

    @property
    def random(self) -> np.random.Generator:
        """Draws, the same each time."""
        return np.random.default_rng(self.seed)


class Wrong(Exception):
    """An answer is wrong: what was found, and what it was held against."""


class Skip(Exception):
    """Nothing can be said of this case, and why."""


def must(condition: Any, message: str) -> None:
    """Say that an answer is wrong unless a condition holds."""
    if not condition:
        raise Wrong(message)


def refused(call: Callable[[], Any], *names: str) -> None:
    """Say that an answer is wrong unless a call raises an error of values that has all of these names in it."""
    try:
        found = call()
    except (ValueError, TypeError) as error:
        said = str(error)
        must(all(name in said for name in names), f"refused without naming {names}: {type(error).__name__}: {said}")
        must(isinstance(error, ValueError), f"refused by a TypeError: {said}")
        return
    raise Wrong(f"answered, where {names} cannot be used: {str(found)[:200]}")


def again(call: Callable[[], Any], what: str) -> Any:
    """Call what must not be refused, since the same was taken before."""
    try:
        return call()
    except (ValueError, TypeError) as error:
        raise Wrong(f"{what}: refused what was taken before: {type(error).__name__}: {error}") from error


def close(a: Any, b: Any, tolerance: float, what: str, size: float = 0.0) -> None:
    """Say that an answer is wrong unless two arrays agree, relative to their largest entry or to `size`."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    must(a.shape == b.shape, f"{what}: shapes {a.shape} and {b.shape}")
    finite = np.isfinite(a) & np.isfinite(b)
    must(np.array_equal(a[~finite], b[~finite], equal_nan=True), f"{what}: {a} and {b}")
    unit = max(np.abs(a[finite]).max(initial=0.0), np.abs(b[finite]).max(initial=0.0), size)
    with np.errstate(over="ignore"):
        off = np.abs(a[finite] - b[finite]).max(initial=0.0)
    must(off <= tolerance * unit, f"{what}: off by {off:.3g} of {unit:.3g}")
