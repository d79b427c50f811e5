"""The order in which a window of rows is walked: by a hash of their content, so it does not depend on theirs."""

from __future__ import annotations

import numpy as np

from tenfold.kernels.compiling import kernel
from tenfold.kernels.shuffling import mix

GOLDEN = 0x9E3779B97F4A7C15


@kernel
def odd(start, j):
    """The number by which the value of column j is multiplied; -1: the target."""
    return (start + np.uint64(j + 1)) * np.uint64(GOLDEN) | np.uint64(1)


@kernel
def hash_dense(block, y, seed, out):
    """out[i]: a sum over the values of row i and its target, in which zeros count for nothing."""
    m, p = block.shape
    number = np.empty(1)
    word = number.view(np.uint64)
    start = mix(np.uint64(seed) + np.uint64(GOLDEN))
    times = np.empty(p, np.uint64)
    for j in range(p):
        times[j] = odd(start, j)
    for i in range(m):
        number[0] = y[i] + 0.0
        h = word[0] * odd(start, -1)
        for j in range(p):
            number[0] = block[i, j] + 0.0
            h += word[0] * times[j]
        out[i] = h


@kernel
def hash_sparse(data, indices, ends, y, seed, out):
    """The same for a CSR matrix."""
    number = np.empty(1)
    word = number.view(np.uint64)
    start = mix(np.uint64(seed) + np.uint64(GOLDEN))
    for i in range(len(ends) - 1):
        number[0] = y[i] + 0.0
        h = word[0] * odd(start, -1)
        for a in range(ends[i], ends[i + 1]):
            number[0] = data[a] + 0.0
            h += word[0] * odd(start, indices[a])
        out[i] = h


@kernel
def order_by(hashes, turn):
    """The rows by their mixed hashes, another order for every turn; equal ones stand together."""
    n = len(hashes)
    bits = 1
    while (1 << bits) < n:
        bits += 1
    shift = np.uint64(64 - bits)
    start = mix(np.uint64(turn) + np.uint64(GOLDEN))
    keys = np.empty(n, np.uint64)
    ends = np.zeros((1 << bits) + 1, np.int64)
    for i in range(n):
        keys[i] = mix(hashes[i] ^ start)
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
