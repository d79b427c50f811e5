"""Distributions from draws: sums that merge, estimates that maximise the likelihood, posteriors by brute force."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

import tenfold as tn
from tenfold.naive_bayes.distributions import Bernoulli, Categorical, Gaussian, Uniform

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("kind", [Bernoulli, Categorical, Gaussian, Uniform])
def test_parts_add_up(kind):
    x = RANDOM.integers(0, 2, 50).astype(float)
    whole, parts = kind.of(x), kind.of(x[:13]) + kind.of(x[13:])
    assert parts.n == whole.n == 50
    np.testing.assert_allclose(list(np.atleast_1d(_flat(parts))), list(np.atleast_1d(_flat(whole))), rtol=1e-14)
    with pytest.raises(TypeError):
        whole + 1


def _flat(found):
    return list(found.ml.values()) if isinstance(found, Categorical) else found.ml


def test_erratum_10_the_estimate_of_a_bernoulli_is_the_mean():
    """Not the sum, which is no probability: the likelihood is greatest at ones / n."""
    coin = Bernoulli.of([1, 1, 0, 1, 0])
    best = minimize_scalar(lambda p: -coin.log_likelihood(p), bounds=(0.01, 0.99), method="bounded").x
    assert coin.ml == 3 / 5 == pytest.approx(best, abs=1e-4)
    assert coin.log_likelihood(0.0) == -math.inf
    assert Bernoulli(3, 3).log_likelihood(1.0) == 0


def test_erratum_27_counts_in_any_order_have_the_binomial_coefficient():
    coin = Bernoulli.of([1, 1, 0, 1, 0])
    binomial = stats.binom.logpmf(3, 5, 0.4)
    assert coin.log_likelihood(0.4) + math.log(math.comb(5, 3)) == pytest.approx(binomial, abs=1e-12)
    assert coin.log_likelihood(0.4) != pytest.approx(binomial, abs=1)


def test_the_largest_draw_is_biased_and_its_correction_is_not():
    draws = [Uniform.of(x) for x in RANDOM.uniform(0, 3.0, (20_000, 4))]
    assert np.mean([one.ml for one in draws]) == pytest.approx(3.0 * 4 / 5, abs=0.02)
    assert np.mean([one.unbiased for one in draws]) == pytest.approx(3.0, abs=0.025)


def test_variance_of_few_draws():
    draws = [Gaussian.of(x) for x in RANDOM.normal(1.0, 2.0, (20_000, 3))]
    assert np.mean([one.ml[1] for one in draws]) == pytest.approx(4.0 * 2 / 3, abs=0.1)
    assert np.mean([one.unbiased_variance for one in draws]) == pytest.approx(4.0, abs=0.15)
    x, w = RANDOM.normal(size=9), RANDOM.integers(0, 3, 9)
    heavy, often = Gaussian.of(x, w), Gaussian.of(np.repeat(x, w))
    assert (heavy.n, heavy.mean, heavy.square) == pytest.approx((often.n, often.mean, often.square))


def by_brute_force(likelihood, prior, low, high):
    """The mean of likelihood times prior."""
    whole = quad(lambda v: likelihood(v) * prior(v), low, high)[0]
    return quad(lambda v: v * likelihood(v) * prior(v), low, high)[0] / whole


def test_posteriors_are_likelihood_times_prior():
    coin = Bernoulli.of([1, 1, 0, 1, 0])
    prior = stats.beta(2, 3).pdf
    assert coin.posterior(2, 3).mean() == pytest.approx(
        by_brute_force(lambda p: math.exp(coin.log_likelihood(p)), prior, 0, 1), rel=1e-8
    )
    found = Uniform.of([1.0, 2.5, 2.0])
    prior = stats.pareto(2.0, scale=1.5).pdf
    assert found.posterior(2.0, 1.5).mean() == pytest.approx(
        by_brute_force(lambda v: v**-3.0, prior, 2.5, 500), rel=1e-4
    )
    x = RANDOM.normal(3.0, 2.0, 12)
    interval = Gaussian.of(x).posterior().interval(0.95)
    np.testing.assert_allclose(interval, stats.ttest_1samp(x, 0).confidence_interval(0.95), rtol=1e-10)
    strong = Gaussian.of(x).posterior(mean=-1.0, draws=1e9, shape=1.0, scale=1.0)
    assert strong.mean() == pytest.approx(-1.0, abs=1e-6)


def test_shares_and_laplace():
    bag = Categorical.of(["lime", "lime", "cherry"], [1, 2, 1])
    assert bag.ml == {"cherry": 0.25, "lime": 0.75}
    assert bag.smoothed(1.0) == pytest.approx({"cherry": 2 / 6, "lime": 4 / 6})
    assert (bag + Categorical.of(["mint"])).ml["mint"] == 1 / 5


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Bernoulli.of([0, 2]), "0 and 1"),
        (lambda: Bernoulli(2, 3), "from 0 to 2 ones"),
        (lambda: Bernoulli.of([1, 0]).posterior(0, 1), "a must be above 0"),
        (lambda: Categorical({}), "there must be draws"),
        (lambda: Categorical.of([1.0, np.nan]), "missing values"),
        (lambda: Gaussian.of([1.0, np.nan]), "finite numbers"),
        (lambda: Gaussian.of([1.0], [0.0]), "weight above 0"),
        (lambda: Gaussian.of([1.0]).unbiased_variance, "at least two"),
        (lambda: Gaussian.of([1.0]).posterior(), "do not determine a variance"),
        (lambda: Gaussian.of([1.0], [-1.0]), "sample_weight"),
        (lambda: Uniform.of([-1.0]), "0 or above"),
        (lambda: Uniform.of([0.0]).posterior(), "above 0"),
    ],
)
def test_wrong_arguments_are_named(call, says):
    with pytest.raises((ValueError, tn.DataError), match=says):
        call()
