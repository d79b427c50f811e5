"""Passthrough: numeric columns unchanged, in place of a transformer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Claim, Columns, Mergeable, Need, Schema
from tenfold.core.statistic import Grouped, Stacked
from tenfold.estimator.shell.kinds import Transformer
from tenfold.estimator.shell.one_pass import OnePass


class PassedRows(NamedTuple):
    """The model: how many columns pass."""

    width: int


class PassedWeight(Mergeable):
    """The weight of the rows that passed."""

    weight: float


class WeightOfRows(Grouped[PassedWeight], Stacked[PassedWeight]):
    """How much weight the rows have."""

    def summarize(self, chunk: Chunk) -> PassedWeight:
        return PassedWeight(chunk.total)


class Passthrough(OnePass, Transformer):
    """Transformer that returns numeric columns unchanged: the meaning of "passthrough"."""

    need = Need("numeric", missing=True)

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
