"""CalibratedClassifierCV over sources: what scikit-learn's gives on the same rows in memory with the same folds."""

import numpy as np
import pandas as pd
import pytest
import sklearn.calibration
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GroupKFold, ShuffleSplit, TimeSeriesSplit

import tenfold as tn

pytestmark = pytest.mark.filterwarnings("ignore:the folds are not alike")
SIZES = [150, 100, 200]
FILE = np.repeat(np.arange(3), SIZES)


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(450, 3)), columns=list("abc"))
    size = frame.a - 2 * frame.b + random.normal(size=450)
    frame["up"] = np.where(size > 0.5, "yes", "no")
    frame["kind"] = np.select([size > 1, size < -1], [2, 0], 1)
    frame["shop"] = random.choice(["Bern", "Oslo", "Rome"], 450)
    frame["weight"] = random.integers(1, 3, 450).astype(float)
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


def pipeline():
    return tn.make_pipeline(tn.StandardScaler(), tn.GaussianNB())


def compare(ours, theirs, rows, X, y):
    found = ours.predict_proba(rows)
    np.testing.assert_allclose(found.collect(), theirs.predict_proba(X), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6, atol=1e-8)
    assert ours.predict(rows).collect().tolist() == theirs.predict(X).tolist()
    assert ours.score(rows) == pytest.approx(accuracy_score(y, theirs.predict(X)))
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    assert ours.n_features_in_ == 3
    assert len(ours.calibrated_classifiers_) == len(theirs.calibrated_classifiers_)


@pytest.mark.parametrize(
    ("model", "target", "method", "ensemble"),
    [
        (tn.GaussianNB(), "up", "sigmoid", "auto"),
        (pipeline(), "kind", "isotonic", True),
        (tn.LinearSVC(random_state=0), "up", "isotonic", False),
        (pipeline(), "up", "temperature", False),
        (tn.LogisticRegression(), "kind", "temperature", True),
    ],
)
def test_files_are_folds(frame, folder, model, target, method, ensemble):
    X, y = frame[list("abc")], frame[target].to_numpy()
    rows = tn.scan(folder, target=target, columns=list("abc"))
    asked = {"method": method, "ensemble": ensemble}
    ours = tn.CalibratedClassifierCV(model, cv="file", **asked).fit(rows)
    theirs = sklearn.calibration.CalibratedClassifierCV(model, cv=leave_out(FILE), **asked).fit(X, y)
    compare(ours, theirs, rows, X, y)


def test_other_folds(frame, folder):
    X, y = frame[list("abc")], frame["up"].to_numpy()
    rows = tn.scan(folder, target="up", columns=list("abc"))
    shop = frame["shop"].to_numpy()
    for cv, splits, given in (
        (tn.col("shop"), leave_out(shop), {}),
        ("time", list(TimeSeriesSplit(5).split(X)), {}),
        (2, list(GroupKFold(2).split(X, groups=FILE)), {"groups": "file"}),
        (ShuffleSplit(3, random_state=0), list(ShuffleSplit(3, random_state=0).split(X)), {}),
    ):
        ours = tn.CalibratedClassifierCV(tn.GaussianNB(), cv=cv).fit(rows, **given)
        theirs = sklearn.calibration.CalibratedClassifierCV(tn.GaussianNB(), cv=splits).fit(X, y)
        compare(ours, theirs, rows, X, y)
    framed = tn.CalibratedClassifierCV(tn.GaussianNB(), cv="shop").fit(frame[[*"abc", "shop"]], y)
    theirs = sklearn.calibration.CalibratedClassifierCV(tn.GaussianNB(), cv=leave_out(shop)).fit(X, y)
    compare(framed, theirs, rows, X, y)


def test_weights(frame, folder):
    X, y, weight = frame[list("abc")], frame["up"].to_numpy(), frame["weight"].to_numpy()
    rows = tn.scan(folder, target="up", columns=list("abc"), weight="weight")
    ours = tn.CalibratedClassifierCV(tn.GaussianNB(), cv="file").fit(rows)
    theirs = sklearn.calibration.CalibratedClassifierCV(tn.GaussianNB(), cv=leave_out(FILE)).fit(X, y, weight)
    np.testing.assert_allclose(ours.predict_proba(rows).collect(), theirs.predict_proba(X), rtol=1e-6)
    right = theirs.predict(X) == y
    assert ours.score(rows) == pytest.approx(np.average(right, weights=weight))


def test_a_frozen_model_and_rows_in_memory(frame, folder):
    X, y = frame[list("abc")], frame["up"].to_numpy()
    rows = tn.scan(folder, target="up", columns=list("abc"))
    frozen = FrozenEstimator(tn.GaussianNB().fit(X[:200], y[:200]))
    ours = tn.CalibratedClassifierCV(frozen).fit(rows)
    theirs = sklearn.calibration.CalibratedClassifierCV(frozen).fit(X, y)
    compare(ours, theirs, rows, X, y)
    with pytest.raises(tn.ParameterError, match="this one is frozen. Remedy: ensemble='auto'"):
        tn.CalibratedClassifierCV(frozen, ensemble=True).fit(rows)
    mine = tn.CalibratedClassifierCV(LogisticRegression(), cv=3, n_jobs=1).fit(X, y)
    theirs = sklearn.calibration.CalibratedClassifierCV(LogisticRegression(), cv=3).fit(X, y)
    assert np.array_equal(mine.predict_proba(X), theirs.predict_proba(X))
    assert mine.score(X, y) == theirs.score(X, y)
    assert tn.calibration.CalibratedClassifierCV is tn.CalibratedClassifierCV


def test_outputs_are_written_and_learned_from(frame, folder, tmp_path):
    rows = tn.scan(folder, target="up", columns=list("abc"))
    model = tn.CalibratedClassifierCV(pipeline(), cv="file").fit(rows)
    found = model.predict_proba(rows)
    assert repr(found).startswith("<Output of CalibratedClassifierCV: 450 rows in ")
    written = pd.concat(map(pd.read_parquet, found.to_parquet(tmp_path / "found", keep=["shop"])), ignore_index=True)
    assert written.columns.tolist() == ["shop", "probability_no", "probability_yes"]
    assert np.array_equal(written.iloc[:, 1:].to_numpy(), found.collect())
    assert tn.StandardScaler().fit(found).mean_ == pytest.approx(found.collect().mean(axis=0))
    other = tn.CalibratedClassifierCV(pipeline(), cv="file", method="isotonic").fit(rows)
    assert other.predict_proba(rows).fingerprint() != found.fingerprint()
    again = clone(model).fit(rows)
    assert again.predict_proba(rows).collect().tobytes() == found.collect().tobytes()
    with tn.on(tn.Local(1)):
        assert clone(model).fit(rows).predict_proba(rows).collect().tobytes() == found.collect().tobytes()


def test_what_cannot_be_calibrated(frame, folder):
    rows = tn.scan(folder, target="up", columns=list("abc"))
    with pytest.raises(ValueError, match="only works for partitions"):
        tn.CalibratedClassifierCV(tn.GaussianNB(), cv="time", ensemble=False).fit(rows)
    with pytest.raises(ValueError, match="a Source names its own target"):
        tn.CalibratedClassifierCV(tn.GaussianNB()).fit(rows, frame["up"])
    with pytest.raises(ValueError, match="method must be one of"):
        tn.CalibratedClassifierCV(tn.GaussianNB(), method="none").fit(rows)
    with pytest.raises(ValueError, match="ensemble must be"):
        tn.CalibratedClassifierCV(tn.GaussianNB(), ensemble=3).fit(rows)
    with pytest.raises(tn.DataError, match="needs its rows in memory"):
        tn.CalibratedClassifierCV(LogisticRegression()).fit(rows)
    rare = frame.assign(up=np.where(np.arange(450) < 3, "yes", "no"))
    few = tn.scan(rare[[*"abc", "up"]], target="up")
    with (
        pytest.warns(UserWarning, match="least populated class"),
        pytest.raises(ValueError, match="Requesting 4-fold cross-validation but provided less than 4 examples"),
    ):
        tn.CalibratedClassifierCV(tn.GaussianNB(), cv=4).fit(few)
