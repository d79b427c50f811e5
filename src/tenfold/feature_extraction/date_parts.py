"""Parts of dates as numbers: z = the year, the month, the hour, ... of x, by the clock of the column's time zone.

A date is seconds since 1970 began. Its day is the whole number of days in them; year and month follow by the calendar
(proleptic Gregorian, as in NumPy and pandas), and the time of the day from the remainder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Codes, Columns, Need, Schema
from tenfold.core.field_values import ANYTHING
from tenfold.estimator import OnePass, Transformer, fitted
from tenfold.estimator.shell.constraints import boolean
from tenfold.stats.moments.extremes import Extremes, ExtremesByColumn

SECONDS_PER_DAY = 86_400
"""seconds of a day"""
DATES_PER_BLOCK = 1 << 15
"""dates that are taken apart at a time"""


class Calendar:
    """Dates taken apart: each part is computed when it is asked for.

    Parameters
    ----------
    seconds : array
        Since 1970 began; none is missing.
    """

    def __init__(self, seconds: Array) -> None:
        self.seconds = seconds
        self.days, self.clock = np.divmod(np.floor(seconds).astype(np.int64), SECONDS_PER_DAY)
        self.date: Any = self.days.astype("M8[D]")

    @cached_property
    def months(self) -> Any:
        """The month of each date, of its year."""
        return self.date.astype("M8[M]")

    @cached_property
    def years(self) -> Any:
        """Calendar year of each date."""
        return self.date.astype("M8[Y]")

    @cached_property
    def month(self) -> Codes:
        """The number of the month, from 1 on."""
        found: Codes = self.months.astype(np.int64) % 12 + 1
        return found

    @cached_property
    def day(self) -> Codes:
        """The number of the day in its month, from 1 on."""
        return _days(self.date - self.months) + 1

    @cached_property
    def day_of_year(self) -> Codes:
        """The number of the day in its year, from 1 on."""
        return _days(self.date - self.years) + 1

    @cached_property
    def weekday(self) -> Codes:
        """The day of the week: Monday is 0."""
        return (self.days + 3) % 7  # 1970 began on a Thursday

    @cached_property
    def month_length(self) -> Codes:
        """How many days the month has."""
        return _days((self.months + 1).astype("M8[D]") - self.months.astype("M8[D]"))

    @cached_property
    def year_length(self) -> Codes:
        """How many days the year has."""
        return _days((self.years + 1).astype("M8[D]") - self.years.astype("M8[D]"))

    @property
    def week(self) -> Codes:
        """The week of the year by ISO 8601: that of the Thursday in it."""
        thursday: Any = (self.days - self.weekday + 3).astype("M8[D]")
        return _days(thursday - thursday.astype("M8[Y]")) // 7 + 1

    @property
    def microsecond(self) -> Array:
        """Microseconds within the second of each date."""
        found: Array = np.rint((self.seconds - np.floor(self.seconds)) * 1e6)
        return found


def _days(lengths: Any) -> Codes:
    """How many whole days each duration of `timedelta64` has."""
    found: Codes = lengths.astype("m8[D]").astype(np.int64)
    return found


def _sine_and_cosine(place: Part, length: Part | int, calendar: Calendar) -> tuple[Array, Array]:
    """Sine and cosine of positions in a cycle; from a table if all cycles have the same length."""
    if isinstance(length, int):
        angle = 2 * np.pi * (np.arange(length) / length)
        return np.sin(angle)[place(calendar)], np.cos(angle)[place(calendar)]
    angle = 2 * np.pi * (place(calendar) / length(calendar))
    return np.sin(angle), np.cos(angle)


Part = Callable[[Calendar], Any]

TIME_PARTS: dict[str, Part] = {
    "hour": lambda c: c.clock // 3600,
    "minute": lambda c: c.clock // 60 % 60,
    "second": lambda c: c.clock % 60,
    "microsecond": lambda c: c.microsecond,
    "elapsed_days": lambda c: c.seconds / SECONDS_PER_DAY,
    "elapsed_seconds": lambda c: c.seconds,
}
"""parts that a time of day has too"""
PARTS: dict[str, Part] = {
    "year": lambda c: c.years.astype(np.int64) + 1970,
    "quarter": lambda c: (c.month + 2) // 3,
    "month": lambda c: c.month,
    "week": lambda c: c.week,
    "day": lambda c: c.day,
    "weekday": lambda c: c.weekday,
    "day_of_year": lambda c: c.day_of_year,
    **TIME_PARTS,
    "is_weekend": lambda c: c.weekday >= 5,
    "is_month_start": lambda c: c.day == 1,
    "is_month_end": lambda c: c.day == c.month_length,
    "is_quarter_start": lambda c: (c.day == 1) & (c.month % 3 == 1),
    "is_quarter_end": lambda c: (c.day == c.month_length) & (c.month % 3 == 0),
    "is_year_start": lambda c: c.day_of_year == 1,
    "is_year_end": lambda c: c.day_of_year == c.year_length,
}
"""all parts, by name"""
CYCLES: dict[str, tuple[Part, Part | int]] = {
    "quarter": (lambda c: (c.month - 1) // 3, 4),
    "month": (lambda c: c.month - 1, 12),
    "day": (lambda c: c.day - 1, lambda c: c.month_length),
    "weekday": (lambda c: c.weekday, 7),
    "day_of_year": (lambda c: c.day_of_year - 1, lambda c: c.year_length),
    "hour": (lambda c: c.clock // 3600, 24),
    "minute": (lambda c: c.clock // 60 % 60, 60),
    "second": (lambda c: c.clock % 60, 60),
}
"""parts that come again: how far in their cycle, from 0 on, and its length"""


class DatePartsModel(NamedTuple):
    """The first and the last date of each column, in seconds since 1970; NaN where a column held none."""

    first: Annotated[Array, "column", ANYTHING]
    last: Annotated[Array, "column", ANYTHING]


class DateParts(OnePass, Transformer):
    """Make numbers of dates: year, month, weekday, hour and others, of rows in memory or on disk, in one pass.

    Dates are columns of type timestamp, date or time of Arrow, Parquet, pandas and polars, `datetime64` of NumPy, or
    dates of Python. Parts are those of the clock in the column's own time zone. A missing date makes all its parts
    missing, NaN, for a `SimpleImputer` or a learner that accepts them. Dates are resolved to the microsecond, those
    before 1834 or after 2106 to the second. It is at home in a :class:`~tenfold.ColumnTransformer`.

    Parameters
    ----------
    parts : sequence of str, default=("year", "month", "day", "weekday", "hour")
        Which parts, in this order: "year", "quarter", "month", "week" (of ISO 8601), "day", "weekday" (Monday is 0),
        "day_of_year", "hour", "minute", "second", "microsecond"; zero or one: "is_weekend", "is_month_start",
        "is_month_end", "is_quarter_start", "is_quarter_end", "is_year_start", "is_year_end"; "elapsed_days" and
        "elapsed_seconds" since 1970 began, with fractions, by the same clock. A time of day has hour, minute, second,
        microsecond, and what elapsed since midnight.
    cyclic : bool, default=False
        Whether sine and cosine follow each part that comes again (quarter, month, day, weekday, day_of_year, hour,
        minute, second), of its share of the cycle: December is then as near to January as to November. The cycle of a
        day is its month, that of a day_of_year its year, whatever their lengths.

    Attributes
    ----------
    first_, last_ : array of shape (columns,), datetime64
        The first and the last date of each column, by its clock; NaT if there was none.
    certificate_ : Certificate

    Examples
    --------
    >>> import pandas as pd
    >>> from tenfold import DateParts
    >>> day = pd.DataFrame({"day": pd.to_datetime(["2024-02-29", None])})
    >>> model = DateParts(["year", "month", "is_month_end"]).fit(day)
    >>> model.get_feature_names_out().tolist()
    ['day_year', 'day_month', 'day_is_month_end']
    >>> model.transform(day).tolist()
    [[2024.0, 2.0, 1.0], [nan, nan, nan]]
    >>> str(model.first_[0])
    '2024-02-29T00:00:00'
    """

    need = Need("date", missing=True)
    law_params = ({}, {"parts": ["week", "day", "hour", "elapsed_days", "is_year_end"], "cyclic": True})

    parts: Annotated[Sequence[str], list, tuple] = ("year", "month", "day", "weekday", "hour")
    _: KW_ONLY
    cyclic: Annotated[bool, boolean] = False

    def _validate_params(self) -> None:
        super()._validate_params()
        self._check_parts()

    def _check_parts(self) -> None:
        """Refuse parts that there are not, or none."""
        wrong = [part for part in self.parts if not isinstance(part, str) or part not in PARTS]
        if wrong or not len(self.parts) or len({*self.parts}) < len(self.parts):
            said = f"knows no {wrong[0]!r}" if wrong else f"must name some, each once, not {self.parts!r}"
            raise ValueError(f"The 'parts' parameter of DateParts {said}. Remedy: choose among {', '.join(PARTS)}")

    def statistic(self, schema: Schema) -> ExtremesByColumn:
        self._check_parts()
        lost = [part for part in self.parts if part not in TIME_PARTS]
        if lost and (times := [c.name for c in schema.columns if c.kind == "time"]):
            raise ValueError(
                f"column {times[0]!r} holds times of a day, which have no {lost[0]!r}. Remedy: "
                f"DateParts(['hour', 'minute']) for it, or others of {', '.join(TIME_PARTS)}"
            )
        return ExtremesByColumn()

    def solve(self, schema: Schema, s: Extremes) -> DatePartsModel:
        # Nothing is learned but between which dates the rows lie.
        some = s.low <= s.high
        return DatePartsModel(np.where(some, s.low, np.nan), np.where(some, s.high, np.nan))

    def certify(self, model: DatePartsModel, s: Extremes) -> tuple[Claim, ...]:
        """A part of a date needs no other date."""
        return (Claim("gap", 0.0, "proved", "each date is transformed by itself: nothing is estimated", "objective"),)

    def is_valid(self, model: DatePartsModel, summary: Extremes | None, schema: Schema) -> bool:
        self.statistic(schema)
        empty = np.isnan(model.first) & np.isnan(model.last)
        return bool((empty | ((model.first <= model.last) & np.isfinite(model.last - model.first))).all())

    @property
    @fitted
    def first_(self) -> Any:
        """The first date of each column."""
        return self._dates("first")

    @property
    @fitted
    def last_(self) -> Any:
        """The last date of each column."""
        return self._dates("last")

    def _dates(self, which: str) -> Any:
        """Dates of the model as NumPy has them."""
        if "model_" not in self.__dict__:
            raise AttributeError(f"{which}_")
        seconds = getattr(self.model_, which)
        found = np.floor(np.where(np.isnan(seconds), 0, seconds)).astype("M8[s]")
        found[np.isnan(seconds)] = np.datetime64("NaT")
        return found

    def _repeats(self, part: str) -> bool:
        """Whether sine and cosine follow a part."""
        return bool(self.cyclic) and part in CYCLES

    def transform_from(self, model: DatePartsModel, X: Columns) -> Array:
        """The parts of each column, one column after the other."""
        width = len(self.names_out([""]))
        out = np.empty((len(X), X.shape[1] * width))
        for rows, block in X.blocks(DATES_PER_BLOCK):
            for j in range(X.shape[1]):
                self._take_apart(block[:, j], out[rows, j * width : (j + 1) * width])
        return out

    def _take_apart(self, seconds: Array, out: Array) -> None:
        """Write the parts of some dates of one column."""
        gone = np.isnan(seconds)
        calendar, at = Calendar(np.where(gone, 0.0, seconds)), 0
        for part in self.parts:
            out[:, at] = PARTS[part](calendar)
            at += 1
            if self._repeats(part):
                out[:, at], out[:, at + 1] = _sine_and_cosine(*CYCLES[part], calendar)
                at += 2
        out[gone] = np.nan

    def origins(self, model: DatePartsModel, width: int) -> Codes:
        # The parts of one column after those of another.
        return np.repeat(np.arange(width), len(self.names_out([""])))

    def names_out(self, names: list[str]) -> list[str]:
        # The name of the column, an underscore, and the part; then `_sin` and `_cos`.
        more = {part: ("", "_sin", "_cos") if self._repeats(part) else ("",) for part in self.parts}
        return [f"{name}_{part}{word}" for name in names for part in self.parts for word in more[part]]
