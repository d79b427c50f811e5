"""Rows that are learned from one after another: in windows of some thousands, each in an order drawn again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.rows.ordering import order_by
from tenfold.core import Array, Chunk, Codes, ColumnData, Columns, Design
from tenfold.core.statistic import Statistic

S = TypeVar("S")
WINDOW_ROWS = 4096
"""rows that are put in an order together"""
WINDOW_BYTES = 1 << 25


class RowEpoch(Statistic[S]):
    """One walk over the rows from where the last one led; `step` takes a window of them.

    Parts are walked each by itself, from the same start, and the ends merge. A subclass that is `Ordered` as well walks
    them one after another.
    """

    turn: int
    """the number of the epoch, with the seed: by it the order of the rows in a window is drawn"""
    shuffle: bool
    """whether it is drawn; if not, rows are taken as they come"""
    levels: Codes
    """how many categories each column has, 0 if it is numeric"""
    checked: bool
    """whether an epoch before this one has looked for values that are missing or infinite"""

    @property
    def width(self) -> int:
        """How many coefficients there are: of the features, and the constant."""
        return int(np.maximum(self.levels, 1).sum()) + 1

    def window(self, X: Columns) -> int:
        """Return the number of rows shuffled together; fewer if they are dense and very wide."""
        most = WINDOW_ROWS if sp.issparse(X.data) else WINDOW_BYTES // (8 * self.width)
        return max(64, min(WINDOW_ROWS, most))

    def step(self, summary: S | None, chunk: Chunk) -> S:
        """Where the rows of one window lead, from where those before it led; None: from the start."""
        raise NotImplementedError

    def summarize(self, chunk: Chunk) -> S:
        walk = self.step(None, chunk.rows(slice(0, 0)))
        for rows in pieces(chunk.X, self.window(chunk.X)):
            walk = self.step(walk, chunk.rows(rows))
        return walk

    def in_order(self, chunk: Chunk, sparse: bool = True) -> tuple[ColumnData, Array, Array, Codes]:
        """Features, targets, weights of a window, and the order of its rows in this epoch, by their places.

        Features are one block, or CSR if they are and may be. Dense rows are laid in that order: read one after another
        they are met in cache.
        """
        block, y, weight = self._features(chunk, sparse), np.asarray(chunk.y, dtype=np.float64), chunk.weight
        if not self.shuffle:
            return block, y, weight, np.arange(chunk.n)
        order = order_by(chunk.places(), self.turn)
        if sp.issparse(block):
            return block, y, weight, order
        return block.take(order, axis=0), y[order], weight[order], np.arange(chunk.n)

    def _features(self, chunk: Chunk, sparse: bool) -> ColumnData:
        if sparse and sp.issparse(chunk.X.data):
            return chunk.X.sparse()
        if self.levels.any():
            return next(Design.of(chunk.X, self.levels).blocks(chunk.n))[1]
        return next(chunk.X.blocks(chunk.n, dtype=None, checked=not self.checked))[1]


def pieces(X: Columns, rows: int) -> Iterator[slice]:
    """Return consecutive slices of n rows."""
    return (slice(at, min(at + rows, len(X))) for at in range(0, len(X), rows))
