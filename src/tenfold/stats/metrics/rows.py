"""The rows a metric is of: of one length, of positive weight, codes within their range."""

from __future__ import annotations

import numpy as np

from tenfold.core import Array, Codes, Values, VectorLike


def weighted(weight: VectorLike, *columns: VectorLike) -> tuple[Values, ...]:
    """The columns as arrays, and the weights after them; a row of weight zero is no row and is left out.

    Without weights every row counts once.
    """
    arrays = tuple(np.asarray(column) for column in columns)
    n = len(arrays[0])
    row_weight: Array = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
    lengths = [len(array) for array in (*arrays, row_weight)]
    if len(set(lengths)) > 1:
        raise ValueError(f"truth, output and weight differ in length: {lengths}")
    if weight is None or n == 0:
        return *arrays, row_weight
    least = row_weight.min()
    if not (least >= 0 and np.isfinite(row_weight.max())):
        raise ValueError("weights are finite and not negative")
    if least == 0:
        kept = row_weight > 0
        return *(array[kept] for array in arrays), row_weight[kept]
    return *arrays, row_weight


def as_codes(values: VectorLike, classes: int, what: str) -> Codes:
    """Class codes as int64, from 0 to classes - 1."""
    if len(values) == 0:
        return np.zeros(0, dtype=np.int64)
    if values.ndim != 1 or values.dtype.kind not in "biu":
        raise ValueError(f"the {what} holds class codes, whole numbers, one to a row")
    least, most = values.min(), values.max()
    if least < 0 or most >= classes:
        raise ValueError(f"the {what} holds codes from {least} to {most}, and there are {classes} classes")
    codes: Codes = values.astype(np.int64, copy=False)
    return codes


def as_numbers(values: VectorLike, what: str) -> Array:
    """One number to a row, as float64."""
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.ndim != 1:
        raise ValueError(f"the {what} holds one number to a row, not the shape {numbers.shape}")
    return numbers
