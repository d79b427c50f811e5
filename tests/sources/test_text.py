"""Text as it is: strings, from everywhere, of which nobody collects categories."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from tenfold import DataError, scan
from tenfold.core import Need, Schema
from tenfold.core.rows.columns import TextColumns
from tenfold.core.rows.row_sketch import RowSketch, row_hashes
from tenfold.sources import ArraySource, arrow, label_codes, part_rows

TEXT = Need("text", target="number")
N = 53
random = np.random.default_rng(0)
TITLE = np.array(["", "a b", "ünïcode ☃", "long " * 50, " "], dtype=object)[random.integers(0, 5, N)]
BODY = np.array([f"text number {i}" for i in range(N)], dtype=object)
FRAME = pd.DataFrame({"title": TITLE, "body": BODY, "y": np.arange(float(N)), "w": random.integers(0, 3, N) * 1.0})


def in_parquet(frame, folder):
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), folder / "rows.parquet", row_group_size=20)
    return scan(str(folder / "rows.parquet"), target="y", weight="w")


def in_frame(frame, folder):
    with part_rows(20):
        return scan(frame, target="y", weight="w")


def in_dictionaries(frame, folder):
    """Pieces, each with a dictionary of its own."""
    plain = pa.Table.from_pandas(frame, preserve_index=False)
    coded = [plain[n].dictionary_encode() if n in ("title", "body") else plain[n] for n in plain.column_names]
    table = pa.table(coded, names=plain.column_names)
    pieces = [table.slice(0, 13), table.slice(13, 20), table.slice(33)]
    with part_rows(20):
        return scan(pa.concat_tables(pieces), target="y", weight="w")


def in_dask(frame, folder):
    return scan(dd.from_pandas(frame, npartitions=3), target="y", weight="w")


def in_array(frame, folder):
    with part_rows(20):
        return scan(
            frame[["title", "body"]].to_numpy(object), target=frame["y"].to_numpy(), weight=frame["w"].to_numpy()
        )


def in_fixed_width(frame, folder):
    with part_rows(20):
        return scan(frame[["title", "body"]].to_numpy(str), target=frame["y"].to_numpy(), weight=frame["w"].to_numpy())


def in_dask_array(frame, folder):
    lazy = da.from_array(frame[["title", "body"]].to_numpy(object), chunks=(20, 2))
    y, w = (da.from_array(frame[n].to_numpy(), chunks=20) for n in ("y", "w"))
    return scan(lazy, target=y, weight=w)


SOURCES = [in_parquet, in_frame, in_dictionaries, in_dask, in_array, in_fixed_width, in_dask_array]
HOLES = [make for make in SOURCES if make is not in_fixed_width]


def chunks(source, need=TEXT):
    schema = source.known(need)
    return [chunk for part in range(len(source)) for chunk in source.chunks(part, need, schema)]


@pytest.mark.parametrize("make", SOURCES)
def test_strings_come_as_they_are(make, tmp_path):
    found = chunks(make(FRAME, tmp_path))
    there = FRAME[FRAME["w"] > 0]
    for j, name in enumerate(["title", "body"]):
        columns = [chunk.X.column(j) for chunk in found]
        assert all(c.dtype == object and all(type(text) is str for text in c) for c in columns)
        assert np.concatenate(columns).tolist() == there[name].tolist()
    assert np.concatenate([chunk.y for chunk in found]).tolist() == there["y"].tolist()
    few = found[0].rows(np.array([3, 1]))
    assert isinstance(few.X, TextColumns)
    assert few.X.column(1).tolist() == found[0].X.column(1)[[3, 1]].tolist()


@pytest.mark.parametrize("make", SOURCES)
def test_no_scan_collects_categories(make, tmp_path, monkeypatch):
    def refuse(*given):
        raise AssertionError("labels were collected")

    source = make(FRAME, tmp_path)
    for module in (arrow, label_codes):
        monkeypatch.setattr(module, "levels", refuse)
    monkeypatch.setattr(arrow, "codes", refuse)
    assert not source.scans_for(TEXT)
    schema = source.known(TEXT)
    assert [(c.kind, c.categories) for c in schema.columns] == [("text", None)] * 2
    chunks(source)


@pytest.mark.parametrize("make", HOLES)
def test_missing_text_is_none_or_refused(make, tmp_path):
    frame = FRAME.assign(w=1.0)
    frame.loc[31, "body"] = None
    found = np.concatenate([c.X.column(1) for c in chunks(make(frame, tmp_path), Need("text", missing=True))])
    assert found[31] is None
    assert found[:31].tolist() == BODY[:31].tolist()
    with pytest.raises(DataError, match=r"no text in column '\w+'.*row \d+: it is missing.*fill it with empty text"):
        chunks(make(frame, tmp_path))


@pytest.mark.parametrize("make", [in_parquet, in_frame, in_dask])
def test_numbers_are_refused_with_the_call_that_works(make, tmp_path):
    frame = FRAME.assign(size=1.5, born=pd.Timestamp("2020-01-01"))
    with pytest.raises(
        DataError, match=r"cannot be used as text: 'size' \(double\), 'born'.*drop=\['size', 'born'\].*astype"
    ):
        chunks(make(frame, tmp_path))


def test_numbers_in_arrays_are_refused_by_name():
    wrong = np.array([["a", 1.0], ["b", 2.0]], dtype=object)
    for X in (np.zeros((2, 2)), wrong):
        with pytest.raises(DataError, match=r"column 'x[01]' holds (float64|double), not text.*astype\(str\)"):
            chunks(scan(X), Need("text"))
    with pytest.raises(DataError, match="Sparse data was passed"):
        chunks(scan(sp.csr_array(np.eye(3))), Need("text"))


def test_text_that_became_numbers_is_refused():
    schema = scan(FRAME[["title"]]).known(Need("text"))
    with pytest.raises(DataError, match=r"column 'title' holds double, not text"):
        list(scan(pd.DataFrame({"title": [1.0, 2.0]})).chunks(0, Need("text"), schema))


def test_text_has_no_numbers():
    X = TextColumns((np.array(["a"], dtype=object),), ["title"])
    for use in (X.blocks, lambda: X.take([0]), lambda: X @ np.ones(1)):
        with pytest.raises(TypeError, match="read them by X.column"):
            use()


def test_rows_of_text_are_recognised():
    """By their text, whatever they are kept in."""
    found = [
        row_hashes(chunks(make(FRAME, None), TEXT)[0].X, scan(FRAME[["title", "body"]]).known(Need("text")))
        for make in (in_frame, in_array)
    ]
    assert found[0].tolist() == found[1].tolist()
    assert len({*found[0].tolist()}) == len(found[0])
    holes = TextColumns((np.array(["a", None, "a"], dtype=object),))
    schema = Schema(ArraySource((np.array(["a"], dtype=object),)).known(Need("text")).columns)
    assert len(RowSketch.of(holes, schema).hashes) == 2
