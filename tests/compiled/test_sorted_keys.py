"""Keys in ascending order, against NumPy's sets and its stable sort."""

import numpy as np
import pytest

from tenfold.compiled.rows.sorted_keys import deal, unite


def some_keys(random, most):
    return np.unique(random.integers(0, most, random.integers(0, most)).astype(np.uint64))


@pytest.mark.parametrize("seed", range(30))
def test_two_lists_are_united(seed):
    random = np.random.default_rng(seed)
    a, b = some_keys(random, 40), some_keys(random, 60)
    first, here, there = np.empty((3, len(a) + len(b)), np.int64)
    n = unite(a, b, first, here, there)
    expected = np.union1d(a, b)
    assert np.array_equal(np.concatenate([a, b])[first[:n]], expected)
    for places, keys in ((here[:n], a), (there[:n], b)):
        assert np.array_equal(places >= 0, np.isin(expected, keys))
        assert np.array_equal(keys[places[places >= 0]], keys)


@pytest.mark.parametrize("seed", range(30))
def test_rows_are_dealt_as_a_stable_sort_has_them(seed):
    random = np.random.default_rng(seed)
    keys = some_keys(random, 300) if seed % 3 else np.array([0, 7, 2**63, 2**64 - 1], np.uint64)
    keys = keys if len(keys) else np.zeros(1, np.uint64)
    pieces = [np.sort(random.choice(keys, random.integers(0, 50))) for _ in range(random.integers(1, 6))]
    hashes, edges = np.concatenate(pieces), np.cumsum([0, *map(len, pieces)])
    cell, order = np.empty((2, len(hashes)), np.int64)
    deal(keys, hashes, edges, cell, order)
    assert np.array_equal(order, np.argsort(hashes, kind="stable"))
    assert np.array_equal(keys[cell], hashes)
