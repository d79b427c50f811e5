"""One reduce: which function of which parts. Pure and self-sufficient, so it can run anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tenfold.core import Ask, Chunk, Learner, Need, Schema
from tenfold.engine.held import Held
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

    @property
    def lens(self) -> Any:
        """Through which the rows are seen once and then held, or None."""
        return self.learner.lens(self.state)

    def __call__(self, source: Source, part: int) -> Counted:
        """The summary of one part."""
        if self.lens is not None:
            held = self.hold(source, part)
            return self.of_held(held, self.follow(held, None))
        done: Counted = merge(map(self._one, source.chunks(part, self.learner.need, self.schema)))
        return done

    def hold(self, source: Source, part: int) -> list[Held]:
        """One part through the lens."""
        return [Held.of(self.lens, chunk) for chunk in source.chunks(part, self.learner.need, self.schema)]

    def follow(self, held: list[Held], scratch: list[Any] | None) -> list[Any]:
        """What belongs to the held rows at this state, from an earlier one if there is any."""
        before = [None] * len(held) if scratch is None else scratch
        return [self.learner.follow(self.state, h.value, s) for h, s in zip(held, before, strict=True)]

    def of_held(self, held: list[Held], scratch: list[Any]) -> Counted:
        """The summary of one part from what is held of it."""
        done: Counted = merge(self._one(h.chunk(s)) for h, s in zip(held, scratch, strict=True))
        return done

    def _one(self, chunk: Chunk) -> Counted:
        summary = self.learner.summarize(self.state, chunk)
        return Counted(summary, chunk.n, chunk.dropped, frozenset([this_machine()]))


@dataclass(frozen=True)
class FindSchema:
    """What the parts hold: schemas merge like any other summary."""

    need: Need
    lens: None = None

    def parts(self, source: Source) -> range:
        """All of them."""
        return range(len(source))

    def __call__(self, source: Source, part: int) -> Schema:
        """What one part holds."""
        return source.schema_of(part, self.need)


Job = Summarize | FindSchema
