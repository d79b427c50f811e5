"""The centres of k-means, round by round: a watcher of the loop keeps what the rounds have anyway."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tenfold.cluster.kmeans import KMeans
from tenfold.cluster.kmeans_states import Moving
from tenfold.cluster.lloyd_round import Lloyd
from tenfold.core import Array
from tenfold.core.certificate import number_of
from tenfold.engine import Snapshot
from tenfold.inspection.traces.step_table import StepTable, rows_in_memory


@dataclass(frozen=True, eq=False, repr=False)
class KMeansTrace(StepTable):
    """The centres of k-means, round by round: each goes to the mean of the rows that are nearest to it.

    With `n_init=1`, or with given centres, the rounds begin at the start; otherwise starts were compared on a sample
    before, and few rounds or none are left.

    Attributes
    ----------
    model : KMeans
        Fitted.
    names : tuple of str
        The columns.
    centers : array of shape (rounds, clusters, columns)
        The centres at which each round looks at the rows: first the start, last those of the model.
    weight : array of shape (rounds, clusters)
        The weight of the rows that are nearest to each centre.
    inertia : array of shape (rounds,)
        J, the sum of the squared distances to the nearest centre: it never rises.
    X : array of shape (rows, columns)

    Examples
    --------
    >>> from tenfold import KMeans, trace
    >>> print(trace(KMeans(2, init=[[0.0], [1.0]]), [[0.0], [1.0], [8.0], [9.0]]))
    round  inertia  moved  center 0: x0  center 1: x0  rows of 0  rows of 1
    1      113             0             1             1          3
    2      14       5      0             6             2          2
    3      1        2.55   0.5           8.5           2          2
    2 clusters in 3 rounds, inertia 1
    """

    model: KMeans
    names: tuple[str, ...]
    centers: Array
    weight: Array
    inertia: Array
    X: Array

    @property
    def table(self) -> dict[str, list[Any]]:
        """The columns of the table by name."""
        moved = np.sqrt((np.diff(self.centers, axis=0) ** 2).sum(axis=(1, 2)))
        rounds, clusters = len(self.centers), range(self.centers.shape[1])
        found: dict[str, list[Any]] = {"round": list(range(1, rounds + 1)), "inertia": self.inertia.tolist()}
        found["moved"] = [None, *moved.tolist()]
        for k in clusters:
            found |= {f"center {k}: {name}": self.centers[:, k, j].tolist() for j, name in enumerate(self.names)}
        return found | {f"rows of {k}": self.weight[:, k].tolist() for k in clusters}

    def _note(self) -> str:
        rounds, clusters, _ = self.centers.shape
        return f"{number_of(clusters, 'cluster')} in {number_of(rounds, 'round')}, inertia {self.inertia[-1]:.6g}"


def trace_kmeans(model: KMeans, X: Any, y: Any, sample_weight: Any) -> KMeansTrace:
    """Fit k-means, and return its centres round by round.

    Parameters
    ----------
    model : KMeans
        Not fitted; it will be.
    X, y, sample_weight
        As for `fit`.

    Returns
    -------
    trace : KMeansTrace
    """
    rounds: list[Lloyd] = []

    def watch(at: Snapshot) -> None:
        if isinstance(at.state, Moving) and isinstance(at.summary, Lloyd):
            rounds.append(at.summary)

    model._fit(X, y, sample_weight, watchers=(watch,))
    chunk, _ = rows_in_memory(model, X, None, sample_weight)
    return KMeansTrace(
        model,
        model.schema_.names,
        np.array([one.centers for one in rounds]),
        np.array([one.weight for one in rounds]),
        np.array([one.inertia for one in rounds]),
        np.concatenate([np.array(block) for _, block in chunk.X.blocks()]),
    )
