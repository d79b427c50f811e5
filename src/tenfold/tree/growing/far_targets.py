"""Targets far beyond all others: drawn in while splits are chosen, and whole again in the means of the nodes.

Sums of targets are whole multiples of a unit that follows from their range. One target of 1e15 would leave no digit to
the others; and it decides the splits of its nodes by itself, wherever beyond the others it lies. So targets beyond
`limit` count as limit (1 + log2(distance / limit) / 512): still the farthest by far, and in their order. The rows are
few, and known from the first look at all rows; what was taken off is put back into the means of their nodes.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from tenfold.core import Array, Codes, Columns
from tenfold.core.field_values import ANYTHING
from tenfold.stats.trees.rare_rows import Strata
from tenfold.tree.tree import Tree

FAR_RATIO = 2.0**14
"""how many times as far out as all others the farthest target has to be: below, 36 bits hold both"""
LARGEST_LIMIT = 2.0**24
"""times that a target may lie farther out than all others and count in full"""
MAX_FAR_SHARE = 1 / 16
"""share of the rows that may be set aside at each end"""
DOUBLINGS = 512.0
"""doublings of the distance beyond the limit that count as much as the limit itself: of any float64, at most two"""
FAR_BITS = 48
"""bits of the sum of all far targets, in kernels that add up rows by the thousand"""


class NearRange(NamedTuple):
    """The range of all targets but a few at either end."""

    low: float
    high: float
    aside: int
    """how many were set aside at each end; 0: no target is far"""

    @classmethod
    def of(cls, strata: Strata, rows: int, low: float, high: float) -> NearRange:
        """From the rows of the least and of the greatest targets, how many to set aside: those that shrink it most.

        low, high: of all targets.
        """
        least, greatest = (np.sort(strata.key[strata.stratum == k]) for k in (0, 1))
        best, aside, whole = math.inf, 1, NearRange(low, high, 0)
        found = whole
        while aside < len(least) and aside <= max(rows * MAX_FAR_SHARE, 1) and 2 * aside < rows:
            one = NearRange(float(least[aside]), float(-greatest[aside]), aside)
            if 0 < one.reach * aside < best:
                best, found = one.reach * aside, one
            aside *= 2
        return found if max(found.center - low, high - found.center) > FAR_RATIO * found.reach else whole

    @property
    def center(self) -> float:
        """Midpoint of the range of near targets."""
        return 0.5 * self.low + 0.5 * self.high

    @property
    def reach(self) -> float:
        """How far a target within the range is from its middle at most."""
        return max(0.5 * self.high - 0.5 * self.low, 0.0)

    def limit(self, rows: int) -> float:
        """The distance from the middle up to which targets count in full: a far one outweighs all other rows."""
        return self.reach * min(max(2.0 ** math.ceil(math.log2(max(rows, 1))), FAR_RATIO), LARGEST_LIMIT)


def drawn_in(away: Array, limit: float) -> Array:
    """Distances from the middle as they count: those beyond the limit are drawn in, in their order; 0: none is."""
    if not limit:
        return away
    far = np.abs(away) > limit
    distance = np.where(far, np.abs(away), limit)
    return np.where(far, np.copysign(limit * (1 + np.log2(distance / limit) / DOUBLINGS), away), away)


def far_unit(reach: float, near: float, factor: float, aside: int, rows: int) -> float:
    """The unit in which targets are summed of which a few are far: both sums fit.

    reach: of far targets, as they count; near: of all others; factor: what a row counts for at most.
    """
    far = math.ceil(math.log2(reach * factor)) - (FAR_BITS - 1 - math.ceil(math.log2(2 * aside)))
    others = math.ceil(math.log2(near * factor)) - (60 - math.ceil(math.log2(max(rows, 1))))
    return 2.0 ** max(far, others)


class FarRows(NamedTuple):
    """The rows whose targets are far beyond all others."""

    row: Annotated[Array, "far", "column", ANYTHING]
    target: Annotated[Array, "far"]
    weight: Annotated[Array, "far"]
    place: Annotated[Codes, "far", ANYTHING]
    """by which a forest draws them"""

    @classmethod
    def of(cls, strata: Strata, center: float, limit: float) -> FarRows:
        """Those beyond the limit, of the rows of the least and of the greatest targets."""
        target = np.where(strata.stratum == 1, -strata.key, strata.key)
        far = np.flatnonzero((np.abs(target - center) > limit) & ((target > center) == (strata.stratum == 1)))
        return cls(strata.row[far], target[far], strata.weight[far], strata.place[far])

    @classmethod
    def none(cls, columns: int) -> FarRows:
        """Return the rows of a fit in which no target is far, of this many columns."""
        return cls(np.zeros((0, columns)), np.zeros(0), np.zeros(0), np.zeros(0, np.int64))

    def taken_off(self, tree: Tree, center: float, limit: float, weight: Array) -> Array:
        """Σ of weight times what was taken off the targets of the rows that came by each node of a tree."""
        out = np.zeros(tree.node_count)
        if not len(self.target):
            return out
        off = weight * (self.target - (center + drawn_in(self.target - center, limit)))
        each: dict[int, list[float]] = {}
        above = tree.parent
        for node, lost in zip(tree.apply(Columns(self.row, missing=True)).tolist(), off.tolist(), strict=True):
            while node >= 0:
                each.setdefault(node, []).append(lost)
                node = int(above[node])
        for node, some in each.items():
            out[node] = math.fsum(some)  # rounded once: the same in any order
        return out
