"""Forests that continue from a forest: the bits of one fit on the same rows, scikit-learn's `warm_start`, errors."""

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble
from sklearn.base import clone

import tenfold as tn
from tenfold.engine.executors.simulated import CALM, Simulated
from tenfold.ensemble.forest import random_forest
from tenfold.sources import part_rows
from tenfold.testing import bits

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(400, 3))
X[RANDOM.random(X.shape) < 0.05] = np.nan
Z = np.nan_to_num(X[:, 0] * X[:, 1]) + 0.3 * RANDOM.normal(size=400)
W = RANDOM.integers(1, 4, 400) / 2

MODELS = {
    "numbers": (tn.RandomForestRegressor(min_samples_leaf=3), Z),
    "far targets, a drawn seed": (tn.RandomForestRegressor(random_state=None), np.where(Z > 1.8, 1e6, Z)),
    "classes": (tn.RandomForestClassifier(), np.digitize(Z, [-0.3, 0.3])),
    "rare": (tn.RandomForestClassifier(max_bins=20), np.quantile(Z, 0.97) < Z),
    "balanced, best first": (tn.RandomForestClassifier(class_weight="balanced", max_leaf_nodes=9), Z > 0.5),
    "fewer rows, pruned": (tn.RandomForestClassifier(max_samples=0.5, ccp_alpha=1e-3), Z > 0),
    "all rows": (tn.RandomForestRegressor(bootstrap=False, max_features=1, max_depth=4), Z),
}


def trees(model, many, **more):
    """A copy with so many trees."""
    return clone(model).set_params(n_estimators=many, **more)


def made(model):
    """The bits of a forest and of its out-of-bag scores, however many fits it was made in."""
    return bits(model.model_.trees), model.value_.tobytes(), model.model_.cover.tobytes(), bits(model.summary_)


@pytest.mark.parametrize("gathered", [True, False])
@pytest.mark.parametrize("name", MODELS)
def test_trees_and_more_trees_are_those_of_one_fit(monkeypatch, name, gathered):
    monkeypatch.setattr(random_forest, "gathers", lambda setup: gathered)
    model, y = MODELS[name]
    first = trees(model, 3).fit(X, y, W)
    began, seed = bits(first.model_), first.certificate_.provenance.seed
    second = trees(model, 8).fit(X, y, W, start=first)
    assert made(second) == made(trees(model, 8, random_state=seed).fit(X, y, W))
    assert bits(first.model_) == began
    warm = trees(model, 3, warm_start=True, random_state=seed).fit(X, y, W)
    warm.set_params(n_estimators=8).fit(X, y, W)
    assert made(warm) == made(second)
    said = second.verify()["continued"]
    assert (said.value, said.because) == (3, "trees 1 to 3 learned from 400 rows, trees 4 to 8 learned from 400 rows")


def test_the_same_bits_in_memory_from_files_and_on_workers(tmp_path):
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Z > 0)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    rows = tn.scan(tmp_path / "rows.parquet", target="y")
    with part_rows(100):
        memory = tn.scan(frame, target="y")
    found = set()
    for source, runner in ((memory, tn.Local()), (rows, tn.Local()), (rows, Simulated(1, hazards=CALM))):
        with tn.on(runner):
            first = tn.RandomForestClassifier(2).fit(source)
            found.add(made(tn.RandomForestClassifier(5).fit(source, start=first)))
    assert len(found) == 1


def test_it_is_warm_start_of_scikit_learn():
    for where in (tn, ensemble):
        model = where.RandomForestRegressor(5, warm_start=True, random_state=0).fit(X, Z)
        kept = model.predict(X)
        model.set_params(n_estimators=10).fit(X, Z)
        assert len(model.estimators_) == 10
        np.testing.assert_allclose(np.mean([tree.predict(X) for tree in model.estimators_[:5]], axis=0), kept)
        with pytest.warns(UserWarning, match="without increasing n_estimators does not fit new trees"):
            model.fit(X, Z)
        assert len(model.estimators_) == 10
        with pytest.raises(ValueError, match=r"n_estimators=4 must be larger or equal to len\(estimators_\)=10 when"):
            model.set_params(n_estimators=4).fit(X, Z)


def test_other_rows_are_learned_by_the_new_trees_alone():
    for model, y in ((tn.RandomForestRegressor(), Z), (tn.RandomForestClassifier(), Z > 0)):
        first = trees(model, 20).fit(X, y)
        moved, label = np.nan_to_num(X[:150]) + 0.01, y[:150]
        second = trees(model, 45).fit(moved, label, start=first)
        alone = trees(model, 45).fit(moved, label)
        assert bits(second.estimators_[3].model_.tree) == bits(first.estimators_[3].model_.tree)
        for t in (20, 44):  # by the same draws as in a forest of these rows alone
            assert bits(second.estimators_[t].model_.tree) == bits(alone.estimators_[t].model_.tree)
        said = second.certificate_["continued"].because
        assert said == (
            "trees 1 to 20 learned from 400 rows, trees 21 to 45 learned from 150 rows; rows are predicted out of bag "
            "by the trees after the first 20"
        )
        third = trees(model, 60).fit(moved, label, start=second)
        drawn = random_forest.TreeDraws(0, 0, 60, True)
        sums, count = np.zeros(150), np.zeros(150)
        for t in range(20, 60):
            unseen = drawn.times(np.arange(150), t) == 0
            tree = third.estimators_[t]
            told = tree.predict(moved) if model.need.target == "number" else tree.predict_proba(moved)[:, 1]
            sums[unseen], count[unseen] = (sums + told)[unseen], (count + 1)[unseen]
        mean = sums / count
        by_hand = (
            1 - np.sum((mean - label) ** 2) / np.sum((label - label.mean()) ** 2)
            if model.need.target == "number"
            else np.mean((mean > 0.5) == label)
        )
        assert third.oob_score_ == pytest.approx(by_hand)


def test_a_forest_from_a_file_continues_and_an_interrupted_fit_resumes(tmp_path):
    for name in ("classes", "balanced, best first", "rare"):
        model, y = MODELS[name]
        trees(model, 2).fit(X, y).save(tmp_path / "forest")
        first = tn.load(tmp_path / "forest")
        expected = made(trees(model, 5).fit(X, y, start=first))
        for turn in range(2):
            folder = tmp_path / f"{name} {turn}"
            with pytest.MonkeyPatch.context() as patch:
                _cut_off(patch, turn + 1)
                with pytest.raises(KeyboardInterrupt):
                    trees(model, 5).fit(X, y, start=first, checkpoint=folder)
            assert list(folder.iterdir())
            assert made(trees(model, 5).fit(X, y, start=first, checkpoint=folder)) == expected
        second = trees(model, 5).fit(X, y, start=first)
        second.save(tmp_path / "second")
        assert bits(tn.load(tmp_path / "second").model_) == bits(second.model_)


def _cut_off(patch, turn):
    """Interrupt the fit as it is updated for the nth time; a state within another counts with it."""
    update, left, depth = random_forest.RandomForest.update, [turn], [0]

    def cut(self, state, s):
        left[0] -= not depth[0]
        if left[0] < 0:
            raise KeyboardInterrupt
        depth[0] += 1
        try:
            return update(self, state, s)
        finally:
            depth[0] -= 1

    patch.setattr(random_forest.RandomForest, "update", cut)


def test_a_pipeline_is_updated_by_more_trees():
    model = tn.make_pipeline(tn.SimpleImputer(), tn.RandomForestRegressor(5)).fit(X, Z)
    kept = model.predict(X)
    model.set_params(randomforestregressor__n_estimators=9).update(X[:100], Z[:100])
    filled = model[0].transform(X)
    assert len(model[-1].estimators_) == 9
    np.testing.assert_allclose(np.mean([tree.predict(filled) for tree in model[-1].estimators_[:5]], axis=0), kept)


def test_what_cannot_continue_says_what_to_do():
    first = tn.RandomForestClassifier(3).fit(X, Z > 0)
    for given, said in (
        ({"n_estimators": 2}, r"n_estimators=2 must be larger or equal .*=3 .* Remedy: n_estimators=103"),
        (
            {"random_state": 1},
            "other rows for out of bag than the trees .* have drawn. Remedy: random_state=0",
        ),
        ({"bootstrap": False}, "bootstrap is True and False. Remedy: the same one"),
        ({"max_samples": 0.5}, "max_samples is None and 0.5"),
    ):
        with pytest.raises(ValueError, match=said):
            trees(first, 6).set_params(**given).fit(X, Z > 0, start=first)
    with pytest.raises(tn.DataError, match="among the known classes"):
        trees(first, 6).fit(X, np.digitize(Z, [-0.3, 0.3]), start=first)
    with pytest.raises(ValueError, match="X has 2 features"):
        trees(first, 6).fit(X[:, :2], Z > 0, start=first)
    with pytest.raises(TypeError, match="continues from a model of its own class"):
        trees(first, 6).fit(X, Z > 0, start=first.estimators_[0])
