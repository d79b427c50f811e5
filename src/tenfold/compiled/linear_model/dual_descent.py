"""Dual coordinate descent of linear support vector machines: one dual variable after another, each to its best value.

Of rows (dense, or CSR) with target y: maximise Σ βᵢyᵢ - ε|βᵢ| - ½dᵢβᵢ² - ½‖w‖², lowᵢ ≤ βᵢ ≤ highᵢ, w = b + Σ βᵢxᵢ. A
class is a target of ±1 with one bound at 0; squared losses have dᵢ > 0 and no other bound.
"""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import inner, kernel


@inner
def product(X, data, indices, ends, i, w):
    """Return the product of row i and w, summed in an order that does not depend on the processor."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    if len(X):
        row = X[i]
        p = len(w)
        j = 0
        while j + 4 <= p:
            a += row[j] * w[j]
            b += row[j + 1] * w[j + 1]
            c += row[j + 2] * w[j + 2]
            d += row[j + 3] * w[j + 3]
            j += 4
        while j < p:
            a += row[j] * w[j]
            j += 1
        return (a + b) + (c + d)
    for k in range(ends[i], ends[i + 1]):
        a += data[k] * w[indices[k]]
    return a


@inner
def add_row(X, data, indices, ends, i, times, w):
    """Add a multiple of row i to w."""
    if len(X):
        row = X[i]
        for j in range(len(w)):
            w[j] += times * row[j]
        return
    for k in range(ends[i], ends[i + 1]):
        w[indices[k]] += times * data[k]


@inner
def best_value(r, epsilon, d, low, high):
    """The β within its bounds at which βr - ε|β| - ½dβ² is largest, and that value: the loss of a residual r."""
    s = r - epsilon if r > epsilon else (r + epsilon if r < -epsilon else 0.0)
    if d > 0.0:
        beta = min(max(s / d, low), high)
    else:
        beta = high if s > 0.0 else (low if s < 0.0 else 0.0)
    return beta, beta * s - 0.5 * d * beta * beta


@kernel
def descend_dual(X, data, indices, ends, y, low, high, d, epsilon, tol, most, beta, w):
    """Descend until the duality gap is at most tol times the primal value; β and w are changed.

    Returns how many epochs there were, the gap, the losses and the largest violation. Rows that stay at a kink of their
    loss are left out of epochs until the others are done.
    """
    n, p = len(y), len(w)
    square = np.empty(n)
    for i in range(n):
        s = 0.0
        if len(X):
            for j in range(p):
                s += X[i, j] * X[i, j]
        else:
            for k in range(ends[i], ends[i + 1]):
                s += data[k] * data[k]
        square[i] = s
    order = np.arange(n)
    state = np.uint64(0x9E3779B97F4A7C15)
    active, wanted, before, due = n, np.inf, np.inf, 0
    epochs, gap, loss, worst = 0, np.inf, 0.0, np.inf
    base = np.empty(p)
    for j in range(p):
        base[j] = w[j]
    for i in range(n):
        if beta[i] != 0.0:
            add_row(X, data, indices, ends, i, -beta[i], base)
    while True:
        if worst <= wanted or epochs >= due or epochs >= most:
            due = epochs + 1 + epochs // 8
            # w is recomputed, so that rounding does not add up; the gap row by row: no term is negative
            for j in range(p):
                w[j] = base[j]
            for i in range(n):
                if beta[i] != 0.0:
                    add_row(X, data, indices, ends, i, beta[i], w)
            whole = 0.0
            gap, loss = 0.0, 0.0
            for i in range(n):
                r = y[i] - product(X, data, indices, ends, i, w)
                _, value = best_value(r, epsilon, d[i], low[i], high[i])
                loss += value
                gap += max(value - beta[i] * r + epsilon * abs(beta[i]) + 0.5 * d[i] * beta[i] * beta[i], 0.0)
            for j in range(p):
                whole += w[j] * (0.5 * w[j] - base[j])
            if gap <= tol * (abs(whole) + loss) or epochs >= most:
                break
            if worst <= wanted:
                wanted = 0.1 * worst
            active, before = n, np.inf
        worst = 0.0
        for s in range(active - 1, 0, -1):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            j = int((state >> np.uint64(32)) * np.uint64(s + 1) >> np.uint64(32))
            order[s], order[j] = order[j], order[s]
        s = 0
        while s < active:
            i = order[s]
            h = square[i] + d[i]
            if h <= 0.0:  # a row of zeros: its best value does not depend on w
                beta[i], _ = best_value(y[i], epsilon, 0.0, low[i], high[i])
                s += 1
                continue
            g = product(X, data, indices, ends, i, w) + d[i] * beta[i] - y[i]
            u = beta[i] * h - g
            c = u - epsilon if u > epsilon else (u + epsilon if u < -epsilon else 0.0)
            new = min(max(c / h, low[i]), high[i])
            step = new - beta[i]
            if step == 0.0:
                slack = abs(c - new * h) if c != 0.0 else epsilon - abs(u)
                if slack > before:
                    active -= 1
                    order[s], order[active] = order[active], order[s]
                    continue
            else:
                worst = max(worst, abs(step) * h)
                beta[i] = new
                add_row(X, data, indices, ends, i, step, w)
            s += 1
        before = worst
        epochs += 1
    return epochs, gap, loss, worst
