"""Errors of ours: each names the place and the remedy."""

from __future__ import annotations


class DataError(ValueError):
    """The data cannot be used as it is; the message names the column and what to do."""


class MergeError(ValueError):
    """Two models or summaries do not add up; the message lists the difference."""


class ModelFileError(ValueError):
    """A model file is damaged, forged, or of a version this tenfold does not read."""
