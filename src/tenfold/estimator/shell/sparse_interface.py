"""Which of SciPy's two kinds of sparse matrices users are given."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
from sklearn import get_config


def aligned(found: Any, given: Any = None) -> Any:
    """Return a CSR matrix or array: the type of the input rows, or that of scikit-learn's settings.

    `sklearn.set_config(sparse_interface=...)` is "spmatrix" by default, whose `*` is the matrix product, or "sparray".
    Other objects are returned unchanged.
    """
    if not sp.issparse(found):
        return found
    if sp.issparse(given):
        matrix = sp.isspmatrix(given)
    else:
        matrix = get_config().get("sparse_interface", "spmatrix") == "spmatrix"
    if matrix == sp.isspmatrix(found):
        return found
    return (sp.csr_matrix if matrix else sp.csr_array)(found)
