"""Histograms of slopes: Σg, Σh and the number of rows of each bin, for some columns of the rows of a node.

A row adds one word to a bin: its g in the high bits, a one in the low bits, and between them its h, if g and h are
short (`SHORT`); else h has a word of its own. Three columns are summed at a time: they do not
wait for each other.
"""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import inner, kernel

CACHED_ROWS = 2048
"""rows that stay in cache while all columns take them in"""
ROWS_PER_WORD = 3 * CACHED_ROWS
"""rows that are summed in one word before it is taken apart: fewer than two to the ONES"""
COUNT_BITS, CURVATURE_BITS = 13, 25
"""bits of the number of rows, and of a Σh that shares the word"""
GRADIENT_BITS = 12
"""bits of g and h that share a word: 6144 of them are less than two to the MIDDLE"""


@kernel
def words(g, h, short, start, stop, word):
    """Pack the gradient, hessian and count of each row into the word that it adds to a bin."""
    for i in range(start, stop):
        word[i] = (
            (g[i] << (COUNT_BITS + CURVATURE_BITS)) + (h[i] << COUNT_BITS) + 1 if short else (g[i] << COUNT_BITS) + 1
        )


@inner
def add_words(bins, offset, low, high, rows, start, stop, word, cells):
    """cells[cell of row i] += word of row i, for columns low to high."""
    n = stop - start
    at, value = np.empty(n, np.uint32), np.empty(n, np.int64)
    for i in range(n):
        at[i] = rows[start + i]
        value[i] = word[rows[start + i]]
    j = low
    while j + 2 < high:
        x, y, z = bins[j], bins[j + 1], bins[j + 2]
        c, d, e = cells[offset[j] :], cells[offset[j + 1] :], cells[offset[j + 2] :]
        for i in range(n):
            r, v = at[i], value[i]
            c[np.uint64(x[r])] += v
            d[np.uint64(y[r])] += v
            e[np.uint64(z[r])] += v
        j += 3
    while j < high:
        x, c = bins[j], cells[offset[j] :]
        for i in range(n):
            c[np.uint64(x[at[i]])] += value[i]
        j += 1


@inner
def take_apart(word, short, more, sums, curves, counts):
    """Σg, Σh (zero, if it has no share of the word) and the number of rows; more: they are added."""
    middle = CURVATURE_BITS if short else 0
    ones, mask = (1 << COUNT_BITS) - 1, (1 << middle) - 1
    for k in range(len(word)):
        c = word[k]
        counts[k] = (counts[k] if more else 0) + (c & ones)
        curves[k] = (curves[k] if more else 0) + ((c >> COUNT_BITS) & mask)
        sums[k] = (sums[k] if more else 0) + (c >> (COUNT_BITS + middle))


@kernel
def fill_sums(hist, bins, offset, low, high, rows, start, stop, word, short, h, cells):
    """The histogram of a node, for columns low to high. No h: it is one, or shares the word.

    word, h: of every row; rows[start:stop]: those of the node.
    """
    a, z = offset[low], offset[high]
    part, curves, counts = cells[a:z], hist[1, a:z], hist[2, a:z]  # loops from zero on become vector instructions
    for s in range(start, max(stop, start + 1), ROWS_PER_WORD):
        e = min(s + ROWS_PER_WORD, stop)
        for k in range(len(part)):
            part[k] = 0
        for t in range(s, e, CACHED_ROWS):
            add_words(bins, offset, low, high, rows, t, min(t + CACHED_ROWS, e), word, cells)
        take_apart(part, short, s > start, hist[0, a:z], curves, counts)
    if len(h):
        for t in range(start, stop, CACHED_ROWS):
            add_words(bins, offset, low, high, rows, t, min(t + CACHED_ROWS, stop), h, hist[1])
    elif not short:
        for k in range(len(part)):
            curves[k] = counts[k]
