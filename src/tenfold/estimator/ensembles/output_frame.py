"""Frames of outputs in which each column has a type of its own, as `set_output` asks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tenfold.core import MatrixLike, Values
from tenfold.sources.frames import is_frame


def output_frame(library: str, found: Values, names: Sequence[str], passed: Mapping[int, str], X: MatrixLike) -> Any:
    """Return outputs as a frame of pandas or polars; columns that only pass keep the type that they have in X.

    Parameters
    ----------
    library : {"pandas", "polars"}
    found : array of shape (rows, columns)
        One of objects has the columns that its values are of: text, and numbers beside it.
    names : sequence of str
    passed : mapping of int to str
        The numbers of the outputs that are columns of X as they are, and the names of these.
    X : array or frame
        The rows that were transformed.
    """
    columns = {at: _column(X, name, library) for at, name in passed.items() if _has(X, name)}
    if library == "polars":
        import polars as pl

        each = [
            columns[at].rename(name) if at in columns else pl.Series(name, _plain(found[:, at]), strict=False)
            for at, name in enumerate(names)
        ]
        return pl.DataFrame(each)
    import pandas as pd

    frame = pd.DataFrame(found, index=X.index if isinstance(X, pd.DataFrame) else None, columns=list(names))
    if found.dtype.hasobject:
        frame = frame.infer_objects()
    for at, values in columns.items():
        frame.isetitem(at, values)
    return frame


def _has(X: MatrixLike, name: str) -> bool:
    """Whether rows are a frame that has this column."""
    if isinstance(X, pa.Table):
        return name in X.column_names
    return is_frame(X) and type(X).__name__ == "DataFrame" and name in X.columns


def _column(X: MatrixLike, name: str, library: str) -> Any:
    """A column of a frame in the library that is wanted."""
    values, own = X[name], type(X).__module__.split(".")[0]
    if own == library:
        return values
    if library == "pandas":
        return values.to_pandas()
    import polars as pl

    return pl.from_pandas(values) if own == "pandas" else pl.from_arrow(values)


def _plain(values: Values) -> Any:
    """Values of which a series of polars finds the type."""
    return values.tolist() if values.dtype.hasobject else np.ascontiguousarray(values)
