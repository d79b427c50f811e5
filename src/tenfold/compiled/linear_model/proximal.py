"""Coordinate descent for the step of a proximal Newton method: a quadratic, and absolute values."""

from __future__ import annotations

from tenfold.compiled.decorators import kernel


@kernel
def sweep(S, l, times, v, u):
    """Lower ½ vᵀSv - qᵀv + Σ lⱼ|vⱼ| one coordinate after another, so many times; u = q - Sv follows."""
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
    """How far the condition of optimality is from holding, at the worst coordinate."""
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
