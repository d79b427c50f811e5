"""The interval of an area: DeLong's variance by its definition over all pairs, coverage, and what cannot be told."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

from tenfold.model_selection.certification.auc_interval import auc_interval
from tenfold.stats.metrics import Ranking


def by_definition(y, score, level=0.95):
    """DeLong, DeLong and Clarke-Pearson (1988), over all pairs."""
    up, down = score[y == 1], score[y == 0]
    wins = (up[:, None] > down) + 0.5 * (up[:, None] == down)
    area = wins.mean()
    error = np.sqrt(wins.mean(axis=1).var(ddof=1) / len(up) + wins.mean(axis=0).var(ddof=1) / len(down))
    half = norm.ppf(0.5 + level / 2) * error / (area * (1 - area))
    return area, expit(logit(area) - half), expit(logit(area) + half)


@pytest.mark.parametrize("digits", [0, 1, 8])
def test_equals_the_definition(digits):
    random = np.random.default_rng(digits)
    y = random.integers(0, 2, 300)
    score = (y + 1.5 * random.normal(size=300)).round(digits)
    found = auc_interval(Ranking.of(y, score))
    np.testing.assert_allclose((found.estimate, found.low, found.high), by_definition(y, score), rtol=1e-12)


def test_covers():
    """Normal scores one apart: the true area is Φ(1/√2)."""
    random = np.random.default_rng(0)
    true, hits = norm.cdf(1 / np.sqrt(2)), 0
    for _ in range(1000):
        y = (random.random(80) < 0.4).astype(int)
        hits += true in auc_interval(Ranking.of(y, y + random.normal(size=80)))
    assert 0.93 <= hits / 1000 <= 0.98


def test_bins_that_hold_several_scores_move_the_ends_out():
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 4000)
    score = y + random.normal(size=4000)
    exact, coarse = auc_interval(Ranking.of(y, score)), auc_interval(Ranking.of(y, score, most=40))
    assert coarse.low < exact.low < exact.high < coarse.high


def test_what_cannot_be_told_is_none():
    assert auc_interval(Ranking.of([0, 0, 1, 1], [1, 2, 3, 4])) is None  # an area of one has no spread
    assert auc_interval(Ranking.of([0, 1, 0], [1, 2, 3])) is None  # a single positive
    assert auc_interval(Ranking.of([0, 1, 0, 1], [1, 2, 3, 4], [0.5, 1.0, 2.0, 0.7])) is None
