"""The silhouette of clusters with squared distances, exact, by two scans of sums that merge.

The mean squared distance of a row to all rows of a cluster is |x - μ|² + v, where μ is their mean and v their mean
squared distance from it. So no pair of rows is looked at: one scan finds weight, mean and v of each cluster, and
another adds up (b - a) / max(a, b), where a is the mean distance to the others of the own cluster, b to the nearest
other one.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from tenfold.cluster.lloyd_round import all_distances
from tenfold.core import Array, Chunk, Codes, DataError, MatrixLike, Mergeable
from tenfold.core.field_values import NOT_NEGATIVE
from tenfold.core.statistic import Statistic
from tenfold.core.value import ByIdentity
from tenfold.engine import current, opened
from tenfold.estimator import Clusterer, as_fitted, check_is_fitted
from tenfold.mixture.gaussian_mixture import GaussianMixture
from tenfold.sources.inputs import as_source
from tenfold.stats.combinators import As, View
from tenfold.stats.moments.spread import ClassSpread

HISTOGRAM_BINS = 400
"""of silhouettes from -1 to 1"""


class Silhouettes(Mergeable):
    """Silhouettes of rows by cluster: their weight in narrow bins, and their sum."""

    weight: Annotated[Array, "cluster", "bin", NOT_NEGATIVE]
    total: Annotated[Array, "cluster"]

    @property
    def score(self) -> float:
        """Mean silhouette over all rows."""
        return float(self.total.sum() / self.weight.sum())

    def by_cluster(self) -> Array:
        """The mean of each cluster, 0 without rows."""
        rows = self.weight.sum(axis=1)
        found: Array = np.divide(self.total, rows, out=np.zeros_like(rows), where=rows > 0)
        return found


class ClusterSpread(Statistic[ClassSpread]):
    """Weight, mean and squares of the rows of each cluster that a model names."""

    learner: ByIdentity
    clusters: int

    def summarize(self, chunk: Chunk) -> ClassSpread:
        return ClassSpread.of(chunk._replace(y=_labels(self.learner, chunk)), self.clusters)


class SilhouetteSums(Statistic[Silhouettes]):
    """Silhouettes of rows, by clusters of known weight, mean and spread."""

    learner: ByIdentity
    weight: Array
    mean: Array
    spread: Array
    """mean squared distance of a cluster's rows from their mean"""

    def summarize(self, chunk: Chunk) -> Silhouettes:
        label, clusters = _labels(self.learner, chunk), len(self.weight)
        away = all_distances(chunk.X, self.mean) ** 2 + self.spread
        away[:, self.weight <= 0] = np.inf
        rows = np.arange(chunk.n)
        heft = self.weight[label]
        own = away[rows, label] * heft / np.maximum(heft - 1.0, 1e-300)  # without the row itself
        away[rows, label] = np.inf
        other = away.min(axis=1, initial=np.inf)
        larger = np.maximum(own, other)
        alone = (heft <= 1.0) | (larger <= 0.0) | ~np.isfinite(other)
        found = np.where(alone, 0.0, other - own) / np.where(alone, 1.0, larger)
        place = np.minimum(((found + 1.0) * (HISTOGRAM_BINS / 2)).astype(np.int64), HISTOGRAM_BINS - 1)
        weight = np.bincount(label * HISTOGRAM_BINS + place, chunk.weight, clusters * HISTOGRAM_BINS).astype(np.float64)
        total = np.bincount(label, chunk.weight * found, clusters).astype(np.float64)
        return Silhouettes(weight.reshape(clusters, HISTOGRAM_BINS), total)


def silhouettes(model: Any, X: MatrixLike, sample_weight: ArrayLike | None = None) -> Silhouettes:
    """Silhouettes of rows in the clusters of a fitted model, with squared Euclidean distances."""
    if not isinstance(model, (Clusterer, GaussianMixture)):
        raise TypeError(f"{type(model).__name__} has no clusters. Remedy: KMeans or GaussianMixture of tenfold, fitted")
    check_is_fitted(model)
    model = as_fitted(model)
    source = as_source(X, None, sample_weight, model.need, model=model, reset=False)
    learner, view = ByIdentity(model._bare()), View(model.need, model.schema_)
    count = len(model.cluster_centers_ if isinstance(model, Clusterer) else model.weights_)
    with opened(current(), source) as session:
        s = session.answer(As(view, ClusterSpread(learner, count))).summary
        if np.count_nonzero(s.weight) < 2:
            raise DataError("these rows are all in one cluster: a silhouette needs at least two. Remedy: more clusters")
        spread = np.divide(s.square.sum(axis=1), s.weight, out=np.zeros(count), where=s.weight > 0)
        found: Silhouettes = session.answer(As(view, SilhouetteSums(learner, s.weight, s.mean, spread))).summary
    return found


def _labels(learner: ByIdentity, chunk: Chunk) -> Codes:
    """Cluster label of each row."""
    found: Codes = learner.it.label_from(learner.it.model_, chunk.X)
    return found
