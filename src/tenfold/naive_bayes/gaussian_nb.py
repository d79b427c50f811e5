"""Gaussian naive Bayes: within a class, each column is normal and independent of the others.

log P(c | x) = log π_c - ½ Σ_j [log 2πσ²_cj + (x_j - μ_cj)² / σ²_cj] + const. Weight, mean and
squares by class merge, and the maximum-likelihood model is read off them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tenfold.compiled.moments.densities import log_density
from tenfold.core import Array, Claim, Codes, Columns, Need, Schema
from tenfold.estimator import GroupScored, OnePass
from tenfold.estimator.shell.constraints import array, class_prior, real
from tenfold.naive_bayes.joint_log_proba import JointLogProba
from tenfold.stats.moments.moments import MIN_SQUARE_SCALE, refuse_small
from tenfold.stats.moments.spread import ClassSpread, SpreadByClass


class GaussianModel(NamedTuple):
    """Prior, mean and variance of each class."""

    class_count: Annotated[Array, "class"]
    class_prior: Annotated[Array, "class"]
    theta: Annotated[Array, "class", "column"]
    var: Annotated[Array, "class", "column"]
    epsilon: float


class GaussianNB(OnePass, GroupScored, JointLogProba):
    """Gaussian naive Bayes, exact in one pass.

    Parameters
    ----------
    priors : array of shape (classes,), optional
        Probability of each class; by default as often as it occurs.
    var_smoothing : float, default=1e-9
        This share of the largest variance of a column is added to every variance. The variance is that of the rows with
        their weights, so that a row of weight 2 counts as two; scikit-learn ignores `sample_weight` here.

    Attributes
    ----------
    classes_ : array
    class_count_, class_prior_ : array of shape (classes,)
    theta_, var_ : array of shape (classes, columns)
    epsilon_ : float
        What was added to the variances.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    >>> model.predict([[2.0]]).tolist()
    ['low']
    """

    need = Need("numeric", target="class")

    priors: Annotated[ArrayLike | None, array, None] = None
    var_smoothing: Annotated[float, real(0)] = 1e-9

    solves_stacks = True

    def statistic(self, schema: Schema) -> SpreadByClass:
        class_prior(self.priors, np.ones(len(schema.classes)))  # refuses what is none
        return SpreadByClass(len(schema.classes))

    def solve(self, schema: Schema, s: ClassSpread) -> GaussianModel:
        # Maximum likelihood; smoothing enters here.
        weight, total = s.weight[..., None], s.weight.sum(axis=-1, keepdims=True)
        with np.errstate(over="ignore", invalid="ignore"):  # what cannot be squared is no model, and the loop says so
            mean = (weight * s.mean).sum(axis=-2) / total
            away = np.where(weight > 0, s.mean - mean[..., None, :], 0.0)  # a class without rows has no mean
            overall = (s.square + weight * away**2).sum(axis=-2) / total
            epsilon = np.maximum(self.var_smoothing * overall.max(axis=-1), np.finfo(float).tiny)
        refuse_small(overall, mean, float(epsilon.min()), MIN_SQUARE_SCALE)
        var = np.divide(s.square, weight, out=np.zeros_like(s.square), where=weight > 0) + epsilon[..., None, None]
        epsilon = epsilon if epsilon.ndim else float(epsilon)
        return GaussianModel(s.weight, class_prior(self.priors, s.weight), s.mean, var, epsilon)

    def certify(self, model: GaussianModel, s: ClassSpread) -> tuple[Claim, ...]:
        """The estimate is the optimum; small classes and constant columns are reported."""
        least = int(s.weight.argmin())
        flat = float(((s.square == 0) & (s.weight > 0)[:, None]).sum())
        why = "the merged means and variances themselves, smoothed as asked: closed form"
        few = f"weight of class number {least}, the smallest: its parameters rest on that much"
        claims: tuple[Claim, ...] = (
            Claim("gap", 0.0, "proved", why, "objective"),
            Claim("smallest class", float(s.weight[least]), "proved", few, "data"),
        )
        if flat:
            why = "columns that never change within a class; var_smoothing alone keeps them finite"
            claims += (Claim("constant columns", flat, "proved", why, "data"),)
        return claims

    def scores_by(self, models: Sequence[GaussianModel], X: Columns, codes: Codes) -> Array:
        with np.errstate(divide="ignore"):
            level = np.array([np.log(s.class_prior) - 0.5 * np.log(2 * np.pi * s.var).sum(axis=1) for s in models])
        theta, narrow = np.array([s.theta for s in models]), 0.5 / np.array([s.var for s in models])
        out = np.empty((len(X), level.shape[1]))
        for rows, block in X.blocks(dtype=None, checked=False, whole=True):
            log_density(block, codes[rows], level, theta, narrow, out[rows])
        if not np.isfinite(out).all():
            X.check()
        return out
