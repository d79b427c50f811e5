"""`class_weight` is a factor of the weights of the rows: the same bits as weights by hand, scikit-learn's answers."""

import numpy as np
import pytest
from sklearn import linear_model

import tenfold as tn
from tenfold.core.axes import bits

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(240, 3))
Y = np.digitize(X[:, 0] + RANDOM.normal(size=240), [-0.5, 1.4])
NAMED = {0: 2.0, 1: 0.5}
LEARNERS = (
    tn.LogisticRegression(),
    tn.SGDClassifier(max_iter=5),
    tn.Perceptron(max_iter=5),
)


def by_hand(y, class_weight):
    """The factor of each row."""
    count = np.bincount(y)
    factor = len(y) / (len(count) * count) if class_weight == "balanced" else np.array([2.0, 0.5, 1.0])
    return factor[y]


@pytest.mark.filterwarnings("ignore")  # few epochs
@pytest.mark.parametrize("class_weight", ["balanced", NAMED], ids=["balanced", "named"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_weights_of_classes_are_weights_of_their_rows(learner, classes, class_weight):
    y = np.minimum(Y, classes - 1)
    params = learner.get_params()
    weighted = type(learner)(**{**params, "class_weight": class_weight}).fit(X, y)
    assert bits(weighted.model_) == bits(learner.fit(X, y, sample_weight=by_hand(y, class_weight)).model_)
    assert bits(weighted.model_) != bits(learner.fit(X, y).model_)


@pytest.mark.parametrize("class_weight", ["balanced", NAMED], ids=["balanced", "named"])
@pytest.mark.parametrize("classes", [2, 3])
def test_logistic_regression_is_that_of_scikit_learn(classes, class_weight):
    y = np.minimum(Y, classes - 1)
    theirs = linear_model.LogisticRegression(class_weight=class_weight, tol=1e-10, max_iter=5000).fit(X, y)
    ours = tn.LogisticRegression(class_weight=class_weight).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)


def test_weights_that_rows_have_count_in_the_balance():
    weight = RANDOM.integers(0, 3, len(Y)).astype(float)
    mass = np.bincount(Y, weight)
    balanced = tn.LogisticRegression(class_weight="balanced").fit(X, Y, sample_weight=weight)
    alike = tn.LogisticRegression().fit(X, Y, sample_weight=weight * (mass.sum() / (3 * mass))[Y])
    np.testing.assert_allclose(balanced.coef_, alike.coef_, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_more_rows_are_weighed_too():
    """`partial_fit` goes on with named weights, and cannot balance classes that it has not seen all of."""
    weighted = tn.SGDClassifier(class_weight=NAMED)
    plain = tn.SGDClassifier()
    for rows in (slice(0, 100), slice(100, 240)):
        weighted.partial_fit(X[rows], Y[rows], classes=[0, 1, 2])
        plain.partial_fit(X[rows], Y[rows], classes=[0, 1, 2], sample_weight=by_hand(Y, NAMED)[rows])
    assert bits(weighted.model_) == bits(plain.model_)
    with pytest.raises(ValueError, match="Remedy: class_weight as a dict"):
        tn.SGDClassifier(class_weight="balanced").partial_fit(X, Y)


def test_a_class_that_is_not_there_is_named_in_the_error():
    with pytest.raises(ValueError, match=r"class_weight names \[7\]"):
        tn.LogisticRegression(class_weight={7: 1.0}).fit(X, Y)
