"""Copy rows or a column into a block, minus a shift, and notice what is not finite on the way."""

from __future__ import annotations

from tenfold.kernels.compiling import kernel


@kernel
def copy_rows(rows, shift, block):
    """block[i, j] = rows[i, j] - shift[j]; return how many values are not finite."""
    wrong = 0
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            v = rows[i, j] - shift[j]
            block[i, j] = v
            wrong += v - v != 0.0
    return wrong


@kernel
def copy_column(values, shift, block, j):
    """block[i, j] = values[i] - shift; return how many values are not finite."""
    wrong = 0
    for i in range(values.shape[0]):
        v = values[i] - shift
        block[i, j] = v
        wrong += v - v != 0.0
    return wrong
