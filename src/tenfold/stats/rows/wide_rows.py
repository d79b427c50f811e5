"""The rows themselves as a summary: with fewer rows than columns, no sufficient statistic is smaller.

Two of them merge by standing one after the other. As soon as they hold more numbers than the co-moments of their
columns would, they become `Moments`; that depends on how many there are and on nothing else, so every runner does the
same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import Array, Chunk, Codes, ColumnData, Columns, Flags, Mergeable, RowIndex, Schema
from tenfold.core.field_values import COUNTS, Index
from tenfold.core.statistic import Grouped
from tenfold.stats.moments.moments import Moments

MAX_SHARE_OF_COMOMENTS = 1.0
"""of the numbers that the co-moments have, up to which rows are kept"""


class Rows(Mergeable):
    """Features, target and weights; of CSR matrices the entries that are there."""

    weight: Annotated[Array, "row"]
    y: Annotated[Array, "row"]
    values: Annotated[Array, "entry"]
    """values, row by row"""
    column: Annotated[Codes, "place", Index("feature")]
    """of each entry of a CSR matrix; of none, if every entry is there"""
    counts: Annotated[Codes, "row", COUNTS]
    """number of stored entries of each row"""
    width: int

    @classmethod
    def of(cls, chunk: Chunk, levels: Codes | None = None) -> Any:
        """The rows of a chunk, or their moments if those are smaller; `levels` as `Design` has it."""
        n, columns = chunk.X.shape
        if levels is None or not levels.any():
            p = columns
            if sp.issparse(chunk.X.data):
                X = chunk.X.sparse().astype(np.float64)
                X.sum_duplicates()
                values, column, counts = X.data, X.indices.astype(np.int64), np.diff(X.indptr).astype(np.int64)
            elif n > MAX_SHARE_OF_COMOMENTS * p:
                return Moments.of(chunk, levels)
            else:
                values, column, counts = np.empty(n * p), np.zeros(0, np.int64), np.full(n, p, np.int64)
                for rows, block in chunk.X.blocks():
                    values[rows.start * p : rows.stop * p] = block.ravel()
        else:
            wide = np.maximum(levels, 1)
            p, start = int(wide.sum()), np.cumsum(wide) - wide
            if 2 * n * columns > MAX_SHARE_OF_COMOMENTS * p * p:
                return Moments.of(chunk, levels)
            each, at = np.ones((n, columns)), np.tile(start, (n, 1))
            for j, level in enumerate(levels):
                if level:
                    at[:, j] += chunk.X.column(j).astype(np.int64)
                else:
                    each[:, j] = chunk.X.column(j)
            values, column, counts = each.ravel(), at.ravel(), np.full(n, columns, np.int64)
        y = np.asarray(chunk.y, dtype=np.float64)
        return cls(np.array(chunk.weight), y, values, column, counts, p)._smaller()

    @property
    def sparse(self) -> bool:
        """Whether some entries are not there."""
        return len(self.values) != len(self.y) * self.width or len(self.column) > 0

    def __len__(self) -> int:
        return len(self.y)

    def matrix(self) -> ColumnData:
        """Rows x columns: an array, or a CSR matrix."""
        n = len(self)
        if not self.sparse:
            return self.values.reshape(n, self.width)
        ends = np.concatenate([[0], np.cumsum(self.counts)])
        return sp.csr_array((self.values, self.column, ends), shape=(n, self.width))

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Moments):
            return self.moments() + other
        if not len(other):
            return self
        if not len(self):
            return other
        a, b = (self, other) if self.sparse == other.sparse else (self._listed(), other._listed())
        names = ("weight", "y", "values", "column", "counts")
        both: Any = {name: np.concatenate([getattr(a, name), getattr(b, name)]) for name in names}
        return replace(a, **both)._smaller()

    def __radd__(self, other: Any) -> Any:
        """Moments + rows are moments."""
        return other + self.moments() if isinstance(other, Moments) else NotImplemented

    def recode(self, old: Schema, new: Schema) -> Any:
        """The same under a schema with more categories, which are columns of zeros here."""
        at = old.places("feature", new)
        width = new.size("feature")
        assert width is not None
        if at is None:
            return self
        listed = self._listed()
        return Rows(self.weight, self.y, listed.values, at[listed.column], listed.counts, width)

    def is_valid(self, schema: Schema) -> bool:
        """Whether counts and columns are those of a matrix of as many columns as there are features."""
        width = schema.size("feature")
        listed = len(self.column) > 0 or len(self.values) != len(self) * self.width
        fits = self.width == width and self.counts.sum() == len(self.values)
        return bool(fits and (len(self.column) == len(self.values) if listed else (self.counts == width).all()))

    def take(self, which: RowIndex | Flags) -> Rows:
        """Some of the rows, by their numbers."""
        X = self.matrix()[which]
        if not self.sparse:
            return Rows(self.weight[which], self.y[which], X.ravel(), self.column, self.counts[which], self.width)
        column = X.indices.astype(np.int64)
        return Rows(self.weight[which], self.y[which], X.data, column, self.counts[which], self.width)

    def moments(self) -> Moments:
        """The moments these rows have."""
        uniform = bool((self.weight == 1).all())
        return Moments.of(Chunk(Columns(self.matrix()), self.y, self.weight, uniform, 0, 0))

    def canonical(self) -> Moments:
        """Return the rows in a canonical order, for comparison."""
        return self.moments()

    def _smaller(self) -> Any:
        many = len(self.values) + len(self.column) > MAX_SHARE_OF_COMOMENTS * self.width**2
        return self.moments() if many else self

    def _listed(self) -> Rows:
        """Return the rows with a column for each stored entry."""
        if self.sparse or not len(self):
            return self
        column = np.tile(np.arange(self.width, dtype=np.int64), len(self))
        return Rows(self.weight, self.y, self.values, column, self.counts, self.width)


class RowsOrComoments(Grouped[Rows | Moments]):
    """The rows themselves, or their moments as soon as those are smaller."""

    levels: Codes | None = None
    """how many categories each column has, 0 if it is numeric; None: all are"""

    def summarize(self, chunk: Chunk) -> Rows | Moments:
        found: Rows | Moments = Rows.of(chunk, self.levels)
        return found
