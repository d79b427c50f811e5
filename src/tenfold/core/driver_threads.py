"""Threads that a learner's `update` may use while the driver has nothing else to do.

For work that gives the same bits however it is shared: whole numbers, or pieces that do not meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import pairwise
from typing import TypeVar

from tenfold.core.pools import Pools

T = TypeVar("T")

MIN_ROWS_PER_THREAD = 1 << 13
"""rows for each thread: with fewer, calling it takes longer than it saves"""

_threads: ContextVar[int] = ContextVar("threads", default=1)
_pools = Pools("tenfold-driver")


@contextmanager
def driver_threads(threads: int) -> Iterator[None]:
    """Limit the threads of the driver, including the calling one, to n inside the block."""
    token = _threads.set(threads)
    try:
        yield
    finally:
        _threads.reset(token)


def thread_count() -> int:
    """How many threads there are, this one included."""
    return _threads.get()


def run_all(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Run calls and return their results in order: the first here, others in free threads or, if none is, here too."""
    n = thread_count()
    if n == 1 or len(calls) == 1:
        return [call() for call in calls]
    rest: list[tuple[Future[T], Callable[[], T]]] = []
    try:
        with _pools.of(n - 1) as pool:
            for call in calls[1:]:
                rest.append((pool.submit(call), call))
            return [calls[0](), *(call() if made.cancel() else made.result() for made, call in rest)]
    except BaseException:
        for made, _ in rest:
            made.cancel()  # what has begun ends by itself
        raise


def by_rows(n: int, call: Callable[[int, int], T]) -> list[T]:
    """Split rows among threads and return the result of a call for each range of rows."""
    threads = min(thread_count(), max(1, n // MIN_ROWS_PER_THREAD))
    ends = [n * i // threads for i in range(threads + 1)]
    return run_all([partial(call, a, z) for a, z in pairwise(ends)])
