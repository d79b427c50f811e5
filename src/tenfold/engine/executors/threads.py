"""Limit of one BLAS thread while summaries are computed and models updated.

With more, the bits of a product depend on how many there are. Most libraries have one number for the whole process, so
its users are counted: the first sets it, the last restores what was there, whatever threads they are. threadpoolctl
finds the libraries. Of OpenBLAS the number is set here, since threadpoolctl lets only one thread at a time set it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple

from threadpoolctl import ThreadpoolController

from tenfold.engine.executors.container_limits import limits

BYTES_OF_A_PART = 256 << 20
"""bytes for each part in progress: up to 64 MiB as it is read, decoded, in a chunk, and in copies of it"""


class Library(NamedTuple):
    """How many threads a BLAS library may use: two functions."""

    get: Callable[[], int | None]
    set: Callable[[int], Any]


class one_blas_thread:
    """One block of code in which BLAS uses one thread: `with one_blas_thread():`, also inside another such block.

    An interrupt (Ctrl-C) may come at any moment, also before `__exit__` has begun. The block is then left when it is
    deleted, together with the traceback.
    """

    __slots__ = ("_thread",)
    _thread: int | None

    def __enter__(self) -> None:
        self._thread = threading.get_ident()
        blas_limit.enter(self._thread, id(self))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__del__()

    def __del__(self) -> None:
        thread = getattr(self, "_thread", None)
        if thread is not None:
            blas_limit.leave(thread, id(self))
            self._thread = None


class BlasLimit:
    """The limit of this process, and the blocks that need it. All methods may be interrupted and called again."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # deleting a block, at any allocation, takes it once more
        self._shared: list[Library] | None = None
        self._own: list[Library] = []
        """OpenMP libraries, whose number of threads is set for each thread"""
        self.blocks: dict[int, set[int]] = {}
        """thread: the blocks that it is in"""
        self._before: list[int | None] = []
        """the number of threads to restore in each shared library; empty while there is no limit"""
        self._here = threading.local()

    def enter(self, thread: int, block: int) -> None:
        """Set the limit, if this is the first block."""
        if within := self.blocks.get(thread):  # the limit is there, and only this thread counts its blocks
            within.add(block)
            return
        with self._lock:
            if self._shared is None:
                self._find()
            self.blocks[thread] = {block}
            self._limit()
        if self._own:
            self._limit_own(True)

    def leave(self, thread: int, block: int) -> None:
        """Leave the block, and restore the numbers of threads if it is the last."""
        within = self.blocks.get(thread, set())
        if len(within) > 1:
            within.discard(block)
            return
        with self._lock:
            within.discard(block)
            if not within:
                self.blocks.pop(thread, None)
            if not self.blocks and self._shared is not None:
                self._restore()
        if self._own and not within and thread == threading.get_ident():
            self._limit_own(False)

    def _find(self) -> None:
        import scipy.linalg.blas  # noqa: F401  (its library must be loaded to be seen)

        found = ThreadpoolController().select(user_api="blas").lib_controllers
        own = [lib for lib in found if getattr(lib, "threading_layer", "") == "openmp" and _openblas(lib) is not None]
        self._own = [Library(lib.get_num_threads, lib.set_num_threads) for lib in own]
        self._shared = [
            _openblas(lib) or Library(lib.get_num_threads, lib.set_num_threads) for lib in found if lib not in own
        ]

    def _limit(self) -> None:
        """Set one thread in each library. A number that other code has set meanwhile is the one to restore."""
        assert self._shared is not None
        now = [library.get() for library in self._shared]
        if not self._before:
            self._before = now
        for at, (library, threads) in enumerate(zip(self._shared, now, strict=True)):
            if threads != 1:
                self._before[at] = threads
                library.set(1)

    def _restore(self) -> None:
        """Restore the earlier number of threads, unless other code has set another meanwhile."""
        assert self._shared is not None
        for library, threads in zip(self._shared, self._before, strict=False):
            if threads is not None and threads != 1 and library.get() == 1:
                library.set(threads)
        self._before = []

    def _limit_own(self, limited: bool) -> None:
        """The same for libraries in which every thread has a number of its own."""
        before = getattr(self._here, "before", None)
        if limited and before is None:
            self._here.before = [library.get() for library in self._own]
            for library in self._own:
                library.set(1)
        elif not limited and before is not None:
            for library, threads in zip(self._own, before, strict=True):
                library.set(threads or 1)
            self._here.before = None

    def _after_fork(self) -> None:
        """Reset the count of users after a fork: only this thread exists, and no other will leave a block."""
        self._lock = threading.RLock()
        thread = threading.get_ident()
        mine = self.blocks.get(thread)
        self.blocks = {thread: mine} if mine else {}
        if self._shared is not None and not mine:
            self._restore()


def processors() -> int:
    """Processors this process may use: those it is bound to, and no more than its container may use."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(bound, limits().processors or bound))


def threads_for_parts() -> int:
    """How many parts to work on at once: one for each processor, but no more than memory has room for."""
    return max(1, min(processors(), memory_of_this_machine() // BYTES_OF_A_PART))


def memory_of_this_machine() -> int:
    """Bytes of memory of this machine, or of the container that this process is in, if it has less."""
    memory = 8 << 30
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(memory, limits().memory or memory)


def _openblas(library: Any) -> Library | None:
    """The functions of an OpenBLAS, under whatever name it was built; None if it is another library."""
    for prefix in ("", "scipy_"):
        for suffix in ("", "64_", "_64"):
            names = (f"{prefix}openblas_{verb}_num_threads{suffix}" for verb in ("get", "set"))
            get, set = (getattr(library.dynlib, name, None) for name in names)
            if get is not None and set is not None:
                return Library(get, set)
    return None


blas_limit = BlasLimit()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=blas_limit._after_fork)
