"""Data sets: the worked examples of the textbooks, generators, and those of scikit-learn."""

from tenfold import _namespace

__getattr__, __dir__, __all__ = _namespace(__name__)
