"""Missing values that take the most common value, or go to all branches in parts: what the levels of a tree then do.

All of it is in whole numbers: a row has `WHOLE` parts, a child a share of its parent's weight in 2⁻⁴⁰. So the tree is
the same for any parts of the source, and any number of histograms per scan. The usual way, in which each
split tries both sides (`missing="learned"`), is part of the search for splits: `compiled/tree/tree_search.py`, and
`tree_lists.py` (the exact method) and `tree_steps.py` (boosting in one place) beside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tenfold.compiled.tree import tree_missing as tm
from tenfold.compiled.tree import tree_parts as tp
from tenfold.compiled.tree.tree_growing import ARITY, COLUMN, ORDER, PLACE, TURN
from tenfold.compiled.tree.tree_search import NUMERIC, SUMS
from tenfold.core import Array, Codes, Columns
from tenfold.stats.trees.tree_bins import Bins, Cut
from tenfold.tree.growing.channels import Numbers
from tenfold.tree.growing.growing import Rules
from tenfold.tree.tree import Tree

Found = tuple[float, int, int, int, int]
"""a split: its gain, column, place, order of categories, and whether missing values go left"""
MISSING_RULES = {"learned": tm.LEARNED, "node_majority": tm.NODE, "class_majority": tm.CLASS, "fractional": tm.PARTS}


class NodeSplit(NamedTuple):
    """Column, route and missing-value rule of a split node."""

    table: Codes
    """the branch of each bin"""
    sums: Codes
    """channel sums of the branches"""
    gaps: Codes
    """the branch of missing rows of each class, if that matters"""
    shares: Codes
    """of the branches, if rows go in parts"""


class FractionalRows(NamedTuple):
    """Rows in parts: the row, its node, and how many of `WHOLE` parts are there; by row, then by node."""

    row: Codes
    node: Codes
    part: Codes


def width_of(way: int, channels: int) -> int:
    """How many numbers a node has for missing values."""
    return {tm.CLASS: channels - 1, tm.PARTS: 1}.get(way, 0)


def is_valid(way: int, node: Codes, gaps: Codes) -> bool:
    """Whether missing values go to branches that there are, or have shares of one."""
    if way == tm.CLASS:
        inner = node[:, COLUMN] >= 0
        return bool((gaps[inner] >= 0).all() and (gaps[inner] < node[inner, ARITY][:, None]).all())
    return bool((gaps >= 0).all() and (gaps <= 1 << tp.SHARE_BITS).all())


def search(h: Codes, cut: Cut, rules: Rules, some: Codes, sums: Codes, noise: float) -> Found:
    """The best split of a histogram of channels x cells."""
    gain, column, place, order = tm.search_known(
        h, cut.offset, rules.kind, cut.gap, some, sums, noise, rules.criterion, rules.units, rules.limits,
        rules.cost(len(cut.levels)), rules.missing, *_room(h, cut),
    )  # fmt: skip
    return gain, column, place, order, 0


def branches(h: Codes, cut: Cut, rules: Rules, node: Codes, sums: Codes) -> NodeSplit:
    """Children of a split; `TURN` holds whether missing values go left in prediction."""
    cells, branch, where = _room(h, cut)
    table = np.empty(len(branch) + 1, np.int64)
    j = int(node[COLUMN])
    arity, common = tm.branches_known(
        h, cut.offset, rules.kind, cut.gap, j, node[PLACE], node[ORDER], sums, rules.criterion, rules.units,
        rules.limits, rules.missing, cells, table, branch, where,
    )  # fmt: skip
    node[TURN] = rules.kind[j] == NUMERIC and common == 0
    branch, table = branch[:arity].copy(), table[: int(cut.gap[j]) + 1]
    gap = h[:, cut.offset[j + 1] - 1]
    wide = width_of(rules.missing, len(sums))
    gaps, shares = np.zeros(wide, np.int64), np.zeros((arity, wide), np.int64)
    if rules.missing == tm.CLASS:
        gaps = where.copy()
        branch[:, -1] += gap[-1]  # at most: it is not known how many of each class
    elif rules.missing == tm.PARTS:
        weight = branch[:, 1] if rules.criterion == SUMS else branch[:, :-1].sum(axis=1)
        share = weight / weight.sum()
        shares[:, 0] = np.floor(share * 2.0**tp.SHARE_BITS)
        branch += np.rint(share[:, None] * gap).astype(np.int64)
    return NodeSplit(table, branch, gaps, shares)


def _room(h: Codes, cut: Cut) -> tuple[Codes, Codes, Codes]:
    wide = max(2, int(cut.gap.max()))
    channels = len(h)
    return np.empty((channels, wide), np.int64), np.empty((wide, channels), np.int64), np.zeros(channels - 1, np.int64)


def parts_of(parts: FractionalRows, which: slice | Codes, rows: int) -> FractionalRows:
    """The parts of some of the rows, which then have the numbers that they have among those."""
    if isinstance(which, slice):
        return parts
    number = np.full(rows, -1)
    number[which] = np.arange(len(which))
    there = number[parts.row] >= 0
    return FractionalRows(number[parts.row[there]], parts.node[there], parts.part[there])


def add_histograms(hist: Codes, slot: Codes, bins: Bins, cut: Cut, parts: FractionalRows, numbers: Numbers) -> None:
    """Add the parts of the rows of a chunk to the histograms in the slots of their nodes."""
    tp.add_parts(bins, cut.offset, parts.row, slot, parts.part, *numbers, hist)


def blend(tree: Tree, weight: Array, value: Array, X: Columns) -> Array:
    """The values of the leaves that a row gets to, by the share of it that does: siblings share by their weight."""
    above = tree.parent
    whole = np.bincount(above[1:], weights=weight[1:], minlength=len(weight))
    share = np.ones(len(weight))
    share[1:] = weight[1:] / whole[above[1:]]
    value, out = np.ascontiguousarray(value), np.zeros((len(X), value.shape[1]))
    for rows, block in X.blocks():
        tp.spread(
            block, tree.feature, tree.threshold, tree.first_child, tree.children, tree.route_at, tree.route_width,
            tree.route, share, value, out[rows],
        )  # fmt: skip
    return out


def shares(value: Array) -> Array:
    """Share of each class, from the class weights of each node."""
    weight = value.sum(axis=1)
    return np.asarray(value / np.where(weight > 0, weight, 1.0)[:, None])


def blended_shares(tree: Tree, value: Array, X: Columns) -> Array:
    """The shares of the classes in the leaves that parts of a row get to, from the weights of classes in each node."""
    return blend(tree, value.sum(axis=1), shares(value), X)
