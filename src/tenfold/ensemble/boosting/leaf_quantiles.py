"""Leaf values that are quantiles of residuals: for losses without curvature.

A residual becomes a whole number of the same order, and the quantile is found digit by digit: the weights by leaf and
digit merge exactly, so it is the same number from rows in one place and from parts. It is the least residual at
which the weight of those up to it reaches the level; leaves round residuals to 24 bits first.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tenfold.compiled.tree.gradients import count_digits
from tenfold.compiled.tree.tree_growing import START, STOP
from tenfold.core import Array, Codes, Mergeable
from tenfold.core.field_values import ANYTHING, COUNTS
from tenfold.tree.tree import Tree

BITS_PER_DIGIT = 11
"""of a digit"""
RESIDUAL_DTYPE = np.float32
"""what residuals are rounded to before quantiles of leaves are found"""


Keys = NDArray[np.uint64]
"""floats as whole numbers of the same order"""
Kind = type[np.float32] | type[np.float64]


class Sought(NamedTuple):
    """Quantiles that are looked for: their first digits."""

    prefix: Annotated[Codes, "sought", ANYTHING]
    rest: Annotated[Codes, "sought", ANYTHING]
    """weight that is to be reached within it"""
    weight: Annotated[Codes, "sought", COUNTS]
    """of all rows"""
    digit: int
    """how many are known"""


class Digits(Mergeable):
    """Weights by quantile that is looked for and next digit."""

    sums: Annotated[Codes, "sought", "digit", COUNTS]


def seek(many: int) -> Sought:
    """The initial search state of `n` quantiles."""
    none = np.zeros(many, np.int64)
    return Sought(none, none, none, 0)


def keys(values: Array, kind: Kind) -> Keys:
    """Whole numbers in the order of floats of a kind."""
    x = (values + 0.0).astype(kind).view(f"u{np.dtype(kind).itemsize}")
    top = x.dtype.type(1 << (8 * x.itemsize - 1))
    return np.where(x & top, ~x, x | top).astype(np.uint64)


def residual_keys(target: Array, margin: Array, scale: float) -> Keys:
    """Residuals, divided by a power of two beyond which no target lies, as whole numbers of the same order."""
    return keys((target - margin[:, 0]) / scale, RESIDUAL_DTYPE)


def values(key: Keys, kind: Kind) -> Array:
    """Convert sortable integer keys back to floats."""
    x = key.astype(f"u{np.dtype(kind).itemsize}")
    top = x.dtype.type(1 << (8 * x.itemsize - 1))
    return np.where(x & top, x ^ top, ~x).view(kind).astype(np.float64)


def last(kind: Kind) -> int:
    """How many digits a key has."""
    return -(-8 * np.dtype(kind).itemsize // BITS_PER_DIGIT)


def count(sought: Sought, place: Codes, key: Keys, weight: Codes, kind: Kind) -> Digits:
    """Weights of rows whose first digits are known, by the next."""
    out = np.zeros((len(sought.prefix), 1 << BITS_PER_DIGIT), np.int64)
    shift = BITS_PER_DIGIT * (last(kind) - 1 - sought.digit)
    count_digits(place, key, weight, sought.prefix.view(np.uint64), shift, BITS_PER_DIGIT, out)
    return Digits(out)


def narrow(sought: Sought, s: Digits, level: float) -> Sought:
    """Narrow the search for each quantile by one digit."""
    upto = np.cumsum(s.sums, axis=1)
    weight = sought.weight if sought.digit else upto[:, -1]
    rest = sought.rest if sought.digit else goal(weight, level)
    digit = (upto < rest[:, None]).sum(axis=1)
    digit = np.minimum(digit, (1 << BITS_PER_DIGIT) - 1)
    before = np.where(digit > 0, upto[np.arange(len(upto)), digit - 1], 0)
    prefix = (sought.prefix.view(np.uint64) << np.uint64(BITS_PER_DIGIT)) + digit.astype(np.uint64)
    return Sought(prefix.view(np.int64), rest - before, weight, sought.digit + 1)


def goal(weight: Codes, level: float) -> Codes:
    """The weight at which a quantile is reached."""
    return np.maximum(np.ceil(level * (1 - 1e-12) * weight), 1).astype(np.int64)


def in_place(key: Keys, weight: Codes, index: NDArray[np.uint32], node: Codes, level: float) -> tuple[Keys, Codes]:
    """Keys of the quantiles of some leaves whose rows are spans of an index, and the weights of the leaves."""
    found, heft = np.zeros(len(node), np.uint64), np.zeros(len(node), np.int64)
    for k, (start, stop) in enumerate(zip(node[:, START].tolist(), node[:, STOP].tolist(), strict=True)):
        rows = index[start:stop]
        some = key[rows]
        if not len(some):
            continue
        if len(weight):
            order = np.argsort(some, kind="stable")
            upto = np.cumsum(weight[rows[order]])
            heft[k] = upto[-1]
            found[k] = some[order[np.searchsorted(upto, goal(upto[-1], level))]]
        else:
            heft[k] = len(some)
            at = int(goal(heft[k], level)) - 1
            found[k] = np.partition(some, at)[at]
    return found, heft


def filled(tree: Tree, value: Array, weight: Codes, monotonic: Codes) -> Array:
    """Values of all nodes from those of the leaves, under monotonic constraints; inner nodes have the mean of their
    leaves."""
    out, heft = np.zeros(tree.node_count), np.zeros(tree.node_count)
    out[tree.leaves], heft[tree.leaves] = value, weight
    for k in np.flatnonzero(tree.feature >= 0)[::-1]:
        left = int(tree.first_child[k])
        if monotonic[tree.feature[k]]:
            low, high = (below(tree, left), below(tree, left + 1))[:: monotonic[tree.feature[k]]]
            if out[low].max() > out[high].min():
                middle = 0.5 * (out[low].max() + out[high].min())
                out[low], out[high] = np.minimum(out[low], middle), np.maximum(out[high], middle)
    for k in np.flatnonzero(tree.feature >= 0)[::-1]:
        pair = slice(int(tree.first_child[k]), int(tree.first_child[k]) + 2)
        heft[k] = heft[pair].sum()
        out[k] = (out[pair] * heft[pair]).sum() / heft[k] if heft[k] else 0.0
    return out


def below(tree: Tree, k: int) -> Codes:
    """Leaves of the subtree of a node."""
    if tree.feature[k] < 0:
        return np.array([k])
    first = int(tree.first_child[k])
    return np.concatenate([below(tree, first), below(tree, first + 1)])
