"""Losses of support vector machines row by row, at multipliers that are moved from where they were.

A multiplier b is between -1 and 1 for numbers, and between 0 and the target (±1) for classes; that of the row is
C b. Near the kink of its loss it is clip(b + σ(y - f)) less what ε takes: a loss smoothed around the last b.
"""

from __future__ import annotations

from tenfold.compiled.decorators import inner, kernel


@inner
def shrunk(u, by):
    """Return u moved towards zero by a given amount, and not beyond it (soft threshold)."""
    return u - by if u > by else (u + by if u < -by else 0.0)


@inner
def bounds(y, classes):
    """Return the bounds of the multiplier of a target."""
    return (min(y, 0.0), max(y, 0.0)) if classes else (-1.0, 1.0)


@kernel
def move_multipliers(y, f, classes, epsilon, sigma, b):
    """Move each multiplier to its best value at f, in the proximity of its last value."""
    for i in range(len(y)):
        low, high = bounds(y[i], classes)
        b[i] = min(max(shrunk(b[i] + sigma * (y[i] - f[i]), sigma * epsilon), low), high)


@kernel
def margin_terms(y, cost, f, classes, squared, epsilon, sigma, b, beta, curve):
    """Sums of losses, of smoothed losses, of what multipliers fall short of them, and of their squared moves over σ.

    Writes the multipliers at f into beta, and the second derivative of each smoothed loss into curve.
    """
    loss, value, slack, moved = 0.0, 0.0, 0.0, 0.0
    for i in range(len(y)):
        low, high = bounds(y[i], classes)
        c, r = cost[i], y[i] - f[i]
        s = shrunk(r, epsilon)
        bound = high if s > 0.0 else (low if s < 0.0 else 0.0)
        if squared:
            times = 2.0 * c * abs(bound)
            beta[i] = times * s
            curve[i] = times
            loss += 0.5 * times * s * s
            continue
        q = shrunk(b[i] + sigma * r, sigma * epsilon)
        new = min(max(q, low), high)
        step = new - b[i]
        said = new * r - epsilon * abs(new)
        beta[i] = c * new
        curve[i] = c * sigma if new == q and new != 0.0 and low < new < high else 0.0
        loss += c * bound * s
        value += c * (said - 0.5 * step * step / sigma)
        slack += c * max(bound * s - said, 0.0)
        moved += c * step * step / sigma
    return loss, loss if squared else value, slack, moved


@kernel
def line_values(y, cost, f, step, classes, squared, epsilon, sigma, b, lengths, out):
    """Add to out the sum of the smoothed losses at f + t step, for each length t."""
    for i in range(len(y)):
        low, high = bounds(y[i], classes)
        for j in range(len(lengths)):
            r = y[i] - f[i] - lengths[j] * step[i]
            if squared:
                s = shrunk(r, epsilon)
                bound = high if s > 0.0 else (low if s < 0.0 else 0.0)
                out[j] += cost[i] * abs(bound) * s * s
            else:
                new = min(max(shrunk(b[i] + sigma * r, sigma * epsilon), low), high)
                move = new - b[i]
                out[j] += cost[i] * (new * r - epsilon * abs(new) - 0.5 * move * move / sigma)
