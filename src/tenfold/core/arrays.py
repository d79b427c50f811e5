"""Names for the kinds of array that states, summaries and rows are made of, and ones."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
Bits = NDArray[np.uint64]
Letters = NDArray[np.uint8]
Values: TypeAlias = NDArray[Any]
"""numbers or texts of rows, in a type of their own"""
Labels: TypeAlias = NDArray[Any]
"""classes or categories: texts or numbers"""
Names: TypeAlias = NDArray[np.object_]
"""texts, as pandas and scikit-learn have them"""
RowIndex: TypeAlias = slice | Codes
"""which rows: those from one to another, or their numbers"""
CSR: TypeAlias = sp.csr_array
Matrix: TypeAlias = Values | sp.csr_array
"""rows of numbers, dense (in any float type) or sparse"""
ColumnData: TypeAlias = Any
"""storage of columns: a tuple of 1-D arrays, a 2-D array, or a CSR matrix"""
AnyColumn: TypeAlias = Any
"""one column: an array of numpy or of Arrow"""
HeldRows: TypeAlias = Any
"""what a lens makes of a chunk, or what follows it from round to round: each lens has its own"""
MatrixLike: TypeAlias = Any
"""X as users pass it: an array, a CSR matrix, a frame of any library, nested lists, or a Source"""
VectorLike: TypeAlias = Any
"""y or sample weights as users pass them: an array, a column of a frame, a list, or None"""

MAX_CACHED_TRIANGLE = 128
"""rows of a square matrix for which it is remembered where its lower triangle is"""

MAX_SHARED_ONES = 1 << 22
"""length of the shared array of ones: a longer one is made for its caller alone"""

_ones = np.ones(1 << 18)


def ones(n: int) -> Array:
    """Return n unit weights: usually a read-only view of one shared array, which grows on demand."""
    global _ones
    if len(_ones) < n <= MAX_SHARED_ONES:
        _ones = np.ones(MAX_SHARED_ONES)
    return _ones[:n] if n <= len(_ones) else np.ones(n)


def row_max(table: Array) -> Array:
    """The largest number of each row, -inf of none; several times as fast as `max` along rows that are short."""
    found = np.full(len(table), -np.inf)
    for column in table.T:
        np.maximum(found, column, out=found)
    return found


@lru_cache(maxsize=64)
def _at_and_below(n: int) -> tuple[Flags, Flags]:
    """Where the lower triangle of a small square matrix is, with the diagonal and without."""
    return np.tri(n, dtype=bool), np.tri(n, k=-1, dtype=bool)


def symmetrize(square: Array) -> Array:
    """Return the symmetric matrix with a given lower triangle; entries above the diagonal are not read."""
    n = len(square)
    at, below = _at_and_below(n) if n <= MAX_CACHED_TRIANGLE else (np.tri(n, dtype=bool), np.tri(n, k=-1, dtype=bool))
    return np.asarray(np.where(at, square, 0.0) + np.where(below, square, 0.0).T)
