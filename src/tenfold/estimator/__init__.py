"""The scikit-learn shell."""

from sklearn.utils.validation import check_is_fitted

from tenfold.estimator.base import Estimator
from tenfold.estimator.kinds import Classifier, Clusterer, Regressor, Transformer

__all__ = ["Classifier", "Clusterer", "Estimator", "Regressor", "Transformer", "check_is_fitted"]
