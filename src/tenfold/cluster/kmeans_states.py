"""States of a k-means fit, its model, and the steps between Lloyd's rounds.

The type of the state determines the statistic of the next pass.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np

from tenfold.cluster.lloyd_round import Lloyd
from tenfold.cluster.row_sample import BucketSpread
from tenfold.core import Array
from tenfold.core.learner import Done
from tenfold.stats.moments.moments import Moments
from tenfold.stats.rows.weighted_sample import Race


class KMeansModel(NamedTuple):
    """The centres, and how low the inertia of any could go."""

    cluster_centers: Annotated[Array, "cluster", "column"]
    n_iter: int
    bound: float


class Measuring(NamedTuple):
    """The initial state: the spread of the rows is measured."""

    step: int


class MeasuringAround(NamedTuple):
    """The state of a fit that continues from centres: the spread of its rows is measured."""

    step: int
    centers: Annotated[Array, "cluster", "column"]


class SamplingSeeds(NamedTuple):
    """No centres yet: they are drawn from a sample of the rows."""

    step: int
    spread: BucketSpread


class Oversampling(NamedTuple):
    """k-means||: there are candidates for centres, and rows far from all of them are drawn to join them."""

    step: int
    spread: BucketSpread
    candidates: Annotated[Array, "candidate", "column"]
    drawn: int
    """how often rows were drawn"""


class Bounding(NamedTuple):
    """The state with initial centres, in which a lower bound on the inertia is computed."""

    step: int
    centers: Annotated[Array, "cluster", "column"]
    tolerance: float
    """squared movement of the centres that is little enough to stop"""


class Moving(NamedTuple):
    """Lloyd's rounds: centres go to the means of their rows."""

    step: int
    centers: Annotated[Array, "cluster", "column"]
    tolerance: float
    bound: float
    """no centres have less inertia than this"""

    @property
    def model(self) -> KMeansModel:
        """The model of a fit at these centres."""
        return KMeansModel(self.centers, max(self.step, 1), self.bound)


class Refilling(NamedTuple):
    """Between two rounds: some centres have no rows, and go to the rows farthest from all others."""

    step: int
    centers: Annotated[Array, "cluster", "column"]
    """those without rows last"""
    tolerance: float
    bound: float
    empty: int


Start: TypeAlias = Measuring | MeasuringAround | SamplingSeeds | Oversampling | Bounding
State: TypeAlias = Start | Moving | Refilling | Done
Summary: TypeAlias = BucketSpread | Race | Moments | Lloyd


def next_round(state: Moving, s: Lloyd) -> Moving | Refilling | Done:
    """Centres at the means of their rows; those without rows are to be placed again."""
    centers, empty = s.means(), int((s.weight == 0).sum())
    if empty and s.inertia > 0:
        centers = centers[np.argsort(s.weight == 0, kind="stable")]
        return Refilling(state.step, centers, state.tolerance, state.bound, empty)
    if float(((centers - state.centers) ** 2).sum()) <= state.tolerance:
        return Done.of(state.model, state.step)
    return state._replace(step=state.step + 1, centers=centers)


def refilled(state: Refilling, farthest: Race) -> Moving:
    """The empty centres at the rows that are farthest from all others, as far as there are any."""
    centers = state.centers.copy()
    centers[len(centers) - state.empty :][: len(farthest.row)] = farthest.row[: state.empty]
    return Moving(state.step + 1, centers, state.tolerance, state.bound)
