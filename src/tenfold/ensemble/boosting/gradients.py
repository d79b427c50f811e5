"""A loss over rows: its slopes and curvatures in whole units, and its sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tenfold.compiled.tree import gradients as gr
from tenfold.compiled.tree.tree_sums import GRADIENT_BITS, words
from tenfold.core import Array, Codes, Flags
from tenfold.core.driver_threads import by_rows
from tenfold.ensemble.boosting.boosted import RoundLoss
from tenfold.stats.trees.tree_bins import NO_CODES, fine_unit
from tenfold.tree.records import Ranges

MAX_WHOLE_WEIGHT = 64
"""weights up to this, if they are whole numbers, leave the units alone in which gradients are summed"""
MIN_ROWS_TO_PACK = 1 << 15
"""rows from which on slopes from -1 to 1 and curvatures up to 1/4 are rounded to so few bits that they share a word:
the rounding is far below what another draw of the rows would do"""
RARE_CLASS_SHARE = 2.0**-6
"""share of a class below which slopes keep all their bits"""
Sums = tuple[Codes, Array]
_EMPTY = np.zeros(0)
_NO_LOSS = np.zeros(2, np.int64), np.zeros(2)


class Gradients(NamedTuple):
    """A loss, and what one means in its sums."""

    loss: int
    level: float
    """of a quantile"""
    weight_unit: float
    units: tuple[float, float]
    """of Σg and Σh"""
    unit: float
    """of Σ loss"""
    top: float
    """of the loss of a row, in units: all rows together fit into a word"""
    few: bool
    """whether weights are small whole numbers, that multiply what is rounded already"""
    short: bool = False
    """whether g and h share a word while they are summed"""

    @classmethod
    def of(cls, ranges: Ranges, loss: int, level: float, rarest: float = 0.5) -> Gradients:
        """The units follow from the ranges of targets and weights: slopes beyond twice the range are cut there.

        rarest: the share of the rarest class, whose slopes few bits would round to nothing.
        """
        wide = max(ranges.max_target - ranges.min_target, abs(ranges.max_target) if loss == gr.POISSON else 0.0, 1e-300)
        slope, curve, worst = {
            gr.SQUARED: (2 * wide, 1.0, 2 * wide * wide),
            gr.ABSOLUTE: (1.0, 1.0, 2 * wide),
            gr.QUANTILE: (1.0, 1.0, 2 * wide),
            gr.POISSON: (2 * wide, 2 * wide, 64 * wide),
        }.get(loss, (1.0, 1.0, 64.0))
        few, even, rows, heaviest = (
            ranges.weights_up_to(MAX_WHOLE_WEIGHT),
            ranges.uniform_weights,
            ranges.rows,
            ranges.max_weight,
        )
        g, h = (fine_unit(x * (MAX_WHOLE_WEIGHT if few else heaviest), rows) for x in (slope, curve))
        most, top = fine_unit(worst * heaviest, rows), 2.0**62 / max(rows, 1)
        if loss >= gr.LOGISTIC and even and rows >= MIN_ROWS_TO_PACK and rarest >= RARE_CLASS_SHARE:
            return cls(loss, level, 1.0, (2.0**-GRADIENT_BITS, 2.0 ** -(GRADIENT_BITS + 2)), most, top, True, True)
        return cls(loss, level, ranges.unit, (g, 1.0 if loss < gr.POISSON and even else h), most, top, few)

    def gradients(self, margin: Array, output: int, target: Array, weight: Codes) -> tuple[Codes, Codes]:
        """g and h of each row; no h, if every one is one."""
        g, h, call = self._gradients(margin, output, target, weight)
        by_rows(len(margin), call)
        return g, h

    def words(
        self, margin: Array, output: int, target: Array, weight: Codes, keep: Flags
    ) -> tuple[Codes, Codes, Codes, RoundLoss]:
        """Gradients, their packed words for histograms, and the loss of the first output, in one pass."""
        g, h, gradients = self._gradients(margin, output, target, weight)
        word, losses = np.empty(len(g), np.int64), self._losses(margin, target, weight, keep)

        def call(start: int, stop: int) -> Sums:
            gradients(start, stop)
            words(g, h, self.short, start, stop, word)
            return losses(start, stop) if output == 0 else _NO_LOSS

        return g, h, word, _sum(by_rows(len(g), call))

    def _gradients(
        self, margin: Array, output: int, target: Array, weight: Codes
    ) -> tuple[Codes, Codes, Callable[[int, int], None]]:
        n = len(margin)
        g, h = np.empty(n, np.int64), np.empty(0 if self.loss < gr.POISSON and not len(weight) else n, np.int64)
        weights = (_EMPTY, weight) if self.few else (self._weights(weight), NO_CODES)
        given = (margin, output, target, *weights, self.level, *self.units)
        return g, h, lambda start, stop: gr.gradients(self.loss, *given, start, stop, g, h)

    def sum(self, margin: Array, target: Array, weight: Codes, keep: Flags) -> RoundLoss:
        """The loss of the rows that are kept for learning, and of the others."""
        return _sum(by_rows(len(margin), self._losses(margin, target, weight, keep)))

    def _losses(self, margin: Array, target: Array, weight: Codes, keep: Flags) -> Callable[[int, int], Sums]:
        given = (margin, target, self._weights(weight), self.level, keep, self.unit, self.top)

        def losses(start: int, stop: int) -> Sums:
            sums, heft = np.zeros(2, np.int64), np.zeros(2)
            gr.loss_sum(self.loss, *given, start, stop, sums, heft)
            return sums, heft

        return losses

    def _weights(self, weight: Codes) -> Array:
        return np.asarray(weight * self.weight_unit, dtype=np.float64) if len(weight) else _EMPTY


def _sum(found: list[Sums]) -> RoundLoss:
    return RoundLoss(*(np.sum(x, axis=0) for x in zip(*found, strict=True)))
