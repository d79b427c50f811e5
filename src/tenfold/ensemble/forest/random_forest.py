"""What both forests share: trees of rows drawn again for each, and of a few columns drawn again for each node.

How often a tree draws a row is a Poisson number from a hash of the row's place and the tree: no tree needs a list, and
every runner draws the same. Histograms hold whole numbers, so the trees are the same from rows in one place, where
threads grow one tree each, and level by level from merged histograms, where some trees share each reduce. At the end
each row is scored by the trees that have not drawn it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY
from functools import partial
from itertools import count
from threading import Event
from typing import Annotated, Any, ClassVar, Generic, NamedTuple

import numpy as np

from tenfold.compiled.tree.forests import MAX_DRAWS
from tenfold.compiled.tree.tree_growing import ARITY, FIRST, PATH, SLOT
from tenfold.compiled.tree.tree_search import SUMS
from tenfold.core import Array, Certificate, Claim, Codes, Remedy, Schema, driver_threads
from tenfold.core.axes import Bundle
from tenfold.core.errors import warn_user
from tenfold.core.learner import Done, Initial, SummaryT
from tenfold.core.statistic import Statistic
from tenfold.estimator import check_is_fitted, fitted
from tenfold.estimator.ensembles.member_sequence import MemberSequence
from tenfold.estimator.shell.constraints import boolean, integer, nonzero_fraction, real
from tenfold.estimator.shell.keyword_decisions import (
    FLAG,
    ignored_n_jobs,
    ignored_verbose,
    not_monotonic,
    not_more_rows,
    squared_errors,
)
from tenfold.estimator.shell.keywords import NoEffect, refused
from tenfold.estimator.shell.parameters import Behind
from tenfold.estimator.updating.continuing import Continues
from tenfold.stats.rows.draws import COLUMN_STREAM, keys_of
from tenfold.stats.rows.gathered_bins import BinnedRows, GatheredBins
from tenfold.stats.trees.rare_rows import Gaps, Neighbors
from tenfold.stats.trees.tree_bins import NO_CODES, Look, SampleAndRanges, strata_of
from tenfold.tree.decision_tree import DecisionTree
from tenfold.tree.forest import ForestModel, ForestSides
from tenfold.tree.growing import levelwise as lw
from tenfold.tree.growing.channels import ChannelSums, Weighed
from tenfold.tree.growing.grower import TreeGrower, gathers
from tenfold.tree.growing.growing import grow_from
from tenfold.tree.growing.node_statistics import NodeHistograms, NodeRows, TreeDraws
from tenfold.tree.growing.thresholds import Sides
from tenfold.tree.pruning.paths import ForestPaths, tree_at
from tenfold.tree.pruning.pruning import cut
from tenfold.tree.pruning.pruning_methods import cuts_at_alpha
from tenfold.tree.records import Histograms, Ranges, RefiningEdges, RowsOf, Setup, TreeModel
from tenfold.tree.tree import GrownTree, Tree, joined, no_tree

Asked = (
    SampleAndRanges | Neighbors | ChannelSums | BinnedRows | NodeHistograms | NodeRows | ForestSides
    | Statistic
)  # fmt: skip
TREES_PER_SCAN = 16
"""trees that are grown at a time"""


class WeighingRows(NamedTuple):
    """The weight of all rows is wanted: limits or classes have weights."""

    step: int
    setup: Setup


class ContinuingForest(NamedTuple):
    """The state of a fit that continues from a forest, until its rows are cut into bins."""

    step: int
    """how many trees the forest has"""
    kept: Bundle
    """the forest"""
    within: Bundle
    """the state of a fit from the beginning"""

    @property
    def model(self) -> ForestModel:
        """The forest whose trees are kept."""
        found: ForestModel = self.kept.each[0]
        return found

    @property
    def state(self) -> Any:
        """The state of a fit from the beginning."""
        return self.within.each[0]


class GrowingForest(NamedTuple):
    """Trees grow from rows in one place."""

    step: int
    """how many trees there are"""
    setup: Setup
    forest: ForestModel


class GrowingForestLevels(NamedTuple):
    """Some trees grow level by level."""

    step: int
    setup: Setup
    forest: ForestModel
    frontier: lw.Frontier
    """the roots of the growing trees come first"""


class PlacingThresholdsOfForest(NamedTuple):
    """All trees are there: their thresholds are to lie halfway between the values of their nodes' own rows."""

    step: int
    setup: Setup
    forest: ForestModel


class CheckingForest(NamedTuple):
    """The state in which all trees are grown and out-of-bag predictions are scored."""

    step: int
    setup: Setup
    forest: ForestModel


ForestState = (
    Initial
    | ContinuingForest
    | RefiningEdges
    | WeighingRows
    | GrowingForest
    | GrowingForestLevels
    | PlacingThresholdsOfForest
    | CheckingForest
    | Done[ForestModel]
)
ForestSummary = Look | Gaps | Weighed | GatheredBins | Histograms | RowsOf | Sides


always_scored = NoEffect("`oob_score_` is always there", FLAG)
no_scorer = refused("it is the share of right answers, or R²", Remedy("tn.{name}(oob_score=True)"), callable)


class RandomForest(Continues, MemberSequence, TreeGrower, ForestPaths, Generic[SummaryT]):
    """An average of trees. A subclass defines how rows are summed, and the prediction of a node."""

    hidden = frozenset({"cover", "ranges", "fit_began", "fit_rows", "scored_from"})
    kept_parameters: ClassVar[tuple[str, ...]] = ("bootstrap", "max_samples")
    rounds_name: ClassVar[str] = "n_estimators"
    """the parameter that is the number of trees"""
    expected_failed_checks: ClassVar[dict[str, str]] = dict.fromkeys(
        ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
        "a row with a weight is drawn as one row, not as several",
    )
    most_draws, draw_bits = MAX_DRAWS + 1, 4

    n_estimators: Annotated[int, integer(1)] = 100
    _: KW_ONLY
    bootstrap: Annotated[bool, boolean, Behind("max_leaf_nodes")] = True
    criterion: Annotated[str, squared_errors] = "squared_error"
    oob_score: Annotated[bool, always_scored, no_scorer] = False
    n_jobs: Annotated[int | None, ignored_n_jobs] = None
    verbose: Annotated[int, ignored_verbose] = 0
    warm_start: Annotated[bool, boolean] = False
    ccp_alpha: Annotated[float, real(0)] = 0.0
    max_samples: Annotated[int | float | None, integer(1), nonzero_fraction, None, not_more_rows] = None
    monotonic_cst: Annotated[Any, not_monotonic] = None

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        # Trees draw rows, unless each sees all.
        return self.bootstrap

    def start(self, schema: Schema) -> Initial:
        if self.max_samples is not None and not self.bootstrap:
            raise ValueError("max_samples is for trees that draw rows. Remedy: bootstrap=True, or max_samples=None")
        return super().start(schema)

    def check_start(self, model: Any) -> None:
        # Trees are added, not taken away; rows are out of bag that trees have not drawn.
        done, seed = len(model.model_.roots), model.certificate_.provenance.seed
        if self.n_estimators < done:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={done} when "
                f"warm_start==True, or with start=model. Remedy: n_estimators={done + 100}"
            )
        if self.n_estimators == done:
            warn_user(
                f"the model has all n_estimators={done} trees: warm-start fitting without increasing n_estimators does "
                f"not fit new trees. Remedy: n_estimators={done + 100}"
            )
        if self.random_state is not None and self.seed() != seed:
            raise ValueError(
                f"{type(self).__name__} would take other rows for out of bag than the trees of the model have drawn. "
                f"Remedy: random_state={seed}"
            )

    def again(self, model: ForestModel, schema: Schema) -> ContinuingForest:
        # The state before the first pass, with the forest whose trees are kept.
        return ContinuingForest(len(model.roots), Bundle((model,)), Bundle((self.start(schema),)))

    def ask(self, state: ForestState) -> Asked | None:
        """A sample of the rows; then rows, asked for once, or histograms; then how wrong the trees are."""
        match state:
            case Initial():
                return SampleAndRanges(self._seed, strata_of(state.schema))
            case ContinuingForest():
                return self.ask(state.state)
            case RefiningEdges(_, setup):
                return Neighbors(setup.beside)
            case WeighingRows(_, setup):
                return ChannelSums(setup.weights, self.channels(setup), lens=setup.lens)
            case GrowingForest(_, setup):
                return BinnedRows(setup.weights, self.bootstrap, rows=setup.ranges.rows, lens=setup.lens)
            case GrowingForestLevels(_, setup, _, at):
                growing = setup.weights, at, self.weighed_channels(setup), self.rules(setup)
                kind = NodeRows if at.wants_rows else NodeHistograms
                draws = self._draws(setup, state.step, self._growing(state.step))
                return kind(*growing, draws=draws, lens=setup.lens)
            case PlacingThresholdsOfForest(_, setup, forest):
                first = int(forest.fit_began[-1])
                return ForestSides(forest.trees, forest.roots[first:], self._draws(setup, first, state.step - first))
            case CheckingForest(_, setup, forest):
                return self.unseen(setup, forest, self._draws(setup, 0, state.step))
        return None

    def update(self, state: ForestState, s: SummaryT | ForestSummary) -> ForestState:
        """The next trees or levels; what a subclass asks of rows that trees have not drawn is last."""
        match state, s:
            case Initial(), Look():
                setup = self.setup(state, s)
                return RefiningEdges(0, setup) if setup.beside.size else self._cut(setup)
            case ContinuingForest(), _:
                return self._continued(state, s)
            case RefiningEdges(_, setup), Gaps():
                return self._cut(setup.refined(s))
            case WeighingRows(_, setup), Weighed():
                return self._planted(self.weighed(setup, s.sums))
            case GrowingForest(step, setup), GatheredBins():
                numbers = range(step, min(step + TREES_PER_SCAN, self.n_estimators))
                return self._more(state, share([partial(self._tree, setup, s, t) for t in numbers]))
            case GrowingForestLevels(), Histograms() | RowsOf():
                return self._level(state, s)
            case PlacingThresholdsOfForest(step, setup, forest), Sides():
                return CheckingForest(step, setup, forest._replace(trees=s.placed(forest.trees)))
            case CheckingForest(), _:
                return self.unchecked(state)
        raise TypeError(f"{type(s).__name__} does not belong to the state of the fit")

    def unchecked(self, state: ForestState) -> ForestState:
        # How right the trees are for rows that they have not drawn is a claim of the certificate.
        return Done.of(state.forest, state.step) if isinstance(state, CheckingForest) else state

    def model(self, state: ForestState) -> ForestModel | None:
        return state.model if isinstance(state, Done) else None

    def resumable(self, state: ForestState, summary: object, schema: Schema) -> bool:
        if isinstance(state, ContinuingForest):
            if len(state.kept.each) != 1 or len(state.within.each) != 1 or not isinstance(state.model, ForestModel):
                return False
            begun = isinstance(state.state, Initial | RefiningEdges | WeighingRows) and state.model.is_valid(schema)
            counted = state.step == len(state.model.roots) <= self.n_estimators
            return begun and counted and self.resumable(state.state, summary, schema)
        if isinstance(state, Initial | RefiningEdges | WeighingRows):
            return state.step == 0 and not (isinstance(state, RefiningEdges) and not state.setup.beside.size)
        if isinstance(state, Done) or state.step != len(state.forest.roots):
            return False
        if self.draws_cuts and not state.setup.centers.size:
            return False
        if isinstance(state, CheckingForest):
            return state.step == self.n_estimators
        if isinstance(state, PlacingThresholdsOfForest):
            fits = isinstance(summary, Sides) and len(summary.left) == len(summary.right) == len(state.forest.value)
            return fits and state.step == self.n_estimators
        if state.step >= self.n_estimators:
            return False
        rows = summary.rows if isinstance(summary, RowsOf) else summary
        if isinstance(rows, GatheredBins) and not (
            state.setup.cut.holds(rows.bins) and len(rows.order) == (rows.rows if self.bootstrap else 0)
        ):
            return False
        if isinstance(state, GrowingForest):
            return isinstance(summary, GatheredBins)
        at = state.frontier
        if isinstance(summary, RowsOf) and not lw.holds(at, summary.node):
            return False
        return at.fits(self.channels(state.setup).size) and len(at.node) >= self._growing(state.step)

    def _cut(self, setup: Setup) -> WeighingRows | GrowingForest | GrowingForestLevels:
        """The state after columns were cut."""
        return WeighingRows(0, setup) if self.weighs() else self._planted(setup)

    def _planted(self, setup: Setup) -> GrowingForest | GrowingForestLevels:
        """The state before the first trees."""
        forest = ForestModel(
            NO_CODES,
            no_tree(),
            self.values(setup, np.zeros((0, self.channels(setup).size), np.int64)),
            NO_CODES,
            setup.ranges,
            np.zeros(1, np.int64),
            np.array([setup.ranges.rows], dtype=np.int64),
            0,
        )
        return GrowingForest(0, setup, forest) if gathers(setup) else self._roots(0, setup, forest)

    def _continued(self, state: ContinuingForest, s: SummaryT | ForestSummary) -> ForestState:
        """The state before the first tree that a fit adds to those of a forest, or one pass nearer to it."""
        begun, model = self.update(state.state, s), state.model
        if not isinstance(begun, GrowingForest | GrowingForestLevels):
            return state._replace(within=Bundle((begun,)))
        step, setup, ranges = state.step, begun.setup, begun.setup.ranges
        # Kernels are compiled for arrays that may be written to, and those of a fitted model may not.
        forest = model._replace(
            roots=model.roots.copy(),
            trees=Tree._make(map(np.copy, model.trees)),
            value=model.value.copy(),
            ranges=ranges,
            fit_began=np.append(model.fit_began, step),
            fit_rows=np.append(model.fit_rows, ranges.rows),
            scored_from=model.scored_from if same_ranges(ranges, model.ranges) else step,
        )
        if step == self.n_estimators:
            return CheckingForest(step, setup, forest)
        if isinstance(begun, GrowingForest):
            return GrowingForest(step, setup, forest)
        return self._roots(step, setup, forest)

    def _tree(self, setup: Setup, s: GatheredBins, t: int) -> GrownTree:
        """Tree t from rows in one place."""
        channels, times = self.weighed_channels(setup), self._draws(setup, 0, 0).times(s.order, t)
        index = np.flatnonzero(times) if len(times) else np.arange(s.rows)
        rules = self.rules(setup)._replace(seed=int(keys_of(self._seed, COLUMN_STREAM, t, 1).view(np.int64)[0]))
        numbers = channels.numbers(s.target, s.weight, times)
        return grow_from(s, setup.cut, rules, channels.size, numbers, index.astype(np.uint32))

    def _level(self, state: GrowingForestLevels, s: Histograms | RowsOf) -> ForestState:
        """Grow one more level of the trees, or finish small nodes from their gathered rows."""
        setup, numbers = state.setup, None
        if isinstance(s, RowsOf):
            times = self._times_of(state, s)
            numbers = self.weighed_channels(setup).numbers(s.rows.target, s.rows.weight, times)
        growing = self._growing(state.step)
        found = lw.proceed(state.frontier, s, numbers, setup.cut, self.rules(setup), growing)
        return state._replace(frontier=found) if isinstance(found, lw.Frontier) else self._more(state, found)

    def _more(self, state: GrowingForest | GrowingForestLevels, grown: list[GrownTree]) -> ForestState:
        """Add some trees, then continue with the next ones or with out-of-bag scoring."""
        setup, old = state.setup, state.forest
        grown = [self._pruned(setup, one) for one in grown]
        trees = [old.trees, *(one.tree for one in grown)]
        start = np.cumsum([tree.node_count for tree in trees])
        value = np.concatenate([old.value, *(self._means(setup, one, state.step + t) for t, one in enumerate(grown))])
        cover = np.concatenate([old.cover, *(self.channels(setup).weight(one.sums) for one in grown)])
        roots = np.concatenate([old.roots, start[:-1]])
        forest = old._replace(roots=roots, trees=joined(trees), value=value, cover=cover)
        step = state.step + len(grown)
        if step == self.n_estimators:
            return (PlacingThresholdsOfForest if setup.rare else CheckingForest)(step, setup, forest)
        if isinstance(state, GrowingForest):
            return GrowingForest(step, setup, forest)
        return self._roots(step, setup, forest)

    def _means(self, setup: Setup, grown: GrownTree, number: int) -> Array:
        """Prediction of each node of a tree, by its number, including targets that were set aside as far."""
        value = self.values(setup, grown.sums)
        if len(setup.far.target):
            times = self._draws(setup, 0, 0).times(setup.far.place, number)
            value[:, 0] += self.put_back(setup, grown.tree, grown.sums, times)
        return value

    def _pruned(self, setup: Setup, grown: GrownTree) -> GrownTree:
        """A tree without the branches that are not worth what their leaves cost."""
        if self.ccp_alpha == 0 or grown.tree.node_count == 1:
            return grown
        sums = grown.sums
        if self.criterion_code == SUMS:
            value = np.column_stack([self.values(setup, sums), sums[:, 1]])
        else:
            value = sums[:, :-1].astype(np.float64)
        tree, old = cut(grown.tree, cuts_at_alpha(grown.tree, value, self.criterion_code, self.ccp_alpha))
        return GrownTree(tree, sums[old], grown.real[old], grown.node[old])

    def _growing(self, step: int) -> int:
        """How many trees grow at a time: one, if the best leaf of each comes first."""
        return min(1 if self.max_leaf_nodes else TREES_PER_SCAN, self.n_estimators - step)

    def _draws(self, setup: Setup, first: int, many: int) -> TreeDraws:
        """How some trees draw their rows."""
        return TreeDraws(self._seed, first, many, self.bootstrap, self._share(setup.ranges.rows))

    def _share(self, rows: int) -> float:
        """How many rows a tree draws, as a share of all."""
        given = 1.0 if self.max_samples is None else float(self.max_samples)
        if not isinstance(self.max_samples, (int, np.integer)):
            return given
        if given > rows:
            raise ValueError(
                f"max_samples is {self.max_samples}, but there are {rows} rows. Remedy: at most {rows}, or a share"
            )
        return given / rows

    def _roots(self, step: int, setup: Setup, forest: ForestModel) -> GrowingForestLevels:
        """The roots of the next trees."""
        n, one = self._growing(step), lw.root(self.channels(setup).size, 0)
        node, sums, gaps = (np.repeat(x, n, axis=0) for x in (one.node, one.sums, one.gaps))
        node[:, SLOT] = np.arange(n)
        node[:, PATH] = keys_of(self._seed, COLUMN_STREAM, step, n).view(np.int64)
        at = lw.Frontier(node, np.repeat(one.real, n, axis=0), sums, one.route, gaps)
        return GrowingForestLevels(step, setup, forest, at)

    def _times_of(self, state: GrowingForestLevels, s: RowsOf) -> Codes:
        """How often each of the gathered rows was drawn by the tree it is there for."""
        if not self.bootstrap:
            return NO_CODES
        node, growing = state.frontier.node, self._growing(state.step)
        tree = np.full(len(node), -1)
        tree[:growing] = np.arange(growing)
        for k in np.flatnonzero(node[:, FIRST]):
            tree[node[k, FIRST] : node[k, FIRST] + node[k, ARITY]] = tree[k]
        out, of = np.zeros(s.rows.rows, np.int64), tree[s.node]
        draws = self._draws(state.setup, 0, 0)
        for t in range(growing):
            out[of == t] = draws.times(s.rows.order[of == t], state.step + t)
        return out

    @property
    @fitted
    def feature_importances_(self) -> Array:
        """Share of the decrease of impurity that is due to each column, a mean over the trees.

        It favours columns with many values, and does not show whether a column helps on unseen rows: a column of noise
        gets its share too.
        """
        model: ForestModel = self.model_
        p, n = len(model.ranges.levels), len(model.roots)
        inner = model.trees.feature >= 0
        tree = np.repeat(np.arange(n), np.diff(np.append(model.roots, model.trees.node_count)))
        cell = tree[inner] * p + model.trees.feature[inner]
        each = np.bincount(cell, model.trees.gain[inner], n * p).reshape(n, p)
        whole = each.sum(axis=1, keepdims=True)
        mean = (each / np.where(whole > 0, whole, 1.0)).mean(axis=0)
        return np.asarray(mean / mean.sum() if mean.any() else mean)

    @property
    @fitted
    def estimators_(self) -> list[Any]:
        """The trees, each as a fitted decision tree."""
        check_is_fitted(self)
        return [self._estimator(t) for t in range(len(self.model_.roots))]

    def _estimator(self, t: int) -> Any:
        """Tree t, as it would be by itself."""
        model: ForestModel = self.model_
        tree, at = tree_at(model.trees, model.roots, t)
        none = np.zeros(len(model.ranges.levels), bool)
        member = self.member()
        found = TreeModel(tree, self.member_values(model.value[at]), none, model.ranges)
        member._set(self.schema_, found, None, Certificate((), self.certificate_.provenance))
        member.n_features_in_ = self.n_features_in_
        if self.schema_.named:
            member.feature_names_in_ = self.feature_names_in_
        member.computed = self.computed
        return member

    def member(self) -> DecisionTree:
        """A tree that is not fitted, with the limits of this forest."""
        raise NotImplementedError

    def member_values(self, value: Array) -> Array:
        """Predictions of the nodes of one tree, in the format of a decision tree."""
        return value

    def limits(self) -> dict[str, Any]:
        """The parameters that the forest shares with its trees."""
        names = "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf"
        more = "min_impurity_decrease", "max_features", "max_leaf_nodes", "max_bins"
        return {name: getattr(self, name) for name in (*names, *more)}

    def continued_claims(self, model: ForestModel) -> tuple[Claim, ...]:
        """How many rows the trees of each fit learned from, if there were several."""
        if not model.continued:
            return ()
        count = float(model.fit_began[-1])
        return (Claim("continued", count, "proved", model.rows_of_trees(), "data"),)

    def weighs(self) -> bool:
        """Whether the weight of all rows has to be known."""
        return self.min_weight_fraction_leaf > 0 or self.min_impurity_decrease > 0 or self.class_weight == "balanced"

    def values(self, setup: Setup, sums: Codes) -> Array:
        """Prediction of each node, from its channel sums."""
        raise NotImplementedError

    def unseen(self, setup: Setup, forest: ForestModel, draws: TreeDraws) -> Statistic:
        """How wrong trees are about rows they have not drawn."""
        raise NotImplementedError


def same_ranges(a: Ranges, b: Ranges) -> bool:
    """Whether two fits had as many rows, with weights and targets in the same ranges: they count as the same rows."""
    return bool((a.levels == b.levels).all()) and a._replace(levels=b.levels) == b


def share(calls: list[Callable[[], GrownTree]]) -> list[GrownTree]:
    """Results of the calls, in order; each thread takes the next one from a queue."""
    found: dict[int, GrownTree] = {}
    left, stopped = count(), Event()

    def work() -> None:
        try:
            while not stopped.is_set() and (k := next(left)) < len(calls):
                found[k] = calls[k]()
        except BaseException:  # the others must not go on with a forest that nobody gets
            stopped.set()
            raise

    driver_threads.run_all([work] * min(driver_threads.thread_count(), len(calls)))
    return [found[k] for k in range(len(calls))]
