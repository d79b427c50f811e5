"""The exact tree where missing values take the most common value, or go to all branches in parts.

Every distinct value of a node's rows is a bin of its own there; the splits are then those of histograms
(`tree/growing/missing.py`), and no threshold is missed.
"""

from __future__ import annotations

import numpy as np

from tenfold.compiled.tree.tree_growing import ARITY, COLUMN, FIRST, PLACE, ROUTE, SLOT, TURN, row_noise
from tenfold.compiled.tree.tree_missing import CLASS, PARTS, ROW_PARTS
from tenfold.compiled.tree.tree_parts import SHARE_BITS
from tenfold.core import Array, Codes
from tenfold.stats.trees.tree_bins import Cut
from tenfold.tree.growing import levelwise as lw
from tenfold.tree.growing.channels import Numbers
from tenfold.tree.growing.exact import ExactRows
from tenfold.tree.growing.growing import Rules
from tenfold.tree.growing.missing import FractionalRows, width_of
from tenfold.tree.records import Histogram
from tenfold.tree.tree import GrownTree


def grow(s: ExactRows, levels: Codes, rules: Rules, channels: int, numbers: Numbers) -> GrownTree:
    """Grow the tree from all rows."""
    n = s.columns.shape[1]
    parts = FractionalRows(np.arange(n), np.zeros(n, np.int64), np.full(n, ROW_PARTS if rules.missing == PARTS else 1))
    at, threshold = lw.root(channels, rules.seed, width_of(rules.missing, channels)), np.full(1, np.nan)
    at.node[0, SLOT] = lw.UNKNOWN
    at.sums[0, -1] = len(parts.row) * parts.part[0]  # so that it is looked at
    square, active = rules.squares(*numbers[1:]), [0]
    while active:
        order = np.argsort(parts.node, kind="stable")
        spans = np.searchsorted(parts.node[order], np.add.outer([0, 1], active))
        nodes = lw.Growth(at)
        for k, start, stop in zip(active, *spans.tolist(), strict=True):
            some = order[start:stop]
            row, part = parts.row[some], parts.part[some]
            cut, bins = _own_bins(s.columns[:, row], levels)
            h = _histogram(bins, cut, row, part, numbers, channels)
            node, sums = nodes.node[k], nodes.sums[k]
            sums[:] = h[:, : cut.offset[1]].sum(axis=1)
            if not lw.may_split(node, sums, rules):
                continue
            noise = rules.noise
            if square is not None:
                noise = row_noise((square[row] * part).sum(), sums, rules.units, rules.limits)
            found = lw.best_split(h, node, nodes.real[k], sums, cut, rules, noise)
            if found is None:
                continue
            if rules.missing == CLASS:
                nodes.gaps[k] = found.gaps
            if not levels[node[COLUMN]]:
                threshold[k] = cut.edges[node[COLUMN], node[PLACE]]
            node[PLACE] = 0
            nodes.split(k, found, 0, rules)
        nodes.node[:, SLOT] = -1
        before, at = len(at.node), nodes.frontier()
        threshold = np.append(threshold, np.full(len(at.node) - before, np.nan))
        parts = _down(at, threshold, parts, s.columns, levels, numbers, rules.missing)
        active = [k for k in range(before, len(at.node)) if lw.may_split(at.node[k], at.sums[k], rules)]
    at.node[:, SLOT] = -1
    whole = Cut(np.zeros((len(levels), 0)), levels)
    return GrownTree.of(lw.without_unchosen(at, rules), at.real, at.sums, at.route, whole, threshold)


def _own_bins(columns: Array, levels: Codes) -> tuple[Cut, Codes]:
    """Bin edges and bins of some rows (columns x rows), with a bin for every distinct value."""
    bins, edges = np.empty(columns.shape, np.int64), []
    for j, (x, many) in enumerate(zip(columns, levels.tolist(), strict=True)):
        if many:
            bins[j] = np.where((x >= 0) & (x < many), x, many)
            edges.append(np.zeros(0))
            continue
        known = ~np.isnan(x)
        value, rank = np.unique(x[known], return_inverse=True)
        low, high = value[:-1], value[1:]
        middle = low + 0.5 * (high - low)
        edges.append(np.where((low < middle) & (middle < high), middle, low))
        bins[j] = max(len(value), 1)
        bins[j, known] = rank
    wide = max(1, *map(len, edges))
    return Cut(np.array([np.append(e, np.full(wide - len(e), np.inf)) for e in edges]), levels), bins


def _histogram(bins: Codes, cut: Cut, row: Codes, part: Codes, numbers: Numbers, channels: int) -> Histogram:
    """Channel sums by column and bin: channels x cells."""
    h, (label, a, b) = np.zeros((channels, int(cut.offset[-1])), np.int64), numbers
    first = part * a[row] if len(a) else part
    for cell in bins + cut.offset[:-1, None]:
        if label is not None:
            np.add.at(h, (label[row].astype(np.int64), cell), first)
        elif b is not None:
            np.add.at(h[0], cell, first)
            np.add.at(h[1], cell, part * b[row] if len(b) else part)
        np.add.at(h[-1], cell, part)
    return h


def _down(
    at: lw.Frontier, threshold: Array, parts: FractionalRows, columns: Array, levels: Codes, numbers: Numbers, way: int
) -> FractionalRows:
    """The parts of rows one level down; of those whose value is missing, by class or in further parts."""
    inner = at.node[parts.node, COLUMN] >= 0
    row, k, part = (x[inner] for x in parts)
    j = at.node[k, COLUMN]
    x, many = columns[j, row], levels[j]
    sets = many > 0
    gone = np.where(sets, ~((x >= 0) & (x < many)), np.isnan(x))
    branch = np.where(gone, 1 - at.node[k, TURN], x > threshold[k]).astype(np.int64)
    code = np.where(gone, many, np.where(sets, x, 0)).astype(np.int64)
    branch[sets] = at.route[(at.node[k, ROUTE] + code)[sets]]
    if way == CLASS and numbers[0] is not None:
        branch[gone] = at.gaps[k[gone], numbers[0][row[gone]]]
    new, ended = FractionalRows(row, at.node[k, FIRST] + branch, part), FractionalRows(*(x[~inner] for x in parts))
    if way == PARTS:
        new = _joined(FractionalRows(*(x[~gone] for x in new)), _distributed(at, row[gone], k[gone], part[gone]))
    return _joined(ended, new)


def _joined(some: FractionalRows, others: FractionalRows) -> FractionalRows:
    """Concatenate two sets of fractional rows."""
    return FractionalRows(*(np.concatenate(both) for both in zip(some, others, strict=True)))


def _distributed(at: lw.Frontier, row: Codes, k: Codes, part: Codes) -> FractionalRows:
    """Distribute the parts over children by share; the heaviest child, the first of ties, gets the remainder."""
    arity = at.node[k, ARITY]
    of = np.repeat(np.arange(len(k)), arity)
    child = at.node[k, FIRST][of] + np.arange(len(of)) - np.repeat(np.cumsum(arity) - arity, arity)
    some = (part[of] * at.gaps[child, 0]) >> SHARE_BITS
    if len(k):
        heaviest = np.lexsort((child, -at.gaps[child, 0], of))[np.cumsum(arity) - arity]
        some[heaviest] += part - np.bincount(of, weights=some).astype(np.int64)
    keep = some > 0
    return FractionalRows(row[of][keep], child[keep], some[keep])
