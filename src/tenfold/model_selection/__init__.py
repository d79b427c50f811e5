"""Model selection: cross-validation, tuning, comparison, curves and certificates on unseen rows."""

from tenfold import _namespace

__getattr__, __dir__, __all__ = _namespace(__name__)
