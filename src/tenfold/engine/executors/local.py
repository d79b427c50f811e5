"""The runner for one process: a thread pool over parts, merged in the fixed tree."""

from __future__ import annotations

import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import closing, contextmanager
from functools import cached_property, partial
from typing import Any

from tenfold.core.pools import Pools
from tenfold.engine import ordered
from tenfold.engine.executors.held_store import HeldStore
from tenfold.engine.executors.threads import memory_of_this_machine, one_blas_thread, threads_for_parts
from tenfold.engine.executors.unused_memory import give_back
from tenfold.engine.held_rows import Piece, follow, of_held, read
from tenfold.engine.job import Job
from tenfold.engine.merge_tree import merge, runs
from tenfold.engine.ordered import Places
from tenfold.engine.plan import Leaf
from tenfold.engine.progress import Bar, bar
from tenfold.engine.runner import Runner, Session, by_order
from tenfold.engine.scan_part import LeafSummary, summary_of_part
from tenfold.sources import Source

TASKS_PER_THREAD = 32
"""for each thread: few enough to be cheap, many enough to end together"""
LONG_SCAN_SECONDS = 1.0
"""after such a scan, and before the next, memory that arrays have left is given back"""
HELD_TASKS_PER_THREAD = 4
"""the same where all that is asked for is held already, so that a task is short"""


class Local(Runner):
    """Runner on threads of this process.

    Parameters
    ----------
    threads : int, optional
        How many parts are worked on at once; by default all processors that this process, or its container, may
        use, but no more than one for each 256 MiB of its memory. The answer does not depend on it, to the bit.
    memory : int, optional
        Bytes of prepared data (bins, weights of rows) to hold in memory between rounds; by default a quarter of the
        memory of this machine, or of the container. Rows beyond it are written to a temporary folder.

    Examples
    --------
    >>> import tenfold as tn
    >>> with tn.on(tn.Local(threads=2)):
    ...     model = tn.StandardScaler().fit([[1.0], [3.0]])
    >>> model.mean_
    array([2.])
    """

    def __init__(self, threads: int | None = None, memory: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        if memory is not None and memory < 0:
            raise ValueError(f"memory must not be negative, but is {memory}")
        self.threads = threads or threads_for_parts()
        self.memory = memory_of_this_machine() // 4 if memory is None else memory

    def __repr__(self) -> str:
        return f"Local(threads={self.threads})"

    @property
    def driver_threads(self) -> int:
        # How many threads an update may use: those of the runner.
        return self.threads

    @contextmanager
    def open(self, source: Source) -> Iterator[LocalSession]:
        session = LocalSession(self, source)
        try:
            yield session
        finally:
            if "store" in vars(session):
                session.store.close()

    def map(self, function: Callable[[int], Any], parts: Iterable[int], source: Any = None) -> Generator[Any]:
        # The function of each part, in order; at most twice as many as threads are in flight.
        parts = list(parts) if not isinstance(parts, range) else parts
        if self.threads == 1 or len(parts) == 1 or getattr(_here, "inside", False):
            yield from map(partial(_limited, function), parts)
            return
        waiting: deque[Future[Any]] = deque()
        with _pools.of(self.threads) as pool:
            try:
                for part in parts:
                    waiting.append(pool.submit(_inside, function, part))
                    if len(waiting) >= 2 * self.threads:
                        yield _first(waiting)
                while waiting:
                    yield _first(waiting)
            finally:
                for future in waiting:
                    future.cancel()
                wait(waiting)


class LocalSession(Session):
    """Session of a local runner: a source, and what is held of it."""

    merges_here = True

    def __init__(self, runner: Local, source: Source) -> None:
        self.runner, self.source = runner, source
        self._long = False
        """whether the last scan was long, so that what was made of its summaries left much memory behind, too"""
        self._held: dict[str, Leaf] = {}
        """by name, whose rows and scratch are in the store: leaves may be known by where they are, so they stay"""

    @cached_property
    def store(self) -> HeldStore:
        """What is held between rounds; most learners hold nothing."""
        return HeldStore(self.runner.memory)

    @property
    def memory(self) -> int:
        return self.runner.memory

    def reduce(self, job: Job) -> Any:
        with one_blas_thread():
            return self._over(job.parts(self.source), partial(job, self.source))

    def leaves(self, leaves: list[Leaf]) -> list[Any]:
        # The summary of each leaf: read, from what is held of the parts, or part after part.
        found, began = dict[int, Any](), time.monotonic()
        if self._long:
            give_back()
        with one_blas_thread():
            if len(leaves) == len(self.source) == 1 and leaves[0].plain and bar() is None:
                if self._held:
                    self._keep({})
                return [summary_of_part(leaves[0], self.source, 0)]
            for order, places in by_order(leaves).items():
                some = [leaves[at] for at in places]
                found |= zip(places, self._merged(some) if order is None else self._walked(some, order), strict=True)
        self._long = time.monotonic() > began + LONG_SCAN_SECONDS
        if self._long:
            give_back()
        return [found[at] for at in range(len(leaves))]

    def _merged(self, leaves: list[Leaf]) -> Sequence[Any]:
        """Return the summaries of leaves that merge."""
        plain = [leaf for leaf in leaves if not leaf.held]
        held = {at: _names(leaf) for at, leaf in enumerate(leaves) if leaf.held}
        tasks = (
            HELD_TASKS_PER_THREAD
            if not plain and all(rows in self._held for rows, _ in held.values())
            else TASKS_PER_THREAD
        )
        self._keep({name: leaves[at] for at, names in held.items() for name in names})

        def one(part: int) -> LeafSummary:
            kept, lost = dict[bytes, list[Piece]](), dict[str, Leaf]()
            for at, (rows, _) in held.items():
                if part % leaves[at].every == 0:
                    found = self.store.get((rows, part))
                    if found is None:
                        lost[rows] = leaves[at]
                    else:
                        kept[leaves[at].held] = found
            fresh, made = (
                read(plain, list(lost.values()), self.source, part) if plain or lost else (LeafSummary(()), [])
            )
            for (rows, leaf), pieces in zip(lost.items(), made, strict=True):
                kept[leaf.held] = pieces
                self.store.put((rows, part), pieces)
            now = iter(fresh.each)
            return LeafSummary(
                [
                    self._of_held(leaf, kept, part, held[at][1]) if leaf.held else next(now)
                    for at, leaf in enumerate(leaves)
                ]
            )

        parts = range(0, len(self.source), math.gcd(*(leaf.every for leaf in leaves)))
        done: LeafSummary = self._over(parts, one, tasks)
        return done.each

    def _of_held(self, leaf: Leaf, kept: dict[bytes, list[Piece]], part: int, name: str) -> Any:
        """Return a leaf's summary of one part from held rows, and store its scratch under a name."""
        if part % leaf.every:
            return None
        scratch = follow(leaf, kept[leaf.held], self.store.get((name, part)))
        if any(some is not None for each in scratch for some in each.values()):
            self.store.put((name, part), scratch)
        return of_held(leaf, kept[leaf.held], scratch)

    def _keep(self, held: dict[str, Leaf]) -> None:
        """Drop held rows that none of these leaves uses."""
        for gone in self._held.keys() - held.keys():
            self.store.drop(gone)
        self._held = held

    def _walked(self, leaves: list[Leaf], order: int) -> Sequence[Any]:
        """Return the summaries of leaves that process the parts in order."""
        places, seen = Places(), self._bar(range(len(self.source)))
        for part in ordered.route(len(self.source), order):
            places = ordered.walk(leaves, self.source, part, places)
            if seen is not None:
                seen.advance(1)
        return ordered.arrived(leaves, places)

    def _bar(self, parts: range) -> Bar | None:
        """Return the current progress bar, if any, after announcing the scan to it."""
        seen = bar()
        if seen is not None:
            seen.scan(len(parts), (self.source.counted or 0) / len(self.source))
        return seen

    def _over(self, parts: range, one: Callable[[int], Any], tasks: int = TASKS_PER_THREAD) -> Any:
        """Merge a function of each part in the fixed tree, in several threads; a single part is computed in this one.

        tasks: at most so many for each thread.
        """
        if len(parts) == 1 and bar() is None:
            return one(parts[0])
        some = runs(parts, tasks * self.runner.threads)
        with closing(self.runner.map(lambda at: merge(map(one, some[at])), range(len(some)))) as summaries:
            seen = self._bar(parts)
            return merge(summaries if seen is None else _advancing(summaries, some, seen))


def _names(leaf: Leaf) -> tuple[str, str]:
    """Return the names of a leaf's held rows and of their scratch."""
    return f"held {leaf.held.hex()}", f"scratch {leaf.held.hex()} {leaf.chain}"


def _first(waiting: deque[Future[Any]]) -> Any:
    """The first result. Its future stays until it is there: an interrupt must wait for it, as for the others."""
    done = waiting[0].result()
    waiting.popleft()
    return done


def _advancing(summaries: Iterable[Any], some: list[range], seen: Bar) -> Iterator[Any]:
    """Yield the summaries, and advance the bar by one for each."""
    for summary, run in zip(summaries, some, strict=True):
        seen.advance(len(run))
        yield summary


_pools = Pools("tenfold")
_here = threading.local()


def _after_fork() -> None:
    """The thread that is left is inside a pool no more."""
    _here.inside = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _inside(function: Callable[[int], Any], part: int) -> Any:
    """Run in a pool's thread, which must not wait for the pool itself."""
    _here.inside = True
    return _limited(function, part)


def _limited(function: Callable[[int], Any], part: int) -> Any:
    """Run with one BLAS thread. The limit ends with the call: whoever iterates has his own between two parts."""
    with one_blas_thread():
        return function(part)
