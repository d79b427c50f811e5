"""When a node is split, and a tree grown from rows in one place."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tenfold.compiled.tree import tree_growing as tg
from tenfold.compiled.tree.forests import grow_drawn
from tenfold.compiled.tree.tree_filling import total_of
from tenfold.compiled.tree.tree_missing import LEARNED
from tenfold.compiled.tree.tree_search import SUMS
from tenfold.core import Array, Codes
from tenfold.stats.rows.gathered_bins import GatheredBins
from tenfold.stats.trees.tree_bins import Bins, Cut
from tenfold.tree.growing.channels import Numbers
from tenfold.tree.tree import GrownTree

INITIAL_NODE_CAPACITY = 256
"""nodes for which there is room at first"""


class Rules(NamedTuple):
    """When to split, and what makes a split good."""

    criterion: int
    kind: Codes
    """how each column is split"""
    units: Array
    """what one means in the channels"""
    max_depth: int = -1
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    max_leaf_nodes: int = 0
    """0: no limit"""
    min_gain: float = 0.0
    l2: float = 0.0
    costs: Array | None = None
    cost_power: float = 1.0
    monotonic: Codes | None = None
    max_features: int = 0
    """columns that each node may choose from; 0: all"""
    seed: int = 0
    missing: int = LEARNED
    """what becomes of missing values; all but LEARNED are grown level by level"""
    min_data_per_group: float = 1.0
    cat_smooth: float = 0.0
    cat_penalty: float = 0.0
    noise: float = 0.0
    """the variance of a row, for SUMS; below zero: each node has its own, from squares in this unit"""
    counted: bool = True
    """whether a weight of two counts as two rows"""
    parts: int = 1
    """what a row counts for in the channel of rows"""
    centers: Array | None = None
    """of the bins of each column, if a node draws one cut in each column, and takes the best of them"""
    rounded: float = 0.0
    """by how much the sum of a row is off at most where rows of equal targets were rounded apart"""

    @property
    def limits(self) -> Array:
        """The limits of a split, as `compiled/tree/tree_search.py` names them."""
        return np.array([
            self.min_samples_leaf, self.min_weight_leaf, self.l2, self.cost_power, self.min_data_per_group,
            self.cat_smooth, self.cat_penalty, self.noise, self.counted, self.parts, self.rounded,
        ])  # fmt: skip

    @property
    def least_to_split(self) -> int:
        """Rows below which a node is a leaf: with fewer, one of its branches would have too few."""
        return max(self.min_samples_split, 2 * self.min_samples_leaf)

    @property
    def squared(self) -> bool:
        """Whether each node wants to know its own variance."""
        return self.criterion == SUMS and self.noise < 0

    @property
    def kinds(self) -> Codes | None:
        """How each column is split, for the kernels; None if all are numbers: then the search for sets is left out."""
        return self.kind if self.kind.any() else None

    def squares(self, g: Codes, h: Codes | None) -> Codes | None:
        """w r² of each row in whole units, from w r and w; None, unless each node wants to know its variance."""
        if h is None or not self.squared:
            return None
        weight = h * self.units[1] if len(h) else self.units[1]
        with np.errstate(invalid="ignore", divide="ignore"):
            away = np.nan_to_num(g * self.units[0] / weight)
        if not self.counted:
            return np.rint(away * away * weight / -self.noise).astype(np.int64)
        return np.rint(away * away / (-self.noise * self.parts)).astype(np.int64) * (h if len(h) else 1)

    def cost(self, p: int) -> Array:
        """Cost of each column."""
        return np.ones(p) if self.costs is None else self.costs

    def columns(self, p: int) -> tuple[Array | None, Codes | None, int]:
        """Cost of each column (None: sums are split), its direction (None: classes are), and how many a node may choose
        from."""
        if self.criterion != SUMS:
            return self.cost(p), None, self.max_features or p
        return None, np.zeros(p, np.int64) if self.monotonic is None else self.monotonic, self.max_features or p


NO_SQUARES: Codes = np.zeros(0, np.int64)


class Nodes(NamedTuple):
    """Nodes of a tree in the order of creation, and the routes of splits of categories, as the kernels have them."""

    node: Codes
    real: Array
    """gain, and bounds of the value"""
    sums: Codes
    route: Codes


def grow(
    bins: Bins, cut: Cut, rules: Rules, channels: int, numbers: Numbers, square: Codes | None,
    index: NDArray[np.uint32], bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Nodes:  # fmt: skip
    """Grow a tree over gathered rows; `index` selects them, and is sorted by leaf.

    square: of each row, from `Rules.squares`, or None. bounds: of the root's value.
    """
    (label, a, b), (cost, way, most) = numbers, rules.columns(len(bins))
    square = NO_SQUARES if square is None and b is not None else square
    node, real = np.zeros((INITIAL_NODE_CAPACITY, tg.FIELDS), np.int64), np.zeros((INITIAL_NODE_CAPACITY, 3))
    sums, route = np.zeros((INITIAL_NODE_CAPACITY, channels), np.int64), np.zeros(0, np.int64)
    large = max(tg.MAX_ROWS_WITHOUT_HISTOGRAM, 2 * int((cut.gap + 1).max(initial=1)))
    pool = np.zeros((4 if len(index) >= large else 0, channels, int(cut.offset[-1])), np.int64)
    spare, opened = (
        np.empty(len(index) // tg.MAX_ROWS_WITHOUT_HISTOGRAM * 2 + 4, np.int64),
        np.empty(len(index), np.int64),
    )
    state = np.zeros(tg.STATE, np.int64)
    node[0, [tg.COLUMN, tg.ROUTE, tg.SLOT]], node[0, tg.STOP], node[0, tg.PATH] = -1, len(index), rules.seed
    real[0, tg.LEAST :] = bounds
    total_of(index, 0, len(index), label, a, b, sums[0])
    state[[tg.NODES, tg.LEAVES]], state[tg.INHERITED] = 1, -1
    if rules.centers is not None:
        while not grow_drawn(
            bins, cut.offset, rules.kind, cut.gap, rules.centers, label, a, b, square, index, rules.criterion,
            rules.units, rules.limits, cost, rules.max_depth, rules.least_to_split, rules.max_leaf_nodes,
            rules.min_gain, most, node, real, sums, route, opened, state,
        ):  # fmt: skip
            node, real, sums = (_longer(table, state[tg.WANT_NODES]) for table in (node, real, sums))
            route = _longer(route, state[tg.WANT_ROUTES])
        nodes, routed = state[tg.NODES], state[tg.ROUTED]
        return Nodes(node[:nodes], real[:nodes], sums[:nodes], route[:routed])
    while not tg.grow(
        bins, cut.offset, rules.kinds, cut.gap, label, a, b, square, index, rules.criterion, rules.units, rules.limits,
        cost, way, rules.max_depth, rules.least_to_split, rules.max_leaf_nodes, rules.min_gain,
        most, node, real, sums, route, pool, pool.reshape(-1), spare, opened, state,
    ):  # fmt: skip
        node, real, sums = (_longer(table, state[tg.WANT_NODES]) for table in (node, real, sums))
        pool, route = _longer(pool, state[tg.WANT_SLOTS]), _longer(route, state[tg.WANT_ROUTES])
    nodes, routed = state[tg.NODES], state[tg.ROUTED]
    return Nodes(node[:nodes], real[:nodes], sums[:nodes], route[:routed])


def _longer(table: NDArray[Any], wanted: int) -> NDArray[Any]:
    """A table with at least this number of lines."""
    if len(table) >= wanted:
        return table
    more = np.zeros((max(2 * len(table), int(wanted)), *table.shape[1:]), table.dtype)
    more[: len(table)] = table
    return more


def grow_from(
    rows: GatheredBins, cut: Cut, rules: Rules, channels: int, numbers: Numbers, index: NDArray[np.uint32]
) -> GrownTree:
    """A tree over gathered rows; `index` selects them, and is sorted by leaf."""
    return GrownTree.of(*grow(rows.bins, cut, rules, channels, numbers, rules.squares(*numbers[1:]), index), cut)
