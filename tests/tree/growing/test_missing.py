"""Missing values: an oracle that routes rows by hand, Quinlan's worked example, many categories, whole numbers."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from brute_splits import impurity
from tenfold import (
    C45,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    HistGradientBoostingClassifier,
    Local,
    RandomForestClassifier,
    load,
    on,
)
from tenfold.sources import part_rows
from tenfold.testing import bits
from tenfold.tree.growing import levelwise

WAYS = ["learned", "node_majority", "class_majority", "fractional"]
GOLF = """
sunny,75,70,true,Play
sunny,80,90,true,Don't
sunny,85,85,false,Don't
sunny,72,95,false,Don't
sunny,69,70,false,Play
,72,90,true,Play
overcast,83,78,false,Play
overcast,64,65,true,Play
overcast,81,75,false,Play
rain,71,80,true,Don't
rain,65,70,true,Don't
rain,75,80,false,Play
rain,68,80,false,Play
rain,70,96,false,Play
"""


def golf():
    names = ["outlook", "temperature", "humidity", "windy", "play"]
    table = pd.DataFrame([line.split(",") for line in GOLF.strip().split("\n")], columns=names)
    table["outlook"] = table["outlook"].replace("", None)
    return table.astype({"temperature": float, "humidity": float})


def test_fractional_examples_are_quinlans():
    """C4.5, chapter 3: gain 0.199, ratio 0.110; the sunny branch gets 5/13 of a case; P(Play) = 0.44."""
    table = golf()
    X, y = table.drop(columns="play"), table["play"]
    ratio = C45(max_depth=1, prune=None).fit(X[["outlook"]], y)
    assert ratio.tree_.gain[0] == pytest.approx(0.110, abs=5e-4)
    model = DecisionTreeClassifier("entropy", split="multiway", missing="fractional", min_samples_leaf=2).fit(X, y)
    assert model.tree_.gain[0] / 14 == pytest.approx(0.199, abs=5e-4)
    sunny = model.tree_.first_child[0] + 2
    assert model.value_[sunny] == pytest.approx([3, 2 + 5 / 13], abs=1e-3)
    case = pd.DataFrame({"outlook": ["sunny"], "temperature": [70.0], "humidity": [np.nan], "windy": ["false"]})
    assert model.predict_proba(case)[0] == pytest.approx([0.56, 0.44], abs=5e-3)
    assert model.predict_proba(case)[0, 1] == pytest.approx((2 + 5 / 13) / (5 + 5 / 13), abs=1e-3)


def table(seed, classes):
    random = np.random.default_rng(seed)
    n = 60
    X = pd.DataFrame({"x": random.integers(0, 8, n).astype(float), "z": random.standard_normal(n).round(1)})
    X["c"] = pd.Series(np.array(list("abcd"), dtype=object)[random.integers(0, 4, n)], dtype=object)
    for name in X:
        X.loc[random.random(n) < 0.25, name] = np.nan if name != "c" else None
    return X, random.integers(0, classes, n)


def candidates(column, multiway):
    """Every split of the known values: the branch of each row, -1 where the value is missing."""
    missing = column.isna().to_numpy()
    if column.dtype.kind == "f":
        x = column.to_numpy()
        return [np.where(missing, -1, x > v) for v in np.unique(x[~missing])[:-1]]
    code = np.where(missing, -1, np.searchsorted(list("abcd"), column.fillna("a").to_numpy().astype(str)))
    values = np.unique(code[~missing])
    if len(values) < 2:
        return []
    if multiway:
        return [np.where(missing, -1, np.searchsorted(values, code))]
    sets = [s for k in range(1, len(values)) for s in combinations(values, k)]
    return [np.where(missing, -1, ~np.isin(code, s)) for s in sets]


def weights_by_value(value, known, w):
    """The known values in order, and the weight of each."""
    values = np.unique(value[known])
    return values, np.array([w[known & (value == v)].sum() for v in values])


def common(column, branch, y, w, c):
    """The branch of the most common value: of the heavier side, or of the heaviest category; of class c, or (None) of
    all. Where the class does not decide, all rows do."""
    known = branch >= 0
    value = branch if column.dtype.kind == "f" else column.fillna("").to_numpy()
    values, heft = weights_by_value(value, known, w)
    best = int(heft.argmax())
    if c is not None:
        mine = np.array([w[known & (value == v) & (y == c)].sum() for v in values])
        best = best if mine[best] == mine.max() else int(mine.argmax())
    return branch[known & (value == values[best])][0]


def send(column, branch, y, w, way):
    """rows x branches: how much of the weight of each row goes where."""
    out = np.zeros((len(y), int(branch.max()) + 1))
    known = branch >= 0
    out[known, branch[known]] = w[known]
    if way == "fractional":
        out[~known] = w[~known, None] * out[known].sum(axis=0) / w[known].sum()
        return out
    for c in np.unique(y):
        mine = ~known & (y == c)
        out[mine, common(column, branch, y, w, c if way == "class_majority" else None)] = w[mine]
    return out


def decrease(column, branch, y, w, way, criterion, multiway):
    known = branch >= 0
    if way == "fractional":
        y, w, branch, column = y[known], w[known], branch[known], column[known]
        heft = np.sort(np.bincount(branch, weights=w))
        if heft[-2 if multiway else 0] < 1 - 1e-3:
            return -1.0  # a leaf has a row at least, in parts or whole
    parts = send(column, branch, y, w, way)
    return impurity(y, w, criterion) - sum(impurity(y[p > 0], p[p > 0], criterion) for p in parts.T)


@pytest.mark.parametrize("way", WAYS[1:])
@pytest.mark.parametrize(("split", "classes"), [("subset", 2), ("multiway", 3)])
def test_every_split_against_rows_sent_by_hand(way, split, classes):
    inner = 0
    for seed in range(6):
        criterion = ("gini", "entropy")[seed % 2]
        X, y = table(seed, classes)
        model = DecisionTreeClassifier(criterion, split=split, missing=way, max_depth=3).fit(X, y)
        tree = model.tree_
        weight = {0: np.ones(len(y))}
        for k in range(tree.node_count):
            w = weight[k]
            there = w > 0
            some, classes_there, w = X[there], y[there], w[there]
            assert model.value_[k] == pytest.approx(np.bincount(classes_there, weights=w, minlength=classes), abs=0.05)
            if tree.feature[k] < 0:
                continue
            every = [(n, b) for n in X for b in candidates(some[n], split == "multiway")]
            told = classes_there, w, way, criterion
            best = max(decrease(some[n], b, *told, multiway=split == "multiway" and n == "c") for n, b in every)
            assert tree.gain[k] == pytest.approx(best, abs=1e-9 if way != "fractional" or k == 0 else 0.05)
            name = X.columns[tree.feature[k]]
            branch = chosen(tree, k, some[name])
            parts = send(some[name], branch, classes_there, w, way)
            for b in range(parts.shape[1]):
                weight[int(tree.first_child[k]) + b] = np.zeros(len(y))
                weight[int(tree.first_child[k]) + b][there] = parts[:, b]
            inner += 1
    assert inner > 20


@pytest.mark.parametrize("way", WAYS[1:])
@pytest.mark.parametrize("seed", range(8))
def test_the_exact_method_is_that_of_a_bin_for_every_value(way, seed):
    """With few values: the same splits, gains and values of nodes; thresholds are midpoints of the node's own rows."""
    X, y = table(seed, 3)
    given = {
        "missing": way,
        "split": ("subset", "multiway")[seed % 2],
        "criterion": ("gini", "entropy", "gain_ratio", "error")[seed % 4],
        "max_leaf_nodes": 6 if seed % 3 == 0 else None,
        "class_weight": "balanced" if seed % 5 == 0 else None,
    }
    weight = np.random.default_rng(seed).integers(0, 4, len(y)).astype(float)
    for w in (None, weight):
        bins, exact = (
            DecisionTreeClassifier(method=method, **given).fit(X, y, sample_weight=w)
            for method in ("histogram", "exact")
        )
        assert bins.tree_.node_count > 5
        for name in ("feature", "gain", "route", "first_child", "missing_left"):
            assert np.array_equal(getattr(bins.tree_, name), getattr(exact.tree_, name)), name
        assert np.array_equal(bins.value_, exact.value_)
        exact.verify()
        if way != "class_majority" and w is None:
            assert np.array_equal(bins.predict_proba(X), exact.predict_proba(X))
    if way != "class_majority":
        numbers = y + np.random.default_rng(seed).normal(size=len(y))
        bins, exact = (
            DecisionTreeRegressor(method=method, missing=way, split=given["split"]).fit(
                X, numbers, sample_weight=weight
            )
            for method in ("histogram", "exact")
        )
        assert np.array_equal(bins.tree_.feature, exact.tree_.feature)
        assert np.array_equal(bins.value_, exact.value_)


@pytest.mark.parametrize("way", WAYS[1:])
def test_the_exact_method_finds_thresholds_between_bins(way):
    """Two neighbours among 2,000 distinct values: bins of 255 do not tell them apart."""
    x = np.arange(2000.0)[:, None]
    y = x[:, 0] > 1003.0
    x[::100] = np.nan
    model = DecisionTreeClassifier(method="exact", missing=way, max_depth=1).fit(x, y)
    assert model.tree_.threshold[0] == 1003.5
    assert DecisionTreeClassifier(missing=way, max_depth=1).fit(x, y).tree_.threshold[0] != 1003.5
    assert model.predict([[1003.0], [1004.0]]).tolist() == [False, True]


def chosen(tree, k, column):
    """The branch of each known value at a node."""
    missing = column.isna().to_numpy()
    if tree.route_at[k] < 0:
        return np.where(missing, -1, column.to_numpy() > tree.threshold[k])
    code = np.searchsorted(list("abcd"), column.fillna("a").to_numpy().astype(str))
    return np.where(missing, -1, tree.route[tree.route_at[k] + code])


def a_thousand_categories(seed, n):
    """Five classes by a column of 1,000 categories and one of numbers; 30 % of each column is missing.

    Nobody can tell more than 0.7 (0.7 + 0.3 · 0.84) + 0.3 / 5 = 73 % of them.
    """
    random = np.random.default_rng(seed)
    group, x = random.integers(0, 1000, n), random.standard_normal((n, 2))
    y = np.array(list("pqrst"))[(group % 5 + (x[:, 0] > 1)) % 5]
    X = pd.DataFrame(x, columns=["a", "b"]).assign(group=pd.Series([f"g{i}" for i in group], dtype=object))
    for name in X:
        X.loc[random.random(n) < 0.3, name] = None if name == "group" else np.nan
    return X, y


@pytest.mark.full
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("split", ["subset", "multiway"])
def test_a_thousand_categories_many_classes_and_a_third_missing(way, split, tmp_path):
    (X, y), (fresh, truth) = a_thousand_categories(0, 6000), a_thousand_categories(1, 3000)
    given = {"missing": way, "split": split, "max_depth": 8 if split == "subset" else 3, "min_samples_leaf": 2}
    model = DecisionTreeClassifier(**given).fit(X, y)
    share = model.predict_proba(X)
    assert np.isfinite(share).all()
    assert share.sum(axis=1) == pytest.approx(1)
    assert 0.55 < model.score(fresh, truth) < 0.75
    assert model.certificate_["training error"].value == pytest.approx(1 - model.score(X, y), abs=1e-12)
    model.save(tmp_path / "tree.tenfold")
    assert np.array_equal(load(tmp_path / "tree.tenfold").predict_proba(X), share)
    with part_rows(1000), on(Local(threads=2)):
        parts = DecisionTreeClassifier(**given).fit(X, y)
    assert bits(parts.tree_) == bits(model.tree_)


@pytest.mark.parametrize(
    "model",
    [RandomForestClassifier(20, min_samples_leaf=2), HistGradientBoostingClassifier(max_iter=15, min_samples_leaf=5)],
)
def test_many_trees_take_a_thousand_categories_and_a_third_missing_too(model):
    model.fit(*a_thousand_categories(0, 6000))
    assert 0.55 < model.score(*a_thousand_categories(1, 3000)) < 0.75


@pytest.mark.parametrize("way", ["node_majority", "fractional"])
def test_numbers_too(way):
    random = np.random.default_rng(1)
    x = random.standard_normal((500, 3))
    y = 3 * (x[:, 0] > 0) + x[:, 1]
    x[random.random(x.shape) < 0.2] = np.nan
    model = DecisionTreeRegressor(missing=way, min_samples_leaf=5).fit(x, y)
    assert model.score(x, y) > 0.7
    rows = np.full((1, 3), np.nan)
    if way == "fractional":
        assert model.predict(rows)[0] == pytest.approx(y.mean(), abs=0.01)  # all leaves by their weight
    with pytest.raises(ValueError, match="missing"):
        DecisionTreeRegressor(missing="class_majority").fit(x, y)


def test_a_value_that_was_never_missing_goes_with_the_heavier_side():
    x = np.array([[0.0], [1.0], [2.0], [3.0], [9.0]])
    model = DecisionTreeClassifier(max_depth=1).fit(x, [0, 0, 0, 0, 1])
    assert model.predict([[np.nan]])[0] == 0
    model = DecisionTreeClassifier(max_depth=1).fit(-x, [0, 0, 0, 0, 1])
    assert model.predict([[np.nan]])[0] == 0


@pytest.mark.parametrize("method", ["histogram", "exact"])
@pytest.mark.parametrize("learner", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_heavy_is_by_weight_not_by_rows(learner, method):
    """The tree is that of the rows repeated, also for what it never saw."""
    X, y, weight = np.array([[0.0], [0.0], [0.0], [1.0]]), np.array([0, 0, 0, 1]), np.array([1, 1, 1, 10])
    weighted = learner(method=method).fit(X, y, sample_weight=weight.astype(float))
    repeated = learner(method=method).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.predict([[np.nan]]) == repeated.predict([[np.nan]]) == [1]


def test_parts_are_the_same_from_the_root_and_from_the_level_before(monkeypatch):
    """What follows the rows may be dropped and made again, or a worker that died would change the tree."""
    down, seen = levelwise.go_down_in_parts, []

    def both(at, bins, cut, parts):
        found = down(at, bins, cut, parts)
        seen.append(all(np.array_equal(a, b) for a, b in zip(found, down(at, bins, cut, None), strict=True)))
        return found

    monkeypatch.setattr(levelwise, "go_down_in_parts", both)
    X, y = table(0, 3)
    DecisionTreeClassifier("gain_ratio", split="multiway", missing="fractional", max_depth=5).fit(X, y)
    assert len(seen) > 3
    assert all(seen)


def test_a_regression_in_parts_can_be_saved(tmp_path):
    """Targets above and below the middle: their distances are no weights."""
    model = DecisionTreeRegressor(missing="fractional").fit([[1.0], [0.0]], [1.8, 1.0], np.array([1e12, 1e-12]))
    model.save(tmp_path / "m.tenfold")
    assert (tn.load(tmp_path / "m.tenfold").predict([[1.0], [0.0]]) == model.predict([[1.0], [0.0]])).all()


def test_weights_whose_sum_is_a_power_of_two_fit(tmp_path):
    X = pd.DataFrame({"a": pd.Categorical(["x", None, "y"])})
    C45().fit(X, [0, 1, 1], np.full(3, 1 / 3)).save(tmp_path / "m.tenfold")
    assert tn.load(tmp_path / "m.tenfold").predict_proba(X).sum() == pytest.approx(3)
