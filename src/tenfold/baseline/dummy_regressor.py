"""The regressor that does not look: argmin_b ½ Σ wᵢ (yᵢ - b)² is the mean, whatever a row says."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import ONE, Array, Claim, Columns, Need, Schema
from tenfold.estimator import Regressor
from tenfold.estimator.constraints import choice
from tenfold.stats.centre import Centre, TargetCentre


class MeanState(NamedTuple):
    """What is always said."""

    step: int
    constant: float


class DummyRegressor(Regressor):
    """Always the mean of the target: what any other regressor has to beat. Exact in one pass.

    The columns are not looked at, so that text and missing values may be among them.

    Parameters
    ----------
    strategy : {"mean"}, default="mean"
        What is said. The median of scikit-learn's is no merge of medians, and is not offered.

    Attributes
    ----------
    constant_ : float
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

    passes = ONE
    need = Need("mixed", missing=True, target="number")
    model_type = MeanState
    summary_types = (Centre,)
    _parameter_constraints: ClassVar[dict[str, Any]] = {"strategy": [choice("mean")]}

    def __init__(self, strategy: str = "mean") -> None:
        self.strategy = strategy

    def start(self, schema: Schema) -> MeanState:
        """Nothing known."""
        return MeanState(0, 0.0)

    def ask(self, state: MeanState) -> TargetCentre | None:
        """Once: mean and squares of the target."""
        return None if state.step else TargetCentre()

    def update(self, state: MeanState, s: Centre) -> MeanState:
        """The mean."""
        return MeanState(1, s.mean)

    def certify(self, state: MeanState, s: Centre) -> tuple[Claim, ...] | None:
        """No constant is nearer to these rows in squares, and this is how near it is."""
        if not state.step:
            return None
        why = "the merged mean itself: closed form"
        always = "always saying the mean: the variance of the target"
        return (
            Claim("gap", 0.0, "proved", why, "objective"),
            Claim("training mean squared error", s.variance, "proved", always, "data"),
        )

    def predict_from(self, state: MeanState, X: Columns) -> Array:
        """The same for every row."""
        return np.full(len(X), state.constant)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags
