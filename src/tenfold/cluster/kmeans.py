"""k-means: centres c₁ … c_k that make J = Σ wᵢ min_j |xᵢ - c_j|² small.

Each round summarizes the weight and sum of the rows nearest to each centre; these merge, and their
means are the next centres: J never rises. The start is drawn from a sample of the rows that does not
depend on their order (`stats/race.py`), in two scans however many centres there are.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import scipy.linalg as sla

from tenfold.cluster.starting import FarthestRows, Spread, SpreadAndMass, StartSample, start_from
from tenfold.core import MANY, Array, Claim, Codes, Columns, Need, Schema
from tenfold.core.allowed import OneOf
from tenfold.core.statistic import Statistic
from tenfold.estimator import Clusterer
from tenfold.estimator.constraints import array, choice, integer, real, seed
from tenfold.stats.lloyd import Lloyd, NearestSums, labels
from tenfold.stats.moments import Comoments, Moments
from tenfold.stats.race import Race

WIDE = 256
"""with more columns no lower bound is computed: it needs all their co-moments"""


class KMeansState(NamedTuple):
    """Centres, and what the phases before them found."""

    step: int
    phase: Annotated[str, OneOf("spread", "scatter", "race", "lloyd", "refill")]
    cluster_centers: Annotated[Array, "cluster", "column"]
    done: bool
    tolerance: float
    mean: Annotated[Array, "column"]
    squares: float
    """Σ w |x - mean|²"""
    mass: Annotated[Array, "bucket"]
    bound: float
    """no k centres have less inertia than this"""
    empty: int
    """how many centres, the last ones, have no rows and are to be placed anew"""


class KMeans(Clusterer):
    """k-means by Lloyd's rounds, exact in each pass.

    The start is greedy k-means++ over a weighted sample of rows; it depends on the rows and the seed, not
    on their order, and a row of weight 2 is the same as two rows. Fewer rows than clusters are an error; with fewer
    distinct rows there is a ConvergenceWarning, and there are fewer centres.

    Parameters
    ----------
    n_clusters : int, default=8
    init : "k-means++" or array of shape (clusters, columns)
        How to start.
    max_iter : int, default=300
        Rounds at the most.
    tol : float, default=1e-4
        Stop when the squared movement of the centres is at most this share of the mean variance.
    random_state : int, default=0
        Seed of the start. None draws one, and the certificate records it.

    Attributes
    ----------
    cluster_centers_ : array of shape (clusters, columns)
    inertia_ : float
        J at the centres.
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
    >>> model.inertia_
    1.0
    """

    passes = MANY
    need = Need("numeric", sparse=True)
    model_type = KMeansState
    summary_types = (Spread, Moments, Race, Lloyd)
    steering = frozenset({"step", "phase", "done", "tolerance", "mean", "squares", "mass", "bound", "empty"})
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"n_clusters": 3},
        {"n_clusters": 2, "max_iter": 2},
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [integer(1)],
        "init": [choice("k-means++"), array],
        "max_iter": [integer(1)],
        "tol": [real(0)],
        "random_state": [seed],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        init: Any = "k-means++",
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: int | None = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def start(self, schema: Schema) -> KMeansState:
        """Given centres, or none yet."""
        p = len(schema.columns)
        centers = np.zeros((0, p))
        if not isinstance(self.init, str):
            centers = np.array(self.init, dtype=np.float64)
            if not np.isfinite(centers).all():
                raise ValueError("init contains NaN or infinity")
            if centers.shape != (self.n_clusters, p):
                raise ValueError(
                    f"init has shape {centers.shape}, but n_clusters and the columns make ({self.n_clusters}, {p})"
                )
        skip = len(centers) and not self.tol
        state = KMeansState(0, "spread", centers, False, 0.0, np.zeros(p), 0.0, np.zeros(0), 0.0, 0)
        return state._replace(phase=self._after_spread(state)) if skip else state

    def _after_spread(self, state: KMeansState) -> str:
        if self.n_clusters <= min(WIDE, len(state.mean)):
            return "scatter"
        return self._after_scatter(state)

    def _after_scatter(self, state: KMeansState) -> str:
        return "lloyd" if len(state.cluster_centers) else "race"

    def ask(self, state: KMeansState) -> Statistic[Any] | None:
        """What the start needs; then the sums of the rows nearest to each centre, in one round after another."""
        if state.done:
            return None
        match state.phase:
            case "spread":
                return SpreadAndMass(self.random_state)
            case "scatter":
                return Comoments(target=False)
            case "race":
                most = max(4096, 32 * self.n_clusters)
                return StartSample(most, self.random_state, state.squares, state.mean, state.mass)
            case "refill":
                return FarthestRows(state.empty, state.cluster_centers)
        return NearestSums(state.cluster_centers)

    def update(self, state: KMeansState, s: Any) -> KMeansState:
        """To the next phase, or the centres to the means of their rows."""
        if isinstance(s, Spread):
            total, squares = float(s.columns.weight.max()), float(s.columns.square.sum())
            return state._replace(
                phase=self._after_spread(state),
                tolerance=self.tol * squares / (total * len(state.mean)),
                mean=s.columns.mean,
                squares=squares / total,
                mass=s.mass / total,
            )
        if isinstance(s, Moments):
            values = sla.eigvalsh(s.comoment)
            rest = values[: len(values) - self.n_clusters + 1].sum() - 1e-12 * values.sum()
            return state._replace(phase=self._after_scatter(state), bound=max(float(rest), 0.0))
        if isinstance(s, Race) and state.empty:
            centers = state.cluster_centers.copy()
            centers[len(centers) - state.empty :][: len(s.row)] = s.row[: state.empty]
            return state._replace(phase="lloyd", step=state.step + 1, cluster_centers=centers, empty=0)
        if isinstance(s, Race):
            rows, weight = s.sample()
            centers = start_from(rows, weight, self.n_clusters, self.random_state, s.complete)
            return state._replace(phase="lloyd", cluster_centers=centers, mass=np.zeros(0))
        centers = s.means()
        empty = int((s.weight == 0).sum())
        if empty and s.inertia > 0:
            centers = centers[np.argsort(s.weight == 0, kind="stable")]
            return state._replace(phase="refill", cluster_centers=centers, empty=empty)
        moved = float(((centers - state.cluster_centers) ** 2).sum())
        if moved <= state.tolerance:
            return state._replace(done=True)
        return state._replace(step=state.step + 1, cluster_centers=centers)

    def certify(self, state: KMeansState, s: Any) -> tuple[Claim, ...] | None:
        """J at these centres, what the next round would save, and what any centres could."""
        if not isinstance(s, Lloyd) or not np.array_equal(s.centers, state.cluster_centers):
            return None
        moved = ((s.means() - s.centers) ** 2).sum(axis=1)
        saves = float(s.weight @ moved)
        could = (s.inertia - state.bound) / s.inertia if s.inertia > 0 else 0.0
        why = f"no {len(s.weight)} centres go below {state.bound:.6g}: the scatter's least eigenvalues"
        if not state.bound and s.inertia > 0:
            why = "vacuous: as many clusters as columns, or too many columns, so no bound is known"
        near = "summed over all rows in float64, each with the centre found nearest in its own float type"
        claims: tuple[Claim, ...] = (
            Claim("inertia", s.inertia, "estimated", near, "objective", "rounding errors of the usual size"),
            Claim("gap", max(could, 0.0), "proved", why, "objective"),
            Claim("next round saves", saves, "proved", "centres against their means", "objective"),
        )
        if self.found(s) < self.n_clusters:
            why = f"only so many clusters, not {self.n_clusters}: there are no more distinct rows"
            claims += (Claim("clusters", float(self.found(s)), "estimated", why, "data"),)
        return claims

    def found(self, summary: Lloyd) -> int:
        """How many centres have rows."""
        return int((summary.weight > 0).sum())

    def label_from(self, state: KMeansState, X: Columns) -> Codes:
        """The nearest centre."""
        return labels(X, state.cluster_centers)

    def sound(self, state: KMeansState, summary: Any, schema: Schema) -> bool:
        """Whether there is a centre to be nearest."""
        return len(state.cluster_centers) > 0

    @property
    def inertia_(self) -> float:
        """Sum of squared distances to the nearest centre."""
        claim = self.certificate_.get("inertia")
        if claim is None:
            raise AttributeError("'KMeans' object has no attribute 'inertia_': the certificate of its file lacks it")
        return claim.value

    @property
    def n_iter_(self) -> int:
        """Rounds that moved the centres, at least 1."""
        return max(self.model_.step, 1)
