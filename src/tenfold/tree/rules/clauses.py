"""Rules as a table of their conditions, for kernels; from a tree and back to what can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from tenfold.compiled.tree import rule_covering as rc
from tenfold.core import Array, Codes, Columns, Flags, Schema
from tenfold.core.field_values import ANYTHING, COUNTS, Index, OneOf
from tenfold.tree.rules.conditions import ABOVE, AMONG, BELOW, Condition, path_conditions, tightened
from tenfold.tree.tree import Tree

SIGNS = (BELOW, ABOVE, AMONG)


class Clauses(NamedTuple):
    """The conditions of all rules, one rule after the other."""

    start: Annotated[Codes, "ends", COUNTS]
    """where each rule's begin, and the last one's end"""
    column: Annotated[Codes, "clause", Index("column")]
    sign: Annotated[Codes, "clause", OneOf(0, 1, 2)]
    bound: Annotated[Array, "clause", ANYTHING]
    missing: Annotated[Codes, "clause", OneOf(0, 1)]
    """whether a missing value fulfils it"""
    set_at: Annotated[Codes, "clause", COUNTS]
    width: Annotated[Codes, "clause", COUNTS]
    """where its categories begin in `member`, and how many the column has"""
    member: Annotated[Codes, "member", OneOf(0, 1)]
    """whether a category is in the set"""

    @classmethod
    def of(cls, rules: Sequence[tuple[Condition, ...]], levels: Codes) -> Clauses:
        """The conditions of these rules, by column, with one condition of each sign at most."""
        rows: list[tuple[int, int, float, int, int, int]] = []
        start, place = [0], 0
        sets: dict[tuple[int, tuple[int, ...]], int] = {}
        for rule in rules:
            for one in sorted(tightened(rule), key=lambda one: (one.column, one.sign)):
                wide = int(levels[one.column])
                at = 0
                if one.sign == AMONG:
                    if (wide, one.codes) not in sets:
                        sets[wide, one.codes] = place
                        place += wide
                    at = sets[wide, one.codes]
                rows.append((one.column, SIGNS.index(one.sign), one.bound, int(one.missing), at, wide))
            start.append(len(rows))
        member = np.zeros(place, np.int64)
        for (_, codes), at in sets.items():
            member[at + np.array(codes, np.int64)] = 1
        fields = list(zip(*rows, strict=True)) if rows else [()] * 6
        kinds = (np.int64, np.int64, np.float64, np.int64, np.int64, np.int64)
        table = [np.array(field, kind) for field, kind in zip(fields, kinds, strict=True)]
        return cls._make([np.array(start, np.int64), *table, member])

    @property
    def size(self) -> int:
        """Number of rules."""
        return len(self.start) - 1

    @property
    def rule(self) -> Codes:
        """Number of the rule that each condition belongs to."""
        return np.repeat(np.arange(self.size), np.diff(self.start))

    def only(self, which: Codes, clauses: Flags | None = None) -> Clauses:
        """Some rules, in this order, with some of their conditions."""
        keep = np.ones(len(self.column), bool) if clauses is None else clauses
        many = np.diff(self.start)[which]
        pick = np.repeat(self.start[which] - np.cumsum(many) + many, many) + np.arange(many.sum())
        ends = np.concatenate([[0], np.cumsum(keep[pick])])[np.cumsum(many)]
        start, pick = np.concatenate([[0], ends]).astype(np.int64), pick[keep[pick]]
        return Clauses._make([start, *(field[pick] for field in self[1:-1]), self.member])

    def firsts(self, X: Columns) -> Codes:
        """The first rule that each row fulfils, or how many rules there are; an unknown category counts as missing."""
        out, sets = np.empty(len(X), np.int64), np.unique(self.column[self.sign == rc.AMONG])
        for rows, block in X.blocks():
            if (block[:, sets] < 0).any():
                block = np.array(block)
                block[:, sets] = np.where(block[:, sets] < 0, np.nan, block[:, sets])
            rc.first_of(block, *self, out[rows])
        return out

    def key(self, r: int) -> tuple[bytes, ...]:
        """Key under which equal rules compare equal."""
        some = slice(self.start[r], self.start[r + 1])
        return tuple(field[some].tobytes() for field in (self.column, self.sign, self.bound, self.missing, self.set_at))

    def condition(self, c: int) -> Condition:
        """Readable form of one condition."""
        member = self.member[self.set_at[c] : self.set_at[c] + self.width[c]]
        codes = tuple(np.flatnonzero(member).tolist()) if self.sign[c] == rc.AMONG else ()
        sign, missing = SIGNS[self.sign[c]], bool(self.missing[c])
        return Condition(int(self.column[c]), sign, float(self.bound[c]), codes, missing)

    def conditions(self, r: int) -> tuple[Condition, ...]:
        """Readable conditions of a rule."""
        return tuple(self.condition(c) for c in range(self.start[r], self.start[r + 1]))

    def is_valid(self, schema: Schema) -> bool:
        """Whether kernels can walk it safely: spans and sets are within bounds."""
        start, sets = self.start, self.sign == rc.AMONG
        if not len(start) or start[0] or start[-1] != len(self.column) or (np.diff(start) < 0).any():
            return False
        wide = schema.levels[self.column]
        fine = (sets == (wide > 0)).all() and (self.width == np.where(sets, wide, 0)).all()
        fine &= not np.isnan(self.bound[~sets]).any()
        return bool(fine and (self.set_at <= len(self.member) - self.width).all())


def clauses_of(tree: Tree, levels: Codes) -> Clauses:
    """The rules of a tree's leaves."""
    above = tree.parent
    return Clauses.of([path_conditions(tree, k, above) for k in tree.leaves.tolist()], levels)
