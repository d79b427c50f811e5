"""Gradient boosting: each tree is grown along the slope of the loss that those before it left.

A round needs Σg and Σh by node, column and bin, in whole units: they merge exactly, so the trees are the same from rows
in one place, gathered once, and level by level over parts, however rows are split into parts. Bins are held; margins
follow the trees.
Before the first round the best constant is found; leaves that are quantiles are found after each tree; and the
loss at the end is seen by all rows.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.compiled.tree import gradients as gr
from tenfold.compiled.tree import tree_search as ts
from tenfold.compiled.tree.tree_growing import LEAST, MOST, START, STOP
from tenfold.core import MANY, Array, Claim, Codes, Columns, DataError, Flags, Never, Remedy, Schema
from tenfold.core.arrays import MatrixLike
from tenfold.core.axes import Bundle
from tenfold.core.errors import warn_user
from tenfold.core.learner import Done, Initial
from tenfold.ensemble.boosting import leaf_quantiles as lq
from tenfold.ensemble.boosting.boosted import BoostedModel, Level, RoundLoss
from tenfold.ensemble.boosting.gradient_statistics import (
    BoostedSides,
    GradientHistograms,
    MarginLoss,
    MarginLossOfValues,
    ResidualDigits,
    RowSampling,
    TargetDigits,
    add_trees,
    base_margins,
)
from tenfold.ensemble.boosting.gradients import Gradients
from tenfold.estimator import Estimator, check_is_fitted, fitted
from tenfold.estimator.shell.keywords import Refused
from tenfold.estimator.shell.parameters import fixed
from tenfold.estimator.updating.continuing import Continues
from tenfold.stats.rows.draws import Holdout
from tenfold.stats.rows.gathered_bins import BinnedRows, GatheredBins
from tenfold.stats.trees.rare_rows import Gaps, Neighbors
from tenfold.stats.trees.tree_bins import (
    EXACT_SUM_BITS,
    NO_CODES,
    Look,
    RowsInBins,
    SampleAndRanges,
    WeightUnit,
    numbers_of,
    strata_of,
)
from tenfold.tree.claims import bin_claims, category_claims
from tenfold.tree.growing import levelwise as lw
from tenfold.tree.growing.best_first import BestFirst
from tenfold.tree.growing.channels import ChannelSums, Weighed
from tenfold.tree.growing.grower import gathers, rows_of
from tenfold.tree.growing.growing import Rules
from tenfold.tree.growing.thresholds import Sides
from tenfold.tree.pruning.paths import gains, nodes, shares
from tenfold.tree.records import Ranges, RefiningEdges, Setup
from tenfold.tree.tree import GrownTree, Tree, no_tree

MIN_CLASS_SHARE = 2.0**-20
"""a share below which slopes are taken to be no steeper, beside their curvature, than at it"""
MIN_LEAF_CURVATURE = 1e-3
"""of a leaf, for weights of one: LightGBM's min_sum_hessian_in_leaf"""
MAX_LEAF_STEP = 4.0
"""how far a leaf may move a margin, beyond the distance of the margins that boosting starts from: from there, Newton's
steps lead back"""
EARLY_STOPPING_ROWS = 10_000
"""more rows than these are boosted with early stopping, if that is "auto", as by scikit-learn"""

Asked = (
    SampleAndRanges
    | Neighbors
    | ChannelSums
    | TargetDigits
    | BinnedRows
    | GradientHistograms
    | ResidualDigits
    | BoostedSides
    | MarginLoss
    | MarginLossOfValues
)
BoostingSummary = Look | Gaps | Weighed | GatheredBins | Level | lq.Digits | Sides | RoundLoss
Directions = ArrayLike | Mapping[str, int] | None


class ContinuingRounds(NamedTuple):
    """The state from which a fit continues from a model: the ranges of its own rows are wanted."""

    step: int
    schema: Schema
    kept: Bundle
    """the model"""
    begin: int = 0
    """the place of the first validation row that was given; 0: none was"""

    @property
    def model(self) -> BoostedModel:
        """The model that it continues from."""
        found: BoostedModel = self.kept.each[0]
        return found


class StartingValidated(NamedTuple):
    """The state before the first pass of a fit to rows of which the last are validation rows."""

    step: int
    schema: Schema
    begin: int
    """the place of the first of them"""


class AddingTrees(NamedTuple):
    """Rounds are to continue from rows in one place, whose margins are those of trees that are there."""

    step: int
    setup: Setup
    boosted: BoostedModel


class FindingConstant(NamedTuple):
    """The state in which the initial constant prediction is found."""

    step: int
    setup: Setup
    sought: lq.Sought
    """bounds of the quantile found so far, if the loss needs one"""


class FindingConstantOfRows(NamedTuple):
    """Rows are wanted in one place, of which the initial constant prediction is found too."""

    step: int
    setup: Setup


class BoostingRows(NamedTuple):
    """Rounds are made from rows in one place."""

    step: int
    """how many rounds were made"""
    setup: Setup
    boosted: BoostedModel
    margin: Annotated[Array, "row", "output"]


class BoostingLevels(NamedTuple):
    """The next tree grows level by level."""

    step: int
    setup: Setup
    boosted: BoostedModel
    frontier: lw.Frontier
    row_weight: float
    """what a row weighs: one, if weights are whole numbers, as they then count rows; else the mean"""


class FindingQuantiles(NamedTuple):
    """The state in which the leaf quantiles of the last tree are found."""

    step: int
    setup: Setup
    boosted: BoostedModel
    sought: lq.Sought


class PlacingThresholdsOfTrees(NamedTuple):
    """All trees are there: their thresholds are to lie halfway between the values of their nodes' own rows."""

    step: int
    setup: Setup
    boosted: BoostedModel


class CheckingLoss(NamedTuple):
    """All trees are there: their loss is wanted."""

    step: int
    setup: Setup
    boosted: BoostedModel


BoostingState = (
    Initial
    | StartingValidated
    | ContinuingRounds
    | AddingTrees
    | RefiningEdges
    | FindingConstant
    | FindingConstantOfRows
    | BoostingRows
    | BoostingLevels
    | FindingQuantiles
    | PlacingThresholdsOfTrees
    | CheckingLoss
    | Done
)


SAMPLED_COLUMNS_REMEDY = Remedy("tn.RandomForest{kind}(max_features=0.5)")
every_column = Refused("every column is tried at every split", SAMPLED_COLUMNS_REMEDY, (1.0,))
every_column_or_none = every_column._replace(takes=(None, 1.0))
log_loss = Refused(
    "classes are boosted by their log loss",
    Remedy("tn.AdaBoostClassifier()", "for the exponential loss"),
    ("log_loss",),
)
losses_of_numbers = Refused(
    "numbers are boosted by squared, absolute, quantile or Poisson loss",
    Remedy('tn.{name}(loss="absolute_error")', "for 'huber'; GammaRegressor() for 'gamma'"),
    ("squared_error", "absolute_error", "quantile", "poisson"),
)


class Boosting(Continues, Estimator):
    """A sum of trees. A subclass defines the loss and the initial prediction."""

    passes = MANY
    usual_scans = 2  # samples, and bins, which are held
    min_samples_split = fixed(2)
    scores_are_losses: ClassVar[bool] = False
    """whether `train_score_` has the loss after each round, not scores, the first of them before any"""
    refines: ClassVar[bool] = False
    """whether columns are cut beside the values of rare targets, not by quantiles alone"""
    rounds_name: ClassVar[str] = "max_iter"
    """the parameter that is the number of rounds, in scikit-learn's words"""
    without_validation: ClassVar[str] = "early_stopping=False"
    """the parameter that keeps no rows back"""
    hidden = frozenset(
        {"roots", "trees", "value", "cover", "base", "n_classes", "ranges", "edges", "placed", "fit_began", "fit_rows",
         "compared"}
    )  # fmt: skip
    kept_parameters: ClassVar[tuple[str, ...]] = ("loss", "max_bins", "monotonic_cst")

    @property
    def draws_rows(self) -> bool:  # type: ignore[override]
        return self.subsample < 1 or self.stops_early(0)

    @property
    @fitted
    def n_iter_(self) -> int:
        """How many rounds of boosting were made."""
        return int(self.model_.rounds)

    @property
    def _seed(self) -> int:
        return int(self.random_state or 0)

    def _sampling(self, setup: Setup) -> RowSampling:
        held_back = self.validation_fraction if self._validates(setup) and not setup.validation_begin else 0.0
        return RowSampling(Holdout(self._seed, held_back, setup.validation_begin), self.subsample)

    def _validates(self, setup: Setup) -> bool:
        """Whether a fit looks at validation rows: some that were given, or some that it keeps back."""
        return setup.validation_begin > 0 or self.stops_early(setup.ranges.rows)

    def start(self, schema: Schema) -> Initial:
        """The state before the first pass, which knows the schema alone."""
        directions(self.monotonic_cst, schema)  # refuses what does not fit
        return Initial(0, schema)

    def check_start(self, model: Any) -> None:
        # Rounds are added, not taken away.
        done = model.model_.rounds
        if self.rounds < done:
            raise ValueError(
                f"{self.rounds_name}={self.rounds} must be larger than or equal to n_iter_={done} when "
                f"warm_start==True, or with start=model. Remedy: {self._more_rounds(done)}"
            )
        if self.rounds == done:
            warn_user(
                f"the model has all {self.rounds_name}={done} rounds, so no tree is added. Remedy: "
                f"{self._more_rounds(done)}"
            )
        if self.level != model.level:
            raise ValueError(
                f"{type(self).__name__} cannot continue with the quantile of level {self.level:g}: the model has that "
                f"of {model.level:g}. Remedy: the same one, or a fit from the beginning"
            )

    def _more_rounds(self, done: int) -> str:
        """Return the call that asks for more rounds than a model has, of a learner and in a pipeline."""
        more = f"{self.rounds_name}={done + 100}"
        return f"set_params({more}) before it; of a pipeline, set_params({type(self).__name__.lower()}__{more})"

    def check_held_back(self, model: Any) -> None:
        # Rows that are held back are those that were: the trees have learned from all others.
        rows = model.model_.ranges.rows
        if model.stops_early(rows) and self.stops_early(rows):
            seed = model.certificate_.provenance.seed
            held = (seed, model.validation_fraction)
            if held != (seed if self.random_state is None else self.seed(), self.validation_fraction):
                raise ValueError(
                    f"{type(self).__name__} would hold back other rows for validation than the model did, which has "
                    f"learned from them. Remedy: random_state={held[0]} and validation_fraction={held[1]}, or "
                    f"{self.without_validation}"
                )

    def again(self, model: BoostedModel, schema: Schema) -> ContinuingRounds:
        # The state before the first pass, with the model whose trees are kept.
        return ContinuingRounds(model.rounds, schema, Bundle((model,)))

    def validating(self, state: Initial | ContinuingRounds, begin: int) -> StartingValidated | ContinuingRounds:
        """The first state of a fit to rows of which those from a place on are validation rows."""
        if isinstance(state, ContinuingRounds):
            return state._replace(begin=begin)
        return StartingValidated(state.step, state.schema, begin)

    def stop(self) -> Never:
        return Never()

    @property
    def most_rounds(self) -> int:
        return self.rounds

    @property
    def exact_rounds(self) -> bool:
        return not self.stops_early(sys.maxsize)

    def ask(self, state: BoostingState) -> Asked | None:
        """A sample, then a constant; rows in one place, asked for once, or levels and leaves; then the loss."""
        match state:
            case Initial():
                return SampleAndRanges(self._seed, strata_of(state.schema) if self.refines else 0)
            case StartingValidated(_, schema, begin):
                return SampleAndRanges(self._seed, strata_of(schema) if self.refines else 0, Holdout(begin=begin))
            case ContinuingRounds(_, _, _, begin):
                return SampleAndRanges(self._seed, 0, Holdout(begin=begin))
            case RefiningEdges(_, setup):
                return Neighbors(setup.beside, Holdout(begin=setup.validation_begin))
            case FindingConstant(_, setup, sought):
                return self.constant(setup, sought)
            case AddingTrees(_, setup) | FindingConstantOfRows(_, setup) | BoostingRows(_, setup):
                return BinnedRows(setup.weights, self._sampling(setup).drawn, rows=setup.ranges.rows, lens=setup.lens)
            case BoostingLevels(_, setup, boosted, at):
                return GradientHistograms(*self._margins(setup, boosted), at, lens=setup.lens)
            case FindingQuantiles(_, setup, boosted, sought):
                return ResidualDigits(*self._margins(setup, boosted), sought, _scale(setup), lens=setup.lens)
            case PlacingThresholdsOfTrees(_, setup, boosted):
                new = boosted.roots[boosted.earlier * boosted.outputs :]
                return BoostedSides(boosted.trees, new, self._sampling(setup), boosted.outputs, boosted.earlier)
            case CheckingLoss(_, setup, boosted) if setup.rare:
                return MarginLossOfValues(*self._margins(setup, boosted))
            case CheckingLoss(_, setup, boosted):
                return MarginLoss(*self._margins(setup, boosted), lens=setup.lens)
        return None

    def _margins(self, setup: Setup, boosted: BoostedModel) -> tuple[WeightUnit, BoostedModel, RowSampling, Gradients]:
        """Margins of rows and their loss under a model."""
        return setup.weights, boosted, self._sampling(setup), self.gradients(boosted)

    def update(self, state: BoostingState, s: BoostingSummary) -> BoostingState:
        """The next round or level: match what was asked for."""
        match state, s:
            case Initial() | StartingValidated(), Look():
                setup = Setup.of(state.schema, s, self.max_bins, EXACT_SUM_BITS)
                if isinstance(state, StartingValidated):
                    setup = setup._replace(validation_begin=state.begin)
                return RefiningEdges(0, setup) if setup.beside.size else self._cut(setup)
            case ContinuingRounds(), Look():
                return self._continued(state, s)
            case AddingTrees(step, setup, boosted), GatheredBins():
                margin, bins = base_margins(boosted, s.rows), np.require(s.bins, requirements="W")
                add_trees(boosted, setup.cut, bins, 0, len(boosted.roots), margin)
                return BoostingRows(step, setup, boosted, margin)
            case RefiningEdges(_, setup), Gaps():
                return self._cut(setup.refined(s))
            case FindingConstant(_, setup, sought), _:
                found = self.start_from(setup, sought, s)
                if isinstance(found, lq.Sought):
                    return state._replace(sought=found)
                return self._planted(setup, found)
            case FindingConstantOfRows(_, setup), GatheredBins():
                constant = self.constant(setup, lq.seek(1))
                assert isinstance(constant, ChannelSums)
                sums = constant.of_rows(RowsInBins(s.bins, s.target, s.weight, s.order))
                found = self.start_from(setup, lq.seek(1), sums)
                assert not isinstance(found, lq.Sought)
                return self._planted(setup, found)
            case BoostingRows(), GatheredBins():
                return self._round(state, s)
            case BoostingLevels(), Level():
                return self._level(state, s)
            case FindingQuantiles(), lq.Digits():
                return self._digit(state, s)
            case PlacingThresholdsOfTrees(step, setup, boosted), Sides():
                return CheckingLoss(step, setup, boosted._replace(trees=s.placed(boosted.trees)))
            case CheckingLoss(), RoundLoss():
                return self.unchecked(state)
        raise TypeError(f"{type(s).__name__} does not belong to the state of the fit")

    def unchecked(self, state: BoostingState) -> BoostingState:
        # The loss after the last round is a claim of the certificate.
        match state:
            case CheckingLoss(step, setup, boosted):
                return Done.of(boosted._replace(edges=setup.edges, placed=setup.rare), step)
        return state

    def model(self, state: BoostingState) -> BoostedModel | None:
        return state.model if isinstance(state, Done) else None

    def resumable(self, state: BoostingState, summary: BoostingSummary, schema: Schema) -> bool:
        match state:
            case ContinuingRounds(_, _, kept, _):
                there = len(kept.each) == 1 and isinstance(kept.each[0], BoostedModel)
                return there and isinstance(summary, Look) and self.is_valid(kept.each[0], None, schema)
            case AddingTrees(_, setup, _):
                return isinstance(summary, GatheredBins) and setup.cut.holds(summary.bins)
            case BoostingRows():
                if not isinstance(summary, GatheredBins) or state.margin.shape[1] != state.boosted.outputs:
                    return False
                fits = summary.rows == len(state.margin) and state.setup.cut.holds(summary.bins)
                return fits and (not self._sampling(state.setup).drawn or len(summary.order) == summary.rows)
            case FindingQuantiles(_, _, boosted, sought):
                fits = len(boosted.roots) > 0 and len(sought.prefix) == len(boosted.last.leaves)
                return fits and sought.digit < lq.last(lq.RESIDUAL_DTYPE)
            case BoostingLevels():
                return state.frontier.fits(3)
            case RefiningEdges(_, setup):
                return setup.beside.size > 0
            case PlacingThresholdsOfTrees(_, _, boosted):
                if not isinstance(summary, Sides) or not len(boosted.roots):
                    return False
                return len(summary.left) == len(summary.right) == len(boosted.value)
        return not isinstance(state, Done)

    def _boosted(self, step: int, setup: Setup, boosted: BoostedModel) -> PlacingThresholdsOfTrees | CheckingLoss:
        """The state after the last round."""
        placing = setup.rare and boosted.rounds > boosted.earlier
        return (PlacingThresholdsOfTrees if placing else CheckingLoss)(step, setup, boosted)

    def _cut(self, setup: Setup) -> FindingConstant | FindingConstantOfRows:
        """The state after columns were cut; sums of rows in one place need no pass of their own."""
        at_once = gathers(setup) and isinstance(self.constant(setup, lq.seek(1)), ChannelSums)
        return FindingConstantOfRows(0, setup) if at_once else FindingConstant(0, setup, lq.seek(1))

    def _planted(self, setup: Setup, base: Array) -> BoostingRows | BoostingLevels:
        """The state before the first tree."""
        schema, none = setup.schema, np.zeros(0)
        classes = 0 if schema.classes is None else len(schema.classes)
        edges, first, rows = setup.edges[:, :0], np.zeros(1, np.int64), np.array([setup.ranges.rows], dtype=np.int64)
        boosted = BoostedModel(
            NO_CODES, no_tree(), none, NO_CODES, base, none, none, classes, setup.ranges, edges, False, first, rows, 0
        )
        if gathers(setup):
            return BoostingRows(0, setup, boosted, base_margins(boosted, setup.ranges.rows))
        return BoostingLevels(0, setup, boosted, lw.root(3, 0), 1.0)

    def _continued(self, state: ContinuingRounds, look: Look) -> AddingTrees | BoostingLevels:
        """The state before the first tree that a fit adds to those of a model."""
        step, schema, model = state.step, state.schema, state.model
        setup = Setup.again(schema, look, model.edges, model.ranges, model.placed, EXACT_SUM_BITS)
        setup = setup._replace(validation_begin=state.begin)
        self.check_targets(setup.ranges)
        # Kernels are compiled for arrays that may be written to, and those of a fitted model may not.
        boosted = model._replace(
            roots=model.roots.copy(),
            trees=Tree._make(map(np.copy, model.trees)),
            value=model.value.copy(),
            ranges=setup.ranges,
            edges=model.edges[:, :0],
            placed=False,
            fit_began=np.append(model.fit_began, model.rounds),
            fit_rows=np.append(model.fit_rows, look.rows),
        )
        if gathers(setup):
            return AddingTrees(step, setup, boosted)
        return BoostingLevels(step, setup, boosted, lw.root(3, 0), 1.0)

    def _round(self, state: BoostingRows, s: GatheredBins) -> BoostingState:
        """A round over rows in one place: a tree for each output."""
        step, setup, boosted, before = state
        target, sampling, gradients = numbers_of(s.target), self._sampling(setup), self.gradients(boosted)
        learn = sampling.holdout.learns(s.order, s.rows)
        if s.rows != len(before):
            raise DataError(f"there are {s.rows} rows, but {len(before)} were counted. Remedy: fit from the start")
        margin, cut = before.copy(), setup.cut
        keep = sampling.keeps(learn, s.order, step)
        index = np.arange(s.rows, dtype=np.uint32)
        index = index if keep.all() else index[keep]
        for output in range(boosted.outputs):
            g, h, word, loss = gradients.words(before, output, target, s.weight, learn)
            if output == 0:
                boosted = self._scored(setup, boosted, loss)
                if self._finished(setup, step, boosted):
                    return self._boosted(step, setup, boosted)
                rules = self._rules(setup, boosted, _row_weight(setup, loss))
                grower = BestFirst(s.bins, cut, rules)
            grown = grower.grow(g, h, word, gradients.short, index)
            tree, ends = grown.tree, grown.tree.leaves
            if gradients.loss in gr.QUANTILE_LEAF_LOSSES:
                residual = lq.residual_keys(target, before, _scale(setup))
                key, weight = lq.in_place(residual, s.weight, index, grown.node[ends], gradients.level)
                value = self._quantiles(setup, tree, key, weight)
            else:
                value = self._values(rules, grown, boosted)
            if len(index) == s.rows:
                gr.add_leaves(index, grown.node[ends, START], grown.node[ends, STOP], value[ends], output, margin)
            else:
                gr.add_values(tree.apply_bins(s.bins, cut, np.zeros(s.rows, np.int64)), value, output, margin)
            boosted = boosted.plus(tree, value, grown.sums[:, 2])
        return BoostingRows(step + 1, setup, boosted, margin)

    def _level(self, state: BoostingLevels, s: Level) -> BoostingState:
        """Grow one level of one tree."""
        step, setup, boosted, at, row_weight = state
        if boosted.begins_round(at):
            boosted, row_weight = self._scored(setup, boosted, s.loss), _row_weight(setup, s.loss)
            if self._finished(setup, step, boosted):
                return self._boosted(step, setup, boosted)
        rules = self._rules(setup, boosted, row_weight)
        found = lw.proceed(at, s.histograms, None, setup.cut, rules)
        if isinstance(found, lw.Frontier):
            return BoostingLevels(step, setup, boosted, found, row_weight)
        boosted = boosted.plus(found[0].tree, self._values(rules, found[0], boosted), found[0].sums[:, 2])
        if self.loss_code(boosted.outputs) in gr.QUANTILE_LEAF_LOSSES:
            return FindingQuantiles(step, setup, boosted, lq.seek(len(found[0].tree.leaves)))
        return BoostingLevels(boosted.rounds, setup, boosted, lw.root(3, 0), row_weight)

    def _digit(self, state: FindingQuantiles, s: lq.Digits) -> FindingQuantiles | BoostingLevels:
        """Find one more digit of the leaf quantiles."""
        step, setup, boosted, sought = state
        sought = lq.narrow(sought, s, self.level)
        if sought.digit < lq.last(lq.RESIDUAL_DTYPE):
            return state._replace(sought=sought)
        value = self._quantiles(setup, boosted.last, sought.prefix.view(np.uint64), sought.weight)
        value = np.concatenate([boosted.value[: int(boosted.roots[-1])], value])
        return BoostingLevels(step + 1, setup, boosted._replace(value=value), lw.root(3, 0), 1.0)

    def _quantiles(self, setup: Setup, tree: Tree, key: lq.Keys, weight: Codes) -> Array:
        """Node values from the quantiles of the leaves."""
        value = np.where(weight > 0, lq.values(key, lq.RESIDUAL_DTYPE) * _scale(setup), 0.0)
        return self.learning_rate * lq.filled(tree, value, weight, directions(self.monotonic_cst, setup.schema))

    def _values(self, rules: Rules, grown: GrownTree, boosted: BoostedModel) -> Array:
        """Contribution of each node to a margin; for classes, bounded so that a margin cannot overshoot."""
        sums, real = grown.sums, grown.real
        with np.errstate(invalid="ignore", divide="ignore"):
            full = -sums[:, 0] * rules.units[0] / (sums[:, 1] * rules.units[1] + self.l2_regularization)
        full = np.where(sums[:, 2] > 0, np.nan_to_num(full), 0.0)
        found = self.learning_rate * np.clip(full, real[:, LEAST], real[:, MOST])
        if boosted.n_classes:  # where curvature is nearly zero, Newton's step would overshoot, and then back again
            far = np.ptp(np.append(boosted.base, 0.0) if boosted.outputs == 1 else boosted.base) + MAX_LEAF_STEP
            found = np.clip(found, -far, far)
        return np.asarray(found)

    def _scored(self, setup: Setup, boosted: BoostedModel, loss: RoundLoss) -> BoostedModel:
        """Append the losses of the training and of the validation rows, if there are any."""
        if setup.validation_begin and not loss.weight.all():
            which, given = ("X", "sample_weight") if loss.weight[1] else ("X_val", "sample_weight_val")
            raise DataError(f"no row of {which} has a weight. Remedy: a positive weight for some, {given}")
        if self._validates(setup) and not loss.weight.all():
            all_or_none, size = ("all rows", "smaller") if loss.weight[1] else ("no row", "larger")
            raise DataError(
                f"early stopping sets {all_or_none} aside for validation. Remedy: more rows, "
                f"a {size} validation_fraction, or {self.without_validation}"
            )
        with np.errstate(invalid="ignore", divide="ignore"):
            score = loss.sums * self.gradients(boosted).unit / loss.weight
        train, validation = boosted.train_score, boosted.validation_score
        if len(train) > boosted.rounds:  # a fit that continues: the last losses are of these rows, or of others
            same = np.array_equal([train[-1], validation[-1]], score, equal_nan=True)
            if same and boosted.fit_rows[-1] == boosted.fit_rows[-2]:
                return boosted
            boosted, train, validation = boosted._replace(compared=boosted.rounds), train[:-1], validation[:-1]
        return boosted._replace(
            train_score=np.append(train, score[0]), validation_score=np.append(validation, score[1])
        )

    def _finished(self, setup: Setup, step: int, boosted: BoostedModel) -> bool:
        """Whether boosting stops: by the number of rounds, or by the validation loss."""
        if step >= self.rounds:
            return True
        seen, few = boosted.validation_score[boosted.compared :], self.n_iter_no_change
        if few is None or not self._validates(setup):
            return False
        return len(seen) > few and bool(seen[-few:].min() > seen[:-few].min() - self.tol)

    def _rules(self, setup: Setup, boosted: BoostedModel, row_weight: float) -> Rules:
        """When nodes are split, and how splits are scored."""
        gradients, ranges = self.gradients(boosted), setup.ranges
        least = MIN_LEAF_CURVATURE * (1.0 if ranges.unit == 1 else ranges.max_weight)
        if self.refines:  # a row of the rarest class may be a leaf of the first tree
            share = _rarest(boosted)
            least = min(1.0, 0.5 * share * (1 - share) / MIN_LEAF_CURVATURE) * least
        if gradients.loss == gr.POISSON:  # whose curvature is what is predicted
            least *= min(ranges.max_target, 1.0)
        # what the slope of a row adds by chance to the squares between categories: g² / h, as it should be
        noise = 2 * float(boosted.train_score[-1]) if gradients.loss == gr.SQUARED else 1.0
        return Rules(
            ts.SUMS, np.where(ranges.levels > 0, ts.SUBSET, ts.NUMERIC), np.array(gradients.units),
            -1 if self.max_depth is None else self.max_depth,
            rows_of(self.min_samples_split, ranges.rows, 2), rows_of(self.min_samples_leaf, ranges.rows, 1), least,
            self.max_leaf_nodes or 1 << 20, 0.0, self.l2_regularization,
            monotonic=directions(self.monotonic_cst, setup.schema), min_data_per_group=self.min_data_per_group,
            cat_smooth=self.cat_smooth, cat_penalty=self.cat_penalty, noise=rounded(noise * row_weight),
            rounded=_rounding(gradients, ranges, boosted),
        )  # fmt: skip

    def _staged(self, X: ArrayLike) -> Iterator[Array]:
        """The margins of rows after each round of boosting."""
        margin: Array | float = 0.0
        for t in range(self.n_iter_):
            margin = margin + self._of_round(X, t)
            yield margin

    def _of_round(self, X: ArrayLike, t: int) -> Array:
        def margins(_: Boosting, model: BoostedModel, columns: Columns) -> Array:
            return model.margins(columns, t, t + 1)

        found = self._apply(margins, X, list)
        if not isinstance(found, np.ndarray):
            raise TypeError("staged predictions take arrays and frames. Remedy: fit with fewer rounds")
        return found

    @fitted
    def apply(self, X: MatrixLike) -> Any:
        """The number of the node in which each row ends, in each tree.

        Parameters
        ----------
        X : array or frame

        Returns
        -------
        node : array of shape (rows, rounds), or (rows, rounds, classes) for more than two classes
        """
        check_is_fitted(self)
        model: BoostedModel = self.model_
        found = self._apply(nodes, X, lambda: [f"node_{t}" for t in range(len(model.roots))])
        one = model.outputs == 1 or not isinstance(found, np.ndarray)
        return found if one else found.reshape(len(found), model.rounds, model.outputs)

    @property
    @fitted
    def feature_importances_(self) -> Array:
        """Share of the gain of all splits of all trees that is due to each column.

        It favours columns with many values, and does not show whether a column helps on unseen rows.
        """
        check_is_fitted(self)
        model: BoostedModel = self.model_
        return shares(gains(model.trees, len(model.ranges.levels)))

    @property
    @fitted
    def n_estimators_(self) -> int:
        """Rounds that were made, as scikit-learn calls them."""
        check_is_fitted(self)
        return int(self.model_.rounds)

    @property
    @fitted
    def n_trees_per_iteration_(self) -> int:
        """Trees of a round: one, or one for each class of more than two."""
        check_is_fitted(self)
        return int(self.model_.outputs)

    @property
    @fitted
    def is_categorical_(self) -> Flags | None:
        """Whether each column has categories; None, if no column has any."""
        check_is_fitted(self)
        found: Flags = self.model_.ranges.levels > 0
        return found if found.any() else None

    @property
    @fitted
    def train_score_(self) -> Array:
        """Score on the training rows after each round, as in scikit-learn."""
        check_is_fitted(self)
        if not self.scores_are_losses and not self.model_.validated:
            return np.zeros(0)
        return self._curve(self.model_.train_score)

    @property
    @fitted
    def validation_score_(self) -> Array:
        """Score on the validation rows after each round; empty without validation rows."""
        check_is_fitted(self)
        return self._curve(self.model_.validation_score) if self.model_.validated else np.zeros(0)

    def _curve(self, loss: Array) -> Array:
        """Scores from the mean losses before the first round and after each round."""
        if not self.scores_are_losses:
            return -loss
        halved = self.loss_code(self.model_.outputs) in (gr.SQUARED, gr.LOGISTIC)
        return loss[1:] * (2.0 if halved else 1.0)

    def certify(self, model: BoostedModel, s: RoundLoss) -> tuple[Claim, ...] | None:
        """The loss at the end, from all rows sent down all trees."""
        score = s.sums * self.gradients(model).unit / np.maximum(s.weight, 1e-300)
        why = "mean over the training rows, all sent down all trees"
        claims = [Claim("training loss", float(score[0]), "proved", why, "data")]
        if s.weight[1]:
            why = "mean over the validation rows, which chose the number of rounds: a little too low"
            claims.append(Claim("validation loss", float(score[1]), "estimated", why, "unseen rows"))
        if len(model.fit_began) > 1:
            why = f"{model.rows_of_rounds()}; bins are those of the first fit"
            claims.append(Claim("continued", float(model.earlier), "proved", why, "data"))
        claims += category_claims(model.ranges.levels, model.ranges.rows, self.cat_penalty)
        return *claims, *bin_claims(model.ranges.bin_share)

    def is_valid(self, model: BoostedModel, summary: RoundLoss | None, schema: Schema) -> bool:
        classes = 0 if schema.classes is None else len(schema.classes)
        fits = model.n_classes == classes and model.edges.shape[1] > 0
        return fits and len(model.roots) > 0 and len(model.roots) % model.outputs == 0

    def gradients(self, model: BoostedModel) -> Gradients:
        """The loss, and the units of its sums."""
        return Gradients.of(model.ranges, self.loss_code(model.outputs), self.level, _rarest(model))

    @property
    def rounds(self) -> int:
        """Rounds of boosting at the most."""
        raise NotImplementedError

    def stops_early(self, rows: int) -> bool:
        """Whether a fit to `rows` rows holds out a validation set for early stopping."""
        raise NotImplementedError

    @property
    def level(self) -> float:
        """Level of the quantile, if the loss has one."""
        return 0.5

    def loss_code(self, outputs: int) -> int:
        """Which loss, as the kernels have it."""
        raise NotImplementedError

    def check_targets(self, ranges: Ranges) -> None:
        """Refuse targets that the loss does not take."""

    def constant(self, setup: Setup, sought: lq.Sought) -> ChannelSums | TargetDigits:
        """Statistic from which the initial constant is computed."""
        raise NotImplementedError

    def start_from(self, setup: Setup, sought: lq.Sought, s: BoostingSummary) -> Array | lq.Sought:
        """The initial margins; or the bounds known so far, if another pass is needed."""
        raise NotImplementedError


def rounded(value: float) -> float:
    """Round to twelve bits, so that sums of floats in another order give the same number."""
    if not math.isfinite(value):  # no row to learn from
        return 0.0
    part, power = math.frexp(value)
    return math.ldexp(round(part * 4096), power - 12)


def directions(given: Directions, schema: Schema) -> Codes:
    """Monotonic constraint of each column, from an array or a dict of names: 1, increasing; -1, decreasing."""
    way = np.zeros(len(schema.columns), np.int64)
    if given is None:
        return way
    if isinstance(given, Mapping):
        unknown = sorted(set(given) - set(schema.names))
        if unknown:
            raise ValueError(f"monotonic_cst names columns that are not there: {unknown}")
        given = [given.get(name, 0) for name in schema.names]
    found = np.asarray(given)
    if found.shape != way.shape or not np.isin(found, (-1, 0, 1)).all():
        raise ValueError(f"monotonic_cst must have {len(way)} entries of -1, 0 or 1, one a column, not {given!r}")
    wrong = np.flatnonzero((found != 0) & (schema.levels > 0))
    if len(wrong):
        raise ValueError(f"column {schema.names[wrong[0]]!r} is categorical. Remedy: no direction in monotonic_cst")
    return found.astype(np.int64)


def _row_weight(setup: Setup, loss: RoundLoss) -> float:
    """Weight of one row: 1, if weights are integers, which then count rows; otherwise the mean weight."""
    return 1.0 if setup.ranges.unit == 1 else float(loss.weight.sum() / setup.ranges.rows)


def _rounding(gradients: Gradients, ranges: Ranges, boosted: BoostedModel) -> float:
    """By how much Σg of a row is off at most, beside Σh, where rows of equal slopes have unlike weights."""
    if gradients.few or ranges.uniform_weights:
        return 0.0
    loss, share = gradients.loss, max(_rarest(boosted), MIN_CLASS_SHARE)
    if loss == gr.POISSON:
        share = max(math.exp(min(float(boosted.base.min()), 0.0)) / max(ranges.max_target, 1.0), MIN_CLASS_SHARE)
    wide = ranges.max_target - ranges.min_target
    steepest = {gr.SQUARED: wide, gr.ABSOLUTE: 1.0, gr.QUANTILE: 1.0}.get(loss, 1.0 / share)
    return 0.5 * (gradients.units[0] + steepest * gradients.units[1])


def _rarest(model: BoostedModel) -> float:
    """The share of the rarest class, by the constant that boosting starts from; of numbers one half."""
    if not model.n_classes:
        return 0.5
    margin = np.append(model.base, 0.0) if model.outputs == 1 else model.base
    return float(np.exp(margin.min() - margin.max()) / np.exp(margin - margin.max()).sum())


def _scale(setup: Setup) -> float:
    """A power of two beyond which no target lies."""
    largest = max(abs(setup.ranges.min_target), abs(setup.ranges.max_target), 1e-300)
    return float(2.0 ** np.ceil(np.log2(largest)))
