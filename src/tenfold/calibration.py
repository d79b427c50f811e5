"""Calibration of probabilities: scikit-learn's own works beside our learners."""

from tenfold import _namespace

__getattr__, __dir__, __all__ = _namespace(__name__)
