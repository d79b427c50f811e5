"""Laws of runners: wherever parts are read, the answer is the same, to the bit.

Whoever brings a runner (`tenfold.engine.Runner`) checks it with `check_runner`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from tenfold.core import DataError
from tenfold.core.axes import bits
from tenfold.engine import Local, Runner, Session, fit, merge
from tenfold.sources import ArraySource, Source, part_rows

PART_COUNT = 37


class Named:
    """A summary that shows in which order, and how, others were merged into it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __add__(self, other: Named) -> Named:
        return Named(f"({self.text} {other.text})")


@dataclass(frozen=True)
class Names:
    """A job whose summaries are the numbers of the parts."""

    every: int = 1

    def parts(self, source: Source) -> range:
        """Return a selection of the parts."""
        return range(0, len(source), self.every)

    def __call__(self, source: Source, part: int) -> Named:
        """The number of a part."""
        return Named(str(part))


@dataclass(frozen=True)
class Fails:
    """A job that fails at one part."""

    def parts(self, source: Source) -> range:
        """Return all parts."""
        return range(len(source))

    def __call__(self, source: Source, part: int) -> Named:
        """The number of a part; not of the last but one."""
        if part == len(source) - 2:
            raise DataError(f"part {part} cannot be read")
        return Named(str(part))


def twice(part: int) -> int:
    """A function of a part, which can be sent anywhere."""
    return 2 * part


def _error(session: Session) -> str:
    try:
        session.reduce(Fails())
    except DataError as error:
        return str(error)
    return "there was none"


class _Watched(Runner):
    """A runner, and how many rounds of its sessions were computed again."""

    def __init__(self, runner: Runner) -> None:
        self.runner, self.repeated = runner, 0

    @contextmanager
    def open(self, source: Source) -> Iterator[Session]:
        with self.runner.open(source) as session:
            yield session
            self.repeated += session.repeated

    def map(self, function: Callable[[int], Any], parts: Iterable[int], source: Source | None) -> Iterator[Any]:
        return self.runner.map(function, parts, source)

    @property
    def driver_threads(self) -> int:
        return self.runner.driver_threads


def check_runner(runner: Runner, learners: Iterable[tuple[Any, Source]] = ()) -> None:
    """Check the laws of a runner.

    Parameters
    ----------
    runner : Runner
    learners : list of (learner, source)
        Each is fitted on the runner, and with one thread of this process: its model and its claims must be the same.

    Raises
    ------
    AssertionError
        The message names the law that does not hold.
    """
    with part_rows(1):
        source = ArraySource(np.arange(float(PART_COUNT))[:, None])
    with runner.open(source) as session:
        for job in (Names(), Names(2), Names(PART_COUNT)):
            wanted = merge(job(source, part) for part in job.parts(source)).text
            assert session.reduce(job).text == wanted, "summaries merge in a tree of their own, not in the fixed one"
        assert "cannot be read" in _error(session), "the error of a part does not say what it said there"
        assert session.reduce(Names(8)).text, "after an error the session is of no use"
    assert list(runner.map(twice, range(PART_COUNT), source)) == [2 * part for part in range(PART_COUNT)], (
        "map loses the order"
    )
    for learner, rows in learners:
        here = fit(learner, rows, runner=Local(1), stop=learner.stop()).at
        watched = _Watched(runner)
        there = fit(learner, rows, runner=watched, stop=learner.stop()).at
        name = type(learner).__name__
        assert bits(here.model) == bits(there.model), f"{name} has another model there"
        assert here.certificate == there.certificate, f"{name} has other claims there"
        assert (here.rows, here.dropped) == (there.rows, there.dropped), f"{name} has counted other rows there"
        assert not watched.repeated, f"rounds of {name} were computed again, although no worker died"
