"""Scores of repeated predictions for the same rows: of all rows for each repeat, and of each unit over all repeats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from tenfold.core import Array, Codes
from tenfold.stats.metrics import Confusion, Regression, Sum
from tenfold.stats.metrics.scorers import confusion, regression

Said = Sequence[Array]
"""repeated predictions for the rows"""
Found = tuple[tuple[Any, ...], dict[int, Any]]
"""a summary for each time, and for each unit: of the kind that the score is read off"""


def unit_scores(
    summarize: Callable[..., Any], truth: Any, weight: Array | None, unit: Codes, k: int
) -> Callable[[Said], Found]:
    """Summarize repeated predictions for the rows.

    Parameters
    ----------
    summarize : callable
        Of a `Scorer`.
    truth, weight : array
        Of the rows; weight may be None.
    unit : array of int
    k : int
        Classes.
    """
    order = np.argsort(unit, kind="stable")
    ends = np.flatnonzero(np.diff(unit[order], prepend=-1, append=-1))
    each = [(int(unit[order[a]]), order[a:b]) for a, b in pairwise(ends.tolist())]
    if summarize is regression:
        return _regressions(truth, weight, unit, each)
    if summarize is confusion:
        return _confusions(truth, weight, unit, [u for u, _ in each], k)

    def of(said: Said) -> Found:
        times, units = len(said), {}
        for u, rows in each:
            heft = None if weight is None else np.tile(weight[rows], times)
            units[u] = summarize(np.tile(truth[rows], times), np.concatenate([s[rows] for s in said]), heft, k)
        return tuple(summarize(truth, s, weight, k) for s in said), units

    return of


def _regressions(
    truth: Array, weight: Array | None, unit: Codes, each: list[tuple[int, Codes]]
) -> Callable[[Said], Found]:  # fmt: skip
    """Regression summaries of all units; sums of the target alone are computed once."""
    known = {u: regression(truth[r], truth[r], None if weight is None else weight[r]) for u, r in each}
    whole = regression(truth, truth, weight)

    def of(said: Said) -> Found:
        times: list[Regression] = []
        sums = np.zeros((2, int(unit.max()) + 1))
        parts: list[Array] = []
        for s in said:
            error = np.abs(truth - s)
            for square in (False, True):
                loss = error**2 if square else error
                parts.append(np.bincount(unit, loss if weight is None else weight * loss).astype(float))
            if not np.isfinite(parts[-1]).all():
                regression(truth, s, weight)  # says what is wrong, if it is not only large
            sums += parts[-2:]
            times.append(replace(whole, absolute=Sum.of(parts[-2]), squared=Sum.of(parts[-1])))
        n = len(said)
        units = {
            u: replace(
                one, rows=n * one.rows, weight=n * one.weight, square=Sum(n * one.square.value),
                absolute=Sum(float(sums[0, u])), squared=Sum(float(sums[1, u])),
            )
            for u, one in known.items()
        }  # fmt: skip
        return tuple(times), units

    return of


def _confusions(
    truth: Codes, weight: Array | None, unit: Codes, filled: list[int], k: int
) -> Callable[[Said], Found]:  # fmt: skip
    """Confusion matrices of all units, from one count."""
    n = int(unit.max()) + 1
    pair, rows = (unit * k + truth) * k, np.bincount(unit)

    def of(said: Said) -> Found:
        counts = [np.bincount(pair + s, weight, n * k * k).reshape(n, k, k).astype(np.float64) for s in said]
        total = np.sum(counts, axis=0)
        units = {u: Confusion(len(said) * int(rows[u]), total[u]) for u in filled}
        return tuple(Confusion(len(truth), one.sum(axis=0)) for one in counts), units

    return of
