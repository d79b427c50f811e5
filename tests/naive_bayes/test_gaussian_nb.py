"""Gaussian naive Bayes beside scikit-learn, and the maximum of its likelihood."""

import numpy as np
import pytest
import sklearn.naive_bayes as peer
from scipy.special import log_softmax
from scipy.stats import norm

import tenfold
from tenfold import GaussianNB, StackingClassifier


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 5)) * [1, 10, 0.1, 1, 3] + [0, 1e4, 0, -5, 1]
    y = np.array(["a", "b", "c"])[random.integers(0, 3, 3000)]
    X[y == "b"] += 1
    return X, y, random.random(3000)


@pytest.mark.quick
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_scikit_learn(data, weighted):
    X, y, weight = data
    weight = weight if weighted else None
    smoothing = 0.0 if weighted else 1e-9  # theirs forgets the weights when it measures the largest variance
    ours = GaussianNB(var_smoothing=smoothing).fit(X, y, sample_weight=weight)
    theirs = peer.GaussianNB(var_smoothing=smoothing).fit(X, y, sample_weight=weight)
    for name in ("theta_", "var_", "class_prior_", "class_count_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_likelihood_is_maximal(data):
    """No nearby parameters make the rows more likely."""
    X, y, _ = data
    model = GaussianNB(var_smoothing=0.0).fit(X, y)
    mine = X[y == "b"]

    def likelihood(mean, var):
        return norm.logpdf(mine, mean, np.sqrt(var)).sum()

    best = likelihood(model.theta_[1], model.var_[1])
    for seed in range(20):
        random = np.random.default_rng(seed)
        mean = model.theta_[1] + 1e-3 * np.sqrt(model.var_[1]) * random.normal(size=5)
        assert likelihood(mean, model.var_[1]) < best
        assert likelihood(model.theta_[1], model.var_[1] * np.exp(1e-3 * random.normal(size=5))) < best


def test_large_offset_keeps_the_variance():
    random = np.random.default_rng(1)
    X = random.normal(size=(200_000, 2))
    y = random.integers(0, 2, 200_000)
    far = X + 1e9
    model = GaussianNB(var_smoothing=0.0).fit(far, y)
    truth = np.array([((far - 1e9)[y == c]).var(axis=0) for c in (0, 1)])
    np.testing.assert_allclose(model.var_, truth, rtol=1e-12)


def test_priors():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    assert GaussianNB(priors=[0.9, 0.1]).fit(X, y).class_prior_.tolist() == [0.9, 0.1]
    with pytest.raises(ValueError, match="Number of priors must match number of classes: 2"):
        GaussianNB(priors=[1.0]).fit(X, y)
    with pytest.raises(ValueError, match="priors must sum to 1"):
        GaussianNB(priors=[0.5, 0.6]).fit(X, y)


def test_a_new_class_is_welcome_later():
    early = GaussianNB().fit([[0.0], [1.0]], ["a", "a"])
    late = GaussianNB().fit([[5.0], [6.0], [9.0]], ["b", "b", "c"])
    both = early + late
    whole = GaussianNB().fit([[0.0], [1.0], [5.0], [6.0], [9.0]], ["a", "a", "b", "b", "c"])
    assert both.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(both.theta_, whole.theta_)
    np.testing.assert_allclose(both.var_, whole.var_, rtol=1e-12)
    grown = GaussianNB().partial_fit([[0.0], [1.0]], ["a", "a"], classes=["a", "b", "c"])
    assert grown.predict([[0.5]]).tolist() == ["a"]


def test_what_is_thin_is_said():
    model = GaussianNB().fit([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]], [0, 0, 1])
    assert model.certificate_["smallest class"].value == 1
    assert model.certificate_["constant columns"].value == 3  # column 1 in both classes, column 0 in class 1
    assert model.certificate_["gap"].status == "proved"


def test_a_hole_names_its_column():
    import pandas as pd

    frame = pd.DataFrame({"age": [1.0, 2.0, np.nan], "size": [1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=r"NaN in column 'age', row 2. Remedy"):
        GaussianNB().fit(frame, [0, 1, 1])
    with pytest.raises(ValueError, match="infinity"):
        GaussianNB().fit([[np.inf], [1.0]], [0, 1])


def test_a_class_without_rows_does_not_spoil_the_others():
    X = np.array([[-2.1e299], [-2.1e299]])
    assert GaussianNB().fit(X, ["a", "b"]).predict_proba(X).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    stack = StackingClassifier([("bayes", GaussianNB())]).fit(X, ["a", "b"])  # folds lack a class each
    np.testing.assert_allclose(stack.predict_proba(X), 0.5)
    alone = GaussianNB().partial_fit(X[:1], ["a"], classes=["a", "b"])
    assert alone.predict_proba(X).tolist() == [[1.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize("smoothing", [0.0, 1e-9])
def test_columns_that_cannot_be_squared_are_refused_without_a_warning(smoothing):
    with pytest.raises(ValueError, match=r"too large.* Remedy"):
        GaussianNB(var_smoothing=smoothing).fit([[-1e200], [1e200], [3e200]], [0, 0, 1])
    with pytest.raises(ValueError, match=r"too large.* Remedy"):  # each class by itself can be
        GaussianNB(var_smoothing=smoothing).fit([[-1e200], [1e200]], [0, 1])


@pytest.mark.quick
@pytest.mark.parametrize("name", ["GaussianNB", "MultinomialNB", "BernoulliNB", "ComplementNB", "CategoricalNB"])
def test_joint_log_probabilities_are_scikit_learns(name):
    random = np.random.default_rng(4)
    X = random.integers(0, 4, (90, 3)).astype(float)
    y = np.array(["a", "b", "c"])[random.integers(0, 3, 90)]
    ours = getattr(tenfold, name)().fit(X, y)
    theirs = getattr(peer, name)().fit(X, y)
    found = ours.predict_joint_log_proba(X)
    np.testing.assert_allclose(found, theirs.predict_joint_log_proba(X), rtol=1e-9)
    np.testing.assert_allclose(log_softmax(found, axis=1), ours.predict_log_proba(X), atol=1e-12)


def test_smoothing_counts_a_row_as_often_as_its_weight():
    """As scikit-learn's model of rows that are repeated; given weights, it smooths by a variance without them."""
    random = np.random.default_rng(4)
    X = random.normal(size=(60, 3)) * [1.0, 5.0, 2.0]
    y, times = random.integers(0, 2, 60), random.integers(0, 4, 60)
    ours = GaussianNB(var_smoothing=0.1).fit(X, y, sample_weight=times)
    theirs = peer.GaussianNB(var_smoothing=0.1).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert ours.epsilon_ == pytest.approx(theirs.epsilon_, rel=1e-12)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)
