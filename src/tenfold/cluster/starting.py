"""Where k-means starts: from rows by their content, not by where they stand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tenfold.core import Array, Codes, Columns
from tenfold.kernels.rows import hash_rows
from tenfold.kernels.seeding import greedy_seeds, settle

BUCKETS = 1 << 14
"""rows that are repeated often show in the weight of their bucket"""
RESTARTS = 3
SETTLE = 30
"""rounds over the sample before the first over all rows"""


def distinct_uniform(X: Columns, seed: Any) -> tuple[Codes, Array]:
    """For each row, from its content: a bucket, and a number in (0, 1)."""
    bits = np.empty(len(X), np.uint64)
    for rows, block in X.blocks():
        hash_rows(block, seed, bits[rows])
    bucket = (bits & np.uint64(BUCKETS - 1)).astype(np.int64)
    return bucket, (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53 + 2.0**-54


def start_from(rows: Array, weight: Array, n_clusters: int, seed: Any) -> Array:
    """The best of a few greedy k-means++ starts over weighted rows, settled on them."""
    random = np.random.default_rng(seed)
    middle = weight @ rows / weight.sum()
    rows = rows - middle
    columns = np.ascontiguousarray(rows.T)
    trials = 2 + int(math.log(n_clusters))
    best, least = rows[:1], math.inf
    for _ in range(RESTARTS):
        chosen = greedy_seeds(columns, weight, random.random((n_clusters, trials)))
        centers = rows[chosen]
        inertia = settle(rows, weight, centers, 3)
        if inertia < least:
            best, least = centers, inertia
    settle(rows, weight, best, SETTLE)
    return best + middle
