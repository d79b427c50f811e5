"""Kernels that are given: as functions, or as the matrix of their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tenfold.core import Array, Codes
from tenfold.core.value import ByIdentity
from tenfold.kernels.algebra import Kernel, Out, text
from tenfold.kernels.proof import Proof, needs


class _OfFunction(Kernel):
    """Base of kernels that hold a function: they are compared by identity, and cannot be saved."""

    domain = "anything"
    function: Callable[..., Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise TypeError(f"a {type(self).__name__} takes a function, not {self.function!r}")

    @property
    def digest(self) -> bytes:
        return ByIdentity(self.function).digest

    def _name(self) -> str:
        return str(getattr(self.function, "__name__", "f"))


class FunctionKernel(_OfFunction):
    """f(x) f(z) for a function of rows: one feature.

    A model file holds no code: a learner with this kernel cannot be saved.

    Parameters
    ----------
    function : callable
        Of all rows; a number for each.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold.kernels import FunctionKernel
    >>> FunctionKernel(lambda X: np.asarray(X)[:, 0])([[2.0], [3.0]]).tolist()
    [[4.0, 6.0], [6.0, 9.0]]
    """

    function: Callable[..., Any]

    def _of(self, X: Any) -> Array:
        found = np.asarray(self.function(X), dtype=np.float64)
        if found.shape != (len(X),):
            raise ValueError(f"the function of a FunctionKernel gave the shape {found.shape} for {len(X)} rows")
        return found

    def prepare(self, Z: Any, dtype: Any) -> Array:
        return self._of(Z)

    def fill(self, X: Any, Z: Any, prepared: Array, out: Out) -> None:
        # Kernel values of a block of pairs: the outer product of f(x) and f(z).
        out[:] = np.outer(self._of(X), prepared)

    def diagonal_of(self, X: Any) -> Array:
        return self._of(X) ** 2

    def proof(self) -> Proof:
        # It has one feature, f: f(x) f(z) is an inner product.
        return Proof(str(self), True, "one feature: Σ cᵢcⱼ f(xᵢ) f(xⱼ) = (Σ cᵢ f(xᵢ))² ≥ 0")

    def __str__(self) -> str:
        return "f(x) f(z)"


class CallableKernel(_OfFunction):
    """A kernel that is any function.

    A model file holds no code: a learner with this kernel cannot be saved.

    Parameters
    ----------
    function : callable
        Of two arrays (or lists) of rows: the matrix of the values. If `pairwise`, of two rows: a number.
    pairwise : bool, default=False
        Whether the function takes two rows and gives a number, not two arrays and a matrix.
    assume_psd : bool, default=False
        Whether you know that it is positive semidefinite; nothing can prove that of a function.

    Examples
    --------
    >>> from tenfold.kernels import CallableKernel
    >>> k = CallableKernel(lambda a, b: min(len(a), len(b)), pairwise=True)
    >>> k(["ab", "abc"]).tolist(), k.psd
    ([[2.0, 2.0], [2.0, 3.0]], False)
    """

    function: Callable[..., Any]
    pairwise: bool = False
    assume_psd: bool = False

    @property
    def digest(self) -> bytes:
        return super().digest + bytes([self.pairwise, self.assume_psd])

    def fill(self, X: Any, Z: Any, prepared: Any, out: Out) -> None:
        if self.pairwise:
            for i, x in enumerate(X):
                for j, z in enumerate(Z):
                    out[i, j] = self.function(x, z)
            return
        found = np.asarray(self.function(X, Z))
        if found.shape != out.shape:
            raise ValueError(f"the function of a kernel gave the shape {found.shape}, not {out.shape}")
        out[:] = found

    def diagonal_of(self, X: Any) -> Array:
        if self.pairwise:
            return np.array([self.function(x, x) for x in X], dtype=np.float64)
        return np.array([np.asarray(self.function(X[i : i + 1], X[i : i + 1])).item() for i in range(len(X))])

    def proof(self) -> Proof:
        if self.assume_psd:
            return Proof(str(self), True, "declared by the user (assume_psd=True)", assumed=True)
        return Proof(str(self), False, "nothing is known of a function. If you know it is: assume_psd=True")

    def __str__(self) -> str:
        return f"{self._name()}(x, z)"


class PrecomputedKernel(Kernel):
    """The values of a kernel in a matrix: it compares numbers of rows, 0, 1, ...

    Parameters
    ----------
    matrix : array of shape (rows, rows)
        Symmetric: the kernel of each pair of rows.

    Examples
    --------
    >>> from tenfold.kernels import PrecomputedKernel
    >>> k = PrecomputedKernel([[2.0, 1.0], [1.0, 2.0]])
    >>> k([1, 0, 1]).tolist(), k.psd
    ([[2.0, 1.0, 2.0], [1.0, 2.0, 1.0], [2.0, 1.0, 2.0]], True)
    """

    domain = "places"
    matrix: Any

    def __post_init__(self) -> None:
        try:
            K = np.array(self.matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError("the matrix of a PrecomputedKernel is made of numbers") from None
        if K.ndim != 2 or K.shape[0] != K.shape[1] or not np.isfinite(K).all():
            raise ValueError(f"the matrix of a PrecomputedKernel is square and finite, not of the shape {K.shape}")
        if not np.allclose(K, K.T, rtol=1e-10, atol=1e-12 * np.abs(K).max(initial=0.0)):
            raise ValueError("the matrix of a PrecomputedKernel is symmetric: k(x, z) = k(z, x)")
        self.__dict__["matrix"] = K
        super().__post_init__()

    def _check(self, places: Codes) -> Codes:
        if len(places) and not 0 <= places.min() <= places.max() < len(self.matrix):
            raise ValueError(f"the kernel was computed for {len(self.matrix)} rows, numbered from 0")
        return places

    def fill(self, X: Codes, Z: Codes, prepared: Any, out: Out) -> None:
        out[:] = self.matrix[np.ix_(self._check(X), self._check(Z))]

    def diagonal_of(self, X: Codes) -> Array:
        return np.asarray(self.matrix[self._check(X), X])

    def proof(self) -> Proof:
        from tenfold.kernels.gram_matrix import is_psd

        found = is_psd(self.matrix)
        why = f"of these rows: the smallest eigenvalue of the matrix is {text(found.smallest)}, not below 0 to rounding"
        return needs(str(self), bool(found), why, f"the matrix has the eigenvalue {text(found.smallest)}")

    def __str__(self) -> str:
        return "K[x, z]"
