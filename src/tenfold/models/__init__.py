"""Models as data: a model for each key of the rows."""

from tenfold import _namespace

__getattr__, __dir__, __all__ = _namespace(__name__)
