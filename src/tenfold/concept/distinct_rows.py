"""The distinct rows, and the weight of each class among those that are alike: all that hypotheses of any kind need."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tenfold.concept.hypotheses import moved, places
from tenfold.core import Array, Chunk, Mergeable, Schema
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.statistic import Grouped


class SeenRows(Mergeable):
    """The distinct rows, and the weight of each class among those that are alike."""

    rows: Annotated[Array, "row", "column"]
    weight: Annotated[Array, "row", "class", NOT_NEGATIVE]

    def __add__(self, other: SeenRows) -> SeenRows:
        return _alike(np.concatenate([self.rows, other.rows]), np.concatenate([self.weight, other.weight]))

    def recode(self, old: Schema, new: Schema) -> SeenRows:
        """Recode to a schema with more categories and classes."""
        at = old.places("class", new)
        weight = self.weight
        if at is not None:
            weight = np.zeros((len(self.rows), len(new.classes)))
            weight[:, at] = self.weight
        return _alike(moved(self.rows, places(old, new)), weight)


class DistinctRows(Grouped[SeenRows]):
    """The distinct rows, and the weight of each class among those that are alike."""

    classes: int

    def summarize(self, chunk: Chunk) -> SeenRows:
        out = SeenRows(np.empty((0, chunk.X.shape[1])), np.empty((0, self.classes)))
        for rows, block in chunk.X.blocks():
            weight = np.zeros((len(block), self.classes))
            weight[np.arange(len(block)), chunk.y[rows]] = chunk.weight[rows]
            out = out + _alike(np.array(block, dtype=np.float64), weight)
        return out


def _alike(rows: Array, weight: Array) -> SeenRows:
    """Bring together rows that are alike."""
    found, which = np.unique(rows, axis=0, return_inverse=True)
    total = np.zeros((len(found), weight.shape[1]))
    np.add.at(total, which.ravel(), weight)
    return SeenRows(np.ascontiguousarray(found), total)
