"""Keys that assign rows to groups, such as folds, sites or countries. They are values: any worker gets the same.

Which key stands for the folds that a user asks for is decided in `model_selection/cross_validation/folds.py`.

A key makes a coder for each part; the coder is called with the chunks of the part as they were read, in order, and
gives each row the number of its group, or -1: it belongs to none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from tenfold.compiled.rows.shuffling import deal, deal_classes, stratify
from tenfold.core import Chunk, Codes, DataError
from tenfold.sources import arrow
from tenfold.stats.combinators import Coder, Key

__all__ = ["Coder", "Contiguous", "Key", "Labelled", "Listed", "Numbered", "Shuffled", "Stratified"]


class Numbered(Key):
    """Key computed from the row number in the source."""

    starts: Codes | None = field(default=None, kw_only=True)
    """the number of the first row of each part, where the source does not know it"""

    def coder(self, part: int) -> Coder:
        numbers = self.numbers(part)
        return lambda chunk: self.of(numbers(chunk))

    def of(self, numbers: Codes) -> Codes:
        """The group of each of some rows, by their numbers."""
        raise NotImplementedError

    def numbers(self, part: int) -> Callable[[Chunk], Codes]:
        """Return the row numbers of each chunk of a part."""
        if self.starts is None:
            return lambda chunk: chunk.X.numbers()
        start, first = int(self.starts[part]), [-1]

        def numbered(chunk: Chunk) -> Codes:
            if first[0] < 0:
                first[0] = chunk.offset
            return chunk.X.numbers() + (start - first[0])

        return numbered


class Contiguous(Numbered):
    """Key of consecutive rows: group g begins at row `cuts[g]`."""

    cuts: Codes

    def of(self, numbers: Codes) -> Codes:
        return np.searchsorted(self.cuts, numbers, side="right") - 1


class Shuffled(Numbered):
    """Key of random groups whose sizes differ by at most one."""

    seed: int

    def of(self, numbers: Codes) -> Codes:
        out = np.empty(len(numbers), np.int64)
        deal(numbers, self.seed, self.groups, out)
        return out


class Listed(Numbered):
    """Key given by an array with the group of each row."""

    codes: Codes

    def of(self, numbers: Codes) -> Codes:
        found: Codes = self.codes[numbers]
        return found


class Stratified(Key):
    """Key that spreads each class evenly over the groups, in the order of its rows or at random."""

    before: Codes
    """parts x classes: rows of each class in earlier parts"""
    cuts: Codes
    """classes x groups: where each group begins among the rows of a class"""
    seed: int | None

    def coder(self, part: int) -> Coder:
        seen = self.before[part].copy()

        def code(chunk: Chunk) -> Codes:
            out = np.empty(chunk.n, np.int64)
            if self.seed is None:
                stratify(chunk.y, seen, self.cuts, out)
            else:
                deal_classes(chunk.y, seen, self.seed, self.groups, out)
            return out

        return code


class Labelled(Key):
    """Key given by the values of a column that the need names as `side`."""

    column: str
    labels: Any
    """sorted array of all values"""
    codes: Codes
    """the group of each value"""

    def coder(self, part: int) -> Coder:
        where = f"column {self.column!r}"

        def code(chunk: Chunk) -> Codes:
            at = arrow.codes(arrow.group_labels(chunk.side[self.column], where), self.labels, where)
            if not (at >= 0).all():  # missing, or none of the values that were counted
                raise DataError(f"{where} has missing entries: some rows have no group")
            found: Codes = self.codes[at.astype(np.int64)]
            return found

        return code
