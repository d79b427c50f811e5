"""The runner for one process: a thread pool over parts, merged in the fixed tree."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from typing import Any, Protocol

from tenfold.engine.job import Job
from tenfold.engine.threads import one_blas_thread
from tenfold.engine.tree import merge
from tenfold.sources import Source


class Runner(Protocol):
    """Executes one reduce, or one map, somewhere."""

    def reduce(self, source: Source, job: Job) -> Any:
        """The merge of the job's summaries of all its parts, in the fixed tree."""

    def map(self, function: Callable[[int], Any], parts: Iterable[int]) -> Iterator[Any]:
        """The function of each part, in order, a few at a time."""


class Local:
    """Threads of this process.

    Parameters
    ----------
    threads : int, optional
        How many parts are worked on at once; all processors of this process by default. The
        answer does not depend on it, to the bit.

    Examples
    --------
    >>> import tenfold as tn
    >>> with tn.on(tn.Local(threads=2)):
    ...     model = tn.StandardScaler().fit([[1.0], [3.0]])
    >>> model.mean_
    array([2.])
    """

    def __init__(self, threads: int | None = None) -> None:
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        self.threads = threads or _processors()

    def __repr__(self) -> str:
        return f"Local(threads={self.threads})"

    def reduce(self, source: Source, job: Job) -> Any:
        """The merge of the job's summaries of all its parts, in the fixed tree."""
        with closing(self.map(lambda part: job(source, part), job.parts(source))) as summaries:
            return merge(summaries)

    def map(self, function: Callable[[int], Any], parts: Iterable[int]) -> Generator[Any]:
        """The function of each part, in order; at most twice as many as threads are in flight."""
        parts = list(parts) if not isinstance(parts, range) else parts
        with one_blas_thread:
            if self.threads == 1 or len(parts) == 1 or getattr(_here, "inside", False):
                yield from map(function, parts)
                return
            pool = _pool(self.threads)
            waiting: deque[Future[Any]] = deque()
            try:
                for part in parts:
                    waiting.append(pool.submit(_inside, function, part))
                    if len(waiting) >= 2 * self.threads:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()
                wait(waiting)


_pools: dict[int, ThreadPoolExecutor] = {}
_here = threading.local()


def _pool(threads: int) -> ThreadPoolExecutor:
    """The pool of so many threads, kept: a round of k-means is shorter than starting one."""
    if threads not in _pools:
        _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="tenfold")
    return _pools[threads]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # threads do not survive a fork


def _inside(function: Callable[[int], Any], part: int) -> Any:
    """Run in a pool's thread, which must not wait for the pool itself."""
    _here.inside = True
    return function(part)


def _processors() -> int:
    """Processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
