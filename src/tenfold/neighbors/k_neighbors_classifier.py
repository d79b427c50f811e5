"""k-nearest neighbours, classification: P(c | x) = Σ wᵢ [yᵢ = c] / Σ wᵢ over the k rows nearest to x.

The rows are the model. The k nearest of two sets of rows are among the k nearest of each, so lists of neighbours merge,
and training rows may be in memory, on disk or on a cluster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array, Claim, Columns
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.estimator import fitted
from tenfold.estimator.shell.kinds import winners
from tenfold.estimator.shell.probability_scored import ProbabilityScored
from tenfold.neighbors.distance import Distance
from tenfold.neighbors.k_neighbors import KNeighbors, NeighborsModel
from tenfold.neighbors.leave_one_out import left_out_rows, lists_without_self
from tenfold.neighbors.nearest_rows import Nearest
from tenfold.theory.bounds.nearest_neighbors import MANY_ROWS, cover_hart_lower


class KNeighborsClassifier(KNeighbors, ProbabilityScored):
    """k-nearest neighbours classifier: exact, lazy, in memory.

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
    classes_ : array
    effective_metric_ : str
    estimators_ : list
        Of a target of several columns, the fitted model of each.
    n_samples_fit_ : int
    certificate_ : Certificate
        The leave-one-out error, and the bound on the Bayes error that follows from it.

    Examples
    --------
    >>> from tenfold import KNeighborsClassifier
    >>> model = KNeighborsClassifier(n_neighbors=3).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict([[1.1]]).tolist(), model.predict_proba([[0.9]]).round(3).tolist()
    ([0], [[0.667, 0.333]])
    """

    one_column_is_table = False
    target = "class"

    def scores_from(self, model: NeighborsModel, X: Columns) -> Array:
        """The share of the votes of each class."""
        return self._shares(self.lists(model, X), self.distance(model), model.classes)

    @fitted
    def predict_over(self, X: MatrixLike, rows: Any, y: VectorLike = None, sample_weight: Any = None) -> Any:
        """The class of each row, by training rows that are scanned once, and not kept: on disk, or on a cluster.

        Nothing needs to be fitted. The lists of nearest rows of each part merge, so the answer is that of a model
        which keeps the rows.

        Parameters
        ----------
        X : array or frame
            Rows to predict, in memory.
        rows : Source, array or frame
            Training rows. A Source brings its own target and weights.
        y, sample_weight : array, optional

        Returns
        -------
        y : array of shape (rows,)
        """
        schema, distance, found = self.lists_over(X, rows, y, sample_weight)
        return schema.classes[winners(self._shares(found, distance, found.classes))]

    @fitted
    def predict_proba_over(self, X: MatrixLike, rows: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """The probability of each class for each row, by training rows that are scanned once: see `predict_over`.

        Parameters
        ----------
        X : array or frame
        rows : Source, array or frame
        y, sample_weight : array, optional

        Returns
        -------
        p : array of shape (rows, classes)
        """
        _, distance, found = self.lists_over(X, rows, y, sample_weight)
        return self._shares(found, distance, found.classes)

    def _shares(self, found: Nearest, distance: Distance, classes: int) -> Array:
        """Σ wᵢ [yᵢ = c] / Σ wᵢ."""
        counts, tied = self.votes(found, distance)
        m = len(counts)
        place = found.target.astype(np.int64) + classes * np.arange(m)[:, None]
        sums = tied[:, :-1] + np.bincount(place.ravel(), counts.ravel(), minlength=m * classes).reshape(m, classes)
        total = sums.sum(axis=1, keepdims=True)
        return np.divide(sums, total, out=np.full_like(sums, 1 / max(classes, 1)), where=total > 0)

    def _left_out(self, model: NeighborsModel) -> tuple[Claim, ...]:
        rows, classes, distance = model.rows, model.classes, self.distance(model)
        which = left_out_rows(rows)
        found = lists_without_self(distance, rows, which, self.n_neighbors, classes)
        if found is None:
            return ()
        truth, weight = rows.y[which].astype(np.int64), rows.weight[which]
        wrong = winners(self._shares(found, distance, classes)) != truth
        error = float(weight[wrong].sum() / weight.sum())
        some = "" if len(which) == len(rows) else f" ({len(which):,} of them, spread evenly)"
        claims = [
            Claim("leave-one-out error", error, "estimated",
                  f"share of the training rows{some} that the others predict wrong", "unseen rows",
                  "rows are drawn independently"),
        ]  # fmt: skip
        first = found.cut(min(1.0, self.n_neighbors))
        nearest_wrong = 1 - self._nearest_right(first, truth)
        one = float((weight * nearest_wrong).sum() / weight.sum())
        why = f"what no classifier errs less than, as the nearest other row errs for {one:.4g} of them (Cover and Hart)"
        if classes > 1:
            claims.append(
                Claim("least error", cover_hart_lower(one, classes), "estimated", why, "unseen rows", MANY_ROWS)
            )
        tied = float((found.tied[:, :-1].sum(axis=1) > 0).mean())
        if tied:
            why = f"share of the rows{some} with others as far as the k-th neighbour, which share its place"
            claims.append(Claim("ties", tied, "proved" if not some else "estimated", why, "data"))
        return tuple(claims)

    def _nearest_right(self, first: Nearest, truth: Any) -> Array:
        """The share of the nearest rows of each that have its class."""
        counts, tied = first.shares()
        right = (counts * (first.target == truth[:, None])).sum(axis=1) + tied[np.arange(len(truth)), truth]
        return right / first.wanted
