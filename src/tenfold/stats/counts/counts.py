"""Weighted counts of classes and of the values within them: they simply add."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np

from tenfold.compiled.rows.counting import add_counts
from tenfold.core import Array, Chunk, Codes, Mergeable
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.statistic import Grouped, Stacked, cell_of_rows


class ClassCounts(Mergeable):
    """Weight of each class, and of each category of each column within it."""

    exact: ClassVar[bool] = True
    weight: Annotated[Array, "class", NOT_NEGATIVE]
    count: Annotated[Array, "class", "value", NOT_NEGATIVE]
    by_weight = ("weight", "count")

    @classmethod
    def of(cls, chunk: Chunk, classes: int, first: Codes) -> ClassCounts:
        """Summarize a chunk of codes; `first[j]` is where column j begins on the axis `value`."""
        weight, count = np.zeros(classes), np.zeros((classes, int(first[-1])))
        for rows, block in chunk.X.blocks():
            add_counts(block, first, chunk.y[rows], chunk.weight[rows], weight, count)
        return cls(weight, count)

    @classmethod
    def by_group(cls, chunk: Chunk, codes: Codes, groups: int, classes: int, first: Codes) -> list[ClassCounts]:
        """Summarize the rows of each group: a class of a group is a group too. Rows of group -1 are left out."""
        weight = np.where(codes >= 0, chunk.weight, 0.0)
        both = chunk._replace(y=np.maximum(codes, 0) * classes + chunk.y, weight=weight)
        found = cls.of(both, groups * classes, first)
        cuts = [slice(g * classes, (g + 1) * classes) for g in range(groups)]
        return [cls(found.weight[cut], found.count[cut]) for cut in cuts]


class CountsByClass(Grouped[ClassCounts], Stacked[ClassCounts]):
    """Weight of each class, and of each category of each column within it."""

    classes: int
    first: Codes
    """where each column begins on the axis of values, and where the last one ends"""

    def summarize(self, chunk: Chunk) -> ClassCounts:
        return ClassCounts.of(chunk, self.classes, self.first)

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> list[ClassCounts]:
        return ClassCounts.by_group(chunk, codes, groups, self.classes, self.first)

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> ClassCounts:
        both = chunk._replace(y=cell_of_rows(starts, chunk.n) * self.classes + chunk.y)
        found = ClassCounts.of(both, len(starts) * self.classes, self.first)
        shape = len(starts), self.classes
        return ClassCounts(found.weight.reshape(shape), found.count.reshape(*shape, int(self.first[-1])))


def smoothed(count: Array, alpha: float) -> Array:
    """Return probabilities by Laplace's estimate: counts plus alpha, over their sums along the last axis.

    Where counts and alpha are all zero, the values are equally probable.
    """
    more = count + alpha
    total = more.sum(axis=-1, keepdims=True)
    even = 1.0 / max(count.shape[-1], 1)
    return np.where(total > 0, more / np.where(total > 0, total, 1.0), even)
