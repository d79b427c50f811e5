"""Discriminant analysis: linear, quadratic, and Fisher's."""

from tenfold import _namespace

__getattr__, __dir__ = _namespace(__name__)
