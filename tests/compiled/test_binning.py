"""Bins and histograms of bins against numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiled.ways import both_ways
from tenfold.compiled.tree.binning import GRID_CELLS, add_class_bins, bin_block, make_grid
from tiers import draws


def binned(run, X, edges):
    """Bins by the kernels: a grid over the range of the edges, then a walk."""
    grid, walk = run
    known = np.where(np.isfinite(edges), edges, np.nan)
    low = np.nan_to_num(np.nanmin(known, axis=1))
    wide = np.nan_to_num(np.nanmax(known, axis=1)) - low
    scale = np.where(wide > 0, GRID_CELLS / np.where(wide > 0, wide, 1.0), 0.0)
    first = np.empty((len(edges), GRID_CELLS), np.int64)
    grid(edges, low, scale, first)
    bins = np.zeros((len(edges), len(X)), np.uint8)
    walk(X, edges, low, scale, first, 0, bins)
    return bins


@both_ways(make_grid, bin_block)
@pytest.mark.parametrize("spread", [1.0, 1e-300, 1e300])
def test_a_bin_is_the_number_of_edges_below(run, spread):
    random = np.random.default_rng(0)
    edges = np.sort(random.standard_cauchy((3, 20)) * spread, axis=1)
    edges[1, 12:] = np.inf  # a column with fewer edges
    X = np.vstack([random.standard_cauchy((200, 3)) * spread, edges.T[:12], [[-1e305] * 3, [1e305] * 3]])
    found = binned(run, X, edges)
    for j in range(3):
        np.testing.assert_array_equal(found[j], np.searchsorted(edges[j], X[:, j], side="left"))


@settings(max_examples=draws(20, 50))
@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30), st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=9))
def test_for_any_edges_and_values(values, marks):
    edges = np.unique(marks)[None]
    found = binned((make_grid, bin_block), np.array(values)[:, None], edges)
    np.testing.assert_array_equal(found[0], np.searchsorted(edges[0], values, side="left"))


@both_ways(add_class_bins)
@pytest.mark.parametrize(("columns", "rows"), [(1, 10), (3, 5000), (4, 4096)])
def test_histograms_by_class(run, columns, rows):
    if not hasattr(run, "py_func"):
        rows = min(rows, 300)
    random = np.random.default_rng(1)
    bins = random.integers(0, 5, (columns, rows)).astype(np.uint8)
    label, weight = random.integers(0, 3, rows), random.integers(1, 9, rows).astype(float)
    found = np.zeros((columns, 3 * 5))
    run(bins, label, weight, 5, found)
    for j in range(columns):
        np.testing.assert_array_equal(found[j], np.bincount(label * 5 + bins[j], weight, 15))
