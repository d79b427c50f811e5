"""A tree with a limit on its leaves, grown split by split over rows in one place, the columns shared by threads.

The tree is the one that `grow` and `frontier` make: the histograms are of whole numbers, whoever fills them.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from tenfold.core.crew import hands, share
from tenfold.kernels.tree_filling import total_of
from tenfold.kernels.tree_growing import (
    COLUMN,
    DEPTH,
    FIELDS,
    LEAST,
    MERIT,
    ORDER,
    PLACE,
    ROUTE,
    START,
    STOP,
    TURN,
)  # fmt: skip
from tenfold.kernels.tree_search import MULTIWAY, SUMS
from tenfold.kernels.tree_steps import divide, gather, work
from tenfold.stats.tree_bins import Cut
from tenfold.trees.growing import Rules
from tenfold.trees.tree import Tree, tree_from

_NO_LABEL, _NO_HISTOGRAM = np.zeros(0, np.uint16), np.zeros((0, 0), np.int64)


class BestFirst:
    """Room for trees over the same rows, one after the other."""

    def __init__(self, bins: Any, cut: Cut, rules: Rules) -> None:
        assert rules.criterion == SUMS
        assert rules.max_leaf_nodes
        assert not (rules.kind == MULTIWAY).any()
        p, n = bins.shape
        most = 2 * rules.max_leaf_nodes
        self.bins, self.cut, self.rules = bins, cut, rules
        self.offset, self.gap, self.limits = cut.offset, cut.gap, rules.limits
        self.cost, self.way, _ = rules.columns(p)
        cells, wide = int(self.offset[-1]), int((self.gap + 1).max())
        self.pair, self.aside = np.zeros((n, 2), np.int64), np.empty(n, np.uint32)
        self.pool = np.empty((rules.max_leaf_nodes, 3, cells), np.int64)
        self.node, self.real = np.zeros((most, FIELDS), np.int64), np.zeros((most, 3))
        self.sums = np.zeros((most, 3), np.int64)
        self.table, self.ends = np.empty(wide, np.int64), np.zeros(3, np.int64)
        self.split = np.zeros((max(wide, 2), 3), np.int64)
        ends = np.unique(np.linspace(0, p, hands() + 1).round().astype(int)).tolist()
        self.cells = np.empty((cells, 2), np.int64)
        self.shares = [
            (a, b, (np.empty((3, wide), np.int64), np.empty(wide), np.empty(wide + 1, np.int64), np.zeros((2, 5))))
            for a, b in pairwise(ends)
        ]

    def grow(self, g: Any, h: Any, w: Any, index: Any) -> tuple[Tree, Any, Any, Any]:
        """Sums of g, h (empty: ones) and weights (empty: ones), of the rows that the index names.

        The tree, channel sums and bounds of its nodes, and the nodes with their spans in the index: it is sorted."""
        node, real, sums, rules = self.node, self.real, self.sums, self.rules
        node[0], real[0], sums[0] = 0, (0.0, -np.inf, np.inf), 0
        node[0, [COLUMN, ROUTE]], node[0, STOP] = -1, len(index)
        total_of(index, 0, len(index), _NO_LABEL, g, h, SUMS, sums[0])
        if len(w):
            sums[0, 2] = w[index].sum()
        heft = np.zeros((len(w), 2), np.int64)
        route: list[Any] = []
        routed, nodes, slot = 0, 1, {0: 0}
        opened: dict[int, float] = {}
        rows = (index, g, h, w, heft)
        self._look(rows, 0, -1, self.pool[0], _NO_HISTOGRAM, opened)
        for leaves in range(1, rules.max_leaf_nodes):
            if not opened:
                break
            k = max(opened, key=lambda k: (opened[k], -k))
            del opened[k]
            hist = self.pool[slot[k]]
            width = divide(
                self.bins, self.offset, rules.kind, self.gap, hist, node, real, sums, k, nodes, self.way, rules.units,
                rules.l2, index, self.aside, self.table, self.split, self.ends,
            )  # fmt: skip
            if width:
                node[k, ROUTE] = routed
                route.append(self.table[:width].copy())
                routed += width
            less, more = (nodes, nodes + 1) if sums[nodes, 2] <= sums[nodes + 1, 2] else (nodes + 1, nodes)
            slot[less], slot[more] = leaves, slot[k]
            self._look(rows, less, more, self.pool[leaves], hist, opened)
            nodes += 2
        found = node[:nodes].copy()
        found[list(opened), COLUMN] = -1
        tree, old = tree_from(found, real, np.concatenate(route) if route else np.zeros(0, np.int64), self.cut)
        return tree, sums[old], real[old], found[old]

    def _look(self, rows: Any, less: int, more: int, new: Any, parent: Any, opened: dict[int, float]) -> None:
        """Histograms and best splits of two new leaves (or of the root), column by column."""
        node, real, sums, rules = self.node, self.real, self.sums, self.rules
        able = [self._may_split(less), more >= 0 and self._may_split(more)]
        if not any(able):
            return
        start, stop, other = int(node[less, START]), int(node[less, STOP]), max(more, 0)
        index, g, h, w, heft = rows
        gather(index, start, stop, g, h, w, self.pair, heft)
        share([
            partial(
                work, self.bins, self.offset, rules.kind, self.gap, a, b, index, start, stop, self.pair, len(h) > 0,
                heft, new, parent, sums[less], sums[other], rules.units, self.limits, self.cost, self.way,
                real[less, LEAST:], real[other, LEAST:], self.cells, *room,
            )
            for a, b, room in self.shares
        ])  # fmt: skip
        for side, k in ((0, less), (1, more)):
            if not able[side]:
                continue
            best = max((room[-1][side] for _, _, room in self.shares), key=lambda found: found[0])
            if best[0] > rules.least_merit:
                node[k, COLUMN], node[k, PLACE], node[k, ORDER], node[k, TURN] = best[1:]
                real[k, MERIT] = opened[k] = float(best[0])

    def _may_split(self, k: int) -> bool:
        deep = self.rules.max_depth
        return bool(self.sums[k, 2] >= self.rules.min_samples_split and (deep < 0 or self.node[k, DEPTH] < deep))
