"""Mercer's expansion k(x, z) = Σ λᵢ φᵢ(x) φᵢ(z), from the eigenvectors of a Gram matrix, for any rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tenfold.core import Array
from tenfold.core.arrays import MatrixLike
from tenfold.kernels.algebra import Kernel, rows_of
from tenfold.kernels.kernel_names import as_kernel

RANK_TOLERANCE = 1e-12
"""eigenvalues below this share of the largest are taken for rounding of 0"""


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """Features of rows whose inner products are the kernel: exactly for the rows it was made of and what they span.

    Attributes
    ----------
    kernel : Kernel
    rows : array or list
        It was made of these.
    eigenvalues : array of shape (components,)
        λᵢ of the Gram matrix divided by the number of rows, falling.
    vectors : array of shape (rows, components)
        Eigenvectors of the Gram matrix.
    lost : float
        The largest eigenvalue that was left out, times the number of rows: no inner product of two of the rows is
        further from the kernel, up to rounding.
    """

    kernel: Kernel
    rows: Any
    eigenvalues: Array
    vectors: Array
    lost: float

    def __repr__(self) -> str:
        rows, components = self.vectors.shape
        return f"FeatureMap({self.kernel}: {components} features of {rows} rows, lost {self.lost:.3g})"

    def functions(self, Z: Any) -> Array:
        """Mercer's functions φᵢ of any rows: Σⱼ k(z, xⱼ) uⱼᵢ / (√n λᵢ).

        Parameters
        ----------
        Z : array of shape (rows, columns), or a sequence of what the kernel compares

        Returns
        -------
        values : array of shape (len(Z), components)
        """
        return self.kernel(Z, self.rows) @ self.vectors / (np.sqrt(len(self.rows)) * self.eigenvalues)

    def transform(self, Z: Any) -> Array:
        """The features √λᵢ φᵢ of any rows; their inner products are the kernel.

        Parameters
        ----------
        Z : array of shape (rows, columns), or a sequence of what the kernel compares

        Returns
        -------
        features : array of shape (len(Z), components)
        """
        return self.functions(Z) * np.sqrt(self.eigenvalues)

    __call__ = transform

    def expansion(self, X: Any, Z: Any, terms: int | None = None) -> Array:
        """Mercer's sum of some terms: Σ λᵢ φᵢ(x) φᵢ(z).

        Parameters
        ----------
        X, Z : array of shape (rows, columns), or a sequence of what the kernel compares
        terms : int, optional
            By default all.

        Returns
        -------
        K : array of shape (len(X), len(Z))
        """
        return self.transform(X)[:, :terms] @ self.transform(Z)[:, :terms].T


def feature_map(
    kernel: Kernel | str, X: MatrixLike, n_components: int | None = None, *, tol: float = RANK_TOLERANCE
) -> FeatureMap:
    """Features whose inner products are a kernel, from the spectral decomposition of its Gram matrix.

    Parameters
    ----------
    kernel : Kernel or str
        The kernel, whose values are inner products of the features.
    X : array of shape (rows, columns), or a sequence of what the kernel compares
        What the features are made of: rows, or other objects that the kernel compares.
    n_components : int, optional
        How many to keep, of the largest eigenvalues; by default all above `tol`.
    tol : float, default=1e-12
        A share of the largest eigenvalue. One further below 0 is refused: the kernel is not PSD on these rows.

    Returns
    -------
    map : FeatureMap
        `map.transform(Z)` gives the features of any rows.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold.kernels import PolynomialKernel, feature_map
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> features = feature_map(PolynomialKernel(2), X)
    >>> features.transform(X).shape  # 1, x and x²
    (4, 3)
    >>> new = features.transform([[5.0]])
    >>> float(new[0] @ new[0]).__round__(6)  # (5 · 5 + 1)²
    676.0
    """
    chosen = as_kernel(kernel, X=X)
    rows = rows_of(chosen, X)
    n = len(rows)
    if not n:
        raise ValueError("a feature map is made of at least one row")
    each, vectors = np.linalg.eigh(chosen(rows))
    each, vectors = each[::-1], vectors[:, ::-1]
    largest = max(float(each[0]), 0.0)
    if each[-1] < -max(1e-9, tol) * max(largest, -float(each[-1])):
        raise ValueError(
            f"{chosen} is not positive semidefinite on these rows: its Gram matrix has the eigenvalue {each[-1]:.6g}, "
            "so there are no features with such inner products"
        )
    above = int((each > tol * largest).sum())
    kept = above if n_components is None else min(above, int(n_components))
    lost = float(each[kept]) if kept < n else 0.0
    return FeatureMap(chosen, rows, each[:kept] / n, vectors[:, :kept], max(lost, 0.0))
