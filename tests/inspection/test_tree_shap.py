"""TreeSHAP: values that sum to what trees say, and are the Shapley values that brute force finds."""

import builtins
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import tenfold as tn
from tenfold.core import Columns
from tenfold.inspection.shapley.shapley import EMPTY_LEAF_ROWS
from tenfold.inspection.shapley.tree_shap import binary_tree

LEARNERS = {
    "tree": tn.DecisionTreeRegressor(max_depth=6, min_samples_leaf=3),
    "forest": tn.RandomForestRegressor(n_estimators=7, max_depth=6, random_state=0),
    "boosted": tn.HistGradientBoostingRegressor(max_iter=12),
    "counts": tn.HistGradientBoostingRegressor(loss="poisson", max_iter=12),
    "classes": tn.DecisionTreeClassifier(max_depth=6),
    "many branches": tn.ID3(max_depth=5),
    "two classes": tn.HistGradientBoostingClassifier(max_iter=8),
    "three classes": tn.HistGradientBoostingClassifier(max_iter=8),
    "forest of classes": tn.RandomForestClassifier(n_estimators=7, max_depth=6, random_state=0),
}


def rows(holes, n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({
        "a": rng.normal(size=n), "kind": rng.choice(list("abcdefgh"), n), "b": rng.normal(size=n),
        "c": rng.integers(0, 4, n),
    })  # fmt: skip
    y = X["a"] + 2.0 * X["kind"].isin(list("bdg")) + X["b"] * X["a"] + X["c"]
    if holes:
        X.loc[::5, "a"] = np.nan
        X.loc[::7, "kind"] = None
    return X, y.to_numpy()


def fitted(name, X, y):
    target = {"two classes": y > 1, "counts": np.round(np.exp(y / 3))}.get(name, y)
    if name in ("classes", "many branches", "three classes", "forest of classes"):
        target = np.digitize(y, [0, 2])
    return clone(LEARNERS[name]).fit(X, target)


def margins(name, model, X):
    """What the trees sum up to, by the model itself."""
    if name == "counts":
        return np.log(model.predict(X))
    if name == "two classes":
        return np.log(model.predict_proba(X)[:, 1] / model.predict_proba(X)[:, 0])
    if name == "three classes":
        p = np.log(model.predict_proba(X))
        return p - p.mean(axis=1, keepdims=True)
    return model.predict_proba(X) if hasattr(model, "classes_") else model.predict(X)


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("name", LEARNERS)
def test_values_sum_to_what_the_trees_say(name, holes):
    X, y = rows(holes)
    model = fitted(name, X, y)
    new, _ = rows(holes, 60, seed=1)
    new.loc[0, "kind"] = "never seen"
    said = margins(name, model, new)
    for data, how, most in ((X, "tree_path_dependent", 1e-8), (X[:50], "interventional", 2e-6)):
        shap = tn.TreeShap(model, data, feature_perturbation=how)  # the latter sums in single precision
        values = shap.shap_values(new)
        assert values.shape == (60, 4, *said.shape[1:])
        found = values.sum(axis=1) + shap.expected_value
        if name == "three classes":
            found = found - found.mean(axis=1, keepdims=True)
        assert np.abs(found - said).max() < most
        assert np.abs(values).max() > 0.01
        if how == "interventional":
            wanted = margins(name, model, X[:50]).mean(axis=0)
            base = np.asarray(shap.expected_value)
            assert base - (base.mean() if name == "three classes" else 0) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("name", LEARNERS)
def test_without_data_the_values_are_those_of_the_shap_package(name, holes):
    X, y = rows(holes, 200)
    model = fitted(name, X, y)
    new, _ = rows(holes, 20, seed=1)
    new.loc[0, "kind"] = "never seen"
    shap = tn.TreeShap(model)
    theirs = shap.explainer.shap_values(shap.encode(new), check_additivity=False)
    assert shap.shap_values(new) == pytest.approx(np.asarray(theirs), abs=1e-10)
    assert np.ravel(shap.expected_value) == pytest.approx(np.ravel(shap.explainer.expected_value), abs=1e-10)


@pytest.mark.parametrize(
    "learner", [tn.RandomForestRegressor(n_estimators=5, bootstrap=False), tn.GradientBoostingRegressor(n_estimators=5)]
)
def test_the_expected_value_is_the_mean_over_the_training_rows(learner):
    """Where every tree has seen all rows: along the ways they go."""
    X, y = rows(True, 200)
    model = clone(learner).fit(X, y)
    assert tn.TreeShap(model).expected_value == pytest.approx(model.predict(X).mean(), abs=1e-9)


def test_a_row_drawn_twice_counts_twice():
    """The shares of a forest's nodes are those of the rows that its trees drew, by weight."""
    X, y = rows(False, 200)
    weight = np.random.default_rng(0).integers(1, 4, 200)
    model = tn.RandomForestRegressor(n_estimators=3, bootstrap=False).fit(X, y, sample_weight=weight)
    assert tn.TreeShap(model).expected_value == pytest.approx(np.average(model.predict(X), weights=weight), abs=1e-9)


def test_few_rows_at_a_time_or_many_are_explained_alike(monkeypatch):
    X, y = rows(True, 100)
    shap = tn.TreeShap(fitted("forest", X, y))
    values = shap.shap_values(X)
    monkeypatch.setattr("tenfold.inspection.shapley.shapley.MIN_ROWS_PER_BLOCK", 7)
    monkeypatch.setattr("tenfold.inspection.shapley.shapley.CELLS_PER_BLOCK", 1)
    assert shap.shap_values(X).tobytes() == values.tobytes()


def test_a_tree_that_is_a_leaf_adds_nothing():
    shap = tn.TreeShap(tn.DecisionTreeRegressor().fit(np.zeros((5, 2)), np.arange(5.0)))
    assert shap.shap_values(np.ones((3, 2))).tolist() == [[0.0, 0.0]] * 3
    assert shap.expected_value == 2.0


# ---- brute force ----------------------------------------------------------------------------------


def shapley(game, p):
    """By the definition: game(S) for every set of columns."""
    worth = {S: game(S) for k in range(p + 1) for S in combinations(range(p), k)}
    out = []
    for j in range(p):
        others = [S for S in worth if j not in S]
        out.append(sum((worth[tuple(sorted((*S, j)))] - worth[S]) / (p * comb(p - 1, len(S))) for S in others))
    return np.array(out)


def by_paths(tree, value, ended, x, levels):
    """The game of a tree whose unknown columns follow the rows: of our own nodes, before any are split in two."""

    def cover(k):
        inner = tree.feature[k] >= 0
        below = sum(cover(tree.first_child[k] + c) for c in range(tree.children[k])) if inner else 0.0
        return below + (ended[k] if not inner or (tree.route_at[k] >= 0 and stops(k)) else 0.0)

    def stops(k):
        return (tree.route[tree.route_at[k] : tree.route_at[k] + tree.route_width[k]] < 0).any()

    def down(k, S):
        j = tree.feature[k]
        if j < 0:
            return value[k]
        children = [int(tree.first_child[k]) + c for c in range(tree.children[k])]
        if j not in S:
            parts = [(cover(c), down(c, S)) for c in children]
            if tree.route_at[k] >= 0 and stops(k):
                parts.append((ended[k], value[k]))
            return sum(w * v for w, v in parts) / sum(w for w, _ in parts)
        if tree.route_at[k] < 0:
            left = tree.missing_left[k] if np.isnan(x[j]) else x[j] <= tree.threshold[k]
            return down(children[0 if left else 1], S)
        code = int(x[j]) if 0 <= x[j] < levels[j] else levels[j]
        branch = tree.route[tree.route_at[k] + code]
        return value[k] if branch < 0 else down(children[branch], S)

    return lambda S: down(0, S)


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("name", ["tree", "classes", "many branches"])
def test_the_values_of_brute_force_along_the_ways(name, holes):
    X, y = rows(holes, 200)
    model = fitted(name, X, y)
    state, new = model.model_, rows(holes, 12, seed=1)[0]
    shap = tn.TreeShap(model)
    if hasattr(model, "classes_"):
        weight = state.value.sum(axis=1)
        value = state.value / weight[:, None]
    else:
        weight, value = state.value[:, 1], state.value[:, :1]
    ended = np.where(state.tree.feature < 0, weight, EMPTY_LEAF_ROWS)
    values = shap.shap_values(new).reshape(12, 4, -1)
    for i, x in enumerate(shap.encode(new)):
        game = by_paths(state.tree, value, ended, x, state.ranges.levels)
        assert values[i] == pytest.approx(shapley(game, 4), abs=1e-8)
    assert state.tree.node_count > 15


@pytest.mark.parametrize("name", ["tree", "forest", "boosted", "three classes"])
def test_the_values_of_brute_force_over_rows(name):
    """Unknown columns from rows of data: the model itself plays the game."""
    X, y = rows(True, 200)
    model = fitted(name, X, y)
    data, new = X[:15], rows(True, 5, seed=1)[0]
    shap = tn.TreeShap(model, data)
    values = shap.shap_values(new).reshape(5, 4, -1)

    def said(frame):
        if name == "three classes":
            return model._apply(lambda _, boosted, columns: boosted.margins(columns), frame, list)
        return model.predict(frame)[:, None]

    for i in range(5):

        def game(S, i=i):
            mixed = data.copy()
            for j in S:
                mixed[X.columns[j]] = new.iloc[i, j]
            return said(mixed).mean(axis=0)

        assert values[i] == pytest.approx(shapley(game, 4), abs=2e-6)


# ---- conversion -----------------------------------------------------------------------------------


def walk(table, x):
    """A row down a table of nodes, as shap goes."""
    k = 0
    while table["children_left"][k] >= 0:
        j = table["features"][k]
        if np.isnan(x[j]):
            k = table["children_default"][k]
        else:
            k = table["children_left" if x[j] <= table["thresholds"][k] else "children_right"][k]
    return table["values"][k]


@pytest.mark.parametrize("holes", [False, True])
@pytest.mark.parametrize("name", ["tree", "classes", "many branches", "forest"])
def test_every_row_ends_in_the_same_value(name, holes):
    X, y = rows(holes)
    model = fitted(name, X, y)
    new = rows(True, 80, seed=2)[0]
    new.loc[3, "kind"] = "never seen"
    codes = tn.TreeShap(model, X).encode(new)
    state = model.model_
    tree = state.trees if name == "forest" else state.tree
    roots = state.roots if name == "forest" else np.zeros(1, int)
    value = np.arange(tree.node_count, dtype=float)[:, None]
    for root, stop in zip(roots, np.append(roots[1:], tree.node_count), strict=True):
        table = binary_tree(tree, int(root), int(stop), value, np.ones(tree.node_count))
        nodes = tree.apply(Columns(codes, missing=True), int(root))
        assert [walk(table, x)[0] for x in codes] == nodes.tolist()
        inner = table["children_left"] >= 0
        below = table["node_sample_weight"][table["children_left"][inner]]
        below = below + table["node_sample_weight"][table["children_right"][inner]]
        assert table["node_sample_weight"][inner] == pytest.approx(below)
    assert (tree.route_at >= 0).any()


def test_an_explanation_shows_categories():
    X, y = rows(True)
    shap = tn.TreeShap(fitted("tree", X, y))
    found = shap(X[:20])
    assert found.feature_names == ["a", "kind", "b", "c"]
    assert found.values.tobytes() == shap.shap_values(X[:20]).tobytes()
    assert found.base_values.tolist() == [shap.expected_value] * 20
    assert [*found.display_data[:, 1]] == [None if pd.isna(one) else one for one in X["kind"][:20]]


# ---- words ----------------------------------------------------------------------------------------


def test_rows_in_parts_are_refused():
    X, y = rows(True)
    label = np.digitize(y, [0, 2])
    model = tn.C45().fit(X, label)
    shap = tn.TreeShap(model)
    with pytest.raises(ValueError, match=r"row 0 goes down the tree in parts .*Remedy: leave it out"):
        shap.shap_values(X)
    full, _ = rows(False)
    some = full[model.model_.tree.feature[model.model_.tree.apply(_codes(model, full))] < 0]
    found = shap.shap_values(some).sum(axis=1) + shap.expected_value
    assert found == pytest.approx(model.predict_proba(some), abs=1e-8)
    with pytest.raises(ValueError, match="Remedy: feature_perturbation='tree_path_dependent'"):
        tn.TreeShap(model, some)


def _codes(model, X):
    return Columns(model._apply(lambda _, state, columns: columns.take(np.arange(len(columns))), X, list), missing=True)


def test_what_is_refused(monkeypatch):
    X, y = rows(False)
    with pytest.raises(TypeError, match="Ridge is not a tree"):
        tn.TreeShap(tn.Ridge().fit(X, y))
    with pytest.raises(ValueError, match=r"needs rows. Remedy: TreeShap\(model, data\)"):
        tn.TreeShap(fitted("tree", X, y), feature_perturbation="interventional")
    with pytest.raises(ValueError, match="not fitted yet"):
        tn.TreeShap(tn.DecisionTreeRegressor())
    with pytest.raises(TypeError, match="takes arrays and frames"):
        tn.TreeShap(fitted("tree", X, y)).shap_values(tn.scan(X))
    real = builtins.__import__

    def without(name, *given, **named):
        if name == "shap":
            raise ImportError(name)
        return real(name, *given, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    assert tn.TreeShap(fitted("tree", X, y)).shap_values(X[:3]).shape == (3, 4)
    with pytest.raises(ImportError, match=r"pip install 'tenfold\[shap\]'"):
        tn.TreeShap(fitted("tree", X, y), X)


def test_a_tree_that_would_be_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("tenfold.inspection.shapley.tree_shap.MAX_NODES", 5)
    with pytest.raises(tn.DataError, match="more than 5 nodes"):
        _ = tn.TreeShap(fitted("tree", *rows(False))).trees
