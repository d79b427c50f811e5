"""A baseline regressor: argmin_b ½ Σ wᵢ (yᵢ - b)² is the mean, independent of the features."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Claim, Columns, Need, Remedy, Schema
from tenfold.estimator import OnePass, Regressor, fitted
from tenfold.estimator.shell.constraints import choice
from tenfold.estimator.shell.keywords import Refused, refused
from tenfold.estimator.shell.multi_output import MultiOutput
from tenfold.stats.moments.centered_square import Centre, TargetCentre


class MeanModel(NamedTuple):
    """The number that is predicted of every row."""

    constant: float


MEAN = "the answer is a mean, which merges"
FROM_TARGET = "the answer comes from the target"
QUANTILE_REMEDY = Remedy('tn.HistGradientBoostingRegressor(loss="quantile", quantile=0.9)')
no_median = refused(
    MEAN,
    Remedy('tn.HistGradientBoostingRegressor(loss="absolute_error")', "which starts from the median"),
    "median",
)
no_quantile_strategy = refused(MEAN, QUANTILE_REMEDY, "quantile")
no_quantile = Refused(MEAN, QUANTILE_REMEDY, (None,))
from_target = refused(FROM_TARGET, Remedy('tn.DummyRegressor(strategy="mean")'), "constant")
no_constant = Refused(FROM_TARGET, Remedy('tn.DummyRegressor(strategy="mean")'), (None,))


class DummyRegressor(MultiOutput, OnePass, Regressor):
    """Always the mean of the target: what any other regressor has to beat. Exact in one pass.

    The columns are not read, so that text, dates and missing values may be among them.

    Parameters
    ----------
    strategy : {"mean"}, default="mean"
        The prediction. scikit-learn's "median" is not offered: medians do not merge.
    constant, quantile : optional
        As in scikit-learn; other values raise an error that names an alternative.

    Attributes
    ----------
    estimators_ : list
        Of a target of several columns, the fitted model of each.
    constant_ : array of shape (1, outputs)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import DummyRegressor
    >>> model = DummyRegressor().fit([[1.0], [2.0]], [1.0, 3.0]) + DummyRegressor().fit([[7.0]], [8.0])
    >>> model.predict([[9.0]])
    array([4.])
    >>> round(model.certificate_["training mean squared error"].value, 3)
    8.667
    """

    poor_score = True
    need = Need("unused", missing=True, sparse=True, target="number")

    strategy: Annotated[str, choice("mean"), no_median, no_quantile_strategy, from_target] = "mean"
    _: KW_ONLY
    constant: Annotated[Any, no_constant] = None
    quantile: Annotated[float | None, no_quantile] = None

    solves_stacks = True

    def statistic(self, schema: Schema) -> TargetCentre:
        return TargetCentre()

    def solve(self, schema: Schema, s: Centre) -> MeanModel:
        return MeanModel(s.mean)

    def certify(self, model: MeanModel, s: Centre) -> tuple[Claim, ...]:
        """No constant is nearer to these rows in squares, and this is how near it is."""
        why = "the merged mean itself: closed form"
        always = "always predicting the mean: the variance of the target"
        return (
            Claim("gap", 0.0, "proved", why, "objective"),
            Claim("training mean squared error", s.variance, "proved", always, "data"),
        )

    @property
    @fitted
    def constant_(self) -> Array:
        """The mean of each output, as a table of one row."""
        return np.array([[one.model_.constant for one in self.each_output()]])

    def predict_from(self, model: MeanModel, X: Columns) -> Array:
        """Return the constant prediction for every row."""
        return np.full(len(X), model.constant)
