"""Find-S: EnjoySport, brute force over all conjunctions, merging with new categories."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from tenfold import BayesOptimalClassifier, CandidateElimination, DataError, FindS, ListThenEliminate, MergeError

SPORT = """
Sunny Warm Normal Strong Warm Same Yes
Sunny Warm High Strong Warm Same Yes
Rainy Cold High Strong Warm Change No
Sunny Warm High Strong Cool Change Yes
"""
ROWS = np.array([line.split() for line in SPORT.split("\n") if line], dtype=object)
X, y = ROWS[:, :-1], ROWS[:, -1]


def test_enjoy_sport():
    model = FindS().fit(X, y)
    assert model.hypothesis_ == ["Sunny", "Warm", "?", "Strong", "?", "?"]
    assert model.certificate_["consistent"].value == 1
    assert model.certificate_["consistent"].status == "proved"
    assert model.certificate_.provenance.passes == 2
    assert model.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("rows", [[[1, 0], [1, 1]], [[True, False], [True, True]], [[1.5, 2.0], [1.5, 3.0]]])
def test_hypotheses_print_values_as_they_are_written(rows):
    for model in (FindS().fit(rows, [1, 1]), BayesOptimalClassifier([[rows[0][0], "?"]]).fit(rows, [1, 1])):
        found = model.hypothesis_ if isinstance(model, FindS) else model.map_hypothesis_
        assert repr(found) == repr([rows[0][0], "?"])


@pytest.mark.parametrize("seed", range(10))
def test_is_the_most_specific_conjunction(seed):
    """Of all conjunctions that cover the positives, none covers fewer points."""
    random = np.random.default_rng(seed)
    points = np.array(list(product("abc", repeat=3)), dtype=object)
    some = points[random.integers(0, len(points), 6)]
    target = random.integers(0, 2, 6)
    target[0], target[1] = 0, 1
    model = FindS().fit(some, target)

    def covers(hypothesis, row):
        return all(h in ("?", v) for h, v in zip(hypothesis, row, strict=True))

    sizes = {
        h: sum(covers(h, point) for point in points)
        for h in product("abc?", repeat=3)
        if all(covers(h, row) for row in some[target == 1])
    }
    found = tuple(model.hypothesis_)
    assert sizes[found] == min(sizes.values())
    wrong = [i for i in range(6) if target[i] == 0 and covers(found, some[i])]
    claim = model.certificate_["consistent"]
    assert claim.value == (not wrong)
    if wrong:
        assert f"row {wrong[0]} " in claim.because


def test_no_positive_covers_nothing():
    model = FindS().fit([["a"], ["b"]], [0, 1]).partial_fit([["c"]], [0])
    assert model.hypothesis_ == ["b"]
    only = FindS().fit([["a"], ["b"]], ["no", "no"])
    assert only.predict([["a"], ["z"]]).tolist() == ["no", "no"]


def test_merging_joins_and_says_that_negatives_are_not_tested():
    a, b = FindS().fit(X[:2], y[:2]), FindS().fit(X[2:], y[2:])
    both = a + b
    assert both.hypothesis_ == FindS().fit(X, y).hypothesis_
    assert both.certificate_.get("consistent") is None
    assert both.certificate_["another scan"].status == "proved"


def test_rows_of_what_becomes_the_negative_class_join_no_more():
    negatives = FindS().fit([["a"], ["b"]], ["no", "no"])
    positives = FindS().fit([["c"]], ["yes"])
    for merged in (negatives + positives, positives + negatives):
        assert merged.classes_.tolist() == ["no", "yes"]
        assert merged.hypothesis_ == ["c"]


def test_two_classes_only():
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        FindS().fit([["a"], ["b"], ["c"]], [0, 1, 2])
    with pytest.raises(MergeError, match="takes two classes"):
        FindS().fit([["a"], ["b"]], [0, 1]) + FindS().fit([["a"]], [2])


def test_the_positive_class_can_be_chosen_and_is_named():
    """Accept comes before Reject in the alphabet, and is what one wants to learn."""
    target = np.where(y == "Yes", "Accept", "Reject")
    accept, reject = FindS(pos_label="Accept").fit(X, target), FindS().fit(X, target)
    assert accept.hypothesis_ == FindS().fit(X, y).hypothesis_
    assert accept.predict(X).tolist() == target.tolist()
    assert (accept.predict_proba(X)[:, 0] == (target == "Accept")).all()
    assert reject.hypothesis_ == X[2].tolist()
    for model, label in ((accept, "'Accept'"), (reject, "'Reject'")):
        assert model.pos_label_ == label
        assert label in model.certificate_["consistent"].because
        assert model.verify().origin == "verified"
    with pytest.raises(ValueError, match="pos_label='accept' is not a valid label"):
        FindS(pos_label="accept").fit(X, target)


def test_a_chosen_positive_class_stays_the_same_when_models_merge():
    target = np.where(y == "Yes", "Accept", "Reject")
    one = FindS(pos_label="Accept")
    parts = [FindS(pos_label="Accept").fit(X[some], target[some]) for some in ([0, 1], [2], [3])]
    whole = one.fit(X, target)
    for order in ((0, 1, 2), (1, 0, 2), (2, 1, 0)):
        merged = parts[order[0]] + parts[order[1]] + parts[order[2]]
        assert merged.hypothesis_ == whole.hypothesis_
        assert merged.predict(X).tolist() == target.tolist()
    assert parts[1].hypothesis_ == [None] * 6
    assert parts[1].predict(X).tolist() == ["Reject"] * 4


def test_a_class_without_weight_is_no_class():
    X, y = np.array([["red"], ["x"], ["m"], ["f"]], dtype=object), ["no", "perhaps", "yes", "yes"]
    assert FindS().fit(X, y, sample_weight=[1, 0, 1, 1]).classes_.tolist() == ["no", "yes"]
    with pytest.raises(DataError, match="Only binary classification is supported"):
        FindS().fit(X, y)


def test_erratum_20_the_boundary_is_by_strict_order():
    """S: no consistent hypothesis is strictly more specific. By "at most as general" S is empty: each is its own."""
    values = [sorted(set(column)) for column in X.T]
    every = list(product(*([*some, "?"] for some in values)))

    def covers(h, row):
        return all(a in ("?", b) for a, b in zip(h, row, strict=True))

    consistent = [h for h in every if all(covers(h, row) == (label == "Yes") for row, label in zip(X, y, strict=True))]

    def boundary(below):
        return [list(h) for h in consistent if not any(below(other, h) for other in consistent)]

    def at_most(a, b):
        return all(v == "?" or u == v for u, v in zip(a, b, strict=True))

    assert len(consistent) == 6
    assert boundary(lambda a, b: at_most(a, b) and a != b) == [FindS().fit(X, y).hypothesis_]
    assert boundary(at_most) == []


@pytest.mark.parametrize(
    "learner",
    [FindS(), CandidateElimination(), ListThenEliminate(), BayesOptimalClassifier()],
    ids=lambda m: type(m).__name__,
)
def test_a_value_that_reads_as_any_value_is_refused_by_column(learner):
    frame = pd.DataFrame({"stalk": ["?", "?", "q"], "cap": ["x", "x", "y"]})
    with pytest.raises(DataError, match=r"column 'stalk' has the value '\?', which means any value.*replace"):
        learner.fit(frame, [1, 1, 0])
    learner.fit(frame.replace("?", "unknown"), [1, 1, 0])


@pytest.mark.parametrize("learner", [ListThenEliminate, BayesOptimalClassifier])
@pytest.mark.parametrize("wrong", [3, "ab"])
def test_a_hypothesis_that_is_no_list_is_named(learner, wrong):
    with pytest.raises(ValueError, match=r"hypotheses must be lists of 1 values each.*Remedy"):
        learner([["a"], wrong]).fit([["a"], ["b"]], [1, 0])


@pytest.mark.parametrize("learner", [ListThenEliminate, BayesOptimalClassifier])
def test_a_hypothesis_that_is_no_function_beside_one_is_named(learner):
    with pytest.raises(ValueError, match=r"is \['a'\], not a function\. Remedy"):
        learner([["a"], len]).fit([["a"], ["b"]], [1, 0])
