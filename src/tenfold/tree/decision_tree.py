"""What both decision trees share: a look at the rows, then the tree, then a check of it by all rows.

A tree grows from rows in one place, if they are few, or level by level from merged histograms, small nodes from their
rows: the same tree, because all sums are of whole numbers. The exact method uses unbinned rows. Then rows that
were held back prune it, if there are any.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.compiled.tree import tree_search as ts
from tenfold.compiled.tree.tree_missing import LEARNED, PARTS
from tenfold.core import Array, Codes, Flags, Schema
from tenfold.core.learner import Done, Initial
from tenfold.estimator.shell.constraints import choice, real, share
from tenfold.estimator.shell.keyword_decisions import best_splits, not_monotonic, squared_errors
from tenfold.estimator.shell.parameters import Behind
from tenfold.stats.rows.gathered_bins import BinnedRows, GatheredBins
from tenfold.stats.trees.rare_rows import Gaps, Neighbors
from tenfold.stats.trees.tree_bins import Look, SampleAndRanges, strata_of
from tenfold.tree.growing import exact, exact_missing, missing
from tenfold.tree.growing import levelwise as lw
from tenfold.tree.growing.channels import Numbers, sums_by
from tenfold.tree.growing.exact import ExactRows, RowValues
from tenfold.tree.growing.grower import gathers
from tenfold.tree.growing.growing import grow_from
from tenfold.tree.growing.node_statistics import (
    NO_MEANS,
    LeafSums,
    LeafSumsOfValues,
    NodeHistograms,
    NodeRows,
    PartErrors,
    PartHistograms,
)
from tenfold.tree.growing.thresholds import Sides, TreeSides
from tenfold.tree.pruning.paths import TreePaths
from tenfold.tree.pruning.pruning_methods import HOLDOUT_PRUNERS, Pruned
from tenfold.tree.records import Histograms, LeafTotals, Ranges, RefiningEdges, RowsOf, Setup, TreeModel
from tenfold.tree.tree import GrownTree

Asked = (
    SampleAndRanges | Neighbors | RowValues | BinnedRows | NodeHistograms | NodeRows | PartHistograms | TreeSides
    | LeafSums | LeafSumsOfValues | PartErrors
)  # fmt: skip
TreeSummary = Look | Gaps | ExactRows | GatheredBins | Histograms | RowsOf | Sides | LeafTotals


class GatheringRows(NamedTuple):
    """The state in which all rows are gathered: in bins, or unbinned for the exact method."""

    step: int
    setup: Setup


class GrowingLevels(NamedTuple):
    """A tree grows level by level."""

    step: int
    setup: Setup
    has_missing: Annotated[Flags, "column"]
    """whether a value of the column was missing"""
    frontier: lw.Frontier


class PlacingThresholds(NamedTuple):
    """A grown tree is to have its thresholds halfway between the values of its nodes' own rows."""

    step: int
    setup: Setup
    model: TreeModel


class PruningTree(NamedTuple):
    """A grown tree is to be pruned by the validation rows."""

    step: int
    setup: Setup
    model: TreeModel


class CheckingTree(NamedTuple):
    """The tree is as it will be: all rows are sent down."""

    step: int
    setup: Setup
    model: TreeModel


Grown = PlacingThresholds | PruningTree | CheckingTree
TreeState = (
    Initial | RefiningEdges | GatheringRows | GrowingLevels | PlacingThresholds | PruningTree | CheckingTree | Done
)


class DecisionTree(Pruned, TreePaths):
    """One tree. A subclass defines how rows are summed, and the prediction of a node."""

    hidden = frozenset({"has_missing", "ranges", "log_prior"})

    _: KW_ONLY
    split: Annotated[str, choice("subset", "multiway"), Behind(None)] = "subset"
    method: Annotated[str, choice("histogram", "exact"), Behind("split")] = "histogram"
    missing: Annotated[str, choice("learned", "node_majority", "fractional"), Behind("method")] = "learned"
    prune: Annotated[str | None, choice(*HOLDOUT_PRUNERS), None, Behind("max_leaf_nodes")] = None
    held_back: Annotated[float, share(open=True), Behind("prune")] = 0.25
    ccp_alpha: Annotated[float, real(0), Behind("held_back")] = 0.0
    criterion: Annotated[str, squared_errors] = "squared_error"
    splitter: Annotated[str, best_splits] = "best"
    monotonic_cst: Annotated[Any, not_monotonic] = None

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        return self.holds_back

    def ask(self, state: TreeState) -> Asked | None:
        """A sample of the rows; then rows or histograms; then where rows end."""
        match state:
            case Initial():
                return SampleAndRanges(self._seed, strata_of(state.schema), self._holdout)
            case RefiningEdges(_, setup):
                return Neighbors(setup.beside, self._holdout)
            case GatheringRows(_, setup) if self.method == "exact":
                return RowValues(setup.weights, self._holdout)
            case GatheringRows(_, setup):
                return BinnedRows(setup.weights, holdout=self._holdout, rows=setup.ranges.rows, lens=setup.lens)
            case GrowingLevels(_, setup, _, at):
                growing = setup.weights, at, self.channels(setup), self.rules(setup)
                if self._missing_code == PARTS:
                    return PartHistograms(*growing, lens=setup.lens)
                return (NodeRows if at.wants_rows else NodeHistograms)(*growing, self._holdout, lens=setup.lens)
            case PlacingThresholds(_, _, model):
                return TreeSides(model.tree, np.zeros(1, np.int64), self._holdout)
            case PruningTree(_, setup, model) | CheckingTree(_, setup, model):
                return self._ends(setup, model)
        return None

    def _ends(self, setup: Setup, model: TreeModel) -> LeafSums | LeafSumsOfValues | PartErrors:
        """The statistic of the rows that end in each leaf."""
        channels, weights = self.channels(setup), setup.weights
        mean = model.value[:, 0].copy() if self.criterion_code == ts.SUMS else NO_MEANS
        if self._missing_code == PARTS:
            return PartErrors(model.tree, model.value, channels, weights)
        if self.method == "exact" or (setup.rare and self.holds_back):  # bins do not place validation rows
            return LeafSumsOfValues(model.tree, channels, weights, mean, self._holdout)
        return LeafSums(weights, model.tree, channels, mean, self._holdout, lens=setup.lens)

    def update(self, state: TreeState, s: TreeSummary) -> TreeState:
        """The next state: match what was asked for."""
        match state, s:
            case Initial(), Look():
                return self._looked(state, s)
            case RefiningEdges(_, setup), Gaps():
                return self._planted(setup.refined(s))
            case GatheringRows(), ExactRows():
                return self._from_values(state.setup, s)
            case GatheringRows(), GatheredBins():
                return self._from_rows(state.setup, s)
            case GrowingLevels(), Histograms() | RowsOf():
                return self._level(state, s)
            case PlacingThresholds(_, setup, model), Sides():
                return self._placed(setup, model._replace(tree=s.placed(model.tree)))
            case PruningTree(_, setup, model), LeafTotals():
                return CheckingTree(1, setup, self.prune_held_back(setup, model, s.back))
            case CheckingTree(), LeafTotals():
                return self.unchecked(state)
        raise TypeError(f"{type(s).__name__} does not belong to the state of the fit")

    def unchecked(self, state: TreeState) -> TreeState:
        # The rows that end in each leaf, once the tree is as it will be, are wanted for its certificate.
        return Done.of(state.model) if isinstance(state, CheckingTree) else state

    def model(self, state: TreeState) -> TreeModel | None:
        return state.model if isinstance(state, Done) else None

    def _looked(self, state: Initial, look: Look) -> RefiningEdges | GatheringRows | GrowingLevels:
        if self.holds_back:
            self.check_row_count(len(look.sample.key), "every row was set aside for validation")
        setup = self.setup(state, look)
        if self.method == "exact":
            return GatheringRows(0, setup._replace(ranges=setup.ranges._replace(bin_share=0.0), rare=False))
        return RefiningEdges(0, setup) if setup.beside.size else self._planted(setup)

    def _planted(self, setup: Setup) -> GatheringRows | GrowingLevels:
        """The state before the first split."""
        if self._missing_code == LEARNED and gathers(setup):
            return GatheringRows(0, setup)
        channels = self.channels(setup).size
        at = lw.root(channels, self._seed, missing.width_of(self._missing_code, channels))
        return GrowingLevels(0, setup, np.zeros(len(setup.edges), bool), at)

    def _from_values(self, setup: Setup, s: ExactRows) -> Grown:
        """The tree that is grown on the values themselves, not on bins."""
        setup, numbers = self._weighed(setup, s)
        grow = exact.grow if self._missing_code == LEARNED else exact_missing.grow
        grown = grow(s, setup.ranges.levels, self.rules(setup), self.channels(setup).size, numbers)
        return self._grown(setup, np.asarray(np.isnan(s.columns).any(axis=1)), grown)

    def _from_rows(self, setup: Setup, s: GatheredBins) -> Grown:
        """The tree of rows in one place."""
        setup, numbers = self._weighed(setup, s)
        index = np.arange(s.rows, dtype=np.uint32)
        grown = grow_from(s, setup.cut, self.rules(setup), self.channels(setup).size, numbers, index)
        has_missing = np.asarray((s.bins == setup.cut.gap[:, None]).any(axis=1))
        return self._grown(setup, has_missing, grown)

    def _weighed(self, setup: Setup, s: ExactRows | GatheredBins) -> tuple[Setup, Numbers]:
        """Scale the settings by the total weight, and by the weight of each row."""
        channels = self.channels(setup)
        numbers = channels.numbers(s.target, s.weight)
        setup = self.weighed(setup, sums_by(np.zeros(len(s.target), np.int64), 1, channels.size, *numbers)[0])
        if len(setup.class_weight):
            numbers = self.weighed_channels(setup).numbers(s.target, s.weight)
        return setup, numbers

    def _level(self, state: GrowingLevels, s: Histograms | RowsOf) -> GrowingLevels | Grown:
        """Grow one more level, or finish small nodes from their gathered rows."""
        setup, has_missing, numbers = state.setup, state.has_missing, None
        cut, channels = setup.cut, self.channels(setup).size
        if isinstance(s, RowsOf):
            numbers = self.weighed_channels(setup).numbers(s.rows.target, s.rows.weight)
        elif len(state.frontier.node) == 1:
            hist, _ = s.split(channels, int(cut.offset[-1]))
            has_missing = hist[0, -1, cut.offset[1:] - 1] > 0
            setup = self.weighed(setup, hist[0, :, : cut.offset[1]].sum(axis=1))
        each = setup.class_weight
        factor = np.append(each, 1) if len(each) else each
        found = lw.proceed(state.frontier, s, numbers, cut, self.rules(setup), factor=factor)
        if isinstance(found, lw.Frontier):
            return GrowingLevels(0, setup, has_missing, found)
        return self._grown(setup, has_missing, found[0])

    def _grown(self, setup: Setup, has_missing: Flags, grown: GrownTree) -> Grown:
        tree, units = grown.tree, self.units(setup) / self._parts
        if self.criterion_code <= ts.ERROR:
            tree = tree._replace(gain=tree.gain * units[0])
        value = self.values(setup.ranges, units, grown.sums)
        if len(setup.far.target):
            value[:, 0] += self.put_back(setup, tree, grown.sums)
        model = self.prune_grown(TreeModel(tree, value, has_missing, setup.ranges))
        if setup.rare and self._missing_code == LEARNED:
            return PlacingThresholds(1, setup, model)
        return self._placed(setup, model)

    def _placed(self, setup: Setup, model: TreeModel) -> PruningTree | CheckingTree:
        """The state after the last threshold was found."""
        return (PruningTree if self.holds_back else CheckingTree)(1, setup, model)

    def is_valid(self, model: TreeModel, summary: LeafTotals | None, schema: Schema) -> bool:
        return summary is None or self._ended(model, summary, schema)

    def resumable(self, state: TreeState, summary: TreeSummary, schema: Schema) -> bool:
        match state, summary:
            case GrowingLevels(_, setup, _, at), _:
                channels = self.channels(setup).size
                fits = at.fits(channels, missing.width_of(self._missing_code, channels))
                fits = fits and missing.is_valid(self._missing_code, at.node, at.gaps)
                if not fits or not isinstance(summary, RowsOf):
                    return fits
                return lw.holds(at, summary.node) and setup.cut.holds(summary.rows.bins)
            case PlacingThresholds(_, _, model), Sides():
                return len(summary.left) == len(summary.right) == model.tree.node_count
            case ((PruningTree() | CheckingTree()), LeafTotals()):
                return self._ended(state.model, summary, schema)
            case GatheringRows(), GatheredBins():
                return state.setup.cut.holds(summary.bins)
        if isinstance(state, RefiningEdges):
            return state.setup.beside.size > 0
        return isinstance(state, Initial) or (isinstance(state, GatheringRows) and isinstance(summary, ExactRows))

    def _ended(self, model: TreeModel, summary: TreeSummary, schema: Schema) -> bool:
        """Whether a summary is of rows that were sent down this tree."""
        shape = model.tree.node_count, 3 if schema.classes is None else len(schema.classes) + 1
        if not isinstance(summary, LeafTotals) or summary.sums.shape != shape or len(summary.back) not in (0, shape[0]):
            return False
        return len(summary.squares) == (0 if schema.classes is not None or self._missing_code == PARTS else shape[0])

    def values(self, ranges: Ranges, units: Array, sums: Codes) -> Array:
        """Description of each node, from its channel sums in these units."""
        raise NotImplementedError
