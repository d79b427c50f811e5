"""What a learner is: pure functions of one algorithm, and no loop over data."""

from __future__ import annotations

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
    """The methods the loop calls. `state` is a NamedTuple of arrays with an int field `step`."""

    @property
    def need(self) -> Need:
        """What it takes from the rows."""

    def start(self, schema: Schema) -> Any:
        """The first state."""

    def ask(self, state: Any) -> Ask | None:
        """What to summarize for this state, or None: finished."""

    def summarize(self, state: Any, chunk: Chunk) -> Any:
        """The summary of one chunk. On a worker; pure."""

    def update(self, state: Any, summary: Any) -> Any:
        """The next state. On the driver; pure."""

    def certify(self, state: Any, summary: Any) -> tuple[Claim, ...] | None:
        """Claims about this state (not the next), or None while nothing is known."""
