"""The elastic net: argmin 1/(2W) Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + α ρ |β|₁ + ½ α (1 - ρ) |β|², where W = Σ wᵢ."""

from __future__ import annotations

from typing import Annotated

from tenfold.estimator.shell.constraints import share
from tenfold.estimator.shell.parameters import Behind
from tenfold.linear_model.penalized.penalized import Penalised


class ElasticNet(Penalised):
    """Linear regression with both penalties: columns are left out, and columns alike share their coefficient.

    All is as in :class:`Lasso`, with a part of the penalty on the squares of the coefficients.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, above 0.
    l1_ratio : float, default=0.5
        ρ, from 0 (squares only: ridge regression with a penalty of W alpha) to 1 (the lasso).
    fit_intercept : bool, default=True
        Whether to fit a constant beside the columns. It is not penalised.
    positive : bool, default=False
        Whether coefficients may not be negative.
    tol : float, default=1e-12
        The duality gap at which to stop, as a share of half the mean squares of y. Below 1.4e-14 gaps are
        rounding errors, and that is taken instead.
    max_iter : int, default=10000
        Maximum number of sweeps over the coefficients. The certificate bounds the distance from the optimum.
    precompute, copy_X, warm_start, random_state, selection : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    coef_ : array of shape (columns,) or (outputs, columns)
    sparse_coef_ : CSR matrix of shape (1 or outputs, columns)
    intercept_ : float or array of shape (outputs,)
    estimators_ : list
        Of a target of several columns, the fitted model of each.
    n_iter_ : int
        Sweeps.
    dual_gap_ : float
        How far the objective can be above its minimum.
    certificate_ : Certificate
    n_features_in_ : int
    feature_names_in_ : array of str
        Only if the columns have names.

    Examples
    --------
    >>> from tenfold import ElasticNet
    >>> X = [[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]
    >>> model = ElasticNet(alpha=0.5).fit(X, [-3.0, 0.0, 3.0])
    >>> model.coef_.round(3).tolist()
    [1.105, 1.105]
    """

    law_params = (
        {},
        {"alpha": 0.1, "positive": True},
        {"fit_intercept": False, "l1_ratio": 0.9},
    )

    l1_ratio: Annotated[float, share(), Behind("alpha")] = 0.5
