"""The nearest rows: exact distances, bounded heaps, and products that rule out distances.

Distances are summed column by column in float64, of differences, so an offset of the columns costs no digits. They are
compared by (distance, number of the row): of equal ones the first counts as nearer. Those that were left out although
they are as far as the last one that is kept are counted (`tied`), so that nobody needs to break ties by order.
"""

from __future__ import annotations

import numpy as np

from tenfold.compiled.blas import products
from tenfold.compiled.decorators import inner, kernel

SQUARES, ABSOLUTE, LARGEST, POWERS = 0, 1, 2, 3
"""Σ s d², Σ s |d| (of coded columns Σ s [d ≠ 0]), max s |d|, Σ s |d|^p"""
TILE_ROWS = 64
"""rows whose distances to one row are computed at once, as vectors"""
QUERIES, HEIGHT, LOOK = 256, 512, 64
"""rows of a product on either side: it stays in cache; and how many of its entries are looked at together"""


@inner
def _farther(d, i, e, j):
    """Return whether the neighbor (d, i) ranks after (e, j): by distance, then by index."""
    return d > e or (d == e and i > j)


@inner
def _offer(q, d, j, size, distance, index, label, value, weight, tied):
    """Offer row j to the heap of query q (farthest on top): insert, count as tied, or discard; return the size."""
    most = distance.shape[1]
    if size < most:
        at = size
        while at > 0:
            up = (at - 1) // 2
            if not _farther(d, j, distance[q, up], index[q, up]):
                break
            distance[q, at], index[q, at] = distance[q, up], index[q, up]
            at = up
        distance[q, at], index[q, at] = d, j
        return size + 1
    top, out = distance[q, 0], index[q, 0]
    if d > top or (d == top and j > out):
        if d == top:
            tied[q, label[j]] += weight[j]
            tied[q, -1] += weight[j] * value[j]
        return size
    _sink(q, d, j, most, distance, index)
    if distance[q, 0] == top:
        tied[q, label[out]] += weight[out]
        tied[q, -1] += weight[out] * value[out]
    else:
        tied[q, :] = 0.0
    return size


@inner
def _sink(q, d, j, size, distance, index):
    """Replace the top of a heap by (d, j), and sift it down."""
    at = 0
    while True:
        down = 2 * at + 1
        if down >= size:
            break
        if down + 1 < size and _farther(distance[q, down + 1], index[q, down + 1], distance[q, down], index[q, down]):
            down += 1
        if not _farther(distance[q, down], index[q, down], d, j):
            break
        distance[q, at], index[q, at] = distance[q, down], index[q, down]
        at = down
    distance[q, at], index[q, at] = d, j


@inner
def _put_in_order(q, size, distance, index):
    """Sort a heap, the nearest first."""
    for last in range(size - 1, 0, -1):
        d, j = distance[q, last], index[q, last]
        distance[q, last], index[q, last] = distance[q, 0], index[q, 0]
        _sink(q, d, j, last, distance, index)


@inner
def _distances(metric, power, query, q, tile, height, scale, coded, out):
    """out[i]: the distance of row i of the tile (columns x rows) from a query."""
    for i in range(TILE_ROWS):
        out[i] = 0.0
    for c in range(query.shape[1]):
        x, s = query[q, c], scale[c]
        if metric == SQUARES:
            for i in range(TILE_ROWS):
                d = x - tile[c, i]
                out[i] += s * (d * d)
        elif metric == ABSOLUTE:
            if coded[c]:
                for i in range(TILE_ROWS):
                    out[i] += s if x != tile[c, i] else 0.0
            else:
                for i in range(TILE_ROWS):
                    out[i] += s * abs(x - tile[c, i])
        elif metric == LARGEST:
            for i in range(TILE_ROWS):
                out[i] = max(out[i], s * abs(x - tile[c, i]))
        else:
            for i in range(height):
                out[i] += s * abs(x - tile[c, i]) ** power


@kernel
def nearest_rows(metric, power, query, rows, scale, coded, label, value, weight, distance, index, tied):
    """The nearest rows of each query by their distances; `distance` and `index` have a place for each that is wanted.

    `tied` is the weight, by label, of those left out that are as far as the last, and then the sum of weight x value.
    """
    n, p = rows.shape
    m, most = distance.shape
    size = np.zeros(m, np.int64)
    tile, away = np.zeros((p, TILE_ROWS)), np.empty(TILE_ROWS)
    for start in range(0, n, TILE_ROWS):
        height = min(TILE_ROWS, n - start)
        for i in range(height):
            for c in range(p):
                tile[c, i] = rows[start + i, c]
        for q in range(m):
            _distances(metric, power, query, q, tile, height, scale, coded, away)
            if size[q] == most:
                near, top = 0, distance[q, 0]
                for i in range(TILE_ROWS):
                    near += away[i] <= top
                if near == 0:
                    continue
            for i in range(height):
                if size[q] < most or away[i] <= distance[q, 0]:
                    size[q] = _offer(q, away[i], start + i, size[q], distance, index, label, value, weight, tied)
    for q in range(m):
        _put_in_order(q, size[q], distance, index)


@kernel
def nearest_by_products(
    query, rows, scale, short_query, level, short_rows, unit, label, value, weight, distance, index, tied
):
    """Find the nearest rows by Euclidean distances, computed only where products in float32 do not rule them out.

    `short_rows` has the rows r around a centre, times √scale x `unit`, then -|r|²/2; `short_query` the queries q and 1,
    `level` |q|². So their product is (|q|² - |q - r|²) / 2, and in float32 it errs by (p + 8) ε (|q| |r| + |r|²/2) at
    the most; what float64 adds is counted too. Rows whose product comes within twice that of the k-th best one wait,
    and their distances are computed at the end, or when too many wait.
    """
    n, p = rows.shape
    m, most = distance.shape
    size = np.zeros(m, np.int64)
    product = np.zeros((QUERIES, HEIGHT), np.float32)
    room = 2 * most + 64
    best = np.empty((QUERIES, most), np.float32)
    waiting, known = np.empty((QUERIES, room), np.int64), np.empty((QUERIES, room), np.float32)
    radius = 0.0
    for i in range(n):
        radius = max(radius, -2.002 * float(short_rows[i, p]))
    for first in range(0, m, QUERIES):
        some = min(QUERIES, m - first)
        best[:] = -np.inf
        count, low = np.zeros(QUERIES, np.int64), np.full(QUERIES, -np.inf, np.float32)
        slack = np.empty(QUERIES)
        for a in range(some):
            far = level[first + a]
            slack[a] = (p + 8) * 2.0**-24 * (np.sqrt(far * radius) + radius) + 1e-30
            slack[a] += (p + 16) * 2.0**-51 * (far + radius)
            if not far < 1e30:  # too far for float32
                slack[a] = np.inf
        for start in range(0, n, HEIGHT):
            height = min(HEIGHT, n - start)
            products(short_rows[start : start + height], short_query[first : first + some], 1.0, product)
            for a in range(some):
                for look in range(0, height, LOOK):
                    if not _any_reaches(product, a, look, low[a]):
                        continue
                    for i in range(look, min(look + LOOK, height)):
                        value_i = product[a, i]
                        if value_i < low[a]:
                            continue
                        if count[a] == room:
                            count[a] = _still_near(a, room, waiting, known, low[a])
                            if 2 * count[a] > room:  # many are alike
                                q = first + a
                                size[q] = _compute(
                                    q, a, count[a], waiting, query, rows, scale,
                                    size[q], label, value, weight, distance, index, tied,
                                )  # fmt: skip
                                count[a] = 0
                                low[a] = max(low[a], _limit(q, size[q], level[q], unit, slack[a], distance))
                        waiting[a, count[a]], known[a, count[a]] = start + i, value_i
                        count[a] += 1
                        if value_i > best[a, 0]:
                            _replace_least(a, value_i, best)
                            bound = best[a, 0] - 2.0 * slack[a]
                            low[a] = max(low[a], np.float32(bound - abs(bound) * 2.0**-22))
        for a in range(some):
            q = first + a
            left = _still_near(a, count[a], waiting, known, low[a])
            size[q] = _compute(
                q, a, left, waiting, query, rows, scale, size[q], label, value, weight, distance, index, tied
            )
    for q in range(m):
        _put_in_order(q, size[q], distance, index)


@inner
def _still_near(a, count, waiting, known, low):
    """Keep the candidates whose product is not below a limit; return how many there are."""
    kept = 0
    for i in range(count):
        if not known[a, i] < low:
            waiting[a, kept], known[a, kept] = waiting[a, i], known[a, i]
            kept += 1
    return kept


@inner
def _compute(q, a, count, waiting, query, rows, scale, size, label, value, weight, distance, index, tied):
    """Compute the distances of the candidates and offer them to the heap; return its size."""
    for i in range(count):
        j, d = waiting[a, i], 0.0
        for c in range(rows.shape[1]):
            away = query[q, c] - rows[j, c]
            d += scale[c] * (away * away)
        size = _offer(q, d, j, size, distance, index, label, value, weight, tied)
    return size


@inner
def _replace_least(a, new, best):
    """Replace the least value, on top of the heap, by another."""
    at, size = 0, best.shape[1]
    while True:
        down = 2 * at + 1
        if down >= size:
            break
        if down + 1 < size and best[a, down + 1] < best[a, down]:
            down += 1
        if best[a, down] >= new:
            break
        best[a, at] = best[a, down]
        at = down
    best[a, at] = new


@inner
def _limit(q, size, level, unit, slack, distance):
    """Return the product below which a row is farther from query q than its whole heap; -inf until that is full."""
    if size < distance.shape[1]:
        return np.float32(-np.inf)
    bound = 0.5 * (level - distance[q, 0] * unit * unit) - slack
    return np.float32(bound - abs(bound) * 2.0**-22)


@inner
def _any_reaches(product, a, look, low):
    """Return whether any of some products reaches a limit; NaN does not.

    Counted in 32 bits, at places that cannot be negative: so it runs in vectors.
    """
    a, look = np.uint64(a), np.uint64(look)
    below = np.int32(0)
    for i in range(np.uint64(LOOK)):
        below = np.int32(below + (np.int32(1) if product[a, look + np.uint64(i)] < low else np.int32(0)))
    return below < LOOK


@kernel
def offer_distances(away, first, size, label, value, weight, distance, index, tied):
    """Offer rows from index `first` on to the heap of each query, by distances computed elsewhere."""
    for q in range(away.shape[0]):
        for i in range(away.shape[1]):
            if size[q] < distance.shape[1] or away[q, i] <= distance[q, 0]:
                size[q] = _offer(q, away[q, i], first + i, size[q], distance, index, label, value, weight, tied)


@kernel
def put_in_order(size, distance, index):
    """Sort each heap, the nearest first."""
    for q in range(len(size)):
        _put_in_order(q, size[q], distance, index)


@kernel
def merge_nearest(wanted, classes, left, left_number, left_tied, right, right_number, right_tied, out, number, tied):
    """Merge two lists of nearest rows of each query, up to the weight `wanted`; ties of the last are counted apart.

    An entry of a list is (distance, weight, target), its number -1 if there is none. Rows of weight 0 do not exist.
    Returns the longest list's length.
    """
    longest = 0
    for q in range(left.shape[0]):
        a, b, at, total, last = 0, 0, 0, 0.0, -np.inf
        tied[q, :] = 0.0
        while True:
            first = a < left.shape[1] and left_number[q, a] >= 0
            second = b < right.shape[1] and right_number[q, b] >= 0
            if not first and not second:
                break
            if first and second:
                first = not _farther(left[q, a, 0], left_number[q, a], right[q, b, 0], right_number[q, b])
            if first:
                d, row, w, y = left[q, a, 0], left_number[q, a], left[q, a, 1], left[q, a, 2]
                a += 1
            else:
                d, row, w, y = right[q, b, 0], right_number[q, b], right[q, b, 1], right[q, b, 2]
                b += 1
            if w <= 0.0:
                continue
            if total < wanted:
                out[q, at, 0], out[q, at, 1], out[q, at, 2], number[q, at] = d, w, y, row
                at += 1
                total += w
                last = d
            elif d == last:
                tied[q, int(y) if classes else 0] += w
                tied[q, -1] += w * y
            else:
                break
        if total >= wanted:
            if _end(q, left, left_number) == last:
                for c in range(tied.shape[1]):
                    tied[q, c] += left_tied[q, c]
            if _end(q, right, right_number) == last:
                for c in range(tied.shape[1]):
                    tied[q, c] += right_tied[q, c]
        longest = max(longest, at)
        for i in range(at, out.shape[1]):
            out[q, i, 0], out[q, i, 1], out[q, i, 2], number[q, i] = np.inf, 0.0, 0.0, -1
    return longest


@inner
def _end(q, entries, number):
    """Return the distance of the last row of a list; infinity for an empty list."""
    end = np.inf
    for i in range(entries.shape[1]):
        if number[q, i] >= 0:
            end = entries[q, i, 0]
    return end
