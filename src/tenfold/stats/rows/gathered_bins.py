"""Rows in one place, as bins: the summary of a tree learner whose rows are few enough. Merging is writing in order."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tenfold.core import Array, Chunk, Codes, Mergeable, Schema
from tenfold.core.field_values import ANYTHING, COUNTS, Index, OneOf
from tenfold.stats.rows.draws import Holdout
from tenfold.stats.trees.tree_bins import Bins, OfBins, RowsInBins, Target

Bytes = NDArray[np.uint8]


class GatheredBins(Mergeable):
    """The rows of some chunks."""

    bytes: Annotated[Bytes, "column", "byte"]
    """bins of each column: one or two bytes a row"""
    label: Annotated[Codes, "labelled", Index("class")]
    number: Annotated[Array, "numbered"]
    weight: Annotated[Codes, "weighted", COUNTS]
    order: Annotated[Codes, "ordered", ANYTHING]
    """places of the rows, by which they are drawn, or none"""
    size: Annotated[int, OneOf(1, 2)]
    """bytes of a bin"""

    @classmethod
    def of(cls, seen: RowsInBins) -> GatheredBins:
        """The rows of one chunk."""
        classes = seen.target.dtype.kind in "iu"
        return cls(
            np.ascontiguousarray(seen.bins).view(np.uint8),
            seen.target.astype(np.int64) if classes else np.zeros(0, np.int64),
            np.zeros(0) if classes else seen.target.astype(np.float64, copy=False),
            seen.weight,
            seen.places,
            seen.bins.itemsize,
        )

    def __add__(self, other: GatheredBins) -> GatheredBins:
        return GatheredBins(
            np.concatenate([self.bytes, other.bytes], axis=1),
            np.concatenate([self.label, other.label]),
            np.concatenate([self.number, other.number]),
            np.concatenate([self.weight, other.weight]),
            np.concatenate([self.order, other.order]),
            self.size,
        )

    def is_valid(self, schema: Schema) -> bool:
        """Whether every row has a target of the schema's kind, and optional fields exist for all rows or none."""
        n = self.rows
        labels, numbers = (n, 0) if schema.target == "class" else (0, n)
        fits = self.bytes.shape[1] == n * self.size and len(self.label) == labels and len(self.number) == numbers
        return fits and len(self.weight) in (0, n) and len(self.order) in (0, n)

    @property
    def bins(self) -> Bins:
        """Return the bins, columns x rows."""
        return self.bytes if self.size == 1 else np.ascontiguousarray(self.bytes).view(np.uint16)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.bytes.shape[1]) // self.size

    @property
    def target(self) -> Target:
        """Return the target: classes or numbers."""
        return self.number if len(self.number) else self.label


class BinnedRows(OfBins[GatheredBins]):
    """Statistic of all training rows as bins, for trees that are grown in one process."""

    whole = True
    places: bool = False
    """whether trees draw rows by their places"""
    holdout: Holdout = Holdout()
    rows: int = 0
    """how many there are, as counted before, for an estimate of memory; not compared"""
    identity = ("lens", "weights", "places", "holdout")

    @property
    def summary_bytes(self) -> int:
        # Bins, a target, and perhaps a weight and a place.
        return self.rows * (len(self.lens.cut.levels) + 8 * (1 + self.places + (not self.weights.even)))

    def summarize(self, chunk: Chunk) -> GatheredBins:
        seen, _ = self.weighted_rows(chunk, self.places or self.holdout.by_place)
        if self.holdout.by_place:
            seen = seen.rows(self.holdout.learns(seen.places, len(seen.places)))
        return GatheredBins.of(seen if self.places else seen._replace(places=seen.places[:0]))
