"""Several learners in one cube: one scan, and each has the cells that it has by itself."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from their_learner import ThresholdNB

import tenfold as tn
from tenfold.core import DataError, MergeError
from tenfold.engine.cells.cells import Cells
from tenfold.testing.comparison import bits

SEVERAL = {"ridge": tn.Ridge(), "strong": tn.Ridge(10.0), "bayes": tn.GaussianNB(), "scaler": tn.StandardScaler()}


@pytest.fixture
def rows(tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(900, 3)), columns=list("abc"))
    frame["store"] = random.integers(0, 30, 900)
    frame["country"] = np.array(["DE", "FR"])[frame["store"] % 2]
    frame["kind"] = random.integers(0, 2, 900)
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=200)
    return tn.scan(tmp_path / "rows.parquet", target="kind")


def test_each_learner_has_the_bits_of_its_own_cube(rows):
    cube = tn.Cube(SEVERAL, by=["country", "store"], levels=["country"]).fit(rows)
    assert list(cube.named_cubes_) == list(SEVERAL)
    assert cube.n_cells_ == 30
    for name, learner in SEVERAL.items():
        alone = tn.Cube(learner, by=["country", "store"], levels=["country"]).fit(rows)
        found = cube.named_cubes_[name]
        assert found.keys_.equals(alone.keys_)
        for key in (("FR", 3), ("DE", 4), "FR", ()):
            assert bits(cube[key][name].model_) == bits(alone[key].model_)
            assert bits(found[key].summary_) == bits(alone[key].summary_)
        assert found.table().equals(alone.table())


def test_rows_are_read_once_and_equal_summaries_made_once(rows, monkeypatch):
    read, made = [], []
    tables, of = type(rows).tables, Cells.of.__func__
    monkeypatch.setattr(type(rows), "tables", lambda self, part, *m: (read.append(part), tables(self, part, *m))[1])
    monkeypatch.setattr(Cells, "of", classmethod(lambda cls, *given: (made.append(given[0]), of(cls, *given))[1]))
    cube = tn.Cube(SEVERAL, by=["country", "store"]).fit(rows)
    assert sorted(read) == list(range(len(rows)))
    assert len(made) == 3 * len(rows)  # of the two ridges, one
    ridge, strong = cube.named_cubes_["ridge"], cube.named_cubes_["strong"]
    assert ridge._level.cells is strong._level.cells


def test_rows_in_memory_have_the_target_that_each_learner_wants():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.normal(size=90), "store": np.arange(90) % 3})
    y = random.integers(0, 2, 90)
    cube = tn.Cube([tn.Ridge(), tn.GaussianNB()], by="store").fit(X, y)
    assert list(cube[1]) == ["ridge", "gaussiannb"]
    assert cube[1].gaussiannb.classes_.tolist() == [0, 1]
    alone = tn.Ridge().fit(X.loc[X["store"] == 1, ["a"]], y[X["store"] == 1])
    assert np.allclose(cube[1].ridge.coef_, alone.coef_, rtol=1e-12)


def test_names_are_those_of_a_pipeline(rows):
    rows = rows.without("country")
    cube = tn.Cube([tn.Ridge(), tn.Ridge(2.0), tn.GaussianNB()], by="store").fit(rows)
    assert list(cube.named_cubes_) == ["ridge-1", "ridge-2", "gaussiannb"]
    assert list(tn.Cube([("u", tn.Ridge())], by="store").fit(rows).named_cubes_) == ["u"]
    for wrong in ([], {}, [("u", tn.Ridge()), ("u", tn.GaussianNB())], [("", tn.Ridge())]):
        with pytest.raises(ValueError, match="must have different names"):
            tn.Cube(wrong, by="store").fit(rows)
    with pytest.raises(TypeError, match="u: LogisticRegression reads its rows several times"):
        tn.Cube({"u": tn.LogisticRegression()}, by="store").fit(rows)
    assert clone(cube).learner[0].alpha == 1.0


def test_predictions_tables_and_selections_are_by_name(rows):
    cube = tn.Cube(SEVERAL, by=["country", "store"]).fit(rows)
    frame = rows.to_pandas().drop(columns="kind")
    found = cube.predict(frame)
    assert list(found) == ["ridge", "strong", "bayes"]
    assert np.array_equal(found.bayes, cube.named_cubes_["bayes"].predict(frame))
    assert list(cube.transform(frame)) == ["scaler"]
    table = cube.table("country")
    assert table.column_names[:4] == ["country", "rows", "ridge_status", "ridge_reason"]
    assert table["strong_coef_b"].equals(cube.named_cubes_["strong"].table("country")["coef_b"])
    some = cube.sel(country="FR").rollup("country")
    assert len(some) == 1
    assert bits(some["FR"].bayes.model_) == bits(cube["FR"].bayes.model_)
    assert not hasattr(tn.Cube([tn.StandardScaler()], by="store"), "predict")
    for call in (lambda: cube.pool(), lambda: cube.to_parquet("x")):
        with pytest.raises(TypeError, match=r"Remedy: cube.named_cubes_\['ridge'\]"):
            call()


def test_cells_without_a_model_are_said_with_their_learner(rows):
    frame = rows.to_pandas().drop(columns="country")
    frame.loc[frame.index[frame["store"] == 5][0], "b"] = np.nan
    cube = tn.Cube([tn.Ridge(), tn.DummyClassifier()], by="store").fit(tn.scan(frame, target="kind"))
    assert cube.failed_.select(["learner", "store"]).to_pylist() == [{"learner": "ridge", "store": 5}]
    with pytest.raises(DataError, match="ridge: there is no model where store = 5"):
        cube[5]


def test_cubes_of_the_same_learners_add_up(rows, tmp_path):
    frame = rows.to_pandas()
    halves = []
    for at, some in enumerate((frame[:500], frame[500:])):
        some.to_parquet(tmp_path / f"{at}.parquet")
        halves.append(
            tn.Cube(SEVERAL, by="store").fit(tn.scan(tmp_path / f"{at}.parquet", target="kind", drop=["country"]))
        )
    both = halves[0] + halves[1]
    for name in SEVERAL:
        mine, theirs = (half.named_cubes_[name] for half in halves)
        assert bits(both[3][name].model_) == bits((mine + theirs)[3].model_)
    with pytest.raises(MergeError, match="other learners"):
        both + tn.Cube(tn.Ridge(), by="store").fit(rows.without("country"))


# ---- a learner of somebody else -------------------------------------------------------------------------


def test_a_learner_of_a_third_party_has_a_cube(rows, tmp_path):
    """The one of *Add a learner*: cells, rollups, sums, predictions, without a line for cubes."""
    cube = tn.Cube([ThresholdNB(), tn.Ridge()], by=["country", "store"], levels=["country"]).fit(rows)
    path = tmp_path / "rows.parquet"
    table = pq.read_table(path)
    for store in (3, 4):
        country = "DE" if store % 2 == 0 else "FR"
        where = pc.field("store") == store
        alone = ThresholdNB().fit(tn.scan(path, target="kind", drop=["country", "store"], where=where))
        assert bits(cube[country, store].thresholdnb.model_) == bits(alone.model_)
        cube[country, store].thresholdnb.verify()
    bayes = cube.named_cubes_["thresholdnb"]
    frame = table.to_pandas()
    found = bayes.predict(frame)
    some = frame["store"] == 3
    assert np.array_equal(found[some], bayes["FR", 3].predict(frame.loc[some, list("abc")]))
    assert len(bayes.failed_) == 0
    assert bayes.rollup()[()].certificate_.provenance.rows == 900


# ---- a cluster ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_dask_changes_no_bit_of_scores_pipelines_and_gathered_cells(rows):
    distributed = pytest.importorskip("distributed")

    def fits():
        by = ["country", "store"]
        scored = tn.Cube({"bayes": tn.GaussianNB(), "rate": tn.DummyClassifier()}, by=by, cv=3).fit(rows)
        gathered = tn.Cube(tn.DecisionTreeClassifier(max_depth=2), by=by, gather=True).fit(rows)
        absorbed = tn.Cube(tn.make_pipeline(tn.MinMaxScaler(), tn.PCA(1)), by=by).fit(rows)
        return scored, gathered["FR", 3], absorbed["FR", 3].steps[-1][1]

    here = fits()
    given = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**given) as cluster, distributed.Client(cluster) as client, tn.on(tn.Dask(client)):
        there = fits()
    assert here[0].table().equals(there[0].table())
    losses = [fitted[0].named_cubes_["bayes"].cross_validation_.loss.tobytes() for fitted in (here, there)]
    assert losses[0] == losses[1]
    assert [bits(one.model_) for one in here[1:]] == [bits(one.model_) for one in there[1:]]
