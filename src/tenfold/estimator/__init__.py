"""The scikit-learn shell."""

from sklearn.utils.validation import check_is_fitted

from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.kinds import (
    Classifier,
    Clusterer,
    Density,
    GroupScored,
    Regressor,
    SummaryScored,
    Transformer,
)
from tenfold.estimator.shell.one_pass import OnePass

__all__ = [
    "Classifier",
    "Clusterer",
    "Density",
    "Estimator",
    "GroupScored",
    "OnePass",
    "Regressor",
    "SummaryScored",
    "Transformer",
    "check_is_fitted",
]
