"""A tree with a limit on its leaves, grown split by split over rows in one place, the columns shared by threads.

The tree is the one that `grow` and `levelwise` make: histograms are sums of integers, so threads cannot change them.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from tenfold.compiled.tree.tree_filling import total_of
from tenfold.compiled.tree.tree_growing import COLUMN, FIELDS, LEAST, ROUTE, STOP
from tenfold.compiled.tree.tree_search import MULTIWAY, SUMS
from tenfold.compiled.tree.tree_steps import ABLE_LESS, MORE, WORDS, grow_best
from tenfold.compiled.work_queue import CLOSED, empty_queue
from tenfold.core import Codes
from tenfold.core.driver_threads import run_all, thread_count
from tenfold.stats.trees.tree_bins import Bins, Cut
from tenfold.tree.growing.growing import Rules, grow
from tenfold.tree.tree import GrownTree

TASKS_PER_THREAD = 2
"""for each thread: who is done with one takes another"""
MIN_CELLS_TO_SHARE = 1 << 16
"""cells of rows and columns: with fewer, a thread to help takes longer to call than it saves"""
MAX_HISTOGRAM_BYTES = 1 << 31
"""bytes of histograms, one for each leaf that there may be, beyond which small nodes go without"""
_EMPTY = np.zeros(0, np.int64)


class BestFirst:
    """Room for trees over the same rows, one after the other."""

    def __init__(self, bins: Bins, cut: Cut, rules: Rules) -> None:
        assert rules.criterion == SUMS
        assert not (rules.kind == MULTIWAY).any()
        p, n = bins.shape
        self.bins, self.cut, self.rules = bins, cut, rules
        cells = int(cut.offset[-1])
        self.aside, self.cells = np.empty(n, np.uint32), np.empty(cells, np.int64)
        self.pool, self.route = np.empty((0, 3, cells), np.int64), np.empty(0, np.int64)
        self.threads = thread_count() if n * p >= MIN_CELLS_TO_SHARE else 1
        pieces = min(p, TASKS_PER_THREAD * self.threads if self.threads > 1 else 1)
        self.ends = np.array([p * i // pieces for i in range(pieces + 1)])

    def grow(self, g: Codes, h: Codes, word: Codes, short: bool, index: NDArray[np.uint32]) -> GrownTree:
        """A tree of sums of g and h (empty: ones) of the rows that the index names; it is sorted by leaf.

        word, short: as in `compiled/tree/tree_sums.py`.
        """
        rules, cut, total = self.rules, self.cut, np.zeros(3, np.int64)
        total_of(index, 0, len(index), None, g, h, total)
        way = rules.columns(len(self.bins))[1]
        leaves = self._most_leaves(int(total[2]))
        if 24 * leaves * len(self.cells) > MAX_HISTOGRAM_BYTES:
            return GrownTree.of(*grow(self.bins, cut, rules, 3, (None, g, h), None, index), cut)
        self._make_room(leaves)
        node, real = np.zeros((2 * leaves, FIELDS), np.int64), np.zeros((2 * leaves, 3))
        sums = np.zeros((2 * leaves, 3), np.int64)
        real[0, LEAST:], node[0, [COLUMN, ROUTE]], node[0, STOP], sums[0] = (-np.inf, np.inf), -1, len(index), total
        step = np.zeros(WORDS, np.int64)
        step[MORE], step[ABLE_LESS] = -1, sums[0, 2] >= rules.least_to_split and rules.max_depth != 0
        outs, place = np.zeros((len(self.ends) - 1, 2, 5)), empty_queue()
        given = (
            self.bins, cut.offset, rules.kinds, cut.gap, word, short, _EMPTY if short else h, self.pool, node,
            real, sums, step, rules.units, rules.limits, way, self.cells, self.ends, outs, place,
        )  # fmt: skip
        limits = rules.min_gain, rules.least_to_split, rules.max_depth, leaves
        growing = partial(grow_best, *given, *limits, index, self.aside, self.route)
        try:
            (nodes, routed), *_ = run_all([partial(growing, True), *[partial(growing, False)] * (self.threads - 1)])
        finally:
            place[CLOSED] = 1
        return GrownTree.of(node[:nodes], real, sums, self.route[:routed], cut)

    def _most_leaves(self, total: int) -> int:
        """Maximum number of leaves for this number of rows."""
        rules = self.rules
        deep = 2**rules.max_depth if 0 <= rules.max_depth < 30 else 1 << 30
        return max(2, min(rules.max_leaf_nodes, deep, total // max(int(rules.limits[0]), 1)))

    def _make_room(self, leaves: int) -> None:
        """Grow the tables to hold this number of leaves."""
        if len(self.pool) < leaves:
            self.pool = np.empty((leaves, *self.pool.shape[1:]), np.int64)
            self.route = np.empty(leaves * int((self.cut.gap + 1).max()) if self.rules.kind.any() else 0, np.int64)
