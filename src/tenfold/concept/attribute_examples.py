"""What version spaces of kinds and intervals need of the rows: the values of positives, and the negatives."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar

import numpy as np

from tenfold.concept.hypotheses import moved, places
from tenfold.core import Array, Chunk, Codes, DataError, Flags, Mergeable, Schema
from tenfold.core.field_values import COUNTS
from tenfold.core.statistic import Grouped

MAX_DISTINCT_ROWS = 20_000
"""distinct rows that may have to be kept"""


class AttributeExamples(Mergeable):
    """Which values positives have in each column, and the distinct negatives, each with its first number."""

    exact: ClassVar[bool] = True
    seen: Annotated[Flags, "value"]
    """whether a positive has each value, column after column"""
    rows: Annotated[Array, "row", "column"]
    """distinct negatives; or rows of the only class that is known"""
    first: Annotated[Codes, "row", COUNTS]
    """the number of the first of each of these rows"""
    single: bool
    """whether one class is known, and none was named: it may turn out to be the negative one"""

    def __add__(self, other: AttributeExamples) -> AttributeExamples:
        rows, first = np.concatenate([self.rows, other.rows]), np.concatenate([self.first, other.first])
        rows, first = first_of_each(rows, first)
        if len(rows) > MAX_DISTINCT_ROWS:
            raise DataError(
                f"more than {MAX_DISTINCT_ROWS:,} distinct negatives, of which each may restrict hypotheses. Remedy: "
                "fewer columns, rounded numbers, or FindS, which needs the positives alone"
            )
        return AttributeExamples(self.seen | other.seen, rows, first, self.single)

    def recode(self, old: Schema, new: Schema) -> AttributeExamples:
        """Recode to a schema with more categories; the positive class may become known."""
        move = places(old, new)
        seen = np.zeros(int(new.value_offsets[-1]), bool)
        for j, to in enumerate(move):
            seen[new.value_offsets[j] + to] = self.seen[old.value_offsets[j] : old.value_offsets[j + 1]]
        out = replace(self, seen=seen, rows=moved(self.rows, move))
        if not self.single or len(new.classes) == len(old.classes):
            return out
        if old.classes[-1] == new.classes[-1]:
            seen = seen_values(out.rows, new)
            return replace(out, seen=seen, rows=out.rows[:0], first=out.first[:0], single=False)
        return replace(out, single=False)


class ValuesOfPositives(Grouped[AttributeExamples]):
    """The values of positives in each column, and the negatives."""

    positive: int
    """code of the positive class"""
    single: bool
    offsets: Codes
    """where the values of each column begin"""

    def summarize(self, chunk: Chunk) -> AttributeExamples:
        seen, found, numbers = np.zeros(int(self.offsets[-1]), bool), [np.empty((0, chunk.X.shape[1]))], [NONE]
        number = chunk.X.numbers()
        for rows, block in chunk.X.blocks():
            positive = (chunk.y[rows] == self.positive) & (not self.single)
            seen[(block[positive] + self.offsets[:-1]).astype(np.int64).ravel()] = True
            each = first_of_each(block[~positive], number[rows][~positive])
            found.append(each[0])
            numbers.append(each[1])
        kept = first_of_each(np.concatenate(found).astype(np.float64), np.concatenate(numbers))
        return AttributeExamples(seen, *kept, self.single)


NONE: Codes = np.zeros(0, np.int64)


def seen_values(rows: Array, schema: Schema) -> Flags:
    """Whether rows have each value, column after column."""
    seen = np.zeros(int(schema.value_offsets[-1]), bool)
    seen[(rows + schema.value_offsets[:-1]).astype(np.int64).ravel()] = True
    return seen


def first_of_each(rows: Array, numbers: Codes) -> tuple[Array, Codes]:
    """Distinct rows, sorted, and the least number of each."""
    order = np.argsort(numbers, kind="stable")
    distinct, at = np.unique(rows[order], axis=0, return_index=True)
    return distinct, numbers[order][at]
