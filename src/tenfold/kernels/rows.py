"""A hash of a row's content: the same for equal rows wherever and however often they stand."""

from __future__ import annotations

import numpy as np

from tenfold.kernels.compiling import kernel


@kernel
def hash_rows(block, seed, out):
    """out[i]: 64 well-mixed bits of float64 row i and the seed (-0.0 counts as 0.0)."""
    m, p = block.shape
    start = np.uint64(0x9E3779B97F4A7C15) * (np.uint64(seed) + np.uint64(1))
    bits = np.empty(p)
    words = bits.view(np.uint64)
    for i in range(m):
        for j in range(p):
            bits[j] = block[i, j] + 0.0
        h = start
        for j in range(p):
            h ^= words[j]
            h *= np.uint64(0xBF58476D1CE4E5B9)
            h ^= h >> np.uint64(31)
            h *= np.uint64(0x94D049BB133111EB)
            h ^= h >> np.uint64(29)
        out[i] = h
