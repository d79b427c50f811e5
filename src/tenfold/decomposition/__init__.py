"""Matrix decomposition: principal components, singular vectors."""

from tenfold import _namespace

__getattr__, __dir__, __all__ = _namespace(__name__)
