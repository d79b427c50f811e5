"""Kernels of rows of numbers: of their products, their distances, their differences by column."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import Any

import numpy as np

from tenfold.compiled.neighbors.kernel_values import (
    ADDITIVE_CHI2,
    CANCELLATION_SHARE,
    CHI2,
    LAPLACIAN,
    difference_values,
    gaussian_values,
)
from tenfold.core import Array, DataError, Values
from tenfold.core.arrays import MatrixLike
from tenfold.kernels.algebra import Kernel, Out, raise_to, rows_of, text
from tenfold.kernels.proof import Proof, needs
from tenfold.stats.moments.monomials import MAX_PRODUCTS

NEGATIVE_GAMMA = "γ is below 0: of two rows that differ, k(x, z) > k(x, x) = k(z, z)"


def typed(X: Values, dtype: Any) -> Values:
    """Rows in a float type, in C order and read-only: then kernels are compiled once for each type."""
    view = np.ascontiguousarray(X, dtype=dtype).view()
    view.flags.writeable = False
    return view


def squares(X: Values) -> Array:
    """``|x|²`` of each row, the squared length."""
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


class _Products(Kernel):
    """What kernels of inner products share: a matrix product, of whose values they are made."""

    def _of_products(self, out: Out) -> None:
        """Make kernel values of inner products, in place."""

    def prepare(self, Z: Values, dtype: Any) -> Values:
        return typed(Z, dtype)

    def fill(self, X: Values, Z: Values, prepared: Values, out: Out) -> None:
        np.matmul(typed(X, out.dtype), prepared.T, out=out)
        self._of_products(out)

    def diagonal_of(self, X: Values) -> Array:
        found = squares(X)
        self._of_products(found)
        return found


class LinearKernel(_Products):
    """⟨x, z⟩, the inner product of rows.

    Examples
    --------
    >>> from tenfold.kernels import LinearKernel
    >>> LinearKernel()([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[11.0]]
    """

    def proof(self) -> Proof:
        return Proof(str(self), True, "an inner product: Σ cᵢcⱼ⟨xᵢ, xⱼ⟩ = |Σ cᵢxᵢ|² ≥ 0")

    def __str__(self) -> str:
        return "⟨x, z⟩"


class PolynomialKernel(_Products):
    """(γ ⟨x, z⟩ + c)ᵈ: its features are the products of up to d columns.

    It is positive semidefinite if γ ≥ 0, c ≥ 0 and d is a whole number; with c < 0 it is not.

    Parameters
    ----------
    degree : int or float, default=3
        The exponent of a polynomial kernel; other kernels have none.
    gamma : float, default=1.0
        The factor of the inner product.
    coef0 : float, default=1.0
        The constant within a polynomial or sigmoid kernel.

    Examples
    --------
    >>> from tenfold.kernels import PolynomialKernel
    >>> PolynomialKernel(2, gamma=1.0, coef0=1.0)([[1.0], [2.0]]).tolist()
    [[4.0, 9.0], [9.0, 25.0]]
    >>> print(PolynomialKernel(2, coef0=-1.0).proof().gaps()[0])
    -1: not proved PSD, a constant below 0: one row is a counterexample
    """

    finite = ("degree", "gamma", "coef0")
    degree: float = 3
    gamma: float = 1.0
    coef0: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.degree <= 1000:
            raise ValueError(f"degree of a PolynomialKernel is from 0 to 1000, not {self.degree}")

    def _of_products(self, out: Out) -> None:
        out *= out.dtype.type(self.gamma)
        out += out.dtype.type(self.coef0)
        if self.degree == int(self.degree):
            raise_to(out, int(self.degree))
        elif (out < 0).any():
            raise DataError(f"{self}: a number below 0 has no power {text(self.degree)}. Remedy: a whole degree")
        else:
            np.power(out, self.degree, out=out)

    def proof(self) -> Proof:
        if self.degree != int(self.degree):
            return Proof(str(self), False, "the degree is not a whole number")
        inside = self.gamma * LinearKernel() + self.coef0
        return (inside ** int(self.degree)).proof()._replace(kernel=str(self))

    def features(self, X: MatrixLike) -> Array:
        """The features whose inner products are the kernel: monomials of up to d columns, each times a number.

        That of x₁^n₁ x₂^n₂ ... is √(d! / (n₀! n₁! n₂! ...) c^n₀ γ^(d - n₀)), where n₀ is what the exponents lack to d.
        They come by degree, and within it in the order of `PolynomialFeatures`; with c = 0 those of degree d alone.

        Parameters
        ----------
        X : array of shape (rows, columns)

        Returns
        -------
        features : array of shape (rows, monomials)

        Examples
        --------
        (1 + xz)³ is the product of (1, √3 x, √3 x², x³) and (1, √3 z, √3 z², z³):

        >>> from tenfold.kernels import PolynomialKernel
        >>> (PolynomialKernel(3).features([[2.0]]) ** 2).round(9).tolist()
        [[1.0, 12.0, 48.0, 64.0]]
        """
        if not self.psd:
            raise ValueError(
                f"{self} has no features of which it is the inner product: {self.proof().gaps()[0]}. Remedy: a whole "
                "degree, gamma and coef0 not below 0"
            )
        rows, degree = rows_of(self, X).astype(np.float64), int(self.degree)
        width = rows.shape[1]
        if comb(width + degree, degree) > MAX_PRODUCTS:
            raise ValueError(
                f"{self} of {width} columns has {comb(width + degree, degree):,} features, more than {MAX_PRODUCTS:,}. "
                "Remedy: the kernel itself, which needs none of them; or a smaller degree"
            )
        lowest = degree if self.coef0 == 0 else 0
        factors = [some for k in range(lowest, degree + 1) for some in combinations_with_replacement(range(width), k)]
        out = np.empty((len(rows), len(factors)))
        for at, some in enumerate(factors):
            repeats = [degree - len(some), *(some.count(j) for j in set(some))]
            ways = factorial(degree) // prod(map(factorial, repeats))
            factor = math.sqrt(ways * self.coef0 ** repeats[0] * self.gamma ** len(some))
            out[:, at] = factor * np.prod(rows[:, list(some)], axis=1)
        return out

    def __str__(self) -> str:
        sign = "-" if self.coef0 < 0 else "+"
        return f"({text(self.gamma)} ⟨x, z⟩ {sign} {text(abs(self.coef0))})^{text(self.degree)}"


class GaussianKernel(Kernel):
    """``exp(-γ |x - z|²)``, scikit-learn's "rbf". It needs γ ≥ 0.

    Distances are made of matrix products of centred rows; where that would lose digits, of the differences.

    Parameters
    ----------
    gamma : float, default=1.0
        Scale of the kernel: the larger, the nearer rows must be to be alike.

    Examples
    --------
    >>> from tenfold.kernels import GaussianKernel
    >>> GaussianKernel(0.5)([[0.0], [2.0]]).round(4).tolist()
    [[1.0, 0.1353], [0.1353, 1.0]]
    """

    never_negative = True
    finite = ("gamma",)
    gamma: float = 1.0

    def prepare(self, Z: Values, dtype: Any) -> tuple[Values, Values, Values]:
        with np.errstate(over="ignore", invalid="ignore"):
            center = Z.mean(axis=0, dtype=np.float64) if len(Z) else np.zeros(Z.shape[1])
        center = np.where(np.isfinite(center), center, 0.0).astype(Z.dtype)
        moved = typed(Z - center, dtype)
        return center, moved, squares(moved).astype(dtype)

    def fill(self, X: Values, Z: Values, prepared: tuple[Values, Values, Values], out: Out) -> None:
        center, theirs, squares_z = prepared
        mine = typed(X - center, out.dtype)
        whole = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        np.matmul(mine, theirs.T, out=whole)
        gamma = np.array([self.gamma, CANCELLATION_SHARE[out.dtype.name]], out.dtype)
        gaussian_values(mine, theirs, squares(mine).astype(out.dtype), squares_z, gamma, whole)
        if whole is not out:
            out[:] = whole

    def diagonal_of(self, X: Values) -> Array:
        # One: a row has the distance 0 from itself.
        return np.ones(len(X))

    def proof(self) -> Proof:
        # A product of PSD kernels: ``exp(-γ|x|²) exp(2γ⟨x, z⟩) exp(-γ|z|²)``.
        if self.gamma < 0:
            return Proof(str(self), False, NEGATIVE_GAMMA)
        twice = 2 * self.gamma
        product: Kernel = LinearKernel() if twice == 1 else twice * LinearKernel()
        why = f"f(x) f(z) exp({product}) with f(x) = exp(-{text(self.gamma)} |x|²)"
        return needs(str(self), True, why, why, product.exp().proof())

    def __str__(self) -> str:
        return f"exp({text(-self.gamma)} |x - z|²)"


class _Differences(Kernel):
    """Base of kernels of differences by column, with one compiled loop."""

    def prepare(self, Z: Values, dtype: Any) -> Values:
        return typed(Z.T, dtype)

    def _fill(self, kind: int, gamma: float, X: Values, theirs: Values, out: Out) -> None:
        whole = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        difference_values(typed(X, out.dtype), theirs, kind, np.array([gamma], out.dtype), whole)
        if whole is not out:
            out[:] = whole

    def diagonal_of(self, X: Values) -> Array:
        # One: a row does not differ from itself.
        return np.ones(len(X))


class LaplacianKernel(_Differences):
    """``exp(-γ Σ |xⱼ - zⱼ|)``. It needs γ ≥ 0.

    Parameters
    ----------
    gamma : float, default=1.0
        Scale of the kernel: the larger, the nearer rows must be to be alike.

    Examples
    --------
    >>> from tenfold.kernels import LaplacianKernel
    >>> LaplacianKernel(0.5)([[0.0], [2.0]]).round(4).tolist()
    [[1.0, 0.3679], [0.3679, 1.0]]
    """

    never_negative = True
    finite = ("gamma",)
    gamma: float = 1.0

    def fill(self, X: Values, Z: Values, prepared: Values, out: Out) -> None:
        self._fill(LAPLACIAN, self.gamma, X, prepared, out)

    def proof(self) -> Proof:
        why = "a product over columns of exp(-γ |x - z|), each the mean of cos(t (x - z)) for Cauchy t (Bochner)"
        return needs(str(self), self.gamma >= 0, why, NEGATIVE_GAMMA)

    def __str__(self) -> str:
        return f"exp({text(-self.gamma)} |x - z|₁)"


class Chi2Kernel(_Differences):
    """exp(-γ Σ (xⱼ - zⱼ)² / (xⱼ + zⱼ)) of numbers that are not negative, such as counts.

    Parameters
    ----------
    gamma : float, default=1.0
        Scale of the kernel: the larger, the nearer rows must be to be alike.

    Examples
    --------
    >>> from tenfold.kernels import Chi2Kernel
    >>> Chi2Kernel()([[1.0, 0.0], [0.0, 1.0]]).round(4).tolist()
    [[1.0, 0.1353], [0.1353, 1.0]]
    """

    never_negative = True
    finite = ("gamma",)
    gamma: float = 1.0

    def prepare(self, Z: Values, dtype: Any) -> Values:
        # The columns in the type of the blocks; no value may be negative.
        return typed(_not_negative(self, Z).T, dtype)

    def fill(self, X: Values, Z: Values, prepared: Values, out: Out) -> None:
        self._fill(CHI2, self.gamma, _not_negative(self, X), prepared, out)

    def proof(self) -> Proof:
        # (x - z)² / (x + z) = x + z - 4 x z / (x + z).
        why = (
            "f(x) f(z) exp(4γ Σ xⱼzⱼ / (xⱼ + zⱼ)), where x z / (x + z) = ∫ x e^(-xt) z e^(-zt) dt is PSD for numbers "
            "≥ 0, and exp is a power series with coefficients ≥ 0"
        )
        return needs(str(self), self.gamma >= 0, why, NEGATIVE_GAMMA)

    def __str__(self) -> str:
        return f"exp({text(-self.gamma)} χ²(x, z))"


class AdditiveChi2Kernel(_Differences):
    """-Σ (xⱼ - zⱼ)² / (xⱼ + zⱼ) of numbers that are not negative. It is not positive semidefinite: k(x, x) is 0.

    Examples
    --------
    >>> from tenfold.kernels import AdditiveChi2Kernel
    >>> AdditiveChi2Kernel()([[1.0], [3.0]]).tolist()
    [[0.0, -1.0], [-1.0, 0.0]]
    """

    def prepare(self, Z: Values, dtype: Any) -> Values:
        # The columns in the type of the blocks; no value may be negative.
        return typed(_not_negative(self, Z).T, dtype)

    def fill(self, X: Values, Z: Values, prepared: Values, out: Out) -> None:
        # Kernel values of a block of pairs: sums over the columns.
        self._fill(ADDITIVE_CHI2, 1.0, _not_negative(self, X), prepared, out)

    def diagonal_of(self, X: Values) -> Array:
        # Zero: a row does not differ from itself.
        return np.zeros(len(X))

    def proof(self) -> Proof:
        # There is no proof: it is not positive semidefinite.
        return Proof(str(self), False, "it is only conditionally PSD (for numbers cᵢ that add up to 0): k(x, x) = 0")

    def __str__(self) -> str:
        return "-χ²(x, z)"


class SigmoidKernel(_Products):
    """tanh(γ ⟨x, z⟩ + c). It is not positive semidefinite in general: `is_psd` finds a witness.

    Parameters
    ----------
    gamma : float, default=1.0
        The factor of the inner product.
    coef0 : float, default=1.0
        The constant within a polynomial or sigmoid kernel.

    Examples
    --------
    >>> import tenfold as tn
    >>> k = tn.kernels.SigmoidKernel(1.0, -1.0)
    >>> k.psd
    False
    >>> found = tn.kernels.is_psd(k([[0.1], [2.0]]))
    >>> bool(found), found.smallest < -0.7
    (False, True)
    """

    finite = ("gamma", "coef0")
    gamma: float = 1.0
    coef0: float = 1.0

    def _of_products(self, out: Out) -> None:
        out *= out.dtype.type(self.gamma)
        out += out.dtype.type(self.coef0)
        np.tanh(out, out=out)

    def proof(self) -> Proof:
        # There is none: the series of tanh has negative coefficients.
        return Proof(
            str(self),
            False,
            "tanh is bounded, and a power series of ⟨x, z⟩ with coefficients ≥ 0 is not",
        )

    def __str__(self) -> str:
        sign = "-" if self.coef0 < 0 else "+"
        return f"tanh({text(self.gamma)} ⟨x, z⟩ {sign} {text(abs(self.coef0))})"


class MatrixKernel(Kernel):
    """xᵀ A z for a matrix A; positive semidefinite if A is.

    Parameters
    ----------
    matrix : array of shape (columns, columns)
        Symmetric: A of xᵀAz.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold.kernels import MatrixKernel
    >>> MatrixKernel(np.array([[2.0, 1.0], [1.0, 2.0]])).psd, MatrixKernel(np.array([[1.0, 2.0], [2.0, 1.0]])).psd
    (True, False)
    """

    matrix: Any

    def __post_init__(self) -> None:
        try:
            A = np.array(self.matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError("the matrix of a MatrixKernel is made of numbers") from None
        if A.ndim != 2 or A.shape[0] != A.shape[1] or not len(A) or not np.isfinite(A).all():
            raise ValueError(f"the matrix of a MatrixKernel is square and finite, not of the shape {A.shape}")
        if not np.array_equal(A, A.T):
            raise ValueError("the matrix of a MatrixKernel is symmetric. Remedy: (A + A.T) / 2")
        self.__dict__["matrix"] = A
        super().__post_init__()

    def _turned(self, X: Values) -> Array:
        if X.shape[1] != len(self.matrix):
            raise ValueError(f"rows have {X.shape[1]} columns, and the matrix of the kernel {len(self.matrix)}")
        return np.asarray(X @ self.matrix)

    def prepare(self, Z: Values, dtype: Any) -> Values:
        return typed(self._turned(Z), dtype)

    def fill(self, X: Values, Z: Values, prepared: Values, out: Out) -> None:
        # Kernel values of a block of pairs: a matrix product.
        np.matmul(typed(X, out.dtype), prepared.T, out=out)

    def diagonal_of(self, X: Values) -> Array:
        return np.einsum("ij,ij->i", self._turned(X), X, dtype=np.float64)

    def proof(self) -> Proof:
        each = np.linalg.eigvalsh(self.matrix)
        slack = len(each) * np.finfo(float).eps * max(float(np.abs(each).max()), math.ulp(0.0))
        least = float(each[0])
        why = f"A is a square BᵀB: its smallest eigenvalue is {text(max(least, 0.0))}, to rounding"
        return needs(str(self), bool(least >= -slack), why, f"A has the eigenvalue {text(least)}")

    def __str__(self) -> str:
        return "xᵀAz"


def _not_negative(kernel: Kernel, X: Values) -> Values:
    if (X < 0).any():
        raise DataError(f"{kernel} compares numbers that are not negative. Remedy: MinMaxScaler, or another kernel")
    return X
