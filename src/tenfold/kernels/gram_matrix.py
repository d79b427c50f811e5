"""Gram matrices: whether one is positive semidefinite, with a witness if it is not; their products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array
from tenfold.core.arrays import MatrixLike
from tenfold.kernels.algebra import Kernel

EIGENVALUE_TOLERANCE = 1e-9
"""an eigenvalue not further below 0 than this share of the largest is taken for rounding"""


@dataclass(frozen=True, eq=False)
class PSDResult:
    """Whether a matrix is positive semidefinite, to a tolerance; its truth value is the answer.

    Attributes
    ----------
    psd : bool
    smallest, largest : float
        Eigenvalues, by value and by size.
    tolerance : float
        How far below 0 an eigenvalue may be.
    witness : array or None
        If it is not: c with cᵀKc < 0, of length 1.
    """

    psd: bool
    smallest: float
    largest: float
    tolerance: float
    witness: Array | None

    def __bool__(self) -> bool:
        return self.psd

    def __str__(self) -> str:
        if self.psd:
            return f"PSD: smallest eigenvalue {self.smallest:.3g}, tolerance {self.tolerance:.3g}"
        return f"not PSD: the witness c has cᵀKc = {self.smallest:.6g} < 0, tolerance {self.tolerance:.3g}"


def gram(kernel: Kernel, X: Any, Z: Any = None) -> Array:
    """The Gram matrix of a kernel: k(x, z) of all pairs, made in blocks.

    Parameters
    ----------
    kernel : Kernel or str
        Or scikit-learn's name of one, "rbf" among them, with its default parameters.
    X, Z : array of shape (rows, columns), or a sequence of what the kernel compares
        Without Z, of all pairs of X: then the matrix is symmetric to the bit.

    Returns
    -------
    K : array of shape (len(X), len(Z))

    Examples
    --------
    >>> from tenfold.kernels import LinearKernel, gram
    >>> gram(LinearKernel(), [[1.0], [2.0]]).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    from tenfold.kernels.kernel_names import as_kernel

    return as_kernel(kernel, X=X)(X, Z)


def is_psd(K: ArrayLike | Kernel, X: MatrixLike = None, *, tol: float = EIGENVALUE_TOLERANCE) -> PSDResult:
    """Whether a Gram matrix is positive semidefinite; if not, with a vector that shows it.

    Parameters
    ----------
    K : array of shape (rows, rows) or Kernel
        A symmetric matrix; or a kernel, whose Gram matrix of X is looked at.
    X : array, optional
        Rows, if K is a kernel.
    tol : float, default=1e-9
        An eigenvalue may be this share of the largest (by size) below 0.

    Returns
    -------
    result : PSDResult
        True or false; `witness` has cᵀKc < 0.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold.kernels import is_psd
    >>> K = np.array([[1.0, 2.0], [2.0, 1.0]])
    >>> found = is_psd(K)
    >>> bool(found), float(found.witness @ K @ found.witness).__round__(6)
    (False, -1.0)
    """
    matrix = K(X) if isinstance(K, Kernel) else square(K, "K")
    if not len(matrix):
        return PSDResult(True, 0.0, 0.0, 0.0, None)
    if not np.allclose(matrix, matrix.T, rtol=1e-8, atol=1e-10 * float(np.abs(matrix).max())):
        raise ValueError("a Gram matrix is symmetric: k(x, z) = k(z, x)")
    each, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    smallest, largest = float(each[0]), float(np.abs(each).max())
    limit = tol * largest
    fine = smallest >= -limit
    return PSDResult(fine, smallest, largest, limit, None if fine else vectors[:, 0])


def hadamard(K: ArrayLike, L: ArrayLike) -> Array:
    """The Hadamard product of two Gram matrices, value by value: that of the product of their kernels (Schur).

    Parameters
    ----------
    K, L : array of shape (rows, rows)
        Gram matrices: symmetric, a row for each object.

    Returns
    -------
    product : array of shape (rows, rows)

    Examples
    --------
    >>> from tenfold.kernels import hadamard
    >>> hadamard([[1.0, 0.5], [0.5, 1.0]], [[2.0, 1.0], [1.0, 2.0]]).tolist()
    [[2.0, 0.5], [0.5, 2.0]]
    """
    a, b = square(K, "K"), square(L, "L")
    if a.shape != b.shape:
        raise ValueError(f"Gram matrices of {len(a)} and of {len(b)} rows have no product value by value")
    return a * b


def kronecker(K: ArrayLike, L: ArrayLike) -> Array:
    """The Kronecker product of two Gram matrices: that of all pairs of their rows, by the product of their kernels.

    Parameters
    ----------
    K, L : array of shape (rows, rows)
        Gram matrices: symmetric, a row for each object.

    Returns
    -------
    product : array of shape (len(K) * len(L), len(K) * len(L))

    Examples
    --------
    >>> from tenfold.kernels import kronecker
    >>> kronecker([[2.0]], [[1.0, 0.5], [0.5, 1.0]]).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """
    return np.asarray(np.kron(square(K, "K"), square(L, "L")), dtype=np.float64)


def square(K: ArrayLike, name: str) -> Array:
    """A square matrix of finite numbers, or ValueError."""
    matrix = np.asarray(K, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix).all():
        raise ValueError(f"{name} must be a square matrix of finite numbers, not of the shape {matrix.shape}")
    return matrix
