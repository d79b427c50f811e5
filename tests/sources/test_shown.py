"""What people see of a source: its first rows, its schema, a line about it."""

import numpy as np
import pandas as pd
import polars as pl
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


def test_first_rows_are_a_table_as_text_and_html_and_for_other_libraries(parquet):
    head = tn.scan(parquet).head(2)
    assert str(head) == "a  b  w  y\n0  x  1  0\n1  y  1  1"
    assert head._repr_html_().count("<tr>") == 3
    for form in (pl.DataFrame(head), head.to_polars(), pl.from_pandas(head.to_pandas())):
        assert form.equals(pl.DataFrame(head.to_arrow()))
    frame = pd.DataFrame({"<b>": ["x" * 99, None], **{f"c{k}": ["a value" * 2, "b"] for k in range(9)}})
    wide = tn.scan(frame).head()
    lines = str(wide).splitlines()
    assert max(map(len, lines[:3])) <= 120
    assert lines[-1] == "and columns 'c5', 'c6', 'c7', 'c8'"
    assert "null" in lines[2]
    assert "&lt;b&gt;" in wide._repr_html_()
    assert str(tn.scan(frame).sample(2)) == str(wide)
    rows = tn.scan(parquet, target="y", columns=["a"])
    model = tn.LinearRegression().fit(rows)
    assert np.array_equal(model.predict(rows.head(3).select(["a"])), model.predict(rows).collect()[:3])


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
    np.testing.assert_allclose(said.head(4)[said.names[0]], [0.0, 1.0, 2.0, 3.0], atol=1e-12)
    assert said.schema.names == list(said.names)
    assert repr(said).startswith("<Output of LinearRegression: 10 rows in 4 parts, 1 column; first rows: [")
    numbers = repr(said).split("[")[1].split("]")[0].split(",")
    np.testing.assert_allclose([float(one) for one in numbers], [0.0, 1.0, 2.0], atol=1e-4)
    html = said._repr_html_()
    assert html.count("<tr>") == 1 + 3
    assert "Output of LinearRegression: 10 rows" in html


def test_what_is_shown_of_predictions_computes_a_few_rows(parquet, monkeypatch):
    """Of a pipeline too: five rows go through it, not the part."""
    rows = tn.scan(np.arange(20_000.0).reshape(-1, 2))
    taken = []
    transform, label = tn.StandardScaler.transform_from, tn.KMeans.label_from
    monkeypatch.setattr(tn.StandardScaler, "transform_from", lambda s, m, X: taken.append(len(X)) or transform(s, m, X))
    monkeypatch.setattr(tn.KMeans, "label_from", lambda s, m, X: taken.append(len(X)) or label(s, m, X))
    scaler = tn.StandardScaler().fit(rows)
    scaled = scaler.transform(rows)
    said = tn.KMeans(n_clusters=2, random_state=0).fit(scaled).predict(scaled)
    taken.clear()
    assert "; first rows: [" in repr(said)
    assert said._repr_html_().count("<tr>") == 1 + 5
    assert taken == [5, 5] * 2


def test_predictions_that_cannot_be_made_are_shown_without_numbers():
    import dask.dataframe as dd

    model = tn.LinearRegression().fit(FRAME[["a"]], FRAME["y"])
    holes = tn.scan(pd.DataFrame({"a": [np.nan, 1.0]}))
    assert repr(model.predict(holes)) == "<Output of LinearRegression: 2 rows in 1 part, 1 column>"
    assert "<tbody></tbody>" in model.predict(holes)._repr_html_()
    blocks = tn.scan(dd.from_pandas(FRAME[["a"]], npartitions=3))
    assert repr(model.predict(blocks)) == "<Output of LinearRegression: 3 parts, rows not counted yet, 1 column>"


def sources_of(parquet):
    import dask.dataframe as dd

    return {
        "frame": tn.scan(FRAME, target="y", weight="w"),
        "files": tn.scan(parquet, target="y", weight="w"),
        "files with a filter": tn.scan(parquet, target="y", weight="w", where=[("a", ">=", 0)]),
        "dask": tn.scan(dd.from_pandas(FRAME, npartitions=3), target="y", weight="w"),
        "computed columns": tn.scan(parquet, target="y", weight="w").with_columns(a=tn.col("a") * 1.0),
    }


KINDS = ["frame", "files", "files with a filter", "dask", "computed columns"]


@pytest.mark.parametrize("kind", KINDS)
def test_all_rows_and_a_sample_of_them(kind, parquet):
    rows = sources_of(parquet)[kind]
    pd.testing.assert_frame_equal(rows.to_pandas()[list(FRAME.columns)], FRAME, check_dtype=False)
    assert rows.to_polars().height == rows.to_arrow().num_rows == 10
    drawn = [tuple(rows.sample(4, random_state=seed)["a"].to_pylist()) for seed in range(40)]
    assert all(len({*some}) == 4 and list(some) == sorted(some) for some in drawn)
    assert {value for some in drawn for value in some} == {*FRAME["a"]}
    again = [rows.sample(4, random_state=7).to_arrow() for _ in range(2)]
    assert again[0].equals(again[1])
    assert rows.sample(99).num_rows == 10
    with pytest.raises(tn.DataError, match=r"Remedy: sample\(100\)"):
        rows.sample(0)


@pytest.mark.parametrize("kind", KINDS)
def test_tab_completion_shows_what_users_call(kind, parquet):
    rows = sources_of(parquet)[kind]
    shown = [name for name in dir(rows) if not name.startswith("_")]
    assert shown == sorted(shown)
    assert {*shown} == {
        "columns", "describe", "group_by", "head", "n_parts", "n_rows", "names", "only", "sample", "schema",
        "to_arrow", "to_pandas", "to_polars", "unweighted", "with_columns", "without",
    }  # fmt: skip
    said = tn.LinearRegression().fit(rows.without("b")).predict(rows)
    assert {*dir(said)} >= {"collect", "to_arrow", "to_parquet", "head"}
    assert not {*dir(said)} & {"chunks", "scans_for", "how", "base"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_columns_and_roles(kind, parquet):
    text = sources_of(parquet)[kind]._repr_html_()
    for name, role in (("a", "feature"), ("b", "feature"), ("y", "target"), ("w", "weight")):
        assert f"<b>{name}</b>" in text
        assert text.split(f"<b>{name}</b>")[1].split("</tr>")[0].endswith(f">{role}</td>")


def test_names_of_columns_are_escaped():
    text = tn.scan(pd.DataFrame({"<script>alert(1)</script>": [1.0]}))._repr_html_()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
