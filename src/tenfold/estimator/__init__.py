"""The scikit-learn shell."""

from sklearn.utils.validation import check_is_fitted

from tenfold.core.contract import for_users
from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.fitted_params import as_fitted, fitted, fitted_if
from tenfold.estimator.shell.kinds import (
    AffineTransformer,
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
    "AffineTransformer",
    "Classifier",
    "Clusterer",
    "Density",
    "Estimator",
    "GroupScored",
    "OnePass",
    "Regressor",
    "SummaryScored",
    "Transformer",
    "as_fitted",
    "check_is_fitted",
    "fitted",
    "fitted_if",
    "for_users",
]
