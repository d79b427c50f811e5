"""Learners of one pass: a statistic of the rows, and the model that its summary gives.

That alone brings merging, `partial_fit`, folds and `verify`: the model of some rows is `solve` of their merged summary,
wherever the summaries came from.
"""

from __future__ import annotations

from typing import Any, ClassVar, cast

from tenfold.core import ONE, Schema
from tenfold.core.learner import Done, Initial, ModelT, StateT, SummaryT
from tenfold.core.statistic import Statistic
from tenfold.estimator.shell.estimator import Estimator


class OnePass(Estimator[StateT, SummaryT, ModelT]):
    """Base of learners that read the rows once: a subclass writes `statistic`, `solve` and `certify`."""

    passes: ClassVar[str] = ONE
    solves_stacks: ClassVar[bool] = False
    """whether `solve` makes the models of many cells of a stack of their summaries: a stack, each to the bit its own;
    where it raises an error they are made one by one"""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        first, declares = (next(c for c in cls.__mro__ if name in c.__dict__) for name in ("update", "merges_unsolved"))
        if first is not OnePass and declares is OnePass:
            raise TypeError(f"{cls.__name__} has its own `update` and must declare `merges_unsolved`")

    def statistic(self, schema: Schema) -> Statistic[SummaryT]:
        """Return the statistic of the fit; parameters that contradict the schema are refused here."""
        raise NotImplementedError(f"{type(self).__name__} has no `statistic`: what to compute of the rows")

    def solve(self, schema: Schema, summary: SummaryT) -> ModelT:
        """The model of a summary. Priors, smoothing and penalties enter here."""
        raise NotImplementedError

    def start(self, schema: Schema) -> Initial:
        """Return the initial state of a fit, which depends on the schema only."""
        return Initial(0, schema)

    def ask(self, state: Initial | Done[ModelT]) -> Statistic[SummaryT] | None:
        """Return the statistic of the one pass, and None once the model is made."""
        return self.statistic(state.schema) if isinstance(state, Initial) else None

    def update(self, state: Initial, summary: SummaryT) -> StateT | Done[ModelT]:
        """Make the model of the merged summary."""
        return Done.of(self.solve(state.schema, summary))

    def model(self, state: StateT | Initial | Done[ModelT]) -> ModelT | None:
        # A state on the way to another pass may have a model, too.
        return None if isinstance(state, Initial) else cast(Done[ModelT], state).model

    @property
    def merges_unsolved(self) -> bool:
        # Whether `partial_fit` merges summaries before a model is made: the one summary is all that it is made of.
        # A subclass whose `update` may ask for another pass returns False.
        return True
