"""Many summaries from one scan: of several learners, and of groups of rows.

Every part is loaded once for each need; each learner summarizes its rows, or the rows of each group by itself. What
belongs to a group merges in the same fixed tree as everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from tenfold.core import Ask, Chunk, Codes, Columns, Learner, Need, Schema
from tenfold.core.marks import Marks
from tenfold.engine.held import Held, token
from tenfold.engine.keys import Key
from tenfold.engine.tally import Counted, this_machine
from tenfold.engine.tree import Tree, merge
from tenfold.sources import Source


@dataclass(frozen=True, eq=False)
class Item:
    """What one learner wants summarized."""

    learner: Learner
    state: Any
    ask: Ask
    schema: Schema
    key: Key | None = None
    groups: tuple[int, ...] | None = None
    """only rows of these groups; with a key and None, each group by itself"""
    before: tuple[tuple[Any, Any], ...] = ()
    """fitted transformers and their states, through which the rows go first"""
    need: Any = None
    """of the first of these; the learner's own if there are none"""
    rows: str = ""
    """by which learner and rows are recognised: what follows a state is of one learner, and so is what is held"""
    marked: bool = False
    """whether rows are to be recognised again later"""

    @cached_property
    def lens(self) -> Any:
        """Through which the rows are seen once and then held, or None."""
        return self.learner.lens(self.state)

    @cached_property
    def name(self) -> str:
        """Of what is held, if there is a lens; else empty."""
        return "" if self.lens is None else f"{token(self.lens)}-{self.rows}"

    def summarize(self, chunk: Chunk, codes: Codes | None) -> Counted | Grouped:
        """Of the rows that are wanted."""
        if self.key is None:
            return self._one(self.through(chunk))
        assert codes is not None
        if self.groups is not None:
            return self._one(self.pick(chunk, codes))
        found = None
        if not self.before and hasattr(self.learner, "summarize_groups"):
            found = self.learner.summarize_groups(self.state, chunk, codes, self.key.groups)
        if found is not None:
            rows = np.bincount(codes[codes >= 0], minlength=self.key.groups)
            here, marks = frozenset([this_machine()]), self.marks(chunk)
            each = {g: Counted(s, int(rows[g]), 0, here, marks) for g, s in enumerate(found) if rows[g]}
            return Grouped(each, chunk)
        return Grouped({g: self._one(self.through(some)) for g, some in segments(chunk, codes)}, chunk)

    def pick(self, chunk: Chunk, codes: Codes | None) -> Chunk:
        """The rows that are wanted, through the transformers."""
        if self.groups is not None:
            chunk = _only(chunk, codes, self.groups)
        return self.through(chunk)

    def through(self, chunk: Chunk) -> Chunk:
        """Rows as the learner takes them: as the transformers before make them, without a target it does not want."""
        chunk = transformed(self.before, chunk, self.learner.need)
        return chunk._replace(y=None) if self.learner.need.target is None else chunk

    def hold(self, chunk: Chunk, codes: Codes | None) -> Held:
        """The rows that are wanted through the lens."""
        return Held.of(self.lens, self.pick(chunk, codes))

    def follow(self, held: list[Held], scratch: list[Any] | None) -> list[Any]:
        """What belongs to the held rows at this state, from an earlier one if there is any."""
        before = [None] * len(held) if scratch is None else scratch
        return [self.learner.follow(self.state, h.value, s) for h, s in zip(held, before, strict=True)]

    def of_held(self, held: list[Held], scratch: list[Any]) -> Counted:
        """The summary of one part from what is held of it."""
        done: Counted = merge(self._one(h.chunk(s)) for h, s in zip(held, scratch, strict=True))
        return done

    def _one(self, chunk: Chunk) -> Counted:
        summary = self.learner.summarize(self.state, chunk)
        return Counted(summary, chunk.n, chunk.dropped, frozenset([this_machine()]), self.marks(chunk))

    def marks(self, chunk: Chunk) -> Marks | None:
        """By which some of the rows are recognised, if they are asked for and there as they came."""
        wanted = self.marked and not self.before and chunk.held is None
        return Marks.of(chunk.X, self.schema) if wanted else None


@dataclass(frozen=True, eq=False)
class Together:
    """The summaries of several items, which read the same parts."""

    items: tuple[Item, ...]
    starts: Codes | None = None
    """number of the first row of each part, if rows are grouped by their numbers"""

    def parts(self, source: Source) -> range:
        """Which parts to read: items of one job ask for the same share."""
        return range(0, len(source), self.items[0].ask.every)

    @property
    def ordered(self) -> bool:
        """Whether parts are walked one after another: items of one job agree on the order too."""
        return self.items[0].ask.order is not None

    def only(self, places: Sequence[int]) -> Together:
        """The same for some of the items."""
        return Together(tuple(self.items[at] for at in places), self.starts)

    def __call__(self, source: Source, part: int) -> Many:
        """The summaries of one part."""
        return Many(tuple(self.found(source, part, lambda item, chunk, codes: item.summarize(chunk, codes))))

    def hold(self, source: Source, part: int) -> list[list[Held]]:
        """For each item, the part through its lens."""
        return self.found(source, part, lambda item, chunk, codes: [item.hold(chunk, codes)])

    def found(self, source: Source, part: int, function: Any) -> list[Any]:
        """For each item the merge of a function of the item and each of the part's chunks."""
        trees = [Tree() for _ in self.items]
        for at, chunk, codes in self.chunks(source, part):
            trees[at].push(function(self.items[at], chunk, codes))
        return [tree.total() for tree in trees]

    def chunks(self, source: Source, part: int) -> Iterator[tuple[int, Chunk, Codes | None]]:
        """Number of an item, chunk and groups of its rows: every chunk for every item, each loaded once a need."""
        needs: dict[tuple[Any, int], list[int]] = {}
        for at, item in enumerate(self.items):
            needs.setdefault((item.need or item.learner.need, id(item.schema)), []).append(at)
        with source.once(part, len(needs)):
            for (need, _), places in needs.items():
                keys = {id(k): k for k in (self.items[at].key for at in places) if k is not None}
                coders = {name: key.coder(part) for name, key in keys.items()}
                first = None
                for chunk in source.chunks(part, need, self.items[places[0]].schema):
                    first = chunk.offset if first is None else first
                    codes = {name: coder(chunk, self._numbers(part, chunk, first)) for name, coder in coders.items()}
                    for at in places:
                        yield at, chunk, codes.get(id(self.items[at].key))

    def _numbers(self, part: int, chunk: Chunk, first: int) -> Codes:
        numbers = chunk.X.numbers()
        return numbers if self.starts is None else numbers + (int(self.starts[part]) - first)


class Many:
    """Several summaries, merged side by side."""

    __slots__ = ("each",)

    def __init__(self, each: tuple[Any, ...]) -> None:
        self.each = each

    def __add__(self, other: Many) -> Many:
        return Many(tuple(a + b for a, b in zip(self.each, other.each, strict=True)))


class Grouped:
    """Summaries by group; a group that one of two lacks is the other's."""

    __slots__ = ("dropped", "groups")

    def __init__(self, groups: dict[int, Counted], chunk: Chunk | None = None, dropped: int = 0) -> None:
        self.groups = groups
        self.dropped = dropped if chunk is None else chunk.dropped

    def __add__(self, other: Grouped) -> Grouped:
        both = dict(self.groups)
        for g, summary in other.groups.items():
            both[g] = both[g] + summary if g in both else summary
        return Grouped(both, dropped=self.dropped + other.dropped)


def transformed(before: Sequence[tuple[Any, Any]], chunk: Chunk, need: Need) -> Chunk:
    """Rows as fitted transformers, given with their states, make them for a learner with this need.

    A transformer may let missing values pass. Whether the next one, or the learner, takes them is for its need to say.
    """
    takers = [*(learner.need for learner, _ in before[1:]), need]
    for (learner, state), taker in zip(before, takers):
        found = learner.transform_from(state, chunk.X)
        found = found.toarray() if hasattr(found, "toarray") else np.asarray(found)
        names = chunk.X.names if found.shape[1] == chunk.X.shape[1] else None
        place = f"the output of {type(learner).__name__}"
        X = Columns(found, names, missing=taker.missing, offset=chunk.X.offset, kept=chunk.X.kept, place=place)
        chunk = chunk._replace(X=X)
    return chunk


def segments(chunk: Chunk, codes: Codes) -> Iterator[tuple[int, Chunk]]:
    """The rows of each group that a chunk has, by group: slices if they stand in order, else copies."""
    order = None if _sorted(codes) else np.argsort(codes, kind="stable")
    ordered = codes if order is None else codes[order]
    new = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    starts = [*np.flatnonzero(new).tolist(), len(ordered)]
    for start, stop in pairwise(starts):
        if ordered[start] >= 0:
            yield int(ordered[start]), chunk.rows(slice(start, stop) if order is None else order[start:stop])


def _only(chunk: Chunk, codes: Any, groups: tuple[int, ...]) -> Chunk:
    """The rows of some groups, in their order."""
    wanted = np.zeros(max(int(codes.max(initial=0)) + 2, max(groups) + 2), bool)
    wanted[list(groups)] = True  # the last entry, that of -1, stays False
    keep = wanted[codes]
    if keep.all():
        return chunk
    ends = np.flatnonzero(np.diff(keep, prepend=False, append=False))
    if len(ends) == 2:  # in a row: a view
        return chunk.rows(slice(int(ends[0]), int(ends[1])))
    return chunk.rows(np.flatnonzero(keep))


def _sorted(codes: Codes) -> bool:
    return bool((codes[1:] >= codes[:-1]).all())
