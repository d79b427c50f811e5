"""Dask collections as sources, computed in this process: partitions and blocks are the parts."""

import pickle
import time
from concurrent.futures import ThreadPoolExecutor

import dask
import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.sources import dask_frames as dask_source
from tenfold.sources.dask_frames import at_hand, is_dask
from tenfold.testing import bits

pytestmark = [
    pytest.mark.timeout(60),
    pytest.mark.filterwarnings("ignore:The inplace keyword"),  # Dask itself, with a pandas that is newer than it
]

random = np.random.default_rng(0)
ROWS = 100
X = random.standard_normal((ROWS, 2))
Y = X.sum(axis=1) + 0.1 * random.standard_normal(ROWS)
WEIGHT = random.integers(0, 3, ROWS).astype(float)
SIGN = np.where(Y > 0, "pos", "neg").astype(object)


def pandas_frame():
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame["y"], frame["w"], frame["id"], frame["sign"] = Y, WEIGHT, np.arange(ROWS), SIGN
    return frame


@pytest.fixture
def frame():
    return dd.from_pandas(pandas_frame(), npartitions=4)


def blocks(values, rows=30):
    return da.from_array(values, chunks=(rows, *values.shape[1:]))


def same(model, other):
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-10)
    np.testing.assert_allclose(model.intercept_, other.intercept_, rtol=1e-10)


# ---- frames ---------------------------------------------------------------------------------------


def test_what_is_a_dask_collection(frame):
    assert is_dask(frame)
    assert is_dask(blocks(X))
    assert not is_dask(pandas_frame())
    assert not is_dask(X)


def test_partitions_are_parts(frame):
    source = tn.scan(frame, target="y", columns=["a", "b"])
    assert len(source) == 4
    assert source.in_memory() == 0
    assert source.graph() is source
    same(tn.Ridge().fit(source), tn.Ridge().fit(X, Y))


def test_target_and_weight_by_name_or_as_columns(frame):
    plain = tn.Ridge().fit(X, Y, sample_weight=WEIGHT)
    named = tn.Ridge().fit(tn.scan(frame, target="y", columns=["a", "b"], weight="w"))
    given = tn.Ridge().fit(frame[["a", "b"]], frame["y"], sample_weight=frame["w"])
    same(named, plain)
    assert bits(named.model_) == bits(given.model_)
    assert named.feature_names_in_.tolist() == given.feature_names_in_.tolist() == ["a", "b"]
    assert named.certificate_.provenance.dropped == (WEIGHT == 0).sum()


def test_classes_and_categories(frame):
    for target in ("sign", "kind"):
        more = frame.assign(kind=frame["sign"].astype("category"))
        model = tn.GaussianNB().fit(tn.scan(more, target=target, columns=["a", "b"]))
        assert model.classes_.tolist() == ["neg", "pos"]
    assert tn.GaussianNB().fit(frame[["a", "b"]], frame["y"] > 0).classes_.tolist() == [False, True]
    hot = tn.OneHotEncoder(handle_unknown="ignore").fit(frame[["sign"]])
    assert hot.get_feature_names_out().tolist() == ["sign_neg", "sign_pos"]
    assert hot.transform(frame[["sign"]]).collect().toarray()[:, 1].tolist() == (SIGN == "pos").tolist()


def test_parts_stay_the_partitions_whatever_columns_are_read(tmp_path):
    """Dask would read small partitions of a file together if few of their columns are wanted."""
    wide = pandas_frame().assign(**{f"more{j}": 1.0 for j in range(12)})
    wide.to_parquet(tmp_path / "a.parquet", row_group_size=10, index=False)
    read = dd.read_parquet(tmp_path / "a.parquet", split_row_groups=1)
    read = read[read["a"] > -100]
    for columns in (["a"], ["a", "b"], ["a", "b", "more1", "more2"]):
        source = tn.scan(read, target="y", columns=columns)
        assert len(source) == read.npartitions == 10
        model = tn.Ridge().fit(source)
        assert model.certificate_.provenance.rows == ROWS
        found = [len(some) for some in model.predict(source)]
        assert found == [10] * 10
    same(tn.Ridge().fit(tn.scan(read, target="y", columns=["a", "b"])), tn.Ridge().fit(X, Y))


def test_one_thread_makes_the_plan(frame, monkeypatch):
    """Two that made it at once could wait for each other's locks within Dask without end."""
    source, made = tn.scan(frame, target="y", columns=["a", "b"]), []

    def slowly(some, plan=dask_source._partitions):
        made.append(some)
        time.sleep(0.1)
        return plan(some)

    monkeypatch.setattr(dask_source, "_partitions", slowly)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda part: source.partitions([part])[0].compute(scheduler="sync"), [0, 1, 0, 1]))
    assert len(made) == 1
    assert found[0].equals(found[2])


def test_names_that_are_no_text():
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=3)
    model = tn.StandardScaler().fit(frame)
    np.testing.assert_allclose(model.mean_, X.mean(axis=0))
    assert not hasattr(model, "feature_names_in_")
    np.testing.assert_allclose(model.transform(frame).collect(), model.transform(X))


def test_predictions(frame, tmp_path):
    model = tn.Ridge().fit(X, Y)
    named = tn.Ridge().fit(frame[["a", "b"]], frame["y"])
    np.testing.assert_allclose(named.predict(frame[["a", "b"]]).collect(), model.predict(X), rtol=1e-9)
    source = tn.scan(frame, target="y", columns=["a", "b"], weight="w")
    assert len(named.predict(source).collect()) == ROWS, "rows of weight zero have predictions too"
    paths = named.predict(source).to_parquet(tmp_path / "out", keep=["y"])
    assert len(paths) == 4
    out = pq.read_table(tmp_path / "out")
    assert out["y"].to_pylist() == Y.tolist()
    np.testing.assert_allclose(named.score(source), model.score(X, Y, sample_weight=WEIGHT), rtol=1e-3)
    with pytest.raises(tn.DataError, match=r"columns \['id'\] to keep are missing"):
        named.predict(source).to_parquet(tmp_path / "more", keep=["id"])


def test_empty_partitions(frame):
    some = frame[frame["id"] >= 60]
    assert some.npartitions == 4
    model = tn.Ridge().fit(tn.scan(some, target="y", columns=["a", "b"]))
    same(model, tn.Ridge().fit(X[60:], Y[60:]))
    assert len(model.predict(some[["a", "b"]]).collect()) == 40
    with pytest.raises(tn.DataError, match="nothing to learn from"):
        tn.Ridge().fit(tn.scan(frame[frame["id"] > 1000], target="y", columns=["a", "b"]))


def test_a_pipeline(frame):
    source = tn.scan(frame, target="y", columns=["a", "b"])
    model = make_pipeline(tn.StandardScaler(), tn.Ridge()).fit(source)
    plain = make_pipeline(tn.StandardScaler(), tn.Ridge()).fit(X, Y)
    np.testing.assert_allclose(model.predict(source).collect(), plain.predict(X), rtol=1e-9)


def test_fingerprints(frame):
    again = dd.from_pandas(pandas_frame(), npartitions=4)
    other = dd.from_pandas(pandas_frame().assign(a=1.0), npartitions=4)
    source = tn.scan(frame, target="y", columns=["a", "b"])
    assert source.fingerprint() == tn.scan(again, target="y", columns=["a", "b"]).fingerprint()
    for different in (
        tn.scan(other, target="y", columns=["a", "b"]),
        tn.scan(frame, target="w", columns=["a", "b"]),
        tn.scan(frame, target="y", columns=["a"]),
        tn.scan(frame, target="y", columns=["a", "b"], weight="w"),
    ):
        assert different.fingerprint() != source.fingerprint()


def test_the_recipe_does_not_travel(frame):
    """What is sent to workers is small: they are given the rows."""
    big = dd.from_pandas(pd.DataFrame({"a": np.zeros(10**6)}), npartitions=4)
    source = tn.scan(big)
    assert len(pickle.dumps(source)) < 10_000
    assert len(pickle.dumps(tn.scan(da.zeros((10**6, 2), chunks=10**5)))) < 10_000
    there = pickle.loads(pickle.dumps(tn.scan(frame, target="y", columns=["a", "b"])))
    part = frame.partitions[2].compute()
    with at_hand(there.key, 2, part):
        ((_, found),) = there.tables(2, ["a", "y"])
    assert found["y"].to_pylist() == part["y"].tolist()


# ---- arrays ---------------------------------------------------------------------------------------


def test_blocks_are_parts():
    source = tn.scan(blocks(X), blocks(Y))
    assert len(source) == 4
    same(tn.Ridge().fit(source), tn.Ridge().fit(X, Y))
    same(tn.Ridge().fit(blocks(X), blocks(Y), sample_weight=blocks(WEIGHT)), tn.Ridge().fit(X, Y, sample_weight=WEIGHT))
    same(tn.Ridge().fit(da.from_array(X, chunks=(30, 1)), blocks(Y, 17)), tn.Ridge().fit(X, Y))


def test_blocks_of_all_kinds():
    for labels in (SIGN, SIGN.astype("U3")):
        assert tn.GaussianNB().fit(blocks(X), blocks(labels)).classes_.tolist() == ["neg", "pos"]
    np.testing.assert_allclose(tn.StandardScaler().fit(da.arange(20, chunks=5)[:, None]).mean_, [9.5])
    np.testing.assert_allclose(tn.StandardScaler().fit(blocks(X.astype("f4"))).mean_, X.mean(axis=0), rtol=1e-5)
    sparse = blocks(X).map_blocks(sp.csr_matrix)
    np.testing.assert_allclose(tn.Ridge().fit(sparse, blocks(Y)).coef_, tn.Ridge().fit(X, Y).coef_, rtol=1e-9)


def test_predictions_of_blocks_of_weight_zero_too():
    model = tn.Ridge().fit(X, Y)
    source = tn.scan(blocks(X), blocks(Y), weight=blocks(WEIGHT))
    np.testing.assert_allclose(model.predict(source).collect(), model.predict(X), rtol=1e-12)
    assert tn.Ridge().fit(source).certificate_.provenance.dropped == (WEIGHT == 0).sum()


def test_sizes_that_are_not_known(frame):
    lazy = frame[["a", "b"]].to_dask_array(), frame["y"].to_dask_array()
    assert np.isnan(lazy[0].shape[0])
    same(tn.Ridge().fit(*lazy), tn.Ridge().fit(X, Y))
    for rows, target in ((lazy[0], blocks(Y, 25)), (blocks(X, 25), lazy[1])):
        with pytest.raises(tn.DataError, match="compute_chunk_sizes"):
            tn.Ridge().fit(rows, target)
    fewer = frame[frame["id"] % 2 == 0][["a", "b"]].to_dask_array()
    with pytest.raises(tn.DataError, match=r"block 0 of the target has 25 rows, but that of X has 1[23]"):
        tn.Ridge().fit(fewer, lazy[1])


# ---- what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: (blocks(X), Y), "target of a dask Array must be a dask Array"),
        (lambda: (blocks(X), blocks(Y[:50])), "the target has 50 rows, but X has 100"),
        (lambda: (blocks(Y), blocks(Y)), "1 dimensions is not a table"),
        (lambda: (da.zeros((4, 4, 4)), da.zeros(4)), "3 dimensions is not a table"),
        (lambda: (db.from_sequence([1, 2, 3]),), "rows cannot be read from a dask Bag"),
        (lambda: (dask.delayed(X),), "rows cannot be read from a dask Delayed"),
        (lambda: (dd.from_pandas(pandas_frame(), npartitions=2)["a"],), "rows cannot be read from a dask Series"),
        (lambda: (blocks(X), blocks(np.where(np.arange(ROWS) == 40, np.nan, Y))), "block 1 of the target"),
        (lambda: (blocks(X), blocks(SIGN.astype("U3"))), "block 0 of the target holds text, not numbers"),
        (lambda: (blocks(X), blocks(Y), blocks(WEIGHT - 1)), "block 0 of the weight"),
        (lambda: (blocks(X), blocks(Y), blocks(np.full(ROWS, np.nan))), "block 0 of the weight"),
        (lambda: (blocks(np.where(np.arange(ROWS)[:, None] == 95, np.inf, X)), blocks(Y)), "'x0' of block 3, row 5"),
        (
            lambda: (dd.from_pandas(pandas_frame(), npartitions=2)[["a", "b"]],),
            "target is missing.*name its column",
        ),
    ],
)
def test_what_cannot_be_fitted_is_named(given, message):
    with pytest.raises(tn.DataError, match=message):
        tn.Ridge().fit(*given())


def test_what_cannot_be_scanned_is_named(frame):
    with pytest.raises(tn.DataError, match=r"no column 'yy'; did you mean \['y'\]"):
        tn.scan(frame, target="yy")
    with pytest.raises(tn.DataError, match="filter the dask DataFrame itself"):
        tn.scan(frame, target="y", where=[("a", ">", 0)])
    with pytest.raises(tn.DataError, match="give target and weight as dask Arrays"):
        tn.scan(blocks(X), target="y")
    with pytest.raises(tn.DataError, match=r"'sign' \(.*string\)\. Remedy: leave them out"):
        tn.KMeans().fit(tn.scan(frame, target="y"))
    with pytest.raises(tn.DataError, match="Unknown label type: continuous"):
        tn.GaussianNB().fit(blocks(X), blocks(Y))
    with pytest.raises(tn.DataError, match="Unknown label type: continuous"):
        tn.GaussianNB().fit(frame[["a", "b"]], frame["y"])
