"""Files of other formats, databases and tables of files: the bits of the same rows in memory."""

import bz2
import gzip
import os
import sqlite3

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

import tenfold as tn
from tenfold.sources import part_rows
from tenfold.sources.files import queries
from tenfold.testing.comparison import bits

pytestmark = pytest.mark.timeout(60)
PART = 100


def rows(n=400, seed=0):
    random = np.random.default_rng(seed)
    x, z = random.normal(size=(2, n))
    word = random.choice(["red", "green", "blue"], n)
    return pa.table({"x": x, "word": word, "y": x - 2 * z + random.normal(size=n), "k": (z > 0).astype(int)})


def assert_same_fit(source, table):
    with part_rows(PART):
        expected = tn.Ridge().fit(tn.scan(table, target="y"))
        found = tn.Ridge().fit(source())
    assert bits(found.model_) == bits(expected.model_)
    assert bits(found.summary_) == bits(expected.summary_)


def write_csv(table, path):
    pyarrow.csv.write_csv(table, path)


def write_gzip(table, path):
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink)
    path.write_bytes(gzip.compress(sink.getvalue()))


def write_bz2(table, path):
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink)
    path.write_bytes(bz2.compress(sink.getvalue()))


def write_feather(table, path):
    pyarrow.feather.write_feather(table, path, compression="zstd", chunksize=64)


def write_stream(table, path):
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, 64)


def write_orc(table, path):
    orc.write_table(table, str(path), stripe_size=1024)


WRITERS = {
    ".csv": write_csv,
    ".csv.gz": write_gzip,
    ".csv.bz2": write_bz2,
    ".feather": write_feather,
    ".arrow": write_stream,
    ".orc": write_orc,
}


@pytest.mark.quick
@pytest.mark.parametrize("ending", WRITERS)
def test_a_format_gives_the_bits_of_the_table(ending, tmp_path):
    table = rows()
    WRITERS[ending](table, tmp_path / f"t{ending}")
    assert_same_fit(lambda: tn.scan(tmp_path / f"t{ending}", target="y"), table)


@pytest.mark.parametrize("ending", WRITERS)
def test_lists_globs_and_folders_of_a_format(ending, tmp_path):
    for name, seed in (("a", 0), ("b", 1)):
        WRITERS[ending](rows(seed=seed), tmp_path / f"{name}{ending}")
    table = pa.concat_tables([rows(seed=0), rows(seed=1)])
    for data in (tmp_path, [tmp_path / f"{n}{ending}" for n in "ab"], str(tmp_path / f"*{ending}")):
        assert_same_fit(lambda data=data: tn.scan(data, target="y"), table)


@pytest.mark.parametrize("name", ["a b.csv", "a#b.csv", "a?b.csv", "a%20b.csv"])
def test_a_file_url_is_the_file_that_it_names_and_no_other(name, tmp_path):
    write_csv(rows(seed=1), tmp_path / "a")
    write_csv(rows(), tmp_path / name)
    assert_same_fit(lambda: tn.scan((tmp_path / name).as_uri(), target="y"), rows())
    if "%" not in name:  # as people write them, too
        assert_same_fit(lambda: tn.scan(f"file://localhost{tmp_path}/{name}", target="y"), rows())


@pytest.mark.parametrize("other", ["s3://shop/b.parquet", "https://shop.example/b.parquet"])
def test_files_of_this_machine_and_of_a_store_are_not_mixed(other, tmp_path):
    with pytest.raises(tn.DataError, match=r"some are not.*Remedy: scan them separately"):
        tn.scan([(tmp_path / "a.parquet").as_uri(), other])


@pytest.mark.parametrize(
    ("name", "reader"), [("t.avro", "read_avro"), ("t.tsv", "sep="), ("t.json", "read_json"), ("t.jsonl", "lines=True")]
)
def test_a_format_that_is_not_read_is_refused_with_what_to_do(name, reader, tmp_path):
    (tmp_path / name).write_bytes(b"Obj\x01")
    with pytest.raises(tn.DataError, match=rf"does not read; it reads \.parquet, .*\.csv.*{reader}"):
        tn.scan(tmp_path / name)


def files(folder, **texts):
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_bytes(text)
    return folder


def test_two_formats_are_not_mixed(tmp_path):
    write_csv(rows(), tmp_path / "a.csv")
    pq.write_table(rows(), tmp_path / "b.parquet")
    for data in (tmp_path, [tmp_path / "a.csv", tmp_path / "b.parquet"]):
        with pytest.raises(
            tn.DataError, match=r"a\.csv and .*b\.parquet have different formats.*Remedy: scan them separately"
        ):
            tn.scan(data)
    (tmp_path / "a.csv").rename(tmp_path / "README.md")
    assert tn.scan(tmp_path).n_rows == 400


def test_a_glob_is_of_files_that_are_not_hidden(tmp_path):
    for folder in ("a", "_temporary", "c.csv"):
        (tmp_path / folder).mkdir()
    for name in ("a/a.csv", "a/_b.csv", "_temporary/a.csv"):
        write_csv(rows(), tmp_path / name)
    assert tn.scan(str(tmp_path / "**" / "*.csv")).n_rows == 400
    assert tn.scan(str(tmp_path / "_temporary" / "*.csv")).n_rows == 400


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"a_csv": b"x,x,y\n1,2,3\n"}, r"columns \['x'\] appear more than once in .*a\.csv.*Remedy: rename"),
        (
            {"a_csv": b"id\n9007199254740993\n", "b_csv": b"id\n0.5\n"},
            r"column 'id' is double in .*b\.csv, but int64 in .*a\.csv.*Remedy",
        ),
        ({"a_csv": b""}, r"a\.csv cannot be read: Empty.*Remedy: leave it out"),
        ({"a_csv": b"x,y\n"}, r"a\.csv returned no rows: it is empty. Remedy: leave it out"),
        ({"a_csv": b"x,y\n1,2\n3\n"}, r"a\.csv cannot be read: .*Remedy: correct the line"),
        (
            {"a_csv_gz": gzip.compress(b"x\n" + b"1.5\n" * 9999)[:-40]},
            r"a\.csv\.gz cannot be read: .*write the file again",
        ),
        ({"notes_txt": b"none"}, r"the folder .* has no file that scan reads: \.parquet, .*\.csv"),
    ],
)
def test_files_that_do_not_work_are_named(texts, message, tmp_path):
    with pytest.raises(tn.DataError, match=message):
        tn.scan(files(tmp_path, **texts))


def test_a_file_that_is_not_there_is_called_what_it_is(tmp_path):
    with pytest.raises(tn.DataError, match=r"no file at '.*missing\.csv'") as error:
        tn.scan(tmp_path / "missing.csv")
    assert "parquet" not in str(error.value)


def test_lines_within_quotes_are_values(tmp_path):
    table = pa.table({"text": [f"one\ntwo {k}" for k in range(90_000)], "y": np.arange(90_000)})
    write_csv(table, tmp_path / "t.csv")
    source = tn.scan(tmp_path / "t.csv")
    assert source.n_rows == 90_000
    assert source.head(1)["text"].to_pylist() == ["one\ntwo 0"]


@pytest.mark.parametrize("ending", [".csv.gz", ".feather", ".orc"])
def test_a_damaged_file_is_named(ending, tmp_path):
    (tmp_path / f"t{ending}").write_bytes(b"not this, not this, not this")
    with pytest.raises(tn.DataError, match=f"t{ending} cannot be read"):
        tn.scan(tmp_path / f"t{ending}")


# ---- databases ----------------------------------------------------------------------------------


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as connection:
        rows().to_pandas().to_sql("sales", connection, index=False)
    connection.close()
    return path


QUERY = "SELECT * FROM sales ORDER BY rowid"


def test_a_query_of_sqlalchemy(database, monkeypatch):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    monkeypatch.setattr(queries, "FETCHED_ROWS", 70)
    engine = sqlalchemy.create_engine(f"sqlite:///{database}")
    assert_same_fit(lambda: tn.scan(QUERY, target="y", connection=engine), rows())
    with engine.connect() as connection:
        assert_same_fit(lambda: tn.scan(QUERY, target="y", connection=connection), rows())
    assert_same_fit(lambda: tn.scan(QUERY, target="y", connection=f"sqlite:///{database}"), rows())
    engine.dispose()


def test_a_query_of_sqlalchemy_is_taken_as_it_is_and_its_engine_is_closed(database, monkeypatch):
    sqlalchemy = pytest.importorskip("sqlalchemy")
    made = sqlalchemy.create_engine(f"sqlite:///{database}")
    closed = []
    monkeypatch.setattr(made, "dispose", lambda: closed.append(None))
    monkeypatch.setattr(sqlalchemy, "create_engine", lambda url: made)
    query = "SELECT *, ':x 10%' AS odd FROM sales WHERE word LIKE '%e%' AND word <> ':name'"
    source = tn.scan(query, target="y", connection=f"sqlite:///{database}")
    assert source.head(1)["odd"].to_pylist() == [":x 10%"]
    assert len(closed) == 1
    sqlalchemy.engine.Engine.dispose(made)


@pytest.mark.quick
def test_a_query_of_a_plain_connection(database, monkeypatch):
    monkeypatch.setattr(queries, "FETCHED_ROWS", 70)
    connection = sqlite3.connect(database)
    assert_same_fit(lambda: tn.scan(QUERY, target="y", connection=connection), rows())
    connection.close()


def test_a_query_of_adbc(database):
    dbapi = pytest.importorskip("adbc_driver_sqlite.dbapi")
    with dbapi.connect(str(database)) as connection:
        assert_same_fit(lambda: tn.scan(QUERY, target="y", connection=connection), rows())


def test_duckdb_by_query_and_by_relation():
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("sales", rows())
    assert_same_fit(lambda: tn.scan("SELECT * FROM sales", target="y", connection=connection), rows())
    assert_same_fit(lambda: tn.scan(connection.sql("SELECT * FROM sales"), target="y"), rows())
    some = tn.scan("SELECT * FROM sales WHERE k = 1", target="y", connection=connection)
    assert some.n_rows == rows()["k"].to_numpy().sum()


def test_a_query_is_run_once_so_rows_that_come_later_are_not_seen(database):
    connection = sqlite3.connect(database)
    source = tn.scan(QUERY, target="y", connection=connection)
    connection.execute("INSERT INTO sales SELECT * FROM sales")
    first, second = tn.Ridge().fit(source), tn.Ridge().fit(source)
    assert bits(first.model_) == bits(second.model_)
    assert source.n_rows == 400
    connection.close()


def test_a_column_that_is_null_at_first_gets_its_type_later(tmp_path, monkeypatch):
    monkeypatch.setattr(queries, "FETCHED_ROWS", 5)
    connection = sqlite3.connect(":memory:")
    frame = pd.DataFrame({"x": [None] * 12 + [1.5, 2.5], "y": range(14)})
    frame.to_sql("t", connection, index=False)
    source = tn.scan("SELECT * FROM t ORDER BY y", target="y", connection=connection)
    assert source.schema.field("x").type == pa.float64()
    assert source.head(20)["x"].to_pylist() == [None] * 12 + [1.5, 2.5]
    connection.close()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT * FROM nowhere", "the query failed: .*no such table.*Remedy"),
        ("SELECT * FROM sales WHERE k = 7", "no rows in the query"),
        ("SELECT CASE k WHEN 1 THEN 'a' ELSE 2 END AS odd FROM sales", "column 'odd' of the query"),
        ("SELECT k, k FROM sales", r"columns \['k'\] appear more than once in the query.*AS"),
        (["a"], "SQL query as text"),
    ],
)
def test_queries_that_do_not_work_are_named(query, message, database):
    connection = sqlite3.connect(database)
    with pytest.raises(tn.DataError, match=message):
        tn.scan(query, connection=connection)
    connection.close()


def test_a_query_without_a_connection_is_told_from_a_path():
    with pytest.raises(tn.DataError, match="connection="):
        tn.scan("SELECT * FROM sales")
    for query in ("SELECT\n a FROM b", "\n select a FROM b", "WITH t AS (SELECT 1)\nSELECT * FROM t"):
        with pytest.raises(tn.DataError, match="connection="):
            tn.scan(query)
    with pytest.raises(tn.DataError, match="no file at"):
        tn.scan("with weights.parquet")


def test_a_delta_table(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(tmp_path / "t", rows())
    deltalake.write_deltalake(tmp_path / "t", rows(seed=1), mode="append")
    found = deltalake.DeltaTable(tmp_path / "t")
    source = tn.scan(found, target="y")
    assert source.n_rows == 800
    model = tn.Ridge().fit(source)
    expected = tn.Ridge().fit(tn.scan(sorted(map(str, found.file_uris())), target="y"))
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-12)
    deltalake.write_deltalake(tmp_path / "t", rows(seed=2), mode="overwrite")
    assert tn.scan(deltalake.DeltaTable(tmp_path / "t")).n_rows == 400
    assert tn.scan(deltalake.DeltaTable(tmp_path / "t", version=0)).n_rows == 400


def test_partitions_of_a_delta_table_are_columns(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(tmp_path / "t", rows(), partition_by=["word"])
    source = tn.scan(deltalake.DeltaTable(tmp_path / "t"), target="y")
    assert {*source.names} == {"x", "word", "k"}
    expected = tn.Ridge().fit(rows().drop_columns("y"), rows()["y"])
    found = tn.Ridge().fit(source)
    np.testing.assert_allclose(sorted(found.coef_), sorted(expected.coef_), rtol=1e-9)


def test_partitions_of_a_delta_table_keep_their_types_and_nulls_are_no_partitions(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    table = pa.table({
        "zip": ["01234", "99999", None], "d": [0.5, 1.5, 2.5], "b": [True, False, True], "x": [1.0, 2.0, 3.0],
        "none": pa.array([None] * 3, pa.float64()), "y": [1.0, 2.0, 4.0],
    })  # fmt: skip
    deltalake.write_deltalake(tmp_path / "t", table, partition_by=["zip", "d", "b"])
    source = tn.scan(deltalake.DeltaTable(tmp_path / "t"), target="y")
    assert source.schema.remove_metadata() == table.schema
    assert source.head(3).to_arrow().sort_by("x").to_pydict() == table.to_pydict()
    assert tn.scan(deltalake.DeltaTable(tmp_path / "t"), where=[("zip", "==", "01234")]).n_rows == 1


def test_a_column_that_a_delta_table_got_later_is_missing_before(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    for seed, table in enumerate([rows().drop_columns("k"), rows(seed=1)]):
        more = {"mode": "append", "schema_mode": "merge"} if seed else {}
        deltalake.write_deltalake(tmp_path / "t", table, **more)
    source = tn.scan(deltalake.DeltaTable(tmp_path / "t"), target="y")
    found = pa.concat_tables(t for part in range(len(source)) for t in source.raw(part, ["x", "k"])).to_pydict()
    later = dict(zip(rows(seed=1)["x"].to_pylist(), rows(seed=1)["k"].to_pylist(), strict=True))
    assert found["k"] == [later.get(x) for x in found["x"]]
    assert len(found["k"]) == 800
    assert tn.scan(deltalake.DeltaTable(tmp_path / "t"), where=[("k", "==", 1)]).n_rows == sum(later.values())


def test_types_of_a_dataset_are_kept(tmp_path):
    for zip_code in ("01234", "99999"):
        (tmp_path / f"zip={zip_code}").mkdir()
        pq.write_table(rows(), tmp_path / f"zip={zip_code}" / "a.parquet")
    by = ds.partitioning(pa.schema([("zip", pa.string())]), flavor="hive")
    source = tn.scan(ds.dataset(tmp_path, partitioning=by), target="y")
    assert source.head(1)["zip"].to_pylist() == ["01234"]
    assert tn.scan(tmp_path, target="y").head(1)["zip"].to_pylist() == [1234]


# ---- folders that are columns -------------------------------------------------------------------


def write_years(folder, ending, years=(2023, 2024)):
    for year in years:
        (folder / f"year={year}").mkdir(parents=True)
        write = WRITERS.get(ending, pq.write_table)
        write(rows(seed=year), folder / f"year={year}" / f"a{ending}")
    each = [rows(seed=year).append_column("year", pa.array([year] * 400)) for year in years]
    return pa.concat_tables(each)


@pytest.mark.parametrize("ending", [".csv", ".feather", ".orc"])
def test_folders_of_any_format_are_columns(ending, tmp_path):
    table = write_years(tmp_path, ending)
    assert_same_fit(lambda: tn.scan(tmp_path, target="y"), table)
    some = tn.scan(tmp_path, target="y", where=[("year", "==", 2024)])
    assert some.n_rows == 400


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_lists_of_folders_relative_absolute_or_both(ending, tmp_path, monkeypatch):
    table = write_years(tmp_path, ending)
    monkeypatch.chdir(tmp_path)
    for data in (["year=2023", "year=2024"], [tmp_path / "year=2023", "year=2024"]):
        source = tn.scan(data, target="y")
        assert source.names == ("x", "word", "k", "year")
        assert [*source.raw(len(source) - 1, ["year"])][-1]["year"].to_pylist()[-1] == 2024
        found, expected = tn.Ridge().fit(source), tn.Ridge().fit(tn.scan(table, target="y"))
        np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-9)
    (tmp_path / "other").mkdir()
    os.link(tmp_path / "year=2023" / f"a{ending}", tmp_path / "other" / f"b{ending}")
    with pytest.raises(tn.DataError, match=rf"b{ending} is in folders of the columns \[\]"):
        tn.scan(["year=2023", "year=2024", f"other/b{ending}"])


def test_a_column_of_a_file_and_of_its_folder_is_refused(tmp_path):
    write_years(tmp_path, ".csv")
    write_csv(rows().append_column("year", pa.array([1] * 400)), tmp_path / "year=2024" / "a.csv")
    with pytest.raises(tn.DataError, match=r"a\.csv has a column 'year', and is in a folder year=.*Remedy"):
        tn.scan(tmp_path)


def test_an_iceberg_table_and_a_scan_of_it(tmp_path):
    catalogs = pytest.importorskip("pyiceberg.catalog.sql")
    options = {"uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": f"file://{tmp_path}"}
    catalog = catalogs.SqlCatalog("here", **options)
    catalog.create_namespace("shop")
    table = catalog.create_table("shop.sales", schema=rows().schema)
    for seed in range(2):
        table.append(rows(seed=seed))
    source = tn.scan(table, target="y")
    assert source.n_rows == 800
    expected = tn.Ridge().fit(tn.scan(table.scan().to_arrow(), target="y"))
    assert tn.Ridge().fit(source).coef_.tobytes() == expected.coef_.tobytes()
    some = tn.scan(table.scan(row_filter="k == 1", selected_fields=("x", "y")), target="y")
    assert [*some.names] == ["x"]
    assert some.n_rows == sum(sum(rows(seed=seed)["k"].to_pylist()) for seed in range(2))
    catalog.close()


def test_the_folder_of_a_delta_table_is_not_read_with_what_was_deleted(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    for seed in (0, 1):
        deltalake.write_deltalake(tmp_path / "dl", rows(seed=seed), mode="overwrite")
    with pytest.raises(tn.DataError, match=r"is a Delta table\. Remedy: tenfold\.scan\(deltalake\.DeltaTable\("):
        tn.scan(tmp_path / "dl", target="y")
    assert tn.scan(deltalake.DeltaTable(tmp_path / "dl"), target="y").n_rows == 400


def test_the_folder_of_an_iceberg_table_is_refused(tmp_path):
    for name in ("data", "metadata"):
        (tmp_path / name).mkdir()
    pq.write_table(rows(), tmp_path / "data" / "0.parquet")
    (tmp_path / "metadata" / "v1.metadata.json").write_text("{}")
    with pytest.raises(tn.DataError, match="Iceberg table. Remedy: tenfold.scan"):
        tn.scan(tmp_path, target="y")


@pytest.mark.parametrize(
    "text", [b'x,t\n1,a\n2,"b\n3,c\n4,d\n', b'x,t\n1,a\n2,"b\n3,"c"\n4,d\n', b'x,t\n1,"a ""q"""\n2,"b\n']
)
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_quote_that_is_not_closed_is_refused(text, ending, tmp_path):
    (tmp_path / f"t{ending}").write_bytes(gzip.compress(text) if ending == ".csv.gz" else text)
    with pytest.raises(tn.DataError, match=rf"t{ending} has an unclosed quote.*row 2 .*Remedy: close it"):
        tn.scan(tmp_path / f"t{ending}")


@pytest.mark.parametrize("text", [b'x,t\n1,5" pipe\n2,b\n', b'x,t\n1,"two\nlines, ""q"""\n2,b\n'])
def test_quotes_that_are_closed_or_within_values_are_read(text, tmp_path):
    (tmp_path / "t.csv").write_bytes(text)
    expected = pd.read_csv(tmp_path / "t.csv")
    assert tn.scan(tmp_path / "t.csv").head().to_pydict() == expected.to_dict("list")


def test_an_empty_field_is_missing_in_text_as_in_numbers(tmp_path):
    (tmp_path / "t.csv").write_text('t,x,u\na,1,NA\n,,b\n"",2,\n')
    found = tn.scan(tmp_path / "t.csv").head().to_pydict()
    assert found == {"t": ["a", None, None], "x": [1, None, 2], "u": ["NA", "b", None]}


def test_a_header_again_is_found_behind_a_category_of_its_name(tmp_path):
    (tmp_path / "t.csv").write_text("c,x,y\nc,1,2\nb,2,3\nc,x,y\na,3,4\n")
    with pytest.raises(tn.DataError, match="repeats its header as row 3 "):
        tn.scan(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("c,x,y\nc,1,2\nb,2,3\nc,3,4\n")
    assert tn.scan(tmp_path / "t.csv").n_rows == 3


def test_a_folder_has_parquet_files_of_all_endings(tmp_path):
    for name in ("a.parquet", "b.pq", "c.parq"):
        pq.write_table(rows(), tmp_path / name)
    assert tn.scan(tmp_path, target="y").n_rows == 1200


def test_the_head_of_files_whose_types_differ(tmp_path):
    first = pa.table({"x": pa.array([1], pa.int32()), "t": ["a"], "z": ["u"], "y": [1.0]})
    then = pa.table({"x": [0.5], "t": pa.array(["b"]).dictionary_encode(), "z": [[2]], "y": [2.0]})
    for name, table in (("a.parquet", first), ("b.parquet", then)):
        pq.write_table(table, tmp_path / name)
    source = tn.scan(tmp_path, target="y", drop=["z"])
    assert source.head().to_pydict() == {"x": [1.0, 0.5], "t": ["a", "b"], "z": ["u", "[2]"], "y": [1.0, 2.0]}
    assert source.head(0).num_rows == 0
    assert source.head(0).column_names == ["x", "t", "z", "y"]
    with pytest.raises(tn.DataError, match="-1 is negative. Remedy"):
        source.head(-1)


def test_columns_of_a_later_file_that_are_double_or_dropped(tmp_path):
    first, then = pa.table({"x": [1.0], "y": [1.0]}), pa.table({"x": [2.0], "y": [2.0], "z": [3.0]})
    pq.write_table(first, tmp_path / "a.parquet")
    pq.write_table(then, tmp_path / "b.parquet")
    assert tn.scan(tmp_path, target="y", drop=["z"]).names == ("x",)
    with pytest.raises(tn.DataError, match="no column 'zz'"):
        tn.scan(tmp_path, target="y", drop=["z", "zz"])
    pq.write_table(pa.Table.from_arrays(then.columns, names=["x", "y", "x"]), tmp_path / "b.parquet")
    with pytest.raises(tn.DataError, match=r"\['x'\] appear more than once in .*b\.parquet.*Remedy"):
        tn.scan(tmp_path, target="y")


def test_ids_that_float64_does_not_tell_apart_are_no_categories(tmp_path):
    lines = [f"{10**19 + k},{k % 2}" for k in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["id,y", *lines]))
    with pytest.raises(tn.DataError, match="column 'id' holds integers beyond 2.53.*Remedy: convert it to text"):
        tn.CategoricalNB().fit(tn.scan(tmp_path / "t.csv", target="y", categorical=["id"]))
    ids = pa.array([2**60 + k % 8 for k in range(40)]).cast(pa.decimal128(38, 0))
    model = tn.CategoricalNB().fit(tn.scan(pa.table({"id": ids, "y": [0, 1] * 20}), target="y"))
    assert model.schema_.columns[0].categories.tolist() == [2**60 + k for k in range(8)]


WRITES = [
    "update t set a = 0",
    "  -- a comment\n/* select */ DELETE FROM t",
    "insert into t select * from t",
    "drop table t",
    "with some as (select 1) update t set a = 0",
    "with gone as (delete from t returning *) select * from gone",
    "with some as (select 1) insert into t select 7",
    "select * into copy from t",
    "select 1; drop table t",
    "pragma user_version = 7",
    "create table s as select * from t",
    "",
]


@pytest.mark.parametrize("query", WRITES)
def test_statements_that_write_are_not_run(query):
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (a integer)")
    connection.execute("insert into t values (5)")
    with pytest.raises(tn.DataError, match=r"only queries that read are run.*Remedy: run it in the database"):
        tn.scan(query, connection=connection)
    assert connection.execute("select a from t").fetchall() == [(5,)]
    assert connection.execute("select count(*) from sqlite_master").fetchall() == [(1,)]
    assert connection.execute("pragma user_version").fetchall() == [(0,)]


READS = [
    "select * from t",
    "SELECT a FROM t -- ; drop table t",
    "with some as (select * from t) select * from some;",
    "select a, 'x; update t set a = 0' as word from t",
    'select "update", a from (select a, a as "update" from t)',
    "select replace('ab', 'a', 'b') as word, a from t",
    "select max(updated) as a from (select a as updated from t)",
    "values (5)",
    "/* (delete from t) */ select a from t",
]


@pytest.mark.parametrize("query", READS)
def test_statements_that_read_are_run(query):
    connection = sqlite3.connect(":memory:")
    connection.execute("create table t (a integer)")
    connection.execute("insert into t values (5)")
    assert tn.scan(query, connection=connection).n_rows == 1


def test_text_that_is_not_in_utf_8_is_refused_with_the_call_that_reads_it(tmp_path):
    names, values = tmp_path / "names.csv", tmp_path / "values.csv"
    names.write_bytes(("näme,b,y\n" + "1,2,0\n3,3,1\n" * 4).encode("latin-1"))
    values.write_bytes(("name,b,y\n" + "ä,2,0\nb,3,1\n" * 4).encode("latin-1"))
    call = r"tenfold\.scan\(pandas\.read_csv\('.*\.csv', encoding='latin-1'\)"
    with pytest.raises(tn.DataError, match=rf"names\.csv has column names that are not in UTF-8.*Remedy: {call}"):
        tn.scan(names, target="y")
    with pytest.raises(tn.DataError, match=rf"'name' \(binary\).*not in UTF-8.*{call}"):
        tn.DecisionTreeClassifier().fit(tn.scan(values, target="y"))
    for path in (names, values):
        rows = tn.scan(pd.read_csv(str(path), encoding="latin-1"), target="y")
        assert tn.DecisionTreeClassifier().fit(rows).classes_.tolist() == [0, 1]
    assert tn.scan(values, target="y", drop=["name"]).n_rows == 8
