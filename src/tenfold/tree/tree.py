"""A tree as a table of its nodes, from the root, level by level; the children of a node are adjacent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from tenfold.compiled.tree.tree_applying import leaves_of, leaves_of_bins
from tenfold.compiled.tree.tree_growing import ARITY, COLUMN, DEPTH, FIRST, MERIT, PLACE, ROUTE, TURN, in_levels
from tenfold.core import Array, Codes, Columns, Schema
from tenfold.core.field_values import ANYTHING, COUNTS, Between, Index, OneOf
from tenfold.stats.trees.tree_bins import MAX_TWO_BYTE_BINS, Bins, Cut


class Tree(NamedTuple):
    """The nodes. One that splits no column is a leaf."""

    feature: Annotated[Codes, "node", Index("column", none=True)]
    """the column it splits, -1: none"""
    threshold: Annotated[Array, "node", ANYTHING]
    """values up to this one go to the first child; NaN where categories are split"""
    place: Annotated[Codes, "node", Between(0, MAX_TWO_BYTE_BINS)]
    """the last bin that goes there"""
    missing_left: Annotated[Codes, "node", OneOf(0, 1)]
    """whether missing values go there too"""
    first_child: Annotated[Codes, "node", Index("node")]
    children: Annotated[Codes, "node", COUNTS]
    """how many"""
    route_at: Annotated[Codes, "node", Index("route", none=True)]
    """where its routes begin, -1: it has a threshold"""
    route_width: Annotated[Codes, "node", COUNTS]
    """how many routes: one a category, and one for a missing value"""
    route: Annotated[Codes, "route", Between(-1, MAX_TWO_BYTE_BINS)]
    """which child takes a category; -1: no row of the node had it, so the node itself answers"""
    depth: Annotated[Codes, "node", Index("node")]
    gain: Annotated[Array, "node"]
    """of its split, as the criterion has it; a decrease times the weight of the node"""

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.feature)

    @property
    def leaves(self) -> Codes:
        """Numbers of the leaf nodes."""
        return np.flatnonzero(self.feature < 0)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.leaves)

    @property
    def children_left(self) -> Codes:
        """The first child of each node, to which values up to the threshold go; -1 of a leaf."""
        return np.where(self.feature < 0, -1, self.first_child)

    @property
    def children_right(self) -> Codes:
        """The second child of each node, -1 of a leaf; an AttributeError, if some node has more than two."""
        if (self.children > 2).any():
            raise AttributeError("some node has more than two branches. Remedy: first_child, and children for how many")
        return np.where(self.feature < 0, -1, self.first_child + 1)

    @property
    def max_depth(self) -> int:
        """Maximum number of splits on a path from the root to a leaf."""
        return int(self.depth.max(initial=0))

    @property
    def parent(self) -> Codes:
        """The node above each, -1 for the root."""
        above = np.full(self.node_count, -1)
        inner = np.flatnonzero(self.feature >= 0)
        for k in range(int(self.children.max(initial=0))):
            with_k = inner[self.children[inner] > k]
            above[self.first_child[with_k] + k] = with_k
        return above

    def is_valid(self, schema: Schema) -> bool:
        """Whether kernels can go down: children come after their parents, in their order, and routes lead to them."""
        n, levels, inner = self.node_count, schema.levels, self.feature >= 0
        at, first, many = np.flatnonzero(inner), self.first_child[inner], self.children[inner]
        wide = np.where(inner, levels[np.where(inner, self.feature, 0)], 0)
        sets = wide > 0
        fine = (many >= 2).all() and (first > at).all() and (first <= n - many).all() and many.sum() <= n
        fine &= not (self.first_child[~inner].any() or self.children[~inner].any())
        fine &= ((self.route_at >= 0) == sets).all() and (self.route_width == np.where(sets, wide + 1, 0)).all()
        fine &= (many[~sets[inner]] == 2).all() and not np.isnan(self.threshold[inner & ~sets]).any()
        start, width = self.route_at[sets], self.route_width[sets]
        if not fine or (start > len(self.route) - width).any() or width.sum() > len(self.route):
            return False
        code = self.route[np.repeat(start - np.cumsum(width) + width, width) + np.arange(width.sum())]
        child = np.repeat(first - np.cumsum(many) + many, many) + np.arange(many.sum())
        above = np.zeros(n, np.int64)
        above[child] = np.repeat(self.depth[inner], many) + 1  # a node without parent has depth 0
        met = np.zeros(n, bool)
        met[child] = True
        return bool(
            np.count_nonzero(met) == len(child)
            and (code < np.repeat(self.children[sets], width)).all()
            and (self.depth == above).all()
        )

    def rooted(self, roots: Codes) -> bool:
        """Whether trees begin at these nodes, and nowhere else, and none reaches into the next."""
        if not np.array_equal(np.flatnonzero(self.depth == 0), roots):
            return False
        last = np.append(roots[1:], self.node_count)[np.searchsorted(roots, np.arange(self.node_count), "right") - 1]
        return bool((self.first_child + self.children <= last).all())

    def apply(self, X: Columns, root: int = 0) -> Codes:
        """The node in which each row ends, from a root."""
        out = np.empty(len(X), np.int64)
        for rows, block in X.blocks():
            leaves_of(
                block, self.feature, self.threshold, self.missing_left, self.first_child, self.route_at,
                self.route_width, self.route, root, out[rows],
            )  # fmt: skip
        return out

    def apply_bins(self, bins: Bins, cut: Cut, out: Codes, root: int = 0) -> Codes:
        """Find the leaves of binned rows; `out` holds the nodes to start from (at least the root), then the leaves."""
        leaves_of_bins(
            bins, cut.offset, cut.gap, self.feature, self.place, self.missing_left, self.first_child, self.route_at,
            self.route, root, out,
        )  # fmt: skip
        return out


def joined(trees: Sequence[Tree]) -> Tree:
    """Concatenate trees into one table of nodes."""
    node, route, moved = 0, 0, []
    for tree in trees:
        if node:
            first = np.where(tree.feature >= 0, tree.first_child + node, 0)
            tree = tree._replace(first_child=first, route_at=np.where(tree.route_at >= 0, tree.route_at + route, -1))
        moved.append(tree)
        node, route = node + tree.node_count, route + len(tree.route)
    return Tree._make(np.concatenate(x) for x in zip(*moved, strict=True))


def no_tree() -> Tree:
    """A tree without nodes, to which others are joined."""
    return Tree._make(field[:0] for field in leaf())


def leaf() -> Tree:
    """A tree that is a leaf."""
    no, none = np.zeros(1, np.int64), np.full(1, -1)
    return Tree(none, np.full(1, np.nan), no, no, no, no, none, no, np.zeros(0, np.int64), no, np.zeros(1))


class GrownTree(NamedTuple):
    """A grown tree, and the channel sums of its nodes."""

    tree: Tree
    sums: Codes
    """channel sums of its rows"""
    real: Array
    """the gain of its split, and the bounds of its value"""
    node: Codes
    """as kernels have it, with the span of its rows if they are in one place"""

    @classmethod
    def of(
        cls, node: Codes, real: Array, sums: Codes, route: Codes, cut: Cut, threshold: Array | None = None,
        root: int = 0,
    ) -> GrownTree:  # fmt: skip
        """Build the tree from grown nodes, renumbered level by level from a root.

        Thresholds are where the columns are cut, unless they are given.
        """
        old = in_levels(node, root)
        new = np.empty(len(node), np.int64)
        new[old] = np.arange(len(old))
        node, real = node[old], real[old]
        inner = node[:, COLUMN] >= 0
        column = np.where(inner, node[:, COLUMN], 0)
        sets = inner & (node[:, ROUTE] >= 0)
        place = np.where(inner & ~sets, node[:, PLACE], 0)
        if threshold is None:
            edge = np.append(cut.edges, np.full((len(cut.edges), 1), np.inf), axis=1)[column, place]
        else:
            edge = threshold[old]
        width = np.where(sets, cut.gap[column] + 1, 0)
        pieces = [route[at : at + w] for at, w in zip(node[sets, ROUTE], width[sets])]
        tree = Tree(
            np.where(inner, node[:, COLUMN], -1),
            np.where(inner & ~sets, edge, np.nan),
            place,
            np.where(inner, node[:, TURN], 0),
            np.where(inner, new[np.where(inner, node[:, FIRST], 0)], 0),
            np.where(inner, node[:, ARITY], 0),
            np.where(sets, np.cumsum(width) - width, -1),
            width,
            np.concatenate(pieces) if pieces else np.zeros(0, np.int64),
            node[:, DEPTH].copy(),
            np.where(inner, real[:, MERIT], 0.0),
        )
        return cls(tree, sums[old], real, node)
