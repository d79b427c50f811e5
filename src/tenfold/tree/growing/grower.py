"""What trees and forests share: their parameters as the kernels have them, and how classes and numbers are summed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

import numpy as np

from tenfold.compiled.tree import tree_search as ts
from tenfold.compiled.tree.tree_missing import LEARNED, PARTS, ROW_PARTS
from tenfold.core import MANY, Array, Claim, Codes, Schema
from tenfold.core.learner import Initial
from tenfold.estimator import check_is_fitted, fitted
from tenfold.estimator.class_weights import balanced_weights, named_weights
from tenfold.estimator.shell.constraints import choice, integer, nonzero_fraction, real, seed, share
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.parameters import fixed
from tenfold.estimator.shell.probability_scored import ProbabilityScored
from tenfold.stats.trees.tree_bins import EXACT_SUM_BITS, NO_CODES, Look, fine_unit, in_units, square_unit
from tenfold.tree.claims import bin_claims, category_claims, far_claims
from tenfold.tree.growing.channels import Channels, ClassChannels, SumChannels
from tenfold.tree.growing.far_targets import far_unit
from tenfold.tree.growing.growing import Rules
from tenfold.tree.growing.missing import MISSING_RULES
from tenfold.tree.records import MaxBins, Ranges, Setup
from tenfold.tree.tree import Tree

MAX_GATHERED_BYTES = 1 << 27
"""bytes of bins that are gathered in one place"""
MAX_WHOLE_WEIGHT = 16
"""whole weights up to this one multiply targets that are whole already"""
CLASS_WEIGHT_BITS = 20
"""bits of the weight of a class"""

MaxFeatures = int | float | str | None


def gathers(setup: Setup) -> bool:
    """Whether there are so few rows that trees grow where all of them are."""
    return setup.ranges.rows * len(setup.ranges.levels) <= MAX_GATHERED_BYTES


class TreeGrower(Estimator):
    """Parameters of all trees. A subclass defines how rows are summed, and the prediction of a node."""

    passes = MANY
    split = "subset"
    missing = "learned"
    class_weight = fixed(None)
    cost_power = 1.0

    draws_cuts: ClassVar[bool] = False
    """whether the cut of a node is drawn in each column, and the best of those is taken"""
    bootstrap = False
    """whether trees draw rows"""
    most_draws: ClassVar[int] = 1
    """how often a tree takes a row at most"""
    draw_bits: ClassVar[int] = 0
    """the bits of that"""

    _: KW_ONLY
    max_depth: Annotated[int | None, integer(1), None] = None
    min_samples_split: Annotated[int | float, integer(2), nonzero_fraction] = 2
    min_samples_leaf: Annotated[int | float, integer(1), share(open=True)] = 1
    min_weight_fraction_leaf: Annotated[float, share()] = 0.0
    min_impurity_decrease: Annotated[float, real(0)] = 0.0
    max_features: Annotated[MaxFeatures, integer(1), nonzero_fraction, choice("sqrt", "log2"), None] = None
    max_leaf_nodes: Annotated[int | None, integer(2), None] = None
    min_data_per_group: Annotated[int, integer(1)] = 1
    cat_smooth: Annotated[float, real(0)] = 0.0
    cat_penalty: Annotated[float, real(0)] = 1.0
    max_bins: Annotated[MaxBins, integer(2), choice("auto")] = "auto"
    random_state: Annotated[int | None, seed] = 0

    @property
    def criterion_code(self) -> int:
        """Code of the split criterion for the kernels."""
        raise NotImplementedError

    @property
    @fitted
    def n_outputs_(self) -> int:
        """How many targets are predicted: one."""
        check_is_fitted(self)
        return 1

    @property
    @fitted
    def max_features_(self) -> int:
        """How many columns each node may choose from, by `max_features`."""
        check_is_fitted(self)
        columns = len(self.model_.ranges.levels)
        return columns_of(self.max_features, columns) or columns

    @property
    def _seed(self) -> int:
        """Seed of the fit; 0 if nothing is random."""
        return int(self.random_state or 0)

    @property
    def _missing_code(self) -> int:
        """Code of the method for missing values for the kernels."""
        return MISSING_RULES[self.missing]

    @property
    def _parts(self) -> int:
        """Number of fractional parts of a row."""
        return ROW_PARTS if self._missing_code == PARTS else 1

    def check_params(self, schema: Schema) -> None:
        """Refuse parameters that do not go together, or not with the schema."""

    def start(self, schema: Schema) -> Initial:
        """The state before the first pass, which knows the schema alone."""
        self.check_params(schema)
        return Initial(0, schema)

    def setup(self, state: Initial, look: Look) -> Setup:
        """Ranges of the rows; the unit leaves room for parts, for class weights and for draws."""
        room = 62 - (12 if self._parts > 1 else 0) - (CLASS_WEIGHT_BITS if self.class_weight is not None else 0)
        bits = min(room, EXACT_SUM_BITS) - self.draw_bits
        found = Setup.of(state.schema, look, self.max_bins, bits, self._missing_code == LEARNED, not self.draws_cuts)
        return found._replace(centers=found.cut.centers(look.sample)) if self.draws_cuts else found

    @fitted
    def rules(self, setup: Setup) -> Rules:
        """When nodes are split, and how splits are scored."""
        levels, parts, criterion = setup.ranges.levels, self._parts, self.criterion_code
        units = self.units(setup) / parts
        plain = criterion <= ts.ERROR or criterion == ts.SUMS
        whole = float(setup.total_weight) * (units[1] if criterion == ts.SUMS else 1.0) if plain else 1.0
        return Rules(
            criterion,
            np.where(levels > 0, ts.MULTIWAY if self.split == "multiway" else ts.SUBSET, ts.NUMERIC),
            units,
            -1 if self.max_depth is None else self.max_depth,
            rows_of(self.min_samples_split, setup.ranges.rows, 2) * parts,
            rows_of(self.min_samples_leaf, setup.ranges.rows, 1) * parts,
            self.min_weight_fraction_leaf * setup.total_weight * units[1],
            self.max_leaf_nodes or 0,
            float(np.nextafter(self.min_impurity_decrease * whole, -np.inf)),
            costs=self.costs(setup.schema),
            cost_power=self.cost_power,
            max_features=columns_of(self.max_features, len(levels)),
            seed=self._seed,
            missing=self._missing_code,
            min_data_per_group=self.min_data_per_group * parts,
            cat_smooth=self.cat_smooth,
            cat_penalty=self.cat_penalty,
            noise=self.noise(setup.ranges),
            counted=setup.ranges.unit == 1.0 and not self.bootstrap and not len(setup.class_weight),
            parts=parts,
            centers=setup.centers if self.draws_cuts else None,
            rounded=0.5 * units[0] if criterion == ts.SUMS and not self._equal_targets_sum_alike(setup.ranges) else 0.0,
        )

    def _equal_targets_sum_alike(self, ranges: Ranges) -> bool:
        """Whether rows of equal targets have equal sums, in proportion to their weights."""
        return self._parts == 1 and ranges.weights_up_to(MAX_WHOLE_WEIGHT)

    def column_claims(self, ranges: Ranges) -> tuple[Claim, ...]:
        """How many rows the categories of columns have, and the bins of numbers at most."""
        many = category_claims(ranges.levels, ranges.rows, self.cat_penalty if self.split == "subset" else 0.0)
        return *many, *bin_claims(ranges.bin_share), *far_claims(ranges.near, ranges.limit)

    def costs(self, schema: Schema) -> Array | None:
        """Costs of the columns, if there are any."""
        return None

    def noise(self, ranges: Ranges) -> float:
        """The variance of a row, if the criterion does not define it; below zero: each node has its own."""
        return 0.0

    def put_back(self, setup: Setup, tree: Tree, sums: Codes, times: Codes = NO_CODES) -> Array:
        """Correction of the node means for far targets; `times` counts how often a tree drew each far row."""
        raise NotImplementedError

    def units(self, setup: Setup) -> Array:
        """Unit of each channel: the value of the integer 1."""
        raise NotImplementedError

    def channels(self, setup: Setup) -> Channels:
        """How a row counts in a histogram, classes unweighted."""
        raise NotImplementedError

    def weighed_channels(self, setup: Setup) -> Channels:
        """How a row counts with the weight of its class."""
        return self.channels(setup)

    def weighed(self, setup: Setup, sums: Codes) -> Setup:
        """Return the settings with the total weight, from the channel sums."""
        return setup._replace(total_weight=int(sums[1]))


class ClassTrees(ProbabilityScored, TreeGrower):
    """Trees whose nodes sum the weights of classes."""

    def check_params(self, schema: Schema) -> None:
        super().check_params(schema)
        if isinstance(self.class_weight, Mapping):
            named_weights(self.class_weight, schema)

    def channels(self, setup: Setup) -> ClassChannels:
        return ClassChannels(len(setup.schema.classes))

    def weighed_channels(self, setup: Setup) -> ClassChannels:
        return ClassChannels(len(setup.schema.classes), setup.class_weight)

    def setup(self, state: Initial, look: Look) -> Setup:
        found = super().setup(state, look)
        if not isinstance(self.class_weight, Mapping):
            return found
        weight, unit = class_units(named_weights(self.class_weight, state.schema))
        return found._replace(class_weight=weight, class_weight_unit=unit)

    def weighed(self, setup: Setup, sums: Codes) -> Setup:
        # With the weight of all rows; and of each class, if they are to be balanced.
        weight = sums[:-1]
        if self.class_weight == "balanced":
            each, unit = class_units(balanced_weights(weight))
            setup = setup._replace(class_weight=each, class_weight_unit=unit)
        each = setup.class_weight
        return setup._replace(total_weight=int((weight * each if len(each) else weight).sum()))

    def units(self, setup: Setup) -> Array:
        return np.full(2, setup.ranges.unit * setup.class_weight_unit)


class NumberTrees(TreeGrower):
    """Trees whose nodes sum how far targets are below their middle, and weights."""

    @property
    def criterion_code(self) -> int:
        return ts.SUMS

    def channels(self, setup: Setup) -> SumChannels:
        ranges = setup.ranges
        few = ranges.weights_up_to(MAX_WHOLE_WEIGHT)
        return SumChannels(ranges.center, self.target_unit(ranges), ranges.unit, few, ranges.limit)

    def setup(self, state: Initial, look: Look) -> Setup:
        # With the rows of targets far beyond all others; they are not sought where rows go down in parts.
        found = super().setup(state, look)
        return found if self._parts > 1 else found.with_far(look.strata)

    def put_back(self, setup: Setup, tree: Tree, sums: Codes, times: Codes = NO_CODES) -> Array:
        # What drawing in far targets took off the mean of each node; times: how often a tree drew each far row.
        far, ranges = setup.far, setup.ranges
        whole = setup.weights.in_units(far.weight)
        weight = (whole * ranges.unit if len(whole) else 1.0) * (times if len(times) else np.ones(len(far.target)))
        off = far.taken_off(tree, ranges.center, ranges.limit, np.asarray(weight, np.float64))
        return np.asarray(off / np.maximum(sums[:, 1] * ranges.unit, 1e-300))

    def units(self, setup: Setup) -> Array:
        return np.array([self.target_unit(setup.ranges), setup.ranges.unit])

    def target_unit(self, ranges: Ranges) -> float:
        """Unit of sums of the target: the value of the integer 1."""
        weight = MAX_WHOLE_WEIGHT if ranges.weights_up_to(MAX_WHOLE_WEIGHT) else ranges.max_weight
        factor, rows = weight * self.most_draws, ranges.rows * self._parts
        if near := ranges.near.aside:
            return far_unit(ranges.reach, ranges.near.reach, factor, near, rows)
        return fine_unit(ranges.reach * factor, rows)

    def noise(self, ranges: Ranges) -> float:
        if self.cat_penalty == 0 or self.split != "subset" or not (ranges.levels > 0).any():
            return 0.0
        most = ranges.max_weight * self.most_draws
        return -square_unit(ranges.reach, most, ranges.unit, ranges.rows * self._parts)


def columns_of(most: MaxFeatures, p: int) -> int:
    """How many of p columns a node may choose from; 0: all."""
    if most is None:
        return 0
    if isinstance(most, str):
        most = int(math.sqrt(p) if most == "sqrt" else math.log2(p))
    elif isinstance(most, float):
        most = int(most * p)
    return min(max(1, int(most)), p)


def rows_of(given: int | float, rows: int, least: int) -> int:
    """Resolve a parameter to a number of rows: an int, or a share of all rows, rounded up."""
    return max(least, math.ceil(given * rows)) if isinstance(given, float | np.floating) else int(given)


def class_units(weight: Array) -> tuple[Codes, float]:
    """Weights of classes in whole units, one at least unless they are zero; and the unit."""
    unit = 2.0 ** (math.ceil(math.log2(weight.max())) - CLASS_WEIGHT_BITS)
    return in_units(weight, unit), unit
