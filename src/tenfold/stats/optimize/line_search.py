"""Line search for a step that satisfies the strong Wolfe conditions, one value and slope at a time.

A step t from where φ has the value φ(0) and the slope φ'(0) < 0 is taken if φ(t) ≤ φ(0) + 10⁻³ t φ'(0) and
|φ'(t)| ≤ c |φ'(0)|. Steps to try come from cubics and parabolas through what is known (Moré, Thuente 1994). Nothing is
called back: a caller that needs a pass over all rows for each value keeps the search among its own state.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from tenfold.core.field_values import NOT_NAN

SUFFICIENT_DECREASE = 1e-3
"""the share of the decrease by the first slope that a step must bring"""
MIN_BRACKET_WIDTH = 0.1
"""the width of an interval, as a share of its upper end, at which its best end is taken"""
MAX_STEP = 1e10
"""upper bound of a step"""


class Place(NamedTuple):
    """A step that was tried, with the value and the slope there."""

    step: float
    value: Annotated[float, NOT_NAN]
    slope: float


class LineSearch(NamedTuple):
    """How far a search is: the step to try next, and an interval that holds a step to take once it is bracketed."""

    step: float
    start: Place
    best: Place
    """the lowest of all places, or of all that may be taken"""
    other: Place
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
        start = Place(0.0, value, slope)
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
        here, tilt = Place(t, value, slope), 0.0
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


def _tilted(place: Place, slope: float) -> Place:
    """A place of a function less a line of this slope."""
    return place._replace(value=place.value - place.step * slope, slope=place.slope - slope)


def _trial(
    best: Place, other: Place, here: Place, bracketed: bool, low: float, high: float
) -> tuple[Place, Place, float, bool]:
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


def _cubic(near: Place, far: Place, without: float | None = None) -> float:
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
