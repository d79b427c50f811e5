"""Columns that come along with the rows: the same wherever rows come from, and right when rows are chosen."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tenfold import DataError, scan
from tenfold.core import Need, Schema
from tenfold.sources import ArraySource, part_rows

N = 97
random = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "x": np.arange(float(N)),
        "z": random.normal(size=N),
        "y": random.normal(size=N),
        "w": random.integers(0, 3, N).astype(float),
        "day": random.integers(0, 5, N),
        "place": pd.Categorical(np.array(["north", "south", "west"])[random.integers(0, 3, N)]),
    }
)
NEED = Need(target="number", side=("day", "place"))


def from_parquet(folder):
    path = folder / "rows.parquet"
    pq.write_table(pa.Table.from_pandas(FRAME, preserve_index=False), path, row_group_size=20)
    return scan(str(path), target="y", columns=["x", "z"], weight="w")


def from_dask(folder):
    columns = ["x", "z", "day", "place"]  # Dask computes only what has a role
    return (
        scan(dd.from_pandas(FRAME, npartitions=4), target="y", columns=columns, weight="w")
        .without("day")
        .without("place")
    )


def from_frame(folder):
    with part_rows(20):
        return scan(FRAME, target="y", columns=["x", "z"], weight="w")


def from_pieces(folder):
    """A table of several pieces, each with a dictionary of its own."""
    pieces = [pa.Table.from_pandas(f, preserve_index=False) for f in (FRAME[:13], FRAME[13:50], FRAME[50:])]
    with part_rows(20):
        return scan(pa.concat_tables(pieces), target="y", columns=["x", "z"], weight="w")


def from_array(folder):
    with part_rows(20):
        rows = ArraySource(FRAME[["x", "z"]].to_numpy(), FRAME["y"].to_numpy(), FRAME["w"].to_numpy(), names=["x", "z"])
    return rows.with_side("day", FRAME["day"].to_numpy()).with_side("place", FRAME["place"].to_numpy())


SOURCES = [from_parquet, from_dask, from_frame, from_pieces, from_array]


def chunks(source, need=NEED):
    schema = source.schema_of(0, need)
    return [chunk for part in range(len(source)) for chunk in source.chunks(part, need, schema)]


@pytest.mark.parametrize("make", SOURCES)
def test_columns_come_along_with_the_rows_that_have_a_weight(make, tmp_path):
    found = chunks(make(tmp_path))
    expected = FRAME[FRAME["w"] > 0]
    assert all({*chunk.side} == {"day", "place"} and chunk.X.shape[1] == 2 for chunk in found)
    for name in ("day", "place"):
        assert np.concatenate([np.asarray(chunk.side[name]) for chunk in found]).tolist() == expected[name].tolist()


@pytest.mark.parametrize("make", SOURCES)
def test_they_stay_right_when_rows_are_chosen(make, tmp_path):
    for chunk in chunks(make(tmp_path)):
        some = chunk.rows(np.arange(chunk.n)[::-3])
        fewer = chunk.rows(slice(2, 9)).rows(np.array([4, 1])).rows(slice(1, 2))
        for few in (some, fewer):
            at = few.X.column(0).astype(int)
            assert np.asarray(few.side["day"]).tolist() == FRAME["day"][at].tolist()
            assert np.asarray(few.side["place"]).tolist() == FRAME["place"][at].tolist()


@pytest.mark.parametrize("make", SOURCES)
def test_a_column_that_is_not_there_is_an_error_that_names_what_is(make, tmp_path):
    source = make(tmp_path)
    with pytest.raises(DataError, match="there is no column 'dya'"):
        chunks(source, Need(target="number", side=("dya",)))


def test_dask_computes_only_columns_that_have_a_role():
    source = scan(dd.from_pandas(FRAME, npartitions=4), target="y", columns=["x", "z"])
    with pytest.raises(
        DataError, match=r"column 'day' has no role, so Dask does not compute it.*columns=\[\.\.\., 'day'\]"
    ):
        chunks(source, Need(side=("day",)))


def test_rows_without_names_have_no_column_to_come_along():
    source = ArraySource(np.zeros((5, 2)), np.zeros(5))
    with pytest.raises(DataError, match=r"rows without named columns have no column 'day'\. Remedy"):
        chunks(source, NEED)


def test_a_column_may_be_a_feature_and_come_along():
    with part_rows(30):
        frame, array = scan(FRAME[["x", "z"]]), ArraySource(FRAME[["x", "z"]].to_numpy(), names=["x", "z"])
    for source in (frame, array):
        for chunk in chunks(source, Need(side=("z",))):
            np.testing.assert_array_equal(chunk.side["z"], chunk.X.column(1))


def test_what_comes_along_needs_no_schema_of_its_own():
    source = scan(FRAME.drop(columns="y"), target="place")
    need = Need(target="class")
    schema = source.remember(need, source.schema_of(0, need))
    assert source.known(Need(target="class", side=("day",))) is schema


@pytest.mark.parametrize("make", SOURCES)
def test_rows_without_columns_are_counted(make, tmp_path):
    """As where only classes are counted: of large row groups, numbers within the part would else start again."""
    source = make(tmp_path)
    found = [chunk for part in range(len(source)) for chunk in source.chunks(part, Need(), Schema(()))]
    assert sum(chunk.n for chunk in found) == (FRAME["w"] > 0).sum()
