"""Coordinate descent for the step of a proximal Newton method: a quadratic, and absolute values."""

from __future__ import annotations

from tenfold.compiled.decorators import kernel


@kernel
def sweep(S, l, times, v, u):
    """Minimise ½ vᵀSv - qᵀv + Σ lⱼ|vⱼ| over one coordinate after another, in n sweeps; update u = q - Sv."""
    n = v.shape[0]
    for _ in range(times):
        for j in range(n):
            along = u[j] + S[j, j] * v[j]
            if along > l[j]:
                new = (along - l[j]) / S[j, j]
            elif along < -l[j]:
                new = (along + l[j]) / S[j, j]
            else:
                new = 0.0
            step = new - v[j]
            if step != 0.0:
                v[j] = new
                for k in range(n):
                    u[k] -= step * S[j, k]


@kernel
def violation(u, l, v):
    """Return the largest violation of the optimality conditions over the coordinates."""
    worst = 0.0
    for j in range(v.shape[0]):
        if v[j] > 0.0:
            off = abs(u[j] - l[j])
        elif v[j] < 0.0:
            off = abs(u[j] + l[j])
        else:
            off = abs(u[j]) - l[j]
        worst = max(worst, off)
    return worst
