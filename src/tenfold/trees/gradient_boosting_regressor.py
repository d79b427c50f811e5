"""Gradient boosting for numbers: squared, absolute, quantile or Poisson loss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Columns, DataError, Need, Schema
from tenfold.core.learner import Begun
from tenfold.estimator import Regressor
from tenfold.estimator.constraints import choice, share
from tenfold.kernels import gradients as gr
from tenfold.stats.tree_bins import fine_unit
from tenfold.trees import leaf_quantiles as lq
from tenfold.trees.boosted import BoostedModel
from tenfold.trees.boosting import Boosting, BoostingSummary, Directions
from tenfold.trees.channels import ChannelSums, SumChannels, Weighed
from tenfold.trees.gradient_statistics import TargetDigits
from tenfold.trees.gradients import FEW
from tenfold.trees.records import Ranges, Setup

LOSSES = {
    "squared_error": gr.SQUARED,
    "absolute_error": gr.ABSOLUTE,
    "quantile": gr.QUANTILE,
    "poisson": gr.POISSON,
}


class GradientBoostingRegressor(Boosting, Regressor):
    """Gradient boosted trees on binned columns, the same trees for any parts, threads and workers.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "poisson", "quantile"}, default="squared_error"
        Leaves of the absolute and of the quantile loss say a quantile of the residuals of their rows. A row that is
        predicted exactly has slope 0 in these two; scikit-learn counts it as above the prediction.
    quantile : float, optional
        The level, if the loss is "quantile".
    learning_rate : float, default=0.1
        What a tree says is multiplied by it.
    max_iter : int, default=100
        Rounds at most.
    max_leaf_nodes : int, default=31
        Leaves of each tree, at most; None: no limit.
    max_depth : int, optional
        Splits from the root to a leaf, at most; None: no limit.
    min_samples_leaf : int, default=20
        Each leaf has at least this many rows.
    l2_regularization : float, default=0.0
        Penalty of the squared values of leaves: the larger, the smaller they are.
    min_data_per_group : int, default=1
        Categories with fewer rows in a node are taken together there, as one; "subset" splits only.
    cat_smooth : float, default=0.0
        Categories of a node are sorted as if each had so many rows more, at the mean of the node.
    cat_penalty : float, default=1.0
        Times that the decrease which chance alone gives to a column of more than ten categories is taken off what
        its best set gains; with 0, a column of many categories that tells nothing is split before all others.
    max_bins : int, default=255
        Bins of each numeric column, at most; splits lie between bins.
    subsample : float, default=1.0
        Share of the rows that each round learns from, drawn by their numbers in the source.
    early_stopping : bool, default=False
        Whether to keep rows back, and to stop when their loss has not fallen by `tol` for `n_iter_no_change` rounds.
    validation_fraction : float, default=0.1
        Share of the rows set aside for validation, drawn by their numbers in the source.
    n_iter_no_change : int, default=10
        How many rounds in a row may bring no improvement of `tol` before the fit stops.
    tol : float, default=1e-7
        An improvement by less than this counts as none.
    monotonic_cst : array of shape (columns,) or dict, optional
        1: the margin must not fall as the column rises; -1: it must not rise; 0: it is free. A dict has names.
    random_state : int, default=0
        Seed of the sample that the edges of the bins come from, and of the draws.
    n_estimators : int, optional
        Another name of `max_iter`, which it overrules.
    alpha : float, optional
        Another name of `quantile`.
    min_samples_split, min_weight_fraction_leaf, min_impurity_decrease : optional
        As in scikit-learn, but only in the values that say what is done here; the error names the remedy.
    init, max_features, warm_start, ccp_alpha : optional
        As in scikit-learn, but only in the values that say what is done here; the error names the remedy.
    criterion, verbose : optional
        As in scikit-learn, and without effect: *Coming from scikit-learn* says why.

    Attributes
    ----------
    n_iter_ : int
        Rounds that were made.
    train_score_, validation_score_ : array of shape (rounds + 1,)
        Mean loss after each round, of the training rows and of validation rows.
    feature_importances_ : array of shape (columns,)
        Share of the gain of all splits: it favours columns with many values.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import GradientBoostingRegressor
    >>> model = GradientBoostingRegressor(max_iter=50, min_samples_leaf=1)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 5.0, 5.0, 1.0]).predict([[0.2], [1.4]]).round(1)
    array([1., 5.])
    """

    need = Need("mixed", missing=True, sparse=True, target="number")
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"max_iter": 4, "min_samples_leaf": 2},
        {"max_iter": 3, "loss": "absolute_error", "min_samples_leaf": 2},
        {"max_iter": 3, "loss": "quantile", "quantile": 0.3, "min_samples_leaf": 2},
        {"max_iter": 3, "subsample": 0.7, "min_samples_leaf": 2},
        {"max_iter": 3, "monotonic_cst": [1, -1, 0], "min_samples_leaf": 2},
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "loss": [choice(*LOSSES)],
        "quantile": [share(), None],
        "alpha": [share(), None],
        **Boosting._parameter_constraints,
    }

    def __init__(
        self,
        loss: str = "squared_error",
        quantile: float | None = None,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_bins: int = 255,
        subsample: float = 1.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        monotonic_cst: Directions = None,
        min_data_per_group: int = 1,
        cat_smooth: float = 0.0,
        cat_penalty: float = 1.0,
        random_state: int | None = 0,
        *,
        alpha: float | None = None,
        n_estimators: int | None = None,
        criterion: str = "deprecated",
        min_samples_split: int = 2,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        init: Any = None,
        max_features: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
    ) -> None:
        super().__init__(
            learning_rate, max_iter, max_leaf_nodes, max_depth, min_samples_leaf, l2_regularization, max_bins,
            subsample, early_stopping, validation_fraction, n_iter_no_change, tol, monotonic_cst, min_data_per_group,
            cat_smooth, cat_penalty, random_state, loss=loss, n_estimators=n_estimators, criterion=criterion,
            min_samples_split=min_samples_split, min_weight_fraction_leaf=min_weight_fraction_leaf,
            min_impurity_decrease=min_impurity_decrease, init=init, max_features=max_features, verbose=verbose,
            warm_start=warm_start, ccp_alpha=ccp_alpha,
        )  # fmt: skip
        self.quantile = quantile
        self.alpha = alpha

    def start(self, schema: Schema) -> Begun:
        """Nothing but the schema."""
        known = self.quantile is not None
        if known if self.loss != "quantile" else not known and self.alpha is None:
            raise ValueError(f"loss={self.loss!r} with quantile={self.quantile}. Remedy: both, or neither")
        return super().start(schema)

    @property
    def level(self) -> float:
        """The level of the quantile, by whichever name it is given; a half, if it is not."""
        given = self.alpha if self.quantile is None and self.loss == "quantile" else self.quantile
        return 0.5 if given is None else float(given)

    def loss_code(self, outputs: int) -> int:
        """By its name."""
        return LOSSES[self.loss]

    def constant(self, setup: Setup, sought: lq.Sought) -> ChannelSums | TargetDigits:
        """The sum of the target, or digits of its quantile."""
        weights, holdout, lens = setup.weights, self._sampling.holdout, setup.lens
        if LOSSES[self.loss] in gr.RENEWED:
            return TargetDigits(weights, sought, holdout, lens=lens)
        return ChannelSums(weights, _channels(setup.ranges), holdout, lens=lens)

    def start_from(self, setup: Setup, sought: lq.Sought, s: BoostingSummary) -> Array | lq.Sought:
        """The mean or its logarithm; or the quantile, digit by digit."""
        if isinstance(s, lq.Digits):
            sought = lq.narrow(sought, s, self.level)
            if sought.digit < lq.last(np.float64):
                return sought
            return lq.values(sought.prefix.view(np.uint64), np.float64)
        assert isinstance(s, Weighed)
        ranges, (below, weight, _) = setup.ranges, s.sums
        mean = np.array([ranges.center - below * _channels(ranges).unit / max(weight * ranges.unit, 1e-300)])
        if self.loss == "poisson":
            if ranges.min_target < 0 or ranges.max_target == 0:
                raise DataError("loss='poisson' wants targets of zero or more, some above. Remedy: another loss")
            return np.asarray(np.log(np.maximum(mean, 1e-300)))
        return mean

    def predict_from(self, model: BoostedModel, X: Columns) -> Array:
        """The margin, or its exponential."""
        return self._answer(model.margins(X))

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
    """How the target is summed."""
    few = ranges.weights_up_to(FEW)
    unit = fine_unit(ranges.reach * (FEW if few else ranges.max_weight), ranges.rows)
    return SumChannels(ranges.center, unit, ranges.unit, few)
