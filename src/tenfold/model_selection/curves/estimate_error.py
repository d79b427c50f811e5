"""How far an estimate is from what it estimates: its bias, and the covariance of its values from sample to sample.

E |θ' - θ|² = |E θ' - θ|² + tr Cov θ': the squared bias, and the trace of the covariance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import _safe_indexing

from tenfold.core import Array, DataError
from tenfold.theory.checks import whole


@dataclass(frozen=True, eq=False)
class EstimateError:
    """Bias and covariance of an estimate, over samples.

    Parameters
    ----------
    estimates : array of shape (samples, parameters)
        What was estimated from each sample.
    truth : array of shape (parameters,)
        What should have been.

    Attributes
    ----------
    mean, bias : array of shape (parameters,)
        The mean of the estimates, and how far it is from the truth.
    covariance : array of shape (parameters, parameters)
        Of the estimates, by the number of samples: so that the parts add up.
    squared_bias, variance, mean_squared_error : float
        \\|bias\\|², the trace of the covariance, and their sum: the mean of \\|estimate - truth\\|².
    """

    estimates: Array
    truth: Array

    @property
    def mean(self) -> Array:
        """The mean of the estimates."""
        return np.asarray(self.estimates.mean(axis=0))

    @property
    def bias(self) -> Array:
        """The mean of the estimates less the truth."""
        return self.mean - self.truth

    @property
    def covariance(self) -> Array:
        """The covariance matrix of the estimates."""
        off = self.estimates - self.mean
        return np.asarray(off.T @ off / len(off))

    @property
    def squared_bias(self) -> float:
        """The squared length of the bias."""
        return float(self.bias @ self.bias)

    @property
    def variance(self) -> float:
        """The trace of the covariance."""
        return float(np.trace(self.covariance))

    @property
    def mean_squared_error(self) -> float:
        """The mean squared distance of the estimate from the truth."""
        return float(((self.estimates - self.truth) ** 2).sum(axis=1).mean())

    def __str__(self) -> str:
        return (
            f"mean squared error {self.mean_squared_error:.6g} = squared bias {self.squared_bias:.6g} + variance "
            f"{self.variance:.6g} ({len(self.estimates)} samples)"
        )


def estimate_error(
    estimate: Callable[..., ArrayLike],
    sample: Any,
    *,
    truth: ArrayLike | None = None,
    draws: int = 1_000,
    random_state: int = 0,
) -> EstimateError:
    """Take the mean squared error of an estimate apart into squared bias and variance, by simulation or bootstrap.

    Parameters
    ----------
    estimate : callable
        Takes a sample and returns a number, or a vector of them: ``np.var``, or the coefficients of a model.
    sample : callable, array, frame, or tuple of these
        A callable takes a `numpy.random.Generator` and returns a sample, or a tuple of arrays that `estimate` takes as
        its arguments: a simulation. Data are drawn from with replacement, as many rows as there are: a bootstrap.
    truth : float or array, optional
        What is estimated. By default, of data, the estimate from all of them.
    draws : int, default=1000
        How many samples.
    random_state : int, default=0
        Seed of the samples.

    Returns
    -------
    error : EstimateError

    See Also
    --------
    bias_variance : The same of predictions.

    Examples
    --------
    The variance of ten draws is too small by a tenth; divided by 9 it is not, but it varies more:

    >>> import numpy as np, tenfold as tn
    >>> def normal(rng):
    ...     return rng.normal(size=10)
    >>> error = [tn.estimate_error(lambda x, k=k: np.var(x, ddof=k), normal, truth=1.0, draws=4_000) for k in (0, 1)]
    >>> [round(float(one.bias[0]), 1) for one in error], error[0].variance < error[1].variance
    ([-0.1, 0.0], True)

    Ridge regression trades the one for the other. The coefficients, by bootstrap:

    >>> from tenfold.datasets import load_diabetes
    >>> data = load_diabetes()
    >>> found = [
    ...     tn.estimate_error(lambda X, y: tn.Ridge(alpha).fit(X, y).coef_, (data.data, data.target), draws=50)
    ...     for alpha in (0.0, 0.1)
    ... ]
    >>> found[1].variance < found[0].variance
    True
    """
    count = whole("draws", draws, 2)
    random = np.random.default_rng(random_state)
    if callable(sample):
        if truth is None:
            raise ValueError("truth is what samples of a simulation are drawn from, and must be given")
        first, rows = np.asarray(truth, dtype=np.float64), 0
    else:
        data = sample if isinstance(sample, tuple) else (sample,)
        rows = len(data[0])
        if not rows or any(len(one) != rows for one in data):
            raise DataError(
                f"the data have {[len(one) for one in data]} rows. Remedy: as many in each, and one at least"
            )
        first = np.asarray(estimate(*data) if truth is None else truth, dtype=np.float64)
    target, found = np.atleast_1d(first), []
    for at in range(count):
        if callable(sample):
            drawn = sample(random)
            drawn = drawn if isinstance(drawn, tuple) else (drawn,)
        else:
            some = random.integers(rows, size=rows)
            drawn = tuple(_safe_indexing(one, some) for one in data)
        value = np.atleast_1d(np.asarray(estimate(*drawn), dtype=np.float64))
        if value.shape != target.shape:
            raise ValueError(f"estimate returned {value.shape}, and truth has {target.shape}: one number for each")
        if not np.isfinite(value).all():
            raise DataError(f"estimate returned {value} of sample {at}. Remedy: an estimate that each sample has")
        found.append(value)
    return EstimateError(np.array(found), target)
