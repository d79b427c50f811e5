"""Which group a row belongs to: a fold, a site, a country. Keys are pure, so that any worker finds the same.

A key makes a coder for each part; the coder is called with the chunks of the part, in order, and gives each row
the number of its group, or -1: it belongs to none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tenfold.core import Chunk, Codes, DataError
from tenfold.kernels.shuffling import deal, deal_classes, stratify
from tenfold.sources import arrow

Coder = Callable[[Chunk, Codes], Codes]
"""from a chunk and the numbers of its rows in the source to the groups of its rows"""


@dataclass(frozen=True, eq=False)
class Key:
    """How rows are grouped."""

    groups: int

    def coder(self, part: int) -> Coder:
        """For the chunks of one part."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Contiguous(Key):
    """Rows in a row: group g begins at number `cuts[g]`."""

    cuts: Codes

    def coder(self, part: int) -> Coder:
        """By number alone."""
        return lambda chunk, numbers: np.searchsorted(self.cuts, numbers, side="right") - 1


@dataclass(frozen=True, eq=False)
class Shuffled(Key):
    """By chance, as many rows in each group as in any other, but for one."""

    seed: int

    def coder(self, part: int) -> Coder:
        """By number alone."""

        def code(chunk: Chunk, numbers: Codes) -> Codes:
            out = np.empty(len(numbers), np.int64)
            deal(numbers, self.seed, self.groups, out)
            return out

        return code


@dataclass(frozen=True, eq=False)
class Listed(Key):
    """As a list says that has an entry for each row."""

    codes: Codes

    def coder(self, part: int) -> Coder:
        """By number alone."""
        return lambda chunk, numbers: self.codes[numbers]


@dataclass(frozen=True, eq=False)
class Stratified(Key):
    """Each class spread evenly: in order of its rows, or dealt by chance."""

    before: Codes
    """parts x classes: rows of each class in earlier parts"""
    cuts: Codes
    """classes x groups: where each group begins among the rows of a class"""
    seed: int | None

    def coder(self, part: int) -> Coder:
        """By class, and place among the rows of the class."""
        seen = self.before[part].copy()

        def code(chunk: Chunk, numbers: Codes) -> Codes:
            out = np.empty(chunk.n, np.int64)
            if self.seed is None:
                stratify(chunk.y, seen, self.cuts, out)
            else:
                deal_classes(chunk.y, seen, self.seed, self.groups, out)
            return out

        return code


@dataclass(frozen=True, eq=False)
class Labelled(Key):
    """By the value of a column that the need names as `side`."""

    column: str
    labels: Any
    """all values, sorted"""
    codes: Codes
    """the group of each value"""

    def coder(self, part: int) -> Coder:
        """By value alone."""

        def code(chunk: Chunk, numbers: Codes) -> Codes:
            at = arrow.codes(chunk.side[self.column], self.labels, f"column {self.column!r}")
            if not (at >= 0).all():  # missing, or none of the values that were counted
                raise DataError(f"column {self.column!r} says of some rows not to which group they belong")
            found: Codes = self.codes[at.astype(np.int64)]
            return found

        return code
