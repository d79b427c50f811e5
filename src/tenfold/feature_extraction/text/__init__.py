"""Features of text: word counts and tf-idf."""

from tenfold import _namespace

__getattr__, __dir__ = _namespace(__name__)
