"""Descent along directions of L-BFGS or of conjugate gradients, one value and gradient at a time.

Each step is searched for along its line (`line_search.py`). Nothing is called back: whoever makes values and gradients,
one pass over the rows for each, asks for them at `trial`.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from tenfold.core import Array
from tenfold.core.field_values import NOT_NAN
from tenfold.stats.optimize.line_search import LineSearch
from tenfold.stats.optimize.quasi_newton import direction, remember

MAX_LINE_TRIALS = 20
"""places that are tried along a line"""


class Descent(NamedTuple):
    """Where a descent is, and along which line it looks for its next step.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold.stats.optimize.gradient_descent import Descent
    >>> descent = Descent.at(np.array([3.0, -2.0]))
    >>> while np.abs(descent.slope).max() > 1e-8 or np.isinf(descent.value):  # least is (x - 1)² + 5 y²
    ...     x, y = descent.trial
    ...     descent = descent.next((x - 1) ** 2 + 5 * y**2, np.array([2 * (x - 1), 10 * y]))
    >>> [round(abs(float(x)), 6) for x in descent.point]
    [1.0, 0.0]
    """

    point: Annotated[Array, "parameter"]
    value: Annotated[float, NOT_NAN]
    """the objective there, infinite until it is known"""
    slope: Annotated[Array, "parameter"]
    """gradient at the current point"""
    towards: Annotated[Array, "parameter"]
    """the direction of the next step"""
    search: LineSearch
    steps: Annotated[Array, "memory", "parameter"]
    bends: Annotated[Array, "memory", "parameter"]
    moved: bool
    """whether the last place that was tried was taken"""
    stuck: bool
    """whether no step down was found, not even along the gradient"""
    fall: Annotated[float, NOT_NAN]
    """how much lower the value is than before the last step"""

    @classmethod
    def at(cls, point: Array) -> Descent:
        """A descent that begins at a point."""
        none, memory = np.zeros_like(point), np.zeros((0, len(point)))
        search = LineSearch.begin(0.0, 0.0, 0.0)
        return cls(point, math.inf, none, none, search, memory, memory, False, False, math.inf)

    @property
    def trial(self) -> Array:
        """Where the objective and its gradient are wanted next."""
        return self.point + self.search.step * self.towards

    def next(self, value: float, slope: Array, conjugate: bool = False) -> Descent:
        """The descent after value and gradient at the trial are known; by conjugate gradients, or else by L-BFGS."""
        if math.isinf(self.value):
            return self._replace(value=value, slope=slope, moved=True)._downhill()
        along = float(slope @ self.towards) if np.isfinite(slope).all() else math.nan
        search, taken = self.search.next(value, along, 0.1 if conjugate else 0.9)
        if not taken and search.tried < MAX_LINE_TRIALS:
            return self._replace(search=search, moved=False)
        if not taken or value >= self.value:
            return self._replace(moved=False)._downhill()
        here = self.trial
        then = self._replace(point=here, value=value, slope=slope, moved=True, fall=self.value - value)
        if conjugate:  # Polak and Ribière, begun again where their share is negative
            share = max(0.0, float(slope @ (slope - self.slope)) / float(self.slope @ self.slope))
            towards, length = share * self.towards - slope, self.search.step * self.search.start.slope
        else:
            steps, bends = remember(self.steps, self.bends, here - self.point, slope - self.slope)
            then = then._replace(steps=steps, bends=bends)
            towards, length = direction(slope, steps, bends, 1.0), 0.0
        tilt = float(slope @ towards)
        if not (tilt < 0 and np.isfinite(towards).all() and (conjugate or len(then.steps))):
            return then._downhill()
        return then._replace(towards=towards, search=LineSearch.begin(value, tilt, length / tilt or 1.0))

    def _downhill(self) -> Descent:
        """Along the gradient, and all that was learnt of the curvature forgotten; stuck, if that was tried."""
        tilt = -float(self.slope @ self.slope)
        tried = not self.moved and self.search.start.slope == tilt and np.array_equal(self.towards, -self.slope)
        none = self.steps[:0]
        search = LineSearch.begin(self.value, tilt, 1 / math.sqrt(-tilt) if tilt else 0.0)
        return self._replace(towards=-self.slope, search=search, steps=none, bends=none, stuck=bool(tried))
