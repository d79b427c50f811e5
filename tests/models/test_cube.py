"""A cube: each cell has the bits of a fit to its rows alone, whatever the keys, the rows and the runner are."""

from __future__ import annotations

import gc
import hashlib
import json
import pickle
import tempfile
from datetime import date

import cloudpickle
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LinearRegression

import tenfold as tn
from helpers import learners
from tenfold.core import ONE, DataError, MergeError
from tenfold.engine.cells.part_rows import StoredRows
from tenfold.models import cube_file, cube_level
from tenfold.sources import part_rows
from tenfold.stats.moments.moments import Comoments
from tenfold.testing.comparison import bits
from tiers import only_full

COLUMNS = list("abcd")


def sales(rows=3000, cells=40, order="random", seed=0, key="text", missing=0.0):
    """Rows with a target, weights and keys; a quarter of them have one key."""
    random = np.random.default_rng(seed)
    number = random.integers(0, cells, rows)
    number[random.random(rows) < 0.25] = 0
    if order == "sorted":
        number = np.sort(number)
    frame = pd.DataFrame(np.round(random.normal(size=(rows, 4)), 2), columns=COLUMNS)
    frame["price"] = frame.to_numpy() @ [1.0, 2.0, 0.0, -1.0] + number % 5 + np.round(random.normal(size=rows), 2)
    frame["weight"] = random.integers(0, 3, rows).astype(float)
    dates = np.datetime64("2024-01-01") + number
    frame["store"] = {"text": [f"s{k}" for k in number], "number": number, "date": dates.astype("M8[s]")}[key]
    if missing:
        frame["store"] = frame["store"].mask(random.random(rows) < missing)
    frame["country"] = np.array(["DE", "FR", "IT"])[number % 3]
    return frame


def written(frame, path, row_group=400):
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=row_group)
    return str(path)


def rows_of(path, weight=None, drop=(), **given):
    drop = ["store", "country", *drop, *([] if weight else ["weight"])]
    return tn.scan(path, target="price", weight=weight, drop=drop, **given)


@pytest.mark.parametrize("key", ["text", "number", "date"])
@pytest.mark.parametrize("order", ["random", "sorted"])
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("cells", [5, 40, 1500])
def test_each_cell_has_the_bits_of_a_fit_to_its_rows(tmp_path, cells, weight, order, key):
    frame = sales(cells=cells, order=order, key=key)
    path = written(frame, tmp_path / "rows.parquet")
    cube = tn.Cube(tn.Ridge(), by="store").fit(rows_of(path, weight))
    values = frame["store"] if weight is None else frame["store"][frame["weight"] > 0]
    assert cube.n_cells_ == values.nunique()
    for value in values.drop_duplicates().sample(min(6, values.nunique()), random_state=1):
        value = value.to_pydatetime() if key == "date" else value
        alone = tn.Ridge().fit(rows_of(path, weight, where=pc.field("store") == value))
        found = cube[value]
        assert bits(found.summary_) == bits(alone.summary_)
        assert found.coef_.tobytes() == alone.coef_.tobytes()
        assert found.intercept_ == alone.intercept_
        assert found.certificate_.provenance.rows == alone.certificate_.provenance.rows
        found.verify()
    assert int(np.sum(cube.table()["rows"])) == len(values)


@pytest.mark.parametrize("seed", range(12))
def test_random_tables_against_fits_in_the_same_parts(seed):
    random = np.random.default_rng(seed)
    frame = sales(int(random.integers(1, 400)), int(random.integers(1, 200)), seed=seed)
    frame.loc[frame["country"] == "IT", "b"] = 7.0  # constant in a third of the cells
    weight = frame.pop("weight").to_numpy()
    weight = weight if seed % 2 else None
    if seed % 2 and not weight.any():
        weight[0] = 1.0
    price = frame.pop("price").to_numpy()
    with part_rows(int(random.integers(5, 60))):
        cube = tn.Cube(tn.LinearRegression(), by=["country", "store"]).fit(frame, price, weight)
        table = cube.table()
    assert len(cube.failed_) == 0
    keys = list(zip(table["country"].to_pylist(), table["store"].to_pylist(), strict=True))
    for country, store in [keys[int(k)] for k in random.integers(0, len(keys), 5)]:
        some = (frame["country"] == country) & (frame["store"] == store)
        some &= True if weight is None else weight > 0
        X, y = frame.loc[some, COLUMNS].to_numpy(), price[some]
        w = None if weight is None else weight[some]
        model = cube[country, store]
        left = y - X @ model.coef_ - model.intercept_
        Z, root = np.column_stack([X, np.ones(len(X))]), np.sqrt(np.ones(len(X)) if w is None else w)
        best = y - Z @ np.linalg.lstsq(Z * root[:, None], y * root, rcond=None)[0]
        assert (root**2 * left**2).sum() <= (root**2 * best**2).sum() + 1e-8


REFUSED = (
    tn.KNeighborsClassifier, tn.KNeighborsRegressor, tn.KernelRidge, tn.KernelPerceptron, tn.SVC, tn.SVR,
    tn.LocallyWeightedRegression,
)  # fmt: skip
"""learners that keep all rows"""


def one_pass():
    return [one for one in learners() if one.passes == ONE and one.need.sequence is None]


@pytest.mark.parametrize("learner", one_pass(), ids=lambda one: type(one).__name__)
@pytest.mark.filterwarnings("ignore")
def test_every_learner_of_one_pass_has_the_bits_of_its_fits(learner, tmp_path):
    random, n = np.random.default_rng(0), 600
    kinds, store = learner.need.kinds, np.random.default_rng(1).integers(0, 4, 600)
    if kinds == "text":
        columns = {"a": [" ".join(random.choice(["red", "blue", "green", "old"], 3)) for _ in range(n)]}
    elif kinds == "date":
        columns = {"a": random.integers(0, 10**9, n).astype("M8[s]")}
    elif kinds == "categorical":
        columns = {name: random.choice(["u", "v", "w"], n) for name in "ab"}
    else:
        columns = {name: np.abs(np.round(random.normal(size=n), 1)) for name in "abc"}
    need = learner.need
    if need.target == "class":
        columns["price"] = random.integers(0, 2, n) if need.binary else random.integers(0, 3, n)
    elif need.target == "number":
        columns["price"] = np.abs(random.normal(size=n)) + 0.5
    path = written(pd.DataFrame({**columns, "store": store}), tmp_path / "rows.parquet", 100)
    target = "price" if need.target else None
    rows = tn.scan(path, target=target, drop=["store"])
    alone = [type(learner)().fit(rows.only(pc.field("store") == k)) for k in range(4)]
    if isinstance(learner, REFUSED):
        with pytest.raises(TypeError, match="Remedy: a learner of one pass"):
            tn.Cube(learner, by="store").fit(rows)
        return
    cube = tn.Cube(learner, by="store").fit(rows)
    with tn.on(tn.Local(threads=1, memory=0)):  # rows in files, where they travel as rows
        again = tn.Cube(learner, by="store").fit(rows)
        assert [bits(again._level.models.of(k)) for k in range(4)] == [bits(cube._level.models.of(k)) for k in range(4)]
    for k, one in enumerate(alone):
        if k in cube.failed_["store"].to_pylist():
            assert one.certificate_.provenance.passes > 1, cube.failed_["reason"].to_pylist()
            continue
        assert cube[k].schema_ == one.schema_
        if isinstance(learner, tn.TargetEncoder):  # its folds go by the numbers that rows have in the file
            assert np.allclose(cube[k].encodings_[0], one.encodings_[0], rtol=1e-12)
        elif one.certificate_.provenance.passes == 1:
            assert bits(cube[k].model_) == bits(one.model_)


# ---- cells without a model ---------------------------------------------------------------------------


def degenerate(rows=2000, seed=0):
    """A third of the cells have fewer rows than columns, constant columns, or a repeated one."""
    random = np.random.default_rng(seed)
    frame = sales(rows, 300, seed=seed).drop(columns="weight")
    frame.loc[frame["country"] == "IT", ["a", "b"]] = 3.0
    few = frame["store"].isin([f"s{k}" for k in range(1, 300, 3)])
    frame.loc[few, "c"] = frame.loc[few, "a"]
    return frame[~few | (random.random(rows) < 0.5)].reset_index(drop=True)


@pytest.mark.parametrize("learner", [tn.Ridge(), tn.LinearRegression(), tn.Ridge(fit_intercept=False)])
def test_degenerate_cells_are_solved_as_by_a_fit(learner, tmp_path):
    frame = degenerate()
    path = written(frame, tmp_path / "rows.parquet")
    rows = tn.scan(path, target="price", drop=["store", "country"])
    cube = tn.Cube(learner, by="store").fit(rows)
    table = cube.table().to_pandas().set_index("store")
    assert len(cube.failed_) == 0
    assert set(table["status"]) <= {"solved", "another scan"}
    for store in table.sample(25, random_state=0).index:
        alone = type(learner)(**learner.get_params()).fit(rows.only(pc.field("store") == store))
        again = alone.certificate_.provenance.passes > 1
        assert table["status"][store] == ("another scan" if again else "solved")
        if not again:
            assert cube[store].coef_.tobytes() == alone.coef_.tobytes()


@pytest.mark.parametrize("cells", [6, 600])
@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e200])
def test_a_cell_that_cannot_be_summarized_is_a_row_with_its_reason(wrong, cells):
    frame = sales(1200, cells).drop(columns=["weight", "country"])
    bad = frame["store"].iloc[7]
    clean = frame[frame["store"] != bad].reset_index(drop=True)
    first = frame.index[frame["store"] == bad][:2]
    frame.loc[first, "b"] = [wrong, 0.0]
    with part_rows(100):
        cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price"))
    assert cube.failed_["store"].to_pylist() == [bad]
    assert "'b'" in cube.failed_["reason"][0].as_py()
    with pytest.raises(DataError, match=f"no model where store = '{bad}'.*'b'"):
        cube[bad]
    assert cube.n_cells_ == clean["store"].nunique() + 1
    others = cube.table().to_pandas().set_index("store").drop(index=bad)
    assert np.isfinite(others["coef_b"]).all()


@pytest.mark.parametrize("cells", [40, 900])
def test_many_cells_that_cannot_be_summarized_cost_little(cells, monkeypatch):
    frame = sales(2700, cells).drop(columns=["weight", "country"])
    wrong = frame["store"].str.endswith(("1", "4", "7"))
    frame.loc[wrong, "b"] = np.nan
    calls = []
    for name in ("summarize_cells", "merge_cells"):
        done = getattr(Comoments, name)
        monkeypatch.setattr(Comoments, name, lambda *given, done=done, name=name: (calls.append(name), done(*given))[1])
    with part_rows(300):
        cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price"))
        table, many = cube.table().to_pandas(), len(calls)
        whole = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame.fillna(0.0), target="price")).table().to_pandas()
    assert many < 100
    failed = table["store"].str.endswith(("1", "4", "7"))
    assert (table["status"] == "failed").equals(failed)
    assert table[~failed].equals(whole[~failed])


# ---- coarser keys, other cells, sums -----------------------------------------------------------------


def test_levels_have_the_bits_of_a_fit_and_rollups_are_merges(tmp_path):
    path = written(sales(), tmp_path / "rows.parquet")
    cube = tn.Cube(tn.Ridge(), by=["country", "store"], levels=["country"]).fit(rows_of(path))
    merged = tn.Cube(tn.Ridge(), by=["country", "store"]).fit(rows_of(path))
    for country in ("DE", "FR", "IT"):
        alone = tn.Ridge().fit(rows_of(path, where=pc.field("country") == country))
        assert cube[country].coef_.tobytes() == alone.coef_.tobytes()
        assert cube[country].certificate_.provenance.stopped == "done"
        assert merged[country].certificate_.provenance.stopped == "merged"
        assert np.allclose(merged[country].coef_, alone.coef_, rtol=1e-12)
        assert merged[country].coef_.tobytes() == merged.rollup("country")[country].coef_.tobytes()
    whole = tn.Ridge().fit(rows_of(path))
    assert np.allclose(cube[()].coef_, whole.coef_, rtol=1e-12)
    assert cube.rollup("store").n_cells_ == len(set(cube.keys_["store"].to_pylist()))
    assert int(np.sum(cube.table("country")["rows"])) == 3000


def test_some_cells_are_selected():
    frame = sales().drop(columns="weight")
    cube = tn.Cube(tn.Ridge(), by=["country", "store"]).fit(tn.scan(frame, target="price"))
    french = cube.sel(country="FR")
    assert set(french.keys_["country"].to_pylist()) == {"FR"}
    assert french["FR", "s1"].coef_.tobytes() == cube["FR", "s1"].coef_.tobytes()
    assert cube.sel(store=["s1", "s2"]).n_cells_ == 2
    assert ("FR", "s1") in cube
    assert ("FR", "s0") not in cube
    with pytest.raises(KeyError, match="no cell with country = 'XX'"):
        cube.sel(country="XX")
    with pytest.raises(ValueError, match="cells merge, and cannot be split.*Remedy: fit with by="):
        cube.rollup("weekday")


@pytest.mark.parametrize("cells", [5, 800])
def test_cubes_add_up(tmp_path, cells):
    frame = sales(cells=cells).drop(columns="weight")
    paths = [written(some, tmp_path / f"{k}.parquet") for k, some in enumerate((frame[:1700], frame[1700:]))]
    rows = [tn.scan(path, target="price", drop=["country"]) for path in paths]
    a, b = (tn.Cube(tn.Ridge(), by="store").fit(some) for some in rows)
    both = a + b
    assert both.n_cells_ == frame["store"].nunique()
    for store in frame["store"].drop_duplicates()[:20]:
        if store in a and store in b:
            assert both[store].coef_.tobytes() == (a[store] + b[store]).coef_.tobytes()
            assert both[store].certificate_.provenance.stopped == "merged"
        else:
            assert both[store].coef_.tobytes() == (a if store in a else b)[store].coef_.tobytes()
    with pytest.raises(MergeError, match="the same rows"):
        both + a
    with pytest.raises(MergeError, match="different parameters"):
        a + tn.Cube(tn.Ridge(2.0), by="store").fit(rows[1])


# ---- predictions -------------------------------------------------------------------------------------


def test_each_row_is_predicted_by_its_cell_and_others_by_a_coarser_one():
    frame = sales().drop(columns="weight")
    cube = tn.Cube(tn.Ridge(), by=["country", "store"]).fit(tn.scan(frame, target="price"))
    found = cube.predict(frame)
    rows = frame.index[:50]
    wanted = [
        cube[c, s].predict(frame.loc[[k], COLUMNS])[0] for k, c, s in frame.loc[rows, ["country", "store"]].itertuples()
    ]
    assert np.allclose(found[rows], wanted, rtol=1e-13)
    new = frame.iloc[:3].assign(store=["s1", "new", "new"], country=["FR", "FR", "new"])
    with pytest.warns(UserWarning, match="2 of 3 rows have no model of their own"):
        cube.predict(new)
    found, level = cube.predict(new, return_level=True)
    assert level.tolist() == [2, 1, 0]
    features = new[COLUMNS]
    each = [cube["FR", "s1"], cube["FR"], cube[()]]
    assert np.allclose(found, [m.predict(features.iloc[[k]])[0] for k, m in enumerate(each)], rtol=1e-12)


def test_classes_are_those_of_each_cell():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(900, 3)), columns=list("abc"))
    frame["shop"] = random.integers(0, 6, 900)
    frame["kind"] = np.where(frame["shop"] < 3, random.choice(["u", "v"], 900), random.choice(["u", "v", "w"], 900))
    frame["a"] += frame["kind"].map({"u": 0, "v": 2, "w": 4})
    cube = tn.Cube(tn.GaussianNB(), by="shop").fit(tn.scan(frame, target="kind"))
    assert cube[0].classes_.tolist() == ["u", "v"]
    assert cube[5].classes_.tolist() == ["u", "v", "w"]
    for shop in range(6):
        some = frame[frame["shop"] == shop]
        alone = tn.GaussianNB().fit(some[list("abc")], some["kind"])
        assert (cube.predict(some) == alone.predict(some[list("abc")])).all()


def test_transformers_scale_each_cell_by_itself():
    frame = sales()[["a", "b", "store"]]
    found = tn.Cube(tn.StandardScaler(), by="store").fit(tn.scan(frame)).transform(frame)
    groups = frame.groupby("store")[["a", "b"]]
    wanted = (frame[["a", "b"]] - groups.transform("mean")) / groups.transform("std", ddof=0)
    assert np.allclose(found, wanted, atol=1e-12)


# ---- keys ----------------------------------------------------------------------------------------------


def test_missing_keys_are_refused_or_a_cell():
    frame = sales(missing=0.1).drop(columns=["weight", "country"])
    gone = int(frame["store"].isna().sum())
    with pytest.raises(DataError, match=f"column 'store' is missing in {gone} rows.*Remedy: missing='cell'"):
        tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price"))
    with part_rows(300):
        cube = tn.Cube(tn.Ridge(), by="store", missing="cell").fit(tn.scan(frame, target="price"))
    assert cube[None].certificate_.provenance.rows == gone
    assert cube.table()["store"].to_pylist()[-1] is None


@pytest.mark.parametrize("values", [[1.5, 2.5], [[1], [2]]])
def test_other_keys_are_refused_by_name(values):
    table = pa.table({"a": [1.0, 2.0], "price": [1.0, 2.0], "key": pa.array(values)})
    with pytest.raises(DataError, match="a key is text, an integer, a date or a boolean.*'key'.*Remedy"):
        tn.Cube(tn.Ridge(), by="key").fit(tn.scan(table, target="price"))


def test_keys_of_any_kind_are_found_again():
    n = 60
    kinds = {
        "flag": pa.array([k % 2 == 0 for k in range(n)]),
        "day": pa.array([18_000 + k % 3 for k in range(n)], pa.date32()),
        "word": pa.array(["", "é", "x" * 40] * 20).dictionary_encode(),
        "id": pa.array([-1, 2**62, 0, 7] * 15, pa.int64()),
    }
    table = pa.table({**kinds, "a": np.arange(n) % 11 * 1.0, "price": np.arange(n) * 1.0})
    for name, column in kinds.items():
        others = [other for other in kinds if other != name]
        cube = tn.Cube(tn.Ridge(), by=name).fit(tn.scan(table, target="price", drop=others))
        words = column.dictionary_decode() if name == "word" else column
        for value in set(words.to_pylist()):
            rows = cube[value].certificate_.provenance.rows
            assert rows == words.to_pylist().count(value)


def test_wrong_calls_are_refused_with_a_remedy():
    frame = sales().drop(columns=["weight", "country"])
    rows = tn.scan(frame, target="price")
    for learner in (tn.LogisticRegression(), tn.KNeighborsRegressor(), tn.GradientBoostingRegressor()):
        with pytest.raises(TypeError, match="Remedy: a learner of one pass"):
            tn.Cube(learner, by="store").fit(rows)
    for other in (LinearRegression(), tn.Ridge, "ridge"):
        with pytest.raises(TypeError, match="not a learner of tenfold.*Remedy: a learner of one pass"):
            tn.Cube(other, by="store").fit(rows)
    for by in (None, 0, [], [None]):
        with pytest.raises(ValueError, match="by must be the names of different columns"):
            tn.Cube(tn.Ridge(), by=by).fit(rows)
    with pytest.raises(DataError, match="no column 'shop'"):
        tn.Cube(tn.Ridge(), by="shop").fit(rows)
    with pytest.raises(ValueError, match="names of different columns"):
        tn.Cube(tn.Ridge(), by=["store", "store"]).fit(rows)
    with pytest.raises(ValueError, match="levels must name columns of the key"):
        tn.Cube(tn.Ridge(), by="store", levels=["day"]).fit(rows)
    cube = rows.group_by("store").fit(tn.Ridge())
    with pytest.raises(KeyError, match="no cell 'none'"):
        cube["none"]
    with pytest.raises(KeyError, match="a key has 1 values"):
        cube["s1", "s2"]
    with pytest.raises(ValueError, match="not fitted"):
        tn.Cube(tn.Ridge(), by="store").table()


# ---- runners and scans -----------------------------------------------------------------------------------


def digest(cube):
    level = cube._level
    summaries = level.cells.taken(np.arange(len(level))).stack
    return bits(summaries), level.keys.hash.tobytes(), repr(cube.table().to_pydict())


@pytest.mark.parametrize("cells", [7, 900])
def test_threads_change_no_bit(tmp_path, cells):
    path = written(sales(cells=cells), tmp_path / "rows.parquet", 150)
    found = []
    for threads in (1, 2, 3):
        with tn.on(tn.Local(threads=threads)):
            found.append(digest(tn.Cube(tn.Ridge(), by="store").fit(rows_of(path, "weight"))))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("cells", [7, 900])
def test_rows_kept_and_rows_summarized_have_the_same_bits(tmp_path, cells, monkeypatch):
    from tenfold.engine.cells import cells as module

    path = written(sales(cells=cells), tmp_path / "rows.parquet", 150)
    found = []
    for rows in (True, False, None):  # rows to the end, summaries from the start, and as it is decided
        if rows is None:
            monkeypatch.undo()
        else:
            monkeypatch.setattr(module, "travels_as_rows", lambda *given, rows=rows: rows)
        found.append(digest(tn.Cube(tn.Ridge(), by="store").fit(rows_of(path))))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("learner", [tn.Ridge(), *only_full(tn.GaussianNB(), tn.StandardScaler())])
def test_rows_in_files_have_the_same_bits(tmp_path, learner, monkeypatch):
    from tenfold.engine.cells import cells as module

    frame = sales(cells=900)
    frame.loc[frame["store"].isin(["s1", "s2"]), "b"] = np.nan
    frame["price"] = frame["price"].round() % 2 if learner.need.target == "class" else frame["price"]
    path = written(frame, tmp_path / "rows.parquet", 150)
    rows = rows_of(path, "weight") if learner.need.target else rows_of(path).without("price")
    monkeypatch.setattr(module, "GATHERED_ROWS", 100)  # the cell with a quarter of the rows is summarized by parts
    found = digest(tn.Cube(learner, by="store").fit(rows))
    with tn.on(tn.Local(memory=0)):
        cube = tn.Cube(learner, by="store", levels=()).fit(rows)
        stored = cube._level.cells.pieces
        assert stored
        assert all(isinstance(piece, StoredRows) for piece in stored)
        folder = stored[0].path.parent
        assert len([*folder.iterdir()]) == len(stored)
        copy = pickle.loads(pickle.dumps(cube))
        assert digest(cube) == found
    assert digest(copy) == found  # the rows came along: its files are of another process
    some = cube.sel(store=["s0", "s7", "s450"])
    assert [bits(some[key].summary_) for key in ("s0", "s7")] == [bits(cube[key].summary_) for key in ("s0", "s7")]
    del cube, stored, some
    gc.collect()
    assert not folder.exists()


def test_a_folder_without_room_is_named(tmp_path, monkeypatch):
    path = written(sales(cells=900), tmp_path / "rows.parquet", 150)

    def full(*given, **more):
        raise OSError("no space left on device")

    monkeypatch.setattr("tenfold.engine.cells.part_rows.pickle.dump", full)
    with tn.on(tn.Local(memory=0)), pytest.raises(OSError, match="no space left on device.*Remedy: .*TMPDIR"):
        tn.Cube(tn.Ridge(), by="store").fit(rows_of(path))


@pytest.mark.slow
def test_dask_changes_no_bit(tmp_path):
    distributed = pytest.importorskip("distributed")
    path = written(sales(cells=300), tmp_path / "rows.parquet", 150)
    cube = tn.Cube(tn.Ridge(), by=["country", "store"], levels=["country"])
    here = digest(cube.fit(rows_of(path, "weight")))
    given = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**given) as cluster, distributed.Client(cluster) as client, tn.on(tn.Dask(client)):
        there = digest(cube.fit(rows_of(path, "weight")))
    assert there == here


def test_a_fit_is_one_scan(tmp_path, monkeypatch):
    path = written(sales(), tmp_path / "rows.parquet")
    rows, read = rows_of(path), []
    tables = type(rows).tables
    monkeypatch.setattr(
        type(rows), "tables", lambda self, part, *more: (read.append(part), tables(self, part, *more))[1]
    )
    tn.Cube(tn.Ridge(), by=["country", "store"], levels=["country"]).fit(rows)
    assert sorted(read) == list(range(len(rows)))


# ---- files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [tn.Ridge(), tn.StandardScaler()])
def test_a_file_is_the_cube(tmp_path, learner):
    frame = sales(cells=3000, rows=6000).drop(columns="weight")
    target = "price" if learner.need.target else None
    cube = tn.Cube(learner, by=["country", "store"]).fit(tn.scan(frame, target=target))
    cube.to_parquet(tmp_path / "cube.parquet")
    again = tn.Cube.open(tmp_path / "cube.parquet")
    assert digest(again) == digest(cube)
    for country, store in frame[["country", "store"]].drop_duplicates()[:5].itertuples(index=False):
        one = tn.Cube.open_cell(tmp_path / "cube.parquet", country, store)
        assert bits(one.model_) == bits(cube[country, store].model_)
        one.verify()
    with pytest.raises(KeyError, match="no cell"):
        tn.Cube.open_cell(tmp_path / "cube.parquet", "FR", "none")
    assert pq.read_table(tmp_path / "cube.parquet").num_rows == cube.n_cells_


def test_a_damaged_file_is_refused(tmp_path):
    frame = sales(cells=50).drop(columns=["weight", "country"])
    path = tmp_path / "cube.parquet"
    tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price")).to_parquet(path)
    whole, refused = path.read_bytes(), 0
    assert tn.Cube.open(path).n_cells_ == frame["store"].nunique()
    for at in np.linspace(10, len(whole) - 10, 60).astype(int):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        try:
            found = tn.Cube.open(path)
            found.table()
        except (tn.ModelFileError, OSError, ValueError):
            refused += 1
        else:
            assert found.n_cells_ == frame["store"].nunique()
    assert refused > 40


def test_a_damaged_file_is_named(tmp_path):
    frame = sales(cells=50).drop(columns=["weight", "country"])
    path = tmp_path / "cube.parquet"
    cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price"))
    cube.to_parquet(path)
    whole = path.read_bytes()
    for length in (0, 3, 10, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(tn.ModelFileError, match=r"cube\.parquet is damaged"):
            tn.Cube.open(path)
        with pytest.raises(tn.ModelFileError, match=r"cube\.parquet is damaged"):
            tn.Cube.open_cell(path, "s1")
    pq.write_table(pa.table({"store": ["s1"]}), path)
    with pytest.raises(tn.ModelFileError, match="no file of Cube.to_parquet: it holds no cube"):
        tn.Cube.open(path).table()


def forged(path, **columns):
    """Write the file of a cube again with other columns, and with the digests that belong to them."""
    file = pq.ParquetFile(path)
    head = json.loads(file.metadata.metadata[cube_file.MAGIC.encode()])
    table = file.read()
    for name, change in columns.items():
        table = table.set_column(table.column_names.index(name), name, change(table[name].combine_chunks()))
    head["digests"] = [cube_file._digest(table)]
    text = json.dumps(head)
    with pq.ParquetWriter(path, table.schema, compression="none") as writer:
        writer.write_table(table)
        seal = hashlib.sha256(text.encode()).hexdigest()
        writer.add_key_value_metadata({cube_file.MAGIC: text, f"{cube_file.MAGIC}.sha256": seal})


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [("model.intercept", np.nan, "'model.intercept' must be finite"), ("summary.weight", np.inf, "must be finite"),
     ("status", "fine", "damaged"), ("hash", 0, "damaged"), ("rows", None, "damaged")],
)  # fmt: skip
def test_a_forged_file_is_refused(tmp_path, column, value, says):
    path = tmp_path / "cube.parquet"
    frame = sales(cells=20).drop(columns=["weight", "country"])
    cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price"))
    cube.to_parquet(path)
    forged(path)
    assert digest(tn.Cube.open(path)) == digest(cube)
    forged(path, **{column: lambda old: pa.array([value, *old.to_pylist()[1:]], old.type)})
    with pytest.raises(tn.ModelFileError, match=rf"cube\.parquet.*{says}"):
        tn.Cube.open(path).table()


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "cube.parquet"
    frame = sales(cells=3000, rows=6000).drop(columns=["weight", "country"])
    cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price"))
    cube.sel(store="s1").to_parquet(path)
    tables = cube_file._tables

    def full(level):
        yield next(tables(level))
        raise OSError("no space left")

    monkeypatch.setattr(cube_file, "_tables", full)
    with pytest.raises(OSError, match="no space"):
        cube.to_parquet(path)
    assert tn.Cube.open(path).n_cells_ == 1
    assert [file.name for file in tmp_path.iterdir()] == ["cube.parquet"]
    with pytest.raises(FileNotFoundError, match="Remedy: create it first"):
        cube.to_parquet(tmp_path / "none" / "cube.parquet")


@pytest.mark.parametrize("learner", [tn.Ridge(), tn.StandardScaler(), tn.GaussianNB()])
def test_a_cell_without_a_model_has_none_in_a_file(tmp_path, learner):
    frame = sales(600, 8).drop(columns=["weight", "country"])
    frame.loc[frame.index[frame["store"] == "s3"][0], "b"] = np.inf
    target = "price" if learner.need.target else None
    if learner.need.target == "class":
        frame["price"] = np.where(frame["price"] > 0, "up", "down")
    if target is None:
        frame = frame.drop(columns="price")
    cube = tn.Cube(learner, by="store").fit(tn.scan(frame, target=target))
    cube.to_parquet(tmp_path / "cube.parquet")
    again = tn.Cube.open(tmp_path / "cube.parquet")
    assert cube.failed_["store"].to_pylist() == ["s3"]
    assert again.failed_.equals(cube.failed_)
    for one in (cube, again):
        with pytest.raises(DataError, match="'b'"):
            one[()]


@pytest.mark.parametrize("learner", one_pass(), ids=lambda one: type(one).__name__)
@pytest.mark.filterwarnings("ignore")
def test_files_of_every_learner(tmp_path, learner):
    random, kinds = np.random.default_rng(0), learner.need.kinds
    columns = {name: np.abs(np.round(random.normal(size=300), 1)) for name in "abc"}
    if kinds in ("categorical", "text"):
        columns = {name: random.choice(["u1", "v1", "w1"], 300) for name in "ab"[: 2 - (kinds == "text")]}
    elif kinds == "date":
        columns = {"a": random.integers(0, 10**9, 300).astype("M8[s]")}
    columns["price"] = random.integers(0, 2, 300) if learner.need.target == "class" else random.uniform(1, 2, 300)
    rows = tn.scan(pd.DataFrame({**columns, "store": np.arange(300) % 7}), target="price")
    if not learner.need.target:
        rows = rows.without("price")
    if isinstance(learner, REFUSED):
        with pytest.raises(TypeError, match="Remedy: a learner of one pass"):
            tn.Cube(learner, by="store").fit(rows)
        return
    cube = tn.Cube(learner, by="store").fit(rows)
    before = bits(cube[3].model_)
    if not cube._level.cells.summing.in_stacks:
        with pytest.raises(tn.ModelFileError, match="Remedy: save the models one by one"):
            cube.to_parquet(tmp_path / "cube.parquet")
        return
    cube.to_parquet(tmp_path / "cube.parquet")
    again = tn.Cube.open(tmp_path / "cube.parquet")
    assert bits(again[3].model_) == before
    assert again.table().to_pandas().equals(cube.table().to_pandas())


def test_a_cube_without_a_key_has_a_file(tmp_path):
    whole = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(sales()[[*COLUMNS, "store", "price"]], target="price")).rollup()
    whole.to_parquet(tmp_path / "cube.parquet")
    assert tn.Cube.open(tmp_path / "cube.parquet")[()].coef_.tobytes() == whole[()].coef_.tobytes()
    assert tn.Cube.open_cell(tmp_path / "cube.parquet").coef_.tobytes() == whole[()].coef_.tobytes()


# ---- keys as people have them ----------------------------------------------------------------------------


def fit_of(*keys, **given):
    """A cube of rows in as many files as there are columns of keys."""
    with tempfile.TemporaryDirectory() as folder:
        for at, key in enumerate(keys):
            a = np.arange(len(key)) * 1.0
            pq.write_table(pa.table({"a": a, "price": a % 3, "key": key}), f"{folder}/{at}.parquet")
        return tn.Cube(tn.Ridge(), by="key", **given).fit(tn.scan(folder, target="price"))


@pytest.mark.parametrize("there", [["u", None], [1, None], [True, None], [date(2024, 1, 1), None]])
def test_a_missing_key_is_one_cell_whatever_type_the_others_have(there):
    cube = fit_of(pa.array(there * 5), pa.nulls(10), missing="cell")
    assert cube.table()["rows"].to_pylist() == [5, 15]
    found, level = cube.predict(pa.table({"a": np.ones(2), "key": pa.nulls(2)}), return_level=True)
    assert level.tolist() == [1, 1]
    assert found[0] == cube[None].predict(pd.DataFrame({"a": [1.0]}))[0]


def test_keys_of_several_types_are_one_key():
    texts = pa.array(["u", "v"] * 5)
    for a, b in (
        (pa.array([1, 2] * 5, pa.int8()), pa.array([1, 2] * 5, pa.uint64())),
        (texts, texts.cast(pa.large_string())),
        (texts.dictionary_encode(), texts),
    ):
        assert fit_of(a, b).table()["rows"].to_pylist() == [10, 10]


def test_a_large_unsigned_key_is_no_negative_one():
    large = np.array([-1, -2] * 5).view(np.uint64)
    cube = fit_of(pa.array([-1, -2] * 5))
    rows = pa.table({"a": np.ones(10), "key": pa.array(large)})
    assert (cube.predict(rows, return_level=True)[1] == 0).all()


@pytest.mark.parametrize(
    ("a", "b"),
    [([1, 2], ["1", "2"]), ([1, 2], [True, False]), ([date(2024, 1, 1)] * 2, ["2024-01-01"] * 2)],
)
def test_keys_of_different_kinds_are_refused_by_name(a, b):
    with pytest.raises(DataError, match="column 'key' is .*Remedy"):
        fit_of(pa.array(a), pa.array(b))
    cube = fit_of(pa.array(a * 3))
    with pytest.raises(DataError, match="column 'key' holds .* Remedy: convert it to one type"):
        cube.predict(pa.table({"a": np.ones(2), "key": pa.array(b)}))


@pytest.mark.parametrize("name", ["rows", "status", "reason", "hash", "check", "coef_a", "intercept", "summarized"])
def test_a_key_may_have_the_name_of_a_column_of_the_table(tmp_path, name):
    frame = sales(300, 5)[["a", "store", "price"]].rename(columns={"store": name})
    frame.loc[frame.index[frame[name] == "s1"][0], "a"] = np.nan
    cube = tn.Cube(tn.Ridge(), by=name).fit(tn.scan(frame, target="price"))
    assert cube.table()[name].to_pylist() == ["s0", "s1", "s2", "s3", "s4"]
    assert cube.failed_[name].to_pylist() == ["s1"]
    assert len(cube.table().column_names) == 6
    cube.to_parquet(tmp_path / "cube.parquet")
    assert tn.Cube.open(tmp_path / "cube.parquet").table().to_pandas().equals(cube.table().to_pandas())
    assert tn.Cube.open_cell(tmp_path / "cube.parquet", "s2").coef_ == cube["s2"].coef_


def test_parts_without_rows_are_predicted():
    dask = pytest.importorskip("dask.dataframe")
    frame = sales(300).drop(columns=["weight", "country"])
    cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price"))
    parts = dask.from_pandas(frame.assign(part=np.arange(300) // 100), npartitions=3)
    assert np.array_equal(cube.predict(parts[parts["part"] == 1]), cube.predict(frame[100:200]))


def test_cells_are_selected_by_values_of_any_kind():
    cube = tn.Cube(tn.Ridge(), by="store").fit(
        tn.scan(sales(key="number")[[*COLUMNS, "store", "price"]], target="price")
    )
    assert cube.sel(store=np.array([1, 2])).n_cells_ == 2
    assert cube.sel(store=range(3)).n_cells_ == 3
    assert cube.sel(store=[1, "x"]).n_cells_ == 1
    for wrong in ("x", 1.5, None, object()):
        with pytest.raises(KeyError, match="no cell"):
            cube.sel(store=wrong)
        assert wrong not in cube


def test_a_rollup_has_the_names_of_its_key_in_order():
    frame = sales().drop(columns="weight")
    cube = tn.Cube(tn.Ridge(), by=["country", "store"]).fit(tn.scan(frame, target="price"))
    assert cube.rollup("store", "country").by == ["country", "store"]
    with pytest.raises(ValueError, match="levels must name columns of the key"):
        tn.Cube(tn.Ridge(), by="store", levels=[()]).fit(tn.scan(frame, target="price"))


@pytest.mark.parametrize("cells", [40, 1500])
def test_a_rollup_has_the_same_bits_however_many_cells_merge_at_a_time(cells, monkeypatch):
    frame = sales(cells=cells).drop(columns="weight")
    cube = tn.Cube(tn.Ridge(), by=["country", "store"]).fit(tn.scan(frame, target="price"))
    found = []
    for size in (1, 3000, 1 << 30):
        monkeypatch.setattr(cube_level, "MERGED_BYTES", size)
        found.append([digest(cube.rollup(*by)) for by in ((), ("country",), ("store",))])
    assert found[0] == found[1] == found[2]


def test_cells_that_make_different_columns_are_refused():
    frame = sales(300, 4)[[*COLUMNS, "store"]]
    frame.loc[frame["store"] == "s1", ["a", "b"]] *= 1000
    cube = tn.Cube(tn.PCA(n_components=0.9), by="store").fit(tn.scan(frame))
    with pytest.raises(DataError, match="Remedy: parameters that give all cells the same"):
        cube.transform(frame)
    assert tn.Cube(tn.PCA(n_components=2), by="store").fit(tn.scan(frame)).transform(frame).shape == (300, 2)
    words = pd.DataFrame({"word": list("uvwxuv") * 5, "store": np.arange(30) % 3})
    cube = tn.Cube(tn.OneHotEncoder(), by="store").fit(tn.scan(words))
    with pytest.raises(DataError, match=r"\['word_u', 'word_v'\] and \['word_u', 'word_x'\]"):
        cube.transform(words)


def test_computed_columns_are_computed_for_new_rows(tmp_path):
    frame = sales().drop(columns=["weight", "country"])
    rows = tn.scan(frame, target="price").with_columns(e=tn.col("a") * tn.col("b"))
    cube = tn.Cube(tn.Ridge(), by="store").fit(rows)
    cube.to_parquet(tmp_path / "cube.parquet")
    new = frame.drop(columns="price")
    found = cube.predict(new)
    assert np.allclose(found, cube.predict(rows), rtol=1e-12)
    one = new[new["store"] == "s1"]
    assert np.allclose(cube["s1"].predict(one), found[one.index], rtol=1e-12)
    assert np.array_equal(tn.Cube.open(tmp_path / "cube.parquet").predict(new), found)
    other = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame[:99], target="price").with_columns(e=tn.col("a") * 2))
    with pytest.raises(MergeError, match="other computed columns"):
        cube + other


def test_a_row_that_nothing_predicts_is_named():
    frame = sales(300, 4).drop(columns=["weight", "country"])
    frame.loc[frame.index[frame["store"] == "s1"][0], "a"] = np.nan
    cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price"))
    others = frame[frame["store"] != "s1"]
    assert np.isfinite(cube.predict(others)).all()
    with pytest.raises(DataError, match=r"store = 's1'.*'a'.*Remedy"):
        cube.predict(frame.fillna(0.0))


def test_a_key_is_looked_up_as_it_is():
    """Not rounded to the type of the column: 1.5 is no integer, and a time of the day is no day."""
    days = pa.array([date(2024, 1, 1), date(2024, 1, 2)] * 5)
    cube = fit_of(days)
    assert pd.Timestamp("2024-01-02") in cube
    assert np.datetime64("2024-01-02") in cube
    assert pd.Timestamp("2024-01-02 13:00") not in cube
    seconds = fit_of(days.cast(pa.timestamp("s")))
    assert date(2024, 1, 2) in seconds
    assert pd.Timestamp("2024-01-02 00:00:00.5") not in seconds
    numbers = fit_of(pa.array([1, 2**64 - 1] * 5, pa.uint64()))
    assert 1.0 in numbers
    assert 2**64 - 1 in numbers
    assert not any(value in numbers for value in (1.5, -1, True, "1"))
    with pytest.raises(KeyError, match="no cell 1.5"):
        numbers[1.5]


@pytest.mark.parametrize(
    "kind",
    [pa.timestamp("s"), pa.timestamp("s", "UTC"), pa.timestamp("ns"), pa.date32(), pa.date64(), pa.time32("s"),
     pa.time64("us"), pa.uint64(), pa.int8(), pa.bool_(), pa.string_view()],
    ids=str,
)  # fmt: skip
def test_keys_of_every_type_have_a_file(tmp_path, kind):
    numbers = pa.array([0, 86_400_000, None] * 5, pa.int64())
    if pa.types.is_string_view(kind):
        keys = pa.array(["", "\u00e9", None] * 5).cast(kind)
    elif pa.types.is_int8(kind) or pa.types.is_boolean(kind):
        keys = pa.array([0, 1, None] * 5).cast(kind)
    elif pa.types.is_date32(kind) or pa.types.is_time32(kind):
        keys = pa.array([0, 7, None] * 5, pa.int32()).cast(kind)
    else:
        keys = numbers.cast(kind)
    a = np.arange(15) * 1.0
    table = pa.table({"a": a, "price": a % 4, "key": keys})
    cube = tn.Cube(tn.Ridge(), by="key", missing="cell").fit(tn.scan(table, target="price"))
    cube.to_parquet(tmp_path / "cube.parquet")
    again = tn.Cube.open(tmp_path / "cube.parquet")
    for key in cube.table()["key"].to_pylist():
        assert again[key].coef_.tobytes() == cube[key].coef_.tobytes()
        assert tn.Cube.open_cell(tmp_path / "cube.parquet", key).coef_.tobytes() == cube[key].coef_.tobytes()
    assert np.array_equal(again.predict(table), cube.predict(table))


def test_sparse_outputs_are_one_matrix():
    frame = pd.DataFrame({"word": list("uvwxu") * 8, "store": np.arange(40) % 4})
    found = tn.Cube(tn.OneHotEncoder(), by="store").fit(tn.scan(frame)).transform(frame)
    alone = tn.OneHotEncoder().fit(frame[["word"]]).transform(frame[["word"]])
    assert np.array_equal(found.toarray(), alone.toarray())


def test_a_cube_predicts_or_transforms_as_its_learner_does():
    assert hasattr(tn.Cube(tn.Ridge(), by="store"), "predict")
    assert not hasattr(tn.Cube(tn.Ridge(), by="store"), "transform")
    assert hasattr(tn.Cube(tn.StandardScaler(), by="store"), "transform")
    assert not hasattr(tn.Cube(tn.StandardScaler(), by="store"), "predict")


# ---- lazy outputs ----------------------------------------------------------------------------------------


@pytest.fixture
def in_files(tmp_path):
    frame = sales(600, 6).drop(columns="weight").assign(order=np.arange(600))
    folder = tmp_path / "sales"
    folder.mkdir()
    for k in range(3):
        frame[200 * k : 200 * (k + 1)].to_parquet(folder / f"{k}.parquet")
    return folder, frame


def test_predictions_for_a_source_are_read_part_by_part(in_files, tmp_path):
    folder, frame = in_files
    rows = tn.scan(folder, target="price", drop=["order"])
    cube = tn.Cube(tn.Ridge(), by=["country", "store"]).fit(rows)
    found, expected = cube.predict(rows), cube.predict(frame.drop(columns=["price", "order"]))
    assert [len(part) for part in found] == [200, 200, 200]
    assert found.collect().tobytes() == expected.tobytes()
    found.to_parquet(tmp_path / "predictions", keep=["order", "store"])
    table = pq.read_table(tmp_path / "predictions")
    assert table.column_names == ["order", "store", "prediction"]
    assert table["order"].to_pylist() == list(range(600))
    assert table["store"].to_pylist() == frame["store"].tolist()
    assert table["prediction"].to_numpy().tobytes() == expected.tobytes()
    with tn.on(tn.Local(threads=1)):
        assert cube.predict(rows).collect().tobytes() == expected.tobytes()
    sent = cloudpickle.loads(cloudpickle.dumps(found))  # as to the workers of a cluster
    assert sent.collect().tobytes() == expected.tobytes()
    assert sent.fingerprint() == found.fingerprint()


def test_outputs_of_other_cubes_are_no_continuation_of_a_folder(in_files, tmp_path):
    folder, _ = in_files
    rows = tn.scan(folder, target="price", drop=["order"])
    cube = tn.Cube(tn.Ridge(), by=["country", "store"]).fit(rows)
    cube.predict(rows).to_parquet(tmp_path / "out")
    cube.predict(rows).to_parquet(tmp_path / "out")
    for other in (
        cube.sel(store="s1"),
        cube.rollup("store"),
        tn.Cube(tn.Ridge(2.0), by=["country", "store"]).fit(rows),
    ):
        with pytest.raises(DataError, match="of another model"):
            other.predict(rows).to_parquet(tmp_path / "out")


def test_rows_of_unseen_cells_are_counted_over_all_parts(in_files):
    folder, frame = in_files
    rows = tn.scan(folder, target="price", drop=["order"])
    store = frame["store"].iloc[0]
    cube = tn.Cube(tn.Ridge(), by=["country", "store"]).fit(rows.only([("store", "!=", store)]))
    unseen = int((frame["store"] == store).sum())
    with pytest.warns(UserWarning, match=f"^{unseen} of 600 rows have no model of their own"):
        found = cube.predict(rows).collect()
    again, level = cube.predict(rows, return_level=True)
    assert again.collect().tobytes() == found.tobytes()
    _, expected = cube.predict(frame.drop(columns=["price", "order"]), return_level=True)
    assert level.collect().tolist() == expected.tolist()
    assert level.names == ("level",)


def test_a_learner_goes_on_with_what_a_cube_makes_of_a_source(in_files):
    folder, frame = in_files
    rows = tn.scan(folder, target="price", drop=["order", "country"])
    cube = tn.Cube(tn.StandardScaler(), by="store").fit(rows)
    scaled = cube.transform(rows)
    assert scaled.names == tuple(cube.feature_names_in_)
    in_memory = cube.transform(frame.drop(columns=["price", "order", "country"]))
    assert scaled.collect().tobytes() == in_memory.tobytes()
    expected = tn.LinearRegression().fit(in_memory, frame["price"])
    np.testing.assert_allclose(tn.LinearRegression().fit(scaled).coef_, expected.coef_, rtol=1e-12)


def test_cells_that_make_different_columns_are_refused_over_parts(tmp_path):
    for k, letters in enumerate(("uv", "uw")):
        pd.DataFrame({"word": list(letters) * 5, "store": k}).to_parquet(tmp_path / f"{k}.parquet")
    rows = tn.scan(tmp_path)
    found = tn.Cube(tn.OneHotEncoder(), by="store").fit(rows).transform(rows)
    with pytest.raises(DataError, match=r"\['word_u', 'word_v'\] and \['word_u', 'word_w'\]"):
        found.collect()


def test_files_whose_filter_leaves_no_row_are_predicted(in_files):
    folder, frame = in_files
    rows = tn.scan(folder, target="price", drop=["order"])
    cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(folder, target="price", drop=["order", "country"]))
    some = cube.predict(rows.without("country").only([("order", ">=", 450)]))
    assert some.collect().tobytes() == cube.predict(frame[450:].drop(columns=["price", "order", "country"])).tobytes()


# ---- cells of which none has a model -----------------------------------------------------------------------


def test_a_cube_without_any_model_says_so_and_why():
    frame = sales(300, 30)[[*COLUMNS, "store", "price"]]
    frame.loc[frame.index[::2], "a"] = np.nan
    with pytest.warns(UserWarning, match=r"none of 30 cells has a model. The commonest reason: .*'a'.* Remedy") as told:
        cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price"))
    assert len(told) == 1
    assert len(cube.failed_) == 30
    with pytest.raises(DataError, match=r"no cell has a model.*'a'"):
        cube.predict(tn.scan(frame, target="price"))


@pytest.mark.filterwarnings("error")
def test_a_cube_with_one_model_is_silent():
    frame = sales(3000, 300)[[*COLUMNS, "store", "price"]]
    there = frame["store"] == "s123"
    frame.loc[~there, "a"] = np.nan
    cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price"))
    assert len(cube.failed_) == cube.n_cells_ - 1


def test_an_opened_cube_reads_one_row_group_for_a_cell(tmp_path, monkeypatch):
    monkeypatch.setattr(cube_file, "MOST_CELLS", 100)
    frame = sales(cells=900).drop(columns=["weight", "country"])
    cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price"))
    cube.to_parquet(tmp_path / "cube.parquet")
    rows, read = [], []
    of_row, groups = cube_file.CubeFile._read_row, cube_file.CubeFile._read
    monkeypatch.setattr(cube_file.CubeFile, "_read_row", lambda self, *at: (rows.append(at), of_row(self, *at))[1])
    monkeypatch.setattr(cube_file.CubeFile, "_read", lambda self, group: (read.append(group), groups(self, group))[1])
    again = tn.Cube.open(tmp_path / "cube.parquet")
    assert len(again) == len(cube)
    for store in frame["store"].unique()[:50]:
        assert bits(again[store].model_) == bits(cube[store].model_)
        again[store].verify()
    assert len(rows) == 100
    assert not read  # of the lists of numbers, which are most of the bytes, those of one cell are read
    with pytest.raises(KeyError, match=r"no cell 'none'.*cube\.parquet"):
        again["none"]
    copy = pickle.loads(pickle.dumps(again))
    (tmp_path / "cube.parquet").unlink()  # what is open is read to its end
    assert digest(again) == digest(copy) == digest(cube)
    assert len(rows) == 101
    assert len(read) == -(-len(cube) // 100)
    again["s7"], again.table(), again.predict(frame)
    assert len(read) == -(-len(cube) // 100)


def test_a_cell_of_a_file_with_other_pages_is_read_as_parquet(tmp_path):
    frame = sales(cells=50).drop(columns=["weight", "country"])
    path = tmp_path / "cube.parquet"
    cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price"))
    cube.to_parquet(path)
    forged(path)  # pages with dictionaries
    assert bits(tn.Cube.open(path)["s7"].model_) == bits(cube["s7"].model_)


def test_a_changed_number_of_a_cell_is_an_error_of_that_cell(tmp_path):
    frame = sales(cells=50).drop(columns=["weight", "country"])
    path = tmp_path / "cube.parquet"
    cube = tn.Cube(tn.Ridge(), by="store").fit(tn.scan(frame, target="price"))
    cube.to_parquet(path)
    whole = bytearray(path.read_bytes())
    at = whole.index(cube["s7"].coef_.tobytes())
    whole[at] ^= 1
    path.write_bytes(whole)
    again = tn.Cube.open(path)
    assert bits(again["s8"].model_) == bits(cube["s8"].model_)
    for ask in (lambda: again["s7"], again.table):
        with pytest.raises(tn.ModelFileError, match=r"cube\.parquet is damaged.*row group 0 does not have its digest"):
            ask()


def test_a_coarser_cell_says_which_of_its_cells_cannot_be_summarized():
    frame = sales(600, 12).drop(columns="weight")
    frame.loc[frame["store"].isin(["s1", "s4"]), "b"] = np.nan  # both of FR
    cube = tn.Cube(tn.Ridge(), by=["country", "store"]).fit(tn.scan(frame, target="price"))
    failed = cube.rollup("country").failed_
    assert failed["country"].to_pylist() == ["FR"]
    reason = failed["reason"][0].as_py()
    assert "2 of the 4 cells" in reason
    assert "where country = 'FR', store = 's1'" in reason
    assert "'b'" in reason
    assert "cube.sel" in reason
    with pytest.raises(DataError, match="2 of the 4 cells"):
        cube["FR"]
    assert cube["DE"].coef_.tobytes() == cube.rollup("country")["DE"].coef_.tobytes()
    kept = cube.sel(store=[s for s in frame["store"].unique() if s not in ("s1", "s4")])
    assert kept.rollup("country").failed_.num_rows == 0
