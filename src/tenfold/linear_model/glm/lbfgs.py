"""Steps of L-BFGS for generalized linear models, in the scale of the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from tenfold.core import Array, Flags
from tenfold.linear_model.glm.newton import moved
from tenfold.stats.optimize.curvature import Curvature
from tenfold.stats.optimize.quasi_newton import direction, remember

if TYPE_CHECKING:
    from tenfold.linear_model.glm.glm import Iterate


class Memory(NamedTuple):
    """The last gradient, the last steps, and what they did to the gradient."""

    gradient: Annotated[Array, "output", "predictor"]
    steps: Annotated[Array, "memory", "output", "predictor"]
    bends: Annotated[Array, "memory", "output", "predictor"]

    @classmethod
    def none(cls, outputs: int, features: int) -> Memory:
        """Empty memory before the first step."""
        none = np.zeros((0, outputs, features + 1))
        return cls(np.zeros((outputs, features + 1)), none, none)


def onward(
    at: Iterate, memory: Memory, s: Curvature, value: float, squared: float, free: Flags
) -> tuple[Iterate, Memory]:
    """A step from the place of a summary, where the objective has this value, and what is remembered of it."""
    unit = np.append(1.0, s.scale)
    gradient = np.where(free, s.gradient, 0.0) / unit
    gradient[:, 1:] += squared * np.where(free[:, 1:], s.coef, 0.0) / s.scale
    steps, bends = memory.steps, memory.bends
    if np.isfinite(at.base_value):
        last = moved((at.base_coef, at.base_intercept), (s.coef, s.intercept), (s.center, s.scale))
        steps, bends = remember(steps, bends, last, gradient - memory.gradient)
    first = 1 / max(float(np.abs(s.drift[:, 0]).sum()) * s.reach, np.finfo(np.float64).tiny)
    step = direction(gradient, steps, bends, first)
    promise = -float((gradient * step).sum())
    step /= unit
    coef, intercept = s.coef + step[:, 1:], s.intercept + step[:, 0] - step[:, 1:] @ s.center
    then = at._replace(
        coef=coef, intercept=intercept, base_coef=s.coef, base_intercept=s.intercept, base_value=value, promise=promise
    )
    return then, Memory(gradient, steps, bends)
