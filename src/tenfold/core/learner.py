"""What a learner is: pure functions of one algorithm, and no loop over data.

A learner asks for a statistic of the rows, and makes of its summary the next state. The state says where a fit is; the
model, made of it, is what is kept: enough to predict, to be certified, to be merged and to be written to a file.
"""

from __future__ import annotations

from typing import Generic, Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

from tenfold.core.axes import Bundle
from tenfold.core.certificate import Claim
from tenfold.core.need import Need
from tenfold.core.schema import Schema
from tenfold.core.statistic import Expression

ONE: Literal["one"] = "one"
"""exact, one pass: the model of merged summaries is the model of all rows"""
MANY: Literal["many"] = "many"
"""exact, per pass: each round's summary merges"""
SEQUENTIAL: Literal["sequential"] = "sequential"
"""one row after another: the order matters, and two models do not merge"""


StateT = TypeVar("StateT")
SummaryT = TypeVar("SummaryT")
ModelT = TypeVar("ModelT")
_Summary = TypeVar("_Summary", contravariant=True)


class State(Protocol):
    """Where a fit is: a NamedTuple of numbers, arrays and the like. Its type says what comes next."""

    @property
    def step(self) -> int:
        """How many rounds led here."""


class Learner(Protocol[StateT, _Summary, ModelT]):
    """The methods that the loop calls. All are pure; none runs where the rows are."""

    @property
    def need(self) -> Need:
        """What it takes from the rows."""

    def with_listed_categories(self, schema: Schema) -> Schema:
        """The schema of the rows, with the categories that parameters name."""

    def start(self, schema: Schema) -> StateT:
        """The state before any rows are read."""

    def ask(self, state: StateT) -> Expression | None:
        """What to compute of the rows next; None: finished. Equal to the last: its summary is used again."""

    def update(self, state: StateT, summary: _Summary) -> StateT:
        """The state after a summary has been taken in."""

    def model(self, state: StateT) -> ModelT | None:
        """What would be kept if the fit ended at this state; None: nothing yet. Often the state itself."""

    def certify(self, model: ModelT, summary: _Summary) -> tuple[Claim, ...] | None:
        """Claims about this model (not the next), or None while nothing is known."""


@runtime_checkable
class StopsEarly(Protocol[StateT]):
    """A learner that is certified by a last pass, and says how it comes there before it is finished."""

    def ending(self, state: StateT) -> StateT | None:
        """The state that leads from this one to the end, with the model as it is; None: there is none yet."""


class Initial(NamedTuple):
    """The state before the first pass, of a learner that then knows the schema and no more."""

    step: int
    schema: Schema


class Done(NamedTuple, Generic[ModelT]):
    """The state at which a learner has its model, and asks for nothing more."""

    step: int
    kept: Bundle
    """the model"""

    @classmethod
    def of(cls, model: ModelT, step: int = 1) -> Done[ModelT]:
        """The state at this model, which so many rounds led to."""
        return cls(step, Bundle((model,)))

    @property
    def model(self) -> ModelT:
        """The model that the fit led to."""
        found: ModelT = self.kept.each[0]
        return found
