"""Which scores are asked for, by scikit-learn's names."""

from __future__ import annotations

from collections.abc import Sequence

from sklearn.base import BaseEstimator, is_classifier

from tenfold.stats.metrics import Confusion, LogLoss, Ranking, Regression, Scorer, scorers, with_positive

Summary = Confusion | LogLoss | Ranking | Regression
"""what scores are read off"""


def scorers_of(
    names: str | Sequence[str] | None, model: BaseEstimator, pos_label: object = None, name: str = ""
) -> tuple[Scorer, ...]:  # fmt: skip
    """The scores of a classifier or regressor, with the positive class that is asked for; accuracy or R² by default."""
    kind = "class" if is_classifier(model) else "number"
    if names is None:
        names = "accuracy" if kind == "class" else "r2"
    out = []
    for one in [names] if isinstance(names, str) else names:
        scorer = scorers.get(one) if isinstance(one, str) else None
        if scorer is None:
            raise ValueError(f"scoring={one!r}: there is no score {one!r}; there are {sorted(scorers)}")
        if scorer.kind != kind:
            fit = [n for n, s in scorers.items() if s.kind == kind]
            raise ValueError(f"scoring={one!r} is no score of {name or type(model).__name__}; there are {fit}")
        out.append(scorer)
    return with_positive(out, pos_label)
