"""Gradient boosting for classes: the logistic loss for two, the softmax loss for more, a tree a class in each round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenfold.compiled.tree import gradients as gr
from tenfold.core import Array, Columns, DataError, Need, Schema
from tenfold.core.arrays import MatrixLike
from tenfold.core.learner import Initial
from tenfold.ensemble.boosting.boosted import BoostedModel
from tenfold.ensemble.boosting.boosting import Boosting, BoostingSummary
from tenfold.ensemble.boosting.leaf_quantiles import Sought
from tenfold.estimator import Classifier, check_is_fitted, fitted
from tenfold.estimator.shell.kinds import winners
from tenfold.tree.growing.channels import ChannelSums, ClassChannels, Weighed
from tenfold.tree.records import Setup


class BoostingClassifier(Boosting, Classifier):
    """Gradient boosting of classes; a subclass has the names and defaults of the parameters."""

    need = Need("mixed", missing=True, sparse=True, target="class")
    has_decision_function = True

    def start(self, schema: Schema) -> Initial:
        # The state before the first pass: nothing is known but the schema.
        if self.monotonic_cst is not None and len(schema.classes) > 2:
            raise ValueError("monotonic_cst is for two classes, and there are more")
        return super().start(schema)

    def loss_code(self, outputs: int) -> int:
        # The number of the loss: logistic for two classes, softmax for more.
        return gr.LOGISTIC if outputs == 1 else gr.SOFTMAX

    def constant(self, setup: Setup, sought: Sought) -> ChannelSums:
        channels = ClassChannels(max(len(setup.schema.classes), 2))
        return ChannelSums(setup.weights, channels, self._sampling(setup).holdout, lens=setup.lens)

    def start_from(self, setup: Setup, sought: Sought, s: BoostingSummary) -> Array:
        # The logarithms of the shares of the classes, less their mean as scikit-learn has it; or of their ratio.
        assert isinstance(s, Weighed)
        k = max(len(setup.schema.classes), 2)
        weight, held = s.sums[:k], s.sums[k + 1 : -1] if not setup.validation_begin else s.sums[:0]
        lost = np.flatnonzero((weight == 0) & (held > 0)) if len(held) and weight.any() else held[:0]
        if len(lost):
            raise DataError(
                f"early stopping sets all rows of class {setup.schema.classes[lost[0]]} aside for validation. "
                f"Remedy: {self.without_validation}, or a smaller validation_fraction"
            )
        with np.errstate(divide="ignore"):
            log = np.maximum(np.log(weight / max(int(weight.sum()), 1)), -30.0)
        return np.asarray(log - log.mean() if len(log) > 2 else log[1:] - log[:1])

    def scores_from(self, model: BoostedModel, X: Columns) -> Array:
        """The margins of the classes, the sums of the leaves."""
        return _scores(model.margins(X), model.n_classes)

    def decision_from(self, model: BoostedModel, X: Columns) -> Array:
        """The margins, those of two classes without an axis for the output."""
        return _of_one(model.margins(X))

    @fitted
    def decision_function(self, X: MatrixLike) -> Any:
        """The margin of each row, for many classes of each class.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        margin : array of shape (rows,) or (rows, classes)
        """
        check_is_fitted(self)
        one = self.model_.outputs == 1
        return self._apply(
            type(self).decision_from, X, lambda: ["margin"] if one else [f"margin_{c}" for c in self.classes_]
        )

    @fitted
    def staged_predict_proba(self, X: ArrayLike) -> Iterator[Array]:
        """The probabilities after each round.

        Parameters
        ----------
        X : array or frame

        Yields
        ------
        p : array of shape (rows, classes)
        """
        return (self.probability_from(_scores(margin, self.model_.n_classes)) for margin in self._staged(X))

    @fitted
    def staged_decision_function(self, X: ArrayLike) -> Iterator[Array]:
        """The margins after each round.

        Parameters
        ----------
        X : array or frame

        Yields
        ------
        margin : array of shape (rows,) or (rows, classes)
        """
        return (_of_one(margin) for margin in self._staged(X))

    @fitted
    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """The classes after each round.

        Parameters
        ----------
        X : array or frame

        Yields
        ------
        y : array of shape (rows,)
        """
        return (self.classes_[winners(_scores(margin, self.model_.n_classes))] for margin in self._staged(X))


def _of_one(margin: Array) -> Array:
    """Margins as `decision_function` gives them: of a single output, without its axis."""
    return margin if margin.shape[1] > 1 else margin[:, 0]


def _scores(margin: Array, classes: int) -> Array:
    """Decision values with a column for each class."""
    if classes == 1:
        return np.zeros((len(margin), 1))
    return margin if margin.shape[1] > 1 else np.column_stack([np.zeros(len(margin)), margin[:, 0]])
