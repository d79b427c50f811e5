"""A start for k-means over few weighted rows: greedy k-means++, then some rounds on them."""

from __future__ import annotations

import numpy as np

from tenfold.kernels.compiling import kernel
from tenfold.kernels.nearest import add_lloyd


@kernel
def greedy_seeds(columns, weight, uniform):
    """Indices of rows to start from.

    `columns` is p x n, `uniform` seeds x trials in [0, 1).

    Each seed is the best of several candidates, drawn by weight times squared distance to the
    seeds before it. Ends early when every row has a seed.
    """
    p, n = columns.shape
    seeds, trials = uniform.shape
    chosen = np.empty(seeds, np.int64)
    nearest = np.ones(n)
    distance = np.empty(n)
    best = np.empty(n)
    for k in range(seeds):
        total = 0.0
        for i in range(n):
            total += weight[i] * nearest[i]
        if total <= 0.0:
            return chosen[:k]
        least = np.inf
        for t in range(trials):
            target = uniform[k, t] * total
            at = n - 1
            running = 0.0
            for i in range(n):
                running += weight[i] * nearest[i]
                if running > target:
                    at = i
                    break
            for i in range(n):
                distance[i] = 0.0
            for j in range(p):
                c = columns[j, at]
                column = columns[j]
                for i in range(n):
                    d = column[i] - c
                    distance[i] += d * d
            cost = 0.0
            for i in range(n):
                if k > 0 and nearest[i] < distance[i]:
                    distance[i] = nearest[i]
                cost += weight[i] * distance[i]
            if cost < least:
                least = cost
                chosen[k] = at
                best[:] = distance
            if k == 0:
                break
        nearest[:] = best
    return chosen


@kernel
def settle(rows, weight, centers, most):
    """Move centres to the means of their rows, in place, till little changes or `most` times.

    Returns the inertia before the last move.
    """
    k, p = centers.shape
    norms = np.empty(k)
    before = np.inf
    for _ in range(most):
        for c in range(k):
            norms[c] = 0.0
            for j in range(p):
                norms[c] += centers[c, j] * centers[c, j]
        heft = np.zeros(k)
        total = np.zeros((k, p))
        square = np.zeros(p)
        add_lloyd(rows, weight, centers, norms, centers, heft, total, square)
        inertia = square.sum()
        if inertia >= before * (1 - 1e-3):
            return inertia
        before = inertia
        for c in range(k):
            if heft[c] > 0:
                for j in range(p):
                    centers[c, j] += total[c, j] / heft[c]
    return before
