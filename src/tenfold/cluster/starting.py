"""Where k-means starts: from rows by their content, not by where they stand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tenfold.core import Array
from tenfold.kernels.nearest import add_lloyd
from tenfold.kernels.seeding import greedy_seeds

BUCKETS = 1 << 14
"""rows that are repeated often show in the weight of their bucket"""
RESTARTS = 3
SETTLE = 100
"""rounds over the sample before the first over all rows"""


def start_from(rows: Array, weight: Array, n_clusters: int, seed: Any, complete: bool) -> Array:
    """The best of a few greedy k-means++ starts over weighted rows, settled on them.

    If they are `complete`, all there are, settling is what k-means does, only cheaper here.
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
    best, least = rows[:1], math.inf
    for _ in range(RESTARTS):
        chosen = greedy_seeds(columns, weight, random.random((n_clusters, trials)))
        centers, inertia = _settle(rows, weight, rows[chosen], 3, 1e-3)
        if inertia < least:
            best, least = centers, inertia
    return _settle(rows, weight, best, SETTLE, 1e-7 if complete else 1e-3)[0] + middle


@np.errstate(over="ignore", invalid="ignore")  # rows that cannot be squared are refused when all of them are read
def _settle(rows: Array, weight: Array, centers: Array, most: int, little: float) -> tuple[Array, float]:
    """Move centres to the means of their rows till little is gained; they, and the inertia before."""
    before = math.inf
    for _ in range(most):
        heft, total = np.zeros(len(centers)), np.zeros(centers.shape)
        square = np.zeros(centers.shape[1])
        add_lloyd(rows, weight, centers, (centers**2).sum(axis=1), centers, heft, total, square)
        inertia = float(square.sum())
        if inertia >= before * (1 - little):
            return centers, inertia
        before = inertia
        centers = centers + total / np.where(heft > 0, heft, 1.0)[:, None]
    return centers, before
