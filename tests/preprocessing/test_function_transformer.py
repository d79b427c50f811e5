"""Functions of columns: in memory, over sources, in files."""

import numpy as np
import pandas as pd
import pytest
import sklearn.preprocessing as peer

import tenfold as tn
from tenfold import FunctionTransformer
from tenfold.estimator.files.encoding import Reader, Writer
from tenfold.sources import part_rows

X = np.random.default_rng(0).normal(size=(500, 3))


def both(rows, power=2):
    return np.column_stack([rows, rows[:, 0] ** power])


def test_equals_scikit_learn():
    for given in ({}, {"func": np.cbrt}, {"func": both, "kw_args": {"power": 3}}):
        found = FunctionTransformer(**given).fit_transform(X)
        np.testing.assert_array_equal(found, peer.FunctionTransformer(**given).fit_transform(X))
    model = FunctionTransformer(np.exp, np.log).fit(X)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, rtol=1e-12, atol=1e-12)


def test_parts_and_sources(tmp_path):
    frame = pd.DataFrame(X, columns=list("abc"))
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=70)
    rows = tn.scan(str(tmp_path / "x.parquet"))
    model = FunctionTransformer(both).fit(rows)
    np.testing.assert_array_equal(model.transform(rows).collect(), both(X))
    with part_rows(33):
        np.testing.assert_array_equal(model.transform(frame), both(X))


def test_names():
    frame = pd.DataFrame(X, columns=list("abc"))
    assert FunctionTransformer(np.abs).fit(frame).get_feature_names_out().tolist() == list("abc")
    assert FunctionTransformer(both).fit(frame).get_feature_names_out().tolist()[-1] == "functiontransformer3"
    named = FunctionTransformer(both, feature_names_out=lambda self, names: [*names, "square"]).fit(frame)
    assert named.get_feature_names_out().tolist() == ["a", "b", "c", "square"]
    assert named.set_output(transform="pandas").transform(frame).columns.tolist() == ["a", "b", "c", "square"]
    with pytest.raises(ValueError, match="3 columns went in and 4 come out"):
        FunctionTransformer(both, feature_names_out="one-to-one").fit(frame).get_feature_names_out()


def test_missing_values_and_what_the_function_may_write_to():
    def zero(rows):
        rows[np.isnan(rows)] = 0.0
        return rows

    data = np.array([[1.0], [np.nan]])
    assert FunctionTransformer(zero).fit_transform(data).tolist() == [[1.0], [0.0]]
    assert np.isnan(data[1, 0])


@pytest.mark.parametrize("wrong", [lambda rows: rows[:1], lambda rows: rows.astype(str), lambda rows: 3.0])
def test_what_a_function_must_give(wrong):
    with pytest.raises(tn.DataError, match="as many rows of numbers"):
        FunctionTransformer(wrong).fit(X)


def test_a_file_holds_functions_of_numpy_by_name(tmp_path):
    FunctionTransformer(np.cbrt, inverse_func=np.square).fit(X).save(tmp_path / "model.tenfold")
    again = tn.load(tmp_path / "model.tenfold")
    assert again.func is np.cbrt
    np.testing.assert_array_equal(again.transform(X), np.cbrt(X))
    with pytest.raises(tn.ModelFileError, match="func is a function, and a model file holds no code.*log1p"):
        FunctionTransformer(both).fit(X).save(tmp_path / "other.tenfold")


@pytest.mark.parametrize("name", ["load", "no_such_function", "__class__", "linalg"])
def test_a_file_names_nothing_but_ufuncs(name):
    with pytest.raises(tn.ModelFileError, match="malformed"):
        Reader({}).value({"ufunc": name})
    assert Reader({}).value(Writer().value(np.log1p, "func")) is np.log1p


@pytest.mark.parametrize("func", [lambda d: d["a"] * 2, lambda d: d.assign(b=1)])
def test_a_function_of_frames_is_told_that_it_is_given_an_array(func):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    with pytest.raises(
        tn.DataError, match=r"array of numbers of shape \(2, 2\), not a frame.*Remedy: .*d\[:, 0\]"
    ) as e:
        FunctionTransformer(func).fit(frame)
    assert isinstance(e.value.__cause__, (AttributeError, IndexError))
