"""Permutation importance: scikit-learn's on average, the formula of a linear model, and intervals that hold."""

from collections import Counter

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from distributed import Client, LocalCluster
from sklearn.compose import make_column_transformer
from sklearn.inspection import permutation_importance as theirs
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

import tenfold as tn
from tenfold.sources.array_source import ArraySource, part_rows

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask itself, with a newer pandas
SLOPES = np.array([2.0, 1.0, 0.3])


def rows(n, seed=0):
    """Three columns, two of them correlated, and a number."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 1] = 0.6 * X[:, 0] + 0.8 * X[:, 1]
    return X, X @ SLOPES + rng.normal(size=n)


def classes(n, seed=0):
    X, y = rows(n, seed)
    return X, np.where(y > 0.5, "up", "down")


def of_all_pairs(model, X, y):
    """The mean squared error that is gained if each row has the value of each other one, less the one it has."""
    drops, plain = [], ((y - model.predict(X)) ** 2).mean()
    for j in range(X.shape[1]):
        losses = []
        for d in range(len(X)):
            other = X.copy()
            other[:, j] = X[d, j]
            losses.append(np.delete((y - model.predict(other)) ** 2, d))
        drops.append(np.mean(losses) - plain)
    return np.array(drops)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "roc_auc"])
def test_as_scikit_learn_on_average_for_classes(scoring):
    X, y = classes(3000)
    model = tn.GaussianNB().fit(X[:1000], y[:1000])
    X, y = X[1000:], y[1000:]
    found = tn.permutation_importance(model, X, y, scoring=scoring, n_repeats=30)
    wanted = theirs(model, X, y, scoring=scoring, n_repeats=30, random_state=0)
    error = np.hypot(found.importances_std, wanted.importances_std) / np.sqrt(30)
    assert (np.abs(found.importances_mean - wanted.importances_mean) < 4 * error).all()
    assert found.importances_mean[0] > 20 * error[0]


@pytest.mark.parametrize("kind", ["ours", "theirs", "a pipeline"])
@pytest.mark.parametrize("scoring", ["r2", "neg_mean_absolute_error"])
def test_as_scikit_learn_on_average_for_numbers(kind, scoring):
    X, y = rows(3000)
    model = {
        "ours": tn.DecisionTreeRegressor(max_depth=5),
        "theirs": DecisionTreeRegressor(max_depth=5),
        "a pipeline": make_pipeline(tn.StandardScaler(), tn.Ridge()),
    }[kind]
    model = model.fit(X[:1000], y[:1000])
    X, y = X[1000:], y[1000:]
    found = tn.permutation_importance(model, X, y, scoring=scoring, n_repeats=30)
    wanted = theirs(model, X, y, scoring=scoring, n_repeats=30, random_state=0)
    error = np.hypot(found.importances_std, wanted.importances_std) / np.sqrt(30)
    assert (np.abs(found.importances_mean - wanted.importances_mean) < 4 * error + 1e-12).all()
    assert found.importances_std == pytest.approx(wanted.importances_std, rel=0.8)
    assert found.score == pytest.approx(model.score(X, y) if scoring == "r2" else found.score, abs=1e-12)


@pytest.mark.full
def test_the_mean_over_all_pairs_of_rows():
    """Of few rows, all values that a row could be given are known: the mean over draws tends to theirs."""
    X, y = rows(40)
    model = LinearRegression().fit(X, y)
    name = {"scoring": "neg_mean_squared_error", "n_repeats": 4}
    for one in (model, tn.LinearRegression().fit(X, y)):
        runs = [tn.permutation_importance(one, X, y, random_state=s, **name).importances_mean for s in range(150)]
        assert np.mean(runs, axis=0) == pytest.approx(of_all_pairs(model, X, y), rel=0.05)


def truth(model):
    """The mean squared error that a linear model gains on rows of `rows`: 2 c² + 2 c Cov(x, residual)."""
    c = np.asarray(model.coef_)
    covariance = np.array([[1, 0.6, 0], [0.6, 1, 0], [0, 0, 1]])
    return 2 * c**2 + 2 * c * (covariance @ (SLOPES - c))


@pytest.mark.full
@pytest.mark.parametrize("within", ["source", "part"])
def test_intervals_over_rows_hold(within):
    """120 x 3 intervals at 90 %: each column's share is within 4 standard errors of it."""
    model = tn.LinearRegression().fit(*rows(200))
    runs, hits = 120, np.zeros(3)
    for seed in range(runs):
        X, y = rows(300, 1000 + seed)
        found = tn.permutation_importance(
            model, X, y, scoring="neg_mean_squared_error", n_repeats=3, level=0.9, random_state=seed, within=within
        )
        hits += (found.interval[:, 0] <= truth(model)) & (truth(model) <= found.interval[:, 1])
    assert (np.abs(hits / runs - 0.9) < 4 * np.sqrt(0.9 * 0.1 / runs)).all()


@pytest.mark.parametrize("within", ["source", "part"])
def test_intervals_over_repeats_are_of_these_rows(within):
    """They hold what all draws give, and are too short for other rows."""
    model = tn.LinearRegression().fit(*rows(200))
    X, y = rows(300, 1)
    name = {"scoring": "neg_mean_squared_error", "within": within}
    wanted = of_all_pairs(LinearRegression().fit(*rows(200)), X, y)
    found = [tn.permutation_importance(model, X, y, n_repeats=10, random_state=s, **name) for s in range(80)]
    hits = np.mean([(f.repeats_interval[:, 0] <= wanted) & (wanted <= f.repeats_interval[:, 1]) for f in found], axis=0)
    assert (np.abs(hits - 0.95) < 4 * np.sqrt(0.05 * 0.95 / 80)).all()
    shorter = [np.diff(f.repeats_interval)[0, 0] / np.diff(f.interval)[0, 0] for f in found]
    assert np.median(shorter) < 0.6
    alone = tn.permutation_importance(model, X, y, n_repeats=1, **name)
    assert np.isnan(alone.repeats_interval).all()
    assert "how far other repeats differ is not known" in str(alone)
    assert np.isfinite(alone.interval).all()


def test_a_column_that_is_the_same_within_each_part():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.repeat(np.arange(8.0), 100), rng.normal(size=800)])
    y = X.sum(axis=1)
    model = tn.LinearRegression().fit(X, y)
    with part_rows(100):
        found = tn.permutation_importance(model, X, y)
        there = tn.permutation_importance(model, X, y, within="part")
    assert found.importances_mean[0] > 1
    assert there.importances_mean[0] == 0
    assert there.importances_mean[1] > 0.1


def test_a_column_without_a_say_is_of_no_importance():
    X, y = rows(600)
    model = tn.DecisionTreeRegressor(max_depth=1).fit(X, y)
    found = tn.permutation_importance(model, X, y)
    assert (found.importances[1:] == 0).all()
    assert (found.interval[1:] == 0).all()
    assert found.interval[0, 0] > 0
    assert found.training_share == 1
    assert "was trained on these rows" in str(found)


def test_columns_that_say_the_same_are_swapped_together():
    X, y = rows(1000)
    X = np.column_stack([X, X[:, 0]])
    model = tn.Ridge(1e-3).fit(X, y)
    found = tn.permutation_importance(model, X, y, columns=[0, 3, (0, 3), "x2"], scoring="neg_mean_squared_error")
    assert found.names == ["x0", "x3", "x0 + x3", "x2"]
    one, other, both, _ = found.importances_mean
    assert both == pytest.approx(2 * 2.0**2, rel=0.15)
    assert max(one, other) < both / 3


# ---- wherever rows are ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    X, y = rows(2400)
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.assign(y=y, w=np.arange(2400) % 3 / 2).to_parquet(path, row_group_size=400)
    return path, frame, y


@pytest.mark.parametrize("within", ["source", "part"])
def test_the_same_bits_wherever_rows_are(file, within):
    path, frame, y = file
    model = tn.Ridge().fit(frame, y)
    name = {"within": within, "scoring": "neg_mean_absolute_error", "n_repeats": 2}
    with part_rows(400):
        wanted = tn.permutation_importance(model, frame, y, **name)
        assert tn.permutation_importance(model, pl.from_pandas(frame), y, **name).importances.tobytes() == (
            wanted.importances.tobytes()
        )
    for threads in (1, 3):
        with tn.on(tn.Local(threads=threads)):
            found = tn.permutation_importance(model, tn.scan(path, target="y", columns=list("abc")), **name)
        assert found.importances.tobytes() == wanted.importances.tobytes()
        assert found.interval.tobytes() == wanted.interval.tobytes()
        assert found.scans == (2 if within == "source" else 1)
    assert found.rows == 2400


@pytest.mark.full
@pytest.mark.timeout(120)
def test_the_same_bits_on_two_processes(file):
    path, frame, y = file
    model = tn.Ridge().fit(frame, y)
    source = tn.scan(path, target="y", columns=list("abc"), weight="w")

    def bits():
        found = tn.permutation_importance(model, source, n_repeats=2)
        curves = tn.partial_dependence(model, source, ["a", ("b", "c")], grid_resolution=4, kind="both")
        return [one.tobytes() for one in (found.importances, found.interval, *(c.average for c in curves))] + [
            c.individual.tobytes() for c in curves
        ]

    here = bits()
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=":0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
        tn.on(tn.Dask(client)),
    ):
        assert bits() == here
        rows = dd.from_pandas(frame.assign(y=y), npartitions=4)
        found = tn.permutation_importance(model, rows[list("abc")], rows["y"], n_repeats=10)
        curve = tn.partial_dependence(model, rows[list("abc")], "a", grid_resolution=4)
    near = tn.permutation_importance(model, frame, y, n_repeats=10)
    assert found.score == pytest.approx(near.score, abs=1e-12)
    assert found.importances_mean == pytest.approx(near.importances_mean, rel=0.1)
    wanted = tn.partial_dependence(model, frame, "a", grid_resolution=4).average
    assert curve.average == pytest.approx(wanted, abs=1e-12)


class Read(ArraySource):
    """Counts how often each part is read."""

    def __init__(self, *given):
        with part_rows(60):
            super().__init__(*given)
        self.reads = Counter()

    def chunks(self, part, need, schema):
        self.reads[part] += 1
        yield from super().chunks(part, need, schema)


@pytest.mark.parametrize(("within", "scans"), [("source", 2), ("part", 1)])
def test_all_columns_and_repeats_share_a_scan(within, scans):
    X, y = rows(600)
    source = Read(X, y)
    found = tn.permutation_importance(tn.Ridge().fit(X, y), source, within=within, n_repeats=7)
    assert {*source.reads.values()} == {scans}
    assert found.scans == scans


def test_estimators_of_scikit_learn_part_by_part(file):
    path, frame, y = file
    model = LinearRegression().fit(frame, y)
    source = tn.scan(path, target="y", columns=list("abc"))
    found = tn.permutation_importance(model, source, n_repeats=10)
    wanted = theirs(model, frame, y, n_repeats=10, random_state=0)
    assert found.importances_mean == pytest.approx(wanted.importances_mean, rel=0.1)
    assert found.names == ["a", "b", "c"]


@pytest.mark.parametrize("container", ["pandas", "polars", "arrow"])
def test_estimators_of_scikit_learn_on_frames(container):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=500), "kind": rng.choice(["a", "b", "c"], 500), "noise": 1.0})
    y = frame["size"] + 2 * (frame["kind"] == "b")
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough"), LinearRegression()
    )
    given = {"pandas": frame, "polars": pl.from_pandas(frame), "arrow": pl.from_pandas(frame).to_arrow()}[container]
    model.fit(frame if container == "arrow" else given, y)
    found = tn.permutation_importance(model, given, y, n_repeats=3)
    assert found.names == ["size", "kind", "noise"]
    assert found.importances_mean[1] > found.importances_mean[0] / 2 > 0.1
    assert abs(found.importances_mean[2]) < 1e-12
    assert list(frame.columns) == ["size", "kind", "noise"]
    assert len(frame["kind"].unique()) == 3


def test_sparse_rows():
    rng = np.random.default_rng(0)
    X = sp.random_array((800, 4), density=0.3, random_state=0, format="csr")
    y = np.asarray(X.sum(axis=1)).ravel() + X.toarray()[:, 2] + 0.1 * rng.normal(size=800)
    ours, other = tn.Ridge(1e-6).fit(X, y), LinearRegression().fit(X, y)
    dense = tn.permutation_importance(ours, X.toarray(), y)
    assert tn.permutation_importance(ours, X, y).importances == pytest.approx(dense.importances, abs=1e-12)
    some = tn.permutation_importance(other, X.toarray(), y)
    assert tn.permutation_importance(other, X, y).importances == pytest.approx(some.importances, abs=1e-12)
    assert dense.importances_mean.argmax() == 2


def test_categories_and_missing_values():
    rng = np.random.default_rng(0)
    kind = rng.choice(["red", "green", "blue"], 900)
    size = rng.normal(size=900)
    y = np.where(kind == "red", 2.0, 0.0) + np.where(size > 0, 1.0, 0.0)
    size[::7] = np.nan
    frame = pd.DataFrame({"kind": kind, "size": size, "none": rng.normal(size=900)})
    model = tn.DecisionTreeRegressor(max_depth=3).fit(frame, y)
    found = tn.permutation_importance(model, frame, y, n_repeats=20)
    assert (found.interval[:2, 0] > 0.05).all()
    assert abs(found.importances_mean[2]) < 0.02
    codes = frame.assign(kind=frame["kind"].map({"red": 2.0, "green": 1.0, "blue": 0.0}))
    plain = DecisionTreeRegressor(max_depth=3).fit(codes, y)
    wanted = theirs(plain, codes, y, n_repeats=20, random_state=0)
    assert found.importances_mean[:1] == pytest.approx(wanted.importances_mean[:1], rel=0.15)


@pytest.mark.parametrize("model", [tn.LinearRegression(), LinearRegression()])
def test_weights_count_in_the_score(model):
    X, y = rows(600)
    weight = np.where(X[:, 0] > 0, 1.0, 0.0)
    model.fit(X, y)
    found = tn.permutation_importance(model, X, y, sample_weight=weight, n_repeats=30)
    assert found.score == pytest.approx(model.score(X, y, sample_weight=weight), abs=1e-12)
    if isinstance(model, LinearRegression):  # there rows of weight zero lend their values too, as in scikit-learn
        wanted = theirs(model, X, y, sample_weight=weight, n_repeats=30, random_state=0)
        error = np.hypot(found.importances_std, wanted.importances_std) / np.sqrt(30)
        assert (np.abs(found.importances_mean - wanted.importances_mean) < 5 * error).all()


def test_a_class_that_the_model_does_not_know_is_one_that_it_gets_wrong():
    X, y = classes(400)
    for model in (tn.GaussianNB(), LogisticRegression()):
        model.fit(X, y)
        other = y.copy()
        other[:40] = "sideways"
        found = tn.permutation_importance(model, X, other)
        assert found.score == pytest.approx((model.predict(X) == other).mean(), abs=1e-12)


# ---- words ------------------------------------------------------------------------------------------


def test_the_table():
    X, y = rows(500)
    found = tn.permutation_importance(tn.Ridge().fit(X[:100], y[:100]), X[100:], y[100:])
    assert found.training_share == 0
    assert [line.split()[0] for line in str(found).splitlines()[1:4]] == ["x0", "x1", "x2"]
    assert "400 rows; each column was given values of other rows 5 times" in repr(found)
    assert "95 %, other rows" in repr(found)
    assert "95 %, other repeats" in repr(found)
    assert "<td" in found._repr_html_()
    once = tn.permutation_importance(tn.Ridge().fit(X[:100], y[:100]), X[100:], y[100:], n_repeats=1)
    assert "values of other rows 1 time, so how far other repeats differ is not known" in repr(once)
    assert "95 %, other repeats" not in repr(once)  # a column of unknowns
    assert len(once._repr_html_().split("</tr>")[0].split("<th")) == 1 + 3 + 1  # with <thead>
    trained = tn.permutation_importance(tn.Ridge().fit(X[:100], y[:100]), X[:100], y[:100])
    assert "not what improves predictions for new rows" in repr(trained)
    table = found.to_pandas()
    assert list(table.index) == ["x0", "x1", "x2"]
    assert (table["low"] < table["importance"]).all()


@pytest.mark.parametrize("model", [tn.LinearRegression(), LinearRegression()])
def test_few_rows(model):
    X, y = rows(20)
    model.fit(X, y)
    with pytest.raises(tn.DataError, match="not two rows"):
        tn.permutation_importance(model, X[:1], y[:1])
    found = tn.permutation_importance(model, X[:3], y[:3])
    assert np.isfinite(found.importances).all()


def test_a_row_that_is_alone_in_its_part_is_left_out():
    X, y = rows(60)
    model = tn.LinearRegression().fit(X, y)

    def found(size, without):
        weight = np.where(np.isin(np.arange(60), without), 0.0, 1.0)
        with part_rows(size):
            return tn.permutation_importance(model, X, y, sample_weight=weight, within="part")

    some, other = found(2, [0]), found(2, [0, 1])
    assert some.rows == other.rows == 58
    assert some.importances.tobytes() == other.importances.tobytes()
    with pytest.raises(tn.DataError, match="not two rows"):
        found(1, [])


def test_what_is_refused():
    X, y = rows(50)
    model = tn.Ridge().fit(X, y)
    with pytest.raises(TypeError, match="Ridge is neither"):
        tn.permutation_importance(tn.Ridge, X, y)
    with pytest.raises(TypeError, match="StandardScaler is neither"):
        tn.permutation_importance(tn.StandardScaler().fit(X), X, y)
    with pytest.raises(ValueError, match="y is needed"):
        tn.permutation_importance(model, X)
    with pytest.raises(ValueError, match="names its own target"):
        tn.permutation_importance(model, ArraySource(X, y), y)
    with pytest.raises(ValueError, match="scoring='accuracy' is not a score of Ridge"):
        tn.permutation_importance(model, X, y, scoring="accuracy")
    with pytest.raises(ValueError, match="there is no column 'z'"):
        tn.permutation_importance(model, X, y, columns=["z"])
    with pytest.raises(ValueError, match="at most 2"):
        tn.permutation_importance(model, X, y, columns=[3])
    with pytest.raises(ValueError, match="name each once"):
        tn.permutation_importance(model, X, y, columns=[(0, 0)])
    with pytest.raises(ValueError, match="random_state must be"):
        tn.permutation_importance(model, X, y, random_state=2**63)
    with pytest.raises(ValueError, match="within must be"):
        tn.permutation_importance(model, X, y, within="file")
    up = tn.GaussianNB().fit(*classes(50))
    with pytest.raises(tn.DataError, match="one value only"):
        tn.permutation_importance(up, X, np.full(50, "up"), scoring="roc_auc")


def test_one_name_is_one_column():
    frame = pd.DataFrame({"ab": np.arange(40.0), "a": np.arange(40.0) % 3, "b": np.arange(40.0) % 5})
    model = tn.LinearRegression().fit(frame, frame["ab"])
    assert list(tn.permutation_importance(model, frame, frame["ab"], columns="ab").names) == ["ab"]


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_absolute_error", "neg_mean_squared_error"])
@pytest.mark.parametrize("weight", [None, "drawn"])
def test_a_column_that_is_not_used_has_importance_zero_exactly(scoring, weight):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.normal(size=(4 + 3 * seed, 2)), columns=["used", "dropped"])
        y = rng.normal(size=len(frame)).round(3)
        pipeline = tn.make_pipeline(tn.ColumnTransformer([("n", "passthrough", ["used"])]), tn.Ridge()).fit(frame, y)
        w = None if weight is None else rng.uniform(0.5, 2, len(frame))
        found = tn.permutation_importance(pipeline, frame, y, scoring=scoring, n_repeats=2, sample_weight=w)
        assert found.importances[1].tolist() == [0.0, 0.0]
