"""Least squares with a squared penalty: argmin ½ Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + ½ α |β|²."""

from __future__ import annotations

from typing import Any, ClassVar

from tenfold.estimator.constraints import boolean, real
from tenfold.linear.least_squares import LeastSquares


class Ridge(LeastSquares):
    """Ridge regression, exact in one pass.

    The penalty enters when the model is made from the merged moments, not in the moments, so models of
    parts add up to the model of the whole. The intercept is not penalised.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    fit_intercept : bool, default=True
        Whether to fit a constant beside the columns.

    Attributes
    ----------
    coef_ : array of shape (columns,)
    intercept_ : float
    certificate_ : Certificate
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if the columns have names.

    Examples
    --------
    >>> from tenfold import Ridge
    >>> model = Ridge(alpha=2.0).fit([[-1.0], [0.0], [1.0]], [-2.0, 0.0, 2.0])
    >>> model.coef_
    array([1.])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [real(0)],
        "fit_intercept": [boolean],
    }

    def __init__(self, alpha: float = 1.0, fit_intercept: bool = True) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
