"""Scores of rows with and without permuted columns: a statistic, and the statistic that samples donors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tenfold.core import Array, Chunk, Codes, Mergeable
from tenfold.core.statistic import Statistic
from tenfold.core.value import ByIdentity
from tenfold.inspection.importance.column_swap import Swap
from tenfold.inspection.importance.donors import MAX_UNITS, Donors, DonorSampling, bits, units_for, units_of
from tenfold.metrics.unit_scores import unit_scores
from tenfold.model_selection.frame_columns import Where
from tenfold.stats.predictor_scores import Metric, Predictor

MAX_DONOR_ROWS = 65536
"""rows whose values are lent, at most"""
BYTES_PER_BLOCK = 1 << 25
"""of those values, at most, unless rows are very wide"""


class Drops(Mergeable):
    """Scores of rows, unchanged and with permuted columns."""

    rows: int
    base: Any = None
    units: dict[int, Any] = field(default_factory=dict)
    """scores of the unchanged rows of each unit"""
    repeats: tuple[tuple[Any, ...], ...] = ()
    """with each column swapped, for each repeat"""
    swapped: tuple[dict[int, Any], ...] = ()
    """with each column swapped, for each unit: all repeats together"""
    inverse: float = 0.0
    """sum over rows of two over the number of donors that each could meet"""

    @property
    def share(self) -> float:
        """Mean of the inverse number of donors over rows."""
        return self.inverse / self.rows

    def __add__(self, other: Drops) -> Drops:
        if not (self.rows and other.rows):
            return self if self.rows else other
        return Drops(
            self.rows + other.rows,
            self.base + other.base,
            _merged(self.units, other.units),
            tuple(tuple(a + b for a, b in zip(*two, strict=True)) for two in zip(self.repeats, other.repeats)),
            tuple(_merged(a, b) for a, b in zip(self.swapped, other.swapped, strict=True)),
            self.inverse + other.inverse,
        )


def lending(columns: tuple[int, ...], seed: int) -> DonorSampling:
    """The first statistic: a sample of rows, whose values in these columns are lent."""
    return DonorSampling(columns, seed, max(1024, min(MAX_DONOR_ROWS, BYTES_PER_BLOCK // (8 * len(columns)))))


class Swapped(Statistic[Drops]):
    """The second: scores with columns swapped."""

    predictor: Predictor
    metric: Metric
    columns: tuple[Where, ...]
    repeats: int
    lent: ByIdentity
    """the sample whose values there are; None: those of the chunk"""
    seed: int

    def summarize(self, chunk: Chunk) -> Drops:
        # Of the rows as they are, and with values of others; a row that is alone has nobody to borrow from.
        if not chunk.n or (chunk.n == 1 and self.lent.it is None):
            return Drops(0)
        place, at = chunk.places(), sorted({j for _, some in self.columns for j in some})
        if self.lent.it is None:
            units = units_for(chunk.n)
            unit = units_of(place, self.seed, units)
            if units < MAX_UNITS:  # small chunks fill other units each
                unit = (unit + int(bits(place[:1], self.seed)[0] % np.uint64(MAX_UNITS))) % MAX_UNITS
            donors = Donors(place, unit, self.seed)
            value: Sequence[Array] = [chunk.X.column(j) for j in at]
        else:
            unit = units_of(place, self.seed, units_for(self.lent.it.rows))
            donors, value = self._donors
        whose = [donors.draw(place, unit, turn + 1) for turn in range(self.repeats)]
        swap = Swap(chunk.X)

        def predicted(j: int, r: int) -> Array:
            columns = self.columns[j][1]
            values = np.column_stack([value[at.index(c)][whose[r]] for c in columns])
            return self._outputs(chunk._replace(X=swap(columns, values)))

        weight = None if chunk.uniform else chunk.weight
        return replace(self.drops(chunk.y, weight, unit, self._outputs(chunk), predicted), inverse=donors.inverse(unit))

    @cached_property
    def _donors(self) -> tuple[Donors, Sequence[Array]]:
        """Donors of all chunks, and their values: columns x donors."""
        lent = self.lent.it
        order = np.argsort(lent.place)
        place = lent.place[order]
        donors = Donors(place, units_of(place, self.seed, units_for(lent.rows)), self.seed)
        return donors, list(np.ascontiguousarray(lent.value[order].T))

    def _outputs(self, chunk: Chunk) -> Array:
        predicted: Array = self.predictor.outputs(chunk, (self.metric.needs,))[self.metric.needs]
        return predicted

    def drops(
        self,
        truth: Array | Codes,
        weight: Array | None,
        unit: Codes,
        plain: Array,
        predicted: Callable[[int, int], Array],
    ) -> Drops:
        """Summaries of a chunk; `predicted(j, r)` returns the predictions with column j permuted, repeat r."""
        summarize, k = self.metric.summarize.it, self.predictor.n_classes
        scores = unit_scores(summarize, truth, weight, unit, k)
        each = [scores([predicted(j, r) for r in range(self.repeats)]) for j in range(len(self.columns))]
        repeats, swapped = zip(*each, strict=True)
        (base,), units = scores([plain])  # summed as the others, so that a column without effect has importance 0
        return Drops(len(truth), base, units, repeats, swapped)


def _merged(a: dict[int, Any], b: dict[int, Any]) -> dict[int, Any]:
    out = dict(a)
    for u, one in b.items():
        out[u] = out[u] + one if u in out else one
    return out
