"""Gradient boosting: each tree is grown along the slope of the loss that those before it left.

A round needs Σg and Σh by node, column and bin, in whole units: they merge exactly, so the trees are the same from rows
in one place and level by level over parts, whatever the parts. Bins are held; margins follow the trees.

The phases of a fit: "look", "start" (what a constant would predict), then "rows" (gather all once, if they are few, and
grow every tree from them) or "level" (the next level of the next tree), and "judge" (the loss at the end).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import MANY, Array, Ask, Chunk, Claim, Codes, Columns, Never
from tenfold.estimator.base import Estimator
from tenfold.kernels import gradients as gr
from tenfold.kernels import tree_search as ts
from tenfold.kernels.tree_growing import START, STOP
from tenfold.stats.gathered import Gathered
from tenfold.stats.tree_bins import Cut, Look, Seen, TreeLens, fine_unit
from tenfold.trees import frontier as fr
from tenfold.trees.best_first import BestFirst
from tenfold.trees.boosted import Boosted, Level, Loss, Start
from tenfold.trees.growing import Rules
from tenfold.trees.learner import GATHER, Histograms
from tenfold.trees.tree import no_tree, tree_from

NONE = np.zeros(0, np.int64)


class Boosting(Estimator):
    """What both boosted learners share; they bring the loss and where to start."""

    passes = MANY
    state_type = Boosted
    summary_types = (Look, Start, Gathered, Level, Loss)
    steering = frozenset({
        "step", "phase", "turn", "bin_edges", "levels", "rows", "unit", "even", "least", "most", "heaviest", "base",
        "roots", "value", "frontier", "margin", "trees",
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
    random_state: Any

    def _first(self, levels: Codes, outputs: int) -> Boosted:
        none = np.zeros(0)
        return Boosted(
            0, "look", 0, np.zeros((len(levels), 0)), levels, 0, 1.0, True, 0.0, 0.0, 1.0, np.zeros(outputs), no_tree(),
            NONE, none, none, none, fr.root(3, 0), np.zeros((0, outputs)),
        )  # fmt: skip

    def stop(self) -> Never:
        """The rounds are counted here."""
        return Never()

    def ask(self, state: Boosted) -> Ask | None:
        """What the phase needs; rows in one place are asked for once."""
        if state.phase == "done":
            return None
        return Ask(state.phase, state.turn if state.phase == "level" else 0)

    def lens(self, state: Boosted) -> TreeLens | None:
        """Rows become bins as soon as the edges are known."""
        some = self.subsample < 1 or self.early_stopping
        return None if state.phase == "look" else TreeLens(state.cut, state.unit, state.even, some)

    def follow(self, state: Boosted, held: Seen, scratch: Any) -> Any:
        """Margins after the rounds that are complete, and each row's node in the tree that grows."""
        if state.phase not in ("level", "judge"):
            return None
        n, trees = held.bins.shape[1], len(state.roots)
        whole = trees - trees % state.outputs
        had, margin, at, nodes = scratch or (0, np.repeat(state.base[None], n, axis=0), -1, np.zeros(n, np.int64))
        if had < whole:
            margin = margin.copy()
            for t in range(had, whole):
                ends = state.trees.apply_bins(held.bins, state.cut, np.zeros(n, np.int64), int(state.roots[t]))
                gr.add_values(ends, state.value, t % state.outputs, margin)
        nodes = np.zeros(n, np.int64) if at != trees else nodes.copy()
        return whole, margin, trees, fr.go_down(state.frontier, held.bins, state.cut, nodes)

    def summarize(self, state: Boosted, chunk: Chunk) -> Any:
        """A look, what a constant needs, all rows, one level of one tree, or the loss."""
        if state.phase == "look":
            return Look.of(chunk, self.random_state)
        seen: Seen = chunk.held
        if state.phase == "start":
            return self.constant_of(state, seen)
        if state.phase == "rows":
            return Gathered.of(seen)
        _, margin, _, nodes = chunk.scratch
        learn = self._kept(seen.number, len(nodes), -1)
        if state.phase == "judge":
            return self._loss(state, margin, seen.target, seen.weight, learn)
        g, h = self._slopes(state, margin, seen.target, seen.weight)
        keep = learn & self._kept(seen.number, len(nodes), len(state.roots) // state.outputs)
        nodes = np.where(keep, nodes, len(state.frontier.node))
        at = state.frontier._replace(node=np.append(state.frontier.node, np.full((1, fr.FIELDS), -1), axis=0))
        found = fr.histograms(at, seen.bins, state.cut, nodes, np.zeros(0, np.uint16), g, h, ts.SUMS)
        loss = Loss(np.zeros(2, np.int64), np.zeros(2))
        if len(state.frontier.node) == 1 and len(state.roots) % state.outputs == 0:
            loss = self._loss(state, margin, seen.target, seen.weight, learn)
        return Level(Histograms(found.reshape(len(found), -1)), loss)

    def update(self, state: Boosted, s: Any) -> Boosted:
        """The next phase, tree or level."""
        if state.phase == "look":
            cut = Cut.of(s, state.levels, min(self.max_bins, 255))
            return state._replace(
                phase="start", bin_edges=cut.edges, rows=s.rows, unit=s.unit(), even=s.even, least=s.least, most=s.most,
                heaviest=s.heaviest,
            )  # fmt: skip
        if state.phase == "start":
            few = state.rows * len(state.levels) <= GATHER
            base = self.start_from(state, s)
            return state._replace(
                phase="rows" if few else "level", base=base,
                margin=np.repeat(base[None], state.rows if few else 0, axis=0),
            )  # fmt: skip
        if state.phase == "rows":
            return self._round(state, s)
        if state.phase == "level":
            return self._level(state, s)
        return state._replace(phase="done")

    def _round(self, state: Boosted, s: Gathered) -> Boosted:
        """A round over rows in one place: a tree for each output."""
        target = s.number if len(s.number) else s.label.astype(np.float64)
        learn = self._kept(s.order, s.rows, -1)
        if not state.step:
            state = self._scored(state, self._loss(state, state.margin, target, s.weight, learn))
        margin = state.margin.copy()
        keep = learn & self._kept(s.order, s.rows, state.step)
        for output in range(state.outputs):
            g, h = self._slopes(state, state.margin, target, s.weight, output)
            index = np.flatnonzero(keep).astype(np.uint32)
            tree, sums, real, node = BestFirst(s.bins, state.cut, self.rules_of(state)).grow(g, h, index)
            value = self._values(state, sums, real)
            if len(index) == s.rows:
                ends = tree.leaves
                gr.add_leaves(index, node[ends, START], node[ends, STOP], value[ends], output, margin)
            else:
                gr.add_values(tree.apply_bins(s.bins, state.cut, np.zeros(s.rows, np.int64)), value, output, margin)
            state = state.plus(tree, value)
        state = state._replace(step=state.step + 1, margin=margin)
        state = self._scored(state, self._loss(state, margin, target, s.weight, learn))
        return self._judged(state) if self._enough(state) else state

    def _level(self, state: Boosted, s: Level) -> Boosted:
        """One level of one tree."""
        state = state._replace(turn=state.turn + 1)
        rules, cut = self.rules_of(state), state.cut
        if len(state.frontier.node) == 1 and len(state.roots) % state.outputs == 0:
            state = self._scored(state, s.loss)
            if self._enough(state):
                return self._judged(state)
        hist = s.histograms.sums.reshape(len(s.histograms.sums), 3, -1)
        at = fr.take_in(state.frontier, hist, cut, rules)
        more = fr.want(at, cut, rules)
        if more is not None:
            return state._replace(frontier=more)
        tree, old = tree_from(fr.pruned(at, rules), at.real, at.route, cut)
        state = state.plus(tree, self._values(state, at.sums[old], at.real[old]))
        done = len(state.roots) // state.outputs
        return state._replace(step=done, frontier=fr.root(3, 0))

    def _judged(self, state: Boosted) -> Boosted:
        """No more trees: the loss of all of them is left to see."""
        return state._replace(phase="judge", frontier=fr.root(3, 0), margin=state.margin[:0])

    def _scored(self, state: Boosted, loss: Loss) -> Boosted:
        with np.errstate(invalid="ignore", divide="ignore"):
            score = loss.sums * self._loss_unit(state) / loss.weight
        return state._replace(
            train_score=np.append(state.train_score, score[0]),
            validation_score=np.append(state.validation_score, score[1]),
        )

    def _enough(self, state: Boosted) -> bool:
        """Whether there are rounds enough, or the rows that were kept back say so."""
        if state.step >= self.max_iter:
            return True
        seen, few = state.validation_score, self.n_iter_no_change
        return bool(self.early_stopping and len(seen) > few and seen[-few:].min() > seen[:-few].min() - self.tol)

    def _values(self, state: Boosted, sums: Any, real: Any) -> Array:
        """What each node adds to a margin."""
        units = self.rules_of(state).units
        with np.errstate(invalid="ignore", divide="ignore"):
            full = -sums[:, 0] * units[0] / (sums[:, 1] * units[1] + self.l2_regularization)
        full = np.where(sums[:, 2] > 0, np.nan_to_num(full), 0.0)
        return np.asarray(self.learning_rate * np.clip(full, real[:, fr.LEAST], real[:, fr.MOST]))

    def rules_of(self, state: Boosted) -> Rules:
        """When to split."""
        return Rules(
            ts.SUMS, np.where(state.levels > 0, ts.SUBSET, ts.NUMERIC), np.array(self._units(state)),
            -1 if self.max_depth is None else self.max_depth, 2, self.min_samples_leaf, 1e-3,
            self.max_leaf_nodes or 1 << 20, 0.0, self.l2_regularization, monotone=self.monotonic_cst,
        )  # fmt: skip

    def _units(self, state: Boosted) -> tuple[float, float]:
        """What one means in Σg and Σh. Slopes beyond twice the range of the targets are cut there."""
        wide = 1.0 if self.loss_of(state) >= gr.LOGISTIC else 2 * max(state.most - state.least, state.most, 1e-300)
        curve = wide if self.loss_of(state) == gr.POISSON else 1.0
        return fine_unit(wide * state.heaviest, state.rows), fine_unit(curve * state.heaviest, state.rows)

    def _loss_unit(self, state: Boosted) -> float:
        wide = 1.0 if self.loss_of(state) >= gr.LOGISTIC else max(state.most - state.least, abs(state.most), 1e-300)
        return fine_unit(64 * max(wide, wide * wide) * state.heaviest, state.rows)

    def _slopes(self, state: Boosted, margin: Any, target: Any, weight: Any, output: int | None = None) -> Any:
        """g and h of each row, for the tree that comes next."""
        n, loss = len(margin), self.loss_of(state)
        output = len(state.roots) % state.outputs if output is None else output
        same = loss < gr.POISSON and not len(weight)
        g, h = np.empty(n, np.int64), np.empty(0 if same else n, np.int64)
        w = weight * state.unit if len(weight) else np.zeros(0)
        units = self._units(state)
        gr.gradients(loss, margin, output, target.astype(np.float64), w, self._level_of(), *units, g, h)
        return g, h

    def _loss(self, state: Boosted, margin: Any, target: Any, weight: Any, keep: Any) -> Loss:
        w = weight * state.unit if len(weight) else np.zeros(0)
        loss = self.loss_of(state)
        return Loss(
            *gr.loss_sum(loss, margin, target.astype(np.float64), w, self._level_of(), keep, self._loss_unit(state))
        )

    def _kept(self, numbers: Any, n: int, draw: int) -> Any:
        """Which rows a round learns from; draw -1: which rows any round may learn from."""
        share = 1 - self.validation_fraction if draw < 0 else self.subsample
        if (draw < 0 and not self.early_stopping) or share >= 1:
            return np.ones(n, bool)
        out = np.empty(n, bool)
        gr.kept(numbers, self.random_state, draw + 1, share, out)
        return out

    def _level_of(self) -> float:
        return float(getattr(self, "quantile", None) or 0.5)

    def loss_of(self, state: Boosted) -> int:
        """Which loss."""
        raise NotImplementedError

    def constant_of(self, state: Boosted, seen: Seen) -> Start:
        """What a constant is made from, of a chunk."""
        raise NotImplementedError

    def start_from(self, state: Boosted, s: Start) -> Array:
        """The margins of that constant."""
        raise NotImplementedError

    def certify(self, state: Boosted, s: Any) -> tuple[Claim, ...] | None:
        """The loss at the end, from all rows sent down all trees."""
        if state.phase not in ("judge", "done") or not isinstance(s, Loss):
            return None
        score = s.sums * self._loss_unit(state) / np.maximum(s.weight, 1e-300)
        claims = [Claim("training loss", float(score[0]), "proved", "mean over the rows learned from", "data")]
        if s.weight[1]:
            why = "mean over the rows kept back, which chose the number of rounds: a little too low"
            claims.append(Claim("validation loss", float(score[1]), "estimated", why, "unseen rows"))
        return tuple(claims)

    def margins(self, state: Boosted, X: Columns) -> Array:
        """The sum of the trees, for each output."""
        out = np.repeat(state.base[None], len(X), axis=0)
        for t, first in enumerate(state.roots.tolist()):
            gr.add_values(state.trees.apply(X, first), state.value, t % state.outputs, out)
        return out
