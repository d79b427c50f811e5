"""The checks by name, each with the cases it speaks of and how often it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Entry = tuple[Callable[[Any], None], Callable[[Any], bool], float]
LAWS: dict[str, Entry] = {}
ORACLES: dict[str, Entry] = {}


def law(when: Callable[[Any], bool] = lambda case: True, often: float = 1.0) -> Any:
    """Publish a check that holds an answer against a law."""
    return _publish(LAWS, when, often)


def oracle(when: Callable[[Any], bool] = lambda case: True, often: float = 1.0) -> Any:
    """Publish a check that holds an answer against an independent one."""
    return _publish(ORACLES, when, often)


def _publish(into: dict[str, Entry], when: Callable[[Any], bool], often: float) -> Any:
    def publish(check: Any) -> Any:
        into[check.__name__] = (check, when, often)
        return check

    return publish


def named(case: Any, *starts: str) -> bool:
    """Whether the learner's name starts with one of these."""
    return type(case.learner).__name__.startswith(starts)


def classifies(case: Any) -> bool:
    """Whether the target is a class."""
    return bool(case.learner.need.target == "class")
