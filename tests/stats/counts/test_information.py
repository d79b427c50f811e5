"""Entropy and friends: scipy's and scikit-learn's numbers, the laws between them, and their bias."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import entropy as peer
from sklearn.metrics import mutual_info_score

from tenfold.stats.counts import information as info

RANDOM = np.random.default_rng(0)
TABLES = [RANDOM.integers(0, 9, shape) + np.eye(*shape) for shape in ((2, 2), (3, 5), (6, 2), (1, 4))]


@pytest.mark.parametrize("base", [2.0, math.e, 10.0])
@pytest.mark.parametrize("table", TABLES, ids=lambda t: "x".join(map(str, t.shape)))
def test_as_scipy_and_scikit_learn(table, base):
    p, q = table.ravel(), RANDOM.random(table.size)
    assert info.entropy(p, base=base) == pytest.approx(peer(p, base=base), abs=1e-14)
    assert info.kl_divergence(p, q, base=base) == pytest.approx(peer(p, q, base=base), abs=1e-14)
    assert info.mutual_information(table, base=base) == pytest.approx(
        mutual_info_score(None, None, contingency=table) / math.log(base), abs=1e-14
    )


@pytest.mark.parametrize(("base", "of_one_in_eight"), [(2.0, 3.0), (math.e, math.log(8.0))])
def test_information_is_the_logarithm_of_one_over_the_probability(base, of_one_in_eight):
    """And that of two events that are independent is the sum of both; entropy is its mean."""
    assert info.information([0.125], base=base)[0] == pytest.approx(of_one_in_eight)
    p = np.array([0.5, 0.3, 0.2])
    both = np.outer(p, p)
    each = info.information(p, base=base)
    np.testing.assert_allclose(info.information(both.ravel(), base=base), np.add.outer(each, each).ravel())
    assert p @ each == pytest.approx(info.entropy(p, base=base))


@pytest.mark.parametrize("table", TABLES, ids=lambda t: "x".join(map(str, t.shape)))
def test_laws_between_them(table):
    x, y, both = info.entropy(table.sum(axis=1)), info.entropy(table.sum(axis=0)), info.entropy(table)
    given = info.conditional_entropy(table)
    assert both == pytest.approx(x + given, abs=1e-13)
    assert given <= y + 1e-13
    assert info.mutual_information(table) == pytest.approx(y - given, abs=1e-13)
    assert y <= math.log2(table.shape[1]) + 1e-13
    p, q = table.ravel(), RANDOM.random(table.size) + 0.01
    assert info.cross_entropy(p, q) == pytest.approx(info.entropy(p) + info.kl_divergence(p, q), abs=1e-13)
    assert info.entropy(p) == info.entropy(10 * p)  # counts of ten such days


def test_erratum_19_divergence_has_no_minus_sign():
    """Σ p log p/q: with a minus before it, it would be at most zero."""
    for _ in range(20):
        p, q = RANDOM.random((2, 5))
        found = info.kl_divergence(p, q)
        p, q = p / p.sum(), q / q.sum()
        assert found == pytest.approx(sum(a * math.log2(a / b) for a, b in zip(p, q, strict=True)))
        assert found > 0 > -found
    assert info.kl_divergence([1, 2, 3], [2, 4, 6]) == 0


def test_what_never_happens():
    assert info.entropy([3, 0]) == 0
    assert info.information([1.0, 0.0]).tolist() == [0.0, math.inf]
    assert info.kl_divergence([1, 1], [1, 0]) == info.cross_entropy([1, 1], [1, 0]) == math.inf
    assert info.kl_divergence([1, 0], [1, 1]) == 1
    assert info.conditional_entropy([[1, 1], [0, 0]]) == 1


def test_corrections_are_less_biased():
    """Of many samples of 20 from ten values, each estimate beside the truth: the plain one is far below."""
    p = np.arange(1, 11) / 55
    samples = RANDOM.multinomial(20, p, 4000)
    truth = info.entropy(p)
    bias = [
        abs(np.mean([info.entropy(s, correction=how) for s in samples]) - truth)
        for how in (None, "miller_madow", "grassberger")
    ]
    assert bias[0] > 0.2
    assert all(later < earlier / 2 for earlier, later in pairwise(bias))
    tables = RANDOM.multinomial(60, np.full(16, 1 / 16), 1000).reshape(-1, 4, 4)  # independent
    plain, mended = (
        np.mean([info.mutual_information(t, correction=c) for t in tables]) for c in (None, "miller_madow")
    )
    assert plain > 0.09
    assert abs(mended) < plain / 5


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: info.entropy([]), "not all of them 0"),
        (lambda: info.entropy([-1, 2]), "numbers from 0 on"),
        (lambda: info.entropy([1, math.nan]), "numbers from 0 on"),
        (lambda: info.entropy([1, 2], base=1), "base must be"),
        (lambda: info.entropy([0.5, 0.5], correction="miller_madow"), "whole numbers"),
        (lambda: info.entropy([1, 2], correction="other"), "correction must be"),
        (lambda: info.information([1.5]), "from 0 to 1"),
        (lambda: info.mutual_information([1, 2]), "a row for each value"),
        (lambda: info.kl_divergence([1, 2], [1, 2, 3]), "the same values"),
    ],
)
def test_wrong_arguments_are_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()
