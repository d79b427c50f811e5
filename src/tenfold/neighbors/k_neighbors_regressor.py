"""k-nearest neighbours, regression: ŷ(x) = Σ wᵢ yᵢ / Σ wᵢ over the k rows nearest to x.

The rows are the model. The k nearest of two sets of rows are among the k nearest of each, so lists of neighbours merge,
and training rows may be in memory, on disk or on a cluster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array, Claim, Columns
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.estimator import Regressor, fitted
from tenfold.neighbors.distance import Distance
from tenfold.neighbors.k_neighbors import KNeighbors, NeighborsModel
from tenfold.neighbors.leave_one_out import left_out_rows, lists_without_self
from tenfold.neighbors.nearest_rows import Nearest


class KNeighborsRegressor(KNeighbors, Regressor):
    """k-nearest neighbours regressor: exact, lazy, in memory.

    A row of weight 2 counts as two neighbours. Rows that are equally far from the k-th place share it, so the answer
    depends neither on the order of the rows nor on how they are stored. Training rows that do not fit into memory stay
    where they are: `predict_over`.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours predict a row.
    weights : {"uniform", "distance", "inverse_square"} or callable, default="uniform"
        How much neighbours count: all the same; by 1 / distance, and where some are at distance 0 those alone; or a
        function from an array of distances to one of weights. "inverse_square": by 1 / distance², in the same way.
        Where a function gives infinity, those rows count alone.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        "brute" computes every distance; all others none that a matrix product rules out. The neighbours are the same.
    p : float, default=2
        Power of Minkowski's distance, (Σ \\|x - z\\|ᵖ)^(1/p): 1 is Manhattan, 2 Euclidean, infinity Chebyshev.
    metric : {"minkowski", "euclidean", "manhattan", "chebyshev", "cosine", "hamming", "mixed"}, default="minkowski"
        "cosine": 1 - cos of the angle between rows, 1 if one is zeros; "hamming": the share of columns that differ;
        "mixed" (Gower): the mean over columns of \\|x - z\\| / range, and for columns of text or categories of [x ≠ z].
    attribute_weights : array of shape (columns,), optional
        How much each column counts in the sum.
    ranges : array of shape (columns,), optional
        Of numeric columns, for "mixed"; by default largest minus smallest value of the training rows.
    kernel : kernel or callable, optional
        k(X, Z), the Gram matrix of two blocks of rows. The distance is then that of the features,
        \\|φ(x) - φ(z)\\|² = k(x, x) - 2 k(x, z) + k(z, z); `metric` is ignored.
    metric_params : optional
        As in scikit-learn; other values raise an error that names an alternative.
    leaf_size, n_jobs : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    effective_metric_ : str
    estimators_ : list
        Of a target of several columns, the fitted model of each.
    n_samples_fit_ : int
    certificate_ : Certificate
        With the root mean squared error of leaving one row out.

    Examples
    --------
    >>> from tenfold import KNeighborsRegressor
    >>> model = KNeighborsRegressor(n_neighbors=2).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0])
    >>> model.predict([[1.4], [2.5]]).tolist()
    [2.5, 6.5]
    """

    target = "number"

    def predict_from(self, model: NeighborsModel, X: Columns) -> Array:
        """The weighted mean of the neighbours."""
        return self._means(self.lists(model, X), self.distance(model))

    @fitted
    def predict_over(self, X: MatrixLike, rows: Any, y: VectorLike = None, sample_weight: Any = None) -> Any:
        """The predicted number of each row, by training rows that are scanned once, and not kept.

        Nothing needs to be fitted. The lists of nearest rows of each part merge, so the answer is that of a model
        which keeps the rows.

        Parameters
        ----------
        X : array or frame
            Rows to predict, in memory.
        rows : Source, array or frame
            Training rows, in memory, on disk or on a cluster. A Source brings its own target and weights.
        y, sample_weight : array, optional

        Returns
        -------
        y : array of shape (rows,)
        """
        _, distance, found = self.lists_over(X, rows, y, sample_weight)
        return self._means(found, distance)

    def _means(self, found: Nearest, distance: Distance) -> Array:
        """The weighted mean Σ wᵢ yᵢ / Σ wᵢ of the neighbours' targets."""
        counts, tied = self.votes(found, distance)
        sums, total = (counts * found.target).sum(axis=1) + tied[:, -1], counts.sum(axis=1) + tied[:, 0]
        return np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)

    def _left_out(self, model: NeighborsModel) -> tuple[Claim, ...]:
        rows, which = model.rows, left_out_rows(model.rows)
        distance = self.distance(model)
        found = lists_without_self(distance, rows, which, self.n_neighbors, 0)
        if found is None:
            return ()
        off, weight = self._means(found, distance) - rows.y[which], rows.weight[which]
        some = "" if len(which) == len(rows) else f" ({len(which):,} of them, spread evenly)"
        with np.errstate(over="ignore"):
            error = float(np.sqrt((weight * off**2).sum() / weight.sum()))
        claims: tuple[Claim, ...] = (
            Claim("leave-one-out error", error, "estimated",
                  f"root mean squared error of the training rows{some} as the others predict them", "unseen rows",
                  "rows are drawn independently"),
        )  # fmt: skip
        tied = float((found.tied[:, 0] > 0).mean())
        if tied:
            why = f"share of the rows{some} with others as far as the k-th neighbour, which share its place"
            claims += (Claim("ties", tied, "proved" if not some else "estimated", why, "data"),)
        return claims
