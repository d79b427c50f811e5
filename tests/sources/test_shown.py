"""What people see of a source: its first rows, its schema, a line about it."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

import tenfold as tn

FRAME = pd.DataFrame({"a": np.arange(10.0), "b": list("xyzxyzxyzx"), "w": 1.0, "y": np.arange(10)})


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    FRAME.to_parquet(path, row_group_size=3, index=False)
    return path


def test_the_first_rows_of_files_and_frames(parquet):
    for rows in (tn.scan(parquet, target="y", weight="w"), tn.scan(FRAME, target="y", weight="w")):
        pd.testing.assert_frame_equal(rows.head().to_pandas(), FRAME.head(5))
        pd.testing.assert_frame_equal(rows.head(2).to_pandas(), FRAME.head(2))
        pd.testing.assert_frame_equal(rows.head(99).to_pandas(), FRAME)
        assert rows.schema.names == ["a", "b", "w", "y"]
        assert rows.schema.field("y").type == pa.int64()
        assert repr(rows).endswith(", 2 features, target 'y', weight 'w'>")
    assert tn.scan(parquet).n_parts == 4
    assert repr(tn.scan(parquet)) == "<ParquetSource: 10 rows in 4 parts, 4 features>"
    only = tn.scan(parquet, where=[("a", ">", 4)])
    assert only.head(2).to_pydict()["a"] == [5.0, 6.0]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, np.asfortranarray], ids=["C", "CSR", "F"])
def test_the_first_rows_of_arrays(form):
    X = np.arange(12.0).reshape(6, 2)
    rows = tn.scan(form(X), target=np.arange(6), weight=np.ones(6))
    assert rows.head(2).to_pydict() == {"x0": [0.0, 2.0], "x1": [1.0, 3.0], "target": [0, 1], "weight": [1.0, 1.0]}
    assert repr(rows) == "<ArraySource: 6 rows in 1 part, 2 features, with a target, weighted>"
    assert rows.n_parts == 1


def test_the_first_rows_of_dask():
    import dask.array as da
    import dask.dataframe as dd

    frame = tn.scan(dd.from_pandas(FRAME[["a", "y"]], npartitions=3), target="y")
    assert frame.head(3).to_pydict() == {"a": [0.0, 1.0, 2.0], "y": [0, 1, 2]}
    assert repr(frame) == "<DaskFrame: rows not counted yet in 3 parts, 1 feature, target 'y'>"
    array = tn.scan(da.from_array(np.arange(8.0).reshape(4, 2), chunks=(2, 2)))
    assert array.head(3).to_pydict() == {"x0": [0.0, 2.0, 4.0], "x1": [1.0, 3.0, 5.0]}


def test_the_first_predictions(parquet):
    rows = tn.scan(parquet, target="y", columns=["a"])
    said = tn.LinearRegression().fit(rows).predict(rows)
    np.testing.assert_allclose(said.head(4).column(0), [0.0, 1.0, 2.0, 3.0], atol=1e-12)
    assert said.schema.names == list(said.names)
    assert "4 parts, 1 feature" in repr(said)
