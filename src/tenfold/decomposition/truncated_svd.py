"""Truncated singular value decomposition: the k directions v with the largest Σ (xᵀv)², without centring.

They are the eigenvectors of the Gram matrix Σ x xᵀ, which is read off merged moments: Σ (x - m)(x - m)ᵀ + n m mᵀ.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Claim, Columns, DataError, Need, Schema
from tenfold.decomposition.pca import Axes, direction_digits, principal_axes, refuse_wide, variance_digits
from tenfold.estimator import OnePass, Transformer, check_is_fitted, fitted
from tenfold.estimator.shell.constraints import integer
from tenfold.estimator.shell.keyword_decisions import COUNT, EXACT, exact_tol, one_of, unseeded
from tenfold.estimator.shell.keywords import NoEffect
from tenfold.linear_model.class_moments.whitening import ROUNDING_ASSUMPTION
from tenfold.stats.moments.moments import Comoments, Moments, refuse_infinite


class TruncatedSVDModel(NamedTuple):
    """The directions, and how large the rows are along them."""

    components: Annotated[Array, "component", "column"]
    explained_variance: Annotated[Array, "component"]
    explained_variance_ratio: Annotated[Array, "component"]
    singular_values: Annotated[Array, "component"]


class TruncatedSVD(OnePass, Transformer):
    """Truncated singular value decomposition of the rows, not centred, exact in one pass.

    Sparse rows, such as those of features of text, are read a few at a time and projected as they are. The Gram matrix
    of p columns has p² numbers, so p should be some thousands; more than 20,000 are refused.

    Parameters
    ----------
    n_components : int, default=2
        How many directions, at most the number of columns.
    algorithm, n_iter, n_oversamples, power_iteration_normalizer, tol, random_state : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    components_ : array of shape (components, columns)
        Directions of unit length, the largest singular value first, the largest entry of each positive.
    explained_variance_ : array of shape (components,)
        Variance of the rows along each direction.
    explained_variance_ratio_ : array of shape (components,)
        Share of the variance of all columns.
    singular_values_ : array of shape (components,)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import TruncatedSVD
    >>> model = TruncatedSVD(1).fit([[3.0, 0.0], [0.0, 1.0], [3.0, 0.0]])
    >>> model.components_.round(3).tolist(), model.singular_values_.round(3).tolist()
    ([[1.0, 0.0]], [4.243])
    """

    mixes_columns = True
    need = Need("numeric", sparse=True)
    law_params = ({}, {"n_components": 1})

    n_components: Annotated[int, integer(1)] = 2
    _: KW_ONLY
    algorithm: Annotated[str, NoEffect(EXACT, (one_of("arpack", "randomized"),))] = "randomized"
    n_iter: Annotated[int, NoEffect(EXACT, (integer(0),))] = 5
    n_oversamples: Annotated[int, NoEffect(EXACT, COUNT)] = 10
    power_iteration_normalizer: Annotated[str, NoEffect(EXACT, (one_of("auto", "QR", "LU", "none"),))] = "auto"
    random_state: Annotated[int | None, unseeded] = None
    tol: Annotated[float, exact_tol] = 0.0

    def statistic(self, schema: Schema) -> Comoments:
        p = len(schema.columns)
        if self.n_components > p:
            raise ValueError(f"n_components={self.n_components} must be at most n_features={p}. Remedy: fewer")
        refuse_wide(p, "TruncatedSVD")
        return Comoments(target=False)

    def solve(self, schema: Schema, s: Moments) -> TruncatedSVDModel:
        axes, k = gram_axes(s), self.n_components
        components = axes.vectors[:k]
        n = max(s.weight, 1e-300)
        variance = np.maximum(np.einsum("kj,kj->k", components @ s.comoment, components), 0.0) / n
        whole = float(s.comoment.trace()) / n
        ratio = variance / whole if whole > 0 else np.zeros_like(variance)
        return TruncatedSVDModel(components, variance, ratio, axes.singular[:k])

    def certify(self, model: TruncatedSVDModel, s: Moments) -> tuple[Claim, ...]:
        """The explained variance, and the digits of squares and directions."""
        axes, k = gram_axes(s), len(model.components)
        kept = float(model.explained_variance_ratio.sum())
        why = "share of the variance of all columns"
        return (
            Claim("explained variance", kept, "estimated", why, "objective", ROUNDING_ASSUMPTION),
            variance_digits(axes, k, "of the least certain squared singular value, from merged moments"),
            direction_digits(axes, k),
        )

    def transform_from(self, model: TruncatedSVDModel, X: Columns) -> Array:
        """The product of the rows with the directions."""
        return X @ model.components.T

    def names_out(self, names: list[str]) -> list[str]:
        return [f"truncatedsvd{k}" for k in range(len(self.model_.components))]

    @fitted
    def inverse_transform(self, X: ArrayLike) -> Array:
        """The rows whose products with the directions these are.

        Parameters
        ----------
        X : array of shape (rows, components)

        Returns
        -------
        X : array of shape (rows, columns)
        """
        check_is_fitted(self)
        components: Array = self.model_.components
        given = np.asarray(X, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != len(components):
            raise DataError(
                f"X has shape {given.shape}, but there are {len(components)} components. Remedy: pass the output of "
                f"transform"
            )
        return given @ components


def gram_axes(s: Moments) -> Axes:
    """The axes of the rows around zero."""
    zero = np.zeros_like(s.mean)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused
        gram = s.comoment + s.weight * np.outer(s.mean, s.mean)
    refuse_infinite(np.diag(gram))
    return principal_axes(Moments(s.weight, zero, zero, gram))
