"""The rows themselves as a summary, for learners that need all of them at once: they merge by standing in a row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from tenfold.core import Array, Chunk, Codes, DataError, Schema
from tenfold.core.allowed import COUNTS, POSITIVE, Index
from tenfold.core.statistic import Gathered

RELATIVE = "RandomFeatures(...) before LogisticRegression() or Ridge()"
"""what to use for more rows than fit into memory"""


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Rows of numbers with their targets, their weights and their numbers in the source."""

    X: Annotated[Array, "row", "column"]
    label: Annotated[Codes, "labelled", Index("class")]
    number: Annotated[Array, "numbered"]
    weight: Annotated[Array, "row", POSITIVE]
    place: Annotated[Codes, "row", COUNTS]
    memory: Annotated[int, COUNTS]
    """bytes that rows may take; 0: any number"""

    def __post_init__(self) -> None:
        if 0 < self.memory < self.X.nbytes:
            raise DataError(
                f"all rows are needed at once, and they take more than the {self.memory / 2**20:,.0f} MiB that may be "
                f"used. Remedy: {RELATIVE}, which needs no rows in memory; or let more be used, "
                "tenfold.on(tenfold.Local(memory=...))"
            )

    def __add__(self, other: TrainingRows) -> TrainingRows:
        return TrainingRows(
            np.concatenate([self.X, other.X]),
            np.concatenate([self.label, other.label]),
            np.concatenate([self.number, other.number]),
            np.concatenate([self.weight, other.weight]),
            np.concatenate([self.place, other.place]),
            self.memory or other.memory,
        )

    def recode(self, old: Schema, new: Schema) -> TrainingRows:
        """The same rows, classes under the numbers of a larger schema."""
        at = old.places("class", new) if len(self.label) else None
        return self if at is None else replace(self, label=np.asarray(at, dtype=np.int64)[self.label])

    def sound(self, schema: Schema) -> bool:
        """Whether every row has a target of the schema's kind."""
        n = len(self.X)
        labels, numbers = (n, 0) if schema.target == "class" else (0, n)
        return len(self.label) == labels and len(self.number) == numbers


class AllRows(Gathered):
    """All rows, within the memory of the runner."""

    relative = RELATIVE
    classes: bool = False
    """whether the target is a class"""

    def summarize(self, chunk: Chunk) -> TrainingRows:  # type: ignore[override]
        """Gather the rows of one chunk."""
        X = np.empty(chunk.X.shape)
        for rows, block in chunk.X.blocks():
            X[rows] = block
        none = np.zeros(0)
        return TrainingRows(
            X,
            np.asarray(chunk.y if self.classes else none, dtype=np.int64),
            np.asarray(none if self.classes else chunk.y, dtype=np.float64),
            np.asarray(chunk.weight, dtype=np.float64),
            chunk.X.numbers(),
            self.memory,
        )
