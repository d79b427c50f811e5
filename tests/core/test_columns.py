"""Columns: arrays, frames and CSR read the same, and nothing that is not finite gets through."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from tenfold.core import Columns, DataError
from tenfold.core.rows.columns import MadeBy, TextColumns

X = np.round(np.random.default_rng(0).normal(size=(50, 3)), 2)
FORMS = {
    "C": X,
    "F": np.asfortranarray(X),
    "strided": np.repeat(X, 2, axis=0)[::2],
    "frame": tuple(np.ascontiguousarray(c) for c in X.T),
    "csr": sp.csr_array(X),
}


@pytest.mark.parametrize("form", FORMS)
def test_blocks_columns_rows_and_products(form):
    columns = Columns(FORMS[form])
    assert columns.shape == (50, 3)
    shift = np.array([1.0, 2.0, 3.0])
    for rows in (1, 7, 50, 99):
        got = np.vstack([block.copy() for _, block in columns.blocks(rows, shift=shift)])
        np.testing.assert_array_equal(got, X - shift)
    at = [rows for rows, _ in columns.blocks(20)]
    assert at == [slice(0, 20), slice(20, 40), slice(40, 50)]
    np.testing.assert_array_equal(columns.column(1), X[:, 1])
    np.testing.assert_array_equal(columns.take(np.array([3, 1, 3])), X[[3, 1, 3]])
    np.testing.assert_allclose(columns @ np.ones((3, 2)), X @ np.ones((3, 2)), rtol=1e-14)
    np.testing.assert_allclose(columns @ np.ones(3), X.sum(axis=1), rtol=1e-13)


def test_own_type_is_kept_and_c_blocks_are_views():
    single = Columns(X.astype(np.float32))
    _, block = next(single.blocks(dtype=None))
    assert block.dtype == np.float32
    assert np.shares_memory(block, single.data)
    assert not block.flags.writeable
    assert Columns((X[:, 0].astype(np.float32), X[:, 1])).dtype == np.float64


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_what_is_not_finite_is_named(form, value, word):
    bad = X.copy()
    bad[17, 2] = value
    data = {
        "C": bad, "F": np.asfortranarray(bad), "strided": np.repeat(bad, 2, axis=0)[::2],
        "frame": tuple(bad.T), "csr": sp.csr_array(bad),
    }[form]  # fmt: skip
    columns = Columns(data, ("a", "b", "price"), offset=1000)
    with pytest.raises(DataError, match=rf"{word}.* in column 'price', row 1017. Remedy"):
        list(columns.blocks(8))
    with pytest.raises(DataError, match=rf"{word}.* in column 'price', row 1017"):
        columns.column(2)
    with pytest.raises(DataError, match=word):
        columns @ np.ones(3)
    with pytest.raises(DataError, match=word):
        columns.check_sums(np.array([1.0, np.nan]))
    columns.check_sums(np.array([1.0, 2.0]))


def test_missing_may_pass_but_infinity_may_not():
    hole = X.copy()
    hole[3, 1] = np.nan
    assert np.isnan(np.vstack([b.copy() for _, b in Columns(hole, missing=True).blocks(9)])[3, 1])
    hole[4, 1] = np.inf
    with pytest.raises(DataError, match="infinity.*'x1', row 4"):
        list(Columns(hole, missing=True).blocks())


def test_a_sum_that_overflows_is_not_a_wrong_value():
    huge = np.full((4, 2), 1.5e308)
    assert len(list(Columns(huge).blocks())) == 1


def test_columns_are_pickled_without_their_addresses():
    """Which are those of another array then, or of another process."""
    columns = Columns((np.arange(4.0), np.arange(4.0) * 2), ("a", "b"), offset=3, place="here")
    again = pickle.loads(pickle.dumps(columns))
    assert again.addresses.tolist() == [values.ctypes.data for values in again.data]
    assert (again.names, again.offset, again.place, again.missing) == (("a", "b"), 3, "here", columns.missing)
    for (rows, block), (_, other) in zip(again.blocks(), columns.blocks(), strict=True):
        assert block.tolist() == other.tolist()
        assert rows.start == 0


def test_columns_of_text_are_pickled_as_text():
    texts = np.array(["a", None, "b"], dtype=object)
    again = pickle.loads(pickle.dumps(TextColumns((texts,), ("t",), missing=True)))
    assert type(again) is TextColumns
    assert again.column(0).tolist() == ["a", None, "b"]


def test_an_entry_of_a_sparse_matrix_is_found_by_row_and_column():
    matrix = sp.csr_array(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [2.0, 0.0, np.nan], [np.inf, 0.0, 0.0]]))
    with pytest.raises(DataError, match=r"NaN in column 'c', row 12\."):
        Columns(matrix, ["a", "b", "c"], offset=10).sparse()
    with pytest.raises(DataError, match=r"infinity .* in column 'a', row 3\."):
        Columns(matrix, ["a", "b", "c"], missing=True).sparse()
    with pytest.raises(DataError, match=r"column 'c', row 7\."):
        Columns(matrix, ["a", "b", "c"], kept=np.array([1, 4, 7, 9])).entries()


def test_outputs_are_named_by_the_columns_they_are_made_of():
    values = np.array([[1.0, np.nan, 3.0]])
    step = MadeBy("the output of Step", lambda: np.array([1, 0, 1]), ["a", "b"], "day.parquet")
    made = Columns(values, None, place=step)
    with pytest.raises(DataError, match=r"the output of Step, made of column 'a' of day\.parquet, row 0"):
        made.check()
    later = MadeBy("the output of Later", lambda: np.array([1]), None, step)
    with pytest.raises(DataError, match=r"of Later, made of the output of Step, made of column 'a' of day\.parquet"):
        Columns(values[:, 1:2], None, place=later).check()
    with pytest.raises(DataError, match="made of column 'a' of"):
        made.select(np.array([2, 1])).check()
    mixed = MadeBy("the output of PCA", lambda: None, ["a", "b"], "")
    with pytest.raises(DataError, match="NaN in column 'x1' of the output of PCA, row 0"):
        Columns(values, None, place=mixed).check()
    assert type(pickle.loads(pickle.dumps(made)).place) is str
