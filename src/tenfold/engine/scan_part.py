"""Scan of one part for many leaves: it is read once in each way, and common steps of leaves are computed once.

What is found of each leaf is counted: the rows that went into it, and who read them. Results of parts merge in the
fixed tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, repeat
from typing import Any

import numpy as np

from tenfold.core import Chunk, Codes, Columns
from tenfold.core.rows.chunk import segments
from tenfold.core.rows.chunk_memo import chunk_memo
from tenfold.core.rows.row_sketch import RowSketch
from tenfold.core.statistic import Grouped, Held, Lens, Statistic
from tenfold.engine.merge_tree import merge
from tenfold.engine.plan import Groups, Leaf, Pick
from tenfold.engine.row_counts import Counted, this_machine
from tenfold.sources import Source
from tenfold.stats.combinators import Joined, Key, Stage, View

UNGROUPED = -1
"""the group of all rows, where a leaf has no key"""


Way = tuple[tuple[Pick, ...], tuple[Stage, ...]]
"""which rows are chosen, and the transformers that they have gone through"""


class LeafSummary:
    """A summary for each of some leaves; None, of a leaf that has not read this part."""

    __slots__ = ("each",)

    def __init__(self, each: Iterable[Any]) -> None:
        self.each = list(each)

    def __add__(self, other: LeafSummary) -> LeafSummary:
        """Merge leaf by leaf. Both are used up: the summaries of a leaf are let go as soon as they are merged."""
        if len(self.each) != len(other.each):
            raise ValueError(f"summaries of {len(self.each)} leaves do not merge with those of {len(other.each)}")
        return LeafSummary(map(self._merged, repeat(other), range(len(self.each))))

    def _merged(self, other: LeafSummary, at: int) -> Any:
        a, self.each[at] = self.each[at], None
        b, other.each[at] = other.each[at], None
        return b if a is None else a if b is None else a + b


def rows_of(leaves: Sequence[Leaf], source: Source, part: int) -> Iterator[tuple[int, Chunk, Codes | None]]:
    """Yield the index of a leaf, a chunk of its rows, and their groups, if any: all chunks, for all leaves.

    Keys see chunks as they are read, before rows are selected or transformed.
    """
    views: list[tuple[View, list[int]]] = []
    for at, leaf in enumerate(leaves):
        if part % leaf.every == 0:
            known = next((places for view, places in views if view == leaf.view), None)
            if known is None:
                views.append((leaf.view, [at]))
            else:
                known.append(at)
    each = [source.columns_read(view.need, view.schema) for view, _ in views] if len(views) > 1 else []
    with source.once(part, len(views), tuple(dict.fromkeys(chain.from_iterable(each)))):
        for view, places in views:
            keys = {key for at in places for key in keys_of(leaves[at])}
            coders = {key: key.coder(part) for key in keys}
            places = _side_by_side(leaves, places)
            last = {way: at for at in places for way in ways_of(leaves[at])}
            for chunk in source.chunks(part, view.need, view.schema):
                rows = Read(chunk, {key: coder(chunk) for key, coder in coders.items()})
                with chunk_memo():
                    for at in places:
                        yield at, *rows.of(leaves[at])
                        rows.forget(way for way, end in last.items() if end == at)


def _side_by_side(leaves: Sequence[Leaf], places: Sequence[int]) -> list[int]:
    """Return the indices of leaves with those of the same rows, after the same stages, next to each other."""
    if not any(leaves[at].picks or leaves[at].stages for at in places):
        return list(places)
    first: dict[Way, int] = {}
    for at in places:
        for way in ways_of(leaves[at]):
            first.setdefault(way, at)
    return sorted(places, key=lambda at: [first[way] for way in ways_of(leaves[at])])


def summary_of_part(leaf: Leaf, source: Source, part: int) -> Counted | None:
    """The summary of a part for a single leaf that is `plain`: what `rows_of` and a tree of merges would give."""
    chunks = source.chunks(part, leaf.view.need, leaf.view.schema)
    found = next(map(partial(counted, leaf), chunks), None)
    if (more := next(chunks, None)) is None:
        return found
    return merge(chain((found, counted(leaf, more)), map(partial(counted, leaf), chunks)))  # type: ignore[no-any-return]


def ways_of(leaf: Leaf) -> list[Way]:
    """Return the steps from a chunk to a leaf: the selected rows, and the output of each of its stages."""
    return [(leaf.picks, leaf.stages[:n]) for n in range(len(leaf.stages) + 1)]


def keys_of(leaf: Leaf) -> list[Key]:
    """Whose groups are to be found for a leaf."""
    return [_base(pick.key) for pick in leaf.picks] + ([] if leaf.by is None else [_base(leaf.by)])


def _base(key: Key) -> Key:
    """Whose groups are found once for all keys that join them."""
    return _base(key.base) if isinstance(key, Joined) else key


class Read:
    """Chunk, with the groups of its rows under each key, and cached results of stages."""

    def __init__(self, chunk: Chunk, codes: dict[Key, Codes]) -> None:
        self.chunk, self.codes = chunk, codes
        self.made: dict[Way, Chunk] = {((), ()): chunk}
        self.chosen: dict[tuple[Pick, ...], Any] = {(): None}

    def of(self, leaf: Leaf) -> tuple[Chunk, Codes | None]:
        """The rows that a leaf wants, and their groups."""
        which = self._selected(leaf.picks)
        chunk = self._after(leaf.picks, leaf.stages)
        if leaf.by is None:
            return chunk, None
        codes = self._groups(leaf.by)
        return chunk, codes if which is None else codes[which]

    def forget(self, ways: Iterable[Way]) -> None:
        """Drop cached results that no further leaf needs, so that memory holds the rows of one fold at a time."""
        for way in ways:
            self.made.pop(way, None)

    def _groups(self, key: Key) -> Codes:
        if key not in self.codes and isinstance(key, Joined):
            self.codes[key] = key.of(self._groups(key.base))
        return self.codes[key]

    def _selected(self, picks: tuple[Pick, ...]) -> Any:
        """Numbers of the rows that are chosen, or a slice; None: all."""
        if picks not in self.chosen:
            keep = is_in_groups(self._groups(picks[0].key), picks[0].groups)
            for pick in picks[1:]:
                keep &= is_in_groups(self._groups(pick.key), pick.groups)
            which: Any = np.flatnonzero(keep)
            if len(which) == self.chunk.n:
                which = None
            elif len(which) and which[-1] - which[0] + 1 == len(which):  # in a row: a view will do
                which = slice(int(which[0]), int(which[-1]) + 1)
            self.chosen[picks] = which
        return self.chosen[picks]

    def _after(self, picks: tuple[Pick, ...], stages: tuple[Stage, ...]) -> Chunk:
        name = (picks, stages)
        if name not in self.made:
            if stages:
                self.made[name] = stages[-1].stage(self._after(picks, stages[:-1]))
            else:
                which = self._selected(picks)
                some = self.chunk if which is None else self.chunk.rows(which)
                self.made[name] = some._replace(dropped=self.chunk.dropped)
        return self.made[name]


def is_in_groups(codes: Codes, groups: Sequence[int]) -> Any:
    """Whether each code is one of some groups."""
    wanted = np.zeros(max(int(codes.max(initial=0)), max(groups, default=0)) + 2, bool)
    wanted[list(groups)] = True  # the last entry, that of -1, stays False
    return wanted[codes]


def by_group(chunk: Chunk, codes: Codes | None) -> dict[int, Chunk]:
    """The rows of each group; all of them, where there are no groups."""
    return {UNGROUPED: chunk} if codes is None else dict(segments(chunk, codes))


def summary_of(leaf: Leaf, chunk: Chunk, codes: Codes | None) -> Counted | Groups:
    """Return the summary of the rows of a chunk, or of each group of them."""
    if codes is None or leaf.by is None:
        return counted(leaf, chunk)
    statistic = leaf.statistic
    if not isinstance(statistic, Grouped):
        return Groups({g: counted(leaf, some) for g, some in segments(chunk, codes)}, chunk.dropped)
    drawn, kept = drawn_anew(leaf, chunk)
    rows = np.bincount(codes[codes >= 0], minlength=leaf.by.groups)
    if kept is not None:
        codes = codes[kept]
    learned = rows if kept is None else np.bincount(codes[codes >= 0], minlength=leaf.by.groups)
    found = list(statistic.summarize_groups(drawn, codes, leaf.by.groups))
    for group in np.flatnonzero((learned == 0) & (rows > 0)).tolist():  # none of its rows is drawn
        found[group] = statistic.summarize(drawn.rows(slice(0, 0)))
    here, marks = frozenset([this_machine()]), marks_of(leaf, chunk)
    each: dict[int, Counted] = {}
    for group in np.flatnonzero(rows).tolist():
        each[group] = Counted(found[group], int(rows[group]), 0, here, marks, int(learned[group]))
        marks = None  # those of the chunk are counted once
    return Groups(each, chunk.dropped)


def counted(leaf: Leaf, chunk: Chunk) -> Counted:
    """The summary of a chunk, whatever its groups, and its rows."""
    drawn = drawn_anew(leaf, chunk)[0] if leaf.draws else chunk
    summary = leaf.statistic.summarize(for_statistic(leaf.statistic, drawn))
    return Counted(summary, chunk.n, chunk.dropped, frozenset([this_machine()]), marks_of(leaf, chunk), drawn.n)


def through(lens: Lens, chunk: Chunk) -> Chunk:
    """Return rows with their columns replaced by the output of a lens; side columns have already set their groups."""
    nothing = Columns(np.empty((chunk.n, 0)), (), offset=chunk.X.offset, kept=chunk.X.kept)  # errors name rows
    return chunk._replace(X=nothing, y=None, held=lens(chunk), dropped=0, side={})


def for_statistic(statistic: Statistic, chunk: Chunk) -> Chunk:
    """Return a chunk as a statistic summarizes it: through its lens, if any, with the scratch of the rows."""
    if not isinstance(statistic, Held):
        return chunk
    held = through(statistic.lens, chunk)
    return held._replace(scratch=statistic.follow(held.held, None))


def marks_of(leaf: Leaf, chunk: Chunk) -> RowSketch | None:
    """Return the sketch of the rows, if it is requested and they are unchanged since they were read."""
    wanted = leaf.marked and not leaf.transformed and chunk.held is None
    return RowSketch.of(chunk.X if chunk.whole is None else chunk.whole, leaf.view.schema) if wanted else None


def drawn_anew(leaf: Leaf, chunk: Chunk) -> tuple[Chunk, Codes | None]:
    """Return the rows with drawn weights and the indices of those with positive weight, or None for all unchanged."""
    if not leaf.draws or chunk.held is not None:  # held rows were drawn before
        return chunk, None
    for draw in leaf.draws:
        chunk = chunk._replace(weight=draw.weight(chunk), uniform=False)
    kept = np.flatnonzero(chunk.weight)
    return chunk.rows(kept), kept
