"""Nearest centres, and the sums of Lloyd's step."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.blas import products
from tenfold.compiled.decorators import kernel

CACHED_ROWS = 512
"""rows whose products with the centres stay in cache"""


@kernel
def _nearest(rows, centers, norms, product, best, label):
    """Find the nearest centre of at most HEIGHT rows; `product` and `best` are scratch.

    Centre by centre over the rows, so that the comparison runs in vectors without changing the
    order of any sum.
    """
    m = rows.shape[0]
    products(rows, centers, -2.0, product)
    for i in range(m):
        best[i] = product[0, i] + norms[0]
        label[i] = 0
    for k in range(1, centers.shape[0]):
        norm = norms[k]
        for i in range(m):
            d = product[k, i] + norm
            closer = d < best[i]
            best[i] = d if closer else best[i]
            label[i] = k if closer else label[i]


@kernel
def nearest(rows, centers, norms, label):
    """label[i]: the nearest centre of row i, from |c|² - 2cx in the type of the rows."""
    product = np.empty((centers.shape[0], CACHED_ROWS), rows.dtype)
    best = np.empty(CACHED_ROWS, rows.dtype)
    for start in range(0, rows.shape[0], CACHED_ROWS):
        stop = min(start + CACHED_ROWS, rows.shape[0])
        _nearest(rows[start:stop], centers, norms, product, best, label[start:stop])


@kernel
def add_lloyd(rows, row_weight, centers, norms, exact, weight, total, square):
    """Add each row to the weight and sum of its nearest centre, and to the squares by column.

    Sums and squares are of differences to the centre, in float64; `exact` are the centres in it.
    """
    n, p = rows.shape
    product = np.empty((centers.shape[0], CACHED_ROWS), rows.dtype)
    best = np.empty(CACHED_ROWS, rows.dtype)
    label = np.empty(CACHED_ROWS, np.int64)
    for start in range(0, n, CACHED_ROWS):
        m = min(CACHED_ROWS, n - start)
        _nearest(rows[start : start + m], centers, norms, product, best, label)
        for i in range(m):
            k = label[i]
            w = row_weight[start + i]
            weight[k] += w
            for j in range(p):  # indexed in place: a view per row costs more than the sum
                d = rows[start + i, j] - exact[k, j]
                total[k, j] += w * d
                square[j] += w * d * d


@kernel
def nearest_distances(rows, exact, label, out):
    """out[i]: squared distance of row i to centre label[i]."""
    for i in range(rows.shape[0]):
        out[i] = 0.0
        for j in range(rows.shape[1]):
            d = rows[i, j] - exact[label[i], j]
            out[i] += d * d


@kernel
def center_distances(rows, columns, out):
    """out[i, k]: distance of row i to centre k, whose numbers are column k of `columns`.

    All centres at once, column by column, so that sums run in vectors without changing the order of any.
    """
    count = columns.shape[1]
    for i in range(rows.shape[0]):
        for k in range(count):
            out[i, k] = 0.0
        for j in range(rows.shape[1]):
            x = rows[i, j]
            for k in range(count):
                d = x - columns[j, k]
                out[i, k] += d * d
        for k in range(count):
            out[i, k] = np.sqrt(out[i, k])
