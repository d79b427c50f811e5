"""A cluster that exists in a seed: one thread, a virtual clock, and whatever can happen to tasks and workers.

A schedule is a function of the seed: workers finish in any order, die, join, answer after they were given up, do tasks
twice, have slow links, and fail to read a file now and then. So what takes a real cluster minutes, and comes to light
once in a thousand nights, takes milliseconds here, and a seed that fails is a test. Tasks are run for real.
"""

from __future__ import annotations

import hashlib
import heapq
import pickle
import random
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tenfold.engine.executors.cluster_runner import ClusterRunner
from tenfold.engine.executors.executor import Executor, TaskSession, as_they_were, side_by_side
from tenfold.engine.plan import Leaf
from tenfold.sources import Source

MAX_DEATHS = 3
"""workers that die under a task before the engine gives it up, as Dask does"""
MAX_EVENTS = 1_000_000
"""events of a fit; more mean that it does not end"""


class WorkerLost(RuntimeError):
    """Outputs were lost with their workers."""


class ScheduleError(AssertionError):
    """Something that no cluster may see: a fit that waits for ever, an output that is used after it was let go."""


class Memo(dict[bytes, Any]):
    """Outputs by task, for many schedules of one fit: a task that is known is not run again.

    Tasks are told apart by their function and their inputs, so one with other inputs, or with the same in another
    order, is another task.
    """


@dataclass(frozen=True)
class Hazards:
    """How often what happens: probabilities for each task that begins.

    Parameters
    ----------
    death : float, default=0.01
        A worker, this one or any other, dies meanwhile with all outputs that it holds; a new one comes later.
    late : float, default=0.01
        The worker is given up, and may answer all the same, later.
    twice : float, default=0.05
        Another worker does the task too.
    slow : float, default=0.1
        It takes a hundred times as long, since an input is slow to arrive.
    unreadable : float, default=0.01
        The task raises an OSError.
    joins : float, default=0.01
        One more worker joins.
    """

    death: float = 0.01
    late: float = 0.01
    twice: float = 0.05
    slow: float = 0.1
    unreadable: float = 0.01
    joins: float = 0.01


CALM = Hazards(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""nothing happens; tasks still end in any order"""


class Task:
    """A task: its function, its inputs, and what has become of it."""

    def __init__(self, function: Callable[..., Any], given: Sequence[Any], name: str, keep: bool) -> None:
        self.function, self.name, self.keep = function, name, keep
        self.lengths, flat = side_by_side(given)
        self.inputs = [each.task if isinstance(each, Handle) else each for each in flat]
        self.needs = [each for each in self.inputs if isinstance(each, Task)]
        self.state = "new"
        """new, waiting, running, done or failed; done without places: its output is lost"""
        self.output: Any = None
        self.error: BaseException | None = None
        self.places: set[int] = set()
        """workers that hold the output"""
        self.attempts: set[int] = set()
        """numbers of the attempts on their way"""
        self.deaths = self.failures = 0
        self.closed = False
        """whether its round has ended, and with it the use of its output"""
        self._identity = b""

    def identity(self) -> bytes:
        """Return a digest of function and inputs."""
        if not self._identity:
            found = hashlib.blake2b(f"{self.function.__module__}.{self.function.__qualname__}".encode(), digest_size=16)
            found.update(repr(self.lengths).encode())
            for each in self.inputs:
                found.update(each.identity() if isinstance(each, Task) else pickle.dumps(_of_any_fit(each)))
            self._identity = found.digest()
        return self._identity


def _of_any_fit(value: Any) -> Any:
    """Return leaves without the name of the fit whose scratch they continue."""
    if isinstance(value, list):
        return [_of_any_fit(each) for each in value]
    return replace(value, chain="") if isinstance(value, Leaf) else value


class Handle:
    """The output of a task, as the driver knows it."""

    __slots__ = ("__weakref__", "task")

    def __init__(self, task: Task) -> None:
        self.task = task


class Event(NamedTuple):
    """Something that happens at a time of the virtual clock."""

    time: float
    number: int
    """breaks ties"""
    what: str
    """a worker comes, one dies, or an attempt ends"""
    worker: int
    task: Task | None
    attempt: int


def output_of(value: Any) -> Any:
    """Return a value that was sent."""
    return value


class SimulatedExecutor(Executor):
    """Workers of one thread each, which exist as entries of a heap of events.

    An engine either computes lost outputs again by itself, as Dask and Ray do, or raises `WorkerLost` where they are
    asked for; the seed decides. It gives a task up under which three workers died.
    """

    tasks_per_thread = 4

    def __init__(self, seed: int, workers: int, hazards: Hazards, retries: int, memo: Memo | None) -> None:
        self.random = random.Random(seed)
        self.hazards, self.retries, self.memo = hazards, retries, memo
        self.recomputes = self.random.random() < 0.5
        self.clock, self.workers = 0.0, workers
        """how many there were so far: a new one has the next number"""
        self._numbers = self._events = 0
        self.busy: dict[int, tuple[Task, int] | None] = dict.fromkeys(range(workers))
        """what each living worker does"""
        self.heap: list[Event] = []
        self.waiting: dict[Task, None] = {}
        self.tasks: weakref.WeakValueDictionary[int, Task] = weakref.WeakValueDictionary()
        self.handles: weakref.WeakSet[Handle] = weakref.WeakSet()
        self.losses = 0
        """`WorkerLost` raised since outputs were last gathered"""

    @property
    def lost(self) -> tuple[type[BaseException], ...]:
        return (WorkerLost,)

    @property
    def threads(self) -> int:
        return max(1, len(self.busy))

    def send(self, value: Any, name: str) -> Handle:
        return self._task(output_of, (self._copy(value),), name, keep=True)

    def submit(
        self, function: Callable[..., Any], arguments: Iterable[Sequence[Any]], name: str, *, keep: bool = False
    ) -> list[Handle]:
        return [self._task(function, given, f"{name}-{at}", keep) for at, given in enumerate(arguments)]

    def submit_parts(
        self,
        source: Source | None,
        function: Any,
        given: Sequence[Any],
        runs: Sequence[Sequence[int]],
        name: str,
        *,
        keep: bool = False,
    ) -> list[Handle]:
        return self.submit(function, [(*given, some) for some in runs], name, keep=keep)

    def gather(self, handles: list[Handle]) -> list[Any]:
        tasks = [handle.task for handle in handles]
        while not self._all_wanted(tasks):
            if (error := next((task.error for task in tasks if task.state == "failed"), None)) is not None:
                self.losses += isinstance(error, WorkerLost)
                self._give_up_waiting()
                raise copy(error)  # once raised it keeps the frames, and they keep the handles
            self._happen()
        self.losses = 0
        self._close(tasks)
        return [self._copy(task.output) for task in tasks]

    def done(self, handle: Handle) -> bool:
        if not self._wanted(handle.task) and handle.task.state != "failed":
            self._happen()
        return self._at_hand(handle.task) or handle.task.state == "failed"

    def release(self, handles: list[Handle]) -> None:
        for handle in handles:
            handle.task.attempts.clear()  # whoever is at it ends for nothing
            self._drop(handle.task)

    # ---- tasks ---------------------------------------------------------------------------------------

    def _task(self, function: Callable[..., Any], given: Sequence[Any], name: str, keep: bool) -> Handle:
        task = Task(function, given, name, keep)
        if closed := next((need.name for need in task.needs if need.closed), None):
            raise ScheduleError(f"{name} reads {closed}, an output of an earlier round that was not to be kept")
        self._numbers += 1
        self.tasks[self._numbers] = task
        self._wait(task)
        handle = Handle(task)
        self.handles.add(handle)
        return handle

    def _copy(self, value: Any) -> Any:
        """What arrives elsewhere. With a memo it is not pickled, which takes most of the time."""
        return value if self.memo is not None else pickle.loads(pickle.dumps(value))

    def _wait(self, task: Task) -> None:
        task.state = "waiting"
        self.waiting[task] = None

    def _drop(self, task: Task) -> None:
        """Do a task only if it is wanted again."""
        self.waiting.pop(task, None)
        if task.state in ("waiting", "running"):
            task.state = "new"

    def _fail(self, task: Task, error: BaseException) -> None:
        self.waiting.pop(task, None)
        task.state, task.error = "failed", error.with_traceback(None)

    def _give_up_waiting(self) -> None:
        for task in list(self.waiting):
            self._drop(task)

    def _close(self, tasks: list[Task]) -> None:
        """End the round of these: outputs that were not to be kept are of no use any more."""
        left = list(tasks)
        while left:
            task = left.pop()
            if not (task.keep or task.closed):
                task.closed = True
                left += task.needs

    def _at_hand(self, task: Task) -> bool:
        return task.state == "done" and bool(task.places)

    def _wanted(self, task: Task) -> bool:
        """Whether an output is at hand. One that is lost is computed again, or given up, as the engine does."""
        if self._at_hand(task):
            return True
        if task.state == "new" or (task.state == "done" and self.recomputes):
            self._wait(task)
        elif task.state == "done":
            self._fail(task, WorkerLost(f"{task.name} was lost with its worker"))
        return False

    def _all_wanted(self, tasks: list[Task]) -> bool:
        """Whether all are at hand; each of those that are not is wanted."""
        return sum(map(self._wanted, tasks)) == len(tasks)

    # ---- time ----------------------------------------------------------------------------------------

    def _later(self, delay: float, what: str, worker: int, task: Task | None = None, attempt: int = 0) -> None:
        self._numbers += 1
        heapq.heappush(self.heap, Event(self.clock + delay, self._numbers, what, worker, task, attempt))

    def _happen(self) -> None:
        """Give work to idle workers, then let the next event happen."""
        self._events += 1
        if self._events > MAX_EVENTS:
            raise ScheduleError("the fit does not end")
        if self._assign():
            return
        if not self.heap:
            raise ScheduleError("the fit waits for ever: no task runs, and none can begin")
        event = heapq.heappop(self.heap)
        self.clock = event.time
        if event.what == "comes":
            self.busy[event.worker] = None
        elif event.what == "dies":
            self._die(event.worker if event.worker in self.busy else self.random.choice([*self.busy, event.worker]))
        else:
            assert event.task is not None
            if self.busy.get(event.worker) == (event.task, event.attempt):
                self.busy[event.worker] = None
            if event.attempt in event.task.attempts:
                event.task.attempts.discard(event.attempt)
                self._end(event.task, event.worker)

    def _assign(self) -> bool:
        """Begin tasks whose inputs are at hand, in any order; return whether that changed what waits for what."""
        changed, idle = False, [worker for worker, task in self.busy.items() if task is None]
        if not idle:
            return False
        waiting = self.random.sample([*self.waiting], len(self.waiting))
        self.random.shuffle(idle)
        for task in waiting:
            if not idle:
                break
            if self._all_wanted(task.needs):
                del self.waiting[task]
                self._begin(task, idle.pop())
                if idle and self.random.random() < self.hazards.twice:
                    self._begin(task, idle.pop())
            elif error := next((need.error for need in task.needs if need.state == "failed"), None):
                self._fail(task, error)
                changed = True
        return changed or not self.waiting.keys() <= {*waiting}

    def _begin(self, task: Task, worker: int) -> None:
        self._numbers += 1
        attempt = self._numbers
        self.busy[worker] = (task, attempt)
        task.state = "running"
        task.attempts.add(attempt)
        drawn, hazards = self.random.random, self.hazards
        takes = self.random.expovariate(1.0) * (100.0 if drawn() < hazards.slow else 1.0)
        if drawn() < hazards.joins:
            self._come()
        if drawn() < hazards.death:
            self._later(takes * drawn(), "dies", worker if drawn() < 0.5 else -1)
        if drawn() < hazards.late:
            self._later(takes, "dies", worker)
            takes *= 1.0 + self.random.expovariate(0.1)
        self._later(takes, "ends", worker, task, attempt)

    def _come(self) -> None:
        self.workers += 1
        self._later(self.random.expovariate(0.5), "comes", self.workers - 1)

    # ---- what becomes of tasks -----------------------------------------------------------------------

    def _die(self, worker: int) -> None:
        """A worker is given up: what it holds is lost, another does what it did, and a new one takes its place.

        It may answer all the same: an attempt whose worker died is on its way until it ends.
        """
        if worker not in self.busy:
            return
        at_it = self.busy.pop(worker)
        self._come()
        for task in list(self.tasks.values()):
            task.places.discard(worker)
        if at_it is None:
            return
        task, attempt = at_it
        task.deaths += 1
        if self.random.random() < 0.5:
            task.attempts.discard(attempt)  # it does not answer
        if task.state == "running" and all(other[1] not in task.attempts for other in self.busy.values() if other):
            if task.deaths >= MAX_DEATHS:
                self._fail(task, WorkerLost(f"{task.deaths} workers died under {task.name}"))
            else:
                self._wait(task)

    def _end(self, task: Task, worker: int) -> None:
        """An attempt has ended: its output is there, or its error, or another attempt is to come."""
        if task.state == "failed" or self._at_hand(task):
            return
        try:
            if self.random.random() < self.hazards.unreadable:
                raise OSError(f"{task.name} cannot read its file just now")
            output = self._run(task)
        except OSError as error:
            task.failures += 1
            if task.failures > self.retries:
                self._fail(task, error)
            elif not task.attempts:
                self._wait(task)
            return
        except Exception as error:
            self._fail(task, error)
            return
        self.waiting.pop(task, None)
        task.state, task.output = "done", output
        if living := [worker] if worker in self.busy else [*self.busy]:
            task.places.add(self.random.choice(living))

    def _run(self, task: Task) -> Any:
        """Run a task for real, with a memo only once."""
        if self.memo is None:
            return self._call(task)
        name = task.identity()
        if name not in self.memo:
            self.memo[name] = self._call(task)
        return self.memo[name]

    def _call(self, task: Task) -> Any:
        flat = [self._copy(each.output) if isinstance(each, Task) else each for each in task.inputs]
        return task.function(*as_they_were(task.lengths, flat))


class Simulated(ClusterRunner):
    """Runner on a simulated cluster, whose schedule is drawn from a seed.

    Every task runs in this process, so it is for tests, not for speed: of learners, of the engine, and of executors.

    Parameters
    ----------
    seed : int, default=0
        Of the schedule.
    workers : int, default=3
        With which it begins; they come and go.
    hazards : Hazards, optional
        How often what happens.
    retries : int, default=3
        How often a task is repeated after an OSError.
    memo : Memo, optional
        Outputs of earlier schedules of the same fit.

    Examples
    --------
    >>> import numpy as np
    >>> import tenfold as tn
    >>> from tenfold.testing import Simulated
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0])
    >>> with tn.on(Simulated(seed=7)):
    ...     there = tn.LinearRegression().fit(tn.scan(X, y))
    >>> there.coef_.tobytes() == tn.LinearRegression().fit(X, y).coef_.tobytes()
    True
    """

    engine = "Simulated"
    executor_type = SimulatedExecutor

    def __init__(
        self,
        seed: int = 0,
        workers: int = 3,
        *,
        hazards: Hazards | None = None,
        retries: int = 3,
        memo: Memo | None = None,
    ) -> None:
        self.seed, self.workers, self.retries, self.memo = seed, workers, retries, memo
        self.hazards = Hazards() if hazards is None else hazards
        self.executors: list[SimulatedExecutor] = []
        self.repeated = 0
        """rounds of closed sessions that were computed again"""

    def __repr__(self) -> str:
        return f"Simulated(seed={self.seed}, workers={self.workers})"

    @property
    def driver_threads(self) -> int:
        return 1

    def executor(self) -> SimulatedExecutor:
        # each fit and each map of a seed has a schedule of its own
        seed = hash((self.seed, len(self.executors)))
        made = self.executor_type(seed, self.workers, self.hazards, self.retries, self.memo)
        self.executors.append(made)
        return made

    @contextmanager
    def open(self, source: Source) -> Iterator[TaskSession]:
        with super().open(source) as session:
            yield session
        self.repeated += session.repeated

    @property
    def handles_left(self) -> int:
        """Handles of outputs that somebody still has."""
        return sum(len(executor.handles) for executor in self.executors)
