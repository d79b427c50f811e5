"""What is asked of a source, asked of every kind of source."""

import ast
import os
import pickle
from pathlib import Path

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import tenfold as tn
from tenfold import DataError, scan
from tenfold.core import Need, Schema
from tenfold.sources import ArraySource, Source, part_rows

N = 90
random = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "a": random.normal(size=N),
        "b": np.arange(float(N)),
        "y": random.normal(size=N),
        "w": random.integers(0, 3, N).astype(float),
        "id": np.arange(N),
    }
)
ROLES = {"target": "y", "weight": "w", "columns": ["a", "b"]}
MODEL = tn.LinearRegression().fit(FRAME[["a", "b"]], FRAME["y"])


def in_parquet(folder):
    pq.write_table(pa.Table.from_pandas(FRAME, preserve_index=False), folder / "rows.parquet", row_group_size=40)
    return scan(str(folder / "rows.parquet"), **ROLES)


def in_frame(folder):
    with part_rows(40):
        return scan(FRAME, **ROLES)


def in_array(folder):
    with part_rows(40):
        return scan(FRAME[["a", "b"]].to_numpy(), target=FRAME["y"].to_numpy(), weight=FRAME["w"].to_numpy())


def in_named_array(folder):
    with part_rows(40):
        return ArraySource(*(FRAME[n].to_numpy() for n in (["a", "b"], "y", "w")), names=["a", "b"])


def in_dask(folder):
    return scan(dd.from_pandas(FRAME, npartitions=3), **ROLES)


def in_dask_array(folder):
    lazy = [da.from_array(FRAME[n].to_numpy(), chunks=40) for n in (["a", "b"], "y", "w")]
    return scan(lazy[0].rechunk((40, 2)), target=lazy[1], weight=lazy[2])


def of_a_model(folder):
    return MODEL.predict(in_parquet(folder))


SOURCES = [in_parquet, in_frame, in_array, in_named_array, in_dask, in_dask_array, of_a_model]
TABLES = [in_parquet, in_frame, in_dask, of_a_model]
ARRAYS = [in_array, in_dask_array]
NEED = Need(target="number")


@pytest.fixture(autouse=True)
def _here():
    with dask.config.set(scheduler="synchronous"):
        yield


def rows(source, need=NEED):
    schema = source.known(need)
    return [chunk for part in range(len(source)) for chunk in source.chunks(part, need, schema)]


@pytest.mark.parametrize("make", SOURCES)
def test_weights(make, tmp_path):
    source = make(tmp_path)
    assert source.weighted
    assert sum(chunk.n for chunk in rows(source)) == (FRAME["w"] > 0).sum()
    every = source.unweighted()
    assert not every.weighted
    assert source.weighted, "the source itself stays as it is"
    assert np.concatenate([chunk.y for chunk in rows(every)]).tolist() == FRAME["y"].tolist()
    assert all(chunk.uniform for chunk in rows(every))
    assert len(every) == len(source) == 3


@pytest.mark.parametrize("make", SOURCES)
def test_how_many_rows(make, tmp_path):
    assert make(tmp_path).n_rows == (None if make in (in_dask, in_dask_array) else N)


@pytest.mark.parametrize("make", SOURCES)
def test_columns_as_they_are(make, tmp_path):
    source = make(tmp_path)
    if make in (*ARRAYS, in_named_array):
        assert list(source.columns) == (["a", "b"] if make is in_named_array else [])
        with pytest.raises(DataError, match="no column 'w'"):
            list(source.raw(0, ["w"]))
        return
    assert {"a", "b", "y", "w"} <= {*source.columns}
    tables = [table for part in range(3) for table in source.raw(part, ["w", "a"])]
    assert all(table.column_names == ["w", "a"] for table in tables)
    assert pa.concat_tables(tables)["w"].to_pylist() == FRAME["w"].tolist()
    with pytest.raises(DataError, match="there is no column 'q'"):
        list(source.raw(0, ["q"]))


@pytest.mark.parametrize("make", [*TABLES[:3], in_named_array])
def test_without_a_column(make, tmp_path):
    source = make(tmp_path)
    known = source.known(NEED)
    fewer = source.without("b")
    assert (source.names, fewer.names) == (("a", "b"), ("a",))
    assert (known.names, fewer.known(NEED).names) == (("a", "b"), ("a",))
    found = rows(fewer, Need(target="number", side=("b",)))
    there = FRAME[FRAME["w"] > 0]
    assert np.concatenate([chunk.X.column(0) for chunk in found]).tolist() == there["a"].tolist()
    assert np.concatenate([np.asarray(chunk.side["b"]) for chunk in found]).tolist() == there["b"].tolist()
    with pytest.raises(DataError, match="there is no column 'c'"):
        source.without("c")


@pytest.mark.parametrize("make", ARRAYS)
def test_unnamed_columns_cannot_be_left_out_by_name(make, tmp_path):
    with pytest.raises(DataError, match="rows without named columns have no column 'b'"):
        make(tmp_path).without("b")


@pytest.mark.parametrize("make", [in_parquet, in_frame])
def test_some_of_the_rows(make, tmp_path):
    source = make(tmp_path)
    some = source.only(pc.field("b") >= 50.0)
    assert (some.n_rows, source.n_rows) == (40, N)
    later = some.only(pc.field("id") < 70)
    assert later.n_rows == 20
    expected = FRAME[(FRAME["b"] >= 50) & (FRAME["id"] < 70) & (FRAME["w"] > 0)]
    assert np.concatenate([chunk.y for chunk in rows(later)]).tolist() == expected["y"].tolist()
    assert later.without("b").names == some.without("b").names == ("a",)
    assert len({source.fingerprint(), some.fingerprint(), later.fingerprint()}) == 3
    with pytest.raises(DataError, match="no rows of .* match the filter"):
        source.only(pc.field("b") < -1.0)
    with pytest.raises(DataError, match="`where` does not fit"):
        source.only(pc.field("nobody") < -1.0)


@pytest.mark.parametrize("make", [in_array, in_dask, in_dask_array, of_a_model])
def test_rows_that_cannot_be_chosen_afterwards(make, tmp_path):
    with pytest.raises(DataError, match="Remedy: filter the rows before"):
        make(tmp_path).only(pc.field("b") >= 50.0)


@pytest.mark.parametrize("make", SOURCES)
def test_the_same_rows_drawn_otherwise(make, tmp_path):
    source = make(tmp_path)
    later = source.numbered_from(7)
    assert (source.first_part, later.first_part) == (0, 7)
    assert source.numbered_from(0) is source
    assert later.first_row_id(1) == source.first_row_id(8)


@pytest.mark.parametrize("make", SOURCES)
def test_what_is_in_memory(make, tmp_path):
    source = make(tmp_path)
    held = make in (in_frame, in_array, in_named_array)
    assert bool(source.in_memory()) == bool(source.arrays()) == held
    assert (source.graph() is not None) == (make in (in_dask, in_dask_array))
    target = source.target_values()
    assert (target is not None) == (make in (in_array, in_named_array))
    assert source.fingerprint() in source.fingerprints(FRAME["y"].to_numpy(), FRAME["w"].to_numpy())


def test_fingerprints_of_rows_in_memory_with_and_without_a_target():
    X, y, w = (FRAME[n].to_numpy() for n in (["a", "b"], "y", "w"))
    for make in (lambda *more: ArraySource(X, *more), lambda *more: in_memory_frame(*more)):
        found = make(y, w).fingerprints(y, w)
        assert {make(*more).fingerprint() for more in ((y, w), (y,), (None, w), ())} == found
        assert make(y + 1, w).fingerprint() not in found


def in_memory_frame(y=None, w=None):
    from tenfold.sources.tables import Roles, TableSource

    return TableSource(pa.Table.from_pandas(FRAME[["a", "b"]]), Roles(), "X", y, w)


def test_a_copy_is_recognised(tmp_path, monkeypatch):
    """Also if the path was relative: a worker has it in full, whoever copies a source has it as it was."""
    in_parquet(tmp_path)
    monkeypatch.chdir(tmp_path)
    source = scan("rows.parquet", **ROLES)
    assert source.numbered_from(3).fingerprint() == source.fingerprint()
    assert os.path.isabs(pickle.loads(pickle.dumps(source)).files[0])


def test_a_source_of_ones_own_brings_five_methods():
    class Ones(Source):
        names = ("x0",)

        def __len__(self):
            return 2

        def read(self, part, need, schema):
            return ArraySource(np.ones((5, 1)) * part).read(0, need, schema)

        def scans_for(self, need):
            return False

        def schema_of(self, part, need):
            return ArraySource(np.ones((5, 1))).schema_of(0, need)

        def fingerprint(self):
            return "ones"

    source = Ones()
    assert tn.StandardScaler().fit(source).mean_.tolist() == [0.5]
    assert (source.weighted, source.n_rows, source.unweighted()) == (False, None, source)
    assert tn.StandardScaler().fit(source).transform(source).collect().shape == (10, 1)
    assert [chunk.n for chunk in source.first_rows(1, Need(), Schema(()), 3)] == [3]


def test_nobody_probes_sources():
    """What a source is, it declares: no code asks for its attributes by name."""
    wrong = []
    for path in Path(tn.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Name(id="hasattr" | "getattr"), args=[ast.Name(id="source" | "rows"), *_]):
                    wrong.append(f"{path.name}:{node.lineno}")
    assert wrong == []
