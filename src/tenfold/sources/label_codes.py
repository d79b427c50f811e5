"""Labels of a column or target: found in each part, then coded by the united schema.

Numbers are handled here; text and objects go through Arrow (`sources/arrow.py`), which neither pads
strings nor guesses.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tenfold.core import Array, Codes, DataError, Labels, Values, VectorLike
from tenfold.core.schema import comparable, is_text

MAX_TABLE_RANGE = 1 << 16
"""integers within so small a range are looked up in a table instead of searched"""

FLOAT64_INTEGER_LIMIT = 2.0**53
"""from here on float64 does not hold each whole number"""


def levels(values: VectorLike, where: str) -> Labels:
    """The sorted distinct labels of a 1-D array, without missing ones.

    Labels keep their type. A mixture of text and numbers, or anything else, is refused by name.
    """
    kind = values.dtype.kind
    if kind in "OUT":
        from tenfold.sources import arrow

        found = arrow.levels(column_of(values, where), where)
        return found.astype(values.dtype) if kind == "U" else found
    if kind in "iu" and len(values):
        low, high = int(values.min()), int(values.max())
        if high - low < MAX_TABLE_RANGE and high < 2**63:
            seen = np.bincount(values.astype(np.int64) - low)
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
        found = found[~np.isnan(found)]
        if len(found) and max(-float(found[0]), float(found[-1])) >= FLOAT64_INTEGER_LIMIT:
            raise DataError(
                f"{where} holds integers beyond 2^53, which float64 cannot represent exactly. Remedy: convert it to "
                "text"
            )
    return found


def code(values: VectorLike, known: Labels, where: str) -> Array:
    """The place of each value among `known`: NaN if it is missing, -1 if it is not there."""
    if values.dtype.kind in "OUT":
        from tenfold.sources import arrow

        return arrow.codes(column_of(values, where), known, where)
    missing = np.isnan(values) if values.dtype.kind == "f" else None
    if missing is not None and np.isinf(values).any():
        raise DataError(f"{where} contains infinity. Remedy: replace infinite values")
    if not len(known) or (missing is not None and missing.all()):
        out = np.full(len(values), -1.0)
    else:
        if is_text(known):
            raise DataError(f"{where} holds numbers, but held text when the model was fitted")
        here, there = comparable(values, known)
        at = np.minimum(there.searchsorted(here), len(known) - 1)
        out = np.where(there[at] == here, at, -1.0)
    if missing is not None:
        out[missing] = np.nan
    return out


def texts(values: VectorLike, where: str) -> Values:
    """Return text as an array of strings, with None where one is missing. Numbers are refused."""
    from tenfold.sources import arrow

    if values.dtype.kind not in "OUT":
        raise DataError(
            f"{where} holds {values.dtype}, not text. Remedy: convert it to text, .astype(str), or leave it out"
        )
    return arrow.texts(column_of(values, where), where)


def dates(values: VectorLike, where: str) -> Array:
    """Seconds since 1970 began of an array of dates: `datetime64`, or objects of Python or pandas. NaN is missing."""
    from tenfold.sources import arrow

    if values.dtype.kind == "M":
        fine = np.datetime_data(values.dtype)[0] in ("D", "s", "ms", "us", "ns")
        return arrow.dates(pa.array(in_native_order(values if fine else values.astype("M8[s]"))), where)
    if values.dtype.kind == "O":
        return arrow.dates(column_of(values, where), where)
    raise DataError(
        f"{where} holds {values.dtype}, not dates. Remedy: convert it to dates, pandas.to_datetime, or leave it out"
    )


def class_codes(values: VectorLike, classes: Labels) -> Codes:
    """Class codes of a target; a class that the schema does not know is refused."""
    if (
        values.dtype.kind in "iu"
        and classes.dtype.kind in "iu"
        and len(classes)
        and int(classes[-1]) - int(classes[0]) < MAX_TABLE_RANGE
        and int(classes[-1]) < 2**63
    ):
        low, high = int(classes[0]), int(classes[-1])
        inside = not len(values) or (int(values.min()) >= low and int(values.max()) <= high)
        if inside and high - low + 1 == len(classes):  # in a row: codes are differences
            codes: Codes = values if not low and values.dtype == np.int64 else values.astype(np.int64) - low
            return np.ascontiguousarray(codes)  # a column of a table has gaps, which no kernel takes
        table = np.full(high - low + 1, -1, dtype=np.int64)
        table[classes.astype(np.int64) - low] = np.arange(len(classes))
        if inside:
            found: Codes = table[values.astype(np.int64) - low]
        else:
            found = np.full(1, -1)
    else:
        found = code(values, classes, "the target").astype(np.int64)
    if len(found) and found.min() < 0:
        strange = sorted(set(levels(values, "the target").tolist()) - set(classes.tolist()))
        raise DataError(
            f"y has classes {strange[:5]} that are not among the known classes {classes.tolist()[:10]}. Remedy: leave "
            "out their rows, or fit to all rows from the beginning"
        )
    return found


def column_of(values: VectorLike, where: str) -> pa.Array:
    """Objects or text as an Arrow array of text or numbers; None, NaN and the like are null."""
    try:
        return pa.array(in_native_order(values), from_pandas=True)
    except (pa.ArrowException, TypeError, UnicodeError, OverflowError):
        pass
    plain = [v for v in values if not _missing(v)]
    types = {type(v) for v in plain}
    if all(issubclass(t, (int, float, np.number, np.bool_)) for t in types):
        return pa.array([None if _missing(v) else float(v) for v in values], pa.float64())
    if types <= {str, np.str_}:
        raise DataError(f"{where} holds text that is not valid Unicode. Remedy: correct or drop it")
    raise DataError(
        f"{where} holds values of type {', '.join(sorted(t.__name__ for t in types))}: argument must be a "
        "string or a number, of one kind in a column. Remedy: convert it, or drop it"
    )


def in_native_order(values: VectorLike) -> VectorLike:
    """Return an array or a pandas Series in native byte order, the only one that Arrow supports."""
    dtype = values.dtype if hasattr(values, "dtype") else None
    return values.astype(dtype.newbyteorder("=")) if isinstance(dtype, np.dtype) and not dtype.isnative else values


def _missing(value: object) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(value != value)
