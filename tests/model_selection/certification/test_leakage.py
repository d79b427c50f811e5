"""Rows that were seen before: by the model that is scored, or by others that were scored on them."""

import warnings

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import tenfold as tn
from helpers import learners
from tenfold.model_selection.certification.certify import certify
from tenfold.model_selection.certification.intervals import error_interval
from tenfold.model_selection.certification.leakage import forget
from tenfold.testing.data import draw


@pytest.fixture(autouse=True)
def fresh():
    """No rows have scored anything yet."""
    forget()


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(900, 3))
    number = X @ [1.0, 2.0, 3.0] + random.normal(size=900)
    return X, number, np.where(X[:, 0] + random.normal(size=900) > 0.3, "yes", "no")


@pytest.fixture(scope="module")
def ridge(data):
    return tn.Ridge().fit(data[0][:500], data[1][:500])


@pytest.fixture(scope="module")
def bayes(data):
    return tn.GaussianNB().fit(data[0][:500], data[2][:500])


def ends(found, kind):
    return found[f"{kind} at least"].value, found[f"{kind} at most"].value


class Coin(ClassifierMixin, BaseEstimator):
    """Says its only column."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return X[:, 0].astype(int)


def test_reuse_moves_the_ends_apart(data, bayes, ridge):
    X, number, kind = data
    found = certify(bayes, X[500:], kind[500:], reused=20)
    strict = certify(bayes, X[500:], kind[500:], level=1 - 0.05 / 20)
    assert ends(found, "error") == pytest.approx(ends(strict, "error"), rel=1e-12)
    assert "with 95 % confidence for all 20 models together (Bonferroni)" in found["error at most"].because
    assert found["models scored"].value == 20
    once, often = (certify(ridge, X[500:], number[500:], reused=k) for k in (1, 5))
    assert ends(often, "r2")[0] < ends(once, "r2")[0]
    assert once.get("models scored") is None


def test_a_second_model_on_the_same_rows_is_noticed(data, bayes):
    X, _, kind = data
    frame = pd.DataFrame(X[500:], columns=["a", "b", "c"])
    other = LogisticRegression().fit(X[:500], kind[:500])
    first = certify(bayes, X[500:], kind[500:])
    assert certify(bayes, X[500:], kind[500:], level=0.9)["error"] == first["error"], "the same model"
    certify(bayes, X[500:], kind[500:], groups=np.arange(400) % 40)
    with pytest.warns(UserWarning, match=r"scored 1 other model by error.*reused=2 if it was, reused=1 if not"):
        found = certify(other, X[500:], kind[500:].tolist())
    exact = error_interval(round(400 * found["error"].value), 400)
    assert ends(found, "error") == (exact.low, exact.high), "the warning changes no number"
    certify(other, X[500:], kind[500:], scoring="roc_auc")
    certify(other, X[501:], kind[501:])
    certify(other, X[500:], kind[500:], reused=2)
    early = pd.DataFrame(X[:200], columns=["a", "b", "c"])
    third = tn.GaussianNB().fit(early, kind[:200])
    with pytest.warns(UserWarning, match="scored 2 other models by error"):
        certify(third, frame, kind[500:])
    source = tn.scan(frame.assign(y=kind[500:]), target="y")
    certify(bayes, source)
    with pytest.warns(UserWarning, match="scored 1 other model by error"):
        certify(third, source)


def test_choosing_on_the_test_set():
    """Of forty coins the best looks better than a coin; corrected, its ends hold what is true of all."""
    held = {"reused=1": 0, "reused=40": 0}
    for run in range(40):
        random = np.random.default_rng([8, run])
        y = random.integers(0, 2, 200)
        X = random.integers(0, 2, (200, 40)).astype(float)
        best = int((y[:, None] != X).mean(axis=0).argmin())
        model = make_pipeline(FunctionTransformer(lambda X, c=best: X[:, [c]]), Coin()).fit(X, y)
        for reused in (1, 40):
            low, high = ends(certify(model, X, y, reused=reused), "error")
            held[f"reused={reused}"] += low <= 0.5 <= high
    assert held["reused=1"] < 25, "each of the forty holds 95 times in 100, the chosen one does not"
    assert held["reused=40"] >= 36


def test_of_what_was_tuned(data):
    X, number, _ = data
    found = tn.tune(tn.Ridge(), {"alpha": [1.0, 10.0]}, X[:500], number[:500])
    assert certify(found, X[500:], number[500:]).claims == certify(found.best_estimator_, X[500:], number[500:]).claims


@pytest.mark.parametrize("merged", [False, True])
def test_rows_that_the_model_was_made_from(data, ridge, merged):
    X, number, _ = data
    model = ridge + tn.Ridge().fit(X[500:], number[500:]) if merged else ridge
    with pytest.warns(UserWarning, match="made from these rows"):
        found = certify(model, X[:500], number[:500])
    assert found["r2"].about == "data"
    assert found.get("r2 at most") is None
    with pytest.raises(KeyError, match="speaks of mean absolute error"):
        found["r2 at most"]


def test_rows_that_others_were_made_from(data, bayes):
    X, number, kind = data
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=number)
    source = tn.scan(frame, target="y")
    cases = [
        (bayes, X[:500], kind[:500]),
        (tn.Ridge().fit(source), source, None),
        (tn.Ridge().fit(frame[["a", "b", "c"]], number), frame[["a", "b", "c"]], number),
        (tn.Ridge().fit(X, number, sample_weight=np.arange(900.0)), X, number),
        (make_pipeline(tn.StandardScaler(), tn.Ridge()).fit(X, number), X, number),
        (make_pipeline(tn.StandardScaler(), LogisticRegression()).fit(X, kind), X, kind),
    ]
    for at, (model, rows, y) in enumerate(cases):
        weight = np.arange(900.0) if at == 3 else None
        with pytest.warns(UserWarning, match="made from these rows"):
            certify(model, rows, y, sample_weight=weight)
    with pytest.warns(UserWarning, match="made from these rows"):
        certify(bayes, X[1:500], kind[1:500])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        certify(DummyRegressor().fit(X, number), X, number)


@pytest.mark.parametrize("frame", [False, True])
def test_some_rows_among_those_trained_on_are_noticed(frame):
    random = np.random.default_rng(5)
    X = random.standard_normal((3000, 3))
    y = X[:, 0] > 0.1 * random.standard_normal(3000)
    rows = pd.DataFrame(X, columns=list("abc")) if frame else X
    model = tn.GaussianNB().fit(rows[:1000], y[:1000]) + tn.GaussianNB().fit(rows[1000:2000], y[1000:2000])
    with pytest.warns(UserWarning, match=r"some of these rows \(about (2|3|4)\d%") as told:
        promise = tn.certify(model, rows[1700:2700], y[1700:2700])
    assert len(told) == 1
    assert promise.get("error at most") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        promise = tn.certify(model, rows[2000:], y[2000:])
    assert promise.get("error at most") is not None


def test_equal_rows_of_few_values_are_no_proof():
    random = np.random.default_rng(6)
    X = random.integers(0, 3, (2000, 3)).astype(float)
    y = random.integers(0, 2, 2000)
    model = tn.GaussianNB().fit(X[:1000], y[:1000])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        promise = tn.certify(model, X[1000:], y[1000:])
    assert promise.get("error at most") is not None


def test_a_file_among_those_trained_on_is_noticed(tmp_path):
    random = np.random.default_rng(7)
    for name in "abc":
        frame = pd.DataFrame(random.standard_normal((500, 3)), columns=["x", "z", "y"])
        frame.to_parquet(tmp_path / f"{name}.parquet")
    model = tn.Ridge().fit(tn.scan([tmp_path / "a.parquet", tmp_path / "b.parquet"], target="y"))
    path = tmp_path / "model.tenfold"
    model.save(path)
    for one in (model, tn.load(path)):
        with pytest.warns(UserWarning, match=r"some of these rows \(about (4[5-9]|5[0-5])%"):
            tn.certify(one, tn.scan([tmp_path / "b.parquet", tmp_path / "c.parquet"], target="y"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tn.certify(one, tn.scan(tmp_path / "c.parquet", target="y"), reused=1)


def told(model, *rows):
    """Whether `certify` says that the model was made from the rows; if so it promises nothing."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        promise = tn.certify(model, *rows, reused=1)
    seen = any("made from" in str(one.message) for one in said)
    assert seen == (promise.get("r2 at most") is None)
    return seen


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file, a copy of it written later with other row groups, and the frame that is in both."""
    folder = tmp_path_factory.mktemp("seen")
    random = np.random.default_rng(3)
    frame = pd.DataFrame(random.standard_normal((4000, 3)), columns=["a", "b", "c"])
    frame["kind"] = random.choice(["x", "y", "zz"], 4000)
    frame["half"] = np.arange(4000) % 2
    frame["y"] = frame["a"] + random.standard_normal(4000)
    frame.to_parquet(folder / "one.parquet", row_group_size=1000)
    frame.to_parquet(folder / "copy.parquet", row_group_size=700)
    return folder, frame


def test_halves_of_a_file_by_a_filter_are_told_apart(files):
    folder, _ = files
    one, other = (
        tn.scan(folder / "one.parquet", target="y", drop=["half"], where=pc.field("half") == h) for h in (0, 1)
    )
    model = tn.Ridge().fit(one)
    assert not told(model, other)
    assert told(model, one)
    assert told(model, tn.scan(folder / "one.parquet", target="y", drop=["half"])), "half of these"


def test_rows_of_weight_zero_are_no_rows_that_a_model_was_made_from(data):
    X, number, _ = data
    weight = np.repeat([1.0, 0.0], [500, 400])
    model = tn.Ridge().fit(X, number, sample_weight=weight)
    assert not told(model, X[500:], number[500:])
    assert told(model, X[:500], number[:500])


def test_the_same_rows_in_another_form_are_recognised(files):
    folder, frame = files
    names = ["a", "b", "c", "kind"]
    rows = tn.scan(folder / "one.parquet", target="y", columns=names)
    model = tn.Ridge().fit(rows)
    small = frame[names].astype({"a": np.float32, "b": np.float32, "c": np.float32})
    for form in (
        (tn.scan(folder / "copy.parquet", target="y", columns=names),),
        (frame[names], frame["y"]),
        (small, frame["y"]),
        (frame[names].assign(kind=frame["kind"].astype("category")), frame["y"]),
        (frame[names][1000:1300], frame["y"][1000:1300]),
        (tn.scan(frame[["y", *names]], target="y"),),
        (dd.from_pandas(frame[[*names, "y"]], npartitions=3)[names], dd.from_pandas(frame["y"], npartitions=3)),
    ):
        assert told(model, *form)
    other = frame[names].assign(a=frame["a"] + 1e-3)
    assert not told(model, other, frame["y"])


@pytest.mark.parametrize("form", ["float32", "slice", "sparse", "list", "fortran"])
def test_the_same_rows_of_an_array_in_another_form_are_recognised(form):
    random = np.random.default_rng(4)
    X = random.standard_normal((60_000, 3))
    y = X[:, 0] + random.standard_normal(60_000)
    model = tn.Ridge().fit(X[:50_000], y[:50_000])
    again = {
        "float32": lambda some: some.astype(np.float32),
        "slice": lambda some: some[13::7],
        "sparse": sp.csr_array,
        "list": lambda some: some[:5000].tolist(),
        "fortran": np.asfortranarray,
    }[form]
    for rows, seen in ((slice(50_000), True), (slice(50_000, None), False)):
        target = {"slice": y[rows][13::7], "list": y[rows][:5000]}.get(form, y[rows])
        assert told(model, again(X[rows]), target) == seen


def test_every_learner_has_marks_of_its_rows():
    """Of whatever it asks first, and however it walks over the rows; one that holds rows too."""
    for learner in learners():
        table = draw(learner.need, 0, rows=60)
        model = clone(learner).fit(table.X, table.y, **(table.given if learner.need.per_sequence else {}))
        assert model.certificate_.provenance.marks, type(learner).__name__


@pytest.mark.parametrize("values", [2, 10, 100])
def test_rows_that_are_equal_by_chance_are_seldom_taken_for_rows_trained_on(values):
    """Three columns of few values: fresh rows are often equal to some that a model was made from."""
    alarms = 0
    for seed in range(30):
        random = np.random.default_rng([values, seed])
        X = random.integers(0, values, (3000, 3)).astype(float)
        y = random.standard_normal(3000)
        alarms += told(tn.Ridge().fit(X[:2000], y[:2000]), X[2000:], y[2000:])
    assert alarms == 0
