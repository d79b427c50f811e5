"""Hypotheses that are functions of a row: the canon's numbers, brute force, and the same answers as conjunctions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import tenfold as tn
from tenfold import BayesOptimalClassifier, ListThenEliminate, ModelFileError
from tenfold.sources import part_rows
from tenfold.testing import check_laws


def odd(row):
    return row[0] % 2 == 1


def prime(row):
    return row[0] in (2, 3, 5, 7)


def odd_prime(row):
    return row[0] in (3, 5, 7)


NUMBERS, PRIME = [[1], [3], [5], [6], [7], [10]], [0, 1, 1, 0, 1, 0]
LIMES = (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1))
BAGS = {f"h{k + 1}": (lambda row, p=float(p): p) for k, p in enumerate(LIMES)}
PRIOR = [0.1, 0.2, 0.4, 0.2, 0.1]


@pytest.mark.quick
def test_candy_bags_as_functions():
    learner = BayesOptimalClassifier(BAGS, prior=PRIOR, pos_label="lime")
    exact = [Fraction(int(10 * p), 10) for p in PRIOR]
    chances, best = [], []
    for _ in range(3):
        learner.partial_fit([["candy"]], ["lime"], classes=["cherry", "lime"])
        exact = [p * q for p, q in zip(exact, LIMES, strict=True)]
        exact = [p / sum(exact) for p in exact]
        np.testing.assert_allclose(learner.posterior_, [float(p) for p in exact], atol=1e-15)
        chances.append(learner.predict_proba([["candy"]])[0, 1])
        best.append(learner.map_hypothesis_)
        assert chances[-1] == pytest.approx(float(sum(p * q for p, q in zip(exact, LIMES, strict=True))), rel=1e-14)
    assert chances[0] == pytest.approx(0.65)
    assert chances[2] == pytest.approx(121 / 152)
    assert best == ["h3", "h4", "h5"]
    assert learner.ml_hypothesis_ == "h5"


def test_three_hypotheses_vote_against_the_most_probable():
    """P(h | D) = .4, .3, .3: the first says yes, the others no: no wins by .6."""
    both = BayesOptimalClassifier(
        {"first": lambda row: True, "second": lambda row: row[1] == 0, "third": lambda row: row[1] == 0},
        prior=[0.4, 0.3, 0.3],
    )
    model = both.partial_fit([["a", 0.0]], ["yes"], classes=["no", "yes"])
    np.testing.assert_allclose(model.posterior_, [0.4, 0.3, 0.3])
    assert model.map_hypothesis_ == "first"
    p = model.predict_proba([["a", 1.0]])[0]
    np.testing.assert_allclose(p, [0.6, 0.4])
    assert model.predict([["a", 1.0]]).tolist() == ["no"]


@pytest.mark.quick
def test_eliminated_one_by_one():
    model = ListThenEliminate([odd, prime, odd_prime]).fit(NUMBERS, PRIME)
    assert model.hypotheses_ == ["prime", "odd_prime"]
    assert (model.n_consistent_, model.n_hypotheses_) == (2.0, 3.0)
    assert model.certificate_["size"].value == 2
    # numbers that no training row had are seen as they are
    assert model.predict_proba([[2], [9], [11], [7]])[:, 1].tolist() == [0.5, 0.0, 0.0, 1.0]
    undecided = ListThenEliminate([odd, prime, odd_prime], undecided="?").fit(NUMBERS, PRIME)
    assert undecided.predict([[2], [9], [7]]).tolist() == ["?", 0, 1]
    none = ListThenEliminate({"odd": odd, "even": lambda row: not odd(row)}).fit(NUMBERS, PRIME)
    assert none.n_consistent_ == 0
    assert none.hypotheses_ == ["odd"]  # one error of six, the other five


def conjunction(values):
    return lambda row: all(v in ("?", x) for v, x in zip(values, row, strict=True))


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(4))
def test_conjunctions_written_as_functions_are_the_same_models(seed, noise):
    random = np.random.default_rng(seed)
    rows = np.array(list("abc"), object)[random.integers(0, 3, (40, 2))]
    target = np.where(random.random(40) < 0.1 * (noise > 0), rows[:, 0] != "a", rows[:, 0] == "a").astype(int)
    listed = [[*h] for h in product("abc?", repeat=2)]
    functions = {"".join(h): conjunction(h) for h in listed}
    weight = random.integers(0, 3, 40).astype(float)
    a = BayesOptimalClassifier(listed, noise=noise).fit(rows, target, sample_weight=weight)
    b = BayesOptimalClassifier(functions, noise=noise).fit(rows, target, sample_weight=weight)
    np.testing.assert_allclose(b.posterior_, a.posterior_, rtol=1e-10, atol=1e-300)
    np.testing.assert_allclose(b.predict_proba(rows), a.predict_proba(rows), rtol=1e-10)
    assert (b.n_consistent_, b.map_hypothesis_) == (a.n_consistent_, "".join(a.map_hypothesis_))
    a, b = (ListThenEliminate(one).fit(rows, target, sample_weight=weight) for one in (listed, functions))
    assert b.hypotheses_ == ["".join(h) for h in a.hypotheses_]
    np.testing.assert_allclose(b.predict_proba(rows), a.predict_proba(rows), rtol=1e-14)


@pytest.mark.parametrize("kind", [ListThenEliminate, BayesOptimalClassifier])
def test_models_add_up_and_cuts_do_not_matter(kind):
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"n": random.integers(0, 9, 60), "word": np.array(list("abcd"), object)[np.arange(60) // 15]})
    y = np.where(frame["n"] % 3 == 0, "yes", "no")
    rules = {
        "by three": lambda row: row[0] % 3 == 0,
        "by three, or z": lambda row: row[0] % 3 == 0 or row[1] == "z",
        "late": lambda row: row[1] in ("c", "d"),
    }
    whole = kind(rules).fit(frame, y)
    with part_rows(7):
        parts = kind(rules).fit(frame, y)
    both = kind(rules).fit(frame[:20], y[:20]) + kind(rules).fit(frame[20:], y[20:])  # other words in each
    for other in (parts, both, clone(whole).fit(frame, y)):
        assert other.predict_proba(frame).tobytes() == whole.predict_proba(frame).tobytes()
        assert other.model_.words == whole.model_.words
    assert both.verify().origin == "verified"
    cv = tn.cross_validate([kind(rules)], frame, y, folds=3, shuffle=True)
    assert cv.scores.min() == 1.0


@pytest.mark.parametrize("learner", [
    ListThenEliminate({"any": lambda row: True, "none": lambda row: False}),
    BayesOptimalClassifier({"any": lambda row: True, "third": lambda row: 1 / 3}, noise=0.1),
], ids=["list", "vote"])  # fmt: skip
def test_laws(learner):
    check_laws(learner, draws=3)


def test_wrong_functions_are_refused(tmp_path):
    for rules, kind, error in (
        ({"odd": 1}, ListThenEliminate, "hypothesis 'odd' is 1, not a function"),
        ({}, BayesOptimalClassifier, "must be at least one"),
        ([lambda row: 1, lambda row: 0], ListThenEliminate, "two hypotheses are called '<lambda>'"),
        ([odd, ["?"]], ListThenEliminate, r"is \['\?'\], not a function"),
        ({"half": lambda row: 0.5}, ListThenEliminate, "'half' gives a probability.*BayesOptimalClassifier"),
        ({"two": lambda row: 2}, BayesOptimalClassifier, r"'two' gives 2 for the row \[1.0\]"),
        ({"text": lambda row: "yes"}, BayesOptimalClassifier, "'text' gives 'yes' for the row"),
        ({"nan": lambda row: float("nan")}, BayesOptimalClassifier, "'nan' gives nan"),
    ):
        with pytest.raises(ValueError, match=error):
            kind(rules).fit(NUMBERS, PRIME)
    with pytest.raises(ValueError, match="rates are for conjunctions"):
        BayesOptimalClassifier([odd], rates=[[1.0, 0.0]]).fit(NUMBERS, PRIME)
    with pytest.raises(ValueError, match="no hypothesis allows these rows"):
        BayesOptimalClassifier({"third": lambda row: 1 / 3 if row[0] > 1 else 1.0}).fit(NUMBERS, PRIME)
    for kind in (ListThenEliminate, BayesOptimalClassifier):
        with pytest.raises(ModelFileError, match="hypotheses is a function.*Remedy: hypotheses as lists of values"):
            kind([odd, prime]).fit(NUMBERS, PRIME).save(tmp_path / "rules.tenfold")
