"""Cubes of learners of several rounds: each cell is a fit of its gathered rows, to the bit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pytest
from sklearn.linear_model import LogisticRegression

import tenfold as tn
from tenfold.core import DataError, MergeError
from tenfold.sources import part_rows
from tenfold.testing.comparison import bits

COLUMNS = list("abc")


def sales(rows=1500, stores=8, seed=0):
    random = np.random.default_rng(seed)
    store = random.integers(0, stores, rows)
    frame = pd.DataFrame({"country": np.array(["DE", "FR"])[store % 2], "store": store})
    for name in COLUMNS:
        frame[name] = random.normal(size=rows)
    frame["city"] = random.choice(["x", "y", "z"], rows)
    frame["price"] = frame["a"] * (1 + store % 3) + frame["b"] + random.normal(size=rows)
    frame["kind"] = np.where(frame["price"] > 0.5, "high", "low")
    frame.loc[(frame["store"] == 2) & (frame["price"] > 3), "kind"] = "top"  # a class that one store has
    frame["weight"] = random.integers(0, 3, rows).astype(float)
    return frame


@pytest.fixture
def path(tmp_path):
    sales().to_parquet(tmp_path / "rows.parquet", row_group_size=200)
    return tmp_path / "rows.parquet"


def rows_of(path, target, weight=None, keep=()):
    names = ["price", "kind", "weight", "city"]
    return tn.scan(path, target=target, weight=weight, drop=[n for n in names if n not in (target, weight, *keep)])


LEARNERS = [
    (tn.LogisticRegression(), "kind"),
    (tn.DecisionTreeClassifier(), "kind"),
    (tn.RandomForestRegressor(n_estimators=3, random_state=1), "price"),
    (tn.GradientBoostingRegressor(n_estimators=4), "price"),
    (tn.HistGradientBoostingClassifier(max_iter=3), "kind"),
    (tn.KMeans(3, random_state=0), None),
    (tn.KNeighborsClassifier(), "kind"),
    (tn.SGDRegressor(max_iter=3, random_state=0), "price"),
    (tn.QuantileTransformer(n_quantiles=10), None),
    (tn.Ridge(), "price"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:.*cells warn in their fits")
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize(("learner", "target"), LEARNERS, ids=lambda one: type(one).__name__)
def test_each_cell_has_the_bits_of_a_fit_to_its_rows(path, learner, target, weight):
    rows = rows_of(path, target, weight)
    cube = tn.Cube(learner, by=["country", "store"], gather=True).fit(rows)
    assert len(cube.failed_) == 0

    def alone_of(where):
        return type(learner)(**learner.get_params()).fit(rows.without("country", "store").only(where))

    frame = sales()
    for store in (2, 5):
        alone = alone_of(pc.field("store") == store)
        found = cube["DE" if store % 2 == 0 else "FR", store]
        assert found.schema_ == alone.schema_
        assert bits(found.model_) == bits(alone.model_)
        some = frame["store"] == store
        method = "predict" if hasattr(cube, "predict") else "transform"
        made = getattr(cube, method)(frame)
        assert np.array_equal(made[some], getattr(alone, method)(frame.loc[some, COLUMNS]))
    assert bits(cube["FR"].model_) == bits(alone_of(pc.field("country") == "FR").model_)
    assert bits(cube.rollup("country")["FR"].model_) == bits(cube["FR"].model_)
    assert bits(cube[()].model_) == bits(alone_of(pc.field("store") >= 0).model_)
    assert bits(cube.sel(store=[5])["FR", 5].model_) == bits(cube["FR", 5].model_)
    assert cube.table()["status"].to_pylist() == ["solved"] * 8


def test_categories_and_classes_are_those_of_the_cell(path):
    rows = rows_of(path, "kind", keep=("city",))
    cube = tn.Cube(tn.DecisionTreeClassifier(max_depth=3), by=["country", "store"], gather=True).fit(rows)
    assert cube["DE", 2].classes_.tolist() == ["high", "low", "top"]
    assert cube["DE", 4].classes_.tolist() == ["high", "low"]
    frame = sales()
    assert set(cube.predict(frame[frame["store"] == 4])) <= {"high", "low"}


def test_pipelines_that_are_not_absorbed(path):
    rows = rows_of(path, "price")
    pipeline = tn.make_pipeline(tn.KBinsDiscretizer(4), tn.Ridge(2.0))
    cube = tn.Cube(pipeline, by=["country", "store"], gather=True).fit(rows)
    alone = tn.make_pipeline(tn.KBinsDiscretizer(4), tn.Ridge(2.0)).fit(
        rows.without("country", "store").only(pc.field("store") == 3)
    )
    assert bits(cube["FR", 3].steps[-1][1].model_) == bits(alone.steps[-1][1].model_)
    frame = sales()
    some = frame["store"] == 3
    assert np.array_equal(cube.predict(frame)[some], alone.predict(frame.loc[some, COLUMNS]))


def test_rows_are_read_once_for_all_learners(path, monkeypatch):
    rows, read = rows_of(path, "price"), []
    kind, tables = type(rows), type(rows).tables
    monkeypatch.setattr(kind, "tables", lambda self, part, *more: (read.append(part), tables(self, part, *more))[1])
    cube = tn.Cube(
        [tn.DecisionTreeRegressor(max_depth=2), tn.GradientBoostingRegressor(n_estimators=2)],
        by=["country", "store"],
        gather=True,
    ).fit(rows)
    assert list(cube["FR", 3]) == ["decisiontreeregressor", "gradientboostingregressor"]
    cube["FR"], cube.table()
    assert sorted(read) == list(range(len(rows)))


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_no_bit(path, threads):
    def fit():
        return tn.Cube(tn.LogisticRegression(), by=["country", "store"], gather=True).fit(rows_of(path, "kind"))

    with tn.on(tn.Local(threads=1)):
        wanted = fit()
    with tn.on(tn.Local(threads=threads)):
        found = fit()
    assert bits(found["FR", 3].model_) == bits(wanted["FR", 3].model_)


def test_frames_with_targets_and_weights_in_arrays():
    frame = sales()
    X, y, weight = frame[[*COLUMNS, "store"]], frame["kind"].to_numpy(), frame["weight"].to_numpy()
    with part_rows(100):
        cube = tn.Cube(tn.LogisticRegression(), by="store", gather=True).fit(X, y, weight)
    some = (frame["store"] == 3).to_numpy()
    alone = tn.LogisticRegression().fit(X.loc[some, COLUMNS], y[some], weight[some])
    assert np.allclose(cube[3].coef_, alone.coef_, rtol=1e-6)
    assert cube[3].certificate_.provenance.rows == int((weight[some] > 0).sum())
    assert list(cube.feature_names_in_) == COLUMNS


def test_failures_and_warnings_are_values():
    frame = sales()
    frame.loc[frame["store"] == 1, "kind"] = "low"  # one class: nothing to learn
    frame.loc[frame.index[frame["store"] == 4][0], "b"] = np.nan
    rows = tn.scan(frame[[*COLUMNS, "store", "kind"]], target="kind")
    cube = tn.Cube(tn.LogisticRegression(), by="store", gather=True).fit(rows)
    failed = dict(zip(cube.failed_["store"].to_pylist(), cube.failed_["reason"].to_pylist(), strict=True))
    assert set(failed) == {1, 4}
    assert "class" in failed[1]
    assert "'b'" in failed[4]
    with pytest.raises(DataError, match="no model where store = 4.*'b'"):
        cube[4]
    few = tn.scan(frame.assign(a=frame["store"] % 3, b=0.0, c=0.0)[[*COLUMNS, "store"]])  # one point in each cell
    with pytest.warns(UserWarning, match="8 of 8 cells warn in their fits. The first: Number of distinct"):
        tn.Cube(tn.KMeans(3, random_state=0), by="store", gather=True).fit(few)


def test_rows_without_a_cell_are_predicted_by_a_coarser_key(path):
    cube = tn.Cube(tn.DecisionTreeClassifier(max_depth=2), by=["country", "store"], gather=True)
    cube.fit(rows_of(path, "kind"))
    new = sales().head(3).assign(store=[2, 99, 99], country=["DE", "DE", "XX"])
    found, level = cube.predict(new, return_level=True)
    assert level.tolist() == [2, 1, 0]
    X = new[COLUMNS]
    assert found[1] == cube["DE"].predict(X)[1]
    assert found[2] == cube[()].predict(X)[2]
    assert np.array_equal(cube.predict(tn.scan(new), level=0), cube[()].predict(X))


def test_computed_columns_are_computed_for_new_rows(path):
    rows = rows_of(path, "price").with_columns(e=tn.col("a") * tn.col("b"))
    cube = tn.Cube(tn.DecisionTreeRegressor(max_depth=3), by=["country", "store"], gather=True).fit(rows)
    frame = sales()
    some = frame["store"] == 3
    found = cube.predict(frame)
    assert np.array_equal(found[some], cube["FR", 3].predict(frame.loc[some, COLUMNS]))
    pipeline = tn.make_pipeline(tn.KBinsDiscretizer(3), tn.Ridge())
    cube = tn.Cube(pipeline, by=["country", "store"], gather=True).fit(rows)
    one = cube["FR", 3].predict(frame.loc[some, COLUMNS])
    assert np.array_equal(cube.predict(frame)[some], one)


def test_more_rows_than_memory_and_what_needs_summaries_is_refused(path):
    rows = rows_of(path, "price")
    with tn.on(tn.Local(memory=1000)), pytest.raises(DataError, match="all rows are needed at once.*Remedy: a learner"):
        tn.Cube(tn.DecisionTreeRegressor(), by=["country", "store"], gather=True).fit(rows)
    cube = tn.Cube(tn.DecisionTreeRegressor(), by=["country", "store"], gather=True).fit(rows)
    with pytest.raises(MergeError, match="do not merge. Remedy"):
        cube + cube
    for call in (cube.pool, lambda: cube.to_parquet("nowhere")):
        with pytest.raises(TypeError, match="have no summaries. Remedy: gather=False"):
            call()
    for more in ({"cv": 5}, {"shared_steps": True}):
        with pytest.raises(ValueError, match="Remedy: gather=False"):
            tn.Cube(tn.Ridge(), by=["country", "store"], gather=True, **more).fit(rows)
    with pytest.raises(TypeError, match="not a learner of tenfold"):
        tn.Cube(LogisticRegression(), by=["country", "store"], gather=True).fit(rows)
    with pytest.raises(DataError, match="cannot be used as numbers: 'country'"):
        tn.Cube(tn.GaussianNB(), by="store", gather=True).fit(rows_of(path, "kind"))
    with pytest.raises(TypeError, match="reads its rows several times.*or gather=True"):
        tn.Cube(tn.LogisticRegression(), by="store").fit(rows)
