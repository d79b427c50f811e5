"""Steps one after the other: scikit-learn's numbers, over sources too; one file; models that add up; branches."""

import hashlib
import json
import struct
import warnings
from functools import wraps

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.compose as peer
import sklearn.feature_extraction.text as text
import sklearn.linear_model as linear
import sklearn.pipeline as peer_pipeline
from sklearn.base import clone
from sklearn.feature_selection import VarianceThreshold
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils._test_common.instance_generator import PER_ESTIMATOR_XFAIL_CHECKS
from sklearn.utils.estimator_checks import parametrize_with_checks

import tenfold as tn
from tenfold.estimator.ensembles.transformer_chain import Chain
from tenfold.sources.files.parquet import ParquetSource
from tenfold.testing import bits

CHAINS = {
    "principal components": (tn.SimpleImputer(strategy="median"), tn.StandardScaler(), tn.PCA(2)),
    "indicators": (tn.SimpleImputer(add_indicator=True), tn.MinMaxScaler()),
    "several passes": (tn.SimpleImputer(), tn.PowerTransformer(), tn.StandardScaler()),
    "sparse between": (tn.SimpleImputer(), tn.KBinsDiscretizer(n_bins=3), tn.PCA(2)),
    "more columns": (tn.FunctionTransformer(np.cbrt), tn.SimpleImputer(), tn.PolynomialFeatures(2)),
    "none that learns": ("passthrough",),
    "one that learns": ("passthrough", tn.StandardScaler(), "passthrough"),
}
NUMBERS = ["age", "fare", "rank"]


def frame(rows=300, seed=0):
    rng = np.random.default_rng(seed)
    found = pd.DataFrame(
        {
            "age": np.where(rng.random(rows) < 0.2, np.nan, rng.normal(30, 9, rows)),
            "fare": np.where(rng.random(rows) < 0.1, np.nan, rng.gamma(2.0, 9.0, rows)),
            "rank": rng.integers(0, 4, rows),
            "port": rng.choice(["Bern", "Oslo", "Rome"], rows),
            "note": rng.choice(["red fox", "red hen", "hen", "blue fox"], rows),
        }
    )
    found["bought"] = np.where(found["rank"] + (found["port"] == "Rome") + rng.normal(size=rows) > 2, "yes", "no")
    return found


def steps(make, some):
    return make([(f"s{at}", one if isinstance(one, str) else clone(one)) for at, one in enumerate(some)])


def columns(make=tn.Pipeline, name="principal components"):
    return [("num", steps(make, CHAINS[name]), NUMBERS), ("cat", tn.OneHotEncoder(), ["port"])]


def dense(found):
    return found.toarray() if hasattr(found, "toarray") else np.asarray(found)


@pytest.fixture
def reads(monkeypatch):
    """One entry for each part that is read of files."""
    found, read = [], ParquetSource.tables

    def counting(self, part, columns, rows=None):
        found.append(part)
        return read(self, part, columns, rows)

    monkeypatch.setattr(ParquetSource, "tables", counting)
    return found


# ---- the pipeline itself -------------------------------------------------------------------------


@parametrize_with_checks(
    [tn.make_pipeline(tn.StandardScaler(), tn.LogisticRegression()), tn.make_pipeline(tn.StandardScaler(), tn.Ridge())],
    expected_failed_checks=lambda model: PER_ESTIMATOR_XFAIL_CHECKS[peer_pipeline.Pipeline],
)
def test_scikit_learn_finds_nothing_wrong(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize("name", [name for name in CHAINS if name != "sparse between"])
def test_rows_in_memory_give_what_scikit_learn_gives(name):
    rows = frame()
    mine = steps(tn.Pipeline, CHAINS[name]).fit(rows[NUMBERS])
    theirs = steps(peer_pipeline.Pipeline, CHAINS[name]).fit(rows[NUMBERS])
    np.testing.assert_allclose(dense(mine.transform(rows[NUMBERS])), dense(theirs.transform(rows[NUMBERS])), atol=1e-12)
    if name != "none that learns":
        names = mine.get_feature_names_out(NUMBERS).tolist()
        assert names == theirs.get_feature_names_out(NUMBERS).tolist()


def test_it_predicts_scores_and_is_looked_into_as_scikit_learns():
    rows = frame()
    made = [
        make([("columns", tn.ColumnTransformer(columns())), ("last", tn.LogisticRegression())])
        for make in (tn.Pipeline, peer_pipeline.Pipeline)
    ]
    mine, theirs = (one.fit(rows, rows["bought"]) for one in made)
    assert mine.predict(rows).tolist() == theirs.predict(rows).tolist()
    for method in ("predict_proba", "predict_log_proba"):
        np.testing.assert_array_equal(getattr(mine, method)(rows), getattr(theirs, method)(rows))
    weight = np.arange(300.0) % 3
    assert mine.score(rows, rows["bought"], weight) == theirs.score(rows, rows["bought"], sample_weight=weight)
    assert mine.classes_.tolist() == ["no", "yes"]
    assert mine.feature_names_in_.tolist() == list(rows.columns)
    assert mine[:-1].transform(rows).shape == (300, 5)
    assert mine[0] is mine["columns"] is mine.named_steps.columns
    assert not hasattr(mine, "transform")
    assert not hasattr(mine, "score_samples")
    mine.set_params(last__C=0.5, columns__num__s2__n_components=1)
    assert mine["last"].C == 0.5
    assert mine["columns"].transformers[0][1][-1].n_components == 1
    assert "Pipeline" in mine._repr_html_()


def test_frames_come_out_if_asked():
    rows = frame()[NUMBERS]
    model = tn.make_pipeline(tn.SimpleImputer(), tn.StandardScaler()).set_output(transform="pandas").fit(rows)
    found = model.transform(rows)
    assert found.columns.tolist() == NUMBERS
    assert found.index.equals(rows.index)
    assert np.abs(found.to_numpy().mean(axis=0)).max() < 1e-12


def test_weights_go_to_the_step_that_is_named():
    rows = frame()[["rank"]]
    weight = np.arange(300.0)
    model = tn.make_pipeline(tn.StandardScaler(), tn.Ridge()).fit(rows, rows["rank"], ridge__sample_weight=weight)
    alone = tn.Ridge().fit(tn.StandardScaler().fit_transform(rows), rows["rank"], weight)
    np.testing.assert_array_equal(model[-1].coef_, alone.coef_)


def test_a_dense_learner_takes_sparse_rows_from_the_step_before():
    rows = frame()
    model = tn.make_pipeline(tn.OneHotEncoder(handle_unknown="ignore"), tn.DecisionTreeClassifier(max_depth=3))
    found = model.fit(rows[["port", "note"]], rows["bought"]).predict(rows[["port", "note"]])
    source = tn.scan(rows[["port", "note", "bought"]], target="bought")
    assert clone(model).fit(source).predict(rows[["port", "note"]]).tolist() == found.tolist()
    assert len({*found}) == 2


def test_a_source_is_read_once_for_each_step_and_gives_the_bits_of_a_frame(tmp_path, reads):
    rows = frame(700)
    rows[[*NUMBERS, "bought"]].to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    source = tn.scan(tmp_path / "rows.parquet", target="bought")
    model = tn.make_pipeline(tn.SimpleImputer(), tn.StandardScaler(), tn.GaussianNB())
    classes = len(source)  # the classes are found in a scan before
    model.fit(source)
    assert len(reads) == 3 * len(source) + classes
    with tn.on(tn.Local(threads=2)):
        again = clone(model).fit(tn.scan(tmp_path / "rows.parquet", target="bought"))
    assert [bits(one.model_) for _, one in again.steps] == [bits(one.model_) for _, one in model.steps]
    here = clone(model).fit(rows[NUMBERS], rows["bought"])
    np.testing.assert_allclose(model.predict_proba(rows[NUMBERS]), here.predict_proba(rows[NUMBERS]), atol=1e-12)
    assert model.predict(source).collect().tolist() == here.predict(rows[NUMBERS]).tolist()


def test_no_warning_of_names_after_a_fit_to_a_source():
    rows = frame()
    source = tn.scan(rows, target="bought")
    model = tn.make_pipeline(tn.ColumnTransformer(columns()), tn.LogisticRegression()).fit(source)
    assert model.feature_names_in_.tolist() == [*NUMBERS, "port", "note"]
    assert model[-1].feature_names_in_.tolist() == model[:-1].get_feature_names_out().tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.predict(rows.drop(columns="bought"))
        model.predict_proba(rows.drop(columns="bought"))
    assert found.tolist() == model.predict(source).collect().tolist()
    plain = tn.make_pipeline(tn.StandardScaler(), tn.Ridge()).fit(tn.scan(rows[["rank"]].assign(y=1.0), target="y"))
    with pytest.warns(UserWarning, match="does not have valid feature names, but StandardScaler"):
        plain.predict(np.ones((2, 1)))  # which is as it should be: the first step has seen names


# ---- files and sums ------------------------------------------------------------------------------


def saved(tmp_path, model, **given):
    model.save(tmp_path / "model", **given)
    return tn.load(tmp_path / "model")


@pytest.mark.parametrize("name", CHAINS)
def test_all_steps_are_saved_in_one_file(tmp_path, name):
    rows = frame()
    rows["bought"] = rows["bought"].astype(object)
    first = tn.ColumnTransformer(columns(peer_pipeline.Pipeline, name))
    rows[NUMBERS] = rows[NUMBERS].fillna(1.0)  # one of the chains lets gaps pass
    model = tn.Pipeline([("columns", first), ("none", "passthrough"), ("last", tn.LogisticRegression())])
    model.fit(rows, rows["bought"])
    found = saved(tmp_path, model)
    assert type(found) is tn.Pipeline
    assert [n for n, _ in found.steps] == ["columns", "none", "last"]
    np.testing.assert_array_equal(found.predict_proba(rows), model.predict_proba(rows))
    assert found[0].verify().claims == model[0].certificate_.claims
    assert bits(found[-1].model_) == bits(model[-1].model_)
    bare = saved(tmp_path, model, summary=False)
    assert bare[-1].summary_ is None
    assert bare.predict(rows).tolist() == model.predict(rows).tolist()


def test_pipelines_within_pipelines_and_frozen_steps_are_saved(tmp_path):
    X, y = frame()[["rank"]], frame()["bought"]
    scaler = FrozenEstimator(tn.StandardScaler().fit(X[:50]))
    model = tn.Pipeline([("scale", scaler), ("rest", tn.make_pipeline(tn.MinMaxScaler(), tn.GaussianNB()))]).fit(X, y)
    found = saved(tmp_path, model)
    assert isinstance(found["scale"], FrozenEstimator)
    assert found["scale"].mean_ == scaler.mean_
    np.testing.assert_array_equal(found.predict_proba(X), model.predict_proba(X))


def test_a_step_of_another_library_is_not_saved(tmp_path):
    model = tn.make_pipeline(VarianceThreshold(), tn.Ridge()).fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(tn.ModelFileError, match="step 'variancethreshold' is VarianceThreshold.*Remedy"):
        model.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def forged(path, change):
    """The file with another document, its checksum made again."""
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8 : 8 + length])
    document = json.loads(head["__metadata__"]["tenfold"])
    change(document)
    document["sha256"] = "0" * 64
    head["__metadata__"]["tenfold"] = json.dumps(document, separators=(",", ":"))
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    raw = struct.pack("<Q", len(text)) + text + raw[8 + length :]
    path.write_bytes(raw.replace(b"0" * 64, hashlib.sha256(raw).hexdigest().encode(), 1))


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["pipeline"].pop(0),
        lambda d: d["pipeline"].reverse(),
        lambda d: d.update(pipeline=[]),
        lambda d: d.update(pipeline=[["a", None]]),
        lambda d: d.update(pipeline={"a": 1}),
        lambda d: d["pipeline"][0].__setitem__(0, 3),
        lambda d: d["pipeline"][0].__setitem__(0, "a__b"),
        lambda d: d["pipeline"][1].__setitem__(0, "poly"),
        lambda d: d["pipeline"][0].__setitem__(1, {"frozen": None}),
        lambda d: d["pipeline"][0].__setitem__(1, 7),
    ],
)
def test_a_forged_file_is_refused(tmp_path, change):
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = tn.Pipeline([("poly", tn.PolynomialFeatures(2)), ("last", tn.Ridge())]).fit(X, X[:, 0])
    model.save(tmp_path / "model")
    forged(tmp_path / "model", lambda d: None)
    assert tn.load(tmp_path / "model").predict(X).tolist() == model.predict(X).tolist()
    forged(tmp_path / "model", change)
    with pytest.raises(tn.ModelFileError):
        tn.load(tmp_path / "model")


def test_pipelines_add_up_if_the_steps_before_the_last_are_the_same():
    X, y = frame()[["rank"]].to_numpy(float), frame()["bought"].to_numpy()
    scaler = FrozenEstimator(tn.StandardScaler().fit(X[:50]))
    model = tn.Pipeline([("cbrt", tn.FunctionTransformer(np.cbrt)), ("scale", scaler), ("last", tn.GaussianNB())])
    parts = [clone(model).fit(X[some], y[some]) for some in (slice(100), slice(100, 220), slice(220, 300))]
    both, whole = sum(parts), clone(model).fit(X, y)
    assert type(both) is tn.Pipeline
    assert both[-1].certificate_.provenance.rows == 300
    np.testing.assert_allclose(both.predict_proba(X), whole.predict_proba(X), rtol=0, atol=1e-12)


def update_case():
    random = np.random.default_rng(3)
    X = pd.DataFrame({"a": random.normal(size=300) + np.arange(300) / 100, "b": random.lognormal(size=300)})
    return X, (X["a"] + random.normal(size=300) > 1.5).astype(int)


def test_more_rows_go_through_the_steps_as_they_have_learned_to():
    X, y = update_case()
    weight = np.arange(300) % 3
    model = tn.make_pipeline(tn.StandardScaler(), "passthrough", tn.GaussianNB())
    model.partial_fit(X[:200], y[:200], weight[:200]).partial_fit(X[200:], y[200:], weight[200:])
    scale = tn.StandardScaler().fit(X[:200])
    by_hand = tn.GaussianNB().fit(scale.transform(X), y, weight)
    np.testing.assert_allclose(model.predict_proba(X), by_hand.predict_proba(scale.transform(X)), rtol=1e-9)
    assert model[0].n_samples_seen_ == 200


def test_an_update_merges_the_steps_if_asked():
    X, y = update_case()
    model = tn.make_pipeline(tn.StandardScaler(), tn.PCA(2), tn.GaussianNB()).fit(X[:200], y[:200])
    model.update(X[200:], y[200:], preprocessing="merge")
    scale = tn.StandardScaler().fit(X[:200]).partial_fit(X[200:])
    np.testing.assert_allclose(model[0].mean_, scale.mean_, rtol=1e-12)
    assert model[1].certificate_.provenance.rows == model[2].certificate_.provenance.rows == 300
    with pytest.raises(ValueError, match="not one of 'keep' and 'merge'"):
        model.update(X, y, preprocessing="both")
    reader = tn.make_pipeline(tn.KMeans(3), tn.GaussianNB()).fit(X, y)
    with pytest.raises(tn.MergeError, match=r"'kmeans' .* Remedy: preprocessing='keep'"):
        reader.update(X, y, preprocessing="merge")


def test_an_update_names_the_branch_that_cannot_merge():
    X, y = update_case()
    filled = tn.make_pipeline(tn.SimpleImputer(), tn.StandardScaler())
    branches = tn.ColumnTransformer([("plain", tn.MaxAbsScaler(), ["a"]), ("filled", filled, ["b"])])
    model = tn.make_pipeline(branches, tn.GaussianNB()).fit(X[:200], y[:200])
    with pytest.raises(
        tn.MergeError, match=r"since \['filled'\] read .* Remedy: preprocessing='keep'.* after 'columnt"
    ):
        model.update(X[200:], y[200:], preprocessing="merge")
    filler = tn.ColumnTransformer([("plain", "passthrough", ["a"]), ("filled", tn.SimpleImputer(), ["b"])])
    model = tn.make_pipeline(filler, tn.StandardScaler(), tn.GaussianNB()).fit(X[:200], y[:200])
    model.update(X[200:], y[200:], preprocessing="merge")
    assert model[0].certificate_.provenance.rows == model[1].n_samples_seen_ == 300


def test_weights_are_for_the_last_step_as_in_a_fit():
    X, y = update_case()
    weight = np.arange(300) % 3
    model = tn.make_pipeline(tn.StandardScaler(), tn.GaussianNB()).fit(X[:200], y[:200])
    model.update(X[200:], y[200:], weight[200:], preprocessing="merge")
    np.testing.assert_allclose(model[0].mean_, tn.StandardScaler().fit(X).mean_, rtol=1e-12)
    theirs = tn.make_pipeline(MaxAbsScaler(), tn.GaussianNB()).fit(X[:200], y[:200])
    theirs.update(X[200:], y[200:], weight[200:], preprocessing="merge")  # whose partial_fit takes no weights
    assert theirs[0].n_samples_seen_ == 300


def test_the_steps_of_a_pipeline_within_it_merge_too():
    X, y = update_case()
    inner = tn.make_pipeline(tn.StandardScaler(), tn.PCA(2))
    model = tn.make_pipeline(inner, tn.make_pipeline(tn.MaxAbsScaler(), tn.GaussianNB())).fit(X[:200], y[:200])
    model.partial_fit(X[200:], y[200:])
    assert [model[0][0].n_samples_seen_, model[1][0].n_samples_seen_] == [200, 200]
    model.update(X[:50], y[:50], preprocessing="merge")
    assert [model[0][0].n_samples_seen_, model[1][0].n_samples_seen_] == [250, 250]
    assert model[1][1].certificate_.provenance.rows == 350
    reader = tn.make_pipeline(tn.make_pipeline(tn.KMeans(2), tn.PCA(1)), tn.GaussianNB()).fit(X, y)
    with pytest.raises(tn.MergeError, match="step 'kmeans'"):
        reader.update(X, y, preprocessing="merge")


def test_no_row_has_its_own_target_in_its_encoding_after_an_update():
    random = np.random.default_rng(0)
    X, y = pd.DataFrame({"shop": random.integers(0, 150, 300).astype(str)}), random.integers(0, 2, 300)
    models = [tn.make_pipeline(tn.TargetEncoder(), tn.GaussianNB()).fit(X[:100], y[:100]) for _ in range(2)]
    models[0].update(X[100:], y[100:], preprocessing="merge")
    models[1].partial_fit(X[100:], y[100:])
    assert np.array_equal(models[0][-1].theta_, models[1][-1].theta_)
    assert models[0][0].certificate_.provenance.rows == 300


@pytest.mark.parametrize(
    ("step", "first", "second"),
    [
        (tn.OneHotEncoder(sparse_output=False), [["a"], ["b"]] * 3, [["c"], ["d"]] * 3),
        (tn.CountVectorizer(max_features=1), ["aa aa", "aa"] * 3, ["bb bb", "bb bb"] * 3),
    ],
    ids=["more columns", "others"],
)
def test_a_step_that_makes_other_columns_after_an_update_is_refused(step, first, second):
    y = [0, 1] * 3
    model = tn.make_pipeline(step, tn.MultinomialNB()).fit(first, y)
    before = model.predict_proba(first)
    with pytest.raises(tn.MergeError, match=r"makes other columns .* Remedy: preprocessing='keep'"):
        model.update(second, y, preprocessing="merge")
    assert np.array_equal(model.predict_proba(first), before)


@pytest.mark.parametrize("how", ["keep", "merge"])
def test_fit_and_update_take_frames_files_and_dask_in_any_order(how, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    X, y = update_case()
    for name, some in (("first", slice(0, 200)), ("second", slice(200, 300))):
        X[some].assign(y=y[some]).to_parquet(tmp_path / f"{name}.parquet")
    files = [tn.scan(tmp_path / f"{name}.parquet", target="y") for name in ("first", "second")]
    more = {
        "frame": (X[200:], y[200:]),
        "files": (files[1],),
        "dask": tuple(dd.from_pandas(some[200:], npartitions=2) for some in (X, y.rename("y"))),
    }
    found = {}
    for first in ("frame", "files"):
        for second, rows in more.items():
            model = tn.make_pipeline(tn.StandardScaler(), "passthrough", tn.PCA(2), tn.GaussianNB())
            model = model.fit(X[:200], y[:200]) if first == "frame" else model.fit(files[0])
            model.update(*rows, preprocessing=how)
            found[first, second] = model.predict_proba(X)
    expected = found.pop(("frame", "frame"))
    for said in found.values():
        np.testing.assert_allclose(said, expected, rtol=1e-7)
    with pytest.raises(ValueError, match="a Source names its own target"):
        model.partial_fit(files[1], y)


def test_a_pipeline_of_computed_columns_learns_from_more_raw_rows():
    X, y = update_case()
    rows = [
        tn.scan(X[i].assign(y=y[i]), target="y").with_columns(a=tn.col("a") * 2) for i in (slice(200), slice(200, 300))
    ]
    models = [tn.make_pipeline(tn.StandardScaler(), tn.GaussianNB()).fit(rows[0]) for _ in range(2)]
    models[0].update(X[200:], y[200:], preprocessing="merge")
    models[1].update(rows[1], preprocessing="merge")
    assert np.array_equal(models[0].predict_proba(X), models[1].predict_proba(X))
    np.testing.assert_allclose(models[0][0].mean_[0], 2 * X["a"].mean(), rtol=1e-12)


def test_files_of_days_update_a_pipeline_and_a_failed_update_changes_nothing(tmp_path):
    X, y = update_case()
    X.assign(y=y).to_parquet(tmp_path / "first.parquet")
    X.assign(y=y, b=np.nan).to_parquet(tmp_path / "wrong.parquet")
    model = tn.make_pipeline(tn.StandardScaler(), tn.GaussianNB()).fit(tn.scan(tmp_path / "first.parquet", target="y"))
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="NaN"):
        model.update(tn.scan(tmp_path / "wrong.parquet", target="y"), preprocessing="merge")
    assert np.array_equal(model.predict_proba(X), before)
    X[:100].assign(y=y[:100]).to_parquet(tmp_path / "second.parquet")
    model.partial_fit(tn.scan(tmp_path / "second.parquet", target="y"))
    assert model[-1].certificate_.provenance.rows == 400
    assert not hasattr(tn.make_pipeline(tn.StandardScaler(), tn.LogisticRegression()), "update")


@pytest.mark.parametrize("files", [False, True])
def test_boosting_at_the_end_of_a_pipeline_continues(files, tmp_path):
    X, y = update_case()
    new, new_y = X[:120] + 1.0, y[:120]
    X.assign(y=y).to_parquet(tmp_path / "first.parquet")
    new.assign(y=new_y).to_parquet(tmp_path / "second.parquet")
    scanned = [(tn.scan(tmp_path / f"{name}.parquet", target="y"),) for name in ("first", "second")]
    first, second = scanned if files else ((X, y), (new, new_y))
    model = tn.make_pipeline(tn.StandardScaler(), tn.HistGradientBoostingClassifier(max_iter=8)).fit(*first)
    before = model[-1]
    model.set_params(histgradientboostingclassifier__max_iter=12).update(*second)
    assert model[-1].n_iter_ == 12
    assert before.n_iter_ == 8
    made = model[0].transform(new)
    made = pd.DataFrame(made, columns=list(X)) if files else made
    by_hand = tn.HistGradientBoostingClassifier(max_iter=12).fit(made, new_y, start=before)
    assert np.array_equal(model.predict_proba(new), by_hand.predict_proba(made))
    assert not np.array_equal(model.predict_proba(new), before.predict_proba(made))
    with pytest.raises(ValueError, match="max_iter=9 must be larger.*Remedy: set_params.max_iter=112"):
        model.set_params(histgradientboostingclassifier__max_iter=9).update(*second)


def test_a_pipeline_has_the_certificate_of_its_last_step_and_the_provenance_of_all(tmp_path):
    X, y = update_case()
    model = tn.make_pipeline(tn.StandardScaler(), FrozenEstimator(tn.MinMaxScaler().fit(X)), tn.LinearRegression())
    assert not hasattr(model, "certificate_")
    X.assign(y=y).to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    model.fit(tn.scan(tmp_path / "rows.parquet", target="y"))
    found = model.certificate_
    assert found["gap"] == model[-1].certificate_["gap"]
    assert found["standardscaler: gap"].value == 0.0
    assert found["frozenestimator: constant columns"].value == 0.0
    assert found.provenance.rows == 300
    assert found.provenance.source == model[0].certificate_.provenance.source
    assert found.provenance.passes >= 2
    assert "coef" in str(model.summary())
    model.save(tmp_path / "model.tenfold")
    assert tn.load(tmp_path / "model.tenfold").certificate_.origin == "claimed by the file"
    assert not hasattr(tn.make_pipeline(tn.StandardScaler(), linear.Ridge()).fit(X, y), "certificate_")


def test_pipelines_whose_steps_differ_do_not_add_up_and_say_why():
    X, y = frame()[["rank"]].to_numpy(float), frame()["bought"].to_numpy()

    def fitted(some, *steps):
        return tn.make_pipeline(*steps).fit(X[some], y[some])

    first, rest = slice(100), slice(100, None)
    with pytest.raises(tn.MergeError, match="step 'standardscaler' has learned from other rows.*Remedy"):
        fitted(first, tn.StandardScaler(), tn.GaussianNB()) + fitted(rest, tn.StandardScaler(), tn.GaussianNB())
    with pytest.raises(tn.MergeError, match="different parameters.*var_smoothing"):
        fitted(first, tn.GaussianNB()) + fitted(rest, tn.GaussianNB(var_smoothing=0.1))
    with pytest.raises(tn.MergeError, match="step 'variancethreshold' is .*not of tenfold"):
        fitted(first, VarianceThreshold(), tn.GaussianNB()) + fitted(rest, VarianceThreshold(), tn.GaussianNB())
    with pytest.raises(tn.MergeError, match="LogisticRegression reads its rows several times"):
        fitted(first, tn.LogisticRegression()) + fitted(rest, tn.LogisticRegression())


# ---- among the branches of a ColumnTransformer or a FeatureUnion ---------------------------------


@pytest.mark.parametrize("name", [name for name in CHAINS if name != "sparse between"])
@pytest.mark.parametrize("make", [tn.Pipeline, peer_pipeline.Pipeline])
def test_a_branch_gives_what_scikit_learn_gives(name, make):
    rows = frame()
    mine = tn.ColumnTransformer(columns(make, name)).fit(rows)
    theirs = peer.ColumnTransformer(columns(peer_pipeline.Pipeline, name)).fit(rows)
    np.testing.assert_allclose(dense(mine.transform(rows)), dense(theirs.transform(rows)), rtol=0, atol=1e-12)
    if name != "none that learns":
        assert mine.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    inner = mine.named_transformers_.num
    assert type(inner) is tn.Pipeline
    np.testing.assert_allclose(
        dense(inner.transform(rows[NUMBERS])), dense(theirs.named_transformers_["num"].transform(rows[NUMBERS])),
        rtol=0, atol=1e-12,
    )  # fmt: skip


def test_branches_share_scans_and_bits_do_not_depend_on_threads(tmp_path, reads):
    rows = frame(600)
    rows[NUMBERS].to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    source = tn.scan(tmp_path / "rows.parquet")
    spec = [
        ("a", tn.make_pipeline(tn.SimpleImputer(), tn.StandardScaler()), ["age", "fare"]),
        ("b", tn.make_pipeline(tn.SimpleImputer(strategy="median"), tn.MinMaxScaler()), ["age", "rank"]),
        ("c", tn.StandardScaler(), ["rank"]),
    ]
    model = tn.ColumnTransformer(spec).fit(source)
    assert len(reads) == 2 * len(source)
    with tn.on(tn.Local(threads=2)):
        again = tn.ColumnTransformer(spec).fit(tn.scan(tmp_path / "rows.parquet"))
    assert bits(again.model_) == bits(model.model_)
    here = peer.ColumnTransformer(spec).fit_transform(rows[NUMBERS])
    np.testing.assert_allclose(model.transform(source).collect(), here, rtol=0, atol=1e-12)
    assert [c.kind for c in model.certificate_.claims][:2] == [
        "a: simpleimputer: gap",
        "a: simpleimputer: columns with gaps",
    ]


def test_rows_are_read_as_often_as_the_preparation_is_deep(tmp_path, reads):
    rows = frame(600)
    rows.to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    source = tn.scan(tmp_path / "rows.parquet", target="bought", drop=["note"])
    numbers = tn.make_pipeline(tn.SimpleImputer(), tn.StandardScaler(), tn.PCA(2))
    first = tn.ColumnTransformer([("num", numbers, NUMBERS), ("cat", tn.OneHotEncoder(), ["port"])], sparse_threshold=0)
    first.fit(source)
    assert len(reads) == (1 + 3) * len(source)  # the categories, and one for each step of the longest branch
    reads.clear()
    model = tn.make_pipeline(first, tn.GaussianNB()).fit(source)
    assert len(reads) == (3 + 1 + 1) * len(source)  # the categories are known; the classes, and the learner
    found = saved(tmp_path, model)
    assert found.predict(source).collect().tolist() == model.predict(rows).tolist()


def test_a_fit_that_was_cut_off_goes_on(tmp_path):
    rows = frame()
    whole = tn.ColumnTransformer(columns(name="several passes")).fit(rows)
    model = tn.ColumnTransformer(columns(name="several passes"))
    update, calls = Chain.update, []

    @wraps(update)
    def interrupted(self, state, summary):
        calls.append(state)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return update(self, state, summary)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Chain, "update", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.fit(rows, checkpoint=tmp_path)
    model.fit(rows, checkpoint=tmp_path)
    assert bits(model.model_) == bits(whole.model_)


def test_a_union_takes_pipelines():
    rows = frame()[NUMBERS]
    spec = [("p", steps(tn.Pipeline, CHAINS["principal components"])), ("s", tn.SimpleImputer())]
    mine, theirs = tn.FeatureUnion(spec).fit(rows), peer_pipeline.FeatureUnion(spec).fit(rows)
    np.testing.assert_allclose(mine.transform(rows), theirs.transform(rows), rtol=0, atol=1e-12)
    assert mine.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_the_target_is_learned_within_a_branch_without_a_row_seeing_its_own():
    rows = frame()
    spec = [("mean", tn.make_pipeline(tn.TargetEncoder(), tn.StandardScaler()), ["note", "port"])]
    mine, theirs = tn.ColumnTransformer(spec), peer.ColumnTransformer(spec)
    a, b = mine.fit_transform(rows, rows["bought"]), theirs.fit_transform(rows, rows["bought"])
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)
    np.testing.assert_allclose(mine.transform(rows), theirs.transform(rows), rtol=0, atol=1e-12)
    assert np.abs(a - mine.transform(rows)).max() > 1e-3


@pytest.mark.parametrize(
    ("some", "said"),
    [
        (
            (tn.SimpleImputer(), tn.OneHotEncoder()),
            "step 'onehotencoder' of 'num' is .*takes categories or text.*Remedy",
        ),
        ((tn.SimpleImputer(), tn.Ridge()), "step 'ridge' of 'num' is .*not a transformer of tenfold.*Remedy"),
        ((VarianceThreshold(),), "step 'variancethreshold' of 'num'.*not a transformer of tenfold"),
        ((tn.ColumnTransformer(), tn.PCA(1)), "takes columns apart.*Remedy"),
        ((tn.SimpleImputer(strategy="mood"), tn.PCA(1)), "'strategy' parameter"),
        ((tn.StandardScaler(), tn.PCA(1)), "NaN in column 'age' of the output of StandardScaler"),
    ],
)
def test_what_cannot_be_a_branch_is_refused_by_its_step(some, said):
    with pytest.raises((TypeError, ValueError), match=said):
        tn.ColumnTransformer([("num", tn.make_pipeline(*some), NUMBERS)]).fit(frame())


# ---- folds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [tn.Pipeline, peer_pipeline.Pipeline])
def test_each_fold_learns_from_its_own_rows(make):
    rows = frame(240)
    spec = [*columns(make), ("text", tn.make_pipeline(tn.TextFeatures(), tn.PCA(2)), ["note"])]
    model = make([("columns", tn.ColumnTransformer(spec)), ("none", "passthrough"), ("last", tn.LogisticRegression())])
    found = tn.cross_validate(model, tn.scan(rows, target="bought"), folds=np.arange(240) % 3).scores[0, 0]
    for j in range(3):
        train, test = rows[np.arange(240) % 3 != j], rows[np.arange(240) % 3 == j]
        alone = clone(model).fit(train, train["bought"])
        assert found[j] == pytest.approx(alone.score(test, test["bought"]), abs=1e-12)


def test_all_folds_of_all_steps_share_scans(tmp_path, reads):
    rows = frame(600)
    rows[[*NUMBERS, "bought"]].fillna(0.0).to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    source = tn.scan(tmp_path / "rows.parquet", target="bought")
    model = tn.make_pipeline(tn.SimpleImputer(), tn.StandardScaler(), tn.PCA(2), tn.GaussianNB())
    found = tn.cross_validate(model, source, folds=5)
    assert found.scans == 6  # the classes and the folds of each, four steps, the scores
    assert len(reads) == found.scans * len(source)


def test_names_after_the_first_step_are_known_in_folds():
    rows = frame(200)[[*NUMBERS, "bought"]]
    second = tn.ColumnTransformer([("s", tn.StandardScaler(), ["missingindicator_age", "rank"])])
    model = tn.make_pipeline(tn.SimpleImputer(add_indicator=True), second, tn.LogisticRegression())
    source = tn.scan(rows, target="bought")
    found = tn.cross_validate(model, source, folds=4)
    assert found.scores.min() > 0.5
    assert model.fit(source)[1].get_feature_names_out().tolist() == ["s__missingindicator_age", "s__rank"]
    gaps = tn.make_pipeline(tn.StandardScaler(), tn.LogisticRegression())
    with pytest.raises(tn.DataError, match="NaN in column 'age' of the output of StandardScaler"):
        tn.cross_validate(gaps, source, folds=4)


def test_steps_are_tuned_by_their_names():
    rows = frame(200)
    model = tn.make_pipeline(tn.ColumnTransformer(columns()), tn.LogisticRegression())
    found = tn.tune(model, {"columntransformer__num__s2__n_components": [1, 2]}, tn.scan(rows, target="bought"))
    assert type(found.best_estimator_) is tn.Pipeline
    assert found.best_estimator_[0].named_transformers_.num[-1].components_.shape[0] in (1, 2)


# ---- documents -----------------------------------------------------------------------------------

TEXTS = ["red fox runs", "blue hen", "red hen sits", "a fox and a hen", "blue blue fox", ""] * 6
FORMS = {"list": list, "array": np.array, "pandas": pd.Series, "polars": pl.Series, "arrow": pa.array, "iterator": iter}


def vectorizers(module):
    return [("count", module.CountVectorizer()), ("weigh", module.TfidfVectorizer(ngram_range=(1, 2)))]


@pytest.mark.parametrize("form", FORMS)
def test_a_union_takes_documents(form):
    mine, theirs = tn.FeatureUnion(vectorizers(tn)), peer_pipeline.FeatureUnion(vectorizers(text))
    found = mine.fit(FORMS[form](TEXTS)).transform(FORMS[form](TEXTS))
    np.testing.assert_allclose(dense(found), dense(theirs.fit_transform(TEXTS)), rtol=0, atol=1e-12)
    assert mine.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


@pytest.mark.parametrize("form", FORMS)
def test_documents_are_classified(form):
    y = np.arange(36) % 3 == 0
    model = tn.make_pipeline(tn.TfidfVectorizer(), tn.LogisticRegression()).fit(FORMS[form](TEXTS), y)
    theirs = peer_pipeline.make_pipeline(text.TfidfVectorizer(), linear.LogisticRegression(tol=1e-10)).fit(TEXTS, y)
    found = model.predict_proba(FORMS[form](TEXTS))
    np.testing.assert_allclose(found, theirs.predict_proba(TEXTS), rtol=0, atol=1e-5)


def test_documents_are_classified_in_folds_that_learn_their_own_words():
    some = [f"{one} word{at}" for at, one in enumerate(TEXTS)]
    y = np.array([("fox" in one) for one in some])
    union = tn.make_union(tn.TfidfVectorizer(), tn.make_pipeline(tn.CountVectorizer(), tn.PCA(2)))
    model = tn.make_pipeline(union, tn.LogisticRegression())
    found = tn.cross_validate(model, some, y, folds=np.arange(36) % 3).scores[0, 0]
    for j in range(3):
        train, test = np.flatnonzero(np.arange(36) % 3 != j), np.flatnonzero(np.arange(36) % 3 == j)
        alone = clone(model).fit([some[i] for i in train], y[train])
        assert alone.score([some[i] for i in test], y[test]) == found[j]


@pytest.mark.parametrize("memory", [False, True])
def test_rows_between_any_two_steps_are_in_the_form_that_the_next_takes(memory, tmp_path):
    X = pd.DataFrame({"word": list("abcaab"), "n": [3, 1, 3, 2, 1, 2]})
    y = np.arange(6.0)
    encode, kept = tn.OneHotEncoder(), str(tmp_path) if memory else None
    dense_rows = encode.fit_transform(X).toarray()
    frozen = FrozenEstimator(tn.MinMaxScaler().fit(dense_rows))
    expected = tn.Ridge().fit(dense_rows, y).predict(dense_rows)
    for scale in (tn.MinMaxScaler(), tn.make_pipeline("passthrough", tn.MinMaxScaler()), frozen):
        for steps in ((scale,), ("passthrough", scale)):
            model = tn.make_pipeline(tn.OneHotEncoder(), *steps, tn.Ridge(), memory=kept).fit(X, y)
            np.testing.assert_allclose(model.predict(X), expected, rtol=1e-12)
            assert model.memory == kept
