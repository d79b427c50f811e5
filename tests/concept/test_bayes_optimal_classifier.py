"""Bayes-optimal votes: the canon's numbers, brute force over all conjunctions, one part after another."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import tenfold as tn
from tenfold import BayesOptimalClassifier

SPORT = """
Sunny Warm Normal Strong Warm Same Yes
Sunny Warm High Strong Warm Same Yes
Rainy Cold High Strong Warm Change No
Sunny Warm High Strong Cool Change Yes
"""
ROWS = np.array([line.split() for line in SPORT.split("\n") if line], dtype=object)
X, y = ROWS[:, :-1], ROWS[:, -1]


def test_a_uniform_prior_without_noise_is_uniform_over_the_version_space():
    """EnjoySport leaves six conjunctions: P(h | D) = 1/6 each."""
    model = BayesOptimalClassifier(max_literals=None).fit(X, y)
    assert model.n_consistent_ == 6
    np.testing.assert_allclose(np.sort(model.posterior_)[-6:], 1 / 6, rtol=1e-14)
    assert np.count_nonzero(model.posterior_) == 6
    space = [h for h, p in zip(model.hypotheses_, model.posterior_, strict=True) if p > 0]
    assert ["Sunny", "Warm", "?", "Strong", "?", "?"] in space
    assert model.predict_proba([["Sunny", "Warm", "Normal", "Strong", "Cool", "Change"]])[0, 1] == pytest.approx(1.0)
    votes = model.predict_proba([["Sunny", "Cold", "Normal", "Strong", "Warm", "Same"]])[0, 1]
    assert votes == pytest.approx(2 / 6)  # two of six vote for it
    assert model.certificate_["consistent"].value == 6


def test_the_optimal_vote_is_not_that_of_the_most_probable():
    """Posterior .4, .3, .3: the most probable hypothesis says yes, the vote no, .4 to .6."""
    hypotheses = [["a", "?", "?"], ["?", "v", "?"], ["?", "?", "z"]]
    rows = np.array([["a", "v", "z"], ["c", "u", "w"]], dtype=object)  # they all agree with these
    model = BayesOptimalClassifier(hypotheses, prior=[0.4, 0.3, 0.3]).fit(rows, ["yes", "no"])
    np.testing.assert_allclose(model.posterior_, [0.4, 0.3, 0.3], rtol=1e-14)
    assert model.map_hypothesis_ == hypotheses[0]
    query = [["a", "u", "w"]]
    np.testing.assert_allclose(model.predict_proba(query), [[0.6, 0.4]], rtol=1e-14)
    assert model.predict(query).tolist() == ["no"]
    assert model.ml_hypothesis_ == hypotheses[0]  # the first of equals


def test_erratum_2_and_26_votes_are_weighed_by_the_rows_and_no_function_errs_less():
    """Weights are P(h | D), not P(h | x); and the least error is over all functions, not over the hypotheses."""
    random = np.random.default_rng(8)
    points = np.array(list(product("ab", "uv")), dtype=object)
    hypotheses = [["a", "?"], ["?", "u"], ["b", "v"]]
    learner = BayesOptimalClassifier(hypotheses, noise=0.2, pos_label=1)
    rows, target = points[random.integers(0, 4, 6)], np.array([1, 0, 1, 1, 0, 1])
    model = learner.fit(rows, target)
    covers = np.array([[all(v in ("?", x) for v, x in zip(h, row, strict=True)) for h in hypotheses] for row in rows])
    likelihood = np.where(covers == (target == 1)[:, None], 0.8, 0.2).prod(axis=0)
    posterior = likelihood / likelihood.sum()
    np.testing.assert_allclose(model.posterior_, posterior, rtol=1e-12)
    assert np.ptp(posterior) > 0.3  # equal weights would be those of no row
    at = np.array([[all(v in ("?", x) for v, x in zip(h, row, strict=True)) for h in hypotheses] for row in points])
    p = np.where(at, 0.8, 0.2) @ posterior
    np.testing.assert_allclose(model.predict_proba(points)[:, 1], p, rtol=1e-12)
    errors = {said: np.where(said, 1 - p, p).mean() for said in product((True, False), repeat=4)}  # every function
    best = tuple(bool(one) for one in model.predict(points))
    assert errors[best] == min(errors.values())
    assert errors[best] < min(errors[tuple(at[:, h].tolist())] for h in range(3))  # none of them is as good


def test_candy_bags_one_lime_after_another():
    """Bags whose shares of lime are 0, 1/4, 1/2, 3/4 and 1: sequential updating, MAP, and the next candy."""
    limes = [0.0, 0.25, 0.5, 0.75, 1.0]
    rates = np.column_stack([limes, np.zeros(5)])
    learner = BayesOptimalClassifier([["?"]] * 5, prior=[0.1, 0.2, 0.4, 0.2, 0.1], rates=rates, pos_label="lime")
    after = [(0, 0.1, 0.4, 0.3, 0.2), (0, 1 / 26, 4 / 13, 9 / 26, 4 / 13), (0, 1 / 76, 4 / 19, 27 / 76, 8 / 19)]
    chance = []
    for expected in after:
        learner.partial_fit([["bag"]], ["lime"], classes=["cherry", "lime"])
        np.testing.assert_allclose(learner.posterior_, expected, atol=1e-15)
        chance.append(learner.predict_proba([["bag"]])[0, 1])
    assert chance[0] == pytest.approx(0.65)
    assert chance[2] == pytest.approx(float(Fraction(121, 152)))
    assert [int(np.argmax(p)) for p in after] == [2, 3, 4]  # h3, h4, h5
    at_once = BayesOptimalClassifier(**learner.get_params())
    at_once.partial_fit([["bag"]] * 3, ["lime"] * 3, classes=["cherry", "lime"])
    np.testing.assert_allclose(at_once.posterior_, learner.posterior_, rtol=1e-14)
    np.testing.assert_allclose(at_once.posterior_, tn.bayes_rule([1, 2, 4, 2, 1], [limes] * 3), rtol=1e-14)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [0.0, 0.15])
def test_against_brute_force_and_parts_with_other_categories(seed, noise):
    random = np.random.default_rng(seed)
    rows = np.array(list("abc"), object)[random.integers(0, 3, (30, 3))]
    target = np.where(random.random(30) < 0.15, rows[:, 0] != "a", rows[:, 0] == "a").astype(int)
    rows[:10][rows[:10] == "c"] = "b"
    learner = BayesOptimalClassifier(max_literals=None, noise=noise)
    model = learner.fit(rows, target)
    all_of_them = [*product("abc?", repeat=3)]
    assert len(model.posterior_) == len(all_of_them) + 1
    said = np.array([[all(v in ("?", x) for v, x in zip(h, r, strict=True)) for h in all_of_them] for r in rows])
    said = np.column_stack([said, np.zeros(30, bool)])
    errors = (said != (target == 1)[:, None]).sum(axis=0)
    weight = (errors == errors.min()) * 1.0 if noise == 0 else noise**errors * (1 - noise) ** (30 - errors)
    truth = (said @ weight) / weight.sum() if noise == 0 else (np.where(said, 1 - noise, noise) @ weight) / weight.sum()
    np.testing.assert_allclose(model.predict_proba(rows)[:, 1], truth, rtol=1e-10)
    both = BayesOptimalClassifier(**learner.get_params()).fit(rows[:10], target[:10]) + BayesOptimalClassifier(
        **learner.get_params()
    ).fit(rows[10:], target[10:])
    np.testing.assert_array_equal(both.model_.log_posterior, model.model_.log_posterior)


def test_wrong_input_is_named():
    wide = np.array([[f"v{i}" for i in range(50)]] * 50, dtype=object)
    wide[np.arange(50), np.arange(50)] = "w"
    for params, rows, message in (
        ({"max_literals": None}, wide, r"Remedy: a smaller max_literals="),
        ({"hypotheses": [["a", "b"]]}, [["a"]] * 50, "lists of 1 values each"),
        ({"prior": [1.0]}, [["a"]] * 50, "prior must have a number from 0 on for each of the 3 hypotheses"),
        ({"rates": [[0.5, 2.0]] * 3}, [["a"]] * 50, "two probabilities"),
        ({"hypotheses": [["?"]], "rates": [[1.0, 0.0]]}, [["a"]] * 50, "no hypothesis allows these rows"),
    ):
        with pytest.raises(ValueError, match=message):
            BayesOptimalClassifier(**params).fit(rows, [0, 1] * 25)
