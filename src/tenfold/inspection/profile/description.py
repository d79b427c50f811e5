"""Description: a profile as people read it, as text, as HTML, and as a frame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tenfold.core import Column, Provenance, Schema
from tenfold.core.certificate import number_of
from tenfold.core.rows.texts import unpack
from tenfold.model_selection.formatting import html_table, in_columns, short

if TYPE_CHECKING:
    from tenfold.inspection.profile.profile import ProfileModel

NAMES = ("min", "q05", "q25", "median", "q75", "q95", "max")
SHOWN_PARTS = 3
"""values of a column that the table names"""
SHORT = 18
"""letters of a value in the table"""
LEAST_SHARE = 0.01
"""of the rows that a value must have for its target to be among the least and the greatest of the table"""
SECONDS_PER_DAY = 86_400


class Part(NamedTuple):
    """A value of a column, or an interval of numbers: its share of the rows, and the target there."""

    label: str
    share: float
    target: tuple[float, ...]
    """the share of each class, or the mean; empty without a target"""
    low: float = math.nan
    """smallest value of an interval of numbers"""
    high: float = math.nan

    def __repr__(self) -> str:
        return f"Part(label={self.label!r}, share={self.share:g}, target={self.target!r})"


@dataclass(frozen=True)
class ColumnDescription:
    """What one column holds.

    Parameters
    ----------
    name : str
    kind : {"number", "date", "time", "text", "ignored"}
    missing : float
        Share of the rows without a value.
    missing_target : tuple of float
        The share of each class, or the mean, in the rows without a value; empty without a target.
    distinct : float
        Number of distinct values.
    distinct_error : float
        Half the width of its interval of 95 %, as a share; 0: exact; inf: there are no fewer.
    mean, std : float
        NaN for text.
    quantiles : dict of str to float
        "min", "q05", "q25", "median", "q75", "q95" and "max"; NaN for text.
    rank_error : float
        Bound of the error of the quantiles, as a share of the rows.
    parts : tuple of Part
        Its most frequent values, or intervals of its numbers.
    """

    name: str
    kind: str
    missing: float
    missing_target: tuple[float, ...]
    distinct: float
    distinct_error: float
    mean: float
    std: float
    quantiles: dict[str, float]
    rank_error: float
    parts: tuple[Part, ...]

    def value(self, number: float) -> str:
        """A number of the column as text: a date, a time of the day, or a number of four digits."""
        return value_text(number, self.kind)


@dataclass(frozen=True)
class Description:
    """What the columns of some rows hold. Print it, show it in a notebook, or draw it with `ProfileDisplay`.

    Parameters
    ----------
    rows : float
        Weight of the rows.
    columns : tuple of ColumnDescription
    classes : tuple
        Labels of the classes of the target; empty for numbers.
    target : tuple of float
        The share of each class in all rows, or the mean; empty without a target.

    Examples
    --------
    >>> import pandas as pd, tenfold as tn
    >>> frame = pd.DataFrame({"size": [1.0, 2.0, 4.0, None], "shop": ["a", "b", "a", "a"]})
    >>> print(tn.scan(frame).describe())
    column  kind    missing  distinct  min  median  max  mean   std    values
    size    number  25 %     3         1    2       4    2.333  1.247
    shop    text    0        2                                         a 75 %, b 25 %
    4 rows
    """

    rows: float
    columns: tuple[ColumnDescription, ...]
    classes: tuple[Any, ...]
    target: tuple[float, ...]

    @classmethod
    def of(cls, schema: Schema, model: ProfileModel, provenance: Provenance | None) -> Description:
        """Return the description of a fitted profile."""
        total, texts = float(model.weight[0]), unpack(model.letters, model.ends)
        classes = () if schema.classes is None else tuple(schema.classes.tolist())
        columns = []
        for j, column in enumerate(schema.columns):
            kind = _kind(column)
            there = range(int(model.first[j]), int(model.first[j + 1]))
            parts = tuple(_part(model, texts, at, kind, total, len(classes)) for at in there)
            columns.append(
                ColumnDescription(
                    column.name, kind, float(model.missing[j]) / total,
                    _target(model.missing_by_layer[j], len(classes)),
                    float(model.distinct[j]), float(model.distinct_error[j]), float(model.mean[j]), float(model.std[j]),
                    dict(zip(NAMES, model.quantiles[j].tolist(), strict=True)), float(model.rank_error[j]), parts,
                )
            )  # fmt: skip
        return cls(total, tuple(columns), classes, _target(model.weight, len(classes)))

    def __getitem__(self, name: str) -> ColumnDescription:
        """The description of one column, by its name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"there is no column {name!r}; there are {[column.name for column in self.columns][:20]}")

    @property
    def positive(self) -> int:
        """Which of the numbers of a target is shown: the share of the last of two classes, or the mean."""
        return len(self.target) - 1

    def shows_target(self) -> bool:
        """Whether one number says what the target is: the share of one of two classes, or the mean."""
        return len(self.target) == (2 if self.classes else 1)

    def _head(self) -> list[str]:
        head = ["column", "kind", "missing", "distinct", "min", "median", "max", "mean", "std", "values"]
        if not self.shows_target():
            return head
        return [*head, f"target {self.classes[1]!r} from, to" if self.classes else "mean target from, to"]

    def _rows(self) -> list[list[str]]:
        return [self._row(column) for column in self.columns]

    def _row(self, column: ColumnDescription) -> list[str]:
        some = [column.value(column.quantiles[name]) for name in ("min", "median", "max")]
        length = column.std / SECONDS_PER_DAY if column.kind == "date" else column.std
        days = " days" if column.kind == "date" else ""
        std = "" if math.isnan(column.std) else value_text(length, "number") + days
        std = value_text(column.std, "time") if column.kind == "time" else std
        named = column.kind == "text"
        values = [f"{_on_one_line(part.label)} {_percent(part.share)}" for part in column.parts[:SHOWN_PARTS]]
        rest = [", ".join(values) if named else ""]
        if self.shows_target():
            rates = [(part.target[self.positive], part.label) for part in column.parts if part.share >= LEAST_SHARE]
            rest.append(" to ".join(f"{self._rate(rate)} ({_on_one_line(label)})" for rate, label in _ends(rates)))
        missing = _percent(column.missing) if column.missing else "0"
        if column.kind == "ignored":
            return [column.name, column.kind, *[""] * (len(self._head()) - 2)]
        return [column.name, column.kind, missing, _distinct(column), *some, column.value(column.mean), std, *rest]

    def _rate(self, rate: float) -> str:
        return _percent(rate) if self.classes else value_text(rate, "number")

    def _note(self) -> str:
        said = [number_of(self.rows, "row")]
        if self.classes:
            each = zip(self.classes, self.target, strict=True)
            said.append("target: " + ", ".join(f"{label!r} {_percent(share)}" for label, share in each))
        elif self.target:
            said.append(f"mean target: {value_text(self.target[0], 'number')}")
        if self.shows_target() and (cut := [column for column in self.columns if _is_cut(column)]):
            most = max(len(column.parts) for column in cut)
            said.append(f"from, to: of the {most} most frequent values of a column, as Profile(top={most}) lists them")
        if off := max((column.rank_error for column in self.columns), default=0.0):
            said.append(f"quantiles are off by at most {100 * off:.2g} % of the rows")
        return "; ".join(said)

    def __str__(self) -> str:
        return in_columns([self._head(), *self._rows()]) + "\n" + self._note()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self._head(), self._rows(), self._note())

    def to_pandas(self) -> Any:
        """Return a frame of pandas with a row for each column: its statistics as numbers."""
        import pandas as pd

        rows = [
            {
                "kind": c.kind, "missing": c.missing, "distinct": c.distinct, "distinct_error": c.distinct_error,
                "mean": c.mean, "std": c.std, **c.quantiles, "rank_error": c.rank_error,
                "top": c.parts[0].label if c.parts and c.kind == "text" else None,
            }
            for c in self.columns
        ]  # fmt: skip
        return pd.DataFrame(rows, index=pd.Index([c.name for c in self.columns], name="column"))


def _kind(column: Column) -> str:
    """The kind of a column in the words of a description."""
    if column.kind == "unused":
        return "ignored"
    return {"numeric": "number", "categorical": "text"}.get(column.kind, column.kind)


def _part(model: ProfileModel, texts: list[str], at: int, kind: str, total: float, classes: int) -> Part:
    low, high = float(model.low[at]), float(model.high[at])
    label = texts[at]
    if kind != "text":
        label = value_text(low, kind) if low == high else f"{value_text(low, kind)} to {value_text(high, kind)}"
    return Part(label, float(model.part_weight[at, 0]) / total, _target(model.part_weight[at], classes), low, high)


def _target(weights: Any, classes: int) -> tuple[float, ...]:
    """The share of each class, or the mean of the target, of some rows: by their weight in each layer."""
    if len(weights) == 1:
        return ()
    total = float(weights[0]) or math.nan
    if classes:
        return tuple((weights[1:] / total).tolist())
    return (float((weights[1] - weights[2]) / total),)


def _ends(rates: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """The least and the greatest rate, with their values."""
    if len(rates) < 2:
        return rates
    return [min(rates, key=lambda one: one[0]), max(rates, key=lambda one: one[0])]


def _distinct(column: ColumnDescription) -> str:
    """Number of distinct values, with its error."""
    if column.distinct_error == 0:
        return f"{column.distinct:,.0f}"
    if math.isinf(column.distinct_error):
        return f"at least {column.distinct:,.0f}"
    return f"about {float(f'{column.distinct:.2g}'):,.0f}"


def _on_one_line(label: str) -> str:
    """A value that fits into a table: line ends and what terminals obey as Python writes them."""
    return short("".join(c if c.isprintable() else ascii(c)[1:-1] for c in label), SHORT)


def _is_cut(column: ColumnDescription) -> bool:
    """Whether a column of text has values that are not listed."""
    return column.kind == "text" and column.distinct > len(column.parts)


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def value_text(number: float, kind: str) -> str:
    """A number of a column of this kind as text; empty for NaN."""
    if math.isnan(number):
        return ""
    if kind == "date":
        moment = np.datetime64(round(number), "s")
        text = str(moment).replace("T", " ")
        return text.removesuffix(" 00:00:00")
    if kind == "time":
        return str(np.datetime64(round(number), "s"))[11:]
    return f"{number:.0f}" if number == round(number) and abs(number) < 1e7 else f"{number:.4g}"
