"""A tree with a limit on its leaves, grown split by split over rows in one place, the columns shared by threads.

The tree is the one that `grow` and `frontier` make: the histograms are of whole numbers, whoever fills them.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from tenfold.core.crew import by_rows, hands, share
from tenfold.kernels.tree_filling import total_of
from tenfold.kernels.tree_growing import COLUMN, FIELDS, ROUTE, STOP
from tenfold.kernels.tree_search import MULTIWAY, SUMS
from tenfold.kernels.tree_steps import ABLE_LESS, ABLE_MORE, MORE, SPLIT, WIDE, WORDS, note, split_best, work
from tenfold.kernels.tree_sums import words
from tenfold.stats.tree_bins import Cut
from tenfold.trees.growing import Rules
from tenfold.trees.tree import Tree, tree_from

_NO_LABEL, _NONE = np.zeros(0, np.uint16), np.zeros(0, np.int64)


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
        self.word, self.aside = np.empty(n, np.int64), np.empty(n, np.uint32)
        self.pool = np.empty((rules.max_leaf_nodes, 3, cells), np.int64)
        self.node, self.real = np.zeros((most, FIELDS), np.int64), np.zeros((most, 3))
        self.sums, self.slot = np.zeros((most, 3), np.int64), np.zeros(most, np.int64)
        self.table, self.ends = np.empty(wide, np.int64), np.zeros(3, np.int64)
        self.split = np.zeros((max(wide, 2), 3), np.int64)
        self.cells = np.empty(cells, np.int64)
        ends = np.unique(np.linspace(0, p, hands() + 1).round().astype(int)).tolist()
        self.outs = np.zeros((len(ends) - 1, 2, 5))
        self.shares = [
            (a, b, (np.empty((3, wide), np.int64), np.empty(wide), np.empty(wide + 1, np.int64), self.outs[i]))
            for i, (a, b) in enumerate(pairwise(ends))
        ]

    def grow(self, g: Any, h: Any, w: Any, index: Any, short: bool = False) -> tuple[Tree, Any, Any, Any]:
        """Sums of g, h (empty: ones) and weights (empty: ones), of the rows that the index names.

        The tree, channel sums and bounds of its nodes, and the nodes with their spans in the index: it is sorted."""
        node, real, sums, rules = self.node, self.real, self.sums, self.rules
        node[0], real[0], sums[0] = 0, (0.0, -np.inf, np.inf), 0
        node[0, [COLUMN, ROUTE]], node[0, STOP] = -1, len(index)
        total_of(index, 0, len(index), _NO_LABEL, g, h, SUMS, sums[0])
        if len(w):
            sums[0, 2] = w[index].sum()
        by_rows(len(g), lambda a, z: words(g, h, short, a, z, self.word))
        opened, step = np.full(len(node), -np.inf), np.zeros(WORDS, np.int64)
        step[MORE], step[ABLE_LESS] = -1, sums[0, 2] >= rules.min_samples_split and rules.max_depth
        looks = [
            partial(
                work, self.bins, self.offset, rules.kind, self.gap, a, b, index, self.word, short,
                _NONE if short else h, w, self.pool, node, real, sums, step, rules.units, self.limits, self.cost, self.way, self.cells, *room,
            )
            for a, b, room in self.shares
        ]  # fmt: skip
        route: list[Any] = []
        routed, nodes = 0, 1
        for _ in range(1, rules.max_leaf_nodes):
            if step[ABLE_LESS] or step[ABLE_MORE]:
                share(looks)
                note(self.outs, step, rules.least_merit, node, real, opened)
            if not split_best(
                self.bins, self.offset, rules.kind, self.gap, self.pool, node, real, sums, nodes, self.way, rules.units,
                rules.l2, rules.min_samples_split, rules.max_depth, index, self.aside, self.table, self.split,
                self.ends, self.slot, opened, step,
            ):  # fmt: skip
                break
            if step[WIDE]:
                node[step[SPLIT], ROUTE] = routed
                route.append(self.table[: step[WIDE]].copy())
                routed += int(step[WIDE])
            nodes += 2
        found = node[:nodes].copy()
        found[opened[:nodes] > -np.inf, COLUMN] = -1
        tree, old = tree_from(found, real, np.concatenate(route) if route else np.zeros(0, np.int64), self.cut)
        return tree, sums[old], real[old], found[old]
