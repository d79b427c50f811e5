"""Hoeffding, Chernoff and the divergence of coins: against exact tails and against each other."""

from math import exp, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import rel_entr
from scipy.stats import binom

from tenfold.theory import (
    chernoff,
    chernoff_radius,
    chernoff_size,
    hoeffding,
    hoeffding_radius,
    hoeffding_size,
    kl_bernoulli,
    kl_lower,
    kl_upper,
)

rows = st.integers(1, 10**6)
chance = st.floats(1e-9, 0.999)
inner = st.floats(1e-6, 1 - 1e-6)
side = st.sampled_from(["above", "below"])


@given(rows, chance, st.floats(0.1, 100), st.sampled_from([1, 2]))
def test_hoeffding_inverts(m, delta, width, sides):
    radius = float(hoeffding_radius(m, delta, width=width, sides=sides))
    assert float(hoeffding(m, radius, width=width, sides=sides)) == pytest.approx(delta, rel=1e-12)
    assert hoeffding_size(radius, delta, width=width, sides=sides) == m


@given(rows, chance, inner, side)
def test_chernoff_inverts(m, delta, mean, to):
    bound = chernoff_radius(m, delta, mean, side=to)
    if bound.vacuous:
        return
    radius = float(bound)
    if radius > 1e-9:
        assert float(chernoff(m, radius, mean, side=to)) == pytest.approx(delta, rel=1e-4)
        assert chernoff_size(radius, delta, mean, side=to) == pytest.approx(m, abs=1, rel=1e-4)


@given(st.floats(1e-3, 0.9), chance, inner, side)
def test_chernoff_size_is_the_least(eps, delta, mean, to):
    m = chernoff_size(eps, delta, mean, side=to)
    assert float(chernoff(m, eps, mean, side=to)) <= delta
    assert m == 1 or float(chernoff(m - 1, eps, mean, side=to)) > delta


@pytest.mark.parametrize("rate", [0.01, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("m", [1, 7, 40])
def test_both_cover_the_exact_tails(rate, m):
    for k in range(m + 1):
        eps = k / m - rate
        if eps > 1e-9:
            exact = float(binom.sf(k - 1, m, rate))
            assert exact <= float(chernoff(m, eps, rate)) * (1 + 1e-12)
            assert float(chernoff(m, eps, rate)) <= float(hoeffding(m, eps, sides=1)) * (1 + 1e-12)
        elif eps < -1e-9:
            assert float(binom.cdf(k, m, rate)) <= float(chernoff(m, -eps, rate, side="below")) * (1 + 1e-12)


@pytest.mark.parametrize("rate", np.linspace(0.01, 0.99, 25))
@pytest.mark.parametrize("delta", [0.01, 0.1, 0.5])
def test_radii_are_exceeded_no_more_often_than_delta(rate, delta):
    m, k = 50, np.arange(51)
    off = k / m - rate
    chances = binom.pmf(k, m, rate)
    assert chances[np.abs(off) > float(hoeffding_radius(m, delta))].sum() <= delta
    assert chances[off > float(chernoff_radius(m, delta, rate))].sum() <= delta
    assert chances[off < -float(chernoff_radius(m, delta, rate, side="below"))].sum() <= delta


def test_hoeffding_with_a_width_for_each_draw():
    widths = [1.0, 2.0, 3.0]
    value = float(hoeffding(3, 0.9, width=widths))
    assert value == pytest.approx(2 * exp(-2 * 3 * 0.81 / (14 / 3)), rel=1e-14)
    assert float(hoeffding(3, 0.9, width=[2.0] * 3)) == pytest.approx(float(hoeffding(3, 0.9, width=2.0)), rel=1e-14)
    for wrong in ([1.0, 2.0], [1.0, 2.0, -1.0], 0.0):
        with pytest.raises(ValueError, match="width"):
            hoeffding(3, 0.9, width=wrong)
    with pytest.raises(ValueError, match="sides"):
        hoeffding(3, 0.9, sides=3)
    with pytest.raises(ValueError, match="side"):
        chernoff(3, 0.1, 0.5, side="left")


def test_nothing_is_that_far():
    assert float(chernoff(10, 0.6, 0.5)) == 0
    assert chernoff_size(0.6, 0.05, 0.5) == 1
    assert chernoff_radius(2, 0.01, 0.5).vacuous
    assert float(chernoff_radius(2, 0.01, 0.5)) == 0.5


@given(st.floats(0, 1), st.floats(0, 1))
def test_divergence(q, p):
    value = kl_bernoulli(q, p)
    assert value >= 0
    assert value >= 2 * (q - p) ** 2 * (1 - 1e-9)  # Pinsker
    direct = float(rel_entr(q, p) + rel_entr(1 - q, 1 - p))
    if 1e-6 < q < 1 - 1e-6 and 1e-6 < p < 1 - 1e-6:
        assert value == pytest.approx(direct, rel=1e-9, abs=1e-14)


def test_divergence_at_the_ends_and_nearby():
    assert kl_bernoulli(0.3, 0) == inf
    assert kl_bernoulli(0.3, 1) == inf
    assert kl_bernoulli(0, 0.5) == pytest.approx(log(2))
    assert kl_bernoulli(1, 0.5) == pytest.approx(log(2))
    assert kl_bernoulli(0.5, 0.5 + 1e-9) == pytest.approx(2e-18, rel=1e-6)


@given(st.floats(0, 1), st.floats(1e-6, 5))
def test_divergence_inverts(q, budget):
    for p, beyond in ((kl_upper(q, budget), 1.0), (kl_lower(q, budget), 0.0)):
        if p != beyond:
            assert kl_bernoulli(q, p) == pytest.approx(budget, rel=1e-6) or q in (0, 1) or abs(p - beyond) < 1e-9
    assert kl_lower(q, budget) <= q <= kl_upper(q, budget)
    assert kl_upper(q, budget) == pytest.approx(1 - kl_lower(1 - q, budget), abs=1e-9)
