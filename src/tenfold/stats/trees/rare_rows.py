"""Rows of rare targets, with the cuts of columns near them, which quantiles of all rows would miss.

A sample of each class, or of the least and the greatest targets, merges: rows are kept by their target and then by a
hash of their content. Their values are where a column is cut. A second pass finds the neighbours of these values among
all rows, so that an edge lies halfway between two values that rows have, as it does in an exact tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from tenfold.compiled.tree.binning import ends_of_gaps
from tenfold.core import Array, Chunk, Codes, Mergeable, Schema
from tenfold.core.field_values import ANYTHING, COUNTS, NOT_NAN, Between
from tenfold.core.statistic import Grouped
from tenfold.stats.rows.draws import Holdout
from tenfold.stats.trees.binned import grid_of

RARE_CLASS_SHARE = 0.04
"""share of the rows up to which a class is rare: a bin of quantiles has a tenth of that"""
MAX_KEPT_NUMBERS = 1 << 19
"""numbers that are kept of rows of all strata"""
NUMBERS_PER_ROW = 2
"""strata of a target that is a number: the least, and the greatest"""
MAX_SCANNED_CLASSES = 16
"""classes that are picked out one by one"""
NO_CODES: Codes = np.zeros(0, np.int64)


class Strata(Mergeable):
    """Some rows of each class; of numbers, the rows of the least and of the greatest targets."""

    stratum: Annotated[Codes, "entry", COUNTS]
    key: Annotated[Array, "entry", NOT_NAN]
    """rows of the least keys are kept: 0 of classes, the target or its negative of numbers"""
    u: Annotated[Array, "entry"]
    """of rows with equal keys, those of the least are kept"""
    row: Annotated[Array, "entry", "column", ANYTHING]
    count: Annotated[Codes, "stratum", COUNTS]
    """rows of each stratum, all of them"""
    weight: Annotated[Array, "entry"]
    place: Annotated[Codes, "entry", ANYTHING]
    """by which rows are drawn; of rows that are alike in all else, those of the least are kept"""
    most: Annotated[int, Between(1)]

    @classmethod
    def of(cls, chunk: Chunk, u: Array, strata: int) -> Strata:
        """The rows of one chunk, by numbers that come from their content."""
        most = min(max(MAX_KEPT_NUMBERS // max(1, chunk.X.shape[1] * strata), 8), 1024)
        if not strata:
            which, stratum, key, count = NO_CODES, NO_CODES, np.zeros(0), NO_CODES
        elif chunk.y.dtype.kind == "f":
            some = [_least(key, u, most) for key in (chunk.y, -chunk.y)]
            which, stratum = np.concatenate(some), np.repeat((0, 1), [len(rows) for rows in some])
            key, count = np.where(stratum, -chunk.y[which], chunk.y[which]) + 0.0, np.full(strata, chunk.n)
        else:
            which, count = _least_of_classes(chunk.y, u, strata, most), np.bincount(chunk.y, minlength=strata)
            stratum, key = chunk.y[which].astype(np.int64), np.zeros(len(which))
        beside = chunk.weight[which], chunk.places()[which]
        return cls(stratum, key, u[which], chunk.X.take(which), count.astype(np.int64), *beside, most)

    def __add__(self, other: Strata) -> Strata:
        stratum, key, u, row, weight, place = (
            np.concatenate([getattr(one, name) for one in (self, other)])
            for name in ("stratum", "key", "u", "row", "weight", "place")
        )
        order = np.lexsort((place, u, key, stratum))
        begin = np.searchsorted(stratum[order], stratum[order])
        order = order[np.arange(len(order)) - begin < self.most]
        count, beside = self.count + other.count, (weight[order], place[order])
        return Strata(stratum[order], key[order], u[order], row[order], count, *beside, self.most)

    def is_valid(self, schema: Schema) -> bool:
        """Whether rows are of valid strata."""
        return not len(self.stratum) or int(self.stratum.max()) < len(self.count)

    def groups(self, numbers: bool) -> Iterator[tuple[Array, int]]:
        """Rows that are alike in a rare target, and how many values of each column are wanted of them; 0: all.

        Of numbers, the rows of the 8, 11, 16, ... greatest and least targets, and all that are equal to the last of
        them: only where they begin and end.
        """
        for k, count in enumerate(self.count.tolist()):
            here = self.stratum == k
            row, key = self.row[here], self.key[here]
            if not numbers:
                if 0 < count <= RARE_CLASS_SHARE * self.count.sum():
                    yield row, 0
                continue
            beyond = int(np.searchsorted(key, key[-1])) if len(key) == self.most else len(key)
            powers = np.array([int(2 ** (power / 2)) for power in range(6, 21)])
            # Rows of one target are taken together: which of them come first is a matter of the bits of their columns.
            ends = {*np.searchsorted(key, key[powers[powers < beyond] - 1], side="right").tolist()} - {len(key)}
            if 0 < beyond < RARE_CLASS_SHARE * count:
                ends.add(beyond)
            yield from ((row[:end], 2) for end in sorted(ends))


def _least(key: Array, u: Array, most: int) -> Codes:
    """Return n rows with the smallest keys, ties broken by u, in this order."""
    some: Codes = np.arange(len(key))
    if len(key) > most:
        bar = np.partition(key, most - 1)[most - 1]
        below, equal = np.flatnonzero(key < bar), np.flatnonzero(key == bar)
        left = most - len(below)
        if len(equal) > left:
            equal = equal[np.argpartition(u[equal], left - 1)[:left]]
        some = np.concatenate([below, equal])
    return some[np.lexsort((u[some], key[some]))]


def _least_of_classes(label: Codes, u: Array, classes: int, most: int) -> Codes:
    """Return n rows of each class with the smallest u, class after class."""
    if classes <= MAX_SCANNED_CLASSES:
        each = [np.flatnonzero(label == k) for k in range(classes)]
        return np.concatenate([some[_least(np.zeros(len(some)), u[some], most)] for some in each])
    order = np.lexsort((u, label))
    return order[np.arange(len(order)) - np.searchsorted(label[order], label[order]) < most]


def rare_values(strata: Strata, numbers: bool, levels: Codes, most: int, every: int = 0) -> Array:
    """Return the values of each column near which to cut: columns x increasing values, padded with infinity.

    Of rare classes all values, if they have no more than `every` rows together; else as many of their quantiles as
    there is room for among `most` values, the ends among them.
    """
    groups, p = list(strata.groups(numbers)), strata.row.shape[1]
    rows = sum(len(row) for row, _ in groups)
    most, each = (every, every) if not numbers and rows <= every else (most, max(most // max(len(groups), 1), 2))
    found = []
    for j in range(p):
        some = [np.zeros(0)]
        for row, many in groups if not levels[j] else ():
            column = row[:, j]
            value = np.unique(column[np.isfinite(column)])
            some.append(_spread(value, many or each))
        found.append(_spread(np.unique(np.concatenate(some)), most))
    out = np.full((p, max((len(value) for value in found), default=0)), np.inf)
    for j, value in enumerate(found):
        out[j, : len(value)] = value
    return out


def _spread(value: Array, most: int) -> Array:
    """Return n values of a sorted array, evenly spread from the first to the last."""
    if len(value) <= most:
        return value
    return value[np.unique(np.rint(np.linspace(0, len(value) - 1, most)).astype(np.int64))]


class Gaps(Mergeable):
    """The least and the greatest value of each column between any two neighbours of some values, and beyond them."""

    least: Annotated[Array, "column", "gap", NOT_NAN]
    """the smallest value, or infinity if there is none"""
    greatest: Annotated[Array, "column", "gap", NOT_NAN]

    def __add__(self, other: Gaps) -> Gaps:
        return Gaps(np.minimum(self.least, other.least), np.maximum(self.greatest, other.greatest))

    def edges(self, values: Array, quantiles: Array) -> Array:
        """Edges on either side of each value, halfway to its neighbour; and those quantiles that lie elsewhere."""
        each = [self._column(j, values[j], quantiles[j]) for j in range(len(values))]
        out = np.full((len(values), max((len(edge) for edge in each), default=0)), np.inf)
        for j, edge in enumerate(each):
            out[j, : len(edge)] = edge
        return out

    def _column(self, j: int, values: Array, quantiles: Array) -> Array:
        value, edges = values[np.isfinite(values)], quantiles[np.isfinite(quantiles)]
        many = len(value)
        if not many:
            return edges
        below, above = self.greatest[j, :many].copy(), self.least[j, 1 : many + 1].copy()
        below[1:] = np.where(below[1:] == -np.inf, value[:-1], below[1:])
        above[:-1] = np.where(above[:-1] == np.inf, value[1:], above[:-1])
        low, high = np.concatenate([below, value]), np.concatenate([value, above])
        finite = np.isfinite(low) & np.isfinite(high)
        low, high = np.unique(low[finite]), np.unique(high[finite])
        at = np.searchsorted(low, edges, side="right") - 1
        inside = (at >= 0) & (edges < high[np.maximum(at, 0)]) if len(low) else np.zeros(len(edges), bool)
        with np.errstate(over="ignore"):
            middle = low + 0.5 * (high - low)
        return np.union1d(edges[~inside], np.where((low < middle) & (middle < high), middle, low))


class Neighbors(Grouped[Gaps]):
    """The values of all rows to learn from that are next to some values of each column."""

    values: Array
    """columns x values that rise, filled up with infinity"""
    holdout: Holdout = Holdout()

    def summarize(self, chunk: Chunk) -> Gaps:
        if self.holdout.by_place:
            chunk = chunk.rows(np.flatnonzero(self.holdout.learns(chunk.places(), chunk.n)))
        values = self.values.copy()  # kernels are compiled for arrays that may be written to, and a value's may not
        low, scale, first = grid_of(values)
        shape = values.shape[0], values.shape[1] + 1
        least, greatest = np.full(shape, np.inf), np.full(shape, -np.inf)
        for _, block in chunk.X.blocks():
            ends_of_gaps(block, values, low, scale, first, least, greatest)
        return Gaps(least + 0.0, greatest + 0.0)
