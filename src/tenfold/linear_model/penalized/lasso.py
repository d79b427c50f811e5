"""The lasso: argmin 1/(2W) Σ wᵢ (yᵢ - xᵢᵀβ - β₀)² + α |β|₁, where W = Σ wᵢ."""

from __future__ import annotations

from tenfold.linear_model.penalized.penalized import Penalised


class Lasso(Penalised):
    """Linear regression that leaves columns out, in one pass.

    The objective is scikit-learn's. The moments of the rows are merged; then coordinate descent works on their Gram
    matrix, with direct steps on the columns that are in the model, until the duality gap is at most `tol`. With more
    than 1,000 columns the rows are kept instead while they are fewer than the columns, and only the columns that
    matter are looked at in pairs. `path()` has the models of all penalties, without reading a row.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, above 0.
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
    >>> from tenfold import Lasso
    >>> X = [[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]]
    >>> model = Lasso(alpha=0.5).fit(X, [-3.0, 0.0, 3.0])
    >>> model.coef_.round(3).tolist()
    [2.25, 0.0]
    """

    law_params = (
        {},
        {"alpha": 0.1, "positive": True},
        {"fit_intercept": False},
    )
