"""Marks: hashes of rows by their first columns as float32, made when somebody looks."""

import pickle

import numpy as np

from tenfold.core.rows.columns import Columns
from tenfold.core.rows.row_sketch import HASHED_COLUMNS, MAX_EXACT_FLOAT32, RowSketch, row_hashes
from tenfold.core.schema import Column, Schema

MASK = (1 << 64) - 1


def by_hand(row):
    """The hash of a row in whole numbers of Python."""
    out = 0x9E3779B97F4A7C15
    for j, x in enumerate(row[:HASHED_COLUMNS]):
        with np.errstate(over="ignore"):
            word = int((np.float32(x) + np.float32(0)).view(np.uint32))
        if np.isnan(x):
            word = 0x7FC00000
        elif MAX_EXACT_FLOAT32 <= abs(x) < 2.0**62 and x == np.rint(x):
            word = int(x) & MASK
        out += (word + j + 1) * (0xBF58476D1CE4E5B9 + 2 * j * 0xD1B54A32D192ED03)
    out &= MASK
    for shift, times in ((32, 0x94D049BB133111EB), (29, 0xBF58476D1CE4E5B9)):
        out = ((out ^ (out >> shift)) * times) & MASK
    return (out ^ (out >> 32)) >> 16


def schema(p):
    return Schema(tuple(Column(f"x{j}", "numeric") for j in range(p)))


def test_hashes_of_all_kinds_of_numbers():
    rng = np.random.default_rng(0)
    for p in (1, 4, 8):
        X = rng.standard_normal((200, p)) * 10.0 ** rng.integers(-300, 300, (200, p))
        for value in (0.0, -0.0, np.nan, -np.nan, np.inf, 2.0**24, -(2.0**40), 2.0**62, 2.0**24 + 0.5):
            X[rng.random((200, p)) < 0.07] = value
        found = row_hashes(Columns(X, missing=True), schema(p))
        assert found.tolist() == [by_hand(row) for row in X]


def test_pairs_and_equal_ones():
    X = Columns(np.repeat(np.arange(7.0), 3)[:, None])
    marks = RowSketch.of(X, schema(1))
    assert (len(marks.hashes), marks.pairs, marks.equal) == (7, 21 * 20 // 2, 7 * 3)
    assert (np.diff(marks.hashes.astype(np.int64)) > 0).all()
    for n in (0, 1, 2):
        few = RowSketch.of(Columns(np.arange(float(n))[:, None]), schema(1))
        assert (len(few.hashes), few.equal) == (n, 0)


def test_marks_are_of_the_rows_as_they_were():
    data = np.arange(12.0).reshape(6, 2)
    marks, text = RowSketch.of(Columns(data), schema(2)), str(RowSketch.of(Columns(data.copy()), schema(2)))
    data[:] = 0.0
    assert pickle.loads(pickle.dumps(marks)) == marks
    assert str(marks) == text
    assert RowSketch.read(text) == marks
