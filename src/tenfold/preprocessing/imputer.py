"""Filling of missing values, column by column: z = x, or the mean, median or mode of the column where x is missing."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Claim, Codes, Columns, DataError, Need, Schema
from tenfold.core.allowed import ANYTHING, NOT_NEGATIVE
from tenfold.core.statistic import Grouped
from tenfold.estimator import OnePass, Transformer
from tenfold.estimator.constraints import Constraints, boolean, choice
from tenfold.stats.distribution import Distribution, DistributionByColumn, Groups
from tenfold.stats.spread import ColumnSpread, SpreadByColumn


@dataclass(frozen=True, eq=False)
class MissingWeight:
    """Weight of the rows that have a value of each column, and of those that miss it."""

    exact: ClassVar[bool] = True
    present: Annotated[Array, "column", NOT_NEGATIVE]
    missing: Annotated[Array, "column", NOT_NEGATIVE]

    def __add__(self, other: MissingWeight) -> MissingWeight:
        return MissingWeight(self.present + other.present, self.missing + other.missing)


class MissingByColumn(Grouped[MissingWeight]):
    """Weight of the rows that have a value of each column, and of those that miss it."""

    def summarize(self, chunk: Chunk) -> MissingWeight:
        """Look for NaN, block by block."""
        missing = np.zeros(chunk.X.shape[1])
        for rows, block in chunk.X.blocks():
            missing += chunk.weight[rows] @ np.isnan(block)
        return MissingWeight(chunk.total - missing, missing)


@dataclass(frozen=True, eq=False)
class MeanOfPresent:
    """The mean of each column, and the weight of the rows that miss it."""

    spread: ColumnSpread
    missing: Annotated[Array, "column", NOT_NEGATIVE]

    def __add__(self, other: MeanOfPresent) -> MeanOfPresent:
        return MeanOfPresent(self.spread + other.spread, self.missing + other.missing)


class MeansOfPresent(Grouped[MeanOfPresent]):
    """The mean of each column, and the weight of the rows that miss it."""

    def summarize(self, chunk: Chunk) -> MeanOfPresent:
        """Summarize the rows of one chunk."""
        found = SpreadByColumn().summarize(chunk)
        return MeanOfPresent(found, np.maximum(chunk.total - found.weight, 0.0))


class ImputerModel(NamedTuple):
    """What missing values become; NaN in a column that held no value. And which columns missed some."""

    statistics: Annotated[Array, "column", ANYTHING]
    missing: Annotated[Array, "column"]
    """weight of the rows that missed a value"""


class Imputer(OnePass, Transformer):
    """Fill in missing values by the mean, the median or the mode of their column, or by a constant, in one pass.

    It is scikit-learn's `SimpleImputer`, by which name it goes too. Medians and modes are exact while a column has at
    most 65,536 distinct values. With more, neighbouring values are counted together, and the certificate says by which
    share of the rows a median may be off: most often by less than one in a thousand.

    Parameters
    ----------
    strategy : {"mean", "median", "most_frequent", "constant"}, default="mean"
        What takes the place of a missing value: the mean, the median or the most frequent value of its column (the
        least of several), or `fill_value`.
    fill_value : float or None, default=None
        The number that `strategy="constant"` fills in; None is 0.
    add_indicator : bool, default=False
        Whether a column of zeros and ones follows for each column that missed values in fitting: ones where they were.
    keep_empty_features : bool, default=False
        What becomes of a column that held no value in fitting: it is filled with 0 (or `fill_value`), or a missing
        value in it is an error with its name.
    missing_values : optional
        As in scikit-learn, but only in the values that say what is done here; the error names the remedy.
    copy : optional
        As in scikit-learn, and without effect: *Coming from scikit-learn* says why.

    Attributes
    ----------
    statistics_ : array of shape (columns,)
        What is filled in; NaN if a column held no value.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import Imputer
    >>> Imputer().fit_transform([[1.0], [None], [5.0]]).ravel().tolist()
    [1.0, 3.0, 5.0]
    >>> Imputer(strategy="most_frequent", add_indicator=True).fit_transform([[2.0], [None], [2.0], [9.0]]).tolist()
    [[2.0, 0.0], [2.0, 1.0], [2.0, 0.0], [9.0, 0.0]]
    """

    preserves_dtype = ("float64", "float32")
    need = Need("numeric", missing=True)
    model_type = ImputerModel
    summary_types = (MeanOfPresent, Distribution, MissingWeight)
    law_params = (
        {"keep_empty_features": True},
        {"strategy": "median", "keep_empty_features": True},
        {"strategy": "most_frequent", "keep_empty_features": True, "add_indicator": True},
        {"strategy": "constant", "fill_value": -1.0},
    )
    _parameter_constraints: ClassVar[Constraints] = {
        "strategy": [choice("mean", "median", "most_frequent", "constant")],
        "fill_value": [Real, None],
        "add_indicator": [boolean],
        "keep_empty_features": [boolean],
    }

    def __init__(
        self,
        strategy: str = "mean",
        fill_value: float | None = None,
        add_indicator: bool = False,
        keep_empty_features: bool = False,
        *,
        missing_values: float = np.nan,
        copy: bool = True,
    ) -> None:
        self.strategy = strategy
        self.fill_value = fill_value
        self.add_indicator = add_indicator
        self.keep_empty_features = keep_empty_features
        self.missing_values = missing_values
        self.copy = copy

    def _validate_params(self) -> None:
        super()._validate_params()
        if not np.isfinite(self._constant):
            raise ValueError(f"fill_value must be finite, not {self.fill_value}")

    def statistic(self, schema: Schema) -> MeansOfPresent | DistributionByColumn | MissingByColumn:
        """The means, the values and how often each comes, or how many are missing."""
        if self.strategy == "mean":
            return MeansOfPresent()
        return MissingByColumn() if self.strategy == "constant" else DistributionByColumn()

    def solve(self, schema: Schema, s: MeanOfPresent | Distribution | MissingWeight) -> ImputerModel:
        """The mean, the median or the mode of each column."""
        if isinstance(s, MeanOfPresent):
            found = np.where(s.spread.weight > 0, s.spread.mean, np.nan)
        elif isinstance(s, MissingWeight):
            found = np.full(len(s.missing), self._constant)
        elif self.strategy == "median":
            found = np.array([column.quantiles(np.array([0.5]))[0] for column in s.columns])
        else:
            found = np.array([column.mode() for column in s.columns])
        if self.keep_empty_features:
            found = np.where(np.isnan(found), 0.0, found)
        return ImputerModel(found, s.missing)

    @property
    def _constant(self) -> float:
        """What is filled in if nothing is learned."""
        return 0.0 if self.fill_value is None else float(self.fill_value)

    def certify(self, model: ImputerModel, s: MeanOfPresent | Distribution | MissingWeight) -> tuple[Claim, ...]:
        """How exact the statistics are, and how many columns miss values."""
        some = float((model.missing > 0).sum())
        claims = (Claim("columns with gaps", some, "proved", "columns that missed values in fitting", "data"),)
        if not isinstance(s, Distribution):
            return (Claim("gap", 0.0, "proved", "the means of the merged rows, or nothing", "objective"), *claims)
        if self.strategy == "median":
            return (s.claim(), *claims)
        unsure = float(sum(column.low[at] < column.high[at] for column, at in _heaviest(s)))
        why = "columns whose most frequent value is the middle of a group: they have too many distinct values"
        return (Claim("modes in groups", unsure, "proved", why, "data"), *claims)

    def transform_from(self, model: ImputerModel, X: Columns) -> Array:
        """The columns, filled up, in their float type; then where values were missing."""
        p, marked = X.shape[1], self._marked(model)
        out = np.empty((len(X), p + len(marked)), X.dtype)
        empty = np.isnan(model.statistics)
        for rows, block in X.blocks():
            gone = np.isnan(block)
            if empty.any() and (gone & empty).any():
                i, j = (int(k) for k in np.argwhere(gone & empty)[0])
                raise DataError(
                    f"{X.where(rows.start + i, j)} is missing, and no row had a value of this column in fitting. "
                    "Remedy: leave it out, set keep_empty_features=True, or strategy='constant' with a fill_value"
                )
            out[rows, :p] = np.where(gone, model.statistics, block)
            out[rows, p:] = gone[:, marked]
        return out

    def _marked(self, model: ImputerModel) -> Codes:
        """The columns that have an indicator."""
        return np.flatnonzero((model.missing > 0) & bool(self.add_indicator))

    def names_out(self, names: list[str]) -> list[str]:
        """Those of the columns, then those of the indicators, as scikit-learn calls them."""
        return [*names, *(f"missingindicator_{names[j]}" for j in self._marked(self.model_))]


SimpleImputer = Imputer
"""the name that scikit-learn has for it"""


def _heaviest(s: Distribution) -> list[tuple[Groups, int]]:
    """Each column that has values, and the number of its heaviest group."""
    return [(column, int(column.weight.argmax())) for column in s.columns if len(column.low)]
