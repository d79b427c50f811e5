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
from sklearn.base import BaseEstimator

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
