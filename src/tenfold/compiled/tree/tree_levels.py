"""Rows of a chunk by node of a level, and the branches of a split of a merged histogram."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import kernel
from tenfold.compiled.tree.tree_growing import COLUMN, ORDER, PLACE, TURN, routes
from tenfold.compiled.tree.tree_search import NUMERIC, ZERO


@kernel
def sort_by_slot(nodes, slot, ends, rows):
    """The rows whose node has a slot, stably sorted by slot; ends[s]: where those of slot s end."""
    for s in range(len(ends)):
        ends[s] = 0
    for i in range(len(nodes)):
        s = slot[nodes[i]]
        if s >= 0:
            ends[s] += 1
    total = 0
    for s in range(len(ends)):
        total += ends[s]
        ends[s] = total - ends[s]
    for i in range(len(nodes)):
        s = slot[nodes[i]]
        if s >= 0:
            rows[ends[s]] = i
            ends[s] += 1
    return total


@kernel
def branches_of(hist, offset, kind, na_bin, node, total, criterion, units, rules, table, sums):
    """The branch of each bin of the column that a node splits, and channel sums of branches; return their number."""
    channels = hist.shape[0]
    j = node[COLUMN]
    start, stop = offset[j], offset[j + 1]
    count = ZERO + 2
    for b in range(sums.shape[0]):
        for c in range(channels):
            sums[b, c] = 0
    if kind is not None and kind[j] != NUMERIC:
        present = np.empty(stop - start, np.int64)
        n = 0
        for b in range(stop - start):
            if hist[channels - 1, start + b] > 0:
                present[n] = b
                n += 1
        count = routes(
            hist, start, present, n, total, criterion, units, rules, kind[j], node[PLACE], node[ORDER],
            table[: stop - start],
        )  # fmt: skip
    else:
        for b in range(stop - start):
            table[b] = 0 if b <= node[PLACE] else 1
        table[na_bin[j]] = 0 if node[TURN] else 1
    for b in range(stop - start):
        if table[b] >= 0:
            for c in range(channels):
                sums[table[b], c] += hist[c, start + b]
    return count
