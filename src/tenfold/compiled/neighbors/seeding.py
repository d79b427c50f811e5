"""Initial centers of k-means over few weighted rows: greedy k-means++."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import kernel


@kernel
def greedy_seeds(columns, weight, uniform):
    """Indices of rows to start from.

    `columns` is p x n, `uniform` seeds x trials in [0, 1).

    Each seed is the best of several candidates, drawn by weight times squared distance to the
    seeds before it. Ends early when every row has a seed.
    """
    n = columns.shape[1]
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
            _distances(columns, at, distance)
            cost = 0.0
            for i in range(n):
                if k > 0 and nearest[i] < distance[i]:
                    distance[i] = nearest[i]
                cost += weight[i] * distance[i]
            if t == 0 or cost < least:
                least = cost
                chosen[k] = at
                for i in range(n):
                    best[i] = distance[i]
            if k == 0:
                break
        for i in range(n):
            nearest[i] = best[i]
    return chosen


@kernel
def _distances(columns, at, distance):
    """The squared distance of each row to row `at`: column after column, four of them at a time."""
    p, n = columns.shape
    distance[:] = 0.0
    for j in range(0, p - p % 4, 4):
        a, b, c, d = columns[j], columns[j + 1], columns[j + 2], columns[j + 3]
        a0, b0, c0, d0 = a[at], b[at], c[at], d[at]
        for i in range(n):
            x, y, z, v = a[i] - a0, b[i] - b0, c[i] - c0, d[i] - d0
            distance[i] = distance[i] + x * x + y * y + z * z + v * v
    for j in range(p - p % 4, p):
        a = columns[j]
        a0 = a[at]
        for i in range(n):
            x = a[i] - a0
            distance[i] += x * x
