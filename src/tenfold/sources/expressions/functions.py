"""Functions of expressions: a closed list, each computed on Arrow columns.

What has no value raises `pyarrow.ArrowInvalid`, where numpy would return infinity, NaN, or an integer that has wrapped.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tenfold.sources import arrow

CAST_TYPES: dict[str, pa.DataType] = {
    "float64": pa.float64(),
    "float32": pa.float32(),
    "int64": pa.int64(),
    "bool": pa.bool_(),
    "str": pa.string(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
}
"""types that a column can be converted to"""


NUMBER_TEXTS = {"float64": arrow.NUMBER, "float32": arrow.NUMBER, "int64": r"^-?[0-9]{1,18}$"}
"""texts that are numbers of a type"""

NO_TYPE, TRUTH = pa.null(), pa.bool_()


class Function(NamedTuple):
    """How a function is computed."""

    compute: Callable[..., Any]
    operands: int = 1
    """number of arguments that may be expressions"""
    parameters: tuple[tuple[type, ...], ...] = ()
    """types of further arguments, which are constants"""
    missing: pa.DataType | None = NO_TYPE
    """type of the result where an operand has no type, since it has no value; None: the function says it itself"""
    finite: bool = True
    """whether finite numbers give finite ones, so that none need be looked for"""

    def __call__(self, operands: Sequence[Any], parameters: Sequence[Any], rows: int) -> Any:
        """Compute the function of some rows.

        Raises
        ------
        pyarrow.ArrowException
            If a row has no value: also where it would be infinity or NaN, of finite operands.
        """
        if self.missing is not None and any(pa.types.is_null(one.type) for one in operands):
            return pa.nulls(rows, self.missing)
        found = self.compute(*operands, *parameters)
        if not self.finite and pa.types.is_floating(found.type):
            _refuse_infinite(found, operands)
        return found

    def takes(self, arguments: Sequence[Any]) -> bool:
        """Whether it has this number of arguments, and constants of these types where it takes constants alone."""
        constants = arguments[self.operands :]
        return len(arguments) == self.operands + len(self.parameters) and all(
            type(one) in kinds for one, kinds in zip(constants, self.parameters, strict=True)
        )


TEXT, COUNT, LIST = (str,), (int,), (list,)
MAX_DECIMALS = 323
"""of float64"""
MAX_TEXT = 2**30
"""bytes of a column, of the rows that are read at once; a file could ask for any number"""
MAX_OFFSET = 2**31
"""letters: no text has more"""
BOUND = (type(None), int, float, str, datetime.datetime, datetime.date)
"""types of a bound"""


def _refuse_infinite(found: Any, operands: Sequence[Any]) -> None:
    """Raise for infinity and NaN that no operand has."""
    wrong = pc.invert(pc.is_finite(found))
    if isinstance(wrong, pa.Scalar):
        wrong = pa.array([wrong.as_py()], TRUTH)
    if not pc.any(wrong).as_py():
        return
    for one in operands:
        if pa.types.is_floating(one.type):
            wrong = pc.and_(wrong, pc.is_finite(one))
    if pc.any(wrong).as_py():
        raise pa.ArrowInvalid("the result is not a finite number")


def _float(x: Any) -> Any:
    """Numbers as float64."""
    return pc.cast(x, pa.float64())


def _divide(x: Any, y: Any) -> Any:
    return pc.divide_checked(_float(x), _float(y))


def _clip(x: Any, low: Any, high: Any) -> Any:
    if low is not None:
        x = pc.if_else(pc.less(x, low), low, x)
    return x if high is None else pc.if_else(pc.greater(x, high), high, x)


def _common(x: Any, y: Any) -> pa.DataType:
    """The type that holds the values of both."""
    return pc.if_else(pa.array([], TRUTH), pa.array([], x.type), pa.array([], y.type)).type


def _fill_null(x: Any, value: Any) -> Any:
    """Missing values replaced: in the type of the column, or of both if a constant does not fit into it."""
    if pa.types.is_null(x.type):
        return pc.coalesce(x.cast(value.type), value) if not pa.types.is_null(value.type) else x
    if pa.types.is_null(value.type):
        return x
    if isinstance(value, pa.Scalar) and not (pa.types.is_temporal(x.type) and arrow.is_number(value.type)):
        with suppress(pa.ArrowInvalid):
            value = value.cast(x.type)
    return pc.coalesce(x, value)


def _fill_nan(x: Any, value: Any) -> Any:
    return pc.if_else(pc.is_nan(x), value, x)


def _is_in(x: Any, values: list[Any]) -> Any:
    known = pa.array([v for v in values if v is not None])
    if not len(known):
        return pc.if_else(pc.is_valid(x), False, pa.scalar(None, TRUTH))
    kind = _common(x, known)
    found = pc.is_in(x.cast(kind), value_set=known.cast(kind))
    return pc.if_else(pc.is_valid(x), found, pa.scalar(None, TRUTH))


def _and(x: Any, y: Any) -> Any:
    return pc.and_kleene(_truth(x), _truth(y))


def _or(x: Any, y: Any) -> Any:
    return pc.or_kleene(_truth(x), _truth(y))


def _truth(x: Any) -> Any:
    """A condition; one that has no value in any row has no type either."""
    return x.cast(TRUTH) if pa.types.is_null(x.type) else x


def _round(x: Any, decimals: int) -> Any:
    if abs(decimals) > MAX_DECIMALS:  # Arrow counts up to them
        raise pa.ArrowInvalid(f"numbers have no more than {MAX_DECIMALS} decimals")
    return pc.round(x, ndigits=decimals, round_mode="half_to_even")


def _slice(x: Any, at: int, length: int) -> Any:
    """A number of characters from an offset on; one below zero counts from the end."""
    at = max(at, -MAX_OFFSET)
    stop = min(at + max(length, 0), MAX_OFFSET)
    return pc.utf8_slice_codeunits(x, start=at, stop=None if at < 0 <= stop else stop)


def _replace_all(x: Any, old: str, new: str) -> Any:
    if not old:  # of which Arrow would find no end
        raise pa.ArrowInvalid("the text to replace is empty")
    more = len(new.encode()) - len(old.encode())
    if more > 0 and isinstance(x, pa.Array):
        times = pc.sum(pc.count_substring(x, pattern=old)).as_py() or 0
        if x.nbytes + times * more > MAX_TEXT:
            raise pa.ArrowInvalid("the texts are too long once they are replaced")
    return pc.replace_substring(x, pattern=old, replacement=new)


def _cast(x: Any, to: str) -> Any:
    if to not in CAST_TYPES:
        raise pa.ArrowNotImplementedError(f"cast to {to!r} is not offered, but one of {sorted(CAST_TYPES)}")
    if to == "date" and pa.types.is_timestamp(x.type):
        return _date(x)
    if to == "timestamp" and pa.types.is_timestamp(x.type):
        x = _clock(x)
    return pc.cast(x, CAST_TYPES[to])


def _cast_valid(x: Any, to: str) -> Any:
    """Text as numbers, missing where it is none; numbers as they are."""
    if to not in NUMBER_TEXTS or not (arrow.is_text(x.type) or arrow.is_number(x.type)):
        raise pa.ArrowNotImplementedError(
            f"strict=False converts text and numbers to one of {sorted(NUMBER_TEXTS)}, and not {x.type} to {to!r}"
        )
    if not arrow.is_text(x.type) or pa.types.is_null(x.type):
        return _cast(x, to)
    text = pc.replace_substring_regex(pc.utf8_trim_whitespace(x), pattern=r"^\+([0-9.])", replacement=r"\1")
    is_number = pc.match_substring_regex(text, NUMBER_TEXTS[to])
    found = pc.cast(pc.if_else(is_number, text, pa.scalar(None, text.type)), CAST_TYPES[to])
    return pc.if_else(pc.is_finite(found), found, pa.scalar(None, found.type))


def _clock(x: Any) -> Any:
    """Dates as timestamps without a time zone, by the clock of the zone that they have."""
    if not pa.types.is_timestamp(x.type) or x.type.tz is None:
        return x
    column = x if isinstance(x, (pa.Array, pa.ChunkedArray)) else pa.array([x.as_py()], x.type)
    seconds = arrow.dates(column, "the column")
    gone = np.isnan(seconds)
    micros = np.round(np.where(gone, 0.0, seconds) * 1e6).astype(np.int64)
    found = pa.array(micros, pa.int64(), mask=gone).cast(pa.timestamp("us"))
    return found if column is x else found[0]


def _date(x: Any) -> Any:
    return pc.cast(pc.floor_temporal(_clock(x), unit="day"), pa.date32())


def _total_seconds(x: Any) -> Any:
    if not pa.types.is_duration(x.type):
        raise pa.ArrowNotImplementedError(f"total_seconds is of spans of time, and this is {x.type}")
    per = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[x.type.unit]
    return pc.divide(_float(pc.cast(x, pa.int64())), per)


def _part(name: str) -> Function:
    """A part of a date, as a whole number."""
    of = getattr(pc, name)
    return Function(lambda x: pc.cast(of(_clock(x)), pa.int64()))


def _text(name: str, **options: Any) -> Function:
    of = getattr(pc, name)
    return Function(lambda x: of(x, **options))


def _pattern(name: str) -> Function:
    of = getattr(pc, name)
    return Function(lambda x, text: of(x, pattern=text), 1, (TEXT,), TRUTH)


def _test(name: str, operands: int = 2) -> Function:
    """What is true or false of each row."""
    return Function(getattr(pc, name), operands, missing=TRUTH)


FUNCTIONS: dict[str, Function] = {
    "column": Function(lambda name: name, 0, (TEXT,)),
    "lit": Function(pa.scalar, 0, ((*BOUND, bool),)),
    "when": Function(lambda *args: args, 3),  # both are computed where they are taken, and nothing else
    "add": Function(pc.add_checked, 2, finite=False),
    "subtract": Function(pc.subtract_checked, 2, finite=False),
    "multiply": Function(pc.multiply_checked, 2, finite=False),
    "divide": Function(_divide, 2, finite=False),
    "power": Function(lambda x, y: pc.power_checked(_float(x), _float(y)), 2, finite=False),
    "negate": Function(pc.negate_checked),
    "abs": Function(pc.abs_checked),
    "equal": _test("equal"),
    "not_equal": _test("not_equal"),
    "less": _test("less"),
    "less_equal": _test("less_equal"),
    "greater": _test("greater"),
    "greater_equal": _test("greater_equal"),
    "and": Function(_and, 2, missing=None),
    "or": Function(_or, 2, missing=None),
    "not": _test("invert", 1),
    "log": Function(lambda x: pc.ln_checked(_float(x))),
    "log1p": Function(lambda x: pc.log1p_checked(_float(x))),
    "exp": Function(lambda x: pc.exp(_float(x)), finite=False),
    "sqrt": Function(lambda x: pc.sqrt_checked(_float(x))),
    "round": Function(_round, 1, (COUNT,)),
    "floor": Function(lambda x: pc.floor(_float(x))),
    "ceil": Function(lambda x: pc.ceil(_float(x))),
    "clip": Function(_clip, 1, (BOUND, BOUND)),
    "cast": Function(_cast, 1, (TEXT,), missing=None, finite=False),
    "cast_valid": Function(_cast_valid, 1, (TEXT,), missing=None, finite=False),
    "fill_null": Function(_fill_null, 2, missing=None),
    "fill_nan": Function(_fill_nan, 2, missing=None),
    "is_null": Function(pc.is_null, missing=None),
    "is_nan": _test("is_nan", 1),
    "is_in": Function(_is_in, 1, (LIST,), TRUTH),
    "to_lowercase": _text("utf8_lower"),
    "to_uppercase": _text("utf8_upper"),
    "strip_chars": _text("utf8_trim_whitespace"),
    "len_chars": Function(lambda x: pc.cast(pc.utf8_length(x), pa.int64())),
    "contains": _pattern("match_substring"),
    "starts_with": _pattern("starts_with"),
    "ends_with": _pattern("ends_with"),
    "replace_all": Function(_replace_all, 1, (TEXT, TEXT)),
    "slice": Function(_slice, 1, (COUNT, COUNT)),
    "year": _part("year"),
    "quarter": _part("quarter"),
    "month": _part("month"),
    "day": _part("day"),
    "ordinal_day": _part("day_of_year"),
    "weekday": _part("day_of_week"),
    "hour": _part("hour"),
    "minute": _part("minute"),
    "second": _part("second"),
    "date": Function(_date),
    "total_seconds": Function(_total_seconds),
}
