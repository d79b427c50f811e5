"""Candidate elimination and list-then-eliminate: the canon, each other on 1,000 spaces, merges, and the power set."""

from itertools import product

import numpy as np
import pytest

import tenfold as tn
from tenfold import CandidateElimination, Conjunction, FindS, ListThenEliminate, VersionSpace
from tenfold.concept.conjunction import consistent, covers
from tenfold.sources import part_rows

SPORT = """
Sunny Warm Normal Strong Warm Same Yes
Sunny Warm High Strong Warm Same Yes
Rainy Cold High Strong Warm Change No
Sunny Warm High Strong Cool Change Yes
"""
ROWS = np.array([line.split() for line in SPORT.split("\n") if line], dtype=object)
X, y = ROWS[:, :-1], ROWS[:, -1]


def test_enjoy_sport():
    model = CandidateElimination(undecided="?").fit(X, y)
    space = model.version_space_
    assert [h.constraints for h in space.specific] == [tuple(FindS().fit(X, y).hypothesis_)]
    assert {h.constraints for h in space.general} == {("Sunny", *"?????"), ("?", "Warm", *"????")}
    assert (space.size, model.certificate_["size"].value, model.certificate_["consistent"].value) == (6, 6, 1)
    queries = [
        "Sunny Warm Normal Strong Cool Change", "Rainy Cold Normal Light Warm Same",
        "Sunny Warm Normal Light Warm Same", "Sunny Cold Normal Strong Warm Same",
    ]  # fmt: skip
    rows = np.array([text.split() for text in queries], dtype=object)
    assert model.predict(rows).tolist() == ["Yes", "No", "?", "?"]
    np.testing.assert_allclose(model.predict_proba(rows)[:, 1], [1, 0, 1 / 2, 2 / 6])
    assert CandidateElimination().fit(X, y).predict(rows).tolist() == ["Yes", "No", "No", "No"]
    assert model.verify().origin == "verified"


def small_space(seed):
    """Rows of a small space, with labels of a conjunction or, of every fourth, at random."""
    random = np.random.default_rng(seed)
    width, rows = int(random.integers(1, 4)), int(random.integers(2, 9))
    X = np.array(list("abc"), dtype=object)[random.integers(0, random.integers(2, 4), (rows, width))]
    target = [random.choice([*"ab", "?"]) for _ in range(width)]
    y = np.array([all(t in ("?", v) for t, v in zip(target, row, strict=True)) for row in X])
    y = random.random(rows) < 0.5 if seed % 4 == 0 else y
    return X, np.where(y, "yes", "no"), random


def test_candidate_elimination_equals_list_then_eliminate():
    """The classifiers on 60 spaces; `benchmarks/concepts.py` takes 1,000."""
    sizes = []
    for seed in range(60):
        rows, target, _ = small_space(seed)
        one = CandidateElimination(pos_label="yes").fit(rows, target)
        other = ListThenEliminate(max_literals=None, pos_label="yes").fit(rows, target)
        space = one.version_space_
        assert one.certificate_["size"].value == space.size == other.n_consistent_ == other.certificate_["size"].value
        sizes.append(space.size)
        if space.size:
            assert set(space.members()) == {Conjunction(h) for h in other.hypotheses_}
            points = np.array(list(product("abc", repeat=rows.shape[1])), dtype=object)
            np.testing.assert_allclose(one.predict_proba(points), other.predict_proba(points), atol=1e-12)
    assert {0, 1} < set(sizes)


def test_boundaries_equal_the_list_on_1000_spaces():
    """Step by step, without the classifiers: what is left, and its boundaries by strict order."""
    empty = 0
    for seed in range(1000):
        rows, target, _ = small_space(seed)
        values = [sorted(set(column)) for column in rows.T]
        space = VersionSpace(values).learn_all(rows, target == "yes")
        every = [Conjunction([None] * len(values)), *map(Conjunction, product(*([*some, "?"] for some in values)))]
        left = {h for h in every if consistent(h, rows, target == "yes")}
        assert set(space.members()) == left
        assert set(space.general) == {h for h in left if not any(h < other for other in left)}
        assert set(space.specific) == {h for h in left if not any(other < h for other in left)}
        empty += not left
    assert 50 < empty < 500


LEARNERS = [CandidateElimination(), ListThenEliminate(max_literals=None), ListThenEliminate("power set")]


@pytest.mark.filterwarnings("ignore:both models were made from the same rows")  # a few rows are equal by chance
@pytest.mark.parametrize("learner", LEARNERS)
def test_merged_models_are_those_of_all_rows(learner):
    """Also if a part has one class only, which may be the negative one, and categories of its own."""
    for seed in range(25):
        rows, target, random = small_space(seed)
        whole = type(learner)(**learner.get_params()).fit(rows, target)
        cut = int(random.integers(1, len(rows)))
        parts = [type(learner)(**learner.get_params()).fit(rows[s], target[s]) for s in (slice(cut), slice(cut, None))]
        for merged in (parts[0] + parts[1], parts[1] + parts[0]):
            for name, value in whole.model_._asdict().items():
                assert np.array_equal(getattr(merged.model_, name), value), (seed, name)


def test_merging_version_spaces_is_intersecting_them():
    a, b = CandidateElimination().fit(X[:3], y[:3]), CandidateElimination().fit(X[2:], y[2:])
    values = [sorted(set(column)) for column in X.T]
    spaces = [VersionSpace(values, m.version_space_.specific, m.version_space_.general) for m in (a, b)]
    assert spaces[0] & spaces[1] == (a + b).version_space_


@pytest.mark.parametrize("seed", range(6))
def test_negatives_alone_go_down_from_the_most_general_hypothesis(seed):
    """The dual of Find-S: of all conjunctions that cover no negative, those that are most general; by brute force."""
    random = np.random.default_rng(seed)
    values = [["a", "b", "c"], ["p", "q"], ["x", "y"]]
    rows = [[str(random.choice(some)) for some in values] for _ in range(int(random.integers(1, 6)))]
    space = VersionSpace(values).learn_all(rows, [False] * len(rows))
    left = [
        h for h in map(Conjunction, product(*([*some, "?"] for some in values))) if not any(covers(h, r) for r in rows)
    ]
    top = [h for h in left if not any(h < other for other in left)]
    assert set(space.general) == set(top)
    assert space.specific[0].covers_nothing  # no positive has lifted the other boundary
    every = [*rows, *([some[k % len(some)] for some in values] for k in range(3))]
    model = CandidateElimination(pos_label="yes").fit([*rows], ["no"] * len(rows))
    seen = VersionSpace([sorted({row[j] for row in rows}) for j in range(3)]).learn_all(rows, [False] * len(rows))
    assert model.version_space_ == seen
    assert not any(covers(h, row) for h in space.general for row in rows)
    assert all(any(covers(h, row) for h in space.general) for row in every if row not in rows)


def test_no_positive_leaves_what_covers_no_row():
    model = CandidateElimination(pos_label="yes").fit([["a", "u"], ["b", "v"]], ["no", "no"])
    space = model.version_space_
    assert space.specific == (Conjunction([None, None]),)
    assert set(space.members()) == {Conjunction([None, None]), Conjunction(["a", "v"]), Conjunction(["b", "u"])}
    every = CandidateElimination(pos_label="yes").fit([["a"], ["b"]], ["no", "no"])
    assert list(every.version_space_.members()) == [Conjunction([None])]
    grown = model.partial_fit([["a", "v"]], ["yes"])
    assert grown.version_space_.specific == (Conjunction(["a", "v"]),)
    assert grown.version_space_.size == 1


def test_an_empty_version_space_says_so_and_find_s_decides():
    rows, target = np.array([["a", "u"], ["b", "v"], ["a", "v"]], dtype=object), ["yes", "yes", "no"]
    model = CandidateElimination().fit(rows, target)
    assert model.version_space_.is_empty
    assert model.certificate_["consistent"].value == model.certificate_["size"].value == 0
    assert model.predict(rows).tolist() == FindS().fit(rows, target).predict(rows).tolist()
    assert CandidateElimination(undecided="?").fit(rows, target).predict(rows).tolist() == ["?"] * 3
    assert ListThenEliminate(undecided="?").fit(rows, target).predict(rows).tolist() == ["?"] * 3


def test_undecided_has_the_type_of_the_classes():
    rows = [["a", "u"], ["b", "v"]]
    for classes, other, kind in (([1, 0], -1, "i"), ([1.0, 0.0], -1, "f"), ([True, False], "?", "O")):
        model = CandidateElimination(undecided=other).fit(rows, classes)
        said = model.predict([["a", "u"], ["a", "v"], ["b", "v"]])
        assert said.tolist() == [classes[0], other, classes[1]]
        assert said.dtype.kind == kind


@pytest.mark.parametrize("seed", range(5))
def test_the_power_set_gives_every_unseen_row_half_the_votes(seed):
    """By listing all sets of rows: exactly half of those that are left have it."""
    random = np.random.default_rng(seed)
    points = list(product("ab", "uvw"))
    seen = random.permutation(6)[: random.integers(2, 6)]
    target = random.random(6) < 0.5
    target[seen[:2]] = [True, False]
    model = ListThenEliminate("power set", n_points=6).fit([points[k] for k in seen], target[seen])
    left = [s for s in product([True, False], repeat=6) if all(s[k] == target[k] for k in seen)]
    assert model.n_consistent_ == len(left)
    assert model.n_hypotheses_ == 64
    share = model.predict_proba(np.array(points, dtype=object))[:, 1]
    assert share.tolist() == np.mean(left, axis=0).tolist()
    assert all(share[k] == 0.5 for k in range(6) if k not in seen)


def test_primes():
    """002: of 1 to 10, six are labelled; 16 sets are left, and 2, 4, 8 and 9 tie 8 to 8."""
    model = ListThenEliminate("power set", n_points=10, undecided=-1)
    model.fit([[1], [3], [5], [6], [7], [10]], [0, 1, 1, 0, 1, 0])
    assert (model.n_consistent_, model.n_hypotheses_) == (16, 1024)
    assert (16 * model.predict_proba([[2], [4], [8], [9]])[:, 1]).tolist() == [8, 8, 8, 8]
    assert model.predict([[2], [3], [4], [6]]).tolist() == [-1, 1, -1, 0]
    step = [2.0 ** (10 - k) for k in range(7)]
    grown = ListThenEliminate("power set", n_points=10)
    sizes = [1024.0]
    for number, prime in ((1, 0), (3, 1), (5, 1), (6, 0), (7, 1), (10, 0)):
        sizes.append(grown.partial_fit([[number]], [prime], classes=[0, 1]).n_consistent_)
    assert sizes == step
    both = ListThenEliminate("power set").fit([[1], [1], [2]], [0, 1, 1])
    assert both.n_consistent_ == 0
    assert both.hypotheses_ == []


def test_a_list_of_ones_own():
    rows = [["a", "u"], ["b", "u"]]
    model = ListThenEliminate([["a", "?"], ["?", "u"], ["z", "?"], [None, None]]).fit(rows, [1, 0])
    assert model.hypotheses_ == [["a", "?"]]
    assert (model.n_consistent_, model.n_hypotheses_) == (1, 4)


def test_wrong_input_is_named():
    wide = np.array([["a"] * 80, *np.where(np.eye(80), "b", "a")], dtype=object)
    for learner, rows, target, message in (
        (ListThenEliminate("all"), [["a"], ["b"]], [0, 1], "hypotheses must be a list of lists"),
        (ListThenEliminate("power set", n_points=1), [["a"], ["b"]], [0, 1], "n_points is 1"),
        (ListThenEliminate(max_literals=None), wide[:31, :30], [1] + [0] * 30, "a smaller max_literals="),
        (CandidateElimination(pos_label="x"), [["a"], ["b"]], [0, 1], "not a valid label"),
        (CandidateElimination(pos_label=1), wide, [0] * 81, "most general hypotheses"),
    ):
        with pytest.raises(ValueError, match=message):
            learner.fit(rows, target)


def test_rows_that_the_boundaries_agree_on_are_not_counted():
    """Forty columns: the specific one covers a row, or no general one does; the size is counted too."""
    random = np.random.default_rng(0)
    rows = np.where(random.random((400, 40)) < 0.5, "a", "b").astype(object)
    target = (rows[:, 3] == "a") & (rows[:, 7] == "b")
    model = CandidateElimination(undecided=-1).fit(rows, target.astype(int))
    said = model.predict(rows)
    assert (said == target).all()
    assert Conjunction(["a" if j == 3 else "b" if j == 7 else "?" for j in range(40)]) in model.version_space_
    assert covers(model.version_space_.specific[0], rows[target][0])


@pytest.mark.parametrize("part", [1, 2, 5, 50])
def test_an_empty_space_names_the_first_negative_that_is_covered(part):
    """Whatever the order of the rows and their parts; also where positives come last."""
    named = 0
    for seed in range(30):
        random = np.random.default_rng(seed)
        X = random.choice(list("abc"), (25, 4)).astype(object)
        y = random.integers(0, 2, 25)
        y[0], y[1] = (0, 1) if seed % 2 else (1, 0)
        weight = (random.random(25) < 0.9).astype(float)
        weight[:2] = 1.0
        with part_rows(part):
            model = tn.CandidateElimination().fit(X, y, sample_weight=weight)
        rows, target = X[weight > 0], y[weight > 0]
        same = (rows[target == 1] == rows[target == 1][0]).all(axis=0)
        join = rows[target == 1][0]
        covered = np.flatnonzero((weight > 0) & (y == 0) & (~same | (join == X)).all(axis=1))
        claim = model.certificate_["consistent"]
        assert claim.value == float(not len(covered))
        if len(covered):
            named += 1
            assert f"covers row {covered[0]} too" in claim.because
    assert named > 10
