"""Moments of many cells in one call have the bits of each cell by itself, however rows are stored and weighted."""

import numpy as np
import pytest

from tenfold.compiled.moments.cells import sum_in_pairs
from tenfold.core import Chunk, Columns, DataError
from tenfold.core.mergeable import cell_of
from tenfold.stats.moments.moments import Comoments
from tenfold.testing.comparison import bits

SIZES = [1, 2, 3, 7, 8, 9, 64, 127, 128, 129, 300, 2500]


def chunk_of(columns, form, weighted, dtype, target, far, seed=0):
    random, n = np.random.default_rng(seed), sum(SIZES)
    X = (random.normal(size=(n, columns)) * 10.0 ** random.integers(-2, 3, columns) + far).astype(dtype)
    X[:, 0] = np.round(X[:, 0])
    weight = random.integers(1, 4, n) * 0.37 if weighted else np.ones(n)
    data = tuple(np.ascontiguousarray(column) for column in X.T) if form == "columns" else X
    return Chunk(Columns(data), random.normal(size=n) + 3 if target else None, weight, not weighted, 0, 0)


@pytest.mark.parametrize("far", [0.0, 1e6])
@pytest.mark.parametrize("target", [True, False])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", ["columns", "matrix"])
@pytest.mark.parametrize("columns", [1, 20, 31, 32, 40])
def test_each_cell_has_the_bits_of_its_rows_alone(columns, form, weighted, dtype, target, far):
    chunk = chunk_of(columns, form, weighted, dtype, target, far)
    starts = np.cumsum([0, *SIZES[:-1]])
    statistic = Comoments(None, target)
    stack = statistic.summarize_cells(chunk, starts)
    each = [statistic.summarize(chunk.rows(slice(a, a + size))) for a, size in zip(starts, SIZES, strict=True)]
    assert [bits(cell_of(stack, cell)) for cell in range(len(SIZES))] == list(map(bits, each))
    a, b = np.array([0, 1, -1, 2, 11]), np.array([1, -1, 3, 2, 10])
    merged = statistic.merge_cells(stack, stack, a, b)
    wanted = [each[0] + each[1], each[1], each[3], each[2] + each[2], each[11] + each[10]]
    assert [bits(cell_of(merged, cell)) for cell in range(len(a))] == list(map(bits, wanted))


def test_sums_have_the_bits_of_numpy():
    random = np.random.default_rng(0)
    for n in [*range(1, 40), 127, 128, 129, 136, 137, 256, 1000, 4097, 100_003]:
        numbers = random.normal(size=n)
        assert sum_in_pairs(numbers) == numbers.sum(), n


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e200])
@pytest.mark.parametrize("size", [1, 5])
def test_a_value_that_cannot_be_squared_is_named(wrong, size):
    X = np.ones((10, 2)) + np.arange(10)[:, None]
    X[6, 1] = wrong
    chunk = Chunk(Columns(X, ["a", "b"]), None, np.ones(10), True, 0, 0)
    if size == 1 and np.isfinite(wrong):  # of a single row nothing is squared
        return
    with pytest.raises(DataError, match="'b'"):
        Comoments(None, target=False).summarize_cells(chunk, np.arange(0, 10, size))
