"""Estimating a distribution from draws: sufficient statistics that merge, the maximum likelihood estimate, and
posteriors.

Each class here is the summary of some draws: `of` makes it, `+` merges two of them, `ml` is the maximum-likelihood
estimate and `posterior` the distribution of the parameter by Bayes' rule with a conjugate prior, as SciPy has it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, DataError, Mergeable
from tenfold.naive_bayes.coded_draws import coded

__all__ = ["Bernoulli", "Categorical", "Gaussian", "MultivariateGaussian", "Uniform"]


@dataclass(frozen=True)
class Bernoulli:
    """Draws of 0 and 1: how many there are, and how many ones.

    Parameters
    ----------
    n : float
        Draws, or their weight.
    ones : float

    Examples
    --------
    >>> from tenfold.naive_bayes.distributions import Bernoulli
    >>> coin = Bernoulli.of([1, 0, 1]) + Bernoulli.of([1])
    >>> coin.ml, float(coin.posterior(1, 1).mean().round(4))
    (0.75, 0.6667)
    """

    n: float
    ones: float

    def __post_init__(self) -> None:
        if not (0 < self.n < math.inf and 0 <= self.ones <= self.n):
            raise ValueError(f"there must be draws, and from 0 to {self.n} ones among them, not {self.ones}")

    @classmethod
    def of(cls, x: ArrayLike, sample_weight: ArrayLike | None = None) -> Bernoulli:
        """Count draws of 0 and 1, and the ones among them."""
        values, weight = _numbers(x, sample_weight)
        if not np.isin(values, (0, 1)).all():
            raise DataError("draws of a Bernoulli variable are 0 and 1. Remedy: Categorical, or code them")
        return cls(float(weight.sum()), float(weight @ values))

    def __add__(self, other: Bernoulli) -> Bernoulli:
        return Bernoulli(self.n + other.n, self.ones + other.ones) if type(other) is Bernoulli else NotImplemented

    @property
    def ml(self) -> float:
        """The most likely probability of 1: the mean of the draws, not their sum."""
        return self.ones / self.n

    def log_likelihood(self, p: float) -> float:
        """Log-likelihood of the draws in their order, if 1 has probability p; -inf if they are impossible.

        How many ones there are, in any order, is the binomial coefficient times more likely.
        """
        parts = ((self.ones, p), (self.n - self.ones, 1 - p))
        return sum(count * (math.log(q) if q > 0 else -math.inf) for count, q in parts if count > 0)

    def posterior(self, a: float = 1.0, b: float = 1.0) -> Any:
        """The distribution of the probability of 1 after a prior Beta(a, b): Beta(a + ones, b + zeros)."""
        from scipy.stats import beta

        _above("a", a)
        _above("b", b)
        return beta(a + self.ones, b + self.n - self.ones)


class Categorical(Mergeable):
    """Draws of a few values: how often each was drawn.

    Parameters
    ----------
    count : dict of value to float

    Examples
    --------
    >>> from tenfold.naive_bayes.distributions import Categorical
    >>> bag = Categorical.of(["lime", "lime", "cherry"]) + Categorical.of(["cherry", "lime"])
    >>> bag.ml
    {'cherry': 0.4, 'lime': 0.6}
    >>> {value: round(p, 4) for value, p in bag.smoothed(1.0).items()}
    {'cherry': 0.4286, 'lime': 0.5714}
    """

    count: Mapping[Hashable, float]

    def __post_init__(self) -> None:
        each = list(self.count.values())
        if not all(0 <= one < math.inf for one in each) or not sum(each) > 0:
            raise ValueError("there must be draws: counts from 0 on, not all of them 0")

    @classmethod
    def of(cls, x: ArrayLike, sample_weight: ArrayLike | None = None) -> Categorical:
        """Count draws of numbers, text or booleans."""
        known, place = coded("x", x)
        each = np.bincount(place, _weight(sample_weight, len(place)), len(known))
        return cls(dict(zip(known, each.tolist(), strict=True)))

    def __add__(self, other: Categorical) -> Categorical:
        if type(other) is not Categorical:
            return NotImplemented
        names = dict.fromkeys([*self.count, *other.count])
        return Categorical({name: self.count.get(name, 0.0) + other.count.get(name, 0.0) for name in names})

    @property
    def n(self) -> float:
        """Number of draws."""
        return float(sum(self.count.values()))

    @property
    def ml(self) -> dict[Hashable, float]:
        """The most likely probabilities: shares of the draws."""
        return {value: one / self.n for value, one in self.count.items()}

    def smoothed(self, m: float = 1.0) -> dict[Hashable, float]:
        """The mean of the posterior with m draws of each value added (Laplace: 1)."""
        posterior = self.posterior(m).mean()
        return dict(zip(self.count, np.asarray(posterior).tolist(), strict=True))

    def posterior(self, alpha: float = 1.0) -> Any:
        """The distribution of the probabilities after a prior Dirichlet(alpha, ...): Dirichlet(alpha + count)."""
        from scipy.stats import dirichlet

        _above("alpha", alpha)
        return dirichlet([alpha + one for one in self.count.values()])


@dataclass(frozen=True)
class Gaussian:
    """Draws of a normal variable: how many, their mean, and the sum of squared differences from it.

    Parameters
    ----------
    n : float
    mean : float
    square : float

    Examples
    --------
    >>> from tenfold.naive_bayes.distributions import Gaussian
    >>> found = Gaussian.of([1.0, 2.0]) + Gaussian.of([6.0])
    >>> found.ml, found.unbiased_variance
    ((3.0, 4.666666666666667), 7.0)
    """

    n: float
    mean: float
    square: float

    def __post_init__(self) -> None:
        if not (0 < self.n < math.inf and math.isfinite(self.mean) and 0 <= self.square < math.inf):
            raise ValueError("there must be draws, with a finite mean and squares that are not negative")

    @classmethod
    def of(cls, x: ArrayLike, sample_weight: ArrayLike | None = None) -> Gaussian:
        """Sum up draws; a draw of weight 2 is two draws."""
        if np.ndim(x) == 2:
            raise DataError("x has columns. Remedy: MultivariateGaussian.of(x), or one of its columns")
        values, weight = _numbers(x, sample_weight)
        n = float(weight.sum())
        if not n > 0:
            raise ValueError("there must be draws, of a weight above 0")
        mean = float(weight @ values / n)
        return cls(n, mean, float(weight @ (values - mean) ** 2))

    def __add__(self, other: Gaussian) -> Gaussian:
        if type(other) is not Gaussian:
            return NotImplemented
        n, off = self.n + other.n, other.mean - self.mean
        square = self.square + other.square + off * off * self.n * other.n / n
        return Gaussian(n, self.mean + off * other.n / n, square)

    @property
    def ml(self) -> tuple[float, float]:
        """The most likely mean and variance; the variance is too small by (n - 1)/n in the mean."""
        return self.mean, self.square / self.n

    @property
    def unbiased_variance(self) -> float:
        """The variance, divided by n - 1 in the place of n."""
        if self.n <= 1:
            raise ValueError("one draw does not determine a variance. Remedy: at least two")
        return self.square / (self.n - 1)

    def posterior(self, mean: float = 0.0, draws: float = 0.0, shape: float = -0.5, scale: float = 0.0) -> Any:
        """The distribution of the mean after a prior that is worth `draws` draws around `mean`: a Student's t.

        The variance has an inverse gamma prior of `shape` and `scale`. By default nothing is known before (the limit in
        which intervals are those of the t-test).
        """
        from scipy.stats import t

        if draws < 0 or scale < 0 or shape < -0.5:
            raise ValueError("draws and scale must be 0 or above, and shape -0.5 or above")
        k, off = draws + self.n, self.mean - mean
        a = shape + self.n / 2
        b = scale + self.square / 2 + draws * self.n * off * off / (2 * k)
        if not a > 0 or not b > 0:
            raise ValueError("draws and prior do not determine a variance. Remedy: more draws, or a scale above 0")
        return t(2 * a, loc=(draws * mean + self.n * self.mean) / k, scale=math.sqrt(b / (a * k)))


@dataclass(frozen=True, eq=False)
class MultivariateGaussian:
    """Draws of several normal variables together: how many, their mean vector, and their scatter matrix.

    Parameters
    ----------
    n : float
        Draws, or their weight.
    mean : array of shape (columns,)
    scatter : array of shape (columns, columns)
        Sums of products of differences from the mean.

    Examples
    --------
    >>> from tenfold.naive_bayes.distributions import MultivariateGaussian
    >>> found = MultivariateGaussian.of([[1.0, 2.0], [3.0, 3.0]]) + MultivariateGaussian.of([[5.0, 7.0]])
    >>> mean, covariance = found.ml
    >>> mean.tolist(), covariance.round(3).tolist()
    ([3.0, 4.0], [[2.667, 3.333], [3.333, 4.667]])
    >>> found.conditional({0: 5.0}).mean.tolist()  # the second column, where the first is 5
    [6.5]
    """

    n: float
    mean: Array
    scatter: Array

    def __post_init__(self) -> None:
        p = len(self.mean) if np.ndim(self.mean) == 1 else 0
        shaped = p > 0 and np.shape(self.scatter) == (p, p)
        if not (0 < self.n < math.inf and shaped and np.isfinite(self.mean).all() and np.isfinite(self.scatter).all()):
            raise ValueError("there must be draws, with a finite mean vector and a scatter matrix of as many columns")

    @classmethod
    def of(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> MultivariateGaussian:
        """Sum up draws, a row each; a draw of weight 2 is two draws."""
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or not rows.shape[1] or not np.isfinite(rows).all():
            raise DataError("X must be rows of finite numbers. Remedy: leave missing ones out; Gaussian of one column")
        weight = _weight(sample_weight, len(rows))
        n = float(weight.sum())
        if not n > 0:
            raise ValueError("there must be draws, of a weight above 0")
        mean = weight @ rows / n
        off = rows - mean
        return cls(n, mean, (off * weight[:, None]).T @ off)

    def __add__(self, other: MultivariateGaussian) -> MultivariateGaussian:
        if type(other) is not MultivariateGaussian:
            return NotImplemented
        if len(other.mean) != len(self.mean):
            raise ValueError(f"draws of {len(self.mean)} and of {len(other.mean)} variables do not add up")
        n, off = self.n + other.n, other.mean - self.mean
        scatter = self.scatter + other.scatter + np.outer(off, off) * (self.n * other.n / n)
        return MultivariateGaussian(n, self.mean + off * other.n / n, scatter)

    @property
    def ml(self) -> tuple[Array, Array]:
        """The most likely mean vector and covariance matrix; the latter is too small by (n - 1)/n in the mean."""
        return self.mean, self.scatter / self.n

    @property
    def unbiased_covariance(self) -> Array:
        """The covariance matrix, divided by n - 1 in the place of n."""
        if self.n <= 1:
            raise ValueError("one draw does not determine a covariance. Remedy: at least two")
        return self.scatter / (self.n - 1)

    def log_likelihood(self, mean: ArrayLike, covariance: ArrayLike) -> float:
        """Log-likelihood of the draws, if they come from a normal distribution with these parameters.

        Parameters
        ----------
        mean : array of shape (columns,)
        covariance : array of shape (columns, columns)
            Symmetric and positive definite.

        Returns
        -------
        log_likelihood : float
        """
        root = _root(np.asarray(covariance, dtype=np.float64), len(self.mean))
        off = self.mean - np.asarray(mean, dtype=np.float64)
        squares = np.linalg.solve(root, np.linalg.solve(root, self.scatter + self.n * np.outer(off, off)).T)
        size = len(off) * math.log(2 * math.pi) + 2 * float(np.log(np.diagonal(root)).sum())
        return -0.5 * (self.n * size + float(np.trace(squares)))

    def distribution(self) -> Any:
        """The most likely normal distribution: `pdf`, `logpdf` and `rvs`, as SciPy has them."""
        from scipy.stats import multivariate_normal

        mean, covariance = self.ml
        _root(covariance, len(mean))
        return multivariate_normal(mean, covariance)

    def marginal(self, *columns: int) -> MultivariateGaussian:
        """The draws of some of the variables, by their numbers."""
        at = self._numbers(columns)
        return MultivariateGaussian(self.n, self.mean[at], self.scatter[np.ix_(at, at)])

    def conditional(self, known: Mapping[int, float]) -> Any:
        """The most likely normal distribution of the other variables, where some are known.

        Parameters
        ----------
        known : dict of int to float
            Value of a variable, by its number.

        Returns
        -------
        distribution : scipy.stats.multivariate_normal
            Its `mean` is the regression of the others on those known; its `cov` is what these leave open.
        """
        from scipy.stats import multivariate_normal

        at = self._numbers(tuple(known))
        rest = [j for j in range(len(self.mean)) if j not in at]
        if not rest:
            raise ValueError("nothing is left to ask: leave a variable out of those known")
        mean, covariance = self.ml
        _root(covariance[np.ix_(at, at)], len(at))
        slope = np.linalg.solve(covariance[np.ix_(at, at)], covariance[np.ix_(at, rest)]).T
        off = np.array([known[j] for j in at], dtype=np.float64) - mean[at]
        left = covariance[np.ix_(rest, rest)] - slope @ covariance[np.ix_(at, rest)]
        _root(left, len(rest))
        return multivariate_normal(mean[rest] + slope @ off, left)

    def posterior(
        self, mean: ArrayLike = 0.0, draws: float = 0.0, df: float = -1.0, scale: ArrayLike | None = None
    ) -> Any:
        """The distribution of the mean vector after a prior that is worth `draws` draws around `mean`: a Student's t.

        The covariance has an inverse Wishart prior of `df` degrees of freedom and `scale` matrix. By default nothing is
        known before (the limit in which regions are those of Hotelling's test).
        """
        from scipy.stats import multivariate_t

        p = len(self.mean)
        before = np.broadcast_to(np.asarray(mean, dtype=np.float64), (p,))
        matrix = np.zeros((p, p)) if scale is None else np.asarray(scale, dtype=np.float64)
        freedom, k = df + self.n - p + 1, draws + self.n
        if draws < 0 or freedom <= 0 or matrix.shape != (p, p):
            raise ValueError("draws and prior do not determine a covariance. Remedy: more draws, or a larger df")
        off = self.mean - before
        shape = (matrix + self.scatter + np.outer(off, off) * (draws * self.n / k)) / (k * freedom)
        _root(shape, p)
        return multivariate_t((draws * before + self.n * self.mean) / k, shape, df=freedom)

    def _numbers(self, columns: tuple[int, ...]) -> list[int]:
        p = len(self.mean)
        if not columns or len({*columns}) != len(columns) or not {*columns} <= {*range(p)}:
            raise ValueError(f"name at least one variable by its number from 0 to {p - 1}, and each once: {columns}")
        return list(columns)


def _root(covariance: Array, p: int) -> Array:
    """The Cholesky factor of a covariance matrix, or ValueError."""
    if covariance.shape != (p, p) or not np.allclose(covariance, covariance.T):
        raise ValueError(f"covariance must be a symmetric matrix of {p} rows and columns")
    try:
        return np.linalg.cholesky(np.asarray(covariance, dtype=np.float64))
    except np.linalg.LinAlgError:
        raise ValueError(
            "the covariance is not positive definite: a variable follows from others, so there is no density. Remedy: "
            "more draws than variables, or marginal() of some of them"
        ) from None


@dataclass(frozen=True)
class Uniform:
    """Draws of a variable that is uniform from 0 to θ: how many there are, and the largest.

    Parameters
    ----------
    n : float
    largest : float

    Examples
    --------
    >>> from tenfold.naive_bayes.distributions import Uniform
    >>> found = Uniform.of([2.0, 7.0]) + Uniform.of([5.0])
    >>> found.ml, found.unbiased.__round__(4)
    (7.0, 9.3333)
    """

    n: float
    largest: float

    def __post_init__(self) -> None:
        if not (0 < self.n < math.inf and 0 <= self.largest < math.inf):
            raise ValueError("there must be draws, from 0 on")

    @classmethod
    def of(cls, x: ArrayLike) -> Uniform:
        """Count draws, and find the largest."""
        values, _ = _numbers(x, None)
        if not len(values) or values.min() < 0:
            raise DataError("draws of a uniform variable from 0 to θ are 0 or above, and there is at least one")
        return cls(float(len(values)), float(values.max()))

    def __add__(self, other: Uniform) -> Uniform:
        if type(other) is not Uniform:
            return NotImplemented
        return Uniform(self.n + other.n, max(self.largest, other.largest))

    @property
    def ml(self) -> float:
        """The most likely θ: the largest draw, whose mean is θ n/(n + 1)."""
        return self.largest

    @property
    def unbiased(self) -> float:
        """The largest draw times (n + 1)/n, whose mean is θ."""
        return self.largest * (self.n + 1) / self.n

    def posterior(self, shape: float = 0.0, least: float = 0.0) -> Any:
        """The distribution of θ after a prior Pareto(shape, least): Pareto(shape + n, max(least, largest))."""
        from scipy.stats import pareto

        if shape < 0 or least < 0 or not max(least, self.largest) > 0:
            raise ValueError("shape and least must be 0 or above, and a draw or least above 0")
        return pareto(shape + self.n, scale=max(least, self.largest))


def _weight(sample_weight: ArrayLike | None, n: int) -> Array:
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n,) or not (np.isfinite(weight) & (weight >= 0)).all():
        raise ValueError(f"sample_weight must be {n} numbers from 0 on")
    return weight


def _numbers(x: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Array, Array]:
    values = np.asarray(x, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise DataError("x must be draws, a sequence of finite numbers. Remedy: leave missing ones out")
    return values, _weight(sample_weight, len(values))


def _above(name: str, value: float) -> None:
    if not 0 < value < math.inf:
        raise ValueError(f"{name} must be above 0, got {value!r}")
