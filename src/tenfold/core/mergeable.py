"""Base of summaries: frozen dataclasses that merge by `+`."""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Self, dataclass_transform


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

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclasses.dataclass(frozen=True, eq=False)(cls)

    def __add__(self, other: Self) -> Self:
        mine, theirs = vars(self), vars(other)
        return type(self)(
            *(mine[n] if n in self.same_in_all else mine[n] + theirs[n] for n in self.__match_args__)  # type: ignore[attr-defined]
        )
