"""Hashes of keys: the same in every process, and on every day. Two of them, made with different constants.

Each step multiplies by an odd constant and mixes high bits into low ones, as the finalizer of SplitMix64 does.
"""

from __future__ import annotations

import numpy as np

from tenfold.compiled.decorators import kernel

FIRST = np.uint64(0x9E3779B97F4A7C15)
SECOND = np.uint64(0xC2B2AE3D27D4EB4F)
"""where a hash begins; both are multiplied by each byte, so they must be odd"""
A, B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
HIGH, MIDDLE, LOW = np.uint64(31), np.uint64(30), np.uint64(27)


@kernel
def mix(z):
    """Return a number whose bits all depend on all bits of `z`, one to one."""
    z = (z ^ (z >> MIDDLE)) * A
    z = (z ^ (z >> LOW)) * B
    return z ^ (z >> HIGH)


@kernel
def add_numbers(numbers, first, second):
    """Add a column of numbers to the two hashes of each row."""
    for i in range(len(numbers)):
        first[i] = mix(mix(first[i] + FIRST) ^ numbers[i])
        second[i] = mix(mix(second[i] + SECOND) ^ mix(numbers[i]))


@kernel
def hash_texts(ends, letters, first, second):
    """The two hashes of each text; text i has the bytes from `ends[i]` up to `ends[i + 1]`."""
    for i in range(len(first)):
        one, two = FIRST, SECOND
        for at in range(ends[i], ends[i + 1]):
            byte = np.uint64(letters[at])
            one = mix(one ^ byte) + FIRST
            two = (two ^ byte) * A
            two ^= two >> MIDDLE
        size = np.uint64(ends[i + 1] - ends[i])
        first[i] = mix(one + size)
        second[i] = mix(two ^ size * B)
