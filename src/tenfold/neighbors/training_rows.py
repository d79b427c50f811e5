"""All rows to learn from, as they are: what a lazy learner keeps. Merging is putting them one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Columns, Schema
from tenfold.core.allowed import POSITIVE
from tenfold.core.rows import too_many
from tenfold.core.statistic import Gathered


class Short(NamedTuple):
    """Rows in float32 for products that tell which distances need not be computed."""

    rows: Any
    """around `centre`, times `factor`; then -|r|²/2"""
    centre: Array
    factor: Array
    unit: float
    """a power of two, so that the longest row is about 1"""
    scale: Array


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Features, target and weight of each row."""

    X: Annotated[Array, "row", "column"]
    """numbers, and codes of categories"""
    y: Annotated[Array, "row"]
    """numbers, or codes of the classes"""
    weight: Annotated[Array, "row", POSITIVE]

    budget = 0
    """bytes that they may take, if somebody said so: no part of what they are"""
    relative = ""
    """what to call for more of them"""

    def within(self, budget: int, relative: str) -> TrainingRows:
        """The same, which refuse to become more than so many bytes."""
        self.__dict__.update(budget=budget, relative=relative)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """All but what can be made again."""
        return {name: value for name, value in self.__dict__.items() if name != "_short"}

    def __len__(self) -> int:
        return len(self.y)

    def __add__(self, other: TrainingRows) -> TrainingRows:
        size = sum(a.nbytes for one in (self, other) for a in (one.X, one.y, one.weight))
        budget, relative = max((self.budget, self.relative), (other.budget, other.relative))
        if budget and size > budget:
            raise too_many(budget, relative)
        if not len(self) or not len(other):
            return self if len(self) else other
        return TrainingRows(
            np.concatenate([self.X, other.X]),
            np.concatenate([self.y, other.y]),
            np.concatenate([self.weight, other.weight]),
        ).within(budget, relative)

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

    def sound(self, schema: Schema) -> bool:
        """Whether codes of classes and categories are such."""
        fits = schema.target != "class" or _codes(self.y, 0, 0 if schema.classes is None else len(schema.classes))
        return fits and all(_codes(self.X[:, j], -1, levels) for j, levels in enumerate(schema.n_values) if levels)

    def short(self, scale: Array) -> Short:
        """For products, with this scale of the columns; made once."""
        known: Short | None = self.__dict__.get("_short")
        if known is None or not np.array_equal(known.scale, scale):
            known = self.__dict__["_short"] = _shortened(self.X, scale)
        return known


def _codes(values: Array, low: int, end: int) -> bool:
    return bool(((values >= low) & (values < end) & (values == np.floor(values))).all())


def _shortened(X: Array, scale: Array) -> Short:
    centre, factor = X.mean(axis=0), np.sqrt(scale)
    around = (X - centre) * factor
    longest = np.sqrt(np.einsum("ij,ij->i", around, around).max(initial=0.0))
    unit = 2.0 ** -np.frexp(longest)[1] if 0 < longest < np.inf else 1.0
    around *= unit
    rows = np.empty((len(X), X.shape[1] + 1), np.float32)
    rows[:, :-1] = around
    rows[:, -1] = -0.5 * np.einsum("ij,ij->i", around, around)
    return Short(rows, centre, factor * unit, float(unit), scale)


def matrix(X: Columns) -> Array:
    """Columns as one float64 array in C order, which nobody may write to; perhaps a view."""
    out = np.empty(X.shape)
    for rows, block in X.blocks(whole=True):
        if len(block) == len(X):
            return block
        out[rows] = block
    out.flags.writeable = False
    return out


class EveryRow(Gathered):
    """All rows with target and weight, within the runner's memory: for learners that keep them."""

    call: str
    """what to call for more rows than fit"""
    relative = "a scan for each set of rows to predict"

    def summarize(self, chunk: Chunk) -> Any:
        """The `TrainingRows` of one chunk: copies, since the chunk's may change."""
        rows = TrainingRows(np.array(matrix(chunk.X)), chunk.y.astype(np.float64), np.array(chunk.weight))
        return rows.within(self.memory, self.call)
