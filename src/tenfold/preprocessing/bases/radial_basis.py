"""Radial basis functions: z_m = exp(-γ |x - c_m|²) for points c_m, or of each column by itself."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from tenfold.core import Array, Codes, Columns
from tenfold.preprocessing.bases.bases import Basis, BasisModel, distances


class RadialBasis(Basis):
    """Make of each row how near it is to some points, or of each value to some centres; exact in one pass.

    Given points (of a `KMeans`, its `cluster_centers_`) are compared with whole rows: a function for each. If only
    their number is given, centres are found for each column, and functions are of one column: as many for each.

    Parameters
    ----------
    centers : int or array of shape (points, columns), default=5
        How many centres, or the centres themselves.
    gamma : float or "auto", default="auto"
        How fast the functions fall, above 0. "auto": 1 / (2 d²), where d is the mean distance of a point from the
        nearest other one, or of a column's neighbouring centres.
    spacing : {"quantiles", "grid"}, default="quantiles"
        Where to find centres: in the middle of equal shares of the rows (of a sample, if there are more than
        16,384 distinct ones), or evenly from the smallest value to the largest.
    random_state : int, default=0
        Seed of that sample. None draws one, and the certificate records it.

    Attributes
    ----------
    centers_ : array of shape (points or centers, columns)
    gamma_ : array of shape (columns,)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import RadialBasis
    >>> RadialBasis([[0.0, 0.0], [3.0, 4.0]], gamma=0.04).fit_transform([[3.0, 4.0]]).round(3).tolist()
    [[0.368, 1.0]]
    """

    short = "rbf"

    def widths(self, centers: Array) -> Array:
        # The width of each function: 1 / (2 d²), d the distance of the centres.
        if self._center_counts is not None:
            return 0.5 / distances(centers) ** 2
        apart = cdist(centers, centers)
        np.fill_diagonal(apart, np.inf)
        near = float(apart.min(axis=1).mean()) if len(centers) > 1 else 1.0
        return np.full(centers.shape[1], 0.5 / near**2 if near > 0 else 1.0)

    def functions(self, away: Array) -> Array:
        return np.exp(-away * away)

    def transform_from(self, model: BasisModel, X: Columns) -> Array:
        if self._center_counts is not None:
            return super().transform_from(model._replace(gamma=np.sqrt(model.gamma)), X)
        out = np.empty((len(X), len(model.centers)))
        for rows, block in X.blocks(X.block_rows(len(model.centers))):
            out[rows] = np.exp(-model.gamma[0] * cdist(block, model.centers, "sqeuclidean"))
        return out

    def origins(self, model: BasisModel, width: int) -> Codes | None:
        # Functions of the distance from given centres are made of all columns.
        return None if self._center_counts is None else super().origins(model, width)

    def names_out(self, names: list[str]) -> list[str]:
        if self._center_counts is None:
            return [f"{self.short}{m}" for m in range(len(self.model_.centers))]
        return super().names_out(names)
