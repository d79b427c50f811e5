"""Distributions of the textbooks against sums and products by hand."""

from itertools import product

import numpy as np
import pytest

import tenfold as tn
from tenfold import datasets


def test_candy_bags_after_each_lime():
    bags = datasets.load_candy_bags()
    after = [(0, 0.1, 0.4, 0.3, 0.2), (0, 1 / 26, 4 / 13, 9 / 26, 4 / 13), (0, 1 / 76, 4 / 19, 27 / 76, 8 / 19)]
    for limes, expected in enumerate(after, start=1):
        by_hand = bags.prior * bags.lime**limes
        np.testing.assert_allclose(by_hand / by_hand.sum(), expected, atol=1e-15)
        np.testing.assert_allclose(tn.bayes_rule(bags.prior, [bags.lime] * limes), expected, atol=1e-15)
    assert len(bags.hypotheses) == 5
    assert bags.prior.sum() == pytest.approx(1)


def test_draws_have_the_share_of_limes_of_their_bag():
    for bag, share in enumerate(datasets.load_candy_bags().lime):
        draws, kind = datasets.make_candy_draws(4_000, bag=bag, random_state=bag)
        assert kind == bag
        assert np.mean(draws == "lime") == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 4_000))
    kinds = [datasets.make_candy_draws(1, random_state=seed)[1] for seed in range(2_000)]
    np.testing.assert_allclose(np.bincount(kinds, minlength=5) / 2_000, [0.1, 0.2, 0.4, 0.2, 0.1], atol=0.045)
    one, other = (datasets.make_candy_draws(20, random_state=3) for _ in range(2))
    assert one[0].tolist() == other[0].tolist()
    for wrong in (5, -1, "lime"):
        with pytest.raises(ValueError, match="the kinds are 0 to 4"):
            datasets.make_candy_draws(bag=wrong)


def test_the_burglary_by_the_sum_over_all_rows():
    network = datasets.load_burglary()
    alarm = {(True, True): 0.95, (True, False): 0.94, (False, True): 0.29, (False, False): 0.001}

    def joint(b, e, a, j, m):
        p = (0.001 if b else 0.999) * (0.002 if e else 0.998)
        p *= alarm[b, e] if a else 1 - alarm[b, e]
        for calls, given in ((j, (0.9, 0.05)), (m, (0.7, 0.01))):
            p *= given[not a] if calls else 1 - given[not a]
        return p

    for b, e, a, j, m in product([True, False], repeat=5):
        said = {"burglary": b, "earthquake": e, "alarm": a, "john": j, "mary": m}
        assert network.probability(said) == pytest.approx(joint(b, e, a, j, m), rel=1e-12)
    assert joint(False, False, True, True, True) == pytest.approx(0.000628111, abs=1e-9)


def test_the_loaded_die_shows_less_than_four_in_two_thirds():
    """Erratum 27: 1/2 + 0 + 1/6 is 2/3."""
    die = datasets.load_loaded_die()
    assert [die.probability(die=k) for k in range(1, 7)] == pytest.approx([1 / 2, 0, 1 / 6, 0, 1 / 6, 1 / 6])
    assert sum(die.probability(die=k) for k in (1, 2, 3)) == pytest.approx(2 / 3)


def test_the_weather_table_sums_to_its_margins():
    table = datasets.load_weather_table()
    assert table.count.sum() == pytest.approx(1)
    assert table.probability(play=True) == pytest.approx(0.67)
    np.testing.assert_allclose(table.marginal("weather").p, [0.72, 0.1, 0.08, 0.1])
    assert table.mutual_information("play", "weather") == pytest.approx(0.218292, abs=1e-6)
