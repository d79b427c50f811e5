"""The scikit-learn shell."""

from tenfold.estimator.base import Estimator
from tenfold.estimator.kinds import Classifier, Clusterer, Regressor, Transformer

__all__ = ["Classifier", "Clusterer", "Estimator", "Regressor", "Transformer"]
