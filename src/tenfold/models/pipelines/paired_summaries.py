"""Moments, and what else the steps of a pipeline take of the raw rows, from one pass over them."""

from __future__ import annotations

from typing import Any

from tenfold.core import Chunk, Codes, Mergeable
from tenfold.core.axes import Bundle
from tenfold.core.statistic import Stacked, Statistic
from tenfold.stats.moments.extremes import Extremes, ExtremesByColumn
from tenfold.stats.moments.moments import Comoments, Moments


class MomentsAndExtremes(Mergeable):
    """Moments, and the least and the greatest value of each column."""

    moments: Moments
    extremes: Extremes


class ComomentsAndExtremes(Stacked[MomentsAndExtremes]):
    """Moments, and the least and the greatest value of each column; of many cells as one record."""

    first: Comoments
    second: ExtremesByColumn

    def summarize(self, chunk: Chunk) -> MomentsAndExtremes:
        return MomentsAndExtremes(self.first.summarize(chunk), self.second.summarize(chunk))

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> MomentsAndExtremes:
        return MomentsAndExtremes(self.first.summarize_cells(chunk, starts), self.second.summarize_cells(chunk, starts))

    def merge_cells(
        self, a: MomentsAndExtremes, b: MomentsAndExtremes, cells_a: Codes, cells_b: Codes
    ) -> MomentsAndExtremes:
        return MomentsAndExtremes(
            self.first.merge_cells(a.moments, b.moments, cells_a, cells_b),
            self.second.merge_cells(a.extremes, b.extremes, cells_a, cells_b),
        )


class MomentsAndOwn(Mergeable):
    """Moments, and the summary that the first step asks for itself."""

    moments: Moments
    own: Bundle


class ComomentsAndOwn(Statistic[MomentsAndOwn]):
    """Moments, and the statistic of the first step."""

    first: Comoments
    second: Statistic[Any]

    def summarize(self, chunk: Chunk) -> MomentsAndOwn:
        return MomentsAndOwn(self.first.summarize(chunk), Bundle((self.second.summarize(chunk),)))


RawSummary = Moments | MomentsAndExtremes | MomentsAndOwn
"""what is summarized of the raw rows"""
