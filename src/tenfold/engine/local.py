"""The runner for one process: a thread pool over parts, merged in the fixed tree."""

from __future__ import annotations

import math
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from typing import Any, Protocol

from tenfold.core.statistic import Expression
from tenfold.engine import ordered
from tenfold.engine.holding import follow, hold, of_held
from tenfold.engine.job import Job
from tenfold.engine.ordered import Places
from tenfold.engine.plan import Leaf, Plan
from tenfold.engine.progress import Bar, bar
from tenfold.engine.scanning import Found, Scan
from tenfold.engine.store import Store
from tenfold.engine.threads import one_blas_thread
from tenfold.engine.together import Many, Together
from tenfold.engine.tree import merge, runs
from tenfold.engine.walking import InOrder, arrived, route, walk
from tenfold.sources import Source

TASKS = 32
"""for each thread: few enough to be cheap, many enough to end together"""


class Session(Protocol):
    """A source, opened for one fit. What a runner keeps between reduces lives and dies with it."""

    def reduce(self, job: Job) -> Any:
        """The merge of the job's summaries of all its parts, in the fixed tree."""


class Runner(Protocol):
    """Executes reduces, or a map, somewhere."""

    def open(self, source: Source) -> AbstractContextManager[Session]:
        """A source to reduce, as often as a fit needs it."""

    def map(self, function: Callable[[int], Any], parts: Iterable[int], source: Source) -> Iterator[Any]:
        """The function of each part of a source, in order, a few at a time."""


class Local:
    """Threads of this process.

    Parameters
    ----------
    threads : int, optional
        How many parts are worked on at once; all processors of this process by default. The
        answer does not depend on it, to the bit.
    memory : int, optional
        Bytes of prepared data (bins, weights of rows) to hold in memory between rounds; a quarter of this
        machine's memory by default. What does not fit is written to a temporary folder.

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
        self.threads = threads or _processors()
        self.memory = _memory() // 4 if memory is None else memory

    def __repr__(self) -> str:
        return f"Local(threads={self.threads})"

    @contextmanager
    def open(self, source: Source) -> Iterator[LocalSession]:
        """A source to reduce, as often as a fit needs it."""
        with closing(Store(self.memory)) as store:
            yield LocalSession(self, source, store)

    def map(self, function: Callable[[int], Any], parts: Iterable[int], source: Any = None) -> Generator[Any]:
        """The function of each part, in order; at most twice as many as threads are in flight."""
        parts = list(parts) if not isinstance(parts, range) else parts
        if self.threads == 1 or len(parts) == 1 or getattr(_here, "inside", False):
            yield from map(partial(_limited, function), parts)
            return
        pool = _pool(self.threads)
        waiting: deque[Future[Any]] = deque()
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


class LocalSession:
    """A source, and what is held of it."""

    def __init__(self, runner: Local, source: Source, store: Store) -> None:
        self.runner, self.source, self.store = runner, source, store
        self._names: set[str] = set()
        self._kinds: set[str] = set()

    def reduce(self, job: Job) -> Any:
        """The merge of the job's summaries of all its parts, in the fixed tree."""
        with one_blas_thread:
            return self._walked(job.job) if isinstance(job, InOrder) else self._merged(job)

    def answer(self, expression: Expression) -> Any:
        """What an expression says of all rows: summaries, counted, in the shape of the expression."""
        plan = Plan(expression)
        with one_blas_thread:
            found = self._of_all(plan) | self._of_each_in_turn(plan)
        return plan.answer([found[at] for at in range(len(plan.leaves))])

    def _of_all(self, plan: Plan) -> dict[int, Any]:
        """The leaves whose summaries merge: read, or from what is held of the parts."""
        read = [at for at, leaf in enumerate(plan.leaves) if leaf.order is None and not leaf.held]
        held = [at for at, leaf in enumerate(plan.leaves) if leaf.held]
        self._keep(plan.leaves[at] for at in held)
        if not read and not held:
            return {}
        scan, leaves = Scan(tuple(plan.leaves[at] for at in read)), [plan.leaves[at] for at in held]

        def one(part: int) -> Found:
            fresh = scan(self.source, part).each if read else ()
            return Found([*fresh, *(self._of_held(leaf, part) for leaf in leaves)])

        parts = range(0, len(self.source), math.gcd(*(plan.leaves[at].every for at in (*read, *held))))
        return dict(zip([*read, *held], self._over(parts, one).each, strict=True))

    def _of_held(self, leaf: Leaf, part: int) -> Any:
        """A leaf's summary of one part; what is not held, or not any more, is made again."""
        if part % leaf.every:
            return None
        held, followed = _names(leaf)
        pieces = self.store.get((held, part))
        if pieces is None:
            pieces = hold(leaf, self.source, part)
            self.store.put((held, part), pieces)
        scratch = follow(leaf, pieces, self.store.get((followed, part)))
        if any(some is not None for each in scratch for some in each.values()):
            self.store.put((followed, part), scratch)
        return of_held(leaf, pieces, scratch)

    def _keep(self, leaves: Iterable[Leaf]) -> None:
        """Forget what none of these leaves holds."""
        names = {name for leaf in leaves for name in _names(leaf)}
        for gone in self._kinds - names:
            self.store.drop(gone)
        self._kinds = names

    def _of_each_in_turn(self, plan: Plan) -> dict[int, Any]:
        """The leaves that walk the parts one after another."""
        found: dict[int, Any] = {}
        for order in sorted({leaf.order for leaf in plan.leaves if leaf.order is not None}):
            some = [at for at, leaf in enumerate(plan.leaves) if leaf.order == order]
            leaves, places, seen = [plan.leaves[at] for at in some], Places(), self._bar(range(len(self.source)))
            for part in ordered.route(len(self.source), order):
                places = ordered.walk(leaves, self.source, part, places)
                if seen is not None:
                    seen.advance(1)
            found |= zip(some, ordered.arrived(leaves, places), strict=True)
        return found

    def _merged(self, job: Job) -> Any:
        """The parts by several threads."""
        held = isinstance(job, Together) and any(item.name for item in job.items)
        return self._over(job.parts(self.source), self._held(job) if held else partial(job, self.source))

    def _bar(self, parts: range) -> Bar | None:
        """The progress bar, if there is one, told what comes."""
        seen = bar()
        if seen is not None:
            seen.scan(len(parts), (self.source.counted or 0) / len(self.source))
        return seen

    def _over(self, parts: range, one: Callable[[int], Any]) -> Any:
        """The merge of a function of each part, in the fixed tree, by several threads."""
        some = runs(parts, TASKS * self.runner.threads)
        with closing(self.runner.map(lambda at: merge(map(one, some[at])), range(len(some)))) as summaries:
            seen = self._bar(parts)
            return merge(summaries if seen is None else _told(summaries, some, seen))

    def _walked(self, job: Together) -> Many:
        """The parts one after another."""
        parts, places, seen = route(job, self.source), None, bar()
        if seen is not None:
            seen.scan(len(parts), (self.source.counted or 0) / len(self.source))
        for part in parts:
            places = walk(job, self.source, part, places)
            if seen is not None:
                seen.advance(1)
        assert places is not None
        return arrived(job, places)

    def _held(self, job: Any) -> Callable[[int], Many]:
        """The job for one part, from what is held of it as far as it is."""
        items = job.items
        names = {item.name for item in items if item.name}
        for gone in self._names - names:
            self.store.drop(f"held {gone}")
            self.store.drop(f"scratch {gone}")
        self._names = names

        def one(part: int) -> Many:
            found: dict[int, Any] = {
                at: self.store.get((f"held {i.name}", part)) for at, i in enumerate(items) if i.name
            }
            lost = [at for at, held in found.items() if held is None]
            for at, held in zip(lost, job.only(lost).hold(self.source, part) if lost else (), strict=True):
                self.store.put((f"held {items[at].name}", part), held)
                found[at] = held
            read = [at for at, item in enumerate(items) if not item.name]
            fresh = dict(zip(read, job.only(read)(self.source, part).each if read else (), strict=True))
            for at, held in found.items():
                place = (f"scratch {items[at].name}", part)
                scratch = items[at].follow(held, self.store.get(place))
                if any(s is not None for s in scratch):
                    self.store.put(place, scratch)
                fresh[at] = items[at].of_held(held, scratch)
            return Many(tuple(fresh[at] for at in range(len(items))))

        return one


def _names(leaf: Leaf) -> tuple[str, str]:
    """By which the rows that a leaf holds are known, and what follows them."""
    return f"held {leaf.held.hex()}", f"scratch {leaf.held.hex()} {leaf.chain}"


def _first(waiting: deque[Future[Any]]) -> Any:
    """The first result. Its future stays until it is there: an interrupt must wait for it, as for the others."""
    done = waiting[0].result()
    waiting.popleft()
    return done


def _told(summaries: Iterable[Any], some: list[range], seen: Bar) -> Iterator[Any]:
    """The summaries, and the bar told of each."""
    for summary, run in zip(summaries, some, strict=True):
        seen.advance(len(run))
        yield summary


_pools: dict[int, ThreadPoolExecutor] = {}
_making = threading.Lock()
_here = threading.local()


def _pool(threads: int) -> ThreadPoolExecutor:
    """The pool of so many threads, kept: a round of k-means is shorter than starting one."""
    with _making:
        if threads not in _pools:
            _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="tenfold")
        return _pools[threads]


def _after_fork() -> None:
    """Threads do not survive a fork; nor is the one that is left inside a pool any more."""
    global _making
    _making = threading.Lock()
    _pools.clear()
    _here.inside = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _inside(function: Callable[[int], Any], part: int) -> Any:
    """Run in a pool's thread, which must not wait for the pool itself."""
    _here.inside = True
    return _limited(function, part)


def _limited(function: Callable[[int], Any], part: int) -> Any:
    """Run with one BLAS thread. The limit ends with the call: whoever iterates has his own between two parts."""
    with one_blas_thread:
        return function(part)


def driver_threads(runner: Runner) -> int:
    """Threads for updates, in the process that drives the fit: those of a local runner, not those of a cluster."""
    return runner.threads if isinstance(runner, Local) else _processors()


def _processors() -> int:
    """Processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory() -> int:
    """Bytes of memory of this machine."""
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return 8 << 30
