"""Two learners, and all pairs of several: against scipy, and how often equal learners are told apart.

`benchmarks/honest_tests.py` runs the simulation 1,000 times.
"""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tenfold as tn
from model_selection.simulations import rejected
from tenfold.model_selection.comparison.compare import compare, compare_all
from tenfold.model_selection.comparison.comparison_result import Comparison
from tenfold.model_selection.comparison.paired_tests import holm

score = st.floats(0, 1).map(lambda v: round(v, 4))
folds = st.integers(2, 20).flatmap(lambda k: st.tuples(*[st.lists(score, min_size=k, max_size=k)] * 2))


# ---- equal learners ----------------------------------------------------------------------------


@pytest.mark.full
def test_equal_learners_are_seldom_told_apart():
    found = rejected(300)
    assert found["corrected, folds"] <= 0.07
    assert found["corrected, draws"] <= 0.07
    assert found["5x2"] <= 0.12, "not as honest as the others: about 0.09 in 1,000 runs"
    assert found["mcnemar"] <= 0.09
    assert found["paired, draws"] > 0.12, "the flaw that the correction is for"
    assert found["paired, folds"] > found["corrected, folds"]


# ---- one pair ----------------------------------------------------------------------------------

A = [0.81, 0.84, 0.83, 0.85, 0.80, 0.82, 0.79, 0.86, 0.83, 0.84]
B = [0.80, 0.82, 0.82, 0.82, 0.79, 0.81, 0.79, 0.83, 0.81, 0.83]


def test_plain_paired_t_against_scipy():
    theirs = stats.ttest_rel(A, B)
    ends = theirs.confidence_interval(0.95)
    found = compare(A, B, "paired")
    mine = (found.difference, found.statistic, found.df, found.p, found.low, found.high)
    assert mine == pytest.approx((np.mean(A) - np.mean(B), theirs.statistic, 9, theirs.pvalue, ends.low, ends.high))
    assert "where there are none" in found.note


def test_corrected_is_the_plain_one_with_more_variance():
    plain, found = compare(A, B, "paired"), compare(A, B, sizes=(90, 10))
    scale = sqrt((1 / 10 + 1 / 9) / (1 / 10))
    assert found.difference == plain.difference
    assert found.statistic == pytest.approx(plain.statistic / scale, rel=1e-12)
    assert found.high - found.low == pytest.approx(scale * (plain.high - plain.low), rel=1e-12)
    assert found.p == pytest.approx(2 * stats.t.sf(found.statistic, 9), rel=1e-10)
    assert compare(A, B, sizes=[(90, 10)] * 10) == found
    assert found.note == ""


def test_five_by_two():
    random = np.random.default_rng(0)
    a, b = random.random((5, 2)), random.random((5, 2))
    d = a - b
    t = d[0, 0] / sqrt(d.var(axis=1, ddof=1).mean())
    found = compare(a, b, "5x2")
    assert (found.statistic, found.df, found.p) == pytest.approx((t, 5, 2 * stats.t.sf(abs(t), 5)))
    assert found.difference == d[0, 0]
    assert f"{d.mean():.3g}" in found.note


def test_mcnemar():
    truth = np.zeros(200, int)

    def predictions(only_a, only_b):
        a, b = np.zeros(200, int), np.zeros(200, int)
        a[:only_b], b[only_b : only_b + only_a] = 1, 1
        return a, b

    few = compare(*predictions(12, 3), "mcnemar", truth=truth)
    assert few.p == pytest.approx(stats.binomtest(3, 15).pvalue, rel=1e-12)
    assert (few.statistic, few.df, few.difference) == (3, None, 9 / 200)
    assert few.low > 0
    many = compare(*predictions(20, 40), "mcnemar", truth=truth)
    assert (many.statistic, many.df) == (19**2 / 60, 1)
    assert many.p == pytest.approx(stats.chi2.sf(19**2 / 60, 1), rel=1e-10)
    assert (many.difference, many.high < 0) == (-0.1, True)
    same = compare(*predictions(0, 0), "mcnemar", truth=truth)
    assert (same.p, same.difference, same.significant) == (1, 0, False)
    assert same.low == -same.high < 0
    equal = compare(*predictions(30, 30), "mcnemar", truth=truth)
    assert (equal.p, equal.statistic) == (1, 0)


def test_words():
    found = compare(A, B, sizes=(90, 10), names=("new", "old"))
    assert found.sentence == (
        "new is better than old by 0.015 in score (95 % interval 0.0049 to 0.0251); with p = 0.0084, this would be "
        "rare if they were equally good."
    )
    turned = compare(B, A, sizes=(90, 10), names=("old", "new"))
    assert turned.sentence == found.sentence
    assert (turned.better, found.better) == ("new", "new")
    close = compare(A, B, sizes=(90, 10), level=0.999)
    assert close.sentence.startswith(
        "a and b are not significantly different: the difference in score is 0.015 (99.9 %"
    )
    assert close.better is None
    assert str(close) == repr(close)
    assert "corrected resampled t-test: statistic = 3.359, df = 9, p = 0.0084" in str(close)
    assert "careful" in str(compare(A, B, "paired"))
    assert "careful" in compare(A, B, "paired")._repr_html_()
    assert "<b>" not in compare(A, B, "paired", names=("<b>", "c"))._repr_html_()
    long = compare(A, B, "paired", names=("x" * 99, "c"))
    assert "x" * 37 + "..." in long.sentence


def test_no_spread():
    same = compare(A, A, sizes=(9, 1))
    assert (same.p, same.statistic, same.low, same.high) == (1, 0, 0, 0)
    assert not same.significant
    ahead = compare([0.75, 0.5], [0.5, 0.25], sizes=(9, 1))
    assert (ahead.p, ahead.statistic) == (0, np.inf)
    assert "variance cannot be estimated" in ahead.note
    rounding = compare(np.array(A) * (1 + 1e-15), A, sizes=(9, 1))
    assert (rounding.p, rounding.difference, rounding.better) == (1, 0, None)
    steady = compare(np.array(A) + 0.1, A, sizes=(9, 1))
    assert steady.difference == pytest.approx(0.1)
    assert steady.note == ahead.note
    flat = compare(np.ones((5, 2)), np.ones((5, 2)), "5x2")
    assert (flat.p, flat.statistic) == (1, 0)


@given(folds, st.floats(0.5, 0.999), st.floats(0.5, 0.999), st.sampled_from(["corrected", "paired"]))
def test_sides_and_levels(scores, one, two, method):
    a, b = scores
    narrow, wide = (compare(a, b, method, sizes=(4, 1), level=level) for level in sorted((one, two)))
    turned = compare(b, a, method, sizes=(4, 1), level=narrow.level)
    assert narrow.low <= narrow.difference <= narrow.high
    assert wide.low <= narrow.low
    assert wide.high >= narrow.high
    mine, theirs = ((c.difference, c.low, c.high) for c in (narrow, turned))
    assert theirs == pytest.approx((-mine[0], -mine[2], -mine[1]))
    assert turned.p == pytest.approx(narrow.p)
    if np.ptp(np.subtract(a, b)) > 1e-9:
        assert narrow.significant == (not narrow.low < 0 < narrow.high) or narrow.p == pytest.approx(1 - narrow.level)


@given(st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=1, max_size=60))
def test_mcnemar_turns_with_its_sides(rows):
    truth, a, b = np.array(rows).T
    found, turned = (compare(*pair, "mcnemar", truth=truth) for pair in ((a, b), (b, a)))
    assert found.low <= found.difference <= found.high
    assert (turned.difference, turned.low, turned.high) == pytest.approx((-found.difference, -found.high, -found.low))
    assert turned.p == found.p
    assert found.difference == pytest.approx((a == truth).mean() - (b == truth).mean())


# ---- of cross-validation -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 4))
    return X, X @ [1.0, 2.0, 0.0, 0.0] + random.normal(size=200)


@pytest.fixture(scope="module")
def judged(rows):
    learners = {"one": tn.Ridge(1.0), "two": tn.Ridge(2.0), "many": tn.Ridge(300.0)}
    return tn.cross_validate(learners, *rows, scoring=["r2", "neg_mean_absolute_error"])


def test_a_cross_validation_and_two_learners(judged):
    found = compare(judged, ("one", "many"), score="neg_mean_absolute_error")
    other = compare(judged.scores[0, 1], judged.scores[2, 1], sizes=judged.sizes, names=("one", "many"))
    assert found.better == "one"
    assert (found.low, found.high, found.p) == (other.low, other.high, other.p)
    assert found.score == "neg_mean_absolute_error"
    assert compare(judged, (0, -1), score=1) == found
    assert compare(judged).names == ("one", "two")


def test_five_by_two_of_a_cross_validation(rows):
    cv = tn.cross_validate([tn.Ridge(1.0), tn.Ridge(300.0)], *rows, folds=2, shuffle=True, repeats=5)
    found = compare(cv, method="5x2")
    assert found.statistic == compare(cv.scores[0, 0].reshape(5, 2), cv.scores[1, 0].reshape(5, 2), "5x2").statistic
    assert found.better == "Ridge()"


def test_all_pairs(judged):
    found = compare_all(judged)
    assert [c.names for c in found.pairs] == [("one", "two"), ("one", "many"), ("two", "many")]
    assert [c.adjusted for c in found.pairs] == holm([c.p for c in found.pairs])
    assert found.pairs[1].better == "one"
    assert "adjusted for the other pairs" in found.pairs[1].sentence
    assert "3 pairs by the corrected resampled t-test" in str(found)
    assert "one against many" in found._repr_html_()
    assert found.to_dict()["better"][1] == "one"
    assert repr(found) == str(found)
    assert "1 pair by" in str(compare_all(tn.CrossValidation(
        judged.given[:2], judged.learners[:2], judged.scoring, judged.scores[:2], judged.sizes, 1, 0.0, [0, 0]
    )))  # fmt: skip


def test_holm():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([0.2]) == [0.2]


# ---- errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda cv: compare(A, B), "sizes is needed"),
        (lambda cv: compare(A, B, sizes=(90, 10, 1)), "sizes must be"),
        (lambda cv: compare(A, B, sizes=[(90, 10)] * 3), "each of the 10 folds"),
        (lambda cv: compare(A, B, sizes=(0, 10)), "above 0"),
        (lambda cv: compare(A, B[:3], sizes=(9, 1)), "a and b must be scores on the same folds"),
        (lambda cv: compare(["x"], [1.0], "paired"), "a must be numbers"),
        (lambda cv: compare([1.0, 2.0], [1.0, np.nan], "paired"), "b has no score in fold 1"),
        (lambda cv: compare([1.0], [2.0], "paired"), "two folds at least"),
        (lambda cv: compare(A, B, "wilcoxon"), "method must be one of"),
        (lambda cv: compare(A, B, "paired", level=5), "level"),
        (lambda cv: compare(A, B, "paired", names=["a"]), "names must be two"),
        (lambda cv: compare(A, B, "5x2"), "repeats=5"),
        (lambda cv: compare(cv, method="5x2"), "folds=2, shuffle=True, repeats=5"),
        (lambda cv: compare([1, 0], [1, 1], "mcnemar"), "truth is needed"),
        (lambda cv: compare([1, 0], [1], "mcnemar", truth=[1, 1]), "truth, a and b must be of the same rows"),
        (lambda cv: compare(cv, (0, 1), "mcnemar"), "truth=y"),
        (lambda cv: compare(cv, (0, 0)), "twice"),
        (lambda cv: compare(cv, ("one", "none")), "there is no learner 'none'; there are ['one', 'two', 'many']"),
        (lambda cv: compare(cv, (0, 3)), "there is no learner 3; there are 3"),
        (lambda cv: compare(cv, 1), "b must be two learners"),
        (lambda cv: compare(cv, score="accuracy"), "was not asked for"),
        (lambda cv: compare(cv, score=2), "not among the 2 scores"),
        (lambda cv: compare(A, B, sizes="ab"), "sizes must be"),
        (lambda cv: compare(A), "b is needed: the scores"),
        (lambda cv: compare([1, 0], method="mcnemar", truth=[1, 0]), "b is needed: the predictions"),
        (lambda cv: compare(tn.Ridge(), tn.Ridge()), "not Ridge. Remedy: cv = cross_validate([one, other], X, y)"),
        (lambda cv: compare(cv, cv), "which may have different folds"),
        (lambda cv: compare(cv, "one"), "b must be two learners"),
        (lambda cv: compare(A, B, "paired", level="95 %"), "level must be a number, got '95 %'"),
        (lambda cv: compare(A, B, "paired", names="ab"), "names must be two"),
        (lambda cv: compare(A, B, "paired").within(0), "margin"),
        (lambda cv: compare(["a"], ["b"], "mcnemar", truth=[1]), "a holds text and truth numbers"),
        (lambda cv: compare([0.2], [0.7], "mcnemar", truth=[1]), "not probabilities"),
        (lambda cv: compare([1, 1], [1.0, np.nan], "mcnemar", truth=[1, 0]), "b misses a value in row 1"),
        (lambda cv: compare(["a", "a"], ["b", None], "mcnemar", truth=["a", "b"]), "b misses a value in row 1"),
        (lambda cv: compare([], [], "mcnemar", truth=[]), "a class for each row"),
        (lambda cv: compare(cv, score=None), "not among the 2 scores"),
        (lambda cv: compare_all(cv, "mcnemar"), "method"),
        (lambda cv: compare_all([cv, 3]), "results[1] is not a CrossValidation"),
    ],
)
def test_errors_name_the_argument_and_the_remedy(call, word, judged):
    with pytest.raises(ValueError) as caught:
        call(judged)
    assert word in str(caught.value)


def test_other_learners_are_no_data_sets(judged, rows):
    other = tn.cross_validate({"one": tn.Ridge()}, *rows)
    with pytest.raises(ValueError, match=r"results\[1\] has other learners"):
        compare_all([judged, other])
    for call in (compare, compare_all):
        with pytest.raises(ValueError, match="one learner only"):
            call(other)


def test_as_good_as_each_other():
    """The whole interval within the margin: two one-sided tests, each at half of what is left of the level."""
    found = compare(A, B, sizes=(90, 10), level=0.9)
    error = (found.high - found.low) / 2 / stats.t.ppf(0.95, 9)
    for margin in (0.01, 0.02, 0.0231, 0.0233, 0.05):
        below = stats.t.sf((margin - found.difference) / error, 9)
        above = stats.t.sf((margin + found.difference) / error, 9)
        assert found.within(margin) == (max(below, above) < 0.05)
    assert not found.within(0.0231)
    assert found.within(0.0233)
    turned = compare(B, A, sizes=(90, 10), level=0.9)
    assert not turned.within(0.0231)
    assert turned.within(0.0233)


def test_records_are_values():
    assert compare(A, B, "paired") == compare(A, B, "paired")
    assert isinstance(compare(A, B, "paired"), Comparison)
    with pytest.raises(AttributeError):
        compare(A, B, "paired").p = 0.0
