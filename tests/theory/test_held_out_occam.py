"""Bounds from errors: against scipy's exact tests, and by summing what could have happened."""

from math import comb, factorial, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom, binomtest

from tenfold.theory import (
    binomial_lower,
    binomial_tail,
    binomial_upper,
    compression_bound,
    error_bound,
    held_out_bound,
    held_out_size,
    kl_upper,
    occam_bound,
)

counts = st.integers(1, 2000).flatmap(lambda m: st.tuples(st.integers(0, m - 1), st.just(m)))
chance = st.floats(1e-9, 0.999)


@pytest.mark.parametrize("m", [1, 2, 10, 137, 5000])
@pytest.mark.parametrize("delta", [1e-6, 0.05, 0.5])
def test_against_scipy(m, delta):
    for k in sorted({0, 1, m // 10, m // 2, m - 1}):
        interval = binomtest(k, m).proportion_ci(1 - 2 * delta, "exact") if delta < 0.5 else None
        if k < m:
            assert binomial_upper(k, m, delta) == pytest.approx(beta.isf(delta, k + 1, m - k), rel=1e-12)
            assert binomial_upper(k, m, delta) == pytest.approx(beta.ppf(1 - delta, k + 1, m - k), rel=1e-9)
        if k:
            assert binomial_lower(k, m, delta) == pytest.approx(beta.ppf(delta, k, m - k + 1), rel=1e-12)
        if interval:
            assert binomial_upper(k, m, delta) == pytest.approx(interval.high, rel=1e-9)
            assert binomial_lower(k, m, delta) == pytest.approx(interval.low, rel=1e-9)


def test_against_scipy_to_twelve_digits():
    for k, m in [(0, 20), (3, 100), (17, 150), (99, 100)]:
        interval = binomtest(k, m).proportion_ci(0.9, "exact")
        assert binomial_upper(k, m, 0.05) == pytest.approx(interval.high, rel=1e-12)
        assert binomial_lower(k, m, 0.05) == pytest.approx(interval.low, rel=1e-12)
        one = binomtest(k, m, alternative="less").proportion_ci(0.95, "exact")
        assert float(held_out_bound(k, m, 0.05)) == pytest.approx(one.high, rel=1e-12)
    assert binomial_upper(5, 5, 0.05) == 1
    assert held_out_bound(5, 5, 0.05).vacuous
    assert binomial_lower(0, 5, 0.05) == 0


@given(counts, chance)
def test_tail_inverts_bound(which, delta):
    k, m = which
    assert binomial_tail(k, m, binomial_upper(k, m, delta)) == pytest.approx(delta, rel=1e-9)
    if k:
        assert 1 - binomial_tail(k - 1, m, binomial_lower(k, m, delta)) == pytest.approx(delta, rel=1e-6, abs=1e-12)


@given(st.integers(0, 30), st.floats(0.01, 0.9), st.floats(1e-6, 0.9))
def test_size_inverts_bound(errors, eps, delta):
    m = held_out_size(eps, delta, errors)
    assert float(held_out_bound(errors, m, delta)) <= eps
    assert m == errors + 1 or float(held_out_bound(errors, m - 1, delta)) > eps


@pytest.mark.parametrize("rate", np.linspace(0.005, 0.995, 34))
@pytest.mark.parametrize("delta", [0.01, 0.1, 0.5])
def test_held_out_fails_no_more_often_than_delta(rate, delta):
    k = np.arange(41)
    bounds = np.array([float(held_out_bound(int(v), 40, delta)) for v in k])
    assert binom.pmf(k, 40, rate)[bounds < rate].sum() <= delta


def test_tiny_chances():
    """Where the chance is too small for a float, Chernoff's bound takes over, from above."""
    for k, m in [(0, 100), (3, 5000), (400, 5000)]:
        near = [float(occam_bound(k, m, 0.05, log_prior=p)) for p in (-680.0, -686.0, -688.0, -700.0)]
        assert near == sorted(near)
        assert near[-1] == pytest.approx(kl_upper(k / m, (700 - log(0.05)) / m), rel=1e-12)
    assert float(occam_bound(0, 100, 0.05, log_prior=-1e6)) == pytest.approx(1)
    assert occam_bound(5, 10, 0.05, log_prior=-1e6).vacuous
    exact, by_hand = float(occam_bound(0, 100, 0.05, prior=0.01)), 1 - 0.0005 ** (1 / 100)
    assert exact == pytest.approx(by_hand, rel=1e-13)


@given(counts, chance, st.floats(1e-9, 1.0))
def test_occam_forms(which, delta, prior):
    k, m = which
    exact, relaxed = occam_bound(k, m, delta, prior=prior), occam_bound(k, m, delta, prior=prior, form="hoeffding")
    assert k / m < float(exact) <= float(relaxed) * (1 + 1e-12) or delta * prior > 0.3
    assert float(exact) == pytest.approx(float(occam_bound(k, m, delta, log_prior=log(prior))), rel=1e-12)


def test_occam_meets_its_neighbours():
    same = error_bound(400, 0.05, size=973, goal="gap", train_error=7 / 400)
    assert float(occam_bound(7, 400, 0.05, prior=1 / 973, form="hoeffding")) == pytest.approx(float(same), rel=1e-12)
    assert float(occam_bound(0, 400, 0.05, prior=1 / 973)) < float(error_bound(400, 0.05, size=973))
    assert float(occam_bound(7, 400, 0.05, prior=1.0)) == pytest.approx(float(held_out_bound(7, 400, 0.05)), rel=1e-12)


def test_compression_by_hand():
    level = 0.05 / (50 * comb(50, 3))
    assert float(compression_bound(3, 2, 50, 0.05)) == pytest.approx(binomial_upper(2, 47, level), rel=1e-9)
    fixed = float(compression_bound(3, 2, 50, 0.05, sizes=1))
    assert fixed == pytest.approx(binomial_upper(2, 47, level * 50), rel=1e-9)
    ordered = float(compression_bound(3, 2, 50, 0.05, messages=factorial(3)))
    assert ordered == pytest.approx(binomial_upper(2, 47, level / 6), rel=1e-9)
    assert compression_bound(50, 0, 50, 0.05).vacuous
    none = float(compression_bound(0, 2, 50, 0.05, sizes=1))
    assert none == pytest.approx(float(held_out_bound(2, 50, 0.05)), rel=1e-12)


def test_arguments():
    with pytest.raises(ValueError, match="errors"):
        held_out_bound(11, 10, 0.05)
    with pytest.raises(ValueError, match="errors"):
        compression_bound(3, 48, 50, 0.05)
    with pytest.raises(ValueError, match="sizes"):
        compression_bound(3, 0, 50, 0.05, sizes=0)
    with pytest.raises(ValueError, match="messages"):
        compression_bound(3, 0, 50, 0.05, messages=0)
    with pytest.raises(ValueError, match="either prior or log_prior"):
        occam_bound(3, 50, 0.05)
    for prior in (0.0, 1.5, float("nan")):
        with pytest.raises(ValueError, match="prior"):
            occam_bound(3, 50, 0.05, prior=prior)
    with pytest.raises(ValueError, match="log_prior"):
        occam_bound(3, 50, 0.05, log_prior=0.5)
    with pytest.raises(ValueError, match="form"):
        occam_bound(3, 50, 0.05, prior=0.5, form="loose")
