"""A tree with a limit on its leaves, grown split by split over rows in one place, the columns shared by threads.

The tree is the one that `grow` and `frontier` make: the histograms are of whole numbers, whoever fills them.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from tenfold.core.crew import hands, share
from tenfold.kernels.tree_growing import (
    ARITY,
    COLUMN,
    DEPTH,
    FIELDS,
    FIRST,
    LEAST,
    MERIT,
    MOST,
    ORDER,
    PLACE,
    ROUTE,
    START,
    STOP,
    TURN,
    sort_rows,
    total_of,
)  # fmt: skip
from tenfold.kernels.tree_levels import branches_of
from tenfold.kernels.tree_search import MULTIWAY, SUMS, leaf_value
from tenfold.kernels.tree_steps import gather, work
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
        self.first, self.second, self.aside = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.uint32)
        self.pool = np.empty((rules.max_leaf_nodes, 3, int(self.offset[-1])), np.int64)
        self.node, self.real = np.zeros((most, FIELDS), np.int64), np.zeros((most, 3))
        self.sums = np.zeros((most, 3), np.int64)
        wide = int((self.gap + 1).max())
        self.table, self.ends = np.empty(wide, np.int64), np.zeros(3, np.int64)
        self.split = np.zeros((max(wide, 2), 3), np.int64)
        ends = np.unique(np.linspace(0, p, hands() + 1).round().astype(int))
        self.shares = [(int(a), int(b), np.zeros((2, 5))) for a, b in pairwise(ends)]

    def grow(self, g: Any, h: Any, index: Any) -> tuple[Tree, Any, Any, Any]:
        """The tree, channel sums and bounds of its nodes, and the nodes with their spans in the index: it is sorted."""
        node, real, sums, rules = self.node, self.real, self.sums, self.rules
        node[:], real[:], sums[:] = 0, 0.0, 0
        node[:, COLUMN] = node[:, ROUTE] = -1
        node[0, STOP], real[0, LEAST], real[0, MOST] = len(index), -np.inf, np.inf
        total_of(index, 0, len(index), _NO_LABEL, g, h, SUMS, sums[0])
        route: list[Any] = []
        routed, nodes, slot = 0, 1, {0: 0}
        opened: set[int] = set()
        self._look(index, g, h, 0, -1, self.pool[0], _NO_HISTOGRAM, opened)
        for leaves in range(1, rules.max_leaf_nodes):
            if not opened:
                break
            k = max(opened, key=lambda k: (real[k, MERIT], -k))
            opened.remove(k)
            hist, j = self.pool[slot[k]], int(node[k, COLUMN])
            branches_of(hist, self.offset, rules.kind, self.gap, node[k], SUMS, self.table, self.split)
            if rules.kind[j]:
                width = int(self.gap[j]) + 1
                node[k, ROUTE] = routed
                route.append(self.table[:width].copy())
                routed += width
            sort_rows(self.bins[j], self.table, 2, index, node[k, START], node[k, STOP], self.aside, self.ends)
            left, right = nodes, nodes + 1
            node[k, FIRST], node[k, ARITY] = left, 2
            node[left, START], node[left, STOP] = node[k, START], self.ends[0]
            node[right, START], node[right, STOP] = self.ends[0], node[k, STOP]
            node[left:right + 1, DEPTH] = node[k, DEPTH] + 1  # fmt: skip
            sums[left], sums[right] = self.split[0], self.split[1]
            real[left, 1:] = real[right, 1:] = real[k, 1:]
            if self.way[j]:
                x, y = (leaf_value(*(sums[c, :2] * rules.units + (0, rules.l2)), *real[k, 1:]) for c in (left, right))
                side = MOST if self.way[j] > 0 else LEAST
                real[left, side] = real[right, LEAST + MOST - side] = 0.5 * (x + y)
            less, more = (left, right) if sums[left, 2] <= sums[right, 2] else (right, left)
            slot[less], slot[more] = leaves, slot[k]
            self._look(index, g, h, less, more, self.pool[leaves], hist, opened)
            nodes += 2
        found = node[:nodes].copy()
        found[list(opened), COLUMN] = -1
        tree, old = tree_from(found, real, np.concatenate(route) if route else np.zeros(0, np.int64), self.cut)
        return tree, sums[old], real[old], found[old]

    def _look(self, index: Any, g: Any, h: Any, less: int, more: int, new: Any, parent: Any, opened: set[int]) -> None:
        """Histograms and best splits of two new leaves (or of the root), column by column."""
        node, real, sums, rules = self.node, self.real, self.sums, self.rules
        able = [k for k in (less, more) if k >= 0 and self._may_split(k)]
        if not able:
            return
        start, stop = int(node[less, START]), int(node[less, STOP])
        gather(index, start, stop, g, h, self.first, self.second)
        second = self.second if len(h) else self.second[:0]
        other = max(more, 0)
        calls = [
            partial(
                work, self.bins, self.offset, rules.kind, self.gap, a, b, index, start, stop, self.first, second, new,
                parent, sums[less], sums[other], rules.units, self.limits, self.cost, self.way, real[less, 1:],
                real[other, 1:], out,
            )
            for a, b, out in self.shares
        ]  # fmt: skip
        share(calls)
        for row, k in ((0, less), (1, more)):
            if k not in able:
                continue
            best = max((out[row] for _, _, out in self.shares), key=lambda found: found[0])
            if best[0] > rules.least_merit:
                node[k, [COLUMN, PLACE, ORDER, TURN]] = best[1:].astype(np.int64)
                real[k, MERIT] = best[0]
                opened.add(k)

    def _may_split(self, k: int) -> bool:
        deep = self.rules.max_depth
        return bool(self.sums[k, 2] >= self.rules.min_samples_split and (deep < 0 or self.node[k, DEPTH] < deep))
