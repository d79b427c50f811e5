"""Summaries by fold: the same as of the fold's rows alone, and all but one without a difference."""

import numpy as np

from tenfold.core import Chunk, Columns
from tenfold.stats.folds import FoldMoments, FoldRows, Pieces, but_one, by_lot
from tenfold.stats.moments import Moments


def data(n=400, p=4):
    random = np.random.default_rng(0)
    return Chunk(Columns(random.normal(size=(n, p)) + 3), random.normal(size=n), np.ones(n), True, 0, 0)


NONE = np.zeros(4, np.int64)


def test_moments_of_each_fold():
    chunk = data()
    for codes in (np.arange(400) % 5, np.arange(400) // 100):
        found = FoldMoments.of(chunk, NONE, codes, 5)
        merged = sum(
            (FoldMoments.of(chunk.rows(slice(a, a + 100)), NONE, codes[a : a + 100], 5) for a in (100, 200, 300)),
            start=FoldMoments.of(chunk.rows(slice(0, 100)), NONE, codes[:100], 5),
        )
        for k, (one, other) in enumerate(zip(found.each(), merged.each(), strict=True)):
            alone = Moments.of(chunk.rows(np.flatnonzero(codes == k)))
            for m in (one, other):
                assert m.weight == alone.weight
                np.testing.assert_allclose(m.comoment, alone.comoment, atol=1e-10)


def test_all_but_one_is_a_merge():
    each = ["a", "b", "c", "d"]
    assert but_one(each) == ("abcd", ["bcd", "acd", "abd", "abc"])
    assert but_one(["a", "b"]) == ("ab", ["b", "a"])


def test_the_lot_is_even_and_belongs_to_the_row():
    chunk = data(20_000)
    folds = by_lot(chunk, NONE, 10, 0)
    counts = np.bincount(folds, minlength=10)
    assert ((counts - 2000.0) ** 2 / 2000).sum() < 27.9  # chi squared with 9 degrees of freedom, one in a thousand
    order = np.random.default_rng(1).permutation(20_000)
    assert np.array_equal(by_lot(chunk.rows(order), NONE, 10, 0), folds[order])
    assert np.mean(by_lot(chunk, NONE, 10, 1) == folds) < 0.2


def test_equal_values_of_another_target_may_be_elsewhere():
    X = Columns(np.ones((1000, 1)))
    chunk = Chunk(X, np.arange(1000.0), np.ones(1000), True, 0, 0)
    assert len(set(by_lot(chunk, np.zeros(1, np.int64), 10, 0))) == 10


def test_categories_have_no_say():
    random = np.random.default_rng(0)
    numbers, y = random.normal(size=50), random.normal(size=50)
    a, b = (Chunk(Columns((numbers, code)), y, np.ones(50), True, 0, 0) for code in (np.zeros(50), np.arange(50.0) % 3))
    assert np.array_equal(*(by_lot(chunk, np.array([0, 3]), 10, 0) for chunk in (a, b)))


def test_rows_of_each_fold():
    chunk = data(4, p=9)
    found = FoldRows.of(chunk, np.zeros(9, np.int64), np.array([1, 0, 1, 0]), 3)
    assert [len(rows) for rows in found.each()] == [2, 2, 0]
    assert np.array_equal(found.each()[1].matrix(), chunk.X.data[[0, 2]])
    more = found + found
    assert isinstance(more, FoldRows)
    assert isinstance(more + found, FoldMoments)


def test_pieces_stand_in_their_order():
    a, b = Pieces.of(data(5)), Pieces.of(data(3)._replace(part=1, offset=5, dropped=2))
    both = a + Pieces.of(data(5).rows(slice(0, 0))) + b
    assert both.rows.tolist() == [5, 3]
    assert both.offset.tolist() == [0, 5]
    assert both.dropped.tolist() == [0, 2]
