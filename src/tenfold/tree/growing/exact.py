"""The exact tree (SLIQ): no bins, but rows in memory. Columns are sorted once; the tree grows breadth first.

Thresholds are midpoints between neighbouring values of a node's rows: for Gini and entropy the best of them lies where
the class changes. Rows of equal values stay together: a node of contradictory rows, equal in every column, is a leaf.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tenfold.compiled.tree.tree_growing import COLUMN, FIRST, MERIT, PATH, ROUTE, SLOT, TURN, draw, routes, row_noise
from tenfold.compiled.tree.tree_levels import sort_by_slot
from tenfold.compiled.tree.tree_lists import best_sets, best_thresholds
from tenfold.compiled.tree.tree_search import node_impurity
from tenfold.core import Array, Chunk, Codes, Flags, Mergeable, Schema
from tenfold.core.field_values import ANYTHING, COUNTS, Index
from tenfold.core.statistic import Statistic
from tenfold.stats.rows.draws import Holdout
from tenfold.stats.trees.tree_bins import NO_CODES, Cut, Target, WeightUnit
from tenfold.tree.growing import levelwise as lw
from tenfold.tree.growing.channels import Numbers, sums_by
from tenfold.tree.growing.growing import Rules
from tenfold.tree.growing.missing import NodeSplit
from tenfold.tree.tree import GrownTree


class ExactRows(Mergeable):
    """The unbinned rows of some chunks. Merging concatenates them."""

    columns: Annotated[Array, "column", "entry", ANYTHING]
    label: Annotated[Codes, "labelled", Index("class")]
    number: Annotated[Array, "numbered"]
    weight: Annotated[Codes, "weighted", COUNTS]
    """in whole units, or none: all are one"""

    @classmethod
    def of(cls, chunk: Chunk, weight: Codes) -> ExactRows:
        """Collect the rows of one chunk."""
        columns = np.empty((chunk.X.shape[1], chunk.n))
        for rows, block in chunk.X.blocks():
            columns[:, rows] = block.T
        classes = chunk.y.dtype.kind in "iu"
        label = chunk.y.astype(np.int64) if classes else np.zeros(0, np.int64)
        return cls(columns, label, np.zeros(0) if classes else chunk.y, weight)

    def __add__(self, other: ExactRows) -> ExactRows:
        return ExactRows(
            np.concatenate([self.columns, other.columns], axis=1),
            np.concatenate([self.label, other.label]),
            np.concatenate([self.number, other.number]),
            np.concatenate([self.weight, other.weight]),
        )

    def is_valid(self, schema: Schema) -> bool:
        """Whether every row has a target of the schema's kind, and all have what any has."""
        n = self.columns.shape[1]
        labels, numbers = (n, 0) if schema.target == "class" else (0, n)
        return len(self.label) == labels and len(self.number) == numbers and len(self.weight) in (0, n)

    @property
    def target(self) -> Target:
        """The target of the rows: class codes, or numbers."""
        return self.number if len(self.number) else self.label


class RowValues(Statistic[ExactRows]):
    """All training rows with a weight, unbinned."""

    weights: WeightUnit
    holdout: Holdout = Holdout()

    def summarize(self, chunk: Chunk) -> ExactRows:
        if self.holdout.share:
            chunk = chunk.rows(np.flatnonzero(self.holdout.learns(chunk.places(), chunk.n)))
        chunk = chunk.of_weight()
        return ExactRows.of(chunk, self.weights.in_units(chunk.weight))


class _Lists:
    """Attribute lists, and the class list: the node of each row."""

    def __init__(self, columns: Array, levels: Codes) -> None:
        self.columns, self.levels = columns, levels
        self.node = np.zeros(columns.shape[1], np.int64)
        self.codes: dict[int, Codes] = {}
        self.order: dict[int, tuple[NDArray[np.uint32], int]] = {}
        for j, (x, many) in enumerate(zip(columns, levels.tolist(), strict=True)):
            if many:
                self.codes[j] = np.where((x >= 0) & (x < many), x, many).astype(np.int64)
            else:
                self.order[j] = np.argsort(x, kind="stable").astype(np.uint32), int((~np.isnan(x)).sum())

    def descend(self, node: Codes, threshold: Array, route: Codes) -> None:
        """Rows of nodes that were split go to their children."""
        rows = np.flatnonzero(node[self.node, COLUMN] >= 0)
        k = self.node[rows]
        j = node[k, COLUMN]
        x = self.columns[j, rows]
        branch = np.where(np.isnan(x), 1 - node[k, TURN], x > threshold[k])
        sets = self.levels[j] > 0
        many = self.levels[j[sets]]
        code = np.where((x[sets] >= 0) & (x[sets] < many), x[sets], many).astype(np.int64)
        branch[sets] = route[node[k[sets], ROUTE] + code]
        self.node[rows] = node[k, FIRST] + branch


def grow(s: ExactRows, levels: Codes, rules: Rules, channels: int, numbers: Numbers) -> GrownTree:
    """Grow the tree from all rows."""
    lists = _Lists(s.columns, levels)
    at = lw.root(channels, rules.seed)
    at.node[0, SLOT] = lw.UNKNOWN
    at.sums[:] = sums_by(lists.node, 1, channels, *numbers)
    threshold = np.full(1, np.nan)
    while True:
        active = np.flatnonzero(at.node[:, SLOT] == lw.UNKNOWN)
        at.node[active, SLOT] = -1
        active = np.array([k for k in active if lw.may_split(at.node[k], at.sums[k], rules)], np.int64)
        if not len(active):
            break
        at, threshold, split = _level(at, threshold, active, lists, rules, numbers)
        lists.descend(at.node, threshold, at.route)
        new = at.node[:, SLOT] == lw.UNKNOWN
        if split:
            at.sums[new] = sums_by(lists.node, len(at.node), channels, *numbers)[new]
    cut = Cut(np.zeros((len(levels), 0)), levels)
    return GrownTree.of(lw.without_unchosen(at, rules), at.real, at.sums, at.route, cut, threshold)


class Searched(NamedTuple):
    """The best split of each column (rows) in each active node (columns)."""

    gain: Array
    threshold: Array
    missing_left: Flags
    place: Codes
    order: Codes
    """of categories: how they are ordered, and up to where they go left"""

    def choose(self, slot: int, node: Codes, most: int, least: float) -> int:
        """The column of greatest gain, of those a node may choose from; -1: none is good enough."""
        gain = self.gain[:, slot]
        picked = np.arange(len(gain))
        if most < len(picked):
            draw(picked.copy(), node[PATH : PATH + 1].view(np.uint64)[0], picked)
            good = np.flatnonzero(gain[picked] > least)
            picked = picked[: max(most, good[0] + 1 if len(good) else 0)]
        j = int(picked[gain[picked].argmax()])
        return j if gain[j] > least else -1


def _level(
    at: lw.Frontier, threshold: Array, active: Codes, lists: _Lists, rules: Rules, numbers: Numbers
) -> tuple[lw.Frontier, Array, int]:
    """The best splits of the active nodes, and their children."""
    n, slots, channels = len(lists.node), len(active), at.sums.shape[1]
    slot_of = np.full(len(at.node), -1)
    slot_of[active] = np.arange(slots)
    rows, ends = np.empty(n, np.uint32), np.zeros(slots, np.int64)
    sort_by_slot(lists.node, slot_of, ends, rows)
    found = _search(lists, rules, numbers, np.ascontiguousarray(at.sums[active]), slot_of[lists.node], rows, ends)
    most, nodes = rules.columns(len(lists.levels))[2], lw.Growth(at)
    for s, k in enumerate(active.tolist()):
        j = found.choose(s, at.node[k], most, rules.min_gain)
        if j < 0:
            continue
        nodes.node[k, [COLUMN, TURN]], nodes.real[k, MERIT] = (j, found.missing_left[j, s]), found.gain[j, s]
        threshold[k], arity, table = found.threshold[j, s], 2, NO_CODES
        if j in lists.codes:
            some = rows[ends[s - 1] if s else 0 : ends[s]]
            split = int(found.place[j, s]), int(found.order[j, s])
            arity, table = _table(lists.codes[j][some], int(lists.levels[j]), j, *split, some, rules, numbers, channels)
        none = np.zeros((arity, 0), np.int64)
        nodes.split(k, NodeSplit(table, np.zeros((arity, channels), np.int64), none[0], none), 0, rules)
    more = nodes.frontier()
    return more, np.append(threshold, np.full(len(more.node) - len(threshold), np.nan)), len(nodes.more)


def _search(
    lists: _Lists, rules: Rules, numbers: Numbers, total: Codes, slot: Codes, rows: NDArray[np.uint32], ends: Codes
) -> Searched:
    """The best split of each column in each slot."""
    shape = p, slots = len(lists.levels), len(total)
    cost, (_, a, b), noise = rules.cost(p), numbers, np.zeros(slots)
    base = np.array([node_impurity(t, rules.criterion, rules.units, rules.l2, -np.inf, np.inf) for t in total])
    gain, where, to_left = np.full(shape, -1.0), np.full(shape, np.nan), np.zeros(shape, bool)
    place, order_by = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    told = (*numbers, total, base, rules.criterion, rules.units, rules.limits)
    if (square := rules.squares(a, b)) is not None:
        squares, inside = np.zeros(slots, np.int64), slot >= 0
        np.add.at(squares, slot[inside], square[inside])
        noise = np.array([row_noise(*two, rules.units, rules.limits) for two in zip(squares, total, strict=True)])
    for j in range(p):
        if j in lists.codes:
            wide, out = int(lists.levels[j]) + 1, (gain[j], place[j], order_by[j])
            best_sets(lists.codes[j], wide, rules.kind[j], rows, ends, noise, *told, cost[j], *out)
        else:
            order, known = lists.order[j]
            best_thresholds(order, known, lists.columns[j], slot, *told, cost[j], gain[j], where[j], to_left[j])
    return Searched(gain, where, to_left, place, order_by)


def _table(
    codes: Codes, levels: int, j: int, place: int, order: int, rows: NDArray[np.uint32], rules: Rules,
    numbers: Numbers, channels: int,
) -> tuple[int, Codes]:  # fmt: skip
    """How many branches a split of column j has, and the branch of each category."""
    present, table = np.unique(codes), np.full(levels + 1, -1)
    if order < 0:
        table[present] = [0 if (place >> k) & 1 else 1 for k in range(len(present))]
        return 2, table
    label, a, b = numbers
    some = (
        None if label is None else label[rows],
        a[rows] if len(a) else a,
        b[rows] if b is not None and len(b) else b,
    )
    cells = np.ascontiguousarray(sums_by(codes, levels + 1, channels, *some).T)
    told = rules.criterion, rules.units, rules.limits, rules.kind[j]
    arity = routes(cells, 0, present, len(present), cells.sum(axis=1), *told, place, order, table)
    return int(arity), table
