"""Whether classes can be separated without a mistake: a linear program on the features of the kernel.

Of many rows the program is asked about some: those that a plane between them leaves on the wrong side join them, until
none is, or until they cannot be separated.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as sla
from scipy.optimize import linprog

from tenfold.core import Array, DataError, Values
from tenfold.kernels.algebra import Kernel
from tenfold.svm.dual.dual_problem import MAX_FULL_GRAM_ROWS, DualProblem, solve_dual

RANK_TOLERANCE = 1e-10
"""share of the largest k(x, x) below which the rest of a Gram matrix is rounding"""
MAX_ROWS_IN_ONE_PROGRAM = 5_000
"""rows up to which the program is asked about all"""
MAX_HARD_MARGIN_MOVES = 1_000_000
"""of pairs of variables, after which a hard margin of some rows is given up"""
MAX_ROUNDS = 100
NEARLY_SEPARABLE = (
    "C is infinite, and the classes cannot be separated in the features of this kernel, or only by so little that the "
    "hard margin is not found. Remedy: a finite C, or another kernel"
)


def features_of(K: Array) -> Array:
    """Rows whose inner products are K, by a Cholesky factor with pivots that ends where only rounding is left."""
    factor, order, rank, _ = sla.lapack.dpstrf(K, lower=1, tol=RANK_TOLERANCE * float(np.diag(K).max(initial=0.0)))
    out = np.zeros((len(K), rank))
    out[order - 1] = np.tril(factor)[:, :rank]
    return out


def separable(kernel: Kernel, X: Values, sign: Array, *, offset: bool = True) -> bool:
    """Whether some f(x) = Σ βᵢ k(xᵢ, x) + b has sign f(x) ≥ 1 for all rows; True too if too many rows take part.

    Parameters
    ----------
    kernel : Kernel
    X : array of shape (rows, columns)
    sign : array of shape (rows,)
        -1 and 1.
    offset : bool, default=True
        Whether there is a b. If not, more rows than one program takes are left to the dual.

    Returns
    -------
    bool
    """
    if len(X) <= MAX_ROWS_IN_ONE_PROGRAM:
        return _by_program(kernel, X, sign, offset)
    if not offset:
        return True
    sides = (np.flatnonzero(sign > 0), np.flatnonzero(sign < 0))
    some = np.concatenate([side[np.linspace(0, len(side) - 1, min(len(side), 250)).astype(int)] for side in sides])
    for _ in range(MAX_ROUNDS):
        if not _by_program(kernel, X[some], sign[some]):
            return False
        dual = DualProblem.of_classes(sign[some], np.full(len(some), np.inf))
        found = solve_dual(kernel, X[some], dual, 1e-3, max_moves=MAX_HARD_MARGIN_MOVES)
        at = np.flatnonzero(found.beta)
        f = kernel(X, X[some[at]]) @ found.beta[at] + found.bias
        off = np.flatnonzero(sign * f <= 0)
        if not len(off) or len(at) + min(len(off), MAX_FULL_GRAM_ROWS // 3) > MAX_FULL_GRAM_ROWS:
            return True  # or it is found out while the dual of all rows is solved
        worst = off[np.argsort((sign * f)[off], kind="stable")[: MAX_FULL_GRAM_ROWS // 3]]
        some = np.union1d(some[at], worst)
        if found.violation > 1e-2:
            break
    raise DataError(NEARLY_SEPARABLE)


def _by_program(kernel: Kernel, X: Values, sign: Array, offset: bool = True) -> bool:
    """Decide separability by a linear program over all rows."""
    Z = features_of(kernel(X))
    n, rank = Z.shape
    constant = np.ones((n, int(offset)))
    if rank >= n - 1 and np.linalg.matrix_rank(np.column_stack([Z, constant])) == n:
        return True  # so many points in general position are separated however they are labelled
    scale = np.sqrt(np.einsum("ij,ij->i", Z, Z).mean()) or 1.0
    A = -sign[:, None] * np.column_stack([Z / scale, constant])
    found = linprog(np.zeros(A.shape[1]), A_ub=A, b_ub=-np.ones(n), bounds=(None, None), method="highs")
    return bool(found.status == 0)
