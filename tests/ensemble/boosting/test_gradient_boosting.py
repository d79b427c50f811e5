"""Gradient boosting: the same trees in every mode, against scikit-learn, and against what each loss is minimized by."""

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss, mean_pinball_loss, mean_poisson_deviance
from threadpoolctl import threadpool_limits

import tenfold as tn
from tenfold.core import driver_threads
from tenfold.core.axes import freeze
from tenfold.ensemble.boosting import gradients, leaf_quantiles
from tenfold.ensemble.boosting.hist_gradient_boosting_classifier import HistGradientBoostingClassifier
from tenfold.ensemble.boosting.hist_gradient_boosting_regressor import HistGradientBoostingRegressor
from tenfold.sources import part_rows
from tenfold.testing import bits
from tenfold.tree.growing import best_first, grower, levelwise
from tiers import only_full

N = 3000


def mixed(seed):
    random = np.random.default_rng(seed)
    X = random.standard_normal((N, 3))
    X[random.random((N, 3)) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["short"] = np.array(list("uvwxyz"))[random.integers(0, 6, N)]
    frame["long"] = [f"k{i}" for i in random.integers(0, 300, N)]
    z = np.nan_to_num(X[:, 0] * X[:, 1]) + frame["short"].isin(["u", "x"]) + 0.5 * random.standard_normal(N)
    return frame, z.to_numpy(), random.random(N)


def classes(z, k):
    return np.digitize(z, np.quantile(z, np.linspace(0, 1, k + 1)[1:-1]))


MODELS = {
    "two classes": (HistGradientBoostingClassifier(max_iter=4), lambda z: classes(z, 2)),
    "three classes": (
        HistGradientBoostingClassifier(max_iter=2, max_leaf_nodes=9, subsample=0.7),
        lambda z: classes(z, 3),
    ),
    "held back": (
        HistGradientBoostingClassifier(max_iter=4, early_stopping=True, subsample=0.5),
        lambda z: classes(z, 2),
    ),
    "squared": (HistGradientBoostingRegressor(max_iter=3, l2_regularization=1.0), lambda z: z),
    "absolute": (HistGradientBoostingRegressor("absolute_error", max_iter=3), lambda z: 1e6 + z),
    "quantile": (
        HistGradientBoostingRegressor("quantile", quantile=0.9, max_iter=3, subsample=0.5, early_stopping=True),
        lambda z: z,
    ),
    "poisson": (HistGradientBoostingRegressor("poisson", max_iter=3, max_depth=3), lambda z: np.floor(np.exp(z))),
    "monotone": (
        HistGradientBoostingRegressor("absolute_error", max_iter=3, monotonic_cst={"a": 1, "b": -1}),
        lambda z: z,
    ),
}


@pytest.mark.parametrize(
    ("name", "weighted", "many"),
    [
        *only_full(*((name, False, gradients.MIN_ROWS_TO_PACK) for name in MODELS)),
        *((name, True, gradients.MIN_ROWS_TO_PACK) for name in MODELS),
        ("two classes", False, 1),
        ("three classes", False, 1),
        ("held back", False, 1),
    ],
)
def test_the_same_trees_however_they_are_grown(monkeypatch, name, weighted, many):
    frame, z, weight = mixed(0)
    monkeypatch.setattr(gradients, "MIN_ROWS_TO_PACK", many)
    monkeypatch.setattr(best_first, "MIN_CELLS_TO_SHARE", 0)  # threads share what is so small too
    monkeypatch.setattr(driver_threads, "MIN_ROWS_PER_THREAD", 1)
    model, target = MODELS[name]
    found, turns = set(), set()
    for gather, memory, threads, rows in (
        (1 << 27, 1, 1, 10_000),
        (1 << 27, 1, 3, 500),
        (0, 1 << 26, 2, 700),
        (0, 1, 1, 700),
    ):
        monkeypatch.setattr(grower, "MAX_GATHERED_BYTES", gather)
        monkeypatch.setattr(levelwise, "HISTOGRAM_BYTES_PER_SCAN", memory)
        with part_rows(700 if model.draws_rows else rows), tn.on(tn.Local(threads=threads)):
            model.fit(frame, target(z), sample_weight=weight if weighted else None)
        state = model.model_
        found.add(
            (
                *(bits(x) for x in (state.trees, model.summary_)),
                *(x.tobytes() for x in (state.value, state.base, state.train_score, state.validation_score)),
            )
        )
        turns.add(model.certificate_.provenance.passes)
    assert len(turns) == 3, "all ways took the same number of reduces: were they the same way?"
    assert len(found) == 1
    assert model.n_iter_ == model.max_iter
    assert len(state.train_score) == model.max_iter + 1
    assert (np.diff(state.train_score) < 0).all()
    held = model.early_stopping is True
    assert np.isfinite(state.validation_score).all() == held
    assert len(model.train_score_) == len(model.validation_score_) == (model.max_iter + 1 if held else 0)


def smooth(seed, n=4000):
    random = np.random.default_rng(seed)
    X = random.random((n, 4))
    return X, np.sin(6 * X[:, 0]) + X[:, 1] * X[:, 2], random


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson", "quantile"])
def test_as_good_as_the_peer(loss):
    X, f, random = smooth(1)
    given = {"loss": loss, "quantile": 0.8 if loss == "quantile" else None, "max_iter": 60}
    y = random.poisson(np.exp(f)).astype(float) if loss == "poisson" else f + random.standard_t(3, len(X)) * 0.3
    train, test = slice(0, 3000), slice(3000, None)
    ours = HistGradientBoostingRegressor(**given).fit(X[train], y[train]).predict(X[test])
    with threadpool_limits(1):  # its threads wait for each other, long on a machine that is busy
        theirs = (
            ensemble.HistGradientBoostingRegressor(**given, early_stopping=False)
            .fit(X[train], y[train])
            .predict(X[test])
        )
    score = {
        "poisson": mean_poisson_deviance,
        "squared_error": lambda y, p: np.mean((y - p) ** 2),
    }.get(loss, lambda y, p: mean_pinball_loss(y, p, alpha=given["quantile"] or 0.5))
    assert score(y[test], ours) < 1.03 * score(y[test], theirs)


@pytest.mark.full
@pytest.mark.parametrize("k", [2, 4])
def test_as_good_as_the_peer_on_classes(k):
    X, y = make_classification(4000, 10, n_informative=6, n_classes=k, random_state=0)
    train, test = slice(0, 3000), slice(3000, None)
    ours = HistGradientBoostingClassifier(max_iter=40).fit(X[train], y[train])
    with threadpool_limits(1):
        theirs = ensemble.HistGradientBoostingClassifier(max_iter=40, early_stopping=False).fit(X[train], y[train])
    mine, peer = (log_loss(y[test], m.predict_proba(X[test])) for m in (ours, theirs))
    assert mine < 1.03 * peer
    loss = ours.model_.train_score[-1]
    assert loss == pytest.approx(log_loss(y[train], ours.predict_proba(X[train])), rel=1e-6)
    assert ours.certificate_["training loss"].value == pytest.approx(loss, rel=1e-12)


@pytest.mark.parametrize("name", ["two classes", "three classes", "squared", "absolute"])
def test_the_same_trees_with_less_memory(monkeypatch, name):
    """Trees that may have so many leaves that not each can have a histogram."""
    frame, z, _ = mixed(1)
    model, target = MODELS[name]
    model = clone(model).set_params(max_leaf_nodes=None, min_samples_leaf=3)
    found = []
    for memory in (best_first.MAX_HISTOGRAM_BYTES, 0):
        monkeypatch.setattr(best_first, "MAX_HISTOGRAM_BYTES", memory)
        state = model.fit(frame, target(z)).model_
        found.append((bits(state.trees), state.value.tobytes(), state.train_score.tobytes()))
    assert found[0] == found[1]
    assert state.trees.node_count > 500


def test_short_slopes_are_as_good(monkeypatch):
    """Many rows, of two classes: g and h have 12 bits each, and it costs nothing that can be seen."""
    X, y = make_classification(12_000, 10, n_informative=6, random_state=1)
    found = []
    for many in (gradients.MIN_ROWS_TO_PACK, 1):
        monkeypatch.setattr(gradients, "MIN_ROWS_TO_PACK", many)
        found.append(HistGradientBoostingClassifier(max_iter=40).fit(X[:8000], y[:8000]).predict_proba(X[8000:]))
    fine, short = (-np.log(q[np.arange(4000), y[8000:]]) for q in found)
    assert not np.array_equal(*found)
    assert abs(np.mean(short - fine)) < 3 * np.std(short - fine) / np.sqrt(4000)
    assert np.mean(short) == pytest.approx(np.mean(fine), rel=0.02)


@pytest.mark.parametrize("given", [{}, {"max_depth": 3}, {"min_samples_leaf": 1}, {"max_leaf_nodes": 2}])
def test_no_limit_on_leaves(given):
    """As many as the rows allow, and no more room is asked for than they need."""
    X, y = make_classification(900, 6, random_state=0)
    model = HistGradientBoostingClassifier(**{"max_iter": 2, "max_leaf_nodes": None, **given}).fit(X, y)
    leaves = np.add.reduceat(model.model_.trees.feature < 0, model.model_.roots)
    most = min(900 // model.min_samples_leaf, 2 ** (model.max_depth or 30), model.max_leaf_nodes or 900)
    assert (leaves <= most).all()
    assert (leaves > min(most // 4, 60)).all()


@pytest.mark.parametrize("gather", [grower.MAX_GATHERED_BYTES, 0])
def test_weights_too_small_to_be_counted(monkeypatch, gather):
    """All rows of a category may weigh next to nothing: they go somewhere, and change but the number of rows."""
    monkeypatch.setattr(grower, "MAX_GATHERED_BYTES", gather)
    random = np.random.default_rng(0)
    kind, x = random.choice(list("abcd"), 400), random.standard_normal(400)
    frame, y = pd.DataFrame({"kind": kind, "x": x}), (kind == "a") * 2.0 + (kind == "b") + x
    there = kind != "d"
    weight = np.where(there, random.uniform(0.5, 1.5, 400), 1e-18)
    model = HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=1).fit(frame, y, weight)
    assert np.isfinite(model.predict(frame)).all()
    other = HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=1).fit(frame[there], y[there], weight[there])
    assert model.predict(frame[there]) == pytest.approx(other.predict(frame[there]), abs=1e-9)


@pytest.mark.parametrize("cut", [best_first.MAX_HISTOGRAM_BYTES, 0])
@pytest.mark.parametrize("loss", ["log_loss", "squared_error", "absolute_error", "poisson"])
def test_rows_of_one_target_are_not_split(monkeypatch, loss, cut):
    """Whatever their weights are: slopes times weights are rounded, and what that leaves is no gain."""
    monkeypatch.setattr(best_first, "MAX_HISTOGRAM_BYTES", cut)
    random = np.random.default_rng(0)
    X, weight = random.integers(0, 40, (300, 3)), random.random(300) + 0.1
    y = 1 + (X[:, 0] > 34)
    if loss == "log_loss":
        model = HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=1)
    else:
        model = HistGradientBoostingRegressor(loss=loss, max_iter=1, min_samples_leaf=1)
    for sample_weight in (weight, 700 * np.ceil(9 * weight)):
        assert model.fit(X, y, sample_weight=sample_weight).model_.trees.feature.tolist() == [0, -1, -1]


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_targets_far_from_zero(loss):
    """Only how far they are from each other matters."""
    X = np.random.default_rng(0).standard_normal((500, 2))
    y = np.rint(X[:, 0] * 64) / 64
    near, far = (HistGradientBoostingRegressor(loss=loss, max_iter=10).fit(X, y + c).predict(X) - c for c in (0.0, 1e9))
    assert far == pytest.approx(near, abs=1e-5)


def test_targets_that_are_too_large():
    X = np.arange(60.0)[:, None]
    with pytest.raises(tn.DataError, match="too large"):
        HistGradientBoostingRegressor().fit(X, X[:, 0] * 1e160)


def test_the_loss_of_a_model_that_is_far_out():
    """Rounds that are too bold for a long tail: the loss is huge, and does not come round to the other end."""
    X = np.random.default_rng(0).standard_normal((500, 3))
    model = HistGradientBoostingRegressor(loss="poisson", max_iter=50, learning_rate=1.0).fit(X, np.exp(8 * X[:, 0]))
    assert model.model_.train_score[-1] > 1e15


def test_one_class():
    X = np.arange(60.0)[:, None]
    model = HistGradientBoostingClassifier(max_iter=2).fit(X, np.full(60, "only"))
    assert model.predict_proba(X).tolist() == [[1.0]] * 60
    assert set(model.predict(X)) == {"only"}
    assert [p.shape for p in model.staged_predict_proba(X)] == [(60, 1)] * 2


def test_one_tree_by_hand():
    """One split, where it lowers the squared error most; means as leaves, times the rate."""
    X, y = np.arange(8.0)[:, None], np.array([1.0, 1, 1, 1, 5, 5, 5, 9])
    model = HistGradientBoostingRegressor(max_iter=1, max_leaf_nodes=2, min_samples_leaf=1, learning_rate=0.5).fit(X, y)
    assert model.model_.trees.threshold[0] == 3.5
    assert model.predict([[0.0], [7.0]]) == pytest.approx([3.5 + 0.5 * (1 - 3.5), 3.5 + 0.5 * (6 - 3.5)], abs=1e-9)
    median = HistGradientBoostingRegressor(
        "absolute_error", max_iter=1, max_leaf_nodes=2, min_samples_leaf=1, learning_rate=0.5
    ).fit(X, y)
    assert median.model_.base[0] == 1.0  # the least of the medians
    assert median.predict([[0.0], [7.0]]).tolist() == [1.0, 1.0 + 0.5 * (5 - 1)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_leaves_say_quantiles(level, weighted):
    """The leaf of a round is the quantile of the residuals of its rows, found by sorting."""
    X, f, random = smooth(2, 1500)
    y = 1e4 * (f + random.standard_normal(len(X)))
    weight = random.integers(1, 4, len(X)) if weighted else np.ones(len(X), int)
    model = HistGradientBoostingRegressor("quantile", quantile=level, max_iter=2, learning_rate=1.0).fit(
        X, y, sample_weight=weight
    )
    first, last = list(model.staged_predict(X))
    step, residual = last - first, y - first
    for value in np.unique(step.round(6)):
        rows = np.flatnonzero(step.round(6) == value)
        copies = np.sort(np.repeat(residual[rows], weight[rows]))
        want = copies[int(np.ceil(level * len(copies) - 1e-9)) - 1]
        assert step[rows[0]] == pytest.approx(want, rel=1e-6, abs=1e-6)


def test_keys_keep_the_order():
    random = np.random.default_rng(0)
    x = np.concatenate([[0.0, -0.0, 1e-300, -1e-300, 5.0, -5.0], random.standard_normal(1000) * 1e3])
    for kind in (np.float32, np.float64):
        key = leaf_quantiles.keys(x, kind)
        back = leaf_quantiles.values(key, kind)
        assert np.array_equal(back, x.astype(kind).astype(float))
        order = np.argsort(key, kind="stable")
        assert (np.diff(back[order]) >= 0).all()


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson"])
def test_monotone_columns(loss):
    X, f, random = smooth(3, 2000)
    y = np.exp(f + 0.5 * random.standard_normal(len(X)))
    model = HistGradientBoostingRegressor(loss, max_iter=30, monotonic_cst=[0, 1, 0, -1]).fit(X, y)
    rows = np.repeat(X[:200], 30, axis=0)
    for column, way in ((1, 1), (3, -1)):
        grid = rows.copy()
        grid[:, column] = np.tile(np.linspace(0, 1, 30), 200)
        steps = np.diff(model.predict(grid).reshape(200, 30), axis=1)
        assert (way * steps >= 0).all()
    free = HistGradientBoostingRegressor(loss, max_iter=30).fit(X, y)
    grid[:, 3] = np.tile(np.linspace(0, 1, 30), 200)
    assert (np.diff(free.predict(grid).reshape(200, 30), axis=1) > 0).any()


def test_early_stopping_and_stages():
    X, f, random = smooth(4, 2000)
    y = (f + random.standard_normal(len(X)) > 0.5).astype(int)
    model = HistGradientBoostingClassifier(max_iter=200, early_stopping=True, n_iter_no_change=5, tol=1e-4).fit(X, y)
    assert 5 < model.n_iter_ < 200
    assert len(model.validation_score_) == model.n_iter_ + 1
    best = model.validation_score_[:-5].max()
    assert model.validation_score_[-5:].max() < best + 1e-4
    claim = model.certificate_["validation loss"]
    assert claim.value == pytest.approx(-model.validation_score_[-1], rel=1e-12)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == model.n_iter_
    assert np.allclose(stages[-1], model.predict_proba(X), rtol=0, atol=1e-12)
    assert np.array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    margins = list(model.staged_decision_function(X))
    assert len(margins) == model.n_iter_
    assert np.allclose(margins[-1], model.decision_function(X), rtol=0, atol=1e-12)
    assert np.allclose(1 / (1 + np.exp(-margins[2])), stages[2][:, 1], rtol=0, atol=1e-12)


def test_errors():
    X, y = np.random.default_rng(0).random((50, 2)), np.arange(50.0)
    with pytest.raises(ValueError, match="Remedy: both, or neither"):
        HistGradientBoostingRegressor("quantile").fit(X, y)
    with pytest.raises(ValueError, match="another loss"):
        HistGradientBoostingRegressor("poisson").fit(X, y - 10)
    with pytest.raises(ValueError, match="2 entries"):
        HistGradientBoostingRegressor(monotonic_cst=[1]).fit(X, y)
    with pytest.raises(ValueError, match="two classes"):
        HistGradientBoostingClassifier(monotonic_cst=[1, 0]).fit(X, y % 3)
    frame = pd.DataFrame({"a": list("ab") * 25, "b": y})
    with pytest.raises(ValueError, match="'a' is categorical"):
        HistGradientBoostingRegressor(monotonic_cst={"a": 1}).fit(frame, y)


def test_file(tmp_path):
    frame, z, _ = mixed(5)
    model = HistGradientBoostingRegressor("absolute_error", max_iter=3).fit(frame, z)
    model.save(tmp_path / "m.tenfold")
    again = tn.load(tmp_path / "m.tenfold")
    assert np.array_equal(again.predict(frame), model.predict(frame))
    again.verify()
    state = model.model_
    first = state.trees.first_child.copy()
    first[0] = 0
    for broken in (
        state._replace(roots=state.roots + 10_000),
        state._replace(trees=state.trees._replace(first_child=first)),
        state._replace(value=state.value * np.nan),
    ):
        model.model_ = freeze(broken)
        with pytest.raises(tn.ModelFileError):
            model.save(tmp_path / "bad.tenfold")  # it reads what it writes


def test_what_never_was_missing_goes_to_one_side_however_trees_grow(monkeypatch):
    """To the heavier one, by curvature and not by rows: in one place and level by level."""
    random = np.random.default_rng(3)
    X, weight = random.standard_normal((400, 2)), random.integers(1, 9, 400).astype(float)
    label = X[:, 0] + 0.5 * random.standard_normal(400) > 1.0
    weight[label] *= 6
    asked = [[np.nan, 0.0], [0.0, np.nan], [np.nan, np.nan]]
    found = []
    for gather in (grower.MAX_GATHERED_BYTES, 0):
        monkeypatch.setattr(grower, "MAX_GATHERED_BYTES", gather)
        found.append(
            HistGradientBoostingClassifier(max_iter=6, max_leaf_nodes=4).fit(X, label, weight).predict_proba(asked)
        )
    np.testing.assert_array_equal(*found)
