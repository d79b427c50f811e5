"""Extremely randomized trees: cuts that are uniform, the same trees however they are grown, and the peer's quality."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes, make_friedman1
from sklearn.ensemble import ExtraTreesClassifier as PeerClassifier
from sklearn.ensemble import ExtraTreesRegressor as PeerRegressor

import tenfold as tn
from tenfold.ensemble.forest import random_forest
from tenfold.inspection.shapley.tree_shap import TreeShap
from tenfold.sources import part_rows
from tenfold.testing import bits
from tenfold.tree.growing import grower, levelwise
from tiers import only_full

N = 1200


def mixed(seed):
    random = np.random.default_rng(seed)
    X = random.standard_normal((N, 4))
    X[random.random((N, 4)) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["short"] = np.array(list("uvwxyz"))[random.integers(0, 6, N)]
    frame["long"] = [f"k{i}" for i in random.integers(0, 100, N)]
    z = np.nan_to_num(X[:, 0] * X[:, 1]) + frame["short"].isin(["u", "x"]) + 0.5 * random.standard_normal(N)
    return frame, z.to_numpy(), random.random(N)


@pytest.mark.quick
@pytest.mark.parametrize("weighted", [*only_full(False), True])
@pytest.mark.parametrize(
    "model",
    [
        tn.ExtraTreesClassifier(5, min_samples_leaf=5, random_state=3),
        tn.ExtraTreesClassifier(3, max_leaf_nodes=20, max_features=3, criterion="entropy"),
        tn.ExtraTreesClassifier(3, class_weight="balanced", bootstrap=True),
        tn.ExtraTreesRegressor(5, min_samples_leaf=5),
        tn.ExtraTreesRegressor(3, max_features=2, max_depth=7, bootstrap=True),
    ],
)
def test_the_same_forest_however_it_is_grown(monkeypatch, model, weighted):
    frame, z, weight = mixed(0)
    y = np.digitize(z, [-0.5, 0.5, 1.5]) if isinstance(model, tn.ExtraTreesClassifier) else z
    found, turns = set(), set()
    for gather, few, memory, together in (
        (1 << 27, 0, 1, 16),
        (0, 0, 1 << 26, 2),
        (0, 0, 1 << 18, 16),
        (0, 200, 1 << 26, 3),
        (0, 200, 1 << 15, 16),
    ):
        monkeypatch.setattr(grower, "MAX_GATHERED_BYTES", gather)
        monkeypatch.setattr(random_forest, "TREES_PER_SCAN", together)
        monkeypatch.setattr(levelwise, "GATHER_BELOW_ROWS", few)
        monkeypatch.setattr(levelwise, "HISTOGRAM_BYTES_PER_SCAN", memory)
        with part_rows(400):
            model.fit(frame, y, sample_weight=weight if weighted else None)
        found.add((bits(model.trees_), model.value_.tobytes()))
        turns.add(model.certificate_.provenance.passes)
    assert len(found) == 1
    assert len(turns) >= 3, "all ways took the same number of reduces: were they the same way?"
    assert model.trees_.node_count > 60


@pytest.mark.parametrize("values", [np.array([0.0, 1.0, 3.0, 4.0, 9.0, 10.0]), np.arange(5.0)])
def test_a_cut_is_uniform_between_the_least_and_the_greatest_value(values):
    """As often between two neighbouring values as they are apart, of those that tell the classes apart or not."""
    n = 3000
    model = tn.ExtraTreesClassifier(n, max_depth=1).fit(values[:, None], np.arange(len(values)) % 2)
    cuts = np.searchsorted(values, model.trees_.threshold[model.roots_]) - 1
    counts = np.bincount(cuts, minlength=len(values) - 1)
    assert counts.sum() == n
    assert stats.chisquare(counts, n * np.diff(values) / np.ptp(values)).pvalue > 1e-4


def test_draws_of_columns_and_of_trees_are_independent():
    random = np.random.default_rng(0)
    X = random.uniform(size=(400, 2))
    trees = tn.ExtraTreesRegressor(2000, max_depth=1, max_features=1).fit(X, random.uniform(size=400)).trees_
    roots = trees.depth == 0
    column, cut = trees.feature[roots], trees.threshold[roots]
    assert abs(column.mean() - 0.5) < 0.06
    for j in range(2):
        assert stats.kstest(cut[column == j], "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(cut[:-1], cut[1:])[0, 1]) < 5 / np.sqrt(2000)
    assert abs(np.corrcoef(column, cut)[0, 1]) < 5 / np.sqrt(2000)


@pytest.mark.parametrize("name", ["cancer", "diabetes", "friedman", "many rows"])
def test_as_good_as_those_of_scikit_learn(name):
    random = np.random.default_rng(0)
    if name == "cancer":
        X, y = load_breast_cancer(return_X_y=True)
    elif name == "diabetes":
        X, y = load_diabetes(return_X_y=True)
    else:
        X, y = make_friedman1(11_000 if name == "many rows" else 1000, noise=1.0, random_state=0)
    if name == "many rows":  # more than 4,096: columns are cut into 255 bins
        train, test = np.arange(5000), np.arange(5000, 11_000)
    else:
        order = random.permutation(len(y))
        train, test = order[: len(y) // 2], order[len(y) // 2 :]
    kinds = (tn.ExtraTreesClassifier, PeerClassifier) if name == "cancer" else (tn.ExtraTreesRegressor, PeerRegressor)
    trees = 20 if name == "many rows" else 60
    ours, theirs = (
        np.mean([kind(trees, random_state=seed).fit(X[train], y[train]).score(X[test], y[test]) for seed in range(2)])
        for kind in kinds
    )
    assert ours > theirs - 0.02


def test_answers_beside_it():
    X, y = make_friedman1(400, random_state=0)
    model = tn.ExtraTreesRegressor(20, min_samples_leaf=3).fit(X, y)
    assert model.certificate_["training mean squared error"].value < y.var()
    assert not hasattr(model, "oob_score_")
    drawn = tn.ExtraTreesRegressor(60, bootstrap=True).fit(X, y)
    assert 0.5 < drawn.oob_score_ < 1.0
    assert (model.feature_importances_[:5] > model.feature_importances_[5:].max()).all()
    members = np.mean([tree.predict(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict(X), members, rtol=1e-12)
    shap = TreeShap(model)
    np.testing.assert_allclose(shap.values_of(X[:5]).sum(axis=1) + shap.expected_value, model.predict(X[:5]), rtol=1e-9)


@pytest.mark.parametrize("learner", [tn.ExtraTreesClassifier, tn.ExtraTreesRegressor])
def test_more_trees_are_those_of_one_fit(learner):
    random = np.random.default_rng(1)
    X, y = random.standard_normal((200, 3)), random.integers(0, 3, 200)
    whole, some = learner(9, random_state=4).fit(X, y), learner(5, random_state=4).fit(X, y)
    more = learner(9, random_state=4).fit(X, y, start=some)
    assert bits(whole.trees_) == bits(more.trees_)
    np.testing.assert_array_equal(whole.predict(X), more.predict(X))


def test_full_trees_of_all_rows_know_them():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((300, 3)), random.integers(0, 3, 300)
    model = tn.ExtraTreesClassifier(4).fit(X, y)
    assert model.score(X, y) == 1.0
    words = sp.random_array((300, 20), density=0.2, format="csr", rng=random)
    sparse, dense = (tn.ExtraTreesClassifier(4).fit(some, y) for some in (words, words.toarray()))
    assert bits(sparse.model_) == bits(dense.model_)


def test_a_missing_value_goes_to_the_better_side():
    random = np.random.default_rng(0)
    x = random.uniform(size=600)
    missing = random.random(600) < 0.3
    y = np.where(missing, 5.0, np.where(x > 0.5, 5.0, 0.0))
    X = np.where(missing, np.nan, x)[:, None]
    model = tn.ExtraTreesRegressor(10, max_depth=6).fit(X, y)
    assert model.predict([[np.nan]])[0] > 4.0
    only = tn.ExtraTreesRegressor(3, max_depth=1).fit(np.where(missing, np.nan, 1.0)[:, None], missing.astype(float))
    np.testing.assert_array_equal(only.predict([[np.nan], [1.0]]), [1.0, 0.0])


def test_a_tree_with_drawn_cuts_is_to_be_had_from_a_forest():
    with pytest.raises(tn.ParameterError, match=r"tn.ExtraTreesRegressor\(\)"):
        tn.DecisionTreeRegressor(splitter="random").fit([[0.0], [1.0]], [0.0, 1.0])
