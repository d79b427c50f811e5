"""Scores: whatever predicts, beside what is true, as summaries that merge."""

from tenfold import _namespace

__getattr__, __dir__, __all__ = _namespace(__name__)
