"""The checks by name, each with the cases it speaks of and how often it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Entry = tuple[Callable[[Any], None], Callable[[Any], bool], float]
LAWS: dict[str, Entry] = {}
ORACLES: dict[str, Entry] = {}
OF_KIND: dict[str, dict[str, Entry]] = {}
"""checks of cases that are no table and one learner, by the kind of case"""


def law(when: Callable[[Any], bool] = lambda case: True, often: float = 1.0) -> Any:
    """Publish a check that holds an answer against a law."""
    return _publish(LAWS, when, often)


def oracle(when: Callable[[Any], bool] = lambda case: True, often: float = 1.0) -> Any:
    """Publish a check that holds an answer against an independent one."""
    return _publish(ORACLES, when, often)


def check(kind: str, when: Callable[[Any], bool] = lambda case: True, often: float = 1.0) -> Any:
    """Publish a check of another kind of case: of pipelines, sequences, files and so on."""
    return _publish(OF_KIND.setdefault(kind, {}), when, often)


def drawn_from(random: Any, book: dict[str, Entry], case: Any = None) -> Callable[[Any], None] | None:
    """Draw one of the checks that speak of a case, each as often as it is to be drawn; None if there is none."""
    names = sorted(name for name, (_, when, _) in book.items() if when(case))
    if not names:
        return None
    often = [book[name][2] for name in names]
    return book[names[int(random.choice(len(names), p=[share / sum(often) for share in often]))]][0]


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
