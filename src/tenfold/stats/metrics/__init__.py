"""Metrics as summaries: each part of the data is scored by itself, the summaries merge, the score is read off."""

from tenfold.stats.metrics.calibration import Calibration
from tenfold.stats.metrics.confusion import Average, Confusion
from tenfold.stats.metrics.log_loss import LogLoss
from tenfold.stats.metrics.ranking import Ranking
from tenfold.stats.metrics.regression import Regression
from tenfold.stats.metrics.scorers import Scorer, scorers, with_positive, within_range
from tenfold.stats.metrics.sums import Sum

__all__ = [
    "Average",
    "Calibration",
    "Confusion",
    "LogLoss",
    "Ranking",
    "Regression",
    "Scorer",
    "Sum",
    "scorers",
    "with_positive",
    "within_range",
]
