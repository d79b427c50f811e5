"""Scans that only count: rows of each part, rows of each class, rows of each label."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tenfold.compiled.rows.shuffling import count_labels
from tenfold.core import Need, Schema
from tenfold.engine.job import Job
from tenfold.sources import Source, arrow


class Counts:
    """Something counted for each part; of two, the union."""

    def __init__(self, each: dict[int, Any]) -> None:
        self.each = each

    def __add__(self, other: Counts) -> Counts:
        return Counts({**self.each, **other.each})


@dataclass(frozen=True)
class CountClasses(Job):
    """Job that counts the rows of each class in each part and finds their first row; it reads only the target."""

    need: Need
    schema: Schema | None = None
    """None, while nobody knows it: each part is counted by the classes that it has"""

    def __call__(self, source: Source, part: int) -> Counts:
        """Count the rows of each class in one part: counts, first rows, and the classes, sorted."""
        bare = replace(self.need, kinds="unused", each=())
        known = source.schema_for(part, bare) if self.schema is None else self.schema
        k = len(known.classes)
        count, first, rows = np.zeros(k, np.int64), np.full(k, np.iinfo(np.int64).max), 0
        for chunk in source.chunks(part, self.need, Schema((), "class", known.classes, known.named)):
            count_labels(chunk.y, rows, count, first)
            rows += chunk.n
        return Counts({part: (count, first, known.classes)})


@dataclass(frozen=True)
class CountRows(Job):
    """Job that counts the rows of each part, including those with weight zero."""

    need: Need
    schema: Schema

    def __call__(self, source: Source, part: int) -> Counts:
        """Count the rows of one part."""
        return Counts({part: sum(c.n + c.dropped for c in source.chunks(part, self.need, self.schema))})


@dataclass(frozen=True)
class CountLabels(Job):
    """Job that counts the rows of each value of a column, for each part."""

    column: str

    def __call__(self, source: Any, part: int) -> Counts:
        """Count the values of the column in one part."""
        where = f"column {self.column!r}"
        total: dict[Any, int] = {}
        for table in source.raw(part, [self.column]):
            column = arrow.group_labels(table.column(self.column), where)
            labels = arrow.levels(column, where)
            codes = arrow.codes(column, labels, where)
            found = np.bincount(codes[codes >= 0].astype(np.int64), minlength=len(labels))
            for label, n in zip(labels.tolist(), found.tolist()):
                total[label] = total.get(label, 0) + n
        return Counts({part: total})
