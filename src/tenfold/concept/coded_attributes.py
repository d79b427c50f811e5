"""Conjunctions over attributes with kinds and intervals, as codes: places in the list of constraints of each attribute.

The first codes are the values that rows have had, as in the columns of codes that learners see; kinds of a taxonomy,
values that no row has had, and intervals follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from tenfold.concept.attribute import Attribute
from tenfold.concept.conjunction import ANYTHING, Conjunction, admits
from tenfold.concept.hypotheses import ANY, NOTHING
from tenfold.core import Array, Codes, DataError, Flags, Schema

ORDERED = "ordered"


class CodedAttributes:
    """The attributes of some columns, and the codes of their constraints.

    Parameters
    ----------
    given : mapping
        For a column, by name or by position, "ordered" or the parent of each node of a taxonomy.
    schema : Schema
    """

    def __init__(self, given: Mapping[Any, Any], schema: Schema) -> None:
        places = {column.name: j for j, column in enumerate(schema.columns)}
        spec: dict[int, Any] = {}
        for name, what in given.items():
            at = name if isinstance(name, int) and 0 <= name < len(schema.columns) else places.get(name)
            if at is None:
                raise ValueError(f"attributes names the column {name!r}, and there are only {list(places)[:10]}")
            spec[at] = what
        self.attributes = tuple(
            _attribute(column, spec.get(j)) for j, column in enumerate(schema.columns)
        )  # fmt: skip
        self.values = [column.categories.tolist() for column in schema.columns]
        self.constraints = [
            (*some, *(c for c in one.constraints if c != ANYTHING and c not in some))
            for one, some in zip(self.attributes, self.values, strict=True)
        ]
        self._numbers = [{c: float(k) for k, c in enumerate(some)} for some in self.constraints]
        self._admitted = [
            np.array([[admits(c, value) for value in some] + [False] for c in constraints]).reshape(
                len(constraints), len(some) + 1
            )
            for constraints, some in zip(self.constraints, self.values, strict=True)
        ]

    def join(self, seen: Sequence[Codes]) -> Array:
        """The least general hypothesis that allows these values in each column, given as their codes."""
        out = np.full(len(self.attributes), NOTHING)
        for j, (attribute, codes) in enumerate(zip(self.attributes, seen, strict=True)):
            if len(codes):
                each = (self.values[j][int(k)] for k in codes)
                out[j] = self._code(j, reduce(attribute.join, each))
        return out

    def covers(self, hypothesis: Array, block: Array) -> Flags:
        """Which rows a hypothesis covers; "?" alone covers a value that is not known."""
        out = np.ones(len(block), bool)
        for j, code in enumerate(hypothesis.tolist()):
            if code == NOTHING:
                return np.zeros(len(block), bool)
            if code != ANY:
                out &= self._admitted[j][int(code)][block[:, j].astype(np.int64)]
        return out

    def conjunction(self, hypothesis: Array) -> Conjunction:
        """A hypothesis in words."""
        words = {NOTHING: None, ANY: ANYTHING}
        each = enumerate(hypothesis.tolist())
        return Conjunction(words[c] if c in words else self.constraints[j][int(c)] for j, c in each)

    def codes(self, hypothesis: Conjunction) -> Array:
        """A hypothesis as codes."""
        return np.array([self._code(j, c) for j, c in enumerate(hypothesis.constraints)])

    def rows(self, block: Array) -> list[tuple[Any, ...]]:
        """Rows in words; None is a value that is not known."""
        columns = [[*some, None] for some in self.values]
        return [tuple(columns[j][int(k)] for j, k in enumerate(row)) for row in block.tolist()]

    def stand_for_something(self, hypothesis: Array) -> bool:
        """Whether each of the codes is that of a constraint, or of "?" or of nothing."""
        most = np.array([len(some) for some in self.constraints])
        odd = np.isin(hypothesis, (NOTHING, ANY))
        return bool((odd | ((hypothesis >= 0) & (hypothesis < most) & (hypothesis == np.rint(hypothesis)))).all())

    def _code(self, j: int, constraint: Any) -> float:
        if constraint is None:
            return NOTHING
        return ANY if constraint == ANYTHING else self._numbers[j][constraint]


def _attribute(column: Any, spec: Any) -> Attribute:
    """The attribute of a column, by what is given for it."""
    values = column.categories.tolist()
    if spec is None:
        return Attribute.nominal(values)
    try:
        if isinstance(spec, Mapping):
            found = Attribute.taxonomy(spec)
        elif spec != ORDERED:
            raise ValueError(f"{spec!r} is neither {ORDERED!r} nor a dict with the parent of each node of a taxonomy")
        elif column.categories.dtype.kind not in "iuf":
            raise ValueError("only numbers have intervals. Remedy: a taxonomy, or numbers for the categories")
        else:
            return Attribute.ordered(values)
    except ValueError as error:
        raise DataError(f"column {column.name!r}: {error}") from None
    for value in values:
        if value not in found.values:
            raise DataError(
                f"column {column.name!r} has the value {value!r}, which is no leaf of its taxonomy. Remedy: give its "
                f"parent, attributes={{{column.name!r}: {{..., {value!r}: ...}}}}"
            )
    return found
