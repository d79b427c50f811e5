"""Values at which a curve over a column is drawn: all of them if they are few, else steps between two quantiles.

Both come from summaries that merge: the least distinct values, and a sample of rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import mstats

from tenfold.core import Array, Chunk, Column, DataError, Labels, Mergeable
from tenfold.core.statistic import Statistic
from tenfold.model_selection.frame_columns import Scalar, Where
from tenfold.sources.label_codes import dates

Point = tuple[Scalar, ...]
"""a value for each of some columns"""
DATES = "M8[s]"
"""type in which dates are shown"""
MAX_QUANTILE_ROWS = 16384
"""rows that quantiles are taken from, at most"""


class Axis(NamedTuple):
    """The grid values of a column, as model input and as labels."""

    name: str
    values: Labels
    """codes of categories, or numbers"""
    labels: Labels
    categorical: bool
    deciles: Array | None = None
    """of a column of numbers, if they are known"""


@dataclass(frozen=True)
class GridLayout:
    """Which values of which columns a grid is made of."""

    resolution: int
    percentiles: tuple[float, float]
    custom: Mapping[int | str, ArrayLike]
    categorical: Sequence[int | str]
    seed: int

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns that there are not."""
        for asked, some in (("custom_values", self.custom), ("categorical_features", self.categorical)):
            known = [*names, *range(len(names))]
            other = [one for one in some if isinstance(one, bool) or one not in known]
            if other:
                raise ValueError(f"{asked}: there is no column {other[0]!r}; there are {list(names)[:20]}")

    def of(self, names: Sequence[str], j: int) -> tuple[ArrayLike | None, bool]:
        """Values given for column j, or None; and whether it is declared categorical."""
        known = [self.custom[key] for key in (names[j], j) if key in self.custom]
        return (known[0] if known else None), names[j] in self.categorical or j in self.categorical


class Distinct(Mergeable):
    """The least values of a column, one more than asked for at most."""

    values: Annotated[Array, "value"]
    most: int

    @classmethod
    def of(cls, column: ArrayLike, most: int) -> Distinct:
        """Collect the distinct values of some rows, without missing values."""
        values = np.asarray(column)
        if values.dtype.hasobject:
            return cls(np.unique(values[np.not_equal(values, np.array(None, dtype=object))])[: most + 1], most)
        found = np.unique(values)
        return cls(found[~np.isnan(found)][: most + 1], most)

    def __add__(self, other: Distinct) -> Distinct:
        return Distinct(np.union1d(self.values, other.values)[: self.most + 1], self.most)


class DistinctValues(Statistic[Distinct]):
    """The distinct values of a column, if they are few."""

    column: int
    most: int

    def summarize(self, chunk: Chunk) -> Distinct:
        values = chunk.X.column(self.column)
        return Distinct.of(values if values.dtype.hasobject else values.astype(np.float64), self.most)


def text_axis(name: str, distinct: Distinct) -> Axis:
    """Grid of a column of text that has few distinct values."""
    if not len(distinct.values):
        raise DataError(f"column {name!r} has no value at all. Remedy: leave it out")
    if len(distinct.values) > distinct.most:
        raise DataError(
            f"column {name!r} is text with more than {distinct.most} distinct values, of which no grid is made. "
            f"Remedy: custom_values={{{name!r}: [{distinct.values[0]!r}, ...]}}"
        )
    return Axis(name, distinct.values, distinct.values, True)


def as_dates(axis: Axis) -> Axis:
    """The same grid of seconds since 1970, shown as dates."""
    deciles = None if axis.deciles is None else axis.deciles.astype(DATES)
    return axis._replace(labels=axis.values.astype(DATES), deciles=deciles)


def seconds_of(custom: ArrayLike, column: Column) -> Array:
    """Dates given by the user, as seconds since 1970."""
    try:
        given = np.asarray(custom, dtype="M8[us]")
    except (TypeError, ValueError):
        raise ValueError(f"column {column.name!r} holds dates, and its custom_values {custom!r} are none") from None
    return dates(given, f"column {column.name!r}")


def axis_of(name: str, distinct: Distinct, sample: Array, layout: GridLayout, categorical: bool) -> Axis:
    """Grid of a numeric column."""
    resolution, percentiles = layout.resolution, layout.percentiles
    known = np.asarray(sample, dtype=np.float64)
    known = known[~np.isnan(known)]
    if not len(known):
        raise DataError(f"column {name!r} has no value at all. Remedy: leave it out")
    if categorical and len(distinct.values) > resolution:
        raise DataError(
            f"column {name!r} has more than {resolution} values, too many for categories. Remedy: a greater "
            "grid_resolution, or custom_values"
        )
    deciles = mstats.mquantiles(known, np.arange(0.1, 1.0, 0.1))
    if categorical or len(distinct.values) < resolution:
        values = distinct.values
    else:
        low, high = mstats.mquantiles(known, percentiles)
        if not low < high:
            raise DataError(
                f"column {name!r} has the same value at both percentiles {percentiles}. Remedy: percentiles further "
                "apart, or custom_values"
            )
        values = np.linspace(low, high, resolution)
    return Axis(name, values, values, categorical, deciles)


def coded(name: str, categories: Labels, resolution: int, custom: ArrayLike | None) -> Axis:
    """Grid of a categorical column."""
    known = categories.tolist()
    if custom is None and len(known) > resolution:
        raise DataError(
            f"column {name!r} has {len(known)} categories, more than grid_resolution={resolution}. Remedy: "
            f"grid_resolution={len(known)}, or custom_values"
        )
    shown = known if custom is None else list(np.asarray(custom, dtype=object))
    other = [one for one in shown if one not in known]
    if other:
        raise ValueError(f"custom_values of column {name!r}: {other[:5]} are not among its categories {known[:10]}")
    codes = np.array([known.index(one) for one in shown], dtype=np.float64)
    return Axis(name, codes, np.asarray(shown, dtype=categories.dtype), True)


def custom_axis(name: str, custom: ArrayLike, categorical: bool, numbers: bool = False) -> Axis:
    """Grid of values given by the user; as numbers, if the column is numeric."""
    values = np.asarray(custom)
    if values.ndim != 1 or not len(values):
        raise ValueError(f"custom_values of column {name!r} must be a list of values")
    if values.dtype.kind in "iuf" and not np.isfinite(values).all():
        raise ValueError(f"custom_values of column {name!r} hold NaN or infinity")
    if numbers and values.dtype.kind not in "biuf":
        raise ValueError(f"column {name!r} holds numbers, and its custom_values {values.tolist()[:5]} are none")
    return Axis(name, values, values, categorical or values.dtype.kind in "OUT")


def points(where: list[Where], axes: dict[int, Axis]) -> list[tuple[tuple[int, ...], tuple[Point, ...]]]:
    """Columns, and all points of their values."""
    return [(at, tuple(product(*(axes[j].values.tolist() for j in at)))) for _, at in where]
