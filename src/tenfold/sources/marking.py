"""Hashes of rows in memory, by their first columns: to tell later whether rows were trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.kernels.rows import hash_rows

COLUMNS = 6
BLOCKS, ROWS = 16, 1024
"""rows that are looked at: all of few, blocks spread over many"""
DISTINCT = 0.9
"""rows that are equal this often by chance tell nothing"""


def row_hashes(columns: list[Any], n: int) -> Any:
    """48 bits for each of some rows; none if they are not numbers, or too often equal."""
    pieces = [column for column in columns[:COLUMNS] if column.dtype.kind in "fiub"]
    if not pieces or not n:
        return np.zeros(0, np.uint64)
    starts = [0] if n <= BLOCKS * ROWS else np.linspace(0, n - ROWS, BLOCKS).astype(int)
    size = n if n <= BLOCKS * ROWS else ROWS
    block = np.empty((len(starts) * size, len(pieces)))
    for k, start in enumerate(starts):
        for j, piece in enumerate(pieces):
            block[k * size : (k + 1) * size, j] = piece[start : start + size]
    bits = np.empty(len(block), np.uint64)
    hash_rows(block, 0, bits)
    some = np.unique(bits >> np.uint64(16))
    return some if len(some) >= DISTINCT * len(bits) else some[:0]


def columns_of(X: Any) -> list[Any]:
    """The first columns of an array, a CSR matrix or a tuple of columns."""
    if isinstance(X, tuple):
        return [np.asarray(column) for column in X[:COLUMNS]]
    if sp.issparse(X):
        return list(X[:, :COLUMNS].toarray().T)
    return list(X[:, :COLUMNS].T)
