"""Whether classes can be separated without a mistake: a linear program on the features of the kernel."""

from __future__ import annotations

import numpy as np
import scipy.linalg as sla
from scipy.optimize import linprog

from tenfold.core import Array, Values
from tenfold.kernel.algebra import Kernel

LOST = 1e-10
"""share of the largest k(x, x) below which the rest of a Gram matrix is rounding"""


def features_of(K: Array) -> Array:
    """Rows whose inner products are K, by a Cholesky factor with pivots that ends where only rounding is left."""
    factor, order, rank, _ = sla.lapack.dpstrf(K, lower=1, tol=LOST * float(np.diag(K).max(initial=0.0)))
    out = np.zeros((len(K), rank))
    out[order - 1] = np.tril(factor)[:, :rank]
    return out


def separable(kernel: Kernel, X: Values, sign: Array) -> bool:
    """Whether some f(x) = Σ βᵢ k(xᵢ, x) + b has sign f(x) ≥ 1 for all rows.

    Parameters
    ----------
    kernel : Kernel
    X : array of shape (rows, columns)
    sign : array of shape (rows,)
        -1 and 1.

    Returns
    -------
    bool
    """
    Z = features_of(kernel(X))
    n, rank = Z.shape
    if rank >= n - 1 and np.linalg.matrix_rank(np.column_stack([Z, np.ones(n)])) == n:
        return True  # so many points in general position are separated however they are labelled
    scale = np.sqrt(np.einsum("ij,ij->i", Z, Z).mean()) or 1.0
    A = -sign[:, None] * np.column_stack([Z / scale, np.ones(n)])
    found = linprog(np.zeros(rank + 1), A_ub=A, b_ub=-np.ones(n), bounds=(None, None), method="highs")
    return bool(found.status == 0)
