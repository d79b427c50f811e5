"""Quadratic discriminant analysis: each class is normal, with a mean and a covariance of its own.

log P(c | x) = log π_c - ½ log |Σ_c| - ½ (x - μ_c)ᵀ Σ_c⁻¹ (x - μ_c) + const. Weight, mean and co-moments by class
merge, and the maximum-likelihood model is read off them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np
import scipy.linalg as sla
from numpy.typing import ArrayLike

from tenfold.compiled.linear_model.discriminants import quadratic_scores
from tenfold.core import Array, Claim, Codes, Columns, Flags, Need, Remedy, Schema
from tenfold.core.field_values import NOT_NAN
from tenfold.estimator import fitted
from tenfold.estimator.shell.constraints import array, class_prior, share
from tenfold.estimator.shell.keyword_decisions import EXACT, FROM_ZERO, MERGED_COVARIANCE, always_there, one_of
from tenfold.estimator.shell.keywords import NoEffect, Refused
from tenfold.linear_model.class_moments.linear_scores import Discriminant, class_means, log_prior, smallest_class
from tenfold.linear_model.class_moments.whitening import MIN_RELATIVE_VARIANCE, Rounded, digits, whiten_all
from tenfold.linear_model.least_squares.normal_equations import varying
from tenfold.stats.moments.moments import refuse_small
from tenfold.stats.moments.scatter import ClassMoments, ComomentsByClass

ROWS_PER_BLOCK = 512
"""rows whose scores are computed at a time, at least"""


class QDAModel(NamedTuple):
    """Prior, mean and covariance of each class, and what distances are measured with."""

    priors: Annotated[Array, "class"]
    means: Annotated[Array, "class", "column"]
    covariance: Annotated[Array, "class", "column", "column"]
    """regularised as asked"""
    whitening: Annotated[Array, "class", "column", "column"]
    """W with |W(x - mean)|² the squared distance"""
    level: Annotated[Array, "class", NOT_NAN]
    """the score of a class at its mean"""


merged_covariance = Refused(MERGED_COVARIANCE, Remedy("tn.QuadraticDiscriminantAnalysis(reg_param=0.1)"), (None,))
by_reg_param = Refused(
    "covariances are shrunk towards the identity by reg_param",
    Remedy("tn.QuadraticDiscriminantAnalysis(reg_param=0.1)"),
    (None,),
)
own_error = NoEffect("a covariance that cannot be inverted is an error of its own", FROM_ZERO)


class QuadraticDiscriminantAnalysis(Discriminant):
    """Quadratic discriminant analysis, exact in one pass.

    Columns are numbers. A class whose rows do not vary in every direction, since they are few or columns repeat each
    other, has no density. It is given a little variance there (1e-10, columns having 1 within classes), and the
    certificate names it: `reg_param` is the remedy. scikit-learn refuses such rows.

    Parameters
    ----------
    priors : array of shape (classes,), optional
        Probability of each class; by default as often as it occurs.
    reg_param : float from 0 to 1, default=0.0
        This share of each covariance is replaced by the identity.
    shrinkage, covariance_estimator : optional
        As in scikit-learn; other values raise an error that names an alternative.
    solver, store_covariance, tol : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    classes_ : array
    priors_ : array of shape (classes,)
    means_ : array of shape (classes, columns)
    covariance_ : array of shape (classes, columns, columns)
        With `reg_param` in it.
    rotations_ : list of array of shape (columns, columns)
        The principal axes of each class.
    scalings_ : list of array of shape (columns,)
        The variance along each of them.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import QuadraticDiscriminantAnalysis
    >>> X = [[-1.0], [0.0], [1.0], [-9.0], [0.5], [9.0]]
    >>> model = QuadraticDiscriminantAnalysis().fit(X, ["near"] * 3 + ["far"] * 3)
    >>> model.predict([[-5.0], [0.2], [5.0]]).tolist()
    ['far', 'near', 'far']
    """

    need = Need("numeric", target="class")
    law_params = (
        {},
        {"reg_param": 0.2},
    )

    priors: Annotated[ArrayLike | None, array, None] = None
    reg_param: Annotated[float, share()] = 0.0
    _: KW_ONLY
    solver: Annotated[str, NoEffect(EXACT, (one_of("svd", "eigen"),))] = "svd"
    shrinkage: Annotated[Any, by_reg_param] = None
    store_covariance: Annotated[bool, always_there] = False
    tol: Annotated[float, own_error] = 0.0001
    covariance_estimator: Annotated[Any, merged_covariance] = None

    solves_stacks = True

    def statistic(self, schema: Schema) -> ComomentsByClass:
        class_prior(self.priors, np.ones(len(schema.classes)))  # refuses what is none
        return ComomentsByClass(len(schema.classes))

    def solve(self, schema: Schema, s: ClassMoments) -> QDAModel:
        # Means and covariances as they are; priors and regularisation enter here.
        prior, _, _, means = class_means(s, self.priors)
        within = np.diagonal(s.pooled().within, axis1=-2, axis2=-1) / s.weight.sum(axis=-1, keepdims=True)
        refuse_small(within, np.abs(s.mean).max(axis=-2), self.reg_param)
        seen, covariance, some = self._whiten(s)
        whitening, log_det = np.zeros_like(covariance), np.zeros_like(prior)
        whitening[seen], log_det[seen] = some.rows, some.log_det
        return QDAModel(prior, means, covariance, whitening, log_prior(prior, s.weight) - 0.5 * log_det)

    def _whiten(self, s: ClassMoments) -> tuple[Flags, Array, Rounded]:
        """Which classes have rows, the covariances, and what makes those of the classes with rows the identity."""
        scatter, p = s.pooled(), s.mean.shape[-1]
        total, unit = scatter.overall(), np.ones(1)
        for square in (total.comoment, scatter.within):
            spread = np.diagonal(square, axis1=-2, axis2=-1) / np.asarray(total.weight)[..., None]
            unit = np.where(varying(spread, np.abs(total.mean), 1.0), np.sqrt(np.maximum(spread, 0.0)), unit)
        seen, covariance = s.weight > 0, np.zeros_like(s.comoment)
        share = (1.0 - self.reg_param) * s.comoment[seen] / s.weight[seen][:, None, None]
        covariance[seen] = share + self.reg_param * np.eye(p)
        units = np.broadcast_to(unit[..., None, :], s.mean.shape)
        return seen, covariance, whiten_all(covariance[seen], units[seen])

    def certify(self, model: QDAModel, s: ClassMoments) -> tuple[Claim, ...]:
        """The estimate is the optimum; lost digits, and classes that do not vary in every direction, are reported."""
        seen, _, each = self._whiten(s)
        why = "the merged means and covariances themselves, regularised as asked: closed form"
        which = "smallest eigenvalue of the correlations within a class: of the distances"
        least = float(np.maximum(each.least, MIN_RELATIVE_VARIANCE).min(initial=1.0))
        claims: tuple[Claim, ...] = (
            Claim("gap", 0.0, "proved", why, "objective"),
            digits(least, float(s.weight.sum()), which),
            smallest_class(s.weight),
        )
        classes = zip(np.flatnonzero(seen).tolist(), each.missing.tolist(), strict=True)
        thin = [(c, lacks) for c, lacks in classes if lacks]
        if thin:
            (c, lacks), p = thin[0], s.mean.shape[1]
            why = (
                f"class number {c} of weight {s.weight[c]:g} does not vary in {lacks} of {p} directions, in which it "
                "is given a variance of next to nothing. Remedy: reg_param above 0, more rows, or fewer columns"
            )
            claims += (Claim("singular classes", float(len(thin)), "estimated", why, "data"),)
        return claims

    def scores_by(self, models: Sequence[QDAModel], X: Columns, codes: Codes) -> Array:
        n, p = X.shape
        center = np.array([m.priors @ m.means for m in models])
        whitening = np.array([m.whitening for m in models])
        moved = np.array([w @ (mean - c) for m, c in zip(models, center) for w, mean in zip(m.whitening, m.means)])
        level = np.array([m.level for m in models])
        groups, classes = level.shape
        out = np.empty((n, classes))
        height = max(1, min(n, max(ROWS_PER_BLOCK, 128 * groups)))
        scratch = (np.empty(groups + 1, np.int64), np.empty(height, np.int64), np.empty((height, p)))
        product = np.empty((p, height))
        moved = moved.reshape(groups, classes, p)
        for rows, block in X.blocks(height, dtype=None, checked=False):
            quadratic_scores(block, codes[rows], center, whitening, moved, level, *scratch, product, out[rows])
        if not np.isfinite(out).all():
            X.check()
        return out

    @property
    @fitted
    def scalings_(self) -> list[Array]:
        """The variance of each class along its principal axes, the largest first."""
        return [sla.eigvalsh(c)[::-1] for c in self.model_.covariance]

    @property
    @fitted
    def rotations_(self) -> list[Array]:
        """The principal axes of each class, as columns."""
        return [sla.eigh(c)[1][:, ::-1] for c in self.model_.covariance]
