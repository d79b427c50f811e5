"""Boosting that continues from a model: the bits of one fit on the same rows, scikit-learn's `warm_start`, errors."""

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble
from sklearn.base import clone
from threadpoolctl import threadpool_limits

import tenfold as tn
from tenfold.core.axes import values
from tenfold.engine.executors.simulated import CALM, Simulated
from tenfold.ensemble.boosting import boosting
from tenfold.sources import part_rows
from tenfold.testing import bits

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(0, 30, (400, 3)).astype(float)
X[RANDOM.random(X.shape) < 0.05] = np.nan
Z = np.nan_to_num(X[:, 0] * (X[:, 1] > 12) + X[:, 2]) / 10 + RANDOM.normal(size=400)
OF_FITS = {"fit_began", "fit_rows"}
"""fields of a model that say in how many fits it was made"""

MODELS = {
    "squared": (tn.HistGradientBoostingRegressor(), Z),
    "absolute, drawn": (tn.HistGradientBoostingRegressor("absolute_error", subsample=0.5), Z),
    "poisson, seed drawn": (
        tn.GradientBoostingRegressor(loss="poisson", subsample=0.5, random_state=None),
        np.round(Z**2),
    ),
    "held back": (tn.HistGradientBoostingRegressor(early_stopping=True, subsample=0.5, n_iter_no_change=99), Z),
    "stopped early": (tn.GradientBoostingRegressor(n_iter_no_change=1, tol=0.5), Z),
    "classes": (tn.HistGradientBoostingClassifier(class_weight="balanced"), np.digitize(Z, [1, 3])),
    "named weights": (tn.HistGradientBoostingClassifier(class_weight={True: 3.0}), Z > 2),
    "rare": (tn.GradientBoostingClassifier(subsample=0.7, max_bins=20), np.quantile(Z, 0.97) < Z),
}


def rounds(model, many):
    """A copy with so many rounds."""
    return clone(model).set_params(**{model.rounds_name: many})


def unlike(a, b):
    """The fields in which two models differ."""
    pairs = zip(values(a.model_), values(b.model_), strict=True)
    return {name for (name, _, x), (_, _, y) in pairs if not _same(x, y)}


def _same(x, y):
    return bits(x) == bits(y) if hasattr(x, "_fields") else np.asarray(x).tobytes() == np.asarray(y).tobytes()


@pytest.mark.parametrize("gathered", [True, False])
@pytest.mark.parametrize("name", MODELS)
def test_rounds_and_more_rounds_are_those_of_one_fit(monkeypatch, name, gathered):
    monkeypatch.setattr(boosting, "gathers", lambda setup: gathered)
    model, y = MODELS[name]
    first = rounds(model, 3).fit(X, y)
    began = bits(first.model_)
    second = rounds(model, 6).fit(X, y, start=first)
    whole = rounds(model, 6).set_params(random_state=first.certificate_.provenance.seed).fit(X, y)
    assert unlike(second, whole) == OF_FITS
    assert second.certificate_["training loss"] == whole.certificate_["training loss"]
    assert bits(first.model_) == began
    again = rounds(model, 3).set_params(warm_start=True, random_state=first.certificate_.provenance.seed).fit(X, y)
    again.set_params(**{model.rounds_name: 6}).fit(X, y)
    assert bits(again.model_) == bits(second.model_)
    assert again.verify()["continued"].value == second.model_.fit_began[1]


def test_rare_classes_have_thresholds_of_their_own():
    model, y = MODELS["rare"]
    first = rounds(model, 3).fit(X, y)
    assert first.model_.placed
    kept = first.model_.trees.threshold
    other = rounds(model, 6).fit(X[::2] + 0.25, y[::2], start=first).model_.trees.threshold
    assert other[: len(kept)].tobytes() == kept.tobytes()


@pytest.mark.parametrize("name", ["held back", "classes"])
def test_the_same_bits_in_memory_from_files_and_on_workers(tmp_path, name):
    model, y = MODELS[name]
    pd.DataFrame(X, columns=list("abc")).assign(y=y).to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    rows = tn.scan(tmp_path / "rows.parquet", target="y")
    found = []
    with part_rows(100):
        memory = tn.scan(pd.DataFrame(X, columns=list("abc")).assign(y=y), target="y")
    for source, runner in ((memory, tn.Local()), (rows, tn.Local()), (rows, Simulated(1, hazards=CALM))):
        with tn.on(runner):
            first = rounds(model, 2).fit(source)
            found.append(rounds(model, 4).fit(source, start=first))
    assert bits(found[0].model_) == bits(found[1].model_) == bits(found[2].model_)


def test_it_is_warm_start_of_scikit_learn():
    numbers = np.nan_to_num(X)
    for name, given in (
        ("GradientBoostingRegressor", {}),
        ("HistGradientBoostingRegressor", {"early_stopping": False}),
    ):
        ours, theirs = (getattr(where, name)(warm_start=True, random_state=0, **given) for where in (tn, ensemble))
        with threadpool_limits(1):
            for many, some in ((3, slice(None)), (6, slice(0, 250))):
                for model in (ours, theirs):
                    rounds_of = "max_iter" if "Hist" in name else "n_estimators"
                    model.set_params(**{rounds_of: many}).fit(numbers[some], Z[some])
            rows = numbers[:250]  # on these alone: exact thresholds lie between values of a node's own rows
            np.testing.assert_allclose(ours.predict(rows), theirs.predict(rows), atol=1e-6)
            for model in (ours, theirs):
                with pytest.raises(ValueError, match="must be larger than? or equal|must be larger or equal"):
                    model.set_params(**{rounds_of: 5}).fit(numbers, Z)


def test_other_rows_are_learned_from_where_the_trees_left_them():
    first = tn.HistGradientBoostingRegressor(max_iter=20).fit(X, Z)
    before = first.predict(X)
    y = np.full(60, 50.0)  # far from all targets before
    second = tn.HistGradientBoostingRegressor(max_iter=80).fit(X[:60], y, start=first)
    assert abs(np.mean(second.predict(X[:60]) - y)) < 0.2
    assert (first.predict(X) == before).all()
    staged = list(second.staged_predict(X))
    assert (staged[19] == before).all()
    said = second.certificate_["continued"]
    assert said.value == 20
    assert said.because.startswith("rounds 1 to 20 learned from 400 rows, rounds 21 to 80 learned from 60 rows;")
    by_hand = 0.5 * np.mean((second.predict(X[:60]) - y) ** 2)
    np.testing.assert_allclose(second.certificate_["training loss"].value, by_hand, rtol=1e-6)


def test_early_stopping_compares_losses_of_its_own_rows():
    first = tn.HistGradientBoostingRegressor(max_iter=30, early_stopping=True, n_iter_no_change=2).fit(X, Z)
    moved = 10 * Z  # whose loss is larger in each round than any before
    second = tn.HistGradientBoostingRegressor(max_iter=90, early_stopping=True, n_iter_no_change=2)
    second.fit(X, moved, start=first)
    seen = second.validation_score_[first.n_iter_ :]
    assert second.n_iter_ > first.n_iter_ + 2
    assert seen.max() < first.validation_score_.min()


def test_weights_are_rows():
    weight = RANDOM.integers(1, 3, len(X))
    twice = np.repeat(np.arange(len(X)), weight)
    first = tn.GradientBoostingRegressor(n_estimators=2).fit(X, Z)
    learner = tn.GradientBoostingRegressor(n_estimators=4)
    a, b = learner.fit(X, Z, sample_weight=weight, start=first), clone(learner).fit(X[twice], Z[twice], start=first)
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-9)


def test_models_from_files_continue_and_interrupted_fits_resume(tmp_path):
    first = tn.GradientBoostingRegressor(n_estimators=2).fit(X, Z)
    first.save(tmp_path / "model")
    learner = tn.GradientBoostingRegressor(n_estimators=5)
    expected = bits(clone(learner).fit(X, Z, start=first).model_)
    assert bits(clone(learner).fit(X, Z, start=tn.load(tmp_path / "model")).model_) == expected
    for gathered in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(boosting, "gathers", lambda setup, gathered=gathered: gathered)
            for turn in (1, 2, 3):
                folder = tmp_path / f"{gathered}{turn}"
                with pytest.MonkeyPatch.context() as cut:
                    _cut_off(cut, turn)
                    with pytest.raises(KeyboardInterrupt):
                        clone(learner).fit(X, Z, start=first, checkpoint=folder)
                assert list(folder.iterdir())
                assert bits(clone(learner).fit(X, Z, start=first, checkpoint=folder).model_) == expected


def _cut_off(patch, turn):
    """Interrupt the fit as it is updated for the nth time."""
    update, left = boosting.Boosting.update, [turn]

    def cut(self, state, s):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return update(self, state, s)

    patch.setattr(boosting.Boosting, "update", cut)


def test_categories_that_are_new_count_as_missing():
    frame = pd.DataFrame({"a": X[:, 0], "k": np.where(Z > 2, "high", "low")})
    first = tn.HistGradientBoostingRegressor(max_iter=2).fit(frame, Z)
    new, gone = frame.copy(), frame.copy()
    new.loc[:50, "k"], gone.loc[:50, "k"] = "new", None
    learner = tn.HistGradientBoostingRegressor(max_iter=4)
    a, b = (clone(learner).fit(rows, Z, start=first) for rows in (new, gone))
    assert bits(a.model_) == bits(b.model_)


def test_columns_that_are_computed():
    frame = pd.DataFrame(X, columns=list("abc")).fillna(0).assign(y=Z)
    rows = tn.scan(frame, target="y").with_columns(d=tn.col("a") * tn.col("b"))
    first = tn.HistGradientBoostingRegressor(max_iter=2).fit(rows)
    learner = tn.HistGradientBoostingRegressor(max_iter=4)
    a, b = learner.fit(rows, start=first), clone(learner).fit(frame[list("abc")], frame["y"], start=first)
    assert bits(a.model_) == bits(b.model_)
    assert (a.predict(frame[list("abc")]) == b.predict(frame[list("abc")])).all()


def test_within_a_pipeline():
    first = tn.make_pipeline(tn.StandardScaler(), tn.GradientBoostingRegressor(n_estimators=2)).fit(X, Z)
    second = tn.make_pipeline(first[0], tn.GradientBoostingRegressor(n_estimators=4))
    second.fit(X, Z, gradientboostingregressor__start=first[-1])
    whole = tn.make_pipeline(tn.StandardScaler(), tn.GradientBoostingRegressor(n_estimators=4)).fit(X, Z)
    assert (second.predict(X) == whole.predict(X)).all()


def test_what_cannot_continue_says_what_to_do():
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Z)
    learner = tn.HistGradientBoostingRegressor(max_iter=4, early_stopping=True)
    first = clone(learner).fit(frame[list("abc")], Z)
    for given, said in (
        (
            {"max_iter": 3},
            r"max_iter=3 must be larger than or equal to n_iter_=4 .*set_params\(max_iter=104\)",
        ),
        ({"loss": "absolute_error"}, "loss is 'squared_error' and 'absolute_error'. Remedy: the same one"),
        ({"max_bins": 9}, "max_bins is 255 and 9"),
        ({"monotonic_cst": [1, 0, 0]}, "monotonic_cst"),
        (
            {"random_state": 1},
            "hold back other rows .* Remedy: random_state=0 and validation_fraction=0.1, or early_st",
        ),
        ({"validation_fraction": 0.2}, "hold back other rows"),
    ):
        with pytest.raises(ValueError, match=said):
            clone(learner).set_params(**{"max_iter": 8, **given}).fit(frame[list("abc")], Z, start=first)
    more = clone(learner).set_params(max_iter=8)
    with pytest.raises(ValueError, match="feature names should match"):
        more.fit(frame[list("aby")], Z, start=first)
    with pytest.raises(tn.DataError, match=r"columns \['c'\] that the model was fitted with are missing"):
        more.fit(tn.scan(frame[list("aby")], target="y"), start=first)
    with pytest.raises(TypeError, match=r"of a pipeline its last step, start=pipeline\[-1\]"):
        more.fit(X, Z, start=tn.make_pipeline(learner))
    with pytest.raises(ValueError, match="not fitted yet"):
        more.fit(X, Z, start=learner)
    with pytest.warns(
        UserWarning, match=r"has all max_iter=4 rounds, so no tree is added. Remedy: set_params\(max_iter=104\)"
    ):
        same = clone(learner).fit(frame[list("abc")], Z, start=first)
    assert bits(same.model_.trees) == bits(first.model_.trees)


def test_other_classes_and_levels_cannot_continue():
    first = tn.HistGradientBoostingClassifier(max_iter=2).fit(X, Z > 2)
    more = tn.HistGradientBoostingClassifier(max_iter=4)
    with pytest.raises(
        tn.DataError, match="among the known classes .* Remedy: leave out their rows, or fit to all rows"
    ):
        more.fit(X, np.digitize(Z, [1, 3]), start=first)
    assert more.fit(X[Z > 2], Z[Z > 2] > 2, start=first).classes_.tolist() == [False, True]  # one of the classes alone
    level = tn.GradientBoostingRegressor(loss="quantile", alpha=0.9, n_estimators=2).fit(X, Z)
    with pytest.raises(ValueError, match="level 0.5: the model has that of 0.9"):
        tn.GradientBoostingRegressor(loss="quantile", alpha=0.5, n_estimators=4).fit(X, Z, start=level)
    counts = tn.HistGradientBoostingRegressor("poisson", max_iter=2).fit(X, np.round(Z**2))
    with pytest.raises(tn.DataError, match="zero or more"):
        tn.HistGradientBoostingRegressor("poisson", max_iter=4).fit(X, Z - 9, start=counts)
