"""Rows in whole sequences: the same ones wherever parts, row groups, batches and partitions were cut."""

import itertools

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tenfold import DataError, GaussianHMM, LinearRegression, MarkovChain, scan
from tenfold.core import Chunk, Columns, Need
from tenfold.estimator.ensembles.members import common_need
from tenfold.sources import ArraySource, part_rows
from tenfold.sources.files import parquet
from tenfold.sources.sequence_source import Ids, joined

NEED = Need(target="number", sequence="id")
LENGTHS = [1, 7, 3, 40, 1, 1, 12, 2, 25, 5, 1, 9]
"""of 107 rows: some sequences are longer than parts, some parts begin and end where sequences do"""


def rows(lengths=LENGTHS, ids=None, weight=None):
    ids = np.array([f"s{k}" for k in range(len(lengths))], dtype=object) if ids is None else np.asarray(ids)
    n = sum(lengths)
    random = np.random.default_rng(len(lengths))
    return pd.DataFrame(
        {
            "x": np.arange(float(n)),
            "z": random.normal(size=n),
            "y": random.normal(size=n),
            "w": np.ones(n) if weight is None else weight,
            "id": np.repeat(ids, lengths),
        }
    )


def in_parquet(frame, folder, size, **more):
    path = folder / f"rows{size}.parquet"
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=size)
    return scan(str(path), target="y", columns=["x", "z"], weight="w", sequence="id", **more)


def in_table(frame, folder, size):
    with part_rows(size):
        return scan(frame, target="y", columns=["x", "z"], weight="w", sequence="id")


def in_array(frame, folder, size):
    with part_rows(size):
        given = {"target": frame["y"].to_numpy(), "weight": frame["w"].to_numpy(), "sequence": frame["id"].to_numpy()}
        return scan(frame[["x", "z"]].to_numpy(), **given).with_side("id", frame["id"].to_numpy())


def in_dask(frame, folder, size):
    lazy = dd.from_pandas(frame, chunksize=size, sort=False)
    return scan(lazy, target="y", columns=["x", "z"], weight="w", sequence="id")


SOURCES = [in_parquet, in_table, in_array, in_dask]


def chunks(source, need=NEED):
    schema = source.schema_of(0, need)
    with dask.config.set(scheduler="synchronous"):
        return [list(source.chunks(part, need, schema)) for part in range(len(source))]


def sequences(found):
    """Each sequence of chunks, as the numbers that its rows have in the first column."""
    each = []
    for chunk in found:
        assert chunk.starts.dtype == np.int64
        assert not chunk.n or chunk.starts[0] == 0
        each += [some.tolist() for some in np.split(chunk.X.column(0), chunk.starts[1:])] if chunk.n else []
    return each


def check(frame, parts):
    """Every sequence is there, whole, once, in the part in which it begins; rows have numbers, ids and targets."""
    found = [chunk for some in parts for chunk in some]
    there = frame[frame["w"] > 0]
    assert sequences(found) == [some["x"].tolist() for _, some in there.groupby("id", sort=False)]
    for chunk in found:
        at = chunk.X.column(0).astype(int)
        assert chunk.y.tolist() == frame["y"][at].tolist()
        assert np.asarray(chunk.side["id"]).tolist() == frame["id"][at].tolist()
        assert chunk.weight.tolist() == frame["w"][at].tolist()
    assert sum(chunk.dropped for chunk in found) == (frame["w"] == 0).sum()
    places = np.concatenate([chunk.places() for chunk in found])
    assert len(np.unique(places)) == len(places) == len(there)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 41, 200])
@pytest.mark.parametrize("make", [in_parquet, in_table, in_array])
def test_sequences_are_whole_wherever_parts_are_cut(make, size, tmp_path):
    frame = rows()
    source = make(frame, tmp_path, size)
    assert len(source) == -(-len(frame) // size)
    parts = chunks(source)
    check(frame, parts)
    for part, some in enumerate(parts):  # in the part where they begin
        starts = np.concatenate([chunk.X.numbers()[chunk.starts] for chunk in some])
        assert all(source_part(source, number) == part for number in starts.tolist())
    numbers = np.concatenate([chunk.X.numbers() for some in parts for chunk in some])
    assert numbers.tolist() == list(range(len(frame)))


def source_part(source, number):
    cuts = source._starts if isinstance(source, parquet.ParquetSource) else source._cuts
    return int(np.searchsorted(cuts, number, side="right")) - 1


@pytest.mark.parametrize("make", SOURCES)
def test_rows_of_weight_zero_are_not_there(make, tmp_path):
    frame = rows(weight=np.random.default_rng(3).integers(0, 3, sum(LENGTHS)).astype(float))
    check(frame, chunks(make(frame, tmp_path, 45)))
    if make is not in_dask:  # whose partitions may not be empty
        frame["w"] = (np.arange(len(frame)) // 11 % 3 == 0).astype(float)
        for size in (2, 5, 11, 30):
            check(frame, chunks(make(frame, tmp_path, size)))


def test_a_part_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "MAX_ROW_GROUP_BYTES", 1)
    monkeypatch.setattr(parquet, "BATCH_ROWS", 6)
    frame = rows()
    for size in (10, 50, 200):
        parts = chunks(in_parquet(frame, tmp_path, size))
        check(frame, parts)
        assert max(map(len, parts)) > 1


@pytest.mark.parametrize("size", [4, 30])
def test_some_rows_of_files(size, tmp_path):
    """Numbers are then of rows within their part, and go on where the rows of a sequence are in the next."""
    frame = rows()
    parts = chunks(in_parquet(frame, tmp_path, size, where=pc.field("x") >= 20.0))
    check(frame.assign(w=1.0)[20:], parts)
    for some in parts:
        numbers = np.concatenate([chunk.X.numbers() for chunk in some])
        assert (np.diff(numbers) == 1).all()


@pytest.mark.parametrize("ids", [np.arange(12), np.arange(12) / 4, pd.Categorical([f"k{i}" for i in range(12)])])
def test_ids_of_any_type(ids, tmp_path):
    frame = rows(ids=ids)
    frame["id"] = pd.Categorical(frame["id"]) if isinstance(ids, pd.Categorical) else frame["id"]
    for make in SOURCES:
        check(frame, chunks(make(frame, tmp_path, 45)))


def test_partitions_of_dask_with_their_neighbours(tmp_path):
    frame = rows([5, 5, 3, 4, 8, 2, 6, 5, 4])
    for size in (10, 11, 14, 60):
        source = in_dask(frame, tmp_path, size)
        parts = chunks(source)
        check(frame, parts)
        here = np.cumsum([0, *([size] * (len(source) - 1))])
        starts = [[chunk.X.column(0)[chunk.starts] for chunk in some] for some in parts]
        for part, some in enumerate(starts):
            assert (np.searchsorted(here, np.concatenate(some), side="right") - 1 == part).all()


def test_partitions_of_dask_that_do_not_show_where_a_sequence_ends(tmp_path):
    with pytest.raises(DataError, match=r"partition \d has no rows, or rows of one sequence only.*repartition"):
        chunks(in_dask(rows(), tmp_path, 10))
    some = dd.from_pandas(rows(), chunksize=25, sort=False)
    some = some[(some["x"] < 25) | (some["x"] > 60)]
    with pytest.raises(DataError, match=r"partition 1 has no rows.*repartition"):
        chunks(scan(some, target="y", columns=["x"], sequence="id"))


def test_dask_must_know_of_sequences_beforehand(tmp_path):
    lazy = dd.from_pandas(rows(), chunksize=45, sort=False)
    source = scan(lazy, target="y", columns=["x", "id"]).without("id")
    with pytest.raises(DataError, match=r"Remedy: tenfold\.scan\(frame, \.\.\., sequence='id'\)"):
        chunks(source)


@pytest.mark.parametrize("make", SOURCES)
def test_a_need_may_leave_the_column_to_the_source(make, tmp_path):
    frame = rows()
    found = chunks(make(frame, tmp_path, 45), Need(target="number", sequence=""))
    assert sequences([chunk for some in found for chunk in some]) == [
        s["x"].tolist() for _, s in frame.groupby("id", sort=False)
    ]


def test_what_a_model_says_of_sequences_comes_in_whole_ones(tmp_path):
    frame = rows()
    model = LinearRegression().fit(frame[["x"]], 2 * frame["x"])
    source = in_parquet(frame, tmp_path, 10)
    for need in (NEED, Need(target="number", sequence="")):
        found = [chunk for some in chunks(model.predict(source), need) for chunk in some]
        each = [2 * some["x"] for _, some in frame.groupby("id", sort=False)]
        assert len(sequences(found)) == len(each)
        for mine, theirs in zip(sequences(found), each, strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-9)


def test_members_that_share_rows_agree_on_sequences():
    both = common_need([Need(side=("a",), sequence="id"), Need(side=("b", "a"), sequence="id")], "a vote")
    assert (both.side, both.sequence) == (("a", "b"), "id")
    with pytest.raises(ValueError, match="some members of a vote take whole sequences"):
        common_need([Need(sequence="id"), Need()], "a vote")


def test_blocks_of_dask_have_no_ids():
    blocks = scan(da.from_array(np.zeros((30, 2)), chunks=(10, 2)))
    for need in (Need(sequence=""), NEED):
        with pytest.raises(DataError, match="Remedy: a dask DataFrame"):
            chunks(blocks, need)


def test_without_a_column_of_ids():
    for source in (scan(rows().drop(columns="id"), target="y"), ArraySource(np.zeros((4, 1)), np.zeros(4))):
        with pytest.raises(DataError, match=r"the sequence of each row is unknown.*sequence="):
            chunks(source, Need(sequence=""))
    with pytest.raises(DataError, match="there is no column 'id'"):
        chunks(scan(rows().drop(columns="id"), target="y"))
    with pytest.raises(DataError, match=r"is also a feature.*sequence='id'"):
        chunks(scan(rows(ids=np.arange(12)), target="y"))


@pytest.mark.parametrize("make", SOURCES)
def test_an_id_that_comes_back_is_named(make, tmp_path):
    frame = rows([5, 5, 5, 20], ids=["a", "b", "a", "c"])
    with pytest.raises(DataError, match="rows of sequence 'a' of column 'id' are not next to each other.*sort"):
        chunks(make(frame, tmp_path, 20))
    with pytest.raises(DataError, match="sequence 'a'"):  # in the part after
        chunks(make(frame, tmp_path, 10))


COME_BACK = rows([5] * 8, ids=["a", "b", "c", "d", "e", "f", "b", "g"])
"""b is in the first ten rows and in the last"""


@pytest.mark.parametrize("make", SOURCES)
def test_an_id_that_comes_back_many_parts_later_is_named(make, tmp_path):
    source = make(COME_BACK, tmp_path, 10)
    with dask.config.set(scheduler="synchronous"):
        with pytest.raises(DataError, match="rows of sequence 'b' of column .* are not next to each other.*sort"):
            GaussianHMM(1).fit(source)
        model = GaussianHMM(1).fit(COME_BACK[["x", "z"]].to_numpy() if make is in_array else COME_BACK[["x", "z"]])
        with pytest.raises(DataError, match="rows of sequence 'b'"):
            model.predict(source)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("ids", [[1, 1, 2, 2, 3, 1], [0.5, 0.5, 2, 2, 3, 0.5], [True, True, False, False, True, True]])
def test_ids_of_any_type_that_come_back(ids, size, tmp_path):
    pq.write_table(pa.table({"id": ids, "s": list("ababab")}), tmp_path / "f.parquet", row_group_size=size)
    with pytest.raises(DataError, match=f"rows of sequence {ids[0]} of column 'id' are not next to each other"):
        MarkovChain().fit(scan(str(tmp_path / "f.parquet"), sequence="id"))


def test_ids_whose_type_is_another_in_other_files(tmp_path):
    for day, ids in enumerate((pa.array([1, 1], pa.int32()), pa.array([2, 2]), pa.array([1.0, 1.0]))):
        pq.write_table(pa.table({"id": ids, "s": ["a", "b"]}), tmp_path / f"{day}.parquet")
    with pytest.raises(DataError, match="sequence 1"):
        MarkovChain().fit(scan(str(tmp_path), sequence="id"))


@pytest.mark.parametrize("kind", [int, str, float])
def test_ids_merge_in_any_way(kind):
    """What is found of parts does not depend on how they are put together; brute force says what it is."""
    random = np.random.default_rng(0)
    for _ in range(200):
        ids = np.repeat(random.integers(0, 9, 8), random.integers(1, 4, 8)).astype(kind).astype(object)
        ids = ids if kind is str else ids.astype(kind)
        runs = [ids[0], *(b for a, b in itertools.pairwise(ids.tolist()) if a != b)]
        cuts = np.sort(random.integers(0, len(ids) + 1, 3))
        a, b, c, d = (Ids(some) for some in np.split(ids, cuts))
        for found in ((a + b) + (c + d), a + (b + (c + d)), ((a + b) + c) + d):
            assert bool(len(found.again)) == (len(set(runs)) < len(runs))
            assert len(found.keys) == len(set(runs))


@pytest.mark.parametrize("make", SOURCES)
def test_a_row_without_an_id_is_named(make, tmp_path):
    frame = rows()
    frame.loc[13, "id"] = None
    with pytest.raises(DataError, match="column 'id' has no sequence id in row 13"):
        chunks(make(frame, tmp_path, 45))


# ---- choosing rows ------------------------------------------------------------------------------------


def some_sequences(lengths):
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
    n = sum(lengths)
    X = Columns(np.arange(float(n))[:, None])
    side = {"id": np.repeat(np.arange(len(lengths)), lengths)}
    return Chunk(X, np.arange(n) * 2.0, np.ones(n), True, 0, 0, side=side, starts=starts)


def test_sequences_are_chosen_whole():
    lengths = [3, 1, 4, 2]
    chunk = some_sequences(lengths)
    for chosen in ([0], [3], [1, 2], [0, 3], [2, 0], [1, 1, 2], [3, 2, 1, 0], []):
        at = np.concatenate([np.zeros(0, int), *(np.flatnonzero(chunk.side["id"] == k) for k in chosen)])
        few = chunk.rows(at)
        assert few.starts.tolist() == np.cumsum([0, *(lengths[k] for k in chosen)])[:-1].tolist()
        assert few.X.column(0).tolist() == at.tolist()
        again = few.rows(np.arange(few.n))
        assert again.starts.tolist() == few.starts.tolist()
    assert chunk.rows(slice(3, 8)).starts.tolist() == [0, 1]
    assert chunk.rows(slice(3, 8)).rows(slice(1, 5)).starts.tolist() == [0]
    assert chunk.rows(slice(4, 4)).starts.tolist() == []


@pytest.mark.parametrize(
    "which", [slice(0, 2), slice(1, 3), slice(0, 5), [0], [0, 2, 1], [0, 1, 3], [3, 0, 1], [4, 5, 6, 7, 9, 8], [1, 2]]
)
def test_a_choice_that_cuts_sequences_is_refused(which):
    with pytest.raises(DataError, match="this choice of rows cuts some"):
        some_sequences([3, 1, 4, 2]).rows(which if isinstance(which, slice) else np.array(which))


def test_chunks_of_sequences_join():
    one, two = some_sequences([2, 3]), some_sequences([1, 2])
    both = joined([one, two])
    assert both.starts.tolist() == [0, 2, 5, 6]
    assert both.side["id"].tolist() == [0, 0, 1, 1, 1, 0, 1, 1]
    assert both.y.tolist() == [*one.y, *two.y]
