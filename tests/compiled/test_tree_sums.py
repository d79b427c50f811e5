"""Histograms of slopes against sums by hand, at the largest numbers and beyond one word's rows."""

import numpy as np
import pytest

from tenfold.compiled.tree import tree_sums as ts


@pytest.mark.parametrize("n", [0, 1, ts.CACHED_ROWS, ts.ROWS_PER_WORD, ts.ROWS_PER_WORD + 1, 3 * ts.ROWS_PER_WORD + 17])
@pytest.mark.parametrize("kind", ["short", "long", "ones"])
@pytest.mark.parametrize("most", [False, True])
def test_sums_by_hand(n, kind, most):
    random = np.random.default_rng(n)
    widths = np.array([1, 300, 7, 2, 40])
    offset = np.concatenate([[0], np.cumsum(widths)])
    every = n + 100
    bins = np.stack([random.integers(0, 1 if most else w, every) for w in widths]).astype(np.uint16)
    rows = random.permutation(every)[:n].astype(np.uint32)
    bits = ts.GRADIENT_BITS if kind == "short" else 36
    top = (1 << bits) - (kind != "short")
    g = np.full(every, -top) if most else random.integers(-top, top + 1, every)
    h = np.full(every, top) if most else random.integers(0, top + 1, every)
    none = np.zeros(0, np.int64)
    h = none if kind == "ones" else h
    word, cells = np.empty(every, np.int64), np.empty(offset[-1], np.int64)
    ts.words(g, h, kind == "short", 0, every, word)
    found = np.full((3, offset[-1]), 99)
    apart = none if kind == "short" else h
    for low, high in ((0, 2), (2, 5)):
        ts.fill_sums(found, bins, offset, low, high, rows, 0, n, word, kind == "short", apart, cells)
    want = np.zeros_like(found)
    for j in range(5):
        at = offset[j] + bins[j, rows]
        np.add.at(want[0], at, g[rows])
        np.add.at(want[1], at, h[rows] if len(h) else 1)
        np.add.at(want[2], at, 1)
    assert (found == want).all()
