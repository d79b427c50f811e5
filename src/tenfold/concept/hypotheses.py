"""Conjunctions of attribute values as codes of categories, and the summary of rows that joins them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from tenfold.core import Array, Chunk, Codes, Flags, Schema
from tenfold.core.allowed import NOT_NAN
from tenfold.core.statistic import Grouped

NOTHING, ANY, UNKNOWN = -2.0, -3.0, -4.0


@dataclass(frozen=True, eq=False)
class Concept:
    """The join of the positives, and how the negatives fared against a hypothesis."""

    exact: ClassVar[bool] = True
    values: Annotated[Array, "column"]
    tested: Annotated[Array, "column"]
    """the hypothesis that negatives were held against; UNKNOWN if there were several"""
    covered: float
    """weight of negatives it covers"""
    witness: Annotated[float, NOT_NAN]
    """number of the first of them, infinite if there is none"""
    chosen: bool
    """whether the positive class was named; else it is the last one that is known"""

    def __add__(self, other: Concept) -> Concept:
        same = np.array_equal(self.tested, other.tested)
        return Concept(
            join(self.values, other.values),
            self.tested if same else np.full_like(self.tested, UNKNOWN),
            self.covered + other.covered,
            min(self.witness, other.witness),
            self.chosen,
        )

    def recode(self, old: Schema, new: Schema) -> Concept:
        """The same under more categories; rows of what is now the negative class join no more."""
        if not self.chosen and old.classes[-1] != new.classes[-1]:
            nothing = np.full_like(self.values, NOTHING)
            return replace(self, values=nothing, tested=np.full_like(nothing, UNKNOWN))
        move = [np.searchsorted(b.categories, a.categories) for a, b in zip(old.columns, new.columns)]
        return replace(self, values=_moved(self.values, move), tested=_moved(self.tested, move))


class JoinOfPositives(Grouped[Concept]):
    """The join of the positives, and the negatives that a hypothesis covers."""

    hypothesis: Array
    positive: int
    """code of the positive class"""
    chosen: bool
    """whether the positive class was named"""

    def summarize(self, chunk: Chunk) -> Concept:
        """Join the positives; weigh the negatives that the hypothesis covers, and remember the first."""
        values = np.full(chunk.X.shape[1], NOTHING)
        covered, witness = 0.0, np.inf
        for rows, block in chunk.X.blocks():
            positive = chunk.y[rows] == self.positive
            if positive.any():
                some = block[positive]
                values = join(values, np.where((some == some[0]).all(axis=0), some[0], ANY))
            wrong = np.flatnonzero(covers(self.hypothesis, block) & ~positive)
            if len(wrong):
                covered += float(chunk.weight[rows][wrong].sum())
                witness = min(witness, float(chunk.X.row(rows.start + int(wrong[0]))))
        return Concept(values, self.hypothesis, covered, witness, self.chosen)


def join(a: Array, b: Array) -> Array:
    """The least general hypothesis that covers what either covers."""
    return np.where(a == NOTHING, b, np.where((b == NOTHING) | (a == b), a, ANY))


def covers(values: Array, block: Array) -> Flags:
    """Which rows a hypothesis covers."""
    return ((block == values) | (values == ANY)).all(axis=1)


def _moved(values: Array, move: list[Codes]) -> Array:
    return np.array([to[int(v)] if v >= 0 else v for v, to in zip(values, move)], dtype=np.float64)
