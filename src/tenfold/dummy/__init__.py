"""Predictions that look at no feature, to compare other models with."""

from tenfold import _namespace

__getattr__, __dir__, __all__ = _namespace(__name__)
