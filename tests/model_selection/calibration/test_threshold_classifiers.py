"""Thresholds over sources: what scikit-learn's classifiers give on the same rows in memory with the same folds."""

import numpy as np
import pandas as pd
import pytest
import sklearn.model_selection
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import ShuffleSplit, TimeSeriesSplit

import tenfold as tn

SIZES = [150, 100, 200]
FILE = np.repeat(np.arange(3), SIZES)


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(450, 3)), columns=list("abc"))
    size = frame.a - 2 * frame.b + random.normal(size=450)
    frame["up"] = (size > 1).astype(int)
    frame["kind"] = np.select([size > 1, size < -1], [2, 0], 1)
    frame["shop"] = random.choice(["Bern", "Oslo", "Rome"], 450)
    return frame


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("orders")
    ends = np.cumsum(SIZES)
    for k, (start, end) in enumerate(zip(ends - SIZES, ends, strict=True)):
        frame[start:end].to_parquet(path / f"{k}.parquet", row_group_size=70)
    return str(path)


def leave_out(groups):
    return [(np.flatnonzero(groups != g), np.flatnonzero(groups == g)) for g in np.unique(groups)]


def compare(ours, theirs, rows, X):
    assert ours.best_threshold_ == pytest.approx(theirs.best_threshold_, rel=1e-6)
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-6)
    assert ours.predict(rows).collect().tolist() == theirs.predict(X).tolist()
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    np.testing.assert_allclose(ours.predict_proba(rows).collect(), theirs.predict_proba(X), rtol=1e-6)


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (tn.GaussianNB(), {}),
        (tn.make_pipeline(tn.StandardScaler(), tn.LogisticRegression(tol=1e-10)), {"scoring": "f1", "thresholds": 23}),
        (
            tn.LogisticRegression(tol=1e-10),
            {"response_method": "decision_function", "thresholds": [-1.0, 0.0, 0.5, 2.0]},
        ),
        (tn.GaussianNB(), {"scoring": make_scorer(fbeta_score, beta=2, pos_label=0), "store_cv_results": True}),
    ],
)
def test_files_are_folds(frame, folder, model, options):
    X, y = frame[list("abc")], frame["up"].to_numpy()
    rows = tn.scan(folder, target="up", columns=list("abc"))
    ours = tn.TunedThresholdClassifierCV(model, cv="file", **options).fit(rows)
    theirs = sklearn.model_selection.TunedThresholdClassifierCV(model, cv=leave_out(FILE), **options).fit(X, y)
    compare(ours, theirs, rows, X)
    assert ours.score(rows) == pytest.approx(theirs.score(X, y))
    if "store_cv_results" in options:
        assert ours.cv_results_["scores"] == pytest.approx(theirs.cv_results_["scores"])
        assert ours.cv_results_["thresholds"] == pytest.approx(theirs.cv_results_["thresholds"])


def test_other_folds(frame, folder):
    X, y = frame[list("abc")], frame["up"].to_numpy()
    rows = tn.scan(folder, target="up", columns=list("abc"))
    shop, one = leave_out(frame["shop"].to_numpy()), ShuffleSplit(1, random_state=0)
    for cv, splits, refit in (
        (tn.col("shop"), shop, True),
        ("time", list(TimeSeriesSplit(5).split(X)), True),
        (one, list(one.split(X)), False),
    ):
        ours = tn.TunedThresholdClassifierCV(tn.GaussianNB(), cv=cv, refit=refit).fit(rows)
        theirs = sklearn.model_selection.TunedThresholdClassifierCV(tn.GaussianNB(), cv=splits, refit=refit).fit(X, y)
        compare(ours, theirs, rows, X)
    framed = tn.TunedThresholdClassifierCV(tn.GaussianNB(), cv="shop").fit(frame[[*"abc", "shop"]], y)
    theirs = sklearn.model_selection.TunedThresholdClassifierCV(tn.GaussianNB(), cv=shop).fit(X, y)
    compare(framed, theirs, rows, X)
    model = tn.GaussianNB().fit(X[:200], y[:200])
    asked = {"cv": "prefit", "refit": False}
    ours = tn.TunedThresholdClassifierCV(model, **asked).fit(rows)
    compare(ours, sklearn.model_selection.TunedThresholdClassifierCV(model, **asked).fit(X, y), rows, X)


def test_a_fixed_threshold(frame, folder):
    X, y = frame[list("abc")], frame["up"].to_numpy()
    rows = tn.scan(folder, target="up", columns=list("abc"))
    for model, options in (
        (tn.GaussianNB(), {}),
        (tn.GaussianNB(), {"threshold": 0.1, "pos_label": 0}),
        (tn.LinearSVC(random_state=0), {"threshold": -0.3}),
        (tn.LogisticRegression(), {"response_method": "decision_function"}),
    ):
        ours = tn.FixedThresholdClassifier(model, **options).fit(rows)
        theirs = sklearn.model_selection.FixedThresholdClassifier(model, **options).fit(X, y)
        assert ours.predict(rows).collect().tolist() == theirs.predict(X).tolist()
        assert ours.predict(X).tolist() == theirs.predict(X).tolist()
        assert ours.score(rows) == pytest.approx(theirs.score(X, y))
        fitted = tn.FixedThresholdClassifier(theirs.estimator_, **options)
        assert fitted.predict(rows).collect().tolist() == theirs.predict(X).tolist()
    assert tn.FixedThresholdClassifier(LogisticRegression(), threshold=0.2).fit(X, y).score(X, y) > 0.5
    assert tn.model_selection.FixedThresholdClassifier is tn.FixedThresholdClassifier


def test_what_cannot_be_tuned(frame, folder):
    three = tn.scan(folder, target="kind", columns=list("abc"))
    rows = tn.scan(folder, target="up", columns=list("abc"))
    for model in (
        tn.FixedThresholdClassifier(tn.GaussianNB()),
        tn.TunedThresholdClassifierCV(tn.GaussianNB(), cv="file"),
    ):
        with pytest.raises(ValueError, match="Only binary classification is supported. Unknown label type: multiclass"):
            model.fit(three)
        with pytest.raises(ValueError, match="a Source names its own target"):
            model.fit(rows, frame["up"])
    with pytest.raises(
        tn.ParameterError, match="cv=0.2 draws rows of each class, which needs them in memory. Remedy: "
    ):
        tn.TunedThresholdClassifierCV(tn.GaussianNB(), cv=0.2).fit(rows)
    with pytest.raises(ValueError, match="When cv has several folds, refit cannot be False"):
        tn.TunedThresholdClassifierCV(tn.GaussianNB(), cv="file", refit=False).fit(rows)
    with pytest.raises(ValueError, match="When cv='prefit', refit cannot be True"):
        tn.TunedThresholdClassifierCV(tn.GaussianNB(), cv="prefit").fit(rows)
    with pytest.raises(ValueError, match="makes constant predictions"):
        tn.TunedThresholdClassifierCV(tn.DummyClassifier(), cv="file").fit(rows)
    with pytest.raises(tn.DataError, match="needs its rows in memory"):
        tn.TunedThresholdClassifierCV(LogisticRegression()).fit(rows)
