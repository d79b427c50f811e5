"""Bits of what a row holds, to draw it by: equal rows have equal bits, wherever they stand and whatever else is there.

Codes of categories and classes change when others are found, so their labels are hashed, not their codes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from tenfold.core import Array, Chunk, Codes, Columns, Schema
from tenfold.core.schema import is_text
from tenfold.stats.race import row_bits, uniform

NO_LABEL = np.array([2.0, 3.0])
"""numbers for a category that is missing, and for one that was never seen: labels have numbers below one"""


def label_bits(labels: Any) -> Codes:
    """64 bits for each label, the same in every schema."""
    if is_text(labels):
        each = (hashlib.blake2b(str(label).encode(errors="backslashreplace"), digest_size=8) for label in labels)
        return np.frombuffer(b"".join(one.digest() for one in each), np.int64).copy()
    found: Codes = row_bits(Columns(np.asarray(labels, dtype=np.float64)[:, None]), 0).view(np.int64)
    return found


def class_bits(schema: Schema) -> Codes:
    """Of the classes."""
    return np.zeros(0, np.int64) if schema.classes is None else label_bits(schema.classes)


def value_bits(schema: Schema) -> Codes:
    """Of the categories of all columns, one column after the other."""
    each = [label_bits(c.categories) for c in schema.columns if c.categories is not None]
    return np.concatenate([np.zeros(0, np.int64), *each])


@dataclass(frozen=True, eq=False)
class Content:
    """How bits are made of the columns and the target of a chunk."""

    seed: int
    levels: Codes
    """how many categories each column has, 0 if it is numeric"""
    values: Codes
    """bits of the categories"""
    classes: Codes
    """bits of the classes, none if the target is a number"""

    def __call__(self, chunk: Chunk) -> Any:
        """64 bits for each row."""
        bits = row_bits(self._columns(chunk.X), self.seed)
        if chunk.y is None:
            return bits
        told = uniform(self.classes[chunk.y].view(np.uint64)) if len(self.classes) else chunk.y
        return bits ^ row_bits(Columns(np.asarray(told, dtype=np.float64)[:, None]), self.seed + 1)

    def _columns(self, X: Columns) -> Columns:
        """The columns, with numbers of labels in the place of codes."""
        if not self.levels.any():
            return X
        first = np.cumsum(self.levels) - self.levels
        out = [
            self._labels(X.column(j), at, k) if k else X.column(j) for j, (at, k) in enumerate(zip(first, self.levels))
        ]
        return Columns(tuple(out), missing=True)

    def _labels(self, codes: Any, first: int, count: int) -> Array:
        known = uniform(self.values[first : first + count].view(np.uint64))
        at = np.where(np.isnan(codes), count, np.where(codes < 0, count + 1, codes)).astype(np.int64)
        return np.concatenate([known, NO_LABEL])[at]
