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
from tenfold.core import Bits, Codes, DataError
from tenfold.sources import arrow

NUMBER, TEXT, FLAG, DATE, TIME, MISSING = (np.uint64(code) for code in range(1, 7))
"""added to the hashes of a value: what it is. Files have them, so they stay as they are"""
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}

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
        hash = np.concatenate([self.hash, other.hash])
        order = np.argsort(hash, kind="stable")  # of two sorted runs: one pass
        first = order[changes(hash[order])]
        hash = hash[first]
        here, there = self._at(hash), other._at(hash)
        both = (here >= 0) & (there >= 0)
        refuse_collision(self.check[here[both]], other.check[there[both]])
        check = np.concatenate([self.check, other.check])[first]
        values = pa.concat_tables([self.values, other.values], promote_options="permissive")
        return Keys(hash, check, values.take(pa.array(first)).combine_chunks()), here, there

    def taken(self, at: Codes | slice) -> Keys:
        """Return some of the keys, by their places in ascending order."""
        places = np.arange(len(self))[at]
        return Keys(self.hash[places], self.check[places], self.values.take(pa.array(places)).combine_chunks())


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


def hashes_of(columns: Sequence[pa.Array], names: Sequence[str], missing: Missing) -> tuple[Bits, Bits]:
    """Return the two hashes of the key of each row; the same on every machine and on every day."""
    first, second = np.zeros((2, len(columns[0])), np.uint64)
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
    kind = column.type
    if pa.types.is_null(kind):
        parts = [(MISSING, np.zeros(len(column), np.uint64))]
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        coded = column.dictionary_encode()
        ones, twos = _texts(coded.dictionary)
        at = coded.indices.fill_null(0).to_numpy(zero_copy_only=False)
        parts = [(TEXT, ones[at]), (TEXT, twos[at])] if len(ones) else [(TEXT, np.zeros(len(column), np.uint64))] * 2
    else:
        parts = _numbers(column, kind)
    for code, values in parts:
        add_numbers(np.where(gone, MISSING, code), first, second)
        add_numbers(np.where(gone, MISSING, values), first, second)


def _numbers(column: pa.Array, kind: pa.DataType) -> list[tuple[np.uint64, Bits]]:
    """Return whole numbers by which the values of a column are known, each with what it is."""
    if pa.types.is_boolean(kind):
        return [(FLAG, column.fill_null(False).to_numpy(zero_copy_only=False).astype(np.uint64))]
    short = pa.types.is_date32(kind) or pa.types.is_time32(kind)
    whole = column if pa.types.is_integer(kind) else column.cast(pa.int32() if short else pa.int64())
    numbers = whole.fill_null(0).to_numpy(zero_copy_only=False)
    if pa.types.is_integer(kind):
        return [(NUMBER, (numbers if numbers.dtype == np.uint64 else numbers.astype(np.int64).view(np.uint64)))]
    numbers = numbers.astype(np.int64)
    if pa.types.is_date32(kind):
        return [(DATE, (numbers * 86_400).view(np.uint64)), (DATE, np.zeros(len(numbers), np.uint64))]
    per = 1000 if pa.types.is_date64(kind) else PER_SECOND[kind.unit]
    seconds, rest = np.divmod(numbers, per)  # whatever the unit, the same instant has the same key
    code = TIME if pa.types.is_time(kind) else DATE
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
            f"a key is text, an integer, a date or a boolean, and column {name!r} holds {kind}. Remedy: integers, "
            "rows.with_columns(...), or bins, KBinsDiscretizer()"
        )
    if pa.types.is_string_view(kind) or pa.types.is_large_string(kind):
        column, kind = column.cast(pa.string()), pa.string()
    known = (pa.types.is_string, pa.types.is_integer, pa.types.is_boolean, pa.types.is_null, arrow.is_date)
    if not any(fits(kind) for fits in known):
        raise DataError(
            f"a key is text, an integer, a date or a boolean, and column {name!r} holds {kind}. Remedy: make text of it"
        )
    return column
