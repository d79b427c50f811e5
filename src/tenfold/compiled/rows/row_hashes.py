"""A hash of a row's values: equal rows have equal hashes, wherever they are."""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import kernel


@kernel
def hash_rows(block, seed, out):
    """out[i]: 64 well-mixed bits of float64 row i and the seed (-0.0 counts as 0.0)."""
    m, p = block.shape
    start = np.uint64(0x9E3779B97F4A7C15) * (np.uint64(seed) + np.uint64(1))
    for i in range(m):
        h = start
        for j in range(p):
            h ^= np.float64(block[i, j] + 0.0).view(np.uint64)
            h *= np.uint64(0xBF58476D1CE4E5B9)
            h ^= h >> np.uint64(31)
            h *= np.uint64(0x94D049BB133111EB)
            h ^= h >> np.uint64(29)
        out[i] = h


@kernel
def mark_rows(values, single, whole, out):
    """out[i]: 48 bits of float64 row i, by the bits of its values as float32; whole numbers above `whole` as they are.

    All NaN are one; infinities and fractions count as float32, however large.
    """
    m, p = values.shape
    for i in range(m):
        h = np.uint64(0x9E3779B97F4A7C15)
        odd = np.uint64(0xBF58476D1CE4E5B9)
        for j in range(p):
            x = values[i, j]
            word = np.uint64(single[i, j])
            if x != x:
                word = np.uint64(0x7FC00000)
            elif abs(x) >= whole and abs(x) < 2.0**62 and x == np.rint(x):
                word = np.uint64(np.int64(x))
            h += (word + np.uint64(j + 1)) * odd
            odd += np.uint64(2 * 0xD1B54A32D192ED03 % 2**64)
        h = (h ^ (h >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
        h = (h ^ (h >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        out[i] = (h ^ (h >> np.uint64(32))) >> np.uint64(16)
