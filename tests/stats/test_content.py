"""Bits of rows: equal for equal rows, whatever codes their labels have, and spread evenly."""

import numpy as np

from tenfold.core import Chunk, Column, Columns, Schema
from tenfold.stats.content import Content, class_bits, value_bits

WORDS = [np.array(["b", "d"], object), np.array(["a", "b", "c", "d"], object)]


def bits_of(categories, codes, classes, y, numbers, seed=0):
    schema = Schema((Column("n", "numeric"), Column("w", "categorical", categories)), "class", classes)
    chunk = Chunk(Columns((numbers, codes), missing=True), y, np.ones(len(y)), True, 0, 0)
    return Content(seed, schema.levels, value_bits(schema), class_bits(schema))(chunk)


def test_labels_count_not_codes():
    numbers = np.array([1.0, 1.0, 2.0, 1.0])
    few = bits_of(WORDS[0], np.array([0.0, 1.0, 1.0, 0.0]), np.array([3, 7]), np.array([0, 1, 1, 1]), numbers)
    many = bits_of(WORDS[1], np.array([1.0, 3.0, 3.0, 1.0]), np.array([3, 5, 7]), np.array([0, 2, 2, 2]), numbers)
    assert (few == many).all()
    assert len(set(few.tolist())) == 4


def test_missing_and_unseen_categories_have_bits_of_their_own():
    codes = np.array([0.0, np.nan, -1.0, np.nan])
    found = bits_of(WORDS[0], codes, np.array([0, 1]), np.zeros(4, np.int64), np.zeros(4))
    assert found[1] == found[3]
    assert len(set(found.tolist())) == 3


def test_bits_are_even_and_change_with_the_seed():
    random = np.random.default_rng(0)
    n = 20_000
    chunk = Chunk(Columns(random.standard_normal((n, 2))), random.standard_normal(n), np.ones(n), True, 0, 0)
    none = np.zeros(0, np.int64)
    one, two = (Content(seed, np.zeros(2, np.int64), none, none)(chunk) for seed in (1, 2))
    ones = ((one[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).mean(axis=0)
    assert np.abs(ones - 0.5).max() < 5 * 0.5 / np.sqrt(n)
    assert (one == two).sum() == 0
    folds = np.bincount((one >> np.uint64(11)).astype(np.int64) % 5 * 5 + (two >> np.uint64(11)).astype(np.int64) % 5)
    assert np.abs(folds / n - 1 / 25).max() < 5 * np.sqrt(1 / 25 / n)
