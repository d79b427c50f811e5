"""Summary of the columns of some rows: values of numbers and dates, values of text, means and squares, by class.

The target enters as layers of the rows: weights that are not negative, of which the first is all rows. For classes
there is a layer for each; for numbers there are two more, w max(y, 0) and w max(-y, 0), whose sums over any rows give
the mean of the target there. So every table of weights is one of the target too, and all of them add up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np

from tenfold.core import Array, Chunk, Codes, Column, Columns, Mergeable, Schema, Values
from tenfold.core.axes import Bundle
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.statistic import Grouped
from tenfold.inspection.profile.value_table import ValueTable
from tenfold.stats.counts.distribution import Distribution, DistributionByColumn
from tenfold.stats.moments.spread import ColumnSpread, SpreadByColumn

NO_VALUE = np.array([None], dtype=object)


class ProfileSummary(Mergeable):
    """What the columns hold: of numbers and dates their distribution by layer, of others a table of values."""

    weight: Annotated[Array, "layer", NOT_NEGATIVE]
    """of all rows"""
    spread: ColumnSpread
    numbers: Bundle
    """for each layer the distribution of each column; in columns of text all values are missing"""
    texts: Bundle
    """the values of each column that is not of numbers"""
    by_weight = ("weight",)

    def is_valid(self, schema: Schema) -> bool:
        """Whether there is a distribution for each layer, and a table for each column of text."""
        layers, coded = len(self.weight), sum(is_of_values(column) for column in schema.columns)
        alike = all(table.count.shape[1] == layers for table in self.texts.each)
        return layers == layers_of(schema) == len(self.numbers.each) and alike and len(self.texts.each) == coded

    def recode(self, old: Schema, new: Schema) -> ProfileSummary:
        """The same with layers for the classes of a larger schema."""
        at = old.places("class", new)
        if at is None:
            return self
        layers, at = layers_of(new), np.append(0, at + 1)
        none = self.numbers.each[0]
        none = Distribution(
            *(np.zeros(0),) * 3, np.zeros_like(none.first), np.full_like(none.bits, 64), none.missing * 0
        )
        numbers = [none] * layers
        for place, each in zip(at.tolist(), self.numbers.each, strict=True):
            numbers[place] = each
        tables = [
            replace(table, count=_placed(table.count, at, layers), missing=_placed(table.missing, at, layers))
            for table in self.texts.each
        ]
        return ProfileSummary(
            _placed(self.weight, at, layers), self.spread, Bundle(tuple(numbers)), Bundle(tuple(tables))
        )


def layers_of(schema: Schema) -> int:
    """How many layers the rows have: one, and one for each class; or two for a target of numbers."""
    if schema.target is None:
        return 1
    return 3 if schema.classes is None else 1 + len(schema.classes)


def _placed(values: Array, at: Codes, layers: int) -> Array:
    """Values of some layers, on the last axis, at their places among more, zero elsewhere."""
    found = np.zeros((*values.shape[:-1], layers))
    found[..., at] = values
    return found


class ProfileByColumn(Grouped[ProfileSummary]):
    """What the columns of some rows hold, and the target by their values."""

    columns: tuple[Column, ...]
    classes: int
    """of the target; 0 if it has none"""
    target: bool
    """whether there is a target"""
    capacity: int
    """values of a column of text that are counted at most"""

    def summarize(self, chunk: Chunk) -> ProfileSummary:
        layers = self._layers(chunk)
        of_values = [j for j, column in enumerate(self.columns) if is_of_values(column)]
        numbers = chunk._replace(X=chunk.X if not of_values else self._numbers(chunk, of_values))
        tables = [ValueTable.of(self._texts(chunk, j), layers, self.capacity) for j in of_values]
        each = [_distribution(numbers, weight if at else None) for at, weight in enumerate(layers.T)]
        spread = SpreadByColumn().summarize(numbers)
        return ProfileSummary(layers.sum(axis=0), spread, Bundle(tuple(each)), Bundle(tuple(tables)))

    def _layers(self, chunk: Chunk) -> Array:
        """Weight of each row in all rows, and in each class, or times the positive and the negative part of y."""
        weight = chunk.weight
        if not self.target:
            return weight[:, None]
        if not self.classes:
            y = chunk.y
            return np.column_stack([weight, weight * np.maximum(y, 0.0), weight * np.maximum(-y, 0.0)])
        return np.column_stack([weight, *(np.where(chunk.y == k, weight, 0.0) for k in range(self.classes))])

    def _numbers(self, chunk: Chunk, of_values: list[int]) -> Columns:
        """The rows, with columns of text all missing."""
        none = np.full(chunk.n, np.nan)
        data = tuple(none if j in of_values else chunk.X.column(j) for j in range(len(self.columns)))
        return chunk.X.other_columns(data, chunk.X.names, missing=True)

    def _texts(self, chunk: Chunk, j: int) -> Values:
        """The values of a column as text, None where one is missing."""
        values, labels = chunk.X.column(j), self.columns[j].categories
        if labels is None:
            return values
        gone = np.isnan(values)
        if not len(labels):
            return np.repeat(NO_VALUE, len(values))
        names = np.array([str(label) for label in labels.tolist()], dtype=object)
        found: Values = names[np.where(gone, 0, values).astype(np.int64)]
        found[gone] = None
        return found


def is_of_values(column: Column) -> bool:
    """Whether the values of a column are counted as text: categories, and text."""
    return column.kind == "text" or column.categories is not None


def _distribution(chunk: Chunk, weight: Array | None) -> Distribution:
    """Distribution of the columns of rows that count by these weights; None: by their own."""
    if weight is not None:
        kept = np.flatnonzero(weight > 0)
        chunk = chunk.rows(kept)._replace(weight=weight[kept], uniform=False)
    return DistributionByColumn().summarize(chunk)
