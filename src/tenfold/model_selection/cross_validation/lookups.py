"""What must be known before anything is fitted, from one scan: what columns hold, and how many rows are where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tenfold.core import DataError, Need
from tenfold.engine.count_jobs import CountLabels
from tenfold.engine.job import FindSchema, Job, Together
from tenfold.engine.runner import Session
from tenfold.sources import Source


class Lookups(Session):
    """Session that does some jobs in one scan, once the first of them is asked for.

    Parameters
    ----------
    session : Session
    jobs : sequence of Job
        Those that will be asked for.

    Attributes
    ----------
    scans : int
        How many times the rows were read so far.
    ahead : list of Job
        Those that nobody has asked for yet.
    """

    def __init__(self, session: Session, jobs: Sequence[Job]) -> None:
        self.session, self.source = session, session.source
        self.scans = 0
        self.ahead: list[Job] = []
        for job in jobs:
            if job not in self.ahead:
                self.ahead.append(job)
        self._found: list[tuple[Job, Any]] = []

    @property
    def memory(self) -> int:
        return self.session.memory

    def reduce(self, job: Job) -> Any:
        # What was found ahead, or is found now: by itself if others cannot be, so that each error is of its own job.
        if job in self.ahead:
            jobs, self.ahead = tuple(self.ahead), []
            try:
                found = self.session.reduce(Together(jobs, _columns(jobs, self.source))).each
            except DataError:
                found = ()
            else:
                self.scans += 1
            self._found = list(zip(jobs, found, strict=False))
        known = next((found for one, found in self._found if one == job), None)
        if known is not None:
            return known
        self.scans += 1
        return self.session.reduce(job)


def _columns(jobs: Sequence[Job], source: Source) -> tuple[str, ...]:
    """The stored columns that jobs read."""
    found: list[str] = []
    for job in jobs:
        if isinstance(job, FindSchema):
            found += source.columns_read(job.need)
        elif isinstance(job, CountLabels):
            found.append(job.column)
    return tuple(dict.fromkeys(found))


def schema_jobs(source: Source, needs: Sequence[Need]) -> list[Job]:
    """The jobs that find the schemas which are not known yet, each by the first need that it serves."""
    unknown: dict[Need, Need] = {}
    for need in needs:
        if source.known(need) is None:
            unknown.setdefault(need.of_schema(), need)
    return [FindSchema(need) for need in unknown.values()]
