"""A tree that grows level by level: its nodes so far, those whose histograms are wanted, and what to make of them.

A node whose best split is known has its children at once. Rows go down as far as there are nodes; which nodes belong to
the tree is decided by going through the splits again in their order of gain (`chosen`). So the tree does not
depend on how many histograms are made per scan, and is the one that `grow` makes of the same rows.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from tenfold.compiled.tree import tree_parts as tp
from tenfold.compiled.tree.forests import search_drawn
from tenfold.compiled.tree.tree_applying import leaves_of_bins
from tenfold.compiled.tree.tree_growing import (
    ARITY,
    COLUMN,
    DEPTH,
    FIELDS,
    FIRST,
    LEAST,
    MERIT,
    MOST,
    ORDER,
    PATH,
    PLACE,
    ROUTE,
    SLOT,
    TURN,
    branch_path,
    draw,
    row_noise,
)  # fmt: skip
from tenfold.compiled.tree.tree_levels import branches_of
from tenfold.compiled.tree.tree_missing import CLASS, LEARNED, ROW_PARTS
from tenfold.compiled.tree.tree_search import SUMS, leaf_value, node_impurity, search
from tenfold.core import Array, Codes, Schema
from tenfold.core.field_values import ANYTHING, Between
from tenfold.stats.trees.tree_bins import MAX_TWO_BYTE_BINS, NO_CODES, Bins, Cut, Target
from tenfold.tree.growing import missing
from tenfold.tree.growing.channels import Numbers
from tenfold.tree.growing.growing import Rules, grow
from tenfold.tree.growing.missing import FractionalRows, NodeSplit
from tenfold.tree.records import Histogram, Histograms, RowsOf
from tenfold.tree.tree import GrownTree

UNKNOWN, HISTOGRAM, ROWS = -2, 0, -3
"""in the field SLOT: not looked at yet; its histogram is wanted, and its place; its rows are wanted"""
HISTOGRAM_BYTES_PER_SCAN = 1 << 26
"""bytes of histograms, or of rows, that are asked for at a time"""
GATHER_BELOW_ROWS = 1 << 16
"""nodes with fewer rows are finished where those are gathered"""


class Frontier(NamedTuple):
    """The nodes so far, as `grow` has them."""

    node: Annotated[Codes, "node", "field", ANYTHING]
    real: Annotated[Array, "node", "bound", ANYTHING]
    sums: Annotated[Codes, "node", "channel", ANYTHING]
    route: Annotated[Codes, "route", Between(-1, MAX_TWO_BYTE_BINS)]
    gaps: Annotated[Codes, "node", "gap", ANYTHING]
    """where rows go that miss the value (`tree/growing/missing.py`)"""

    @property
    def wants_rows(self) -> bool:
        """Whether the rows of small nodes are wanted, not histograms."""
        return bool((self.node[:, SLOT] == ROWS).any())

    def fits(self, channels: int, gaps: int = 0) -> bool:
        """Whether its nodes have this number of channels, and of numbers for missing values."""
        return (self.sums.shape[1], self.gaps.shape[1]) == (channels, gaps)

    def is_valid(self, schema: Schema) -> bool:
        """Whether rows can go down: children come after their parents, routes lead to them, and slots are numbered."""
        n, node = len(self.node), self.node
        if node.shape[1] != FIELDS or self.real.shape[1] != MOST + 1:
            return False
        column, slots = node[:, COLUMN], np.sort(node[node[:, SLOT] >= 0, SLOT])
        inner = column >= 0
        fine = ((column >= -1) & (column < len(schema.levels))).all() and np.array_equal(slots, np.arange(len(slots)))
        fine &= (node[:, SLOT] >= ROWS).all() and ((node[:, DEPTH] >= 0) & (node[:, DEPTH] <= n)).all()
        if not bool(fine):
            return False
        at, first, many = np.flatnonzero(inner), node[inner, FIRST], node[inner, ARITY]
        fine = (many >= 2).all() and (first > at).all() and (first <= n - many).all() and (many <= n).all()
        fine &= not (node[~inner, FIRST].any() or node[~inner, ARITY].any())
        fine &= np.isin(node[:, TURN], (0, 1)).all()
        wide = schema.levels[column[inner]]
        sets = wide > 0
        start, width = node[inner, ROUTE][sets], wide[sets] + 1
        fine &= (many[~sets] == 2).all() and (node[inner, ROUTE][~sets] == -1).all() and (start >= 0).all()
        if not fine or (start > len(self.route) - width).any() or width.sum() > len(self.route):
            return False
        code = self.route[np.repeat(start - np.cumsum(width) + width, width) + np.arange(width.sum())]
        return bool((code < np.repeat(many[sets], width)).all())


def root(channels: int, seed: int, gaps: int = 0) -> Frontier:
    """A root that nothing is known of."""
    node = np.zeros((1, FIELDS), np.int64)
    node[0, [COLUMN, ROUTE, SLOT]] = -1, -1, HISTOGRAM
    node[0, PATH] = seed
    none = np.zeros(0, np.int64)
    return Frontier(
        node, np.array([[0.0, -np.inf, np.inf]]), np.zeros((1, channels), np.int64), none, np.zeros((1, gaps), np.int64)
    )


def go_down(at: Frontier, bins: Bins, cut: Cut, nodes: Codes) -> Codes:
    """The node of each row, going on from those given (-1: the root)."""
    column, place, turn, first, routed = (
        np.ascontiguousarray(at.node[:, f]) for f in (COLUMN, PLACE, TURN, FIRST, ROUTE)
    )
    leaves_of_bins(bins, cut.offset, cut.gap, column, place, turn, first, routed, at.route, 0, nodes)
    return nodes


def go_down_by_class(at: Frontier, bins: Bins, cut: Cut, label: Target, nodes: Codes) -> Codes:
    """Move rows to the children, with missing values routed by the class of the row."""
    tp.down_by_class(bins, cut.gap, at.node, at.route, at.gaps, label, nodes)
    return nodes


def go_down_in_parts(at: Frontier, bins: Bins, cut: Cut, parts: FractionalRows | None) -> FractionalRows:
    """The parts of all rows, going on from those given."""
    if parts is None:
        n = bins.shape[1]
        parts = FractionalRows(np.arange(n), np.zeros(n, np.int64), np.full(n, ROW_PARTS))
    arity = np.ascontiguousarray(at.node[:, ARITY])
    while (at.node[parts.node, COLUMN] >= 0).any():
        room = len(parts.row)
        while True:
            more = FractionalRows(*(np.empty(room, np.int64) for _ in range(3)))
            count = tp.down_in_parts(bins, cut.gap, at.node, arity, at.route, at.gaps, *parts, *more)
            if count <= room:
                break
            room = count
        parts = FractionalRows(*(x[:count] for x in more))
    order = np.lexsort((parts.node, parts.row))
    return FractionalRows(*(np.ascontiguousarray(x[order]) for x in parts))


def holds(at: Frontier, nodes: Codes) -> bool:
    """Whether rows are in nodes that there are."""
    return not len(nodes) or int(nodes.max()) < len(at.node)


def proceed(
    at: Frontier, came: Histograms | RowsOf, numbers: Numbers | None, cut: Cut, rules: Rules, roots: int = 1,
    factor: Codes = NO_CODES,
) -> Frontier | list[GrownTree]:  # fmt: skip
    """Process the requested histograms or rows, and return the next request, or the finished trees.

    `numbers` are those of the rows that came; histograms that came are multiplied by a factor for each channel, if
    there is one.
    """
    if isinstance(came, RowsOf):
        assert numbers is not None
        at = finish(at, came.rows.bins, came.node, cut, rules, numbers)
    else:
        hist, squares = came.split(at.sums.shape[1], int(cut.offset[-1]))
        at = take_in(at, hist * factor[:, None] if len(factor) else hist, cut, rules, squares)
    more = want(at, cut, rules)
    if more is not None:
        return more
    node = without_unchosen(at, rules)
    return [GrownTree.of(node, at.real, at.sums, at.route, cut, root=t) for t in range(roots)]


class Growth:
    """Nodes to which more are added."""

    def __init__(self, at: Frontier) -> None:
        self.node, self.real, self.sums, self.gaps = at.node.copy(), at.real.copy(), at.sums.copy(), at.gaps.copy()
        self.route = at.route
        self.count, self.routed = len(at.node), len(at.route)
        self.more: list[tuple[Codes, Array, Codes, Codes, Codes]] = []

    def add(self, node: Codes, real: Array, sums: Codes, route: Codes, gaps: Codes) -> None:
        """Add nodes, and routes to them."""
        self.more.append((node, real, sums, route, gaps))
        self.count, self.routed = self.count + len(node), self.routed + len(route)

    def split(self, k: int, found: NodeSplit, monotonic: int, rules: Rules) -> None:
        """Add the children of a node whose column, place and gain are noted."""
        if rules.kind[self.node[k, COLUMN]]:
            self.node[k, ROUTE] = self.routed
            table = found.table
        else:
            table = NO_CODES
        self.node[k, [FIRST, ARITY]] = self.count, len(found.sums)
        below = children(self.node[k], self.real[k], found.sums, monotonic, rules)
        self.add(*below, table, found.shares)

    def frontier(self) -> Frontier:
        """All nodes of the frontier: those that were there, and those that were added."""
        node, real, sums, route, gaps = zip(*self.more) if self.more else [()] * 5
        return Frontier(
            np.concatenate([self.node, *node]), np.concatenate([self.real, *real]), np.concatenate([self.sums, *sums]),
            np.concatenate([self.route, *route]), np.concatenate([self.gaps, *gaps]),
        )  # fmt: skip


def take_in(at: Frontier, hist: Histogram, cut: Cut, rules: Rules, squares: Codes | None = None) -> Frontier:
    """The best splits of the nodes whose histograms came (and Σ of squares, if rules want them), and their children."""
    nodes, (_, way, _) = Growth(at), rules.columns(len(cut.levels))
    for k in np.flatnonzero(at.node[:, SLOT] >= 0).tolist():
        node, sums, slot = nodes.node[k], nodes.sums[k], at.node[k, SLOT]
        sums[:] = hist[slot][:, : cut.offset[1]].sum(axis=1)
        node[SLOT] = -1
        if not may_split(node, sums, rules):
            continue
        noise = rules.noise if squares is None else row_noise(squares[slot], sums, rules.units, rules.limits)
        found = best_split(hist[slot], node, nodes.real[k], sums, cut, rules, noise)
        if found is None:
            continue
        if rules.missing == CLASS:
            nodes.gaps[k] = found.gaps
        nodes.split(k, found, 0 if way is None else int(way[node[COLUMN]]), rules)
    return nodes.frontier()


def best_split(
    h: Histogram, node: Codes, real: Array, sums: Codes, cut: Cut, rules: Rules, noise: float
) -> NodeSplit | None:
    """The best split of a node with this histogram, which is noted in its fields; or None."""
    most = rules.columns(len(cut.levels))[2]
    picked = np.arange(len(cut.levels))
    if most < len(picked):
        draw(picked.copy(), node[PATH : PATH + 1].view(np.uint64)[0], picked)
    best: missing.Found = (-1.0, -1, -1, -1, 0)
    done, tries = 0, most
    while done < most or (best[0] <= rules.min_gain and done < len(picked)):
        some = picked[done : done + tries]
        found = search_columns(h, some, sums, cut, rules, noise, (real[LEAST], real[MOST]), int(node[PATH]))
        best = found if found[0] > best[0] else best
        done, tries = done + tries, 1
    if not best[0] > rules.min_gain:
        return None
    node[[COLUMN, PLACE, ORDER, TURN]] = best[1:]
    real[MERIT] = best[0]
    if rules.missing != LEARNED:
        return missing.branches(h, cut, rules, node, sums)
    wide = int((cut.gap + 1).max())
    table, split = np.empty(wide, np.int64), np.zeros((max(wide, 2), len(sums)), np.int64)
    arity = branches_of(
        h, cut.offset, rules.kinds, cut.gap, node, sums, rules.criterion, rules.units, rules.limits, table, split
    )
    none = np.zeros((arity, 0), np.int64)
    return NodeSplit(table[: int(cut.gap[node[COLUMN]]) + 1], split[:arity], none[0], none)


def search_columns(
    h: Histogram, some: Codes, sums: Codes, cut: Cut, rules: Rules, noise: float = 0.0,
    bounds: tuple[float, float] = (-np.inf, np.inf), path: int = 0,
) -> missing.Found:  # fmt: skip
    """The best split over some columns of a node with this histogram; of gain -1, if there is none.

    path: the number of the node, by which cuts are drawn, if they are.
    """
    if rules.missing != LEARNED:
        return missing.search(h, cut, rules, some, sums, noise)
    cost, way, _ = rules.columns(len(cut.levels))
    base = node_impurity(sums, rules.criterion, rules.units, rules.l2, *bounds)
    found: missing.Found
    if rules.centers is not None:
        found = search_drawn(
            h, cut.offset, rules.kind, cut.gap, rules.centers, some, path, sums, base, noise, rules.criterion,
            rules.units, rules.limits, cost,
        )  # fmt: skip
        return found
    found = search(
        h, cut.offset, rules.kinds, cut.gap, some, sums, base, noise, rules.criterion, rules.units, rules.limits, cost,
        way, *bounds,
    )  # fmt: skip
    return found


def children(node: Codes, real: Array, sums: Codes, way: int, rules: Rules) -> tuple[Codes, Array, Codes]:
    """The children of a node: nothing is known of them but their sums."""
    arity = len(sums)
    below = np.zeros((arity, FIELDS), np.int64)
    below[:, [COLUMN, ROUTE, SLOT]] = -1, -1, UNKNOWN
    below[:, DEPTH] = node[DEPTH] + 1
    below[:, PATH] = [branch_path(node[PATH], k) for k in range(arity)]
    bound = np.repeat(real[None], arity, axis=0)
    if way and arity == 2:
        x, y = (leaf_value(*(s[:2] * rules.units + (0, rules.l2)), real[LEAST], real[MOST]) for s in sums)
        side = MOST if way > 0 else LEAST
        bound[0, side] = bound[1, LEAST + MOST - side] = 0.5 * (x + y)
    return below, bound, sums.copy()


def may_split(node: Codes, sums: Codes, rules: Rules) -> bool:
    """Whether a leaf may be split at all."""
    fine = sums[-1] >= rules.least_to_split and (rules.max_depth < 0 or node[DEPTH] < rules.max_depth)
    if fine and rules.criterion != SUMS:
        fine = node_impurity(sums, rules.criterion, rules.units, 0.0, -np.inf, np.inf) > 0
    return bool(fine)


def chosen(at: Frontier, rules: Rules) -> tuple[Codes, Codes]:
    """The nodes that are split, as far as is known, and the leaves that nothing is known of.

    With a limit on leaves, the split of greatest gain comes first, of equals that of the leaf that came first.
    """
    if not rules.max_leaf_nodes:
        return np.flatnonzero(at.node[:, COLUMN] >= 0), np.flatnonzero(at.node[:, SLOT] == UNKNOWN)
    leaves, born = 1, 1
    opened = {0: 0}
    picked: list[int] = []
    while leaves < rules.max_leaf_nodes:
        able = [k for k in opened if at.node[k, COLUMN] >= 0]
        if not able:
            break
        k = max(able, key=lambda k: (at.real[k, MERIT], -opened[k]))
        picked.append(k)
        del opened[k]
        first, arity = at.node[k, FIRST], at.node[k, ARITY]
        opened.update({int(first) + i: born + i for i in range(arity)})
        born += int(arity)
        leaves += int(arity) - 1
    unknown = [k for k in opened if at.node[k, SLOT] == UNKNOWN]
    return np.array(picked, np.int64), np.array(sorted(unknown), np.int64)


def want(at: Frontier, cut: Cut, rules: Rules) -> Frontier | None:
    """Next request: histograms of as many leaves as fit into memory, or rows of small ones; None if finished."""
    _, unknown = chosen(at, rules)
    node = at.node.copy()
    for k in unknown:
        if not may_split(node[k], at.sums[k], rules):
            node[k, SLOT] = -1
    unknown = unknown[node[unknown, SLOT] == UNKNOWN]
    at = at._replace(node=node)
    if not len(unknown):
        return None
    rows = at.sums[:, -1]
    if not rules.max_leaf_nodes and rules.missing == LEARNED and rows[unknown].max() <= GATHER_BELOW_ROWS:
        room = HISTOGRAM_BYTES_PER_SCAN
        for k in unknown:
            room -= int(rows[k]) * (len(cut.levels) + 16)
            if room < 0 and (node[:, SLOT] == ROWS).any():
                break
            node[k, SLOT] = ROWS
        return at
    large = [k for k in unknown if rules.max_leaf_nodes or rules.missing != LEARNED or rows[k] > GATHER_BELOW_ROWS]
    most = max(1, HISTOGRAM_BYTES_PER_SCAN // (8 * at.sums.shape[1] * int(cut.offset[-1])))
    node[large[:most], SLOT] = np.arange(len(large[:most]))
    return at


def finish(at: Frontier, bins: Bins, nodes: Codes, cut: Cut, rules: Rules, numbers: Numbers) -> Frontier:
    """Grow the subtrees of nodes whose rows came."""
    grown = Growth(at)
    wanted = np.flatnonzero(at.node[:, SLOT] == ROWS)
    order, square = np.argsort(nodes, kind="stable"), rules.squares(*numbers[1:])
    spans = np.searchsorted(nodes[order], [wanted, wanted + 1])
    for k, start, stop in zip(wanted.tolist(), *spans.tolist(), strict=True):
        depth = int(at.node[k, DEPTH])
        below = rules._replace(max_depth=max(rules.max_depth - depth, -1), max_leaf_nodes=0, seed=int(at.node[k, PATH]))
        bounds, index = (at.real[k, LEAST], at.real[k, MOST]), order[start:stop].astype(np.uint32)
        node, real, sums, route = grow(bins, cut, below, at.sums.shape[1], numbers, square, index, bounds)
        node = node.copy()
        node[:, SLOT] = -1
        node[:, DEPTH] += depth
        node[:, FIRST] += grown.count - 1
        node[node[:, ROUTE] >= 0, ROUTE] += grown.routed
        grown.node[k], grown.real[k] = node[0], real[0]
        grown.add(node[1:], real[1:], sums[1:], route, np.zeros((len(node) - 1, 0), np.int64))
    return grown.frontier()


def without_unchosen(at: Frontier, rules: Rules) -> Codes:
    """The table of nodes in which those that are not split are leaves."""
    picked, _ = chosen(at, rules)
    node = at.node.copy()
    stays = np.ones(len(node), bool)
    stays[picked] = False
    node[stays, COLUMN] = -1
    return node
