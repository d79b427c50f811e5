"""Sorts, orders by chance, folds by chance and hashes of rows."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiled.ways import both_ways, wrapping
from tenfold.compiled.rows import shuffling
from tenfold.compiled.rows.ordering import GOLDEN, order_by
from tenfold.compiled.rows.row_hashes import hash_rows
from tenfold.compiled.rows.sorting import sort_by
from tiers import draws

WORD = (1 << 64) - 1


def splitmix(x):
    """Of whole numbers of any size."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


@pytest.mark.parametrize("run", [sort_by, sort_by.py_func], ids=["compiled", "written"])
@settings(max_examples=draws(20, 40))
@given(key=st.lists(st.integers(-5, 5), max_size=40))
def test_sorting_is_stable(run, key):
    keys = np.array(key, dtype=np.float64)
    found = run(keys.copy(), np.arange(len(key)))
    np.testing.assert_array_equal(found, np.argsort(keys, kind="stable"))


@both_ways(shuffling.mix)
def test_mixing_is_that_of_splitmix(run):
    with wrapping():
        for x in (0, 1, 12345, 1 << 63, WORD):
            assert int(run(np.uint64(x))) == splitmix(x)
    # the first numbers that splitmix64 draws from 1234567, as its author publishes them
    drawn = [splitmix((1234567 + k * GOLDEN) & WORD) for k in range(1, 4)]
    assert drawn == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@both_ways(order_by)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 64, 65, 300])
def test_an_order_by_the_hash_of_places(run, n):
    places = np.random.default_rng(0).permutation(10 * n)[:n].astype(np.int64)
    with wrapping():
        found = run(places, 7)
    start = splitmix((7 + GOLDEN) & WORD)
    keys = [splitmix((start + int(place) * GOLDEN) & WORD) for place in places]
    assert found.tolist() == sorted(range(n), key=keys.__getitem__)


def test_orders_differ_by_turn_and_go_by_the_place_alone():
    places = np.arange(200)
    orders = [order_by(places, turn) for turn in range(20)]
    assert len({one.tobytes() for one in orders}) == 20
    some = np.random.default_rng(0).permutation(200)
    np.testing.assert_array_equal(places[some][order_by(places[some], 3)], places[orders[3]])
    first = np.array([one[0] for one in [order_by(np.arange(5), turn) for turn in range(5000)]])
    share = np.bincount(first, minlength=5) / 5000
    assert np.abs(share - 0.2).max() < 4 * np.sqrt(0.2 * 0.8 / 5000)


def permutation(seed, run, k):
    """That of a run of k numbers, in whole numbers of any size."""
    bits = splitmix(splitmix((seed + GOLDEN) & WORD) ^ ((run * 0xD1B54A32D192ED03) & WORD))
    order = list(range(k))
    for a in range(k - 1, 0, -1):
        bits = splitmix((bits + GOLDEN) & WORD)
        b = ((bits >> 32) * (a + 1)) >> 32
        order[a], order[b] = order[b], order[a]
    return order


@pytest.mark.parametrize("k", [2, 5, 7])
def test_every_run_of_k_numbers_has_every_fold(k):
    """Compiled only: called from Python, the kernels within return whole numbers without a type."""
    numbers, whole = np.arange(20 * k), np.empty(20 * k, np.int64)
    shuffling.deal(numbers, 3, k, whole)
    assert whole.reshape(20, k).tolist() == [permutation(3, run, k) for run in range(20)]
    assert (np.sort(whole.reshape(20, k), axis=1) == np.arange(k)).all()
    assert len({tuple(one) for one in whole.reshape(20, k)}) > 1
    some = np.random.default_rng(0).permutation(20 * k)[:50]
    folds = np.empty(len(some), np.int64)
    shuffling.deal(numbers[some], 3, k, folds)
    np.testing.assert_array_equal(folds, whole[some])  # by the number alone, whatever comes before


def test_permutations_are_equally_likely():
    order, found = np.empty(3, np.int64), np.zeros(27)
    for run in range(6000):
        shuffling._draw(np.uint64(1), run, order)
        found[order @ [9, 3, 1]] += 1
    assert np.count_nonzero(found) == 6
    assert np.abs(found[found > 0] - 1000).max() < 4 * np.sqrt(6000 * 5 / 36)


def test_folds_within_classes_carry_on():
    label = np.random.default_rng(1).integers(0, 3, 90)
    whole, before = np.empty(90, np.int64), np.zeros(3, np.int64)
    shuffling.deal_classes(label, before, 3, 4, whole)
    assert before.tolist() == np.bincount(label).tolist()
    parts, before = np.empty(90, np.int64), np.zeros(3, np.int64)
    for a, b in pairwise([0, 1, 40, 90]):
        shuffling.deal_classes(label[a:b], before, 3, 4, parts[a:b])
    np.testing.assert_array_equal(parts, whole)
    for c in range(3):
        folds = whole[label == c].tolist()
        wanted = [fold for run in range(len(folds) // 4 + 1) for fold in permutation(3 + c, run, 4)]
        assert folds == wanted[: len(folds)]


@both_ways(shuffling.stratify)
def test_contiguous_folds_of_classes(run):
    label, out = np.array([0, 1, 0, 0, 1, 1, 0, 1]), np.empty(8, np.int64)
    cuts = np.array([[0, 2, 2], [0, 1, 3]])  # the second fold of class 0 is empty
    before = np.zeros(2, np.int64)
    for a, b in ((0, 3), (3, 8)):
        run(label[a:b], before, cuts, out[a:b])
    assert out[label == 0].tolist() == [0, 0, 2, 2]
    assert out[label == 1].tolist() == [0, 1, 1, 2]


@both_ways(shuffling.count_labels)
def test_counts_and_first_rows_of_classes(run):
    count, first = np.zeros(3, np.int64), np.full(3, -1)
    run(np.array([2, 0, 2]), 10, count, first)
    run(np.array([0, 2]), 13, count, first)
    assert (count.tolist(), first.tolist()) == ([2, 0, 3], [11, -1, 10])


@both_ways(hash_rows)
def test_a_hash_goes_by_content_and_seed(run):
    rows = np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 1.0], [-0.0, 1.0], [1.0, 2.0]])
    one, two = np.empty(5, np.uint64), np.empty(5, np.uint64)
    with wrapping():
        run(rows, 0, one)
        run(rows, 1, two)
    assert one[0] == one[4] != one[1]
    assert one[2] == one[3], "-0 is 0"
    assert not (one == two).any()
    wide = np.random.default_rng(0).normal(size=(2000, 3))
    bits = np.empty(2000, np.uint64)
    hash_rows(wide, 0, bits)
    assert len(np.unique(bits)) == 2000
    ones = ((bits[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).mean(axis=0)
    assert np.abs(ones - 0.5).max() < 4.5 * 0.5 / np.sqrt(2000)
