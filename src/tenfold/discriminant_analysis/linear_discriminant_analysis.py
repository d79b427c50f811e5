"""Linear discriminant analysis: the classes are normal, with means of their own and one covariance.

log P(c | x) = log π_c - ½ (x - μ_c)ᵀ Σ⁻¹ (x - μ_c) + const, in which the squares of x are the same for all classes: the
rest is linear. Weight and mean by class and the pooled scatter merge, and the model is read off them.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np
import scipy.linalg as sla
from numpy.typing import ArrayLike

from tenfold.core import Array, Claim, Need, Remedy, Schema
from tenfold.core.field_values import NOT_NAN
from tenfold.discriminant_analysis.shrinkage import shared_covariance, total_covariance
from tenfold.estimator.shell.constraints import array, choice, class_prior, integer, real, share
from tenfold.estimator.shell.keyword_decisions import EXACT, MERGED_COVARIANCE, always_there, one_of
from tenfold.estimator.shell.keywords import NoEffect, Refused
from tenfold.linear_model.class_moments.linear_scores import (
    LinearDiscriminant,
    class_means,
    log_prior,
    shortfalls,
    smallest_class,
)
from tenfold.linear_model.class_moments.projection import Projector, oriented
from tenfold.linear_model.class_moments.whitening import Whitening, digits, whiten, whiten_each
from tenfold.linear_model.least_squares.normal_equations import varying
from tenfold.stats.moments.fourth_moments import ClassFourth, FourthByClass
from tenfold.stats.moments.moments import refuse_small
from tenfold.stats.moments.scatter import ClassMoments, ComomentsByClass, Scatter, ScatterWithinClasses


class LDAModel(NamedTuple):
    """Means, the shared covariance, and the scores made of them."""

    priors: Annotated[Array, "class"]
    means: Annotated[Array, "class", "column"]
    xbar: Annotated[Array, "column"]
    covariance: Annotated[Array, "column", "column"]
    coef: Annotated[Array, "score", "column"]
    """a score for each class; of two classes, that of the second against the first"""
    intercept: Annotated[Array, "score", NOT_NAN]
    level: Annotated[Array, "score", NOT_NAN]
    """the score at `xbar`: the intercept without its rounding"""
    scalings: Annotated[Array, "column", "component"]
    explained_variance_ratio: Annotated[Array, "component"]


merged_covariance = Refused(MERGED_COVARIANCE, Remedy('tn.LinearDiscriminantAnalysis(shrinkage="auto")'), (None,))


class LinearDiscriminantAnalysis(Projector, LinearDiscriminant):
    """Linear discriminant analysis, exact in one pass.

    It classifies, and it projects rows on the directions that separate the classes best (`transform`). Columns are
    numeric. Directions without variance within classes are left out, and the certificate reports them.

    Parameters
    ----------
    priors : array of shape (classes,), optional
        Probability of each class; by default as often as it occurs.
    shrinkage : {"auto"} or float from 0 to 1, optional
        How much of the covariance of each class is replaced by a multiple of the identity; "auto" is by the rule of
        Ledoit and Wolf, on columns of unit variance. With it, the covariances of the classes are averaged by the
        priors, without it by the weights of their rows.
    n_components : int, optional
        Components that `transform` gives, at most one less than there are classes, which is the default.
    tol : float, default=1e-4
        Within classes, directions whose standard deviation is at most this are left out, columns having 1.
    covariance_estimator : optional
        As in scikit-learn; other values raise an error that names an alternative.
    solver, store_covariance : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    classes_ : array
    priors_ : array of shape (classes,)
    means_ : array of shape (classes, columns)
    xbar_ : array of shape (columns,)
        Mean of the means, weighted by the priors.
    covariance_ : array of shape (columns, columns)
    coef_ : array of shape (classes, columns), or (1, columns) of two classes
    intercept_ : array of shape (classes,), or (1,)
    level_ : array of the same shape
        The scores at `xbar_`.
    scalings_ : array of shape (columns, components)
    explained_variance_ratio_ : array of shape (components,)
        Share of each component in the variance between classes.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import LinearDiscriminantAnalysis
    >>> X = [[0.0, 1.0], [1.0, 2.0], [2.0, 1.5], [6.0, 1.0], [7.0, 2.0], [8.0, 1.5]]
    >>> model = LinearDiscriminantAnalysis().fit(X, ["low"] * 3 + ["high"] * 3)
    >>> model.predict([[3.0, 1.5], [5.0, 1.5]]).tolist()
    ['low', 'high']
    >>> model.transform(X).shape
    (6, 1)
    """

    need = Need("numeric", target="class")
    law_params = ({}, {"shrinkage": "auto"}, {"shrinkage": 0.3})

    priors: Annotated[ArrayLike | None, array, None] = None
    shrinkage: Annotated[str | float | None, choice("auto"), share(), None] = None
    n_components: Annotated[int | None, integer(1), None] = None
    tol: Annotated[float, real(0)] = 1e-4
    _: KW_ONLY
    solver: Annotated[str, NoEffect(EXACT, (one_of("svd", "lsqr", "eigen"),))] = "svd"
    store_covariance: Annotated[bool, always_there] = False
    covariance_estimator: Annotated[Any, merged_covariance] = None

    @property
    def solves_stacks(self) -> bool:  # type: ignore[override]
        return self.shrinkage is None

    def statistic(self, schema: Schema) -> ScatterWithinClasses | ComomentsByClass | FourthByClass:
        k = len(schema.classes)
        class_prior(self.priors, np.ones(k))  # refuses what is none
        if self.shrinkage == "auto":
            return FourthByClass(k)
        return (ScatterWithinClasses if self.shrinkage is None or self.priors is None else ComomentsByClass)(k)

    def solve(self, schema: Schema, s: Scatter | ClassMoments | ClassFourth) -> LDAModel:
        # Means and covariance as they are; priors and shrinkage enter here.
        scatter = s if isinstance(s, Scatter) else s.pooled()
        prior, center, apart, means = class_means(scatter, self.priors)
        covariance = shared_covariance(s, self.shrinkage, prior)
        variance, size = np.diagonal(covariance, axis1=-2, axis2=-1), np.abs(scatter.mean).max(axis=-2)
        refuse_small(variance, size)
        half, _, _ = whiten_each(covariance, varying(variance, size, 1.0), self._least_deviation)
        white_means = np.matmul(apart, half)
        k, p = means.shape[-2:]
        if self.shrinkage is None:
            row_weight = np.sqrt(scatter.weight.sum(axis=-1, keepdims=True) * prior / max(k - 1, 1))
            _, values, vectors = np.linalg.svd(white_means * row_weight[..., None], full_matrices=False)
            total = np.maximum((values**2).sum(axis=-1, keepdims=True), np.finfo(np.float64).tiny)
            kept = values > self.tol * values[..., :1]
            ratio = values**2 / total
            across = np.where(kept[..., None], vectors, 0.0)
            turn = np.swapaxes(across, -1, -2)
            white_means = np.matmul(np.matmul(white_means, turn), across)
        else:
            between = half.T @ (total_covariance(s, self.shrinkage) - covariance) @ half
            values, vectors = sla.eigh(between)
            turn = vectors[:, ::-1]
            ratio = values[::-1] / values.sum() if values.sum() > 0 else np.zeros_like(values)
        coef = np.matmul(white_means, np.swapaxes(half, -1, -2))
        level = log_prior(prior, scatter.weight) - 0.5 * (white_means**2).sum(axis=-1)
        if k == 2:
            coef, level = coef[..., 1:, :] - coef[..., :1, :], level[..., 1:] - level[..., :1]
        count = min(k - 1, p, k if self.n_components is None else self.n_components)
        towards = apart[..., 1, :] - apart[..., 0, :] if k == 2 else None
        scalings = oriented(np.matmul(half, turn[..., :count]), np.sqrt(variance), towards)
        intercept = level - np.matmul(coef, center[..., None])[..., 0]
        return LDAModel(prior, means, center, covariance, coef, intercept, level, scalings, ratio[..., :count])

    @property
    def _least_deviation(self) -> float:
        """Of a direction that is kept, columns having 1 within classes."""
        return self.tol if self.shrinkage is None else 1e-7

    def _whiten(self, s: Scatter, covariance: Array) -> Whitening:
        return whiten(covariance, varying(np.diag(covariance), np.abs(s.mean).max(axis=0), 1.0), self._least_deviation)

    def certify(self, model: LDAModel, s: Scatter | ClassMoments | ClassFourth) -> tuple[Claim, ...]:
        """The estimate is the optimum; lost digits, small classes and missing directions are reported."""
        scatter = s if isinstance(s, Scatter) else s.pooled()
        white = self._whiten(scatter, model.covariance)
        how = "as they are" if self.shrinkage is None else "shrunk as asked"
        why = f"the merged means and the scatter within classes, {how}: closed form"
        which = (
            "smallest eigenvalue of the correlations within classes: of the coefficients, columns having unit variance"
        )
        return (
            Claim("gap", 0.0, "proved", why, "objective"),
            digits(white.least, float(scatter.weight.sum()), which),
            smallest_class(scatter.weight),
            *shortfalls(white.varies, white.rank, "shrinkage, more rows, or fewer columns"),
        )

    def directions(self, model: LDAModel) -> tuple[Array, Array]:
        return model.xbar, model.scalings
