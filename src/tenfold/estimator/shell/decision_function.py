"""`decision_function`, for classifiers with one output for two classes, and for meta-estimators."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from tenfold.core import Array, Columns
from tenfold.core.arrays import MatrixLike
from tenfold.estimator.shell.fitted_params import fitted, fitted_if
from tenfold.estimator.shell.kinds import Classifier


class Deciding(Classifier):
    """A subclass writes `scores(model, X)`: rows x outputs, one for two classes. Some have probabilities."""

    has_decision_function = True

    @property
    def has_probabilities(self) -> bool:
        # Scores are distances from a plane, unless a learner says otherwise.
        return False

    def scores(self, model: Any, X: Columns) -> Array:
        """The scores of rows, one column for each output: a single one for two classes."""
        raise NotImplementedError

    def scores_from(self, model: Any, X: Columns) -> Array:
        """A score for each class; for two, that of the second and its opposite."""
        f = self.scores(model, X)
        if f.shape[1] > 1:
            return f
        classes = len(self.schema_.classes) if "schema_" in self.__dict__ else 2
        return -f if classes == 1 else np.column_stack([-f, f])

    def decision_from(self, model: Any, X: Columns) -> Array:
        """The scores, of two classes that of the second alone."""
        found = self.scores(model, X)
        return found[:, 0] if len(model.intercept) == 1 else found

    @fitted
    def decision_function(self, X: MatrixLike) -> Any:
        """How far each row is on the side of its class.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source

        Returns
        -------
        scores : array of shape (rows,) for two classes, else (rows, classes)
        """
        check_is_fitted(self)
        one = len(self.model_.intercept) == 1
        return self._apply(
            type(self).decision_from,
            X,
            lambda: ["decision"] if one else [f"decision_{c}" for c in self.classes_],
        )

    def probability_from(self, scores: Array) -> Array:
        if not self.has_probabilities:
            raise ValueError(f"{self!r} gives no probabilities. Remedy: SGDClassifier(loss='log_loss')")
        return super().probability_from(scores / 2 if scores.shape[1] == 2 else scores)

    def log_probability_from(self, scores: Array) -> Array:
        return super().log_probability_from(scores / 2 if scores.shape[1] == 2 else scores)


class DecidingByOthers(Classifier):
    """Base of meta-estimators: a subclass writes `decider()`, the member it needs, and `decision_from(model, X)`."""

    @fitted_if(lambda self: self.decider().has_decision_function)
    def decision_function(self, X: MatrixLike) -> Any:
        """The decision function of the final learner, or the mean of the members', if they have one.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        scores : array of shape (rows,) for two classes, else (rows, classes)
        """
        check_is_fitted(self)
        two = len(self.classes_) == 2
        names = ["decision"] if two else [f"decision_{c}" for c in self.classes_]
        return self._apply(cast(Any, type(self)).decision_from, X, lambda: names)
