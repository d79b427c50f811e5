"""L-BFGS and conjugate gradients, one value and gradient at a time.

`direction` is that of L-BFGS: Newton's, with a Hessian known from the last few steps alone. `LineSearch` looks along
it for a step t that meets the strong Wolfe conditions, φ(t) ≤ φ(0) + 10⁻³ t φ'(0) and |φ'(t)| ≤ c |φ'(0)|, among the
minima of cubics and parabolas through known values and slopes (Moré, Thuente 1994). `Descent` does both in turn.
Nothing is called back: a caller that needs one pass over all rows for each value keeps the descent among its own state,
and computes value and gradient at `Descent.trial`.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from tenfold.core import Array
from tenfold.core.field_values import NOT_NAN

REMEMBERED_STEPS = 10
"""number of stored pairs of steps and gradient changes (the memory of L-BFGS)"""
MAX_LINE_TRIALS = 20
"""places that are tried along a line"""
SUFFICIENT_DECREASE = 1e-3
"""the share of the decrease by the first slope that a step must bring"""
MIN_BRACKET_WIDTH = 0.1
"""the width of an interval, as a share of its upper end, at which its best end is taken"""
MAX_STEP = 1e10
"""upper bound of a step"""


def remember(steps: Array, bends: Array, step: Array, bend: Array) -> tuple[Array, Array]:
    """Append a pair of step and gradient change, if its curvature is positive, and drop the oldest."""
    if not (step * bend).sum() > 1e-12 * np.linalg.norm(step) * np.linalg.norm(bend):
        return steps, bends
    return np.append(steps, step[None], axis=0)[-REMEMBERED_STEPS:], np.append(bends, bend[None], axis=0)[
        -REMEMBERED_STEPS:
    ]


def direction(gradient: Array, steps: Array, bends: Array, first: float) -> Array:
    """Return the quasi-Newton direction of the stored pairs; `first` scales the gradient while there are none."""
    q, shares = gradient.copy(), []
    for s, y in zip(steps[::-1], bends[::-1]):
        rho = 1 / (s * y).sum()
        shares.append((rho, rho * (s * q).sum()))
        q -= shares[-1][1] * y
    q *= (steps[-1] * bends[-1]).sum() / (bends[-1] * bends[-1]).sum() if len(steps) else first
    for s, y, (rho, alpha) in zip(steps, bends, reversed(shares)):
        q += s * (alpha - rho * (y * q).sum())
    return -q


class TrialStep(NamedTuple):
    """A step that was tried, with the value and the slope there."""

    step: float
    value: Annotated[float, NOT_NAN]
    slope: float


class LineSearch(NamedTuple):
    """How far a search is: the step to try next, and an interval that holds a step to take once it is bracketed."""

    step: float
    start: TrialStep
    best: TrialStep
    """the lowest of all places, or of all that may be taken"""
    other: TrialStep
    """the other end of the interval"""
    bracketed: bool
    rising: bool
    """whether a place has been seen that is low enough, and past a minimum"""
    width: float
    width_before: float
    low: float
    high: float
    """between these the next step must be"""
    farthest: float
    tried: int

    @classmethod
    def begin(cls, value: float, slope: float, step: float) -> LineSearch:
        """A search from a place with this value and slope, which first tries this step."""
        start = TrialStep(0.0, value, slope)
        return cls(step, start, start, start, False, False, MAX_STEP, 2 * MAX_STEP, 0.0, 5 * step, MAX_STEP, 0)

    def next(self, value: float, slope: float, curvature: float) -> tuple[LineSearch, bool]:
        """The search after the value and the slope at its step are known, and whether that step is taken.

        It is taken, too, if the interval is too narrow for another; `curvature` is c.
        """
        if not (math.isfinite(value) and math.isfinite(slope)):  # beyond, there is nothing to look for
            shorter = self.best.step + 0.1 * (self.step - self.best.step)
            return self._replace(step=shorter, farthest=self.step, tried=self.tried + 1), False
        t, test = self.step, SUFFICIENT_DECREASE * self.start.slope
        enough = value <= self.start.value + t * test
        rising = self.rising or (enough and slope >= 0)
        narrow = self.bracketed and (
            not self.low < t < self.high or self.high - self.low <= MIN_BRACKET_WIDTH * self.high
        )
        far = t >= self.farthest and enough and slope <= test
        if narrow or far or (enough and abs(slope) <= -curvature * self.start.slope):
            return self._replace(tried=self.tried + 1), True
        here, tilt = TrialStep(t, value, slope), 0.0
        if not rising and value <= self.best.value and not enough:
            tilt = test  # of φ(t) - t φ'(0) / 1000 instead, whose minimum may be taken
        best, other, here = (_tilted(place, tilt) for place in (self.best, self.other, here))
        best, other, step, bracketed = _trial(best, other, here, self.bracketed, self.low, self.high)
        best, other = _tilted(best, -tilt), _tilted(other, -tilt)
        width, before = self.width, self.width_before
        if bracketed:
            if abs(other.step - best.step) >= 0.66 * before:
                step = best.step + 0.5 * (other.step - best.step)
            before, width = width, abs(other.step - best.step)
            low, high = sorted((best.step, other.step))
        else:
            low, high = (step + more * (step - best.step) for more in (1.1, 4.0))
        step = min(max(step, 0.0), self.farthest)
        if bracketed and (not low < step < high or high - low <= MIN_BRACKET_WIDTH * high):
            step = best.step
        found = LineSearch(
            step, self.start, best, other, bracketed, rising, width, before, low, high, self.farthest, self.tried + 1
        )
        return found, False


class Descent(NamedTuple):
    """Where a descent is, and along which line it looks for its next step.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold.stats.optimize.lbfgs import Descent
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


def _tilted(place: TrialStep, slope: float) -> TrialStep:
    """A place of a function less a line of this slope."""
    return place._replace(value=place.value - place.step * slope, slope=place.slope - slope)


def _trial(
    best: TrialStep, other: TrialStep, here: TrialStep, bracketed: bool, low: float, high: float
) -> tuple[TrialStep, TrialStep, float, bool]:
    """Both ends of the interval after a place is known, the step to try next, and whether a minimum is between them."""
    turned = here.slope * math.copysign(1.0, best.slope) < 0
    secant = here.step
    if here.slope != best.slope:
        secant += here.slope / (here.slope - best.slope) * (best.step - here.step)
    if here.value > best.value:  # a minimum is between
        cubic = _cubic(best, here)
        fall = (best.value - here.value) / (here.step - best.step) + best.slope
        parabola = best.step + best.slope / fall / 2 * (here.step - best.step)
        step = cubic if abs(cubic - best.step) <= abs(parabola - best.step) else cubic + (parabola - cubic) / 2
        return best, here, step, True
    if turned:  # so it is here
        cubic = _cubic(here, best)
        step = cubic if abs(cubic - here.step) > abs(secant - here.step) else secant
        return here, best, step, True
    if abs(here.slope) < abs(best.slope):  # it is getting flatter
        cubic = _cubic(here, best, high if here.step > best.step else low)
        nearer = abs(cubic - here.step) < abs(secant - here.step)
        step = cubic if nearer == bracketed else secant
        if not bracketed:
            return here, other, min(max(step, low), high), False
        limit = here.step + 0.66 * (other.step - here.step)
        return here, other, min(limit, step) if here.step > best.step else max(limit, step), True
    if bracketed:
        return here, other, _cubic(here, other), True
    return here, other, high if here.step > best.step else low, False


def _cubic(near: TrialStep, far: TrialStep, without: float | None = None) -> float:
    """Where the cubic through two places is least; `without`: if it has no minimum beyond the first of them."""
    theta = 3 * (near.value - far.value) / (far.step - near.step) + near.slope + far.slope
    size = max(abs(theta), abs(near.slope), abs(far.slope)) or 1.0
    root = size * math.sqrt(max(0.0, (theta / size) ** 2 - near.slope / size * (far.slope / size)))
    root = -root if far.step < near.step else root
    below = root - near.slope + root + far.slope
    share = (root - near.slope + theta) / below if below else 0.5
    if without is not None and not (share < 0 and root):
        return without
    return near.step + share * (far.step - near.step)
