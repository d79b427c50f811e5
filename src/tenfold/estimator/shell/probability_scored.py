"""Classifiers whose scores are probabilities, or shares of votes, as they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.estimator.shell.kinds import Classifier


class ProbabilityScored(Classifier):
    """A subclass writes `scores_from(model, X)`: the probability of each class, or its share of the votes."""

    def probability_from(self, scores: Any) -> Any:
        return scores

    def log_probability_from(self, scores: Any) -> Any:
        with np.errstate(divide="ignore"):  # minus infinity where a class has none
            return np.log(scores)
