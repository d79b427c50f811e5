"""Which scores are asked for, by scikit-learn's names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sklearn.base import BaseEstimator, is_classifier

from tenfold.metrics.outcomes import Called
from tenfold.stats.metrics import Confusion, LogLoss, Ranking, Regression, Scorer, scorers, with_positive
from tenfold.stats.metrics.scorers import Kind

Summary = Confusion | LogLoss | Ranking | Regression
"""what scores are read off"""
One = str | Callable[..., Any]
"""a score by scikit-learn's name, what `make_scorer` makes, a function of an estimator, rows and target"""
Scoring = One | Sequence[One] | Mapping[str, One]
"""one score or several, which may be given names"""


def scorers_of(
    names: Scoring | None, model: BaseEstimator, pos_label: object = None, name: str = "", outcomes: bool = False
) -> tuple[Scorer, ...]:  # fmt: skip
    """The scores of a classifier or regressor, with the positive class that is asked for; accuracy or R² by default.

    outcomes: whether scorers that need all predictions are accepted too.
    """
    kind: Kind = "class" if is_classifier(model) else "number"
    if names is None:
        names = "accuracy" if kind == "class" else "r2"
    out: list[Scorer] = []
    for given, one in _named(names):
        scorer = scorers.get(one) if isinstance(one, str) else None
        if scorer is None and outcomes:
            scorer = Called.by(one, kind)
        if scorer is None and callable(one):
            raise ValueError(f"scoring={one!r} is a function; here a score is asked for by name: {sorted(scorers)}")
        if scorer is None:
            raise ValueError(f"scoring={one!r}: there is no score {one!r}; there are {sorted(scorers)}")
        if scorer.kind != kind:
            fit = [n for n, s in scorers.items() if s.kind == kind]
            raise ValueError(f"scoring={one!r} is not a score of {name or type(model).__name__}; there are {fit}")
        out.append(replace(scorer, given=given))
    return with_positive(out, pos_label)


def _named(scoring: Scoring) -> list[tuple[str, One]]:
    """The scores that are asked for, beside the names that a user gave them, if any."""
    if isinstance(scoring, Mapping):
        if wrong := [name for name in scoring if not isinstance(name, str) or not name]:
            raise ValueError(f"scoring names a score {wrong[0]!r}. Remedy: names that are text, {{name: score}}")
        several: list[tuple[str, One]] = list(scoring.items())
    else:
        several = [("", one) for one in ([scoring] if isinstance(scoring, str) or callable(scoring) else scoring)]
    if not several:
        raise ValueError("scoring is empty. Remedy: name a score, or leave scoring out")
    return several
