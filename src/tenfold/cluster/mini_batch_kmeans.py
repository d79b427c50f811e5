"""Mini-batch k-means: after every few rows each centre moves to the mean of all rows that it has met so far.

A batch is summarized as a round of k-means is, by weight and sum of the rows nearest to each centre. But the centres of
the next batch follow from it, so batches come one after another, and two models do not merge.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tenfold.cluster.inertia import inertia_claims
from tenfold.cluster.initial_centers import FirstCenters
from tenfold.cluster.kmeans_states import KMeansModel, Measuring, Moving, Oversampling, SamplingSeeds
from tenfold.cluster.lloyd_round import Lloyd, NearestSums
from tenfold.cluster.nearest_center import NearestCenter
from tenfold.cluster.row_sample import BucketSpread
from tenfold.core import Array, Chunk, Claim, Columns, Need, Remedy, Schema
from tenfold.core.field_values import NOT_NAN, NOT_NEGATIVE
from tenfold.core.learner import Done
from tenfold.core.statistic import Expression, Ordered
from tenfold.estimator.epochs import FinalPass, TrainedByEpochs
from tenfold.estimator.shell.constraints import array, boolean, choice, integer, real, seed
from tenfold.estimator.shell.keyword_decisions import COUNT_OR_NONE, FLAG, ignored_verbose, no_function, not_random
from tenfold.estimator.shell.keywords import NoEffect, Refused
from tenfold.estimator.updating.continuing import Continues
from tenfold.stats.rows.weighted_sample import Race

SAID = ("inertia", "next round saves")
"""claims of k-means that hold for mini-batches: empty clusters are not reported, since later rows may fill them"""


class MiniBatchModel(NamedTuple):
    """The centres, and the weight of the rows that each has met: where batches go on, if more rows come."""

    cluster_centers: Annotated[Array, "cluster", "column"]
    counts: Annotated[Array, "cluster", NOT_NEGATIVE]
    n_iter: int


class Batching(NamedTuple):
    """The state of a fit that has centres, and moves them batch after batch over all rows."""

    step: int
    centers: Annotated[Array, "cluster", "column"]
    counts: Annotated[Array, "cluster", NOT_NEGATIVE]
    left: int
    """epochs that may still come"""
    before: Annotated[float, NOT_NAN]
    """mean squared distance in the last epoch; infinite if there was none"""


@dataclass(frozen=True, eq=False)
class BatchesSummary:
    """Where some batches have led."""

    centers: Annotated[Array, "cluster", "column"]
    counts: Annotated[Array, "cluster", NOT_NEGATIVE]
    inertia: Annotated[float, NOT_NEGATIVE]
    """of each row to the centres of its batch"""
    mass: Annotated[float, NOT_NEGATIVE]


State: TypeAlias = Measuring | SamplingSeeds | Oversampling | Batching | FinalPass[MiniBatchModel] | Done
Summary: TypeAlias = BucketSpread | Race | Lloyd | BatchesSummary


class Batches(Ordered[BatchesSummary]):
    """Each centre at the mean of the rows that it has met, batch after batch."""

    centers: Array
    counts: Array
    size: int

    def window(self, X: Columns) -> int:
        return self.size

    def step(self, summary: BatchesSummary | None, chunk: Chunk) -> BatchesSummary:
        so_far = BatchesSummary(self.centers, self.counts, 0.0, 0.0) if summary is None else summary
        if not chunk.n:
            return so_far
        found = Lloyd.of(chunk, so_far.centers)
        counts = so_far.counts + found.weight
        moved = np.divide(found.total, counts[:, None], out=np.zeros_like(found.total), where=counts[:, None] > 0)
        inertia, mass = so_far.inertia + found.inertia, so_far.mass + chunk.total
        return BatchesSummary(so_far.centers + moved, counts, inertia, mass)


labels_when_read = NoEffect("`labels_` are computed when they are read", FLAG)
ends_by_tol = NoEffect("a fit ends by `tol` or `max_iter`", (integer(0), None))
own_sample = NoEffect("`init` draws from a sample of its own size", COUNT_OR_NONE)
not_reassigned = Refused("no centre is drawn again", Remedy("tn.KMeans()"), (0.01, 0.0))


class MiniBatchKMeans(Continues, TrainedByEpochs[State, Summary, MiniBatchModel], NearestCenter):  # type: ignore[override]
    """k-means by mini-batches; sequential.

    Each batch moves the centres nearest to its rows to the mean of all rows that they have met, so a walk over the
    rows is worth several of Lloyd's rounds; `KMeans` comes closer to the optimum in the end. The start is that of
    `KMeans`. `partial_fit` goes on with more rows.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters, and centres, to find.
    init : "k-means++", "k-means||" or array of shape (clusters, columns)
        How to start.
    max_iter : int, default=100
        Walks over all rows at most.
    batch_size : int, default=1024
        Rows after which the centres move.
    tol : float, default=1e-4
        Stop when a walk lowers the mean squared distance of its batches by at most this share.
    shuffle : bool, default=True
        Whether to take parts in another order in each walk; if not, as they come.
    random_state : int, default=0
        Seed of the start and of the order. None draws one, and the certificate records it.
    n_init : int or "auto", default="auto"
        Number of starts that are run to convergence on a sample of the rows; the best one is used. "auto" compares
        three after few rounds; 1 compares none.
    reassignment_ratio : optional
        As in scikit-learn; other values raise an error that names an alternative.
    verbose, compute_labels, max_no_improvement, init_size : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    cluster_centers_ : array of shape (clusters, columns)
    counts_ : array of shape (clusters,)
        The weight of the rows that each centre has met, in all walks.
    inertia_ : float
        Sum of squared distances to the nearest centre.
    labels_ : array
        Cluster of each row, if the rows were in memory.
    n_iter_ : int
        Walks over all rows.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import MiniBatchKMeans
    >>> model = MiniBatchKMeans(n_clusters=2).fit([[0.0], [1.0], [9.0], [10.0]])
    >>> sorted(model.cluster_centers_.ravel().tolist())
    [0.5, 9.5]
    """

    need = Need("numeric", sparse=True)
    kept_parameters: ClassVar[tuple[str, ...]] = ("n_clusters",)
    mixing = False
    expected_failed_checks: ClassVar[dict[str, str]] = {}
    law_params = ({"n_clusters": 3, "batch_size": 5}, {"n_clusters": 2, "shuffle": False, "max_iter": 2})

    n_clusters: Annotated[int, integer(1)] = 8
    _: KW_ONLY
    init: Annotated[str | ArrayLike, choice("k-means++", "k-means||"), array, not_random, no_function] = "k-means++"
    max_iter: Annotated[int, integer(1)] = 100
    batch_size: Annotated[int, integer(1)] = 1024
    tol: Annotated[float, real(0)] = 1e-4
    shuffle: Annotated[bool, boolean] = True
    random_state: Annotated[int | None, seed] = 0
    n_init: Annotated[int | str, integer(1), choice("auto")] = "auto"
    verbose: Annotated[int, ignored_verbose] = 0
    compute_labels: Annotated[bool, labels_when_read] = True
    max_no_improvement: Annotated[int | None, ends_by_tol] = 10
    init_size: Annotated[int | None, own_sample] = None
    reassignment_ratio: Annotated[float, not_reassigned] = 0.01

    @property
    def _first(self) -> FirstCenters:
        restarts = None if isinstance(self.n_init, str) else int(self.n_init)
        return FirstCenters(self.n_clusters, self.init, 0.0, self.random_state, False, restarts)

    def start(self, schema: Schema) -> State:
        """Before the first centres, unless they were given."""
        return self._begun(self._first.start(schema))

    def _begun(self, state: object) -> State:
        """From the first centres on, batches."""
        if isinstance(state, Moving):
            return Batching(0, state.centers, np.zeros(len(state.centers)), self.max_iter, np.inf)
        assert isinstance(state, Measuring | SamplingSeeds | Oversampling)
        return state

    def onward(self, model: MiniBatchModel) -> Batching:
        return Batching(model.n_iter, model.cluster_centers, model.counts, 1, np.inf)

    def again(self, model: MiniBatchModel, schema: Schema) -> Batching:
        """Batches, from the centres of a model."""
        return Batching(0, model.cluster_centers, np.zeros(len(model.counts)), self.max_iter, np.inf)

    def ask(self, state: State) -> Expression | None:
        """What the first centres need; batches; then the inertia of the centres."""
        match state:
            case Batching():
                return Batches(state.centers, state.counts, self.batch_size, order=self.order(state) or 0)
            case Measuring() | SamplingSeeds() | Oversampling():
                return self._first.ask(state)
        return super().ask(state)

    def _final_pass(self, model: MiniBatchModel) -> NearestSums:
        return NearestSums(model.cluster_centers)

    def update(self, state: State, s: Summary) -> State:
        """To the first centres; then from epoch to epoch, till they hardly gain."""
        match state, s:
            case Batching(), BatchesSummary():
                return self._batched(state, s)
            case ((Measuring() | SamplingSeeds() | Oversampling()), (BucketSpread() | Race() | Lloyd())):
                return self._begun(self._first.update(state, s))
        return super().update(state, s)

    def _batched(self, state: Batching, s: BatchesSummary) -> Batching | FinalPass[MiniBatchModel]:
        """The state one epoch further."""
        step, mean = state.step + 1, s.inertia / s.mass
        if state.left <= 1 or mean >= state.before * (1 - self.tol):
            return FinalPass.of(MiniBatchModel(s.centers, s.counts, step), step)
        return Batching(step, s.centers, s.counts, state.left - 1, mean)

    def model(self, state: State) -> MiniBatchModel | None:
        match state:
            case Batching():
                return MiniBatchModel(state.centers, state.counts, max(state.step, 1))
            case FinalPass():  # what it certifies does not depend on the summary of an epoch
                return state.model
        return super().model(state)

    def certify(self, model: MiniBatchModel, s: Summary) -> tuple[Claim, ...] | None:
        """J at these centres, and what a round of k-means would save."""
        if not isinstance(s, Lloyd):
            return None
        claims = inertia_claims(KMeansModel(model.cluster_centers, model.n_iter, 0.0), s, self.n_clusters)
        return None if claims is None else (*(c for c in claims if c.kind in SAID), self.mixed())

    def _clusters_found(self) -> int:
        """How many centres have met rows, in all walks."""
        return int(np.count_nonzero(self.model_.counts))
