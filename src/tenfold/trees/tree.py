"""A tree as a table of its nodes, from the root, level by level; the children of a node stand side by side."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Codes, Columns
from tenfold.kernels.tree_applying import leaves_of, leaves_of_bins
from tenfold.kernels.tree_growing import ARITY, COLUMN, DEPTH, FIRST, MERIT, PLACE, ROUTE, TURN
from tenfold.stats.tree_bins import Cut


class Tree(NamedTuple):
    """The nodes. One that splits no column is a leaf."""

    feature: Annotated[Codes, "node"]
    """the column it splits, -1: none"""
    threshold: Annotated[Array, "node"]
    """values up to this one go to the first child; NaN where categories are split"""
    place: Annotated[Codes, "node"]
    """the last bin that goes there"""
    missing_left: Annotated[Codes, "node"]
    """whether missing values go there too"""
    first_child: Annotated[Codes, "node"]
    children: Annotated[Codes, "node"]
    """how many"""
    route_at: Annotated[Codes, "node"]
    """where its routes begin, -1: it has a threshold"""
    route_width: Annotated[Codes, "node"]
    """how many routes: one a category, and one for a missing value"""
    route: Annotated[Codes, "route"]
    """which child takes a category; -1: no row of the node had it, so the node itself answers"""
    depth: Annotated[Codes, "node"]
    merit: Annotated[Array, "node"]
    """of its split, as the criterion has it; a decrease times the weight of the node"""

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self.feature)

    @property
    def leaves(self) -> Any:
        """The numbers of the leaves."""
        return np.flatnonzero(self.feature < 0)

    @property
    def max_depth(self) -> int:
        """Splits on the longest way."""
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

    def walkable(self, levels: Any) -> bool:
        """Whether every way down from the root ends: children come after parents, codes are in range."""
        n = self.node_count
        inner = self.feature >= 0
        at, sets = np.arange(n)[inner], inner & (self.route_at >= 0)
        fine = n > 0 and ((self.feature >= -1) & (self.feature < len(levels))).all()
        if not fine:
            return False
        first, many, wide = self.first_child[inner], self.children[inner], levels[self.feature]
        fine = (first > at).all() and (many >= 2).all() and (first <= n - many).all()
        fine &= (sets == (inner & (wide > 0))).all() and (many[~sets[inner]] == 2).all()
        fine &= not np.isnan(self.threshold[inner & ~sets]).any() and np.isin(self.missing_left, (0, 1)).all()
        start, width = self.route_at[sets], self.route_width[sets]
        fine &= (width == wide[sets] + 1).all() and (start <= len(self.route) - width).all()
        if not fine:
            return False
        most = np.repeat(self.children[sets], width)
        code = self.route[np.repeat(start - np.cumsum(width) + width, width) + np.arange(width.sum())]
        return bool(((code >= -1) & (code < most)).all())

    def apply(self, X: Columns, root: int = 0) -> Codes:
        """The node in which each row ends, from a root."""
        out = np.empty(len(X), np.int64)
        for rows, block in X.blocks():
            leaves_of(
                block, self.feature, self.threshold, self.missing_left, self.first_child, self.route_at,
                self.route_width, self.route, root, out[rows],
            )  # fmt: skip
        return out

    def apply_bins(self, bins: Any, cut: Cut, out: Any, root: int = 0) -> Any:
        """The same for rows in bins; `out` holds nodes to go on from (the root, at least), then those they end in."""
        leaves_of_bins(
            bins, cut.offset, cut.gap, self.feature, self.place, self.missing_left, self.first_child, self.route_at,
            self.route, root, out,
        )  # fmt: skip
        return out


def stacked(trees: Tree, more: Tree) -> Tree:
    """One tree after others."""
    nodes, routes = trees.node_count, len(trees.route)
    more = more._replace(
        first_child=np.where(more.feature >= 0, more.first_child + nodes, 0),
        route_at=np.where(more.route_at >= 0, more.route_at + routes, -1),
    )
    joined: Any = (np.concatenate(pair) for pair in zip(trees, more, strict=True))
    return Tree(*joined)


def no_tree() -> Tree:
    """No node at all."""
    fields: Any = (field[:0] for field in leaf())
    return Tree(*fields)


def leaf() -> Tree:
    """A tree that is a leaf."""
    no, none = np.zeros(1, np.int64), np.full(1, -1)
    return Tree(none, np.full(1, np.nan), no, no, no, no, none, no, np.zeros(0, np.int64), no, np.zeros(1))


def tree_from(node: Any, real: Any, route: Any, cut: Cut, threshold: Any = None) -> tuple[Tree, Any]:
    """A tree of grown nodes, renumbered level by level: however it was grown. And the old number of each node.

    Thresholds are where the columns are cut, unless they are given.
    """
    order, level = [], np.zeros(1, np.int64)
    while len(level):
        order.append(level)
        inner = level[node[level, COLUMN] >= 0]
        first, arity = node[inner, FIRST], node[inner, ARITY]
        level = np.repeat(first - np.cumsum(arity) + arity, arity) + np.arange(arity.sum())
    old = np.concatenate(order)
    new = np.empty(len(node), np.int64)
    new[old] = np.arange(len(old))
    node, merit = node[old], real[old, MERIT]
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
    return Tree(
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
        np.where(inner, merit, 0.0),
    ), old
