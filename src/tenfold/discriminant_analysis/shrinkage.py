"""Covariances drawn towards a multiple of the identity: (1 - s) S + s tr(S)/p I."""

from __future__ import annotations

import numpy as np

from tenfold.core import Array
from tenfold.stats.moments.fourth_moments import ClassFourth
from tenfold.stats.moments.scatter import ClassMoments, Scatter

Shrinkage = str | float | None
Summary = Scatter | ClassMoments | ClassFourth


def shared_covariance(s: Summary, shrinkage: Shrinkage, prior: Array) -> Array:
    """The covariance within classes: pooled, or that of each class, shrunk, averaged by the prior."""
    if isinstance(s, Scatter):
        within = s.within / np.maximum(s.weight.sum(axis=-1), 1e-300)[..., None, None]
        return within if shrinkage is None else shrunk(within, float(shrinkage))
    each = [c for c in range(len(prior)) if _weight(s)[c] > 0]
    share = prior[each] / prior[each].sum() if prior[each].sum() > 0 else np.full(len(each), 1 / len(each))
    return np.asarray(sum(w * _of_class(s, c, shrinkage) for w, c in zip(share, each)))


def total_covariance(s: Summary, shrinkage: Shrinkage) -> Array:
    """The covariance of all rows, regardless of class, shrunk by the same rule."""
    if isinstance(s, ClassFourth):
        return _of_class(s.overall(), 0, shrinkage)
    overall = (s if isinstance(s, Scatter) else s.pooled()).overall()
    return shrunk(overall.comoment / overall.weight, _share(shrinkage))


def shrunk(covariance: Array, shrinkage: float) -> Array:
    """(1 - s) S + s tr(S)/p I."""
    p = len(covariance)
    out = (1.0 - shrinkage) * covariance
    out.flat[:: p + 1] += shrinkage * float(np.trace(covariance)) / p
    return out


def _share(shrinkage: Shrinkage) -> float:
    return 0.0 if shrinkage is None else float(shrinkage)


def _weight(s: ClassMoments | ClassFourth) -> Array:
    return s.moments.weight if isinstance(s, ClassFourth) else s.weight


def _of_class(s: ClassMoments | ClassFourth, c: int, shrinkage: Shrinkage) -> Array:
    """The shrunk covariance of one class; by the rule of Ledoit and Wolf on columns of unit variance."""
    if not isinstance(s, ClassFourth):
        return shrunk(s.comoment[c] / s.weight[c], _share(shrinkage))
    covariance = s.moments.comoment[c] / s.moments.weight[c]
    scale = np.sqrt(np.where(np.diag(covariance) > 0, np.diag(covariance), 1.0))
    unit = np.outer(scale, scale)
    return shrunk(covariance / unit, s.shrinkage(c, scale)) * unit
