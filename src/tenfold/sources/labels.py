"""Labels of a column or target: found in each part, then coded by the united schema."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array, Codes, DataError
from tenfold.core.schema import is_text

TABLE = 1 << 16
"""integers within so small a range are looked up in a table instead of searched"""


def levels(values: Any, where: str) -> Any:
    """The sorted distinct labels of a 1-D array, without missing ones.

    Labels keep their type. A mixture of text and numbers, or anything else, is refused by name.
    """
    text = values.dtype.kind in "OT"
    if text:
        values = _plain(values, where)
    kind = values.dtype.kind
    if kind in "US":
        found = np.unique(values.astype(str))
        return found.astype(object) if text else found
    if kind in "iu" and len(values):
        low, high = int(values.min()), int(values.max())
        if high - low < TABLE:
            seen = np.bincount((values - values.dtype.type(low)).astype(np.int64))
            return (np.flatnonzero(seen) + low).astype(values.dtype)
    if kind not in "biuf":
        raise DataError(
            f"{where} has type {values.dtype}, which has no categories: argument must be a string "
            "or a number. Remedy: convert or drop it"
        )
    found = np.unique(values)
    if kind == "f":
        if np.isinf(found).any():
            raise DataError(f"{where} contains infinity. Remedy: replace infinite values")
        return found[~np.isnan(found)]
    return found


def code(values: Any, known: Any, where: str) -> Array:
    """The place of each value among `known`: NaN if it is missing, -1 if it is not there."""
    if values.dtype.kind in "OT":
        missing = _missing(values)
        if missing.any():
            out = np.full(len(values), np.nan)
            out[~missing] = code(values[~missing], known, where)
            return out
        values = _plain(values, where)
    if values.dtype.kind in "US":
        values = values.astype(str)
    if not len(known):
        return np.full(len(values), -1.0)
    if is_text(known) != (values.dtype.kind == "U"):
        raise DataError(
            f"{where} holds {'numbers' if is_text(known) else 'text'}, but held "
            f"{'text' if is_text(known) else 'numbers'} when the model was fitted"
        )
    if is_text(known):
        known = known.astype(str)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    out = np.where(known[at] == values, at, -1).astype(np.float64)
    if values.dtype.kind == "f":
        if np.isinf(values).any():
            raise DataError(f"{where} contains infinity. Remedy: replace infinite values")
        out[np.isnan(values)] = np.nan
    return out


def class_codes(values: Any, classes: Any) -> Codes:
    """Class codes of a target; a class that the schema does not know is refused."""
    if (
        values.dtype.kind in "iu"
        and classes.dtype.kind in "iu"
        and len(classes)
        and int(classes[-1]) - int(classes[0]) < TABLE
    ):
        low, high = int(classes[0]), int(classes[-1])
        table = np.full(high - low + 1, -1, dtype=np.int64)
        table[(classes - classes[0]).astype(np.int64)] = np.arange(len(classes))
        if not len(values) or (int(values.min()) >= low and int(values.max()) <= high):
            found: Codes = table[values.astype(np.int64) - low]
        else:
            found = np.full(1, -1)
    else:
        found = code(values, classes, "the target").astype(np.int64)
    if len(found) and found.min() < 0:
        strange = sorted(set(np.unique(values).tolist()) - set(classes.tolist()))
        raise DataError(
            f"y has classes {strange[:5]} that are not among the known classes {classes.tolist()[:10]}"
        )
    return found


def _missing(values: Any) -> Any:
    """Where an object array holds None, NaN or another value unequal to itself."""
    import pyarrow as pa

    return (
        np.asarray(pa.array(values, from_pandas=True).is_null())
        if _arrow(values)
        else (np.array([v is None or v != v for v in values], dtype=bool))
    )


def _arrow(values: Any) -> bool:
    """Whether Arrow takes these objects as they are (all text, or all of one kind of number)."""
    import pyarrow as pa

    try:
        pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError, UnicodeError):
        return False
    return True


def _plain(values: Any, where: str) -> Any:
    """Objects as an array of text or numbers; missing ones left out."""
    values = np.asarray(values, dtype=object)
    values = values[~_missing(values)]
    types = {type(v) for v in values}
    if types <= {str, np.str_}:
        return values.astype(str)
    if all(issubclass(t, (int, float, np.number, np.bool_)) for t in types):
        return np.array(values.tolist())
    names = sorted(t.__name__ for t in types)
    raise DataError(
        f"{where} holds values of type {', '.join(names)}: argument must be a string or a number, "
        "of one kind in a column. Remedy: convert it, or drop it"
    )
