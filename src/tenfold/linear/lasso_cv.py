"""The lasso whose penalty is chosen by cross-validation: the α of least mean squared error on new rows."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import ArrayLike

from tenfold.estimator.constraints import Constraints, array, boolean, integer, real, seed, share
from tenfold.linear.by_fold import CV
from tenfold.linear.elastic_net_cv import PathCV


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
        As in scikit-learn, and without effect: *Coming from scikit-learn* says why.

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
    _parameter_constraints: ClassVar[Constraints] = {
        "eps": [share(open=True, low=1e-12)],
        "alphas": [integer(1, 100_000), array],
        "fit_intercept": [boolean],
        "positive": [boolean],
        "cv": CV,
        "random_state": [seed],
        "tol": [real(0)],
        "max_iter": [integer(1)],
    }

    def __init__(
        self,
        eps: float = 1e-3,
        alphas: ArrayLike = 100,
        fit_intercept: bool = True,
        positive: bool = False,
        cv: Any = None,
        random_state: int = 0,
        tol: float = 1e-12,
        max_iter: int = 10_000,
        *,
        precompute: Any = "auto",
        copy_X: bool = True,
        verbose: int = False,
        n_jobs: int | None = None,
        selection: str = "cyclic",
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.cv = cv
        self.random_state = random_state
        self.tol = tol
        self.max_iter = max_iter
        self.precompute = precompute
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.selection = selection
