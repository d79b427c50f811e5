"""Between which values a score lies on unseen rows: exact for rates of independent rows, else from unit to unit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from tenfold.core import Array, DataError
from tenfold.metrics.resampling import jackknife, resampler, standard_error
from tenfold.model_selection.certification.intervals import error_interval
from tenfold.model_selection.certification.targets import Asked, UnitScores
from tenfold.stats.metrics import Confusion
from tenfold.theory.bounds.held_out import UNSEEN

MIN_GROUPS = 10
"""groups: with fewer, an interval over them is rough"""
GROUP_ASSUMPTIONS = "groups drawn independently from one distribution, none of their rows used to make the model"


@dataclass(frozen=True)
class IntervalBounds:
    """Bounds of a confidence interval, and their method."""

    low: float
    high: float
    status: Literal["with confidence", "estimated"]
    by: str
    assumptions: str


def ends_of(
    judged: UnitScores, asked: Asked, value: float, tail: float, method: str, seed: int
) -> IntervalBounds | None:
    """Confidence bounds, each exceeded with probability `tail`; None if the variance cannot be estimated."""
    if asked.is_rate and not judged.groups and not judged.weighted:
        total = judged.total(asked)
        assert isinstance(total, Confusion)
        found = error_interval(round(total.wrong), judged.rows, 1 - 2 * tail)
        low, high = (found.low, found.high) if asked.kind == "error" else (1 - found.high, 1 - found.low)
        return IntervalBounds(low, high, "with confidence", "by the exact interval of Clopper and Pearson", UNSEEN)
    units = judged.unit_summaries(asked)
    k = len(units)
    if k < 2:
        what = "groups" if judged.groups else "rows"
        raise DataError(f"there are not two {what} to score: the variance cannot be estimated. Remedy: more {what}")
    again = resampler(units)

    def score(often: Array) -> float:
        """The score, if units count so often."""
        return asked.of(again(often))

    few = f" of {judged.groups} groups only, so they are rough" if 0 < judged.groups < MIN_GROUPS else ""
    drawn = GROUP_ASSUMPTIONS if judged.groups else UNSEEN
    enough = f"{drawn}, and enough of them that the score is nearly normal"
    if asked.is_rate:
        weight = np.array([float(u.count.sum()) for u in units if isinstance(u, Confusion)])
        low, high = _rate(value, standard_error(jackknife(score, k)), weight, judged.rows, tail)
        by = f"by an exact interval at the effective number of rows (Korn and Graubard){few}"
        return IntervalBounds(low, high, "estimated", by, enough)
    if method == "bootstrap":
        low, high = _bootstrap(score, k, tail, seed)
        by, enough = f"by resampling {'groups' if judged.groups else 'rows'} (bootstrap){few}", drawn
    else:
        half = -float(special.stdtrit(k - 1, tail)) * standard_error(jackknife(score, k))
        low, high = value - half, value + half
        what = "groups" if judged.groups == k else "groups, joined" if judged.groups else "units of rows"
        by = f"by t times the standard error over {k} {what}{few}"
    if not low < high:  # NaN too
        return None  # no unit differs from the others: there is nothing to tell a spread from
    return IntervalBounds(max(asked.low, low), min(asked.high, high), "estimated", by, enough)


def _rate(p: float, error: float, weight: Array, rows: int, tail: float) -> tuple[float, float]:
    """Bounds of the error rate of dependent rows: exact ones for the effective number of rows."""
    if 0 < p < 1:
        worth = p * (1 - p) / error**2 if error else float(rows)
        worth *= float(special.stdtrit(max(rows - 1, 1), tail) / special.stdtrit(len(weight) - 1, tail)) ** 2
    else:  # nothing tells how alike the rows of a unit are: count units
        worth = float(weight.sum() ** 2 / (weight**2).sum())
    n = min(worth, float(rows))
    x = p * n
    low = float(special.betaincinv(x, n - x + 1, tail)) if p > 0 else 0.0
    high = float(special.betainccinv(x + 1, n - x, tail)) if p < 1 else 1.0
    return low, high


def _bootstrap(score: Callable[[Array], float], k: int, tail: float, seed: int) -> tuple[float, float]:
    """Quantiles of the score of units drawn again, moved out as t is beyond the normal approximation."""
    tail = float(special.ndtr(math.sqrt(k / (k - 1)) * special.stdtrit(k - 1, tail)))
    draws = min(max(2000, math.ceil(50 / tail)), 50_000)
    random = np.random.default_rng(seed)
    found = np.array([score(np.bincount(random.integers(k, size=k), minlength=k).astype(float)) for _ in range(draws)])
    if np.isnan(found).all():
        return math.nan, math.nan
    low, high = np.nanquantile(found, [tail, 1 - tail])
    return float(low), float(high)
