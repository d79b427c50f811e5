"""Lloyd's rounds over few rows, without returning to Python in between."""

from __future__ import annotations

import math

import numpy as np

from tenfold.compiled.decorators import dividing, inner
from tenfold.compiled.neighbors.nearest import add_lloyd

SHORT, LANES = 128, 8
"""numbers that are summed in lanes, and the lanes"""


@dividing
def settle(rows, weight, centers, most, little):
    """Move centres to the means of their rows until the gain is small; return the inertia before the last move."""
    count, p = centers.shape
    mass, norms, total = np.empty(count), np.empty(count), np.empty((count, p))
    square, squares = np.empty(p), np.empty(p)
    before = math.inf
    for _ in range(most):
        for k in range(count):
            for j in range(p):
                squares[j] = centers[k, j] * centers[k, j]
            norms[k] = _sum(squares)
        mass[:] = 0.0
        total[:] = 0.0
        square[:] = 0.0
        add_lloyd(rows, weight, centers, norms, centers, mass, total, square)
        inertia = _sum(square)
        if inertia >= before * (1 - little):
            return inertia
        before = inertia
        for k in range(count):
            for j in range(p):
                centers[k, j] += total[k, j] / (mass[k] if mass[k] > 0.0 else 1.0)
    return before


@inner
def _sum(values):
    """Return the sum in numpy's order (pairwise: halves of many numbers, eight lanes of few)."""
    n = len(values)
    if n > SHORT:
        half = n // 2 - n // 2 % LANES
        return _sum(values[:half]) + _sum(values[half:])
    if n < LANES:
        total = 0.0
        for i in range(n):
            total += values[i]
        return total
    lanes = values[:LANES].copy()
    for i in range(LANES, n - n % LANES):
        lanes[i % LANES] += values[i]
    total = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
    for i in range(n - n % LANES, n):
        total += values[i]
    return total
