"""How often the values of any two columns meet: one table of all pairs, which adds up."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np

from tenfold.core import Array, Chunk, Codes, Columns, Design, Mergeable
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.statistic import Grouped, Stacked
from tenfold.stats.trees.tree_bins import Cut


class PairCounts(Mergeable):
    """Weight of the rows that have two values, of one column and another; on the diagonal, that of each value."""

    count: Annotated[Array, "bin", "bin", NOT_NEGATIVE]


class PairsOfValues(Grouped[PairCounts]):
    """How often the values of any two columns meet: categories, and bins of numbers. Missing values are left out."""

    edges: Array
    """of the bins of each numeric column"""
    levels: Codes
    """categories of each column, 0 of numbers"""

    @property
    def sizes(self) -> Codes:
        """How many values each column has."""
        return Cut(self.edges, self.levels).gap

    def summarize(self, chunk: Chunk) -> PairCounts:
        cut = Cut(self.edges.copy(), self.levels)  # kernels are compiled for arrays that may be written to
        bins = cut.bins(chunk)
        codes = tuple(np.where(b == gap, -1.0, b) for b, gap in zip(bins, cut.gap, strict=True))
        return PairCounts(Design(Columns(codes), cut.gap).pairs(np.ascontiguousarray(chunk.weight)))


class CategoryPairs(Mergeable):
    """Weight of the rows that have two categories, of one column and another; on the diagonal, that of each."""

    exact: ClassVar[bool] = True
    count: Annotated[Array, "value", "value", NOT_NEGATIVE]
    by_weight = ("count",)


class PairsOfCategories(Grouped[CategoryPairs], Stacked[CategoryPairs]):
    """How often the categories of any two columns meet. Missing values are left out."""

    levels: Codes
    """number of categories of each column"""

    def summarize(self, chunk: Chunk) -> CategoryPairs:
        return CategoryPairs(_pairs(chunk.X, self.levels, chunk.weight))


class CategoryPairsByClass(Mergeable):
    """Weight of each class, and of the rows of it that have two categories, of one column and another."""

    exact: ClassVar[bool] = True
    weight: Annotated[Array, "class", NOT_NEGATIVE]
    count: Annotated[Array, "class", "value", "value", NOT_NEGATIVE]
    by_weight = ("weight", "count")


class PairsByClass(Grouped[CategoryPairsByClass], Stacked[CategoryPairsByClass]):
    """How often the categories of any two columns meet in the rows of each class. Missing values are left out."""

    classes: int
    levels: Codes
    """number of categories of each column"""

    def summarize(self, chunk: Chunk) -> CategoryPairsByClass:
        weight: Array = np.bincount(chunk.y, chunk.weight, minlength=self.classes).astype(np.float64)
        of_class = [np.flatnonzero(chunk.y == c) for c in range(self.classes)]
        count = [_pairs(chunk.X.rows(some), self.levels, chunk.weight[some]) for some in of_class]
        return CategoryPairsByClass(weight, np.stack(count))


def _pairs(X: Columns, levels: Codes, weight: Array) -> Array:
    """Weight of the rows that have two categories."""
    if not levels.any():
        return np.zeros((0, 0))
    return Design(X, levels).pairs(np.ascontiguousarray(weight))
