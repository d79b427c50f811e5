"""Probabilities and scores of cubes of classifiers, whose cells may have seen different classes."""

import numpy as np
import pandas as pd
import pytest

import tenfold as tn
from tenfold.models import cube_level
from tenfold.testing import bits

KINDS = np.array(["high", "low", "middle"])
FEATURES = ["a", "b"]


def sold(rows=600, seed=0, kinds=3):
    """Rows of eight stores in two countries; a store of each country has two kinds only, another has one."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.normal(size=(rows, 2)), columns=FEATURES)
    store = random.integers(0, 8, rows)
    kind = random.integers(0, kinds, rows)
    kind = np.where(np.isin(store, [2, 3]), np.minimum(kind, 1), kind)
    kind = np.where(store == 4, kinds - 1, kind)
    frame["a"] += kind
    return frame.assign(country=np.array(["DE", "FR"])[store % 2], store=store, kind=KINDS[kind])


def in_columns(model, found, classes, unseen):
    """The columns that a model has, among those of all classes."""
    out = np.full((len(found), len(classes)), unseen)
    out[:, np.searchsorted(classes, model.classes_)] = found
    return out


LEARNERS = [
    (tn.GaussianNB(), False), (tn.DummyClassifier(), False), (tn.LinearDiscriminantAnalysis(), False),
    (tn.QuadraticDiscriminantAnalysis(), False), (tn.LogisticRegression(), True),
    (tn.make_pipeline(tn.StandardScaler(), tn.GaussianNB()), True),
]  # fmt: skip


@pytest.mark.parametrize(("learner", "gather"), LEARNERS)
@pytest.mark.parametrize("method", ["predict_proba", "predict_log_proba"])
def test_probabilities_are_those_of_the_cells(learner, gather, method):
    frame = sold()
    cube = tn.Cube(learner, by=["country", "store"], gather=gather).fit(tn.scan(frame, target="kind"))
    assert cube.classes_.tolist() == KINDS.tolist()
    rows = frame.drop(columns="kind")
    found, depth = getattr(cube, method)(rows, return_level=True)
    seen = set()
    for (country, store), some in rows.groupby(["country", "store"]):
        solved = (depth[some.index] == 2).all()
        assert solved or (store == 4 and gather)  # of one class
        model = cube[country, store] if solved else cube[country]
        expected = getattr(model, method)(some[FEATURES])
        unseen = 0.0 if method == "predict_proba" else -np.inf
        np.testing.assert_allclose(found[some.index], in_columns(model, expected, KINDS, unseen), rtol=1e-9, atol=1e-12)
        seen.add(len(model.classes_))
    assert {2, 3} <= seen
    probability = found if method == "predict_proba" else np.exp(found)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0, rtol=1e-9)
    assert (cube.classes_[probability.argmax(axis=1)] == cube.predict(rows, return_level=True)[0]).all()


@pytest.mark.parametrize("gather", [False, True])
def test_unseen_and_failed_cells_have_the_probabilities_of_their_parents(gather):
    frame = sold()
    frame.loc[frame["store"] == 5, "kind"] = "low"  # no discriminant of one class
    learner = tn.LogisticRegression() if gather else tn.LinearDiscriminantAnalysis()
    cube = tn.Cube(learner, by=["country", "store"], levels=["country"], gather=gather)
    cube.fit(tn.scan(frame, target="kind"))
    new = pd.DataFrame(
        {"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, -1.0], "country": ["FR", "FR", "IT"], "store": [1, 99, 1]}
    )
    with pytest.warns(UserWarning, match=r"2 of 3 rows have no model of their own"):
        found = cube.predict_proba(new)
    for k, model in enumerate([cube["FR", 1], cube["FR"], cube[()]]):
        np.testing.assert_allclose(found[k], model.predict_proba(new.loc[[k], FEATURES])[0], rtol=1e-9)
    assert cube.predict_proba(new, return_level=True)[1].tolist() == [2, 1, 0]
    found, level = cube.predict_proba(new[:2], level=1, return_level=True)
    assert level.tolist() == [1, 1]
    np.testing.assert_allclose(found, cube["FR"].predict_proba(new.loc[:1, FEATURES]), rtol=1e-9)
    one_class = new[:1].assign(store=5)
    assert cube.failed_["store"].to_pylist() == ([4, 5] if gather else [])
    found, level = cube.predict_proba(one_class, return_level=True)
    assert level.tolist() == [1 if gather else 2]
    expected = cube["FR"].predict_proba(one_class[FEATURES]) if gather else [[0.0, 1.0, 0.0]]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("in_files", [False, True])
def test_probabilities_for_a_source_are_read_part_by_part(in_files, tmp_path):
    frame = sold().assign(order=np.arange(600))
    if in_files:
        frame.to_parquet(tmp_path / "rows.parquet", row_group_size=70)
        rows = tn.scan(str(tmp_path / "rows.parquet"), target="kind", drop=["order", "country"])
    else:
        rows = tn.scan(frame, target="kind", drop=["order", "country"])
    cube = tn.Cube(tn.GaussianNB(), by="store").fit(rows)
    expected = cube.predict_proba(frame.drop(columns=["kind", "order", "country"]))
    lazy = cube.predict_proba(rows)
    assert lazy.names == ("probability_high", "probability_low", "probability_middle")
    assert lazy.collect().tobytes() == expected.tobytes()
    assert lazy.fingerprint() != cube.predict_log_proba(rows).fingerprint() != cube.predict(rows).fingerprint()
    with tn.on(tn.Local(threads=2)):
        assert cube.predict_log_proba(rows).to_arrow().num_columns == 3
    np.testing.assert_allclose(np.exp(cube.predict_log_proba(rows).collect()), expected, rtol=1e-12)
    found, level = cube.predict_proba(rows, return_level=True)
    assert (level.collect() == 1).all()
    assert found.to_arrow()["probability_low"].to_numpy().tobytes() == expected[:, 1].tobytes()


@pytest.mark.parametrize(
    ("learner", "gather"), [(tn.LinearDiscriminantAnalysis(), False), (tn.LogisticRegression(), True)]
)
@pytest.mark.parametrize("kinds", [2, 3])
def test_the_class_with_the_highest_score_is_predicted(learner, gather, kinds):
    frame = sold(kinds=kinds)
    frame = frame.drop(columns="country")
    rows = frame.drop(columns="kind")
    cube = tn.Cube(learner, by="store", gather=gather).fit(tn.scan(frame, target="kind"))
    scores, level = cube.decision_function(rows, return_level=True)
    predicted = cube.predict(rows, return_level=True)[0]
    assert scores.shape == ((len(rows),) if kinds == 2 else (len(rows), 3))
    at = (scores > 0).astype(int) if kinds == 2 else scores.argmax(axis=1)
    assert (cube.classes_[at] == predicted).all()
    for store in (0, 2, 4):
        some, model = rows[rows["store"] == store], cube[store] if (level[rows["store"] == store] == 1).all() else None
        if model is None:  # of one class
            continue
        found, alone = scores[some.index], model.decision_function(some[FEATURES])
        if len(model.classes_) == kinds:
            np.testing.assert_allclose(found, alone, rtol=1e-9)
        elif len(model.classes_) == 2:
            np.testing.assert_allclose(found[:, :2], np.column_stack([-alone, alone]), rtol=1e-9)
            assert np.isneginf(found[:, 2]).all()
        else:
            assert (np.isposinf(found) if kinds == 2 else np.isneginf(found[:, :2]).all(axis=1)).all()


def test_only_classifiers_have_probabilities():
    def has(learner, **more):
        cube = tn.Cube(learner, by="store", **more)
        return [hasattr(cube, name) for name in ("predict_proba", "predict_log_proba", "decision_function")]

    assert has(tn.Ridge()) == has(tn.StandardScaler()) == [False, False, False]
    assert has(tn.GaussianNB()) == [True, True, False]
    assert has(tn.LinearDiscriminantAnalysis()) == [True, True, True]
    assert has(tn.Adaline()) == [False, False, True]
    assert has(tn.make_pipeline(tn.StandardScaler(), tn.LogisticRegression()), gather=True) == [True, True, True]
    assert has(tn.BaggingClassifier(tn.GaussianNB()), gather=True) == [True, True, False]
    frame = sold()
    cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame.drop(columns=["kind", "country"]), target="b"))
    with pytest.raises(AttributeError, match="Ridge is no classifier"):
        cube.classes_  # noqa: B018


def test_each_of_several_learners_gives_probabilities(tmp_path):
    frame = sold().drop(columns="country")
    learners = {"bayes": tn.GaussianNB(), "dummy": tn.DummyClassifier(), "scaled": tn.StandardScaler()}
    cube = tn.Cube(learners, by="store").fit(tn.scan(frame, target="kind"))
    rows = frame.drop(columns="kind")
    found = cube.predict_proba(rows)
    assert list(found) == ["bayes", "dummy"]
    assert found["bayes"].tobytes() == cube.named_cubes_["bayes"].predict_proba(rows).tobytes()
    assert not hasattr(cube, "classes_")
    cube.named_cubes_["bayes"].to_parquet(tmp_path / "cube.parquet")
    again = tn.Cube.open(tmp_path / "cube.parquet")
    assert again.predict_proba(rows).tobytes() == found["bayes"].tobytes()
    frame["country"], rows["country"] = frame["store"] % 2, frame["store"] % 2
    best = tn.Cube(tn.GaussianNB(), by=["country", "store"], cv=3).fit(tn.scan(frame, target="kind"))
    assert best.predict_proba(rows, level="best", return_level=True)[0].shape == (len(rows), 3)


@pytest.mark.parametrize("learner", [tn.LinearDiscriminantAnalysis(), tn.QuadraticDiscriminantAnalysis()])
def test_discriminants_of_thin_cells_are_fits_of_their_rows(learner):
    frame = sold(900).drop(columns="country")
    frame["store"] = np.random.default_rng(1).integers(0, 200, len(frame))  # few rows of each class
    frame.loc[frame["store"] < 40, "b"] = 1.0  # a column that does not vary
    frame.loc[frame["store"] == 7, "kind"] = "low"
    cube = tn.Cube(learner, by="store").fit(tn.scan(frame, target="kind"))
    for store, some in frame.groupby("store"):
        alone = type(learner)().fit(some[FEATURES], some["kind"])
        assert bits(cube[store].model_) == bits(alone.model_)
        assert str(cube[store].certificate_["digits"]) == str(alone.certificate_["digits"])


@pytest.mark.parametrize(("learner", "target"), [(tn.DummyRegressor(), "a"), (tn.DummyClassifier(), "kind")])
def test_dummies_of_many_cells_are_fits_of_their_rows(learner, target):
    frame = sold(900).assign(weight=np.random.default_rng(2).integers(0, 3, 900)).drop(columns="country")
    cube = tn.Cube(learner, by="store").fit(tn.scan(frame, target=target, weight="weight"))
    for store, some in frame.groupby("store"):
        alone = type(learner)().fit(some[["b"]], some[target], sample_weight=some["weight"])
        assert bits(cube[store].model_) == bits(alone.model_)


@pytest.mark.parametrize("learner", [learner for learner, gather in LEARNERS if not gather] + [tn.CategoricalNB()])
def test_rows_scored_by_many_cells_at_once_are_scored_as_by_each(learner, monkeypatch):
    monkeypatch.setattr(cube_level, "SCORED_CELLS", 3)
    frame = sold().drop(columns="country")
    if isinstance(learner, tn.CategoricalNB):
        frame[FEATURES] = np.where(frame[FEATURES] > 0, "more", "less")
    cube = tn.Cube(learner, by="store").fit(tn.scan(frame, target="kind"))
    rows = frame.drop(columns="kind")
    probability, predicted = cube.predict_proba(rows), cube.predict(rows)
    for store, some in rows.groupby("store"):
        model = cube[store]
        alone = model.predict_proba(some[FEATURES])
        assert (probability[some.index] == in_columns(model, alone, KINDS, 0.0)).all()
        assert (predicted[some.index] == model.predict(some[FEATURES])).all()
