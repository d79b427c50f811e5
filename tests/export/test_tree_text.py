"""Trees as text and as pictures in scikit-learn's form: the same words where both grow the same tree."""

import numpy as np
import pandas as pd
import pytest
import sklearn.tree as theirs
from sklearn.datasets import load_diabetes, load_iris

import tenfold as tn
from tenfold.tree import export_text, plot_tree

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def both():
    """An iris tree of each library, the same one (the seed decides ties of scikit-learn's), and one of numbers."""
    X, y = load_iris(return_X_y=True)
    iris = tn.DecisionTreeClassifier(max_depth=3).fit(X, y)
    other = theirs.DecisionTreeClassifier(max_depth=3, random_state=4).fit(X, y)
    X, y = load_diabetes(return_X_y=True)
    sick = tn.DecisionTreeRegressor(max_depth=3).fit(X, y)
    return {
        "classes": (iris, other),
        "numbers": (sick, theirs.DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)),
    }


@pytest.fixture(scope="module")
def mixed():
    size = [1.0, 2.0, 3.0, np.nan, 7.0, 8.0, 9.0, np.nan]
    frame = pd.DataFrame({"size": size, "sky": ["sun", "rain", "snow", "sun"] * 2})
    return tn.DecisionTreeClassifier().fit(frame, ["a", "b", "b", "a", "c", "b", "b", "a"])


def texts(drawn):
    return sorted(one.get_text() for one in drawn)


@pytest.mark.quick
@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize(
    "options", [{}, {"show_weights": True, "decimals": 3}, {"max_depth": 1, "spacing": 2}, {"max_depth": 0}]
)
def test_text_is_scikit_learns(both, kind, options):
    ours, other = both[kind]
    assert export_text(ours, **options) == theirs.export_text(other, **options)


def test_names_are_those_given(both):
    ours, other = both["classes"]
    options = {"feature_names": list("abcd"), "class_names": ["x", "y", "z"]}
    assert export_text(ours, **options) == theirs.export_text(other, **options)
    with pytest.raises(ValueError, match="feature_names must contain 4 elements, got 1"):
        export_text(ours, feature_names=["a"])
    with pytest.raises(ValueError, match="Got 1 while the tree was fitted with 3 classes"):
        plot_tree(ours, class_names=["a"])


@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"filled": True, "rounded": True, "node_ids": True, "precision": 2},
        {"proportion": True, "label": "root", "feature_names": list("abcdefghij")},
        {"impurity": False, "max_depth": 1, "label": "none", "fontsize": 7},
    ],
)
def test_boxes_say_what_scikit_learns_say(both, kind, options):
    ours, other = both[kind]
    if "feature_names" in options:
        options = {**options, "feature_names": options["feature_names"][: ours.n_features_in_]}
    if options.get("node_ids"):  # theirs are numbered in depth, ours level by level
        assert len(plot_tree(ours, **options)) == len(theirs.plot_tree(other, ax=plt.figure().gca(), **options))
        return
    drawn = plot_tree(ours, **options)
    assert texts(drawn) == texts(theirs.plot_tree(other, ax=plt.figure().gca(), **options))


def test_entropy_and_classes_in_words():
    model = tn.DecisionTreeClassifier(criterion="entropy").fit([[0.0], [1.0], [2.0]], ["in", "in", "out"])
    root, *rest = plot_tree(model, class_names=True)
    assert root.get_text() == "x[0] <= 1.5\nentropy = 0.918\nsamples = 3\nvalue = [2, 1]\nclass = in"
    assert "entropy = 0.0\nsamples = 2\nvalue = [2, 0]\nclass = in" in texts(rest)


def test_categories_and_missing_values_in_words(mixed):
    lines = [
        "|--- sky in {rain, snow}",
        "|   |--- class: b",
        "|--- sky = sun",
        "|   |--- size <= 2.50 or missing",
        "|   |   |--- class: a",
        "|   |--- size >  2.50",
        "|   |   |--- class: c",
    ]
    assert export_text(mixed).splitlines() == lines
    assert {"sky in {rain, snow}", "size <= 2.5 or missing"} <= {
        text.split("\n")[0] for text in texts(plot_tree(mixed))
    }
    apart = tn.DecisionTreeClassifier().fit(np.array([[1.0], [2.0], [np.nan], [np.nan]]), ["a", "a", "b", "b"])
    assert export_text(apart).splitlines()[::2] == ["|--- feature_0 is not missing", "|--- feature_0 is missing"]


def test_a_node_of_many_branches(mixed):
    model = tn.ID3().fit([["sun"], ["rain"], ["snow"]], ["a", "b", "c"])
    assert export_text(model, feature_names=["sky"]).splitlines() == [
        "|--- sky = rain",
        "|   |--- class: b",
        "|--- sky = snow",
        "|   |--- class: c",
        "|--- sky = sun",
        "|   |--- class: a",
    ]
    drawn = plot_tree(model, feature_names=["sky"])
    assert drawn[0].get_text().startswith("sky\n")
    assert {"rain", "snow", "sun"} <= set(texts(drawn))


def test_boxes_do_not_overlap(both):
    figure = plt.figure(figsize=(12, 7))
    drawn = plot_tree(both["classes"][0], ax=figure.gca())
    figure.canvas.draw()
    boxes = [patch.get_window_extent() for one in drawn if (patch := one.get_bbox_patch()) is not None]
    assert len(boxes) == both["classes"][0].tree_.node_count
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_a_tree_of_a_forest_and_of_scikit_learn(both):
    X, y = load_iris(return_X_y=True)
    forest = tn.RandomForestClassifier(2, max_depth=2).fit(X, y)
    text = export_text(forest.estimators_[1])
    assert text.count("class:") == forest.estimators_[1].tree_.n_leaves
    assert plot_tree(forest.estimators_[1])[0].get_text().startswith("x[")
    numbers = tn.RandomForestRegressor(1, max_depth=2).fit(X, X[:, 0])
    assert "squared_error" not in plot_tree(numbers.estimators_[0])[0].get_text()
    _, other = both["classes"]
    assert export_text(other, decimals=1) == theirs.export_text(other, decimals=1)
    assert len(plot_tree(other)) == len(theirs.plot_tree(other))
    with pytest.raises(TypeError, match="RandomForestClassifier is not a single tree. Remedy: one of its estimators_"):
        export_text(forest)
    with pytest.raises(ValueError, match="'spacing' parameter of export_text"):
        export_text(both["classes"][0], spacing=0)
