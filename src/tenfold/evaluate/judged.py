"""What is asked of a model, and the scores of the rows it was judged on, unit by unit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import is_classifier

from tenfold.core import Provenance
from tenfold.engine.tree import merge
from tenfold.evaluate.trials import Scores
from tenfold.stats.metrics import Scorer, scorers, with_positive

UNITS = 512
"""at most: more groups than these are joined, more rows than these are dealt to so many units"""
LOSSES = ("neg_mean_absolute_error", "neg_mean_squared_error")


@dataclass(frozen=True)
class Asked:
    """A score, as it is claimed."""

    kind: str
    scorer: Scorer
    offset: float
    sign: float
    low: float
    """the least that it can be"""
    high: float

    @property
    def is_rate(self) -> bool:
        """Whether rows are right or wrong, each for itself."""
        return self.scorer.name == "accuracy"

    def of(self, summary: Any) -> float:
        """The score of a summary."""
        return self.offset + self.sign * self.scorer.value(summary)


@dataclass(frozen=True, eq=False)
class Judged:
    """What was found: the scores of each unit."""

    units: list[Scores]
    rows: int
    weighted: bool
    groups: int
    """how many there are; 0 if rows are independent"""
    classes: Any
    seen: float
    """which share of these rows the model was made from, as far as can be told"""
    provenance: Provenance

    def total(self, asked: Asked) -> Any:
        """The summary of all rows."""
        return merge(self.each(asked))

    def each(self, asked: Asked) -> list[Any]:
        """The summaries of the units."""
        return [unit.each[asked.scorer.summarize] for unit in self.units]


def asked_of(model: Any, scoring: Any, pos_label: Any = None) -> list[Asked]:
    """The scores as they are claimed, with the positive class that was asked for."""
    classifies = is_classifier(model)
    if scoring is None:
        scoring = ["error"] if classifies else [*LOSSES, "r2"]
    if not isinstance(scoring, (str, list, tuple)):
        raise ValueError(f"scoring must be the name of a score, or a list of them, not {scoring!r}")
    out = []
    for name in [scoring] if isinstance(scoring, str) else scoring:
        scorer = scorers.get("accuracy" if name == "error" else name)
        if scorer is None or (scorer.kind == "class") != classifies:
            fit = [n for n, s in scorers.items() if (s.kind == "class") == classifies]
            raise ValueError(f"scoring={name!r} is no score of {type(model).__name__}; there are {['error', *fit]}")
        loss = name.startswith("neg_")
        kind = name.removeprefix("neg_").replace("_", " ")
        offset, sign = float(name == "error"), -1.0 if loss or name == "error" else 1.0
        low, high = sorted((offset + sign * scorer.low, offset + sign * scorer.high))
        out.append(Asked(kind, scorer, offset, sign, low, high))
    if not out:
        raise ValueError("scoring is empty. Remedy: name a score, or leave it out")
    some = with_positive([one.scorer for one in out], pos_label)
    return [replace(one, scorer=scorer) for one, scorer in zip(out, some, strict=True)]
