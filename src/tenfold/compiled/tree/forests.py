"""Bootstrap draws of rows for the trees of a forest, and sums of the trees' predictions."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import numpy as np

from tenfold.compiled.decorators import inner, kernel
from tenfold.compiled.rows.shuffling import mix

MAX_DRAWS = 15
"""times that a row is drawn, at the most: more have a chance below 1e-14"""
_NO_DRAW = sum(Fraction((-1) ** n, factorial(n)) for n in range(40))
CUMULATIVE_DRAWS = np.array(
    [int(_NO_DRAW * sum(Fraction(1, factorial(i)) for i in range(k + 1)) * 2**64) for k in range(MAX_DRAWS)], np.uint64
)
"""in units of 2⁻⁶⁴: the chance that a Poisson number of mean one is at most k"""


@kernel
def tree_keys(seed, stream, first, out):
    """out[t]: the random key of each tree from `first` on."""
    start = mix(np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(stream))
    for t in range(len(out)):
        out[t] = mix(start + np.uint64(first + t + 1) * np.uint64(0xD1B54A32D192ED03))


@inner
def times(number, key):
    """Return how often a tree draws a row: a Poisson number of mean one."""
    u = mix(np.uint64(number) * np.uint64(0x9E3779B97F4A7C15) + key)
    k = 0
    while k < MAX_DRAWS and u >= CUMULATIVE_DRAWS[k]:
        k += 1
    return k


@kernel
def draw_rows(numbers, key, out):
    """out[i]: how often a tree draws row i."""
    for i in range(len(numbers)):
        out[i] = times(numbers[i], key)


@kernel
def add_forest(block, column, threshold, turn, first, route_at, width, route, roots, value, out):
    """Add the prediction of every tree for row i to out[i]."""
    for t in range(len(roots)):
        for i in range(block.shape[0]):
            k = roots[t]
            while column[k] >= 0:
                x = block[i, column[k]]
                if route_at[k] < 0:
                    k = first[k] + ((1 - turn[k]) if np.isnan(x) else (0 if x <= threshold[k] else 1))
                    continue
                code = int(x) if 0 <= x < width[k] - 1 else width[k] - 1
                branch = route[route_at[k] + code]
                if branch < 0:
                    break
                k = first[k] + branch
            for c in range(out.shape[1]):
                out[i, c] += value[k, c]


@kernel
def add_unseen(bins, na_bin, column, place, turn, first, route_at, route, roots, value, numbers, keys, out, count):
    """Add the predictions of the trees that did not draw row i to out[i], and count them; without row ids, of all."""
    for t in range(len(roots)):
        for i in range(bins.shape[1]):
            if len(numbers) and times(numbers[i], keys[t]) > 0:
                continue
            k = roots[t]
            while column[k] >= 0:
                b = bins[column[k], i]
                if route_at[k] >= 0:
                    branch = route[route_at[k] + b]
                    if branch < 0:
                        break
                elif b == na_bin[column[k]]:
                    branch = 1 - turn[k]
                else:
                    branch = 0 if b <= place[k] else 1
                k = first[k] + branch
            for c in range(out.shape[1]):
                out[i, c] += value[k, c]
            count[i] += 1
