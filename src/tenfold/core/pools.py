"""Pools of threads that are kept between uses: a round of k-means is shorter than starting threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple


class Leased(NamedTuple):
    """A pool, and how many use it now."""

    pool: ThreadPoolExecutor
    users: int


class Pools:
    """Thread pools by their number of threads: those in use and the last one used; all others are closed.

    Parameters
    ----------
    prefix : str
        How names of their threads begin.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        """Begin again without pools: threads do not survive a fork."""
        self._lock = threading.Lock()
        self._leased: dict[int, Leased] = {}

    @contextmanager
    def of(self, threads: int) -> Iterator[ThreadPoolExecutor]:
        """The pool of `threads` threads, shared by all who use it inside such a block."""
        with self._lock:
            found = self._leased.get(threads)
            pool = ThreadPoolExecutor(threads, thread_name_prefix=self.prefix) if found is None else found.pool
            self._leased[threads] = Leased(pool, 1 if found is None else found.users + 1)
        try:
            yield pool
        finally:
            with self._lock:
                mine = self._leased.get(threads)
                if mine is not None and mine.pool is pool:  # else this is the child of a fork
                    self._leased[threads] = Leased(pool, mine.users - 1)
                    self._close_others(threads)

    def _close_others(self, kept: int) -> None:
        """Close pools that are not in use; calls that have started there run to their end."""
        for threads, (pool, users) in list(self._leased.items()):
            if not users and threads != kept:
                del self._leased[threads]
                pool.shutdown(wait=False)
