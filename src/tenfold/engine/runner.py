"""Interface of runners, which read parts and merge summaries.

To bring one, open a session whose `reduce` merges a job's summaries of all its parts in the fixed tree: plans, with all
that is held, drawn or walked in them, are answered by reduces. A runner that can keep things between two reduces
answers plans itself, and reads less.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from tenfold.core.statistic import Expression, Gathered
from tenfold.engine.executors.threads import memory_of_this_machine, processors
from tenfold.engine.held_rows import Scan
from tenfold.engine.job import Job
from tenfold.engine.ordered import Walked
from tenfold.engine.plan import Leaf, Plan
from tenfold.sources import Source


class Session(ABC):
    """Source opened for one fit. Whatever a runner keeps between reduces is released with it."""

    source: Source
    merges_here: ClassVar[bool] = False
    """whether a reduce merges in this process from its first part on, so that summaries may keep files of it"""
    repeated: int = 0
    """rounds that were computed again from the start, since outputs were lost with their workers"""

    @property
    def memory(self) -> int:
        """Bytes that may be used in the process that drives the fit: for rows that are gathered there."""
        return memory_of_this_machine() // 4

    @abstractmethod
    def reduce(self, job: Job) -> Any:
        """The merge of the job's summaries of all its parts, in the fixed tree."""

    def plan(self, expression: Expression) -> Plan:
        """The leaves of an expression over the rows of this source; too many to be gathered are refused."""
        plan = Plan(expression, self.memory, dense=not self.source.makes_sparse)
        if self.source.counted is not None and not self.source.weighted:  # each row counts
            for leaf in plan.leaves:
                if isinstance(leaf.statistic, Gathered) and leaf.all_rows:
                    leaf.statistic.check_count(self.source.counted)
        return plan

    def answer(self, expression: Expression) -> Any:
        """Return the answer of an expression over all rows: counted summaries, in the shape of the expression."""
        plan = self.plan(expression)
        return plan.answer(self.leaves(plan.leaves))

    def leaves(self, leaves: list[Leaf]) -> list[Any]:
        """The summary of each leaf: here by reduces alone, and nothing is held."""
        found: dict[int, Any] = {}
        for order, places in by_order(leaves).items():
            some = tuple(leaves[at] for at in places)
            job: Any = Scan(some) if order is None else Walked(some, order)
            found |= zip(places, self.reduce(job).each, strict=True)
        return [found[at] for at in range(len(leaves))]


class Runner(ABC):
    """Executes reduces, or a map, somewhere."""

    @abstractmethod
    def open(self, source: Source) -> AbstractContextManager[Session]:
        """A source to reduce, as often as a fit needs it."""

    @abstractmethod
    def map(self, function: Callable[[int], Any], parts: Iterable[int], source: Source | None) -> Iterator[Any]:
        """The function of each part of a source, in order, a few at a time; without a source, of some numbers."""

    @property
    def driver_threads(self) -> int:
        """Threads for updates, in the process that drives the fit."""
        return processors()


def by_order(leaves: list[Leaf]) -> dict[int | None, list[int]]:
    """Return the indices of leaves by the order in which they process parts; None: those that merge."""
    found: dict[int | None, list[int]] = {}
    for at, leaf in enumerate(leaves):
        found.setdefault(leaf.order, []).append(at)
    return found
