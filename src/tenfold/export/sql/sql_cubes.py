"""Cubes of linear models in SQL: the rows joined with the table of the coefficients of their cell.

A row whose cell has no model takes that of the first coarser key that has one, as `Cube.predict` does; the model of all
rows stands in the statement itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow.compute as pc

from tenfold.core import DataError, Schema
from tenfold.core.schema import is_text
from tenfold.export.sql.sql_families import refused
from tenfold.export.sql.sql_linear import affine, weighted
from tenfold.export.sql.sql_query import Query, read
from tenfold.export.sql.sql_text import NO_NUMBER, SqlColumn, added, quoted_name, quoted_path, text
from tenfold.linear_model.least_squares.linear_regression import LinearRegression
from tenfold.linear_model.least_squares.ridge import Ridge
from tenfold.models.cube import Cube
from tenfold.models.cube_level import beside

ROW_TABLE = quoted_name("t")
"""the table of the rows, within the statement"""


def cube_statement(
    cube: Cube, table: str | Sequence[str], keep: Sequence[str], coefficients: str | Sequence[str] | None
) -> str:
    """Return the statement of a cube of linear models, joined with the tables of its coefficients."""
    if not isinstance(cube.learner, (LinearRegression, Ridge)):
        raise refused(cube.learner)
    by = [cube.by] if isinstance(cube.by, str) else list(cube.by)
    tables = [coefficients] if isinstance(coefficients, str) else list(coefficients or ())
    if len(tables) != len(by):
        shown = ", ".join(f"cube.table({', '.join(map(repr, by[:k]))})" for k in range(len(by), 0, -1))
        raise ValueError(
            f"a cube of {len(by)} columns of the key is joined with as many tables of coefficients, and {len(tables)} "
            f"are named. Remedy: coefficients= the names of tables that hold {shown}"
        )
    whole = _of_all_rows(cube)
    schema, source = _schema_of(cube, whole), f"{quoted_path(table)} AS {ROW_TABLE}"
    for depth, name in zip(range(len(by), 0, -1), tables, strict=True):
        cell = quoted_name(f"c{depth}")
        same = [f"{ROW_TABLE}.{quoted_name(one)} {_equals(cube)} {cell}.{quoted_name(one)}" for one in by[:depth]]
        solved = f"{cell}.{quoted_name(_status(by[:depth]))} <> {text('failed')}"
        source += f"\nLEFT JOIN {quoted_path(name)} AS {cell} ON {' AND '.join([*same, solved])}"
    query = Query(source, keep, prefix=f"{ROW_TABLE}.")
    return _select(query, cube, schema, whole, by)


def _equals(cube: Cube) -> str:
    """Return the comparison of keys: a missing key is one of its own, if the cube has cells for it."""
    return "IS NOT DISTINCT FROM" if cube.missing == "cell" else "="


def _select(query: Query, cube: Cube, schema: Schema, whole: Any, by: list[str]) -> str:
    columns = []
    for column in schema.columns:
        as_text = column.categories is not None and is_text(column.categories)
        columns.append(SqlColumn(read(f"{ROW_TABLE}.{quoted_name(column.name)}", as_text), as_text))
    whens = []
    if cube.missing == "error":
        whens.append(f"WHEN {' OR '.join(f'{ROW_TABLE}.{quoted_name(one)} IS NULL' for one in by)} THEN {NO_NUMBER}")
    for depth in range(len(by), 0, -1):
        cell = quoted_name(f"c{depth}")
        names = [f"{cell}.{quoted_name(f'coef_{feature}')}" for feature in schema.feature_names]
        terms = weighted(columns, schema, names.__getitem__, lambda k: True)
        line = added([*terms, f"{cell}.{quoted_name('intercept')}"])
        whens.append(f"WHEN {cell}.{quoted_name(_status(by[:depth]))} IS NOT NULL THEN {line}")
    otherwise = NO_NUMBER if whole is None else affine(columns, schema, whole.coef_, float(whole.intercept_))
    (name,) = query.add("p", [f"CASE {' '.join(whens)} ELSE {otherwise} END"])
    return query.select({"prediction": name})


def _status(names: Sequence[str]) -> str:
    """Return the name of the column of the status in the table of the cells of a key."""
    return beside("status", names)


def _of_all_rows(cube: Cube) -> Any:
    """Return the model of all cells together; None if it has none."""
    try:
        return cube[()]
    except DataError:
        return None


def _schema_of(cube: Cube, whole: Any) -> Schema:
    """Return the schema of the features, which all models share."""
    if whole is not None:
        found: Schema = whole.schema_
        return found
    table = cube.table()
    by = [cube.by] if isinstance(cube.by, str) else list(cube.by)
    solved = table.filter(pc.not_equal(table[_status(by)], "failed")).select(by).slice(0, 1).to_pylist()
    if not solved:
        raise DataError("no cell of the cube has a model. Remedy: `failed_`, which says why")
    found = cube[tuple(solved[0].values())].schema_
    return found
