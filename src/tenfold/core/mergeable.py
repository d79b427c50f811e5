"""Base of summaries: frozen dataclasses that merge by `+`. A stack has those of many cells in one record.

In a stack each array has an axis of cells in front, and a number is an array; what all summaries have in common, such
as a schema, is there once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np

from tenfold.core.arrays import Codes

R = TypeVar("R")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(dataclasses.field,))
class Mergeable:
    """Base of summaries: a subclass lists its fields, and is a frozen dataclass by that.

    Two summaries add up field by field, but for those that `same_in_all` names; a subclass that merges otherwise
    writes its own `__add__`.

    Examples
    --------
    >>> from tenfold.core import Mergeable
    >>> class Total(Mergeable):
    ...     unit: str
    ...     rows: int
    ...     weight: float
    ...     same_in_all = ("unit",)
    >>> Total("kg", 2, 1.5) + Total("kg", 1, 0.5)
    Total(unit='kg', rows=3, weight=2.0)
    """

    same_in_all: ClassVar[tuple[str, ...]] = ()
    """fields that equal each other in all summaries that merge: they are kept, not added"""
    by_weight: ClassVar[tuple[str, ...] | None] = None
    """fields that are sums by weight, twice as large of rows that weigh twice as much, where all others of numbers stay
    as they are; None: nobody has said which"""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclasses.dataclass(frozen=True, eq=False)(cls)

    def __add__(self, other: Self) -> Self:
        mine, theirs = vars(self), vars(other)
        return type(self)(
            *(mine[n] if n in self.same_in_all else mine[n] + theirs[n] for n in self.__match_args__)  # type: ignore[attr-defined]
        )

    def scaled(self, by: float) -> Self:
        """Return the summary of the same rows, each of which weighs `by` times as much.

        Examples
        --------
        >>> from tenfold.core import Mergeable
        >>> class Mean(Mergeable):
        ...     weight: float
        ...     mean: float
        ...     by_weight = ("weight",)
        >>> Mean(4.0, 2.5).scaled(0.5)
        Mean(weight=2.0, mean=2.5)
        """
        if self.by_weight is None:
            raise TypeError(
                f"{type(self).__name__} does not say which of its fields are sums by weight, so its rows cannot be "
                "given other weights afterwards"
            )
        found = {}
        for name, value in vars(self).items():
            if name in self.by_weight:
                found[name] = value * by
            elif isinstance(value, Mergeable):
                found[name] = value.scaled(by)
        return dataclasses.replace(self, **found)  # type: ignore[type-var]


def stacked(records: Sequence[R]) -> R:
    """Return records of one class as a stack.

    Examples
    --------
    >>> from tenfold.core.mergeable import Mergeable, cell_of, stacked
    >>> class Total(Mergeable):
    ...     rows: int
    >>> both = stacked([Total(2), Total(3)])
    >>> (both + both).rows
    array([4, 6])
    >>> cell_of(both, 1)
    Total(rows=3)
    """
    return _each_field(records, lambda values: np.stack([np.asarray(value) for value in values]), shared)


def joined_stacks(stacks: Sequence[R]) -> R:
    """Return stacks one after the other, as one."""
    return stacks[0] if len(stacks) == 1 else _each_field(stacks, np.concatenate, shared)


def taken(stack: R, cells: Codes | slice) -> R:
    """Return some cells of a stack, by their places."""
    return _each_field([stack], lambda values: values[0][cells], shared)


def cell_of(stack: R, cell: int) -> R:
    """Return the record of one cell of a stack."""

    def one(values: Sequence[Any]) -> Any:
        found = values[0][cell]
        return found.item() if found.ndim == 0 else found.copy()

    return _each_field([stack], one, shared)


def shared(values: Sequence[Any]) -> Any:
    """Return a value that all records have in common; raise if they do not."""
    first = values[0]
    if any(other is not first and other != first for other in values[1:]):
        raise TypeError(f"these records do not stack: one has {first!r}, another a different value")
    return first


def _each_field(records: Sequence[R], of_arrays: Callable[..., Any], of_others: Callable[..., Any]) -> R:
    """Return a record whose fields are made of those of some records, nested records likewise."""
    kind: Any = type(records[0])
    if any(type(record) is not kind for record in records[1:]):
        raise TypeError(f"records of different classes do not stack: {sorted({type(r).__name__ for r in records})}")
    names = kind._fields if hasattr(kind, "_fields") else kind.__match_args__
    same = getattr(kind, "same_in_all", ())
    made = []
    for name in names:
        values = [getattr(record, name) for record in records]
        first = values[0]
        if name in same:
            made.append(of_others(values))
        elif isinstance(first, (np.ndarray, np.generic, int, float)):
            made.append(of_arrays(values))
        elif (dataclasses.is_dataclass(first) or hasattr(first, "_fields")) and not hasattr(first, "digest"):
            made.append(_each_field(values, of_arrays, of_others))
        else:
            made.append(of_others(values))
    found: R = kind(*made)
    return found
