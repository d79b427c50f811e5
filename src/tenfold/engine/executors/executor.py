"""Plans as graphs of tasks: the same for every engine that runs functions of the outputs of other functions.

A task's input is what to do, the source, and which parts; both of the former are outputs of tasks too. So whatever a
dead worker had can be made again by any other, and gives the same bits. What is held between rounds are outputs as
well: the engine sees it, spills it, and makes it again if it is lost.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from itertools import count, islice
from typing import Any, NamedTuple
from uuid import uuid4

from tenfold.engine.executors.tasks import follow_parts, merge_all, read_parts, reduce_parts, sum_held, walk_parts
from tenfold.engine.job import Job
from tenfold.engine.merge_tree import runs
from tenfold.engine.ordered import route
from tenfold.engine.plan import Leaf
from tenfold.engine.progress import POLL_SECONDS, bar
from tenfold.engine.runner import Session, by_order
from tenfold.sources import Source

Handle = Any
"""the output of a task, wherever it is"""

CHAIN_TASKS = 32
"""tasks of a walk, one after another: a worker that dies loses no more than its share of it"""
MERGE_FAN_IN = 32
"""summaries that one task merges; a power of two, so that the tree stays the same"""
ROUNDS_PER_LINK = 8
"""rounds after which the scratch of the rows is held again"""
MAX_CHAINED_ROUNDS = 32
"""maximum number of chained rounds, after which the scratch is recomputed from the start: recovery stays cheap"""
MAX_ATTEMPTS = 3
"""at a reduce in which the same task had several workers die under it"""
WORKER_COUNT_SECONDS = 30.0
"""seconds for which the number of workers is believed: they come and go"""


class Executor(ABC):
    """Interface of a task engine. An output may be dropped there once its handle is dropped here.

    Errors of tasks reach `gather` as they were raised. An engine that can choose repeats a task after an `OSError`
    alone, a file that cannot be read just now: what is wrong with the rows stays wrong.
    """

    tasks_per_thread = 16
    """for each thread of the cluster: few enough to be cheap, many enough to end together and to lose little"""

    @property
    def lost(self) -> tuple[type[BaseException], ...]:
        """Errors that mean that outputs were lost with their workers, and must be recomputed.

        No other error belongs here: all rows would be read again, and an error of the engine's own, a value that cannot
        be pickled, would show in the time of a fit alone.
        """
        return ()

    @property
    @abstractmethod
    def threads(self) -> int:
        """How many threads all workers have together, now."""

    @abstractmethod
    def send(self, value: Any, name: str) -> Handle:
        """A value as the output of a task."""

    @abstractmethod
    def submit(
        self, function: Callable[..., Any], arguments: Iterable[Sequence[Any]], name: str, *, keep: bool = False
    ) -> list[Handle]:
        """A task for each of some lists of arguments, among which, and in lists among which, there may be handles.

        With `keep`, later rounds read the outputs again: rows that are held, and their scratch. All others are inputs
        of tasks of the same round alone.
        """

    @abstractmethod
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
        """A task for each of some runs of parts, with the rows of a source that the engine itself computes."""

    @abstractmethod
    def gather(self, handles: list[Handle]) -> list[Any]:
        """Bring the outputs of tasks to the driver."""

    @abstractmethod
    def done(self, handle: Handle) -> bool:
        """Whether an output is there, or will not be: a task that failed is done."""

    @abstractmethod
    def release(self, handles: list[Handle]) -> None:
        """Release outputs that are no longer needed, including unfinished ones."""


class Holds(NamedTuple):
    """The outputs in which the rows of a leaf are held."""

    leaf: Leaf
    """leaves may be known by where they are in memory, so it stays"""
    made: list[Handle]
    place: int
    """among the leaves whose rows were read together"""


Name = tuple[bytes, int]


class ScratchChain(NamedTuple):
    """Scratch of a fit's last leaf, as it was held some rounds ago."""

    scratch: list[Handle] | None = None
    rounds: int = 0


def side_by_side(arguments: Sequence[Any]) -> tuple[tuple[int | None, ...], list[Any]]:
    """Return arguments without lists among them, and the length of each list: for engines that see no handle in a list.

    Examples
    --------
    >>> from tenfold.engine.executors.executor import as_they_were, side_by_side
    >>> lengths, flat = side_by_side(("a", ["b", "c"], []))
    >>> lengths, flat
    ((None, 2, 0), ['a', 'b', 'c'])
    >>> as_they_were(lengths, flat)
    ['a', ['b', 'c'], []]
    """
    lengths = tuple(len(one) if isinstance(one, list) else None for one in arguments)
    return lengths, [each for one in arguments for each in (one if isinstance(one, list) else [one])]


def as_they_were(lengths: Sequence[int | None], flat: Iterable[Any]) -> list[Any]:
    """Return the arguments of which `side_by_side` made this."""
    left = iter(flat)
    return [next(left) if length is None else list(islice(left, length)) for length in lengths]


class TaskSession(Session):
    """Session of a cluster: a source, and what the workers hold of it."""

    def __init__(self, executor: Executor, source: Source) -> None:
        self.executor, self.source = executor, source
        self.name = uuid4().hex[:12]
        self._numbers = count()
        self._threads, self._asked = 1, -math.inf
        self._forget()

    def _forget(self) -> None:
        self._sent: Handle = None
        self._holds: dict[Name, Holds] = {}
        self._chains: dict[tuple[Name, str], ScratchChain] = {}
        self._going: list[Handle] = []

    def close(self) -> None:
        """Nothing of this fit stays on the cluster."""
        if self._going:
            self.executor.release(self._going)
        self._forget()

    def reduce(self, job: Job) -> Any:
        parts = job.parts(self.source)

        def once() -> list[Handle]:
            tag = self._tag()
            todo = self.executor.send(job, f"job-{tag}")
            return [self._merged(self._read(reduce_parts, (todo,), parts, f"{type(job).__name__}-{tag}"), tag)]

        return self._done(once, parts)[0]

    def leaves(self, leaves: list[Leaf]) -> list[Any]:
        parts = range(0, len(self.source), math.gcd(*(leaf.every for leaf in leaves)))
        orders = by_order(leaves)
        merged = [at for at in orders.pop(None, []) if not leaves[at].held]
        held = [at for at, leaf in enumerate(leaves) if leaf.held]

        def once() -> list[Handle]:
            last, tag = [], self._tag()
            plain = [leaves[at] for at in merged]
            made = self._read_all(plain, [leaves[at] for at in held], parts, tag)
            if plain:
                last.append(self._merged(made, tag, levels=1 if held else 0))  # rows that are held stay there
            last += self._of_held([leaves[at] for at in held], tag)
            some = [[leaves[at] for at in places] for places in orders.values()]
            return last + [self._walked(one, f"{tag}-{one[0].order}") for one in some]

        found: dict[int, Any] = {}
        places = [*([merged] if merged else []), *([at] for at in held), *orders.values()]
        for some, done in zip(places, self._done(once, parts), strict=True):
            found |= zip(some, done.each, strict=True)
        return [found[at] for at in range(len(leaves))]

    def _tag(self) -> str:
        """Return the prefix of the task names of one reduce."""
        tag = f"{self.name}-{next(self._numbers)}"
        if self._sent is None:
            self._sent = self.executor.send(self.source, f"source-{tag}")
        return tag

    def _done(self, once: Callable[[], list[Handle]], parts: range) -> list[Any]:
        """Wait for the last tasks, retrying when workers die; update the progress bar meanwhile."""
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                last = once()
                self._advance_bar(last, parts)
                found = self.executor.gather(last)
                self._going = []
                return found
            except self.executor.lost:
                if attempt == MAX_ATTEMPTS:
                    raise
                self.repeated += 1
                self._forget()  # everything is made again, to the same bits
        raise AssertionError

    def _advance_bar(self, last: list[Handle], parts: range) -> None:
        seen, told = bar(), 0
        if seen is None:
            return
        seen.scan(len(parts), (self.source.counted or 0) / len(self.source))
        while not all(map(self.executor.done, last)):
            time.sleep(POLL_SECONDS)
            now = len(parts) * sum(map(self.executor.done, self._going)) // max(1, len(self._going))
            seen.advance(now - told)
            told = now

    def _read(
        self, function: Any, given: tuple[Any, ...], parts: range, name: str, *, keep: bool = False
    ) -> list[Handle]:
        """The function of runs of parts, which are read there."""
        if time.monotonic() > self._asked + WORKER_COUNT_SECONDS:
            self._threads, self._asked = self.executor.threads, time.monotonic()
        some = runs(parts, self.executor.tasks_per_thread * self._threads)
        made = self.executor.submit_parts(self.source, function, (*given, self._sent), some, name, keep=keep)
        self._going += made
        return made

    def _read_all(self, plain: list[Leaf], held: list[Leaf], parts: range, tag: str) -> list[Handle]:
        """Read the parts once for all leaves, whether summarized or held; drop rows that no leaf holds any more."""
        lost = {_name(leaf): leaf for leaf in held if _name(leaf) not in self._holds}
        names = {_name(leaf) for leaf in held}
        self._holds = {name: holds for name, holds in self._holds.items() if name in names}
        if not plain and not lost:
            return []
        again = list(lost.values())
        todo = [self.executor.send(some, f"{what}-{tag}") for what, some in (("leaves", plain), ("hold", again))]
        shown = f"hold_{_dashboard_title(again)}" if again else _dashboard_title(plain)
        made = self._read(read_parts, tuple(todo), parts, f"{shown}-{tag}", keep=bool(again))
        self._holds |= {name: Holds(leaf, made, place) for place, (name, leaf) in enumerate(lost.items())}
        return made

    def _of_held(self, leaves: list[Leaf], tag: str) -> list[Handle]:
        """Return the summaries of leaves from held rows, and hold their scratch every few rounds."""
        last, chains = [], {}
        for at, leaf in enumerate(leaves):
            name, key = (_name(leaf), leaf.chain), f"{_dashboard_title([leaf])}-{tag}-{at}"
            todo, holds = self.executor.send(leaf, f"leaf-{tag}-{at}"), self._holds[_name(leaf)]
            chain = self._chains.get(name, ScratchChain())
            if chain.rounds and chain.rounds % ROUNDS_PER_LINK == 0:
                before = ScratchChain() if chain.rounds % MAX_CHAINED_ROUNDS == 0 else chain
                scratch = self._on_held(follow_parts, todo, holds, before, f"follow_{key}", keep=True)
                chain = ScratchChain(scratch, chain.rounds)
            chains[name] = ScratchChain(chain.scratch, chain.rounds + 1)
            made = self._on_held(sum_held, todo, holds, chain, key)
            self._going += made
            last.append(self._merged(made, f"{tag}-{at}"))
        self._chains = chains
        return last

    def _on_held(
        self, function: Any, todo: Handle, holds: Holds, chain: ScratchChain, name: str, *, keep: bool = False
    ) -> list[Handle]:
        scratch = [None] * len(holds.made) if chain.scratch is None else chain.scratch
        each = zip(holds.made, scratch, strict=True)
        given = [(todo, holds.place, made, before) for made, before in each]
        return self.executor.submit(function, given, name, keep=keep)

    def _walked(self, leaves: list[Leaf], tag: str) -> Handle:
        """A chain of tasks: each walks some parts, from where the one before it led."""
        todo = self.executor.send(leaves, f"walk-{tag}")
        order = leaves[0].order
        parts = route(len(self.source), order or 0)
        size = 1 if self.source.graph() is not None else -(-len(parts) // CHAIN_TASKS)
        places: Any = {}
        for at in range(0, len(parts), size):
            given = (todo, places, at + size >= len(parts), self._sent)
            name = f"{_dashboard_title(leaves)}-{tag}-{at}"
            (places,) = self.executor.submit_parts(self.source, walk_parts, given, [parts[at : at + size]], name)
            self._going.append(places)
        return places

    def _merged(self, outputs: list[Handle], tag: str, levels: int = 0) -> Handle:
        """Merge summaries on the workers, in at least `levels` levels of tasks."""
        level = 0
        while len(outputs) > 1 or level < levels:
            some = [outputs[at : at + MERGE_FAN_IN] for at in range(0, len(outputs), MERGE_FAN_IN)]
            outputs = self.executor.submit(merge_all, [(each,) for each in some], f"merge-{tag}-{level}")
            self._going += outputs
            level += 1
        return outputs[0]


def _name(leaf: Leaf) -> Name:
    """Return the name under which a leaf's rows are held, which depends on the parts that it reads."""
    return leaf.held, leaf.every


def _dashboard_title(leaves: list[Leaf]) -> str:
    """Return the title of leaves on a dashboard."""
    more = f"_and_{len(leaves) - 1}" if len(leaves) > 1 else ""
    return f"{leaves[0].statistic.title}{more}"
