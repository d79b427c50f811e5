"""Keys of batches: text, integers and days, their order, and the names of files that they give."""

from __future__ import annotations

import datetime
import re
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import numpy as np

from tenfold.core import DataError

Key = str | int | datetime.date
"""of a batch"""
Span = str | datetime.timedelta
"""of days: "28d", "4w" """

MAX_NAME = 80
"""letters of a key in the name of a file; a name may have 255, and those of kept merges have two keys"""
LEAF = ".leaf"
SEPARATOR = "@"
"""between the parts of a file name: no quoted key has it"""
SPAN = re.compile(r"([1-9]\d*)([dw])")
INTEGER = re.compile(r"-?(0|[1-9]\d*)")
SINGLE_DAYS = "a key of a batch is a day, an integer or text"


class LeafName(NamedTuple):
    """What the name of a leaf says."""

    key: str
    late: str
    """of rows that came after the others of their key: a digest of them; else empty"""
    order: tuple[Any, ...]


def key_of(value: Any) -> str:
    """Return a key as text: of a day, an integer or text."""
    if isinstance(value, np.datetime64):
        value = value.astype("M8[us]").item()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, datetime.datetime):
        if value != datetime.datetime.combine(value.date(), datetime.time(), value.tzinfo):
            raise DataError(
                f"{SINGLE_DAYS}, and {value} has a time of day. Remedy: its day, .dt.normalize() or "
                "rows.with_columns(...), or a text of the hour"
            )
        value = value.date()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise DataError(f"{SINGLE_DAYS}, not {value!r} of type {type(value).__name__}. Remedy: make text of it")
    if not value or len(quoted(value)) > MAX_NAME:
        raise DataError(f"{value[:40]!r} is no key: a key has 1 to {MAX_NAME} letters. Remedy: a shorter one")
    return value


def quoted(key: str) -> str:
    """Return a key as a part of a file name."""
    return quote(key, safe="").replace("~", "%7E")


def leaf_name(key: str, late: str = "") -> str:
    """Return the file name of the leaf of a key, or of rows that came late, with their digest."""
    return f"{quoted(key)}{SEPARATOR * bool(late)}{late}{LEAF}"


@lru_cache(maxsize=1 << 16)
def read_leaf_name(name: str) -> LeafName | None:
    """Return what the name of a leaf says; None of a file that is no leaf."""
    if not name.endswith(LEAF):
        return None
    text, _, late = name.removesuffix(LEAF).partition(SEPARATOR)
    key = unquote(text)
    return LeafName(key, late, (*key_order(key), late)) if leaf_name(key, late) == name else None


def leaf_order(name: str) -> tuple[Any, ...]:
    """Return what leaves are sorted by: their keys, and rows that came late after the others."""
    found = read_leaf_name(name)
    assert found is not None
    return found.order


def key_order(key: str) -> tuple[int, int, str]:
    """Return what keys are sorted by: integers by their value, before text, and days as their text."""
    return (0, int(key), "") if INTEGER.fullmatch(key) else (1, 0, key)


def day_of(key: str, why: str) -> datetime.date:
    """Return the day that a key is."""
    try:
        return datetime.date.fromisoformat(key)
    except ValueError:
        raise DataError(
            f"{why} counts days, and the key {key!r} is none. Remedy: keys that are days, such as '2026-03-31'; or "
            "since= and until="
        ) from None


def days_of(span: Any, name: str) -> int:
    """Return the days of a span: "28d", "4w", or a timedelta of whole days."""
    found = SPAN.fullmatch(span) if isinstance(span, str) else None
    if found:
        return int(found[1]) * (7 if found[2] == "w" else 1)
    if isinstance(span, datetime.timedelta) and span.days > 0 and span == datetime.timedelta(span.days):
        return span.days
    raise ValueError(f"{name} must be a span of days, such as '28d' or '4w', not {span!r}")
