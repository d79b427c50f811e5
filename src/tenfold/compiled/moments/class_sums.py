"""Sums of the columns by class, of dense and of sparse rows."""

from __future__ import annotations

from tenfold.compiled.decorators import inner, kernel

AS_COUNTS, ABOVE_THRESHOLD, BINARY = 0, 1, 2
"""how a number enters: as it is, as one if it is above a bar, or as zero or one, which it must be"""


@inner
def _entered(x, way, bar):
    """Return a value as it enters the sums, and whether it is allowed."""
    if way == ABOVE_THRESHOLD:
        return (1.0 if x > bar else 0.0), True
    return x, x >= 0.0 if way == AS_COUNTS else x == 0.0 or x == 1.0


@kernel
def add_class_sums(block, group, weight, way, bar, total):
    """total[g, j] += w x of each row; return True if every value is allowed."""
    fine = True
    for i in range(block.shape[0]):
        g, w = group[i], weight[i]
        for j in range(block.shape[1]):
            x, may = _entered(block[i, j], way, bar)
            fine &= may
            total[g, j] += w * x
    return fine


@kernel
def add_sparse_class_sums(data, indices, indptr, group, weight, way, bar, total):
    """total[g, j] += w x of each row of a CSR matrix; entries that are not stored are zero."""
    fine = True
    for i in range(len(indptr) - 1):
        g, w = group[i], weight[i]
        for k in range(indptr[i], indptr[i + 1]):
            x, may = _entered(data[k], way, bar)
            fine &= may
            total[g, indices[k]] += w * x
    return fine
