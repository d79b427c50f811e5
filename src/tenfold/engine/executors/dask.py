"""Runner for a Dask cluster, which executes tasks through the cluster's client."""

from __future__ import annotations

import math
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from tenfold.core import DataError
from tenfold.engine.executors.executor import Executor, TaskSession
from tenfold.engine.executors.local import Local
from tenfold.engine.executors.tasks import apply, receive, with_value
from tenfold.engine.runner import Runner
from tenfold.sources import Source

MAX_SENT_BYTES = 32 << 20
"""bytes of rows in this process that are sent to the workers; more must be read by the workers themselves"""


class Dask(Runner):
    """Runner on a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster that computes.
    retries : int, default=3
        How often a part that fails (a file that cannot be read just now) is tried again.

    Examples
    --------
    >>> import tenfold as tn
    >>> from distributed import Client
    >>> with Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as client:
    ...     with tn.on(tn.Dask(client)):
    ...         model = tn.StandardScaler().fit([[1.0], [3.0]])
    >>> model.mean_
    array([2.])
    """

    def __init__(self, client: Any, *, retries: int = 3) -> None:
        try:
            import distributed
        except ImportError:
            raise ImportError("tn.Dask needs Dask. Remedy: pip install 'tenfold[dask]'") from None
        if not isinstance(client, distributed.Client):
            raise TypeError(f"tn.Dask takes a distributed.Client, not a {type(client).__name__}")
        self.client = client
        self.retries = retries

    def __repr__(self) -> str:
        return f"Dask({self.client!r})"

    @property
    def threads(self) -> int:
        """Return the number of threads of all current workers, at least 1."""
        return max(1, int(sum(self.client.nthreads().values())))

    @contextmanager
    def open(self, source: Source) -> Iterator[TaskSession]:
        if source.in_memory() > MAX_SENT_BYTES:
            raise DataError(
                f"{source.in_memory() >> 20} MiB of rows are in this process, and every worker would need a copy. "
                "Remedy: write them where all workers can read them, frame.to_parquet(folder), and fit "
                "tenfold.scan(folder, ...); or fit here, with tenfold.on(tenfold.Local())"
            )
        session = TaskSession(DaskExecutor(self), source)
        try:
            yield session
        finally:
            session.close()

    def map(self, function: Callable[[int], Any], parts: Iterable[int], source: Source | None) -> Iterator[Any]:
        # The function of each part, in order, a few at a time; of rows in this process, here.
        if source is not None and source.in_memory():
            yield from Local().map(function, parts, source)
            return
        client, name = DaskExecutor(self), f"tenfold-map-{uuid4().hex[:12]}"
        todo = client.send(function, f"function-{name}")
        waiting: deque[Any] = deque()
        most, asked = 0, -math.inf
        try:
            for part in parts:
                if time.monotonic() > asked + 30:  # workers come and go
                    most, asked = 2 * self.threads, time.monotonic()
                waiting += client.submit_parts(source, apply, (todo,), [range(part, part + 1)], f"{name}-{part}")
                if len(waiting) >= most:
                    yield _first(waiting)
            while waiting:
                yield _first(waiting)
        finally:
            self.client.cancel([todo, *waiting])


class DaskExecutor(Executor):
    """A client of Dask: outputs of tasks are its futures."""

    def __init__(self, runner: Dask) -> None:
        self.runner, self.client = runner, runner.client

    @property
    def lost(self) -> tuple[type[BaseException], ...]:
        # Several workers died under one task; not if it is the cluster that ended.
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        return (KilledWorker, CancelledError) if self.client.status == "running" else ()

    @property
    def threads(self) -> int:
        return self.runner.threads

    def send(self, value: Any, name: str) -> Any:
        # A value as the output of a task, which has a recipe: scattered data is lost with its worker.
        import cloudpickle

        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            return self.client.submit(receive, cloudpickle.dumps(value), key=name)

    def submit(self, function: Callable[..., Any], arguments: Iterable[Sequence[Any]], name: str) -> list[Any]:
        each = list(arguments)
        keys = [f"{name}-{at}" for at in range(len(each))]
        return list(self.client.map(function, *zip(*each, strict=True), key=keys, retries=self.runner.retries))

    def submit_parts(
        self, source: Source | None, function: Any, given: Sequence[Any], runs: Sequence[Sequence[int]], name: str
    ) -> list[Any]:
        # A task for each run of parts; of partitions, for each of them: they are dependencies in its graph.
        graph = None if source is None else source.graph()
        if graph is None:
            return self.submit(function, [(*given, some) for some in runs], name)
        from dask import delayed

        parts = [part for some in runs for part in some]
        tasks = [
            delayed(with_value, pure=False)(function, graph.key, part, value, *given, dask_key_name=f"{name}-{part}")
            for part, value in zip(parts, graph.partitions(parts), strict=True)
        ]
        return list(self.client.compute(tasks, retries=self.runner.retries))

    def gather(self, handles: list[Any]) -> list[Any]:
        found: list[Any] = self.client.gather(handles)
        return found

    def done(self, handle: Any) -> bool:
        return bool(handle.done())

    def release(self, handles: list[Any]) -> None:
        if self.client.status == "running":
            self.client.cancel(handles)


def _first(waiting: deque[Any]) -> Any:
    """The first result; a future that failed stays, to be cancelled: else its error would keep it, and it the error."""
    done = waiting[0].result()
    waiting.popleft()
    return done
