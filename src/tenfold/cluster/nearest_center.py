"""Clusters that are the rows nearest to centres."""

from __future__ import annotations

from tenfold.cluster.lloyd import Lloyd, labels
from tenfold.cluster.states import KMeansModel
from tenfold.core import Codes, Columns, Schema
from tenfold.estimator import Clusterer


class NearestCenter(Clusterer):
    """Brings how a model with `cluster_centers` is applied; its certificate has a claim of the inertia."""

    def label_from(self, model: KMeansModel, X: Columns) -> Codes:
        """The nearest centre."""
        return labels(X, model.cluster_centers)

    def sound(self, model: KMeansModel, summary: Lloyd | None, schema: Schema) -> bool:
        """Whether there is a centre to be nearest."""
        return len(model.cluster_centers) > 0

    @property
    def inertia_(self) -> float:
        """Sum of squared distances to the nearest centre."""
        claim = self.certificate_.get("inertia")
        if claim is None:
            name = type(self).__name__
            raise AttributeError(f"{name!r} object has no attribute 'inertia_': the certificate of its file lacks it")
        return claim.value
