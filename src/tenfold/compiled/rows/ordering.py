"""The order in which a window of rows is visited: by a hash of their row ids, so that equal rows are spread out."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import kernel
from tenfold.compiled.rows.shuffling import mix

GOLDEN = 0x9E3779B97F4A7C15


@kernel
def order_by(places, turn):
    """Return the rows in a random order, another one for every epoch."""
    n = len(places)
    bits = 1
    while (1 << bits) < n:
        bits += 1
    shift = np.uint64(64 - bits)
    start = mix(np.uint64(turn) + np.uint64(GOLDEN))
    keys = np.empty(n, np.uint64)
    ends = np.zeros((1 << bits) + 1, np.int64)
    for i in range(n):
        keys[i] = mix(start + np.uint64(places[i]) * np.uint64(GOLDEN))
        ends[np.int64(keys[i] >> shift) + 1] += 1
    for b in range(1 << bits):
        ends[b + 1] += ends[b]
    order = np.empty(n, np.int64)
    fill = ends[:-1].copy()
    for i in range(n):
        c = np.int64(keys[i] >> shift)
        at = fill[c]
        fill[c] += 1
        while at > ends[c] and keys[order[at - 1]] > keys[i]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = i
    return order
