"""What both forests share: trees of rows drawn anew for each, and of a few columns drawn anew for each node.

How often a tree draws a row is a Poisson number from a hash of the row's place and the tree: no tree needs a list, and
every runner draws the same. Histograms hold whole numbers, so the trees are the same from rows in one place, where
threads grow one tree each, and level by level from merged histograms, where some trees share each reduce.

The phases of a fit: "look", "weigh" (only if limits or classes have weights), then "rows" (gather all, if they are few)
or "level" and "finish" in turn, and "judge": what the trees that have not drawn a row say of it.
"""

from __future__ import annotations

from itertools import count
from threading import Event
from typing import Any, ClassVar

import numpy as np

from tenfold.core import MANY, Array, Claim, Codes, Schema
from tenfold.core.crew import hands, share
from tenfold.kernels.tree_growing import ARITY, FIRST, PATH
from tenfold.kernels.tree_search import NUMERIC, SUBSET, SUMS
from tenfold.stats.draws import COLUMNS, keys_of
from tenfold.stats.gathered import BinnedRows, Gathered
from tenfold.stats.tree_bins import EXACT, NONE, Cut, SampleAndRanges, TreeLens
from tenfold.trees import frontier as fr
from tenfold.trees.channels import Channels, ChannelSums
from tenfold.trees.forest import Forest, OutOfBag, joined, taken
from tenfold.trees.forest_model import ForestModel
from tenfold.trees.growing import Rules, grow_from
from tenfold.trees.learner import GATHER, columns_of
from tenfold.trees.node_statistics import NodeHistograms, NodeRows, TreeDraws
from tenfold.trees.promises import category_claims
from tenfold.trees.records import RowsOf
from tenfold.trees.tree import Tree, no_tree

Asked = SampleAndRanges | ChannelSums | BinnedRows | NodeHistograms | NodeRows | OutOfBag[Any]
TOGETHER = 16
"""trees that are grown at a time"""
DRAWN = 4
"""bits of how often a row is drawn"""


class RandomForest(ForestModel):
    """The phases. A learner brings what is left open below."""

    passes = MANY
    model_type = Forest
    steering = frozenset({
        "step", "phase", "turn", "bin_edges", "levels", "rows", "unit", "even", "heaviest", "center",
        "scale", "whole", "factor", "heft", "frontier",
    })  # fmt: skip
    expected_failed_checks: ClassVar[dict[str, str]] = {
        "check_sample_weight_equivalence_on_dense_data": "a row with a weight is drawn as one row, not as several"
    }
    n_estimators: int
    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int
    min_weight_fraction_leaf: float
    min_impurity_decrease: float
    max_features: Any
    max_leaf_nodes: int | None
    bootstrap: bool
    min_data_per_group: int
    cat_smooth: float
    cat_penalty: float
    max_bins: int
    random_state: Any

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        """Trees draw rows, unless each sees all."""
        return self.bootstrap

    def begin(self, schema: Schema, outputs: int) -> Forest:
        """No tree yet."""
        levels, none = schema.levels, np.zeros(0, np.int64)
        return Forest(
            0, "look", 0, np.zeros((len(levels), 0)), levels, 0, 1.0, True, 1.0, 0.0, 1.0, 0, none, 1.0, no_tree(),
            none, np.zeros((0, outputs)), fr.root(0, 0),
        )  # fmt: skip

    def ask(self, state: Forest) -> Asked | None:
        """What the phase needs; rows in one place are asked for once."""
        lens, weights = TreeLens(state.cut), state.weights
        match state.phase:
            case "look":
                return SampleAndRanges(int(self.random_state))
            case "weigh":
                return ChannelSums(weights, self.channels(state), lens=lens)
            case "rows":
                return BinnedRows(weights, self.bootstrap, lens=lens)
            case "level" | "finish":
                kind = NodeHistograms if state.phase == "level" else NodeRows
                growing = state.frontier, self.channels(state), self._rules(state)
                return kind(weights, *growing, draws=self._draws(state), lens=lens)
            case "judge":
                every = self._draws(state)._replace(first=0, many=state.step)
                return self.unseen(state, every)
        return None

    def _draws(self, state: Forest) -> TreeDraws:
        """Of the growing trees."""
        return TreeDraws(int(self.random_state), state.step, self._growing(state), self.bootstrap)

    def update(self, state: Forest, s: Any) -> Forest:
        """The next phase, trees or levels."""
        if state.phase == "look":
            s.check_target()
            state = state._replace(
                phase="weigh", bin_edges=Cut.of(s, state.levels, min(self.max_bins, 255)).edges, rows=s.rows,
                unit=s.unit(self.room() - DRAWN), even=s.even, heaviest=s.heaviest,
                center=0.5 * s.least + 0.5 * s.most, scale=max(0.5 * s.most - 0.5 * s.least, 0.0),
            )  # fmt: skip
            return state if self.weighs() else self._planted(state)
        state = state._replace(turn=state.turn + 1)
        if state.phase == "weigh":
            return self._planted(self.weighed(state, s.sums))
        if state.phase == "judge":
            return state._replace(phase="done")
        if state.phase == "rows":
            next_ones = range(state.step, min(state.step + TOGETHER, self.n_estimators))
            return self._more(state, _shared([lambda t=t: self._tree(state, s, t) for t in next_ones]))
        rules, at = self._rules(state), state.frontier
        if state.phase == "level":
            hist, squares = s.apart(at.sums.shape[1], int(state.cut.offset[-1]))
            at = fr.take_in(at, hist, state.cut, rules, squares)
        else:
            numbers = self.channels(state).numbers(s.rows.target, s.rows.weight, self._times_of(state, s))
            at = fr.finish(at, s.rows.bins, s.node, state.cut, rules, *numbers)
        more = fr.want(at, state.cut, rules)
        if more is not None:
            some = (more.node[:, fr.SLOT] == fr.ROWS).any()
            return state._replace(phase="finish" if some else "level", frontier=more)
        node = fr.pruned(at, rules)
        return self._more(state, [taken(node, at, t, state.cut) for t in range(self._growing(state))])

    def resumable(self, state: Forest, summary: Any, schema: Schema) -> bool:
        """Whether trees are to come, and gathered rows are in bins and nodes that there are."""
        if state.phase in ("look", "weigh"):
            return state.step == 0
        if state.phase == "judge":
            return state.step == self.n_estimators
        if not state.step < self.n_estimators:
            return False
        at, rows = state.frontier, summary.rows if isinstance(summary, RowsOf) else summary
        if isinstance(rows, Gathered):
            fits = state.cut.holds(rows.bins) and len(rows.order) == (rows.rows if self.bootstrap else 0)
            if not fits or (isinstance(summary, RowsOf) and not fr.holds(at, summary.node)):
                return False
        if state.phase == "rows":
            return rows is summary
        fits = (at.sums.shape[1], at.gaps.shape[1]) == (self.channels(state).size, 0)
        return fits and len(at.node) >= self._growing(state)

    def _planted(self, state: Forest) -> Forest:
        """In the phase in which trees begin to grow."""
        few = state.rows * len(state.levels) <= GATHER
        return state._replace(phase="rows") if few else self._roots(state)

    def _tree(self, state: Forest, s: Gathered, t: int) -> tuple[Tree, Any]:
        """Tree t from rows in one place."""
        times = self._draws(state).times(s.order, t)
        index = np.flatnonzero(times) if len(times) else np.arange(s.rows)
        label, a, b = self.channels(state).numbers(s.target, s.weight, times)
        rules = self._rules(state)._replace(seed=int(keys_of(self.random_state, COLUMNS, t, 1).view(np.int64)[0]))
        channels = self.channels(state).size
        tree, sums, _ = grow_from(s.bins, state.cut, rules, channels, label, a, b, index.astype(np.uint32))
        return tree, sums

    def _more(self, state: Forest, grown: list[tuple[Tree, Any]]) -> Forest:
        """With some trees more; then the next ones, or the judgement."""
        trees = [state.trees, *(tree for tree, _ in grown)]
        start = np.cumsum([tree.node_count for tree in trees])
        state = state._replace(
            step=state.step + len(grown),
            trees=joined(trees),
            roots=np.concatenate([state.roots, start[:-1]]),
            value=np.concatenate([state.value, *(self.values(state, sums) for _, sums in grown)]),
        )
        if state.step == self.n_estimators:
            return state._replace(phase="judge", frontier=fr.root(0, 0))
        return state if state.phase == "rows" else self._roots(state)

    def _growing(self, state: Forest) -> int:
        """How many trees grow at a time: one, if the best leaf of each comes first."""
        return min(1 if self.max_leaf_nodes else TOGETHER, self.n_estimators - state.step)

    def _roots(self, state: Forest) -> Forest:
        """The roots of the next trees."""
        n = self._growing(state)
        one = fr.root(self.channels(state).size, 0)
        fields: Any = (np.repeat(x, n, axis=0) for x in (one.node, one.real, one.sums, one.gaps))
        node, real, sums, gaps = fields
        node[:, fr.SLOT] = np.arange(n)
        node[:, PATH] = keys_of(self.random_state, COLUMNS, state.step, n).view(np.int64)
        return state._replace(phase="level", frontier=fr.Frontier(node, real, sums, one.route, gaps))

    def _times_of(self, state: Forest, s: RowsOf) -> Any:
        """How often each of the gathered rows was drawn by the tree it is there for."""
        if not self.bootstrap:
            return NONE
        node, draws = state.frontier.node, self._draws(state)
        tree = np.full(len(node), -1)
        tree[: draws.many] = np.arange(draws.many)
        for k in np.flatnonzero(node[:, FIRST]):
            tree[node[k, FIRST] : node[k, FIRST] + node[k, ARITY]] = tree[k]
        out, of = np.zeros(s.rows.rows, np.int64), tree[s.node]
        for t in range(draws.many):
            out[of == t] = draws.times(s.rows.order[of == t], draws.first + t)
        return out

    def _rules(self, state: Forest) -> Rules:
        most, units, criterion = (
            columns_of(self.max_features, len(state.levels)),
            self.units(state),
            self.criterion_of(),
        )
        least = self.min_impurity_decrease * state.whole * (units[1] if criterion == SUMS else 1.0)
        return Rules(
            criterion, np.where(state.levels > 0, SUBSET, NUMERIC), units,
            -1 if self.max_depth is None else self.max_depth, self.min_samples_split, self.min_samples_leaf,
            self.min_weight_fraction_leaf * state.whole * units[1], self.max_leaf_nodes or 0,
            float(np.nextafter(least, -np.inf)), max_features=most, min_data_per_group=self.min_data_per_group,
            cat_smooth=self.cat_smooth, cat_penalty=self.cat_penalty, noise=self.noise_of(state),
            counted=state.unit == 1.0 and not self.bootstrap and not len(state.factor),
        )  # fmt: skip

    def weighs(self) -> bool:
        """Whether the weight of all rows has to be known."""
        return self.min_weight_fraction_leaf > 0 or self.min_impurity_decrease > 0

    def weighed(self, state: Forest, sums: Codes) -> Forest:
        """With the weight of all rows, from their channel sums."""
        return state._replace(whole=int(sums[1]))

    def room(self) -> int:
        """Bits of a sum of weights."""
        return EXACT

    def criterion_of(self) -> int:
        """What makes a split good."""
        raise NotImplementedError

    def claims_of(self, state: Forest) -> tuple[Claim, ...]:
        """What is claimed of the categories."""
        return category_claims(state.levels, state.rows, self.cat_penalty)

    def noise_of(self, state: Forest) -> float:
        """The variance of a row, if the criterion does not tell it; below nought: each node has its own."""
        return 0.0

    def channels(self, state: Forest) -> Channels:
        """Of a histogram: how a row counts."""
        raise NotImplementedError

    def units(self, state: Forest) -> Array:
        """What one means in the channels."""
        raise NotImplementedError

    def values(self, state: Forest, sums: Any) -> Array:
        """What is said of rows that end in each node, from its channel sums."""
        raise NotImplementedError

    def unseen(self, state: Forest, draws: TreeDraws) -> OutOfBag[Any]:
        """How wrong trees are about rows they have not drawn."""
        raise NotImplementedError


def _shared(calls: list[Any]) -> list[Any]:
    """What the calls return, in order; each thread takes the next one that is left."""
    found: list[Any] = [None] * len(calls)
    left, stopped = count(), Event()

    def work() -> None:
        try:
            while not stopped.is_set() and (k := next(left)) < len(calls):
                found[k] = calls[k]()
        except BaseException:  # the others must not go on with a forest that nobody gets
            stopped.set()
            raise

    share([work] * min(hands(), len(calls)))
    return found
