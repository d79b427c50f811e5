"""The direction of L-BFGS: Newton's, with a Hessian known from the last few steps alone."""

from __future__ import annotations

import numpy as np

from tenfold.core import Array

REMEMBERED_STEPS = 10
"""number of stored pairs of steps and gradient changes (the memory of L-BFGS)"""


def remember(steps: Array, bends: Array, step: Array, bend: Array) -> tuple[Array, Array]:
    """Append a pair of step and gradient change, if its curvature is positive, and drop the oldest."""
    if not (step * bend).sum() > 1e-12 * np.linalg.norm(step) * np.linalg.norm(bend):
        return steps, bends
    return np.append(steps, step[None], axis=0)[-REMEMBERED_STEPS:], np.append(bends, bend[None], axis=0)[
        -REMEMBERED_STEPS:
    ]


def direction(gradient: Array, steps: Array, bends: Array, first: float) -> Array:
    """Return the quasi-Newton direction of the stored pairs; `first` if there are none yet."""
    q, shares = gradient.copy(), []
    for s, y in zip(steps[::-1], bends[::-1]):
        rho = 1 / (s * y).sum()
        shares.append((rho, rho * (s * q).sum()))
        q -= shares[-1][1] * y
    q *= (steps[-1] * bends[-1]).sum() / (bends[-1] * bends[-1]).sum() if len(steps) else first
    for s, y, (rho, alpha) in zip(steps, bends, reversed(shares)):
        q += s * (alpha - rho * (y * q).sum())
    return -q
