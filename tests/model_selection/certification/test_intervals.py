"""Intervals for error rates: against scipy, against published figures, and by counting how often they hold."""

from math import inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import binom, binomtest, norm

from model_selection.simulations import covers
from tenfold.model_selection.certification.intervals import Interval, difference_interval, error_interval

counts = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.floats(0.01, 0.9999)
methods = st.sampled_from(["exact", "wilson", "z"])


@pytest.mark.parametrize("n", [1, 2, 10, 30, 137, 12_345])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99, 0.9999])
def test_against_scipy_to_twelve_digits(n, level):
    for k in sorted({0, 1, n // 7, n // 2, n - 1, n}):
        for method in ("exact", "wilson"):
            theirs = binomtest(k, n).proportion_ci(level, method)
            mine = error_interval(k, n, level, method)
            assert mine.low == pytest.approx(theirs.low, rel=0, abs=1e-12)
            assert mine.high == pytest.approx(theirs.high, rel=0, abs=1e-12)
            assert mine.estimate == k / n
            above = binomtest(k, n, alternative="less").proportion_ci(level, method)
            below = binomtest(k, n, alternative="greater").proportion_ci(level, method)
            upper, lower = (error_interval(k, n, level, method, side=side) for side in ("upper", "lower"))
            assert (upper.low, lower.high) == (0, 1)
            assert upper.high == pytest.approx(above.high, rel=0, abs=1e-12)
            assert lower.low == pytest.approx(below.low, rel=0, abs=1e-12)


def test_normal_curve():
    found = error_interval(12, 40, method="z")
    half = norm.ppf(0.975) * sqrt(0.3 * 0.7 / 40)
    assert (found.low, found.high) == pytest.approx((0.3 - half, 0.3 + half), rel=1e-14)
    assert found.note == ""
    assert error_interval(12, 40, 0.95, "z", side="upper").high == pytest.approx(0.3 + norm.ppf(0.95) * half / 1.959964)


@pytest.mark.parametrize(
    ("errors", "n", "word"),
    [
        (10, 29, "29 rows"),
        (10, 30, ""),
        (0, 500, "n p (1-p) is 0,"),
        (5, 500, "4.95"),
        (6, 500, ""),
        (499, 500, "0.998"),
    ],
)
def test_the_rule_of_thirty_is_checked(errors, n, word):
    note = error_interval(errors, n, method="z").note
    assert (word in note) if word else note == ""
    assert ("Remedy" in note) == bool(word)
    assert error_interval(errors, n).note == ""


@pytest.mark.parametrize("n", [5, 30, 100])
def test_exact_holds_at_least_so_often_whatever_the_rate(n):
    rates = np.linspace(0.001, 0.999, 211)
    k = np.arange(n + 1)
    for level in (0.8, 0.95):
        ends = np.array([(i.low, i.high) for i in (error_interval(int(j), n, level) for j in k)])
        held = (ends[:, :1] <= rates) & (rates <= ends[:, 1:])
        assert (binom.pmf(k[:, None], n, rates) * held).sum(axis=0).min() >= level - 1e-12


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5])
def test_how_often_they_hold(rate):
    assert covers(80, rate, 0.95, "exact", 4000) >= 0.94
    assert covers(80, rate, 0.95, "wilson", 4000) >= 0.91


def test_the_normal_curve_fails_where_its_rule_says_so():
    assert covers(80, 0.02, 0.95, "z", 4000) < 0.85
    assert error_interval(2, 80, method="z").note
    assert covers(200, 0.3, 0.95, "z", 4000) > 0.92


@given(counts, levels, methods)
def test_holds_the_estimate_and_is_symmetric(which, level, method):
    k, n = which
    found, turned = error_interval(k, n, level, method), error_interval(n - k, n, level, method)
    assert 0 <= found.low <= k / n <= found.high <= 1
    assert found.estimate in found
    assert (found.low, found.high) == pytest.approx((1 - turned.high, 1 - turned.low), abs=1e-9)


@given(counts, levels, levels, methods)
def test_a_higher_level_is_a_wider_interval(which, one, two, method):
    narrow, wide = (error_interval(*which, level, method) for level in sorted((one, two)))
    assert wide.low <= narrow.low + 1e-12
    assert wide.high >= narrow.high - 1e-12


def test_difference_of_two_samples():
    # Newcombe (1998), methods 1 and 10: 56 of 70 and 48 of 80
    score, z = difference_interval(56, 70, 48, 80), difference_interval(56, 70, 48, 80, method="z")
    assert (round(score.low, 4), round(score.high, 4)) == (0.0524, 0.3339)
    assert (round(z.low, 4), round(z.high, 4)) == (0.0575, 0.3425)
    half = norm.ppf(0.95) * sqrt(0.3 * 0.7 / 100 + 0.2 * 0.8 / 50)
    found = difference_interval(30, 100, 10, 50, 0.9, "z")
    assert (found.estimate, found.low, found.high) == pytest.approx((0.1, 0.1 - half, 0.1 + half))
    assert difference_interval(0, 500, 20, 100, method="z").note
    assert difference_interval(20, 100, 0, 500, method="z").note
    assert not difference_interval(20, 100, 0, 500).note


def score_statistic(d, b, c, n):
    """Of the hypothesis that the rates differ by d, the rest being as likely as it can be."""
    rest = n - b - c

    def unlikely(q):
        some = [(b, q + d), (c, q), (rest, 1 - 2 * q - d)]
        return -sum(k * log(p) if p > 0 else -inf for k, p in some if k)

    q = minimize_scalar(unlikely, bounds=(max(0, -d), (1 - d) / 2), method="bounded", options={"xatol": 1e-13}).x
    return (b - c - n * d) / sqrt(n * (2 * q + d - d * d))


@pytest.mark.parametrize(("b", "c", "n"), [(15, 5, 100), (5, 15, 100), (40, 20, 160), (3, 1, 12), (0, 4, 40)])
def test_paired_difference_inverts_the_score_test(b, c, n):
    found = difference_interval(table=[[n - b - c, c], [b, 0]])
    assert found.estimate == (b - c) / n
    assert score_statistic(found.low, b, c, n) == pytest.approx(norm.ppf(0.975), rel=1e-4)
    assert score_statistic(found.high, b, c, n) == pytest.approx(-norm.ppf(0.975), rel=1e-4)


def test_paired_difference_at_the_edges():
    none = difference_interval(table=[[40, 0], [0, 2]])
    z2 = norm.ppf(0.975) ** 2
    assert none.high == pytest.approx(z2 / (42 + z2), rel=1e-12)
    assert none.low == -none.high
    assert none == difference_interval(table=np.array([[40.0, 0], [0, 2]])), "counts may be floats"
    assert difference_interval(table=[[0, 0], [9, 0]]).high == 1
    assert difference_interval(table=[[0, 9], [0, 0]]).low == -1
    z = difference_interval(table=[[50, 20], [25, 5]], method="z")
    half = norm.ppf(0.975) * sqrt(45 - 25 / 100) / 100
    assert (z.low, z.high) == pytest.approx((0.05 - half, 0.05 + half))
    assert "differ on 20 rows" in difference_interval(table=[[70, 5], [15, 10]], method="z").note


@pytest.mark.parametrize("method", ["score", "z"])
def test_how_often_differences_hold(method):
    random = np.random.default_rng(3)
    alone = [
        0.1 in difference_interval(int(a), 90, int(b), 60, method=method)
        for a, b in zip(random.binomial(90, 0.3, 1500), random.binomial(60, 0.2, 1500))
    ]
    tables = random.multinomial(80, [0.6, 0.1, 0.2, 0.1], 1500).reshape(-1, 2, 2)
    paired = [0.1 in difference_interval(table=table, method=method) for table in tables]
    assert np.mean(alone) > 0.93
    assert np.mean(paired) > 0.92


@given(counts, counts, levels, levels, st.sampled_from(["score", "z"]))
def test_differences_turn_with_their_sides(first, second, one, two, method):
    narrow, wide = (difference_interval(*first, *second, level, method) for level in sorted((one, two)))
    turned = difference_interval(*second, *first, narrow.level, method)
    assert -1 <= narrow.low <= narrow.estimate <= narrow.high <= 1
    assert (narrow.low, narrow.high) == pytest.approx((-turned.high, -turned.low), abs=1e-12)
    assert wide.low <= narrow.low + 1e-12
    assert wide.high >= narrow.high - 1e-12


@given(
    st.lists(st.integers(0, 300), min_size=4, max_size=4).filter(any), levels, levels, st.sampled_from(["score", "z"])
)
def test_paired_differences_turn_with_their_sides(four, one, two, method):
    table = np.reshape(four, (2, 2))
    narrow, wide = (difference_interval(table=table, level=level, method=method) for level in sorted((one, two)))
    turned = difference_interval(table=table.T, level=narrow.level, method=method)
    assert -1 <= narrow.low <= narrow.estimate <= narrow.high <= 1
    assert (narrow.low, narrow.high) == pytest.approx((-turned.high, -turned.low), abs=1e-12)
    assert wide.low <= narrow.low + 1e-12
    assert wide.high >= narrow.high - 1e-12


def test_what_is_shown():
    found = error_interval(1, 20, method="z")
    assert str(found).startswith(
        "error rate 0.05; 95 % interval 0 to 0.145517 (normal approximation); careful: there are 20"
    )
    assert "careful" in found._repr_html_()
    assert "<td" in found._repr_html_()
    assert "at least 0.00256" in str(error_interval(1, 20, 0.95, side="lower"))
    assert "99.9 %" in str(error_interval(1, 20, 0.999))
    odd = Interval("<b>", 0.5, 0.4, 0.6, 0.9, "both", "guess", "nothing")
    assert "&lt;b&gt;" in odd._repr_html_()
    assert "half" not in odd
    assert odd.width == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: error_interval(11, 10), "errors"),
        (lambda: error_interval(-1, 10), "errors"),
        (lambda: error_interval(0.5, 10), "errors must be an integer"),
        (lambda: error_interval(0, 0), "n must"),
        (lambda: error_interval(1, 10, 1.0), "level"),
        (lambda: error_interval(1, 10, 95), "level"),
        (lambda: error_interval(1, 10, method="wald"), "method must be one of 'exact', 'wilson', 'z'"),
        (lambda: error_interval(1, 10, side="left"), "side"),
        (lambda: difference_interval(1, 10, 2), "n_b are needed"),
        (lambda: difference_interval(1, 10, 12, 10), "errors_b"),
        (lambda: difference_interval(1, 10, 1, 10, method="exact"), "method"),
        (lambda: difference_interval(1, 10, 1, 10, table=[[1, 1], [1, 1]]), "either table or"),
        (lambda: difference_interval(table=[[1, 2, 3]]), "table must be 2 x 2"),
        (lambda: difference_interval(table=[[1, 2], [3, -1]]), "table must be 2 x 2"),
        (lambda: difference_interval(table=[[0, 0], [0, 0]]), "not all zero"),
        (lambda: difference_interval(table=[[0.5, 0], [0, 1]]), "whole numbers"),
        (lambda: difference_interval(table=[[1, 2], [3]]), "table must be 2 x 2"),
        (lambda: difference_interval(table=[[1, 2], [3, float("nan")]]), "table must be 2 x 2"),
        (lambda: difference_interval(table=[[1, 2], [3, inf]]), "table must be 2 x 2"),
        (lambda: difference_interval(table="abcd"), "table must be 2 x 2"),
        (lambda: error_interval("3", 10), "errors must be an integer"),
        (lambda: error_interval(3, 10, "95 %"), "level must be a number"),
        (lambda: error_interval(3, 10, None), "level must be a number"),
        (lambda: difference_interval(1, "ten", 1, 10), "n_a must be an integer"),
    ],
)
def test_errors_name_the_argument(call, word):
    with pytest.raises(ValueError, match="^(?s:.*)" + word.replace("(", r"\(")):
        call()
