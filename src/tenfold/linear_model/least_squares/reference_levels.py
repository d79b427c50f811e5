"""A column's categories sum to one, as the constant does: what becomes of the one too many.

Without a penalty the first category is the reference, with coefficient 0. With a penalty all stay. Then Xu = 0 for the
directions u in which the constant moves between columns, and u'β = 0 at the optimum: the penalty alone bends the
objective along u. Bent as much as elsewhere it has the same minimum, and its solution keeps its digits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from tenfold.core import Array, Codes, Flags
from tenfold.stats.moments.double_moments import DoubleMoments
from tenfold.stats.moments.moments import Moments
from tenfold.stats.moments.rfactor import RFactor

Matrix = Moments | RFactor | DoubleMoments
"""summaries that have a matrix of all features"""
S = TypeVar("S", Moments, RFactor, DoubleMoments)


def kept_features(levels: Codes, present: Flags, fit_intercept: bool) -> Flags:
    """The features that have a coefficient: not the first category of a column that is `present`, the reference.

    If there is no constant, the categories of the first column take its place, and all are kept.
    """
    keep = np.ones(int(np.maximum(levels, 1).sum()), dtype=bool)
    for cut in _cuts(levels)[0 if fit_intercept else 1 :]:
        keep[cut.start + int(present[cut].argmax())] = False
    return keep


def select(summary: S, keep: Flags | None) -> S:
    """Restrict a summary to the kept features."""
    return summary if keep is None else summary.only(keep)


def expand(values: Array, keep: Flags | None) -> Array:
    """Coefficients and intercept with 0 for the features that have none."""
    if keep is None:
        return values
    whole = np.zeros(len(keep) + 1)
    whole[np.append(keep, True)] = values
    return whole


def steadied(m: Moments, levels: Codes, fit_intercept: bool) -> Moments:
    """Moments whose penalised normal equations have the same solution, and a better condition."""
    each = []
    for cut in _cuts(levels):
        ones = np.zeros(len(m.mean))
        ones[cut] = m.mean[cut] > 0
        each.append(ones)
    comoment = m.comoment.copy()
    for u in each if fit_intercept else [ones - each[0] for ones in each[1:]]:
        at = np.flatnonzero(u)
        comoment[np.ix_(at, at)] += np.outer(u[at], u[at]) * (m.weight / max(len(at), 1) ** 2)
    return replace(m, comoment=comoment)


def _cuts(levels: Codes) -> list[slice]:
    """Ranges of the features that belong to each categorical column."""
    ends = np.cumsum(np.maximum(levels, 1))
    return [slice(int(ends[j] - levels[j]), int(ends[j])) for j in np.flatnonzero(levels)]
