"""Concatenation of matrices of the same rows: the outputs of several transformers as one matrix."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.rows.sparse_rows import count_entries, put_dense, put_sparse
from tenfold.core.arrays import CSR, Matrix

INT32_LIMIT = 1 << 31
"""places beyond which SciPy numbers them by int64"""


def hstack(made: list[Matrix]) -> CSR:
    """Dense and sparse matrices as one CSR matrix, as `scipy.sparse.hstack` has it, in one pass over each.

    Zeros of dense ones are not stored.
    """
    n, widths = made[0].shape[0], [one.shape[1] for one in made]
    if any(one.dtype != np.float64 for one in made) or n * sum(widths) >= INT32_LIMIT:
        return sp.hstack([sp.csr_array(one) for one in made], format="csr")
    counts = np.zeros(n, np.int64)
    for one in made:
        if not isinstance(one, np.ndarray):
            counts += np.diff(one.indptr)
        else:
            count_entries(np.ascontiguousarray(one), counts)
    ends = np.concatenate([[0], np.cumsum(counts)])
    data, indices, at = np.empty(ends[-1]), np.empty(ends[-1], np.int32), ends[:-1].copy()
    for one, shift in zip(made, np.cumsum([0, *widths[:-1]]).tolist(), strict=True):
        if not isinstance(one, np.ndarray):
            places, stored = (some.astype(np.int32, copy=False) for some in (one.indices, one.indptr))
            put_sparse(one.data, places, stored, shift, at, data, indices)
        else:
            put_dense(np.ascontiguousarray(one), shift, at, data, indices)
    return sp.csr_array((data, indices, ends.astype(np.int32)), (n, sum(widths)))
