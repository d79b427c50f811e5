"""The direction of L-BFGS: Newton's, with a Hessian known from the last few steps alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array, Flags
from tenfold.linear.newton import moved
from tenfold.stats.curvature import Curvature

MEMORY = 10
"""steps that are remembered"""


def onward(state: Any, s: Curvature, squared: float, free: Flags) -> dict[str, Any]:
    """What of the state changes with a step from the place of a summary."""
    unit = np.append(1.0, state.scale)
    gradient = np.where(free, s.gradient, 0.0) / unit
    gradient[:, 1:] += squared * np.where(free[:, 1:], s.coef, 0.0) / state.scale
    steps, bends = state.steps, state.bends
    if np.isfinite(state.base_value):
        last = moved((state.base_coef, state.base_intercept), (s.coef, s.intercept), state.metric)
        steps, bends = remember(steps, bends, last, gradient - state.base_gradient)
    first = 1 / max(float(np.abs(s.drift[:, 0]).sum()) * s.reach, np.finfo(np.float64).tiny)
    step = direction(gradient, steps, bends, first)
    promise = -float((gradient * step).sum())
    step /= unit
    return {
        "coef": s.coef + step[:, 1:],
        "intercept": s.intercept + step[:, 0] - step[:, 1:] @ state.center,
        "base_coef": s.coef,
        "base_intercept": s.intercept,
        "base_gradient": gradient,
        "promise": promise,
        "steps": steps,
        "bends": bends,
    }


def remember(steps: Array, bends: Array, step: Array, bend: Array) -> tuple[Array, Array]:
    """The last steps and what they did to the gradient, with one more, if it says something."""
    if not (step * bend).sum() > 1e-12 * np.linalg.norm(step) * np.linalg.norm(bend):
        return steps, bends
    return np.append(steps, step[None], axis=0)[-MEMORY:], np.append(bends, bend[None], axis=0)[-MEMORY:]


def direction(gradient: Array, steps: Array, bends: Array, first: float) -> Array:
    """Minus the gradient times the inverse Hessian, as the steps tell it; `first` before there are any."""
    q, shares = gradient.copy(), []
    for s, y in zip(steps[::-1], bends[::-1]):
        rho = 1 / (s * y).sum()
        shares.append((rho, rho * (s * q).sum()))
        q -= shares[-1][1] * y
    q *= (steps[-1] * bends[-1]).sum() / (bends[-1] * bends[-1]).sum() if len(steps) else first
    for s, y, (rho, alpha) in zip(steps, bends, reversed(shares)):
        q += s * (alpha - rho * (y * q).sum())
    return -q
