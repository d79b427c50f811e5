"""Combinators of statistics: several in one scan, groups of rows, rows after transformers.

Combinators are syntax. Whatever stands in what, an expression has one normal form, a list of leaves (`engine/plan.py`):
they commute, because keys and draws look at the places of rows, at columns that come along and at the target, never at
X; and because stages go row by row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import numpy as np

from tenfold.core import Array, Chunk, Codes, Columns, Need, Schema
from tenfold.core.statistic import Expression, Statistic, Strided
from tenfold.core.value import Value, digest_of

Coder = Callable[[Chunk], Codes]
"""from the chunks of a part, in order, to the group of each row; -1: it belongs to none"""


class View(Value):
    """Way of reading rows: the need, and the schema. Members of one scan may differ in it."""

    need: Need
    schema: Schema

    @property
    def digest(self) -> bytes:
        # Of the need, and of the schema, which knows its own: it is the same in every round.
        found: bytes | None = self.__dict__.get("_digest")
        if found is None:
            found = self.__dict__["_digest"] = digest_of("View", self.need, self.schema.digest)
        return found


class Key(Value):
    """Which group a row belongs to: a fold, a day, a country."""

    groups: int

    def coder(self, part: int) -> Coder:
        """Return the coder for the chunks of one part, in order: groups may depend on earlier rows."""
        raise NotImplementedError


class Crossed(Key):
    """Several keys as one: a group for each combination of their groups."""

    each: tuple[Key, ...]

    def coder(self, part: int) -> Coder:
        # By the groups of all; a row that one key leaves out belongs to no group.
        coders = [key.coder(part) for key in self.each]

        def code(chunk: Chunk) -> Codes:
            first, *rest = (coder(chunk) for coder in coders)
            found, left_out = first.copy(), first < 0
            for key, codes in zip(self.each[1:], rest, strict=True):
                found = found * key.groups + codes
                left_out |= codes < 0
            found[left_out] = -1
            return found

        return code


def crossed(keys: tuple[Key, ...]) -> Key:
    """One key, whose groups are the combinations of the groups of several keys."""
    if len(keys) == 1:
        return keys[0]
    groups = 1
    for key in keys:
        groups *= key.groups
    return Crossed(groups, keys)


class Joined(Key):
    """Groups of another key, some of them taken together and some left out."""

    base: Key
    into: Codes
    """for each group of the base, the group that it belongs to here; -1: to none"""

    def coder(self, part: int) -> Coder:
        coder = self.base.coder(part)
        return lambda chunk: self.of(coder(chunk))

    def of(self, codes: Codes) -> Codes:
        """The groups of rows whose groups by the base are these."""
        return np.where(codes < 0, -1, self.into[codes])


def joined(key: Key, sets: Sequence[Sequence[int]]) -> Key:
    """A key with a group for each of some disjoint sets of groups; itself, if each of its groups is such a set."""
    into = np.full(key.groups, -1)
    for number, groups in enumerate(sets):
        into[list(groups)] = number
    return key if np.array_equal(into, np.arange(len(sets))) else Joined(len(sets), key, into)


class Stage(Value):
    """Fitted transformer, applied row by row."""

    learned: ClassVar[bool] = True
    """whether its output for a row depends on other rows, so that each fold has its own"""

    def stage(self, chunk: Chunk) -> Chunk:
        """The same rows, with other columns."""
        raise NotImplementedError


class Among(Stage):
    """Some of the columns, by their numbers."""

    columns: tuple[int, ...]
    missing: bool
    """whether NaN may pass"""
    learned = False

    def stage(self, chunk: Chunk) -> Chunk:
        return chunk._replace(X=self.of(chunk.X), whole=chunk.X if chunk.whole is None else chunk.whole)

    def of(self, X: Columns) -> Columns:
        """Return these columns, with or without missing values, as the member takes them."""
        found = X.select(np.array(self.columns, dtype=np.int64))
        return found if found.missing == self.missing else found.other_columns(found.data, found.names, self.missing)


class Inside(Stage):
    """Rows of a learner within a learner: its random draws are independent of those around it."""

    learned = False

    def stage(self, chunk: Chunk) -> Chunk:
        return chunk.inner()


class KeyWithin(Key):
    """Key of a learner inside others."""

    base: Key
    depth: int

    def coder(self, part: int) -> Coder:
        coder = self.base.coder(part)
        return lambda chunk: coder(chunk.inner(self.depth))


class Draw(Value):
    """Weights drawn again, by the places of rows: a bootstrap."""

    def weight(self, chunk: Chunk) -> Array:
        """The weight of each row, zero if it is not drawn."""
        raise NotImplementedError


class DrawAround(Draw):
    """Random draw of a learner around the one that sees the rows."""

    base: Draw
    depth: int

    def weight(self, chunk: Chunk) -> Array:
        return self.base.weight(chunk.inner(-self.depth))


class Each(Expression):
    """Several from one scan; the answer is a tuple of their answers."""

    of: tuple[Expression, ...]
    width: int = 0
    """if not zero, the number of columns of the rows, in place of the schema's"""
    beside: bool = False
    """whether the schema's columns follow those numbers"""
    columns: tuple[tuple[int, ...], ...] = ()
    """if given, each is of these columns of the schema only"""


class As(Expression):
    """Statistic of rows that are read in another way."""

    view: View
    of: Expression


class By(Expression):
    """One summary for each group of a key, or of several keys crossed."""

    keys: tuple[Key, ...]
    of: Expression


class Of(Expression):
    """Statistic of the rows of some groups only."""

    key: Key
    groups: tuple[int, ...]
    of: Expression


class After(Expression):
    """Statistic of rows transformed by fitted transformers."""

    stages: tuple[Stage, ...]
    of: Expression
    keep: bool = False
    """whether to hold the transformed rows for further rounds"""


class Reweighted(Expression):
    """Statistic of rows with redrawn weights."""

    draw: Draw
    of: Expression


class Continue(Expression):
    """Goes on from the scratch that earlier statistics of the same fit left behind."""

    chain: str
    """by which the fit is known among those around it"""
    of: Expression
    marked: bool = False
    """whether rows are to be recognised again later"""
    certified: bool = True
    """whether claims are wanted, for which rows may be read once more"""


def statistics(expression: Expression) -> Iterator[Statistic]:
    """Return the statistics of an expression, in order."""
    match expression:
        case Statistic():
            yield expression
        case Each(of=many):
            for one in many:
                yield from statistics(one)
        case As(of=one) | By(of=one) | Of(of=one) | After(of=one) | Reweighted(of=one) | Continue(of=one):
            yield from statistics(one)


def title(expression: Expression) -> str:
    """Return the title of an expression in histories and progress bars: its distinct statistics."""
    if isinstance(expression, Statistic):
        return expression.title
    return " ".join(dict.fromkeys(statistic.title for statistic in statistics(expression)))


def every(expression: Expression) -> int:
    """Which share of the parts is read for it: each so-manieth."""
    if isinstance(expression, Statistic):
        return expression.every if isinstance(expression, Strided) else 1
    return math.gcd(*(s.every if isinstance(s, Strided) else 1 for s in statistics(expression)))
