"""Thresholds halfway between the values of a node's own rows, as an exact tree has them.

Bins decide which rows of a node go left, but not how far the two sides are apart: a node with few rows has gaps that
are many bins wide. One more pass over the rows finds the greatest value that goes left and the least that goes right
at each split. Both merge over any parts, and training rows reach the nodes that they reached in growing.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tenfold.compiled.tree.tree_applying import sides_of
from tenfold.core import Array, Chunk, Codes, Flags, Mergeable
from tenfold.core.field_values import NOT_NAN
from tenfold.core.statistic import Statistic
from tenfold.stats.rows.draws import Holdout
from tenfold.tree.tree import Tree


class Sides(Mergeable):
    """The values of the rows on either side of each split that are next to it."""

    left: Annotated[Array, "node", NOT_NAN]
    """the greatest value that goes to the first child; -inf, if there is none"""
    right: Annotated[Array, "node", NOT_NAN]
    """the least value that goes to the second child; inf, if there is none"""

    def __add__(self, other: Sides) -> Sides:
        return Sides(np.maximum(self.left, other.left), np.minimum(self.right, other.right))

    def placed(self, trees: Tree) -> Tree:
        """The trees with thresholds halfway between the two values; where one side has no number, as they were."""
        found = np.isfinite(self.left) & np.isfinite(self.right)
        low, high = np.where(found, self.left, 0.0), np.where(found, self.right, 1.0)
        with np.errstate(over="ignore"):
            middle = low + 0.5 * (high - low)
        middle = np.where((low < middle) & (middle < high), middle, low)
        return trees._replace(threshold=np.where(found, middle, trees.threshold))


class SplitSides(Statistic[Sides]):
    """The values next to the thresholds of trees, of the rows that each tree grew from."""

    trees: Tree
    roots: Codes

    def in_training_sample(self, places: Codes, tree: int) -> Flags:
        """Whether the tree of this number was grown from the rows with these ids."""
        raise NotImplementedError

    def summarize(self, chunk: Chunk) -> Sides:
        t, nodes = self.trees, self.trees.node_count
        left, right = np.full(nodes, -np.inf), np.full(nodes, np.inf)
        places, weighs = chunk.places(), chunk.weight > 0
        for rows, block in chunk.X.blocks():
            for tree, root in enumerate(self.roots.tolist()):
                taken = weighs[rows] & self.in_training_sample(places[rows], tree)
                sides_of(
                    block, t.feature, t.threshold, t.missing_left, t.first_child, t.route_at, t.route_width, t.route,
                    root, taken, left, right,
                )  # fmt: skip
        return Sides(left + 0.0, right + 0.0)


class TreeSides(SplitSides):
    """Statistic of the values beside the thresholds of one tree, which may be grown without validation rows."""

    holdout: Holdout = Holdout()

    def in_training_sample(self, places: Codes, tree: int) -> Flags:
        return self.holdout.learns(places, len(places))
