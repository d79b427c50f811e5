"""Cells by key and fold, from the scan that makes those by key."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from tenfold.core import Chunk
from tenfold.engine.cells.summarize_cells import SummarizeCells
from tenfold.engine.row_counts import Counted
from tenfold.stats.rows.draws import folds_of

FOLD_SEED = 0
"""by which rows are dealt to folds"""


@dataclass(frozen=True)
class SummarizeFolds(SummarizeCells):
    """Job that deals rows to folds, and summarizes those of each key; the fold is a column of some keys."""

    fold: str = field(kw_only=True)
    """name of the column"""
    folds: int = field(kw_only=True)
    """how many; 0: the rows have such a column"""

    def _cells(self, chunk: Chunk, whole: bool) -> Counted:
        return super()._cells(with_folds(chunk, self.fold, self.folds), whole)


def with_folds(chunk: Chunk, fold: str, folds: int) -> Chunk:
    """Return rows with the number of the fold of each as a side column."""
    if not folds:
        return chunk
    return chunk._replace(side={**chunk.side, fold: pa.array(folds_of(chunk, FOLD_SEED, folds))})
