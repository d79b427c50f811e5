"""What a learner is: pure functions of one algorithm, and no loop over data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

from tenfold.core.certificate import Claim
from tenfold.core.chunk import Chunk
from tenfold.core.need import Need
from tenfold.core.schema import Schema

ONE: Literal["one"] = "one"
"""exact, one pass: the model of merged summaries is the model of all rows"""
MANY: Literal["many"] = "many"
"""exact, per pass: each round's summary merges"""


class Ask(NamedTuple):
    """What a learner wants summarized next. Equal to the last one: the summary is used again."""

    what: str
    step: int = 0
    every: int = 1
    """read each `every`-th part only"""


class Learner(Protocol):
    """The methods the loop calls. `state` is a NamedTuple of arrays with an int field `step`.

    A learner that reads the same rows in many rounds may look at them through a lens once, and let data that
    belongs to the rows follow the state. Both are accelerators: the runner may drop and remake what they made.
    """

    @property
    def need(self) -> Need:
        """What it takes from the rows."""

    def start(self, schema: Schema) -> Any:
        """The first state."""

    def ask(self, state: Any) -> Ask | None:
        """What to summarize for this state, or None: finished."""

    def lens(self, state: Any) -> Callable[[Chunk], Any] | None:
        """What to make of each chunk once and hold (picklable), or None: rows are read again every time."""

    def follow(self, state: Any, held: Any, scratch: Any) -> Any:
        """Data that belongs to held rows at this state: from None or from any earlier scratch, the same bits."""

    def summarize(self, state: Any, chunk: Chunk) -> Any:
        """The summary of one chunk, with what is held and followed if there is a lens. On a worker; pure."""

    def update(self, state: Any, summary: Any) -> Any:
        """The next state. On the driver; pure."""

    def certify(self, state: Any, summary: Any) -> tuple[Claim, ...] | None:
        """Claims about this state (not the next), or None while nothing is known."""
