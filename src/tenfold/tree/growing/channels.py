"""How a row counts in a histogram: in the channel of its class, or with its target and its weight; and as one row.

All of it is in whole numbers, so sums are exact in any order.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from tenfold.core import Chunk, Codes, Mergeable
from tenfold.core.field_values import ANYTHING
from tenfold.stats.rows.draws import Holdout
from tenfold.stats.trees.tree_bins import NO_CODES, Labels, OfBins, RowsInBins, Target, numbers_of
from tenfold.tree.growing.far_targets import drawn_in

Numbers = tuple[Labels | None, Codes, Codes | None]
"""of rows, for the kernels: classes and their weights, no more; or no classes, w r of each row, and weights. Empty
weights: all are one. Kernels are compiled without what is None"""


class ClassChannels(NamedTuple):
    """A channel for each class, and one for the number of rows."""

    classes: int
    factor: Codes = NO_CODES
    """weights of the classes in whole units, none if all are one"""

    @property
    def size(self) -> int:
        """Number of channels."""
        return self.classes + 1

    def weight(self, sums: Codes) -> Codes:
        """The weight of the rows of each node, from its channel sums."""
        return np.asarray(sums[:, :-1].sum(axis=1))

    def numbers(self, target: Target, weight: Codes, times: Codes = NO_CODES) -> Numbers:
        """Classes and weights of rows, each drawn so often."""
        label, a = target.astype(np.uint16), _weights(weight, times)
        if len(self.factor):
            a = self.factor[label] * (a if len(a) else 1)
        return label, a, None


class SumChannels(NamedTuple):
    """Σ of how far the target is below a centre, Σ of weights, and the number of rows."""

    center: float
    unit: float
    """what one means in sums of the target"""
    weight_unit: float
    few: bool
    """whether weights are small whole numbers: a row of weight 2 is then two rows, rounded alike"""
    limit: float = 0.0
    """the distance from the centre beyond which targets are drawn in; 0: none is"""

    @property
    def size(self) -> int:
        """Number of channels."""
        return 3

    def weight(self, sums: Codes) -> Codes:
        """The weight of the rows of each node, from its channel sums."""
        return sums[:, 1]

    def numbers(self, target: Target, weight: Codes, times: Codes = NO_CODES) -> Numbers:
        """Distances from the centre in whole units, and weights, of rows that are drawn so often each."""
        away, weights = drawn_in(self.center - numbers_of(target), self.limit), _weights(weight, times)
        if len(weight) and not self.few:
            away = away * (weight * self.weight_unit)
        g = np.rint(away / self.unit).astype(np.int64)
        each = weights if self.few else times
        return None, g * each if len(each) else g, weights


Channels = ClassChannels | SumChannels


def _weights(weight: Codes, times: Codes) -> Codes:
    """Weights times draws, none if all are one."""
    if not len(times):
        return weight
    return times * weight if len(weight) else times


def sums_by(ends: Codes, nodes: int, channels: int, label: Labels | None, a: Codes, b: Codes | None) -> Codes:
    """Channel sums of the rows that end in each node."""
    out = np.zeros((nodes, channels), np.int64)
    out[:, -1] = np.bincount(ends, minlength=nodes)
    if label is not None:
        flat = out.reshape(-1)
        cell = ends * channels + label
        if len(a):
            np.add.at(flat, cell, a)
        else:
            flat += np.bincount(cell, minlength=len(flat))
        return out
    np.add.at(out[:, 0], ends, a)
    np.add.at(out[:, 1], ends, 1 if b is None or not len(b) else b)
    return out


class Weighed(Mergeable):
    """Channel sums of all rows, each taken once; then those of rows that are held back, if some are."""

    sums: Annotated[Codes, "channel", ANYTHING]


class ChannelSums(OfBins[Weighed]):
    """Weights of the classes, or Σ of the target and of weights, over all rows to learn from."""

    channels: Channels
    holdout: Holdout = Holdout()

    def summarize(self, chunk: Chunk) -> Weighed:
        return self.of_rows(self.weighted_rows(chunk, self.holdout.by_place)[0])

    def of_rows(self, seen: RowsInBins) -> Weighed:
        """Return the same of rows in bins, with their places if some are held back."""
        ends = np.where(self.holdout.learns(seen.places, len(seen.target)), 0, 1)
        sums = sums_by(ends, 2, self.channels.size, *self.channels.numbers(seen.target, seen.weight))
        return Weighed(sums.ravel() if self.holdout.by_place else sums[0])
