"""Columns of many categories: those that tell nothing do no harm, those that tell something are still used."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import r2_score, roc_auc_score

import tenfold as tn
from tenfold.compiled.tree.tree_search import NUMERIC, SUBSET, SUMS, UNPENALIZED_CATEGORIES
from tenfold.core import Chunk, Columns
from tenfold.engine.scan_part import for_statistic
from tenfold.stats.trees.tree_bins import Cut, TreeLens, WeightUnit
from tenfold.tree.growing import grower, levelwise
from tenfold.tree.growing.channels import SumChannels
from tenfold.tree.growing.growing import Rules
from tenfold.tree.growing.node_statistics import NodeHistograms

CLASSIFIERS = {
    "boosting": lambda **more: tn.HistGradientBoostingClassifier(max_iter=30, **more),
    "tree": lambda **more: tn.DecisionTreeClassifier(max_depth=6, min_samples_leaf=20, **more),
    "entropy": lambda **more: tn.DecisionTreeClassifier("entropy", max_depth=6, min_samples_leaf=20, **more),
    "exact": lambda **more: tn.DecisionTreeClassifier(max_depth=6, min_samples_leaf=20, method="exact", **more),
    "in parts": lambda **more: tn.DecisionTreeClassifier(
        max_depth=6, min_samples_leaf=20, missing="fractional", **more
    ),
    "forest": lambda **more: tn.RandomForestClassifier(15, min_samples_leaf=5, **more),
}
REGRESSORS = {
    "boosting": lambda **more: tn.HistGradientBoostingRegressor(max_iter=30, **more),
    "absolute": lambda **more: tn.HistGradientBoostingRegressor("absolute_error", max_iter=30, **more),
    "tree": lambda **more: tn.DecisionTreeRegressor(max_depth=6, min_samples_leaf=20, **more),
    "exact": lambda **more: tn.DecisionTreeRegressor(max_depth=6, min_samples_leaf=20, method="exact", **more),
    "forest": lambda **more: tn.RandomForestRegressor(15, min_samples_leaf=5, **more),
}


def table(levels, effect=0.0, n=8000, seed=0):
    """Numbers that tell something, and categories with effects of this spread; classes and numbers to predict."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n, 3)), columns=["a", "b", "c"])
    code = np.arange(n) if levels == 0 else random.integers(0, levels, n)
    margin = X["a"] + np.sin(2 * X["b"]) + effect * random.normal(size=max(levels, n))[code]
    X["many"] = pd.Categorical([f"k{c}" for c in code])
    y = (random.random(n) < 1 / (1 + np.exp(-margin))).astype(int)
    return X, y, (margin + random.normal(size=n)).to_numpy()


def auc(model, X, y, half=4000):
    return roc_auc_score(y[half:], model.fit(X[:half], y[:half]).predict_proba(X[half:])[:, 1])


def r2(model, X, y, half=4000):
    return r2_score(y[half:], model.fit(X[:half], y[:half]).predict(X[half:]))


@pytest.mark.full
@pytest.mark.parametrize("levels", [200, 2000, 0])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_categories_that_tell_nothing_do_no_harm_to_classes(name, levels):
    X, y, _ = table(levels)
    assert auc(CLASSIFIERS[name](), X, y) > auc(CLASSIFIERS[name](), X.drop(columns="many"), y) - 0.02


@pytest.mark.full
@pytest.mark.parametrize("levels", [200, 2000, 0])
@pytest.mark.parametrize("name", REGRESSORS)
def test_categories_that_tell_nothing_do_no_harm_to_numbers(name, levels):
    X, _, y = table(levels)
    assert r2(REGRESSORS[name](), X, y) > r2(REGRESSORS[name](), X.drop(columns="many"), y) - 0.04


def test_many_categories_that_tell_much_are_used():
    X, c, y = table(200, effect=1.5)
    for name, make in CLASSIFIERS.items():
        assert auc(make(), X, c) > auc(make(), X.drop(columns="many"), c) + 0.03, name
    for name, make in REGRESSORS.items():
        assert r2(make(), X, y) > r2(make(), X.drop(columns="many"), y) + 0.1, name


@pytest.mark.parametrize(
    "model",
    [
        tn.DecisionTreeRegressor(max_depth=5, min_data_per_group=4, cat_smooth=3.0),
        tn.DecisionTreeClassifier(max_depth=5, min_data_per_group=4, cat_smooth=3.0),
        tn.RandomForestRegressor(4, max_depth=5, min_data_per_group=4, cat_smooth=3.0),
        tn.HistGradientBoostingRegressor(max_iter=4, min_data_per_group=4, cat_smooth=3.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_same_trees_from_rows_and_level_by_level(model, monkeypatch):
    X, c, y = table(40, effect=1.0, n=3000)
    target = c if hasattr(model, "predict_proba") else y
    there = clone(model).fit(X, target)
    assert (there.model_.ranges.levels > UNPENALIZED_CATEGORIES).any()
    monkeypatch.setattr(grower, "MAX_GATHERED_BYTES", 0)
    levels = clone(model).fit(X, target)
    np.testing.assert_array_equal(levels.predict(X), there.predict(X))


def test_rare_categories_are_taken_together():
    X = pd.DataFrame({"k": ["a"] * 6 + ["b"] * 6 + ["c", "d", "e"]})
    y = [0] * 6 + [1] * 6 + [1, 1, 0]
    alone = tn.DecisionTreeClassifier().fit(X, y)
    assert alone.score(X, y) == 1
    together = tn.DecisionTreeClassifier(min_data_per_group=2).fit(X, y)
    left = [set(np.flatnonzero(together.tree_.route[:5] == side).tolist()) for side in (0, 1)]
    assert sorted(map(sorted, left)) in ([[0], [1, 2, 3, 4]], [[0, 2, 3, 4], [1]])
    assert together.tree_.node_count == 5  # the rare ones, then apart from the others, and not among themselves


def test_the_certificate_says_how_many_rows_a_category_has():
    X, y, _ = table(200, n=1000)
    claim = tn.DecisionTreeClassifier(max_depth=3).fit(X, y).certificate_["rows per category"]
    assert claim.value == 1000 / X["many"].cat.categories.size
    assert "column 3" in claim.because
    assert "cat_penalty" in claim.because
    few = tn.DecisionTreeClassifier(max_depth=3).fit(X[["a"]].assign(k="x"), y)
    assert "rows per category" not in [claim.kind for claim in few.certificate_.claims]
    assert "nothing is taken off" in tn.CART(max_depth=3).fit(X, y).certificate_["rows per category"].because


def test_histograms_of_no_rows_change_nothing():
    """Also where squares are summed behind the cells: a part may have no rows."""
    cut, weights = Cut(np.array([[0.5], [np.inf]]), np.array([0, 3])), WeightUnit(1.0, True)
    rules = Rules(SUMS, np.array([NUMERIC, SUBSET]), np.array([0.25, 1.0]), noise=-0.5)
    root = levelwise.root(3, 0)
    statistic = NodeHistograms(weights, root, SumChannels(2.0, 0.25, 1.0, True), rules, lens=TreeLens(cut))
    rows = Chunk(Columns(np.array([[0.0, 1.0], [1.0, 2.0]]), ("a", "b")), np.array([1.0, 5.0]), np.ones(2), True, 0, 0)
    some, none = (statistic.summarize(for_statistic(statistic, chunk)) for chunk in (rows, rows.rows(slice(0, 0))))
    assert np.array_equal((some + none).sums, some.sums)
    hist, squares = some.split(3, int(cut.offset[-1]))
    assert squares.tolist() == [(1 + 9) / 0.5]
    assert hist[0, 0, :3].tolist() == [4, -12, 0]
