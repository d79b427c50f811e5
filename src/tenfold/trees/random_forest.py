"""What both forests share: trees of rows drawn anew for each, and of a few columns drawn anew for each node.

How often a tree draws a row is a Poisson number from a hash of the row and the tree: no tree needs a list, and every
runner draws the same. Histograms hold whole numbers, so the trees are the same from rows in one place, where threads
grow one tree each, and level by level from merged histograms, where some trees share each reduce.

The phases of a fit: "look", then "rows" (gather all, if they are few) or "level" and "finish" in turn, and "judge":
what the trees that have not drawn a row say of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import MANY, Array, Ask, Chunk, Codes, Columns, Schema
from tenfold.core.crew import hands, share
from tenfold.estimator.base import Estimator
from tenfold.kernels.forests import add_forest, add_unseen, draw_rows, tree_keys
from tenfold.kernels.tree_growing import ARITY, FIRST, PATH, fill
from tenfold.kernels.tree_levels import sort_by_slot
from tenfold.kernels.tree_search import NUMERIC, SUBSET
from tenfold.stats.gathered import Gathered
from tenfold.stats.race import row_bits
from tenfold.stats.tree_bins import EXACT, Cut, Look, Seen, TreeLens
from tenfold.trees import frontier as fr
from tenfold.trees.growing import Rules, grow_from
from tenfold.trees.learner import GATHER, Histograms, RowsOf, columns_of
from tenfold.trees.tree import Tree, no_tree, tree_from

TOGETHER = 16
"""trees that are grown at a time"""
ROWS, COLUMNS = 0, 1
"""what a tree's number is for"""
ANY = float(np.nextafter(0.0, -np.inf))
"""a split may gain nothing"""


class Forest(NamedTuple):
    """The trees so far, and how to go on."""

    step: int
    """how many trees there are"""
    phase: str
    turn: int
    bin_edges: Annotated[Array, "column", "edge"]
    levels: Annotated[Codes, "column"]
    rows: int
    unit: float
    even: bool
    heaviest: float
    center: float
    scale: float
    """of the target, if it is a number: the middle, and the way from there to the ends"""
    trees: Tree
    """one after the other"""
    roots: Annotated[Codes, "tree"]
    value: Annotated[Array, "node", "output"]
    """what a tree says of rows that end in a node"""
    frontier: fr.Frontier
    """of the trees that grow level by level: their roots come first"""

    @property
    def cut(self) -> Cut:
        """Where columns are cut."""
        return Cut(self.bin_edges, self.levels)

    @property
    def outputs(self) -> int:
        """Numbers that a tree says of a row."""
        return self.value.shape[1]


@dataclass(frozen=True, eq=False)
class ForestLens:
    """A lens through which rows become bins, with a number to draw them by: of their content, or their own."""

    lens: TreeLens
    seed: int
    content: bool

    def __call__(self, chunk: Chunk) -> Seen:
        """Bins, targets, weights and numbers of a chunk."""
        seen = self.lens(chunk)
        if not self.content:
            return seen
        told = chunk.y.astype(np.float64).view(np.uint64) * np.uint64(0xD1B54A32D192ED03)
        return seen._replace(number=(row_bits(chunk.X, self.seed) ^ told).view(np.int64))


class RandomForest(Estimator):
    """The phases. A learner brings what is left open below."""

    passes = MANY
    state_type = Forest
    steering = frozenset({
        "step", "phase", "turn", "bin_edges", "levels", "rows", "unit", "even", "heaviest", "center",
        "scale", "frontier",
    })  # fmt: skip
    n_estimators: int
    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int
    max_features: Any
    max_leaf_nodes: int | None
    bootstrap: bool
    draw_by: str
    max_bins: int
    random_state: Any

    def begin(self, schema: Schema, outputs: int) -> Forest:
        """No tree yet."""
        levels = schema.levels
        return Forest(
            0, "look", 0, np.zeros((len(levels), 0)), levels, 0, 1.0, True, 1.0, 0.0, 1.0, no_tree(),
            np.zeros(0, np.int64), np.zeros((0, outputs)), fr.root(0, 0),
        )  # fmt: skip

    def ask(self, state: Forest) -> Ask | None:
        """What the phase needs; rows in one place are asked for once."""
        if state.phase == "done":
            return None
        return Ask(state.phase, 0 if state.phase == "rows" else state.turn)

    def lens(self, state: Forest) -> ForestLens | None:
        """Rows become bins as soon as the edges are known."""
        if state.phase == "look":
            return None
        content = self.bootstrap and self.draw_by == "content"
        numbered = self.bootstrap and not content
        return ForestLens(TreeLens(state.cut, state.unit, state.even, numbered), int(self.random_state), content)

    def summarize(self, state: Forest, chunk: Chunk) -> Any:
        """A look, all rows, histograms or rows of nodes, or what is said of rows by trees that have not drawn them."""
        if state.phase == "look":
            return Look.of(chunk, self.random_state)
        seen: Seen = chunk.held
        if state.phase == "rows":
            return Gathered.of(seen)
        if state.phase == "judge":
            return self.judged(state, seen, *self._unseen(state, seen))
        at, slot = state.frontier, np.append(state.frontier.node[:, fr.SLOT], -1)
        if state.phase == "level":
            slots = int(slot.max()) + 1
            hist = np.zeros((slots, at.sums.shape[1], int(state.cut.offset[-1])), np.int64)
            rows, ends = np.empty(chunk.n, np.uint32), np.zeros(slots, np.int64)
            for t in range(self._growing(state)):
                nodes, (label, a, b) = self._nodes(state, seen, t)
                ends[:] = 0
                sort_by_slot(nodes, slot, ends, rows)
                start = 0
                for s, stop in enumerate(ends.tolist()):
                    if stop > start:
                        fill(hist[s], seen.bins, state.cut.offset, rows, start, stop, label, a, b, self.criterion_of())
                    start = stop
            return Histograms(hist.reshape(slots, -1))
        which: list[Any] = []
        places: list[Any] = []
        for t in range(self._growing(state)):
            nodes, _ = self._nodes(state, seen, t)
            which.append(np.flatnonzero(slot[nodes] == fr.ROWS))
            places.append(nodes[which[-1]])
        return RowsOf(Gathered.of(seen.rows(np.concatenate(which))), np.concatenate(places))

    def update(self, state: Forest, s: Any) -> Forest:
        """The next phase, trees or levels."""
        if state.phase == "look":
            few = s.rows * len(state.levels) <= GATHER
            state = state._replace(
                phase="rows" if few else "level", bin_edges=Cut.of(s, state.levels, min(self.max_bins, 255)).edges,
                rows=s.rows, unit=s.unit(EXACT - 4), even=s.even, heaviest=s.heaviest,
                center=0.5 * s.least + 0.5 * s.most, scale=max(0.5 * s.most - 0.5 * s.least, 0.0),
            )  # fmt: skip
            return state if few else self._roots(state)
        state = state._replace(turn=state.turn + 1)
        if state.phase == "judge":
            return state._replace(phase="done")
        if state.phase == "rows":
            next_ones = range(state.step, min(state.step + TOGETHER, self.n_estimators))
            return self._more(state, _shared([lambda t=t: self._tree(state, s, t) for t in next_ones]))
        rules, at = self._rules(state), state.frontier
        if state.phase == "level":
            at = fr.take_in(at, s.sums.reshape(len(s.sums), at.sums.shape[1], -1), state.cut, rules)
        else:
            times = self._times_of(state, s)
            rows = s.rows
            numbers = self.numbers(state, _target(rows), rows.weight, times)
            at = fr.finish(at, rows.bins, s.node, state.cut, rules, *numbers)
        more = fr.want(at, state.cut, rules)
        if more is not None:
            some = (more.node[:, fr.SLOT] == fr.ROWS).any()
            return state._replace(phase="finish" if some else "level", frontier=more)
        node = fr.pruned(at, rules)
        return self._more(state, [_taken(node, at, t, state.cut) for t in range(self._growing(state))])

    # ---- one tree after another ------------------------------------------------------------------

    def _tree(self, state: Forest, s: Gathered, t: int) -> tuple[Tree, Any]:
        """Tree t from rows in one place."""
        times = self._times(s.order, t)
        index = np.flatnonzero(times) if len(times) else np.arange(s.rows)
        label, a, b = self.numbers(state, _target(s), s.weight, times)
        rules = self._rules(state)._replace(seed=int(_keys(self.random_state, COLUMNS, t, 1).view(np.int64)[0]))
        channels = self.channels(state)
        tree, sums, _ = grow_from(s.bins, state.cut, rules, channels, label, a, b, index.astype(np.uint32))
        return tree, sums

    def _more(self, state: Forest, grown: list[tuple[Tree, Any]]) -> Forest:
        """With some trees more; then the next ones, or the judgement."""
        trees = [state.trees, *(tree for tree, _ in grown)]
        start = np.cumsum([tree.node_count for tree in trees])
        state = state._replace(
            step=state.step + len(grown),
            trees=_joined(trees),
            roots=np.concatenate([state.roots, start[:-1]]),
            value=np.concatenate([state.value, *(self.values(state, sums) for _, sums in grown)]),
        )
        if state.step == self.n_estimators:
            return state._replace(phase="judge", frontier=fr.root(0, 0))
        return state if state.phase == "rows" else self._roots(state)

    # ---- some trees level by level ---------------------------------------------------------------

    def _growing(self, state: Forest) -> int:
        """How many trees grow at a time: one, if the best leaf of each comes first."""
        return min(1 if self.max_leaf_nodes else TOGETHER, self.n_estimators - state.step)

    def _roots(self, state: Forest) -> Forest:
        """The roots of the next trees."""
        n = self._growing(state)
        one = fr.root(self.channels(state), 0)
        fields: Any = (np.repeat(x, n, axis=0) for x in (one.node, one.real, one.sums, one.gaps))
        node, real, sums, gaps = fields
        node[:, fr.SLOT] = np.arange(n)
        node[:, PATH] = _keys(self.random_state, COLUMNS, state.step, n).view(np.int64)
        return state._replace(phase="level", frontier=fr.Frontier(node, real, sums, one.route, gaps))

    def _nodes(self, state: Forest, seen: Seen, t: int) -> tuple[Any, Any]:
        """The node of each row in the t-th of the growing trees, beyond the last if it is not drawn; its numbers."""
        n = seen.bins.shape[1]
        times = self._times(seen.number, state.step + t)
        nodes = fr.go_down(state.frontier, seen.bins, state.cut, np.full(n, t, np.int64))
        if len(times):
            nodes[times == 0] = len(state.frontier.node)
        return nodes, self.numbers(state, seen.target, seen.weight, times)

    def _times_of(self, state: Forest, s: RowsOf) -> Any:
        """How often each of the gathered rows was drawn by the tree it is there for."""
        if not self.bootstrap:
            return np.zeros(0, np.int64)
        node = state.frontier.node
        tree = np.full(len(node), -1)
        tree[: self._growing(state)] = np.arange(self._growing(state))
        for k in np.flatnonzero(node[:, FIRST]):
            tree[node[k, FIRST] : node[k, FIRST] + node[k, ARITY]] = tree[k]
        out, of = np.zeros(s.rows.rows, np.int64), tree[s.node]
        for t in range(self._growing(state)):
            out[of == t] = self._times(s.rows.order[of == t], state.step + t)
        return out

    # ---- both --------------------------------------------------------------------------------------

    def _times(self, numbers: Any, t: int) -> Any:
        """How often tree t draws each row; none: every row once."""
        out = np.zeros(len(numbers) if self.bootstrap else 0, np.int64)
        if self.bootstrap:
            draw_rows(numbers, _keys(self.random_state, ROWS, t, 1)[0], out)
        return out

    def _rules(self, state: Forest) -> Rules:
        most = columns_of(self.max_features, len(state.levels))
        return Rules(
            self.criterion_of(), np.where(state.levels > 0, SUBSET, NUMERIC), self.units(state),
            -1 if self.max_depth is None else self.max_depth, self.min_samples_split, self.min_samples_leaf, 0.0,
            self.max_leaf_nodes or 0, ANY, max_features=most,
        )  # fmt: skip

    def _unseen(self, state: Forest, seen: Seen) -> tuple[Array, Codes]:
        """Sums of what the trees say of rows they have not drawn, and how many trees those are."""
        n, t = seen.bins.shape[1], state.trees
        out, trees = np.zeros((n, state.outputs)), np.zeros(n, np.int64)
        keys = _keys(self.random_state, ROWS, 0, len(state.roots))
        add_unseen(
            seen.bins, state.cut.gap, t.feature, t.place, t.missing_left, t.first_child, t.route_at, t.route,
            state.roots, state.value, seen.number, keys, out, trees,
        )  # fmt: skip
        return out, trees

    def means(self, state: Forest, X: Columns) -> Array:
        """The mean of what the trees say of each row."""
        out, t = np.zeros((len(X), state.outputs)), state.trees
        for rows, block in X.blocks():
            add_forest(
                block, t.feature, t.threshold, t.missing_left, t.first_child, t.route_at, t.route_width, t.route,
                state.roots, state.value, out[rows],
            )  # fmt: skip
        return out / len(state.roots)

    @property
    def feature_importances_(self) -> Array:
        """Share of the decrease of impurity that is due to each column, a mean over the trees.

        It favours columns with many values, and says nothing about rows that were not seen: a column of noise gets
        its share too.
        """
        state: Forest = self.state_
        p, n = len(state.levels), len(state.roots)
        inner = state.trees.feature >= 0
        tree = np.repeat(np.arange(n), np.diff(np.append(state.roots, state.trees.node_count)))
        cell = tree[inner] * p + state.trees.feature[inner]
        each = np.bincount(cell, state.trees.merit[inner], n * p).reshape(n, p)
        whole = each.sum(axis=1, keepdims=True)
        mean = (each / np.where(whole > 0, whole, 1.0)).mean(axis=0)
        return np.asarray(mean / mean.sum() if mean.any() else mean)

    def sound(self, state: Forest, summary: Any, schema: Schema) -> bool:
        """Whether every tree can be gone down, and every node says something."""
        nodes = state.trees.node_count
        fine = len(state.roots) == state.step > 0 and len(state.value) == nodes and np.isfinite(state.value).all()
        fine = fine and ((state.roots >= 0) & (state.roots < nodes)).all()
        return bool(fine and state.trees.walkable(schema.levels))

    def criterion_of(self) -> int:
        """What makes a split good."""
        raise NotImplementedError

    def channels(self, state: Forest) -> int:
        """Of a histogram."""
        raise NotImplementedError

    def units(self, state: Forest) -> Array:
        """What one means in the channels."""
        raise NotImplementedError

    def numbers(self, state: Forest, target: Any, weight: Any, times: Any) -> tuple[Any, Any, Any]:
        """Labels and whole numbers of rows that are drawn so often, for the kernels."""
        raise NotImplementedError

    def values(self, state: Forest, sums: Any) -> Array:
        """What is said of rows that end in each node, from its channel sums."""
        raise NotImplementedError

    def judged(self, state: Forest, seen: Seen, sums: Array, trees: Codes) -> Any:
        """A summary of what trees say of rows they have not drawn."""
        raise NotImplementedError


def weights_of(weight: Any, times: Any) -> Any:
    """Weights times draws, none if all are one."""
    if not len(times):
        return weight
    return times * weight if len(weight) else times


def _keys(seed: Any, stream: int, first: int, n: int) -> Any:
    out = np.empty(n, np.uint64)
    tree_keys(int(seed), stream, first, out)
    return out


def _taken(node: Any, at: fr.Frontier, t: int, cut: Cut) -> tuple[Tree, Any]:
    """The t-th of the growing trees, from the table of all their nodes."""
    node, real, sums = node.copy(), at.real.copy(), at.sums.copy()
    node[0], real[0], sums[0] = node[t], real[t], sums[t]
    tree, old = tree_from(node, real, at.route, cut)
    return tree, sums[old]


def _target(rows: Gathered) -> Any:
    return rows.number if len(rows.number) else rows.label


def _shared(calls: list[Any]) -> list[Any]:
    """What the calls return, in order; each thread takes the next one that is left."""
    found: list[Any] = [None] * len(calls)
    left = count()

    def work() -> None:
        while (k := next(left)) < len(calls):
            found[k] = calls[k]()

    share([work] * min(hands(), len(calls)))
    return found


def _joined(trees: list[Tree]) -> Tree:
    """One tree after the other."""
    node, route, moved = 0, 0, []
    for tree in trees:
        moved.append(
            tree._replace(
                first_child=np.where(tree.feature >= 0, tree.first_child + node, 0),
                route_at=np.where(tree.route_at >= 0, tree.route_at + route, -1),
            )
        )
        node, route = node + tree.node_count, route + len(tree.route)
    fields: Any = (np.concatenate(x) for x in zip(*moved, strict=True))
    return Tree(*fields)
