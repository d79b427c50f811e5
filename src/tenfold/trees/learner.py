"""What tree learners share: a look at the rows, then the tree, from rows in one place or level by level, then a check.

The phases of a fit: "look" (a sample for the bins; ranges), "rows" (gather all, if they are few), or "level" and
"finish" in turn (histograms of large nodes; the rows of small ones), and "judge" (all rows down the finished tree).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import MANY, Array, Ask, Chunk, Codes
from tenfold.estimator.base import Estimator
from tenfold.stats.gathered import Gathered
from tenfold.stats.tree_bins import Cut, Look, Seen, TreeLens
from tenfold.trees import frontier as fr
from tenfold.trees.growing import Rules, grow_from
from tenfold.trees.tree import Tree, tree_from

GATHER = 1 << 27
"""bytes of bins that are gathered in one place"""


class TreeState(NamedTuple):
    """A tree, and how to go on."""

    step: int
    phase: str
    turn: int
    """how many reduces there were since the look"""
    bin_edges: Annotated[Array, "column", "edge"]
    levels: Annotated[Codes, "column"]
    rows: int
    unit: float
    """what one means in sums of weights"""
    even: bool
    """whether every weight is one"""
    center: float
    scale: float
    """of the target, if it is a number"""
    frontier: fr.Frontier
    tree: Tree
    value: Annotated[Array, "node", "output"]
    """weights of the classes, or the mean of the target and the weight, of the training rows of each node"""
    outputs: int

    @property
    def cut(self) -> Cut:
        """Where columns are cut."""
        return Cut(self.bin_edges, self.levels)


@dataclass(frozen=True, eq=False)
class Histograms:
    """Of the nodes that want one: slots x (channels x cells). Whole numbers: merging is exact."""

    sums: Annotated[Codes, "slot", "cell"]

    def __add__(self, other: Histograms) -> Histograms:
        return Histograms(self.sums + other.sums)


@dataclass(frozen=True, eq=False)
class RowsOf:
    """The rows of the nodes that want them, and the node of each."""

    rows: Gathered
    node: Annotated[Codes, "entry"]

    def __add__(self, other: RowsOf) -> RowsOf:
        return RowsOf(self.rows + other.rows, np.concatenate([self.node, other.node]))


@dataclass(frozen=True, eq=False)
class Ends:
    """Channel sums of the rows that end in each node of the finished tree."""

    sums: Annotated[Codes, "node", "channel"]

    def __add__(self, other: Ends) -> Ends:
        return Ends(self.sums + other.sums)


class TreeLearner(Estimator):
    """The phases. A learner brings what is left open below."""

    passes = MANY
    summary_types = (Look, Gathered, Histograms, RowsOf, Ends)
    steering = frozenset({
        "step", "phase", "turn", "bin_edges", "levels", "rows", "unit", "even", "center", "scale", "frontier",
        "outputs",
    })  # fmt: skip
    random_state: Any
    max_bins: int

    def ask(self, state: TreeState) -> Ask | None:
        """What the phase needs."""
        return None if state.phase == "done" else Ask(state.phase, state.turn)

    def lens(self, state: TreeState) -> TreeLens | None:
        """Rows become bins as soon as the edges are known."""
        return None if state.phase == "look" else TreeLens(state.cut, state.unit, state.even)

    def follow(self, state: TreeState, held: Seen, scratch: Any) -> Any:
        """The node of each row, from where it was."""
        if state.phase not in ("level", "finish"):
            return None
        nodes = np.zeros(held.bins.shape[1], np.int64) if scratch is None else scratch.copy()
        return fr.go_down(state.frontier, held.bins, state.cut, nodes)

    def summarize(self, state: TreeState, chunk: Chunk) -> Any:
        """A look, all rows, histograms, some rows, or where the rows end."""
        if state.phase == "look":
            return Look.of(chunk, self.random_state)
        seen: Seen = chunk.held
        if state.phase == "rows":
            return Gathered.of(seen)
        label, a, b = self.numbers(state, seen.target, seen.weight)
        rules = self.rules_of(state)
        if state.phase == "level":
            found = fr.histograms(state.frontier, seen.bins, state.cut, chunk.scratch, label, a, b, rules.criterion)
            return Histograms(found.reshape(len(found), -1))
        if state.phase == "finish":
            wants = (state.frontier.node[:, fr.SLOT] == fr.ROWS)[chunk.scratch]
            return RowsOf(Gathered.of(seen.rows(wants)), chunk.scratch[wants])
        ends = state.tree.apply_bins(seen.bins, state.cut, np.zeros(seen.bins.shape[1], np.int64))
        return Ends(sums_by(ends, state.tree.node_count, self.channels(state), label, a, b))

    def update(self, state: TreeState, s: Any) -> TreeState:
        """The next phase."""
        if state.phase == "look":
            return self._looked(state, s)
        state = state._replace(turn=state.turn + 1)
        rules = self.rules_of(state)
        if state.phase == "rows":
            label, a, b = self.numbers(state, *_columns(s))
            index = np.arange(s.rows, dtype=np.uint32)
            tree, sums, _ = grow_from(s.bins, state.cut, rules, self.channels(state), label, a, b, index)
            return self._grown(state, tree, sums)
        if state.phase == "judge":
            return state._replace(phase="done")
        at = state.frontier
        if state.phase == "level":
            hist = s.sums.reshape(len(s.sums), self.channels(state), -1)
            at = fr.take_in(at, hist, state.cut, rules)
        else:
            label, a, b = self.numbers(state, *_columns(s.rows))
            at = fr.finish(at, s.rows.bins, s.node, state.cut, rules, label, a, b)
        more = fr.want(at, state.cut, rules)
        if more is not None:
            rows = (more.node[:, fr.SLOT] == fr.ROWS).any()
            return state._replace(phase="finish" if rows else "level", frontier=more)
        tree, old = tree_from(fr.pruned(at, rules), at.real, at.route, state.cut)
        return self._grown(state, tree, at.sums[old])

    def _looked(self, state: TreeState, s: Look) -> TreeState:
        cut = Cut.of(s, state.levels, min(self.max_bins, 255))
        few = s.rows * len(state.levels) <= GATHER
        state = state._replace(
            phase="rows" if few else "level", turn=1, bin_edges=cut.edges, rows=s.rows, unit=s.unit(), even=s.even,
            center=0.5 * s.least + 0.5 * s.most, scale=max(0.5 * s.most - 0.5 * s.least, 0.0) * s.heaviest,
        )  # fmt: skip
        return state._replace(frontier=fr.root(self.channels(state), self.rules_of(state).seed))

    def _grown(self, state: TreeState, tree: Tree, sums: Any) -> TreeState:
        empty = fr.root(0, 0)
        return state._replace(step=1, phase="judge", tree=tree, frontier=empty, value=self.values(state, sums))

    def rules_of(self, state: TreeState) -> Rules:
        """When to split."""
        raise NotImplementedError

    def channels(self, state: TreeState) -> int:
        """Of a histogram."""
        raise NotImplementedError

    def numbers(self, state: TreeState, target: Any, weight: Any) -> tuple[Any, Any, Any]:
        """Labels and whole numbers of rows, for the kernels."""
        raise NotImplementedError

    def values(self, state: TreeState, sums: Any) -> Array:
        """What is told of each node, from its channel sums."""
        raise NotImplementedError


def sums_by(ends: Any, nodes: int, channels: int, label: Any, a: Any, b: Any) -> Codes:
    """Channel sums of the rows that end in each node."""
    out = np.zeros((nodes, channels), np.int64)
    out[:, -1] = np.bincount(ends, minlength=nodes)
    if len(label):
        flat = out.reshape(-1)
        cell = ends * channels + label
        if len(a):
            np.add.at(flat, cell, a)
        else:
            flat += np.bincount(cell, minlength=len(flat))
        return out
    np.add.at(out[:, 0], ends, a)
    np.add.at(out[:, 1], ends, b if len(b) else 1)
    return out


def _columns(rows: Gathered) -> tuple[Any, Any]:
    """Target and weights of gathered rows."""
    return (rows.number if len(rows.number) else rows.label), rows.weight
