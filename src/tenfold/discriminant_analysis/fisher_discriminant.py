"""Fisher's discriminant: the directions along which the classes are far apart for how far they spread.

Maximise tr((W S_W Wᵀ)⁻¹ (W S_B Wᵀ)) over the rows of W, with S_W the scatter within classes and S_B that of their
means. For two classes that is w = S_W⁻¹ (m₂ - m₁). Weight and mean by class and the pooled scatter merge.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
import scipy.linalg as sla

from tenfold.core import Array, Claim, Need, Schema
from tenfold.core.field_values import NOT_NAN
from tenfold.estimator.shell.constraints import integer
from tenfold.linear_model.class_moments.linear_scores import (
    LinearDiscriminant,
    class_means,
    log_prior,
    shortfalls,
    smallest_class,
)
from tenfold.linear_model.class_moments.projection import Projector, oriented
from tenfold.linear_model.class_moments.whitening import ROUNDING_ASSUMPTION, Whitening, digits, whiten
from tenfold.linear_model.least_squares.normal_equations import varying
from tenfold.stats.moments.moments import refuse_small
from tenfold.stats.moments.scatter import Scatter, ScatterWithinClasses


class FisherModel(NamedTuple):
    """The directions, and the rule that is made of them."""

    means: Annotated[Array, "class", "column"]
    xbar: Annotated[Array, "column"]
    coef: Annotated[Array, "score", "column"]
    """of two classes, w; of more, a score for each"""
    intercept: Annotated[Array, "score", NOT_NAN]
    level: Annotated[Array, "score", NOT_NAN]
    """the score at `xbar`: the intercept without its rounding"""
    scalings: Annotated[Array, "column", "component"]
    criterion: float


class FisherDiscriminant(Projector, LinearDiscriminant):
    """Fisher's discriminant of two or many classes, exact in one pass.

    Two classes: w = S_W⁻¹ (m₂ - m₁) points to the second class of `classes_`, which is predicted where wᵀx > wᵀm, m the
    mean of all rows. Many classes: rows are projected (`transform`), and the nearest mean of a class wins. Nothing is
    assumed of the classes, so nothing is promised: rows it was fitted to may be on the wrong side even where some line
    would separate them. The probabilities are those of normal classes with one covariance whose border is the same.

    Scatters are per row, S_W = Σ (x - m_c)(x - m_c)ᵀ / n, so that coefficients of few and many rows compare. Columns
    are numbers.

    Parameters
    ----------
    n_components : int, optional
        Directions, at most one less than there are classes, which is the default.

    Attributes
    ----------
    classes_ : array
    means_ : array of shape (classes, columns)
    xbar_ : array of shape (columns,)
        Mean of all rows.
    coef_ : array of shape (1, columns), or (classes, columns) of more than two
    intercept_ : array of shape (1,), or (classes,)
        -wᵀm for two classes.
    level_ : array of the same shape
        The scores at `xbar_`.
    scalings_ : array of shape (columns, components)
        The rows of W as columns, of unit spread within classes: W S_W Wᵀ = I.
    criterion_ : float
        tr((W S_W Wᵀ)⁻¹ (W S_B Wᵀ)).
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import FisherDiscriminant
    >>> X = [[0.0, 0.0], [2.0, 1.0], [1.0, 2.0], [5.0, 0.0], [7.0, 1.0], [6.0, 2.0]]
    >>> model = FisherDiscriminant().fit(X, [0, 0, 0, 1, 1, 1])
    >>> model.coef_.round(3).tolist()
    [[10.0, -5.0]]
    >>> model.predict([[2.5, 0.0], [4.5, 1.0]]).tolist()
    [0, 1]
    """

    need = Need("numeric", target="class")

    n_components: Annotated[int | None, integer(1), None] = None

    def statistic(self, schema: Schema) -> ScatterWithinClasses:
        return ScatterWithinClasses(len(schema.classes))

    def solve(self, schema: Schema, s: Scatter) -> FisherModel:
        share, center, apart, means = class_means(s, None)
        refuse_small(np.diag(s.within) / s.weight.sum(), np.abs(s.mean).max(axis=0))
        white = _whiten(s)
        k, p = means.shape
        white_means = apart @ white.half
        _, values, vectors = sla.svd(white_means * np.sqrt(share)[:, None], full_matrices=False)
        count = min(k - 1, p, k if self.n_components is None else self.n_components)
        towards = apart[1] - apart[0] if k == 2 else None
        some = oriented(white.half @ vectors[:count].T, np.sqrt(np.diag(s.within)), towards)
        scalings = np.zeros((p, count))
        scalings[:, : some.shape[1]] = some
        if k == 2:
            coef = (white_means[1:] - white_means[:1]) @ white.half.T
            level = log_prior(share, s.weight)
            level = np.where(s.weight.all(), 0.0, level[1:] - level[:1])
        else:
            near = apart @ scalings
            coef = near @ scalings.T
            level = np.where(s.weight > 0, -0.5 * (near**2).sum(axis=1), -np.inf)
        criterion = float((values[:count] ** 2).sum())
        return FisherModel(means, center, coef, level - coef @ center, level, scalings, criterion)

    def certify(self, model: FisherModel, s: Scatter) -> tuple[Claim, ...]:
        """The criterion reached, the digits that hold, and directions that the rows do not determine."""
        white = _whiten(s)
        reached = "tr((W S_W Wᵀ)⁻¹ (W S_B Wᵀ)) of these directions, which no others exceed: leading eigenvectors"
        which = (
            "smallest eigenvalue of the correlations within classes: of the coefficients, columns having unit variance"
        )
        return (
            Claim("criterion", model.criterion, "estimated", reached, "objective", ROUNDING_ASSUMPTION),
            digits(white.least, float(s.weight.sum()), which),
            smallest_class(s.weight),
            *shortfalls(
                white.varies, white.rank, "LinearDiscriminantAnalysis(shrinkage=), more rows, or fewer columns"
            ),
        )

    def directions(self, model: FisherModel) -> tuple[Array, Array]:
        return model.xbar, model.scalings


def _whiten(s: Scatter) -> Whitening:
    covariance = s.within / float(s.weight.sum())
    return whiten(covariance, varying(np.diag(covariance), np.abs(s.mean).max(axis=0), 1.0), 1e-4)
