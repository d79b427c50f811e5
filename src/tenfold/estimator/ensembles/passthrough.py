"""Passthrough: columns unchanged, in place of a transformer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Claim, Column, Columns, Mergeable, Need, Schema, Values
from tenfold.core.statistic import Grouped, Stacked
from tenfold.estimator.shell.kinds import Transformer
from tenfold.estimator.shell.one_pass import OnePass


class PassedRows(NamedTuple):
    """The model: how many columns pass."""

    width: int


class PassedWeight(Mergeable):
    """The weight of the rows that passed."""

    weight: float
    by_weight = ("weight",)


class WeightOfRows(Grouped[PassedWeight], Stacked[PassedWeight]):
    """How much weight the rows have."""

    def summarize(self, chunk: Chunk) -> PassedWeight:
        return PassedWeight(chunk.total)


class Passthrough(OnePass, Transformer):
    """Transformer that returns columns unchanged, numbers and categories: the meaning of "passthrough"."""

    need = Need("mixed", missing=True)

    def statistic(self, schema: Schema) -> WeightOfRows:
        # Nothing but the weight of the rows.
        return WeightOfRows()

    def solve(self, schema: Schema, summary: PassedWeight) -> PassedRows:
        return PassedRows(len(schema.columns))

    def certify(self, model: PassedRows, summary: PassedWeight) -> tuple[Claim, ...]:
        """Return no claims."""
        return ()

    def is_valid(self, model: PassedRows, summary: PassedWeight | None, schema: Schema) -> bool:
        return model.width == len(schema.columns)

    def transform_from(self, model: PassedRows, X: Columns) -> Array:
        """The columns side by side."""
        out = np.empty(X.shape)
        for rows, block in X.blocks():
            out[rows] = block
        return out

    def passes_categories(self, schema: Schema) -> bool:
        return not schema.plain

    def columns_out(self, schema: Schema, model: PassedRows) -> tuple[Column, ...] | None:
        # The columns, unless all are numbers.
        return None if schema.plain else schema.columns

    def output_from(self, model: PassedRows, X: Columns) -> Values:
        # The columns; an array of objects if there are categories.
        if self.schema_.plain:
            return self.transform_from(model, X)
        out = np.empty(X.shape, dtype=object)
        for j, column in enumerate(self.schema_.columns):
            values = X.column(j)
            if column.categories is not None and not values.dtype.hasobject:
                known = values >= 0  # neither missing nor unseen
                out[known, j] = column.categories[values[known].astype(np.int64)]
            else:
                out[:, j] = values
        return out
