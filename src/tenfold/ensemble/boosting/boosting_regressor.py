"""Gradient boosting for numbers: squared, absolute, quantile or Poisson loss."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from tenfold.compiled.tree import gradients as gr
from tenfold.core import Array, Columns, DataError, Need
from tenfold.ensemble.boosting import leaf_quantiles as lq
from tenfold.ensemble.boosting.boosted import BoostedModel
from tenfold.ensemble.boosting.boosting import Boosting, BoostingSummary
from tenfold.ensemble.boosting.gradient_statistics import TargetDigits
from tenfold.ensemble.boosting.gradients import MAX_WHOLE_WEIGHT
from tenfold.estimator import Regressor, fitted
from tenfold.stats.trees.tree_bins import fine_unit
from tenfold.tree.growing.channels import ChannelSums, SumChannels, Weighed
from tenfold.tree.records import Ranges, Setup

LOSSES = {
    "squared_error": gr.SQUARED,
    "absolute_error": gr.ABSOLUTE,
    "quantile": gr.QUANTILE,
    "poisson": gr.POISSON,
}


class BoostingRegressor(Boosting, Regressor):
    """Gradient boosting of numbers; a subclass has the names and defaults of the parameters."""

    need = Need("mixed", missing=True, sparse=True, target="number")

    def loss_code(self, outputs: int) -> int:
        return LOSSES[self.loss]

    def check_targets(self, ranges: Ranges) -> None:
        if self.loss == "poisson" and (ranges.min_target < 0 or ranges.max_target == 0):
            raise DataError("loss='poisson' wants targets of zero or more, some above. Remedy: another loss")

    def constant(self, setup: Setup, sought: lq.Sought) -> ChannelSums | TargetDigits:
        weights, holdout, lens = setup.weights, self._sampling(setup).holdout, setup.lens
        if LOSSES[self.loss] in gr.QUANTILE_LEAF_LOSSES:
            return TargetDigits(weights, sought, holdout, lens=lens)
        return ChannelSums(weights, _channels(setup.ranges), holdout, lens=lens)

    def start_from(self, setup: Setup, sought: lq.Sought, s: BoostingSummary) -> Array | lq.Sought:
        # The mean or its logarithm; or the quantile, digit by digit.
        if isinstance(s, lq.Digits):
            sought = lq.narrow(sought, s, self.level)
            if sought.digit < lq.last(np.float64):
                return sought
            return lq.values(sought.prefix.view(np.uint64), np.float64)
        assert isinstance(s, Weighed)
        ranges, (below, weight) = setup.ranges, s.sums[:2]
        mean = np.array([ranges.center - below * _channels(ranges).unit / max(weight * ranges.unit, 1e-300)])
        if self.loss == "poisson":
            self.check_targets(ranges)
            return np.asarray(np.log(np.maximum(mean, 1e-300)))
        return mean

    def predict_from(self, model: BoostedModel, X: Columns) -> Array:
        """Predict the margin, or its exponential for a log link."""
        return self._answer(model.margins(X))

    @fitted
    def staged_predict(self, X: ArrayLike) -> Iterator[Array]:
        """The predictions after each round.

        Parameters
        ----------
        X : array or frame

        Yields
        ------
        y : array of shape (rows,)
        """
        return (self._answer(margin) for margin in self._staged(X))

    def _answer(self, margin: Array) -> Array:
        return np.exp(margin[:, 0]) if self.loss == "poisson" else margin[:, 0].copy()


def _channels(ranges: Ranges) -> SumChannels:
    """Channels in which the target is summed."""
    few = ranges.weights_up_to(MAX_WHOLE_WEIGHT)
    unit = fine_unit(ranges.reach * (MAX_WHOLE_WEIGHT if few else ranges.max_weight), ranges.rows)
    return SumChannels(ranges.center, unit, ranges.unit, few)
