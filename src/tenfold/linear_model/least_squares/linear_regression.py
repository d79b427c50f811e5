"""Least squares without a penalty: β = argmin Σ wᵢ (yᵢ - xᵢᵀβ - β₀)²."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

from tenfold.estimator.shell.constraints import boolean, choice
from tenfold.estimator.shell.keyword_decisions import copied, exact_tol, ignored_n_jobs, no_sign
from tenfold.linear_model.inference.standard_errors import ROBUST
from tenfold.linear_model.least_squares.least_squares import LeastSquares


class LinearRegression(LeastSquares):
    """Ordinary least squares, exact in one pass.

    Made from merged moments of the columns and the target. Where those would lose digits that
    the data determine, the rows are read once more for merged R-factors (TSQR); `certificate_` reports
    how many digits hold.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit a constant beside the columns.
    standard_errors : {"classical", "HC0", "HC1", "HC2", "HC3", "cluster"}, default="classical"
        What is assumed of the residuals: one variance; any variance (one scan more); or any variance and dependence
        within the groups given to `fit` (one scan more).
    precision : {"normal", "high"}, default="normal"
        With "high" everything is summed and solved in double-double, about 32 digits, in two scans or more.
    positive : optional
        As in scikit-learn; other values raise an error that names an alternative.
    copy_X, tol, n_jobs : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    coef_ : array of shape (features,) or (outputs, features)
        One for each numeric column, and for each category of the others.
    coef_names_ : array of shape (features,)
        A column, or a column, an underscore, and a category.
    intercept_ : float or array of shape (outputs,)
    estimators_ : list
        Of a target of several columns, the fitted model of each.
    terms_ : array of str
        The names of the coefficients, then "intercept" if there is one. What follows has an entry for each.
    standard_errors_, t_values_, p_values_ : array of shape (terms,)
    covariance_ : array of shape (terms, terms)
    f_test_ : FTest
        Of all coefficients at once: `statistic`, `p_value`, `df`, `df_residual`.
    r2_, adjusted_r2_, residual_variance_ : float
    log_likelihood_, aic_, bic_ : float
        Under normal noise, at the variance that makes the likelihood largest.
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
    >>> model = LinearRegression().fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 2.0, 3.0])
    >>> model.conf_int().round(2).tolist()
    [[-0.01, 1.21], [-0.04, 2.24]]
    """

    law_params = (
        {},
        {"fit_intercept": False},
        {"precision": "high"},
        {"standard_errors": "HC0"},
        {"standard_errors": "HC2"},
        {"standard_errors": "HC3"},
    )

    fit_intercept: Annotated[bool, boolean] = True
    standard_errors: Annotated[str, choice("classical", *ROBUST)] = "classical"
    precision: Annotated[str, choice("normal", "high")] = "normal"
    _: KW_ONLY
    copy_X: Annotated[bool, copied] = True
    tol: Annotated[float, exact_tol] = 1e-06
    n_jobs: Annotated[int | None, ignored_n_jobs] = None
    positive: Annotated[bool, no_sign] = False
    alpha = 0.0
    one_column_is_table = True
