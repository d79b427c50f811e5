"""Donor rows, drawn by a hash of the row's position: permutations that need no order of all rows.

Rows are dealt to units by chance, and a row borrows from rows of its own unit only. So units have no row in common,
neither to score nor to borrow from, and the spread over units estimates the variance of both draws of rows.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tenfold.compiled.rows.shuffling import deal, mix
from tenfold.core import Array, Bits, Chunk, Codes, Mergeable
from tenfold.core.statistic import Statistic

MAX_UNITS = 32
"""maximum number of units: enough to estimate their spread"""
MIN_UNITS, ROWS_PER_UNIT = 8, 16
"""minimum number of units, and rows per unit above it"""


def bits(place: Codes, seed: int, turn: int = 0) -> Bits:
    """64 well-mixed bits for each place."""
    x = place.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x ^= np.uint64((seed * 0xD1B54A32D192ED03 + turn * 0xA24BAED4963EE407 + 0x632BE59BD9B4E019) % 2**64)
    mixed: Bits = mix.py_func(mix.py_func(x))
    return mixed


def units_for(rows: int) -> int:
    """Number of units that `rows` rows are dealt into."""
    return max(2, min(MAX_UNITS, max(rows // ROWS_PER_UNIT, min(MIN_UNITS, rows // 4))))


def units_of(place: Codes, seed: int, units: int) -> Codes:
    """The unit of each row: of any `units` rows in a row, one is in each."""
    out = np.empty(len(place), np.int64)
    deal(place, seed, units, out)
    return out


class Sample(Mergeable):
    """A mergeable sample of all rows: the `size` rows with the smallest hashes."""

    key: Annotated[Bits, "entry"]
    place: Annotated[Codes, "entry"]
    value: Annotated[Array, "entry", "column"]
    rows: int
    """of which it is a sample"""
    most: int

    @classmethod
    def sampled(cls, place: Codes, seed: int, most: int) -> Codes:
        """Which of these rows can be in it, by number, in their order."""
        return _least(bits(place, seed), most)

    @classmethod
    def of(cls, place: Codes, value: Array, rows: int, seed: int, most: int) -> Sample:
        """Build the sample from the candidates of `sampled` and the number of rows."""
        return cls(bits(place, seed), place, value, rows, most)

    def __add__(self, other: Sample) -> Sample:
        key, place = np.concatenate([self.key, other.key]), np.concatenate([self.place, other.place])
        kept, value = _least(key, self.most), np.concatenate([self.value, other.value])
        return Sample(key[kept], place[kept], value[kept], self.rows + other.rows, self.most)


def _least(key: Bits, most: int) -> Codes:
    """Indices of the smallest hashes, at most `most` of them, in order."""
    return np.arange(len(key)) if len(key) <= most else np.sort(np.argpartition(key, most - 1)[:most])


class DonorSampling(Statistic[Sample]):
    """Some columns of a sample of rows; objects, if some are text."""

    columns: tuple[int, ...]
    seed: int
    most: int

    def summarize(self, chunk: Chunk) -> Sample:
        place = chunk.places()
        rows = Sample.sampled(place, self.seed, self.most)
        some = chunk.X.rows(rows)
        each = [some.column(j) for j in self.columns]
        text = any(values.dtype.hasobject for values in each)
        value = np.empty((len(rows), len(each)), object if text else np.float64)
        for i, values in enumerate(each):
            value[:, i] = values
        return Sample.of(place[rows], value, chunk.n, self.seed, self.most)


class Donors:
    """Rows to borrow from.

    Parameters
    ----------
    place : array of int
        Of each of them, rising.
    unit : array of int
    seed : int
    """

    def __init__(self, place: Codes, unit: Codes, seed: int) -> None:
        self.place, self.unit, self.seed = place, unit, seed
        self.units = np.sort(unit)
        self.orders: dict[int, Codes] = {}
        """by turn"""

    def order(self, turn: int) -> Codes:
        """Their numbers, by unit, and within a unit by chance."""
        if turn not in self.orders:
            self.orders[turn] = np.lexsort((bits(self.place, self.seed, turn), self.unit))
        return self.orders[turn]

    def draw(self, place: Codes, unit: Codes, turn: int) -> Codes:
        """For each row, the number of a donor from its own unit; never the row itself, unless it is alone.

        Rows and donors of a unit are in random order, and each row takes the donor some steps on from its own
        position: no donor is used twice before each is used once. If rows and donors are the same, it is a permutation.
        """
        order, key = self.order(turn), bits(place, self.seed, turn)
        rows = np.lexsort((key, unit))
        start, stop = (np.searchsorted(self.units, unit[rows], side) for side in ("left", "right"))
        nth = np.arange(len(rows)) - np.searchsorted(unit[rows], unit[rows], "left")
        many = np.maximum(stop - start, 1)
        step = 1 + int(bits(place[:1], self.seed, -1 - turn)[0] >> np.uint64(1)) % np.maximum(many - 1, 1)
        drawn = np.minimum(start + (nth + step) % many, len(order) - 1)
        same = self.place[order[drawn]] == place[rows]  # by chance, if others than these rows lend
        drawn[same] = start[same] + (drawn[same] - start[same] + 1) % many[same]
        out = np.empty(len(rows), np.int64)
        out[rows] = order[drawn]
        alone = np.flatnonzero((self.place[out] == place) | (self.unit[out] != unit))
        if len(alone):  # then from any unit
            others = (key[alone] % np.uint64(len(order))).astype(np.int64)
            out[alone] = np.where(self.place[others] == place[alone], (others + 1) % len(order), others)
        return out

    def inverse(self, unit: Codes) -> float:
        """Sum over rows of two over the other donors in their unit: two, as a pair may say the same both ways."""
        many = np.bincount(self.unit, minlength=int(unit.max(initial=0)) + 1)
        return float((2.0 / np.maximum(many[unit] - 1, 1)).sum())
