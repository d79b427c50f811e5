"""A runner of a process pool: it brings a reduce and a map, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import Any, Self

from tenfold.engine import Runner, Session, merge, reduce_parts, runs
from tenfold.engine.job import Job
from tenfold.sources import Source


class Pool(Runner):
    """Processes of this machine."""

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self.pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"))

    @contextmanager
    def open(self, source: Source) -> Iterator[PoolSession]:
        """A source to reduce, as often as a fit needs it."""
        yield PoolSession(self, source)

    def map(self, function: Callable[[int], Any], parts: Iterable[int], source: Source | None) -> Iterator[Any]:
        """The function of each part, in order."""
        return self.pool.map(function, parts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.pool.shutdown()


class PoolSession(Session):
    """A source, opened for one fit."""

    def __init__(self, runner: Pool, source: Source) -> None:
        self.runner = runner
        self.source = source

    def reduce(self, job: Job) -> Any:
        """The merge of the job's summaries of all its parts, in the fixed tree."""
        some = runs(job.parts(self.source), 4 * self.runner.processes)
        return merge(self.runner.pool.map(partial(reduce_parts, job, self.source), some))
