"""Models as SQL statements, with which a database predicts for the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tenfold.estimator.shell.estimator import Estimator
from tenfold.estimator.shell.kinds import Classifier, Regressor
from tenfold.export.fitted_stages import fitted_stages, models_of_outputs
from tenfold.export.sql import sql_linear, sql_naive_bayes, sql_transformers, sql_trees  # noqa: F401
from tenfold.export.sql.sql_cubes import cube_statement
from tenfold.export.sql.sql_families import ScoreKind, refused, sql_columns, sql_number, sql_scores
from tenfold.export.sql.sql_query import Query
from tenfold.export.sql.sql_text import SqlColumn, added, constant, number, quoted_path
from tenfold.models.cube import Cube

SMALLEST_EXPONENT = -700.0
"""exp of less is nothing beside 1, and in some databases an error"""


def to_sql(
    model: BaseEstimator,
    table: str | Sequence[str],
    *,
    keep: Sequence[str] = (),
    coefficients: str | Sequence[str] | None = None,
) -> str:
    """A fitted model as a SELECT statement, which predicts for the rows of a table where they are.

    Its columns are those of `keep`, then `prediction`; of a classifier that has probabilities, a column
    `probability_<class>` for each class too. A number that is NULL or NaN is missing, and so is a text that is NULL:
    trees send it where they have learned to, naive Bayes leaves a category out, and of a model that refuses missing
    values the prediction is NULL. So it is where an encoder refuses a category.

    Names and values are quoted, in standard SQL as DuckDB and PostgreSQL read it.

    Parameters
    ----------
    model : learner, pipeline or Cube
        Fitted: linear models (also Poisson, Gamma and logistic regression, and LDA), trees, forests, boosted trees,
        AdaBoost of trees, GaussianNB and CategoricalNB; in a pipeline after scalers, SimpleImputer, OneHotEncoder and
        OrdinalEncoder, also in a ColumnTransformer; or a Cube of `LinearRegression` or `Ridge`.
    table : str or sequence of str
        The table, or its schema and the table.
    keep : sequence of str, default=()
        Columns of the table beside the prediction.
    coefficients : str or sequence of str, optional
        Of a cube, the name of the table with the coefficients of its cells, `cube.table()`; of a key of several
        columns, the tables from the finest to the coarsest: `cube.table("country", "store")`, `cube.table("country")`.

    Returns
    -------
    statement : str

    Examples
    --------
    >>> import tenfold as tn
    >>> model = tn.DecisionTreeRegressor().fit([[0.0], [1.0]], [1.0, 3.0])
    >>> print(tn.to_sql(model, "rows", keep=["id"]))
    SELECT "k0" AS "id", CASE WHEN "a0" <= 0.5e0 OR "a0" IS NULL THEN 1.0e0 ELSE 3.0e0 END AS "prediction" FROM (
    SELECT "id" AS "k0", NULLIF(CAST("x0" AS DOUBLE PRECISION), CAST('NaN' AS DOUBLE PRECISION)) AS "a0" FROM "rows"
    ) AS "s1"
    """
    if isinstance(model, Cube):
        return cube_statement(model, table, keep, coefficients)
    if coefficients is not None:
        raise ValueError("coefficients is the table of a cube, and this is one model. Remedy: leave it out")
    stages = fitted_stages(model)
    for stage in stages:
        if not isinstance(stage, Estimator):
            raise refused(stage)
        check_is_fitted(stage)
        if models_of_outputs(stage) != [stage]:
            raise TypeError("to_sql takes one target. Remedy: a statement for each of model.estimators_")
    schema, last = stages[0].schema_, stages[-1]
    if not isinstance(last, (Classifier, Regressor)):
        raise refused(last)
    query = Query(quoted_path(table), keep)
    columns = query.columns_of(schema)
    for stage in stages[:-1]:
        columns = sql_columns(stage, columns)
    if len(stages) > 1:
        names = query.add("z", [column.expression for column in columns])
        columns = [SqlColumn(name, column.text) for name, column in zip(names, columns, strict=True)]
    if isinstance(last, Regressor):
        return query.select({"prediction": sql_number(last, columns)})
    return _class_statement(query, last, columns)


def _class_statement(query: Query, model: Any, columns: Sequence[SqlColumn]) -> str:
    """Return the statement of a classifier: its scores first, then what is made of them."""
    classes = model.classes_.tolist()
    if len(classes) < 2:
        raise ValueError(f"the model knows the class {classes[0]!r} alone, and needs no statement to say so")
    found = sql_scores(model, columns)
    scores = query.add("f", found.scores)
    if found.kind is not ScoreKind.LOGARITHMS:
        outputs = {"prediction": _winner(scores, classes)}
        if found.kind is ScoreKind.SHARES:
            outputs |= {f"probability_{c}": score for c, score in zip(classes, scores, strict=True)}
        return query.select(outputs)
    *scores, top, winner = query.add("g", [*scores, f"GREATEST({', '.join(scores)})", _winner(scores, classes)])
    possible = f"{top} > {number(float('-inf'))}"
    least = number(SMALLEST_EXPONENT)
    odds = [
        f"CASE WHEN {top} IS NULL THEN NULL WHEN NOT {possible} THEN {number(1.0)} "
        f"WHEN {score} - {top} < {least} THEN {number(0.0)} ELSE EXP({score} - {top}) END"
        for score in scores
    ]
    *odds, winner = query.add("h", [*odds, winner])
    whole = added(odds)
    outputs = {f"probability_{c}": f"{one} / {whole}" for c, one in zip(classes, odds, strict=True)}
    return query.select({"prediction": winner} | outputs)


def _winner(scores: Sequence[str], classes: Sequence[Any]) -> str:
    """Return the class of the highest score, the first of equals; NULL if a score is."""
    whens = [f"WHEN {score} IS NULL THEN NULL" for score in scores]
    for k, score in enumerate(scores[:-1]):
        beats = " AND ".join(f"{score} >= {other}" for other in scores[k + 1 :])
        whens.append(f"WHEN {beats} THEN {constant(classes[k])}")
    return f"CASE {' '.join(whens)} ELSE {constant(classes[-1])} END"
