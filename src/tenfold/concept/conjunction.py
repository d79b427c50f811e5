"""Hypotheses as values: conjunctions of constraints, one for each attribute, in a partial order.

A constraint is a value, a `ClosedInterval` of numbers, a `Kind` of values (an inner node of a taxonomy), "?" for any
value, or None for no value at all. Books disagree about which way ≤ points, so the order has names here:
`more_general_than` and `more_specific_than`. The operators are those of Python's sets: `a <= b` if b covers all that a
covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

ANYTHING = "?"


@dataclass(frozen=True)
class ClosedInterval:
    """The numbers from `low` to `high`, both included."""

    low: float
    high: float

    def admits(self, value: Any) -> bool:
        """Whether the constraint admits a value."""
        return bool(self.low <= value <= self.high)

    def includes(self, other: Any) -> bool:
        """Whether this constraint admits every value that the other one admits."""
        low, high = (other.low, other.high) if isinstance(other, ClosedInterval) else (other, other)
        return bool(self.low <= low and high <= self.high)

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


@dataclass(frozen=True)
class Kind:
    """The values below an inner node of a taxonomy."""

    name: str
    values: frozenset[Any]

    def admits(self, value: Any) -> bool:
        """Whether the value is of this kind."""
        return value in self.values

    def includes(self, other: Any) -> bool:
        """Whether this constraint admits every value that the other one admits."""
        return self.values >= other.values if isinstance(other, Kind) else other in self.values

    def __str__(self) -> str:
        return self.name


def admits(constraint: Any, value: Any) -> bool:
    """Whether a constraint on an attribute allows a value."""
    if isinstance(constraint, (ClosedInterval, Kind)):
        return constraint.admits(value)
    return constraint is not None and (constraint == ANYTHING or bool(constraint == value))


def includes(constraint: Any, other: Any) -> bool:
    """Whether a constraint is at least as general as another on the same attribute."""
    if other is None or constraint in (other, ANYTHING):
        return True
    if constraint is None or other == ANYTHING:
        return False
    return isinstance(constraint, (ClosedInterval, Kind)) and constraint.includes(other)


@dataclass(frozen=True, init=False, repr=False)
class Conjunction:
    """A hypothesis: a row is covered if each of its values is allowed by the constraint on its attribute.

    Parameters
    ----------
    constraints : sequence
        For each attribute a value, a `ClosedInterval`, a `Kind`, "?" for any value, or None for none. One None covers
        nothing, whatever the rest is, so it makes all of them None.

    Examples
    --------
    >>> from tenfold import Conjunction
    >>> warm, any_day = Conjunction(["sun", "warm"]), Conjunction(["?", "?"])
    >>> warm, warm < any_day, warm in {warm, any_day}
    (<sun, warm>, True, True)
    >>> Conjunction(["sun", None]) == Conjunction([None, None])
    True
    """

    constraints: tuple[Any, ...]

    def __init__(self, constraints: Iterable[Any]) -> None:
        given = tuple(constraints)
        object.__setattr__(self, "constraints", (None,) * len(given) if None in given else given)

    @property
    def covers_nothing(self) -> bool:
        """Whether no row at all is covered."""
        return None in self.constraints

    def __le__(self, other: Conjunction) -> bool:
        if len(self.constraints) != len(other.constraints):
            raise ValueError(f"one has {len(self.constraints)} attributes, the other {len(other.constraints)}")
        return all(includes(a, b) for a, b in zip(other.constraints, self.constraints, strict=True))

    def __lt__(self, other: Conjunction) -> bool:
        return self != other and self <= other

    def __ge__(self, other: Conjunction) -> bool:
        return other <= self

    def __gt__(self, other: Conjunction) -> bool:
        return other < self

    def __str__(self) -> str:
        return f"<{', '.join('nothing' if c is None else str(c) for c in self.constraints)}>"

    __repr__ = __str__


def covers(hypothesis: Conjunction, row: Sequence[Any]) -> bool:
    """Whether a hypothesis covers a row.

    Parameters
    ----------
    hypothesis : Conjunction
    row : sequence
        A value for each attribute.

    Returns
    -------
    bool

    Examples
    --------
    >>> from tenfold.concept.conjunction import ClosedInterval, Conjunction, covers
    >>> covers(Conjunction(["sun", ClosedInterval(15, 25)]), ["sun", 20])
    True
    """
    if len(row) != len(hypothesis.constraints):
        raise ValueError(f"the row has {len(row)} values, the hypothesis {len(hypothesis.constraints)} attributes")
    return all(map(admits, hypothesis.constraints, row))


def consistent(hypothesis: Conjunction, rows: Iterable[Sequence[Any]], labels: Iterable[bool]) -> bool:
    """Whether a hypothesis is complete (covers every positive) and correct (covers no negative).

    Parameters
    ----------
    hypothesis : Conjunction
    rows : sequence of rows
    labels : sequence of bool
        Whether each row is a positive.

    Returns
    -------
    bool

    Examples
    --------
    >>> from tenfold.concept.conjunction import Conjunction, consistent
    >>> consistent(Conjunction(["sun", "?"]), [["sun", "warm"], ["rain", "warm"]], [True, False])
    True
    """
    return all(covers(hypothesis, row) == bool(label) for row, label in zip(rows, labels, strict=True))


def more_general_than(a: Conjunction, b: Conjunction) -> bool:
    """Whether `a` covers all that `b` covers, and is another hypothesis: strict, as boundaries need it.

    Parameters
    ----------
    a, b : Conjunction

    Returns
    -------
    bool

    Examples
    --------
    >>> from tenfold.concept.conjunction import Conjunction, more_general_than
    >>> some, other = Conjunction(["sun", "?"]), Conjunction(["?", "warm"])
    >>> more_general_than(some, Conjunction(["sun", "warm"])), more_general_than(some, other)
    (True, False)
    """
    return a > b


def more_specific_than(a: Conjunction, b: Conjunction) -> bool:
    """Whether `b` covers all that `a` covers, and is another hypothesis.

    Parameters
    ----------
    a, b : Conjunction

    Returns
    -------
    bool

    Examples
    --------
    >>> from tenfold.concept.conjunction import Conjunction, more_specific_than
    >>> more_specific_than(Conjunction([None]), Conjunction(["sun"]))
    True
    """
    return a < b
