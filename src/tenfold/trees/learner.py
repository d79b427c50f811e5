"""What tree learners share: a look at the rows, then the tree, from rows in one place or level by level, then a check.

The phases of a fit: "look" (a sample for the bins; ranges), "rows" (gather all, if they are few), or "level" and
"finish" in turn (histograms of large nodes; the rows of small ones), or "values" (gather all as they are, for the exact
method), "prune" (held-back rows down the tree), and "judge" (all rows down the finished tree).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tenfold.core import MANY, Array, Ask, Chunk, Codes, Schema
from tenfold.kernels import tree_search as ts
from tenfold.kernels.tree_missing import CLASS, LEARNED, PARTS, WHOLE
from tenfold.stats.gathered import Gathered
from tenfold.stats.tree_bins import EXACT, Cut, Look, Seen, TreeLens, in_units
from tenfold.trees import exact, held_back, missing
from tenfold.trees import frontier as fr
from tenfold.trees.exact import Values
from tenfold.trees.growing import Rules, grow_from, sums_by
from tenfold.trees.held_back import HalvesLens, half
from tenfold.trees.histograms import histograms
from tenfold.trees.pruned import Pruned
from tenfold.trees.readable import Readable
from tenfold.trees.records import Ends, Histograms, RowsOf, TreeState
from tenfold.trees.tree import Tree, tree_from

GATHER = 1 << 27
"""bytes of bins that are gathered in one place"""
FEW = 16
"""whole weights up to this one multiply targets that are whole already"""
HEFT = 20
"""bits of the weight of a class"""


class TreeLearner(Pruned, Readable):
    """The phases. A learner brings what is left open below."""

    passes = MANY
    summary_types = (Look, Gathered, Histograms, RowsOf, Values, Ends)
    steering = frozenset({
        "step", "phase", "turn", "bin_edges", "levels", "rows", "unit", "even", "center", "scale", "whole", "factor",
        "heft", "costs", "frontier", "outputs", "gaps", "log_prior", "heaviest",
    })  # fmt: skip
    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int
    min_weight_fraction_leaf: float
    min_impurity_decrease: float
    max_features: Any
    max_leaf_nodes: int | None
    split: str
    missing: str
    method: str
    min_data_per_group: int
    cat_smooth: float
    cat_penalty: float
    max_bins: int
    random_state: Any

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        """Whether rows are held back to prune by."""
        return self._back()

    def ask(self, state: TreeState) -> Ask | None:
        """What the phase needs."""
        return None if state.phase == "done" else Ask(state.phase, state.turn)

    def lens(self, state: TreeState) -> TreeLens | HalvesLens | None:
        """Rows become bins as soon as the edges are known, if there are any."""
        if state.phase in ("look", "values") or (state.phase in ("prune", "judge") and self._by_value()):
            return None
        lens = TreeLens(state.cut, state.unit, state.even)
        return HalvesLens(lens, int(self.random_state), self.held_back) if self._back() else lens

    def follow(self, state: TreeState, held: Any, scratch: Any) -> Any:
        """The node of each row, or those of its parts, from where they were."""
        if state.phase not in ("level", "finish"):
            return None
        held = half(held)
        if self._way() == PARTS:
            return missing.go_down_in_parts(state.frontier, held.bins, state.cut, scratch)
        if self._way() == CLASS:
            return missing.go_down_by_class(state.frontier, held.bins, state.cut, held.target, scratch)
        nodes = np.zeros(held.bins.shape[1], np.int64) if scratch is None else scratch.copy()
        return fr.go_down(state.frontier, held.bins, state.cut, nodes)

    def summarize(self, state: TreeState, chunk: Chunk) -> Any:
        """A look, all rows, histograms, some rows, or where the rows end."""
        if state.phase == "look":
            return self._look(chunk)
        if state.phase == "values":
            chunk = self._parted(chunk)[0] if self._back() else chunk
            return Values.of(chunk, weights_of(chunk, state))
        if state.phase in ("prune", "judge"):
            return self._ends(state, chunk)
        seen: Seen = half(chunk.held)
        if state.phase == "rows":
            return Gathered.of(seen)
        label, a, b = self.numbers(state, seen.target, seen.weight)
        rules = self.rules_of(state)
        if state.phase == "level" and self._way() == PARTS:
            slot = np.ascontiguousarray(state.frontier.node[:, fr.SLOT])
            at = (state.frontier, slot, seen.bins, state.cut, chunk.scratch)
            found = missing.histograms(*at, label, a, b, rules.criterion)
            square = rules.squares(a, b)
            square = square[chunk.scratch.row] * chunk.scratch.part if len(square) else square
            return Histograms.of(found, square, slot[chunk.scratch.node], rules.squared)
        if state.phase == "level":
            found = histograms(state.frontier, seen.bins, state.cut, chunk.scratch, label, a, b, rules.criterion)
            place = state.frontier.node[chunk.scratch, fr.SLOT]
            return Histograms.of(found, rules.squares(a, b), place, rules.squared)
        wants = (state.frontier.node[:, fr.SLOT] == fr.ROWS)[chunk.scratch]
        return RowsOf(Gathered.of(seen.rows(wants)), chunk.scratch[wants])

    def update(self, state: TreeState, s: Any) -> TreeState:
        """The next phase."""
        if state.phase == "look":
            return self._looked(state, s)
        state = state._replace(turn=state.turn + 1)
        if state.phase == "judge":
            return state._replace(phase="done")
        if state.phase == "prune":
            return self.prune_held_back(state, s.back)
        if state.phase == "values":
            label, a, b = self.numbers(state, s.target, s.weight)
            state, a = self._weighed(state._replace(gaps=np.isnan(s.columns).any(axis=1)), label, a, b)
            tree, sums = exact.grow(s, state.levels, self.rules_of(state), self.channels(state), label, a, b)
            return self._grown(state, tree, sums)
        if state.phase == "rows":
            label, a, b = self.numbers(state, *_columns(s))
            gaps = (s.bins == state.cut.gap[:, None]).any(axis=1)
            state, a = self._weighed(state._replace(gaps=gaps), label, a, b)
            rules = self.rules_of(state)
            index = np.arange(s.rows, dtype=np.uint32)
            tree, sums, _ = grow_from(s.bins, state.cut, rules, self.channels(state), label, a, b, index)
            return self._grown(state, tree, sums)
        at = state.frontier
        if state.phase == "level":
            hist, squares = s.apart(self.channels(state), int(state.cut.offset[-1]))
            if len(at.node) == 1:
                state = state._replace(gaps=hist[0, -1, state.cut.offset[1:] - 1] > 0)
                state = self._with_root(state, hist[0, :, : state.cut.offset[1]].sum(axis=1))
            if len(state.factor):
                hist = hist * np.append(state.factor, 1)[:, None]
            rules = self.rules_of(state)
            at = fr.take_in(at, hist, state.cut, rules, squares)
        else:
            label, a, b = self.numbers(state, *_columns(s.rows))
            _, a = self._weighed(state, label, a, b)
            rules = self.rules_of(state)
            at = fr.finish(at, s.rows.bins, s.node, state.cut, rules, label, a, b)
        more = fr.want(at, state.cut, rules)
        if more is not None:
            rows = (more.node[:, fr.SLOT] == fr.ROWS).any()
            return state._replace(phase="finish" if rows else "level", frontier=more)
        tree, old = tree_from(fr.pruned(at, rules), at.real, at.route, state.cut)
        return self._grown(state, tree, at.sums[old])

    def _looked(self, state: TreeState, s: Look) -> TreeState:
        if self._back():
            self.enough(len(s.sample.key), "every row was held back")
        s.check_target()
        cut = Cut.of(s, state.levels, min(self.max_bins, 255))
        few = s.rows * len(state.levels) <= GATHER and self._way() == LEARNED
        parts = 12 * (self._way() == PARTS)
        room = 62 - parts - (HEFT if getattr(self, "class_weight", None) is not None else 0)
        state = state._replace(
            phase="values" if self.method == "exact" else "rows" if few else "level", turn=1, bin_edges=cut.edges,
            rows=s.rows, unit=s.unit(min(room, EXACT)), even=s.even,
            center=0.5 * s.least + 0.5 * s.most, scale=max(0.5 * s.most - 0.5 * s.least, 0.0), heaviest=s.heaviest,
        )  # fmt: skip
        width = missing.width_of(self._way(), self.channels(state))
        return state._replace(frontier=fr.root(self.channels(state), int(self.random_state), width))

    def _weighed(self, state: TreeState, label: Any, a: Any, b: Any) -> tuple[TreeState, Any]:
        """The weight of all rows, and the weights of rows by those of their classes."""
        root = np.zeros(len(label), np.int64) if len(label) else np.zeros(len(a), np.int64)
        if not state.whole:
            state = self._with_root(state, sums_by(root, 1, self.channels(state), label, a, b)[0])
        if len(state.factor):
            a = state.factor[label] * (a if len(a) else 1)
        return state, a

    def _with_root(self, state: TreeState, sums: Any) -> TreeState:
        """With what the channel sums of all rows tell."""
        return state._replace(whole=int(sums[1]))

    def _way(self) -> int:
        return missing.WAYS[self.missing]

    def _by_value(self) -> bool:
        """Whether finished trees are gone down by values, not by bins."""
        return self.method == "exact" or self._way() == PARTS

    def _look(self, chunk: Chunk) -> Look:
        seed = int(self.random_state)
        return held_back.look(chunk, seed, self.held_back) if self._back() else Look.of(chunk, seed)

    def _ends(self, state: TreeState, chunk: Chunk) -> Ends:
        """Where the rows end, those held back by themselves."""
        channels = self.channels(state)
        nothing = np.zeros((state.tree.node_count, channels), np.int64)
        if self._way() == PARTS:
            _, a, _ = self.numbers(state, chunk.y, weights_of(chunk, state))
            return Ends(nothing, *self.wrong_of(state, chunk, a), nothing[:0])
        if not self._back():
            return Ends(self._sums(state, chunk, chunk.held), 0, 0, nothing[:0])
        if chunk.held is None:
            grown, back = (self._sums(state, some, None) for some in self._parted(chunk))
        else:
            grown, back = (self._sums(state, chunk, some) for some in chunk.held)
        return Ends(grown, 0, 0, back)

    def _sums(self, state: TreeState, chunk: Chunk, seen: Seen | None) -> Codes:
        """Channel sums of the rows that end in each node, from bins or from values."""
        if seen is None:
            ends, told = state.tree.apply(chunk.X), (chunk.y, weights_of(chunk, state))
        else:
            ends = state.tree.apply_bins(seen.bins, state.cut, np.zeros(seen.bins.shape[1], np.int64))
            told = seen.target, seen.weight
        return sums_by(ends, state.tree.node_count, self.channels(state), *self.numbers(state, *told))

    def _rules(self, state: TreeState, criterion: int, units: Any, **more: Any) -> Rules:
        """The parameters that all trees have, as the kernels have them; units of one row, in its parts."""
        parts = WHOLE if self._way() == PARTS else 1
        units = np.asarray(units) / parts
        sets = ts.MULTIWAY if self.split == "multiway" else ts.SUBSET
        plain = criterion <= ts.ERROR or criterion == ts.SUMS
        whole = float(state.whole) * (units[1] if criterion == ts.SUMS else 1.0) if plain else 1.0
        return Rules(
            criterion,
            np.where(state.levels > 0, sets, ts.NUMERIC),
            units,
            -1 if self.max_depth is None else self.max_depth,
            self.min_samples_split * parts,
            self.min_samples_leaf * parts,
            self.min_weight_fraction_leaf * state.whole * units[1],
            self.max_leaf_nodes or 0,
            float(np.nextafter(self.min_impurity_decrease * whole, -np.inf)),
            max_features=columns_of(self.max_features, len(state.levels)),
            seed=int(self.random_state or 0),  # of a fit it is known; else no column is drawn
            missing=self._way(),
            min_data_per_group=self.min_data_per_group * parts,
            cat_smooth=self.cat_smooth,
            cat_penalty=self.cat_penalty,
            counted=state.unit == 1.0 and not len(state.factor),
            parts=parts,
            **more,
        )

    def _grown(self, state: TreeState, tree: Tree, sums: Any) -> TreeState:
        empty, rules = fr.root(0, 0), self.rules_of(state)
        if rules.criterion <= ts.ERROR:
            tree = tree._replace(merit=tree.merit * rules.units[0])
        return self.prune_grown(state._replace(step=1, tree=tree, frontier=empty, value=self.values(state, sums)))

    def sound(self, state: TreeState, summary: Any, schema: Schema) -> bool:
        """Whether there is one tree, and the rows of the summary end in its nodes."""
        fits = state.phase == "done" and state.tree.rooted(np.zeros(1, np.int64))
        return fits and (summary is None or self._ended(state, summary))

    def resumable(self, state: TreeState, summary: Any, schema: Schema) -> bool:
        """Whether the nodes have what rows leave there, and gathered rows are in bins and nodes that there are."""
        at, wide = state.frontier, missing.width_of(self._way(), self.channels(state))
        if state.phase in ("level", "finish"):
            fits = at.sums.shape[1] == self.channels(state) and at.gaps.shape[1] == wide
            fits = fits and missing.sound(self._way(), at.node, at.gaps)
            if not fits or not isinstance(summary, RowsOf):
                return fits
            return fr.holds(at, summary.node) and state.cut.holds(summary.rows.bins)
        if state.phase in ("prune", "judge"):
            return state.tree.rooted(np.zeros(1, np.int64)) and self._ended(state, summary)
        return state.phase != "rows" or (type(summary) is Gathered and state.cut.holds(summary.bins))

    def _ended(self, state: TreeState, summary: Any) -> bool:
        """Whether a summary is of rows that were sent down this tree."""
        shape = state.tree.node_count, self.channels(state)
        return type(summary) is Ends and summary.sums.shape == shape and len(summary.back) in (0, shape[0])

    def check_params(self) -> None:
        """Refuse what does not go together."""
        self.check_pruning()
        if self.method == "exact" and self.missing != "learned":
            raise ValueError(f'method="exact" with missing="{self.missing}". Remedy: missing="learned", or no method')

    def wrong_of(self, state: TreeState, chunk: Chunk, a: Any) -> tuple[int, int]:
        """Of rows that may end in several leaves: the weight of those of another class than is said, and of all."""
        return 0, 0

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


def weights_of(chunk: Chunk, state: TreeState) -> Codes:
    """Weights of rows in whole units, none if all are one."""
    return np.zeros(0, np.int64) if state.even else in_units(chunk.weight, state.unit)


def columns_of(most: Any, p: int) -> int:
    """How many of p columns a node may choose from; 0: all."""
    if most is None:
        return 0
    if isinstance(most, str):
        most = int(math.sqrt(p) if most == "sqrt" else math.log2(p))
    elif isinstance(most, float):
        most = int(most * p)
    return min(max(1, int(most)), p)


def _columns(rows: Gathered) -> tuple[Any, Any]:
    """Target and weights of gathered rows."""
    return (rows.number if len(rows.number) else rows.label), rows.weight
