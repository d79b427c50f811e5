"""Which of SciPy's two kinds of sparse matrices users are given."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
from sklearn import get_config


def aligned(found: Any, given: Any = None) -> Any:
    """A CSR matrix of the kind of the rows that were given, or of the kind that scikit-learn's settings name.

    `sklearn.set_config(sparse_interface=...)` is "spmatrix" by default, whose `*` is the matrix product, or "sparray".
    What is not sparse is returned as it is.
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
