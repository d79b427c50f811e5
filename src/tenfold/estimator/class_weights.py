"""`class_weight` of classifiers: a factor of the weights of the rows of each class.

A learner of several rounds that is `ClassWeighted` learns from rows as if they had been given these weights, to the
bit. Classes are balanced by their weights, which take one scan more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, Protocol

import numpy as np

from tenfold.core import Array, Chunk, Claim, Codes, Schema
from tenfold.core.axes import Bundle
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.learner import Done, ModelT, StateT, SummaryT
from tenfold.core.statistic import Expression
from tenfold.estimator.shell.estimator import Estimator
from tenfold.stats.combinators import Draw, Reweighted
from tenfold.stats.counts.weight_by_class import ClassWeights, WeightByClass
from tenfold.stats.rows.draws import Holdout

ClassWeight = Mapping[Any, float] | str | None


def class_weights(given: ClassWeight, schema: Schema, mass: Array | Codes) -> Array:
    """Return the factor of each class, from a dict (1 for classes not in it) or "balanced" class weights."""
    if given is None:
        return np.ones(len(schema.classes))
    return balanced_weights(mass) if isinstance(given, str) else named_weights(given, schema)


def named_weights(weights: Mapping[Any, float], schema: Schema) -> Array:
    """Return the weights of classes by name, 1 for classes without one."""
    classes = schema.classes.tolist()
    strange, unnamed = [c for c in weights if c not in classes], [c for c in classes if c not in weights]
    if strange and unnamed:
        raise ValueError(f"class_weight names {strange}, but not {unnamed}: the classes are {classes}")
    found = np.array([float(weights.get(c, 1.0)) for c in classes])
    if not (np.isfinite(found).all() and (found >= 0).all() and found.any()):
        raise ValueError("class_weight must hold non-negative numbers, not all of them 0")
    return found


def balanced_weights(mass: Array | Codes) -> Array:
    """Weights that give all classes that are there the same."""
    there = mass > 0
    return np.where(there, mass.sum() / (there.sum() * np.where(there, mass, 1)), 1.0)


def refuse_balanced(given: ClassWeight) -> None:
    """Refuse to balance classes of which more rows will come."""
    if isinstance(given, str):
        raise ValueError(
            "class_weight='balanced' needs the weights of the classes in all rows, but partial_fit sees only some. "
            "Remedy: class_weight as a dict"
        )


class TimesFactor(Draw):
    """The weight of each row, times the factor of its class; validation rows that were given keep their weights."""

    factor: Array
    holdout: Holdout = Holdout()

    def weight(self, chunk: Chunk) -> Array:
        factor = self.factor[chunk.y]
        if self.holdout.begin:
            factor = np.where(self.holdout.learns(chunk.places(), chunk.n), factor, 1.0)
        found: Array = chunk.weight * factor
        return found


class RowsToLearnFrom(Draw):
    """The weight of each row, zero for validation rows that were given."""

    holdout: Holdout

    def weight(self, chunk: Chunk) -> Array:
        found: Array = np.where(self.holdout.learns(chunk.places(), chunk.n), chunk.weight, 0.0)
        return found


class WeighingClasses(NamedTuple):
    """The state of a fit that adds up the weight of each class, to balance them."""

    step: int
    schema: Schema
    onto: Bundle
    """the state of the learner that it continues from, if any"""
    begin: int = 0
    """the place of the first validation row that was given; 0: none was"""


class LearningWeighted(NamedTuple):
    """The state of a fit to rows whose weights are multiplied by the factors of their classes."""

    step: int
    factor: Annotated[Array, "class", NOT_NEGATIVE]
    within: Bundle
    """the state of the learner as if it had been given those weights"""
    begin: int = 0
    """the place of the first validation row that was given; 0: none was"""

    @classmethod
    def of(cls, state: Any, factor: Array, begin: int = 0) -> LearningWeighted:
        """A state of the learner, with the factors."""
        return cls(state.step, factor, Bundle((state,)), begin)

    @property
    def state(self) -> Any:
        """The state of the learner within."""
        return self.within.each[0]


class WithSchema(Protocol):
    """A model that knows the schema of its rows."""

    @property
    def schema(self) -> Schema:
        """Schema of the training rows: their columns and classes."""


class ClassWeighted(Estimator[StateT, SummaryT, ModelT]):
    """Base of iterative classifiers with the parameter `class_weight`, listed before the class that learns."""

    def start(self, schema: Schema) -> StateT | WeighingClasses | LearningWeighted:
        """The state before any rows are read; to balance the classes, they are weighed first."""
        learner: Any = super()
        begun = learner.start(schema)
        if self.class_weight is None:
            return begun
        if isinstance(self.class_weight, str):
            return WeighingClasses(0, schema, Bundle(()))
        return LearningWeighted.of(begun, named_weights(self.class_weight, schema))

    def onward(self, model: WithSchema) -> StateT | LearningWeighted:
        """The state from which `partial_fit` walks."""
        learner: Any = super()
        state = learner.onward(model)
        if not isinstance(self.class_weight, Mapping):
            return state
        return LearningWeighted.of(state, named_weights(self.class_weight, model.schema))

    def again(self, model: ModelT, schema: Schema) -> StateT | WeighingClasses | LearningWeighted:
        """The state from which a fit continues from a model, with the weights of the classes of its own rows."""
        learner: Any = super()
        state = learner.again(model, schema)
        if self.class_weight is None:
            return state
        if isinstance(self.class_weight, str):
            return WeighingClasses(state.step, schema, Bundle((state,)))
        return LearningWeighted.of(state, named_weights(self.class_weight, schema))

    def validating(
        self, state: StateT | WeighingClasses | LearningWeighted, begin: int
    ) -> StateT | WeighingClasses | LearningWeighted:
        """The first state of a fit to rows of which those from a place on are validation rows, with weights of one."""
        learner: Any = super()
        if isinstance(state, WeighingClasses):
            begun = state.onto.each[0] if state.onto.each else learner.start(state.schema)
            return state._replace(onto=Bundle((learner.validating(begun, begin),)), begin=begin)
        if isinstance(state, LearningWeighted):
            return state._replace(within=Bundle((learner.validating(state.state, begin),)), begin=begin)
        validated: StateT = learner.validating(state, begin)
        return validated

    def ask(self, state: StateT | WeighingClasses | LearningWeighted) -> Expression | None:
        """Return the statistic of class weights first, then the learner's own on reweighted rows."""
        learner: Any = super()
        if isinstance(state, WeighingClasses):
            weights = WeightByClass(len(state.schema.classes))
            return Reweighted(RowsToLearnFrom(Holdout(begin=state.begin)), weights) if state.begin else weights
        if not isinstance(state, LearningWeighted):
            return learner.ask(state)
        return Reweighted(TimesFactor(state.factor, Holdout(begin=state.begin)), learner.ask(state.state))

    def update(
        self, state: StateT | WeighingClasses | LearningWeighted, summary: SummaryT | ClassWeights
    ) -> StateT | WeighingClasses | LearningWeighted:
        """Pass the summary to the learner, or begin it once the class weights are known."""
        learner: Any = super()
        if isinstance(state, WeighingClasses):
            assert isinstance(summary, ClassWeights)
            begun = state.onto.each[0] if state.onto.each else learner.start(state.schema)
            return LearningWeighted.of(begun, balanced_weights(summary.weight), state.begin)
        if not isinstance(state, LearningWeighted):
            return learner.update(state, summary)
        then: StateT = learner.update(state.state, summary)
        return then if isinstance(then, Done) else LearningWeighted.of(then, state.factor, state.begin)

    def model(self, state: StateT | WeighingClasses | LearningWeighted) -> ModelT | None:
        learner: Any = super()
        if isinstance(state, WeighingClasses):
            return None
        return learner.model(state.state if isinstance(state, LearningWeighted) else state)

    def certify(self, model: ModelT, summary: SummaryT | ClassWeights) -> tuple[Claim, ...] | None:
        """Return the learner's claims on its objective, for rows reweighted by class."""
        learner: Any = super()
        claims: tuple[Claim, ...] | None
        claims = None if isinstance(summary, ClassWeights) else learner.certify(model, summary)
        return claims

    def resumable(self, state: Any, summary: Any, schema: Schema) -> bool:
        theirs = set(self.record_types.states) - {WeighingClasses, LearningWeighted}
        if isinstance(state, WeighingClasses):
            onto = not state.onto.each or (len(state.onto.each) == 1 and type(state.onto.each[0]) in theirs)
            return onto and self.class_weight == "balanced" and isinstance(summary, ClassWeights)
        if not isinstance(state, LearningWeighted):
            return self.class_weight is None and super().resumable(state, summary, schema)
        inner = len(state.within.each) == 1 and type(state.state) in theirs
        known = self.class_weight is not None and state.state.step == state.step
        return inner and known and super().resumable(state.state, summary, schema)

    def _partial_fit(self, X: Any, y: Any, weight: Any, classes: Any = None) -> Any:
        refuse_balanced(self.class_weight)
        return super()._partial_fit(X, y, weight, classes)
