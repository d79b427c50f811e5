"""Least squares without a penalty: β = argmin Σ wᵢ (yᵢ - xᵢᵀβ - β₀)²."""

from __future__ import annotations

from typing import Any, ClassVar

from tenfold.estimator.constraints import boolean
from tenfold.linear.least_squares import LeastSquares


class LinearRegression(LeastSquares):
    """Ordinary least squares, exact in one pass.

    Made from merged moments of the columns and the target. Where those would lose digits that
    the data can tell, the rows are read once more for merged R-factors (TSQR); `certificate_` says
    how many digits hold.

    Parameters
    ----------
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
    >>> from tenfold import LinearRegression
    >>> monday = LinearRegression().fit([[0.0], [1.0]], [1.0, 3.0])
    >>> tuesday = LinearRegression().fit([[2.0], [4.0]], [5.0, 9.0])
    >>> (monday + tuesday).coef_.round(6)
    array([2.])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"fit_intercept": [boolean]}
    alpha = 0.0

    def __init__(self, fit_intercept: bool = True) -> None:
        self.fit_intercept = fit_intercept
