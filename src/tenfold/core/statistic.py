"""Statistics: what a learner asks of the rows, as values that define a computation on one chunk.

Their results, summaries, merge. What a statistic can do beyond that it declares by its base class: nobody probes for a
method. `CAPABILITIES` lists all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import pairwise
from typing import ClassVar, Generic, TypeVar

import numpy as np

from tenfold.core.arrays import Codes, HeldRows
from tenfold.core.mergeable import joined_stacks, stacked, taken
from tenfold.core.rows.chunk import Chunk, segments
from tenfold.core.rows.columns import Columns
from tenfold.core.rows.joined_rows import JoinedRows
from tenfold.core.value import Value

S = TypeVar("S")


class Expression(Value):
    """A statistic, or statistics put together by combinators (`stats/combinators.py`)."""


class Statistic(Expression, Generic[S]):
    """Computation on one chunk. It is small, since it is sent to the workers; its summaries merge by `+`.

    Examples
    --------
    The weight of rows above a limit:

    >>> from tenfold.core.statistic import Statistic
    >>> class Above(Statistic[float]):
    ...     column: int
    ...     limit: float
    ...
    ...     def summarize(self, chunk):
    ...         return float(chunk.weight[chunk.X.column(self.column) > self.limit].sum())
    >>> Above(0, 1.5) == Above(0, 1.5)
    True
    """

    def summarize(self, chunk: Chunk) -> S:
        """The summary of a chunk; of no rows, the identity of `+`. Pure: any worker may do it, and do it again."""
        raise NotImplementedError

    @property
    def summary_bytes(self) -> int:
        """About how many bytes a summary takes that has all rows; 0 for others, and where rows are not counted yet.

        One scan makes only as many of such summaries as memory is set aside for.
        """
        return 0

    @property
    def title(self) -> str:
        """Name of the statistic in histories, progress bars and the dashboards of clusters."""
        return type(self).__name__


class Grouped(Statistic[S]):
    """The same for every fold: of some groups of rows, all groups are summarized at once, and merged for each fold."""

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> Sequence[S | None]:
        """Return the summary of each group, equal to `summarize` of its rows; groups without rows may have None.

        A code of -1: the row belongs to no group. Here it is made group by group: a kernel that does it in one go is
        faster.
        """
        found: list[S | None] = [None] * groups
        for group, rows in segments(chunk, codes):
            found[group] = self.summarize(rows)
        return found


class Stacked(Statistic[S]):
    """Summaries of many cells as one record whose arrays have an axis of cells in front: for a model for each key.

    A statistic that is not `Stacked` has its cells summarized and merged one by one, with the same bits.
    """

    def summarize_cells(self, chunk: Chunk, starts: Codes) -> S:
        """Return the stack of the summaries of some cells; each has the bits of `summarize` of its rows.

        The rows of a cell are consecutive: `starts` has the first of each, and each cell has rows. Here they are
        summarized one by one: a kernel that does it in one go is faster.
        """
        return stacked([self.summarize(chunk.rows(rows)) for rows in slices(starts, chunk.n)])

    def merge_cells(self, a: S, b: S, cells_a: Codes, cells_b: Codes) -> S:
        """Return a stack whose cell k is the sum of a cell of each stack, by their places; -1: of the other alone.

        Here by `+` of the stacks, so that of their class must add all cells at once, each to the bit as by itself.
        """
        both, alone = (cells_a >= 0) & (cells_b >= 0), cells_b < 0
        places = [np.flatnonzero(some) for some in (both, alone, cells_a < 0)]
        pieces = [taken(a, cells_a[places[1]]), taken(b, cells_b[places[2]])]
        if both.any():
            merged = taken(a, cells_a[places[0]]) + taken(b, cells_b[places[0]])  # type: ignore[operator]
            pieces.insert(0, merged)
        return taken(joined_stacks(pieces), np.argsort(np.concatenate(places), kind="stable"))

    def summarize_parts(self, chunk: Chunk, starts: Codes, cells: Codes, parts: Codes) -> S:
        """Return the stack of the summaries of cells whose rows are of several parts.

        `starts` has the first row of each run of rows of one cell and one part, `cells` and `parts` say of which, in
        order. Each cell has the bits of the summaries of its runs, merged in the fixed tree over the parts. Here by
        `summarize_cells` and `merge_cells`: a kernel that does it in one go is faster.
        """
        found = self.summarize_cells(chunk, starts)
        for left, right in tree_levels(cells, parts):
            found = self.merge_cells(found, found, left, right)
        return found


def tree_levels(cells: Codes, parts: Codes) -> Iterator[tuple[Codes, Codes]]:
    """Yield the pairs that merge on each level of the fixed tree, by their places: -1 on the right, of one alone.

    Cells and parts are those of some summaries, in order of their cells, then of their parts: two of a cell that meet
    on a level stand beside each other. So it is the tree of `engine/merge_tree.py`, whose unfinished subtrees are those
    of a finished one with empty parts at the end.
    """
    while (cells[1:] == cells[:-1]).any():
        parts = parts >> 1
        new = np.ones(len(cells), bool)
        new[1:] = (cells[1:] != cells[:-1]) | (parts[1:] != parts[:-1])
        left = np.flatnonzero(new)
        if len(left) < len(cells):
            right = np.append(left[1:], len(cells)) - 1
            yield left, np.where(right > left, right, -1)
            cells, parts = cells[left], parts[left]


def cell_of_rows(starts: Codes, n: int) -> Codes:
    """Return the number of the cell of each row, from the first row of each cell."""
    return np.repeat(np.arange(len(starts)), np.diff(np.append(starts, n)))


def slices(starts: Codes, n: int) -> list[slice]:
    """Return the rows of each of some cells that follow each other, from the first row of each."""
    return [slice(a, b) for a, b in pairwise([*starts.tolist(), n])]


class Lens(Value):
    """Transformation of a chunk that is computed once and held over the rounds of a fit.

    A value separate from statistics, which differ from round to round. Row i of its result is row
    i of the chunk. It does not look at weights: those belong to the chunk, also when its rows are held.
    """

    def __call__(self, chunk: Chunk) -> HeldRows:
        """Return the representation of a chunk to hold."""
        raise NotImplementedError


class WholeRows(Lens):
    """Lens that holds a chunk unchanged, with all its columns."""

    def __call__(self, chunk: Chunk) -> Chunk:
        """Return the chunk unchanged, to hold it as it was read."""
        return chunk


class Held(Statistic[S]):
    """Reads rows through a `lens`, in many rounds: for trees, boosting and EM.

    Its chunks have no columns, but `held` and `scratch`; weights are there as ever.
    """

    lens: Lens = field(kw_only=True)
    whole: ClassVar[bool] = False
    """whether its summary has all the rows, so that only claims need them again"""

    def follow(self, held: HeldRows, scratch: HeldRows) -> HeldRows:
        """Return the scratch of held rows for this statistic: the same bits from None as from any earlier scratch."""
        return None


class Ordered(Statistic[S]):
    """Walks one part after another, in windows of rows: for SGD, perceptrons, networks. Its summaries do not merge."""

    order: int = field(default=0, kw_only=True)
    """0: parts as they come; any other number draws an order of the parts"""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if issubclass(cls, (Grouped, Held, Stacked)):
            raise TypeError(f"{cls.__name__}: what walks the rows in order cannot hold them, nor group them at once")

    def window(self, X: Columns) -> int:
        """How many rows like these, or sequences of them, `step` takes at a time, wherever parts are cut."""
        raise NotImplementedError

    def step(self, summary: S | None, chunk: Chunk) -> S:
        """Where the rows of one window lead, from where those before it led; None: from the start. Pure."""
        raise NotImplementedError


class Strided(Statistic[S]):
    """Reads each `every`-th part only: for warm starts, and for sketches."""

    every: int = field(kw_only=True)
    """a power of two: then its summaries merge in the same tree whoever else reads the parts between"""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.every < 1 or self.every & (self.every - 1):
            raise ValueError(f"every must be a power of two, not {self.every}")


class Gathered(Statistic[JoinedRows]):
    """The rows themselves, within the runner's memory: for learners that need all of them at once."""

    relative: ClassVar[str] = ""
    """the alternative for rows that do not fit in memory, as the call to write"""
    memory: int = field(default=0, kw_only=True)
    """bytes that the rows may take; the plan sets the memory of the runner"""

    def summarize(self, chunk: Chunk) -> JoinedRows:
        return JoinedRows((chunk,), self.memory, self.relative)

    def check_count(self, rows: int) -> None:
        """Refuse a number of rows before any of them is read, if they are known to be too many."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.relative:
            name = type(self).__name__
            raise TypeError(f"{name} gathers rows, and must say what to use for more than fit: `relative`")


CAPABILITIES = (Statistic, Grouped, Stacked, Held, Ordered, Strided, Gathered)
"""all capabilities that a statistic can declare; the first line of each says what it adds, and for which caller"""
