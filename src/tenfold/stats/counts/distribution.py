"""Distribution of each column: its values and their weights, in groups of neighbours where there are many.

A value is known by the bits of its float64, in the order of the numbers. While a column has few distinct values each is
a group of its own, and every quantile is exact. Where there are more, those that share their leading bits are one
group: of as many bits as leave no more groups than may be, the same for the whole column. That number depends on
nothing but the values, so summaries merge to the bit, wherever rows are cut. A group keeps its least and greatest value
and its weight; a quantile is off by no more than the weight of the group that it falls into (`rank_error`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from tenfold.core import Array, Bits, Chunk, Claim, Codes, Flags, Mergeable, Schema
from tenfold.core.field_values import COUNTS, NOT_NEGATIVE, Between
from tenfold.core.statistic import Grouped

MAX_COLUMN_GROUPS = 1 << 16
"""maximum number of groups of one column"""
MIN_COLUMN_GROUPS = 1 << 10
"""groups of a column where there are very many columns"""
MAX_GROUPS = 1 << 22
"""maximum number of groups of all columns"""
KEY_BITS = 64
WEIGHT_ROUNDING = 1e-12
"""share of the weight by which sums of weights that are not whole may differ, from one order of adding to another"""


class Distribution(Mergeable):
    """Values of each column in increasing groups, column after column; missing values are counted apart."""

    exact: ClassVar[bool] = True
    low: Annotated[Array, "entry"]
    """the smallest value of each group"""
    high: Annotated[Array, "entry"]
    weight: Annotated[Array, "entry", NOT_NEGATIVE]
    first: Annotated[Codes, "boundary", COUNTS]
    """where the groups of each column begin, and where the last ends"""
    bits: Annotated[Codes, "column", Between(1, KEY_BITS)]
    """how many leading bits the values of a group have in common; 64: they are equal"""
    missing: Annotated[Array, "column", NOT_NEGATIVE]
    """weight of the rows that have no value"""
    by_weight = ("weight", "missing")

    def __add__(self, other: Distribution) -> Distribution:
        most = most_groups(len(self.bits))
        merged = [_merged(self.column(j), other.column(j), most) for j in range(len(self.bits))]
        return _joined(merged, self.missing + other.missing)

    def column(self, j: int) -> ValueGroups:
        """The groups of one column."""
        some = slice(self.first[j], self.first[j + 1])
        return ValueGroups(self.low[some], self.high[some], self.weight[some], int(self.bits[j]))

    @property
    def columns(self) -> list[ValueGroups]:
        """The groups of each column."""
        return [self.column(j) for j in range(len(self.bits))]

    @property
    def rank_error(self) -> float:
        """Upper bound on the error of a column's quantiles, as a share of its weight; 0: all are exact."""
        return max((column.rank_error for column in self.columns), default=0.0)

    def claim(self) -> Claim:
        """How far quantiles may be off."""
        off = self.rank_error
        why = "by so large a share of the rows a quantile may be off: a column has many values, counted in groups"
        return Claim("rank error", off, "proved", why if off else "every value was counted by itself", "data")

    def is_valid(self, schema: Schema) -> bool:
        """Whether groups rise within each column, and belong to one."""
        if self.first[0] != 0 or self.first[-1] != len(self.low) or (np.diff(self.first) < 0).any():
            return False
        rises = self.low[1:] > self.high[:-1]
        starts = self.first[1:-1]
        rises[starts[(starts > 0) & (starts < len(self.low))] - 1] = True
        return bool(rises.all() and (self.low <= self.high).all())


@dataclass(frozen=True, eq=False)
class ValueGroups:
    """The values of one column, in rising groups."""

    low: Array
    high: Array
    weight: Array
    bits: int

    @property
    def total(self) -> float:
        """The weight of all values."""
        return float(self.weight.sum())

    @property
    def rank_error(self) -> float:
        """Bound of the error of a quantile, as a share of the weight: the heaviest group of unequal values."""
        return float(np.max(self.weight, initial=0.0, where=self.low < self.high)) / max(self.total, 1e-300)

    @property
    def middle(self) -> Array:
        """A value for each group: halfway between its ends, and its only one if it has one."""
        return self.low + 0.5 * (self.high - self.low)

    def quantiles(self, shares: Array, method: str = "linear") -> Array:
        """The values below which these shares of the weight lie; NaN of a column without values.

        "linear", "inverted_cdf" and "averaged_inverted_cdf" are as in NumPy, with weights for numbers of rows. Weights
        that are not whole count no rows between which to go straight: "linear" is then the last.
        """
        if not len(self.low):
            return np.full(len(shares), np.nan)
        upto = self.weight.cumsum()
        if method == "linear" and (self.weight == np.rint(self.weight)).all():
            place = shares * (upto[-1] - 1)
            left = np.floor(place)
            return _between(self._row(upto, left), self._row(upto, left + 1), place - left)
        reach = self._reached(upto, shares)
        found = self._up_to(upto, reach, "left")
        if method == "inverted_cdf":
            return found
        return _between(found, self._up_to(upto, reach, "right"), np.full(len(shares), 0.5))

    def _reached(self, upto: Array, shares: Array) -> Array:
        """These shares of the weight; of weights that are not whole, those up to a value, but for rounding, are equal.

        Else the order in which weights were added would decide whether a quantile is between two values.
        """
        reach: Array = shares * upto[-1]
        if (self.weight == np.rint(self.weight)).all():
            return reach
        after = np.minimum(np.searchsorted(upto, reach), len(upto) - 1)
        ends = upto[np.stack([np.maximum(after - 1, 0), after])]
        nearest = np.where(np.abs(ends[0] - reach) < np.abs(ends[1] - reach), ends[0], ends[1])
        return np.where(np.abs(nearest - reach) <= WEIGHT_ROUNDING * upto[-1], nearest, reach)

    def _up_to(self, upto: Array, weight: Array, side: Literal["left", "right"]) -> Array:
        """Return the smallest value whose cumulative weight reaches a given weight."""
        at = np.minimum(np.searchsorted(upto, weight, side=side), len(upto) - 1)
        return self._within(at, (weight - (upto[at] - self.weight[at])) / self.weight[at])

    @property
    def flat(self) -> bool:
        """Whether all values are equal, or there are none."""
        return not len(self.low) or bool(self.low[0] == self.high[-1])

    def _row(self, upto: Array, number: Array) -> Array:
        """The value of the row that has this number among the sorted rows."""
        at = np.minimum(np.searchsorted(upto, number, side="right"), len(upto) - 1)
        before = upto[at] - self.weight[at]
        return self._within(at, (number - before) / np.maximum(self.weight[at] - 1, 1.0))

    def _within(self, at: Codes, share: Array) -> Array:
        """Interpolate within each of these groups, from its smallest value to its greatest."""
        found: Array = self.low[at] + np.clip(share, 0.0, 1.0) * (self.high[at] - self.low[at])
        return found

    def mode(self) -> float:
        """The value with the largest weight, the least of equals; NaN of a column without values."""
        return float(self.middle[self.weight.argmax()]) if len(self.low) else np.nan


class DistributionByColumn(Grouped[Distribution]):
    """The values of each column and their weights, in groups of neighbours where there are very many."""

    def summarize(self, chunk: Chunk) -> Distribution:
        p = chunk.X.shape[1]
        found, missing, most = [], np.zeros(p), most_groups(p)
        for j in range(p):
            values = chunk.X.column(j).astype(np.float64)
            values += 0.0  # no -0: it equals 0, but has other bits
            weight = None if chunk.uniform else chunk.weight
            gone = np.isnan(values)
            if gone.any():
                missing[j] = float(chunk.weight[gone].sum())
                values, weight = values[~gone], None if weight is None else weight[~gone]
            found.append(_coarsened(_grouped(values, weight), most))
        return _joined(found, missing)


def most_groups(columns: int) -> int:
    """How many groups a column may have: 65,536, or fewer where there are very many columns."""
    return max(MIN_COLUMN_GROUPS, min(MAX_COLUMN_GROUPS, MAX_GROUPS // max(1, columns)))


def _grouped(values: Array, weight: Array | None) -> ValueGroups:
    """Equal values as one group, in order."""
    if weight is None:
        values.sort()
    else:
        order = np.argsort(values, kind="stable")
        values, weight = values[order], weight[order]
    starts = np.flatnonzero(_changes(values))
    ends = np.append(starts, len(values))
    count = np.diff(ends).astype(np.float64) if weight is None else _sums(weight, starts)
    return ValueGroups(values[starts], values[starts], count, KEY_BITS)


def _merged(a: ValueGroups, b: ValueGroups, most: int) -> ValueGroups:
    """The groups of values of two sketches, in order."""
    if not len(b.low):
        return a
    if not len(a.low):
        return b
    low = np.concatenate([a.low, b.low])
    order = np.argsort(low, kind="stable")
    low, high = low[order], np.concatenate([a.high, b.high])[order]
    weight = np.concatenate([a.weight, b.weight])[order]
    return _coarsened(_cut(ValueGroups(low, high, weight, KEY_BITS), min(a.bits, b.bits), _steps(low)), most)


def _coarsened(groups: ValueGroups, most: int) -> ValueGroups:
    """Merge groups by leading bits, as many as leave at most the allowed number of groups."""
    if len(groups.low) <= most:
        return groups
    steps = _steps(groups.low)
    largest = np.partition(steps, len(steps) - most)[len(steps) - most]  # so many steps are no smaller
    return _cut(groups, KEY_BITS - int(largest).bit_length(), steps)


def _cut(groups: ValueGroups, bits: int, steps: Bits) -> ValueGroups:
    """Merge values with a number of leading bits in common into one group."""
    starts = np.flatnonzero(np.append(True, steps >= np.uint64(1 << (KEY_BITS - bits))))
    if len(starts) == len(groups.low):
        return ValueGroups(groups.low, groups.high, groups.weight, bits)
    high: Array = np.maximum.reduceat(groups.high, starts)
    return ValueGroups(groups.low[starts], high, _sums(groups.weight, starts), bits)


def _steps(ordered: Array) -> Bits:
    """Return the bits in which each value differs from the one before, in an order-preserving encoding."""
    bits = ordered.view(np.int64)
    keys = bits ^ ((bits >> (KEY_BITS - 1)) & np.int64(2**63 - 1))
    found: Bits = (keys[1:] ^ keys[:-1]).view(np.uint64)
    return found


def _changes(ordered: Array) -> Flags:
    """Which entries differ from those before them; the first does."""
    return np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]


def _sums(weight: Array, starts: Codes) -> Array:
    """The weight from each start to the next."""
    return np.add.reduceat(weight, starts) if len(starts) else np.zeros(0)


def _between(a: Array, b: Array, share: Array) -> Array:
    """Interpolate linearly from a to b as NumPy does, with exactly b where the share is one."""
    step = b - a
    return np.where(share >= 0.5, b - step * (1 - share), a + step * share)


def _joined(columns: list[ValueGroups], missing: Array) -> Distribution:
    """The groups of all columns, one after the other."""
    ends = np.cumsum([0, *(len(column.low) for column in columns)], dtype=np.int64)
    low, high, weight = (
        np.concatenate([np.zeros(0), *(getattr(column, name) for column in columns)])
        for name in ("low", "high", "weight")
    )
    return Distribution(low, high, weight, ends, np.array([c.bits for c in columns], dtype=np.int64), missing)
