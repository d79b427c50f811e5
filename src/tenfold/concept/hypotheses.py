"""Conjunctions of attribute values as codes of categories, and the summary of rows that joins them."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar

import numpy as np

from tenfold.core import Array, Chunk, Codes, DataError, Flags, Mergeable, Schema
from tenfold.core.field_values import NOT_NAN
from tenfold.core.statistic import Grouped

NOTHING, ANY, UNKNOWN = -2.0, -3.0, -4.0


class Concept(Mergeable):
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
    """whether `pos_label` was given; otherwise the last class is positive"""

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
        """Recode the model to a larger schema; rows of a class that is now negative are no longer joined."""
        if not self.chosen and old.classes[-1] != new.classes[-1]:
            nothing = np.full_like(self.values, NOTHING)
            return replace(self, values=nothing, tested=np.full_like(nothing, UNKNOWN))
        move = places(old, new)
        return replace(self, values=moved(self.values, move), tested=moved(self.tested, move))


class JoinOfPositives(Grouped[Concept]):
    """The join of the positives, and the negatives that a hypothesis covers."""

    hypothesis: Array
    positive: int
    """code of the positive class"""
    chosen: bool
    """whether the positive class was named"""

    def summarize(self, chunk: Chunk) -> Concept:
        # Join the positives; weigh the negatives that the hypothesis covers, and remember the first.
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


def covers_each(hypotheses: Array, rows: Array) -> Flags:
    """Which rows each hypothesis covers: rows x hypotheses."""
    out = np.ones((len(rows), len(hypotheses)), bool)
    for j in range(rows.shape[1]):
        out &= (hypotheses[:, j] == ANY) | (rows[:, j, None] == hypotheses[:, j])
    return out


def in_words(values: Array, schema: Schema) -> list[str | float | None]:
    """A hypothesis in the words of the data: "?" for any value, None for nothing."""
    words = {NOTHING: None, ANY: "?", UNKNOWN: None}
    each = zip(values, schema.columns, strict=True)
    named = [column.categories[int(value)] if value >= 0 else words[value] for value, column in each]
    return [one.item() if isinstance(one, np.number | np.bool_) else one for one in named]


def refuse_wildcard(schema: Schema) -> None:
    """Raise if a column has the value "?", which means any value in a hypothesis."""
    for column in schema.columns:
        if column.categories is not None and "?" in column.categories.tolist():
            raise DataError(
                f"column {column.name!r} has the value '?', which means any value in a hypothesis. Remedy: rename it, "
                f"such as frame[{column.name!r}].replace('?', 'unknown')"
            )


def stand_for_something(values: Array, schema: Schema) -> bool:
    """Whether each of the codes is a category of its column, or one of those that are none."""
    odd = np.isin(values, (NOTHING, ANY, UNKNOWN))
    return bool((odd | ((values >= 0) & (values < schema.n_values) & (values == np.rint(values)))).all())


def positive_class(pos_label: object, schema: Schema) -> tuple[int, int, str]:
    """Code of the positive class, -1 if these rows have none; number of classes; the positive class in words."""
    labels = schema.classes.tolist()
    if pos_label is None:
        return len(labels) - 1, len(labels), repr(labels[-1])
    if pos_label in labels:
        return labels.index(pos_label), len(labels), repr(pos_label)
    if len(labels) > 1:
        raise ValueError(f"pos_label={pos_label!r} is not a valid label: It should be one of {labels}")
    return -1, len(labels), repr(pos_label)  # all rows of this part are negatives


def places(old: Schema, new: Schema) -> list[Codes]:
    """For each column, the codes of its categories under a larger schema; none of a column of numbers."""
    each = zip(old.columns, new.columns, strict=True)
    return [
        np.zeros(0, np.int64) if a.categories is None else np.searchsorted(b.categories, a.categories) for a, b in each
    ]


def moved(values: Array, move: list[Codes]) -> Array:
    """Hypotheses or rows with codes of a larger schema; special codes are unchanged."""
    out = np.array(values, dtype=np.float64)
    for j, to in enumerate(move):
        known = (out[..., j] >= 0) & (len(to) > 0)
        out[known, j] = to[out[known, j].astype(np.int64)]
    return out
