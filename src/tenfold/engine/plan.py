"""Plan of a computation: the distinct leaves of an expression, and how their summaries form its answer.

A leaf is a statistic of some rows: read in one way, some of them, through stages, group by group, with weights drawn
again. Leaves alone have capabilities, so combinators need to know none; and equal leaves, of whatever members, are one.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, NamedTuple

from tenfold.core import DataError
from tenfold.core.statistic import Expression, Gathered, Grouped, Held, Lens, Ordered, Statistic, Strided, WholeRows
from tenfold.core.value import Value
from tenfold.engine.merge_tree import merge
from tenfold.engine.row_counts import Counted
from tenfold.stats.combinators import (
    After,
    As,
    By,
    Continue,
    Draw,
    DrawAround,
    Each,
    Inside,
    Key,
    KeyWithin,
    Of,
    Reweighted,
    Stage,
    View,
    crossed,
)

NO_ROWS = "no row has a weight, `where` leaves none, or every row misses a number: there is nothing to learn from"


class Pick(Value):
    """The rows of some groups of a key."""

    key: Key
    groups: tuple[int, ...]

    def __hash__(self) -> int:
        return hash((self.key, self.groups))  # a key knows its digest, round after round


class Leaf(Value):
    """A statistic of some rows."""

    view: View
    statistic: Statistic
    picks: tuple[Pick, ...] = ()
    """selections of rows, all of which a row must satisfy"""
    stages: tuple[Stage, ...] = ()
    """through which they go then, in order"""
    by: Key | None = None
    """each group of this key by itself"""
    draws: tuple[Draw, ...] = ()
    chain: str = ""
    """the fit whose scratch is continued; like the scratch itself, it is not part of the leaf's identity"""
    keep: bool = False
    marked: bool = False
    """whether rows are to be recognised again later"""
    certified: bool = True
    """whether rows that all are in the summary may be read once more, for claims"""
    identity = ("view", "statistic", "picks", "stages", "by", "draws")

    @cached_property
    def held(self) -> bytes:
        """Return the identity of the held rows: how they are read and selected, and the lens, but not the round."""
        if isinstance(self.statistic, Held):
            if self.statistic.whole and not self.certified:
                return b""
            lens = self.statistic.lens
        elif self.keep:
            lens = WholeRows()
        else:
            return b""
        return RowsThroughLens(self.view, self.picks, self.stages, self.by, self.draws, lens).digest

    @property
    def transformed(self) -> bool:
        """Whether the statistic sees the output of a fitted transformer."""
        return bool(self.stages) and any(stage.learned for stage in self.stages)

    @property
    def plain(self) -> bool:
        """Whether it merges what its statistic says of all rows as they are read."""
        return self.by is None and not (self.picks or self.stages or self.held) and self.order is None

    @property
    def all_rows(self) -> bool:
        """Whether it takes every row that has a weight, and none twice."""
        return not self.picks and not self.draws

    @property
    def every(self) -> int:
        """The n of a leaf that reads every n-th part."""
        return self.statistic.every if isinstance(self.statistic, Strided) else 1

    @property
    def order(self) -> int | None:
        """The order in which a leaf processes the parts, or None if it merges them."""
        return self.statistic.order if isinstance(self.statistic, Ordered) else None


class RowsThroughLens(Value):
    """Some rows, through a lens."""

    view: View
    picks: tuple[Pick, ...]
    stages: tuple[Stage, ...]
    by: Key | None
    draws: tuple[Draw, ...]
    lens: Lens


class Groups:
    """Summaries by group, counted; a group that one of two lacks is the other's."""

    def __init__(self, each: dict[int, Counted], dropped: int = 0) -> None:
        self.each = each
        self.dropped = dropped
        """rows of weight zero, which belong to no group"""

    def __add__(self, other: Groups) -> Groups:
        both = dict(self.each)
        for group, summary in other.each.items():
            both[group] = both[group] + summary if group in both else summary
        return Groups(both, self.dropped + other.dropped)

    def of(self, groups: Sequence[int]) -> Counted:
        """Return the merge of some groups; never a total minus a group, which loses digits.

        The complement of a single group is merged from the groups before it and those after it.
        """
        if not self.each:
            raise DataError(NO_ROWS)
        wanted = set(groups)
        some = [name for name in sorted(self.each) if name in wanted]
        if not some:  # no rows, no summary: who asked for it knows what to do
            return Counted(None, 0, self.dropped, frozenset())
        return replace(self._merged(some), dropped=self.dropped)

    def _merged(self, some: list[int]) -> Counted:
        names = sorted(self.each)
        if len(some) == len(names):
            return self._ahead[-1]
        if len(some) == len(names) - 1:
            at = next(i for i, name in enumerate(names) if name not in set(some))
            whole: Counted = merge([*self._ahead[max(at - 1, 0) : at], *self._behind[at + 1 : at + 2]])
            return whole
        few: Counted = merge([self.each[name] for name in some])
        return few

    @cached_property
    def _ahead(self) -> list[Counted]:
        """Return the merges of each group with all before it."""
        return _running([self.each[name] for name in sorted(self.each)], lambda so_far, next_: so_far + next_)

    @cached_property
    def _behind(self) -> list[Counted]:
        """Return the merges of each group with all after it."""
        back = [self.each[name] for name in sorted(self.each, reverse=True)]
        return _running(back, lambda so_far, next_: next_ + so_far)[::-1]


def _running(summaries: list[Any], join: Callable[[Any, Any], Any]) -> list[Any]:
    found = summaries[:1]
    for summary in summaries[1:]:
        found.append(join(found[-1], summary))
    return found


class Plan:
    """Leaves of an expression.

    Parameters
    ----------
    expression : Expression
        The way in which rows are read must be set: a statistic is inside an `As`.
    memory : int
        Bytes that rows which are gathered may take.
    dense : bool
        Whether rows are read alike for those who take sparse ones and those who do not.
    at_once : bool
        Whether all groups of a key are made at once where some are asked for, if that costs no more.

    Attributes
    ----------
    leaves : list of Leaf
        Each once.
    asked : int
        Number of statistics in the expression, equal ones counted each time.
    """

    def __init__(self, expression: Expression, memory: int = 0, dense: bool = False, at_once: bool = True) -> None:
        self.memory, self.dense, self.at_once = memory, dense, at_once
        self.leaves: list[Leaf] = []
        self.asked = 0
        self._places: dict[bytes, int] = {}
        self._shape = self._flat(expression, _Within())

    def answer(self, found: Sequence[Any]) -> Any:
        """Return the answer of the expression, from one summary for each leaf."""
        return _built(self._shape, found)

    def scans(self, held: Container[tuple[bytes, int]]) -> int:
        """How often the rows are read, if some of them, of a share of the parts or of all, are held already."""
        merged, orders = False, set[int]()
        for leaf in self.leaves:
            if leaf.order is not None:
                orders.add(leaf.order)
            elif (leaf.held, leaf.every) not in held:
                merged = True
        return merged + len(orders)

    @property
    def held(self) -> set[tuple[bytes, int]]:
        """The rows that are held after it, and the share of the parts that they are of."""
        found = set[tuple[bytes, int]]()
        for leaf in self.leaves:
            if leaf.held:
                found.add((leaf.held, leaf.every))
        return found

    def reads(self, held: Container[tuple[bytes, int]]) -> list[bool]:
        """Whether each expression, of an `Each` of several, needs rows that are not held already."""
        lacking = [leaf.order is not None or (leaf.held, leaf.every) not in held for leaf in self.leaves]
        return [any(lacking[at] for at in _places(shape)) for shape in self._shape]

    def fits(self, most: int) -> list[bool]:
        """Whether each expression, of an `Each` of several, goes into one scan whose summaries gather so many bytes.

        Expressions are taken in order, the first one that gathers rows in any case; those that gather none all fit.
        """
        taken, room, found = set[int](), most, list[bool]()
        for shape in self._shape:
            new = set(_places(shape)) - taken
            size = sum(self.leaves[at].statistic.summary_bytes for at in new)
            found.append(size <= room or (size > 0 and room == most))
            if found[-1]:
                taken, room = taken | new, room - size
        return found

    def _flat(self, e: Expression, at: _Within) -> Any:
        """The shape of the answer, leaves put into the list: a list of shapes, or which leaf and which groups of it."""
        match e:
            case Each(of=many):
                return list(map(partial(self._flat, at=at), many))
            case As(view=view, of=one):
                seen = View(view.need.dense(), view.schema) if self.dense and view.need.sparse else view
                return self._flat(one, at._replace(view=seen))
            case By(keys=keys, of=one):
                return self._flat(one, at._replace(keys=at.keys + tuple(map(at.key_within, keys))))
            case Of(key=key, groups=groups, of=one):
                return self._flat(one, at._replace(picks=(*at.picks, Pick(at.key_within(key), groups))))
            case After(stages=stages, of=one, keep=keep):
                return self._flat(one, at._replace(stages=(*at.stages, *stages), keep=at.keep or keep))
            case Reweighted(draw=draw, of=one):
                return self._flat(one, at._replace(draws=(*at.draws, (draw, at.depth))))
            case Continue(chain=chain, of=one, marked=marked, certified=certified):
                within = at._replace(chain=f"{at.chain}/{chain}", marked=at.marked or marked)
                return self._flat(one, within._replace(certified=at.certified and certified))
            case Gathered():
                return self._put(at.leaf(replace(e, memory=self.memory)))
            case Statistic():
                return self._put(*at.grouped(e)) if self.at_once else self._put(at.leaf(e))
        raise TypeError(f"{type(e).__name__} is neither a statistic nor a combinator")

    def _put(self, leaf: Leaf, groups: tuple[int, ...] | None = None) -> _Taken:
        self.asked += 1
        if not self.leaves:  # a single leaf needs no digest, which costs milliseconds where its arrays are large
            self.leaves.append(leaf)
            return _Taken(0, groups)
        if not self._places:
            self._places[self.leaves[0].digest] = 0
        at = self._places.setdefault(leaf.digest, len(self.leaves))
        if at == len(self.leaves):
            self.leaves.append(leaf)
        else:
            known = self.leaves[at]
            marked, certified = known.marked or leaf.marked, known.certified or leaf.certified
            if (marked, certified) != (known.marked, known.certified):
                self.leaves[at] = replace(known, marked=marked, certified=certified)
        return _Taken(at, groups)


class _Taken(NamedTuple):
    """Selection from the answer of a leaf: its number, and groups, or None for the whole summary."""

    leaf: int
    groups: tuple[int, ...] | None


class _Within(NamedTuple):
    """Combinators around a statistic."""

    view: View | None = None
    picks: tuple[Pick, ...] = ()
    stages: tuple[Stage, ...] = ()
    keys: tuple[Key, ...] = ()
    draws: tuple[tuple[Draw, int], ...] = ()
    """draws of weights, with the depth of the learner that draws"""
    keep: bool = False
    chain: str = ""
    marked: bool = False
    certified: bool = True

    def leaf(self, statistic: Statistic) -> Leaf:
        """Return the leaf of a statistic inside these combinators."""
        if self.view is None:
            raise TypeError(f"{type(statistic).__name__} has no view of the rows. Remedy: wrap it, As(view, statistic)")
        by = crossed(self.keys) if self.keys else None
        rows = (self.view, statistic, self.picks, self.stages, by, ())
        leaf = Leaf(*rows, self.chain, self.keep, self.marked, self.certified)
        if not self.draws:
            return leaf
        draws = tuple(d if self.depth == deep else DrawAround(d, self.depth - deep) for d, deep in self.draws)
        return replace(leaf, draws=draws)

    @property
    def depth(self) -> int:
        """Return the number of enclosing learners."""
        return sum(isinstance(stage, Inside) for stage in self.stages)

    def key_within(self, key: Key) -> Key:
        """Return a key that identifies these combinators."""
        return KeyWithin(key.groups, key, self.depth) if self.depth else key

    def grouped(self, statistic: Statistic) -> tuple[Leaf, tuple[int, ...] | None]:
        """The same; of some groups of keys, all groups are made at once if that costs no more, and serve others."""
        leaf = self.leaf(statistic)
        if not isinstance(statistic, Grouped) or not self.picks or self.keys or leaf.transformed:
            return leaf, None
        groups = [0]
        for pick in self.picks:
            groups = [group * pick.key.groups + one for group in groups for one in pick.groups]
        return self._replace(picks=(), keys=tuple(pick.key for pick in self.picks)).leaf(statistic), tuple(groups)


def _places(shape: Any) -> Iterator[int]:
    """Yield the numbers of the leaves of an answer of this shape."""
    if isinstance(shape, list):
        for one in shape:
            yield from _places(one)
    else:
        yield shape.leaf


def _built(shape: Any, found: Sequence[Any]) -> Any:
    if isinstance(shape, list):
        return tuple(map(partial(_built, found=found), shape))
    summary = found[shape.leaf]
    return summary if shape.groups is None else summary.of(shape.groups)
