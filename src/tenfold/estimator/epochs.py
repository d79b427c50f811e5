"""Training by epochs: pass after pass over the rows, each from where the last one led, and a final pass.

The state of a fit says what the next pass does. `Epoch` learns from the rows; `Validate` scores those that are held
out; `FinalPass` looks at the rows with the finished model, for its certificate.
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from tenfold.core import Schema
from tenfold.core.axes import Bundle
from tenfold.core.contract import RecordTypes
from tenfold.core.learner import Done, ModelT, StateT, SummaryT
from tenfold.core.statistic import Expression
from tenfold.estimator.updating.sequential import Sequential

T = TypeVar("T")


class Epoch(NamedTuple, Generic[T]):
    """The state of a fit that learns from one batch of rows after another."""

    step: int
    schema: Schema
    record: Bundle
    """how far the training is: a record of the learner's own"""

    @classmethod
    def of(cls, step: int, schema: Schema, training: T) -> Epoch[T]:
        """The state after so many epochs."""
        return cls(step, schema, Bundle((training,)))

    @property
    def training(self) -> T:
        """How far the training is."""
        found: T = self.record.each[0]
        return found


class Validate(NamedTuple, Generic[T]):
    """The state of a fit that has ended an epoch, and scores the validation rows."""

    step: int
    schema: Schema
    record: Bundle
    """how far the training is: a record of the learner's own"""

    @classmethod
    def of(cls, step: int, schema: Schema, training: T) -> Validate[T]:
        """The state in the midst of this step."""
        return cls(step, schema, Bundle((training,)))

    @property
    def training(self) -> T:
        """How far the training is."""
        found: T = self.record.each[0]
        return found


class FinalPass(NamedTuple, Generic[ModelT]):
    """The state of a fit that has its model: one more pass computes what the certificate claims."""

    step: int
    kept: Bundle
    """the model"""

    @classmethod
    def of(cls, model: ModelT, step: int) -> FinalPass[ModelT]:
        """The state at this model, which so many epochs led to."""
        return cls(step, Bundle((model,)))

    @property
    def model(self) -> ModelT:
        """The model that is certified."""
        found: ModelT = self.kept.each[0]
        return found


class TrainedByEpochs(Sequential, Generic[StateT, SummaryT, ModelT]):
    """A learner whose rounds are epochs, and whose model is certified by a final pass.

    A subclass writes the four methods `_epoch`, `_after_epoch`, `_final_pass` and `_model_of`. One with further states
    handles these in its own `ask` and `update`, and leaves the rest to this class.
    """

    training_types: ClassVar[tuple[type, ...]] = ()
    """classes of the records that `Epoch` and `Validate` hold"""

    @property
    def record_types(self) -> RecordTypes:
        """The record classes that files may hold of it."""
        estimator: Any = super()
        found: RecordTypes = estimator.record_types
        return found._replace(within=self.training_types)

    def ask(self, state: StateT) -> Expression | None:
        """What the next epoch computes; in the end what the final pass does."""
        at: Any = state
        match at:
            case Epoch():
                return self._epoch(at)
            case FinalPass():
                return self._final_pass(at.model)
            case Done():
                return None
        raise AssertionError

    def update(self, state: StateT, s: SummaryT) -> StateT:
        """On to what comes next, or one epoch further."""
        at: Any = state
        match at:
            case Epoch():
                return self._after_epoch(at, s)
            case FinalPass():
                self._check_final(at.model, s)
                done: Any = Done.of(at.model, at.step)
                ended: StateT = done
                return ended
        raise AssertionError

    def model(self, state: StateT) -> ModelT | None:
        # During the final pass there is none: it would be certified by the summary of an epoch.
        at: Any = state
        match at:
            case Epoch():
                return self._model_of(at.step, at.schema, at.training)
            case Done():
                kept: ModelT = at.model
                return kept
        return None

    def _epoch(self, state: Epoch[Any]) -> Expression:
        """The statistic of one epoch."""
        raise NotImplementedError

    def _after_epoch(self, state: Epoch[Any], s: Any) -> StateT:
        """The state after an epoch."""
        raise NotImplementedError

    def _final_pass(self, model: Any) -> Expression:
        """The statistic of the final pass."""
        raise NotImplementedError

    def _check_final(self, model: Any, s: Any) -> None:
        """Refuse a model, or warn of it, for what the final pass has found."""

    def _model_of(self, step: int, schema: Schema, training: Any) -> ModelT | None:
        """The model if the fit ended here; None, if there is none before the final pass."""
        raise NotImplementedError

    def _final(self, step: int, schema: Schema, training: Any) -> FinalPass[Any]:
        """The state that certifies the model of a training."""
        return FinalPass.of(self._model_of(step, schema, training), step)
