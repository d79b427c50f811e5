"""Features without a matrix, against the matrix."""

import numpy as np
import pytest
import scipy.sparse as sp

from tenfold.core import Column, Columns, Design, Schema

LEVELS = np.array([3, 0, 0, 5, 2])
random = np.random.default_rng(3)
n = 1311
DATA = [random.integers(-1, levels, n).astype(float) if levels else random.normal(size=n) for levels in LEVELS.tolist()]
MATRIX = np.column_stack(
    [(DATA[j][:, None] == np.arange(k)).astype(float) if k else DATA[j] for j, k in enumerate(LEVELS.tolist())]
)
WEIGHT = random.random(n)


def designs():
    yield "columns", Design.of(Columns(tuple(DATA)), LEVELS), MATRIX
    yield "array", Design.of(Columns(np.column_stack(DATA)), LEVELS), MATRIX
    some = slice(7, 900)
    yield "some rows", Design.of(Columns(tuple(DATA)).rows(some), LEVELS), MATRIX[some]
    words = [0, 3, 4]
    only = np.concatenate([np.arange(3), np.arange(5, 12)])
    yield "codes only", Design.of(Columns(tuple(DATA[j] for j in words)), LEVELS[words]), MATRIX[:, only]
    numbers = np.column_stack(DATA)[:, 1:3]
    yield "numbers only", Design.of(Columns(numbers), np.zeros(2, np.int64)), numbers
    yield "float32", Design.of(Columns(numbers.astype(np.float32))), numbers.astype(np.float32).astype(float)
    yield "CSR", Design.of(Columns(sp.csr_array(numbers))), numbers
    yield "no rows", Design.of(Columns(tuple(DATA)).rows(slice(0, 0)), LEVELS), MATRIX[:0]


@pytest.mark.parametrize(("design", "matrix"), [pytest.param(d, m, id=name) for name, d, m in designs()])
def test_products_are_those_of_the_matrix(design, matrix):
    rows, width = matrix.shape
    assert (len(design), design.width) == (rows, width)
    w, table = random.normal(size=width), random.normal(size=(width, 3))
    r, several, weight = random.normal(size=rows), random.normal(size=(rows, 3)), WEIGHT[:rows]
    for found, expected in (
        (design @ w, matrix @ w),
        (design @ table, matrix @ table),
        (design.transposed(r), matrix.T @ r),
        (design.transposed(several), matrix.T @ several),
        (design.gram(weight), matrix.T @ (weight[:, None] * matrix)),
    ):
        assert found.dtype == np.float64
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-11)
    made = [block.copy() for _, block in design.blocks(100)]
    np.testing.assert_array_equal(np.concatenate([np.empty((0, width)), *made]), matrix)


def test_plain_columns_keep_their_bits():
    X = Columns(random.normal(size=(500, 7)))
    w = random.normal(size=7)
    assert np.array_equal(Design.of(X, np.zeros(7, np.int64)) @ w, X @ w)


def test_missing_numbers_are_refused_by_name():
    bad = DATA[2].copy()
    bad[5] = np.nan
    X = Columns((DATA[0], DATA[1], bad, DATA[3], DATA[4]), ["a", "b", "c", "d", "e"], offset=100)
    for use in (
        lambda d: d @ np.zeros(d.width),
        lambda d: d.transposed(np.zeros(n)),
        lambda d: d.gram(np.ones(n)),
    ):
        with pytest.raises(ValueError, match="NaN in column 'c', row 105"):
            use(Design.of(X, LEVELS))


def test_the_axes_of_features():
    small = Schema((Column("a", "numeric"), Column("b", "categorical", np.array(["x", "z"]))), "number")
    large = small + Schema((Column("a", "numeric"), Column("b", "categorical", np.array(["w", "y"]))), "number")
    assert large.feature_names == ("a", "b_w", "b_x", "b_y", "b_z")
    assert large.levels.tolist() == [0, 4]
    sizes = {"column": 2, "value": 4, "boundary": 3, "feature": 5, "joint": 6, "design": 7, "predictor": 6}
    assert {axis: large.size(axis) for axis in sizes} == sizes
    moved = {axis: small.places(axis, large).tolist() for axis in ("value", "feature", "joint", "design", "predictor")}
    assert moved == {
        "value": [1, 3],
        "feature": [0, 2, 4],
        "joint": [0, 2, 4, 5],
        "design": [0, 1, 3, 5, 6],
        "predictor": [0, 1, 3, 5],
    }
    assert small.places("column", large) is None
    assert large.places("joint", large) is None
