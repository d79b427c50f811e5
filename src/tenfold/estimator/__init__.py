"""The scikit-learn shell."""

from sklearn.utils.validation import check_is_fitted

from tenfold.estimator.base import Estimator
from tenfold.estimator.kinds import Classifier, Clusterer, Density, GroupScored, Regressor, SummaryScored, Transformer
from tenfold.estimator.one_pass import OnePass

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
