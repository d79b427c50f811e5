"""Sums of squares and products around a shift, a cache-full of rows at a time."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.blas import SHORT, add_cross, add_gram
from tenfold.compiled.decorators import kernel
from tenfold.compiled.rows.copying import copy_columns


@kernel
def add_comoments(rows, y, root, shift, height, gram):
    """Add the Gram matrix of √w (x - shift, y - shift, 1) to the lower triangle of `gram`.

    `y` and `root`, the square roots of the weights, are empty where there are none. `height` is the number
    of rows copied at a time.
    """
    n, p = rows.shape
    q = shift.shape[0]
    block = np.empty((min(height, n), q + 1))
    for start in range(0, n, height):
        m = min(height, n - start)
        for i in range(m):
            for j in range(p):
                block[i, j] = rows[start + i, j] - shift[j]
            if q > p:
                block[i, p] = y[start + i] - shift[p]
            block[i, q] = 1.0
        if root.shape[0]:
            for i in range(m):
                for j in range(q + 1):
                    block[i, j] *= root[start + i]
        add_gram(block[:m], gram)


@kernel
def add_comoments_in_place(rows, y, shift, height, gram):
    """Add the Gram matrix of `add_comoments` for float64 rows that are already shifted, without weights.

    Nothing is copied but the target, from which its shift, the last one, is subtracted.
    """
    n, p = rows.shape
    q = shift.shape[0]
    more = np.ones((min(height, n), q + 1 - p))
    inner = np.empty((p, p))
    outer = np.empty((q + 1 - p, p))
    corner = np.empty((q + 1 - p, q + 1 - p))
    for start in range(0, n, height):
        m = min(height, n - start)
        if q > p:
            for i in range(m):
                more[i, 0] = y[start + i] - shift[p]
        for array in (
            inner,
            outer,
            corner,
        ):  # for each block: bits do not depend on the number of blocks in a call
            for i in range(array.shape[0]):
                for j in range(array.shape[1]):
                    array[i, j] = 0.0
        add_gram(rows[start : start + m], inner)
        add_cross(more[:m], rows[start : start + m], outer)
        add_gram(more[:m], corner)
        for i in range(p):
            for j in range(i + 1):
                gram[i, j] += inner[i, j]
        for i in range(q + 1 - p):
            for j in range(p):
                gram[p + i, j] += outer[i, j]
            for j in range(i + 1):
                gram[p + i, p + j] += corner[i, j]


@kernel
def add_comoments_columns(addresses, like, y, shift, around, height, narrow, gram):
    """Add the Gram matrix of `add_comoments` for columns of `y.shape[0]` values, copied by rows, minus `around`.

    If they are `narrow`, target and constant go into the same block, as in `add_comoments`, a few rows at a time that
    stay in the nearest cache.
    """
    n, p = y.shape[0], addresses.shape[0]
    q = shift.shape[0]
    block = np.empty((min(SHORT if narrow else height, n), q + 1 if narrow else p))
    for start in range(0, n, height):
        stop = min(start + height, n)
        if not narrow:
            copy_columns(addresses, like, start, stop, around, block)
            add_comoments_in_place(block[: stop - start], y[start:stop], shift, height, gram)
            continue
        for first in range(start, stop, SHORT):
            last = min(first + SHORT, stop)
            copy_columns(addresses, like, first, last, around, block)
            for i in range(last - first):
                block[i, p] = y[first + i] - shift[p]
                block[i, q] = 1.0
            add_gram(block[: last - first], gram)


@kernel
def add_comoments_by(rows, y, root, group, shift, counts, buffer, gram):
    """Add the Gram matrix of `add_comoments` of each group: rows are sorted by group, then multiplied.

    `counts` (groups + 1) and `buffer` (as many rows, q + 1 columns) are scratch; rows of group -1 are left out.
    """
    n, p = rows.shape
    q = shift.shape[0]
    groups = gram.shape[0]
    for g in range(groups + 1):
        counts[g] = 0
    for i in range(n):
        if group[i] >= 0:
            counts[group[i] + 1] += 1
    for g in range(groups):
        counts[g + 1] += counts[g]
    for i in range(n):
        g = group[i]
        if g < 0:
            continue
        at = counts[g]
        counts[g] += 1
        w = root[i] if root.shape[0] else 1.0
        for j in range(p):
            buffer[at, j] = (rows[i, j] - shift[j]) * w
        if q > p:
            buffer[at, p] = (y[i] - shift[p]) * w
        buffer[at, q] = w
    start = 0
    for g in range(groups):  # counts[g] is now where the group ends
        if counts[g] > start:
            add_gram(buffer[start : counts[g]], gram[g])
        start = counts[g]
