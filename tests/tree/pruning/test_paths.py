"""Leaves of rows, ways to them and importances of columns: those of scikit-learn, where it grows the same trees."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn import ensemble, tree
from sklearn.exceptions import NotFittedError

import tenfold as tn

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(0, 20, size=(200, 4)).astype(float)
Y = X[:, 0] * 2 - X[:, 1] + RANDOM.normal(size=200)
C = np.digitize(Y, [0, 15])
TREES = [
    pytest.param(tn.DecisionTreeClassifier, tree.DecisionTreeClassifier, C, id="classes"),
    pytest.param(tn.DecisionTreeRegressor, tree.DecisionTreeRegressor, Y, id="numbers"),
]
FORESTS = [
    pytest.param(tn.RandomForestClassifier, C, id="classes"),
    pytest.param(tn.RandomForestRegressor, Y, id="numbers"),
]


@pytest.mark.parametrize(("ours", "theirs", "target"), TREES)
def test_children_are_those_of_scikit_learn(ours, theirs, target):
    """Nodes have other numbers: both trees are walked side by side."""
    a, b = ours(max_depth=3).fit(X, target).tree_, theirs(max_depth=3, random_state=0).fit(X, target).tree_
    assert a.n_leaves == b.n_leaves
    assert a.node_count == b.node_count
    pairs = [(0, 0)]
    for i, j in pairs:
        left, right = (a.children_left[i], b.children_left[j]), (a.children_right[i], b.children_right[j])
        if b.children_left[j] < 0:
            assert (left, right) == ((-1, -1), (-1, -1))
            continue
        assert a.feature[i] == b.feature[j]
        assert a.threshold[i] == pytest.approx(b.threshold[j])
        pairs += [left, right]
    assert len(pairs) == a.node_count


def test_a_branch_for_each_category_is_neither_left_nor_right():
    many = tn.DecisionTreeClassifier(split="multiway").fit([["a"], ["b"], ["c"]], [0, 1, 2]).tree_
    assert many.children_left.tolist() == [1, -1, -1, -1]
    with pytest.raises(AttributeError, match="more than two branches. Remedy: first_child"):
        _ = many.children_right


@pytest.mark.parametrize(("ours", "theirs", "target"), TREES)
def test_ways_through_one_tree_are_those_of_scikit_learn(ours, theirs, target):
    a, b = ours(max_depth=4).fit(X, target), theirs(max_depth=4, random_state=0).fit(X, target)
    assert (a.get_depth(), a.get_n_leaves()) == (b.get_depth(), b.get_n_leaves())
    np.testing.assert_allclose(a.feature_importances_, b.feature_importances_, atol=1e-9)
    pairs = set(zip(a.apply(X).tolist(), b.apply(X).tolist(), strict=True))
    assert len(pairs) == a.get_n_leaves() == len({leaf for leaf, _ in pairs})
    path, expected = a.decision_path(X), b.decision_path(X)
    assert path.shape == expected.shape
    assert path.sum(axis=1).tolist() == expected.sum(axis=1).tolist()
    assert (path[np.arange(len(X)), a.apply(X)] == 1).all()
    assert (path[:, 0].toarray() == 1).all()
    assert sorted(path.sum(axis=0).A1.tolist()) == sorted(expected.sum(axis=0).A1.tolist())


@pytest.mark.parametrize(("kind", "target"), FORESTS)
def test_a_forest_is_the_mean_of_its_trees(kind, target):
    forest = kind(4, max_depth=5).fit(X, target)
    say = "predict_proba" if kind is tn.RandomForestClassifier else "predict"
    mean = np.mean([getattr(one, say)(X) for one in forest.estimators_], axis=0)
    np.testing.assert_allclose(mean, getattr(forest, say)(X), rtol=1e-12)
    ends = forest.apply(X)
    assert ends.shape == (200, 4)
    path, start = forest.decision_path(X)
    assert path.shape == (200, start[-1])
    for t, one in enumerate(forest.estimators_):
        assert one.apply(X).tolist() == ends[:, t].tolist()
        assert (path[:, start[t] : start[t + 1]] != one.decision_path(X)).nnz == 0


def test_margins_of_two_boosted_classes_are_those_of_scikit_learn():
    c = np.minimum(C, 1)
    ours = tn.HistGradientBoostingClassifier(max_iter=5).fit(X, c)
    theirs = ensemble.HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(X, c)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    assert ours.apply(X).shape == (200, 5)


def test_margins_of_more_boosted_classes_give_their_probabilities():
    model = tn.HistGradientBoostingClassifier(max_iter=5).fit(X, C)
    np.testing.assert_allclose(softmax(model.decision_function(X), axis=1), model.predict_proba(X), atol=1e-12)
    assert model.apply(X).shape == (200, 5, 3)
    assert model.n_estimators_ == 5


def test_boosted_numbers_are_those_of_scikit_learn():
    ours = tn.HistGradientBoostingRegressor(max_iter=5, max_depth=3, max_leaf_nodes=None, min_samples_leaf=1).fit(X, Y)
    theirs = ensemble.GradientBoostingRegressor(n_estimators=5, max_depth=3, random_state=0).fit(X, Y)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-6)
    for a, b in zip(ours.apply(X).T, theirs.apply(X).T, strict=True):
        assert len(set(a)) == len(set(b)) == len(set(zip(a, b, strict=True)))


def test_a_category_that_a_node_has_not_met_ends_there():
    model = tn.DecisionTreeClassifier("entropy", split="multiway").fit([["a"], ["b"], ["a"]], [0, 1, 0])
    assert model.apply([["c"]]).tolist() == [0]
    assert model.decision_path([["c"], ["a"]]).sum(axis=1).A1.tolist() == [1, 2]


def test_what_has_no_single_leaf_or_no_tree_is_an_error():
    with pytest.raises(ValueError, match="may end in several leaves"):
        tn.DecisionTreeClassifier(missing="fractional").fit(X, C).apply(X)
    for one in (tn.DecisionTreeClassifier(), tn.RandomForestClassifier(), tn.HistGradientBoostingRegressor()):
        with pytest.raises(NotFittedError):
            one.apply(X)
        assert not hasattr(one, "feature_importances_")


def test_a_tree_of_one_leaf_gives_no_column_a_share():
    model = tn.DecisionTreeRegressor().fit(X, np.ones(len(X)))
    assert model.feature_importances_.tolist() == [0.0] * 4
    assert (model.get_depth(), model.get_n_leaves()) == (0, 1)
