"""The joint log-probability of rows and classes, ln P(x, c) = ln P(c) + ln P(x given c), as naive Bayes scores them."""

from __future__ import annotations

from typing import Any

from tenfold.core.arrays import MatrixLike
from tenfold.estimator import Classifier, check_is_fitted, fitted


class JointLogProba(Classifier):
    """A classifier whose scores are joint log-probabilities."""

    @fitted
    def predict_joint_log_proba(self, X: MatrixLike) -> Any:
        """The joint log-probability of each row and each class: `predict_log_proba` before it is normalised.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        log_p : array of shape (rows, classes)
        """
        check_is_fitted(self)
        return self._apply(type(self).scores_from, X, lambda: [f"joint_log_probability_{c}" for c in self.classes_])
