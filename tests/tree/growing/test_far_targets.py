"""A target far beyond all others costs the others nothing, and is predicted as it is."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble as se
import sklearn.tree as st
from sklearn.base import clone
from sklearn.metrics import r2_score

import tenfold as tn
from tenfold.core import Chunk, Columns
from tenfold.sources import part_rows
from tenfold.stats.trees.rare_rows import Strata
from tenfold.tree.growing.far_targets import FarRows, NearRange, drawn_in

POWERS = (9, 10, 12, 15, 30, 100)


def far(power, n=2000):
    """Rows whose target is a column and noise, but for one."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(n, 3))
    y = 3 * X[:, 0] + 0.1 * draw.normal(size=n)
    y[7] = 10.0**power
    return X, y, np.arange(n) != 7


@pytest.mark.parametrize("limits", [{}, {"max_depth": 6}, {"method": "exact"}, {"max_leaf_nodes": 60}])
@pytest.mark.parametrize("power", POWERS)
def test_a_tree_explains_the_other_rows_as_scikit_learn_does(power, limits):
    X, y, others = far(power)
    theirs = st.DecisionTreeRegressor(**{k: v for k, v in limits.items() if k != "method"}, random_state=0)
    ours = tn.DecisionTreeRegressor(**limits).fit(X, y)
    scores = [r2_score(y[others], model.predict(X[others])) for model in (ours, theirs.fit(X, y))]
    assert scores[0] >= scores[1] - 0.01
    assert ours.predict(X[7:8])[0] == pytest.approx(10.0**power, rel=1e-12)
    assert ours.tree_.value[0, 0, 0] == pytest.approx(y.mean(), rel=1e-12)


ENSEMBLES = [
    (tn.RandomForestRegressor(10), se.RandomForestRegressor(10, random_state=0)),
    (tn.BaggingRegressor(tn.DecisionTreeRegressor(), n_estimators=5), se.BaggingRegressor(n_estimators=5)),
]


@pytest.mark.parametrize(("ours", "theirs"), ENSEMBLES, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("power", POWERS)
def test_the_trees_of_an_ensemble_do_so_too(power, ours, theirs):
    """But for rows that a tree has not drawn and that are next to the far one: they get its target, in both."""
    X, y, others = far(power)
    scores = []
    for model in (ours, theirs):
        said = clone(model).fit(X, y).predict(X)
        apart = others & (np.abs(said) < 1e4)
        assert np.count_nonzero(others & ~apart) < 20
        scores.append(r2_score(y[apart], said[apart]))
    assert scores[0] >= scores[1] - 0.01


@pytest.mark.parametrize("power", POWERS)
def test_boosting_does_as_scikit_learn_does(power):
    """Squares of a far target are most of the loss: neither explains the others any more, once it is very far."""
    X, y, others = far(power)
    ours, theirs = tn.GradientBoostingRegressor(n_estimators=10), se.GradientBoostingRegressor(n_estimators=10)
    scores = [r2_score(y[others], model.fit(X, y).predict(X[others])) for model in (ours, theirs)]
    assert scores[0] >= scores[1] - 0.01 * max(1.0, abs(scores[1]))


@pytest.mark.parametrize(
    "model", [tn.DecisionTreeRegressor(), tn.RandomForestRegressor(5)], ids=lambda m: type(m).__name__
)
def test_the_row_of_a_far_target_may_miss_values(model):
    X, y, _ = far(9)
    X[7, :2] = np.nan
    X[::9, 2] = np.nan
    said = clone(model).fit(X, y).predict(X)
    assert said[7] > 1e8
    assert np.median(np.abs(said - y)) < 0.5


def test_far_targets_of_any_size_are_told_apart():
    X, y, _ = far(9)
    beyond = np.array([[7, 1e9], [8, 2e9], [9, 1e15], [10, -1e12], [11, -1e100]])
    which = beyond[:, 0].astype(int)
    y[which] = beyond[:, 1]
    model = tn.DecisionTreeRegressor().fit(X, y)
    np.testing.assert_allclose(model.predict(X[which]), beyond[:, 1], rtol=1e-9)
    others = np.setdiff1d(np.arange(2000), which)
    assert np.abs(model.predict(X) - y)[others].max() < 1e-3


@pytest.mark.parametrize(
    "learner",
    [
        tn.DecisionTreeRegressor(max_depth=4),
        tn.DecisionTreeRegressor(prune="reduced_error"),
        tn.RandomForestRegressor(2),
    ],
    ids=str,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_means_from_files(learner, weighted, tmp_path, monkeypatch):
    X, y, _ = far(20, 6000)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    weight = np.random.default_rng(1).random(6000) + 0.5 if weighted else np.ones(6000)
    frame.assign(y=y, w=weight).to_parquet(tmp_path / "rows.parquet", row_group_size=1500)
    with part_rows(1500):
        one = clone(learner).fit(frame, y, sample_weight=weight if weighted else None).predict(frame)
    monkeypatch.setattr("tenfold.tree.growing.grower.MAX_GATHERED_BYTES", 0)
    rows = tn.scan(tmp_path / "rows.parquet", target="y", weight="w", columns=["a", "b", "c"])
    np.testing.assert_array_equal(one, clone(learner).fit(rows).predict(frame))


def test_weighted_means_are_of_the_targets_as_they_are():
    X, y, _ = far(12)
    weight = np.random.default_rng(2).random(2000) + 0.5
    model = tn.DecisionTreeRegressor(max_depth=2).fit(X, y, sample_weight=weight)
    leaf = model.apply(X) == model.apply(X[7:8])[0]
    expected = np.average(y[leaf], weights=weight[leaf])
    assert model.predict(X[7:8])[0] == pytest.approx(expected, rel=1e-9)
    assert abs(model.predict(X[7:8])[0] - expected) <= model.certificate_["leaf error"].value


def test_the_certificate_claims_what_far_targets_counted_for():
    X, y, _ = far(15)
    for learner in (tn.DecisionTreeRegressor(), tn.RandomForestRegressor(2)):
        claim = learner.fit(X, y).certificate_["far targets"]
        assert 1e4 < claim.value < 1e6
        assert "at most 1 at each end" in claim.because
        y[7] = 1e4
        assert "far targets" not in str(learner.fit(X, y).certificate_)
        y[7] = 1e15


def strata(y):
    X = np.arange(len(y), dtype=float)[:, None]
    return Strata.of(Chunk(Columns(X), y, np.ones(len(y)), True, 0, 0), np.arange(len(y)) / len(y), 2)


def test_only_targets_far_beyond_all_others_are_set_aside():
    draw = np.random.default_rng(3)
    for y in (draw.normal(size=500), draw.standard_cauchy(500), np.exp(3 * draw.normal(size=500)), np.zeros(500)):
        assert NearRange.of(strata(y), 500, y.min(), y.max()).aside == 0
    y = draw.normal(size=500)
    y[[3, 4, 5]] = 1e9, 1e14, 2e14
    near = NearRange.of(strata(y), 500, y.min(), y.max())
    assert near.aside == 4
    assert near.high < 4
    found = FarRows.of(strata(y), near.center, near.limit(500))
    assert sorted(found.target.tolist()) == [1e9, 1e14, 2e14]
    assert sorted(found.row[:, 0].tolist()) == [3, 4, 5]


def test_targets_are_drawn_in_in_their_order():
    away = np.concatenate([-np.logspace(0, 150, 400)[::-1], np.logspace(0, 150, 400)])
    found = drawn_in(away, 1e5)
    assert (np.diff(found) > 0).all()
    assert np.abs(found).max() < 3e5
    np.testing.assert_array_equal(found[np.abs(away) <= 1e5], away[np.abs(away) <= 1e5])
