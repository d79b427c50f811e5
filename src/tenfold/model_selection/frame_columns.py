"""Columns of rows in memory, of any container: drop one, read it, or replace its values."""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from tenfold.core import Codes, DataError, MatrixLike
from tenfold.sources.arrow import group_labels
from tenfold.sources.arrow import whole as whole_column
from tenfold.sources.expressions.expression import ColumnExpression
from tenfold.sources.frames import is_frame, table_of
from tenfold.sources.source import no_column
from tenfold.sources.tables import Roles, TableSource
from tenfold.theory.checks import whole

Scalar = float | int | str | bool
"""a value of a column"""
Where = tuple[str, tuple[int, ...]]
"""a name, and the numbers of its columns"""


def _library(X: MatrixLike) -> str:
    """Name of the library of a frame: "pandas", "polars", "pyarrow", or the top package of its type."""
    return type(X).__module__.split(".")[0]


# ---- the column that says which fold or group a row is in ----------------------------------------


def without_column(X: MatrixLike, column: str | None) -> MatrixLike:
    """A frame without one of its columns; unchanged for None."""
    if column is None:
        return X
    return X.drop(columns=[column]) if _library(X) == "pandas" else X.drop(column)


def computed_column(X: MatrixLike, expression: ColumnExpression) -> NDArray[np.generic]:
    """The values of an expression for each row of a frame; dates as whole numbers."""
    if not is_frame(X):
        raise DataError("rows without named columns have none to compute from. Remedy: give a frame, or an array")
    names, there = list(expression.columns()), _names(X)
    for name in names:
        if name not in there:
            raise no_column(name, there)
    table = table_of(X[names] if _library(X) == "pandas" else X.select(names))
    source = TableSource(table, Roles()).with_columns(**{repr(expression): expression})
    column = group_labels(source.to_arrow()[repr(expression)], repr(expression))
    return np.asarray(whole_column(column).to_numpy(zero_copy_only=False))


def only_column(X: MatrixLike, column: str) -> MatrixLike:
    """Frame with one of the columns only."""
    if not is_frame(X):
        raise DataError(f"rows without named columns have no column {column!r}. Remedy: give an array")
    if column not in (names := _names(X)):
        raise DataError(f"there is no column {column!r}; there are {names[:20]}")
    return X[[column]] if _library(X) == "pandas" else X.select([column])


def split_groups(X: MatrixLike, column: str, known: Container[str]) -> tuple[MatrixLike, NDArray[np.generic]]:
    """A frame and the groups in one of its columns, which is left out of it if a model does not know it."""
    if not is_frame(X):
        raise DataError(f"groups={column!r} names a column, and X has no names. Remedy: groups as an array")
    if column not in (names := _names(X)):
        files = ". Remedy: of rows that are read from files, tenfold.scan(paths)" if column == "file" else ""
        raise DataError(f"groups={column!r} is not a column of X; there are {names[:20]}{files}")
    return (X if column in known else without_column(X, column)), np.asarray(X[column])


def _names(X: MatrixLike) -> list[str]:
    return list(X.column_names if _library(X) == "pyarrow" else X.columns)


# ---- columns by name or number, their values, and other values in their place --------------------


def columns_of(asked: str | Sequence[object] | None, names: Sequence[str]) -> list[Where]:
    """The columns that are asked for, by name and number; None: each of them."""
    names = list(names)

    def number(one: object) -> int:
        if isinstance(one, str):
            if one not in names:
                raise ValueError(f"there is no column {one!r}; there are {names[:20]}")
            return names.index(one)
        return whole("the number of a column", one, 0, len(names) - 1)

    out = []
    for one in range(len(names)) if asked is None else [asked] if isinstance(asked, str) else asked:
        some = tuple(number(j) for j in (one if isinstance(one, (tuple, list)) else (one,)))
        if len({*some}) != len(some) or not some:
            raise ValueError(f"columns {one!r}: name each once, and one at least")
        out.append((" + ".join(names[j] for j in some), some))
    if not out:
        raise ValueError("there is no column: name one at least")
    return out


def in_memory(X: MatrixLike) -> MatrixLike:
    """Rows that an estimator takes at once, as one of: pandas, polars, CSR, array."""
    if is_frame(X):
        library = _library(X)
        return X if library == "pandas" else X.lazy().collect() if library == "polars" else X.to_pandas()
    return X.tocsr() if sp.issparse(X) else np.asarray(X)


def names_of(X: MatrixLike) -> list[str]:
    """The names of the columns; x0, x1, ... where there are none."""
    return [str(n) for n in X.columns] if is_frame(X) else [f"x{j}" for j in range(X.shape[1])]


def values_of(X: MatrixLike, j: int) -> NDArray[np.generic]:
    """The values of a column, as an array; of a frame, those that are not missing."""
    match _library(X):
        case "pandas":
            found = X.iloc[:, j].dropna().to_numpy()
        case "polars":
            found = X.to_series(j).drop_nulls().to_numpy()
        case _:
            found = X[:, [j]].toarray().ravel() if sp.issparse(X) else X[:, j]
    return np.asarray(found)


def borrowed(X: MatrixLike, at: Sequence[int], rows: Codes) -> MatrixLike:
    """Replace the columns `at` by those of other rows, by number."""
    match _library(X):
        case "pandas":
            out = X.copy(deep=False)
            for j in at:
                out.isetitem(j, X.iloc[:, j].array[rows])
            return out
        case "polars":
            return X.with_columns([X.to_series(j).gather(rows) for j in at])
    if sp.issparse(X):
        return sparse_with(X, list(at), X[:, list(at)].toarray()[rows])
    out = X.copy()
    out[:, list(at)] = X[:, list(at)][rows]
    return out


def constant(X: MatrixLike, at: Sequence[int], values: Sequence[Scalar]) -> MatrixLike:
    """Replace each of the columns `at` by one value for all rows."""
    match _library(X):
        case "pandas":
            import pandas as pd

            out = X.copy(deep=False)
            for j, value in zip(at, values, strict=True):
                kind = X.dtypes.iloc[j]
                kind = "float64" if kind.kind in "iub" and _broken(value) else kind
                out.isetitem(j, pd.Series([value] * len(X), X.index, kind))
            return out
        case "polars":
            import polars as pl

            some = [X.to_series(j) for j in at]
            kinds = [pl.Float64 if c.dtype.is_integer() and _broken(v) else c.dtype for c, v in zip(some, values)]
            return X.with_columns([pl.lit(v, k).alias(c.name) for c, v, k in zip(some, values, kinds, strict=True)])
    if sp.issparse(X):
        return sparse_with(X, list(at), np.broadcast_to(np.asarray(values, np.float64), (X.shape[0], len(at))))
    out = X.astype(np.float64) if X.dtype.kind in "iub" and any(map(_broken, values)) else X.copy()
    out[:, list(at)] = values
    return out


def sparse_with(matrix: sp.csr_matrix, at: list[int], values: NDArray[np.generic]) -> sp.csr_matrix:
    """Replace some columns of a sparse matrix by these values (rows x columns `at`)."""
    old = matrix.tocoo()
    kept = ~np.isin(old.col, at)
    row, column = np.nonzero(values != 0)
    entries = np.concatenate([old.data[kept], values[row, column].astype(matrix.dtype)])
    where = np.concatenate([old.row[kept], row]), np.concatenate([old.col[kept], np.asarray(at)[column]])
    return type(matrix)((entries, where), shape=matrix.shape)


def _broken(value: Scalar) -> bool:
    """Whether a number is not whole."""
    return bool(float(value) != round(float(value)))
