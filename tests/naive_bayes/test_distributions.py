"""Distributions from draws: sums that merge, estimates that maximise the likelihood, posteriors by brute force."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

import tenfold as tn
from tenfold.naive_bayes.distributions import Bernoulli, Categorical, Gaussian, MultivariateGaussian, Uniform

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


# ---- several normal variables --------------------------------------------------------------------


def correlated(n, seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(n, 3)) @ random.normal(size=(3, 3)) + [1.0, -2.0, 5.0]


@pytest.mark.quick
def test_mean_vector_and_covariance_matrix():
    X = correlated(40)
    found = MultivariateGaussian.of(X)
    mean, covariance = found.ml
    np.testing.assert_allclose(mean, X.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(covariance, np.cov(X.T, bias=True), rtol=1e-12)
    np.testing.assert_allclose(found.unbiased_covariance, np.cov(X.T), rtol=1e-12)
    parts = MultivariateGaussian.of(X[:7]) + MultivariateGaussian.of(X[7:30]) + MultivariateGaussian.of(X[30:])
    np.testing.assert_allclose(parts.scatter, found.scatter, rtol=1e-12)
    np.testing.assert_allclose(parts.mean, found.mean, rtol=1e-13)
    weight = RANDOM.integers(0, 3, 40)
    heavy, often = MultivariateGaussian.of(X, weight), MultivariateGaussian.of(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(heavy.scatter, often.scatter, rtol=1e-12)
    one, plain = MultivariateGaussian.of(X[:, :1]), Gaussian.of(X[:, 0])
    assert (one.n, one.mean[0], one.scatter[0, 0]) == pytest.approx((plain.n, plain.mean, plain.square), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_likelihood_and_density_are_those_of_scipy(seed):
    X = correlated(25, seed)
    found = MultivariateGaussian.of(X)
    mean, covariance = [0.5, -1.0, 4.0], np.cov(correlated(50, seed + 9).T)
    want = stats.multivariate_normal(mean, covariance).logpdf(X).sum()
    assert found.log_likelihood(mean, covariance) == pytest.approx(want, rel=1e-12)
    best = found.log_likelihood(*found.ml)
    for _ in range(20):  # the estimate is the maximum
        shift, root = RANDOM.normal(scale=0.1, size=3), np.eye(3) + RANDOM.normal(scale=0.05, size=(3, 3))
        assert found.log_likelihood(found.ml[0] + shift, root @ found.ml[1] @ root.T) < best
    np.testing.assert_allclose(found.distribution().logpdf(X).sum(), best, rtol=1e-12)
    drawn = found.distribution().rvs(50_000, random_state=seed)
    np.testing.assert_allclose(np.cov(drawn.T), found.ml[1], atol=0.1 * np.abs(found.ml[1]).max())


@pytest.mark.parametrize("known", [{0: 0.3}, {2: 4.0, 0: -1.0}, {1: 0.0, 2: 6.0}])
def test_conditional_is_the_joint_density_over_the_marginal(known):
    found = MultivariateGaussian.of(correlated(60, 3))
    rest = [j for j in range(3) if j not in known]
    at = sorted(known)
    conditional, marginal = found.conditional(known), found.marginal(*at).distribution()
    for x in RANDOM.normal(size=(10, len(rest))):
        row = np.zeros(3)
        row[rest], row[at] = x, [known[j] for j in at]
        want = found.distribution().pdf(row) / marginal.pdf(row[at])
        assert conditional.pdf(x) == pytest.approx(want, rel=1e-9)
    two = found.marginal(2, 0)
    np.testing.assert_allclose(two.ml[1], found.ml[1][np.ix_([2, 0], [2, 0])])


def test_posterior_of_the_mean_vector():
    X = correlated(12, 4)
    found, one = MultivariateGaussian.of(X), MultivariateGaussian.of(X[:, :1])
    plain = Gaussian.of(X[:, 0]).posterior()
    for x in (-1.0, 0.5, 2.0):
        assert one.posterior().pdf([x]) == pytest.approx(plain.pdf(x), rel=1e-10)
    # of Hotelling: (n - p)/p (m - x)' S^-1 (m - x) n/(n - 1) is F distributed
    drawn = found.posterior().rvs(20_000, random_state=0)
    off = drawn - found.mean
    square = 12 * np.einsum("ni,ij,nj->n", off, np.linalg.inv(found.unbiased_covariance), off)
    inside = square <= 3 * 11 / 9 * stats.f(3, 9).ppf(0.9)
    assert inside.mean() == pytest.approx(0.9, abs=0.01)
    # a prior of many draws holds the mean where it is
    held = found.posterior(mean=[0.0, 0.0, 0.0], draws=1e9, df=5.0, scale=np.eye(3))
    np.testing.assert_allclose(held.loc, 0.0, atol=1e-6)


def test_wrong_columns_are_refused():
    found = MultivariateGaussian.of(correlated(10))
    for match, call in (
        ("Remedy: MultivariateGaussian.of", lambda: Gaussian.of(correlated(5))),
        ("rows of finite numbers", lambda: MultivariateGaussian.of([1.0, 2.0])),
        ("rows of finite numbers", lambda: MultivariateGaussian.of([[np.nan, 2.0]])),
        ("of 3 and of 2 variables", lambda: found + found.marginal(0, 1)),
        ("not positive definite", lambda: MultivariateGaussian.of(correlated(3)).distribution()),
        ("symmetric matrix of 3", lambda: found.log_likelihood([0.0] * 3, np.eye(2))),
        ("number from 0 to 2", lambda: found.marginal(3)),
        ("number from 0 to 2", lambda: found.conditional({-1: 0.0})),
        ("nothing is left", lambda: found.conditional({0: 0.0, 1: 0.0, 2: 0.0})),
        ("at least two", lambda: MultivariateGaussian.of([[1.0, 2.0]]).unbiased_covariance),
        ("do not determine a covariance", lambda: MultivariateGaussian.of(correlated(3)).posterior()),
        ("there must be draws", lambda: MultivariateGaussian(1.0, np.zeros(2), np.eye(3))),
    ):
        with pytest.raises(ValueError, match=match):
            call()
