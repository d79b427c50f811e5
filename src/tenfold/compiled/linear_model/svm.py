"""Support vector machines: pairs of dual variables that go to their best values, and kernel rows that are added up.

Variables are signed, β = ± α, so that the dual is ½ βᵀKβ - tᵀβ with low ≤ β ≤ high and Σ β unchanged, for classes and
for numbers. The slope of a variable is (Kβ) - t.
"""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import dividing, inner, kernel

MIN_PAIR_DISTANCE = 1e-12
"""a pair of rows with no less distance than this between them: the curvature where a kernel has none"""


@dividing
def move_pairs(K, low, high, beta, slope, tol, most):
    """Move pairs of variables, the best by second order, until no pair is further than `tol` from optimal.

    K has the kernel of all pairs of them; `beta` and `slope` are changed. Returns the number of moves, at most `most`.
    """
    n = len(beta)
    room = np.empty(n)
    for k in range(n):
        room[k] = K[k, k]
    for moved in range(most):
        i, best = -1, -np.inf
        for k in range(n):
            if beta[k] < high[k] and -slope[k] > best:
                i, best = k, -slope[k]
        if i < 0:
            return moved
        j, gain, worst = -1, -1.0, np.inf
        row = K[i]
        own = room[i]
        for k in range(n):
            if beta[k] > low[k]:
                s = -slope[k]
                if s < worst:
                    worst = s
                away = best - s
                if away > 0.0:
                    curved = max(own + room[k] - 2.0 * row[k], MIN_PAIR_DISTANCE)
                    if away * away > gain * curved:
                        j, gain = k, away * away / curved
        if j < 0 or best - worst <= tol:
            return moved
        curved = max(own + room[j] - 2.0 * row[j], MIN_PAIR_DISTANCE)
        step = (best + slope[j]) / curved
        if step >= high[i] - beta[i] or step >= beta[j] - low[j]:
            if high[i] - beta[i] <= beta[j] - low[j]:
                step = high[i] - beta[i]
                beta[i] = high[i]
                beta[j] -= step
            else:
                step = beta[j] - low[j]
                beta[j] = low[j]
                beta[i] += step
        else:
            beta[i] += step
            beta[j] -= step
        other = K[j]
        for k in range(n):
            slope[k] += step * (row[k] - other[k])
    return most


@inner
def _add_four(a, b, c, d, fa, fb, fc, fd, out):
    for j in range(len(out)):
        out[j] += (fa * a[j] + fb * b[j]) + (fc * c[j] + fd * d[j])


@kernel
def add_rows(rows, slots, factor, first, last, out):
    """Add Σ factor[s] * rows[slots[s], first:last] to `out[first:last]`, in float64."""
    n, s = len(slots), 0
    some = out[first:last]
    while s + 4 <= n:
        i, j, k, m = slots[s], slots[s + 1], slots[s + 2], slots[s + 3]
        a, b, c, d = rows[i, first:last], rows[j, first:last], rows[k, first:last], rows[m, first:last]
        _add_four(a, b, c, d, factor[s], factor[s + 1], factor[s + 2], factor[s + 3], some)
        s += 4
    while s < n:
        a, fa = rows[slots[s], first:last], factor[s]
        for j in range(len(some)):
            some[j] += fa * a[j]
        s += 1


@kernel
def keep_columns(flat, rows, old, kept):
    """Compact a table of rows of `old` numbers in place: some rows, with some of their columns."""
    new = len(kept)
    for at in range(len(rows)):
        row, out = flat[rows[at] * old : (rows[at] + 1) * old], flat[at * new : (at + 1) * new]
        for j in range(new):
            out[j] = row[kept[j]]
