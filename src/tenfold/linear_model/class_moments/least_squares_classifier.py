"""The least-squares classifier: regress the 1-of-K indicators of the classes on the columns, the largest output wins.

Minimise Σ |t - Wᵀx - w₀|², where t is 1 for the row's class and 0 for the others. The normal equations come from
weight and mean by class and the pooled scatter: the scatter of all rows is S_W + S_B, and
Σ (x - m)(t_c - n_c/n) = n_c (m_c - m).
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Need, Schema
from tenfold.linear_model.class_moments.linear_scores import LinearDiscriminant, class_means, shortfalls, smallest_class
from tenfold.linear_model.class_moments.whitening import ROUNDING_ASSUMPTION, Whitening, digits, whiten
from tenfold.linear_model.least_squares.normal_equations import varying
from tenfold.stats.moments.moments import refuse_small
from tenfold.stats.moments.scatter import Scatter, ScatterWithinClasses


class IndicatorModel(NamedTuple):
    """Linear model with one output for each class indicator."""

    class_count: Annotated[Array, "class"]
    means: Annotated[Array, "class", "column"]
    xbar: Annotated[Array, "column"]
    coef: Annotated[Array, "class", "column"]
    intercept: Annotated[Array, "class"]
    level: Annotated[Array, "class"]
    """the outputs at `xbar`, which are the shares of the classes"""


class LeastSquaresClassifier(LinearDiscriminant):
    """Least squares on 1-of-K indicators, exact in one pass.

    The outputs add up to 1 for every row, but they are not probabilities: they may be below 0 or above 1.
    `predict_proba` gives the probabilities nearest to them. Squares punish outputs that are too right, so rows far away
    on their own side move the border, and of three classes in a row the middle one may never win. Where that matters,
    take :class:`~tenfold.LinearDiscriminantAnalysis` or logistic regression. Columns are numbers.

    Attributes
    ----------
    classes_ : array
    class_count_ : array of shape (classes,)
    means_ : array of shape (classes, columns)
    xbar_ : array of shape (columns,)
        Mean of all rows.
    coef_ : array of shape (classes, columns)
    intercept_ : array of shape (classes,)
    level_ : array of shape (classes,)
        The outputs at `xbar_`: the shares of the classes.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import LeastSquaresClassifier
    >>> model = LeastSquaresClassifier().fit([[0.0], [1.0], [3.0], [4.0]], ["low", "low", "top", "top"])
    >>> model.coef_.tolist()
    [[-0.3], [0.3]]
    >>> model.predict([[1.9], [2.1]]).tolist()
    ['low', 'top']
    """

    need = Need("numeric", target="class")

    def statistic(self, schema: Schema) -> ScatterWithinClasses:
        return ScatterWithinClasses(len(schema.classes))

    def solve(self, schema: Schema, s: Scatter) -> IndicatorModel:
        share, center, apart, means = class_means(s, None)
        refuse_small(np.diag(s.within) / s.weight.sum(), np.abs(s.mean).max(axis=0))
        white = _whiten(s)
        coef = ((share[:, None] * apart) @ white.half) @ white.half.T
        return IndicatorModel(s.weight, means, center, coef, share - coef @ center, share)

    def certify(self, model: IndicatorModel, s: Scatter) -> tuple[Claim, ...]:
        """Claims about the distance from the optimum, the digits that hold, and undetermined directions."""
        white = _whiten(s)
        share, _, apart, _ = class_means(s, None)
        total = s.overall()
        slip = (share[:, None] * apart - model.coef @ (total.comoment / total.weight)) @ white.half
        size = float((share * (1 - share)).sum())
        why = "residual of the normal equations, as a share of the squares of the indicators around their means"
        which = (
            "smallest eigenvalue of the correlations of the columns: of the coefficients, columns having unit variance"
        )
        return (
            Claim(
                "gap",
                float((slip**2).sum()) / size if size > 0 else 0.0,
                "estimated",
                why,
                "objective",
                ROUNDING_ASSUMPTION,
            ),
            digits(white.least, total.weight, which),
            smallest_class(s.weight),
            *shortfalls(white.varies, white.rank, "fewer columns", "rows"),
        )

    def probability_from(self, scores: Array) -> Array:
        ordered = -np.sort(-scores, axis=1)
        count = np.arange(1, scores.shape[1] + 1)
        excess = (np.cumsum(ordered, axis=1) - 1.0) / count
        last = (ordered > excess).sum(axis=1) - 1
        return np.maximum(scores - excess[np.arange(len(scores)), last][:, None], 0.0)

    def log_probability_from(self, scores: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.log(self.probability_from(scores))


def _whiten(s: Scatter) -> Whitening:
    total = s.overall()
    covariance = total.comoment / total.weight
    return whiten(covariance, varying(np.diag(covariance), np.abs(total.mean), 1.0), 1e-6)
