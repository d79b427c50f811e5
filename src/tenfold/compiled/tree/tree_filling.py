"""Histograms of the rows of a node: all columns of many rows, or one column of few."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import inner, kernel
from tenfold.compiled.tree.tree_search import ZERO

GATHERED_ROWS = 4096
"""rows whose numbers are gathered before they are added"""
PACKED_ROWS = 1 << 13
"""rows at a time whose number rides in the low bits of Σg"""
COUNT_BITS = 14
"""those bits; what is left of 63 is enough for g of 36 bits"""


@inner
def add_plane(bins, offset, rows, start, stop, first, value, plane):
    """plane[first[i] + cell of row i] += value[i], for every column, two independent columns at a time."""
    p = bins.shape[0]
    at = np.empty(GATHERED_ROWS, np.uint32)
    for s in range(start, stop, GATHERED_ROWS):
        n = min(GATHERED_ROWS, stop - s)
        for i in range(n):
            at[i] = rows[s + i]
        one, some = first[s - start : s - start + n], value[s - start : s - start + n]
        for j in range(0, p - 1, 2):
            a, b = bins[j], bins[j + 1]
            c, d = plane[offset[j] :], plane[offset[j + 1] :]
            for i in range(n):
                r, f, v = at[i], one[i], some[i]
                c[f + np.uint64(a[r])] += v
                d[f + np.uint64(b[r])] += v
        if p % 2:
            a, c = bins[p - 1], plane[offset[p - 1] :]
            for i in range(n):
                c[one[i] + np.uint64(a[at[i]])] += some[i]


@kernel
def fill_classes(flat, at, channels, bins, offset, rows, start, stop, label, a):
    """The histogram of the rows of a node, from flat[at] on: weights a (none: ones) by label, and rows."""
    cells = offset[len(offset) - 1]
    most, last = min(stop - start, PACKED_ROWS), (channels - 1) * cells
    first, value = np.empty(most, np.uint64), np.empty(most, np.int64)
    plane = flat[at : at + last + cells]
    for k in range(len(plane)):
        plane[k] = 0
    for s in range(start, stop, PACKED_ROWS):
        e = min(s + PACKED_ROWS, stop)
        for turn in range(2 if len(a) else 1):
            for i in range(s, e):
                first[i - s] = np.uint64(last if turn else label[rows[i]] * cells)
                value[i - s] = a[rows[i]] if len(a) and not turn else 1
            add_plane(bins, offset, rows, s, e, first, value, plane)
    if not len(a):
        counts = plane[last:]
        for c in range(channels - 1):
            some = plane[c * cells :]
            for k in range(cells):
                counts[k] += some[k]


@kernel
def fill_pairs(hist, bins, offset, rows, start, stop, a, b):
    """The histogram of the rows of a node, from flat[at] on: Σa, Σb (none: ones), and the number of rows."""
    cells = hist.shape[1]
    most = min(stop - start, PACKED_ROWS)
    first, value, packed = np.zeros(most, np.uint64), np.empty(most, np.int64), np.empty(cells, np.int64)
    for c in range(3):
        for k in range(cells):
            hist[c, k] = 0
    for s in range(start, stop, PACKED_ROWS):
        e = min(s + PACKED_ROWS, stop)
        for k in range(cells):
            packed[k] = 0
        for i in range(s, e):
            value[i - s] = (a[rows[i]] << COUNT_BITS) + 1
        add_plane(bins, offset, rows, s, e, first, value, packed)
        for k in range(cells):
            n = packed[k] & ((1 << COUNT_BITS) - 1)
            hist[0, k] += (packed[k] - n) >> COUNT_BITS
            hist[2, k] += n
        if len(b):
            for i in range(s, e):
                value[i - s] = b[rows[i]]
            add_plane(bins, offset, rows, s, e, first, value, hist[1])
    if not len(b):
        for k in range(cells):
            hist[1, k] = hist[2, k]


@kernel
def total_of(rows, start, stop, label, a, b, t):
    """Add rows to channel sums: by label, or (None) sums of a and b. Branches on None are not compiled."""
    if label is not None:
        for i in range(start, stop):
            t[label[rows[i]]] += a[rows[i]] if len(a) else 1
    if b is not None:
        g = h = ZERO
        for i in range(start, stop):
            g += a[rows[i]]
            h += b[rows[i]] if len(b) else 1
        t[0] += g
        t[1] += h
    t[len(t) - 1] += stop - start


@inner
def add_to_cell(cells, v, r, label, a, b):
    """Add row r to the channels of cell v: its weight by label, or its sums (of what is None there are none)."""
    if b is not None:
        cells[0, v] += a[r]
        cells[1, v] += b[r] if len(b) else 1
    if label is not None:
        cells[label[r], v] += a[r] if len(a) else 1
    cells[cells.shape[0] - 1, v] += 1


@inner
def count_column(column, rows, start, stop, label, a, b, cells, words):
    """Fill the histogram of one column for few rows, and set a bit for each bin that they have."""
    for i in range(start, stop):
        r = rows[i]
        v = np.int64(column[r])
        words[v >> 6] |= np.uint64(1) << np.uint64(v & 63)
        add_to_cell(cells, v, r, label, a, b)


@inner
def count_few(column, rows, start, stop, label, a, b, cells, present):
    """Fill the histogram of one column for very few rows, and insert their bins in order; return the number of bins."""
    last, count = cells.shape[0] - 1, ZERO
    for i in range(start, stop):
        r = rows[i]
        v = np.int64(column[r])
        if cells[last, v] == 0:
            k = count
            while k > 0 and present[k - 1] > v:
                present[k] = present[k - 1]
                k -= 1
            present[k] = v
            count += 1
        add_to_cell(cells, v, r, label, a, b)
    return count


@inner
def bins_of(words, width, present):
    """List the bins whose bits are set, in order, and clear the bits; return the number of bins."""
    count = ZERO
    for w in range((width + 63) >> 6):
        bits = words[w]
        words[w] = 0
        while bits:
            low = bits & (~bits + np.uint64(1))
            n = 0
            n += 32 if low & np.uint64(0xFFFFFFFF00000000) else 0
            n += 16 if low & np.uint64(0xFFFF0000FFFF0000) else 0
            n += 8 if low & np.uint64(0xFF00FF00FF00FF00) else 0
            n += 4 if low & np.uint64(0xF0F0F0F0F0F0F0F0) else 0
            n += 2 if low & np.uint64(0xCCCCCCCCCCCCCCCC) else 0
            n += 1 if low & np.uint64(0xAAAAAAAAAAAAAAAA) else 0
            present[count] = (w << 6) + n
            count += 1
            bits ^= low
    return count


@inner
def clear(cells, present, count):
    """Set the counts of some bins to zero."""
    for k in range(count):
        for c in range(cells.shape[0]):
            cells[c, present[k]] = 0
