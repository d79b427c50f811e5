"""Selection of columns: ours, and beside it scikit-learn's own, which works with our learners."""

from tenfold import _namespace

__getattr__, __dir__, __all__ = _namespace(__name__)
