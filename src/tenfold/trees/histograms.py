"""The histograms that nodes of a frontier want, of the rows of a chunk: they merge by adding up."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tenfold.kernels.tree_filling import fill
from tenfold.kernels.tree_growing import SLOT
from tenfold.kernels.tree_levels import sort_by_slot
from tenfold.kernels.tree_sums import fill_sums, words
from tenfold.stats.tree_bins import Cut
from tenfold.trees.frontier import Frontier


def histograms(at: Frontier, bins: Any, cut: Cut, nodes: Any, label: Any, a: Any, b: Any, criterion: int) -> Any:
    """The histograms of the nodes that want one, of the rows of a chunk: slots x channels x cells."""
    rows, spans = _by_slot(at, nodes)
    hist = np.zeros((len(spans), at.sums.shape[1], int(cut.offset[-1])), np.int64)
    for s, (start, stop) in enumerate(spans):
        if stop > start:
            fill(hist[s], bins, cut.offset, rows, start, stop, label, a, b, criterion)
    return hist


def slope_histograms(at: Frontier, bins: Any, cut: Cut, nodes: Any, g: Any, h: Any, short: bool) -> Any:
    """The same for slopes and curvatures (none: ones), for trees of boosting."""
    rows, spans = _by_slot(at, nodes)
    word, none = np.empty(len(g), np.int64), np.zeros(0, np.int64)
    words(g, h, short, 0, len(g), word)
    hist = np.zeros((len(spans), 3, int(cut.offset[-1])), np.int64)
    cells = np.empty(hist.shape[2], np.int64)
    for s, (start, stop) in enumerate(spans):
        if stop > start:
            fill_sums(
                hist[s],
                bins,
                cut.offset,
                0,
                len(bins),
                rows,
                start,
                stop,
                word,
                short,
                none if short else h,
                cells,
            )
    return hist


def _by_slot(at: Frontier, nodes: Any) -> tuple[Any, list[tuple[int, int]]]:
    """Rows sorted by the slot of their node, if it has one, and the span of each slot."""
    ends = np.zeros(int(at.node[:, SLOT].max(initial=-1)) + 1, np.int64)
    rows = np.empty(len(nodes), np.uint32)
    sort_by_slot(nodes, np.ascontiguousarray(at.node[:, SLOT]), ends, rows)
    return rows, list(pairwise([0, *ends.tolist()]))
