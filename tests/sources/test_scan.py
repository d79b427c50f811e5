"""`scan`: whatever holds the rows, one answer; and what would be wrong is refused by name."""

import io
import os
import pickle
import re
import sys
import time
from datetime import datetime
from pathlib import Path

import cloudpickle
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import tenfold as tn
import tenfold.sources.files.parquet as parquet_module
import tenfold.sources.files.storage as storage_module
from tenfold.estimator.lazy_output import Mapped
from tenfold.sources import arrow, part_rows
from tenfold.sources.files.partitions import NULL
from tenfold.sources.files.storage import DISK
from tenfold.testing.comparison import assert_same, bits

pytestmark = pytest.mark.timeout(60)

ROWS, PART = 600, 100


def numbers(rows=ROWS, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 3))
    y = X @ [1.0, -2.0, 0.5] + random.normal(size=rows)
    return pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y, "k": (y > 0).astype(int)})


def texts(rows=ROWS):
    random = np.random.default_rng(1)
    columns = {n: random.choice(["red", "green", "blue", "ü"], rows).tolist() for n in "ab"}
    return pa.table({**columns, "k": random.choice(["no", "yes"], rows).tolist()})


def forms(table, folder):
    pq.write_table(table, folder / "t.parquet", row_group_size=PART)
    pyarrow.csv.write_csv(table, folder / "t.csv")
    return {
        "pandas": table.to_pandas(),
        "polars": pl.from_arrow(table),
        "lazy": pl.from_arrow(table).lazy(),
        "arrow": table,
        "reader": pa.RecordBatchReader.from_batches(table.schema, table.to_batches(70)),
        "csv": folder / "t.csv",
        "parquet": folder / "t.parquet",
    }


def assert_same_bits(a, b, what):
    assert bits(a.model_) == bits(b.model_), what
    assert bits(a.summary_) == bits(b.summary_), what


def write(path, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return str(path)


def call_in(error):
    """The call that the message says would work."""
    return re.search(r"(tenfold\.scan\(.*?\))(, or encode|, or convert|, which a model|$)", str(error.value)).group(1)


# ---- one answer --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learner", "target"),
    [
        (tn.Ridge(), "y"),
        (tn.GaussianNB(), "k"),
        (tn.StandardScaler(), None),
        (tn.KMeans(n_clusters=3, random_state=0), None),
    ],
)
def test_numbers_in_every_form_give_the_same_bits(learner, target, tmp_path):
    table = numbers()
    X = np.column_stack([table[n].to_numpy() for n in "abc"])
    y = None if target is None else table[target].to_numpy()
    with part_rows(PART):
        first = type(learner)(**learner.get_params()).fit(X, y)
        for form, data in forms(table, tmp_path).items():
            source = tn.scan(data, target=target, columns=["a", "b", "c"])
            assert len(source) == ROWS // PART
            assert_same_bits(type(learner)(**learner.get_params()).fit(source), first, form)


@pytest.mark.parametrize("learner", [tn.CategoricalNB, tn.FindS, tn.OneHotEncoder])
def test_text_in_every_form_gives_the_same_bits(learner, tmp_path):
    table = texts()
    target = None if learner is tn.OneHotEncoder else "k"
    X = np.column_stack([np.array(table[n].to_pylist(), dtype=object) for n in "ab"])
    with part_rows(PART):
        first = learner().fit(X, None if target is None else np.array(table["k"].to_pylist()))
        for form, data in forms(table, tmp_path).items():
            model = learner().fit(tn.scan(data, target=target, columns=["a", "b"]))
            assert_same_bits(model, first, form)


def test_other_row_groups_change_nothing_but_rounding(tmp_path):
    table = numbers()
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=77)
    pq.write_table(table, tmp_path / "b.parquet")
    models = [tn.Ridge().fit(tn.scan(tmp_path / f, target="y", drop=["k"])) for f in ("a.parquet", "b.parquet")]
    assert_same(models[0].model_, models[1].model_, "row groups")


# ---- the rules ---------------------------------------------------------------------------------


def dictionaries():
    """Chunks whose dictionaries differ, with nulls and repetitions in them."""
    one = pa.DictionaryArray.from_arrays(pa.array([0, 2, 3, 0]), pa.array(["x", None, "x", "y"]))
    two = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1, 2]), pa.array(["z", "x", "unused"][:2] + ["y"]))
    return pa.chunked_array([one, two]), ["x", "x", "y", "x", "z", "x", "x", "y"]


def test_dictionaries_that_differ_by_chunk():
    coded, plain = dictionaries()
    k = [0, 1, 0, 1, 0, 1, 0, 1]
    data = pa.table({"a": coded, "k": k})
    expected = tn.CategoricalNB().fit(np.array(plain, dtype=object)[:, None], k)
    assert expected.schema_.columns[0].categories.tolist() == ["x", "y", "z"]
    assert_same_bits(tn.CategoricalNB().fit(tn.scan(data, target="k")), expected, "table")
    reader = pa.RecordBatchReader.from_batches(data.schema, data.to_batches())
    assert_same_bits(tn.CategoricalNB().fit(tn.scan(reader, target="k")), expected, "reader")


def test_a_null_inside_a_dictionary_is_missing():
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["x", None]))
    model = tn.CategoricalNB().fit(tn.scan(pa.table({"a": coded, "k": [0, 1]}), target="k"))
    assert_same_bits(model, tn.CategoricalNB().fit(np.array([["x"], [None]], dtype=object), [0, 1]), "null")


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64()])
def test_integers_that_floats_cannot_hold_are_refused_by_name_and_place(kind, tmp_path):
    path = write(tmp_path / "t.parquet", id=pa.array([2**53 + 1, None, 1], kind), y=[1.0, 2, 3])
    with pytest.raises(tn.DataError, match="column 'id' of .*t.parquet, row group 0"):
        tn.Ridge().fit(tn.scan(path, target="y"))


@pytest.mark.parametrize(
    "values",
    [
        pa.array([True, False, True]),
        pa.array([1, 0, 1]).cast(pa.decimal128(30, 2)),
        pa.array(np.array([1, 0, 1], dtype=np.float16)),
    ],
)
def test_other_numbers_become_float64(values):
    model = tn.StandardScaler().fit(tn.scan(pa.table({"a": values})))
    np.testing.assert_allclose(model.mean_, 2 / 3)


def test_a_column_of_nulls_is_missing_everywhere():
    with pytest.raises(tn.DataError, match="NaN.*'a'"):
        tn.Ridge().fit(tn.scan(pa.table({"a": pa.nulls(3), "y": [1.0, 2.0, 3.0]}), target="y"))


FRAME = pd.DataFrame({"x": [1.0, 2.0, 4.0], "y": [1.0, 2.0, 3.0]})
STRANGE = {
    "date": pa.array([1, 2, 3], pa.date32()),
    "timestamp": pa.array([1, 2, 3], pa.timestamp("s")),
    "duration": pa.array([1, 2, 3], pa.duration("s")),
    "list": pa.array([[1], [2], [3]]),
    "struct": pa.array([{"a": 1}] * 3),
    "period": pd.Series(pd.period_range("2020", periods=3)),
    "interval": pd.Series(pd.interval_range(0, 3)),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_number_is_refused_with_the_call_that_works(kind):
    values = STRANGE[kind]
    if isinstance(values, pd.Series):
        frame = FRAME.assign(d=values)
    else:
        frame = pa.Table.from_pandas(FRAME).append_column("d", values)
    with pytest.raises(tn.DataError, match=f"'d' \\(.*{kind}") as error:
        tn.Ridge().fit(tn.scan(frame, target="y"))
    again = eval(call_in(error), {"tenfold": tn, "frame": frame})
    assert tn.Ridge().fit(again).coef_.shape == (1,)


@pytest.mark.parametrize("series", [pl.Series("d", [object()], dtype=pl.Object), pl.Series("d", [1], dtype=pl.Int128)])
@pytest.mark.parametrize("lazy", [False, True])
def test_polars_types_that_arrow_cannot_hold(series, lazy):
    frame = pl.DataFrame([series])
    with pytest.raises(tn.DataError, match=r"'d' \((Object|Int128)\).*frame.drop\(\['d'\]\)"):
        tn.scan(frame.lazy() if lazy else frame)


def test_names_that_appear_twice():
    with pytest.raises(tn.DataError, match=r"\['a'\] appear more than once"):
        tn.scan(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(tn.DataError, match=r"\['a'\] appear more than once"):
        tn.scan(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))


@pytest.mark.parametrize("names", [[0, 1], pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])])
def test_names_that_are_no_text_count_as_none(names):
    X = np.arange(8.0).reshape(4, 2) ** 2
    frame = pd.DataFrame(X, columns=names)
    model = tn.StandardScaler().fit(tn.scan(frame))
    assert not hasattr(model, "feature_names_in_")
    np.testing.assert_array_equal(model.transform(X), model.transform(tn.scan(frame)).collect())
    np.testing.assert_array_equal(tn.StandardScaler().fit(X).transform(tn.scan(frame)).collect(), model.transform(X))
    with pytest.raises(tn.DataError, match="no column 7"):
        tn.scan(frame, target=7)


def test_a_reader_is_read_once_and_its_source_as_often_as_one_likes():
    table = numbers(50)
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(10))
    source = tn.scan(reader, target="y")
    assert_same_bits(tn.Ridge().fit(source), tn.Ridge().fit(source), "twice")
    with pytest.raises(tn.DataError, match="read only once"):
        tn.scan(reader, target="y")


def test_a_dataset_of_parquet_files_keeps_its_folders_and_its_filter(tmp_path):
    for year in (2020, 2021):
        write(tmp_path / f"year={year}" / "a.parquet", x=[1.0, 2.0, 4.0], y=[1.0, 2.0, float(year)])
    data = ds.dataset(tmp_path, partitioning="hive")
    assert tn.scan(data).names == ("x", "y", "year")
    model = tn.StandardScaler().fit(tn.scan(data.filter(pc.field("x") > 1)))
    assert model.certificate_.provenance.rows == 4
    write(tmp_path / "year=2021" / "a.parquet", x=[2**60, 1], y=[1.0, 2.0])
    with pytest.raises(tn.DataError, match="year=2021"):
        tn.Ridge().fit(tn.scan(ds.dataset(tmp_path, partitioning="hive"), target="y"))


def test_an_arrow_stream_of_ones_own():
    class Mine:
        def __arrow_c_stream__(self, requested_schema=None):
            return numbers(50).__arrow_c_stream__(requested_schema)

    model = tn.Ridge().fit(tn.scan(Mine(), target="y"))
    assert_same_bits(model, tn.Ridge().fit(tn.scan(numbers(50), target="y")), "stream")


def test_arrays_are_checked():
    for bad in ({"target": [1]}, {"weight": [1.0, -1.0, 1.0]}, {"weight": [1.0, np.nan, 1.0]}):
        with pytest.raises(tn.DataError):
            tn.scan(np.eye(3), **bad)
    with pytest.raises(tn.DataError, match="shape"):
        tn.scan(np.arange(3))
    with pytest.raises(tn.DataError, match="names of its columns"):
        tn.scan(FRAME, target=np.arange(3))
    assert tn.scan(FRAME, drop="x").names == ("y",)
    for empty in (FRAME[:0], FRAME[["y"]]):
        with pytest.raises(tn.DataError, match="no rows|no column of"):
            tn.Ridge().fit(tn.scan(empty, target="y"))


# ---- files -------------------------------------------------------------------------------------


def test_a_glob_a_list_and_a_folder_are_the_same(tmp_path):
    table = numbers(90)
    paths = [tmp_path / f"{i}.parquet" for i in range(3)]
    for i, path in enumerate(paths):
        pq.write_table(table.slice(i * 30, 30), path)
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_temporary" / "torn.parquet").write_bytes(b"")
    models = [tn.Ridge().fit(tn.scan(d, target="y")) for d in (tmp_path, f"{tmp_path}/*.parquet", paths)]
    assert len({bits(m.model_) for m in models}) == 1
    with part_rows(30):
        assert_same_bits(models[0], tn.Ridge().fit(tn.scan(table, target="y")), "table")


def test_hive_folders_are_columns(tmp_path):
    for year in (2020, 2021):
        for name in ("a b", "c"):
            write(tmp_path / f"year={year}" / f"n={name.replace(' ', '%20')}" / "f.parquet", x=[1.0, year])
    assert tn.GaussianNB().fit(tn.scan(tmp_path, target="year", drop=["n"])).classes_.tolist() == [2020, 2021]
    assert tn.CategoricalNB().fit(tn.scan(tmp_path, target="n")).classes_.tolist() == ["a b", "c"]
    assert tn.StandardScaler().fit(tn.scan(tmp_path, drop=["n"])).mean_[1] == 2020.5
    assert tn.scan(tmp_path, drop=["year", "n"]).names == ("x",)
    assert len(tn.scan(tmp_path, where=[("year", "==", 2021)])) == 2


def test_damaged_and_missing_files_are_named(tmp_path):
    good = tmp_path / "good.parquet"
    pq.write_table(numbers(5000), good, compression="none", use_dictionary=False, write_page_checksum=True)
    whole = good.read_bytes()
    (tmp_path / "short.parquet").write_bytes(whole[:-100])
    middle = bytearray(whole)
    middle[len(whole) // 2] ^= 0xFF
    (tmp_path / "torn.parquet").write_bytes(middle)
    for name in ("short", "torn"):
        with pytest.raises(tn.DataError, match=f"{name}.parquet"):
            tn.Ridge().fit(tn.scan(tmp_path / f"{name}.parquet", target="y"))
    for missing in ("none.parquet", "none*.parquet", "none"):
        with pytest.raises(tn.DataError, match="there is no"):
            tn.scan(tmp_path / missing)


def test_files_and_row_groups_without_rows(tmp_path):
    table = numbers(60)
    pq.write_table(table[:0], tmp_path / "0.parquet")
    with pq.ParquetWriter(tmp_path / "1.parquet", table.schema) as writer:
        for some in (table[:30], table[:0], table[30:]):
            writer.write_table(some)
    source = tn.scan(tmp_path, target="y")
    assert len(source) == 2
    with part_rows(30):
        assert_same_bits(tn.Ridge().fit(source), tn.Ridge().fit(tn.scan(table, target="y")), "empty")
    with pytest.raises(tn.DataError, match="no rows"):
        tn.scan(tmp_path / "0.parquet")


def test_columns_in_another_order_more_of_them_or_fewer(tmp_path):
    write(tmp_path / "0.parquet", a=[1.0, 2.0], b=[10.0, 20.0])
    write(tmp_path / "1.parquet", b=[30, 40], a=[3, 4])
    np.testing.assert_allclose(tn.StandardScaler().fit(tn.scan(tmp_path)).mean_, [2.5, 25])
    write(tmp_path / "2.parquet", a=[3, 4], b=[30, 40], c=[1, 1])
    with pytest.raises(tn.DataError, match=r"2.parquet has columns \['c'\]"):
        tn.scan(tmp_path)
    assert tn.scan(tmp_path, columns=["a", "b"]).n_rows == 6
    write(tmp_path / "2.parquet", a=[3, 4])
    with pytest.raises(tn.DataError, match=r"2.parquet has no column \['b'\]"):
        tn.scan(tmp_path)


def test_csv_files_in_another_order_or_type(tmp_path):
    paths = [tmp_path / "0.csv", tmp_path / "1.csv"]
    paths[0].write_text("a,b\n1,10\n2,20\n")
    paths[1].write_text("b,a\n30.5,3\n40,4\n")
    np.testing.assert_allclose(tn.StandardScaler().fit(tn.scan(paths)).mean_, [2.5, 25.125])
    paths[1].write_text("a,b\nx,30\n")
    with pytest.raises(tn.DataError, match="'a' is string in .*1.csv"):
        tn.scan(paths)
    paths[1].write_text("a,c\n1,30\n")
    with pytest.raises(tn.DataError, match=r"1.csv.*\['b', 'c'\]"):
        tn.scan(paths)


@pytest.mark.parametrize("where", [None, [("b", ">", 0)]])
def test_types_that_drift(where, tmp_path):
    write(tmp_path / "0.parquet", a=pa.nulls(2), b=[10, 20], t=["x", "y"])
    write(tmp_path / "1.parquet", a=[1.0, 2.0], b=[0.5, 1.5], t=pa.array(["x", "z"]).dictionary_encode())
    source = tn.scan(tmp_path, columns=["b"], where=where)
    np.testing.assert_allclose(tn.StandardScaler().fit(source).mean_, 8.0)
    assert tn.OneHotEncoder(handle_unknown="ignore").fit(
        tn.scan(tmp_path, columns=["t"], where=where)
    ).schema_.n_values == (3,)
    with pytest.raises(tn.DataError, match="NaN.*'a'"):
        tn.Ridge().fit(tn.scan(tmp_path, columns=["a"], target="b", where=where))
    write(tmp_path / "2.parquet", a=[1.0], b=["text"], t=["x"])
    with pytest.raises(tn.DataError, match="'b' is string in .*2.parquet"):
        tn.scan(tmp_path)


def test_an_id_of_a_million_texts(tmp_path):
    rows = 1_000_000
    ids = pc.cast(pa.array(np.arange(rows)), pa.string())
    x = np.arange(rows) % 7.0
    path = write(tmp_path / "t.parquet", id=ids, x=x, y=2 * x, k=(np.arange(rows) % 2))
    with pytest.raises(tn.DataError, match="column number 0 has a category of its own in each of 1,000,000 rows"):
        tn.Ridge().fit(tn.scan(path, target="y", categorical=["id"]))
    with pytest.raises(tn.DataError) as error:
        tn.GaussianNB().fit(tn.scan(path, target="k"))
    assert tn.GaussianNB().fit(eval(call_in(error), {"tenfold": tn})).n_features_in_ == 2
    assert tn.CategoricalNB().fit(tn.scan(path, target="k", columns=["id"])).schema_.n_values == (rows,)


@pytest.mark.parametrize("form", ["null", "nan", "text"])
def test_a_target_that_is_missing_somewhere(form, tmp_path):
    hole = np.nan if form == "nan" else None
    y = ["u", "v", None, "u"] if form == "text" else [1.0, 2.0, hole, 1.0]
    path = write(tmp_path / "t.parquet", x=[1.0, 2, 3, 4], z=[1, 2, 3, 4], y=y)
    for learner in (tn.GaussianNB,) if form == "text" else (tn.GaussianNB, tn.Ridge):
        with pytest.raises(tn.DataError, match="target is missing") as error:
            learner().fit(tn.scan(path, target="y", drop=["z"]))
        again = eval(call_in(error), {"tenfold": tn, "pyarrow": pa})
        model = learner().fit(again)
        assert (model.certificate_.provenance.rows, model.n_features_in_) == (3, 1)


def test_names_that_python_keeps_for_itself(tmp_path):
    path = write(tmp_path / "t.parquet", **{"class": [0, 1, 0], "lambda": [1.0, 2, 3], "a.b": [1.0, 2, 4]})
    model = tn.GaussianNB().fit(tn.scan(path, target="class"))
    assert model.feature_names_in_.tolist() == ["lambda", "a.b"]


@pytest.mark.parametrize("form", ["frame", "parquet"])
def test_weights_as_a_column(form, tmp_path):
    frame = numbers(60).to_pandas().assign(w=np.arange(60) % 3)
    frame.to_parquet(tmp_path / "t.parquet")
    data = frame if form == "frame" else tmp_path / "t.parquet"
    source = tn.scan(data, target="y", weight="w")
    model = tn.Ridge().fit(source)
    X = frame[["a", "b", "c", "k"]].astype(float)
    plain = tn.Ridge().fit(X, frame["y"], sample_weight=frame["w"])
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.predict(source).collect(), plain.predict(X))  # rows of no weight too
    written = model.predict(source).to_parquet(tmp_path / "out", keep=["w"])
    assert pq.read_table(written[0])["w"].to_pylist() == frame["w"].tolist()
    frame.loc[4, "a"] = np.nan
    with pytest.raises(tn.DataError, match="row 4"):
        tn.Ridge().fit(tn.scan(frame, target="y", weight="w"))


@pytest.mark.parametrize("where", [pc.field("i") >= 450, [("i", ">=", 450)]])
def test_where_is_pushed_down(where, tmp_path):
    table = numbers().append_column("i", pa.array(np.arange(ROWS)))
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=PART)
    source = tn.scan(tmp_path / "t.parquet", target="y", where=where)
    assert len(source) == 2
    model, plain = tn.Ridge().fit(source), tn.Ridge().fit(tn.scan(table, target="y", where=where))
    assert model.certificate_.provenance.rows == 150
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9)
    for data in (table, tmp_path / "t.parquet"):
        with pytest.raises(tn.DataError, match="`where`"):
            tn.scan(data, where=[("zz", "==", 1)])
        with pytest.raises(tn.DataError, match="no rows"):
            tn.scan(data, where=[("i", "==", -1)])


def test_rows_are_counted_as_where_leaves_them(tmp_path):
    table = numbers().append_column("i", pa.array(np.arange(ROWS)))
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=PART)
    source = tn.scan(tmp_path / "t.parquet", target="y", where=[("i", ">=", 450)])
    assert source.n_rows == 150
    assert tn.scan(table, target="y", where=[("i", ">=", 450)]).n_rows == 150
    assert tn.scan(tmp_path / "t.parquet", target="y").n_rows == ROWS
    assert pickle.loads(pickle.dumps(source)).n_rows == 150


def test_predictions_of_a_row_group_that_where_empties(tmp_path):
    table = pa.table({"i": np.arange(90), "x": np.arange(90.0), "k": np.arange(90) % 7})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=30)
    # the statistics of each row group allow the value, and the second has no row with it
    table = table.set_column(2, "k", pa.array([0, 2] * 15 + [1, 3] * 15 + [2, 4] * 15))
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=30)
    source = tn.scan(tmp_path / "t.parquet", columns=["x"], where=[("k", "==", 2)])
    assert len(source) == 3
    model = tn.StandardScaler().fit(source)
    assert [len(part) for part in model.transform(source)] == [15, 0, 15]
    paths = model.transform(source).to_parquet(tmp_path / "out", keep=["i", "k"])
    assert [pq.read_metadata(path).num_rows for path in paths] == [15, 0, 15]
    found = pq.read_table(tmp_path / "out")
    assert found["k"].to_pylist() == [2] * 30
    np.testing.assert_allclose(found["x"], (found["i"].to_numpy() - model.mean_) / model.scale_)
    assert len(model.transform(source).to_arrow()) == 30


@pytest.mark.parametrize("where", [None, [("x", ">=", 0)]])
def test_a_file_that_changes_after_it_was_scanned_is_refused(where, tmp_path, monkeypatch):
    path, other = tmp_path / "a.parquet", tmp_path / "b.parquet"
    for some in (path, other):
        pq.write_table(pa.table({"x": np.arange(90.0), "y": np.arange(90.0)}), some, row_group_size=30)
    source = tn.scan([path, other], target="y", where=where)
    first, fingerprint = tn.Ridge().fit(source), source.fingerprint()
    whole = other.read_bytes()
    (tmp_path / "copy").write_bytes(whole)  # as a worker may have it, from an archive that keeps whole seconds
    os.utime(tmp_path / "copy", ns=(0, other.stat().st_mtime_ns // 10**9 * 10**9))
    os.replace(tmp_path / "copy", other)
    with monkeypatch.context() as worker:
        worker.setattr(parquet_module, "_met", {})
        worker.setattr(storage_module, "this_machine", lambda: "another")
        assert bits(tn.Ridge().fit(source).model_) == bits(first.model_)
    assert source.fingerprint() == fingerprint
    grown, turned, other_numbers, cut = np.arange(120.0), np.arange(90.0)[::-1], np.arange(1.0, 91.0), np.arange(30.0)
    for more in (grown, turned, other_numbers, cut):
        pq.write_table(pa.table({"x": more, "y": more}), other, row_group_size=30)
        for use in (tn.Ridge().fit, first.score, lambda rows: first.predict(rows).collect()):
            with pytest.raises(tn.DataError, match=r"b\.parquet has changed since it was scanned.*scan it again"):
                use(source)
    if where is not None:
        with pytest.raises(tn.DataError, match=r"b\.parquet has changed since it was scanned"):
            assert source.n_rows
    other.unlink()
    with pytest.raises(tn.DataError, match=r"b\.parquet.* cannot be read"):
        tn.Ridge().fit(source)
    if where is not None:
        with pytest.raises(tn.DataError, match=r"b\.parquet.* cannot be read"):
            assert source.n_rows


def shuffled(path, change):
    """Write a file of the same size and footer, with other rows, in place or beside it."""
    table = pq.read_table(path)
    pq.write_table(table.take(np.arange(len(table)).reshape(-1, 30)[:, ::-1].ravel()), change, **UNPACKED)


def cut_in_place(path):
    os.truncate(path, 2_000)


def written_in_place(path):
    time.sleep(0.02)  # a file system's clock may be that coarse
    shuffled(path, path)


def replaced(path):
    time.sleep(0.02)
    shuffled(path, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def replaced_with_its_time(path):
    then = path.stat().st_mtime_ns
    shuffled(path, path.with_suffix(".new"))
    os.utime(path.with_suffix(".new"), ns=(then, then))
    path.with_suffix(".new").replace(path)


CHANGES = [cut_in_place, written_in_place, replaced, Path.unlink]
UNPACKED = {"row_group_size": 30, "use_dictionary": False, "compression": "none"}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("read", ["whole", "batches", "first", "where"])
def test_a_file_that_changes_while_it_is_read_is_refused(read, change, tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": np.sin(np.arange(900.0)), "y": np.cos(np.arange(900.0))}), path, **UNPACKED)
    footer = path.read_bytes()[-1_000:]
    if read == "batches":
        monkeypatch.setattr(parquet_module, "MAX_ROW_GROUP_BYTES", 1)
        monkeypatch.setattr(parquet_module, "BATCH_ROWS", 7)
    source = tn.scan(path, target="y", where=[("x", ">", -2.0)] if read == "where" else None)
    part, rows = 17, 5 if read == "first" else None
    opened, Disk = DISK.open, type(DISK)

    def open_and_change(self, name):
        file = opened(name)
        change(path)
        monkeypatch.setattr(Disk, "open", lambda self, name: opened(name))
        return file

    list(source.tables(part, ["x"], rows))
    monkeypatch.setattr(Disk, "open", open_and_change)
    with pytest.raises(tn.DataError, match=r"t\.parquet.* (has changed|cannot be read).*Remedy"):
        list(source.tables(part, ["x"], rows))
    if change in (written_in_place, replaced):
        assert path.read_bytes()[-1_000:] == footer  # which alone would not have told
    with pytest.raises(tn.DataError, match=r"t\.parquet"):
        tn.Ridge().fit(source)


def waves(path):
    """A file that can be shuffled, and its source."""
    pq.write_table(pa.table({"x": np.sin(np.arange(900.0)), "y": np.cos(np.arange(900.0))}), path, **UNPACKED)
    return tn.scan(path, target="y")


@pytest.mark.parametrize(
    ("change", "machine"),
    [(written_in_place, "here"), (replaced, "here"), (replaced, "elsewhere"), (replaced_with_its_time, "here")],
)
def test_a_worker_that_never_read_a_file_refuses_another_of_its_size_and_footer(change, machine, tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    source = waves(path)
    footer = path.read_bytes()[-1_000:]
    change(path)
    assert path.read_bytes()[-1_000:] == footer
    monkeypatch.setattr(parquet_module, "_met", {})
    if machine == "elsewhere":
        monkeypatch.setattr(storage_module, "this_machine", lambda: "another")
    with pytest.raises(tn.DataError, match=r"t\.parquet has changed since it was scanned: it has as many bytes"):
        tn.Ridge().fit(pickle.loads(pickle.dumps(source)))


def test_a_file_that_is_linked_or_renamed_and_renumbered_stays_the_same(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    source = waves(path)
    wanted = bits(tn.Ridge().fit(source).model_)
    os.link(path, tmp_path / "backup")
    path.chmod(0o600)
    path.rename(tmp_path / "away")
    (tmp_path / "away").rename(path)
    assert bits(tn.Ridge().fit(source).model_) == wanted
    source, facts = tn.scan(path, target="y"), type(DISK).facts
    monkeypatch.setattr(type(DISK), "facts", lambda self, path: facts(self, path)._replace(inode=7))
    assert bits(tn.Ridge().fit(source).model_) == wanted


@pytest.mark.parametrize("read", ["whole", "where"])
def test_another_file_that_is_in_its_place_for_a_moment_is_not_read(read, tmp_path, monkeypatch):
    path, away = tmp_path / "t.parquet", tmp_path / "away"
    source = waves(path) if read == "whole" else waves(path).only([("x", ">", -2.0)])
    wanted = [table for _, table in source.tables(17, ["x"])]
    opened, swaps = DISK.open, []

    def open_another(self, name):
        if swaps:
            return opened(name)
        swaps.append(name)
        shuffled(path, away)
        os.link(path, tmp_path / "kept")
        away.replace(path)
        file = opened(name)
        (tmp_path / "kept").replace(path)
        return file

    monkeypatch.setattr(storage_module, "FIRST_WAIT_SECONDS", 0.0)
    monkeypatch.setattr(type(DISK), "open", open_another)
    assert [table for _, table in source.tables(17, ["x"])] == wanted
    assert swaps


def test_the_footer_of_another_file_is_not_taken(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    source = waves(path)
    table = pq.read_table(path)
    opened, whole, then = parquet_module._opened, path.read_bytes(), path.stat().st_mtime_ns

    def another(storage, name):
        pq.write_table(table.set_column(0, "x", table["y"]), path, **{**UNPACKED, "row_group_size": 45})
        found = opened(storage, name)
        path.write_bytes(whole)
        os.utime(path, ns=(then, then))
        return found

    monkeypatch.setattr(parquet_module, "_opened", another)
    with pytest.raises(tn.DataError, match=r"t\.parquet has changed since it was scanned"):
        list(source.tables(17, ["x"]))


def test_a_file_that_was_just_written_is_known_by_a_time_that_the_next_write_changes(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"some")
    now = time.time_ns()
    os.utime(path, ns=(now, now))
    assert DISK.at_rest(path) == DISK.facts(path)
    assert time.time_ns() - now >= storage_module.CLOCK_TICK


def test_a_file_that_is_written_all_the_time_is_named(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    waves(path)
    facts = type(DISK).facts
    monkeypatch.setattr(storage_module, "FIRST_WAIT_SECONDS", 0.0)
    monkeypatch.setattr(type(DISK), "facts", lambda self, path: facts(self, path)._replace(time=time.time_ns()))
    written = "(is being written|was written while its footer was read)"
    with pytest.raises(tn.DataError, match=rf"t\.parquet.*it {written}\. Remedy: scan it again once nobody writes it"):
        tn.scan(path)


def test_text_of_an_arrow_file_that_points_outside_of_it_is_refused(tmp_path):
    path = tmp_path / "t.arrow"
    pyarrow.feather.write_feather(pa.table({"x": ["abc", "de", "f"] * 50}), path, compression="uncompressed")
    whole = path.read_bytes()
    offsets = np.array([0, 3, 5, 6, 9], dtype=np.int32).tobytes()
    assert whole.count(offsets) == 1
    at = whole.index(offsets)
    path.write_bytes(whole[: at + 8] + np.int32(2**30).tobytes() + whole[at + 12 :])
    with pytest.raises(tn.DataError, match=r"t\.arrow cannot be read"):
        tn.scan(path)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("ending", ["csv", "arrow"])
def test_other_files_that_change_while_they_are_read_are_refused(ending, change, tmp_path, monkeypatch):
    path, table = tmp_path / f"t.{ending}", pa.table({"x": np.arange(1_000, 4_000), "y": np.arange(3_000)})
    write = pyarrow.csv.write_csv if ending == "csv" else pyarrow.feather.write_feather
    write(table, path)
    opened, Disk = DISK.open, type(DISK)
    monkeypatch.setattr(sys.modules[__name__], "shuffled", lambda _, path: write(table.slice(0, 1_000), path))

    def open_and_change(self, name):
        file = opened(name)
        change(path)
        return file

    monkeypatch.setattr(Disk, "open", open_and_change)
    said = rf"t\.{ending} (has changed|was deleted) while it was read.*Remedy: scan it"
    with pytest.raises(tn.DataError, match=said):
        tn.scan(path, target="y")


def test_a_local_file_system_that_maps_is_read(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(numbers(), path)
    rows = tn.scan(str(path), target="y", filesystem=fs.LocalFileSystem(use_mmap=True))
    with rows.storage.open(str(path)) as file:
        assert isinstance(file, pa.OSFile)
    assert_same_bits(tn.Ridge().fit(rows), tn.Ridge().fit(tn.scan(path, target="y")), "the same rows")


@pytest.mark.parametrize(
    ("folders", "message"),
    [
        (["k=1", "k=1/m=2"], r"columns \['k', 'm'\], .* in those of \['k'\]"),
        (["k=1/m=2", "k=2"], r"columns \['k'\], .* in those of \['k', 'm'\]"),
        (["k=1", "m=1"], r"columns \['m'\], .* in those of \['k'\]"),
        (["k=1/k=2"], r"give the columns \['k', 'k'\]"),
        (["=1"], r"give the columns \[''\]"),
    ],
)
def test_folders_that_give_other_columns_are_named(folders, message, tmp_path):
    for folder in folders:
        write(tmp_path / folder / "f.parquet", x=[1.0, 2.0])
    with pytest.raises(tn.DataError, match=message):
        tn.scan(tmp_path)


@pytest.mark.parametrize("odd", ["--5", "²", "9" * 30, "1_0", "-", "", "a=b"])
def test_odd_values_of_folders_are_text(odd, tmp_path):
    for value in (odd, "1"):
        write(tmp_path / f"k={value}" / "f.parquet", x=[1.0, 2.0])
    assert tn.CategoricalNB().fit(tn.scan(tmp_path, target="k")).classes_.tolist() == sorted([odd, "1"])


def test_a_missing_value_among_folders_of_numbers(tmp_path):
    for value in ("1", "-2", NULL):
        write(tmp_path / f"k={value}" / "f.parquet", x=[1.0, 2.0])
    source = tn.scan(tmp_path)
    np.testing.assert_allclose(tn.StandardScaler().fit(source).mean_, [1.5, -0.5])


@pytest.mark.parametrize("where", [None, [("k", ">=", 0)]])
def test_large_row_groups_are_read_in_batches(where, tmp_path, monkeypatch):
    table = numbers()
    pq.write_table(table.append_column("id", pa.array(np.arange(ROWS))), tmp_path / "t.parquet")
    monkeypatch.setattr(parquet_module, "MAX_ROW_GROUP_BYTES", 6000)
    monkeypatch.setattr(parquet_module, "BATCH_ROWS", 128)
    source = tn.scan(tmp_path / "t.parquet", target="y", drop=["id"], where=where)
    model, whole = tn.Ridge().fit(source), tn.Ridge().fit(tn.scan(table, target="y"))
    assert len(source) == 1
    assert len(list(source.chunks(0, model.need, model.schema_))) > 1
    assert_same(model.model_, whole.model_, "batches")
    paths = model.predict(source).to_parquet(tmp_path / "out", keep=["id"])  # which comes in other batches
    written = pq.read_table(paths[0])
    assert written["id"].to_pylist() == list(range(ROWS))
    np.testing.assert_allclose(written["prediction"], whole.predict(table.drop(["y"])))


# ---- outputs -----------------------------------------------------------------------------------


def test_a_large_row_group_is_never_in_memory_as_a_whole(tmp_path, monkeypatch):
    path, sizes = tmp_path / "t.parquet", []
    table = pa.table({"x": np.arange(100_000.0), "y": np.arange(100_000.0)})
    pq.write_table(table, path, compression="none", use_dictionary=False, data_page_size=8_192)

    class Noting(io.FileIO):
        def read(self, size=-1):
            sizes.append(size)
            return super().read(size)

    source = tn.scan(path, target="y")
    monkeypatch.setattr(parquet_module, "MAX_ROW_GROUP_BYTES", 1)
    monkeypatch.setattr(parquet_module, "BATCH_ROWS", 1_000)
    monkeypatch.setattr(parquet_module, "STREAM_BUFFER", 1 << 14)
    monkeypatch.setattr(type(DISK), "open", lambda self, name: pa.PythonFile(Noting(name), mode="r"))
    assert pa.concat_tables([some for _, some in source.tables(0, ["x", "y"])]).combine_chunks() == table
    assert 8_000 < max(sizes) < 100_000 < table["x"].nbytes
    sizes.clear()
    monkeypatch.setattr(parquet_module, "PAGE_BUFFER", 1 << 13)
    assert source.head(3).num_rows == 3
    assert max(sizes) < 100_000


def test_predictions_are_written_resumed_and_guarded(tmp_path):
    table = numbers()
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=PART)
    source = tn.scan(tmp_path / "t.parquet", target="y", drop=["k"])
    model = tn.Ridge().fit(source)
    X = np.column_stack([table[n].to_numpy() for n in "abc"])
    folder = tmp_path / "out"
    paths = model.predict(source).to_parquet(folder, keep=["k", "y"])
    (folder / ".part-000001.1.tmp").write_bytes(b"torn")
    (folder / "part-000001.parquet").unlink()
    times = [p.stat().st_mtime_ns for p in sorted(folder.glob("*.parquet"))]
    assert model.predict(source).to_parquet(folder, keep=["k", "y"]) == paths
    assert [p.stat().st_mtime_ns for p in sorted(folder.glob("*.parquet")) if "01." not in p.name] == times
    found = pq.read_table(folder)
    assert found.column_names == ["k", "y", "prediction"]
    assert found["k"].equals(table["k"])
    np.testing.assert_allclose(found["prediction"], tn.Ridge().fit(X, table["y"].to_numpy()).predict(X))
    with pytest.raises(tn.DataError, match="of another model"):
        tn.Ridge(alpha=9.0).fit(source).predict(source).to_parquet(folder, keep=["k", "y"])
    with pytest.raises(tn.DataError, match="columns .*'zz'.* to keep are missing"):
        model.predict(source).to_parquet(tmp_path / "more", keep=["zz"])


def test_predictions_of_each_day_are_a_file_of_one_folder(tmp_path, monkeypatch):
    table = numbers()
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=PART)
    source = tn.scan(tmp_path / "t.parquet", target="y", drop=["k"])
    said = tn.Ridge().fit(source).predict(source)
    first, second = (str(tmp_path / "daily" / f"{day}.parquet") for day in ("2025-03-01", "2025-03-02"))
    assert said.to_parquet(first, keep=["k"]) == [first]
    assert said.to_parquet(Path(second), keep="k") == [second]
    assert sorted(os.listdir(tmp_path / "daily")) == ["2025-03-01.parquet", "2025-03-02.parquet"]
    found = pq.read_table(first)
    assert found["k"].equals(table["k"])
    assert found["prediction"].to_numpy().tobytes() == said.collect().tobytes()
    assert tn.scan(tmp_path / "daily").n_rows == 2 * ROWS
    tn.Ridge(alpha=9.0).fit(source).predict(source).to_parquet(first)  # in place of the earlier one
    assert pq.read_table(first).column_names == ["prediction"]

    said.to_parquet(tmp_path / "parts")
    with pytest.raises(tn.DataError, match=r"holds outputs for other rows, or of another model. Remedy") as error:
        said.to_parquet(tmp_path / "parts", keep=["k"])
    remedy = re.search(r"to_parquet\(.*?\)", str(error.value))
    assert len(eval(remedy.group(), {"to_parquet": said.to_parquet})) == 1

    before = pq.read_table(second)
    write_part = Mapped._write

    def cut_off(self, part, path, keep):
        if part == 3:
            raise OSError("no space left")
        write_part(self, part, path, keep)

    monkeypatch.setattr(Mapped, "_write", cut_off)
    with pytest.raises(OSError, match="no space left"), tn.on(tn.Local(threads=1)):
        said.to_parquet(second)
    assert pq.read_table(second).equals(before)  # whole or not at all
    written = []

    def noted(self, part, path, keep):
        written.append(part)
        write_part(self, part, path, keep)

    monkeypatch.setattr(Mapped, "_write", noted)
    said.to_parquet(second)
    assert 0 not in written  # the parts that were there are kept
    assert pq.read_table(second).column_names == ["prediction"]
    assert sorted(os.listdir(tmp_path / "daily")) == ["2025-03-01.parquet", "2025-03-02.parquet"]


def test_outputs_of_other_parameters_are_other_outputs(tmp_path):
    """Though the same was learned: a scaler learns the mean whether or not it takes it away."""
    pq.write_table(numbers(), tmp_path / "t.parquet", row_group_size=PART)
    source = tn.scan(tmp_path / "t.parquet", columns=["a", "b"])
    tn.StandardScaler().fit(source).transform(source).to_parquet(tmp_path / "out")
    with pytest.raises(tn.DataError, match="of another model"):
        tn.StandardScaler(with_mean=False).fit(source).transform(source).to_parquet(tmp_path / "out")
    many = [(f"member{i}", tn.Normalizer("l1")) for i in range(30)]  # of which a repr would show a few
    first, second = (tn.FeatureUnion([("all", tn.FeatureUnion(some))]) for some in (many, [*many[:15], *many[16:]]))
    second.transformer_list[0][1].transformer_list.insert(15, ("member15", tn.Normalizer("max")))
    first.fit(source).transform(source).to_parquet(tmp_path / "union")
    with pytest.raises(tn.DataError, match="of another model"):
        second.fit(source).transform(source).to_parquet(tmp_path / "union")


def test_a_classifier_gives_a_column_per_class(tmp_path):
    pq.write_table(texts(), tmp_path / "t.parquet", row_group_size=PART)
    source = tn.scan(tmp_path / "t.parquet", target="k")
    model = tn.CategoricalNB().fit(source)
    assert model.predict_proba(source).to_arrow().column_names == ["probability_no", "probability_yes"]
    labels = model.predict(tn.scan(tmp_path / "t.parquet", where=[("a", "==", "red")])).to_arrow()
    assert labels["prediction"].type == pa.string()


def test_a_pipeline_over_a_source_is_the_pipeline_over_the_array(tmp_path):
    table = numbers()
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=PART)
    source = tn.scan(tmp_path / "t.parquet", target="y", drop=["k"])
    X = np.column_stack([table[n].to_numpy() for n in "abc"])
    ours = make_pipeline(tn.StandardScaler(), tn.Ridge()).fit(source)
    scaler = ours[0].set_output(transform="pandas")
    assert isinstance(scaler.transform(source).collect(), np.ndarray)
    scaler.set_output(transform="default")
    plain = make_pipeline(tn.StandardScaler(), tn.Ridge()).fit(X, table["y"].to_numpy())
    np.testing.assert_allclose(ours[-1].coef_, plain[-1].coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.predict(source).collect(), plain.predict(X), rtol=1e-7)
    paths = ours.predict(source).to_parquet(tmp_path / "out", keep=["k"])
    assert pq.read_table(paths[0]).column_names == ["k", "prediction"]
    assert pickle.loads(pickle.dumps(source)).fingerprint() == source.fingerprint()
    assert_same_bits(ours[0], tn.StandardScaler().fit(pickle.loads(pickle.dumps(source))), "pickled")


@pytest.mark.parametrize("learner", [tn.Ridge(), tn.LogisticRegression(), tn.StandardScaler(), tn.KMeans(2)])
def test_what_a_model_says_of_a_source_travels_without_its_summary(learner):
    table = numbers()
    X = np.column_stack([table[n].to_numpy() for n in "abc"])
    model = learner.fit(X, table["k"].to_numpy())
    source = tn.scan(table.select(["a", "b", "c"]))
    ways = ("predict", "predict_proba", "decision_function", "transform", "inverse_transform")
    for way in (way for way in ways if hasattr(model, way)):
        mapped = getattr(model, way)(source)
        told = mapped.how.args[0]  # the model that goes along
        assert {name for name in vars(told) if name.endswith("_")} == {"model_", "schema_"}, way
        there = cloudpickle.loads(cloudpickle.dumps(mapped))
        np.testing.assert_array_equal(there.collect(), getattr(model, way)(X))


def test_a_reader_is_read_once_by_whoever_needs_rows_twice():
    X = np.column_stack([numbers()[n].to_numpy() for n in "abc"])
    table = pa.table({n: X[:, j] for j, n in enumerate("abc")})
    model = tn.KMeans(3, random_state=0).fit(table.to_reader())
    np.testing.assert_array_equal(model.labels_, tn.KMeans(3, random_state=0).fit(table).labels_)
    found = tn.StandardScaler().fit_transform(table.to_reader())
    np.testing.assert_array_equal(found, tn.StandardScaler().fit(table).transform(table))
    assert tn.cross_validate([tn.Ridge(), tn.Lasso()], table.to_reader(), X[:, 0]).scores.shape[0] == 2


def test_a_source_is_no_array():
    source = tn.scan(numbers(50), target="y")
    with pytest.raises(tn.DataError, match="learner"):
        np.asarray(source)
    with pytest.raises(tn.DataError, match="learner"):
        GridSearchCV(tn.Ridge(), {"alpha": [1.0]}).fit(source)


def test_score_of_a_source_is_that_of_the_array():
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 2))
    y = X @ [1.0, 2.0] + random.normal(size=500)
    weight = random.integers(0, 3, 500).astype(float)
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "y": y, "w": weight})
    rows = tn.scan(table, target="y", weight="w")
    ours = tn.Ridge().fit(rows).score(rows)
    assert ours == pytest.approx(tn.Ridge().fit(X, y, weight).score(X, y, weight), rel=1e-12)
    labels = tn.scan(table.set_column(2, "y", pa.array(y > 0)), target="y", drop=["w"])
    assert tn.GaussianNB().fit(labels).score(labels) == tn.GaussianNB().fit(X, y > 0).score(X, y > 0)


def test_set_output_and_pipelines_of_sources():
    from sklearn.pipeline import make_pipeline

    X = np.random.default_rng(1).normal(size=(50, 2))
    rows = tn.scan(pa.table({"a": X[:, 0], "b": X[:, 1], "y": X[:, 0]}), target="y")
    model = make_pipeline(tn.StandardScaler(), tn.Ridge()).set_output(transform="pandas").fit(rows)
    plain = make_pipeline(tn.StandardScaler(), tn.Ridge()).fit(X, X[:, 0])
    np.testing.assert_allclose(model[-1].coef_, plain[-1].coef_)


def test_weights_of_zero_throughout_are_refused():
    rows = tn.scan(pa.table({"a": [1.0, 2.0], "y": [1.0, 2.0], "w": [0.0, 0.0]}), target="y", weight="w")
    with pytest.raises(ValueError, match="no row has a weight"):
        tn.Ridge().fit(rows)


def test_a_hole_in_a_file_names_the_file(tmp_path):
    pq.write_table(pa.table({"a": [1.0, None, 3.0], "y": [1.0, 2.0, 3.0]}), tmp_path / "days.parquet")
    with pytest.raises(ValueError, match=r"NaN in column 'a' of .*days.parquet, row group 0, row 1"):
        tn.Ridge().fit(tn.scan(tmp_path, target="y"))


def test_a_folder_of_csv_files(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n2,4\n")
    (tmp_path / "b.csv").write_text("x,y\n3,6.5\n")
    assert tn.LinearRegression().fit(tn.scan(tmp_path, target="y")).certificate_.provenance.rows == 3


def test_the_call_for_a_polars_frame_works():
    import polars as pl

    X = pl.DataFrame({"id": ["a", "b"], "x": [1.0, 2.0]})
    with pytest.raises(ValueError) as caught:
        tn.StandardScaler().fit(X)
    assert "fit(X.drop(['id']), y)" in str(caught.value)
    assert tn.StandardScaler().fit(X.drop(["id"])).mean_.tolist() == [1.5]


def seen_columns(monkeypatch):
    """The columns of each reading of a part, from now on."""
    seen, read = [], parquet_module.ParquetSource._read
    monkeypatch.setattr(
        parquet_module.ParquetSource,
        "_read",
        lambda self, part, columns, rows: seen.append(columns) or read(self, part, columns, rows),
    )
    return seen


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint16(), pa.int64()], ids=str)
def test_footers_tell_two_classes_and_no_row_is_read_for_them(tmp_path, monkeypatch, kind):
    table = numbers().sort_by("k")  # so that row groups have one class each, or two
    table = table.set_column(4, "k", table["k"].cast(kind))
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=PART)
    source = tn.scan(tmp_path / "t.parquet", target="k", drop="y")
    seen = seen_columns(monkeypatch)
    model = tn.GaussianNB().fit(source)
    assert len(seen) == ROWS // PART, "each part once"
    memory = tn.GaussianNB().fit(tn.scan(table, target="k", drop="y"))
    assert model.classes_.dtype == memory.classes_.dtype
    assert model.class_count_.tolist() == memory.class_count_.tolist()
    np.testing.assert_allclose(model.theta_, memory.theta_, rtol=1e-12)


@pytest.mark.parametrize(
    ("labels", "given"),
    [
        ([0, 1, 2], {}),
        ([0, 2], {}),
        ([0.0, 1.0], {}),
        (["0", "1"], {}),
        ([0, 1], {"where": pc.field("a") > 0}),
        ([0, 1], {"weight": "b"}),
    ],
    ids=["three", "a gap", "floats", "text", "where", "weights"],
)
def test_where_footers_do_not_tell_the_classes_are_read(tmp_path, monkeypatch, labels, given):
    table = numbers()
    target = pa.array([labels[i % len(labels)] for i in range(ROWS)])
    table = table.set_column(4, "k", target).set_column(1, "b", pc.abs(table["b"]))
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=PART)
    source = tn.scan(tmp_path / "t.parquet", target="k", drop="y", **given)
    seen = seen_columns(monkeypatch)
    model = tn.GaussianNB().fit(source)
    assert ["k"] in [[c for c in columns if c != "b"] for columns in seen]
    assert model.classes_.tolist() == labels


def test_a_row_without_weight_gives_no_class(tmp_path):
    table = numbers().append_column("w", pa.array([0.0 if i % 2 else 1.0 for i in range(ROWS)]))
    table = table.set_column(4, "k", pa.array([i % 2 for i in range(ROWS)]))
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=PART)
    with pytest.raises(ValueError, match="class"):
        tn.LogisticRegression().fit(tn.scan(tmp_path / "t.parquet", target="k", drop="y", weight="w"))


def test_entries_of_a_dictionary_that_no_row_has_are_no_categories():
    for count in (3, 40):  # looked for one by one, or hashed
        entries = pa.array([f"k{k:02d}" for k in range(count)])
        for rows in ([0, 2, 2, 0], [0, None, 2, 0]):
            column = pa.DictionaryArray.from_arrays(pa.array(rows, pa.int8()), entries)
            assert arrow.levels(pa.chunked_array([column]), "here").tolist() == ["k00", "k02"]
            found = arrow.codes(column, np.array(["k00", "k02"], dtype=object), "here")
            np.testing.assert_array_equal(found, [{0: 0.0, 2: 1.0, None: np.nan}[one] for one in rows])
    beyond = pa.DictionaryArray.from_arrays(pa.array([0, 100], pa.int8()), pa.array(["a"]), safe=False)
    with pytest.raises(tn.DataError, match="without an entry in its dictionary"):
        arrow.codes(beyond, np.array(["a"], dtype=object), "here")


@pytest.mark.parametrize("values", [["a", "b", None], [0.0, 1.0, None], [0.0, 1.0, np.nan]])
@pytest.mark.parametrize("more", [0, 20])
def test_a_target_that_its_dictionary_misses_is_refused(values, more):
    kind = pa.array(values).type
    entries = pa.array([*values, *(pa.array(range(2, 2 + more)).cast(kind).to_pylist())], kind)
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1, 0, 1] * 3, pa.int32()), entries)
    table = pa.table({"x": np.arange(18.0), "c": coded})
    assert tn.GaussianNB().fit(tn.scan(table, target="c")).classes_.tolist() == values[:2]
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1, 0, 2] * 3, pa.int32()), entries)
    with pytest.raises(tn.DataError, match="target is missing") as error:
        tn.GaussianNB().fit(tn.scan(table.set_column(1, "c", coded), target="c"))
    names = {"tenfold": tn, "pyarrow": pa, "frame": table.set_column(1, "c", coded)}
    assert eval(call_in(error), names).n_rows == 15


def test_rows_are_chosen_by_lists_as_in_scan(tmp_path):
    table = numbers()
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=PART)
    for data in (table, tmp_path / "t.parquet"):
        rows = tn.scan(data, target="y")
        expected = tn.Ridge().fit(tn.scan(data, target="y", where=[("a", ">", 0.0)]))
        for where in ([("a", ">", 0.0)], pc.field("a") > 0.0):
            assert rows.only(where).n_rows == np.sum(table["a"].to_numpy() > 0)
            assert_same_bits(tn.Ridge().fit(rows.only(where)), expected, "the same rows")
        for wrong in ([1, 2], [True, False], "a > 0", ["a"], np.array([True]), None):
            with pytest.raises(tn.DataError, match=r"neither an expression nor a list.*Remedy: \[\('year'"):
                rows.only(wrong)
        with pytest.raises(tn.DataError, match="does not fit"):
            rows.only([("none", ">", 0)])


def test_rows_are_chosen_by_whether_they_miss_a_value(tmp_path):
    """A comparison with None, in text, numbers and dates: Arrow's own is never true."""
    when = [datetime(2025, 3, 1), None, None, datetime(2025, 3, 2)]
    write(tmp_path / "t.parquet", note=["a", None, "", "b"], x=[1.0, None, np.nan, 2.0], at=when, i=[1, 2, 3, 4])
    for data in (tmp_path / "t.parquet", pq.read_table(tmp_path / "t.parquet")):
        for name, missing in {"note": [2], "x": [2, 3], "at": [2, 3]}.items():
            there = [i for i in (1, 2, 3, 4) if i not in missing]
            for where, expected in {
                ((name, "!=", None),): there,
                ((name, "==", None),): missing,
                ((name, "=", None), ("i", ">", 2)): [i for i in missing if i > 2],
            }.items():
                if expected:
                    assert tn.scan(data, where=list(where)).to_pandas()["i"].tolist() == expected
                    assert tn.scan(data).only(list(where)).to_pandas()["i"].tolist() == expected
        either = [[("note", "==", None)], [("i", "==", 4)]]
        assert tn.scan(data, where=either).to_pandas()["i"].tolist() == [2, 4]
        with pytest.raises(tn.DataError, match=r"'x' with None by '>'. Remedy: \('x', '!=', None\)"):
            tn.scan(data, where=[("x", ">", None)])
        with pytest.raises(tn.DataError, match="no rows of .* match the filter `where`"):
            tn.scan(data, where=[("i", "==", None)])


@pytest.mark.parametrize(
    "steps",
    [(tn.OneHotEncoder(),), (tn.CategoricalNB(),), (tn.TargetEncoder(), tn.GaussianNB())],
    ids=lambda steps: type(steps[0]).__name__,
)
def test_numbers_that_a_step_makes_are_categories_of_the_next(steps):
    """Over a source as in memory."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"town": random.choice(list("abcd"), 200), "day": random.choice(list("xyz"), 200)})
    kind = random.integers(0, 2, 200)
    rows = tn.scan(frame.assign(kind=kind), target="kind")
    pipeline = tn.make_pipeline(tn.OrdinalEncoder(), *steps)
    method = "transform" if len(steps) == 1 and not hasattr(steps[0], "predict") else "predict_proba"
    here = getattr(pipeline.fit(frame, kind), method)(frame)
    lazy = getattr(pipeline.fit(rows), method)(rows).collect()
    dense = [one.toarray() if hasattr(one, "toarray") else np.asarray(one) for one in (here, lazy)]
    assert dense[0].tobytes() == dense[1].tobytes()


@pytest.mark.parametrize("taker", [tn.TextFeatures(), tn.DateParts()], ids=lambda one: type(one).__name__)
def test_numbers_that_a_step_makes_are_no_text_and_no_dates(taker):
    rows = tn.scan(pd.DataFrame({"town": list("abab"), "kind": [0, 1, 1, 0]}), target="kind")
    with pytest.raises(tn.DataError, match="column 'town' holds numbers, made by the step before. Remedy: leave it"):
        tn.make_pipeline(tn.OrdinalEncoder(), taker, tn.GaussianNB()).fit(rows)


def test_an_index_that_pandas_wrote_is_no_feature(tmp_path):
    frame = numbers().to_pandas().drop(columns="k").query("a > 0")  # whose index is written too
    frame.to_parquet(tmp_path / "t.parquet")
    assert "__index_level_0__" in pq.read_schema(tmp_path / "t.parquet").names
    rows = tn.scan(tmp_path / "t.parquet", target="y")
    assert rows.names == ("a", "b", "c")
    model = tn.Ridge().fit(rows)
    assert model.coef_.tobytes() == tn.Ridge().fit(tn.scan(frame, target="y")).coef_.tobytes()
    assert np.array_equal(model.predict(rows).collect(), model.predict(frame[["a", "b", "c"]]))
    assert "__index_level_0__" in tn.scan(tmp_path / "t.parquet", target="y", columns=["a", "__index_level_0__"]).names


def test_a_filter_that_does_not_fit_names_the_column(tmp_path):
    table = texts()
    pq.write_table(table, tmp_path / "t.parquet")
    for data in (tmp_path / "t.parquet", table):
        with pytest.raises(tn.DataError, match=r"there is no column 'bb'; did you mean \['b'\]") as info:
            len(tn.scan(data, where=[("bb", ">", 3)]).to_arrow())
        assert "\n" not in str(info.value)
        with pytest.raises(
            tn.DataError, match=r"compares \w*string with int\d+\. Remedy: a value of the column's type"
        ):
            len(tn.scan(data, where=[("b", ">", 3)]).to_arrow())


@pytest.mark.parametrize("steps", [(), (tn.PolynomialFeatures(),), (tn.StandardScaler(), tn.SimpleImputer())])
def test_a_wrong_value_is_named_by_its_row_in_its_file(tmp_path, steps):
    for name, wrong in (("a", 0.0), ("b", np.inf if len(steps) > 1 else np.nan)):
        column = np.arange(7.0)
        column[5] = wrong
        pq.write_table(pa.table({"x": column, "y": np.arange(7.0)}), tmp_path / f"{name}.parquet", row_group_size=3)
    model = tn.make_pipeline(*steps, tn.LinearRegression())
    with pytest.raises(tn.DataError, match=r"column 'x' of .*b\.parquet, row group 1, row 5\."):
        model.fit(tn.scan(tmp_path, target="y"))
