"""Naive Bayes in SQL: a term for each column and class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tenfold.core.schema import is_text
from tenfold.export.sql.sql_families import ClassScores, ScoreKind, numbers_of, sql_scores
from tenfold.export.sql.sql_text import SqlColumn, added, category, number
from tenfold.naive_bayes.categorical_nb import CategoricalNB
from tenfold.naive_bayes.gaussian_nb import GaussianNB


@sql_scores.register(GaussianNB)
def gaussian(model: Any, columns: Sequence[SqlColumn]) -> ClassScores:
    """Return the scores: log π_c - ½ Σ_j [log 2πσ²_cj + (x_j - μ_cj)² / σ²_cj]."""
    m, x = model.model_, numbers_of(columns)
    with np.errstate(divide="ignore"):
        level = np.log(m.class_prior) - 0.5 * np.log(2 * np.pi * m.var).sum(axis=1)
    found = []
    for c, base in enumerate(level.tolist()):
        terms = [
            f"{number(-0.5 / var)} * ({z} - {number(mean)}) * ({z} - {number(mean)})"
            for z, mean, var in zip(x, m.theta[c], m.var[c], strict=True)
        ]
        found.append(added([number(base), *terms]))
    return ClassScores(found, ScoreKind.LOGARITHMS)


@sql_scores.register(CategoricalNB)
def categorical(model: Any, columns: Sequence[SqlColumn]) -> ClassScores:
    """Return the scores: log π_c, and the log-probability of each category that the fit had."""
    m, found = model.model_, []
    first = np.concatenate([[0], np.cumsum(m.n_categories)])
    for c, base in enumerate(m.class_log_prior.tolist()):
        terms = [number(base)]
        for j, column in enumerate(model.schema_.columns):
            each = [
                f"WHEN {columns[j].expression} = {category(label, is_text(column.categories))} "
                f"THEN {number(m.log_prob[c, first[j] + k])}"
                for k, label in enumerate(column.categories)
            ]
            terms += [f"CASE {' '.join(each)} ELSE {number(0.0)} END"] if each else []
        found.append(added(terms))
    return ClassScores(found, ScoreKind.LOGARITHMS)
