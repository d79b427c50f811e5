"""Which columns are meant: by name, number, slice, mask, or by a function that looks at the first rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import DataError, MatrixLike
from tenfold.sources.base import Source, no_column
from tenfold.sources.dask import is_dask
from tenfold.sources.frames import is_frame, table_of
from tenfold.sources.inputs import as_source

FIRST = 100
"""rows that a function looks at"""


def first_rows(X: MatrixLike) -> Any:
    """The types of columns, as a pandas frame of the first rows, of a source of none; without names they are numbered.

    Parameters
    ----------
    X : array, CSR matrix, frame, collection of Dask, or Source
    """
    import pandas as pd

    if is_dask(X):
        X = as_source(X)
    if isinstance(X, Source):
        found = X.schema.empty_table().select(list(X.names)).to_pandas()
        return found if X.named else found.set_axis(range(found.shape[1]), axis=1)
    if is_frame(X):
        return X.head(FIRST) if isinstance(X, pd.DataFrame) else table_of(X).slice(0, FIRST).to_pandas()
    X = X.tocsr()[:FIRST].toarray() if sp.issparse(X) else np.asarray(X)
    if X.ndim != 2:
        raise DataError(f"Expected 2D array, got {X.ndim}D array instead: X is no table of rows and columns")
    return pd.DataFrame(X[:FIRST])


def names_of(frame: Any) -> tuple[str, ...]:
    """What the columns of a frame are called by a source: names that are no text count as none."""
    columns = list(frame.columns)
    return tuple(columns if all(isinstance(n, str) for n in columns) else [f"x{j}" for j in range(len(columns))])


def places_of(chosen: Any, names: Sequence[str], who: str) -> tuple[int, ...]:
    """The numbers of the columns that are meant, in the order in which they are named.

    Parameters
    ----------
    chosen : str, int, slice, list of str or int, or mask
    names : sequence of str
        Of all columns.
    who : str
        Whose columns they are, for errors.
    """
    if isinstance(chosen, slice):
        return tuple(range(*_numbered(chosen, names).indices(len(names))))
    if isinstance(chosen, (str, int, np.integer)) and not isinstance(chosen, bool):
        chosen = [chosen]
    given = list(chosen) if hasattr(chosen, "__iter__") else [chosen]
    if given and all(isinstance(one, (bool, np.bool_)) for one in given):
        if len(given) != len(names):
            raise ValueError(f"the mask of {who} has {len(given)} entries, and there are {len(names)} columns")
        return tuple(np.flatnonzero(given).tolist())
    return tuple(_place(one, names, who) for one in given)


def _place(one: Any, names: Sequence[str], who: str) -> int:
    if isinstance(one, str):
        if one not in names:
            raise no_column(one, names)
        return list(names).index(one)
    if not isinstance(one, (int, np.integer)) or isinstance(one, bool):
        raise ValueError(
            f"the columns of {who} hold {one!r}. Remedy: names or numbers of columns, a slice, a mask, or a function"
        )
    if not -len(names) <= one < len(names):
        raise ValueError(f"{who} asks for column number {one}, and there are {len(names)} columns")
    return int(one) % len(names)


def _numbered(chosen: slice, names: Sequence[str]) -> slice:
    """A slice of numbers; one of names has its last name in it, as in pandas."""
    start, stop = chosen.start, chosen.stop
    start = _place(start, names, "a slice") if isinstance(start, str) else start
    stop = _place(stop, names, "a slice") + 1 if isinstance(stop, str) else stop
    return slice(start, stop, chosen.step)
