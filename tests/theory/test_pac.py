"""Sample sizes, errors and chances: worked numbers, inverses, and proofs redone by machine."""

from math import comb, exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from tenfold.theory import (
    confidence,
    error_bound,
    failure_probability,
    growth,
    log_all_concepts,
    log_attribute_conjunctions,
    log_conjunctions,
    log_k_cnf,
    monomial_sample_size,
    necessary_sample_size,
    sample_size,
)
from tiers import draws

EPS, DELTA = 0.1, 0.05
rows = st.integers(1, 10**6)
chance = st.floats(1e-9, 0.999)
small = st.floats(1e-3, 0.999)
LAWS = [
    {"size": 973}, {"log_size": 40.0}, {"size": 1}, {"size": 973, "goal": "gap"}, {"size": 973, "goal": "agnostic"},
    {"vc": 3}, {"vc": 1}, {"vc": 50}, {"vc": 3, "form": "max"}, {"vc": 3, "form": "net"}, {"vc": 1, "form": "net"},
    {"vc": 3, "goal": "gap"}, {"vc": 40, "goal": "gap"}, {"vc": 3, "goal": "agnostic"},
    {"vc": 3, "goal": "agnostic", "form": "chaining"},
]  # fmt: skip
law = st.sampled_from(LAWS)


@pytest.mark.quick
def test_worked_numbers():
    assert sample_size(EPS, DELTA, size=973) == 99
    assert sample_size(EPS, DELTA, log_size=log_attribute_conjunctions([3, 2, 2, 2, 2, 2])) == 99
    assert sample_size(EPS, DELTA, size=973, goal="agnostic") == 2114
    assert sample_size(EPS, DELTA, size=973, goal="gap") == 494
    assert sample_size(EPS, DELTA, log_size=log_conjunctions(10)) == 140
    assert monomial_sample_size(EPS, DELTA, 10) == 1199
    assert sample_size(EPS, DELTA, vc=3) == 1899
    assert sample_size(EPS, DELTA, vc=3, form="max") == 1686
    assert sample_size(EPS, DELTA, vc=3, form="net") == 729
    assert sample_size(EPS, DELTA, vc=3, goal="gap") == 3021
    assert float(error_bound(1000, DELTA, vc=3, goal="gap")) == pytest.approx(0.16398, abs=5e-6)
    assert float(error_bound(1000, DELTA, vc=3, goal="gap", train_error=0.1)) == pytest.approx(0.26398, abs=5e-6)


def test_formulas():
    assert float(error_bound(200, DELTA, size=973)) == pytest.approx(log(973 / DELTA) / 200, rel=1e-14)
    assert float(failure_probability(200, EPS, size=973)) == pytest.approx(973 * exp(-20), rel=1e-13)
    assert confidence(200, EPS, size=973) == pytest.approx(1 - 973 * exp(-20), rel=1e-14)
    assert confidence(5, EPS, size=973) == 0
    assert failure_probability(5, EPS, size=973).vacuous
    expected = 200 * log(2 * 973 / DELTA)
    assert sample_size(EPS, DELTA, size=973, goal="agnostic") == int(expected) + 1
    error = float(error_bound(5000, DELTA, size=973, goal="agnostic"))
    assert error == pytest.approx((2 / 5000 * log(2 * 973 / DELTA)) ** 0.5, rel=1e-13)
    chance = float(failure_probability(5000, EPS, size=973, goal="agnostic"))
    assert chance == pytest.approx(2 * 973 * exp(-5000 * EPS**2 / 2), rel=1e-12)


def test_no_bias_means_no_learning():
    """With all concepts, the rows asked for exceed the points there are."""
    assert sample_size(EPS, DELTA, log_size=log_all_concepts(10)) > 2**10
    assert sample_size(EPS, DELTA, log_size=log_k_cnf(10, 2)) < 2**11


@settings(max_examples=draws(20, 300))
@given(rows, chance, law)
def test_size_inverts_error(m, delta, which):
    eps = float(error_bound(m, delta, **which))
    if 1e-6 < eps < 1:
        assert sample_size(eps, delta, **which) == m


@settings(max_examples=draws(20, 300))
@given(small, chance, law)
def test_error_inverts_size(eps, delta, which):
    m = sample_size(eps, delta, **which)
    assert float(error_bound(m, delta, **which)) <= eps
    if m > 1:
        assert float(error_bound(m - 1, delta, **which)) > eps


@settings(max_examples=draws(20, 300))
@given(rows, chance, law)
def test_chance_inverts_error(m, delta, which):
    bound = error_bound(m, delta, **which)
    if bound.vacuous:
        return
    back = float(failure_probability(m, float(bound), **which))
    if which.get("form") == "max":  # where the other term is the larger one, less than delta is enough
        assert back <= delta * (1 + 1e-9)
    else:
        assert back == pytest.approx(delta, rel=1e-7)
        sure = confidence(m, float(bound), **which)
        assert sure == pytest.approx(1 - delta, abs=1e-7)


@settings(max_examples=draws(20, 200))
@given(small, chance, st.integers(1, 100))
def test_both_forms_of_blumer_follow_from_nets(eps, delta, vc):
    net = sample_size(eps, delta, vc=vc, form="net")
    largest = sample_size(eps, delta, vc=vc, form="max")
    both = sample_size(eps, delta, vc=vc)
    assert net <= largest <= both
    assert net * eps > 8


@settings(max_examples=draws(20, 200))
@given(st.floats(1e-3, 0.499), chance, st.integers(2, 100))
def test_necessary_is_not_more_than_enough(eps, delta, vc):
    assert necessary_sample_size(eps, delta, vc) <= sample_size(eps, delta, vc=vc, form="net")


@pytest.mark.quick
def test_necessary_by_two_points():
    """A learner that has not met the rare one of two points is wrong about it for one of two targets."""
    for eps, delta in [(0.1, 0.05), (0.3, 0.01), (0.01, 0.5)]:
        assert (1 - eps) ** (necessary_sample_size(eps, delta, 2) - 1) > delta
    assert necessary_sample_size(0.1, 0.01, 1000) == 782  # 1000 (1 - 2 (0.1 · 0.99 + 0.01))
    assert necessary_sample_size(0.01, 0.01, 1000) == 3122  # 999/0.32
    with pytest.raises(ValueError, match="eps"):
        necessary_sample_size(0.5, 0.05, 3)
    with pytest.raises(ValueError, match="vc"):
        necessary_sample_size(0.1, 0.05, 1)


@pytest.mark.parametrize("m", [5, 12, 30])
def test_vc_gap_holds_by_exact_symmetrization(m):
    """P(some h has R - R_m > ε) ≤ 2 Π(2m) max P(hypergeometric difference ≥ ⌊mε⌋) is below the formula.

    The median of errors on a second sample is at least ⌊mR⌋; the rest is choosing which half is the first.
    The formula with (2em/d)^d and e^(-mε²) is thus proved, without a term 1/m.
    """
    tail = np.zeros(m + 1)
    for total in range(2 * m + 1):
        k = np.arange(m + 1)
        chances = hypergeom.pmf(k, 2 * m, total, m)
        tail = np.maximum(tail, [chances[2 * k - total >= j].sum() for j in range(m + 1)])
    for vc in range(1, min(m, 8) + 1):
        for j in range(m):
            eps = (j + 1) / m * (1 - 1e-12)  # the worst ε whose floor is j
            if eps < 1 and not (claimed := failure_probability(m, eps, vc=vc, goal="gap")).vacuous:
                assert 2 * growth(2 * m, vc) * tail[j] <= float(claimed)


def test_net_bound_counts_halves():
    """2^(-|Y|) bounds the chance that Y falls into the second half altogether."""
    m = 12
    for y in range(m + 1):
        assert comb(2 * m - y, m) / comb(2 * m, m) <= 2.0**-y


def test_arguments_that_do_not_fit():
    with pytest.raises(ValueError, match="one of size, log_size and vc"):
        sample_size(EPS, DELTA)
    with pytest.raises(ValueError, match="one of size, log_size and vc"):
        sample_size(EPS, DELTA, size=3, vc=3)
    with pytest.raises(ValueError, match="goal"):
        sample_size(EPS, DELTA, size=3, goal="worst")
    with pytest.raises(ValueError, match="form"):
        sample_size(EPS, DELTA, size=3, form="sum")
    with pytest.raises(ValueError, match="form"):
        sample_size(EPS, DELTA, vc=3, goal="gap", form="sum")
    with pytest.raises(ValueError, match="form"):
        sample_size(EPS, DELTA, vc=3, form="mean")
    with pytest.raises(ValueError, match="train_error"):
        error_bound(10, DELTA, size=3, train_error=0.1)
    with pytest.raises(ValueError, match="vc"):
        error_bound(10, DELTA, vc=0)
    with pytest.raises(ValueError, match="log_size"):
        error_bound(10, DELTA, log_size=-1.0)
    for eps in (1.0, 2.0):
        with pytest.raises(ValueError, match="eps"):
            sample_size(eps, DELTA, size=3)


def test_constant_of_chaining_is_that_of_the_integral():
    """12 ∫₀¹ sqrt(ln N(u)) du over sqrt(VC), with Haussler's covering number, by quadrature."""
    from scipy.integrate import quad

    from tenfold.theory.bounds.error_curves import CHAINING

    for vc in (1, 2, 3, 10, 100, 1000):
        integral, _ = quad(lambda u, vc=vc: np.sqrt(1 + log(vc + 1) + vc * log(2 * exp(1) / u**2)), 0, 1)
        assert 12 * integral / np.sqrt(vc) <= CHAINING


def test_rademacher_average_of_thresholds_is_below_the_constant():
    """VC dimension 1: the largest mean of signs over all that lie below a threshold, exactly for each draw."""
    from tenfold.theory.bounds.error_curves import CHAINING

    random = np.random.default_rng(0)
    for m in (10, 100, 1000):
        signs = random.choice([-1.0, 1.0], (300, m))
        average = np.maximum(np.cumsum(signs, axis=1).max(axis=1), 0).mean() / m
        assert average <= CHAINING / np.sqrt(m)


@given(st.floats(1e-3, 0.5), st.floats(1e-9, 0.5), st.integers(1, 50))
def test_chaining_is_the_rate_with_its_constant(eps, delta, vc):
    rows = sample_size(eps, delta, vc=vc, goal="agnostic", form="chaining")
    assert rows <= 6400 * (vc + log(1 / delta)) / eps**2 + 1
    assert float(error_bound(rows, delta, vc=vc, goal="agnostic", form="chaining")) <= eps
    four = sample_size(eps / 2, delta, vc=vc, goal="agnostic", form="chaining")
    assert abs(four / rows - 4) < 0.1  # no logarithm of ε


def test_chaining_wins_where_the_logarithm_is_long():
    given = dict(vc=1, goal="agnostic")
    assert sample_size(0.1, 0.05, **given) < sample_size(0.1, 0.05, form="chaining", **given)
    with pytest.raises(ValueError, match="form='chaining' is for vc and the goal 'agnostic'"):
        sample_size(0.1, 0.05, vc=1, form="chaining")
