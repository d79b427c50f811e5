"""Out-of-fold predictions, row by row as a loop over the folds makes them."""

import itertools

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import sklearn.model_selection
from dask.distributed import Client, LocalCluster
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, TimeSeriesSplit
from sklearn.tree import DecisionTreeClassifier

import tenfold as tn
from tenfold.sources import part_rows

METHODS = ["predict", "predict_proba", "predict_log_proba", "decision_function"]
pytestmark = pytest.mark.filterwarnings("ignore:the folds are not alike")


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(0)
    n = 600
    frame = pd.DataFrame(random.normal(size=(n, 3)), columns=list("abc"))
    frame["size"] = frame.a - 2 * frame.b + random.normal(size=n)
    frame["kind"] = np.select([frame["size"] > 1, frame["size"] < -1], ["high", "low"], "mid")
    frame["shop"] = random.choice(["Bern", "Oslo", "Rome"], n)
    frame["day"] = np.datetime64("2025-03-01", "us") + np.sort(random.integers(0, 9 * 86_400, n)).astype("m8[s]")
    frame["note"] = random.choice(["late", "late again", "all well", "well"], n)
    frame["weight"] = random.integers(0, 3, n).astype(float)
    return frame


SIZES = [100, 230, 30, 240]
FILE = np.repeat(np.arange(4), SIZES)


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("orders")
    ends = np.cumsum(SIZES)
    for k, (start, end) in enumerate(zip(ends - SIZES, ends, strict=True)):
        frame[start:end].to_parquet(path / f"{k}.parquet", row_group_size=70)
    return str(path)


def by_loop(model, X, y, splits, method="predict", weight=None):
    """Fit a model for each split, and let it predict its test rows."""
    found = None
    for train, test in splits:
        given = {} if weight is None else {"sample_weight": weight[train]}
        said = getattr(clone(model).fit(X.iloc[train], y[train], **given), method)(X.iloc[test])
        if found is None:
            found = np.empty((len(X), *said.shape[1:]), said.dtype)
        found[test] = said
    return found


def leave_out(groups):
    return [(np.flatnonzero(groups != g), np.flatnonzero(groups == g)) for g in np.unique(groups)]


def same(found, wanted):
    assert found.shape == wanted.shape
    assert found.dtype.kind == wanted.dtype.kind
    if found.dtype.kind in "OU":
        assert found.tolist() == wanted.tolist()
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-9)


def pipeline():
    return tn.make_pipeline(tn.StandardScaler(), tn.LogisticRegression())


@pytest.mark.parametrize(
    ("model", "target", "method"),
    [
        (tn.Ridge(), "size", "predict"),
        (tn.DecisionTreeRegressor(max_depth=4), "size", "predict"),
        *((model, "kind", method) for model in (tn.GaussianNB(), pipeline()) for method in METHODS),
    ],
)
def test_rows_are_predicted_by_the_model_of_their_fold(frame, folder, model, target, method):
    if not hasattr(model, method):
        with pytest.raises(AttributeError, match=f"has no method '{method}'. Remedy: "):
            tn.cross_val_predict(model, frame[list("abc")], frame[target], method=method)
        return
    X, y = frame[list("abc")], frame[target].to_numpy()
    even = (KFold if target == "size" else StratifiedKFold)(5).split(X, y)
    drawn = list(KFold(4, shuffle=True, random_state=1).split(X))
    rows = tn.scan(folder, target=target, columns=list("abc"))
    table = tn.scan(frame, target=target, columns=list("abc"))
    whole = tn.scan(dd.from_pandas(frame, npartitions=7), target=target, columns=[*"abc", "shop"])
    for source, folds, splits in (
        (X, None, list(even)),
        (X, drawn, drawn),
        (X.to_numpy(), KFold(4, shuffle=True, random_state=1), drawn),
        (X, FILE, leave_out(FILE)),
        (rows, "file", leave_out(FILE)),
        (table, "shop", leave_out(frame["shop"].to_numpy())),
        (rows, tn.col("shop"), leave_out(frame["shop"].to_numpy())),
        (rows, tn.col("day").dt.date(), leave_out(frame["day"].dt.date.to_numpy())),
        (whole, "shop", leave_out(frame["shop"].to_numpy())),
    ):
        given = (y,) if source is X or isinstance(source, np.ndarray) else ()
        found = tn.cross_val_predict(model, source, *given, cv=folds, method=method)
        if not given:
            assert len(list(found)) == len(source)  # part by part
            found = found.collect()
        wanted = by_loop(model, X, y, splits, method)
        if folds is None:
            same(wanted, sklearn.model_selection.cross_val_predict(model, X, y, method=method))
        same(found, wanted)


def test_groups(frame, folder):
    X, y, model = frame[list("abc")], frame["size"].to_numpy(), tn.Ridge()
    rows = tn.scan(folder, target="size", columns=list("abc"))
    file = list(GroupKFold(3).split(X, groups=FILE))
    day = frame["day"].dt.day.to_numpy()
    same(tn.cross_val_predict(model, rows, folds=3, groups="file").collect(), by_loop(model, X, y, file))
    same(tn.cross_val_predict(model, X, y, cv=3, groups=FILE), by_loop(model, X, y, file))
    by_day = by_loop(model, X, y, list(GroupKFold(3).split(X, groups=day)))
    same(tn.cross_val_predict(model, rows, folds=3, groups=tn.col("day").dt.date()).collect(), by_day)


def test_text_and_dates_go_through_the_pipeline(frame, folder):
    """Each model has words of its own: those of the rows that it learned from."""
    chosen = [
        ("note", tn.CountVectorizer(), "note"),
        ("day", tn.DateParts(["day"]), ["day"]),
        ("a", "passthrough", ["a"]),
    ]
    model = tn.make_pipeline(tn.ColumnTransformer(chosen), tn.LogisticRegression(max_iter=500, tol=1e-10))
    X, y = frame[["note", "day", "a"]], frame["kind"].to_numpy()
    rows = tn.scan(folder, target="kind", columns=["note", "day", "a"])
    found = tn.cross_val_predict(model, rows, folds="file", method="predict_proba").collect()
    np.testing.assert_allclose(found, by_loop(model, X, y, leave_out(FILE), "predict_proba"), atol=1e-6)


@pytest.mark.parametrize("model", [tn.Ridge(), tn.GaussianNB()])
def test_rows_of_weight_zero_are_predicted_and_taught_nothing(frame, folder, model):
    target = "size" if isinstance(model, tn.Ridge) else "kind"
    X, y, weight = frame[list("abc")], frame[target].to_numpy(), frame["weight"].to_numpy()
    rows = tn.scan(folder, target=target, columns=list("abc"), weight="weight")
    found = tn.cross_val_predict(model, rows, folds="file").collect()
    same(found, by_loop(model, X, y, leave_out(FILE), weight=weight))
    assert tn.cross_val_predict(model, rows, shuffle=False).collect().shape == (600,)
    splits = list(KFold(4).split(X))
    for given in ({"sample_weight": weight}, {"params": {"sample_weight": weight}}):
        same(tn.cross_val_predict(model, X, y, cv=splits, **given), by_loop(model, X, y, splits, weight=weight))


def test_classes_of_rows_with_weights_are_dealt_among_those_with_a_weight(frame):
    """As `cross_validate` deals them; a row without weight is predicted by the first of the models."""
    X, y, weight = frame[list("abc")], frame["kind"].to_numpy(), frame["weight"].to_numpy()
    kept = np.flatnonzero(weight)
    splits = [(kept[a], kept[b]) for a, b in StratifiedKFold(5).split(X.iloc[kept], y[kept])]
    wanted = by_loop(tn.GaussianNB(), X, y, splits, weight=weight)
    first = tn.GaussianNB().fit(X.iloc[splits[0][0]], y[splits[0][0]], weight[splits[0][0]])
    wanted[weight == 0] = first.predict(X[weight == 0])
    for part in (37, 1000):
        with part_rows(part):
            same(tn.cross_val_predict(tn.GaussianNB(), X, y, sample_weight=weight), wanted)


def test_the_same_bits_everywhere(frame, folder):
    rows = tn.scan(folder, target="kind", columns=list("abc"))
    asked = {"folds": 4, "random_state": 3, "method": "predict_proba"}
    with tn.on(tn.Local(1)):
        one = tn.cross_val_predict(pipeline(), rows, **asked).collect()
    with (
        LocalCluster(2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
        tn.on(tn.Dask(client)),
    ):
        found = tn.cross_val_predict(pipeline(), rows, **asked)
        assert found.collect().tobytes() == one.tobytes()


def test_outputs_are_a_source(frame, folder, tmp_path):
    """Shown, written, and learned from: classes by which folds are dealt are still the target."""
    rows = tn.scan(folder, target="kind", columns=list("abc"), weight="weight")
    found = tn.cross_val_predict(tn.GaussianNB(), rows, folds=4, method="predict_proba")
    values = found.collect()
    assert "Output of GaussianNB, out of fold: 600 rows in" in repr(found)
    paths = found.to_parquet(tmp_path / "found", keep=["shop"])
    written = pd.concat(map(pd.read_parquet, paths), ignore_index=True)
    assert written.columns.tolist() == ["shop", "probability_high", "probability_low", "probability_mid"]
    assert written["shop"].tolist() == frame["shop"].tolist()
    assert np.array_equal(written.iloc[:, 1:].to_numpy(), values)
    weight = frame["weight"].to_numpy()
    above = tn.LogisticRegression().fit(found)
    beside = tn.LogisticRegression().fit(values, frame["kind"], sample_weight=weight)
    np.testing.assert_allclose(above.coef_, beside.coef_, rtol=1e-6)
    scaled = tn.StandardScaler().fit(found)
    np.testing.assert_allclose(scaled.mean_, np.average(values, axis=0, weights=weight))
    other = tn.cross_val_predict(tn.GaussianNB(), rows, folds=4, random_state=1, method="predict_proba")
    assert other.fingerprint() != found.fingerprint()
    with pytest.raises(tn.DataError, match="the target is text, which is no number"):
        tn.Ridge().fit(tn.cross_val_predict(tn.GaussianNB(), rows.unweighted(), folds=4, method="predict_proba"))


def test_classes_that_are_numbers_are_a_target_of_numbers_too(frame, tmp_path):
    some = frame.assign(up=(frame["size"] > 0).astype(int))
    some.to_parquet(tmp_path / "rows.parquet", row_group_size=100)
    rows = tn.scan(str(tmp_path / "rows.parquet"), target="up", columns=list("abc"))
    found = tn.cross_val_predict(tn.GaussianNB(), rows, folds=4, method="predict_proba")
    beside = tn.Ridge().fit(found.collect(), some["up"])
    np.testing.assert_allclose(tn.Ridge().fit(found).coef_, beside.coef_, rtol=1e-9)


def test_what_learners_abstain_from_is_undecided(tmp_path):
    X = pd.DataFrame(list(itertools.product("ab", "ab", "ab")) * 3, columns=list("xyz"))
    y = np.where(X["x"] == "a", "yes", "no")
    model = tn.CandidateElimination(pos_label="yes", undecided="open")
    splits = list(KFold(4).split(X))
    same(tn.cross_val_predict(model, X, y, cv=splits), by_loop(model, X, y, splits))


def test_estimators_of_scikit_learn_predict_in_memory(frame):
    X, y = frame[[*"abc", "shop"]], frame["kind"]
    model = DecisionTreeClassifier(max_depth=3, random_state=0)
    found = tn.cross_val_predict(model, X, y, folds="shop", method="predict_proba")
    shops = leave_out(frame["shop"].to_numpy())
    same(found, by_loop(model, X[list("abc")], y.to_numpy(), shops, "predict_proba"))
    weight = frame["weight"].to_numpy()
    found = tn.cross_val_predict(model, X, y, folds="shop", sample_weight=weight)
    same(found, by_loop(model, X[list("abc")], y.to_numpy(), shops, weight=weight))
    theirs = sklearn.model_selection.cross_val_predict
    rows, three = frame[list("abc")], KMeans(3, random_state=0, n_init=1)
    same(tn.cross_val_predict(three, rows, cv=3, verbose=0), theirs(three, rows, cv=3))
    logistic = LogisticRegression()
    same(
        tn.cross_val_predict(logistic, rows, y, n_jobs=1, pre_dispatch=2, params={"sample_weight": weight}),
        theirs(logistic, rows, y, params={"sample_weight": weight}),
    )
    both = frame[["size", "a"]]
    same(tn.cross_val_predict(tn.Ridge(), rows, both), theirs(tn.Ridge(), rows, both))


def test_what_cannot_be_predicted(frame, folder):
    X, y, rows = frame[list("abc")], frame["size"], tn.scan(folder, target="size", columns=list("abc"))
    overlap = [(np.arange(300, 600), np.arange(301)[:300]), (np.arange(200), np.arange(250, 600))]
    for folds in ("time", TimeSeriesSplit(4), overlap):
        with pytest.raises(ValueError, match="only works for partitions: each row is in one test set. Remedy: "):
            tn.cross_val_predict(tn.Ridge(), rows, folds=folds)
    with pytest.raises(ValueError, match="method must be one of 'predict', "):
        tn.cross_val_predict(tn.Ridge(), X, y, method="transform")
    with pytest.raises(ValueError, match="two answers to one question"):
        tn.cross_val_predict(tn.Ridge(), X, y, cv=3, folds=4)
    with pytest.raises(ValueError, match="params may have sample_weight alone"):
        tn.cross_val_predict(tn.Ridge(), X, y, params={"groups": y})
    with pytest.raises(tn.DataError, match="needs its rows in memory"):
        tn.cross_val_predict(LogisticRegression(), rows)
    with pytest.raises(TypeError, match="neither a regressor nor a classifier"):
        tn.cross_val_predict(tn.KMeans(3), rows)


def test_pairs_of_rows_that_have_no_groups_in_common(frame):
    """Every split learns from a sample of the other rows, so no two rows are always on the same side."""
    X, y = frame[list("abc")], frame["size"].to_numpy()
    random = np.random.default_rng(0)
    splits = [
        (random.choice(np.r_[: test[0], test[-1] + 1 : 600], 200, replace=False), test)
        for _, test in KFold(12).split(X)
    ]
    same(tn.cross_val_predict(tn.Ridge(), X, y, cv=splits), by_loop(tn.Ridge(), X, y, splits))
