"""The learner protocol: pure functions of one algorithm, without any loop over data.

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
    """State of a fit: a NamedTuple of numbers, arrays and the like, whose type selects the next step."""

    @property
    def step(self) -> int:
        """How many rounds led here."""


class Learner(Protocol[StateT, _Summary, ModelT]):
    """The methods that the loop calls. All are pure; none runs where the rows are."""

    @property
    def need(self) -> Need:
        """Requirements on the rows: which columns enter, and how."""

    def with_listed_categories(self, schema: Schema) -> Schema:
        """The schema of the rows, with the categories that parameters name."""

    def start(self, schema: Schema) -> StateT:
        """The state before any rows are read."""

    def ask(self, state: StateT) -> Expression | None:
        """Return the next statistic to compute, or None at the end; if it equals the last, its summary is reused."""

    def update(self, state: StateT, summary: _Summary) -> StateT:
        """The state after a summary has been taken in."""

    def model(self, state: StateT) -> ModelT | None:
        """Return the model of this state, or None if there is none yet; often the state itself."""

    def certify(self, model: ModelT, summary: _Summary) -> tuple[Claim, ...] | None:
        """Claims about this model (not the next), or None while nothing is known."""


@runtime_checkable
class StopsEarly(Protocol[StateT]):
    """Learner certified by a final pass that can also start that pass early."""

    def ending(self, state: StateT) -> StateT | None:
        """Return the state that leads to the end with the current model, or None if there is no model yet."""


@runtime_checkable
class ChecksLast(Protocol[StateT]):
    """Learner whose last pass only serves its certificate: no model of a fold needs it."""

    def unchecked(self, state: StateT) -> StateT:
        """Return the state after the last pass, if only that is left; otherwise the state itself."""


class Initial(NamedTuple):
    """The state before the first pass, of a learner that then knows the schema and no more."""

    step: int
    schema: Schema


class Done(NamedTuple, Generic[ModelT]):
    """The state at which a learner has its model, and asks for nothing more."""

    step: int
    kept: Bundle
    """the fitted model"""

    @classmethod
    def of(cls, model: ModelT, step: int = 1) -> Done[ModelT]:
        """Return the state at this model, after the given number of rounds."""
        return cls(step, Bundle((model,)))

    @property
    def model(self) -> ModelT:
        """The model that the fit led to."""
        found: ModelT = self.kept.each[0]
        return found
