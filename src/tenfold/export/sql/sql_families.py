"""What each family converts: a model and expressions for its columns to expressions for its outputs."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import singledispatch
from typing import Any, NamedTuple

from tenfold.export.sql.sql_text import SqlColumn

TAKEN = (
    "to_sql takes linear models, trees, forests, boosted trees, AdaBoost of trees, GaussianNB and CategoricalNB, "
    "scalers, SimpleImputer, OneHotEncoder and OrdinalEncoder before them, and cubes of linear models"
)


class ScoreKind(Enum):
    """What the scores of classes are."""

    LOGARITHMS = "logarithms of probabilities, up to a constant"
    SHARES = "probabilities"
    DISTANCES = "numbers of which the highest wins"


class ClassScores(NamedTuple):
    """An expression for the score of each class."""

    scores: list[str]
    kind: ScoreKind


@singledispatch
def sql_columns(model: Any, columns: Sequence[SqlColumn]) -> list[SqlColumn]:
    """Return the columns that a fitted transformer makes."""
    raise refused(model)


@singledispatch
def sql_number(model: Any, columns: Sequence[SqlColumn]) -> str:
    """Return the prediction of a fitted regressor."""
    raise refused(model)


@singledispatch
def sql_scores(model: Any, columns: Sequence[SqlColumn]) -> ClassScores:
    """Return the scores of a fitted classifier."""
    raise refused(model)


def refused(model: Any) -> TypeError:
    """The error of a learner that is not written in SQL."""
    return TypeError(
        f"{TAKEN}, not {type(model).__name__}. Remedy: predict over rows that the database gives, "
        "model.predict(tn.scan(query, connection=...))"
    )


def numbers_of(columns: Sequence[SqlColumn]) -> list[str]:
    """Return expressions of columns that hold numbers."""
    if any(column.text for column in columns):
        raise TypeError(
            "text comes out of a step, and no number is made of it. Remedy: OneHotEncoder() or OrdinalEncoder() after "
            "it"
        )
    return [column.expression for column in columns]
