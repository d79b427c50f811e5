"""Records of trees: ranges and settings of the training rows, requests for histograms, and the model."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tenfold.core import Array, Codes, Flags, Mergeable, Schema
from tenfold.core.certificate import number_of
from tenfold.core.field_values import ANYTHING, COUNTS, EDGES, LEVELS, POSITIVE
from tenfold.stats.rows.gathered_bins import GatheredBins
from tenfold.stats.trees.rare_rows import Gaps, Strata
from tenfold.stats.trees.tree_bins import MAX_TWO_BYTE_BINS, NO_CODES, Cut, Look, TreeLens, WeightUnit
from tenfold.tree.growing.far_targets import FarRows, NearRange, drawn_in
from tenfold.tree.tree import Tree

MaxBins = int | str
"""of a column, or "auto": every distinct number has one while rows are few"""
MAX_BINS = 255
"""bins of a column of numbers, where not every number has its own: a bin is a byte"""
MAX_ROWS_WITH_OWN_BINS = 1 << 12
"""rows up to which every number may have a bin of its own"""
NO_VALUES: Array = np.zeros((0, 0))
Histogram = NDArray[np.int64]
"""slots x channels x cells"""


class Ranges(NamedTuple):
    """How many rows trees grow from, and the ranges of their weights and targets."""

    levels: Annotated[Codes, "column", LEVELS]
    """categories of each column, 0: it holds numbers"""
    rows: int
    unit: Annotated[float, POSITIVE]
    """what one means in sums of weights"""
    uniform_weights: bool
    """whether every weight is one"""
    max_weight: float
    min_target: float
    max_target: float
    """of numbers; of classes 0"""
    bin_share: float = 0.0
    """share of the rows in the largest bin of unequal numbers"""
    near: NearRange = NearRange(0.0, 0.0, 0)
    """the range of all targets but those that are far beyond, if some are"""

    @property
    def center(self) -> float:
        """The middle of the targets, without those that are far beyond all others."""
        return self.near.center if self.near.aside else 0.5 * self.min_target + 0.5 * self.max_target

    @property
    def limit(self) -> float:
        """The distance from the middle beyond which targets are drawn in; 0: none is."""
        return self.near.limit(self.rows) if self.near.aside else 0.0

    @property
    def distance(self) -> float:
        """How far targets are from the middle at most."""
        if not self.near.aside:
            return max(0.5 * self.max_target - 0.5 * self.min_target, 0.0)
        return max(self.max_target - self.center, self.center - self.min_target)

    @property
    def reach(self) -> float:
        """Range of the targets while trees grow: far ones are drawn in."""
        return float(drawn_in(np.array([self.distance]), self.limit)[0])

    def weights_up_to(self, most: int) -> bool:
        """Whether weights are whole numbers up to this one: a row of weight two is then two rows."""
        return self.unit == 1.0 and self.max_weight <= most


class Setup(NamedTuple):
    """Settings of a fit from its first pass: where columns are cut, and the units of sums."""

    schema: Schema
    edges: Annotated[Array, "column", "edge", EDGES]
    ranges: Ranges
    far: FarRows
    """rows whose targets are far beyond all others"""
    total_weight: int = 0
    """of all rows, in whole units, once it is known"""
    class_weight: Annotated[Codes, "weighed class", COUNTS] = NO_CODES
    class_weight_unit: Annotated[float, POSITIVE] = 1.0
    """weights of the classes in whole units, none if all are one; and that unit"""
    beside: Annotated[Array, "column", "rare", EDGES] = NO_VALUES
    """values of rows of rare targets, beside which columns are still to be cut"""
    rare: bool = False
    """whether columns are cut beside the values of rare classes: thresholds then lie between a node's own values"""
    validation_begin: int = 0
    """the place of the first validation row that was given; 0: none was"""
    centers: Annotated[Array, "drawn column", "bin", ANYTHING] = NO_VALUES
    """between the least and the greatest value of each bin of the sample, if cuts are drawn"""

    @classmethod
    def of(
        cls, schema: Schema, look: Look, max_bins: MaxBins, bits: int, every: bool = True, rare: bool = True
    ) -> Setup:
        """Derive the settings from the ranges of the rows; sums of weights have this number of bits.

        every: whether "auto" may give a bin to every distinct number, if the look saw all rows. rare: whether columns
        are cut beside the values of rare targets.
        """
        look.check_target()
        levels, numbers = schema.levels, schema.classes is None
        most = MAX_BINS if isinstance(max_bins, str) else min(max_bins, MAX_BINS)
        few = look.sample.complete and look.rows <= MAX_ROWS_WITH_OWN_BINS
        if isinstance(max_bins, str) and every and few:
            cut, beside, share = Cut.of(look, levels, MAX_TWO_BYTE_BINS - 1), np.zeros((len(levels), 0)), 0.0
        else:
            cut, beside = Cut.of(look, levels, most), look.cut_candidates(levels, numbers, most)
            share = cut.heaviest(look.sample)
            if not rare or (not share and look.sample.complete):
                beside = beside[:, :0]
            if beside.shape[1]:
                cut = Cut.of(look, levels, most - 2 * beside.shape[1])
                share = cut.heaviest(look.sample)
        weights = look.unit(bits), look.even, look.heaviest
        ranges = Ranges(cut.levels, look.rows, *weights, look.least, look.most, share)
        rare = beside.size > 0 and not numbers
        return cls(schema, cut.edges, ranges, FarRows.none(len(levels)), beside=beside, rare=rare)

    @classmethod
    def again(cls, schema: Schema, look: Look, edges: Array, before: Ranges, rare: bool, bits: int) -> Setup:
        """Derive the settings of a fit that continues: columns are cut where they were, targets range over all fits."""
        look.check_target()
        cut = Cut(edges, schema.levels)
        reach = min(look.least, before.min_target), max(look.most, before.max_target)
        weights = look.unit(bits), look.even, look.heaviest
        ranges = Ranges(cut.levels, look.rows, *weights, *reach, cut.heaviest(look.sample))
        p = len(cut.levels)
        return cls(schema, cut.edges, ranges, FarRows.none(p), beside=np.zeros((p, 0)), rare=rare)

    def with_far(self, strata: Strata) -> Setup:
        """Return the settings with the far targets, from the rows of the smallest and largest targets."""
        near = NearRange.of(strata, self.ranges.rows, self.ranges.min_target, self.ranges.max_target)
        if not near.aside:
            return self
        ranges = self.ranges._replace(near=near)
        return self._replace(ranges=ranges, far=FarRows.of(strata, ranges.center, ranges.limit))

    def refined(self, gaps: Gaps) -> Setup:
        """Return the settings with bin edges on both sides of the given values, from their neighbours."""
        cut = Cut.at(gaps.edges(self.beside, self.edges), self.ranges.levels)
        return self._replace(edges=cut.edges, beside=self.beside[:, :0])

    @property
    def cut(self) -> Cut:
        """The edges and categories by which columns are cut into bins."""
        return Cut(self.edges, self.ranges.levels)

    @property
    def lens(self) -> TreeLens:
        """The lens through which rows become bins."""
        return TreeLens(self.cut)

    @property
    def weights(self) -> WeightUnit:
        """Unit of sums of weights: the value of the integer 1."""
        return WeightUnit(self.ranges.unit, self.ranges.uniform_weights)

    def is_valid(self, schema: Schema) -> bool:
        """Whether classes have weights, or none has; and bins centres."""
        centers = self.centers.size == 0 or self.centers.shape == (len(self.edges), self.edges.shape[1] + 1)
        return centers and len(self.class_weight) in (0, schema.size("class"))


def rows_of_fits(word: str, began: Codes, rows: Codes, whole: int) -> str:
    """How many rows the trees or rounds of each of several fits learned from, in words."""
    ends = np.append(began[1:], whole)
    said = []
    for begin, end, n in zip(began.tolist(), ends.tolist(), rows.tolist(), strict=True):
        if end > begin:
            which = f"{word} {end}" if end == begin + 1 else f"{word}s {begin + 1:,} to {end:,}"
            said.append(f"{which} learned from {number_of(n, 'row')}")
    return ", ".join(said)


class RefiningEdges(NamedTuple):
    """The values next to those of rare targets are wanted: columns are cut halfway between them."""

    step: int
    setup: Setup


class TreeModel(NamedTuple):
    """A tree, and the predictions of its nodes."""

    tree: Tree
    value: Annotated[Array, "tree.node", "output"]
    """weights of the classes, or the mean of the target and the weight, of the training rows of each node"""
    has_missing: Annotated[Flags, "column"]
    """whether a value of the column was missing"""
    ranges: Ranges
    log_prior: float = 0.0
    """ln of the weight of this pruning among all that validation rows could have chosen"""

    def is_valid(self, schema: Schema) -> bool:
        """Whether it is one tree, whose nodes have a number for each class, or two."""
        outputs = 2 if schema.classes is None else len(schema.classes)
        return self.value.shape[1] == outputs and self.tree.rooted(np.zeros(1, np.int64))


class Histograms(Mergeable):
    """Histograms of the requested nodes: slots x (channels x cells). Integers, so merging is exact."""

    sums: Annotated[Codes, "slot", "cell", ANYTHING]

    @classmethod
    def of(cls, hist: Histogram, squares: Codes | None) -> Histograms:
        """Build the record from histograms, and sums of squares by slot, or None."""
        flat = hist.reshape(len(hist), -1)
        return cls(flat if squares is None else np.concatenate([flat, squares[:, None]], axis=1))

    def split(self, channels: int, cells: int) -> tuple[Histogram, Codes | None]:
        """The histograms, and the sums of squares or None."""
        n = len(self.sums)
        hist = self.sums[:, : channels * cells].reshape(n, channels, cells)
        return hist, self.sums[:, -1] if self.sums.shape[1] > channels * cells else None


class RowsOf(Mergeable):
    """The rows of the nodes that want them, and the node of each."""

    rows: GatheredBins
    node: Annotated[Codes, "entry", COUNTS]

    def is_valid(self, schema: Schema) -> bool:
        """Whether every row has a node."""
        return len(self.node) == self.rows.rows

    def __add__(self, other: RowsOf) -> RowsOf:
        return RowsOf(self.rows + other.rows, np.concatenate([self.node, other.node]))


class LeafTotals(Mergeable):
    """Channel sums of the rows that end in each node of the finished tree; the error of rows that end in several."""

    sums: Annotated[Codes, "node", "channel", ANYTHING]
    wrong: int
    whole: int
    """of those rows: the weight of the wrong ones, and of all"""
    back: Annotated[Codes, "held back", "channel", ANYTHING]
    """the channel sums of validation rows, if there are any"""
    squares: Annotated[Array, "squared"]
    """of numbers, Σ of weight times the square of how far the target is from the mean of the node"""

    def __add__(self, other: LeafTotals) -> LeafTotals:
        whole, squares = self.whole + other.whole, self.squares + other.squares
        return LeafTotals(self.sums + other.sums, self.wrong + other.wrong, whole, self.back + other.back, squares)
