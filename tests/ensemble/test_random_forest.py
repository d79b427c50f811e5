"""Forests: the same trees however they are grown; draws that are Poisson; out-of-bag scores that are exact."""

import _thread
import threading
import time

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1
from sklearn.ensemble import RandomForestClassifier as PeerClassifier
from sklearn.ensemble import RandomForestRegressor as PeerRegressor
from sklearn.tree import DecisionTreeClassifier as PeerTree

from tenfold import load
from tenfold.core import Columns, ModelFileError
from tenfold.core.driver_threads import driver_threads
from tenfold.ensemble.forest import random_forest
from tenfold.ensemble.forest.random_forest_classifier import RandomForestClassifier
from tenfold.ensemble.forest.random_forest_regressor import RandomForestRegressor
from tenfold.estimator.files import container
from tenfold.estimator.files.model_file import _build
from tenfold.inspection.shapley.tree_shap import TreeShap
from tenfold.sources import part_rows
from tenfold.stats.rows.draws import ROW_STREAM, keys_of, times_of
from tenfold.testing import bits
from tenfold.tree.decision_tree_classifier import DecisionTreeClassifier
from tenfold.tree.growing import grower, levelwise
from tenfold.tree.growing.node_statistics import TreeDraws
from tiers import only_full

N = 1500


def mixed(seed):
    random = np.random.default_rng(seed)
    X = random.standard_normal((N, 4))
    X[random.random((N, 4)) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["short"] = np.array(list("uvwxyz"))[random.integers(0, 6, N)]
    frame["long"] = [f"k{i}" for i in random.integers(0, 100, N)]
    z = np.nan_to_num(X[:, 0] * X[:, 1]) + frame["short"].isin(["u", "x"]) + 0.5 * random.standard_normal(N)
    return frame, z.to_numpy(), random.random(N)


def times(numbers, tree, seed=0):
    return times_of(numbers, keys_of(seed, ROW_STREAM, tree, 1)[0])


@pytest.mark.parametrize("weighted", [*only_full(False), True])
@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(5, min_samples_leaf=5, random_state=3),
        RandomForestClassifier(3, max_leaf_nodes=20, max_features=3),
        RandomForestClassifier(3, criterion="entropy", bootstrap=False, max_depth=6),
        RandomForestRegressor(5, min_samples_leaf=5),
        RandomForestRegressor(3, max_features=2, max_depth=7),
        RandomForestClassifier(3, class_weight="balanced", min_impurity_decrease=2e-3),
        RandomForestClassifier(3, class_weight={0: 0.3, 2: 7.0}, min_weight_fraction_leaf=0.01),
        RandomForestRegressor(3, min_impurity_decrease=2e-3, min_weight_fraction_leaf=0.01),
        RandomForestClassifier(3, max_samples=0.5),
        RandomForestClassifier(3, ccp_alpha=2e-3),
    ],
)
def test_the_same_forest_however_it_is_grown(monkeypatch, model, weighted):
    frame, z, weight = mixed(0)
    y = np.digitize(z, [-0.5, 0.5, 1.5]) if isinstance(model, RandomForestClassifier) else z
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


def test_draws_are_poisson_and_independent():
    n = 40_000
    a, b = times(np.arange(n), 0), times(np.arange(n), 1)
    k = np.arange(6)
    want = np.append(stats.poisson.pmf(k, 1), stats.poisson.sf(5, 1)) * n
    assert stats.chisquare(np.append([(a == i).sum() for i in k], (a > 5).sum()), want).pvalue > 1e-4
    joint = np.array([[((np.minimum(a, 3) == i) & (np.minimum(b, 3) == j)).sum() for j in range(4)] for i in range(4)])
    assert stats.chi2_contingency(joint).pvalue > 1e-4
    later = times(np.arange(1, n + 1), 0)
    assert abs(np.corrcoef(a, later)[0, 1]) < 5 / np.sqrt(n)


def test_fewer_draws_are_poisson_too():
    n, share = 40_000, 0.4
    a, b = (TreeDraws(0, 0, 2, True, share).times(np.arange(n), tree) for tree in range(2))
    k = np.arange(4)
    want = np.append(stats.poisson.pmf(k, share), stats.poisson.sf(3, share)) * n
    assert stats.chisquare(np.append([(a == i).sum() for i in k], (a > 3).sum()), want).pvalue > 1e-4
    assert abs(np.corrcoef(a, b)[0, 1]) < 5 / np.sqrt(n)
    assert (a <= times(np.arange(n), 0)).all()


def test_trees_of_fewer_rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3))
    y = (X[:, 0] * X[:, 1] + 0.3 * random.normal(size=400) > 0).astype(int)
    model = RandomForestClassifier(12, max_samples=100).fit(X, y)
    assert bits(model.model_) == bits(RandomForestClassifier(12, max_samples=0.25).fit(X, y).model_)
    unseen = np.array([TreeDraws(0, 0, 12, True, 0.25).times(np.arange(400), tree) == 0 for tree in range(12)])
    assert abs(unseen.mean() - np.exp(-0.25)) < 0.02
    said = sum(free[:, None] * tree.predict_proba(X) for free, tree in zip(unseen, model.estimators_, strict=True))
    told = unseen.any(axis=0)
    assert model.oob_score_ == (said.argmax(axis=1) == y)[told].mean()
    assert model.trees_.node_count < RandomForestClassifier(12).fit(X, y).trees_.node_count


def test_numbers_of_rows_that_cannot_be_drawn():
    X, y = np.arange(20.0)[:, None], np.arange(20.0)
    with pytest.raises(ValueError, match="max_samples is 21, but there are 20 rows"):
        RandomForestRegressor(2, max_samples=21).fit(X, y)
    with pytest.raises(ValueError, match="max_samples is for trees that draw rows"):
        RandomForestRegressor(2, max_samples=0.5, bootstrap=False).fit(X, y)
    with pytest.raises(ValueError, match="max_samples"):
        RandomForestRegressor(2, max_samples=0.0).fit(X, y)


def test_forests_are_pruned_as_trees_are():
    """And so as those of scikit-learn: for classes its trees choose others of equal splits."""
    random = np.random.default_rng(0)
    X = random.integers(0, 12, (300, 4)).astype(float)
    z = X[:, 0] * X[:, 1] + 8 * random.standard_normal(300)
    y, whole = np.digitize(z, [20, 50]), {"n_estimators": 1, "bootstrap": False, "max_features": None}
    for alpha in (0.004, 0.02):
        given = {**whole, "ccp_alpha": alpha * z.var()}
        ours, theirs = RandomForestRegressor(**given).fit(X, z), PeerRegressor(**given).fit(X, z)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6)
        assert 1 < ours.trees_.node_count == theirs.estimators_[0].tree_.node_count < 60
        for criterion in ("gini", "entropy"):
            given = {"criterion": criterion, "ccp_alpha": alpha}
            forest, tree = RandomForestClassifier(**whole, **given).fit(X, y), DecisionTreeClassifier(**given).fit(X, y)
            assert bits(forest.trees_) == bits(tree.tree_)
            assert 1 < tree.tree_.node_count < 150


@pytest.mark.parametrize(
    "limits", [{}, {"min_weight_fraction_leaf": 0.05}, {"min_impurity_decrease": 0.004}, {"class_weight": "balanced"}]
)
def test_every_tree_is_scikit_learns_of_rows_weighted_by_draws(limits):
    """Limits and the balance of classes are of all rows, not of those that a tree has drawn."""
    random = np.random.default_rng(0)
    X = random.integers(0, 40, (900, 4)).astype(float)
    y = np.digitize(X[:, 0] + 10 * (X[:, 1] > X[:, 2]) + 12 * random.standard_normal(900), [15, 40])
    weight = 0.5 + random.random(900)
    given = {"min_samples_leaf": 20, "max_features": None}
    model = RandomForestClassifier(4, **given, **limits).fit(X, y, sample_weight=weight)
    classes = weight.sum() / (3 * np.bincount(y, weights=weight)) if "class_weight" in limits else np.ones(3)
    for tree, root in enumerate(model.roots_):
        drawn = times(np.arange(900), tree)
        w = weight * drawn * classes[y]
        peer = {name: limit * weight.sum() / w.sum() for name, limit in limits.items() if name != "class_weight"}
        there = drawn > 0
        found = model.value_[model.trees_.apply(Columns(X[there]), root)]
        peers = [
            PeerTree(**given, **peer, random_state=s).fit(X[there], y[there], sample_weight=w[there]) for s in range(6)
        ]
        assert any(np.allclose(one.predict_proba(X[there]), found, rtol=0, atol=1e-4) for one in peers)
        assert peers[0].get_n_leaves() > 4


def test_trees_that_have_drawn_nothing_have_no_say():
    X = np.arange(50.0)[:, None]
    y = np.where(X[:, 0] == 49, 1e6, 0.0)
    few = np.array([[0.0], [1.0], [5.0]])
    for model, given in (
        (RandomForestRegressor(60, max_samples=1), (X, y)),
        (RandomForestClassifier(60, max_samples=1), (X, y > 0)),
        (RandomForestClassifier(30), (few, ["a", "b", "b"])),
    ):
        model.fit(*given)
        rows, share = len(given[0]), 1 / 50 if model.max_samples else 1.0
        drawn = [TreeDraws(0, 0, 0, True, share).times(np.arange(rows), t) for t in range(model.n_estimators)]
        unseen = np.array([times == 0 for times in drawn])
        empty = unseen.all(axis=1)
        assert 0 < empty.sum() < model.n_estimators
        say = "predict_proba" if hasattr(model, "classes_") else "predict"
        each = np.array([getattr(tree, say)(given[0]) for tree in model.estimators_])
        assert np.allclose(getattr(model, say)(given[0]), each[~empty].mean(axis=0), rtol=1e-12)
        unseen[empty] = False
        shap = TreeShap(model)
        parts = shap.shap_values(given[0]).sum(axis=1) + shap.expected_value
        assert np.allclose(parts, each[~empty].mean(axis=0))
        if say == "predict_proba":
            told = unseen.any(axis=0)
            said = model.classes_[np.einsum("ti,tic->ic", unseen, each).argmax(axis=1)]
            assert model.oob_score_ == pytest.approx((said == np.asarray(given[1]))[told].mean())
    mean = RandomForestRegressor(400, max_samples=1).fit(X, y).predict([[10.0]])
    assert 0 < mean[0] < 60_000, "of the mean, 20,000; the middle of the range is 500,000"


def test_a_forest_that_has_drawn_nothing_says_that_all_classes_are_alike():
    model = RandomForestClassifier(1, max_samples=1)
    seed = next(s for s in range(99) if not TreeDraws(s, 0, 0, True, 0.5).times(np.arange(2), 0).any())
    model.set_params(random_state=seed).fit([[0.0], [1.0]], ["a", "b"])
    assert model.predict_proba([[0.0]]).tolist() == [[0.5, 0.5]]


def test_weights_of_classes_make_a_rare_class_more_likely():
    random = np.random.default_rng(2)
    X = random.standard_normal((1000, 3))
    y = np.where(X[:, 0] + random.standard_normal(1000) > 2, "rare", "usual")
    plain, even = (
        RandomForestClassifier(30, min_samples_leaf=10, class_weight=w).fit(X, y) for w in (None, "balanced")
    )
    told = [(model.predict(X)[y == "rare"] == "rare").mean() for model in (plain, even)]
    assert told[0] + 0.3 < told[1]
    with pytest.raises(ValueError, match="class_weight"):
        RandomForestClassifier(class_weight={"rare": -1.0}).fit(X, y)
    for learner in (RandomForestClassifier, DecisionTreeClassifier):
        with pytest.raises(ValueError, match=r"names \['rear'\], but not \['rare'\]"):
            learner(class_weight={"rear": 9.0, "usual": 1.0}).fit(X, y)


def test_weights_of_classes_in_a_file(tmp_path):
    X = np.arange(40.0)[:, None]
    for classes in (np.array(["a", "b"]), np.array([3, 7]), np.array([False, True])):
        y = classes[(X[:, 0] > 17).astype(int)]
        model = RandomForestClassifier(3, class_weight={classes[1]: 2.5}).fit(X, y, checkpoint=tmp_path)
        model.save(tmp_path / "forest.tenfold")
        back = load(tmp_path / "forest.tenfold")
        assert back.class_weight == model.class_weight
        assert bits(clone(back).fit(X, y).model_) == bits(model.model_)
    document, tensors = container.read(tmp_path / "forest.tenfold")
    pair = document["params"]["class_weight"]["dict"][0]
    for wrong in (7, [pair[:1]], [pair, pair], [[{"list": []}, pair[1]]]):
        document["params"]["class_weight"] = {"dict": wrong}
        with pytest.raises(ModelFileError, match="malformed"):
            _build(document, dict(tensors))


@pytest.mark.parametrize("regress", [False, True])
def test_the_out_of_bag_score_is_that_of_trees_that_have_not_drawn_a_row(regress):
    X, y = make_friedman1(300, random_state=0)
    if regress:
        model = RandomForestRegressor(7, random_state=5).fit(X, y)
    else:
        y = np.digitize(y, [11, 16])
        model = RandomForestClassifier(7, random_state=5).fit(X, y)
    sums, count = np.zeros((300, model.value_.shape[1])), np.zeros(300)
    t = model.trees_
    for tree, root in enumerate(model.roots_):
        drawn = times(np.arange(300), tree, 5)
        for i in np.flatnonzero(drawn == 0):
            k = root
            while t.feature[k] >= 0:
                k = t.first_child[k] + (X[i, t.feature[k]] > t.threshold[k])
            sums[i] += model.value_[k]
            count[i] += 1
    told = count > 0
    assert 0 < (~told).sum() < 60
    if regress:
        error = ((sums[told, 0] / count[told] - y[told]) ** 2).sum()
        want = 1 - error / ((y[told] - y[told].mean()) ** 2).sum()
    else:
        want = (sums[told].argmax(axis=1) == y[told]).mean()
    assert model.oob_score_ == pytest.approx(want, abs=1e-12)


def test_as_accurate_as_the_peer():
    X, y = make_classification(4000, 20, n_informative=8, flip_y=0.05, random_state=1)
    ours = RandomForestClassifier(60).fit(X[:2000], y[:2000])
    peer = PeerClassifier(60, random_state=0).fit(X[:2000], y[:2000])
    assert ours.score(X[2000:], y[2000:]) > peer.score(X[2000:], y[2000:]) - 0.02
    assert abs(ours.oob_score_ - ours.score(X[2000:], y[2000:])) < 0.03
    assert np.corrcoef(ours.feature_importances_, peer.feature_importances_)[0, 1] > 0.95
    assert ours.feature_importances_.sum() == pytest.approx(1)
    X, z = make_friedman1(2000, noise=0.5, random_state=1)
    ours, peer = RandomForestRegressor(40).fit(X[:1000], z[:1000]), PeerRegressor(40, random_state=0)
    assert ours.score(X[1000:], z[1000:]) > peer.fit(X[:1000], z[:1000]).score(X[1000:], z[1000:]) - 0.02
    assert abs(ours.oob_score_ - ours.score(X[1000:], z[1000:])) < 0.05


def test_one_tree_of_all_rows_is_the_tree():
    from tenfold.tree.decision_tree_classifier import DecisionTreeClassifier

    frame, z, _ = mixed(2)
    y = z > 0.3
    forest = RandomForestClassifier(1, bootstrap=False, max_features=None, max_depth=6).fit(frame, y)
    tree = DecisionTreeClassifier(max_depth=6).fit(frame, y)
    assert np.array_equal(forest.predict_proba(frame), tree.predict_proba(frame))
    assert forest.certificate_["training error"].value == pytest.approx(1 - tree.score(frame, y))
    with pytest.raises(AttributeError, match="oob_score_"):
        _ = forest.oob_score_


def test_equal_rows_are_drawn_independently():
    """The means of trees differ as means of so many rows do; rows that a tree has not drawn are as those it has."""
    X, y = np.zeros((200, 1)), np.repeat([0.0, 1.0], 100)
    assert RandomForestRegressor(40).fit(X, y).value_.std() == pytest.approx(0.5 / np.sqrt(200), rel=0.4)
    random = np.random.default_rng(0)
    kinds = random.integers(0, 3, (4000, 2))
    frame = pd.DataFrame({"a": np.array(list("uvw"))[kinds[:, 0]], "b": kinds[:, 1]})
    label = np.where(random.random(4000) < 0.2 + 0.25 * kinds[:, 0], "yes", "no")
    model = RandomForestClassifier(25).fit(frame, label)
    assert model.oob_score_ == pytest.approx(model.score(frame, label), abs=0.01)
    assert model.certificate_["out-of-bag error"].value == pytest.approx(1 - model.oob_score_)


def test_an_interrupt_stops_the_other_threads_too():
    made, started = [], threading.Event()

    def interrupted():
        started.wait(10)
        raise KeyboardInterrupt

    def tree():
        started.set()
        time.sleep(0.01)
        made.append(1)

    with driver_threads(2), pytest.raises(KeyboardInterrupt):
        random_forest.share([interrupted, *[tree] * 200])
    time.sleep(0.05)
    soon = len(made)
    time.sleep(0.2)
    assert len(made) == soon < 100


@pytest.mark.parametrize("after", [0.1, 0.3])
def test_an_interrupt_is_an_interrupt(after):
    """Ctrl-C while trees grow in the main thread: it comes in the middle of a kernel."""
    random = np.random.default_rng(0)
    X = random.standard_normal((5000, 4))
    forest = RandomForestRegressor(1000)
    clone(forest).set_params(n_estimators=2).fit(X, X[:, 0])  # kernels are compiled
    timer = threading.Timer(after, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        forest.fit(X, X[:, 0] + random.standard_normal(5000))
    timer.join()
