"""Poisson regression: argmin Σ wᵢ (exp(ηᵢ) - yᵢ ηᵢ) / Σ wᵢ + ½ α |β|², with η = xᵀβ + β₀."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.linear_model.glm import POISSON
from tenfold.core import Array
from tenfold.linear_model.glm.log_link import LogLink


class PoissonRegressor(LogLink):
    """Poisson regression with a logarithmic link by Newton's method, exact in each pass.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty, beside the mean loss of a row. The intercept is not penalised.
    fit_intercept : bool, default=True
        Whether to fit a constant beside the columns.
    offset : str or int, optional
        The column of X, by its name or number, whose coefficient is one: the logarithm of the exposure. It is a
        column, and no argument of `fit`, because `predict` needs it as well, and so do folds and files.
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
    >>> import numpy as np
    >>> from tenfold import PoissonRegressor
    >>> days = np.log([[1.0], [2.0], [4.0], [8.0]])
    >>> model = PoissonRegressor(alpha=0, offset=0).fit(days, [2, 4, 8, 16])
    >>> round(float(np.exp(model.intercept_)), 6)  # events a day
    2.0
    """

    kind = POISSON

    def deviance(self, y: Array, mean: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return 2 * (np.where(y > 0, y * np.log(y / mean), 0.0) - y + mean)
