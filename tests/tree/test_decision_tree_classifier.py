"""Classification trees beside scikit-learn's, where ties cannot tell them apart; parameters; files that lie."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier as Peer

from tenfold import CART, DecisionTreeClassifier, ModelFileError, load
from tenfold.core.axes import freeze


def rows(seed, n=700):
    """Numbers with few distinct values, so that bins lose nothing, and weights that make ties unlikely."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 40, (n, 5)).astype(float)
    y = np.digitize(X[:, 0] + 10 * (X[:, 1] > X[:, 2]) + 12 * random.standard_normal(n), [15, 30])
    return X, y, 0.5 + random.random(n)


@pytest.mark.parametrize("method", ["histogram", "exact"])
@pytest.mark.parametrize(
    "params",
    [
        {"max_depth": 5},
        {"criterion": "entropy", "min_samples_leaf": 30},
        {"min_samples_split": 30, "class_weight": "balanced"},
        {"class_weight": {0: 1.0, 1: 8.0, 2: 2.0}, "max_depth": 6},
        {"min_weight_fraction_leaf": 0.03},
        {"min_impurity_decrease": 0.004},
        {"max_leaf_nodes": 17},
    ],
    ids=str,
)
def test_scikit_learns_tree(params, method):
    X, y, w = rows(0, n=2000)
    params = {"min_samples_leaf": 20, **params}  # in small nodes many splits are as good as each other
    theirs = params
    if params.get("class_weight") == "balanced":  # theirs counts rows, not weights
        theirs = {**params, "class_weight": dict(enumerate(w.sum() / (3 * np.bincount(y, weights=w))))}
    ours = DecisionTreeClassifier(**params, method=method).fit(X, y, sample_weight=w)
    peers = [Peer(**theirs, random_state=s).fit(X, y, sample_weight=w) for s in range(4)]  # which settles ties
    found = ours.predict_proba(X)
    same = [p for p in peers if np.allclose(p.predict_proba(X), found, rtol=0, atol=1e-5)]
    assert same
    assert len(ours.tree_.leaves) == same[0].get_n_leaves()
    assert ours.tree_.max_depth == same[0].get_depth()


def test_a_full_tree_errs_only_where_rows_contradict():
    X, y, _ = rows(1)
    X = X[:, :2] // 8
    model = DecisionTreeClassifier().fit(X, y)
    table = pd.DataFrame(X).assign(y=y).groupby([0, 1])["y"].agg(lambda c: c.value_counts().max())
    assert model.score(X, y) == pytest.approx(table.sum() / len(y))
    assert model.certificate_["training error"].value == pytest.approx(1 - table.sum() / len(y))


def test_sets_of_categories_are_the_best_for_two_classes():
    """Breiman: in the order of the share of a class, the best of all sets is a prefix."""
    random = np.random.default_rng(2)
    c, y = random.integers(0, 8, 400), random.integers(0, 2, 400)
    model = CART(max_depth=1).fit(pd.DataFrame({"c": pd.Series(list("abcdefgh"))[c].to_numpy()}), y)
    gini = lambda y: len(y) * (1 - (np.bincount(y) ** 2).sum() / len(y) ** 2)  # noqa: E731
    best = max(
        gini(y) - gini(y[(s >> c) & 1 == 1]) - gini(y[(s >> c) & 1 == 0])
        for s in range(1, 255)
        if 0 < ((s >> c) & 1).sum() < len(y)
    )
    assert model.tree_.gain[0] == pytest.approx(best, abs=1e-9)


def test_columns_are_drawn_by_node():
    X, y, _ = rows(3)
    trees = [DecisionTreeClassifier(max_features="sqrt", random_state=s).fit(X, y).tree_ for s in (0, 0, 1)]
    assert np.array_equal(trees[0].feature, trees[1].feature)
    assert not np.array_equal(trees[0].feature[:20], trees[2].feature[:20])
    assert len(set(trees[0].feature.tolist())) == 6


def test_class_weights_must_make_sense():
    with pytest.raises(ValueError, match="class_weight"):
        DecisionTreeClassifier(class_weight={0: -1.0}).fit([[0.0], [1.0]], [0, 1])


LIES = {
    "a circle": lambda t: t._replace(first_child=np.zeros_like(t.first_child)),
    "a child beyond the end": lambda t: t._replace(first_child=np.where(t.feature >= 0, t.node_count - 1, 0)),
    "a column that is not there": lambda t: t._replace(feature=np.where(t.feature >= 0, 99, -1)),
    "a branch that is not there": lambda t: t._replace(route=t.route + 7),
    "routes beyond the end": lambda t: t._replace(route_at=np.where(t.route_at >= 0, t.route_at + 10**6, -1)),
    "routes that are too short": lambda t: t._replace(route_width=np.minimum(t.route_width, 1)),
    "a threshold for categories": lambda t: t._replace(route_at=np.full_like(t.route_at, -1)),
    "no threshold": lambda t: t._replace(threshold=np.full_like(t.threshold, np.nan)),
    "a turn of two": lambda t: t._replace(missing_left=t.missing_left + 2),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_file_with_a_tree_that_cannot_be_gone_down_is_refused(lie, tmp_path):
    random = np.random.default_rng(4)
    X = pd.DataFrame({"a": random.standard_normal(200), "c": list("uvwxy") * 40})
    y = (X["a"] > 0) ^ X["c"].isin(["u", "x"])
    model = DecisionTreeClassifier(max_depth=4).fit(X, y)
    model.save(tmp_path / "good.tenfold")
    assert np.array_equal(load(tmp_path / "good.tenfold").predict(X), model.predict(X))
    assert model.is_valid(model.model_, model.summary_, model.schema_)
    model.model_ = freeze(model.model_._replace(tree=LIES[lie](model.model_.tree)))
    with pytest.raises(ModelFileError):
        model.save(tmp_path / "bad.tenfold")  # it reads what it writes
