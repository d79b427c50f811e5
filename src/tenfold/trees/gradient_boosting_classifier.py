"""Gradient boosting for classes: the logistic loss for two, the softmax loss for more, a tree a class in each round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenfold.core import Array, Columns, Need, Schema
from tenfold.core.learner import Begun
from tenfold.estimator import Classifier, check_is_fitted
from tenfold.estimator.kinds import winners
from tenfold.kernels import gradients as gr
from tenfold.trees.boosted import BoostedModel
from tenfold.trees.boosting import Boosting, BoostingSummary
from tenfold.trees.channels import ChannelSums, ClassChannels, Weighed
from tenfold.trees.leaf_quantiles import Sought
from tenfold.trees.records import Setup


class GradientBoostingClassifier(Boosting, Classifier):
    """Gradient boosted trees on binned columns, the same trees for any parts, threads and workers.

    Parameters
    ----------
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
    loss, min_samples_split, min_weight_fraction_leaf, min_impurity_decrease : optional
        As in scikit-learn, but only in the values that say what is done here; the error names the remedy.
    init, max_features, warm_start, ccp_alpha : optional
        As in scikit-learn, but only in the values that say what is done here; the error names the remedy.
    criterion, verbose : optional
        As in scikit-learn, and without effect: *Coming from scikit-learn* says why.

    Attributes
    ----------
    classes_ : array
    n_iter_ : int
        Rounds that were made.
    train_score_, validation_score_ : array of shape (rounds + 1,)
        Mean loss after each round, of the training rows and of validation rows.
    feature_importances_ : array of shape (columns,)
        Share of the gain of all splits: it favours columns with many values.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import GradientBoostingClassifier
    >>> model = GradientBoostingClassifier(max_iter=20, min_samples_leaf=1)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "a"]).predict([[0.2], [1.4]]).tolist()
    ['a', 'b']
    """

    need = Need("mixed", missing=True, sparse=True, target="class")
    decides = True
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"max_iter": 4, "min_samples_leaf": 2},
        {"max_iter": 3, "min_samples_leaf": 2, "subsample": 0.7},
        {"max_iter": 3, "min_samples_leaf": 2, "early_stopping": True, "n_iter_no_change": 1},
        {"max_iter": 3, "max_depth": 2, "l2_regularization": 1.0, "min_samples_leaf": 2},
    )

    def start(self, schema: Schema) -> Begun:
        """Nothing but the schema."""
        if self.monotonic_cst is not None and len(schema.classes) > 2:
            raise ValueError("monotonic_cst is for two classes, and there are more")
        return super().start(schema)

    def loss_code(self, outputs: int) -> int:
        """Logistic or softmax."""
        return gr.LOGISTIC if outputs == 1 else gr.SOFTMAX

    def constant(self, setup: Setup, sought: Sought) -> ChannelSums:
        """The weights of the classes."""
        channels = ClassChannels(max(len(setup.schema.classes), 2))
        return ChannelSums(setup.weights, channels, self._sampling.holdout, lens=setup.lens)

    def start_from(self, setup: Setup, sought: Sought, s: BoostingSummary) -> Array:
        """The logarithms of the shares of the classes, or of their ratio."""
        assert isinstance(s, Weighed)
        weight = s.sums[:-1]
        with np.errstate(divide="ignore"):
            log = np.maximum(np.log(weight / max(int(weight.sum()), 1)), -30.0)
        return np.asarray(log if len(log) > 2 else log[1:] - log[:1])

    def scores_from(self, model: BoostedModel, X: Columns) -> Array:
        """The margins."""
        return _scores(model.margins(X), model.n_classes)

    def decision_function(self, X: Any) -> Any:
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
        return self._apply(_margin, X, lambda: ["margin"] if one else [f"margin_{c}" for c in self.classes_])

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


def _margin(learner: Any, model: BoostedModel, X: Columns) -> Array:
    margin = model.margins(X)
    return margin if model.outputs > 1 else margin[:, 0]


def _scores(margin: Array, classes: int) -> Array:
    """A score for each class."""
    if classes == 1:
        return np.zeros((len(margin), 1))
    return margin if margin.shape[1] > 1 else np.column_stack([np.zeros(len(margin)), margin[:, 0]])
