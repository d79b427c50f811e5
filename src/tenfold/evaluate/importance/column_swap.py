"""Rows with other values in some of their columns, whatever they are kept in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import Columns
from tenfold.sources.frames import is_frame
from tenfold.theory.checks import whole

Where = tuple[str, tuple[int, ...]]
"""a name, and the numbers of the columns it stands for"""


class Swap:
    """The columns of a chunk, some of them swapped; what it gave before is no longer valid when it gives the next.

    Parameters
    ----------
    X : Columns
    """

    def __init__(self, X: Columns) -> None:
        self.X = X
        self.work = np.array(X.data) if isinstance(X.data, np.ndarray) else None
        self.last: list[int] = []

    def __call__(self, at: Sequence[int], values: Any) -> Columns:
        """With these values (rows x columns that are swapped, or one row for all) in the columns `at`."""
        X, at = self.X, list(at)
        values = np.broadcast_to(values, (len(X), len(at)))
        data: Any
        if self.work is not None:
            self.work[:, self.last] = X.data[:, self.last]
            self.work[:, at] = values
            self.last, data = at, self.work
        elif isinstance(X.data, tuple):
            some = list(X.data)
            for i, j in enumerate(at):
                some[j] = np.ascontiguousarray(values[:, i], dtype=X.dtype)
            data = tuple(some)
        else:
            data = _sparse(X.data, at, values)
        return Columns(data, X.names, missing=X.missing, offset=X.offset, kept=X.kept, place=X.place)


def _sparse(matrix: Any, at: list[int], values: Any) -> Any:
    old = matrix.tocoo()
    kept = ~np.isin(old.col, at)
    row, column = np.nonzero(values != 0)
    entries = np.concatenate([old.data[kept], values[row, column].astype(matrix.dtype)])
    where = np.concatenate([old.row[kept], row]), np.concatenate([old.col[kept], np.asarray(at)[column]])
    return type(matrix)((entries, where), shape=matrix.shape)


def in_memory(X: Any) -> Any:
    """Rows that an estimator takes at once, as one of: pandas, polars, CSR, array."""
    if is_frame(X):
        module = type(X).__module__.split(".")[0]
        return X if module == "pandas" else X.lazy().collect() if module == "polars" else X.to_pandas()
    return X.tocsr() if sp.issparse(X) else np.asarray(X)


def names_of(X: Any) -> list[str]:
    """The names of the columns; x0, x1, ... where there are none."""
    return [str(n) for n in X.columns] if hasattr(X, "columns") else [f"x{j}" for j in range(X.shape[1])]


def column_of(X: Any, j: int) -> Any:
    """The values of a column, as an array; of a frame, those that are not missing."""
    if hasattr(X, "columns"):
        return (X.iloc[:, j].dropna() if hasattr(X, "iloc") else X.to_series(j).drop_nulls()).to_numpy()
    return X[:, [j]].toarray().ravel() if sp.issparse(X) else X[:, j]


def borrowed(X: Any, at: Sequence[int], rows: Any) -> Any:
    """With columns `at` of other rows, by number."""
    if hasattr(X, "iloc"):
        out = X.copy(deep=False)
        for j in at:
            out.isetitem(j, X.iloc[:, j].array[rows])
        return out
    if hasattr(X, "columns"):
        return X.with_columns([X.to_series(j).gather(rows) for j in at])
    if sp.issparse(X):
        return _sparse(X, list(at), X[:, list(at)].toarray()[rows])
    out = X.copy()
    out[:, list(at)] = X[:, list(at)][rows]
    return out


def constant(X: Any, at: Sequence[int], values: Sequence[Any]) -> Any:
    """With one value for all rows in each of the columns `at`."""
    if hasattr(X, "iloc"):
        import pandas as pd

        out = X.copy(deep=False)
        for j, value in zip(at, values, strict=True):
            kind = X.dtypes.iloc[j]
            whole = getattr(kind, "kind", "O") in "iub" and _broken(value)
            out.isetitem(j, pd.Series([value] * len(X), X.index, "float64" if whole else kind))
        return out
    if hasattr(X, "columns"):
        import polars as pl

        some = [X.to_series(j) for j in at]
        kinds = [pl.Float64 if c.dtype.is_integer() and _broken(v) else c.dtype for c, v in zip(some, values)]
        return X.with_columns([pl.lit(v, k).alias(c.name) for c, v, k in zip(some, values, kinds, strict=True)])
    if sp.issparse(X):
        return _sparse(X, list(at), np.broadcast_to(np.asarray(values, np.float64), (X.shape[0], len(at))))
    out = X.astype(np.float64) if X.dtype.kind in "iub" and any(map(_broken, values)) else X.copy()
    out[:, list(at)] = values
    return out


def _broken(value: Any) -> bool:
    """Whether a number is not whole."""
    return bool(float(value) != round(float(value)))


def columns_of(asked: Any, names: Any) -> list[Where]:
    """The columns that are asked for, by name and number."""
    names = list(names)

    def number(one: Any) -> int:
        if isinstance(one, str):
            if one not in names:
                raise ValueError(f"there is no column {one!r}; there are {names[:20]}")
            return names.index(one)
        return whole("the number of a column", one, 0, len(names) - 1)

    out = []
    asked = [asked] if isinstance(asked, str) else asked
    for one in range(len(names)) if asked is None else asked:
        some = tuple(number(j) for j in (one if isinstance(one, (tuple, list)) else (one,)))
        if len({*some}) != len(some) or not some:
            raise ValueError(f"columns {one!r}: name each once, and one at least")
        out.append((" + ".join(names[j] for j in some), some))
    if not out:
        raise ValueError("there is no column: name one at least")
    return out
