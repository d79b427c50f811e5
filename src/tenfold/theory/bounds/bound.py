"""Bound: a number, its assumptions, its formula, and whether it is vacuous."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

DRAWN = "rows drawn independently from one distribution"


@dataclass(frozen=True)
class Bound:
    """Proved upper or lower limit of a quantity.

    `float(bound)` is the number.

    Parameters
    ----------
    value : float
        The number the formula gives, as it comes: an error bound may be above 1.
    assumptions : str
        The assumptions.
    formula : str
        How the number was computed.
    vacuous : bool
        Whether the value is trivial, such as an error of at most 1.

    Examples
    --------
    >>> from tenfold.theory import Bound
    >>> print(Bound(0.25, "rows drawn independently", "k/m", False))
    at most 0.25 by k/m, assuming rows drawn independently
    >>> print(Bound(1.5, "rows drawn independently", "k/m", True))
    at most 1.5 by k/m (vacuous: says nothing), assuming rows drawn independently
    """

    value: float
    assumptions: str
    formula: str
    vacuous: bool

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        empty = " (vacuous: says nothing)" if self.vacuous else ""
        text = f"at most {self.value:.6g} by {self.formula}{empty}"
        return f"{text}, assuming {self.assumptions}" if self.assumptions else text


def below(trivial: float, value: float, formula: str, assumptions: str) -> Bound:
    """The bound `value`, vacuous from `trivial` on."""
    return Bound(float(value), assumptions, formula, not value < trivial)


def least(fits: Callable[[int], bool], guess: float) -> int:
    """The least number of rows that fits, where all larger ones fit; quick if the guess is close."""
    high = max(1, ceil(guess))
    step = 1
    if fits(high):
        low = high - 1
        while low > 0 and fits(low):
            high, low, step = low, max(0, low - 2 * step), 2 * step
    else:
        while True:
            low, high, step = high, high + step, 2 * step
            if fits(high):
                break
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high
