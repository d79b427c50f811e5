"""Classifiers whose scores are the means of their members' outputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.estimator.shell.kinds import Classifier


class Averaged(Classifier):
    """Classifier whose scores are probabilities, if `soft`, or shares of votes."""

    def probability_from(self, scores: Any) -> Any:
        return scores

    def log_probability_from(self, scores: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(scores)
