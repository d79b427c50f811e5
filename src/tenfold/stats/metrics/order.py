"""Data-independent bins of floats: the leading bits of an order-preserving integer key.

The level is the number of dropped bits. Level 0: every number is a bin of its own. Level L: two numbers share a bin if
their keys agree but for the last L - 1 bits. Each level's bins are unions of bins of the level below, so that a
set of numbers has one lowest level at which it fills no more than so many bins; since a union of sets needs at
least the level of each, merging two sets and raising the level until they fit gives that level, in any order.
"""

from __future__ import annotations

import numpy as np

from tenfold.core import Array, Codes

HALF_KEY = 0x3FE << 51
"""bits of 0.5, the last one dropped"""
ABOVE_ONE_SHIFT = 0x34 << 51
"""how far the numbers from 1 are moved up, to make room for those just below 1"""


def keys(numbers: Array) -> Codes:
    """Return an integer key for each number (none of them NaN), in the same order.

    The bits of a float are a whole number that grows with it; the last is dropped to make room. The leading ones tell
    its distance from zero to a relative precision, and from 0.5 to 1 the distance from one: there probabilities crowd.
    """
    key: Codes = np.abs(numbers).view(np.int64) >> 1
    near = (numbers >= 0.5) & (numbers < 1)
    key[numbers >= 1] += ABOVE_ONE_SHIFT
    key[near] = 2 * HALF_KEY - ((1 - numbers[near]).view(np.int64) >> 1)
    return np.where(numbers < 0, -key, key)


def starts(ordered: Array, level: int) -> Codes:
    """Where each bin begins among ordered numbers."""
    place = ordered if level == 0 else keys(ordered) >> (level - 1)
    new = np.ones(len(ordered), dtype=bool)
    new[1:] = place[1:] != place[:-1]
    return np.flatnonzero(new)


def level_for(ordered: Array, most: int) -> int:
    """The lowest level from 1 at which ordered numbers, more than `most` of them, fill at most `most` bins."""
    key = keys(ordered)
    apart = _bit_length(key[1:] ^ key[:-1])
    at = len(apart) - most
    return 1 + int(np.partition(apart, at)[at])


def _bit_length(values: Codes) -> Codes:
    """Bits up to the highest that is set, of all 64."""
    bits = values.view(np.uint64)
    high, low = (bits >> np.uint64(32)).astype(np.float64), (bits & np.uint64(2**32 - 1)).astype(np.float64)
    length: Codes = np.where(high > 0, np.frexp(high)[1] + 32, np.frexp(low)[1]).astype(np.int64)
    return length
