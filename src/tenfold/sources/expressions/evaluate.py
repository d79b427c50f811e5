"""Values of expressions for the rows of an Arrow table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tenfold.core import DataError
from tenfold.sources import arrow
from tenfold.sources.expressions.expression import ColumnExpression
from tenfold.sources.expressions.functions import FUNCTIONS


def evaluate(
    expressions: Mapping[str, ColumnExpression], table: pa.Table, where: str, first: int = 0
) -> dict[str, pa.Array]:
    """Return the column that each expression makes of a table.

    Parameters
    ----------
    expressions : dict of str to ColumnExpression
        By the name of the column that is computed.
    table : pyarrow.Table
        Without dictionaries and views.
    where : str
        Where the rows come from, for errors.
    first : int
        The number of the first row, for errors.

    Returns
    -------
    columns : dict of str to pyarrow.Array
    """
    found = {}
    for name, expression in expressions.items():
        try:
            found[name] = _column(expression, table)
        except pa.ArrowException as error:
            row = _failing_row(expression, table)
            at = "" if row is None else f", row {first + row}"
            error = error if row is None else _error(expression, table.slice(row, 1)) or error
            types = ", ".join(f"{c!r} is {table.schema.field(c).type}" for c in expression.columns())
            raise DataError(
                f"column {name!r} = {expression!r} cannot be computed{where}{at}: {error} ({types}). Remedy: cast or "
                "fill_null before it, or tenfold.when(...).then(...).otherwise(None) for the rows that have no value"
            ) from None
    return found


def _failing_row(expression: ColumnExpression, table: pa.Table) -> int | None:
    """Return the first row that has no value, by bisection; None if the types are wrong for all rows."""
    if _error(expression, table.slice(0, 0)):
        return None
    low, high = 0, table.num_rows
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _error(expression, table.slice(low, middle - low)) else (middle, high)
    return low


def _error(expression: ColumnExpression, table: pa.Table) -> pa.ArrowException | None:
    """The error that a table raises, if it does."""
    try:
        _column(expression, table)
    except pa.ArrowException as error:
        return error
    return None


def _column(expression: ColumnExpression, table: pa.Table) -> pa.Array:
    """The values of an expression, as one array with a value for each row."""
    found = _value(expression, table)
    if isinstance(found, pa.Scalar):
        return pa.repeat(found, table.num_rows)
    return arrow.whole(found)


def _value(one: Any, table: pa.Table) -> Any:
    if not isinstance(one, ColumnExpression):
        return pa.scalar(one)
    if one.function == "column":
        return arrow.whole(table.column(one.arguments[0]))
    if one.function == "when":
        condition, yes, no = one.arguments
        return _if_else(condition, yes, no, table)
    known = FUNCTIONS[one.function]
    operands = [_value(each, table) for each in one.arguments[: known.operands]]
    return known(operands, one.arguments[known.operands :], table.num_rows)


def _if_else(condition: Any, yes: Any, no: Any, table: pa.Table) -> pa.Array:
    """One value where a condition holds, another elsewhere: each is computed for its own rows only."""
    holds = _column_of(condition, table)
    holds = holds.cast(pa.bool_()) if pa.types.is_null(holds.type) else holds
    if not pa.types.is_boolean(holds.type):
        raise pa.ArrowNotImplementedError(f"a condition is true or false, and {condition!r} is {holds.type}")
    true = holds.fill_null(False).to_numpy(zero_copy_only=False)
    empty = table.slice(0, 0)
    kind = pc.if_else(pa.array([], pa.bool_()), _column_of(yes, empty), _column_of(no, empty)).type
    rows = [np.flatnonzero(true), np.flatnonzero(~true)]
    some = [_column_of(value, table.take(pa.array(at))).cast(kind) for value, at in zip((yes, no), rows, strict=True)]
    place = np.empty(table.num_rows, np.int64)
    place[np.concatenate(rows)] = np.arange(table.num_rows)
    return pa.concat_arrays(some).take(pa.array(place))


def _column_of(value: Any, table: pa.Table) -> pa.Array:
    """An expression or a constant, with a value for each row."""
    if isinstance(value, ColumnExpression):
        return _column(value, table)
    return pa.repeat(pa.scalar(value), table.num_rows)
