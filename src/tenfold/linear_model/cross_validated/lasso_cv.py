"""The lasso whose penalty is chosen by cross-validation: the α of least mean squared error on new rows."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated

from tenfold.estimator.shell.keyword_decisions import ignored_verbose
from tenfold.linear_model.cross_validated.elastic_net_cv import PathCV


class LassoCV(PathCV):
    """Lasso with the penalty that predicts best, from one scan.

    The rows of each fold are summarized by themselves. Each model that leaves one out is made from the merge of the
    others and scored by the summary of that one, so all folds and penalties cost one scan.

    Parameters
    ----------
    eps : float, default=1e-3
        The least penalty of the grid, as a share of the largest.
    alphas : int or array, default=100
        The penalties to try, or how many.
    fit_intercept : bool, default=True
        Whether to fit a constant beside the columns. It is not penalised.
    positive : bool, default=False
        Whether coefficients may not be negative.
    cv : None, int or array, default=None
        None: ten random folds, to which rows are dealt by their places, so that models merge. An int: so many folds of
        rows in a row, as scikit-learn has them; a first pass counts the rows, and models do not merge. An array: the
        fold of each row.
    random_state : int, default=0
        Seed of the lot. None draws one, and the certificate records it.
    tol : float, default=1e-12
        The duality gap at which each descent stops, as a share of half the mean squares of y. Below 1.4e-14 gaps are
        rounding errors, and that is taken instead.
    max_iter : int, default=10000
        Sweeps over the coefficients at most, for each penalty. Where three penalties of a path have taken them all,
        smaller penalties have a hundredth.
    precompute, copy_X, verbose, n_jobs, selection : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    alpha_ : float
        The penalty of least error; of equals the largest.
    alphas_ : array of shape (alphas,)
    mse_path_ : array of shape (alphas, folds)
    score_digits_ : float
        Digits that rounding leaves of these errors.
    coef_ : array of shape (columns,)
    intercept_ : float
    n_iter_ : int
    dual_gap_ : float
    certificate_ : Certificate
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if the columns have names.

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import LassoCV
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> y = X @ [2.0, 0.0, 0.0, 1.0, 0.0] + X[:, 4] ** 2
    >>> model = LassoCV().fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    >>> model.coef_.round(1).tolist()
    [1.9, 0.0, 0.0, 0.9, 0.2]
    """

    law_params = (
        {"alphas": 5},
        {"alphas": 4, "positive": True},
    )

    _: KW_ONLY
    verbose: Annotated[int, ignored_verbose] = False
