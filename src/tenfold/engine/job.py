"""One reduce: which function of which parts. Pure and self-sufficient, so it can run anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from tenfold.core import Need, Schema
from tenfold.sources import Source


class Job(Protocol):
    """A function of a part whose results merge."""

    def parts(self, source: Source) -> range:
        """The numbers of the parts that the job reads."""

    def __call__(self, source: Source, part: int) -> Any:
        """The summary of one part."""


@dataclass(frozen=True)
class FindSchema:
    """What the parts hold: schemas merge like any other summary."""

    need: Need

    def parts(self, source: Source) -> range:
        """All parts, since any may hold a category of its own."""
        return range(len(source))

    def __call__(self, source: Source, part: int) -> Schema:
        """The columns, categories and classes that one part holds."""
        return source.schema_for(part, self.need)
