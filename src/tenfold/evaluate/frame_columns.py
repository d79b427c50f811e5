"""A frame with and without the column that says which fold or group a row is in."""

from __future__ import annotations

from typing import Any

from tenfold.core import DataError


def without_column(X: Any, column: str | None) -> Any:
    """A frame without the column that says the fold."""
    if column is None:
        return X
    return X.drop(columns=[column]) if type(X).__module__.startswith("pandas") else X.drop(column)


def only_column(X: Any, column: str) -> Any:
    """A frame of one column."""
    names = list(X.column_names if hasattr(X, "column_names") else X.columns)
    if column not in names:
        raise DataError(f"there is no column {column!r}; there are {names[:20]}")
    return X.select([column]) if hasattr(X, "select") else X[[column]]


def unnamed(column: str) -> DataError:
    return DataError(f"rows without named columns have no column {column!r}. Remedy: give an array")
