"""k-means: centres c₁ … c_k that make J = Σ wᵢ min_j |xᵢ - c_j|² small.

Each round summarizes the weight and sum of the rows nearest to each centre; these merge, and their means are the next
centres: J never rises. The first are drawn from a sample that does not depend on the order of rows (`start.py`).
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

from numpy.typing import ArrayLike

from tenfold.cluster.inertia import inertia_claims
from tenfold.cluster.initial_centers import Asked, FirstCenters
from tenfold.cluster.kmeans_states import (
    KMeansModel,
    MeasuringAround,
    Moving,
    Refilling,
    State,
    Summary,
    next_round,
    refilled,
)
from tenfold.cluster.lloyd_round import FarthestRows, Lloyd, NearestSums
from tenfold.cluster.nearest_center import NearestCenter
from tenfold.core import MANY, Claim, Need, Schema
from tenfold.core.learner import Done
from tenfold.estimator.shell.constraints import array, choice, integer, real, seed
from tenfold.estimator.shell.keyword_decisions import copied, ignored_verbose, no_function, not_random, same_clusters
from tenfold.estimator.updating.continuing import Continues
from tenfold.stats.rows.weighted_sample import Race


class KMeans(Continues, NearestCenter):
    """k-means by Lloyd's rounds, exact in each pass.

    The start is greedy k-means++ over a weighted sample of rows; it depends on the rows and the seed, not
    on their order, and a row of weight 2 is the same as two rows. Fewer rows than clusters are an error; with fewer
    distinct rows there is a ConvergenceWarning, and there are fewer centres.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters, and centres, to find.
    init : "k-means++", "k-means||" or array of shape (clusters, columns)
        How to start: from a sample of the rows that one pass draws; from rows that several passes draw, each far from
        those before it; or from given centres.
    max_iter : int, default=300
        Maximum number of rounds.
    tol : float, default=1e-4
        Stop when the squared movement of the centres is at most this share of the mean variance.
    random_state : int, default=0
        Seed of the start. None draws one, and the certificate records it.
    n_init : int or "auto", default="auto"
        Number of starts that are run to convergence on a sample; the best one continues on all rows. If the sample has
        every distinct row (up to 4,096), these are whole fits. "auto" compares three after few rounds; 1 compares none.
    verbose, copy_x, algorithm : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    cluster_centers_ : array of shape (clusters, columns)
    inertia_, bound_ : float
        J at the centres, and what no centres go below; 0 if that is not known.
    labels_ : array
        Cluster of each row, if the rows were in memory.
    n_iter_ : int
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import KMeans
    >>> model = KMeans(n_clusters=2).fit([[0.0], [1.0], [9.0], [10.0]])
    >>> sorted(model.cluster_centers_.ravel().tolist())
    [0.5, 9.5]
    """

    passes = MANY
    remembers: ClassVar[bool] = False  # centres go to the means of the new rows
    kept_parameters: ClassVar[tuple[str, ...]] = ("n_clusters",)
    need = Need("numeric", sparse=True)
    bounds: ClassVar[bool] = True
    """whether a pass is spent on what no centres go below"""
    law_params = ({"n_clusters": 3}, {"n_clusters": 2, "max_iter": 2}, {"n_clusters": 3, "init": "k-means||"})

    n_clusters: Annotated[int, integer(1)] = 8
    init: Annotated[str | ArrayLike, choice("k-means++", "k-means||"), array, not_random, no_function] = "k-means++"
    max_iter: Annotated[int, integer(1)] = 300
    tol: Annotated[float, real(0)] = 1e-4
    random_state: Annotated[int | None, seed] = 0
    n_init: Annotated[int | str, integer(1), choice("auto")] = "auto"
    _: KW_ONLY
    verbose: Annotated[int, ignored_verbose] = 0
    copy_x: Annotated[bool, copied] = True
    algorithm: Annotated[str, same_clusters] = "lloyd"

    @property
    def _first(self) -> FirstCenters:
        restarts = None if isinstance(self.n_init, str) else int(self.n_init)
        return FirstCenters(self.n_clusters, self.init, self.tol, self.random_state, self.bounds, restarts)

    def start(self, schema: Schema) -> State:
        """Before the first centres, unless they were given."""
        return self._first.start(schema)

    def again(self, model: KMeansModel, schema: Schema) -> MeasuringAround:
        """Before the first round from the centres of a model."""
        return MeasuringAround(0, model.cluster_centers)

    def ask(self, state: State) -> NearestSums | FarthestRows | Asked | None:
        """Ask for the sample of the initial centres, then in each round for the sums of the rows nearest to each
        centre."""
        match state:
            case Moving():
                return NearestSums(state.centers)
            case Refilling():
                return FarthestRows(state.empty, state.centers)
            case Done():
                return None
        return self._first.ask(state)

    def update(self, state: State, s: Summary) -> State:
        """Advance to the initial centres, then to the means of their rows until they converge."""
        match state, s:
            case Moving(), Lloyd():
                return next_round(state, s)
            case Refilling(), Race():
                return refilled(state, s)
        return self._first.update(state, s)

    def model(self, state: State) -> KMeansModel | None:
        if isinstance(state, Done):
            return state.model
        return state.model if isinstance(state, Moving) else None

    def certify(self, model: KMeansModel, s: Summary) -> tuple[Claim, ...] | None:
        """J at these centres, what the next round would save, and what any centres could."""
        return inertia_claims(model, s, self.n_clusters)
