"""Utilities: scikit-learn's."""

from tenfold import _namespace

__getattr__, __dir__, __all__ = _namespace(__name__)
