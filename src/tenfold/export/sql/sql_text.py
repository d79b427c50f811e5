"""Names, constants and sums in SQL, quoted so that no name and no value is read as anything else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

NOT_A_NUMBER = "CAST('NaN' AS DOUBLE PRECISION)"
NO_NUMBER = "CAST(NULL AS DOUBLE PRECISION)"
BACKSLASH = "CHR(92)"
"""some dialects take a backslash in quotes for an escape: none is written there"""


class SqlColumn(NamedTuple):
    """An expression for the values of a column; NULL where they are missing."""

    expression: str
    text: bool = False


def quoted_name(name: str) -> str:
    """Return the name of a column or table, in double quotes."""
    if "\0" in name:
        raise ValueError(f"{name!r} has a null character, which no name in SQL has. Remedy: another name")
    return '"' + name.replace('"', '""') + '"'


def quoted_path(table: str | Sequence[str]) -> str:
    """Return the name of a table, or of its schema and the table."""
    return ".".join(map(quoted_name, [table] if isinstance(table, str) else table))


def number(value: float) -> str:
    """Return a number as a constant of double precision: with an exponent, since without one it is a decimal."""
    value = float(value)
    if math.isnan(value):
        return NO_NUMBER
    if math.isinf(value):
        return f"CAST('{'-' if value < 0 else ''}Infinity' AS DOUBLE PRECISION)"
    said = repr(value)
    said = said if "e" in said else f"{said}e0"
    return f"({said})" if value < 0 or said[0] == "-" else said


def text(value: str) -> str:
    """Return a text as a constant, in single quotes."""
    if "\0" in value:
        raise ValueError(f"the text {value!r} has a null character, which SQL has not. Remedy: rows without it")
    pieces = ["'" + piece.replace("'", "''") + "'" for piece in value.split("\\")]
    return pieces[0] if len(pieces) == 1 else "(" + f" || {BACKSLASH} || ".join(pieces) + ")"


def constant(value: Any) -> str:
    """Return a label as a constant in its own type."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str):
        return text(value)
    raise TypeError(f"classes must be numbers or text in SQL, not {value!r}. Remedy: text")


def category(value: Any, as_text: bool) -> str:
    """Return a category as what its column is compared with: a text or a number."""
    if as_text:
        return text(str(value))
    if isinstance(value, (int, np.integer)) and int(float(value)) != int(value):
        raise ValueError(
            f"the category {int(value):,} is a whole number beyond double precision. Remedy: make the column text "
            "before the fit"
        )
    return number(float(value))


def added(terms: Sequence[str]) -> str:
    """Return a sum in pairs: long ones are not deep, since databases limit how deep an expression is."""
    if not terms:
        return number(0.0)
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return f"({added(terms[:half])} + {added(terms[half:])})"


def times(weight: float, expression: str) -> str:
    """Return a product."""
    return f"{number(weight)} * {expression}"
