"""Clusters that are the rows nearest to centres."""

from __future__ import annotations

from typing import Any

from tenfold.cluster.lloyd_round import Lloyd, all_distances, distances, labels
from tenfold.core import Array, Codes, Columns, Schema
from tenfold.core.arrays import MatrixLike, VectorLike
from tenfold.estimator import Clusterer, Transformer, fitted


class NearestCenter(Clusterer, Transformer):
    """Brings how a model with `cluster_centers` is applied; its certificate has a claim of the inertia."""

    mixes_columns = True

    def label_from(self, model: Any, X: Columns) -> Codes:
        """The number of the centre nearest to each row."""
        return labels(X, model.cluster_centers)

    def transform_from(self, model: Any, X: Columns) -> Array:
        """The distance of each row to each centre."""
        return all_distances(X, model.cluster_centers)

    def names_out(self, names: list[str]) -> list[str]:
        return [f"{type(self).__name__.lower()}{k}" for k in range(len(self.model_.cluster_centers))]

    @fitted
    def score(self, X: MatrixLike, y: VectorLike = None, sample_weight: VectorLike = None) -> float:
        """Less the inertia of these rows: the sum of squared distances to the nearest centre.

        Parameters
        ----------
        X : array, CSR matrix, frame or Source
            A Source brings its own weights.
        y : None
            Not used.
        sample_weight : array, optional

        Returns
        -------
        score : float
        """
        _, found, weight = self._compare(X, None, sample_weight, _squares)
        return -float(weight @ found)

    def is_valid(self, model: Any, summary: Lloyd | None, schema: Schema) -> bool:
        return len(model.cluster_centers) > 0

    @property
    @fitted
    def inertia_(self) -> float:
        """Sum of squared distances to the nearest centre."""
        claim = self.certificate_.get("inertia")
        if claim is None:
            name = type(self).__name__
            raise AttributeError(f"{name!r} object has no attribute 'inertia_': the certificate of its file lacks it")
        return claim.value


def _squares(learner: NearestCenter, model: Any, X: Columns) -> Array:
    return distances(X, model.cluster_centers)
