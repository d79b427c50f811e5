"""Schema: the columns and the target of the rows. A schema is a summary: schemas merge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np

from tenfold.core.arrays import Codes, Labels
from tenfold.core.errors import ColumnError, MergeError
from tenfold.core.mergeable import Mergeable
from tenfold.core.need import Target
from tenfold.core.value import digest_of

CATEGORY_AXES = frozenset({"value", "feature", "joint", "design", "predictor"})
"""axes whose entries are categories, and move when a schema grows"""


class Column(Mergeable):
    """Name of a column and its sorted categories, if any; an unused column is present, but not read.

    Dates are seconds since 1970 began, by the clock of the column's time zone; times, of a day, since midnight.
    """

    name: str
    kind: Literal["numeric", "categorical", "text", "date", "time", "unused"]
    categories: Any = None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Column)
            and (self.name, self.kind) == (other.name, other.kind)
            and same(self.categories, other.categories)
        )

    def __add__(self, other: Column) -> Column:
        if (self.name, self.kind) != (other.name, other.kind):
            raise MergeError(f"columns differ: {self.kind} {self.name!r} and {other.kind} {other.name!r}")
        found = unite(self.categories, other.categories, f"column {self.name!r}")
        return Column(self.name, self.kind, found)


@lru_cache(maxsize=16)
def plain_columns(names: tuple[str, ...]) -> tuple[Column, ...]:
    """Columns of numbers: one object for all schemas that have them, since features of text may be very many."""
    return tuple(Column(name, "numeric") for name in names)


class Schema(Mergeable):
    """Columns and target of the rows.

    Parameters
    ----------
    columns : tuple of Column
    target : {"number", "class"} or None
    classes : sorted 1-D array in the target's own type, or None
    named : bool
        Whether the user gave the names.
    """

    columns: tuple[Column, ...]
    target: Target | None = None
    classes: Any = None
    named: bool = False

    by_weight = ()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Schema)
            and (self.columns, self.target, self.named) == (other.columns, other.target, other.named)
            and same(self.classes, other.classes)
        )

    def __getstate__(self) -> dict[str, Any]:
        """The fields, and nothing that was made of them: the same bytes whatever was asked before."""
        columns = self.names if self.plain else self.columns
        return {"columns": columns, "target": self.target, "classes": self.classes, "named": self.named}

    def __setstate__(self, state: dict[str, Any]) -> None:
        columns = state["columns"]
        if columns and isinstance(columns[0], str):
            columns = plain_columns(columns)
        self.__dict__.update(state, columns=columns)

    def __add__(self, other: Schema) -> Schema:
        """The united schema: every category and class that one of the two has."""
        mine, theirs = self.names, other.names
        if mine != theirs:
            only = [sorted(set(a) - set(b)) for a, b in ((mine, theirs), (theirs, mine))]
            raise MergeError(
                f"columns differ: only on the left {only[0]}, only on the right {only[1]}"
                if any(only)
                else f"columns come in another order: {list(mine)} and {list(theirs)}"
            )
        if self.target != other.target:
            raise MergeError(f"one target is {self.target}, the other {other.target}")
        same_columns = self.columns is other.columns and self.plain
        return Schema(
            self.columns if same_columns else tuple(a + b for a, b in zip(self.columns, other.columns)),
            self.target,
            unite(self.classes, other.classes, "the target"),
            self.named,
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(c.name for c in self.columns)

    @cached_property
    def plain(self) -> bool:
        """Whether all columns are numeric."""
        return all(column.kind == "numeric" for column in self.columns)

    @cached_property
    def digest(self) -> bytes:
        """Sixteen bytes by which equal schemas are known in any process."""
        if not self.plain:
            return digest_of(self.columns, self.target, self.classes, self.named)
        lengths = np.array([len(name) for name in self.names])
        return digest_of("".join(self.names), lengths, self.target, self.classes, self.named)

    @cached_property
    def without_target(self) -> Schema:
        """The columns alone: the schema of rows to predict."""
        return Schema(self.columns, None, None, self.named)

    @cached_property
    def n_values(self) -> tuple[int, ...]:
        """How many categories each column has."""
        return tuple(0 if c.categories is None else len(c.categories) for c in self.columns)

    @property
    def value_offsets(self) -> Codes:
        """Where each column's categories begin on the axis `value`, and its length at the end."""
        return np.concatenate([[0], np.cumsum(self.n_values, dtype=np.int64)]).astype(np.int64)

    @cached_property
    def levels(self) -> Codes:
        """How many features each column has as a category: 0 for numbers, which are one feature themselves."""
        found = np.array(self.n_values, dtype=np.int64)
        found.flags.writeable = False
        return found

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features: of a category that of its column, an underscore, and the category."""
        each = ([c.name] if c.categories is None else [f"{c.name}_{v}" for v in c.categories] for c in self.columns)
        return tuple(name for names in each for name in names)

    def size(self, axis: str) -> int | None:
        """Return the length of a named axis, or None for one the schema does not define.

        `column`; `class`; `value`: the categories of all columns, one after the other; `boundary`: where each
        column begins there, and the last ends; `feature`: a numeric column, or a category of one that is not;
        `joint`: the features, then the target if there is one; `design`: a constant, then those;
        `predictor`: a constant, then the features; `score`: of each class, but one of two classes.
        """
        return self._sizes.get(axis)

    @cached_property
    def _sizes(self) -> dict[str, int]:
        """The length of each axis."""
        p = len(self.columns)
        features = sum(1 if c.categories is None else len(c.categories) for c in self.columns)
        joint = features + (self.target is not None)
        classes = 0 if self.classes is None else len(self.classes)
        return {
            "column": p,
            "class": classes,
            "score": 1 if classes == 2 else classes,
            "value": sum(self.n_values),
            "boundary": p + 1,
            "feature": features,
            "joint": joint,
            "design": joint + 1,
            "predictor": features + 1,
        }

    def after(self, width: int, beside: bool) -> Schema:
        """Return the schema of rows made of these: n numeric columns, followed by the original columns if `beside`."""
        made = tuple(Column(f"x{j}", "numeric") for j in range(width))
        return Schema(made + self.columns if beside else made, self.target, self.classes)

    def select(self, columns: tuple[int, ...]) -> Schema:
        """Return the schema of the same rows with a subset of the columns."""
        return Schema(tuple(self.columns[j] for j in columns), self.target, self.classes, self.named)

    def places(self, axis: str, larger: Schema) -> Codes | None:
        """Return the index of each label of `axis` in a larger schema, or None if no label moves."""
        if axis == "class" and not same(self.classes, larger.classes):
            return places_among(self.classes, larger.classes)
        if axis not in CATEGORY_AXES or all(
            same(a.categories, b.categories) for a, b in zip(self.columns, larger.columns)
        ):
            return None
        at, start = [], 0
        for a, b in zip(self.columns, larger.columns):
            if a.categories is not None:
                at.append(places_among(a.categories, b.categories) + start)
            elif axis != "value":
                at.append(np.array([start]))
            start += (axis != "value") if b.categories is None else len(b.categories)
        if axis in ("design", "predictor"):
            at = [np.zeros(1, np.int64), *(some + 1 for some in at)]
        if axis in ("joint", "design") and self.target is not None:
            at.append(np.array([start + (axis == "design")]))
        return np.concatenate(at) if at else None


def places_among(labels: Labels, larger: Labels) -> Codes:
    """Return the index of each label in a larger array of labels."""
    here, there = comparable(labels, larger)
    return np.searchsorted(there, here)


@contextmanager
def naming_columns(*schemas: Schema) -> Iterator[None]:
    """Name the column of an error that knows but its number, if all these schemas call it the same."""
    try:
        yield
    except ColumnError as error:
        names = {schema.feature_names for schema in schemas}
        raise (error.named(names.pop()) if len(names) == 1 else error) from None


def same(a: Labels | None, b: Labels | None) -> bool:
    """Whether two label arrays (or None) hold the same labels in the same type."""
    if a is None or b is None:
        return a is b
    return a.dtype == b.dtype and np.array_equal(a, b)


def unite(a: Labels | None, b: Labels | None, where: str) -> Labels | None:
    """The sorted union of two label arrays of one family of types."""
    if a is None or b is None:
        return b if a is None else a
    if same(a, b) or not len(b):
        return a
    if not len(a):
        return b
    if is_text(a) != is_text(b):
        raise MergeError(f"{where} holds text on one side and numbers on the other")
    try:
        return np.union1d(*comparable(a, b))
    except ValueError as error:
        raise MergeError(f"{where}: {error}") from None


def is_text(labels: Labels) -> bool:
    """Whether labels are strings (and not numbers or booleans)."""
    return labels.dtype.kind in "UOT"


def comparable(a: Labels, b: Labels) -> tuple[Labels, Labels]:
    """Two label arrays in one type that holds every one of them exactly, or ValueError."""
    if a.dtype == b.dtype or is_text(a):
        return a, b
    if a.dtype.kind in "biu" and b.dtype.kind in "biu":
        ends = [int(v) for x in (a, b) if len(x) for v in (x.min(), x.max())]
        if max(ends, default=0) < 2**63:
            return a.astype(np.int64), b.astype(np.int64)
        if min(ends) >= 0:
            return a.astype(np.uint64), b.astype(np.uint64)
        raise ValueError("integers of both signs that no integer type holds together")
    for x in (a, b):
        if x.dtype.kind in "iu" and len(x) and max(abs(int(x.min())), abs(int(x.max()))) > 2**53:
            raise ValueError("integers over 2^53 on one side and floats on the other are not comparable")
    return a.astype(np.float64), b.astype(np.float64)
