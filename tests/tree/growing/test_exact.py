"""The exact method: every split is the best there is; equal values stay together; contradictory rows end in a leaf."""

import numpy as np
import pandas as pd
import pytest

from brute_splits import largest_difference
from tenfold import SLIQ, DecisionTreeClassifier, DecisionTreeRegressor


def test_every_split_is_the_best_of_all():
    found = [largest_difference(seed) for seed in range(60)]
    assert max(worst for _, worst in found) < 1e-12
    assert sum(nodes for nodes, _ in found) > 500


def test_thresholds_are_midpoints_where_the_class_changes():
    random = np.random.default_rng(0)
    x = np.round(random.standard_normal(300), 1)
    y = (x + 0.3 * random.standard_normal(300) > 0).astype(int)
    for criterion in ("gini", "entropy"):
        model = DecisionTreeClassifier(criterion, method="exact", max_depth=4).fit(x[:, None], y)
        tree, low, high = model.tree_, np.full(64, -np.inf), np.full(64, np.inf)
        for k in np.flatnonzero(tree.feature >= 0):
            left, cut = tree.first_child[k], tree.threshold[k]
            inside = (x > low[k]) & (x <= high[k])
            a, b = x[inside & (x <= cut)].max(), x[inside & (x > cut)].min()
            assert cut == a + 0.5 * (b - a)
            assert len({*y[inside & (x == a)]} | {*y[inside & (x == b)]}) == 2, "no class change here"
            low[left : left + 2], high[left : left + 2] = (low[k], cut), (cut, high[k])


def test_erratum_24_equal_values_stay_together():
    x = np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    model = SLIQ().fit(x[:, None], [0, 1, 0, 1, 1, 0])
    assert model.tree_.threshold[0] == 1.5
    assert model.tree_.node_count == 3


def test_erratum_24_contradictory_examples_end_in_a_leaf():
    rows = pd.DataFrame({"a": [1.0] * 5, "b": list("uuuuu")})
    model = SLIQ().fit(rows, [0, 1, 1, 0, 1])
    assert model.tree_.node_count == 1
    assert model.predict_proba(rows)[0] == pytest.approx([0.4, 0.6])
    assert model.certificate_["training error"].value == pytest.approx(0.4)


def test_neighbouring_numbers_are_told_apart():
    x = np.array([1.0, np.nextafter(1.0, 2)])
    model = SLIQ().fit(x[:, None], [0, 1])
    assert model.predict(x[:, None]).tolist() == [0, 1]


@pytest.mark.parametrize("leaves", [2, 7, 20])
def test_the_best_split_comes_first_if_leaves_are_few(leaves):
    random = np.random.default_rng(3)
    X = random.integers(0, 60, (500, 3)).astype(float)
    y = X[:, 0] * (X[:, 1] > 20) + random.standard_normal(500)
    exact, binned = (DecisionTreeRegressor(max_leaf_nodes=leaves, method=m).fit(X, y) for m in ("exact", "histogram"))
    assert np.allclose(exact.predict(X), binned.predict(X))  # few distinct values: bins lose nothing
    assert len(exact.tree_.leaves) == leaves


def test_columns_drawn_are_the_same_on_bins():
    random = np.random.default_rng(4)
    X, y = random.integers(0, 50, (800, 6)).astype(float), random.integers(0, 3, 800)
    models = [DecisionTreeClassifier(max_features=2, max_depth=6, method=m).fit(X, y) for m in ("exact", "histogram")]
    assert np.array_equal(models[0].tree_.feature, models[1].tree_.feature)
    assert np.array_equal(models[0].predict(X), models[1].predict(X))
