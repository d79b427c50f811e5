"""Columns in few bins: where the edges lie, and the rows as bytes.

Edges are quantiles of a sample of rows that merges (`stats/rows/weighted_sample.py`). While there are no more distinct
rows than it holds, it is all of them, and a column with few distinct values gets an edge between any two: then
nothing is lost by binning.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tenfold.compiled.tree.binning import GRID_CELLS, bin_block, make_grid
from tenfold.core import Array, Chunk, Codes, Values
from tenfold.core.statistic import Grouped, Lens
from tenfold.stats.rows.weighted_sample import Race, row_bits, uniform

MAX_BYTE_BINS = 256
"""at most: a bin is a byte"""


def sample_of(chunk: Chunk, seed: int | None, u: Array | None = None) -> Race:
    """Return a sample of the distinct rows of a chunk with their weights: 16,384, or fewer of very wide rows.

    u: a uniform number for each row, computed from its content, if known already.
    """
    most = max(1024, min(16384, (1 << 22) // max(1, chunk.X.shape[1])))
    return Race.of(chunk, uniform(row_bits(chunk.X, seed)) if u is None else u, np.ones(chunk.n), most)


class RowSample(Grouped[Race]):
    """Sample of the distinct rows with their weights, from which the edges of bins are computed."""

    seed: int | None

    def summarize(self, chunk: Chunk) -> Race:
        return sample_of(chunk, self.seed)


def edges_of(sample: Race, most: int) -> Array:
    """Edges of each column, columns x (most - 1), filled up with infinity; value x is in bin #{edges < x}."""
    rows, weight = sample.sample()
    out = np.full((rows.shape[1], most - 1), np.inf)
    even, missing = bool((weight == weight[:1]).all()), bool(np.isnan(rows).any())
    for j, column in enumerate(np.ascontiguousarray(rows.T)):
        row_weight = weight
        if missing:
            known = ~np.isnan(column)
            column, row_weight = column[known], weight[known]
        if not len(column):
            continue
        order = None if even else np.argsort(column, kind="stable")
        value = np.sort(column) if order is None else column[order]
        new = value[1:] != value[:-1]
        if order is None and new.all() and len(value) > most:
            at = _even_cuts(len(value), most)
        else:
            last = np.flatnonzero(np.append(new, True))  # of each distinct value
            value, upto = value[last], (last + 1.0 if order is None else np.cumsum(row_weight[order])[last])
            at = _cuts(_capped(upto, most), most) if len(value) > most else np.arange(len(value) - 1)
        low, high = value[at], value[at + 1]
        middle = low + 0.5 * (high - low)
        out[j, : len(at)] = np.where((low < middle) & (middle < high), middle, low)
    return out


def _cuts(upto: Values, most: int) -> Codes:
    """After which distinct values to cut so that bins have about the same weight, from sums of weights."""
    at = np.minimum(upto.searchsorted(np.arange(1, most) * (upto[-1] / most)), len(upto) - 2)
    found: Codes = at[np.append(True, at[1:] != at[:-1])]  # they are in order
    return found


@lru_cache(maxsize=16)
def _even_cuts(values: int, most: int) -> Codes:
    """Return the edges for distinct values of equal weight, the case of most columns of numbers."""
    return _cuts(np.arange(1.0, values + 1.0), most)


def _capped(upto: Values, most: int) -> Values:
    """Sums of weights in which no value has more than a bin of even size: the others share the bins that are left.

    Nothing is gained by more bins for one value. And a value that many rows have is a single one of the rows that are
    drawn, whose weight in the sample is far off where there are many others: it must not take their bins.
    """
    weight = upto.copy()
    weight[1:] -= upto[:-1]
    cap = upto[-1] / most
    if (weight <= cap).all():
        return upto
    while (lower := np.minimum(weight, cap).sum() / most) < cap * (1 - 1e-9):
        cap = lower
    return np.cumsum(np.minimum(weight, cap))


class Binned(NamedTuple):
    """Rows seen through the edges."""

    bins: Values
    """columns x rows, one byte each"""
    label: Codes
    """class of each row"""


def grid_of(edges: Array) -> tuple[Array, Array, Codes]:
    """Where to begin looking for the bin of a value, from rising edges: least edge, scale, edges before each cell."""
    finite = np.isfinite(edges)
    low = np.where(finite[:, 0], edges[:, 0], 0.0)
    high = np.where(finite, edges, -np.inf).max(axis=1, initial=-np.inf)
    with np.errstate(over="ignore"):
        wide = np.where(high > low, high - low, 1.0)
        scale = np.where(np.isfinite(wide), GRID_CELLS / wide, 0.0)
    scale = np.where(np.isfinite(scale), scale, 0.0)
    first = np.empty((len(low), GRID_CELLS), np.int64)
    make_grid(edges, low, scale, first)
    return low, scale, first


class BinLens(Lens):
    """A lens through which rows become bins."""

    edges: Array

    def __call__(self, chunk: Chunk) -> Binned:
        """The bins and labels of a chunk."""
        edges = self.edges.copy()  # kernels are compiled for arrays that may be written to, and a value's may not
        low, scale, first = grid_of(edges)
        bins = np.empty((len(low), chunk.n), np.uint8)
        for rows, block in chunk.X.blocks():
            bin_block(block, edges, low, scale, first, rows.start, bins)
        return Binned(bins, chunk.y.astype(np.uint16))
