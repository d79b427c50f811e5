"""Conversion of an Arrow column to numbers, labels or codes; a lossy conversion is refused with the column's name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tenfold.core import Array, Codes, DataError, Labels, Values
from tenfold.core.schema import is_text as holds_text
from tenfold.sources import label_codes
from tenfold.sources.time_zones import ahead_of_utc

MAX_LINEAR_SEARCH = 8
"""entries of a dictionary that are looked for one by one"""
MAX_MICROSECOND_SECONDS = 2.0**32
"""seconds (136 years) up to which float64 resolves microseconds; larger dates are in whole seconds"""


def is_number(kind: pa.DataType) -> bool:
    """Whether a column enters as numbers without a word: all of Arrow's numbers, booleans, nulls."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_null(kind)
    )


def is_label(kind: pa.DataType) -> bool:
    """Whether a column's values can be categories: text or numbers, plain or in a dictionary."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return is_number(kind) or _is_text(kind)


def is_category(kind: pa.DataType) -> bool:
    """Whether a column enters as categories where both are taken: text, dictionaries. Booleans are 0 and 1."""
    return bool(pa.types.is_dictionary(kind) or _is_text(kind))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


NUMBER = r"^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,3})?$"
"""what is a number among texts"""
SHOWN_NAMES = 3
"""columns that a remedy names"""


def is_text(kind: pa.DataType) -> bool:
    """Whether a column's values are text, plain or in a dictionary, or all missing."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return _is_text(kind) or bool(pa.types.is_null(kind))


def is_date(kind: pa.DataType) -> bool:
    """Whether a column holds dates, dates with a time, or times of a day."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_time(kind))


def is_time(kind: pa.DataType) -> bool:
    """Whether a column holds times of a day, without the day."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_time(kind))


def dates(column: pa.ChunkedArray, where: str, *, time: bool = False) -> Array:
    """Seconds since 1970 began, by the clock of the column's time zone; of a `time`, since midnight. NaN is missing."""
    column = whole(column)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if not is_date(kind):
        raise DataError(
            f"{where} holds {kind}, not dates. Remedy: convert it to dates, pandas.to_datetime, or leave it out"
        )
    if is_time(kind) != time:
        had = ("times of a day", "dates") if time else ("dates", "times of a day")
        raise DataError(f"{where} held {had[0]} when the model was fitted, and holds {had[1]} now")
    short = pa.types.is_date32(kind) or pa.types.is_time32(kind)
    numbers = column.cast(pa.int32() if short else pa.int64())
    gone = numbers.is_null().to_numpy(zero_copy_only=False) if numbers.null_count else None
    count = (numbers if gone is None else numbers.fill_null(0)).to_numpy().astype(np.int64, copy=False)
    unit = "ms" if pa.types.is_date64(kind) else "D" if pa.types.is_date32(kind) else kind.unit
    whole_seconds, rest = _seconds(count, unit)
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        try:
            whole_seconds = whole_seconds + ahead_of_utc(kind.tz, whole_seconds)
        except ValueError as error:
            raise DataError(f"{where}: {error}. Remedy: pip install tzdata, or convert it to another zone") from None
    found: Array = whole_seconds.astype(np.float64)
    if rest is not None:
        np.add(found, rest, out=found, where=np.abs(found) < MAX_MICROSECOND_SECONDS)
    if gone is not None:
        found[gone] = np.nan
    return found


def _seconds(count: Codes, unit: str) -> tuple[Codes, Array | None]:
    """Return whole seconds of counts of a unit, and the remainder in microseconds, rounded down."""
    if unit == "D":
        return count * 86_400, None
    per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    if per == 1:
        return count, None
    found, rest = np.divmod(count, per)
    return found, (rest // max(per // 10**6, 1)).astype(np.float64) / min(per, 10**6)


def group_labels(column: pa.ChunkedArray, where: str) -> pa.ChunkedArray:
    """Return a column whose values name groups: dates as whole numbers, alike in all parts; others unchanged."""
    if not is_date(column.type):
        return column
    column = whole(column)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    try:
        if pa.types.is_timestamp(kind):
            column = column.cast(pa.timestamp("us", kind.tz))
        elif pa.types.is_date(kind):
            column = column.cast(pa.date32()).cast(pa.int32())
        else:
            column = column.cast(pa.time64("us"))
    except pa.ArrowInvalid as error:
        raise DataError(
            f"{where} holds dates that are no whole microseconds ({error}), too fine for groups. Remedy: a part of "
            "them, such as .dt.date() of an expression"
        ) from None
    return column.cast(pa.int64())


def texts(column: pa.ChunkedArray, where: str) -> Values:
    """Return strings in an array of objects, with None where one is missing."""
    if not is_text(column.type):
        raise DataError(
            f"{where} holds {column.type}, not text. Remedy: convert it to text, .astype(str), or leave it out"
        )
    column = whole(column)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    found: Values = _unicode(column, where).astype(object, copy=False)
    return found


def remedy_for_text(names: Sequence[str], frame: bool) -> str:
    """The call that makes numbers of columns of text, in a frame or in rows of a source."""
    some = names[:SHOWN_NAMES]
    if frame:
        made = ", ".join(f"{name}=pandas.to_numeric(X[{name!r}], errors='coerce')" for name in some)
        call = f"X.assign({made})"
    else:
        made = ", ".join(f"{name}=tenfold.col({name!r}).cast('float64', strict=False)" for name in some)
        call = f"rows.with_columns({made})"
    return f"{call}, where what is no number becomes missing"


def means_numbers(column: pa.ChunkedArray) -> bool:
    """Whether at least half of the different texts of a column are numbers."""
    texts = column.cast(pa.string()).unique().drop_null()
    text = pc.utf8_trim_whitespace(texts)
    return len(texts) > 0 and 2 * pc.sum(pc.match_substring_regex(text, NUMBER)).as_py() >= len(texts)


def numbers(column: pa.ChunkedArray, where: str, name: str = "", frame: bool = True) -> Values:
    """Floats in their own width; anything else as float64. A missing value is NaN.

    With its name, and whether it is of a frame, an error says how to make numbers of text.
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not is_number(column.type):
        remedy = "convert them to numbers, as pandas.to_numeric does, or fit to such rows"
        if name and is_text(column.type) and means_numbers(column):
            remedy = remedy_for_text([name], frame)
        raise DataError(f"{where} holds {column.type}, not numbers. Remedy: {remedy}")
    if not (pa.types.is_float32(column.type) or pa.types.is_float64(column.type)):
        try:
            column = column.cast(pa.float64())  # safe: raises where `to_numpy` would round
        except pa.ArrowInvalid as error:
            raise DataError(
                f"{where} holds integers that float64 cannot represent exactly ({error}). Remedy: drop it if it is "
                "an id, "
                "or convert it to text, as a category"
            ) from None
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    found: Values = column.to_numpy(zero_copy_only=False)  # a view, where nothing is missing
    return found


def whole(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece. Pieces have dictionaries of their own, which Arrow does not unite if they have nulls."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], column.type.value_type)
    return column.combine_chunks()


def levels(column: pa.ChunkedArray, where: str) -> Labels:
    """The sorted distinct labels that occur, without missing ones."""
    if pa.types.is_dictionary(column.type):  # each chunk has its own, which Arrow does not unite if it has nulls
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        used = [_used(chunk) for chunk in chunks]
        column = pa.chunked_array(used, column.type.value_type)
    found = _values(pc.unique(column), where)
    if holds_text(found):  # a dictionary may repeat itself
        return np.array([*sorted(set(found.tolist())), None], dtype=object)[:-1]
    return label_codes.levels(found, where)


def _used(chunk: pa.DictionaryArray) -> pa.Array:
    """The entries of a dictionary that occur: of few, looking for each takes less time than hashing the rows."""
    if chunk.null_count or len(chunk.dictionary) > MAX_LINEAR_SEARCH:
        return pc.unique(chunk).dictionary_decode()
    at = chunk.indices.to_numpy(zero_copy_only=False)
    return chunk.dictionary.take(pa.array([k for k in range(len(chunk.dictionary)) if (at == k).any()], pa.int64()))


def misses(column: pa.ChunkedArray, *, nan: bool) -> bool:
    """Whether a row has no value: null, an entry of its dictionary that is null, or, with `nan`, NaN."""
    if column.null_count:
        return True
    if pa.types.is_dictionary(column.type):
        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        return any(misses(c.dictionary, nan=nan) and misses(_used(c), nan=nan) for c in chunks)
    return nan and bool(pa.types.is_floating(column.type)) and bool(np.isnan(column.to_numpy()).any())


def codes(column: pa.ChunkedArray, known: Labels, where: str) -> Array:
    """The place of each value among `known`: NaN if it is missing, -1 if it is not there.

    Each chunk brings a dictionary of its own, with nulls and repetitions as it likes: its entries are
    looked up once, and taken for the rows.
    """
    out = [np.empty(0)]
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        if not len(chunk):
            continue
        if is_number(chunk.type) and not pa.types.is_dictionary(chunk.type) and not chunk.null_count:
            out.append(label_codes.code(_values(chunk, where), known, where))
            continue
        coded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        place = _places(coded.dictionary, known, where)
        at = coded.indices
        if at.null_count:
            at = at.cast(pa.int64()).fill_null(len(place) - 1)
        at = at.to_numpy(zero_copy_only=False)
        if len(place) <= int(at.max()):
            raise DataError(f"{where} has rows without an entry in its dictionary. Remedy: write the column again")
        out.append(place.take(at, mode="clip"))  # which need not look at each place again
    return out[1] if len(out) == 2 else np.concatenate(out)


def _places(dictionary: pa.Array, known: Labels, where: str) -> Array:
    """The code of each entry of a dictionary, and NaN after the last, for rows without one."""
    place = np.full(len(dictionary) + 1, np.nan)
    here = dictionary.is_valid().to_numpy(zero_copy_only=False)
    values = _values(dictionary, where)
    if not len(values):
        return place
    if not holds_text(values):
        place[:-1][here] = label_codes.code(values, known, where)
        return place
    if len(known) and not holds_text(known):
        raise DataError(f"{where} holds text, but held numbers when the model was fitted")
    at = {label: float(k) for k, label in enumerate(known.tolist())}
    place[:-1][here] = [at.get(v, -1.0) for v in values.tolist()]
    return place


def _values(some: pa.Array, where: str) -> Labels:
    """Distinct values, or values without nulls, as numpy labels."""
    if isinstance(some, pa.ChunkedArray):
        some = some.combine_chunks()
    if pa.types.is_dictionary(some.type):
        some = some.dictionary_decode()
    some = some.drop_null()
    if not is_label(some.type):
        raise DataError(
            f"{where} holds {some.type}, which has no categories: argument must be a string or a number. "
            "Remedy: convert or drop it"
        )
    if pa.types.is_null(some.type):
        return np.empty(0, dtype=object)
    if pa.types.is_decimal(some.type):
        some = _whole_or_float(some)
    found: Labels = _unicode(some, where)
    return found.astype(object) if holds_text(found) else found


def _whole_or_float(some: pa.Array) -> pa.Array:
    """Decimals as integers where these hold them, as they do ids; else as float64."""
    if some.type.scale == 0:
        try:
            return some.cast(pa.int64())
        except pa.ArrowInvalid:
            pass
    return some.cast(pa.float64())


def _unicode(some: pa.Array, where: str) -> Labels:
    try:
        found: Labels = some.to_numpy(zero_copy_only=False)
        return found
    except UnicodeDecodeError as error:
        raise DataError(f"{where} holds text that is not valid Unicode ({error}). Remedy: correct or drop it") from None
