"""Least squares with a squared penalty: argmin ½ Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + ½ α |β|²."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

from tenfold.core import Remedy
from tenfold.estimator import check_is_fitted, fitted
from tenfold.estimator.shell.constraints import array, boolean, choice, real
from tenfold.estimator.shell.keyword_decisions import COUNT_OR_NONE, EXACT, copied, exact_tol, no_sign, one_of, unseeded
from tenfold.estimator.shell.keywords import NoEffect, refused
from tenfold.linear_model.inference.standard_errors import ROBUST
from tenfold.linear_model.least_squares.least_squares import LeastSquares

one_penalty = refused(
    "one penalty holds for all targets",
    Remedy("tn.RidgeCV(alphas=[0.1, 1.0, 10.0])", "or a model for each target"),
    array,
)
any_solver = NoEffect(EXACT, (one_of("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"),))


class Ridge(LeastSquares):
    """Ridge regression, exact in one pass.

    The penalty enters when the model is made from the merged moments, not in the moments, so models of
    parts add up to the model of the whole. The intercept is not penalised.

    Of more than a thousand features, rows are kept while they are fewer, and the dual is solved: one equation for each
    row, (XX' + αI) a = y, and the coefficients are X'a.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    fit_intercept : bool, default=True
        Whether to fit a constant beside the columns.
    standard_errors : {"classical", "HC0", "HC1", "HC2", "HC3", "cluster"}, default="classical"
        As in LinearRegression. They are of the shrunken coefficients and exclude bias; `summary()` shows how much is
        kept of each.
    precision : {"normal", "high"}, default="normal"
        With "high" everything is summed and solved in double-double, about 32 digits, in two scans or more.
    positive : optional
        As in scikit-learn; other values raise an error that names an alternative.
    copy_X, max_iter, tol, solver, random_state : optional
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
    r2_, adjusted_r2_, residual_variance_ : float
    log_likelihood_, aic_, bic_ : float
        Under normal noise, at the variance that makes the likelihood largest.
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

    law_params = (
        {},
        {"alpha": 0.0},
        {"fit_intercept": False},
        {"precision": "high"},
        {"standard_errors": "HC1"},
    )

    alpha: Annotated[float, real(0), one_penalty] = 1.0
    fit_intercept: Annotated[bool, boolean] = True
    standard_errors: Annotated[str, choice("classical", *ROBUST)] = "classical"
    precision: Annotated[str, choice("normal", "high")] = "normal"
    _: KW_ONLY
    copy_X: Annotated[bool, copied] = True
    max_iter: Annotated[int | None, NoEffect(EXACT, COUNT_OR_NONE)] = None
    tol: Annotated[float, exact_tol] = 0.0001
    solver: Annotated[str, any_solver] = "auto"
    positive: Annotated[bool, no_sign] = False
    random_state: Annotated[int | None, unseeded] = None

    @property
    @fitted
    def n_iter_(self) -> int:
        """Number of iterations: 1, since the solution is direct."""
        check_is_fitted(self)
        return 1
