"""PAC-Bayes: the constant, the two forms, and margins."""

from math import comb, inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm

from tenfold.theory import kl_bernoulli, pac_bayes_bound, pac_bayes_margin_bound


@pytest.mark.parametrize("m", [1, 2, 3, 5, 8, 20, 100, 500])
def test_maurers_constant(m):
    """E exp(m kl(q‖p)) = Σ C(m, k)(k/m)^k (1 - k/m)^(m - k), which is at most 2√m from the first row on."""
    value = sum(comb(m, k) * (k / m) ** k * (1 - k / m) ** (m - k) for k in range(m + 1))
    assert value <= 2 * sqrt(m) * (1 + 1e-12)


@given(st.floats(0, 1), st.floats(0, 50), st.integers(1, 10**5), st.floats(1e-6, 0.999))
def test_forms(train, kl, m, delta):
    tight = pac_bayes_bound(train, kl, m, delta)
    loose = pac_bayes_bound(train, kl, m, delta, form="mcallester")
    assert train <= float(tight) <= float(loose) + 1e-12
    if 0 < train < 0.99 and float(tight) < 0.99:
        assert kl_bernoulli(train, float(tight)) == pytest.approx((kl + log(2 * sqrt(m) / delta)) / m, rel=1e-6)


def test_infinite_divergence_says_nothing():
    assert pac_bayes_bound(0.1, inf, 100, 0.05).vacuous


def test_margins():
    random = np.random.default_rng(0)
    margins = np.clip(random.normal(0.4, 0.1, 800), -1, 1)
    price = log(2 * sqrt(800) / 0.05)

    def by_hand(mu):
        q, budget = norm.sf(mu * margins).mean(), (mu**2 / 2 + price) / 800
        return 2 * brentq(lambda p: kl_bernoulli(q, p) - budget, q, 1 - 1e-12, xtol=1e-14)

    assert float(pac_bayes_margin_bound(margins, 0.05, scale=5.0)) == pytest.approx(by_hand(5.0), rel=1e-8)
    best = min(by_hand(mu) for mu in np.geomspace(1, 30, 300))
    assert float(pac_bayes_margin_bound(margins, 0.05)) == pytest.approx(best, rel=1e-3)
    assert float(pac_bayes_margin_bound(margins + 0.2, 0.05)) < best
    assert pac_bayes_margin_bound([0.0] * 50, 0.05).vacuous


def test_arguments():
    with pytest.raises(ValueError, match="margins"):
        pac_bayes_margin_bound([1.5], 0.05)
    with pytest.raises(ValueError, match="margins"):
        pac_bayes_margin_bound([float("nan")], 0.05)
    with pytest.raises(ValueError, match="scale"):
        pac_bayes_margin_bound([0.5], 0.05, scale=0.0)
    with pytest.raises(ValueError, match="form"):
        pac_bayes_bound(0.1, 1.0, 10, 0.05, form="both")
