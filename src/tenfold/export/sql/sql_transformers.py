"""Scalers, encoders and filled-in values in SQL, and transformers side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tenfold.core.schema import is_text
from tenfold.estimator.ensembles.parallel_transformers import Branches
from tenfold.estimator.ensembles.passthrough import Passthrough
from tenfold.export.fitted_stages import fitted_stages
from tenfold.export.sql.sql_families import numbers_of, sql_columns
from tenfold.export.sql.sql_text import NO_NUMBER, SqlColumn, category, number, text
from tenfold.impute.simple_imputer import SimpleImputer
from tenfold.preprocessing.max_abs_scaler import MaxAbsScaler
from tenfold.preprocessing.min_max_scaler import MinMaxScaler
from tenfold.preprocessing.one_hot_encoder import OneHotEncoder
from tenfold.preprocessing.ordinal_encoder import OrdinalEncoder
from tenfold.preprocessing.robust_scaler import RobustScaler
from tenfold.preprocessing.standard_scaler import StandardScaler


@sql_columns.register(Passthrough)
def unchanged(model: Any, columns: Sequence[SqlColumn]) -> list[SqlColumn]:
    """Return the columns as they are."""
    return list(columns)


def _scaled(columns: Sequence[SqlColumn], shift: Any, scale: Any) -> list[SqlColumn]:
    each = zip(numbers_of(columns), shift, scale, strict=True)
    return [SqlColumn(f"(({x} - {number(a)}) / {number(b)})") for x, a, b in each]


@sql_columns.register(StandardScaler)
def standardized(model: Any, columns: Sequence[SqlColumn]) -> list[SqlColumn]:
    """Return (x - μ) / σ."""
    mean, scale = model.model_.mean, model.model_.scale
    return _scaled(
        columns,
        mean if model.with_mean else np.zeros_like(mean),
        scale if model.with_std else np.ones_like(scale),
    )


@sql_columns.register(RobustScaler)
def robust(model: Any, columns: Sequence[SqlColumn]) -> list[SqlColumn]:
    """Return (x - median) / scale."""
    return _scaled(columns, *model.offset_and_scale(model.model_))


@sql_columns.register(MaxAbsScaler)
def by_largest(model: Any, columns: Sequence[SqlColumn]) -> list[SqlColumn]:
    """Return x / scale."""
    return _scaled(columns, np.zeros_like(model.model_.scale), model.model_.scale)


@sql_columns.register(MinMaxScaler)
def by_range(model: Any, columns: Sequence[SqlColumn]) -> list[SqlColumn]:
    """Return scale · x + min, within the range if it is to be clipped."""
    found = []
    for x, scale, least in zip(numbers_of(columns), model.model_.scale, model.model_.min, strict=True):
        z = f"({number(scale)} * {x} + {number(least)})"
        if model.clip:
            low, high = (number(float(end)) for end in model.feature_range)
            z = f"CASE WHEN {z} < {low} THEN {low} WHEN {z} > {high} THEN {high} ELSE {z} END"
        found.append(SqlColumn(z))
    return found


@sql_columns.register(SimpleImputer)
def filled_in(model: Any, columns: Sequence[SqlColumn]) -> list[SqlColumn]:
    """Return the columns, filled up, then the indicators."""
    fill, found = np.asarray(model.statistics_, dtype=object).tolist(), []
    for column, value in zip(columns, fill, strict=True):
        said = text(value) if column.text and isinstance(value, str) else number(value)
        known = value == value
        found.append(SqlColumn(f"COALESCE({column.expression}, {said})", column.text) if known else column)
    marked = model.names_out(list(model.schema_.names))[len(columns) :]
    for name, column in zip(model.schema_.names, columns, strict=True):
        if f"missingindicator_{name}" in marked:
            missing = f"CASE WHEN {column.expression} IS NULL THEN {number(1.0)} ELSE {number(0.0)} END"
            found.append(SqlColumn(missing))
    return found


@sql_columns.register(OneHotEncoder)
def indicators(model: Any, columns: Sequence[SqlColumn]) -> list[SqlColumn]:
    """Return ones where categories are; NULL where the encoder refuses a category."""
    table, _ = model.indicator_table(model.model_)
    widths = (model.places(model.model_).outputs - (model.model_.dropped >= 0)).tolist()
    found, start = [], 0
    for j, (place, known) in enumerate(_by_column(model, table)):
        found += [
            _lookup(model, columns, j, (place == at).astype(float), known) for at in range(start, start + widths[j])
        ]
        start += widths[j]
    return found


@sql_columns.register(OrdinalEncoder)
def places(model: Any, columns: Sequence[SqlColumn]) -> list[SqlColumn]:
    """Return the place of each category; NULL where the encoder refuses one."""
    each = _by_column(model, model.number_table(model.model_))
    return [_lookup(model, columns, j, values, known) for j, (values, known) in enumerate(each)]


def _by_column(model: Any, table: Any) -> list[tuple[Any, Any]]:
    """Return of each column what its codes become, categories, missing and unknown, and whether they are taken."""
    cuts = np.cumsum(np.diff(model.model_.first) + 2)[:-1]
    known = model.known_positions(model.model_)
    taken = known if model.handle_unknown == "error" else np.ones_like(known)
    return list(zip(np.split(table, cuts), np.split(taken, cuts), strict=True))


def _lookup(model: Any, columns: Sequence[SqlColumn], j: int, values: Any, known: Any) -> SqlColumn:
    """Return the value of each category: categories with that of the unknown ones are not listed."""
    labels, x = model.schema_.columns[j].categories, columns[j].expression
    said = [number(value) if taken else NO_NUMBER for value, taken in zip(values.tolist(), known, strict=True)]
    whens = [f"WHEN {x} IS NULL THEN {said[-2]}"]
    by_value: dict[str, list[str]] = {}
    for label, value in zip(labels.tolist(), said, strict=False):
        if value != said[-1]:
            by_value.setdefault(value, []).append(category(label, is_text(labels)))
    whens += [f"WHEN {x} IN ({', '.join(some)}) THEN {value}" for value, some in by_value.items()]
    return SqlColumn(f"CASE {' '.join(whens)} ELSE {said[-1]} END")


@sql_columns.register(Branches)
def side_by_side(model: Any, columns: Sequence[SqlColumn]) -> list[SqlColumn]:
    """Return what each transformer makes of its columns, one after the other."""
    fitted, found = model.fitted_by_name(), list[SqlColumn]()
    for branch, chosen in zip(model.going(), model.columns(model.schema_), strict=True):
        mine = [columns[j] for j in chosen]
        for step in fitted_stages(fitted[branch.name]):
            mine = sql_columns(step, mine)
        found += mine
    return found
