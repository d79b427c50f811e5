"""Learners that read columns of the rows which are no features, such as the keys of a cube."""

from __future__ import annotations

from typing import Any


class KeyedLearner:
    """Learner of rows with columns that a step before it would change, or leave out: it is no step of a pipeline."""

    def refuse_steps(self, steps: list[Any]) -> None:
        """Raise for the steps that a pipeline has before it, with the call to write instead."""
        raise NotImplementedError
