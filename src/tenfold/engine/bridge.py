"""Learners of the first contract as askers of statistics: while families move over one by one, all of them run.

What such a learner wants summarized at a state becomes a statistic that holds both, and is told by being of these very
two: that is good enough within one scan.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from tenfold.core import Ask, Chunk, Codes, Columns
from tenfold.core.statistic import Grouped, Held, Lens, Ordered, Statistic, Strided
from tenfold.core.value import Itself, Value


class Pickled(Value):
    """Anything, told by its pickle: equal things that were made in another way may have another."""

    it: Any

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Pickled) and self.digest == other.digest)

    __hash__ = Value.__hash__

    @cached_property
    def digest(self) -> bytes:
        """Of the pickle."""
        return hashlib.blake2b(pickle.dumps(self.it, protocol=5), digest_size=16).digest()


class Asked(Statistic[Any]):
    """What a learner summarizes at a state."""

    learner: Itself
    state: Itself
    ask: Ask

    def summarize(self, chunk: Chunk) -> Any:
        """As the learner does."""
        return self.learner.it.summarize(self.state.it, self._wanted(chunk))

    def _wanted(self, chunk: Chunk) -> Chunk:
        """The rows without a target that the learner does not want."""
        return chunk if self.learner.it.need.target else chunk._replace(y=None)

    @property
    def title(self) -> str:
        """The learner, and what it asks for."""
        return f"{type(self.learner.it).__name__}_{self.ask.what}".replace("-", "_")


class AskedOfSome(Strided[Any], Asked):
    """The same of a share of the parts."""


class AskedOfGroups(Grouped[Any], Asked):
    """The same, of groups at once; equal for all learners that say they share it."""

    shared: str
    telling = ("ask", "shared")

    def summarize_groups(self, chunk: Chunk, codes: Codes, groups: int) -> Sequence[Any]:
        """As the learner does, or one by one."""
        learner, found = self.learner.it, None
        if hasattr(learner, "summarize_groups"):
            found = learner.summarize_groups(self.state.it, self._wanted(chunk), codes, groups)
        return super().summarize_groups(chunk, codes, groups) if found is None else list(found)


class AskedOfSomeGroups(Strided[Any], AskedOfGroups):
    """The same, of a share of the parts, which the ask tells too."""

    telling = ("ask", "shared")


class LensOf(Lens):
    """A learner's lens."""

    it: Pickled

    def __call__(self, chunk: Chunk) -> Any:
        """What it makes of a chunk."""
        return self.it.it(chunk)


class AskedOfHeld(Held[Any], Asked):
    """The same of rows that are held."""

    def follow(self, held: Any, scratch: Any) -> Any:
        """As the learner does."""
        return self.learner.it.follow(self.state.it, held, scratch)


class AskedOfSomeHeld(Strided[Any], AskedOfHeld):
    """The same, of a share of the parts."""


class AskedInOrder(Ordered[Any], Asked):
    """The same, one part after another."""

    def window(self, X: Columns) -> int:
        """As the learner says."""
        return int(self.learner.it.window(self.state.it, X))

    def step(self, summary: Any, chunk: Chunk) -> Any:
        """As the learner does."""
        return self.learner.it.step(self.state.it, summary, self._wanted(chunk))


def asked(learner: Any, state: Any, first: bool = False) -> Statistic[Any] | None:
    """What a learner wants computed at a state, by whichever contract; None: it is done."""
    ask = learner.ask(state)
    return statistic_of(learner, state, ask, first) if isinstance(ask, Ask) else ask


def every(ask: Ask | Statistic[Any]) -> int:
    """Which share of the parts is read for it: each so-manieth."""
    return ask.every if isinstance(ask, (Ask, Strided)) else 1


def title(ask: Ask | Statistic[Any] | None) -> str | None:
    """What it is called in a history, and on a bar."""
    return ask.what if isinstance(ask, Ask) else None if ask is None else ask.title


def statistic_of(learner: Any, state: Any, ask: Ask, first: bool = False) -> Asked:
    """What a learner of the first contract wants computed at a state; `first`: all folds are at this state."""
    given = (Itself(learner), Itself(state), ask)
    lens = learner.lens(state)
    if ask.order is not None:
        return AskedInOrder(*given, order=ask.order)
    if lens is not None and ask.every > 1:
        return AskedOfSomeHeld(*given, lens=LensOf(Pickled(lens)), every=ask.every)
    if lens is not None:
        return AskedOfHeld(*given, lens=LensOf(Pickled(lens)))
    said = learner.shares(state) if hasattr(learner, "shares") else None
    if said is not None or first:
        own = (given[0].digest + given[1].digest).hex()
        name = own if said is None else f"{said} {learner.need}"
        some = AskedOfSomeGroups(*given, name, every=ask.every) if ask.every > 1 else None
        return some or AskedOfGroups(*given, name)
    return AskedOfSome(*given, every=ask.every) if ask.every > 1 else Asked(*given)
