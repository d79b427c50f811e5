"""Drift between two profiles: each column tested once for its values and once for what is missing, and corrected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from tenfold.core import Array, DataError
from tenfold.estimator import check_is_fitted
from tenfold.estimator.shell.fitted_params import as_fitted
from tenfold.inspection.drift.two_sample_tests import TwoSamples, of_counts, of_numbers
from tenfold.inspection.profile.profile import Profile
from tenfold.inspection.profile.profile_summary import is_of_values
from tenfold.inspection.profile.value_table import ValueTable
from tenfold.model_selection.comparison.paired_tests import holm
from tenfold.model_selection.formatting import html_table, in_columns

TARGET = "(target)"
"""name of the classes of the target among the columns"""


class Change(NamedTuple):
    """What was compared of one column."""

    column: str
    what: Literal["values", "missing", "classes"]
    distance: float
    """0 to 1: of numbers the largest difference of the distribution functions; of all else half the sum of the
    differences of the shares"""
    p: float
    adjusted: float
    """p, corrected for all that was compared"""
    before: float
    """the mean of numbers, the share of missing values; NaN of text"""
    after: float


@dataclass(frozen=True)
class Drift:
    """What has changed from some rows to others, the least likely by chance first.

    Attributes
    ----------
    changes : tuple of Change
        All that was compared.
    level : float
        Errors that the report may have.
    correction : {"holm", "fdr"}
    min_distance : float
        Changes below are not among `drifted`.
    """

    changes: tuple[Change, ...]
    level: float
    correction: str
    min_distance: float

    @property
    def drifted(self) -> list[str]:
        """The columns that changed, the least likely by chance first."""
        return list(dict.fromkeys(change.column for change in self.changes if self._is_found(change)))

    def _is_found(self, change: Change) -> bool:
        return change.adjusted <= self.level and change.distance >= self.min_distance

    def table(self) -> pa.Table:
        """Return all that was compared as a table, with a column that says what drifted."""
        rows = [{**change._asdict(), "drifted": self._is_found(change)} for change in self.changes]
        numbers = ((name, pa.float64()) for name in ("distance", "p", "adjusted", "before", "after"))
        schema = pa.schema([("column", pa.string()), ("what", pa.string()), *numbers, ("drifted", pa.bool_())])
        return pa.Table.from_pylist(rows, schema)

    def _lines(self) -> list[list[str]]:
        head = ["column", "what", "distance", f"p ({self.correction})", "before", "after", ""]
        return [head, *(self._line(change) for change in self.changes)]

    def _line(self, change: Change) -> list[str]:
        sides = ("" if np.isnan(value) else f"{value:.4g}" for value in (change.before, change.after))
        numbers = f"{change.distance:.3f}", f"{change.adjusted:.2g}"
        return [change.column, change.what, *numbers, *sides, "drifted" if self._is_found(change) else ""]

    def __str__(self) -> str:
        return in_columns(self._lines())

    def _repr_html_(self) -> str:
        head, *lines = self._lines()
        return html_table(head, lines)


def drift(
    before: Profile,
    after: Profile,
    *,
    correction: Literal["holm", "fdr"] = "holm",
    level: float = 0.05,
    min_distance: float = 0.0,
) -> Drift:
    """Compare two profiles: which columns are not as they were. No row is read.

    Numbers and dates are compared by the test of Kolmogorov and Smirnov, text, categories and the classes of the target
    by Pearson's chi-squared test with rare values taken together, and so are missing values. Rows are taken as
    independent, and a weight as so many rows.

    Parameters
    ----------
    before, after : Profile
        Fitted, of rows with the same columns.
    correction : {"holm", "fdr"}, default="holm"
        "holm": if nothing has changed, the report names any column with a probability of at most `level`. "fdr": of the
        columns that it names, a share of `level` at most is wrong on average (Benjamini and Hochberg).
    level : float, default=0.05
        Up to which a corrected p value names a column.
    min_distance : float, default=0.0
        Changes below are not named: of very many rows each is significant.

    Returns
    -------
    found : Drift

    Examples
    --------
    >>> import numpy as np, pandas as pd, tenfold as tn
    >>> random = np.random.default_rng(0)
    >>> march = pd.DataFrame({"size": random.normal(size=500), "city": random.choice(["Bonn", "Kiel"], 500)})
    >>> april = pd.DataFrame({"size": random.normal(0.5, 1.0, 500), "city": random.choice(["Bonn", "Kiel"], 500)})
    >>> found = tn.drift(tn.Profile().fit(march), tn.Profile().fit(april))
    >>> found.drifted
    ['size']
    >>> print(found)
    column  what    distance  p (holm)  before    after
    size    values  0.208     1.2e-09   -0.02689  0.4392  drifted
    city    values  0.028     0.38
    """
    if correction not in ("holm", "fdr"):
        raise ValueError(f"correction must be 'holm' or 'fdr', not {correction!r}")
    if not 0 < level < 1 or not 0 <= min_distance <= 1:
        raise ValueError(f"level and min_distance are shares, 0 to 1, not {level!r} and {min_distance!r}")
    a, b = (_checked(one) for one in (before, after))
    _refuse_other_columns(a, b)
    found = list(_compared(a, b))
    p = [test.p for _, _, test, _, _ in found]
    adjusted = holm(p) if correction == "holm" else benjamini_hochberg(p)
    changes = [
        Change(column, what, test.distance, test.p, corrected, one, other)
        for (column, what, test, one, other), corrected in zip(found, adjusted, strict=True)
    ]
    ordered = sorted(changes, key=lambda change: (change.adjusted, change.p, -change.distance))
    return Drift(tuple(ordered), level, correction, min_distance)


def benjamini_hochberg(p: list[float]) -> list[float]:
    """Return p values adjusted so that at most a share of those below a level are wrong on average."""
    order = np.argsort(p, kind="stable")[::-1]
    ranks = np.arange(len(p), 0, -1)
    adjusted = np.minimum.accumulate(np.array(p)[order] * len(p) / ranks)
    found = np.empty(len(p))
    found[order] = np.minimum(adjusted, 1.0)
    return [float(value) for value in found]


def _checked(profile: Any) -> Any:
    """Return a fitted profile with its summary."""
    if not isinstance(profile, Profile):
        raise TypeError(f"drift compares profiles, not a {type(profile).__name__}. Remedy: tenfold.Profile().fit(rows)")
    check_is_fitted(profile)
    if profile.summary_ is None:
        raise ValueError(
            "a profile was saved without its summary, which is what is compared. Remedy: save(summary=True)"
        )
    return as_fitted(profile)


def _refuse_other_columns(a: Any, b: Any) -> None:
    names = [{column.name: _kind(column) for column in one.schema_.columns} for one in (a, b)]
    if only := sorted({*names[0]} ^ {*names[1]}):
        raise DataError(f"columns {only} are in one of the profiles only. Remedy: profiles of the same columns")
    if other := sorted(name for name in names[0] if names[0][name] != names[1][name]):
        said = ", ".join(f"{name!r} is {names[0][name]} and {names[1][name]}" for name in other)
        raise DataError(f"columns are described otherwise: {said}. Remedy: Profile(kinds={{...}}) for both")


def _kind(column: Any) -> str:
    return "text" if is_of_values(column) else str(column.kind)


Compared = tuple[str, Literal["values", "missing", "classes"], TwoSamples, float, float]


def _compared(a: Any, b: Any) -> Iterator[Compared]:
    """Yield what can be compared of each column, with the means or the shares of missing values."""
    places = {column.name: j for j, column in enumerate(b.schema_.columns)}
    tables = [_tables(one) for one in (a, b)]
    missing_a, missing_b = a.missing_, b.missing_
    rows_a, rows_b = (float(one.summary_.weight[0]) for one in (a, b))
    for j, column in enumerate(a.schema_.columns):
        k = places[column.name]
        if column.kind == "unused":
            continue
        if is_of_values(column):
            present = rows_a - float(missing_a[j]), rows_b - float(missing_b[k])
            test = of_counts(*_aligned(tables[0][j], tables[1][k], present))
        else:
            test = of_numbers(a.summary_.numbers.each[0].column(j), b.summary_.numbers.each[0].column(k))
        yield column.name, "values", test, float(a.mean_[j]), float(b.mean_[k])
        if missing_a[j] or missing_b[k]:
            lacking = (float(missing_a[j]), rows_a), (float(missing_b[k]), rows_b)
            counts = [np.array([gone, rows - gone]) for gone, rows in lacking]
            shares = [gone / rows for gone, rows in lacking]
            yield column.name, "missing", of_counts(counts[0], counts[1]), shares[0], shares[1]
    if a.schema_.target == b.schema_.target == "class":
        yield TARGET, "classes", of_counts(*_classes(a, b)), np.nan, np.nan


def _tables(profile: Any) -> dict[int, ValueTable]:
    """Return the tables of columns of text, by their places."""
    coded = [j for j, column in enumerate(profile.schema_.columns) if is_of_values(column)]
    return dict(zip(coded, profile.summary_.texts.each, strict=True))


def _aligned(a: ValueTable, b: ValueTable, present: tuple[float, float]) -> tuple[Array, Array]:
    """Return the counts of the same values in both, and of all others together.

    Where a table has not counted all values, those that are in one only are among the others: how often they are in the
    other one is not known.
    """
    counts = [dict(zip(one.values, one.count[:, 0].tolist(), strict=True)) for one in (a, b)]
    both = all(not one.error and not len(one.hashes) for one in (a, b))
    names = sorted({*counts[0]} | {*counts[1]} if both else {*counts[0]} & {*counts[1]})
    found = [np.array([known.get(name, 0.0) for name in names]) for known in counts]
    rest = [max(weight - float(known.sum()), 0.0) for weight, known in zip(present, found, strict=True)]
    if both:
        return found[0], found[1]
    return np.append(found[0], rest[0]), np.append(found[1], rest[1])


def _classes(a: Any, b: Any) -> tuple[Array, Array]:
    """Return the weight of each class in both."""
    schema = a.schema_ + b.schema_
    found = [np.zeros(len(schema.classes)) for _ in range(2)]
    for weights, one in zip(found, (a, b), strict=True):
        weights[np.searchsorted(schema.classes, one.schema_.classes)] = one.summary_.weight[1:]
    return found[0], found[1]
