"""Selection of features: scikit-learn's own works beside our learners."""

from tenfold import _namespace

__getattr__, __dir__ = _namespace(__name__)
