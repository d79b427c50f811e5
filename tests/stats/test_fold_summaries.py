"""Summaries by fold: the same as of the fold's rows alone, and all but one without a difference."""

import numpy as np

from tenfold.core import Chunk, Columns
from tenfold.stats.fold_summaries import FoldMoments, FoldRows, Pieces, but_one
from tenfold.stats.moments.moments import Moments


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
