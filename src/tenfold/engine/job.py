"""One reduce: which function of which parts. Pure and self-sufficient, so it can run anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tenfold.core import Ask, Learner, Need, Schema
from tenfold.engine.tally import Counted, this_machine
from tenfold.engine.tree import merge
from tenfold.sources import Source


@dataclass(frozen=True)
class Summarize:
    """A learner's summary of the parts it asked for."""

    learner: Learner
    state: Any
    ask: Ask
    schema: Schema

    def parts(self, source: Source) -> range:
        """Which parts to read."""
        return range(0, len(source), self.ask.every)

    def __call__(self, source: Source, part: int) -> Counted:
        machine = frozenset([this_machine()])
        done: Counted = merge(
            Counted(self.learner.summarize(self.state, chunk), chunk.n, chunk.dropped, machine)
            for chunk in source.chunks(part, self.learner.need, self.schema)
        )
        return done


@dataclass(frozen=True)
class FindSchema:
    """What the parts hold: schemas merge like any other summary."""

    need: Need

    def parts(self, source: Source) -> range:
        """All of them."""
        return range(len(source))

    def __call__(self, source: Source, part: int) -> Schema:
        return source.schema_of(part, self.need)


Job = Summarize | FindSchema
