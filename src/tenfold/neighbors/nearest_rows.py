"""The nearest rows of some queries as a summary: top-k merges, so training rows may stay where they are.

Of two parts, the k nearest rows of all are among the k nearest of each. Rows that are as far as the last one and were
left out are summed up, so that the answer does not depend on which of them came first.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tenfold.compiled.neighbors.neighbors import merge_nearest
from tenfold.core import Array, Chunk, Codes, Mergeable
from tenfold.core.field_values import ANYTHING, NOT_NAN
from tenfold.core.statistic import Statistic
from tenfold.neighbors.distance import Distance
from tenfold.stats.rows.training_rows import TrainingRows, matrix

NUMERIC_TARGET = 0
"""of classes, if the target is a number"""


class Nearest(Mergeable):
    """The nearest rows of each query, the nearest first; of equally far ones the first in the source."""

    entries: Annotated[Array, "query", "place", "part", NOT_NAN]
    """distance (in comparable units), weight and target of each; infinity, 0 and 0 as padding"""
    number: Annotated[Codes, "query", "place", ANYTHING]
    """of the row in the source; -1 where there are no more"""
    tied: Annotated[Array, "query", "label"]
    """weight, by class, of the rows that are as far as the last and not in the list; then their weight x target"""
    wanted: float
    """weight of the rows that make up a list"""
    classes: int

    def __add__(self, other: Nearest) -> Nearest:
        (m, a), b = self.number.shape, other.number.shape[1]
        entries, number, tied = np.empty((m, a + b, 3)), np.empty((m, a + b), np.int64), np.empty_like(self.tied)
        longest = merge_nearest(
            self.wanted, self.classes,
            self.entries, self.number, self.tied, other.entries, other.number, other.tied,
            entries, number, tied,
        )  # fmt: skip
        entries, number = np.ascontiguousarray(entries[:, :longest]), np.ascontiguousarray(number[:, :longest])
        return Nearest(entries, number, tied, self.wanted, self.classes)

    @property
    def distance(self) -> Array:
        """How far each neighbour is, as distances are compared (squared, if Euclidean)."""
        return self.entries[:, :, 0]

    @property
    def weight(self) -> Array:
        """The sample weight of each neighbour."""
        return self.entries[:, :, 1]

    @property
    def target(self) -> Array:
        """A number, or the code of a class, of each row."""
        return self.entries[:, :, 2]

    def cut(self, wanted: float) -> Nearest:
        """The lists for a smaller total weight."""
        m, wanted = len(self.number), float(wanted)
        nobody = Nearest(
            np.empty((m, 0, 3)), np.empty((m, 0), np.int64), np.zeros_like(self.tied), wanted, self.classes
        )
        return Nearest(self.entries, self.number, self.tied, wanted, self.classes) + nobody

    def shares(self) -> tuple[Array, Array]:
        """How much each row of the lists counts, and each class (and sum) of those tied with the last.

        Rows nearer than the last count by their weight; rows tied with the last share the rest of `wanted`.
        """
        rows, last = np.arange(len(self.number)), (self.number >= 0).sum(axis=1) - 1
        edge = self.distance[rows, last][:, None]
        at_edge = (self.distance == edge) & (self.number >= 0)
        before = np.where(at_edge, 0.0, self.weight).sum(axis=1)
        there = np.where(at_edge, self.weight, 0.0).sum(axis=1) + self.tied[:, :-1].sum(axis=1)
        share = np.minimum((self.wanted - before) / there, 1.0)[:, None]
        return np.where(at_edge, self.weight * share, self.weight), self.tied * share


def nearest(distance: Distance, query: Array, rows: TrainingRows, wanted: float, classes: int) -> Nearest:
    """The nearest rows of queries, as many as weigh so much."""
    label = rows.y.astype(np.int64) if classes else np.zeros(len(rows), np.int64)
    compared, index, tied = distance.nearest(query, rows, label, max(classes, 1), count(rows.weight, wanted))
    entries = np.zeros((*index.shape, 3))
    if len(rows):
        entries[:, :, 0], entries[:, :, 1], entries[:, :, 2] = compared, rows.weight[index], rows.y[index]
    found = Nearest(entries, index, tied, float(wanted), classes)
    return found if (entries[:, :, 1] == 1).all() and wanted >= index.shape[1] else found.cut(wanted)


def count(weight: Array, wanted: float) -> int:
    """How many rows weigh so much together, whichever they are."""
    if len(weight) and weight.min() >= 1:
        return int(np.ceil(wanted))
    reached = np.cumsum(np.sort(weight))
    return int(np.searchsorted(reached, wanted)) + 1


class NearestRows(Statistic[Nearest]):
    """The rows nearest to some queries, with target and weight."""

    query: Array
    distance: Distance
    wanted: float
    classes: int

    def summarize(self, chunk: Chunk) -> Nearest:
        # Of one chunk; rows by their numbers in the source.
        X, y = matrix(chunk.X, self.distance.largest), chunk.y.astype(np.float64)
        rows = TrainingRows(X, y, chunk.weight, chunk.X.numbers())
        found = nearest(self.distance, self.query, rows, self.wanted, self.classes)
        number = np.where(found.number >= 0, chunk.X.numbers()[found.number], -1) if chunk.n else found.number
        return Nearest(found.entries, number, found.tied, self.wanted, self.classes)
