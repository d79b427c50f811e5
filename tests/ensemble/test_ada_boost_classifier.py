"""AdaBoost against brute force, scikit-learn and its own theory."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine, make_classification
from sklearn.ensemble import AdaBoostClassifier as Peer
from sklearn.tree import DecisionTreeClassifier

import boosted_rounds
import tenfold as tn
from tenfold.ensemble.ada_boost.ada_boost_stumps import AddingStumps
from tenfold.sources import part_rows
from tenfold.testing import bits


def brute(X, y, weight, rounds, rate=1.0):
    """SAMME by trying every stump between any two values."""
    codes = np.unique(y, return_inverse=True)[1]
    k = codes.max() + 1
    w = weight / weight.sum()
    errors, alphas, votes = [], [], np.zeros((len(X), k))
    for _ in range(rounds):
        best = (np.inf, None)
        for j in range(X.shape[1]):
            values = np.unique(X[:, j])
            for bar in [*(values[:-1] + values[1:]) / 2, np.inf]:
                side = X[:, j] <= bar
                sums = [np.bincount(codes[s], w[s], k) for s in (side, ~side)]
                wrong = sum(s.sum() - s.max() for s in sums)
                if wrong < best[0] - 1e-13:
                    best = (wrong, np.where(side, sums[0].argmax(), sums[1].argmax()))
        error, said = best
        alpha = rate * (np.log((1 - error) / error) + np.log(k - 1))
        errors.append(error)
        alphas.append(alpha)
        votes[np.arange(len(X)), said] += alpha
        w = w * np.exp(alpha * (said != codes))
        w /= w.sum()
    return np.array(errors), np.array(alphas), votes, w


def noisy(seed, n=120, p=4, k=2):
    random = np.random.default_rng(seed)
    X = np.round(random.standard_normal((n, p)), 1)
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + 0.7 * random.standard_normal(n), np.linspace(-1, 1, k + 1)[1:-1])
    return X, y, random.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("classes", "rate"), [(2, 1.0), (2, 0.5), (3, 1.0), (5, 1.0)])
def test_every_round_is_the_best_stump(seed, classes, rate):
    X, y, weight = noisy(seed, k=classes)
    model = tn.AdaBoostClassifier(n_estimators=7, learning_rate=rate).fit(X, y, sample_weight=weight)
    errors, alphas, votes, _ = brute(X, y, weight, len(model.feature_), rate)
    np.testing.assert_allclose(model.estimator_errors_, errors, rtol=1e-10)
    np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=1e-9)
    clear = np.sort(votes, axis=1)
    clear = clear[:, -1] - clear[:, -2] > 1e-9
    assert (model.predict(X)[clear] == model.classes_[votes[clear].argmax(axis=1)]).all()


@pytest.mark.parametrize("seed", range(40))
def test_the_certificate_holds(seed):
    classes = 2 + seed % 3
    X, y, weight = noisy(seed, k=classes)
    model = tn.AdaBoostClassifier(n_estimators=1 + seed).fit(X, y, sample_weight=weight)
    claim = model.certificate_
    wrong = weight[model.predict(X) != y].sum() / weight.sum()
    assert wrong <= claim["training error"].value + 1e-12
    assert claim["training error"].value <= claim["training error bound"].value + 1e-12
    k = len(model.classes_)
    if classes == 2:
        assert claim["training error"].value - wrong <= 0.05  # it is the error, but for even votes
        e = model.estimator_errors_
        assert claim["training error bound"].value == pytest.approx(np.prod(2 * np.sqrt(e * (1 - e))), rel=1e-9)
    else:
        vacuous = claim["training error bound"].because.startswith("vacuous")
        assert vacuous == (claim["training error bound"].value == 1)
    if 0 < model.estimator_errors_[-1] < 1 - 1 / k - 1e-9:
        assert claim["last error"].value == pytest.approx(1 - 1 / k, abs=1e-12)
    edges = 1 - 1 / k - model.estimator_errors_
    assert claim["least edge"].value == pytest.approx(edges.min(), abs=1e-15)


def test_the_bound_is_that_of_the_theory():
    X, y, weight = noisy(2)
    model = tn.AdaBoostClassifier(n_estimators=9).fit(X, y, sample_weight=weight)
    bound = float(tn.theory.adaboost_bound(model.estimator_errors_))
    assert model.certificate_["training error bound"].value == pytest.approx(bound, rel=1e-12)


def test_weights_follow():
    """After some rounds a row's weight is what brute force says, and so is the next stump."""
    X, y, weight = noisy(3)
    *_, w = brute(X, y, weight, 5)
    model = tn.AdaBoostClassifier(n_estimators=5).fit(X, y, sample_weight=weight)
    from tenfold.sources import ArraySource

    source = ArraySource(X, y, weight)
    chunk = source.load(0, model.need, model.schema_)
    statistic = model.ask(AddingStumps(5, model.model_))
    rounds, raised = statistic.follow(statistic.lens(chunk), None)
    assert rounds == 5
    found = chunk.weight * raised
    np.testing.assert_allclose(found / found.sum(), w, rtol=1e-9)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_as_good_as_the_peer(load):
    X, y = load(return_X_y=True)
    ours = tn.AdaBoostClassifier(n_estimators=50).fit(X, y).score(X, y)
    peer = Peer(DecisionTreeClassifier(max_depth=1), n_estimators=50).fit(X, y).score(X, y)
    assert ours >= peer - 0.01


def test_many_distinct_values_lose_little():
    X, y = make_classification(20_000, 10, n_informative=6, flip_y=0.05, random_state=0)
    fine = tn.AdaBoostClassifier(n_estimators=30).fit(X, y)
    assert fine.model_.bin_edges.shape == (10, 255)
    peer = Peer(DecisionTreeClassifier(max_depth=1), n_estimators=30).fit(X, y)
    assert fine.score(X, y) >= peer.score(X, y) - 0.005
    share = np.array([(X[:, [0]] <= fine.model_.bin_edges[0]).mean(axis=0)])
    assert np.abs(share - np.arange(1, 256) / 256).max() < 0.02  # the edges are quantiles


def test_a_stump_without_error_decides_alone():
    X = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])
    model = tn.AdaBoostClassifier(n_estimators=10).fit(X, [0, 0, 1, 1])
    assert model.estimator_errors_.tolist() == [0.0]
    assert model.threshold_.tolist() == [1.5]
    assert model.certificate_["training error bound"].value == 0
    assert (model.predict(X) == [0, 0, 1, 1]).all()


def test_no_stump_is_better_than_chance():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    with pytest.raises(tn.DataError, match=r"wrong about 0\.5 .* no better than chance among 2 classes.*Remedy"):
        tn.AdaBoostClassifier(n_estimators=10).fit(X, [0, 1, 1, 0])
    constant = tn.AdaBoostClassifier(n_estimators=3).fit(np.ones((5, 1)), ["a", "a", "a", "b", "b"])
    assert constant.predict([[1.0], [7.0]]).tolist() == ["a", "a"]


def test_the_same_bits_held_in_memory_spilled_and_from_parts(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    X, y, weight = noisy(1, n=400)
    found = set()
    for memory in (None, 20_000, 0):
        for threads in (1, 3):
            with tn.on(tn.Local(threads=threads, memory=memory)), part_rows(50):
                model = tn.AdaBoostClassifier(n_estimators=9).fit(X, y, sample_weight=weight)
            found.add((bits(model.model_), bits(model.summary_)))
    assert len(found) == 1
    assert not list(tmp_path.iterdir())  # nothing is left behind


def test_wrong_parameters():
    with pytest.raises(ValueError, match="max_bins is 300"):
        tn.AdaBoostClassifier(max_bins=300).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="learning_rate"):
        tn.AdaBoostClassifier(learning_rate=0.0).fit([[0.0], [1.0]], [0, 1])


def test_extreme_columns():
    """Values at the ends of the floats, and columns that never change."""
    X = np.array([[-1e308, 1.0], [1e308, 1.0], [0.0, 1.0], [1e-308, 1.0]])
    model = tn.AdaBoostClassifier(n_estimators=20).fit(X, [0, 1, 0, 1])
    assert (model.predict(X) == [0, 1, 0, 1]).all()


@pytest.mark.parametrize("name", boosted_rounds.LEARNERS)
@pytest.mark.parametrize("seed", range(20))
def test_rounds_are_those_of_the_definition_and_keep_the_bounds(seed, name):
    """The 200 of `benchmarks/ada_boost.py`, here 20."""
    X, y, weight = boosted_rounds.table(seed)
    learner = tn.AdaBoostClassifier(boosted_rounds.LEARNERS[name], n_estimators=15)
    found = boosted_rounds.examine(learner.fit(X, y, sample_weight=weight), X, y, weight)
    assert found.error <= 1e-12
    assert found.half <= 1e-12
    assert found.above <= 1e-12
    assert found.margin <= 1e-12
    assert found.wrong == 0


@pytest.mark.parametrize("seed", range(20))
def test_after_each_round_the_last_stump_is_as_good_as_chance(seed):
    found = boosted_rounds.last_errors(*boosted_rounds.table(seed, classes=2), rounds=25)
    proper = [last for error, last in found if 0 < error < 0.5]
    assert proper
    np.testing.assert_allclose(proper, 0.5, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_no_stump_comes_twice_in_a_row(seed):
    X, y, weight = boosted_rounds.table(seed, classes=2)
    model = tn.AdaBoostClassifier(n_estimators=40).fit(X, y, sample_weight=weight)
    fields = (model.feature_, model.threshold_, model.left_, model.right_)
    assert all(a != b for a, b in pairwise(zip(*fields, strict=True)))


def test_no_error_once_there_are_rounds_enough():
    """More than ln n / (2 γ²) of them: the theorem says so, and it comes about."""
    random = np.random.default_rng(0)
    X = random.integers(0, 3, (60, 2)).astype(float)
    y = X.sum(axis=1) > 1.5
    model = tn.AdaBoostClassifier(n_estimators=400).fit(X, y)
    found = boosted_rounds.examine(model, X, y, np.ones(60))
    assert found.zero > 0
    assert found.wrong == 0


@pytest.mark.parametrize("classes", [2, 3])
def test_decisions_and_members_as_scikit_learn_has_them(classes):
    random = np.random.default_rng(5)
    X = random.integers(0, 9, (200, 3)).astype(float)
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + X[:, 1] + random.normal(size=200), [6.0, 11.0][: classes - 1])]
    model = tn.AdaBoostClassifier(n_estimators=8).fit(X, y)
    weights, members = model.estimator_weights_, model.estimators_
    votes = sum(w * (m.predict(X)[:, None] == model.classes_) for w, m in zip(weights, members, strict=True))
    share = votes / weights.sum()
    scores = share - (1 - share) / (classes - 1)
    found = model.decision_function(X)
    np.testing.assert_allclose(found, scores[:, 1] - scores[:, 0] if classes == 2 else scores, atol=1e-12)
    if classes == 3:
        assert (model.classes_[found.argmax(axis=1)] == model.predict(X)).mean() > 0.99  # but for ties
    by_column = np.bincount(model.feature_, weights, 3) / weights.sum()
    np.testing.assert_allclose(model.feature_importances_, by_column, atol=1e-12)


def test_decisions_of_scikit_learns_own_members():
    random = np.random.default_rng(6)
    X = random.normal(size=(150, 3))
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1] ** 2, [0.0, 1.0])
    ours = tn.AdaBoostClassifier(tn.DecisionTreeClassifier(max_depth=2), n_estimators=5).fit(X, y)
    theirs = Peer(DecisionTreeClassifier(max_depth=2), n_estimators=5, random_state=0)
    theirs.fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-9)
    each = np.array([member.feature_importances_ for member in ours.estimators_])
    np.testing.assert_allclose(ours.feature_importances_, np.average(each, axis=0, weights=ours.estimator_weights_))


def test_importances_of_members_that_have_none():
    X = np.random.default_rng(7).normal(size=(60, 2))
    model = tn.AdaBoostClassifier(tn.GaussianNB(), n_estimators=2).fit(X, X[:, 0] * X[:, 1] > 0)
    assert not hasattr(model, "feature_importances_")


@pytest.mark.filterwarnings("error")
def test_columns_below_the_normal_numbers_are_split():
    rows = np.random.default_rng(0).normal(size=(200, 3)) * 1e-310
    y = (rows[:, 0] > 0).astype(int)
    assert tn.AdaBoostClassifier().fit(rows, y).score(rows, y) == 1.0
