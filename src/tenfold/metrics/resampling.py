"""Units counted again: from how often each unit counts to the summary of them all, without merging again."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.core import Array
from tenfold.engine.merge_tree import merge
from tenfold.metrics.scoring import Summary
from tenfold.stats.metrics import Confusion, LogLoss, Ranking, Regression, Sum


def resampler(units: Sequence[Summary]) -> Callable[[Array], Summary]:
    """Function that maps the count of each unit to the merged summary."""
    return RESAMPLERS[type(units[0])](units)


def jackknife(value: Callable[[Array], float], k: int) -> Array:
    """A number of k units, from how often each counts, with one of them left out at a time."""
    return np.array([value(often) for often in 1.0 - np.eye(k)])


def standard_error(left: Array) -> float:
    """Jackknife standard error, from the values with one unit left out at a time."""
    k = len(left)
    return math.sqrt((k - 1) / k * float(((left - left.mean()) ** 2).sum()))


def _confusions(units: Sequence[Confusion]) -> Callable[[Array], Confusion]:
    rows, count = np.array([u.rows for u in units]), np.array([u.count for u in units])
    return lambda often: Confusion(int(often @ rows), np.tensordot(often, count, 1))


def _losses(units: Sequence[LogLoss]) -> Callable[[Array], LogLoss]:
    table = np.array([[u.rows, u.surprise.value, u.distance.value, *u.weight] for u in units])

    def resampled(often: Array) -> LogLoss:
        rows, surprise, distance, *weight = (often @ table).tolist()
        return LogLoss(int(rows), np.array(weight), Sum(surprise), Sum(distance))

    return resampled


def _regressions(units: Sequence[Regression]) -> Callable[[Array], Regression]:
    total = merge(units)
    table = np.empty((len(units), 6))
    for row, u in zip(table, units, strict=True):
        away = (u.mean - total.mean) + (u.rest - total.rest)
        square = u.square.value + u.weight * away**2
        row[:] = u.rows, u.weight, u.weight * away, square, u.absolute.value, u.squared.value

    def resampled(often: Array) -> Regression:
        rows, weight, away, square, absolute, squared = (often @ table).tolist()
        around = Sum(max(0.0, square - away**2 / weight))
        return Regression(int(rows), weight, total.mean + away / weight, 0.0, around, Sum(absolute), Sum(squared))

    return resampled


def _rankings(units: Sequence[Ranking]) -> Callable[[Array], Ranking]:
    total = merge(units)
    rows = np.array([u.rows for u in units])
    starts = np.concatenate([[0], np.cumsum([len(u.low) for u in units])])
    bins = np.searchsorted(total.low, np.concatenate([u.low for u in units]), side="right") - 1
    shape = (len(units), len(total.low))
    each = [u.positive for u in units], [u.negative for u in units]
    positive, negative = (sp.csr_matrix((np.concatenate(some), bins, starts), shape) for some in each)

    def resampled(often: Array) -> Ranking:
        up, down = often @ positive, often @ negative
        kept = (up > 0) | (down > 0)
        return Ranking(
            int(often @ rows), total.most, total.level, total.low[kept], total.high[kept], up[kept], down[kept]
        )  # fmt: skip

    return resampled


RESAMPLERS: dict[type, Callable[[Any], Callable[[Array], Summary]]] = {
    Confusion: _confusions,
    LogLoss: _losses,
    Ranking: _rankings,
    Regression: _regressions,
}
