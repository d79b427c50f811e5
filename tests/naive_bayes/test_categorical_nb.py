"""Categorical naive Bayes: the weather table by hand, scikit-learn, categories of any kind."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import sklearn.naive_bayes as peer

from tenfold import CategoricalNB, MergeError
from tenfold.naive_bayes.categorical_nb import log_shares

TENNIS = """
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No
"""
ROWS = np.array([line.split() for line in TENNIS.split("\n") if line], dtype=object)
X, y = ROWS[:, :4], ROWS[:, 4]
QUERY = [["Sunny", "Cool", "High", "Strong"]]


def log_joint(model):
    """log P(class, query)."""
    return model._apply(type(model).scores_from, QUERY, None)[0]


def test_play_tennis_by_hand():
    """Counts of class and value over the count of the class (the m-estimate, not its inverse)."""
    plain = np.exp(log_joint(CategoricalNB(alpha=0.0).fit(X, y)))
    np.testing.assert_allclose(plain, [0.0205714, 0.0052910], atol=5e-8)
    laplace = CategoricalNB().fit(X, y)
    joint = np.exp(log_joint(laplace))
    # the smoothed conditionals, times the plain class frequencies
    no = Fraction(5, 14) * Fraction(4, 8) * Fraction(2, 8) * Fraction(5, 7) * Fraction(4, 7)
    yes = Fraction(9, 14) * Fraction(3, 12) * Fraction(4, 12) * Fraction(4, 11) * Fraction(4, 11)
    np.testing.assert_allclose(joint, [float(no), float(yes)], rtol=1e-12)
    assert (no, yes) == (Fraction(25, 1372), Fraction(6, 847))
    np.testing.assert_allclose(laplace.predict_proba(QUERY)[0, 0], 0.720067, atol=5e-7)


def test_equals_scikit_learn():
    random = np.random.default_rng(0)
    codes = random.integers(0, [2, 3, 5], (2000, 3))
    target = random.integers(0, 3, 2000)
    weight = random.integers(0, 3, 2000).astype(float)
    ours = CategoricalNB(alpha=0.3).fit(codes, target, sample_weight=weight)
    theirs = peer.CategoricalNB(alpha=0.3).fit(codes, target, sample_weight=weight)
    for a, b in zip(ours.feature_log_prob_, theirs.feature_log_prob_, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(codes), theirs.predict_proba(codes), rtol=1e-10)
    assert ours.n_categories_.tolist() == theirs.n_categories_.tolist()


def test_text_numbers_and_frames_give_one_model():
    frame = pd.DataFrame(X, columns=["outlook", "temperature", "humidity", "wind"])
    tables = [X, frame, frame.astype("category"), frame.astype("string")]
    found = [CategoricalNB().fit(table, y).predict_proba(table) for table in tables]
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)
    assert CategoricalNB().fit(frame, y).feature_names_in_.tolist() == list(frame.columns)


def test_missing_and_unseen_say_nothing():
    model = CategoricalNB().fit(X, y)
    without = CategoricalNB().fit(X[:, 1:], y).predict_proba([QUERY[0][1:]])
    for strange in (None, np.nan, "Fog"):
        row = np.array([[strange, *QUERY[0][1:]]], dtype=object)
        np.testing.assert_allclose(model.predict_proba(row), without, rtol=1e-12)
    holes = X.copy()
    holes[0, 0] = None
    fitted = CategoricalNB().fit(holes, y)
    assert fitted.n_categories_.tolist() == [3, 3, 2, 2]


def test_categories_and_classes_unite():
    early, late = CategoricalNB().fit(X[:8], y[:8]), CategoricalNB().fit(X[8:], y[8:])
    whole = CategoricalNB().fit(X, y)
    np.testing.assert_array_equal((early + late).log_prob_, whole.log_prob_)
    few = CategoricalNB().fit([["a"], ["b"]], ["x", "x"]) + CategoricalNB().fit([["c"]], ["y"])
    assert few.classes_.tolist() == ["x", "y"]
    assert few.predict([["c"]]).tolist() == ["y"]
    with pytest.raises(MergeError, match="text on one side and numbers on the other"):
        CategoricalNB().fit([["a"]], [0]) + CategoricalNB().fit([[1]], [0])


def test_wrong_input_is_named():
    with pytest.raises(ValueError, match="column 'x0' holds values of type int, str"):
        CategoricalNB().fit(np.array([["a"], [1]], dtype=object), [0, 1])
    model = CategoricalNB().fit([["a"], ["b"]], [0, 1])
    with pytest.raises(ValueError, match="column 'x0' holds numbers, but held text"):
        model.predict([[1]])
    with pytest.raises(
        ValueError, match=r"'when' \(timestamp.*Remedy: leave them out, fit\(X.drop\(columns=\['when'\]\), y\)"
    ):
        CategoricalNB().fit(pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}), [0])


def test_certificate_tells_how_much_is_smoothing():
    model = CategoricalNB().fit([["a"], ["b"]], [0, 1])
    assert model.certificate_["unseen pairs"].value == 0.5


def test_erratum_24_set_of_words():
    """A word is in a document or not: (n_cv + 1) / (n_c + 2): in and out make 2, not the vocabulary."""
    random = np.random.default_rng(0)
    has = random.random((40, 7)) < 0.4
    spam = random.random(40) < 0.5
    model = CategoricalNB(alpha=1.0).fit(has, spam)
    for c in (False, True):
        expected = (has[spam == c].sum(axis=0) + 1) / ((spam == c).sum() + 2)
        found = [np.exp(table[int(c), 1]) for table in model.feature_log_prob_]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    p = np.array([[np.exp(table[int(c), 1]) for table in model.feature_log_prob_] for c in (False, True)])
    joint = np.log(np.where(has[:, None], p, 1 - p)).sum(axis=2) + np.log([(~spam).mean(), spam.mean()])
    np.testing.assert_allclose(model.predict_log_proba(has), joint - np.logaddexp(*joint.T)[:, None], rtol=1e-10)


def test_m_estimate_by_hand():
    """(n_cv + m p_v) / (n_c + m), with n_cv of class and value; the fraction the other way round is none."""
    seen = {("No", "Sunny"): 3, ("Yes", "Sunny"): 2, ("No", "Rain"): 2, ("Yes", "Rain"): 3, ("Yes", "Overcast"): 4}
    share = {"Overcast": 4 / 14, "Rain": 5 / 14, "Sunny": 5 / 14}
    for p in ("uniform", "marginal"):
        table = np.exp(CategoricalNB(m=2.5, p=p).fit(X, y).feature_log_prob_[0])
        for c, (label, size) in enumerate((("No", 5), ("Yes", 9))):
            for v, value in enumerate(("Overcast", "Rain", "Sunny")):
                prior = 1 / 3 if p == "uniform" else share[value]
                expected = (seen.get((label, value), 0) + 2.5 * prior) / (size + 2.5)
                np.testing.assert_allclose(table[c, v], expected, rtol=1e-14)
        np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-14)


def test_laplace_is_an_m_estimate():
    """alpha on each of V values is m = alpha V with p = 1/V, of columns that have the same number of values."""
    laplace, m = CategoricalNB(alpha=0.7).fit(X[:, :2], y), CategoricalNB(m=2.1).fit(X[:, :2], y)
    np.testing.assert_allclose(laplace.log_prob_, m.log_prob_, rtol=1e-13)
    heavy = CategoricalNB(m=1e12, p="marginal").fit(X, y)  # so much is added that all classes are alike
    np.testing.assert_allclose(heavy.predict_proba(X), np.tile([5 / 14, 9 / 14], (14, 1)), atol=1e-9)


def test_marginal_shares_of_a_category_without_rows_say_nothing():
    """As in a fold whose rows lack it: the other columns decide."""
    count = np.array([[2.0, 0.0, 1.0, 2.0, 1.0], [1.0, 0.0, 4.0, 1.0, 4.0]])
    found = log_shares(count, np.array([3, 2]), 1.0, 2.0, "marginal")
    assert found[:, 1].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(np.exp(found[:, [0, 2]]).sum(axis=1), 1.0, rtol=1e-14)
    assert np.isneginf(log_shares(count, np.array([3, 2]), 0.0, None, "uniform")[:, 1]).all()
