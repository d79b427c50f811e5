"""Values of a column of text, and how often each comes, in all rows and in each class of the target.

Up to `capacity` values are counted, and then every count is exact. Where there are more, the most frequent are kept:
the count of a value that was dropped once and came back is too small, by no more than `error`. How many distinct values
there are is then estimated by the smallest of their hash values (k minimum values; Bar-Yossef and others, 2002), which
merge exactly: the smallest of all are among the smallest of each part.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, NamedTuple

import numpy as np

from tenfold.compiled.rows.hashing import hash_terms
from tenfold.core import Array, Codes, Letters, Mergeable, Schema, Values
from tenfold.core.field_values import COUNTS, NOT_NEGATIVE, Between
from tenfold.core.rows.texts import are_texts, pack, unpack
from tenfold.estimator.analyzers import growing

HASH_VALUES = 2**31 - 1
"""hash values are below this number"""
SKETCH_SIZE = 4096
"""smallest hash values that are kept: the number of distinct values is then off by 1.6 % (one standard deviation)"""
NORMAL_95 = 1.96
"""quantile of the normal distribution for intervals of 95 %"""
NO_HASHES = np.zeros(0, np.int64)


class DistinctCount(NamedTuple):
    """How many distinct values there are."""

    number: float
    error: float
    """half the width of an interval of 95 %, as a share of the count; 0: it is exact; inf: there are no fewer"""


class ValueTable(Mergeable):
    """The most frequent values of a column of text, sorted, with their weight in each layer of the rows."""

    letters: Annotated[Letters, "byte"]
    ends: Annotated[Codes, "entry", COUNTS]
    count: Annotated[Array, "entry", "layer", NOT_NEGATIVE]
    """the first layer is all rows"""
    missing: Annotated[Array, "layer", NOT_NEGATIVE]
    capacity: Annotated[int, Between(1)]
    error: Annotated[float, NOT_NEGATIVE]
    """weight that may be missing from the count of a value; 0: all values were counted"""
    hashes: Annotated[Codes, "group", Between(0, HASH_VALUES)]
    """smallest hash values of all distinct values, sorted; empty while all values are counted"""
    by_weight = ("count", "missing", "error")

    @classmethod
    def of(cls, texts: Values, layers: Array, capacity: int) -> ValueTable:
        """Count the values of some rows, whose weights in each layer are the columns of `layers`."""
        places = growing()
        codes = np.fromiter(map(places.__getitem__, texts.tolist()), np.int64, len(texts))
        count = np.column_stack([np.bincount(codes, weight, len(places)) for weight in layers.T])
        gone = places.get(None)  # type: ignore[call-overload]
        missing = np.zeros(layers.shape[1]) if gone is None else count[gone]
        terms = sorted(text for text in places if text is not None)
        order = np.fromiter(map(places.__getitem__, terms), np.int64, len(terms))
        return cls(*pack(terms), count[order].astype(np.float64), missing, capacity, 0.0, NO_HASHES)._cut()

    @property
    def values(self) -> list[str]:
        """The values that were counted."""
        return unpack(self.letters, self.ends)

    def __add__(self, other: ValueTable) -> ValueTable:
        missing, error = self.missing + other.missing, self.error + other.error
        if not len(self.ends) or not len(other.ends):
            some = self if len(self.ends) else other
            return replace(some, missing=missing)
        mine, theirs = self.values, other.values
        terms = sorted({*mine, *theirs})
        place = dict(zip(terms, range(len(terms)), strict=True))
        count = np.zeros((len(terms), len(missing)))
        for table, names in ((self, mine), (other, theirs)):
            count[np.fromiter(map(place.__getitem__, names), np.int64, len(names))] += table.count
        hashes = NO_HASHES
        if len(self.hashes) or len(other.hashes):
            hashes = np.union1d(self._sketch(), other._sketch())[:SKETCH_SIZE]
        return ValueTable(*pack(terms), count, missing, self.capacity, error, hashes)._cut()

    def _cut(self) -> ValueTable:
        """Keep the most frequent values, the first in alphabetical order of equally frequent ones."""
        if len(self.ends) <= self.capacity:
            return self
        order = np.argsort(-self.count[:, 0], kind="stable")
        kept = np.sort(order[: self.capacity])
        values = self.values
        letters, ends = pack([values[at] for at in kept.tolist()])
        error = self.error + float(self.count[order[self.capacity], 0])
        return replace(self, letters=letters, ends=ends, count=self.count[kept], error=error, hashes=self._sketch())

    def _sketch(self) -> Codes:
        """The smallest hash values of the distinct values."""
        return self.hashes if len(self.hashes) else np.unique(hash_values(self.letters, self.ends))[:SKETCH_SIZE]

    @property
    def distinct(self) -> DistinctCount:
        """How many distinct values there are: exact while all are counted, and estimated otherwise."""
        if not len(self.hashes):
            return DistinctCount(float(len(self.ends)), 0.0)
        known = len(self.hashes)
        hashed = float(known)
        if known == SKETCH_SIZE:
            hashed = (SKETCH_SIZE - 1) / (float(self.hashes[-1] + 1) / HASH_VALUES)
        # of so many values, some share a hash value
        found = -HASH_VALUES * math.log1p(-min(hashed / HASH_VALUES, 0.999))
        return DistinctCount(max(found, float(len(self.ends))), NORMAL_95 / math.sqrt(SKETCH_SIZE - 2))

    def is_valid(self, schema: Schema) -> bool:
        """Whether the values are texts in order, each once, and hash values rise."""
        if not are_texts(self.letters, self.ends):
            return False
        values = self.values
        return values == sorted(values) and bool((np.diff(self.hashes) > 0).all()) and len(values) <= self.capacity


def hash_values(letters: Letters, ends: Codes) -> Codes:
    """The hash value of each text: MurmurHash3, modulo 2³¹ - 1."""
    found, signs = np.empty(len(ends), np.int32), np.empty(len(ends))
    starts = np.append(0, ends)[:-1].astype(np.int64)
    last = np.arange(1, len(ends) + 1, dtype=np.int64)
    hash_terms(letters, starts, ends, last, 1, 1, HASH_VALUES, False, found, signs)
    return found.astype(np.int64)
