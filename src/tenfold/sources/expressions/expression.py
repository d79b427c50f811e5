"""Expressions: columns computed from other columns, as values that are written down as JSON and never as code."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Set
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from tenfold.core import DataError
from tenfold.sources.expressions.functions import FUNCTIONS

MAX_DEPTH = 64
"""number of expressions within each other"""
MAX_ENTRIES = 10_000
"""number of functions, columns and constants of one expression"""
DATE_FORMATS = {datetime.datetime: "timestamp", datetime.date: "date"}
"""types of constants that JSON has not, and how they are written"""
OPERATORS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "power": "**",
    "and": "&",
    "or": "|",
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
SIGNS = {"negate": "-", "not": "~"}


class ColumnExpression:
    """A column computed from others, row by row: made by `col` and `when`, and used in `rows.with_columns`.

    Arithmetic (`+ - * / **`), comparisons, `&`, `|` and `~` work as on numbers. A missing value makes the result
    missing. What has no value raises an error when it is computed: a division by zero, the logarithm of a number
    that is not positive, a number that is too large.

    Parameters
    ----------
    function : str
        The name of the function: one of a closed list.
    *arguments : ColumnExpression, number, str, bool, date, None or list
        Expressions that the function is computed from, and constants.

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> rows = tn.scan(pd.DataFrame({"price": [2.0, 3.0], "note": ["Late", None]}))
    >>> more = rows.with_columns(cents=100 * tn.col("price"), note=tn.col("note").fill_null("").str.len_chars())
    >>> more.head().to_pydict()
    {'price': [2.0, 3.0], 'note': [4, 0], 'cents': [200.0, 300.0]}
    """

    __slots__ = ("arguments", "function")

    def __init__(self, function: str, *arguments: Any) -> None:
        known = FUNCTIONS.get(function)
        if known is None:
            raise DataError(f"{function!r} is not a function of expressions. Remedy: one of {sorted(FUNCTIONS)}")
        self.function = function
        self.arguments = tuple(one if isinstance(one, ColumnExpression) else _constant(one) for one in arguments)
        if not known.takes(self.arguments):
            raise DataError(f"the arguments of {function} are not {self.arguments}")

    # ---- arithmetic, comparisons, logic ----------------------------------------------------------

    def __add__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("add", self, other)

    def __radd__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("add", other, self)

    def __sub__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("subtract", self, other)

    def __rsub__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("subtract", other, self)

    def __mul__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("multiply", self, other)

    def __rmul__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("multiply", other, self)

    def __truediv__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("divide", self, other)

    def __rtruediv__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("divide", other, self)

    def __pow__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("power", self, other)

    def __neg__(self) -> ColumnExpression:
        return ColumnExpression("negate", self)

    def __eq__(self, other: object) -> ColumnExpression:  # type: ignore[override]
        return ColumnExpression("equal", self, other)

    def __ne__(self, other: object) -> ColumnExpression:  # type: ignore[override]
        return ColumnExpression("not_equal", self, other)

    def __lt__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("less", self, other)

    def __le__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("less_equal", self, other)

    def __gt__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("greater", self, other)

    def __ge__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("greater_equal", self, other)

    def __and__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("and", self, other)

    def __or__(self, other: Any) -> ColumnExpression:
        return ColumnExpression("or", self, other)

    def __invert__(self) -> ColumnExpression:
        return ColumnExpression("not", self)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "an expression has a value for each row, so it is neither true nor false. Remedy: & instead of `and`, | "
            "instead of `or`, ~ instead of `not`, with parentheses around comparisons"
        )

    # ---- functions of any column -----------------------------------------------------------------

    def abs(self) -> ColumnExpression:
        """Return the absolute value."""
        return ColumnExpression("abs", self)

    def log(self) -> ColumnExpression:
        """Return the natural logarithm."""
        return ColumnExpression("log", self)

    def log1p(self) -> ColumnExpression:
        """Return the natural logarithm of one plus the value."""
        return ColumnExpression("log1p", self)

    def exp(self) -> ColumnExpression:
        """Return the exponential."""
        return ColumnExpression("exp", self)

    def sqrt(self) -> ColumnExpression:
        """Return the square root."""
        return ColumnExpression("sqrt", self)

    def round(self, decimals: int = 0) -> ColumnExpression:
        """Round to a number of decimals, halves to even."""
        return ColumnExpression("round", self, decimals)

    def floor(self) -> ColumnExpression:
        """Round down to a whole number."""
        return ColumnExpression("floor", self)

    def ceil(self) -> ColumnExpression:
        """Round up to a whole number."""
        return ColumnExpression("ceil", self)

    def clip(self, lower_bound: Any = None, upper_bound: Any = None) -> ColumnExpression:
        """Replace values below and above bounds by the bounds."""
        return ColumnExpression("clip", self, lower_bound, upper_bound)

    def cast(self, to: str, *, strict: bool = True) -> ColumnExpression:
        """Convert to another type.

        Parameters
        ----------
        to : {"float64", "float32", "int64", "bool", "str", "date", "timestamp"}
            A value that the type does not hold raises an error.
        strict : bool, default=True
            Whether text that is no number raises an error. False: it becomes missing.

        Returns
        -------
        expression : ColumnExpression

        Examples
        --------
        >>> import pandas as pd, tenfold as tn
        >>> rows = tn.scan(pd.DataFrame({"price": ["2.5", "n/a", " 3"]}))
        >>> rows.with_columns(price=tn.col("price").cast("float64", strict=False)).head().to_pydict()
        {'price': [2.5, None, 3.0]}
        """
        return ColumnExpression("cast" if strict else "cast_valid", self, to)

    def fill_null(self, value: Any) -> ColumnExpression:
        """Replace missing values by a constant, or by another expression; both in one type that holds them."""
        return ColumnExpression("fill_null", self, value)

    def fill_nan(self, value: Any) -> ColumnExpression:
        """Replace NaN by a constant, or by another expression."""
        return ColumnExpression("fill_nan", self, value)

    def is_null(self) -> ColumnExpression:
        """Return whether the value is missing."""
        return ColumnExpression("is_null", self)

    def is_nan(self) -> ColumnExpression:
        """Return whether the value is NaN."""
        return ColumnExpression("is_nan", self)

    def is_in(self, values: Any) -> ColumnExpression:
        """Return whether the value is one of a list."""
        if isinstance(values, (str, bytes)):
            raise TypeError(f"is_in takes a list of values, and {values!r} is one. Remedy: is_in([{values!r}])")
        # the order of a set is another in each process, and the expression would be
        return ColumnExpression("is_in", self, sorted(values, key=repr) if isinstance(values, Set) else list(values))

    # ---- as text ---------------------------------------------------------------------------------

    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns that the expression reads."""
        return tuple(dict.fromkeys(f"{e.arguments[0]}" for e in self._each() if e.function == "column"))

    def _each(self) -> Iterator[ColumnExpression]:
        yield self
        for one in self.arguments:
            if isinstance(one, ColumnExpression):
                yield from one._each()

    def __repr__(self) -> str:
        if self.function == "column":
            return f"col({self.arguments[0]!r})"
        if self.function == "lit":
            return f"lit({self.arguments[0]!r})"
        if self.function in OPERATORS:
            return f" {OPERATORS[self.function]} ".join(map(_operand, self.arguments))
        if self.function in SIGNS:
            return f"{SIGNS[self.function]}{_operand(self.arguments[0])}"
        if self.function == "when":
            condition, value, otherwise = self.arguments
            return f"when({condition!r}).then({value!r}).otherwise({otherwise!r})"
        first, *others = self.arguments
        if self.function == "cast_valid":
            return f"{_operand(first)}.cast({others[0]!r}, strict=False)"
        namespace = next((f".{name}" for name, of in NAMESPACES.items() if hasattr(of, self.function)), "")
        return f"{_operand(first)}{namespace}.{self.function}({', '.join(map(repr, others))})"

    def to_json(self) -> str:
        """Return the expression as JSON, by which it is stored in model files."""
        return json.dumps(_written(self), separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> ColumnExpression:
        """Make an expression from JSON; anything but a function of the list raises an error.

        Parameters
        ----------
        text : str

        Returns
        -------
        expression : ColumnExpression
        """
        try:
            if not isinstance(text, str):
                raise DataError(f"it is {type(text).__name__}, not text")
            if text.count(",") > MAX_ENTRIES:
                raise DataError(f"it has more than {MAX_ENTRIES:,} entries")
            found = _read(json.loads(text), 0)
            if not isinstance(found, ColumnExpression):
                raise DataError("a constant alone is none")
            return found
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise DataError(f"it cannot be read as an expression: {error}") from None

    # ---- functions of text and of dates: last, since `str` is a name of Python's too ---------------

    @property
    def str(self) -> TextFunctions:
        """Functions of text."""
        return TextFunctions(self)

    @property
    def dt(self) -> DateFunctions:
        """Functions of dates and of times."""
        return DateFunctions(self)


def _written(one: Any) -> Any:
    """Return an expression as a list, and a constant as a dictionary of its type."""
    if isinstance(one, ColumnExpression):
        return [one.function, *map(_written, one.arguments)]
    if isinstance(one, list):
        return {"list": [_written(each) for each in one]}
    if type(one) in DATE_FORMATS:
        return {DATE_FORMATS[type(one)]: one.isoformat()}
    if isinstance(one, float):
        return {"float": one.hex()}
    return {"is": one}


def _read(node: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise DataError(f"more than {MAX_DEPTH} expressions stand within each other")
    if isinstance(node, list):
        if not node or not isinstance(node[0], str):
            raise DataError("a function has a name")
        return ColumnExpression(node[0], *(_read(each, depth + 1) for each in node[1:]))
    if not isinstance(node, dict) or len(node) != 1:
        raise DataError("a constant has one type")
    ((kind, value),) = node.items()
    if kind == "is" and (value is None or type(value) in (bool, int, str)):
        return value
    if kind == "float" and isinstance(value, str):
        return float.fromhex(value)
    if kind == "list" and isinstance(value, list):
        return [_read(each, depth + 1) for each in value]
    for cls, name in DATE_FORMATS.items():
        if kind == name and isinstance(value, str):
            return cls.fromisoformat(value)
    raise DataError(f"{str(node)[:80]} is not a constant")


class TextFunctions:
    """Functions of an expression that holds text."""

    def __init__(self, of: ColumnExpression) -> None:
        self._of = of

    def to_lowercase(self) -> ColumnExpression:
        """Return the text in lower case."""
        return ColumnExpression("to_lowercase", self._of)

    def to_uppercase(self) -> ColumnExpression:
        """Return the text in upper case."""
        return ColumnExpression("to_uppercase", self._of)

    def strip_chars(self) -> ColumnExpression:
        """Return the text without white space at its ends."""
        return ColumnExpression("strip_chars", self._of)

    def len_chars(self) -> ColumnExpression:
        """Return the number of characters."""
        return ColumnExpression("len_chars", self._of)

    def contains(self, text: str) -> ColumnExpression:
        """Return whether a text occurs, letter by letter."""
        return ColumnExpression("contains", self._of, text)

    def starts_with(self, text: str) -> ColumnExpression:
        """Return whether the text begins with another."""
        return ColumnExpression("starts_with", self._of, text)

    def ends_with(self, text: str) -> ColumnExpression:
        """Return whether the text ends with another."""
        return ColumnExpression("ends_with", self._of, text)

    def replace_all(self, old: str, new: str) -> ColumnExpression:
        """Replace each occurrence of a text by another."""
        return ColumnExpression("replace_all", self._of, old, new)

    def slice(self, offset: int, length: int) -> ColumnExpression:
        """Return a number of characters from an offset on."""
        return ColumnExpression("slice", self._of, offset, length)


class DateFunctions:
    """Functions of an expression that holds dates, by the clock of their time zone, or spans of time."""

    def __init__(self, of: ColumnExpression) -> None:
        self._of = of

    def year(self) -> ColumnExpression:
        """Return the year."""
        return ColumnExpression("year", self._of)

    def quarter(self) -> ColumnExpression:
        """Return the quarter of the year, from 1 to 4."""
        return ColumnExpression("quarter", self._of)

    def month(self) -> ColumnExpression:
        """Return the month, from 1 to 12."""
        return ColumnExpression("month", self._of)

    def day(self) -> ColumnExpression:
        """Return the day of the month."""
        return ColumnExpression("day", self._of)

    def ordinal_day(self) -> ColumnExpression:
        """Return the day of the year."""
        return ColumnExpression("ordinal_day", self._of)

    def weekday(self) -> ColumnExpression:
        """Return the day of the week: 0 is Monday, as in `DateParts` and pandas."""
        return ColumnExpression("weekday", self._of)

    def hour(self) -> ColumnExpression:
        """Return the hour."""
        return ColumnExpression("hour", self._of)

    def minute(self) -> ColumnExpression:
        """Return the minute."""
        return ColumnExpression("minute", self._of)

    def second(self) -> ColumnExpression:
        """Return the second."""
        return ColumnExpression("second", self._of)

    def date(self) -> ColumnExpression:
        """Return the day, without the time."""
        return ColumnExpression("date", self._of)

    def total_seconds(self) -> ColumnExpression:
        """Return the seconds of a span of time, such as the difference of two dates."""
        return ColumnExpression("total_seconds", self._of)


NAMESPACES = {"str": TextFunctions, "dt": DateFunctions}


def _operand(one: Any) -> str:
    """Return the text of an argument, in parentheses where an operator could take a part of it."""
    if isinstance(one, ColumnExpression):
        return f"({one!r})" if one.function in OPERATORS or one.function in SIGNS else repr(one)
    return f"({one!r})" if isinstance(one, (int, float)) and one < 0 else repr(one)


def lit(value: Any) -> ColumnExpression:
    """Return a column of one value, for `rows.with_columns`.

    Parameters
    ----------
    value : number, str, bool, date or None
        None is a column without values, such as one that the rows of a new day lack.

    Returns
    -------
    expression : ColumnExpression

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> rows = tn.scan(pd.DataFrame({"price": [2.0, 3.0]}))
    >>> rows.with_columns(shop=tn.lit("Bern"), discount=tn.lit(None)).head().to_pydict()
    {'price': [2.0, 3.0], 'shop': ['Bern', 'Bern'], 'discount': [None, None]}
    """
    return ColumnExpression("lit", value)


def col(name: str) -> ColumnExpression:
    """Return the column with a name, for `rows.with_columns`.

    Parameters
    ----------
    name : str
        Of a column of the rows.

    Returns
    -------
    expression : ColumnExpression

    Examples
    --------
    >>> import tenfold as tn
    >>> tn.col("price") * (1 - tn.col("discount").fill_null(0.0))
    col('price') * (1 - col('discount').fill_null(0.0))
    """
    return ColumnExpression("column", name)


class When:
    """A condition that waits for `then`."""

    def __init__(self, condition: ColumnExpression) -> None:
        self._condition = condition

    def then(self, value: Any) -> Then:
        """Return this value where the condition holds.

        Parameters
        ----------
        value : ColumnExpression or constant
            Computed for the rows alone for which the condition holds.

        Returns
        -------
        then : object
            An expression is made of it by `.otherwise(value)`.
        """
        return Then(self._condition, value)


class Then:
    """A condition and the value where it holds, which wait for `otherwise`."""

    def __init__(self, condition: ColumnExpression, value: Any) -> None:
        self._condition, self._value = condition, value

    def otherwise(self, value: Any) -> ColumnExpression:
        """Return this value where the condition does not hold, or is missing.

        Parameters
        ----------
        value : ColumnExpression or constant
            Computed for these rows alone.

        Returns
        -------
        expression : ColumnExpression
        """
        return ColumnExpression("when", self._condition, self._value, value)


def when(condition: ColumnExpression) -> When:
    """Return one value where a condition holds, and another where it does not.

    Parameters
    ----------
    condition : ColumnExpression
        Of comparisons.

    Returns
    -------
    when : object
        An expression is made of it by `.then(value).otherwise(value)`.

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> rows = tn.scan(pd.DataFrame({"paid": [3.0, 4.0], "items": [2, 0]}))
    >>> each = tn.when(tn.col("items") > 0).then(tn.col("paid") / tn.col("items")).otherwise(None)
    >>> rows.with_columns(each=each).head().to_pydict()["each"]
    [1.5, None]
    """
    if not isinstance(condition, ColumnExpression):
        raise TypeError(f"a condition is an expression, tenfold.col(...) > 0, and not {condition!r}")
    return When(condition)


def _constant(value: Any) -> Any:
    """Return a constant in a type that JSON keeps; raise TypeError for any other."""
    if isinstance(value, list):
        return [_constant(each) for each in value]
    given = value
    if isinstance(value, np.datetime64):
        value = _moment(value)
    elif isinstance(value, np.generic) and value.dtype.kind != "m":
        value = value.item()
    elif hasattr(value, "to_pydatetime") and not getattr(value, "nanosecond", 0):
        value = value.to_pydatetime(warn=False)
    if value is None or type(value) in (bool, int, float, str, *DATE_FORMATS):
        try:
            pa.scalar(value)
        except (OverflowError, ValueError) as error:
            raise DataError(f"{value!r} is not a constant of an expression: {error}") from None
        return value
    raise TypeError(f"{given!r} is not a constant of an expression: numbers, text, booleans, dates and None are")


def _moment(value: np.datetime64) -> Any:
    """Return a date of numpy as one of Python, if microseconds hold it: of finer ones numpy makes integers."""
    micros = value.astype("M8[us]")
    found = micros.item() if isinstance(value.item(), int) and micros == value else value.item()
    return value if isinstance(found, int) else found
