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
SEQUENTIAL: Literal["sequential"] = "sequential"
"""one row after another: the order matters, and two models do not merge"""


class Ask(NamedTuple):
    """What a learner wants summarized next. Equal to the last one: the summary is used again."""

    what: str
    step: int = 0
    every: int = 1
    """read each `every`-th part only"""
    order: int | None = None
    """None: summaries of parts merge. Else one part after another (`Walker`): 0, as they come; any other number
    draws an order"""


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


class Walker(Learner, Protocol):
    """A learner that may ask for the parts in order: its summary of some rows goes on from that of the rows before."""

    def window(self, state: Any, X: Any) -> int:
        """How many rows like these `step` takes at a time, wherever parts are cut."""

    def step(self, state: Any, summary: Any, chunk: Chunk) -> Any:
        """Where the rows of one window lead, from where those before it led (None: from the state). Pure."""

    def onward(self, state: Any) -> Any:
        """The state from which `partial_fit` walks once over more rows."""
