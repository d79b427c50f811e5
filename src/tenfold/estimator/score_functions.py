"""Functions of scikit-learn that score columns one by one, of which merged summaries give the same scores."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

SCORE_NAMES = ("f_classif", "f_regression", "chi2")


def score_function(name: str) -> Callable[..., Any]:
    """scikit-learn's function of one of these names."""
    found: Callable[..., Any] = getattr(import_module("sklearn.feature_selection"), name)  # slow: when it is needed
    return found


def score_name(given: Any) -> str | None:
    """The name of a score, given by it or as the function itself; None of any other."""
    name = given if isinstance(given, str) else getattr(given, "__name__", None)
    if name not in SCORE_NAMES:
        return None
    return name if isinstance(given, str) or given is score_function(name) else None
