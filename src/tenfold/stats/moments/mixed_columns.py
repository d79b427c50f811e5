"""Columns of all kinds by class: counts of categories, and weight, mean and squares of numbers, in one scan."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from tenfold.compiled.moments.spread import rule_out
from tenfold.core import Chunk, Codes, Flags, Mergeable
from tenfold.core.statistic import Grouped, Stacked
from tenfold.stats.counts.counts import ClassCounts
from tenfold.stats.moments.spread import PresentSpread


class MixedSums(Mergeable):
    """Counts of categories and spread of numbers within each class, missing values left out."""

    counts: ClassCounts
    spread: PresentSpread
    binary: Annotated[Flags, "column"]
    """whether no number of the column is other than 0 and 1"""
    not_negative: Annotated[Flags, "column"]
    """whether no number of the column is below 0"""
    by_weight = ()

    def __add__(self, other: MixedSums) -> MixedSums:
        return MixedSums(
            self.counts + other.counts,
            self.spread + other.spread,
            self.binary & other.binary,
            self.not_negative & other.not_negative,
        )


class MixedByClass(Grouped[MixedSums], Stacked[MixedSums]):
    """Counts of categories and spread of numbers within each class, missing values left out."""

    classes: int
    coded: Flags
    """which columns hold codes of categories"""
    levels: Codes
    """how many categories each column has"""

    def summarize(self, chunk: Chunk) -> MixedSums:
        return self.summarize_groups(chunk, np.zeros(chunk.n, np.int64), 1)[0]

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> list[MixedSums]:
        if len(codes) and codes.min() < 0:
            kept = np.flatnonzero(codes >= 0)
            chunk, codes = chunk.rows(kept), codes[kept]
        words = chunk._replace(X=chunk.X.select(np.flatnonzero(self.coded)))
        numbers = chunk._replace(X=chunk.X.select(np.flatnonzero(~self.coded)))
        first = np.concatenate([[0], np.cumsum(self.levels[self.coded])])
        counts = ClassCounts.by_group(words, codes, groups, self.classes, first)
        spread = PresentSpread.by_group(
            numbers, codes, groups, self.classes, *numeric_features(self.coded, self.levels)
        )
        shape = groups, int((~self.coded).sum())
        binary, not_negative = np.ones(shape, bool), np.ones(shape, bool)
        for rows, block in numbers.X.blocks(dtype=None, checked=False, whole=True):
            rule_out(block, codes[rows], binary, not_negative)
        flags = np.ones((2, groups, len(self.coded)), bool)
        flags[:, :, ~self.coded] = binary, not_negative
        return [MixedSums(counts[g], spread[g], flags[0, g], flags[1, g]) for g in range(groups)]


def numeric_features(coded: Flags, levels: Codes) -> tuple[Codes, int]:
    """Return the indices of the numeric columns on the axis `feature`, and its length."""
    wide = np.where(coded, levels, 1)
    return (np.cumsum(wide) - wide)[~coded], int(wide.sum())
