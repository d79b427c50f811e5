"""Gamma regression: argmin Σ wᵢ (ηᵢ + yᵢ exp(-ηᵢ)) / Σ wᵢ + ½ α |β|², with η = xᵀβ + β₀."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.linear_model.glm import GAMMA
from tenfold.core import Array
from tenfold.linear_model.glm.log_link import LogLink


class GammaRegressor(LogLink):
    """Gamma regression with a logarithmic link by Newton's method, exact in each pass.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, beside the mean loss of a row. The intercept is not penalised.
    fit_intercept : bool, default=True
        Whether to fit a constant beside the columns.
    offset : str or int, optional
        The column of X, by its name or number, whose coefficient is one.
    tol : float, default=1e-14
        Stop when the objective is proved to be at most so much above its minimum.
    max_iter : int, default=100
        Passes over all rows at most.
    standard_errors : {"classical", "HC0", "HC1", "HC2", "HC3", "cluster"}, default="classical"
        What is assumed of the target beside its mean: the distribution of the model; any (one scan more); or any, and
        dependence within the groups given to `fit` (one scan more).
    solver, warm_start, verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    coef_ : array of shape (features,)
    intercept_ : float
    standard_errors_, z_values_, p_values_ : array
        Of the coefficients, then the intercept; without a penalty only. See also `summary()`.
    coef_names_ : array of str
    n_iter_ : int
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import GammaRegressor
    >>> model = GammaRegressor(alpha=0).fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0])
    >>> round(float(model.predict([[3.0]])[0]), 6)
    8.0
    """

    kind = GAMMA

    def deviance(self, y: Array, mean: Array) -> Array:
        return np.where(mean > 0, 2 * (y / mean - 1 - np.log(y / mean)), np.inf)
