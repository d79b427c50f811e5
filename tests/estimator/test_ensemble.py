"""Members, names and decision functions of ensembles: as scikit-learn's users reach them."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as peers
import sklearn.linear_model as linear
import sklearn.svm as svm
from sklearn.naive_bayes import GaussianNB as PeerNB
from sklearn.pipeline import FeatureUnion as PeerUnion
from sklearn.tree import DecisionTreeClassifier as PeerTree

import tenfold as tn

RANDOM = np.random.default_rng(3)
X = RANDOM.integers(0, 9, (80, 3)).astype(float)
Y = X[:, 0] - X[:, 1] + RANDOM.normal(size=80)
C = np.digitize(Y, [-2.0, 2.0])


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("BaggingClassifier", C),
        ("BaggingRegressor", Y),
        ("RandomForestClassifier", C),
        ("RandomForestRegressor", Y),
        ("AdaBoostClassifier", C),
    ],
)
def test_members_are_reached_as_those_of_a_list(name, target):
    for where in (peers, tn):
        model = getattr(where, name)(n_estimators=3)
        with pytest.raises(AttributeError):
            len(model)
        model.fit(X, target)
        assert len(model) == len(model.estimators_) == 3
        assert [type(member) for member in model] == [type(member) for member in model.estimators_]
        np.testing.assert_array_equal(model[-1].predict(X), model.estimators_[2].predict(X))
        assert len(model[:2]) == 2


@pytest.mark.parametrize("classes", [2, 3])
def test_decision_functions_of_bags_and_stacks(classes):
    target = np.minimum(C, classes - 1)
    bag = tn.BaggingClassifier(tn.LinearDiscriminantAnalysis(), 3).fit(X, target)
    want = np.mean([member.decision_function(X) for member in bag], axis=0)
    np.testing.assert_allclose(bag.decision_function(X), want, rtol=1e-12, atol=1e-12)
    peer = peers.BaggingClassifier(svm.LinearSVC(), 3).fit(X, target)
    assert bag.decision_function(X).shape == peer.decision_function(X).shape
    fold = np.arange(len(X)) % 2
    cv = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in (0, 1)]
    ours = tn.StackingClassifier([("a", tn.GaussianNB())], tn.LogisticRegression(1.0), cv=fold).fit(X, target)
    final = linear.LogisticRegression(tol=1e-10, max_iter=2000)
    theirs = peers.StackingClassifier([("a", PeerNB())], final, cv=cv).fit(X, target)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)


def test_without_decision_functions_of_members_there_is_none():
    for where, tree, bayes in ((tn, tn.DecisionTreeClassifier(), tn.GaussianNB()), (peers, PeerTree(), PeerNB())):
        assert not hasattr(where.BaggingClassifier(tree), "decision_function")
        assert not hasattr(where.StackingClassifier([("a", bayes)], bayes), "decision_function")


def test_members_as_given_have_names():
    for kind, one in (("Classifier", tn.GaussianNB()), ("Regressor", tn.Ridge())):
        for name in (f"Voting{kind}", f"Stacking{kind}"):
            found, want = (getattr(where, name)([("a", one), ("b", "drop")]).named_estimators for where in (tn, peers))
            assert dict(found) == dict(want)
            assert found.a is one
    scale = tn.StandardScaler()
    found, want = (kind([("a", scale), ("b", "passthrough")]) for kind in (tn.FeatureUnion, PeerUnion))
    assert dict(found.named_transformers) == dict(want.named_transformers)
    assert set(tn.VotingRegressor().named_estimators) == {"line", "tree"}


@pytest.mark.parametrize("max_features", [None, 2, 0.5, "sqrt"])
def test_trees_say_how_many_columns_and_outputs_they_have(max_features):
    ours = tn.DecisionTreeClassifier(max_features=max_features, max_depth=1).fit(X, C)
    theirs = PeerTree(max_features=max_features, max_depth=1).fit(X, C)
    assert (ours.max_features_, ours.n_outputs_) == (theirs.max_features_, theirs.n_outputs_)
    forest = tn.RandomForestRegressor(1, max_features=max_features).fit(X, Y)
    assert (forest.max_features_, forest.n_outputs_) == (theirs.max_features_, 1)


def test_boosting_says_how_many_trees_a_round_has_and_which_columns_have_categories():
    frame = pd.DataFrame({"a": X[:, 0], "b": pd.Categorical(X[:, 1].astype(int).astype(str))})
    for rows, target in ((X, C), (frame, C > 0)):
        ours, theirs = (
            where.HistGradientBoostingClassifier(max_iter=1, random_state=0).fit(rows, target) for where in (tn, peers)
        )
        assert ours.n_trees_per_iteration_ == theirs.n_trees_per_iteration_
        np.testing.assert_array_equal(ours.is_categorical_, theirs.is_categorical_)
