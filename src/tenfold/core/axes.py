"""Annotations of record fields, used three times: to recode summaries, to validate loaded files, and in the docs.

States and summaries are records: a NamedTuple or a frozen dataclass whose fields say what they
are, for instance `mean: Annotated[Array, "class", "column"]`. The strings name the axes. Those the
schema knows (`Schema.size`) have the length it says; any other name is free, but means one
length throughout a record. An axis of a record within is named with the field's name before it: `trees.node`. What is
not text says what the values may be (`core/field_values.py`).

What fields are to each other no annotation says; a record for which that matters to kernels brings a method
`sound(schema)`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Iterator
from functools import cache, partial
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from tenfold.core.arrays import Values
from tenfold.core.errors import MergeError
from tenfold.core.field_values import FINITE, Allowed, usual
from tenfold.core.mergeable import Mergeable
from tenfold.core.schema import Schema

R = TypeVar("R")
SCALARS = frozenset({int, float, bool, str})

BY_ROWS = frozenset({
    "entry", "row", "place", "piece", "byte", "labelled", "numbered", "weighted", "ordered", "group", "negative",
    "window",
})  # fmt: skip
"""axes of summaries whose length depends on the rows; that of any other depends on the state the summary is made at"""
BY_START = frozenset({"output", "field", "bound", "term"})
"""axes of states whose length is decided when a fit starts"""


class Field(NamedTuple):
    """Type, axes and allowed values of one field of a record."""

    type: Any
    """the dtype of an array, the type of a scalar, or the class of a nested record"""
    axes: tuple[str, ...] | None
    """the axes of an array, None for a scalar or a record"""
    allowed: tuple[Allowed, ...] = ()
    """rules that the values must satisfy"""


def is_record(value: object) -> bool:
    """Whether a class (or an instance) is a NamedTuple or a dataclass."""
    return hasattr(value, "_fields") or dataclasses.is_dataclass(value)


class Bundle(Mergeable):
    """Several records as one: the states, or the summaries, of the members of a team."""

    each: tuple[Any, ...]
    width: int = 0
    """if not zero, the number of columns of the rows, in place of the schema's"""
    beside: bool = False
    """whether the schema's columns follow those numbers"""
    columns: tuple[tuple[int, ...], ...] = ()
    """if given, each record is of these columns of the schema only"""

    def __add__(self, other: Bundle) -> Bundle:
        if not self.each or not other.each:  # one of them is of no rows
            return self if self.each else other
        return Bundle(tuple(a + b for a, b in zip(self.each, other.each, strict=True)), *self.rows_key)

    def scaled(self, by: float) -> Bundle:
        """Return the same records of rows that weigh `by` times as much."""
        return Bundle(tuple(each.scaled(by) for each in self.each), *self.rows_key)

    @property
    def rows_key(self) -> tuple[int, bool, tuple[tuple[int, ...], ...]]:
        """The properties of the rows, without their schema: what distinguishes two sets of rows."""
        return self.width, self.beside, self.columns

    def schema(self, schema: Schema) -> Schema:
        """The schema of the rows, before each record selects its columns."""
        return schema.after(self.width, self.beside) if self.width else schema

    def schemas(self, schema: Schema) -> Iterator[Schema]:
        """The schema of the rows of each record."""
        inner = self.schema(schema)
        for at in range(len(self.each)):
            yield inner.select(self.columns[at]) if self.columns else inner

    def recode(self, old: Schema, new: Schema) -> Bundle:
        """Recode each record under a larger schema."""
        each = zip(self.each, self.schemas(old), self.schemas(new), strict=True)
        return Bundle(tuple(recode(record, before, after) for record, before, after in each), *self.rows_key)


@cache
def with_schema(cls: type) -> tuple[str, ...]:
    """Return the fields of a record class that hold the schema itself, which files do not repeat."""
    if cls is Bundle:
        return ()
    return tuple(name for name, hint in get_type_hints(cls).items() if hint is Schema)


@cache
def fields(cls: type) -> dict[str, Field]:
    """The fields of a record class, in order."""
    if cls is Bundle:
        return {"each": Field(Bundle, None)}
    return {name: _field(cls, name, hint) for name, hint in _hints(cls)}


def _hints(cls: type) -> Iterator[tuple[str, Any]]:
    hints = get_type_hints(cls, include_extras=True)
    record: Any = cls
    names = [f.name for f in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else record._fields
    return ((name, hints[name]) for name in names if hints[name] is not Schema)


def _field(cls: type, name: str, hint: object) -> Field:
    said: list[Any] = []
    if get_origin(hint) is Annotated:
        hint, *said = get_args(hint)
    axes = tuple(word for word in said if isinstance(word, str))
    allowed = tuple(word for word in said if not isinstance(word, str))
    if axes:
        dtype = np.dtype(get_args(get_args(hint)[1])[0])  # NDArray[T] is ndarray[shape, dtype[T]]
        return Field(dtype, axes, allowed or usual(dtype))
    if hint in (int, float, bool, str) or is_record(hint):
        return Field(hint, None, allowed or usual(hint))
    raise TypeError(
        f"{cls.__name__}.{name} is annotated {hint!r}; write Annotated[Array, 'axis', ...], "
        "int, float, bool, str, or another record"
    )


def values(record: object) -> Iterator[tuple[str, Field, Any]]:
    """Name, description and value of each field of a record."""
    if isinstance(record, Bundle):
        yield from ((str(at), Field(type(each), None), each) for at, each in enumerate(record.each))
        return
    kind: type = type(record)
    for name, field in fields(kind).items():
        yield name, field, getattr(record, name)


def not_finite(record: object) -> str | None:
    """Return the first field of a record with a forbidden NaN or infinity, or None."""
    if isinstance(record, Bundle):
        return next(filter(None, map(not_finite, record.each)), None)
    kind: type = type(record)
    try:
        found = _looked_at(kind)
    except TypeError:  # it does not say what it holds, as a learner may that is never saved
        return None
    for name, below in found:
        value = getattr(record, name)
        if below:
            if said := not_finite(value):
                return said
        elif not (math.isfinite(value) if isinstance(value, float) else np.isfinite(value).all()):
            return f"{kind.__name__}.{name}"
    return None


def finite_cells(stack: object) -> Any:
    """Return which cells of a stack have no forbidden NaN or infinity."""
    fine: Any = True
    kind: type = type(stack)
    for name, below in _looked_at(kind):
        value = getattr(stack, name)
        fine = fine & (finite_cells(value) if below else np.isfinite(value).reshape(len(value), -1).all(axis=1))
    return np.asarray(fine)


@cache
def _looked_at(cls: type) -> tuple[tuple[str, bool], ...]:
    """The fields of a record class that are records themselves (True), or must be finite."""
    each = ((name, field.axes is None and is_record(field.type), field) for name, field in fields(cls).items())
    return tuple((name, below) for name, below, field in each if below or FINITE in field.allowed)


def check(record: object, schema: Schema) -> dict[str, int]:
    """Raise if the types, shapes or values of a record violate its annotations or the schema.

    Returns the lengths of the axes that the schema does not know.
    """
    free: dict[str, int] = {}
    name = type(record).__name__
    if isinstance(record, Bundle):
        if record.columns and len(record.columns) != len(record.each):
            raise MergeError("a bundle names the columns of other records")
        for each, inner in zip(record.each, record.schemas(schema), strict=True):
            _check_member(each, inner)
        return free
    found = list(values(record))
    for field_name, field, value in found:
        if field.axes is None and is_record(field.type):
            below = check(value, schema)
            free.update({f"{field_name}.{axis}": length for axis, length in below.items()})
    for field_name, field, value in found:
        where = f"{name}.{field_name}"
        if field.axes is not None:
            if not isinstance(value, np.ndarray):
                raise MergeError(f"{where} is not an array")
            check_shape(where, field, value.dtype, value.shape, schema, free)
        elif not is_record(field.type) and type(value) is not field.type:
            raise MergeError(f"{where} is a {type(value).__name__}, not {field.type.__name__}")

    def size(axis: str) -> int | None:
        known = schema.size(axis)
        return free.get(axis) if known is None else known

    for field_name, field, value in found:
        for allowed in field.allowed:
            if not allowed.holds(value, size, schema):
                raise MergeError(f"{name}.{field_name} must be {allowed}")
    if hasattr(record, "is_valid") and not record.is_valid(schema):
        raise MergeError(f"the fields of {name} do not belong together")
    return free


def _check_member(record: object, schema: Schema) -> None:
    """Check a record of a bundle, which may be of a member that learns without the target."""
    try:
        check(record, schema)
    except MergeError:
        if isinstance(record, Bundle) or schema.target is None or not fits(record, schema.without_target):
            raise


def fits(record: object, schema: Schema) -> bool:
    """Whether a record has the types, shapes and values of its annotations, for a schema."""
    try:
        check(record, schema)
    except MergeError:
        return False
    return True


def check_shape(
    where: str, field: Field, dtype: object, shape: tuple[int, ...], schema: Schema, free: dict[str, int]
) -> None:
    """Refuse a dtype or shape that the field's annotation and the schema do not allow."""
    assert field.axes is not None
    if dtype != field.type:
        raise MergeError(f"{where} has type {dtype}, not {field.type}")
    if len(shape) != len(field.axes):
        raise MergeError(f"{where} has {len(shape)} axes, not {field.axes}")
    for axis, length in zip(field.axes, shape):
        known = schema.size(axis)
        want = free.setdefault(axis, length) if known is None else known
        if length != want:
            raise MergeError(f"{where} has length {length} on axis {axis!r}, not {want}")


def same_axes(a: object, b: object) -> bool:
    """Return whether two summaries of one kind have equal lengths on all axes that do not depend on the rows.

    Summaries of two kinds are not compared here: whether they can be merged, `+` decides.
    """
    if isinstance(a, Bundle) and isinstance(b, Bundle):
        fits = len(a.each) == len(b.each) and a.rows_key == b.rows_key
        return fits and all(map(same_axes, a.each, b.each))
    return type(a) is not type(b) or all(
        same_axes(x, y) if is_record(field.type) else _same_lengths(field, x, y, set(field.axes or ()) - BY_ROWS)
        for (_, field, x), (_, _, y) in zip(values(a), values(b), strict=True)
    )


def starts_alike(state: object, first: object) -> bool:
    """Whether a state, or a model, has the lengths that were decided when its fit started."""
    begun = {(axis, n) for axis, n in _lengths(first) if axis in BY_START}
    known = {axis for axis, _ in begun}
    return all((axis, n) in begun for axis, n in _lengths(state) if axis in known)


def _lengths(record: object) -> Iterator[tuple[str, int]]:
    """The axes of a record, and how long they are."""
    for _, field, value in values(record):
        if field.axes is not None:
            yield from zip(field.axes, value.shape, strict=True)


def _same_lengths(field: Field, x: Values, y: Values, axes: set[str]) -> bool:
    return (
        all(m == n for axis, m, n in zip(field.axes, x.shape, y.shape, strict=True) if axis in axes)
        if field.axes is not None
        else True
    )


def bits(record: object) -> str:
    """A digest of every bit of a record."""
    digest = hashlib.sha256()
    for name, _, value in values(record):
        digest.update(name.encode())
        digest.update(bits(value).encode() if is_record(value) else np.asarray(value).tobytes())
    return digest.hexdigest()


def freeze(record: R) -> R:
    """Make every array of a record read-only: a state and the summary it was made from may share them."""
    kind: type = type(record)
    for value in record.each if isinstance(record, Bundle) else map(partial(getattr, record), fields(kind)):
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        elif type(value) not in SCALARS and is_record(value):
            freeze(value)
    return record


def recode(record: R, old: Schema, new: Schema) -> R:
    """The same summary under a larger schema: a homomorphism, `recode(a + b)` is the sum of both.

    New labels get zeros, the identity of sums and counts. A summary that holds codes itself
    brings a method `recode(old, new)` of its own.
    """
    if old == new:
        return record
    if hasattr(record, "recode"):
        return record.recode(old, new)  # type: ignore[no-any-return]
    return moved(record, old, new)


def moved(record: R, old: Schema, new: Schema) -> R:
    """A record, every entry at the place of its labels, zeros elsewhere."""
    found: dict[str, Any] = {}
    for name, field, value in values(record):
        if is_record(field.type):
            value = recode(value, old, new)
        for k, axis in enumerate(field.axes or ()):
            at = old.places(axis, new)
            if at is not None:
                shape = list(value.shape)
                shape[k] = new.size(axis)
                wider = np.zeros(shape, value.dtype)
                wider[(slice(None),) * k + (at,)] = value
                value = wider
        found[name] = value
    return type(record)(**found)
