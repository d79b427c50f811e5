"""How k-means comes to its first centres: given ones, or greedy k-means++ over a sample of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tenfold.cluster.inertia import bounded, lower_bound
from tenfold.cluster.kmeans_states import (
    Bounding,
    Measuring,
    MeasuringAround,
    Moving,
    Oversampling,
    SamplingSeeds,
    Start,
    State,
    Summary,
)
from tenfold.cluster.lloyd_round import Lloyd, NearestSums
from tenfold.cluster.row_sample import BucketSpread, FarSample, SpreadAndMass, StartSample
from tenfold.compiled.neighbors.lloyd_rounds import settle
from tenfold.compiled.neighbors.seeding import greedy_seeds
from tenfold.core import Array, Schema
from tenfold.stats.moments.moments import Comoments, Moments
from tenfold.stats.rows.weighted_sample import Race

RESTARTS = 3
"""starts over the sample that are compared after few rounds"""
OVERSAMPLING_ROUNDS = 4
"""of k-means||: how often rows far from all candidates join them, two for each cluster"""
MAX_SAMPLE_ROUNDS = 100
"""rounds over the sample before the first over all rows"""


Asked: TypeAlias = SpreadAndMass | StartSample | FarSample | NearestSums | Comoments


@dataclass(frozen=True)
class FirstCenters:
    """The rounds before Lloyd's: how rows spread, a sample of them, and how low the inertia could go."""

    n_clusters: int
    init: str | ArrayLike
    tol: float
    seed: int | None
    bounds: bool = True
    """whether to measure how low the inertia could go"""
    restarts: int | None = None
    """starts that are run to convergence on the sample, of which the best is kept; None: a few, compared early"""

    def start(self, schema: Schema) -> Start | Moving:
        """Given centres need not be drawn; and without a tolerance, rows need not be measured."""
        if isinstance(self.init, str):
            return Measuring(0)
        centers = self._given_centers()
        if not np.isfinite(centers).all():
            raise ValueError("init contains NaN or infinity")
        want = (self.n_clusters, len(schema.columns))
        if centers.shape != want:
            raise ValueError(f"init has shape {centers.shape}, but n_clusters and the columns make {want}")
        return Measuring(0) if self.tol else self._bounding(centers, 0.0)

    def _given_centers(self) -> Array:
        return np.array(self.init, dtype=np.float64)

    def ask(self, state: Start) -> Asked:
        """Ask for a sample of the rows, then for the distances to candidate centres."""
        match state:
            case Measuring() | MeasuringAround():
                return SpreadAndMass(self.seed)
            case SamplingSeeds():
                return StartSample.of(max(4096, 32 * self.n_clusters), self.seed, state.spread)
            case Oversampling() if state.drawn < OVERSAMPLING_ROUNDS:
                spread = state.spread
                squares, mass = spread.square / spread.weight, spread.mass / spread.weight
                return FarSample(2 * self.n_clusters, self.seed, state.drawn, squares, mass, state.candidates)
            case Oversampling():
                return NearestSums(state.candidates)
        return Comoments(target=False)

    def update(self, state: State, s: Summary) -> Start | Moving:
        """Advance to initial centres, and to the bound on their inertia."""
        if isinstance(s, BucketSpread):
            s.refuse_small()
        match state, s:
            case Measuring(), BucketSpread() if isinstance(self.init, str) and self.init == "k-means||":
                return Oversampling(0, s, s.columns.mean[None], 0)
            case Measuring(), BucketSpread() if isinstance(self.init, str):
                return SamplingSeeds(0, s)
            case Oversampling(), Race():
                return state._replace(candidates=np.vstack([state.candidates, s.row]), drawn=state.drawn + 1)
            case Oversampling(), Lloyd():
                some = s.weight > 0
                centers = best_seeds(s.means()[some], s.weight[some], self.n_clusters, self.seed, False, self.restarts)
                return self._bounding(centers, self._tolerance(state.spread))
            case Measuring(), BucketSpread():
                return self._bounding(self._given_centers(), self._tolerance(s))
            case MeasuringAround(), BucketSpread():
                return self._bounding(state.centers, self._tolerance(s))
            case SamplingSeeds(), Race():
                centers = best_seeds(*s.sample(), self.n_clusters, self.seed, s.complete, self.restarts)
                return self._bounding(centers, self._tolerance(state.spread))
            case Bounding(), Moments():
                return Moving(0, state.centers, state.tolerance, lower_bound(s.comoment, self.n_clusters))
        raise TypeError(f"{type(s).__name__} does not belong to the state {type(state).__name__}")

    def _bounding(self, centers: Array, tolerance: float) -> Bounding | Moving:
        """A bound is measured if there is any."""
        if self.bounds and bounded(self.n_clusters, centers.shape[1]):
            return Bounding(0, centers, tolerance)
        return Moving(0, centers, tolerance, 0.0)

    def _tolerance(self, s: BucketSpread) -> float:
        """Tolerance relative to the mean variance of the columns."""
        return self.tol * s.square / (s.weight * len(s.columns.mean))


def best_seeds(
    rows: Array, weight: Array, n_clusters: int, seed: int | None, complete: bool, restarts: int | None = None
) -> Array:
    """The best of a few greedy k-means++ starts over weighted rows, settled on them.

    If they are `complete`, all there are, settling is what k-means does, only cheaper here. Of so many `restarts` each
    settles before they are compared; without a number, a few starts are compared after few rounds.
    """
    random = np.random.default_rng(seed)
    with np.errstate(over="ignore"):
        middle = weight @ rows / weight.sum()
    if not np.isfinite(middle).all():  # a heavy row of very large numbers
        middle = (weight / weight.sum()) @ rows
    rows = rows - middle
    rows.flags.writeable = False
    columns = np.ascontiguousarray(rows.T)
    trials = 2 + int(math.log(n_clusters))
    best, least = rows[:1].copy(), math.inf
    for _ in range(restarts or RESTARTS):
        chosen = greedy_seeds(columns, weight, random.random((n_clusters, trials)))
        centers = rows[chosen]
        most, little = (MAX_SAMPLE_ROUNDS, 1e-7 if complete else 1e-3) if restarts else (3, 1e-3)
        inertia = settle(rows, weight, centers, most, little)  # too large to be squared: refused when all are read
        if inertia < least:
            best, least = centers, inertia
    settle(rows, weight, best, MAX_SAMPLE_ROUNDS, 1e-7 if complete else 1e-3)
    return best + middle
