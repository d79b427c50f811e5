"""Classifiers whose scores are means of what others say."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.estimator.shell.kinds import Classifier


class Averaged(Classifier):
    """Its scores are probabilities, if it says so, or shares of votes."""

    def probability_from(self, scores: Any) -> Any:
        return scores

    def log_probability_from(self, scores: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(scores)
