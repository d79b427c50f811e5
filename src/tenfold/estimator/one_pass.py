"""Learners of one pass: a statistic of the rows, and the model that its summary gives.

That alone brings merging, `partial_fit`, folds and `verify`: the model of some rows is `solve` of their merged summary,
wherever the summaries came from.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tenfold.core import ONE, Schema
from tenfold.core.learner import Begun, Solved
from tenfold.core.statistic import Statistic
from tenfold.estimator.base import Estimator


class OnePass(Estimator):
    """Base of learners that read the rows once: a subclass writes `statistic`, `solve` and `certify`."""

    passes: ClassVar[str] = ONE
    state_types: ClassVar[tuple[type, ...]] = (Begun, Solved)

    def statistic(self, schema: Schema) -> Statistic[Any]:
        """What to compute of the rows; parameters that do not fit the schema are refused here."""
        raise NotImplementedError

    def solve(self, schema: Schema, summary: Any) -> Any:
        """The model of a summary. Priors, smoothing and penalties enter here."""
        raise NotImplementedError

    def start(self, schema: Schema) -> Begun:
        """Nothing but the schema."""
        return Begun(0, schema)

    def ask(self, state: Any) -> Statistic[Any] | None:
        """The statistic, once."""
        return self.statistic(state.schema) if isinstance(state, Begun) else None

    def update(self, state: Any, summary: Any) -> Any:
        """The model."""
        return Solved.of(self.solve(state.schema, summary))

    def model(self, state: Any) -> Any:
        """There is one after the pass."""
        return None if isinstance(state, Begun) else state.model

    @property
    def merges_unsolved(self) -> bool:
        """Whether the one summary is all that a model is made of; not so, if `update` asks for more rounds."""
        return True
