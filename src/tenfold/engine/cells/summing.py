"""How the summaries of many cells are made, kept and merged: in stacks, where the statistic declares it, or one by one.

Both have the bits that a fit of a cell's rows alone would give: a summary of its rows in each part, merged in the fixed
tree over the parts. A cell that cannot be summarized, or merged, becomes an empty summary with a reason, and does not
change the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from tenfold.core import Chunk, Codes, ColumnError, DataError, Flags, MergeError, Stacked, Values
from tenfold.core.axes import is_record, values
from tenfold.core.mergeable import cell_of, joined_stacks, stacked, taken
from tenfold.core.statistic import Expression, Held, slices, tree_levels
from tenfold.engine.cells.keys import changes
from tenfold.engine.loop import summarized
from tenfold.stats.combinators import View

REFUSED = (DataError, MergeError, ArithmeticError, ValueError)
"""errors that are about the rows of a cell"""

Reasons = dict[int, str]
"""why some cells have no summary, by their places"""


class Summaries(NamedTuple):
    """Summaries of some cells."""

    stack: Any
    reasons: Reasons


class CellRuns(NamedTuple):
    """Runs of rows of one cell and one part, in order of their cells, then of their parts."""

    starts: Codes
    """the first row of each run"""
    cells: Codes
    parts: Codes
    places: dict[int, str]
    """what errors name: the file of each part"""


@dataclass(frozen=True)
class Summing:
    """How the rows of cells are summarized, for a statistic that is asked for under a view."""

    view: View
    asked: Expression

    @property
    def in_stacks(self) -> bool:
        """Whether the summaries of all cells are one record; if not, they are an array of records."""
        return isinstance(self.asked, Stacked) and not isinstance(self.asked, Held)

    def of(self, chunk: Chunk, starts: Codes, places: Sequence[str] = ()) -> Summaries:
        """Return the summaries of cells, each of which has consecutive rows; `places`: the file of each."""
        if len(starts) == 1 and places:
            chunk.X.place = places[0]
        if not self.in_stacks:
            return self._one_by_one(chunk, starts)
        try:
            return Summaries(cast(Stacked[Any], self.asked).summarize_cells(chunk, starts), {})
        except REFUSED as error:
            if len(starts) == 1:
                return Summaries(self.empty(chunk), {0: self.reason(error)})
        if (wrong := _not_finite(chunk, starts)).any():
            return self._separate(chunk, starts, wrong, places)
        half = len(starts) // 2
        cut = int(starts[half])
        first = self.of(chunk.rows(slice(0, cut)), starts[:half], places[:half])
        return self.joined([first, self.of(chunk.rows(slice(cut, chunk.n)), starts[half:] - cut, places[half:])])

    def of_parts(self, chunk: Chunk, runs: CellRuns) -> Summaries:
        """Return the summaries of cells whose rows are of several parts."""
        if not self.in_stacks:
            return self._in_runs(chunk, runs)
        try:
            return Summaries(cast(Stacked[Any], self.asked).summarize_parts(chunk, *runs[:3]), {})
        except REFUSED:
            first = changes(runs.cells)
        wrong = _not_finite(chunk, runs.starts[first])
        if not wrong.any():
            wrong[: len(wrong) // 2] = True  # halves, until one cell is left
        if wrong.all() or len(wrong) == 1:
            return self._in_runs(chunk, runs)
        sizes = np.diff(np.append(runs.starts, chunk.n))
        number = np.cumsum(np.append(False, runs.cells[1:] != runs.cells[:-1]))
        each = []
        for which in (wrong, ~wrong):
            some = which[number]
            rows = np.flatnonzero(np.repeat(some, sizes))
            starts = np.cumsum(sizes[some]) - sizes[some]
            those = CellRuns(starts, runs.cells[some], runs.parts[some], runs.places)
            each.append(self.of_parts(chunk.rows(rows), those))
        places = np.argsort(~wrong, kind="stable")
        return self.taken(self.joined(each), np.argsort(places, kind="stable"))

    def _in_runs(self, chunk: Chunk, runs: CellRuns) -> Summaries:
        """Summarize runs, then merge those of each cell."""
        places = [runs.places[part] for part in runs.parts.tolist()]
        return self.in_tree(self.of(chunk, runs.starts, places), runs.cells, runs.parts)

    def _separate(self, chunk: Chunk, starts: Codes, wrong: Flags, places: Sequence[str]) -> Summaries:
        """Summarize some cells one by one, for their reasons, and all others at once."""
        none, each = self.empty(chunk), list[Summaries]()
        for cell, (rows, apart) in enumerate(zip(slices(starts, chunk.n), wrong.tolist(), strict=True)):
            if apart:
                some = chunk.rows(rows)
                some.X.place = places[cell] if places else some.X.place
                try:
                    each.append(Summaries(stacked([cast(Stacked[Any], self.asked).summarize(some)]), {}))
                except REFUSED as error:
                    each.append(Summaries(none, {0: self.reason(error)}))
        if not wrong.all():
            sizes = np.diff(np.append(starts, chunk.n))
            ends = np.cumsum(sizes[~wrong])
            others = chunk.rows(np.flatnonzero(np.repeat(~wrong, sizes)))
            left = [places[cell] for cell in np.flatnonzero(~wrong).tolist()] if places else ()
            each.append(self.of(others, np.append(starts[:1], ends[:-1]), left))
        order = np.argsort(~wrong, kind="stable")
        return self.taken(self.joined(each), np.argsort(order, kind="stable"))

    def _one_by_one(self, chunk: Chunk, starts: Codes) -> Summaries:
        found, reasons = np.empty(len(starts), dtype=object), Reasons()
        for cell, rows in enumerate(slices(starts, chunk.n)):
            try:
                found[cell] = summarized(self.asked, chunk.rows(rows), self.view)
            except REFUSED as error:
                reasons[cell] = self.reason(error)
                found[cell] = summarized(self.asked, chunk.rows(slice(0, 0)), self.view)
        return Summaries(found, reasons)

    def empty(self, chunk: Chunk) -> Any:
        """Return a stack with one summary of no rows."""
        none = chunk.rows(slice(0, 0))
        return stacked([cast(Stacked[Any], self.asked).summarize(none)])

    def reason(self, error: Exception) -> str:
        """Return an error as a reason, with the name of the column."""
        named = error.named(self.view.schema.feature_names) if isinstance(error, ColumnError) else error
        return str(named)

    def merged(self, a: Summaries, b: Summaries, cells_a: Codes, cells_b: Codes) -> Summaries:
        """Return the sums of cells of both, by their places; -1: of the other alone."""
        reasons = _moved(b.reasons, cells_b) | _moved(a.reasons, cells_a)
        stack, more = self._sums(a.stack, b.stack, cells_a, cells_b)
        return Summaries(stack, more | reasons)

    def _sums(self, a: Any, b: Any, cells_a: Codes, cells_b: Codes) -> tuple[Any, Reasons]:
        if not self.in_stacks:
            return self._sums_one_by_one(a, b, cells_a, cells_b)
        try:
            return cast(Stacked[Any], self.asked).merge_cells(a, b, cells_a, cells_b), {}
        except REFUSED as error:
            if len(cells_a) == 1:
                return taken(a, cells_a), {0: self.reason(error)}
        half = len(cells_a) // 2
        each = [self._sums(a, b, cells_a[some], cells_b[some]) for some in (slice(0, half), slice(half, None))]
        found = self.joined([Summaries(*one) for one in each])
        return found.stack, found.reasons

    def _sums_one_by_one(self, a: Values, b: Values, cells_a: Codes, cells_b: Codes) -> tuple[Values, Reasons]:
        found, reasons = np.empty(len(cells_a), dtype=object), Reasons()
        for cell, (i, j) in enumerate(zip(cells_a.tolist(), cells_b.tolist(), strict=True)):
            found[cell] = a[i] if i >= 0 else b[j]
            if i >= 0 and j >= 0:
                try:
                    found[cell] = a[i] + b[j]
                except REFUSED as error:
                    reasons[cell] = self.reason(error)
        return found, reasons

    def taken(self, some: Summaries, at: Codes) -> Summaries:
        """Return the summaries of some cells."""
        stack = taken(some.stack, at) if self.in_stacks else some.stack[at]
        return Summaries(stack, _moved(some.reasons, at))

    def joined(self, each: Sequence[Summaries]) -> Summaries:
        """Return summaries one after the other."""
        reasons, before = Reasons(), 0
        for one in each:
            reasons |= {before + cell: why for cell, why in one.reasons.items()}
            before += self.count(one)
        stacks = [one.stack for one in each]
        return Summaries(joined_stacks(stacks) if self.in_stacks else np.concatenate(stacks), reasons)

    def cell(self, some: Summaries, at: int) -> Any:
        """Return the summary of one cell, as a learner has it."""
        return cell_of(some.stack, at) if self.in_stacks else some.stack[at]

    def count(self, some: Summaries) -> int:
        """How many cells there are."""
        return len(_first_array(some.stack)) if self.in_stacks else len(some.stack)

    def size(self, some: Summaries) -> int:
        """Bytes that stacked summaries take."""
        return _bytes(some.stack)

    def in_tree(self, some: Summaries, cell: Codes, part: Codes) -> Summaries:
        """Merge the summaries of each cell in the fixed tree over the parts.

        They are in order of their cells, then of their parts.
        """
        for left, right in tree_levels(cell, part):
            some = self.merged(some, some, left, right)
        return some


def _not_finite(chunk: Chunk, starts: Codes) -> Flags:
    """Return which cells have a number that is not finite, where none may be missing, or that is infinite."""
    wrong, missing = np.zeros(chunk.n, bool), chunk.X.missing
    for rows, block in chunk.X.blocks(checked=False):
        wrong[rows] = (np.isinf(block) if missing else ~np.isfinite(block)).any(axis=1)
    return np.logical_or.reduceat(wrong, starts)


def _moved(reasons: Reasons, at: Codes) -> Reasons:
    """Return reasons under the new places of their cells."""
    if not reasons:
        return {}
    return {new: reasons[int(at[new])] for new in np.flatnonzero(np.isin(at, list(reasons))).tolist()}


def _first_array(stack: Any) -> Any:
    """Return an array of a stack: each has an axis of cells in front."""
    for _, _, value in values(stack):
        if isinstance(value, np.ndarray):
            return value
        if is_record(value):
            return _first_array(value)
    raise TypeError(f"{type(stack).__name__} has no array, so it does not stack")


def _bytes(stack: Any) -> int:
    """Return how many bytes the arrays of a stack take."""
    return sum(
        value.nbytes if isinstance(value, np.ndarray) else _bytes(value) if is_record(value) else 0
        for _, _, value in values(stack)
    )
