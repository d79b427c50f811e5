"""Trees that add up, and the loss that they leave."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tenfold.compiled.tree.gradients import add_trees
from tenfold.core import Array, Codes, Columns, Flags, Mergeable, Schema
from tenfold.core.field_values import ANYTHING, CLASS_COUNT, COUNTS, EDGES, RISING, Index
from tenfold.tree.growing import levelwise as lw
from tenfold.tree.records import Histograms, Ranges, rows_of_fits
from tenfold.tree.tree import Tree, joined

Short = NDArray[np.int32]


class BoostedModel(NamedTuple):
    """Trees whose values add up to a margin, and the loss after each round."""

    roots: Annotated[Codes, "tree", RISING, Index("trees.node")]
    """first: margins of more trees are computed from these alone"""
    trees: Tree
    """one after the other"""
    value: Annotated[Array, "trees.node"]
    """what a row that ends in a node adds to its margin"""
    cover: Annotated[Codes, "trees.node", COUNTS]
    """how many rows came by each node as its tree grew"""
    base: Annotated[Array, "output"]
    """the margin to start from"""
    train_score: Annotated[Array, "round"]
    validation_score: Annotated[Array, "round", ANYTHING]
    n_classes: Annotated[int, CLASS_COUNT]
    """0: it predicts numbers"""
    ranges: Ranges
    """of the rows of the last fit; of targets, of those of all fits"""
    edges: Annotated[Array, "column", "edge", EDGES]
    """where columns are cut into bins, for fits that continue; without any while trees grow"""
    placed: bool
    """whether thresholds lie between the values of a node's own rows, not at edges"""
    fit_began: Annotated[Codes, "fit", COUNTS]
    """after how many rounds each fit began: one, and those that continued"""
    fit_rows: Annotated[Codes, "fit", COUNTS]
    """how many rows each of them was to"""
    compared: int
    """round from which losses are those of the rows of the last fit"""

    @property
    def outputs(self) -> int:
        """How many trees a round has: one, or one for each class of many."""
        return len(self.base)

    @property
    def rounds(self) -> int:
        """Number of complete boosting rounds."""
        return len(self.roots) // self.outputs

    @property
    def earlier(self) -> int:
        """Number of rounds of the fits before the last one."""
        return int(self.fit_began[-1])

    @property
    def validated(self) -> bool:
        """Whether the last fit looked at validation rows."""
        return len(self.validation_score) > 0 and not np.isnan(self.validation_score[-1])

    def begins_round(self, frontier: lw.Frontier) -> bool:
        """Whether the tree that grows is the first of a round, and is about to begin."""
        return len(frontier.node) == 1 and len(self.roots) % self.outputs == 0

    def plus(self, tree: Tree, value: Array, cover: Codes) -> BoostedModel:
        """Return these trees with one more at the end."""
        return self._replace(
            trees=joined([self.trees, tree]),
            roots=np.append(self.roots, self.trees.node_count),
            value=np.append(self.value, value),
            cover=np.append(self.cover, cover),
        )

    @property
    def walk(self) -> DescentNodes:
        """The trees, ready to be gone down."""
        t, roots = self.trees, self.roots
        leaf = t.feature < 0
        return DescentNodes(
            np.where(leaf, 0, t.feature).astype(np.int32),
            np.where(leaf, np.inf, t.threshold),
            np.where(leaf, 1 << 20, t.place).astype(np.int32),
            (t.missing_left == 0) & ~leaf,
            np.where(leaf, np.arange(len(leaf)), t.first_child).astype(np.int32),
            np.maximum.reduceat(t.depth, roots) if len(roots) else roots,
        )

    @property
    def last(self) -> Tree:
        """The last tree alone, its nodes numbered from zero."""
        at = int(self.roots[-1])
        found = Tree._make(x[at:] for x in self.trees)._replace(route=self.trees.route)
        return found._replace(first_child=np.where(found.feature >= 0, found.first_child - at, 0))

    def margins(self, X: Columns, start: int = 0, stop: int | None = None) -> Array:
        """The sum of the trees, for each output; of some rounds, without the constant, if a start is given."""
        t, k, walk = self.trees, self.outputs, self.walk
        out = np.zeros((len(X), k)) if start else np.repeat(self.base[None], len(X), axis=0)
        roots = self.roots if stop is None else self.roots[: stop * k]
        for rows, block in X.blocks():
            add_trees(
                block, walk.column, walk.threshold, walk.strays, walk.first, t.route_at, t.route_width, t.route,
                walk.deep, self.value, roots, start * k, k, out[rows],
            )  # fmt: skip
        return out

    def is_valid(self, schema: Schema) -> bool:
        """Whether every tree begins at its root, and classes have margins: one if they are two, else one each."""
        k = self.n_classes
        fits = len(self.fit_began) > 0 and bool((np.diff(self.fit_began, append=self.rounds) >= 0).all())
        fits &= len(self.edges) == len(schema.columns) and self.compared < max(len(self.validation_score), 1)
        return fits and self.trees.rooted(self.roots) and self.outputs == (k if k > 2 else 1)

    def rows_of_rounds(self) -> str:
        """How many rows the rounds of each fit learned from, in words."""
        return rows_of_fits("round", self.fit_began, self.fit_rows, self.rounds)


class DescentNodes(NamedTuple):
    """Nodes of trees, as those need them who go down: a leaf splits the first column and leads to itself."""

    column: Short
    threshold: Array
    place: Short
    strays: Flags
    """whether missing values go to the second child"""
    first: Short
    deep: Codes
    """steps in each tree"""


class Level(Mergeable):
    """Histograms of the nodes that want one, and the loss at the margins so far."""

    histograms: Histograms
    loss: RoundLoss


class RoundLoss(Mergeable):
    """Loss of the training rows and of validation rows, in whole units, and their weights."""

    sums: Annotated[Codes, "side", ANYTHING]
    weight: Annotated[Array, "side"]
