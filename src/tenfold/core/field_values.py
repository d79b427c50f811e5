"""Rules for the values of a field, annotated beside its axes: `feature: Annotated[Codes, "node", Index("column")]`.

Whatever comes from a file is held against it before any kernel sees it, so that an index is in range and a loop ends. A
field that says nothing has what most have: numbers that are finite, counts that are not negative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tenfold.core.arrays import Array
from tenfold.core.schema import Schema

MAX_COUNT = 1 << 62
"""a count is less, so that two of them add up"""

Size = Callable[[str], int | None]
"""the length of an axis, by its name"""


class Allowed(Protocol):
    """A rule for the values of a field."""

    def holds(self, value: object, size: Size, schema: Schema) -> bool:
        """Whether an array, or a single value, keeps the rule."""

    def __str__(self) -> str:
        """The rule in words, as in: "must be ..."."""


@dataclass(frozen=True)
class Index:
    """Places on an axis: 0 up to its length; with `none`, also -1."""

    axis: str
    none: bool = False

    def holds(self, value: object, size: Size, schema: Schema) -> bool:
        """Whether every one is a place."""
        return _within(value, -1 if self.none else 0, (size(self.axis) or 0) - 1)

    def __str__(self) -> str:
        return f"a place on the axis {self.axis!r}" + (", or -1" if self.none else "")


@dataclass(frozen=True)
class Between:
    """Numbers from `low` to `high`, both allowed; NaN is not."""

    low: float
    high: float = MAX_COUNT

    def holds(self, value: object, size: Size, schema: Schema) -> bool:
        """Whether every one is in the range."""
        return _within(value, self.low, self.high)

    def __str__(self) -> str:
        return f"from {self.low} to {self.high}"


@dataclass(frozen=True, init=False)
class OneOf:
    """One of a few texts or numbers."""

    values: tuple[object, ...]

    def __init__(self, *values: object) -> None:
        object.__setattr__(self, "values", values)

    def holds(self, value: object, size: Size, schema: Schema) -> bool:
        """Whether every one is among them."""
        if not isinstance(value, np.ndarray):
            return value in self.values
        found = np.zeros(value.shape, bool)
        for one in self.values:
            found |= value == one
        return bool(found.all())

    def __str__(self) -> str:
        return f"one of {', '.join(map(str, self.values))}"


@dataclass(frozen=True)
class Predicate:
    """A rule in words, and whether a value keeps it under a schema."""

    words: str
    keeps: Callable[[Any, Schema], bool]

    def holds(self, value: object, size: Size, schema: Schema) -> bool:
        """Whether an array, or a single value, keeps it."""
        return bool(self.keeps(value, schema))

    def __str__(self) -> str:
        return self.words


def _edges(value: Array) -> bool:
    """Whether each column of edges increases while finite, and is infinite from there on."""
    before, after = value[:, :-1], value[:, 1:]
    rising = (after > before) | ((after == np.inf) & (before == np.inf))
    return bool(rising.all() and (value > -np.inf).all())


ANYTHING = Predicate("anything", lambda value, schema: True)
FINITE = Predicate("finite", lambda value, schema: np.isfinite(value).all())
NOT_NAN = Predicate("numbers, not NaN", lambda value, schema: not np.isnan(value).any())
RISING = Predicate("rising", lambda value, schema: (value[1:] > value[:-1]).all())
EDGES = Predicate("edges that rise, and infinity behind them", lambda value, schema: _edges(value))
LEVELS = Predicate(
    "the number of categories of each column", lambda value, schema: np.array_equal(value, schema.levels)
)
OFFSETS = Predicate(
    "where the categories of each column begin", lambda value, schema: np.array_equal(value, schema.value_offsets)
)
CLASS_COUNT = Predicate(
    "the number of classes", lambda value, schema: value == (0 if schema.classes is None else len(schema.classes))
)
COUNTS = Between(0)
POSITIVE = Between(5e-324, float(np.finfo(float).max))
NOT_NEGATIVE = Between(0.0, float(np.finfo(float).max))


def usual(kind: object) -> tuple[Allowed, ...]:
    """Return the default rule of a type: floats are finite, single integers are counts."""
    if kind is int:
        return (COUNTS,)
    if kind is float or (isinstance(kind, np.dtype) and kind.kind == "f"):
        return (FINITE,)
    return ()


def _within(value: Any, low: float, high: float) -> bool:
    if isinstance(value, np.ndarray):
        return not value.size or bool(value.min() >= low and value.max() <= high)
    return bool(low <= value <= high)
