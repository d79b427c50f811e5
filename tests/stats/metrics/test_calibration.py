"""Bins of probabilities: against scikit-learn, merged in any way, and where the probabilities are right."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from tenfold.stats.metrics import Calibration, Ranking
from tenfold.stats.metrics.calibration import even_edges, quantile_edges
from tenfold.testing import bits


def rows(n=3000, seed=0, digits=None):
    random = np.random.default_rng(seed)
    p = random.beta(0.7, 0.9, n)
    p = p if digits is None else p.round(digits)
    return (random.random(n) < p).astype(int), p


@pytest.mark.parametrize("bins", [1, 5, 17])
@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_equals_scikit_learn(bins, digits, strategy):
    y, p = rows(digits=digits)
    edges = even_edges(bins) if strategy == "uniform" else quantile_edges(Ranking.of(y, p), bins)
    found = Calibration.of(y, p, edges=edges)
    true, pred = calibration_curve(y, p, n_bins=bins, strategy=strategy)
    np.testing.assert_allclose(found.prob_true, true, rtol=1e-14)
    np.testing.assert_allclose(found.prob_pred, pred, rtol=1e-13)


def test_quantile_edges_are_those_of_numpy_to_the_bit():
    for seed in range(20):
        y, p = rows(int(np.random.default_rng(seed).integers(1, 300)), seed, digits=[None, 2][seed % 2])
        mine = quantile_edges(Ranking.of(y, p), 7)
        assert mine.tolist() == np.percentile(p, np.linspace(0, 1, 8) * 100)[1:-1].tolist()


def test_merges_in_any_way():
    y, p = rows(1000)
    weight = np.random.default_rng(1).random(1000)
    cuts = [0, 1, 300, 301, 700, 1000]
    some = [Calibration.of(y[a:b], p[a:b], weight[a:b]) for a, b in zip(cuts, cuts[1:])]
    none = Calibration.of([], [])
    assert bits(some[1] + none) == bits(some[1]) == bits(none + some[1])
    left, right = some[0], some[-1]
    for one in some[1:]:
        left = left + one
    for one in some[-2::-1]:
        right = one + right
    whole = Calibration.of(y, p, weight)
    for one in (left, right):
        for name in ("prob_true", "prob_pred"):
            np.testing.assert_allclose(getattr(one, name), getattr(whole, name), rtol=1e-14)
    with pytest.raises(ValueError, match="other edges"):
        whole + Calibration.of(y, p, bins=7)


def test_a_row_of_weight_two_is_two_rows():
    y, p = rows(200)
    weight = np.random.default_rng(2).integers(0, 3, 200)
    a, b = Calibration.of(y, p, weight), Calibration.of(np.repeat(y, weight), np.repeat(p, weight))
    np.testing.assert_allclose(a.prob_pred, b.prob_pred, rtol=1e-14)
    np.testing.assert_allclose(a.prob_true, b.prob_true, rtol=1e-14)


def test_expected_error_vanishes_where_probabilities_are_right_and_not_where_they_are_not():
    y, p = rows(200_000)
    assert Calibration.of(y, p, bins=10).expected_error < 0.01
    assert Calibration.of(y, p**2, bins=10).expected_error > 0.1
    assert Calibration.of([0, 1], [0.25, 0.5], bins=1).expected_error == 0.125


@pytest.mark.parametrize("p", [[1.1], [-0.1], [np.nan]])
def test_what_is_no_probability_is_refused(p):
    with pytest.raises(ValueError, match="between 0 and 1"):
        Calibration.of([1], p)
