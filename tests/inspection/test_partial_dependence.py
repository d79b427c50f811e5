"""Partial dependence: scikit-learn's numbers from one scan, wherever rows are."""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import partial_dependence as theirs
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import tenfold as tn
from tenfold.engine import merge
from tenfold.inspection.dependence.grid import Distinct
from tenfold.inspection.dependence.partial_dependence_result import DependenceMeans
from tenfold.sources.array_source import ArraySource, part_rows


def rows(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 5, n)
    return X, X[:, 0] ** 2 + X[:, 1] * X[:, 2] + X[:, 3]


@pytest.fixture(scope="module")
def boosted():
    return tn.HistGradientBoostingRegressor(max_iter=15).fit(*rows())


@pytest.mark.parametrize("weighted", [False, True])
def test_as_scikit_learn(boosted, weighted):
    X, _ = rows()
    weight = np.arange(len(X)) % 3 + 0.5 if weighted else None
    with part_rows(100):
        found = tn.partial_dependence(
            boosted, X, [0, 3, (1, 3)], kind="both", grid_resolution=11, subsample=10_000, sample_weight=weight
        )
    kind = "average" if weighted else "both"  # scikit-learn has weights for the former only
    for one, features in zip(found, ([0], [3], [1, 3]), strict=True):
        wanted = theirs(boosted, X, features, grid_resolution=11, kind=kind, sample_weight=weight)
        for mine, other in zip(one.grid_values, wanted.grid_values, strict=True):
            assert mine == pytest.approx(other, abs=1e-12)
        assert one.average == pytest.approx(wanted.average, abs=1e-12)
        if not weighted:
            assert one.individual == pytest.approx(wanted.individual, abs=1e-12)
    assert [len(one.grid_values[0]) for one in found] == [11, 5, 11]
    assert found[0].scans == 2


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["ours", "theirs"])
def test_classes_as_scikit_learn(kind, classes):
    X, y = rows()
    label = np.array(["low", "mid", "top"])[np.digitize(y, [2.0, 4.0][: classes - 1])]
    model = tn.GaussianNB() if kind == "ours" else RandomForestClassifier(8, random_state=0)
    model.fit(X, label)
    found = tn.partial_dependence(model, X, 0, grid_resolution=7)
    wanted = theirs(model, X, [0], grid_resolution=7, response_method="predict_proba")
    assert found.average == pytest.approx(wanted.average, abs=1e-12)
    assert found.average.shape == (1 if classes == 2 else 3, 7)
    assert found.output("mid") == (0 if classes == 2 else 1)
    assert "mean P(mid)" in str(found)


def test_a_decision_function():
    X, y = rows()
    model = RidgeClassifier().fit(X, y > 2)
    wanted = theirs(model, X, [0], grid_resolution=5, response_method="decision_function")
    assert tn.partial_dependence(model, X, 0, grid_resolution=5).average == pytest.approx(wanted.average, abs=1e-12)
    with pytest.raises(ValueError, match="has no predict_proba"):
        tn.partial_dependence(model, X, 0, response_method="predict_proba")


@pytest.mark.parametrize("container", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("kind", ["ours", "theirs"])
def test_categories(container, kind):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "kind": rng.choice(["a", "b", "c"], 400), "size": rng.normal(size=400), "rooms": rng.integers(1, 4, 400),
    })  # fmt: skip
    y = 2.0 * (frame["kind"] == "b") + frame["size"] + frame["rooms"]
    if kind == "ours":
        model = tn.LinearRegression()
    else:
        model = make_pipeline(
            make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough"), LinearRegression()
        )
    given = {"pandas": frame, "polars": pl.from_pandas(frame), "arrow": pl.from_pandas(frame).to_arrow()}[container]
    model.fit(frame if container == "arrow" else given, y)
    one, pair, rooms, whole = tn.partial_dependence(
        model, given, ["kind", ("kind", "size"), "rooms", "size"], custom_values={"size": [-1, 0.5]}
    )
    assert one.grid_values[0].tolist() == ["a", "b", "c"]
    assert one.categorical == (True,)
    means = y.mean() - 2.0 * (frame["kind"] == "b").mean() + np.array([0.0, 2.0, 0.0])
    assert one.average[0] == pytest.approx(means, abs=1e-9)
    assert pair.average[0, 1] - pair.average[0, 0] == pytest.approx([2.0, 2.0], abs=1e-9)
    assert pair.average[0, 0, 1] - pair.average[0, 0, 0] == pytest.approx(1.5, abs=1e-9)
    assert rooms.grid_values[0].tolist() == [1, 2, 3]
    assert np.diff(rooms.average[0]) == pytest.approx([1.0, 1.0], abs=1e-9)
    assert np.diff(whole.average[0]) == pytest.approx([1.5], abs=1e-9)
    some = tn.partial_dependence(model, given, "kind", custom_values={"kind": ["b", "a"]})
    assert some.average[0] == pytest.approx(means[[1, 0]], abs=1e-9)


def test_whole_numbers_take_values_between(boosted):
    X = np.arange(60).reshape(20, 3)
    model = LinearRegression().fit(X, X[:, 0])
    found = tn.partial_dependence(model, X, 0, custom_values={"x0": [0.5, 1.5]})
    assert np.diff(found.average[0]) == pytest.approx(model.coef_[:1])
    frame = pd.DataFrame(X, columns=list("abc"))
    model.fit(frame, X[:, 0])
    found = tn.partial_dependence(model, frame, "a", custom_values={"a": [0.5, 1.5]})
    assert np.diff(found.average[0]) == pytest.approx(model.coef_[:1])


def test_sparse_rows():
    X = sp.random_array((300, 3), density=0.4, random_state=0, format="csr")
    y = np.asarray(X.sum(axis=1)).ravel()
    for model in (tn.Ridge(), LinearRegression()):
        model.fit(X, y)
        found = [tn.partial_dependence(model, some, 1, grid_resolution=5) for some in (X, X.toarray())]
        assert found[0].average == pytest.approx(found[1].average, abs=1e-12)


def test_missing_values_stay_in_the_other_columns():
    X, y = rows()
    X[::3, 1] = np.nan
    model = tn.HistGradientBoostingRegressor(max_iter=10).fit(X, y)
    found = tn.partial_dependence(model, X, [1, 0], grid_resolution=8)
    wanted = np.nanquantile(X[:, 1], [0.05, 0.95], method="median_unbiased")
    assert found[0].grid_values[0][[0, -1]] == pytest.approx(wanted, abs=0.01)
    moved = X.copy()
    moved[:, 0] = found[1].grid_values[0][3]
    assert found[1].average[0, 3] == pytest.approx(model.predict(moved).mean(), abs=1e-12)


# ---- wherever rows are ----------------------------------------------------------------------------


class Read(ArraySource):
    """Counts how often each part is read."""

    def __init__(self, *given):
        with part_rows(60):
            super().__init__(*given)
        self.reads = Counter()

    def chunks(self, part, need, schema):
        self.reads[part] += 1
        yield from super().chunks(part, need, schema)


def test_all_curves_share_a_scan(boosted):
    X, y = rows()
    source = Read(X, y)
    found = tn.partial_dependence(boosted, source, [0, 1, (0, 1)], grid_resolution=4, kind="both")
    assert {*source.reads.values()} == {2}
    source = Read(X, y)
    again = tn.partial_dependence(
        boosted, source, [0, 1, (0, 1)], custom_values={j: found[j].grid_values[0] for j in (0, 1)}, kind="both"
    )
    assert {*source.reads.values()} == {1}
    assert [one.scans for one in (*found, *again)] == [2, 2, 2, 1, 1, 1]
    for one, other in zip(found, again, strict=True):
        assert one.average.tobytes() == other.average.tobytes()
        assert one.individual.tobytes() == other.individual.tobytes()


def test_the_same_bits_wherever_rows_are(tmp_path):
    X, y = rows(1200)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.assign(y=y, kind="x").to_parquet(tmp_path / "rows.parquet", row_group_size=200)
    model = tn.Ridge().fit(frame, y)
    name = {"features": ["a", ("b", "d")], "grid_resolution": 6, "kind": "both", "subsample": 20}

    def bits(X):
        found = tn.partial_dependence(model, X, **name)
        return [(one.average.tobytes(), one.individual.tobytes(), one.interval.tobytes()) for one in found]

    with part_rows(200):
        here = bits(frame)
    for threads in (1, 3):
        with tn.on(tn.Local(threads=threads)):
            assert bits(tn.scan(tmp_path / "rows.parquet", target="y", columns=list("abcd"))) == here
    other = LinearRegression().fit(frame, y)
    source = tn.scan(tmp_path / "rows.parquet", columns=list("abcd"))
    far, near = (tn.partial_dependence(other, one, "a", grid_resolution=6) for one in (source, frame))
    assert far.average == pytest.approx(near.average, abs=1e-12)


def test_the_sample_of_curves_is_of_rows(boosted):
    X, _ = rows()
    with part_rows(50):
        found = tn.partial_dependence(boosted, X, 0, kind="individual", subsample=12, grid_resolution=6)
    assert found.individual.shape == (1, 12, 6)
    whole = tn.partial_dependence(boosted, X, 0, kind="both", subsample=600, grid_resolution=6).individual[0]
    there = {one.tobytes() for one in whole}
    assert all(one.tobytes() in there for one in found.individual[0])
    assert tn.partial_dependence(boosted, X, 0, grid_resolution=6).individual is None


# ---- theory ---------------------------------------------------------------------------------------


def test_an_additive_model_says_its_own_part():
    """Of f(x) = g(x₀) + h(x₁) the curve over x₀ is g and a constant."""
    X, y = rows()
    model = tn.HistGradientBoostingRegressor(max_iter=30, max_depth=1).fit(X, y)  # stumps: additive
    found = tn.partial_dependence(model, X, 0, grid_resolution=9)
    for row in X[:5]:
        some = np.repeat(row[None], 9, axis=0)
        some[:, 0] = found.grid_values[0]
        assert np.diff(model.predict(some)) == pytest.approx(np.diff(found.average[0]), abs=1e-9)


def test_intervals_hold():
    """The mean over the population, known; 200 samples of 80 rows."""
    model = LinearRegression().fit(*rows(200))
    slope, at = model.coef_, 0.7
    wanted = model.intercept_ + slope[0] * at + slope[3] * 2.0  # means of the others: 0, 0 and 2
    hits = 0
    for seed in range(200):
        X, _ = rows(80, 100 + seed)
        found = tn.partial_dependence(model, X, 0, custom_values={0: [at]}, level=0.9)
        hits += found.interval[0, 0, 0] <= wanted <= found.interval[1, 0, 0]
    assert abs(hits / 200 - 0.9) < 4 * np.sqrt(0.09 / 200)


def test_means_merge():
    rng = np.random.default_rng(0)
    said, weight = rng.normal(size=(50, 3, 2)) + 1e3, rng.uniform(size=50)

    def of(some):
        w, x = weight[some], said[some]
        if not len(w):
            return DependenceMeans(0, 0.0, 0.0, np.zeros((3, 2)), np.zeros((3, 2)))
        mean = np.tensordot(w, x, 1) / w.sum()
        return DependenceMeans(len(w), w.sum(), w @ w, mean, np.tensordot(w, (x - mean) ** 2, 1))

    whole, parts = of(slice(None)), [of(slice(0, 7)), of(slice(7, 7)), of(slice(7, 40)), of(slice(40, 50))]
    for merged in (merge(parts), parts[0] + (parts[1] + (parts[2] + parts[3]))):
        assert merged.mean == pytest.approx(whole.mean, rel=1e-13)
        assert merged.square == pytest.approx(whole.square, rel=1e-9)
        assert merged.ends(0.9) == pytest.approx(whole.ends(0.9), rel=1e-12)
    assert (parts[1] + parts[0]).mean.tobytes() == parts[0].mean.tobytes()


def test_distinct_values_merge():
    values = np.random.default_rng(0).integers(0, 30, 200).astype(float)
    values[::9] = np.nan
    whole = Distinct.of(values, 10)
    parts = [Distinct.of(some, 10) for some in (values[:3], values[3:3], values[3:100], values[100:])]
    assert merge(parts).values.tolist() == whole.values.tolist() == list(range(11))
    assert Distinct.of(values, 100).values.tolist() == np.unique(values[~np.isnan(values)]).tolist()


class Says(RegressorMixin, BaseEstimator):
    """Whether a column has a value."""

    def __init__(self, column, value):
        self.column, self.value = column, value

    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return (X[self.column] == self.value).fillna(False).to_numpy(bool).astype(float)


def test_missing_values_of_frames_are_no_value():
    """Of types of pandas that have a missing value of their own: numbers stay numbers, text stays text."""
    frame = pd.DataFrame({
        "text": pd.array(["a", "b", None] * 4, dtype="string"),
        "number": pd.array([1, 2, None] * 4, dtype="Int64"),
        "flag": pd.array([True, False, None] * 4, dtype="boolean"),
    })  # fmt: skip
    for column, value, grid in (("text", "a", ["a", "b"]), ("number", 2, [1.0, 2.0]), ("flag", True, [0.0, 1.0])):
        found = tn.partial_dependence(Says(column, value).fit(frame, None), frame, column)
        assert found.grid_values[0].tolist() == grid
        assert found.categorical == (column == "text",)
        assert found.average.tolist() == [[float(one == value) for one in grid]]


# ---- words ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model", [tn.GaussianNB(), tn.HistGradientBoostingClassifier(max_iter=2), DecisionTreeClassifier()]
)
def test_a_single_class_is_certain(model):
    X, _ = rows(60)
    found = tn.partial_dependence(model.fit(X, ["only"] * 60), X, 3)
    assert found.average == pytest.approx(np.ones((1, 5)), abs=1e-9)
    head, first, *_ = str(found).splitlines()
    assert head.split("  ")[-1] == "mean P(only)"
    assert "1 (1 to 1)" in first


def test_decisions_are_not_called_probabilities():
    X, y = rows(60)
    found = tn.partial_dependence(RidgeClassifier().fit(X, y > 2), X, 0, grid_resolution=3)
    assert "mean decision for True" in str(found)
    assert "P(" not in str(found)
    assert found.decision
    assert not tn.partial_dependence(tn.GaussianNB().fit(X, y > 2), X, 0, grid_resolution=3).decision


def test_what_is_refused(boosted):
    X, y = rows()
    with pytest.raises(TypeError, match="Ridge is neither"):
        tn.partial_dependence(tn.Ridge, X, 0)
    with pytest.raises(ValueError, match="one column or of two"):
        tn.partial_dependence(boosted, X, (0, 1, 2))
    with pytest.raises(ValueError, match="there is no column 'age'"):
        tn.partial_dependence(boosted, X, ["age"])
    with pytest.raises(ValueError, match="percentiles must rise"):
        tn.partial_dependence(boosted, X, 0, percentiles=(0.9, 0.1))
    with pytest.raises(tn.DataError, match="more than 3 values"):
        tn.partial_dependence(boosted, X, 3, categorical_features=[3], grid_resolution=3)
    with pytest.raises(ValueError, match="asked for their probabilities"):
        tn.partial_dependence(tn.GaussianNB().fit(X, y > 2), X, 0, response_method="decision_function")
    with pytest.raises(ValueError, match="names its own target and weights"):
        tn.partial_dependence(boosted, ArraySource(X), 0, sample_weight=y)
    lumps = np.where(np.arange(600) < 590, 1.0, np.arange(600))[:, None]
    with pytest.raises(tn.DataError, match="same value at both percentiles"):
        tn.partial_dependence(tn.Ridge().fit(lumps, y), lumps, 0, grid_resolution=5)
    frame = pd.DataFrame({"kind": [f"k{i}" for i in range(40)], "size": np.arange(40.0)})
    model = tn.Ridge().fit(frame, np.arange(40.0))
    with pytest.raises(tn.DataError, match="has 40 categories, more than grid_resolution=10"):
        tn.partial_dependence(model, frame, "kind", grid_resolution=10)
    with pytest.raises(ValueError, match=r"\['other'\] are not among its categories"):
        tn.partial_dependence(model, frame, "kind", custom_values={"kind": ["other"]})
    with pytest.raises(ValueError, match="NaN or infinity"):
        tn.partial_dependence(model, frame, "size", custom_values={"size": [np.nan]})
    with pytest.raises(ValueError, match="holds numbers, and its custom_values"):
        tn.partial_dependence(model, frame, "size", custom_values={"size": ["a"]})
    with pytest.raises(ValueError, match="custom_values: there is no column 'sizes'"):
        tn.partial_dependence(model, frame, "size", custom_values={"sizes": [1.0]})
    for mask in ([False, True], ["kinds"]):
        with pytest.raises(ValueError, match="categorical_features: there is no column"):
            tn.partial_dependence(model, frame, "size", categorical_features=mask)
    with pytest.raises(ValueError, match="the model predicts 2 numbers per row"):
        tn.partial_dependence(LinearRegression().fit(X, np.column_stack([y, -y])), X, 0)
    with pytest.raises(tn.DataError, match="there is no row"):
        tn.partial_dependence(LinearRegression().fit(X, y), X[:0], 0)
    with pytest.raises(ValueError, match="one curve, of True"):
        tn.partial_dependence(tn.GaussianNB().fit(X, y > 2), X, 0, grid_resolution=3).output(False)
    several = tn.GaussianNB().fit(X, np.digitize(y, [1, 3]))
    with pytest.raises(ValueError, match="choose one with target="):
        tn.partial_dependence(several, X, 0, grid_resolution=3).output()


def test_results_are_read_by_key_and_those_of_a_list_one_by_one():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = tn.LinearRegression().fit(X, X[:, 0])
    found = tn.partial_dependence(model, X, 0, grid_resolution=4)
    assert found["average"] is found.average
    with pytest.raises(KeyError, match="no_such"):
        found["no_such"]
    with pytest.raises(TypeError, match=r"found\[0\]\['average'\]. Remedy"):
        tn.partial_dependence(model, X, [0], grid_resolution=4)["average"]
