"""Numbers that a step makes and the learner after it lists as categories: the values that each fold's rows have.

A fit to a source finds them in a scan of its own; in folds a step that learns them stands before the learner.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Claim, Codes, Column, Columns, DataError, Need, Schema
from tenfold.core.statistic import Grouped
from tenfold.estimator import OnePass, Transformer
from tenfold.estimator.shell.constraints import anything
from tenfold.sources.label_codes import code
from tenfold.stats.counts.distribution import KEY_BITS, Distribution, DistributionByColumn


class ListedValues(NamedTuple):
    """The columns that are listed, by number, and the values of each."""

    columns: Annotated[Codes, "listed"]
    values: Annotated[Array, "entry"]
    ends: Annotated[Codes, "listed"]
    """where the values of each column end"""

    @property
    def each(self) -> list[tuple[int, Array]]:
        """The number of each column, with its values."""
        return list(zip(self.columns.tolist(), np.split(self.values, self.ends[:-1]), strict=True))


class DistributionOfSome(Grouped[Distribution]):
    """The values of some columns, and their weights."""

    columns: tuple[int, ...]

    def summarize(self, chunk: Chunk) -> Distribution:
        some = chunk.X.select(np.array(self.columns, dtype=np.int64))
        return DistributionByColumn().summarize(chunk._replace(X=some))


class ListedNumbers(OnePass, Transformer):
    """Transformer that makes codes of categories of the numbers in some columns, and leaves the others unchanged.

    Parameters
    ----------
    names : tuple of str
        Of the columns; of those that are not there, none is made.
    """

    need = Need("mixed", missing=True)

    names: Annotated[tuple[str, ...], anything]

    def _columns(self, schema: Schema) -> tuple[int, ...]:
        return tuple(j for j, name in enumerate(schema.names) if name in self.names)

    def statistic(self, schema: Schema) -> DistributionOfSome:
        return DistributionOfSome(self._columns(schema))

    def solve(self, schema: Schema, s: Distribution) -> ListedValues:
        columns = self._columns(schema)
        for j, groups in zip(columns, s.columns, strict=True):
            if groups.bits < KEY_BITS:
                raise DataError(
                    f"column {schema.names[j]!r} has more than {len(groups.low):,} values, too many for categories. "
                    "Remedy: leave it out of categorical_features"
                )
        ends = np.cumsum([len(groups.low) for groups in s.columns], dtype=np.int64)
        return ListedValues(np.array(columns, dtype=np.int64), s.low, ends)

    def certify(self, model: ListedValues, s: Distribution) -> tuple[Claim, ...]:
        """Return no claims."""
        return ()

    def transform_from(self, model: ListedValues, X: Columns) -> Array:
        """The columns, with codes of the values in those that are listed."""
        out = np.empty(X.shape)
        for rows, block in X.blocks():
            out[rows] = block
        for j, values in model.each:
            out[:, j] = code(out[:, j], values, f"column number {j}")
        return out

    def passes_categories(self, schema: Schema) -> bool:
        return True

    def columns_out(self, schema: Schema, model: ListedValues) -> tuple[Column, ...]:
        # The listed columns as categories, the others as they are.
        found = list(schema.columns)
        for j, values in model.each:
            found[j] = Column(found[j].name, "categorical", values)
        return tuple(found)
