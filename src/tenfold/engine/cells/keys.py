"""Keys of cells: a value of one column, or a tuple of values of several, and the two hashes by which they are known.

Cells are sorted by one hash of 64 bits. The other is compared wherever the first is equal, so that two keys which share
the first are an error and never one cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from tenfold.compiled.rows.key_hashes import add_numbers, hash_texts
from tenfold.compiled.rows.sorted_keys import unite
from tenfold.core import Bits, Codes, DataError
from tenfold.sources import arrow

NUMBER, TEXT, FLAG, DATE, TIME, MISSING, LARGE = (np.uint64(code) for code in range(1, 8))
"""added to the hashes of a value: what it is. Files have them, so they stay as they are"""
MAX_INT64 = np.uint64(np.iinfo(np.int64).max)
"""unsigned numbers above are `LARGE`: as int64 their bits are those of a negative number"""
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}

ONE_TYPE = "Remedy: convert it to one type, such as text"

Missing = Literal["error", "cell"]
"""what becomes of rows without a key: an error, or a cell of their own, whose key is None"""


@dataclass(frozen=True, eq=False)
class Keys:
    """Different keys, sorted by their hashes."""

    hash: Bits
    check: Bits
    """the second hash"""
    values: pa.Table
    """a column for each of the columns of the key"""

    def __len__(self) -> int:
        return len(self.hash)

    def places(self, hash: Bits, check: Bits) -> Codes:
        """Return the place of each of some keys, by their hashes; -1: it is not there."""
        at = self._at(hash)
        refuse_collision(self.check[at[at >= 0]], check[at >= 0])
        return at

    def _at(self, hash: Bits) -> Codes:
        if not len(self):
            return np.full(len(hash), -1)
        at = np.minimum(np.searchsorted(self.hash, hash), len(self) - 1)
        return np.where(self.hash[at] == hash, at, -1)

    def united(self, other: Keys) -> tuple[Keys, Codes, Codes]:
        """Return the keys of both, and the place of each in either; -1: it is not there."""
        hash, check = np.concatenate([self.hash, other.hash]), np.concatenate([self.check, other.check])
        places = np.empty((3, len(hash)), np.int64)
        first, here, there = places[:, : unite(self.hash, other.hash, *places)]
        both = (here >= 0) & (there >= 0)
        refuse_collision(self.check[here[both]], other.check[there[both]])
        values = _one_below_other(self.values, other.values)
        return Keys(hash[first], check[first], values.take(pa.array(first)).combine_chunks()), here, there

    def taken(self, at: Codes | slice) -> Keys:
        """Return some of the keys, by their places in ascending order."""
        places = np.arange(len(self))[at]
        return Keys(self.hash[places], self.check[places], self.values.take(pa.array(places)).combine_chunks())


def _one_below_other(a: pa.Table, b: pa.Table) -> pa.Table:
    """Concatenate the values of keys, in a type that has those of both."""
    for name in a.column_names:
        refuse_other_kind(b[name].type, a[name].type, name)
    try:
        return pa.concat_tables([a, b], promote_options="permissive")
    except pa.ArrowException as error:
        raise DataError(f"{a.column_names} have other types in other rows: {error}. {ONE_TYPE}") from None


def refuse_other_kind(kind: pa.DataType, known: pa.DataType, name: str) -> None:
    """Refuse a column that is of another kind than the keys that are known, such as text and numbers: none is equal."""
    codes = {_code(kind), _code(known)} - {MISSING}
    if len(codes) > 1:
        raise DataError(f"column {name!r} holds {kind}, and other rows have keys of type {known}. {ONE_TYPE}")


def _code(kind: pa.DataType) -> np.uint64:
    """Return what the values of a type are."""
    if pa.types.is_null(kind):
        return MISSING
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return TEXT
    if pa.types.is_boolean(kind):
        return FLAG
    return NUMBER if pa.types.is_integer(kind) else TIME if pa.types.is_time(kind) else DATE


def changes(*sorted_by: Any) -> Codes:
    """Return where runs of equal values begin, in one array or in any of several."""
    new = np.zeros(len(sorted_by[0]), bool)
    new[:1] = True
    for values in sorted_by:
        new[1:] |= values[1:] != values[:-1]
    return np.flatnonzero(new)


def refuse_collision(a: Bits, b: Bits) -> None:
    """Raise if keys that share their first hash differ in the second."""
    if (a != b).any():
        raise DataError(
            "two keys share a hash of 64 bits, which is to be expected once in 10^8 cubes of 10^6 keys. Remedy: rename "
            "one of the keys, or write the columns as one text"
        )


def hashes_of(columns: Sequence[pa.Array], names: Sequence[str], missing: Missing, rows: int) -> tuple[Bits, Bits]:
    """Return the two hashes of the key of each row; the same on every machine and on every day."""
    first, second = np.zeros((2, rows), np.uint64)
    for column, name in zip(columns, names, strict=True):
        _add(column, name, missing, first, second)
    return first, second


def _add(column: pa.Array, name: str, missing: Missing, first: Bits, second: Bits) -> None:
    """Add a column to the hashes of each row."""
    gone = column.is_null().to_numpy(zero_copy_only=False)
    if gone.any() and missing == "error":
        raise DataError(
            f"column {name!r} is missing in {int(gone.sum()):,} rows, so they have no cell. Remedy: "
            f"missing='cell', which gives them a cell of their own, or leave them out, tenfold.scan(..., where=...)"
        )
    before = first[gone], second[gone]
    for code, values in _parts(column):
        add_numbers(np.where(gone, MISSING, code), first, second)
        add_numbers(values, first, second)
    if gone.any():  # whatever type the column has: in a part where all are missing it has none
        code = np.full(len(before[0]), MISSING)
        add_numbers(code, *before)
        first[gone], second[gone] = before


def _parts(column: pa.Array) -> list[tuple[Any, Bits]]:
    """Return whole numbers by which the values of a column are known, each with what it is."""
    code = _code(column.type)
    if code == MISSING:
        return []
    if code == TEXT:
        coded = column.dictionary_encode()
        ones, twos = _texts(coded.dictionary)
        at = coded.indices.fill_null(0).to_numpy(zero_copy_only=False)
        return [(TEXT, ones[at]), (TEXT, twos[at])] if len(ones) else []
    if code == FLAG:
        return [(FLAG, column.fill_null(False).to_numpy(zero_copy_only=False).astype(np.uint64))]
    kind = column.type
    short = pa.types.is_date32(kind) or pa.types.is_time32(kind)
    whole = column if code == NUMBER else column.cast(pa.int32() if short else pa.int64())
    numbers = whole.fill_null(0).to_numpy(zero_copy_only=False)
    if numbers.dtype == np.uint64:
        return [(np.where(numbers > MAX_INT64, LARGE, NUMBER), numbers)]
    numbers = numbers.astype(np.int64)
    if code == NUMBER:
        return [(NUMBER, numbers.view(np.uint64))]
    if pa.types.is_date32(kind):
        return [(DATE, (numbers * 86_400).view(np.uint64)), (DATE, np.zeros(len(numbers), np.uint64))]
    per = 1000 if pa.types.is_date64(kind) else PER_SECOND[kind.unit]
    seconds, rest = np.divmod(numbers, per)  # whatever the unit, the same instant has the same key
    return [(code, seconds.view(np.uint64)), (code, (rest * (10**9 // per)).view(np.uint64))]


def _texts(texts: pa.Array) -> tuple[Bits, Bits]:
    """Return the two hashes of each of some texts."""
    first, second = np.zeros((2, len(texts)), np.uint64)
    if len(texts):
        _, ends, letters = texts.cast(pa.large_string()).buffers()
        bounds = np.frombuffer(ends, np.int64)[texts.offset : texts.offset + len(texts) + 1]
        hash_texts(bounds, np.frombuffer(letters or b"", np.uint8), first, second)
    return first, second


def key_column(values: Any, name: str) -> pa.Array:
    """Return a column of keys as one Arrow array without a dictionary; refuse values that are no keys."""
    column = arrow.whole(pa.array(values) if isinstance(values, np.ndarray) else values)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        raise DataError(
            f"a key is text, an integer, a date or a boolean, and column {name!r} holds {kind}. Remedy: integers "
            "(of pandas, astype('Int64') if some are missing), or bins, rows.with_columns(...)"
        )
    if pa.types.is_string_view(kind) or pa.types.is_large_string(kind):
        column, kind = column.cast(pa.string()), pa.string()
    known = (pa.types.is_string, pa.types.is_integer, pa.types.is_boolean, pa.types.is_null, arrow.is_date)
    if not any(fits(kind) for fits in known):
        raise DataError(
            f"a key is text, an integer, a date or a boolean, and column {name!r} holds {kind}. Remedy: make text of it"
        )
    return column


def hashes_of_key(key: Sequence[Any]) -> tuple[Bits, Bits] | None:
    """Return the two hashes of one key; None, if a value cannot be one of a key.

    Of the values as they are: a column's type would round them, 1.5 to an integer and a time to its day.
    """
    try:
        columns = [_one_value(value) for value in key]
        names = [repr(value) for value in key]
        return hashes_of([key_column(one, name) for one, name in zip(columns, names)], names, "cell", 1)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return None


def _one_value(value: Any) -> pa.Array:
    """Return a value as a column; a whole number is an integer, and pandas' dates keep their nanoseconds."""
    if isinstance(value, int) and value > MAX_INT64:
        return pa.array([value], pa.uint64())
    value = value.to_datetime64() if hasattr(value, "to_datetime64") else value
    column = pa.array(np.array([value]) if isinstance(value, np.generic) else [value])
    return column.cast(pa.int64()) if pa.types.is_floating(column.type) else column
