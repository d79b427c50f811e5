"""The histograms that nodes of growing trees want, of the rows of a chunk: they merge by adding up."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tenfold.compiled.tree.tree_filling import fill_classes, fill_pairs
from tenfold.compiled.tree.tree_growing import SLOT
from tenfold.compiled.tree.tree_levels import sort_by_slot
from tenfold.compiled.tree.tree_sums import fill_sums, words
from tenfold.core import Codes
from tenfold.stats.trees.tree_bins import Bins, Cut
from tenfold.tree.growing.channels import Numbers
from tenfold.tree.growing.levelwise import Frontier
from tenfold.tree.records import Histogram


def slots_of(at: Frontier) -> Codes:
    """Histogram slot of each node, negative for none; and one more for rows that do not count."""
    return np.append(at.node[:, SLOT], -1)


def no_histograms(at: Frontier, cut: Cut) -> Histogram:
    """Zeros for each node that wants a histogram: slots x channels x cells."""
    return np.zeros((int(slots_of(at).max()) + 1, at.sums.shape[1], int(cut.offset[-1])), np.int64)


def add_histograms(hist: Histogram, slot: Codes, bins: Bins, cut: Cut, nodes: Codes, numbers: Numbers) -> None:
    """Add the rows of a chunk to the histograms of their nodes."""
    (rows, spans), (label, a, b) = _by_slot(slot, nodes), numbers
    for s, (start, stop) in enumerate(spans):
        if stop > start and label is not None:
            fill_classes(hist[s].reshape(-1), 0, hist.shape[1], bins, cut.offset, rows, start, stop, label, a)
        elif stop > start:
            fill_pairs(hist[s], bins, cut.offset, rows, start, stop, a, b)


def add_gradients(
    hist: Histogram, slot: Codes, bins: Bins, cut: Cut, nodes: Codes, g: Codes, h: Codes, short: bool
) -> None:
    """Add gradients and curvatures (none: ones) to histograms, for boosted trees."""
    rows, spans = _by_slot(slot, nodes)
    word, none = np.empty(len(g), np.int64), np.zeros(0, np.int64)
    words(g, h, short, 0, len(g), word)
    cells, offset = np.empty(hist.shape[2], np.int64), cut.offset
    for s, (start, stop) in enumerate(spans):
        if stop > start:
            fill_sums(
                hist[s], bins, offset, 0, len(bins), rows, start, stop, word, short, none if short else h, cells
            )  # fmt: skip


def _by_slot(slot: Codes, nodes: Codes) -> tuple[NDArray[np.uint32], list[tuple[int, int]]]:
    """Rows sorted by the slot of their node, if it has one, and the span of each slot."""
    ends = np.zeros(int(slot.max()) + 1, np.int64)
    rows = np.empty(len(nodes), np.uint32)
    sort_by_slot(nodes, slot, ends, rows)
    return rows, list(pairwise([0, *ends.tolist()]))
