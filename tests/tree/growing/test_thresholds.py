"""Thresholds of trees of rare classes lie halfway between the values of their nodes' own rows, as scikit-learn's do."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn.tree as st
from sklearn.base import clone
from sklearn.metrics import log_loss

import tenfold as tn
from tenfold.core import Chunk, Columns
from tenfold.sources import part_rows
from tenfold.stats.rows.draws import Holdout
from tenfold.tree.growing.node_statistics import TreeDraws
from tenfold.tree.growing.thresholds import TreeSides


def box(n=12_000, positive=25, seed=0):
    """Rows of which a few lie in a box of two of three columns, their classes, and new rows of the box."""
    draw = np.random.default_rng(seed)
    side = np.sqrt(positive / n)
    X, new = draw.random((n, 3)), draw.random((1000, 3))
    new[:, 1:] = 0.4 + side * new[:, 1:]
    inside = ((X[:, 1:] >= 0.4) & (X[:, 1:] < 0.4 + side)).all(axis=1)
    return X, inside.astype(int), new


def middles(tree, X):
    """The middle between the rows on either side of each split, of a fitted tree and the rows it grew from."""
    path, out = tree.decision_path(X), np.full(tree.tree_.node_count, np.nan)
    for k in np.flatnonzero(tree.tree_.feature >= 0):
        x = X[path[:, [k]].toarray()[:, 0] > 0, tree.tree_.feature[k]]
        left = x <= tree.tree_.threshold[k]
        out[k] = x[left].max() + 0.5 * (x[~left].min() - x[left].max())
    return out


@pytest.mark.quick
def test_thresholds_are_those_of_an_exact_tree():
    X, y, new = box()
    ours, theirs = tn.DecisionTreeClassifier().fit(X, y), st.DecisionTreeClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(ours.tree_.threshold, middles(ours, X))
    recall = [np.mean(model.predict(new) == 1) for model in (ours, theirs)]
    assert recall[0] >= recall[1] - 0.02
    exact = tn.DecisionTreeClassifier(method="exact").fit(X, y)
    np.testing.assert_array_equal(ours.predict(new), exact.predict(new))


def test_validation_rows_have_no_say_in_thresholds_and_are_sent_down_by_their_values():
    X, y, _ = box(positive=200)
    with part_rows(len(X)):
        model = tn.DecisionTreeClassifier(prune="reduced_error").fit(X, y)
    learns = Holdout(0, 0.25).learns(np.arange(len(X)), len(X))
    np.testing.assert_array_equal(model.tree_.threshold, middles(model, X[learns]))
    error = np.mean(model.predict(X[~learns]) != y[~learns])
    assert model.certificate_["validation error"].value == pytest.approx(error)


def test_sides_merge_wherever_rows_are_cut():
    X, y, _ = box(5000)
    tree = tn.DecisionTreeClassifier(max_depth=4).fit(X, y).model_.tree
    asked = TreeSides(tree, np.zeros(1, np.int64))

    def sides(some):
        return asked.summarize(Chunk(Columns(X[some]), y[some], np.ones(len(X[some])), True, 0, 0))

    whole, parts = sides(slice(None)), [sides(slice(0, 10)), sides(slice(10, 3000)), sides(slice(3000, 5000))]
    for merged in (parts[0] + parts[1] + parts[2], parts[2] + (parts[0] + parts[1])):
        np.testing.assert_array_equal(whole.left, merged.left)
        np.testing.assert_array_equal(whole.right, merged.right)


LEARNERS = [
    tn.DecisionTreeClassifier(prune="cost_complexity"),
    tn.RandomForestClassifier(3),
    tn.RuleListClassifier(),
    tn.GradientBoostingClassifier(n_estimators=3, subsample=0.7),
    tn.BaggingClassifier(tn.DecisionTreeClassifier(), n_estimators=2),
    tn.HistGradientBoostingClassifier(max_iter=3, early_stopping=False),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_the_same_thresholds_from_files(learner, tmp_path, monkeypatch):
    """In one place and level by level: what is gathered must not matter either."""
    X, y, new = box()
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=3000)
    frame = table.drop_columns("y").to_pandas()
    near = pd.DataFrame(np.concatenate([X[:2000], new]), columns=["a", "b", "c"])
    with part_rows(3000):
        one = clone(learner).fit(frame, y).predict_proba(near)
    monkeypatch.setattr("tenfold.tree.growing.grower.MAX_GATHERED_BYTES", 0)
    other = clone(learner).fit(tn.scan(tmp_path / "rows.parquet", target="y"))
    np.testing.assert_array_equal(one, other.predict_proba(near))


def test_the_out_of_bag_error_is_that_of_the_trees_as_they_predict():
    X, y, _ = box(positive=200)
    with part_rows(len(X)):
        model = tn.RandomForestClassifier(1).fit(X, y)
        plain = tn.RandomForestClassifier(2, bootstrap=False).fit(X, y)
    unseen = TreeDraws(0, 0, 1, True).times(np.arange(len(X)), 0) == 0
    error = np.mean(model.predict(X[unseen]) != y[unseen])
    assert model.certificate_["out-of-bag error"].value == pytest.approx(error)
    assert plain.certificate_["training error"].value == np.mean(plain.predict(X) != y)


@pytest.mark.parametrize("limits", [{}, {"subsample": 0.5}, {"n_iter_no_change": 5}])
def test_the_training_loss_is_that_of_the_trees_as_they_predict(limits):
    X, y, _ = box(positive=100)
    with part_rows(len(X)):
        model = tn.GradientBoostingClassifier(n_estimators=3, random_state=0, **limits).fit(X, y)
    if limits.get("n_iter_no_change"):
        learns = Holdout(0, 0.1).learns(np.arange(len(X)), len(X))
        unseen = log_loss(y[~learns], model.predict_proba(X[~learns])[:, 1])
        assert model.certificate_["validation loss"].value == pytest.approx(unseen, rel=1e-6)
        X, y = X[learns], y[learns]
    assert model.certificate_["training loss"].value == pytest.approx(
        log_loss(y, model.predict_proba(X)[:, 1]), rel=1e-6
    )


def test_newtons_step_does_not_overshoot_for_a_rare_class():
    """A leaf of rare and other rows has hardly any curvature at first, and would have none after a full step."""
    draw = np.random.default_rng(0)
    X = draw.integers(0, 100, (20_000, 1)).astype(float)
    y = ((X[:, 0] == 7) & (draw.random(20_000) < 0.4)).astype(int)
    model = tn.HistGradientBoostingClassifier(max_iter=30, early_stopping=False).fit(X, y)
    share = y[X[:, 0] == 7].mean()
    best = -np.mean(X[:, 0] == 7) * (share * np.log(share) + (1 - share) * np.log(1 - share))
    assert model.certificate_["training loss"].value < 1.1 * best
