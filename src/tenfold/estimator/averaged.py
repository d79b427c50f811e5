"""Classifiers whose scores are means of what others say."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from tenfold.estimator.kinds import Classifier


class Averaged(Classifier):
    """Its scores are probabilities, if it says so, or shares of votes."""

    @property
    def has_probabilities(self) -> bool:
        """Whether scores are probabilities."""
        return True

    predict_proba = available_if(lambda self: self.has_probabilities)(Classifier.predict_proba)
    predict_log_proba = available_if(lambda self: self.has_probabilities)(Classifier.predict_log_proba)

    def probability_from(self, scores: Any) -> Any:
        """The means themselves."""
        return scores

    def log_probability_from(self, scores: Any) -> Any:
        """Their logarithm."""
        with np.errstate(divide="ignore"):
            return np.log(scores)
