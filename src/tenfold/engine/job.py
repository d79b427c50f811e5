"""One reduce: which function of which parts. Pure and self-sufficient, so it can run anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from tenfold.core import Need, Schema, Values
from tenfold.sources import Source
from tenfold.sources.sequence_source import Ids


class Job(Protocol):
    """A function of a part whose results merge."""

    def parts(self, source: Source) -> range:
        """The numbers of the parts that the job reads: all, unless it says otherwise."""
        return range(len(source))

    def __call__(self, source: Source, part: int) -> Any:
        """The summary of one part."""


@dataclass(frozen=True)
class FindSchema(Job):
    """Job that finds the schema of the parts; schemas merge like any other summary."""

    need: Need

    def __call__(self, source: Source, part: int) -> Schema:
        """The columns, categories and classes that one part holds."""
        return source.schema_for(part, self.need)


@dataclass(frozen=True)
class Together(Job):
    """Several jobs in one scan."""

    jobs: tuple[Job, ...]
    columns: tuple[str, ...] = ()
    """stored columns that they read: all at once"""

    def __call__(self, source: Source, part: int) -> SideBySide:
        """What each of the jobs finds in one part."""
        with source.once(part, len(self.jobs), self.columns):
            return SideBySide(tuple(job(source, part) for job in self.jobs))


class SideBySide:
    """What several jobs have found; each is merged with its like."""

    def __init__(self, each: tuple[Any, ...]) -> None:
        self.each = each

    def __add__(self, other: SideBySide) -> SideBySide:
        return SideBySide(tuple(a + b for a, b in zip(self.each, other.each, strict=True)))


@dataclass(frozen=True)
class FindSequences(Job):
    """Job that lists the sequences of the parts, to detect one whose rows are not consecutive."""

    need: Need

    def __call__(self, source: Source, part: int) -> Ids:
        """The ids of one part's sequences."""
        return source.sequence_ids(part, self.need)


@dataclass(frozen=True)
class NameSequence(Job):
    """The id of a sequence that is known by its key."""

    need: Need
    key: Values

    def __call__(self, source: Source, part: int) -> list[object]:
        """The id, in a list, if a part has it."""
        return source.sequence_by_key(part, self.need, self.key)
