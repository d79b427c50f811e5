"""Folds by chance that need no memory: within any k numbers in a row, each fold stands once, in an order drawn anew."""

from __future__ import annotations

import numpy as np

from tenfold.kernels.compiling import kernel


@kernel
def mix(x):
    """64 well-mixed bits (the finaliser of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def deal(numbers, seed, k, out):
    """out[i]: the fold of number i, by the permutation drawn for its run of k numbers."""
    order = np.empty(k, np.int64)
    current = np.int64(-1)
    start = mix(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15))
    for i in range(len(numbers)):
        run = numbers[i] // k
        if run != current:
            current = run
            for a in range(k):
                order[a] = a
            bits = mix(start ^ (np.uint64(run) * np.uint64(0xD1B54A32D192ED03)))
            for a in range(k - 1, 0, -1):
                bits = mix(bits + np.uint64(0x9E3779B97F4A7C15))
                b = np.int64(bits % np.uint64(a + 1))
                order[a], order[b] = order[b], order[a]
        out[i] = order[numbers[i] - run * k]


@kernel
def add_ranks(label, before, out):
    """out[i]: how many rows of its class stand before row i; `before` is carried on."""
    for i in range(len(label)):
        out[i] = before[label[i]]
        before[label[i]] += 1
