"""Gradient boosting: each tree is grown along the slope of the loss that those before it left.

A round needs Σg and Σh by node, column and bin, in whole units: they merge exactly, so the trees are the same from rows
in one place and level by level over parts, whatever the parts. Bins are held; margins follow the trees.

The phases of a fit: "look", "start" (what a constant would predict), then "rows" (gather all once, if they are few, and
grow every tree from them) or "level" (the next level of the next tree) and "renew" (its leaves, if they are to say
quantiles), and "judge" (the loss at the end).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tenfold.core import MANY, Array, Codes, DataError, Never, Schema
from tenfold.kernels import gradients as gr
from tenfold.kernels import tree_search as ts
from tenfold.kernels.tree_growing import START, STOP
from tenfold.stats.draws import Holdout
from tenfold.stats.gathered import BinnedRows, Gathered
from tenfold.stats.tree_bins import Cut, Look, SampleAndRanges, TreeLens, WeightUnit
from tenfold.trees import frontier as fr
from tenfold.trees import renewing as rn
from tenfold.trees.best_first import BestFirst
from tenfold.trees.boosted import Boosted, Ensemble, Level, Loss, directions
from tenfold.trees.boosted_model import BoostedModel
from tenfold.trees.channels import ChannelSums, Weighed
from tenfold.trees.gradient_statistics import GradientHistograms, MarginLoss, ResidualDigits, Sampling, TargetDigits
from tenfold.trees.growing import Rules
from tenfold.trees.learner import GATHER
from tenfold.trees.slopes import Slopes
from tenfold.trees.tree import Tree, no_tree, tree_from

NONE = np.zeros(0, np.int64)
LEAST_CURVATURE = 1e-3
"""of a leaf, for weights of one: LightGBM's min_sum_hessian_in_leaf"""

Asked = SampleAndRanges | ChannelSums | TargetDigits | BinnedRows | GradientHistograms | ResidualDigits | MarginLoss


class Boosting(BoostedModel):
    """What both boosted learners share; they bring the loss and where to start."""

    passes = MANY
    model_type = Boosted
    summary_types = (Look, Weighed, Gathered, Level, rn.Digits, Loss)
    steering = frozenset({
        "step", "phase", "turn", "bin_edges", "levels", "rows", "unit", "even", "least", "most", "heaviest", "way",
        "labels", "base", "roots", "value", "frontier", "sought", "margin", "trees", "row_weight",
    })  # fmt: skip
    learning_rate: float
    max_iter: int
    max_leaf_nodes: int | None
    max_depth: int | None
    min_samples_leaf: int
    l2_regularization: float
    max_bins: int
    subsample: float
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    tol: float
    monotonic_cst: Any
    min_data_per_group: int
    cat_smooth: float
    cat_penalty: float
    random_state: Any

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        """Whether rounds learn from some of the rows."""
        return self.subsample < 1 or self.early_stopping

    def start(self, schema: Schema) -> Boosted:
        """No tree yet."""
        outputs = self.outputs_of(schema)
        none, levels = np.zeros(0), schema.levels
        return Boosted(
            0, "look", 0, np.zeros((len(levels), 0)), levels, 0, 1.0, True, 0.0, 0.0, 1.0,
            directions(self.monotonic_cst, schema), 0 if schema.classes is None else len(schema.classes),
            np.zeros(outputs), no_tree(), NONE, none, none, none, fr.root(3, 0), rn.seek(0), np.zeros((0, outputs)),
        )  # fmt: skip

    def stop(self) -> Never:
        """The rounds are counted here."""
        return Never()

    def ask(self, state: Boosted) -> Asked | None:
        """What the phase needs; rows in one place are asked for once."""
        lens, weights = TreeLens(state.cut), state.weights
        match state.phase:
            case "look":
                return SampleAndRanges(int(self.random_state))
            case "start":
                return self.constant_of(state)
            case "rows":
                return BinnedRows(weights, self.draws_rows, lens=lens)
            case "level":
                return GradientHistograms(*self._margins(state), state.frontier, lens=lens)
            case "renew":
                return ResidualDigits(*self._margins(state), state.sought, _scale(state), lens=lens)
            case "judge":
                return MarginLoss(*self._margins(state), lens=lens)
        return None

    def _margins(self, state: Boosted) -> tuple[WeightUnit, Ensemble, Sampling, Slopes]:
        """What tells the margins of rows, and what they lose by them."""
        return state.weights, state.ensemble, self._sampling, self.slopes_of(state)

    @property
    def _sampling(self) -> Sampling:
        held_back = self.validation_fraction if self.early_stopping else 0.0
        return Sampling(Holdout(int(self.random_state), held_back), self.subsample)

    def update(self, state: Boosted, s: Any) -> Boosted:
        """The next phase, tree or level."""
        if state.phase == "look":
            s.check_target()
            cut = Cut.of(s, state.levels, min(self.max_bins, 255))
            return state._replace(
                phase="start", bin_edges=cut.edges, rows=s.rows, unit=s.unit(), even=s.even, least=s.least, most=s.most,
                heaviest=s.heaviest,
            )  # fmt: skip
        state = state._replace(turn=state.turn + 1)
        if state.phase == "start":
            state = self.start_from(state, s)
            if state.phase == "start":  # there is more to ask
                return state
            few = state.rows * len(state.levels) <= GATHER
            margin = np.repeat(state.base[None], state.rows if few else 0, axis=0)
            return state._replace(phase="rows" if few else "level", margin=margin)
        if state.phase == "rows":
            return self._round(state, s)
        if state.phase == "level":
            return self._level(state, s)
        if state.phase == "renew":
            return self._renew(state, s)
        return state._replace(phase="done")

    def resumable(self, state: Boosted, summary: Any, schema: Schema) -> bool:
        """Whether gathered rows are in bins that there are, each with a margin, and leaves have what is looked for."""
        at, sought = state.frontier, state.sought
        if state.phase == "rows":
            fits = type(summary) is Gathered and summary.rows == len(state.margin) and state.cut.holds(summary.bins)
            return fits and (not self.draws_rows or len(summary.order) == summary.rows)
        if state.phase == "renew":
            fits = len(state.roots) > 0 and len(sought.prefix) == len(state.ensemble.last.leaves)
            return fits and sought.digit < rn.last(rn.ROUGH)
        return (at.sums.shape[1], at.gaps.shape[1]) == (3, 0) or state.phase != "level"

    def _round(self, state: Boosted, s: Gathered) -> Boosted:
        """A round over rows in one place: a tree for each output."""
        target, sampling, slopes = s.target.astype(np.float64, copy=False), self._sampling, self.slopes_of(state)
        learn = sampling.holdout.learns(s.order, s.rows)
        if s.rows != len(state.margin):
            raise DataError(
                f"there are {s.rows} rows, but {len(state.margin)} were counted. Remedy: fit from the start"
            )
        margin = state.margin.copy()
        keep = sampling.keeps(learn, s.order, state.step)
        index = np.arange(s.rows, dtype=np.uint32)
        index = index if keep.all() else index[keep]
        cut = state.cut
        for output in range(state.outputs):
            g, h, word, loss = slopes.words(state.margin, output, target, s.weight, learn)
            if output == 0:
                state = self._scored(state, loss)
                if self._enough(state):
                    return self._judged(state)
                rules = self._rules(state)
                grower = BestFirst(s.bins, cut, rules)
            tree, sums, real, node = grower.grow(g, h, word, slopes.short, index)
            ends = tree.leaves
            if slopes.loss in gr.RENEWED:
                residual = rn.residual_keys(target, state.margin, _scale(state))
                key, heft = rn.in_place(residual, s.weight, index, node[ends], slopes.level)
                value = self._renewed(state, tree, key, heft)
            else:
                value = self._values(rules, sums, real)
            if len(index) == s.rows:
                gr.add_leaves(index, node[ends, START], node[ends, STOP], value[ends], output, margin)
            else:
                gr.add_values(tree.apply_bins(s.bins, cut, np.zeros(s.rows, np.int64)), value, output, margin)
            state = state.plus(tree, value)
        return state._replace(step=state.step + 1, margin=margin)

    def _level(self, state: Boosted, s: Level) -> Boosted:
        """One level of one tree."""
        if state.ensemble.begins_round(state.frontier):
            state = self._scored(state, s.loss)
            if self._enough(state):
                return self._judged(state)
        rules, cut = self._rules(state), state.cut
        hist = s.histograms.sums.reshape(len(s.histograms.sums), 3, -1)
        at = fr.take_in(state.frontier, hist, cut, rules)
        more = fr.want(at, cut, rules)
        if more is not None:
            return state._replace(frontier=more)
        tree, old = tree_from(fr.pruned(at, rules), at.real, at.route, cut)
        state = state.plus(tree, self._values(rules, at.sums[old], at.real[old]))
        if self.loss_of(state) in gr.RENEWED:
            return state._replace(phase="renew", frontier=fr.root(3, 0), sought=rn.seek(len(tree.leaves)))
        return state._replace(step=len(state.roots) // state.outputs, frontier=fr.root(3, 0))

    def _renew(self, state: Boosted, s: rn.Digits) -> Boosted:
        """One more digit of what the leaves say."""
        sought = rn.narrow(state.sought, s, self.level_of())
        if sought.digit < rn.last(rn.ROUGH):
            return state._replace(sought=sought)
        tree = state.ensemble.last
        value = self._renewed(state, tree, sought.prefix.view(np.uint64), sought.weight)
        return state._replace(
            phase="level", step=state.step + 1, sought=rn.seek(0),
            value=np.concatenate([state.value[: int(state.roots[-1])], value]),
        )  # fmt: skip

    def _renewed(self, state: Boosted, tree: Tree, key: Any, weight: Codes) -> Array:
        """What the nodes add to a margin, from the quantiles of the leaves."""
        value = np.where(weight > 0, rn.values(key, rn.ROUGH) * _scale(state), 0.0)
        return self.learning_rate * rn.filled(tree, value, weight, state.way)

    def _judged(self, state: Boosted) -> Boosted:
        """No more trees: the loss of all of them is left to see."""
        return state._replace(phase="judge", frontier=fr.root(3, 0), margin=state.margin[:0])

    def _scored(self, state: Boosted, loss: Loss) -> Boosted:
        with np.errstate(invalid="ignore", divide="ignore"):
            score = loss.sums * self.slopes_of(state).unit / loss.weight
        return state._replace(
            row_weight=1.0 if state.unit == 1 else float(loss.weight.sum() / state.rows),
            train_score=np.append(state.train_score, score[0]),
            validation_score=np.append(state.validation_score, score[1]),
        )

    def _enough(self, state: Boosted) -> bool:
        """Whether there are rounds enough, or the rows that were kept back say so."""
        if state.step >= self.max_iter:
            return True
        seen, few = state.validation_score, self.n_iter_no_change
        return bool(self.early_stopping and len(seen) > few and seen[-few:].min() > seen[:-few].min() - self.tol)

    def _values(self, rules: Rules, sums: Any, real: Any) -> Array:
        """What each node adds to a margin."""
        with np.errstate(invalid="ignore", divide="ignore"):
            full = -sums[:, 0] * rules.units[0] / (sums[:, 1] * rules.units[1] + self.l2_regularization)
        full = np.where(sums[:, 2] > 0, np.nan_to_num(full), 0.0)
        return np.asarray(self.learning_rate * np.clip(full, real[:, fr.LEAST], real[:, fr.MOST]))

    def _rules(self, state: Boosted) -> Rules:
        """When to split."""
        slopes = self.slopes_of(state)
        least = LEAST_CURVATURE * (1.0 if state.unit == 1 else state.heaviest)
        if slopes.loss == gr.POISSON:  # whose curvature is what is predicted
            least *= min(state.most, 1.0)
        return Rules(
            ts.SUMS, np.where(state.levels > 0, ts.SUBSET, ts.NUMERIC), np.array(slopes.units),
            -1 if self.max_depth is None else self.max_depth, 1, self.min_samples_leaf,
            least, self.max_leaf_nodes or 1 << 20, 0.0, self.l2_regularization, monotone=state.way,
            min_data_per_group=self.min_data_per_group, cat_smooth=self.cat_smooth, cat_penalty=self.cat_penalty,
            noise=self._noise(state),
        )  # fmt: skip

    def _noise(self, state: Boosted) -> float:
        """What the slope of a row adds by chance to the squares between categories: g² / h, as it should be."""
        noise = 2 * state.train_score[-1] if self.loss_of(state) == gr.SQUARED else 1.0
        return rounded(noise * state.row_weight)

    def constant_of(self, state: Boosted) -> ChannelSums | TargetDigits:
        """What a constant is made from."""
        raise NotImplementedError

    def start_from(self, state: Boosted, s: Any) -> Boosted:
        """With the margins of that constant, in phase "rows" once they are known."""
        raise NotImplementedError


def rounded(value: float) -> float:
    """To twelve bits: sums of floats that differ in their last bits, as parts are cut, give the same number."""
    if not math.isfinite(value):  # no row to learn from
        return 0.0
    part, power = math.frexp(value)
    return math.ldexp(round(part * 4096), power - 12)


def _scale(state: Boosted) -> float:
    """A power of two beyond which no target lies."""
    return float(2.0 ** np.ceil(np.log2(max(abs(state.least), abs(state.most), 1e-300))))
