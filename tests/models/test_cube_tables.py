"""Tables of the cells of any learner: the values of each model, by the names of the columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tenfold as tn


@pytest.fixture
def frame():
    random = np.random.default_rng(0)
    n = 300
    found = pd.DataFrame({"store": random.integers(0, 4, n), "a": random.normal(size=n), "b": random.normal(size=n)})
    found["city"] = random.choice(["x", "y", "z"], n, p=[0.2, 0.5, 0.3])
    found["when"] = pd.to_datetime(random.integers(0, 10**9, n), unit="s")
    found["price"] = found["a"] + random.normal(size=n)
    return found


def test_a_profile_of_each_key(frame):
    frame.loc[frame.index[frame["store"] == 1][:5], "a"] = np.nan
    table = tn.Cube(tn.Profile(), by="store").fit(tn.scan(frame, target="price")).table().to_pandas()
    assert (table["status"] == "solved").all()
    for store, some in frame.groupby("store"):
        row = table.iloc[store]
        assert row["rows"] == len(some)
        assert np.isclose(row["missing_a"], some["a"].isna().mean())
        assert np.isclose(row["mean_a"], some["a"].mean())
        assert np.isclose(row["std_b"], some["b"].std(ddof=0), rtol=0.01)
        assert [row["min_b"], row["max_b"]] == [some["b"].min(), some["b"].max()]
        assert row["top_city"] == some["city"].mode()[0]
        assert row["distinct_city"] == 3
        assert row["min_when"] == str(some["when"].min())
    assert not hasattr(tn.Cube(tn.Profile(), by="store"), "predict")


def test_profiles_of_a_source_and_of_a_frame_are_the_same(frame):
    rows = tn.scan(frame, target="price")
    one = rows.group_by("store").fit(tn.Profile(target="none"))
    other = tn.Cube(tn.Profile(target="none"), by="store").fit(frame.drop(columns="price"))
    assert one.table().equals(other.table())
    assert "mean_price" not in one.table().column_names
    assert one[2].describe()["a"].mean == pytest.approx(frame.loc[frame["store"] == 2, "a"].mean())


SCALERS = [
    (tn.StandardScaler(), ["mean_a", "var_a", "scale_a"]),
    (tn.MinMaxScaler(), ["data_min_a", "data_max_b", "scale_a"]),
    (tn.MaxAbsScaler(), ["max_abs_a", "scale_b"]),
    (tn.RobustScaler(), ["center_a", "scale_b"]),
    (tn.SimpleImputer(), []),
    (tn.VarianceThreshold(), []),
]


@pytest.mark.parametrize(("learner", "names"), SCALERS, ids=lambda one: type(one).__name__)
def test_scalers_have_the_values_of_each_cell(frame, learner, names):
    frame = frame[["store", "a", "b"]]
    frame.loc[frame.index[frame["store"] == 3][0], "b"] = np.inf
    cube = tn.scan(frame).group_by("store").fit(learner)
    table = cube.table()
    assert {*names} <= {*table.column_names}
    for name in names:
        column, of = name.rsplit("_", 1)
        at = "ab".index(of)
        assert table[name][1].as_py() == getattr(cube[1].model_, column)[at]
        assert pd.isna(table[name][3].as_py())  # a cell without a model
    assert cube.failed_["store"].to_pylist() == [3]


def test_encoders_and_several_learners_by_group(frame):
    cube = tn.scan(frame[["store", "city"]]).group_by("store").fit(tn.OneHotEncoder())
    assert cube[1].categories_[0].tolist() == ["x", "y", "z"]
    both = (
        tn.scan(frame.drop(columns=["city", "when"]), target="price")
        .group_by("store")
        .fit({"profile": tn.Profile(), "line": tn.Ridge()})
    )
    assert {"profile_mean_a", "line_coef_a"} <= {*both.table().column_names}
    assert list(both.predict(frame[["store", "a", "b"]])) == ["line"]
    trees = (
        tn.scan(frame.drop(columns=["city", "when"]), target="price")
        .group_by("store")
        .fit(tn.DecisionTreeRegressor(max_depth=2), gather=True)
    )
    assert trees.n_cells_ == 4


def test_pipelines_have_the_values_of_their_last_step(frame):
    rows = tn.scan(frame.drop(columns=["city", "when"]), target="price")
    cube = tn.Cube(tn.make_pipeline(tn.StandardScaler(), tn.Ridge()), by="store").fit(rows)
    assert cube.table()["coef_b"][2].as_py() == cube[2].steps[-1][1].coef_[1]
    cube = tn.Cube(tn.make_pipeline(tn.PCA(1), tn.Ridge()), by="store").fit(rows)
    assert cube.table()["coef_pca0"][2].as_py() == cube[2].steps[-1][1].coef_[0]
    gathered = tn.Cube(tn.make_pipeline(tn.KBinsDiscretizer(2), tn.Ridge()), by="store", gather=True).fit(rows)
    assert gathered.table()["intercept"][2].as_py() == gathered[2].steps[-1][1].intercept_
