"""What tree learners share: a look at the rows, then the tree, from rows in one place or level by level, then a check.

The phases of a fit: "look" (a sample for the bins; ranges), "rows" (gather all, if they are few), or "level" and
"finish" in turn (histograms of large nodes; the rows of small ones), or "values" (gather all as they are, for the exact
method), "prune" (held-back rows down the tree), and "judge" (all rows down the finished tree).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tenfold.core import MANY, Array, Schema
from tenfold.kernels import tree_search as ts
from tenfold.kernels.tree_missing import LEARNED, PARTS, WHOLE
from tenfold.stats.gathered import BinnedRows, Gathered
from tenfold.stats.tree_bins import EXACT, Cut, Look, SampleAndRanges, TreeLens
from tenfold.trees import exact, missing
from tenfold.trees import frontier as fr
from tenfold.trees.channels import Channels, sums_by
from tenfold.trees.exact import RowValues, Values
from tenfold.trees.growing import Rules, grow_from
from tenfold.trees.node_statistics import (
    LeafSums,
    LeafSumsOfValues,
    NodeHistograms,
    NodeRows,
    PartErrors,
    PartHistograms,
)
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

Asked = (
    SampleAndRanges | RowValues | BinnedRows | NodeHistograms | NodeRows | PartHistograms | LeafSums | LeafSumsOfValues
    | PartErrors
)  # fmt: skip


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
    class_weight: Any = None
    """of those that have classes"""

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        """Whether rows are held back to prune by."""
        return self._back()

    def ask(self, state: TreeState) -> Asked | None:
        """What the phase needs."""
        if state.phase == "done":
            return None
        lens, weights, holdout = TreeLens(state.cut), state.weights, self._holdout()
        match state.phase:
            case "look":
                return SampleAndRanges(int(self.random_state), holdout)
            case "values":
                return RowValues(weights, holdout)
            case "rows":
                return BinnedRows(weights, holdout=holdout, lens=lens)
            case "level" if self._way() == PARTS:
                return PartHistograms(weights, state.frontier, self.channels(state), self.rules_of(state), lens=lens)
            case "level" | "finish":
                kind = NodeHistograms if state.phase == "level" else NodeRows
                growing = state.frontier, self.channels(state), self.rules_of(state)
                return kind(weights, *growing, holdout, lens=lens)
            case "prune" | "judge" if self._way() == PARTS:
                return PartErrors(state.tree, state.value, self.channels(state), weights)
            case "prune" | "judge" if self.method == "exact":
                return LeafSumsOfValues(state.tree, self.channels(state), weights, holdout)
            case "prune" | "judge":
                return LeafSums(weights, state.tree, self.channels(state), holdout, lens=lens)
        return None

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
            label, a, b = self.channels(state).numbers(s.target, s.weight)
            state, a = self._weighed(state._replace(gaps=np.isnan(s.columns).any(axis=1)), label, a, b)
            tree, sums = exact.grow(s, state.levels, self.rules_of(state), self.channels(state).size, label, a, b)
            return self._grown(state, tree, sums)
        if state.phase == "rows":
            label, a, b = self.channels(state).numbers(s.target, s.weight)
            gaps = (s.bins == state.cut.gap[:, None]).any(axis=1)
            state, a = self._weighed(state._replace(gaps=gaps), label, a, b)
            rules = self.rules_of(state)
            index = np.arange(s.rows, dtype=np.uint32)
            tree, sums, _ = grow_from(s.bins, state.cut, rules, self.channels(state).size, label, a, b, index)
            return self._grown(state, tree, sums)
        at = state.frontier
        if state.phase == "level":
            hist, squares = s.apart(self.channels(state).size, int(state.cut.offset[-1]))
            if len(at.node) == 1:
                state = state._replace(gaps=hist[0, -1, state.cut.offset[1:] - 1] > 0)
                state = self._with_root(state, hist[0, :, : state.cut.offset[1]].sum(axis=1))
            if len(state.factor):
                hist = hist * np.append(state.factor, 1)[:, None]
            rules = self.rules_of(state)
            at = fr.take_in(at, hist, state.cut, rules, squares)
        else:
            label, a, b = self.channels(state).numbers(s.rows.target, s.rows.weight)
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
        room = 62 - parts - (HEFT if self.class_weight is not None else 0)
        state = state._replace(
            phase="values" if self.method == "exact" else "rows" if few else "level", turn=1, bin_edges=cut.edges,
            rows=s.rows, unit=s.unit(min(room, EXACT)), even=s.even,
            center=0.5 * s.least + 0.5 * s.most, scale=max(0.5 * s.most - 0.5 * s.least, 0.0), heaviest=s.heaviest,
        )  # fmt: skip
        width = missing.width_of(self._way(), self.channels(state).size)
        return state._replace(frontier=fr.root(self.channels(state).size, int(self.random_state), width))

    def _weighed(self, state: TreeState, label: Any, a: Any, b: Any) -> tuple[TreeState, Any]:
        """The weight of all rows, and the weights of rows by those of their classes."""
        root = np.zeros(len(label), np.int64) if len(label) else np.zeros(len(a), np.int64)
        if not state.whole:
            state = self._with_root(state, sums_by(root, 1, self.channels(state).size, label, a, b)[0])
        if len(state.factor):
            a = state.factor[label] * (a if len(a) else 1)
        return state, a

    def _with_root(self, state: TreeState, sums: Any) -> TreeState:
        """With what the channel sums of all rows tell."""
        return state._replace(whole=int(sums[1]))

    def _way(self) -> int:
        return missing.WAYS[self.missing]

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
        at, wide = state.frontier, missing.width_of(self._way(), self.channels(state).size)
        if state.phase in ("level", "finish"):
            fits = at.sums.shape[1] == self.channels(state).size and at.gaps.shape[1] == wide
            fits = fits and missing.sound(self._way(), at.node, at.gaps)
            if not fits or not isinstance(summary, RowsOf):
                return fits
            return fr.holds(at, summary.node) and state.cut.holds(summary.rows.bins)
        if state.phase in ("prune", "judge"):
            return state.tree.rooted(np.zeros(1, np.int64)) and self._ended(state, summary)
        return state.phase != "rows" or (type(summary) is Gathered and state.cut.holds(summary.bins))

    def _ended(self, state: TreeState, summary: Any) -> bool:
        """Whether a summary is of rows that were sent down this tree."""
        shape = state.tree.node_count, self.channels(state).size
        return type(summary) is Ends and summary.sums.shape == shape and len(summary.back) in (0, shape[0])

    def check_params(self) -> None:
        """Refuse what does not go together."""
        self.check_pruning()
        if self.method == "exact" and self.missing != "learned":
            raise ValueError(f'method="exact" with missing="{self.missing}". Remedy: missing="learned", or no method')

    def rules_of(self, state: TreeState) -> Rules:
        """When to split."""
        raise NotImplementedError

    def channels(self, state: TreeState) -> Channels:
        """Of a histogram: how a row counts."""
        raise NotImplementedError

    def values(self, state: TreeState, sums: Any) -> Array:
        """What is told of each node, from its channel sums."""
        raise NotImplementedError


def columns_of(most: Any, p: int) -> int:
    """How many of p columns a node may choose from; 0: all."""
    if most is None:
        return 0
    if isinstance(most, str):
        most = int(math.sqrt(p) if most == "sqrt" else math.log2(p))
    elif isinstance(most, float):
        most = int(most * p)
    return min(max(1, int(most)), p)
