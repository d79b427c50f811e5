"""The runner for a Dask cluster: pure tasks over aligned subtrees, merged on the workers.

A task's input is the job as bytes, the source, and which parts; the job and the source are themselves outputs of
tasks. So whatever a dead worker had can be made again by any other, and gives the same bits. What a learner holds
between rounds are outputs of tasks too: Dask sees it, spills it, and makes it again if it is lost.
"""

from __future__ import annotations

import math
import pickle
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from uuid import uuid4

from tenfold.core import DataError
from tenfold.engine.held import Held, token
from tenfold.engine.job import Job, Summarize
from tenfold.engine.local import Local
from tenfold.engine.threads import one_blas_thread
from tenfold.engine.tree import merge, runs
from tenfold.sources import Source
from tenfold.sources.dask import at_hand

TASKS = 8
"""for each thread of the cluster: few enough to be cheap, many enough to end together and to lose little"""
WIDTH = 32
"""summaries that one task merges; a power of two, so that the tree stays the same"""
SMALL = 32 << 20
"""bytes of rows in this process that are sent to the workers; more must be read by the workers themselves"""
LINK = 8
"""rounds after which what follows the rows is kept anew"""
CUT = 64
"""rounds after which it is made from the start: what is needed to make it again stays short"""
ATTEMPTS = 3
"""at a reduce in which the same task had several workers die under it"""


class Dask:
    """A Dask cluster.

    Parameters
    ----------
    client : distributed.Client
    retries : int, default=3
        How often a part that fails (a file that cannot be read just now) is tried again.

    Examples
    --------
    >>> import tenfold as tn
    >>> from distributed import Client
    >>> with Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as client:
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
        """Of all workers now, at least 1."""
        return max(1, int(sum(self.client.nthreads().values())))

    @contextmanager
    def open(self, source: Source) -> Iterator[DaskSession]:
        """A source to reduce, as often as a fit needs it."""
        if source.in_memory() > SMALL:
            raise DataError(
                f"{source.in_memory() >> 20} MiB of rows are in this process, and every worker would need a copy. "
                "Remedy: write them where all workers can read them, frame.to_parquet(folder), and fit "
                "tenfold.scan(folder, ...); or fit here, with tenfold.on(tenfold.Local())"
            )
        session = DaskSession(self, source)
        try:
            yield session
        finally:
            session.close()

    def map(self, function: Callable[[int], Any], parts: Iterable[int], source: Source) -> Iterator[Any]:
        """The function of each part, in order, a few at a time; of rows in this process, here."""
        if source.in_memory():
            yield from Local().map(function, parts, source)
            return
        name = f"tenfold-map-{uuid4().hex[:12]}"
        todo = self._send(function, f"function-{name}")
        graph = source.graph()
        waiting: deque[Any] = deque()
        try:
            for part in parts:
                one = range(part, part + 1)
                if graph is not None:
                    waiting += self._on_graph(graph, _apply, (todo,), one, name)
                else:
                    waiting.append(self.client.submit(_apply, todo, one, key=f"{name}-{part}", retries=self.retries))
                if len(waiting) >= 2 * self.threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            self.client.cancel(list(waiting))

    def _on_graph(self, graph: Any, function: Any, given: tuple[Any, ...], parts: range, key: str) -> list[Any]:
        """The function of each part that the cluster itself computes: partitions are dependencies in its graph."""
        from dask import delayed

        tasks = [
            delayed(_at_hand, pure=False)(function, graph.key, part, value, *given, dask_key_name=f"{key}-{part}")
            for part, value in zip(parts, graph.partitions(parts), strict=True)
        ]
        return list(self.client.compute(tasks, retries=self.retries))

    def _send(self, value: Any, key: str) -> Any:
        """A value as the output of a task, which has a recipe: scattered data is lost with its worker."""
        import cloudpickle

        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            return self.client.submit(_receive, cloudpickle.dumps(value), key=key)


class DaskSession:
    """A source on a cluster, and what is held of it there."""

    def __init__(self, runner: Dask, source: Source) -> None:
        self.runner, self.client, self.source = runner, runner.client, source
        self.name = uuid4().hex[:12]
        self._numbers = count()
        self._sent: Any = None
        self._threads, self._asked = 1, -math.inf
        self._forget()

    def _forget(self) -> None:
        self._lens, self._rounds = "", 0
        self._held: list[Any] = []
        self._scratch: list[Any] | None = None
        self._going: list[Any] = []

    def close(self) -> None:
        """Nothing of this fit stays on the cluster."""
        if self._going and self.client.status == "running":
            self.client.cancel(self._going)
        self._forget()
        self._sent = None

    def reduce(self, job: Job) -> Any:
        """The merge of the job's summaries of all its parts, in the fixed tree."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._reduce(job)
            except (KilledWorker, CancelledError):
                if attempt == ATTEMPTS or self.client.status != "running":
                    raise
                self._forget()  # everything is made anew, to the same bits
                self._sent = None

    def _reduce(self, job: Job) -> Any:
        tag = f"{self.name}-{next(self._numbers)}"
        if self._sent is None:
            self._sent = self.runner._send(self.source, f"source-{tag}")
        todo = self.runner._send(job, f"job-{tag}")
        parts = job.parts(self.source)
        lens = job.lens if isinstance(job, Summarize) else None
        if lens is None:
            self._going = self._read(_reduce, todo, parts, f"{_name(job)}-{tag}")
        else:
            self._going = self._on_held(todo, parts, token(lens), f"{_name(job)}-{tag}")
        level = 0
        while len(self._going) > 1:
            some = [self._going[at : at + WIDTH] for at in range(0, len(self._going), WIDTH)]
            keys = [f"merge-{tag}-{level}-{at}" for at in range(len(some))]
            self._going = self.client.map(_merge, some, key=keys)
            level += 1
        (last,) = self._going
        done = last.result()
        self._going = []
        return done

    def _read(self, function: Any, todo: Any, parts: range, key: str) -> list[Any]:
        """The function of runs of parts that are read there; of partitions, as they are computed there."""
        retries = self.runner.retries
        if (graph := self.source.graph()) is not None:
            return self.runner._on_graph(graph, function, (todo, self._sent), parts, key)
        if time.monotonic() > self._asked + 30:  # workers come and go
            self._threads, self._asked = self.runner.threads, time.monotonic()
        some = runs(parts, TASKS * self._threads)
        keys = [f"{key}-{at}" for at in range(len(some))]
        same = [todo] * len(some), [self._sent] * len(some)
        return list(self.client.map(function, *same, some, key=keys, retries=retries))

    def _on_held(self, todo: Any, parts: range, lens: str, key: str) -> list[Any]:
        """The job from what is held of the parts, which is made once; what follows is kept now and then."""
        if lens != self._lens:
            self._forget()
            self._lens = lens
            self._held = self._read(_hold, todo, parts, f"hold_{key}")
        n = len(self._held)
        if self._rounds and self._rounds % LINK == 0:
            before = [None] * n if self._scratch is None or self._rounds % CUT == 0 else self._scratch
            keys = [f"follow_{key}-{at}" for at in range(n)]
            self._scratch = self.client.map(_follow, [todo] * n, self._held, before, key=keys)
        self._rounds += 1
        scratch = [None] * n if self._scratch is None else self._scratch
        keys = [f"{key}-{at}" for at in range(n)]
        return list(self.client.map(_of_held, [todo] * n, self._held, scratch, key=keys))


def _name(job: Job) -> str:
    """What Dask's dashboard shows."""
    if isinstance(job, Summarize):
        return f"{type(job.learner).__name__}_{job.ask.what}".replace("-", "_")
    return "find_schema"


# ---- what runs on the workers ------------------------------------------------------------------


def _receive(raw: bytes) -> Any:
    return pickle.loads(raw)  # from this fit's own driver: a cluster runs the code of its clients


def _apply(function: Callable[[int], Any], parts: range) -> Any:
    with one_blas_thread:
        return function(parts[0])


def _reduce(job: Job, source: Source, parts: range) -> Any:
    with one_blas_thread:
        return merge(job(source, part) for part in parts)


def _merge(summaries: list[Any]) -> Any:
    with one_blas_thread:
        return merge(summaries)


def _at_hand(function: Any, key: str, part: int, value: Any, *given: Any) -> Any:
    """A function of one part, whose rows the cluster has computed."""
    with at_hand(key, part, value):
        return function(*given, range(part, part + 1))


def _hold(job: Summarize, source: Source, parts: range) -> list[list[Held]]:
    return [job.hold(source, part) for part in parts]


def _follow(job: Summarize, held: list[list[Held]], scratch: list[Any] | None) -> list[Any]:
    before = [None] * len(held) if scratch is None else scratch
    return [job.follow(h, s) for h, s in zip(held, before, strict=True)]


def _of_held(job: Summarize, held: list[list[Held]], scratch: list[Any] | None) -> Any:
    with one_blas_thread:
        followed = _follow(job, held, scratch)
        return merge(job.of_held(h, s) for h, s in zip(held, followed, strict=True))
