"""Draws of a variable with few values, as codes: where each is among the values that there are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Codes, DataError


def coded(name: str, x: ArrayLike) -> tuple[tuple[Any, ...], Codes]:
    """The sorted values of a column of numbers, text or booleans, and the place of each draw among them."""
    column = np.asarray(x)
    if column.ndim != 1:
        raise DataError(f"{name} must be a sequence of values, and has {column.ndim} axes")
    missing = column != column  # NaN
    if column.dtype.kind == "O":
        missing = missing | (column == np.array(None, dtype=object))
    if np.any(missing):
        raise DataError(f"{name} has missing values. Remedy: drop those rows, or make them a value")
    try:
        values, codes = np.unique(column, return_inverse=True)
    except TypeError:
        raise DataError(f"{name} mixes text and numbers. Remedy: make them all of one kind") from None
    return tuple(values.tolist()), codes.astype(np.int64)
