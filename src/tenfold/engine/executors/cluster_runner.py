"""Base of the runners whose engine keeps the outputs of tasks: Dask, Ray."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar
from uuid import uuid4

from tenfold.core import DataError
from tenfold.engine.executors.executor import WORKER_COUNT_SECONDS, Executor, TaskSession
from tenfold.engine.executors.local import Local
from tenfold.engine.executors.tasks import apply
from tenfold.engine.runner import Runner
from tenfold.sources import Source

MAX_SENT_BYTES = 32 << 20
"""bytes of rows in this process that are sent to the workers; more must be read by the workers themselves"""


class ClusterRunner(Runner):
    """Runner on an engine that runs tasks on workers and keeps their outputs there."""

    engine: ClassVar[str]
    """name of the engine: only sources of its own graph, `source.graph()`, can be tasks of it"""

    @abstractmethod
    def executor(self) -> Executor:
        """The engine, for one fit or one map."""

    @contextmanager
    def open(self, source: Source) -> Iterator[TaskSession]:
        self._check(source)
        session = TaskSession(self.executor(), source)
        try:
            yield session
        finally:
            session.close()

    def map(self, function: Callable[[int], Any], parts: Iterable[int], source: Source | None) -> Iterator[Any]:
        # The function of each part, in order, a few at a time; of rows in this process, here.
        if source is not None and source.in_memory():
            yield from Local().map(function, parts, source)
            return
        if source is not None:
            self._check(source)
        executor, name = self.executor(), f"tenfold-map-{uuid4().hex[:12]}"
        todo = executor.send(function, f"function-{name}")
        waiting: deque[Any] = deque()
        most, asked = 0, -math.inf
        try:
            for part in parts:
                if time.monotonic() > asked + WORKER_COUNT_SECONDS:
                    most, asked = 2 * executor.threads, time.monotonic()
                waiting += executor.submit_parts(source, apply, (todo,), [range(part, part + 1)], f"{name}-{part}")
                if len(waiting) >= most:
                    yield _first(executor, waiting)
            while waiting:
                yield _first(executor, waiting)
        finally:
            executor.release([todo, *waiting])

    def _check(self, source: Source) -> None:
        """Refuse rows that the workers cannot read."""
        if source.in_memory() > MAX_SENT_BYTES:
            raise DataError(
                f"{source.in_memory() >> 20} MiB of rows are in this process, and every worker would need a copy. "
                "Remedy: write them where all workers can read them, frame.to_parquet(folder), and fit "
                "tenfold.scan(folder, ...); or fit here, with tenfold.on(tenfold.Local())"
            )
        graph = source.graph()
        if graph is not None and graph.engine != self.engine:
            raise DataError(
                f"the rows are a collection of {graph.engine}, whose parts {self.engine} cannot compute. Remedy: write "
                "them where all workers can read them, frame.to_parquet(folder), and fit tenfold.scan(folder, ...)"
            )


def _first(executor: Executor, waiting: deque[Any]) -> Any:
    """The first output; a handle that failed stays, to be released: else its error would keep it, and it the error."""
    (done,) = executor.gather([waiting[0]])
    waiting.popleft()
    return done
