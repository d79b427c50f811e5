"""The least and the greatest value of each column: they merge without rounding."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np

from tenfold.compiled.rows.extremes import widen
from tenfold.core import Array, Chunk, Codes, Mergeable
from tenfold.core.field_values import NOT_NAN
from tenfold.core.statistic import Grouped, Stacked


class Extremes(Mergeable):
    """The least and the greatest value of each column, missing values left out; +inf and -inf of none."""

    exact: ClassVar[bool] = True
    low: Annotated[Array, "column", NOT_NAN]
    high: Annotated[Array, "column", NOT_NAN]
    by_weight = ()

    def __add__(self, other: Extremes) -> Extremes:
        return Extremes(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


class ExtremesByColumn(Grouped[Extremes], Stacked[Extremes]):
    """The least and the greatest value of each column, missing values left out."""

    def summarize(self, chunk: Chunk) -> Extremes:
        low, high = np.full(chunk.X.shape[1], np.inf), np.full(chunk.X.shape[1], -np.inf)
        for _, block in chunk.X.blocks():
            widen(block, low, high)
        return Extremes(low + 0.0, high + 0.0)  # no -0: it equals 0, but has other bits

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> Extremes:
        if not chunk.X.shape[1]:
            return super().summarize_cells(chunk, starts)
        chunk.X.check()
        rows = chunk.X.unchecked()
        low, high = np.fmin.reduceat(rows, starts, axis=0), np.fmax.reduceat(rows, starts, axis=0)
        return Extremes(np.where(np.isnan(low), np.inf, low) + 0.0, np.where(np.isnan(high), -np.inf, high) + 0.0)
