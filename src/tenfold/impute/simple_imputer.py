"""Filling of missing values, column by column: z = x, or the mean, median or mode of the column where x is missing."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from numbers import Real
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import (
    Array,
    Chunk,
    Claim,
    Codes,
    Column,
    Columns,
    DataError,
    Flags,
    Labels,
    Letters,
    Mergeable,
    Need,
    Remedy,
    Schema,
    Values,
)
from tenfold.core.field_values import ANYTHING, COUNTS, NOT_NEGATIVE
from tenfold.core.need import Kinds
from tenfold.core.rows.columns import TextColumns
from tenfold.core.rows.texts import MISSING_TEXT, are_texts, pack, unpack
from tenfold.core.schema import is_text
from tenfold.core.statistic import Grouped, Stacked, slices
from tenfold.estimator import OnePass, Transformer, fitted
from tenfold.estimator.shell.constraints import boolean, choice
from tenfold.estimator.shell.keyword_decisions import FUNCTIONS, copied
from tenfold.estimator.shell.keywords import Refused, refused
from tenfold.impute.text_values import TextValues, TextValuesByColumn
from tenfold.preprocessing.categories import CountsByColumn, ValueCounts
from tenfold.stats.counts.distribution import Distribution, DistributionByColumn, ValueGroups
from tenfold.stats.moments.spread import ColumnSpread, SpreadByColumn

MAX_EXACT_INTEGER = 2**53
"""up to which float64 holds all integers"""


class MissingWeight(Mergeable):
    """Weight of the rows that have a value of each column, and of those that miss it."""

    exact: ClassVar[bool] = True
    present: Annotated[Array, "column", NOT_NEGATIVE]
    missing: Annotated[Array, "column", NOT_NEGATIVE]
    by_weight = ("present", "missing")


class MissingByColumn(Grouped[MissingWeight], Stacked[MissingWeight]):
    """Weight of the rows that have a value of each column, and of those that miss it."""

    def summarize(self, chunk: Chunk) -> MissingWeight:
        present, missing = np.zeros((2, chunk.X.shape[1]))
        if isinstance(chunk.X, TextColumns):
            for j in range(chunk.X.shape[1]):
                gone = _is_missing(chunk.X.column(j))
                present[j], missing[j] = chunk.weight[~gone].sum(), chunk.weight[gone].sum()
            return MissingWeight(present, missing)
        for rows, block in chunk.X.blocks():
            gone = np.isnan(block)
            present += chunk.weight[rows] @ ~gone  # zero if there is no value, however weights are rounded
            missing += chunk.weight[rows] @ gone
        return MissingWeight(present, missing)


class MeanOfPresent(Mergeable):
    """The mean of each column, and the weight of the rows that miss it."""

    spread: ColumnSpread
    missing: Annotated[Array, "column", NOT_NEGATIVE]
    by_weight = ("missing",)


class MeansOfPresent(Grouped[MeanOfPresent], Stacked[MeanOfPresent]):
    """The mean of each column, and the weight of the rows that miss it."""

    def summarize(self, chunk: Chunk) -> MeanOfPresent:
        found = SpreadByColumn().summarize(chunk)
        return MeanOfPresent(found, np.maximum(chunk.total - found.weight, 0.0))

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> MeanOfPresent:
        found = SpreadByColumn().summarize_cells(chunk, starts)
        if chunk.uniform:
            total = np.diff(np.append(starts, chunk.n)).astype(np.float64)
        else:
            total = np.array([chunk.weight[some].sum() for some in slices(starts, chunk.n)])
        return MeanOfPresent(found, np.maximum(total[:, None] - found.weight, 0.0))


class ValuesAndCounts(Mergeable):
    """The values of columns of numbers, and how often each category of the others comes."""

    values: Distribution
    counts: ValueCounts
    coded: Annotated[Flags, "column"]
    """which columns are categories"""

    same_in_all = ("coded",)
    by_weight = ()

    @property
    def missing(self) -> Array:
        """Weight of the rows that miss a value of each column."""
        found: Array = np.where(self.coded, self.counts.missing, self.values.missing)
        return found


class ValuesAndCountsByColumn(Grouped[ValuesAndCounts]):
    """The values of columns of numbers, and how often each category of the others comes."""

    coded: Flags
    first: Codes
    """where the categories of each column begin on the axis of values, and where the last ends"""

    def summarize(self, chunk: Chunk) -> ValuesAndCounts:
        # Each kind of column by itself: there, those of the other kind are all missing.
        values = DistributionByColumn().summarize(_without(chunk, self.coded))
        counts = CountsByColumn(self.first).summarize(_without(chunk, ~self.coded))
        return ValuesAndCounts(values, counts, self.coded)


def _without(chunk: Chunk, columns: Flags) -> Chunk:
    """Return the rows with some columns set to missing."""
    none = np.full(chunk.n, np.nan)
    data = tuple(none if gone else chunk.X.column(j) for j, gone in enumerate(columns))
    return chunk._replace(X=chunk.X.other_columns(data, chunk.X.names, missing=True))


Summary = MeanOfPresent | Distribution | ValuesAndCounts | TextValues | MissingWeight


class SimpleImputerModel(NamedTuple):
    """Fill value of each column, NaN for a column without values, and which columns had missing values."""

    statistics: Annotated[Array, "column", ANYTHING]
    """of a column of categories, the code of one; of a column of text, 0"""
    missing: Annotated[Array, "column"]
    """weight of the rows that missed a value"""
    letters: Annotated[Letters, "byte"]
    """what is filled in before features of text: a text for each column"""
    ends: Annotated[Codes, "entry", COUNTS]


no_strategy_function = refused(FUNCTIONS, Remedy('tn.SimpleImputer(strategy="median")'), callable)
what_is_missing = Refused(
    "missing values are NaN, None or pandas.NA",
    Remedy("tn.SimpleImputer().fit(np.where(X == -1, np.nan, X))"),
    (math.nan, None),
)


class SimpleImputer(OnePass, Transformer):
    """Fill in missing values by the mean, the median or the mode of their column, or by a constant, in one pass.

    Text is filled in by the mode or a constant, and stays text: what comes out is then an array of objects, and an
    encoder that comes next takes it, in memory or over files.

    Medians and modes are exact while a column has at
    most 65,536 distinct values. With more, neighbouring values are counted together, and the certificate bounds by
    which share of the rows a median may be off: most often by less than one in a thousand.

    Parameters
    ----------
    strategy : {"mean", "median", "most_frequent", "constant"}, default="mean"
        What takes the place of a missing value: the mean, the median or the most frequent value of its column (the
        least of several), or `fill_value`.
    fill_value : float, str or None, default=None
        What `strategy="constant"` fills in; None is 0, and "missing_value" in columns of text.
    add_indicator : bool, default=False
        Whether a column of zeros and ones follows for each column that missed values in fitting: ones where they were.
    keep_empty_features : bool, default=False
        Whether to keep a column that had no value in fitting, for every strategy: it is filled with 0 (or
        `fill_value`), or a missing value in it is an error with its name. It stays; scikit-learn drops it.
    missing_values : optional
        As in scikit-learn; other values raise an error that names an alternative.
    copy : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    statistics_ : array of shape (columns,)
        What is filled in; NaN if a column held no value. An array of objects if there is text.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import SimpleImputer
    >>> SimpleImputer().fit_transform([[1.0], [None], [5.0]]).ravel().tolist()
    [1.0, 3.0, 5.0]
    >>> SimpleImputer(strategy="median", add_indicator=True).fit_transform([[2.0], [None], [2.0], [9.0]]).tolist()
    [[2.0, 0.0], [2.0, 1.0], [2.0, 0.0], [9.0, 0.0]]
    >>> SimpleImputer(strategy="most_frequent").fit_transform([["sun"], [None], ["sun"], ["rain"]]).ravel().tolist()
    ['sun', 'sun', 'sun', 'rain']
    """

    hidden = frozenset({"letters", "ends"})
    preserves_dtype = ("float64", "float32")
    law_params = (
        {"keep_empty_features": True},
        {"strategy": "median", "keep_empty_features": True},
        {"strategy": "most_frequent", "keep_empty_features": True, "add_indicator": True},
        {"strategy": "constant", "fill_value": -1.0, "keep_empty_features": True},
    )

    strategy: Annotated[str, choice("mean", "median", "most_frequent", "constant"), no_strategy_function] = "mean"
    fill_value: Annotated[float | str | None, Real, str, None] = None
    add_indicator: Annotated[bool, boolean] = False
    keep_empty_features: Annotated[bool, boolean] = False
    _: KW_ONLY
    missing_values: Annotated[float | None, what_is_missing] = np.nan
    copy: Annotated[bool, copied] = True

    @property
    def need(self) -> Need:
        # Numbers; text too, if no numbers are made of the values.
        return Need("mixed" if self.strategy in ("most_frequent", "constant") else "numeric", missing=True)

    def _validate_params(self) -> None:
        super()._validate_params()
        if not (self.fill_value is None or isinstance(self.fill_value, str) or np.isfinite(self.fill_value)):
            raise ValueError(f"fill_value must be finite, not {self.fill_value}")

    def with_listed_categories(self, schema: Schema) -> Schema:
        columns = []
        for column in schema.columns:
            labels = column.categories
            if labels is not None and (self.strategy == "constant" or (self.keep_empty_features and not len(labels))):
                value = self._constant(column)
                named = np.array([value], dtype=object if isinstance(value, str) else None)
                column = column + Column(column.name, column.kind, named)
            columns.append(column)
        return Schema(tuple(columns), schema.target, schema.classes, schema.named)

    def statistic(
        self, schema: Schema
    ) -> MeansOfPresent | DistributionByColumn | ValuesAndCountsByColumn | TextValuesByColumn | MissingByColumn:
        if self.strategy == "mean":
            return MeansOfPresent()
        if self.strategy == "constant":
            return MissingByColumn()
        if any(column.kind == "text" for column in schema.columns):
            return TextValuesByColumn()
        coded = _coded(schema)
        return ValuesAndCountsByColumn(coded, schema.value_offsets) if coded.any() else DistributionByColumn()

    def solve(self, schema: Schema, s: Summary) -> SimpleImputerModel:
        if isinstance(s, TextValues):
            found = np.where(np.diff(s.first) > 0, 0.0, np.nan)
        elif isinstance(s, MeanOfPresent):
            found = np.where(s.spread.weight > 0, s.spread.mean, np.nan)
        elif isinstance(s, MissingWeight):
            found = np.array([self._constant(c) if c.kind == "numeric" else 0.0 for c in schema.columns])
        elif self.strategy == "median" and isinstance(s, Distribution):
            found = np.array([column.quantiles(np.array([0.5]))[0] for column in s.columns])
        else:
            found = np.array([column.mode() for column in (s if isinstance(s, Distribution) else s.values).columns])
        for j in np.flatnonzero(_coded(schema)):
            found[j] = self._category(schema, s, int(j))
        if self.keep_empty_features:
            found = np.where(np.isnan(found), 0.0, found)
        elif isinstance(s, MissingWeight):
            found = np.where(s.present > 0, found, np.nan)
        return SimpleImputerModel(found, s.missing, *pack(self._texts(schema, s)))

    def _texts(self, schema: Schema, s: Summary) -> list[str]:
        """What is filled in where columns are text; nothing where they are not."""
        if all(column.kind != "text" for column in schema.columns):
            return []
        if not isinstance(s, TextValues):
            return [self._constant(column) for column in schema.columns]
        each = zip(schema.columns, s.modes(), strict=True)
        return [self._constant(column) if mode is None else mode for column, mode in each]

    def _category(self, schema: Schema, s: Summary, j: int) -> float:
        """The code of the category that is filled in; NaN: there is none."""
        column, first = schema.columns[j], schema.value_offsets
        if isinstance(s, ValuesAndCounts):
            count = s.counts.count[first[j] : first[j + 1]]
            return float(count.argmax()) if count.any() else np.nan
        return float(np.searchsorted(column.categories, self._constant(column)))

    def _constant(self, column: Column) -> Any:
        """Fill value of a column from which nothing is learned."""
        labels, given = column.categories, self.fill_value if self.strategy == "constant" else None
        text = column.kind == "text" or (labels is not None and (is_text(labels) or not len(labels)))
        if given is None:
            return "missing_value" if text else 0.0
        if text != isinstance(given, str):
            raise ValueError(
                f"fill_value={given!r} is {'text' if isinstance(given, str) else 'a number'}, and column "
                f"{column.name!r} holds {'text' if text else 'numbers'}. Remedy: an imputer for each kind of column, "
                "in a ColumnTransformer"
            )
        return given

    def is_valid(self, model: SimpleImputerModel, summary: Summary | None, schema: Schema) -> bool:
        each = zip(model.statistics.tolist(), schema.columns, strict=True)
        coded = [(value, len(c.categories)) for value, c in each if c.categories is not None]
        texts = len(schema.columns) if any(column.kind == "text" for column in schema.columns) else 0
        if len(model.ends) != texts or not are_texts(model.letters, model.ends, distinct=False):
            return False
        return all(value != value or (value == int(value) and 0 <= value < n) for value, n in coded)

    def certify(self, model: SimpleImputerModel, s: Summary) -> tuple[Claim, ...]:
        """How exact the statistics are, and how many columns miss values."""
        some = float((model.missing > 0).sum())
        claims = (Claim("columns with gaps", some, "proved", "columns that missed values in fitting", "data"),)
        if isinstance(s, (MeanOfPresent, MissingWeight)):
            return (Claim("gap", 0.0, "proved", "the means of the merged rows, or nothing", "objective"), *claims)
        if self.strategy == "median" and isinstance(s, Distribution):
            return (s.claim(), *claims)
        numbers = [] if isinstance(s, TextValues) else _heaviest(s if isinstance(s, Distribution) else s.values)
        unsure = float(sum(column.low[at] < column.high[at] for column, at in numbers))
        why = "columns whose most frequent value is the middle of a group: they have too many distinct values"
        return (Claim("modes in groups", unsure, "proved", why, "data"), *claims)

    def transform_from(self, model: SimpleImputerModel, X: Columns) -> Array:
        """The columns, filled up, in their float type; then where values were missing. Text stays text."""
        if isinstance(X, TextColumns):
            return self._filled_texts(model, X)
        p, marked = X.shape[1], self._marked(model)
        out = np.empty((len(X), p + len(marked)), X.dtype)
        empty = np.isnan(model.statistics)
        for rows, block in X.blocks():
            gone = np.isnan(block)
            if empty.any() and (gone & empty).any():
                i, j = (int(k) for k in np.argwhere(gone & empty)[0])
                raise _no_value(X, rows.start + i, j)
            out[rows, :p] = np.where(gone, model.statistics, block)
            out[rows, p:] = gone[:, marked]
        return out

    def _filled_texts(self, model: SimpleImputerModel, X: Columns) -> Any:
        """Columns of text, filled up: an array of objects."""
        out, texts = np.empty(X.shape, dtype=object), unpack(model.letters, model.ends)
        for j in range(X.shape[1]):
            out[:, j] = X.column(j)
            gone = _is_missing(out[:, j])
            if gone.any() and np.isnan(model.statistics[j]):
                raise _no_value(X, int(gone.argmax()), j)
            out[gone, j] = texts[j]
        return out

    # ---- text --------------------------------------------------------------------------------------

    @property
    def may_pass_categories(self) -> bool:
        return self.need.kinds == "mixed"

    def passes_categories(self, schema: Schema) -> bool:
        return not schema.plain

    def columns_out(self, schema: Schema, model: SimpleImputerModel) -> tuple[Column, ...] | None:
        # The columns, then the indicators; None if all are numbers.
        if not self.passes_categories(schema):
            return None
        return (
            *schema.columns,
            *(Column(f"missingindicator_{schema.names[j]}", "numeric") for j in self._marked(model)),
        )

    def output_view(self) -> tuple[Need, Schema] | None:
        # Text and numbers as they are, since they may be such that no row had in fitting.
        if not self.passes_categories(self.schema_):
            return None
        columns = tuple(map(_as_it_is, self.schema_.columns))
        each: list[tuple[str, Kinds]] = [(c.name, "text" if c.kind == "text" else "mixed") for c in columns]
        return Need("mixed", missing=True, each=tuple(each)), Schema(columns, None, None, self.schema_.named)

    def output_from(self, model: SimpleImputerModel, X: Columns) -> Values:
        # The columns, filled up: an array of objects if there is text.
        if not self.passes_categories(self.schema_):
            return self.transform_from(model, X)
        p, marked = X.shape[1], self._marked(model)
        out = np.empty((len(X), p + len(marked)), dtype=object)
        for j, column in enumerate(self.schema_.columns):
            values = X.column(j)
            gone = _is_missing(values)
            if gone.any() and np.isnan(model.statistics[j]):
                raise _no_value(X, int(gone.argmax()), j)
            if column.categories is not None and not values.dtype.hasobject:
                coded = _as_it_is(column).kind == "categorical"
                labels = column.categories
                values = _labels_of(X, j, values, gone, labels) if coded else _in_type_of(labels, values, gone)
            out[:, j] = values
            out[gone, j] = self.statistics_[j]
            out[:, p:][:, marked == j] = gone[:, None]
        return out

    @property
    @fitted
    def statistics_(self) -> Values:
        """Fill value of each column."""
        model, columns = self.model_, self.schema_.columns
        if not self.passes_categories(self.schema_):
            found: Values = model.statistics
            return found
        out, texts = np.empty(len(columns), dtype=object), unpack(model.letters, model.ends)
        for j, (column, value) in enumerate(zip(columns, model.statistics.tolist(), strict=True)):
            known = column.categories is not None and value == value
            if column.kind == "text" and value == value:
                out[j] = texts[j]
                continue
            out[j] = column.categories[int(value)] if known else value
        return out

    def _marked(self, model: SimpleImputerModel) -> Codes:
        """The columns that have an indicator."""
        return np.flatnonzero((model.missing > 0) & bool(self.add_indicator))

    def origins(self, model: SimpleImputerModel, width: int) -> Codes:
        # The columns, then the indicators of some.
        return np.concatenate([np.arange(width), self._marked(model)])

    def names_out(self, names: list[str]) -> list[str]:
        return [*names, *(f"missingindicator_{names[j]}" for j in self._marked(self.model_))]


def _is_missing(values: Values) -> Flags:
    """Which of the values of a column are missing."""
    found: Flags = np.equal(values, MISSING_TEXT).astype(bool) if values.dtype.hasobject else np.isnan(values)
    return found


def _coded(schema: Schema) -> Flags:
    """Which columns enter as codes of their categories."""
    return np.array([column.categories is not None for column in schema.columns], dtype=bool)


def _as_it_is(column: Column) -> Column:
    """A column to pass through: its own values, or codes of integers that float64 cannot hold."""
    labels = column.categories
    if labels is None:
        return column
    if is_text(labels) or not len(labels):
        return Column(column.name, "text")
    ids = labels.dtype.kind in "iu" and max(abs(int(labels[0])), abs(int(labels[-1]))) > MAX_EXACT_INTEGER
    return column if ids else Column(column.name, "numeric")


def _in_type_of(labels: Labels, numbers: Array, gone: Flags) -> Values:
    """Numbers in the type of the categories, those that it holds; of those that are missing, any."""
    with np.errstate(invalid="ignore"):
        typed = np.where(gone, 0, numbers).astype(labels.dtype)
    found: Values = typed.astype(object)
    other = (typed != numbers) & ~gone
    found[other] = numbers[other]
    return found


def _labels_of(X: Columns, j: int, codes: Array, gone: Flags, labels: Labels) -> Values:
    """The categories of codes; of those that are missing, any."""
    if (codes < 0).any():
        raise DataError(
            f"{X.where(int((codes < 0).argmax()), j)} has a number that was no category in fitting. Remedy: fit to "
            "rows that have it, or make the column text, .astype(str)"
        )
    found: Values = labels[np.where(gone, 0, codes).astype(np.int64)]
    return found


def _no_value(X: Columns, i: int, j: int) -> DataError:
    """The error of a missing value that nothing can be filled in for."""
    return DataError(
        f"{X.where(i, j)} is missing, and no row had a value of this column in fitting. "
        "Remedy: leave it out, or keep_empty_features=True, which fills in 0 or fill_value"
    )


def _heaviest(s: Distribution) -> list[tuple[ValueGroups, int]]:
    """Each column that has values, and the number of its heaviest group."""
    return [(column, int(column.weight.argmax())) for column in s.columns if len(column.low)]
