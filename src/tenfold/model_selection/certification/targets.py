"""What is asked of a model, and the scores of the rows it is scored on, unit by unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier
from sklearn.pipeline import Pipeline

from tenfold.core import Codes, DataError, Labels, MatrixLike, Provenance
from tenfold.engine.group_keys import Contiguous, Key
from tenfold.engine.merge_tree import merge
from tenfold.estimator import Estimator, as_fitted
from tenfold.metrics.predictors import Foreign, opened_rows, predictor_of
from tenfold.metrics.scoring import Summary, scorers_of
from tenfold.model_selection.certification.dependent_rows import unit_key
from tenfold.model_selection.certification.leakage import made_from, print_of
from tenfold.sources.expressions.expression import ColumnExpression
from tenfold.sources.inputs import as_source, refuse_lazy
from tenfold.stats.combinators import As, By
from tenfold.stats.metrics import Scorer
from tenfold.stats.predictor_scores import Score, Scores

LOSSES = ("neg_mean_absolute_error", "neg_mean_squared_error")


@dataclass(frozen=True)
class Asked:
    """One score to certify: the name of its claim, and how it is computed."""

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

    def of(self, summary: Summary) -> float:
        """Compute the score from a summary."""
        return self.offset + self.sign * self.scorer.value(summary)


@dataclass(frozen=True, eq=False)
class UnitScores:
    """Scores of a model for each unit."""

    score: Score
    units: list[Scores]
    rows: int
    weighted: bool
    groups: int
    """how many there are; 0 if rows are independent"""
    classes: Labels | None
    training_share: float
    """estimated share of these rows that are training rows of the model"""
    provenance: Provenance

    def total(self, asked: Asked) -> Summary:
        """Merged summary of all units."""
        found: Summary = merge(self.unit_summaries(asked))
        return found

    def unit_summaries(self, asked: Asked) -> list[Summary]:
        """Summary of each unit."""
        return [self.score.summary(asked.scorer, unit) for unit in self.units]


def score_units(
    model: BaseEstimator, X: MatrixLike, y: ArrayLike | None, groups: str | Codes | ColumnExpression | None,
    weight: ArrayLike | None, asked: list[Asked], seed: int,
) -> tuple[UnitScores, list[Asked]]:  # fmt: skip
    """Scores of a model by unit, and the claims to make, with the classes filled in."""
    predictor, first = predictor_of(model), model.steps[0][1] if isinstance(model, Pipeline) else model
    if isinstance(predictor, Foreign):
        refuse_lazy(X, type(model).__name__)
    column = groups if isinstance(groups, ColumnExpression) else None
    with opened_rows(predictor, model, X, y, weight, column=column) as rows:
        source, view = rows.given, rows.view
        asked = [replace(one, scorer=one.scorer.for_classes(rows.classes)) for one in asked]
        weighted = source.weighted
        alone = groups is None and not weighted and all(one.is_rate for one in asked)
        key: Key = Contiguous(1, np.zeros(1, np.int64))
        side: tuple[str, ...] = ()
        count = 0
        if not alone:
            named = repr(groups) if isinstance(groups, ColumnExpression) else groups
            key, side, count = unit_key(named, rows.source, view.need, rows.session, seed)
        score = Score.of([rows.predictor], [one.scorer for one in asked])
        view = replace(view, need=replace(view.need, side=side))
        done = rows.session.answer(As(view, By((key,), score)))
    if not done.each:
        raise DataError("there is no row to score: all have weight zero")
    each = [done.each[g] for g in sorted(done.each)]
    many, machines = sum(one.rows for one in each), frozenset().union(*(one.machines for one in each))
    where = Provenance(
        print_of(X, y, weight) if isinstance(predictor, Foreign) else source.fingerprint(), many, done.dropped,
        len(source), 1.0, "all rows were scored", tuple(sorted(machines)), None if alone else seed,
    )  # fmt: skip
    training_share = 0.0
    if isinstance(first, Estimator):
        if isinstance(predictor, Foreign):
            source = as_source(X, None, None, as_fitted(first).need.without_target(), model=first, reset=False)
        training_share = made_from(first, source, None if source.lazy else y, weight)
    units = [one.summary for one in each]
    return UnitScores(score, units, many, weighted, count, rows.classes, training_share, where), asked


def asked_of(model: BaseEstimator, scoring: str | Sequence[str] | None, pos_label: object = None) -> list[Asked]:
    """The claims to make, with the positive class."""
    if scoring is None:
        scoring = ["error"] if is_classifier(model) else [*LOSSES, "r2"]
    if not isinstance(scoring, (str, list, tuple)):
        raise ValueError(f"scoring must be the name of a score, or a list of them, not {scoring!r}")
    names = [scoring] if isinstance(scoring, str) else scoring
    if not names:
        raise ValueError("scoring is empty. Remedy: name a score, or leave it out")
    out = []
    chosen = scorers_of(["accuracy" if name == "error" else name for name in names], model, pos_label)
    for name, scorer in zip(names, chosen, strict=True):
        kind = name.removeprefix("neg_").replace("_", " ")
        offset, sign = float(name == "error"), -1.0 if name.startswith("neg_") or name == "error" else 1.0
        low, high = sorted((offset + sign * scorer.low, offset + sign * scorer.high))
        out.append(Asked(kind, scorer, offset, sign, low, high))
    return out
