"""Linear models in SQL: a sum of products, in which a category adds its own coefficient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tenfold.core import Array, Schema
from tenfold.core.schema import is_text
from tenfold.discriminant_analysis.linear_discriminant_analysis import LinearDiscriminantAnalysis
from tenfold.export.linear_terms import GLM_REGRESSORS, LINEAR_REGRESSORS, PLANES, coefficients, feature_offsets
from tenfold.export.sql.sql_families import ClassScores, ScoreKind, numbers_of, sql_number, sql_scores
from tenfold.export.sql.sql_text import NO_NUMBER, SqlColumn, added, category, number, times
from tenfold.linear_model.glm.logistic_regression import LogisticRegression


def weighted(
    columns: Sequence[SqlColumn], schema: Schema, term: Callable[[int], str], nonzero: Callable[[int], bool]
) -> list[str]:
    """Return the terms of a linear model; `term` is the coefficient of a feature, by its number.

    A category that was not seen adds nothing; one that is missing makes the sum NULL, as a missing number does.
    """
    first, terms = feature_offsets(schema), []
    for j, (column, levels) in enumerate(zip(schema.columns, schema.levels.tolist(), strict=True)):
        x = columns[j].expression
        if column.categories is None:
            terms.append(f"{term(int(first[j]))} * {x}")
            continue
        as_text = is_text(column.categories)
        each = [
            f"WHEN {x} = {category(value, as_text)} THEN {term(int(first[j]) + k)}"
            for k, value in enumerate(column.categories.tolist())
            if nonzero(int(first[j]) + k)
        ]
        if levels:
            terms.append(f"CASE WHEN {x} IS NULL THEN {NO_NUMBER} {' '.join(each)} ELSE {number(0.0)} END")
    return terms


def affine(columns: Sequence[SqlColumn], schema: Schema, w: Array, b: float) -> str:
    """Return xᵀw + b."""
    terms = weighted(columns, schema, lambda k: number(w[k]), lambda k: bool(w[k] != 0))
    return added([*terms, number(b)])


def _outputs(model: Any, columns: Sequence[SqlColumn]) -> list[str]:
    W, b = coefficients(model)
    return [affine(columns, model.schema_, W[:, k], float(b[k])) for k in range(len(b))]


def line(model: Any, columns: Sequence[SqlColumn]) -> str:
    """Return xᵀβ + β₀."""
    return _outputs(model, columns)[0]


def mean_of_log_link(model: Any, columns: Sequence[SqlColumn]) -> str:
    """Return exp(xᵀβ + β₀)."""
    return f"EXP({line(model, columns)})"


def planes(model: Any, columns: Sequence[SqlColumn]) -> ClassScores:
    """Return distances from planes, of two classes 0 and that of the second."""
    return _of_all(_outputs(model, columns), ScoreKind.DISTANCES)


for _kind in LINEAR_REGRESSORS:
    sql_number.register(_kind, line)
for _kind in GLM_REGRESSORS:
    sql_number.register(_kind, mean_of_log_link)
for _kind in PLANES:
    sql_scores.register(_kind, planes)


@sql_scores.register(LogisticRegression)
def log_odds(model: Any, columns: Sequence[SqlColumn]) -> ClassScores:
    """Return log-odds, of two classes 0 and that of the second."""
    return _of_all(_outputs(model, columns), ScoreKind.LOGARITHMS)


@sql_scores.register(LinearDiscriminantAnalysis)
def linear_discriminant(model: Any, columns: Sequence[SqlColumn]) -> ClassScores:
    """Return the scores, computed around the mean of the rows as the model does."""
    m, x = model.model_, numbers_of(columns)
    away = [f"({one} - {number(mean)})" for one, mean in zip(x, m.xbar, strict=True)]
    each = [
        added([*(times(w, z) for w, z in zip(some, away, strict=True)), number(level)])
        for some, level in zip(np.atleast_2d(m.coef), m.level, strict=True)
    ]
    return _of_all(each, ScoreKind.LOGARITHMS)


def _of_all(scores: list[str], kind: ScoreKind) -> ClassScores:
    """Return a score for each class: of two, 0 for the first."""
    return ClassScores(scores if len(scores) > 1 else [number(0.0), *scores], kind)
