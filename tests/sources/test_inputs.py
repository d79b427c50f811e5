"""The one door: rows in whatever form become a source, which says how it wants to be answered."""

import ast
import warnings
from pathlib import Path

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.preprocessing import OneHotEncoder

import tenfold as tn
from tenfold.core import Need
from tenfold.sources import Source, as_source, is_lazy
from tenfold.sources.inputs import check_target, form_of, refuse_lazy

random = np.random.default_rng(0)
X = random.normal(size=(30, 2))
Y = random.normal(size=30)
W = random.integers(0, 3, 30).astype(float)
NEED = Need(target="number", sparse=True)
FRAME = pd.DataFrame(X, columns=["a", "b"])
FORMS = {
    "array": X,
    "list": X.tolist(),
    "float32": X.astype(np.float32),
    "sparse": sp.csr_array(X),
    "pandas": FRAME,
    "polars": pl.from_pandas(FRAME),
    "lazy polars": pl.from_pandas(FRAME).lazy(),
    "arrow": pa.Table.from_pandas(FRAME),
}
DASK = dd.from_pandas(FRAME.assign(y=Y, w=W), npartitions=3)
LAZY = {
    "source": lambda: (tn.scan(FRAME.assign(y=Y, w=W), target="y", weight="w"), None, None),
    "dask frame": lambda: (DASK[["a", "b"]], DASK["y"], DASK["w"]),
    "dask array": lambda: tuple(da.from_array(v, chunks=(10, 2)[: v.ndim]) for v in (X, Y, W)),
}


def rows(source):
    schema = source.known(NEED)
    found = [chunk for part in range(len(source)) for chunk in source.chunks(part, NEED, schema)]
    return [np.concatenate(some) for some in zip(*((c.X @ np.eye(2), c.y, c.weight) for c in found), strict=True)]


@pytest.mark.parametrize("form", FORMS)
def test_rows_in_memory(form):
    source = as_source(FORMS[form], Y, W, NEED)
    assert isinstance(source, Source)
    assert not source.lazy
    assert not is_lazy(source)
    assert not is_lazy(FORMS[form])
    for found, expected in zip(rows(source), (X, Y, W), strict=True):
        np.testing.assert_allclose(found, expected[W > 0], rtol=1e-6)
    assert as_source(source) is source, "the door may be passed twice"


@pytest.mark.parametrize("form", LAZY)
def test_rows_elsewhere(form):
    given = LAZY[form]()
    source = as_source(*given)
    assert source.lazy
    assert is_lazy(given[0])
    for found, expected in zip(rows(source), (X, Y, W), strict=True):
        np.testing.assert_allclose(found, expected[W > 0])
    with pytest.raises(tn.DataError, match="SVC is not a learner of tenfold: it needs its rows in memory"):
        refuse_lazy(given[0], "SVC")


def test_a_model_remembers_the_columns_or_compares_them():
    model = BaseEstimator()
    as_source(FRAME, Y, None, NEED, model=model)
    assert (model.n_features_in_, model.feature_names_in_.tolist()) == (2, ["a", "b"])
    for why, wrong in (("feature names should match", FRAME[["b", "a"]]), ("expecting 2 features", X[:, :1])):
        with pytest.raises(ValueError, match=why), warnings.catch_warnings(action="ignore"):
            as_source(wrong, None, None, Need(), model=model, reset=False)


def test_a_source_names_its_own_target():
    source = tn.scan(X, target=Y)
    for more in ((Y, None), (None, W)):
        for use in (lambda: as_source(source, *more), lambda: check_target(source, *more)):  # noqa: B023
            with pytest.raises(ValueError, match="a Source names its own target and weights: pass X alone"):
                use()
    with pytest.raises(ValueError, match=r"y is needed: the true target of each row\. Remedy: give it"):
        check_target(X, None, None, "give it")
    check_target(X, Y, W)
    check_target(source, None, None)


def test_needs_of_one_form_share_a_source():
    numbers, categories, text = Need(target="class"), Need("categorical", target="class"), Need("text", target="class")
    assert len({form_of(X, need) for need in (numbers, categories, text)}) == 3
    assert form_of(X, numbers) == form_of(X, Need("mixed", missing=True, target="class"))
    assert form_of(sp.csr_array(X), NEED) != form_of(sp.csr_array(X), Need(target="number"))
    assert len({form_of(tn.scan(X), need) for need in (numbers, categories, text)}) == 1


def test_text_from_a_list():
    source = as_source(["one text", "another"], None, None, Need("text"))
    (chunk,) = source.chunks(0, Need("text"), source.known(Need("text")))
    assert chunk.X.column(0).tolist() == ["one text", "another"]


def test_answers_are_as_the_rows_are():
    model = tn.Ridge().fit(FRAME, Y)
    plain = model.predict(FRAME)
    assert isinstance(plain, np.ndarray)
    for given in (tn.scan(FRAME), DASK[["a", "b"]]):
        answer = model.predict(given)
        assert isinstance(answer, Source)
        np.testing.assert_array_equal(answer.collect(), plain)
    score = model.score(FRAME, Y, W)
    assert model.score(tn.scan(FRAME.assign(y=Y, w=W), target="y", weight="w")) == pytest.approx(score)
    assert model.score(DASK[["a", "b"]], DASK["y"], DASK["w"]) == pytest.approx(score)


def test_rows_of_weight_zero_have_labels_too():
    model = tn.KMeans(2, random_state=0).fit(X, sample_weight=W)
    assert (W == 0).any()
    assert model.labels_.tolist() == model.predict(X).tolist()


def test_nobody_else_asks_what_rows_are_kept_in():
    """Outside of this folder no code asks whether it has a Source or a collection of Dask."""
    wrong = []
    package = Path(tn.__file__).parent
    for path in package.rglob("*.py"):
        if path.relative_to(package).parts[0] == "sources":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Name(id="is_dask") | ast.alias(name="is_dask"):
                    wrong.append(f"{path.name}: is_dask")
                case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="Source")]):
                    wrong.append(f"{path.name}: isinstance")
    assert wrong == []


@pytest.mark.parametrize("dtype", [float, np.float32, int, object])
def test_what_a_mask_hides_is_missing(dtype):
    values = np.arange(40).reshape(20, 2).astype(dtype)
    masked = np.ma.array(values, mask=values.astype(float) % 7 == 3)
    expected = np.ma.array(values.astype(float), mask=masked.mask).mean(axis=0)
    np.testing.assert_allclose(tn.SimpleImputer().fit(masked).statistics_, expected)
    np.testing.assert_allclose(tn.SimpleImputer().fit(tn.scan(masked)).statistics_, expected)
    plain = tn.Ridge().fit(values.astype(float), np.arange(20.0))
    for call in (lambda: tn.Ridge().fit(masked, np.arange(20.0)), lambda: plain.predict(masked)):
        with pytest.raises(tn.DataError, match="contains NaN in column 'x1', row 1"):
            call()
    whole = np.ma.array(values.astype(float))
    assert_array_equal(tn.Ridge().fit(whole, np.arange(20.0)).coef_, plain.coef_)


def test_masked_text_is_missing():
    words = np.ma.array(np.array([["a"], ["b"], ["zzz"], ["a"]]), mask=[[False], [False], [True], [False]])
    assert tn.OrdinalEncoder().fit(words).categories_[0].tolist()[:2] == ["a", "b"]
    assert "zzz" not in tn.OrdinalEncoder().fit(words).categories_[0].tolist()


def test_a_masked_target_or_weight_is_refused():
    X, y = np.arange(12.0).reshape(6, 2), np.ma.masked_equal([0, 1, 0, 9, 1, 1], 9)
    for call in (
        lambda: tn.Ridge().fit(X, y),
        lambda: tn.GaussianNB().fit(X, y),
        lambda: tn.GaussianNB().fit(X, [0, 1, 0, 1, 1, 1], sample_weight=y),
        lambda: tn.scan(X, y),
    ):
        with pytest.raises(tn.DataError, match=r"(y|sample_weight|target) is masked in row 3\. Remedy: leave out"):
            call()
    assert tn.GaussianNB().fit(X[~y.mask], y[~y.mask]).classes_.tolist() == [0, 1]


def test_integers_that_float64_cannot_hold_are_refused_in_arrays_as_in_frames():
    X = np.arange(12).reshape(6, 2)
    X[3, 1] = 2**53 + 1
    unsigned = X.astype(np.uint64)
    numbers = np.arange(6.0)
    rows = (X, -X, unsigned, X.tolist(), X.astype(object), sp.csr_matrix(X), np.ma.array(X, mask=X == 0))
    for data in (*rows, pd.DataFrame(X, columns=["x0", "x1"]), tn.scan(X, numbers)):
        y = () if isinstance(data, type(tn.scan(X))) else (numbers,)
        with pytest.raises(tn.DataError, match="(column 'x1'|X).* holds integers that float64 cannot"):
            tn.Ridge().fit(data, *y)
    for y in (X[:, 1], X[:, 1].tolist(), pd.Series(X[:, 1], dtype="Int64")):
        with pytest.raises(tn.DataError, match="y holds integers that float64 cannot.*Remedy: subtract a constant"):
            tn.Ridge().fit(numbers[:, None], y)
    X[3, 1] = 2**53
    assert np.isfinite(tn.Ridge().fit(X, numbers).coef_).all()


@pytest.mark.parametrize("dtype", ["Int64", "Int8", "UInt16", "boolean", "int64[pyarrow]", "bool[pyarrow]"])
def test_labels_of_pandas_keep_their_type(dtype):
    X, labels = np.arange(8.0)[:, None], np.array([0, 1] * 4)
    y = pd.Series(labels, index=range(3, 11)).astype(dtype)
    kind = {"b": bool, "i": np.signedinteger, "u": np.unsignedinteger}[y.dtype.kind]
    for given in (y, y.to_frame(), y.array):
        model = tn.GaussianNB().fit(X, given)
        assert np.issubdtype(model.classes_.dtype, kind)
        assert model.classes_.tolist() == [0, 1]
        assert np.issubdtype(model.predict(X).dtype, kind)
    y[5] = pd.NA
    with pytest.raises(ValueError, match="Input y contains NaN"):
        tn.GaussianNB().fit(X, y)


def test_labels_of_pandas_beyond_float64_are_told_apart():
    y = pd.Series([2**53, 2**53 + 1] * 3, dtype="Int64")
    assert tn.DummyClassifier().fit(np.zeros((6, 1)), y).classes_.tolist() == [2**53, 2**53 + 1]


def test_sparse_columns_of_pandas_are_taken():
    frame = pd.get_dummies(pd.Series(list("abcab")), sparse=True, dtype=float)
    frame["d"] = pd.arrays.SparseArray([0.0, 1.0, 0.0, 2.0, 0.5])
    dense, y = frame.sparse.to_dense(), np.arange(5.0)
    assert_array_equal(tn.Ridge().fit(frame, y).coef_, tn.Ridge().fit(dense, y).coef_)
    assert_array_equal(tn.Ridge().fit(dense, y).predict(frame), tn.Ridge().fit(dense, y).predict(dense))
    frame["d"] = pd.arrays.SparseArray([0.0, 1.0, np.nan, 2.0, 0.0])
    assert tn.SimpleImputer().fit(frame).statistics_[3] == 0.75


def test_intervals_are_categories_by_their_names():
    frame = pd.DataFrame({"age": pd.cut([1.0, 30.0, 55.0, 31.0], [0, 18, 50, 99])})
    encoder, peer = tn.OneHotEncoder().fit(frame), OneHotEncoder().fit(frame)
    assert sorted(encoder.get_feature_names_out()) == sorted(peer.get_feature_names_out())
    order = [peer.get_feature_names_out().tolist().index(name) for name in encoder.get_feature_names_out()]
    assert_array_equal(encoder.transform(frame).toarray(), peer.transform(frame).toarray()[:, order])
    frame.loc[1, "age"] = np.nan
    assert encoder.fit(frame).get_feature_names_out().tolist()[-1] == "age_nan"
