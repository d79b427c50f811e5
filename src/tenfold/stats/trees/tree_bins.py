"""Rows as trees see them: bins of numbers, codes of categories, and a bin for missing values.

Weights and targets become whole numbers in a unit that is a power of two, so their sums are exact in any order.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import Annotated, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tenfold.compiled.tree.binning import GRID_CELLS
from tenfold.compiled.tree.tree_applying import bin_values
from tenfold.core import Array, Chunk, Codes, DataError, Flags, Mergeable, Schema
from tenfold.core.field_values import EDGES, LEVELS, NOT_NAN, POSITIVE
from tenfold.core.statistic import Grouped, Held, Lens
from tenfold.stats.rows.draws import Holdout
from tenfold.stats.rows.weighted_sample import Race, row_bits, uniform
from tenfold.stats.trees.binned import edges_of, grid_of, sample_of
from tenfold.stats.trees.rare_rows import NUMBERS_PER_ROW, Strata, rare_values

S = TypeVar("S")
NO_CODES: Codes = np.zeros(0, np.int64)
Bins = NDArray[np.uint8] | NDArray[np.uint16]
"""columns x rows"""
Labels = NDArray[np.uint16]
Target = Array | Codes | Labels
"""numbers, or classes"""
Which = slice | Codes | Flags
"""indices of rows"""

MAX_TWO_BYTE_BINS = 1 << 16
"""of a column: a bin has two bytes at most"""
MAX_SCANNED_EDGES = 1024
"""of a column, among which a value is looked for by halving"""
MAX_SQUARABLE_SUM = 1e150
"""sums whose squares float64 holds; one over it, squares that it does not take for zero"""
MIN_EXPONENT = -1022
"""exponent of the smallest unit of sums: a normal float64"""
EXACT_SUM_BITS = 52
"""bits of a sum that float64 takes without rounding"""


class Look(Mergeable):
    """A sample of the rows, how many there are, and the range of weights and targets: all that merges exactly."""

    sample: Race
    strata: Strata
    """rows of rare targets, if they are wanted"""
    rows: int
    heaviest: float
    """largest weight"""
    whole: bool
    """whether weights are whole numbers"""
    even: bool
    """whether every weight is one"""
    least: Annotated[float, NOT_NAN]
    most: Annotated[float, NOT_NAN]
    """largest absolute value of a numeric target"""

    @classmethod
    def of(cls, chunk: Chunk, sample: Race, strata: Strata, targets: Array) -> Look:
        """Summarize a first look at a chunk, with samples of its rows; the range is that of these targets."""
        w = chunk.weight
        if not np.isfinite(targets).all():
            raise DataError("the target has a value that is missing or infinite. Remedy: drop those rows")
        return cls(
            sample, strata, chunk.n, float(w.max(initial=0.0)), bool((w == np.round(w)).all()),
            bool((w == 1).all()), float(targets.min(initial=np.inf)), float(targets.max(initial=-np.inf)),
        )  # fmt: skip

    def __add__(self, other: Look) -> Look:
        return Look(
            self.sample + other.sample, self.strata + other.strata, self.rows + other.rows,
            max(self.heaviest, other.heaviest), self.whole and other.whole, self.even and other.even,
            min(self.least, other.least),
            max(self.most, other.most),
        )  # fmt: skip

    def cut_candidates(self, levels: Codes, numbers: bool, most: int) -> Array:
        """Return the values of each column near which to cut, at most a number of bins: columns x values."""
        return rare_values(self.strata, numbers, levels, (most - 1) // 4, 2 * (most - 1) // 5)

    def check_target(self) -> None:
        """Refuse targets whose sums have squares that overflow or vanish."""
        reach = 0.5 * self.most - 0.5 * self.least
        heavy = max(self.heaviest, 1.0) * max(self.rows, 1)
        if reach * heavy > MAX_SQUARABLE_SUM or 0 < reach * min(self.heaviest, 1.0) < 1 / MAX_SQUARABLE_SUM:
            size, remedy = ("large", "divide") if reach > 1 else ("small", "multiply")
            raise DataError(
                f"the target is too {size}, from {self.least:g} to {self.most:g}: squares of its sums are not numbers "
                f"any more. Remedy: {remedy} it by a power of ten"
            )

    def unit(self, bits: int = EXACT_SUM_BITS) -> float:
        """Return the fixed-point unit of sums of weights with a number of bits: one for integers that fit."""
        room = self.heaviest * max(self.rows, 1)
        if self.whole and room < 2.0**bits:
            return 1.0
        return 2.0 ** (math.ceil(math.log2(room * (1 + 2.0**-16))) - bits)  # and a little for rounding


class SampleAndRanges(Grouped[Look]):
    """Samples of the rows to learn from, for the edges of bins, and the ranges of weights and targets of all rows."""

    seed: int
    strata: int = 0
    """classes, or two of a target that is a number, whose rare rows are wanted too; 0: they are not"""
    holdout: Holdout = Holdout()

    def summarize(self, chunk: Chunk) -> Look:
        some = chunk
        if self.holdout.by_place:
            some = chunk.rows(np.flatnonzero(self.holdout.learns(chunk.places(), chunk.n)))
        u = uniform(row_bits(some.X, self.seed))
        y = some.y if self.holdout.begin else chunk.y  # rows that are held back by chance are of the same kind
        targets = y if y is not None and y.dtype.kind == "f" else np.zeros(min(chunk.n, 1))
        return Look.of(chunk, sample_of(some, self.seed, u), Strata.of(some, u, self.strata), targets)


def strata_of(schema: Schema) -> int:
    """How many strata the target of a schema has: its classes, or the least and the greatest numbers."""
    return NUMBERS_PER_ROW if schema.classes is None else len(schema.classes)


class Cut(NamedTuple):
    """Bins of columns: the edges of numbers, the number of categories, and then one bin for missing values."""

    edges: Annotated[Array, "column", "edge", EDGES]
    levels: Annotated[Codes, "column", LEVELS]

    @classmethod
    def of(cls, look: Look, levels: Codes, most: int) -> Cut:
        """Create bins at quantiles of the sample, at most `most`; categories are bins."""
        return cls.at(edges_of(look.sample, min(most, max(look.rows, 2))), levels)

    @classmethod
    def at(cls, edges: Array, levels: Codes) -> Cut:
        """Create bins at given edges, without empty padding; categories are bins."""
        edges = np.where(levels[:, None] > 0, np.inf, edges)
        used = int(np.isfinite(edges).sum(axis=1).max(initial=1))
        return cls(np.ascontiguousarray(edges[:, : max(used, 1)]), levels)

    def heaviest(self, sample: Race) -> float:
        """Largest share of the weight in one bin of unequal numbers; 0: there is no such bin.

        Of a sample, so it is an estimate unless the sample is complete.
        """
        rows, weight = sample.sample()
        found = 0.0
        for j in np.flatnonzero(self.levels == 0):
            known = ~np.isnan(rows[:, j])
            column, row_weight = rows[known, j], weight[known]
            at = np.searchsorted(self.edges[j], column)
            size = np.bincount(at, row_weight, self.edges.shape[1] + 1)
            low, high = np.full(len(size), np.inf), np.full(len(size), -np.inf)
            np.minimum.at(low, at, column)
            np.maximum.at(high, at, column)
            found = max(found, float(size[low < high].max(initial=0.0) / max(row_weight.sum(), 1e-300)))
        return found

    def centers(self, sample: Race) -> Array:
        """The middle of the values of a sample in each bin of numbers: columns x bins, infinity where there is none."""
        rows, _ = sample.sample()
        found = np.full((len(self.edges), self.edges.shape[1] + 1), np.inf)
        for j in np.flatnonzero(self.levels == 0):
            column = rows[~np.isnan(rows[:, j]), j]
            at = np.searchsorted(self.edges[j], column)
            low, high = np.full(found.shape[1], np.inf), np.full(found.shape[1], -np.inf)
            np.minimum.at(low, at, column)
            np.maximum.at(high, at, column)
            known = low <= high
            found[j, :-1] = self.edges[j]
            found[j, known] = 0.5 * low[known] + 0.5 * high[known]
        return found

    @property
    def gap(self) -> Codes:
        """The bin of missing values of each column: the last."""
        count: Codes = np.where(self.levels > 0, self.levels, np.isfinite(self.edges).sum(axis=1) + 1)
        return count.astype(np.int64)

    def holds(self, bins: Bins) -> bool:
        """Whether rows (columns x rows) are in valid bins."""
        return not bins.size or bool((bins.max(axis=1) <= self.gap).all())

    @property
    def offset(self) -> Codes:
        """Where each column's bins begin in a histogram, and its length at the end."""
        found: Codes = np.concatenate([[0], np.cumsum(self.gap + 1)]).astype(np.int64)
        return found

    @property
    def kind(self) -> type[np.uint8] | type[np.uint16]:
        """The narrowest integers that hold a bin."""
        most = int(self.gap.max(initial=0))
        if most >= 1 << 16:
            raise DataError(f"a column has {most} categories; trees take {(1 << 16) - 1}. Remedy: group the rare ones")
        return np.uint8 if most < 1 << 8 else np.uint16

    def bins(self, chunk: Chunk) -> Bins:
        """The bins of a chunk's rows: columns x rows."""
        shape = len(self.levels), chunk.n
        bins: Bins = np.empty(shape, np.uint8) if self.kind is np.uint8 else np.empty(shape, np.uint16)
        if self.edges.shape[1] > MAX_SCANNED_EDGES and not self.levels.any():
            for rows, block in chunk.X.blocks():
                for j, (edges, gap) in enumerate(zip(self.edges, self.gap, strict=True)):
                    x = block[:, j]
                    bins[j, rows] = np.where(np.isnan(x), gap, np.searchsorted(edges[:gap], x))
            return bins
        low, scale, first = grid_of(self.edges)
        for rows, block in chunk.X.blocks():
            bin_values(block, self.edges, self.levels, self.gap, low, scale, first, GRID_CELLS, rows.start, bins)
        return bins


class InBins(NamedTuple):
    """Held rows as bins: without weights, which may be redrawn, and without row ids."""

    bins: Bins
    """columns x rows"""
    target: Target
    """class of each row (uint16), or its number"""


class TreeLens(Lens):
    """A lens through which rows become bins."""

    cut: Cut

    def __call__(self, chunk: Chunk) -> InBins:
        """Bins and targets of a chunk."""
        return InBins(self.cut.bins(chunk), chunk.y.astype(np.uint16) if chunk.y.dtype.kind in "iu" else chunk.y)


class RowsInBins(NamedTuple):
    """Rows in bins, with whole weights."""

    bins: Bins
    target: Target
    weight: Codes
    """in whole units, or empty: all are one"""
    places: Codes
    """of the rows, by which they are drawn, or empty: not asked for"""

    def rows(self, which: Which) -> RowsInBins:
        """Some of the rows, by their numbers or a slice."""
        weight, places = (x[which] if len(x) else x for x in (self.weight, self.places))
        return RowsInBins(self.bins[:, which], self.target[which] if len(self.target) else self.target, weight, places)


class WeightUnit(NamedTuple):
    """Statistic of the fixed-point unit of sums of weights."""

    unit: Annotated[float, POSITIVE]
    even: bool
    """whether every weight is one"""

    def in_units(self, weight: Array) -> Codes:
        """Weights in whole units; none if all are one."""
        return NO_CODES if self.even else in_units(weight, self.unit)


class OfBins(Held[S]):
    """Base of statistics of rows in bins, whose weights are whole numbers."""

    lens: TreeLens = field(kw_only=True)
    weights: WeightUnit

    def weighted_rows(self, chunk: Chunk, places: bool = False) -> tuple[RowsInBins, slice | Codes]:
        """The rows that have a weight, with their places if they are asked for; and which of the held rows they are."""
        held: InBins = chunk.held
        found = RowsInBins(*held, self.weights.in_units(chunk.weight), chunk.places() if places else NO_CODES)
        if chunk.uniform or (chunk.weight > 0).all():
            return found, slice(None)
        which = np.flatnonzero(chunk.weight)
        return found.rows(which), which


def numbers_of(target: Target) -> Array:
    """Targets, whatever they are, as floats."""
    return np.asarray(target, dtype=np.float64)


def in_units(weight: Array, unit: float) -> Codes:
    """Weights in whole units, one at least unless they are zero: no row is lost among far heavier ones."""
    whole: Codes = np.rint(weight / unit).astype(np.int64)
    return np.where((whole == 0) & (weight > 0), 1, whole) if not whole.all() else whole


def fine_unit(largest: float, rows: int) -> float:
    """The unit in which numbers up to `largest` are summed: 36 bits of each, fewer if the sum would not fit."""
    if not math.isfinite(largest):
        raise DataError("the target is too large for its losses to be summed. Remedy: divide it by its largest value")
    bits = min(36, 61 - math.ceil(math.log2(max(rows, 1))))
    return 2.0 ** max(math.ceil(math.log2(largest)) - bits, MIN_EXPONENT) if largest > 0 else 1.0


def square_unit(reach: float, heaviest: float, unit: float, rows: int) -> float:
    """Return the unit of sums of w r² with |r| up to `reach`: integer weights multiply rounded squares exactly."""
    room = 56 - math.ceil(math.log2(max(rows, 1)))
    largest = reach * reach * (1.0 if unit == 1.0 else heaviest)
    bits = min(36, room - (math.ceil(math.log2(max(heaviest, 1.0))) if unit == 1.0 else 0))
    return float(2.0 ** max(math.ceil(math.log2(largest)) - bits, MIN_EXPONENT)) if largest > 0 else 1.0
