"""All training rows, for learners that need them at once: merging is concatenation."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from tenfold.core import Array, Chunk, Codes, Columns, DataError, Mergeable, Schema
from tenfold.core.field_values import COUNTS, POSITIVE
from tenfold.core.rows.joined_rows import too_many
from tenfold.core.statistic import Gathered


class TrainingRows(Mergeable):
    """Features, target and weight of each row, and its number in the source."""

    X: Annotated[Array, "row", "column"]
    """numbers, and codes of categories"""
    y: Annotated[Array, "row"]
    """numbers, or codes of the classes"""
    weight: Annotated[Array, "row", POSITIVE]
    place: Annotated[Codes, "row", COUNTS]
    memory: Annotated[int, COUNTS] = 0
    """bytes that all rows may take; 0: any number"""
    relative: str = ""
    """the alternative for larger data, as the call to write"""

    def within_memory(self) -> TrainingRows:
        """Themselves, unless they take more bytes than they may."""
        if 0 < self.memory < sum(each.nbytes for each in (self.X, self.y, self.weight, self.place)):
            raise too_many(self.memory, self.relative)
        return self

    def __len__(self) -> int:
        return len(self.y)

    def __add__(self, other: TrainingRows) -> TrainingRows:
        if not len(self) or not len(other):
            return self if len(self) else other
        return TrainingRows(
            np.concatenate([self.X, other.X]),
            np.concatenate([self.y, other.y]),
            np.concatenate([self.weight, other.weight]),
            np.concatenate([self.place, other.place]),
            *max((self.memory, self.relative), (other.memory, other.relative)),
        ).within_memory()

    @property
    def label(self) -> Codes:
        """The class of each row, as its place among the classes."""
        return self.y.astype(np.int64)

    def recode(self, old: Schema, new: Schema) -> TrainingRows:
        """The same with the codes of a schema that has more classes or categories."""
        X, y = self.X, self.y
        classes = old.places("class", new)
        if classes is not None:
            y = classes[y.astype(np.int64)].astype(np.float64)
        values = old.places("value", new)
        if values is not None:
            X, before, after = X.copy(), old.value_offsets, new.value_offsets
            for j, levels in enumerate(old.n_values):
                if levels:
                    known = X[:, j] >= 0
                    X[known, j] = values[before[j] + X[known, j].astype(np.int64)] - after[j]
        return replace(self, X=X, y=y)

    def is_valid(self, schema: Schema) -> bool:
        """Whether codes of classes and categories are such."""
        fits = schema.target != "class" or _codes(self.y, 0, 0 if schema.classes is None else len(schema.classes))
        return fits and all(_codes(self.X[:, j], -1, levels) for j, levels in enumerate(schema.n_values) if levels)


def _codes(values: Array, low: int, end: int) -> bool:
    return bool(((values >= low) & (values < end) & (values == np.floor(values))).all())


def matrix(X: Columns, largest: float = np.inf) -> Array:
    """Return the columns as one read-only float64 array in C order, perhaps a view.

    Numbers above `largest` (or below -`largest`) are refused: their distances would overflow.
    """
    out = np.empty(X.shape)
    for rows, block in X.blocks(whole=True):
        if largest < np.inf and np.abs(block).max(initial=0.0) > largest:
            i, j = (int(at) for at in np.argwhere(np.abs(block) > largest)[0])
            raise DataError(
                f"{block[i, j]:g} in {X.where(rows.start + i, j)} is too large: distances would overflow. "
                "Remedy: columns of similar scale, MaxAbsScaler first"
            )
        if len(block) == len(X):
            return block
        out[rows] = block
    out.flags.writeable = False
    return out


class AllRows(Gathered):
    """Statistic of all rows with target and weight, within the runner's memory, for learners that keep them."""

    relative: str  # type: ignore[misc]  # each learner names its own
    """the alternative for rows that do not fit in memory, as the call to write"""
    largest: float = np.inf
    """numbers above it are refused"""

    def summarize(self, chunk: Chunk) -> Any:
        # The `TrainingRows` of one chunk: copies, since the chunk's may change.
        return TrainingRows(
            np.array(matrix(chunk.X, self.largest)),
            chunk.y.astype(np.float64),
            np.array(chunk.weight, dtype=np.float64),
            chunk.X.numbers(),
            self.memory,
            self.relative,
        ).within_memory()
