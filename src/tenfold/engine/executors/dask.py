"""Runner for a Dask cluster, which executes tasks through the cluster's client."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tenfold.engine.executors.cluster_runner import ClusterRunner
from tenfold.engine.executors.executor import Executor
from tenfold.engine.executors.tasks import receive, with_value
from tenfold.sources import Source


class Dask(ClusterRunner):
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

    engine = "Dask"

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

    def executor(self) -> DaskExecutor:
        return DaskExecutor(self)


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

    def submit(
        self, function: Callable[..., Any], arguments: Iterable[Sequence[Any]], name: str, *, keep: bool = False
    ) -> list[Any]:
        each = list(arguments)
        keys = [f"{name}-{at}" for at in range(len(each))]
        return list(self.client.map(function, *zip(*each, strict=True), key=keys, retries=self.runner.retries))

    def submit_parts(
        self,
        source: Source | None,
        function: Any,
        given: Sequence[Any],
        runs: Sequence[Sequence[int]],
        name: str,
        *,
        keep: bool = False,
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
