"""Naive Bayes over counts: scikit-learn's answers, a table by hand, and what may not enter."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes as peer
from sklearn.model_selection import PredefinedSplit, cross_val_score

import tenfold as tn

CASES = [
    ("MultinomialNB", {}),
    ("MultinomialNB", {"alpha": 0.3, "fit_prior": False}),
    ("ComplementNB", {}),
    ("ComplementNB", {"norm": True, "alpha": 0.1}),
    ("BernoulliNB", {}),
    ("BernoulliNB", {"binarize": 1.5, "alpha": 2.0, "class_prior": [0.2, 0.3, 0.5]}),
]


def counts(rows=300, columns=7):
    random = np.random.default_rng(0)
    y = random.integers(0, 3, rows)
    return (
        random.poisson(1 + y[:, None] * random.random(columns), (rows, columns)).astype(float),
        y,
        random.random(rows),
    )


@pytest.mark.parametrize(
    "form", [np.asarray, sp.csr_matrix, sp.csr_array, np.float32], ids=["dense", "csr", "csr_array", "float32"]
)
@pytest.mark.parametrize(("name", "params"), CASES, ids=lambda v: str(v))
def test_as_scikit_learn(name, params, form):
    X, y, weight = counts()
    X = form(X)
    ours = getattr(tn, name)(**params).fit(X, y, sample_weight=weight)
    theirs = getattr(peer, name)(**params).fit(X, y, sample_weight=weight)
    for attribute in ("feature_count_", "feature_log_prob_", "class_count_", "class_log_prior_"):
        np.testing.assert_allclose(
            getattr(ours, attribute), getattr(theirs, attribute), rtol=1e-6 if form is np.float32 else 1e-12
        )
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-5 if form is np.float32 else 1e-10
    )
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("MultinomialNB", {"fit_prior": False}),
        ("ComplementNB", {}),
        ("ComplementNB", {"alpha": 0.0}),
        ("BernoulliNB", {"fit_prior": False}),
        ("CategoricalNB", {"fit_prior": False}),
        ("NaiveBayes", {"fit_prior": False}),
        ("TreeAugmentedNB", {"fit_prior": False}),
    ],
    ids=lambda v: str(v),
)
def test_a_class_without_rows_in_a_fold_is_not_predicted(name, params):
    """Over shared scans a fold knows the classes of all rows: one that it has no row of is none of its own."""
    X = np.random.default_rng(0).integers(0, 3, (60, 4)).astype(float)
    X[59] = 1
    X, y, fold = X.astype(str) if "Categorical" in name or "Tree" in name else X, np.zeros(60, int), np.arange(60) % 3
    y[59] = 1
    folds = PredefinedSplit(fold)
    learner = getattr(tn, name)(**params)
    found = tn.cross_validate(learner, X, y, folds=folds, scoring="accuracy").scores[0, 0]
    assert found[2] == 19 / 20
    assert found == pytest.approx(cross_val_score(learner, X, y, cv=folds, scoring="accuracy"))


def test_shares_without_smoothing_are_those_of_the_table():
    X = np.array([[2.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 3.0]])
    model = tn.MultinomialNB(alpha=0.0).fit(X, ["a", "a", "b"])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), [[3 / 4, 1 / 4, 0], [0, 1 / 4, 3 / 4]])
    np.testing.assert_allclose(model.predict_proba([[0, 1, 0], [1, 1, 0], [0, 0, 2]]), [[2 / 3, 1 / 3], [1, 0], [0, 1]])


def test_what_is_not_there_tells_too():
    """The count of columns that are there alone, as in a multinomial, gives another answer."""
    X = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [1, 1], [1, 1]])
    y = np.array([0, 0, 0, 0, 1, 1])
    for alpha in (0.0, 1.0):
        model = tn.BernoulliNB(alpha=alpha).fit(X, y)
        share = np.array([(X[y == c].sum(axis=0) + alpha) / ((y == c).sum() + 2 * alpha) for c in (0, 1)])
        for row in ([1, 1], [1, 0], [0, 0]):
            each = np.array([4 / 6, 2 / 6]) * np.prod(np.where(row, share, 1 - share), axis=1)
            np.testing.assert_allclose(model.predict_proba([row])[0], each / each.sum(), atol=1e-15)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_numbers_below_zero_are_no_counts(form):
    X = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, -2.0]])
    for learner in (tn.MultinomialNB(), tn.ComplementNB()):
        with pytest.raises(ValueError, match=r"Negative values in data: -2 in column 'x1', row 2"):
            learner.fit(form(X), [0, 1, 1])
    with pytest.raises(ValueError, match=r"other than 0 and 1: 2 in column 'x1', row 0"):
        tn.BernoulliNB(binarize=None).fit(form(np.abs(X)), [0, 1, 1])


def test_models_of_days_add_up_and_folds_share_a_scan():
    X, y, _ = counts()
    whole = tn.MultinomialNB().fit(X, y)
    both = tn.MultinomialNB().fit(X[:100], y[:100]) + tn.MultinomialNB().fit(X[100:], y[100:])
    assert (both.feature_log_prob_ == whole.feature_log_prob_).all()
    found = tn.cross_validate([tn.MultinomialNB(), tn.ComplementNB()], X, y, folds=5)
    alone = tn.cross_validate(tn.MultinomialNB(), X, y, folds=5)
    assert found.scans == alone.scans


def test_a_complement_without_a_column_has_no_logarithm():
    X, y = np.array([[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [0.0, 3.0, 0.0]]), ["a", "a", "b"]
    with pytest.raises(tn.DataError, match="column 'x0' is zero in all rows but those of class 'a'.*alpha above 0"):
        tn.ComplementNB(alpha=0.0).fit(X, y)
    for norm in (False, True):
        for few in (X[:, 1:], X[:, 1:2], X[:, 2:]):  # a column that no row has; one column alone; nothing at all
            model = tn.ComplementNB(alpha=0.0, norm=norm).fit(few, y)
            assert np.isfinite(model.feature_log_prob_).all()
            np.testing.assert_allclose(model.predict_proba(few + 1.0).sum(axis=1), 1.0)
        assert (tn.ComplementNB(alpha=0.0, norm=norm).fit(X[:2], y[:2]).predict(X) == "a").all()


def test_labels_of_a_column_of_a_table():
    """Codes that are not next to one another in memory."""
    X, y, _ = counts()
    table = np.column_stack([y, y])
    for name in ("MultinomialNB", "ComplementNB", "BernoulliNB"):
        strided, plain = (getattr(tn, name)().fit(X, labels) for labels in (table[:, 0], y))
        np.testing.assert_array_equal(strided.feature_log_prob_, plain.feature_log_prob_)


@pytest.mark.parametrize(("name", "params"), CASES, ids=lambda v: str(v))
def test_a_number_stored_in_parts_is_one_number(name, params):
    """SciPy adds up what is stored for a place twice; 3 as 5 and -2 is no negative count."""
    X, y, _ = counts()
    twice = [sp.coo_array(part) for part in (X + 2 * (X > 0), -2.0 * (X > 0))]
    rows, columns = (np.concatenate([part.coords[axis] for part in twice]) for axis in (0, 1))
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(len(X) + 1))
    parts = sp.csr_array((np.concatenate([part.data for part in twice])[order], columns[order], starts), X.shape)
    assert parts.nnz == 2 * np.count_nonzero(X)
    ours, plain = (getattr(tn, name)(**params).fit(form, y) for form in (parts, sp.csr_array(X)))
    np.testing.assert_array_equal(ours.feature_log_prob_, plain.feature_log_prob_)
    np.testing.assert_array_equal(ours.predict_proba(parts), plain.predict_proba(sp.csr_array(X)))


def test_erratum_18_sums_go_inside_numerator_and_denominator():
    """P(w | c) is the count of w in all documents of c over that of all words there: no mean of the documents' shares.

    And the multinomial coefficient is of the length of the document: with it, the documents of one length that two
    words make have probabilities that add up to 1.
    """
    X = np.array([[9, 1], [0, 1], [2, 2]])
    model = tn.MultinomialNB(alpha=0.0).fit(X, ["a", "a", "b"])
    of_words = np.exp(model.feature_log_prob_[0])
    np.testing.assert_allclose(of_words, [9 / 11, 2 / 11], rtol=1e-14)
    shares = (X[:2] / X[:2].sum(axis=1, keepdims=True)).mean(axis=0)  # what the text would have
    assert abs(of_words - shares).max() > 0.3
    length = 5
    documents = np.array([[k, length - k] for k in range(length + 1)])
    coefficient = np.array([math.comb(length, k) for k in range(length + 1)])
    assert (coefficient * np.exp(documents @ np.log(of_words))).sum() == pytest.approx(1.0, rel=1e-12)
    wrong = math.factorial(X.shape[1]) / np.array([math.factorial(k) * math.factorial(length - k) for k in range(6)])
    assert (wrong * np.exp(documents @ np.log(of_words))).sum() < 0.1  # of the size of the vocabulary instead
