"""The trees of a forest, and their out-of-bag predictions."""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeVar

import numpy as np

from tenfold.compiled.tree.forests import add_forest, add_unseen
from tenfold.core import Array, Codes, Columns, Flags, Schema
from tenfold.core.field_values import COUNTS, RISING, Index
from tenfold.stats.rows.draws import ROW_STREAM, keys_of
from tenfold.stats.trees.tree_bins import NO_CODES, Bins, OfBins, RowsInBins
from tenfold.tree.growing.node_statistics import TreeDraws
from tenfold.tree.growing.thresholds import SplitSides
from tenfold.tree.records import Ranges, rows_of_fits
from tenfold.tree.tree import Tree

S = TypeVar("S")


class ForestModel(NamedTuple):
    """The trees of a forest, and the prediction of each node."""

    roots: Annotated[Codes, "tree", RISING, Index("trees.node")]
    """first: margins of more trees are computed from these alone"""
    trees: Tree
    """one after the other"""
    value: Annotated[Array, "trees.node", "output"]
    """shares of the classes, or the mean of the target"""
    cover: Annotated[Codes, "trees.node", COUNTS]
    """weight of the rows that came by each node as its tree grew, in whole units"""
    ranges: Ranges
    """of the rows of the last fit"""
    fit_began: Annotated[Codes, "fit", COUNTS]
    """after how many trees each fit began: one, and those that continued"""
    fit_rows: Annotated[Codes, "fit", COUNTS]
    """how many rows each of them was to"""
    scored_from: int
    """the tree from which on rows are predicted out of bag: those before have learned from others than the last fit"""

    @property
    def continued(self) -> bool:
        """Whether some trees are of an earlier fit."""
        return len(self.fit_began) > 1

    @property
    def scored(self) -> Codes:
        """Which trees predict the rows out of bag."""
        voters = self.voters
        return voters[voters >= self.scored_from]

    def rows_of_trees(self) -> str:
        """How many rows the trees of each fit learned from, in words."""
        said = rows_of_fits("tree", self.fit_began, self.fit_rows, len(self.roots))
        later = f"; rows are predicted out of bag by the trees after the first {self.scored_from:,}"
        return said + (later if self.scored_from else "")

    @property
    def voters(self) -> Codes:
        """Which trees are averaged: those that have drawn rows; all, if none has."""
        drew = np.flatnonzero(self.cover[self.roots] > 0)
        return drew if len(drew) else np.arange(len(self.roots))

    def means(self, X: Columns) -> Array:
        """The mean prediction of the trees for each row; a tree that has drawn no row is left out."""
        roots = self.roots[self.voters]
        out, t = np.zeros((len(X), self.value.shape[1])), self.trees
        for rows, block in X.blocks():
            add_forest(
                block, t.feature, t.threshold, t.missing_left, t.first_child, t.route_at, t.route_width, t.route,
                roots, self.value, out[rows],
            )  # fmt: skip
        return out / len(roots)

    def is_valid(self, schema: Schema) -> bool:
        """Whether every tree begins at its root, and nodes have a number for each class, or one."""
        outputs = 1 if schema.classes is None else len(schema.classes)
        fits = len(self.fit_began) > 0 and bool((np.diff(self.fit_began, append=len(self.roots)) >= 0).all())
        return fits and self.trees.rooted(self.roots) and self.value.shape[1] == outputs


class ForestSides(SplitSides):
    """The values next to the thresholds of the trees of a forest."""

    draws: TreeDraws
    """the first of these trees is the first that draws"""

    def in_training_sample(self, places: Codes, tree: int) -> Flags:
        times = self.draws.times(places, self.draws.first + tree)
        return times > 0 if len(times) else np.ones(len(places), bool)


def unseen_values(forest: ForestModel, draws: TreeDraws, X: Columns, places: Codes) -> tuple[Array, Codes]:
    """Sums of the out-of-bag predictions of unbinned rows, and the number of trees in each sum."""
    out, trees = np.zeros((len(X), forest.value.shape[1])), np.zeros(len(X), np.int64)
    for tree in forest.scored.tolist():
        ends, times = forest.trees.apply(X, int(forest.roots[tree])), draws.times(places, tree)
        which = np.flatnonzero(times == 0) if len(times) else np.arange(len(X))
        out[which] += forest.value[ends[which]]
        trees[which] += 1
    return out, trees


class ForestOutOfBag(OfBins[S]):
    """Base of statistics of out-of-bag predictions."""

    forest: ForestModel
    draws: TreeDraws

    def unseen(self, seen: RowsInBins) -> tuple[Array, Codes]:
        """Sums of the out-of-bag predictions, and the number of trees in each sum."""
        n = seen.bins.shape[1]
        out, trees = np.zeros((n, self.forest.value.shape[1])), np.zeros(n, np.int64)
        if self.draws.share >= 1:
            self._add(seen.bins, self.forest.scored, seen.places, out, trees)
            return out, trees
        for tree in self.forest.scored.tolist():
            which = np.flatnonzero(self.draws.times(seen.places, tree) == 0)
            some, one = np.zeros((len(which), out.shape[1])), np.zeros(len(which), np.int64)
            self._add(seen.bins.take(which, axis=1), np.array([tree]), NO_CODES, some, one)
            out[which] += some
            trees[which] += one
        return out, trees

    def _add(self, bins: Bins, which: Codes, places: Codes, out: Array, trees: Codes) -> None:
        """Add the predictions of some trees for rows that they have not drawn at these row ids; for all rows, without
        ids."""
        t, value = self.forest.trees, self.forest.value
        keys = keys_of(self.draws.seed, ROW_STREAM, 0, self.draws.many)
        add_unseen(
            bins, self.lens.cut.gap, t.feature, t.place, t.missing_left, t.first_child, t.route_at, t.route,
            self.forest.roots[which], value, places, keys[which], out, trees,
        )  # fmt: skip
