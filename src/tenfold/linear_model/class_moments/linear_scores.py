"""What discriminants share: class means from merged scatter, and linear scores of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from tenfold.compiled.linear_model.discriminants import linear_scores
from tenfold.core import Array, Claim, Codes, Columns, Flags, MatrixLike
from tenfold.estimator import GroupScored, OnePass, fitted
from tenfold.estimator.shell.constraints import class_prior
from tenfold.stats.moments.scatter import ClassMoments, Scatter


class LinearScores(Protocol):
    """A model whose score of a class is level + <x - xbar, coef>."""

    @property
    def means(self) -> Array:
        """Mean of the columns for each class."""

    @property
    def xbar(self) -> Array:
        """The point that columns are measured from."""

    @property
    def coef(self) -> Array:
        """Coefficients of the linear score of each class."""

    @property
    def level(self) -> Array:
        """Scores of all classes at the centre `xbar`."""


class ClassMeans(NamedTuple):
    """The classes' means around a common centre."""

    prior: Array
    center: Array
    """Σ prior · mean"""
    deviation: Array
    """mean - centre, 0 for a class without rows"""
    mean: Array


def class_means(s: Scatter | ClassMoments, priors: ArrayLike | None) -> ClassMeans:
    """Means of the classes; the centre for classes without rows. Of a stack of summaries, those of each."""
    seen = s.weight > 0
    prior = class_prior(priors, s.weight)
    share = np.where(seen, prior, 0.0)
    total = share.sum(axis=-1, keepdims=True)
    share = np.where(total > 0, share, seen) / np.where(total > 0, total, seen.sum(axis=-1, keepdims=True))
    first = s.weight.argmax(axis=-1)[..., None, None]
    mean, rest = np.take_along_axis(s.mean, first, -2), np.take_along_axis(s.rest, first, -2)
    deviation = np.where(seen[..., None], (s.mean - mean) + (s.rest - rest), 0.0)
    middle = np.matmul(share[..., None, :], deviation)
    deviation = np.where(seen[..., None], deviation - middle, 0.0)
    center = mean + (rest + middle)
    return ClassMeans(prior, center[..., 0, :], deviation, np.where(seen[..., None], s.mean, center))


def log_prior(prior: Array, weight: Array) -> Array:
    """The logarithm of the prior; no row is of a class that was never seen."""
    with np.errstate(divide="ignore"):
        return np.where(weight > 0, np.log(prior), -np.inf)


def smallest_class(weight: Array) -> Claim:
    """Which class rests on the least."""
    least = int(weight.argmin())
    few = f"weight of class number {least}, the smallest: its parameters rest on that much"
    return Claim("smallest class", float(weight[least]), "proved", few, "data")


def shortfalls(varies: Flags, rank: int, remedy: str, where: str = "classes") -> tuple[Claim, ...]:
    """Claims about columns that are constant or collinear; empty if there are none."""
    claims: tuple[Claim, ...] = ()
    still, varying = int((~varies).sum()), int(varies.sum())
    if still:
        why = f"these columns change by no more than rounding within {where}; they are left out"
        claims += (Claim("constant columns", float(still), "estimated", why, "data"),)
    if rank < varying:
        why = f"{where} vary in {rank} of {varying} directions; the other directions are left out. Remedy: {remedy}"
        claims += (Claim("rank", float(rank), "estimated", why, "data"),)
    return claims


class Discriminant(OnePass, GroupScored):
    """Scores that are logarithms of odds or outputs of their own; `scores_by` is the learner's."""

    has_decision_function = True

    def decision_from(self, model: object, X: Columns) -> Array:
        """The scores, of two classes that of the second less that of the first."""
        scores = self.scores_from(model, X)
        return np.asarray(scores[:, 1] - scores[:, 0]) if scores.shape[1] == 2 else scores

    @fitted
    def decision_function(self, X: MatrixLike) -> Any:
        """The scores of the classes; of two classes, by how much the second is ahead.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        scores : array of shape (rows, classes), or (rows,) of two classes
        """

        def names() -> list[str]:
            return ["score"] if len(self.classes_) == 2 else [f"score_{c}" for c in self.classes_]

        return self._apply(type(self).decision_from, X, names)


class LinearDiscriminant(Discriminant):
    """Scores level + <x - xbar, coef>; two classes may have one, that of the second against the first."""

    def scores_by(self, models: Sequence[LinearScores], X: Columns, codes: Codes) -> Array:
        center, coef = np.array([m.xbar for m in models]), np.array([m.coef for m in models])
        level = np.array([m.level for m in models])
        out = np.empty((len(X), level.shape[1]))
        for rows, block in X.blocks(dtype=None, checked=False, whole=True):
            linear_scores(block, codes[rows], center, coef, level, out[rows])
        if not np.isfinite(out).all():
            X.check()
        if len(models[0].means) != 2 or level.shape[1] == 2:
            return out
        return np.minimum(np.concatenate([-out, out], axis=1), 0.0)
