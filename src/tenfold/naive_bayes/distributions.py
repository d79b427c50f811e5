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

__all__ = ["Bernoulli", "Categorical", "Gaussian", "Uniform"]


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
