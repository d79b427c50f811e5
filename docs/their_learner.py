"""Shifting by the smallest value: z = x - min x, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

import tenfold as tn
from tenfold.core import Array, Chunk, Claim, Columns, Need, Schema
from tenfold.core.allowed import NOT_NAN
from tenfold.estimator import Transformer


@dataclass(frozen=True, eq=False)
class Smallest:
    """The smallest value of each column."""

    exact: ClassVar[bool] = True
    value: Annotated[Array, "column", NOT_NAN]
    """infinity if there are no rows; a field that says nothing has finite numbers"""

    def __add__(self, other: Smallest) -> Smallest:
        return Smallest(np.minimum(self.value, other.value))


class MinState(NamedTuple):
    """The smallest value of each column."""

    step: int
    min: Annotated[Array, "column"]


@tn.register
class MinScaler(Transformer):
    """Subtract the smallest value of each column."""

    need = Need("numeric")
    state_type = MinState
    summary_types = (Smallest,)

    def start(self, schema: Schema) -> MinState:
        """Nothing known."""
        return MinState(0, np.zeros(len(schema.columns)))

    def summarize(self, state: MinState, chunk: Chunk) -> Smallest:
        """The smallest value of each column; infinity if there are no rows."""
        value = np.full(chunk.X.shape[1], np.inf)
        for _, block in chunk.X.blocks():
            np.minimum(value, block.min(axis=0), out=value)
        return Smallest(value)

    def update(self, state: MinState, s: Smallest) -> MinState:
        """The summary is the model."""
        return MinState(1, s.value)

    def certify(self, state: MinState, s: Smallest) -> tuple[Claim, ...] | None:
        """A minimum has no rounding."""
        claim = Claim("gap", 0.0, "proved", "minima are exact", "objective")
        return (claim,) if state.step else None

    def transform_from(self, state: MinState, X: Columns) -> Any:
        """x - min."""
        out = np.empty(X.shape)
        for rows, block in X.blocks(shift=state.min):
            out[rows] = block
        return out
