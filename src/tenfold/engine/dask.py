"""The runner for a Dask cluster: pure tasks over aligned subtrees, merged on the workers.

A task's input is the job as bytes, the source, and which parts; the job and the source are themselves outputs of
tasks. So whatever a dead worker had can be made again by any other, and gives the same bits. What a learner holds
between rounds are outputs of tasks too: Dask sees it, spills it, and makes it again if it is lost.
"""

from __future__ import annotations

import math
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple
from uuid import uuid4

from tenfold.core import DataError
from tenfold.core.statistic import Expression
from tenfold.engine import ordered
from tenfold.engine.job import Job
from tenfold.engine.local import Local
from tenfold.engine.plan import Leaf, Plan
from tenfold.engine.progress import BETWEEN, bar
from tenfold.engine.scanning import Found
from tenfold.engine.tasks import (
    apply,
    follow,
    follow_parts,
    hold,
    hold_parts,
    merge_all,
    of_held,
    receive,
    reduce_parts,
    reduce_some,
    scan_parts,
    sum_held,
    walk_on,
    walk_parts,
    with_value,
)
from tenfold.engine.together import Many, Together
from tenfold.engine.tree import runs
from tenfold.engine.walking import InOrder, route
from tenfold.sources import Source

TASKS = 16
"""for each thread of the cluster: few enough to be cheap, many enough to end together and to lose little"""
CHAIN = 32
"""tasks of a walk, one after another: a worker that dies loses no more than its share of it"""
WIDTH = 32
"""summaries that one task merges; a power of two, so that the tree stays the same"""
SMALL = 32 << 20
"""bytes of rows in this process that are sent to the workers; more must be read by the workers themselves"""
LINK = 8
"""rounds after which what follows the rows is kept anew"""
CUT = 32
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
        most, asked = 0, -math.inf
        try:
            for part in parts:
                if time.monotonic() > asked + 30:  # workers come and go
                    most, asked = 2 * self.threads, time.monotonic()
                one = range(part, part + 1)
                if graph is not None:
                    waiting += self._on_graph(graph, apply, (todo,), one, name)
                else:
                    waiting.append(self.client.submit(apply, todo, one, key=f"{name}-{part}", retries=self.retries))
                if len(waiting) >= most:
                    yield _first(waiting)
            while waiting:
                yield _first(waiting)
        finally:
            self.client.cancel([todo, *waiting])

    def _on_graph(self, graph: Any, function: Any, given: tuple[Any, ...], parts: range, key: str) -> list[Any]:
        """The function of each part that the cluster itself computes: partitions are dependencies in its graph."""
        from dask import delayed

        tasks = [
            delayed(with_value, pure=False)(function, graph.key, part, value, *given, dask_key_name=f"{key}-{part}")
            for part, value in zip(parts, graph.partitions(parts), strict=True)
        ]
        return list(self.client.compute(tasks, retries=self.retries))

    def _send(self, value: Any, key: str) -> Any:
        """A value as the output of a task, which has a recipe: scattered data is lost with its worker."""
        import cloudpickle

        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")
            return self.client.submit(receive, cloudpickle.dumps(value), key=key)


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
        self._kept: dict[str, Kept] = {}
        self._holds: dict[bytes, Holds] = {}
        self._chains: dict[tuple[bytes, str], Chain] = {}
        self._going: list[Any] = []

    def close(self) -> None:
        """Nothing of this fit stays on the cluster."""
        if self._going and self.client.status == "running":
            self.client.cancel(self._going)
        self._forget()
        self._sent = None

    def reduce(self, job: Job) -> Any:
        """The merge of the job's summaries of all its parts, in the fixed tree."""
        return self._tried(lambda: self._reduce(job))

    def answer(self, expression: Expression) -> Any:
        """What an expression says of all rows: summaries, counted, in the shape of the expression."""
        plan = Plan(expression)
        return plan.answer(self._tried(lambda: self._leaves(plan.leaves)))

    def _tried(self, function: Callable[[], Any]) -> Any:
        """The function, once more if workers died under it."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        for attempt in range(1, ATTEMPTS + 1):
            try:
                return function()
            except (KilledWorker, CancelledError):
                if attempt == ATTEMPTS or self.client.status != "running":
                    raise
                self._forget()  # everything is made anew, to the same bits
                self._sent = None
        raise AssertionError

    def _leaves(self, leaves: list[Leaf]) -> list[Any]:
        """The summary of each leaf."""
        tag = f"{self.name}-{next(self._numbers)}"
        if self._sent is None:
            self._sent = self.runner._send(self.source, f"source-{tag}")
        read = [at for at, leaf in enumerate(leaves) if leaf.order is None and not leaf.held]
        held = [at for at, leaf in enumerate(leaves) if leaf.held]
        walked = sorted({leaf.order for leaf in leaves if leaf.order is not None})
        parts = range(0, len(self.source), math.gcd(*(leaf.every for leaf in leaves)))
        names = {leaves[at].held for at in held}
        self._holds = {name: made for name, made in self._holds.items() if name in names}
        chains, self._chains = self._chains, {}
        last: list[Any] = []
        places: list[list[int]] = []
        if read:
            some = [leaves[at] for at in read]
            todo = self.runner._send(some, f"leaves-{tag}")
            last.append(self._last(self._read(scan_parts, (todo,), parts, f"{_shown(some)}-{tag}"), tag))
            places.append(read)
        for at in held:
            last.append(self._last(self._of_held(leaves[at], chains, f"{tag}-{at}"), f"{tag}-{at}"))
            places.append([at])
        for order in walked:
            some = [leaf for leaf in leaves if leaf.order == order]
            last.append(self._walk(some, order, f"{_shown(some)}-{tag}-{order}"))
            places.append([at for at, leaf in enumerate(leaves) if leaf.order == order])
        found: dict[int, Any] = {}
        for some_of, done in zip(places, self._gather(last, parts), strict=True):
            each = done.each if isinstance(done, Found) else done if isinstance(done, list) else [done]
            found |= zip(some_of, each, strict=True)
        return [found[at] for at in range(len(leaves))]

    def _of_held(self, leaf: Leaf, chains: dict[tuple[bytes, str], Chain], key: str) -> list[Any]:
        """One leaf from what is held; its scratch is kept now and then."""
        todo = self.runner._send(leaf, f"leaf-{key}")
        parts = range(0, len(self.source), leaf.every)
        if leaf.held not in self._holds or self._holds[leaf.held].parts != parts:
            made = self._read(hold_parts, (todo,), parts, f"hold_{_shown([leaf])}-{key}")
            self._holds[leaf.held] = Holds(made, parts)
        held = self._holds[leaf.held].held
        name = (leaf.held, leaf.chain)
        chain = chains.get(name, Chain())
        scratch: Any = [None] * len(held) if chain.scratch is None else chain.scratch
        if chain.rounds and chain.rounds % LINK == 0:
            before = [None] * len(held) if chain.rounds % CUT == 0 else scratch
            keys = [f"follow_{_shown([leaf])}-{key}-{i}" for i in range(len(held))]
            scratch = self.client.map(follow_parts, [todo] * len(held), held, before, key=keys)
            chain = Chain(scratch, chain.rounds)
        self._chains[name] = Chain(chain.scratch, chain.rounds + 1)
        keys = [f"{_shown([leaf])}-{key}-{i}" for i in range(len(held))]
        return list(self.client.map(sum_held, [todo] * len(held), held, scratch, key=keys))

    def _walk(self, leaves: list[Leaf], order: int, key: str) -> Any:
        """A chain of tasks: each walks some parts, from where the one before it led."""
        todo = self.runner._send(leaves, f"leaves-{key}")
        parts, graph = ordered.route(len(self.source), order), self.source.graph()
        size = 1 if graph is not None else -(-len(parts) // CHAIN)
        places: Any = {}
        for at in range(0, len(parts), size):
            some, last = parts[at : at + size], at + size >= len(parts)
            given = (todo, places, last, self._sent)
            if graph is not None:
                (places,) = self.runner._on_graph(graph, walk_parts, given, range(some[0], some[0] + 1), key)
            else:
                places = self.client.submit(walk_parts, *given, some, key=f"{key}-{at}", retries=self.runner.retries)
            self._going.append(places)
        return places

    def _reduce(self, job: Job) -> Any:
        tag = f"{self.name}-{next(self._numbers)}"
        if self._sent is None:
            self._sent = self.runner._send(self.source, f"source-{tag}")
        ordered = isinstance(job, InOrder)
        job = job.job if isinstance(job, InOrder) else job
        todo = self.runner._send(job, f"job-{tag}")
        parts = job.parts(self.source)
        if not isinstance(job, Together):
            only = [self._last(self._read(reduce_parts, (todo,), parts, f"{type(job).__name__}-{tag}"), tag)]
            return self._gather(only, parts)[0]
        if ordered:
            return self._gather([self._walked(todo, job, f"{_name(job)}-{tag}")], parts)[0]
        held = [at for at, item in enumerate(job.items) if item.name]
        read = [at for at, item in enumerate(job.items) if not item.name]
        names = {job.items[at].name for at in held}
        self._kept = {name: k for name, k in self._kept.items() if name in names and k.parts == parts}
        lost = [at for at in held if job.items[at].name not in self._kept]
        if lost:
            made = self._read(hold, (todo, lost), parts, f"hold_{_name(job)}-{tag}")
            self._kept |= {job.items[at].name: Kept(made, place, parts) for place, at in enumerate(lost)}
        last: list[Any] = []
        if read:
            last.append(self._last(self._read(reduce_some, (todo, read), parts, f"{_name(job)}-{tag}"), tag))
        for at in held:
            key = f"{_name(job)}-{tag}-{at}"
            last.append(self._last(self._on_held(todo, at, self._kept[job.items[at].name], key), f"{tag}-{at}"))
        done = self._gather(last, parts)
        each = dict(zip(read, done[0].each if read else (), strict=True))
        each |= dict(zip(held, done[len(done) - len(held) :], strict=True))
        return Many(tuple(each[at] for at in range(len(job.items))))

    def _gather(self, last: list[Any], parts: range) -> list[Any]:
        """Wait for the last merges, and tell the bar of what is done meanwhile."""
        seen = bar()
        if seen is not None:
            seen.scan(len(parts), (self.source.counted or 0) / len(self.source))
            told = 0
            while not all(future.done() for future in last):
                time.sleep(BETWEEN)
                now = len(parts) * sum(future.done() for future in self._going) // len(self._going)
                seen.advance(now - told)
                told = now
        done: list[Any] = self.client.gather(last)
        self._going = []
        return done

    def _walked(self, todo: Any, job: Together, key: str) -> Any:
        """A chain of tasks: each walks some parts, from where the one before it led."""
        parts, graph = route(job, self.source), self.source.graph()
        size = 1 if graph is not None else -(-len(parts) // CHAIN)
        places: Any = None
        for at in range(0, len(parts), size):
            some, last = parts[at : at + size], at + size >= len(parts)
            given = (todo, places, last, self._sent)
            if graph is not None:
                (places,) = self.runner._on_graph(graph, walk_on, given, range(some[0], some[0] + 1), key)
            else:
                places = self.client.submit(walk_on, *given, some, key=f"{key}-{at}", retries=self.runner.retries)
            self._going.append(places)
        return places

    def _last(self, futures: list[Any], tag: str) -> Any:
        """The merge of summaries, on the workers."""
        self._going += futures
        level = 0
        while len(futures) > 1:
            some = [futures[at : at + WIDTH] for at in range(0, len(futures), WIDTH)]
            keys = [f"merge-{tag}-{level}-{at}" for at in range(len(some))]
            futures = self.client.map(merge_all, some, key=keys)
            self._going += futures
            level += 1
        return futures[0]

    def _read(self, function: Any, given: tuple[Any, ...], parts: range, key: str) -> list[Any]:
        """The function of runs of parts that are read there; of partitions, as they are computed there."""
        if (graph := self.source.graph()) is not None:
            return self.runner._on_graph(graph, function, (*given, self._sent), parts, key)
        if time.monotonic() > self._asked + 30:  # workers come and go
            self._threads, self._asked = self.runner.threads, time.monotonic()
        some = runs(parts, TASKS * self._threads)
        keys = [f"{key}-{at}" for at in range(len(some))]
        same = [[value] * len(some) for value in (*given, self._sent)]
        return list(self.client.map(function, *same, some, key=keys, retries=self.runner.retries))

    def _on_held(self, todo: Any, at: int, kept: Kept, key: str) -> list[Any]:
        """One item of the job from what is held; what follows is kept now and then."""
        n = len(kept.held)
        same = [todo] * n, [at] * n, kept.held, [kept.place] * n
        if kept.rounds and kept.rounds % LINK == 0:
            before = [None] * n if kept.scratch is None or kept.rounds % CUT == 0 else kept.scratch
            keys = [f"follow_{key}-{i}" for i in range(n)]
            kept.scratch = self.client.map(follow, *same, before, key=keys)
        kept.rounds += 1
        scratch = [None] * n if kept.scratch is None else kept.scratch
        return list(self.client.map(of_held, *same, scratch, key=[f"{key}-{i}" for i in range(n)]))


class Holds(NamedTuple):
    """What is held of the parts for one lens."""

    held: list[Any]
    parts: range


class Chain(NamedTuple):
    """The scratch of a fit's last leaf, as it was kept some rounds ago."""

    scratch: list[Any] | None = None
    rounds: int = 0


@dataclass
class Kept:
    """What is held of the parts for one lens, and what follows it."""

    held: list[Any]
    place: int
    """among the lenses whose outputs were made together"""
    parts: range
    scratch: list[Any] | None = None
    rounds: int = 0


def _first(waiting: deque[Any]) -> Any:
    """The first result; a future that failed stays, to be cancelled: else its error would keep it, and it the error."""
    done = waiting[0].result()
    waiting.popleft()
    return done


def _name(job: Together) -> str:
    """What Dask's dashboard shows."""
    first = job.items[0]
    more = f"_and_{len(job.items) - 1}" if len(job.items) > 1 else ""
    return f"{type(first.learner).__name__}_{first.ask.what}{more}".replace("-", "_")


def _shown(leaves: list[Leaf]) -> str:
    """What Dask's dashboard shows of leaves."""
    more = f"_and_{len(leaves) - 1}" if len(leaves) > 1 else ""
    return f"{type(leaves[0].statistic).__name__}{more}"
