"""The exact tree (SLIQ): no bins, but rows in memory. Columns are sorted once; the tree grows breadth first.

Thresholds are midpoints between neighbouring values of a node's rows: for Gini and entropy the best of them lies where
the class changes. Rows of equal values stay together: a node of contradictory rows, equal in every column, is a leaf.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from tenfold.core import Array, Chunk, Codes, Schema
from tenfold.core.allowed import ANYTHING, COUNTS, Index
from tenfold.core.statistic import Statistic
from tenfold.kernels.tree_growing import ARITY, COLUMN, FIRST, MERIT, PATH, ROUTE, SLOT, TURN, draw, routes, row_noise
from tenfold.kernels.tree_levels import sort_by_slot
from tenfold.kernels.tree_lists import best_sets, best_thresholds
from tenfold.kernels.tree_search import badness
from tenfold.stats.draws import Holdout
from tenfold.stats.tree_bins import Cut, WeightUnit
from tenfold.trees import frontier as fr
from tenfold.trees.channels import sums_by
from tenfold.trees.growing import Rules
from tenfold.trees.tree import Tree, tree_from


@dataclass(frozen=True, eq=False)
class Values:
    """The rows of some chunks as they are. Merging is writing in order."""

    columns: Annotated[Array, "column", "entry", ANYTHING]
    label: Annotated[Codes, "labelled", Index("class")]
    number: Annotated[Array, "numbered"]
    weight: Annotated[Codes, "weighted", COUNTS]
    """in whole units, or none: all are one"""

    @classmethod
    def of(cls, chunk: Chunk, weight: Codes) -> Values:
        """The rows of one chunk."""
        columns = np.empty((chunk.X.shape[1], chunk.n))
        for rows, block in chunk.X.blocks():
            columns[:, rows] = block.T
        classes = chunk.y.dtype.kind in "iu"
        label = chunk.y.astype(np.int64) if classes else np.zeros(0, np.int64)
        return cls(columns, label, np.zeros(0) if classes else chunk.y, weight)

    def __add__(self, other: Values) -> Values:
        return Values(
            np.concatenate([self.columns, other.columns], axis=1),
            np.concatenate([self.label, other.label]),
            np.concatenate([self.number, other.number]),
            np.concatenate([self.weight, other.weight]),
        )

    def sound(self, schema: Schema) -> bool:
        """Whether every row has a target of the schema's kind, and all have what any has."""
        n = self.columns.shape[1]
        labels, numbers = (n, 0) if schema.target == "class" else (0, n)
        return len(self.label) == labels and len(self.number) == numbers and len(self.weight) in (0, n)

    @property
    def target(self) -> Any:
        """Classes or numbers."""
        return self.number if len(self.number) else self.label


class RowValues(Statistic[Values]):
    """All rows to learn from, as they are."""

    weights: WeightUnit
    holdout: Holdout = Holdout()

    def summarize(self, chunk: Chunk) -> Values:
        """Gather the rows of one chunk."""
        if self.holdout.share:
            chunk = chunk.rows(np.flatnonzero(self.holdout.learns(chunk.places(), chunk.n)))
        return Values.of(chunk, self.weights.whole(chunk.weight))


class _Lists:
    """Attribute lists, and the class list: the node of each row."""

    def __init__(self, columns: Array, levels: Codes) -> None:
        self.columns, self.levels = columns, levels
        self.node = np.zeros(columns.shape[1], np.int64)
        self.codes: dict[int, Any] = {}
        self.order: dict[int, Any] = {}
        for j, (x, many) in enumerate(zip(columns, levels.tolist(), strict=True)):
            if many:
                self.codes[j] = np.where((x >= 0) & (x < many), x, many).astype(np.int64)
            else:
                self.order[j] = np.argsort(x, kind="stable").astype(np.uint32), int((~np.isnan(x)).sum())

    def descend(self, node: Any, threshold: Any, route: Any) -> None:
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


def grow(s: Values, levels: Codes, rules: Rules, channels: int, label: Any, a: Any, b: Any) -> tuple[Tree, Any]:
    """The tree, and the channel sums of its nodes."""
    lists = _Lists(s.columns, levels)
    at = fr.root(channels, rules.seed)
    at.node[0, SLOT] = fr.UNKNOWN
    at.sums[:] = sums_by(lists.node, 1, channels, label, a, b)
    threshold = np.full(1, np.nan)
    while True:
        active = np.flatnonzero(at.node[:, SLOT] == fr.UNKNOWN)
        at.node[active, SLOT] = -1
        active = np.array([k for k in active if fr.may_split(at.node[k], at.sums[k], rules)], np.int64)
        if not len(active):
            break
        at, threshold, split = _level(at, threshold, active, lists, rules, label, a, b)
        lists.descend(at.node, threshold, at.route)
        new = at.node[:, SLOT] == fr.UNKNOWN
        if split:
            at.sums[new] = sums_by(lists.node, len(at.node), channels, label, a, b)[new]
    cut = Cut(np.zeros((len(levels), 0)), levels)
    tree, old = tree_from(fr.pruned(at, rules), at.real, at.route, cut, threshold)
    return tree, at.sums[old]


def _level(
    at: fr.Frontier, threshold: Any, active: Any, lists: _Lists, rules: Rules, label: Any, a: Any, b: Any
) -> tuple[fr.Frontier, Any, int]:
    """The best splits of the active nodes, and their children."""
    n, p, slots = len(lists.node), len(lists.levels), len(active)
    slot_of = np.full(len(at.node), -1)
    slot_of[active] = np.arange(slots)
    slot = slot_of[lists.node]
    rows, ends = np.empty(n, np.uint32), np.zeros(slots, np.int64)
    sort_by_slot(lists.node, slot_of, ends, rows)
    total = np.ascontiguousarray(at.sums[active])
    base = np.array([badness(t, rules.criterion, rules.units, rules.l2, -np.inf, np.inf) for t in total])
    cost, _, most = rules.columns(p)
    merit, where = np.full((p, slots), -1.0), np.full((p, slots), np.nan)
    place, by, to_left = np.zeros((p, slots), np.int64), np.zeros((p, slots), np.int64), np.zeros((p, slots), bool)
    told = (label, a, b, total, base, rules.criterion, rules.units, rules.limits)
    noise = np.zeros(slots)
    if len(square := rules.squares(a, b)):
        squares, inside = np.zeros(slots, np.int64), slot >= 0
        np.add.at(squares, slot[inside], square[inside])
        noise = np.array([row_noise(*two, rules.units, rules.limits) for two in zip(squares, total, strict=True)])
    for j in range(p):
        if j in lists.codes:
            wide = int(lists.levels[j]) + 1
            best_sets(lists.codes[j], wide, rules.kind[j], rows, ends, noise, *told, cost[j], merit[j], place[j], by[j])
        else:
            order, known = lists.order[j]
            best_thresholds(order, known, lists.columns[j], slot, *told, cost[j], merit[j], where[j], to_left[j])
    node, real, sums, route = [at.node], [at.real], [at.sums], [at.route]
    more, count, routed = [threshold], len(at.node), len(at.route)
    for s, k in enumerate(active.tolist()):
        j = _choose(merit[:, s], at.node[k], most, rules.least_merit)
        if j < 0:
            continue
        at.node[k, [COLUMN, TURN]], at.real[k, MERIT], arity = (j, to_left[j, s]), merit[j, s], 2
        threshold[k] = where[j, s]
        if j in lists.codes:
            some = rows[ends[s - 1] if s else 0 : ends[s]]
            arity, table = _table(
                lists.codes[j][some], lists.levels[j], rules.kind[j], place[j, s], by[j, s], some, told
            )
            at.node[k, ROUTE] = routed
            route.append(table)
            routed += len(table)
        at.node[k, [FIRST, ARITY]] = count, arity
        below = fr._children(at.node[k], at.real[k], np.zeros((arity, total.shape[1]), np.int64), 0, rules)
        node.append(below[0])
        real.append(below[1])
        sums.append(below[2])
        more.append(np.full(arity, np.nan))
        count += arity
    tables: Any = (np.concatenate(x) for x in (node, real, sums, route, [np.zeros((count, 0), np.int64)]))
    return fr.Frontier(*tables), np.concatenate(more), len(node) - 1


def _choose(merit: Any, node: Any, most: int, least: float) -> int:
    """The column of greatest merit, of those a node may choose from; -1: none is good enough."""
    picked = np.arange(len(merit))
    if most < len(picked):
        draw(picked.copy(), node[PATH : PATH + 1].view(np.uint64)[0], picked)
        good = np.flatnonzero(merit[picked] > least)
        picked = picked[: max(most, good[0] + 1 if len(good) else 0)]
    j = int(picked[merit[picked].argmax()])
    return j if merit[j] > least else -1


def _table(codes: Any, levels: int, kind: int, place: int, by: int, rows: Any, told: Any) -> tuple[int, Codes]:
    """How many branches, and the branch of each category."""
    label, a, b, total, _, criterion, units, limits = told
    present, table = np.unique(codes), np.full(levels + 1, -1)
    if by < 0:
        table[present] = [0 if (place >> k) & 1 else 1 for k in range(len(present))]
        return 2, table
    channels = total.shape[1]
    some = (label[rows] if len(label) else label, a[rows] if len(a) else a, b[rows] if len(b) else b)
    cells = np.ascontiguousarray(sums_by(codes, int(levels) + 1, channels, *some).T)
    whole = cells.sum(axis=1)
    arity = routes(cells, 0, present, len(present), whole, criterion, units, limits, kind, place, by, table)
    return int(arity), table
