"""Rows as a summary: the same matrix, and the same moments, however they were cut and merged."""

import numpy as np
import pytest
import scipy.sparse as sp

from tenfold.core import Chunk, Column, Columns, Schema
from tenfold.core.axes import check
from tenfold.core.errors import MergeError
from tenfold.stats.moments.moments import Moments
from tenfold.stats.rows.wide_rows import Rows


def chunk(X, y, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    return Chunk(Columns(X), y, weight, bool((weight == 1).all()), 0, 0)


def schema(width):
    return Schema(tuple(Column(f"x{j}", "numeric") for j in range(width)), "number", None, False)


def data(n=6, p=9):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, p)) * (random.random((n, p)) < 0.4)
    return X, random.normal(size=n), random.uniform(0.5, 2.0, n)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_cut_and_merged(form):
    X, y, weight = data()
    whole = Rows.of(chunk(form(X), y, weight))
    pieces = [Rows.of(chunk(form(X[a:b]), y[a:b], weight[a:b])) for a, b in ((0, 2), (2, 2), (2, 6))]
    merged = pieces[0] + pieces[1] + pieces[2]
    for found in (whole, merged):
        matrix = found.matrix()
        assert np.array_equal(matrix.toarray() if sp.issparse(matrix) else matrix, X)
        assert np.array_equal(found.weight, weight)
        assert np.array_equal(found.y, y)
        assert found.is_valid(schema(9))
    assert np.array_equal(np.asarray(whole.take(np.array([1, 4])).matrix() @ np.eye(9)), X[[1, 4]])


def test_dense_and_sparse_rows_merge():
    X, y, weight = data()
    both = Rows.of(chunk(X[:3], y[:3], weight[:3])) + Rows.of(chunk(sp.csr_array(X[3:]), y[3:], weight[3:]))
    assert both.sparse
    assert np.array_equal(both.matrix().toarray(), X)


def test_more_numbers_than_moments_become_moments():
    X, y, weight = data(12)
    few, many = Rows.of(chunk(X[:9], y[:9], weight[:9])), Rows.of(chunk(X, y, weight))
    assert isinstance(few, Rows)
    assert isinstance(many, Moments)
    for a, b in ((few, Rows.of(chunk(X[9:], y[9:], weight[9:]))), (Rows.of(chunk(X[9:], y[9:], weight[9:])), few)):
        assert isinstance(a + b, Moments)
        np.testing.assert_allclose((a + b).comoment, many.comoment, atol=1e-12)
    assert isinstance(many + few, Moments)
    assert isinstance(few + many, Moments)


def test_categories_are_entries():
    from tenfold.core import Design

    random = np.random.default_rng(0)
    codes, numbers = random.integers(0, 4, 6).astype(float), random.normal(size=6)
    levels = np.array([4, 0, 7])
    X = Columns((codes, numbers, random.integers(0, 7, 6).astype(float)))
    rows = Rows.of(Chunk(X, numbers, np.ones(6), True, 0, 0), levels)
    w = random.normal(size=12)
    np.testing.assert_allclose(rows.matrix() @ w, Design.of(X, levels) @ w)
    np.testing.assert_allclose(
        rows.moments().comoment, Moments.of(Chunk(X, numbers, np.ones(6), True, 0, 0), levels).comoment, atol=1e-14
    )


def test_new_categories_are_columns_of_zeros():
    from tenfold.core import Column, Schema

    small, large = (
        Schema((Column("c", "categorical", np.array(names, dtype=object)), Column("x", "numeric")), "number")
        for names in (["a", "c", "d", "e", "f", "g"], ["a", "b", "c", "d", "e", "f", "g"])
    )
    X = Columns((np.array([0.0, 1.0]), np.array([5.0, 6.0])))
    rows = Rows.of(Chunk(X, np.ones(2), np.ones(2), True, 0, 0), small.levels)
    moved = rows.recode(small, large).matrix().toarray()
    assert moved.tolist() == [[1, 0, 0, 0, 0, 0, 0, 5], [0, 0, 1, 0, 0, 0, 0, 6]]


def test_unsound_rows_are_seen():
    X, y, weight = data()
    good = Rows.of(chunk(sp.csr_array(X), y, weight))
    assert not good.is_valid(schema(8))
    check(good, schema(9))
    with pytest.raises(MergeError, match="column"):
        check(Rows(good.weight, good.y, good.values, good.column + 7, good.counts, 9), schema(9))
    assert not Rows(good.weight, good.y, good.values, good.column, good.counts * 2, 9).is_valid(schema(9))
    assert not Rows(good.weight, good.y, good.values, good.column[:-1], good.counts, 9).is_valid(schema(9))
