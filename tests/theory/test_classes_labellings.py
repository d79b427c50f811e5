"""Sizes of classes and numbers of labellings, counted."""

from itertools import combinations, product
from math import comb, e, exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from tenfold.theory import (
    cover_count,
    cover_probability,
    growth,
    log_all_concepts,
    log_attribute_conjunctions,
    log_conjunctions,
    log_growth,
    log_k_cnf,
    log_k_term_dnf,
    log_trees,
)


def terms(n):
    """The points that each conjunction of n literals covers."""
    points = list(product((0, 1), repeat=n))
    return {
        frozenset(p for p in points if all(w in (2, v) for w, v in zip(which, p, strict=True)))
        for which in product((0, 1, 2), repeat=n)
    }


def test_conjunctions_counted():
    assert len(terms(3) | {frozenset()}) == round(exp(log_conjunctions(3))) == 28
    assert round(exp(log_attribute_conjunctions([3, 2, 2, 2, 2, 2]))) == 973
    assert log_conjunctions(2000) == pytest.approx(2000 * log(3), rel=1e-14)
    assert log_attribute_conjunctions([2] * 2000) == pytest.approx(2000 * log(3), rel=1e-14)


def test_all_concepts():
    assert round(exp(log_all_concepts(3))) == 256
    with pytest.raises(ValueError, match="n must"):
        log_all_concepts(1001)


@pytest.mark.parametrize(("n", "k"), [(2, 1), (2, 2), (3, 1), (3, 2)])
def test_cnf_and_dnf_are_no_more_than_said(n, k):
    t = terms(n)
    dnf = {frozenset()} | {frozenset().union(*some) for size in range(1, k + 1) for some in combinations(t, size)}
    assert len(dnf) <= round(exp(log_k_term_dnf(n, k)))
    if k == 1:
        assert len(dnf) == round(exp(log_k_term_dnf(n, 1)))
    points = frozenset(product((0, 1), repeat=n))
    clauses = [points - c for c in t if 2**n > len(c) >= 2 ** (n - k)]
    assert len(clauses) * log(2) == pytest.approx(log_k_cnf(n, k))
    made = {points}
    for clause in clauses:
        made |= {m & clause for m in made}
    assert len(made) <= exp(log_k_cnf(n, k)) * (1 + 1e-9)
    with pytest.raises(ValueError, match="k must"):
        log_k_cnf(n, n + 1)


def test_trees_are_no_more_than_said():
    def trees(leaves, n):
        """Truth tables of all trees with so many leaves."""
        points = list(product((0, 1), repeat=n))
        if leaves == 1:
            return [tuple([c] * len(points)) for c in (0, 1)]
        return [
            tuple(b if p[a] else c for p, b, c in zip(points, left, right, strict=True))
            for a in range(n)
            for size in range(1, leaves)
            for left in trees(size, n)
            for right in trees(leaves - size, n)
        ]

    for leaves in (1, 2, 3, 4):
        made = trees(leaves, 2)
        assert len(made) == round(exp(log_trees(2, leaves)))
        if leaves > 1:
            assert set(trees(leaves - 1, 2)) <= set(made)


def test_sauer_by_enumeration():
    """Unions of two intervals have VC dimension 4 and label points in as many ways as any class of it can."""
    for m in range(1, 9):
        made = set()
        for a, b, c, d in product(range(m + 1), repeat=4):
            made.add(tuple(a <= i < b or c <= i < d for i in range(m)))
        assert len(made) == growth(m, 4)
    assert growth(10, 3) == 176
    assert growth(3, 10) == 8


@given(st.integers(0, 300), st.integers(1, 300))
def test_closed_form_is_not_below_sauer(m, vc):
    """(em/d)^d, not (ed/m)^d, which falls below what is there."""
    assert log(growth(m, vc)) <= log_growth(m, vc) + 1e-9
    if m <= vc:
        assert growth(m, vc) == 2**m
    assert growth(m, vc) <= (m + 1) ** vc


def test_erratum_9_the_fraction_the_other_way_up_is_false():
    """The closed form is (em/d)^d, above the labellings that there are; (ed/m)^d is below them."""
    pairs = product(range(9), repeat=4)  # unions of two intervals, of dimension 4
    labellings = {tuple(a <= i < b or c <= i < d for i in range(8)) for a, b, c, d in pairs}
    for m, vc, there in ((8, 4, len(labellings)), (10, 3, 176), (50, 2, growth(50, 2))):
        assert (e * vc / m) ** vc < there <= exp(log_growth(m, vc))
        assert log_growth(m, vc) == pytest.approx(vc * log(e * m / vc))


def separable(x, y):
    """Whether a hyperplane tells the classes apart, by a linear program."""
    rows = -y[:, None] * np.column_stack([x, np.ones(len(x))])
    return linprog(np.zeros(x.shape[1] + 1), rows, -np.ones(len(x)), bounds=(None, None)).status == 0


@pytest.mark.parametrize(("n", "d"), [(3, 1), (4, 2), (6, 2), (5, 3)])
def test_cover_by_enumeration(n, d):
    x = np.random.default_rng(0).normal(size=(n, d))
    found = sum(separable(x, np.array(y)) for y in product((-1.0, 1.0), repeat=n))
    assert found == cover_count(n, d)


def test_cover_numbers():
    assert cover_count(4, 2) == 14
    assert cover_count(10, 4) == 512
    assert cover_count(10, 2) == 92
    assert cover_count(3, 5) == 8
    assert cover_count(20, 3) == 2 * sum(comb(19, k) for k in range(4))


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_the_chance_of_a_separation_is_its_share_of_all_labellings(n, d):
    assert cover_probability(n, d) == cover_count(n, d) / 2**n
    assert cover_probability(10, 4) == 0.5
    assert cover_probability(4, 2) == 14 / 16


@given(st.integers(1, 500))
def test_erratum_5_cover_is_one_half_at_the_transition(d):
    """Not close to 1: exactly one half, with 1 well before and 0 well after in high dimensions."""
    assert cover_probability(2 * (d + 1), d) == 0.5
    assert cover_probability(d + 1, d) == 1
    if d >= 200:
        assert cover_probability(int(1.5 * (d + 1)), d) > 0.999
        assert cover_probability(int(2.5 * (d + 1)), d) < 0.02


@pytest.mark.parametrize("vc", range(8))
def test_polynomial_growth_is_not_below_sauer(vc):
    from tenfold.theory import polynomial_growth

    for m in range(60):
        assert polynomial_growth(m, vc) == (m + 1) ** vc >= growth(m, vc)
        if vc >= 3:
            assert log(polynomial_growth(m, vc) or 1) >= log_growth(m, vc) - 1e-12
    assert polynomial_growth(3, 1) == growth(3, 1)  # so it cannot be smaller for all


def test_monomials_are_conjunctions_of_literals():
    from tenfold.theory import class_size

    assert class_size("monomials", 4) == class_size("conjunctions", 4) == 3**4 + 1
