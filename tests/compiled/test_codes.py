"""Sums and look-ups by codes of categories against the zeros and ones they stand for."""

import numpy as np
import pytest

from compiled.ways import both_ways
from tenfold.compiled.moments import category_sums
from tenfold.compiled.rows.counting import add_counts, add_lookups

RANDOM = np.random.default_rng(0)
FIRST = np.array([0, 3, 5])
CODES = np.column_stack([RANDOM.integers(-1, 3, 40), RANDOM.integers(-1, 2, 40), RANDOM.integers(0, 4, 40)])


def zeros_and_ones(codes):
    out = np.zeros((len(codes), 9))
    for i, row in enumerate(codes):
        for at, code in zip(FIRST, row, strict=True):
            if code >= 0:
                out[i, at + code] = 1
    return out


@pytest.fixture(params=[np.float64, np.float32])
def columns(request):
    """Columns of codes by their addresses, as the compiled kernels alone take them."""
    held = [np.ascontiguousarray(CODES[:, j], dtype=request.param) for j in range(3)]
    yield np.array([one.ctypes.data for one in held], np.uint64).astype(np.int64), held[0][:0]
    assert len(held) == 3  # alive until here


@pytest.mark.parametrize("start", [0, 7])
def test_looked_up_and_summed(columns, start):
    table, C = RANDOM.normal(size=(9, 2)), zeros_and_ones(CODES)[start:]
    out = np.ones((40 - start, 2))
    category_sums.add_looked_up(*columns, FIRST, table, start, out)
    np.testing.assert_allclose(out, 1 + C @ table, rtol=1e-13)
    values, sums = RANDOM.normal(size=(40 - start, 2)), np.zeros((9, 2))
    category_sums.add_by_code(*columns, FIRST, values, start, sums)
    np.testing.assert_allclose(sums, C.T @ values, rtol=1e-12, atol=1e-14)


def test_pairs(columns):
    weight, counts = RANDOM.integers(0, 4, 30).astype(float), np.zeros((9, 9))
    category_sums.add_pairs(*columns, FIRST, weight, 10, counts)
    C = zeros_and_ones(CODES)[10:]
    np.testing.assert_array_equal(np.tril(counts), np.tril((C * weight[:, None]).T @ C))


@both_ways(category_sums.add_products)
@pytest.mark.parametrize("weighted", [False, True])
def test_products_with_a_vector(run, weighted):
    C, vector, weight = zeros_and_ones(CODES), RANDOM.normal(size=9), RANDOM.random(40)
    out = np.zeros(9)
    run(np.where(CODES < 0, 255, CODES).astype(np.uint8), 255, FIRST, vector, weight if weighted else np.empty(0), out)
    W = weight if weighted else np.ones(40)
    np.testing.assert_allclose(out, C.T @ (W * (C @ vector)), rtol=1e-12, atol=1e-14)


@both_ways(add_counts)
def test_counts_by_class(run):
    """A missing code is NaN here, and one that was never seen -1: both are left out, the row is not."""
    block = CODES.astype(float)
    block[3, 1] = np.nan
    group, w = RANDOM.integers(0, 2, 40), RANDOM.integers(0, 4, 40).astype(float)
    weight, counts = np.zeros(2), np.zeros((2, 9))
    run(block, FIRST, group, w, weight, counts)
    C = zeros_and_ones(np.nan_to_num(block, nan=-1).astype(int))
    for g in range(2):
        assert weight[g] == w[group == g].sum()
        np.testing.assert_array_equal(counts[g], w[group == g] @ C[group == g])


@both_ways(add_lookups)
def test_lookups_by_class(run):
    block, table = CODES.astype(float), RANDOM.normal(size=(3, 2, 9))
    block[3, 1] = np.nan
    out, group = np.ones((40, 2)), RANDOM.integers(0, 3, 40)
    run(block, FIRST, group, table, out)
    C = zeros_and_ones(np.nan_to_num(block, nan=-1).astype(int))
    np.testing.assert_allclose(out, 1 + np.einsum("iv,icv->ic", C, table[group]), rtol=1e-12)
