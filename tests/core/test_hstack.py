"""Rows side by side, and the products of sparse rows, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from tenfold.core import Columns, Design
from tenfold.core.rows.hstack import hstack


def matrix(rows: int, columns: int, seed: int, kind: str = "csr") -> sp.csr_array:
    return sp.random_array((rows, columns), density=0.3, random_state=seed, format=kind)


@pytest.mark.parametrize("rows", [0, 1, 57])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_as_scipy_puts_them_side_by_side(rows, index):
    sparse = matrix(rows, 4, 0)
    sparse.indices, sparse.indptr = sparse.indices.astype(index), sparse.indptr.astype(index)
    dense = matrix(rows, 3, 1).toarray()
    each = [dense, sparse, np.asfortranarray(dense), np.empty((rows, 0)), dense[:, ::2]]
    found, meant = hstack(each), sp.hstack([sp.csr_array(one) for one in each], format="csr")
    assert found.shape == meant.shape
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, name), getattr(meant, name))


def test_the_float_type_is_that_of_scipy():
    narrow = matrix(5, 2, 0).astype(np.float32)
    assert hstack([narrow, narrow]).dtype == np.float32
    assert hstack([narrow, narrow.toarray().astype(np.float64)]).dtype == np.float64


def test_places_that_are_not_numbers_are_kept():
    found = hstack([np.array([[np.nan, 0.0]]), matrix(1, 2, 0)])
    assert np.isnan(found.toarray()[0, 0])


@pytest.mark.parametrize("twice", [False, True])
def test_products_of_sparse_rows(twice):
    some, weight = matrix(80, 6, 3), np.random.default_rng(0).random(80)
    if twice:  # as SciPy allows: parts of one number, in any order
        back = np.concatenate([np.arange(a, b)[::-1].repeat(2) for a, b in zip(some.indptr, some.indptr[1:])])
        some = sp.csr_array((some.data[back] / 2, some.indices[back], some.indptr * 2), some.shape)
        assert not some.has_canonical_format
    dense = some.toarray()
    found = Design(Columns(some)).gram(weight)
    np.testing.assert_allclose(found, dense.T @ (weight[:, None] * dense), rtol=0, atol=1e-13)
    np.testing.assert_array_equal(found, found.T)
