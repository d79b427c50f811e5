"""What a cube of classifiers gives for each class of its rows: cells may have seen different classes."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from tenfold.core import Array, Columns, Labels
from tenfold.estimator import Classifier
from tenfold.estimator.shell.decision_function import DecidingByOthers

Method = Literal["predict_proba", "predict_log_proba", "decision_function"]
OF_UNSEEN = {"predict_proba": 0.0, "predict_log_proba": -np.inf, "decision_function": -np.inf}
"""of a class that a cell has never seen"""
NAMES = {"predict_proba": "probability", "predict_log_proba": "log_probability", "decision_function": "decision"}


class ClassOutput(NamedTuple):
    """A method of classifiers, and the classes that it has columns for."""

    method: Method
    classes: Labels
    """of all cells, sorted"""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        name = NAMES[self.method]
        if self.method == "decision_function" and len(self.classes) <= 2:
            return (name,)
        return tuple(f"{name}_{c}" for c in self.classes)

    def of_model(self, learner: Any, X: Columns) -> Array:
        """Return the columns of some rows, by a learner that has a model."""
        if self.method == "decision_function":
            found = np.asarray(learner.decision_from(learner.model_, X))
        else:
            found = self.of_scores(learner, learner.scores_from(learner.model_, X))
        return self.among_all(found, learner.schema_.classes)

    def of_scores(self, learner: Any, scores: Any) -> Array:
        """Return probabilities of scores, or their logarithms."""
        probable = self.method == "predict_proba"
        return np.asarray(learner.probability_from(scores) if probable else learner.log_probability_from(scores))

    def of_fitted(self, learner: Any, rows: Any) -> Array:
        """Return the columns of some rows, by a fitted learner or pipeline."""
        return self.among_all(np.asarray(getattr(learner, self.method)(rows)), learner.classes_)

    def among_all(self, found: Array, own: Labels) -> Array:
        """Return what a cell gives of its own classes as columns of all classes."""
        if len(own) == len(self.classes):
            return found
        decides = self.method == "decision_function"
        if decides and len(own) == 1:
            found = np.zeros((len(found), 1))
        elif decides and found.ndim == 1:
            found = np.column_stack([-found, found])
        out = np.full((len(found), len(self.classes)), OF_UNSEEN[self.method])
        out[:, np.searchsorted(self.classes, own)] = found
        return np.asarray(out[:, 1] - out[:, 0]) if decides and len(self.classes) == 2 else out


def gives(learner: Any, method: Method) -> bool:
    """Whether a learner has a method of classifiers."""
    if not isinstance(learner, Classifier):
        return False
    if method != "decision_function":
        return learner.has_probabilities
    return bool((learner.decider() if isinstance(learner, DecidingByOthers) else learner).has_decision_function)
