"""Kernels by the names that scikit-learn has for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tenfold.core import Array
from tenfold.core.arrays import MatrixLike
from tenfold.kernels.algebra import Kernel
from tenfold.kernels.given_kernels import CallableKernel
from tenfold.kernels.numeric import (
    AdditiveChi2Kernel,
    Chi2Kernel,
    GaussianKernel,
    LaplacianKernel,
    LinearKernel,
    PolynomialKernel,
    SigmoidKernel,
)

SKLEARN_NAMES = (
    "additive_chi2", "chi2", "cosine", "laplacian", "linear", "poly", "polynomial", "precomputed", "rbf", "sigmoid",
)  # fmt: skip
"""all that scikit-learn has"""
NAMES_WITH_GAMMA = ("chi2", "laplacian", "poly", "polynomial", "rbf", "sigmoid")
"""those that have a gamma"""


def as_kernel(
    kernel: str | Kernel | Callable[..., Any],
    *,
    gamma: float | str | None = None,
    degree: float = 3,
    coef0: float = 1.0,
    X: MatrixLike = None,
    pairwise: bool = False,
) -> Kernel:
    """A kernel object of scikit-learn's name of a kernel, of a function, or of a kernel object.

    Parameters
    ----------
    kernel : str, Kernel or callable
        "linear", "poly" or "polynomial", "rbf", "laplacian", "sigmoid", "cosine", "chi2", "additive_chi2". An object is
        used unchanged, and the other parameters are ignored. "precomputed" has no function: learners that
        take it read the values from their rows.
    gamma : float, "scale", "auto" or None
        "scale": 1 / (columns * variance of X); "auto" and None: 1 / columns of X (of "chi2": 1).
    degree, coef0 : float
        Of "poly" and "sigmoid".
    X : array of shape (rows, columns), optional
        The rows that are learned from, if gamma depends on them.
    pairwise : bool, default=False
        Whether a function is of two rows, as scikit-learn's KernelRidge has it, or of two arrays of rows.

    Returns
    -------
    kernel : Kernel

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold.kernels.kernel_names import as_kernel
    >>> as_kernel("rbf", gamma="scale", X=np.array([[0.0, 1.0], [2.0, 1.0]]))
    GaussianKernel(gamma=1.0)
    """
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return CallableKernel(kernel, pairwise=pairwise)
    if kernel == "precomputed" or kernel not in SKLEARN_NAMES:
        known = ", ".join(name for name in SKLEARN_NAMES if name != "precomputed")
        raise ValueError(f"kernel={kernel!r} is not the name of a kernel. Available: {known}")
    g = gamma_of(kernel, gamma, X) if kernel in NAMES_WITH_GAMMA else 1.0
    match kernel:
        case "rbf":
            return GaussianKernel(g)
        case "poly" | "polynomial":
            return PolynomialKernel(degree, g, coef0)
        case "sigmoid":
            return SigmoidKernel(g, coef0)
        case "laplacian":
            return LaplacianKernel(g)
        case "chi2":
            return Chi2Kernel(g)
        case "additive_chi2":
            return AdditiveChi2Kernel()
        case "cosine":
            return LinearKernel().normalized()
    return LinearKernel()


def gamma_of(kernel: str, gamma: float | str | None, X: Any) -> float:
    """Numeric value of gamma for the training rows."""
    if isinstance(gamma, (int, float, np.integer, np.floating)):
        return float(gamma)
    if kernel == "chi2" and gamma is None:
        return 1.0
    if X is None:
        raise ValueError(f"gamma={gamma!r} depends on the rows: give X, or a number")
    rows: Array = np.asarray(X)
    if gamma == "scale":
        variance = float(rows.var(dtype=np.float64))
        return 1.0 / (rows.shape[1] * variance) if variance > 0 else 1.0
    if gamma in ("auto", None):
        return 1.0 / rows.shape[1]
    raise ValueError(f"gamma is a number, 'scale', 'auto' or None, not {gamma!r}")
