"""Gradient boosting for numbers by the names and defaults of scikit-learn's HistGradientBoosting: 31 leaves a tree."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

from tenfold.core import Schema
from tenfold.core.learner import Initial
from tenfold.ensemble.boosting.boosting import losses_of_numbers
from tenfold.ensemble.boosting.boosting_regressor import BoostingRegressor
from tenfold.ensemble.boosting.hist_gradient_boosting import HistGradientBoosting
from tenfold.estimator.shell.constraints import share
from tenfold.estimator.shell.parameters import Behind


class HistGradientBoostingRegressor(HistGradientBoosting, BoostingRegressor):  # type: ignore[override]
    """Gradient boosted trees on binned columns.

    The trees are the same for any parts, threads and workers, unless rows are drawn (`subsample`, early stopping): then
    by part and place in it.

    :class:`GradientBoostingRegressor` grows the same trees, with other names and defaults of the parameters.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "poisson", "quantile"}, default="squared_error"
        With the absolute and the quantile loss, the value of a leaf is a quantile of the residuals of its rows. A row
        that is predicted exactly has slope 0 in these two; scikit-learn counts it as above the prediction.
    quantile : float, optional
        The level, if the loss is "quantile".
    learning_rate : float, default=0.1
        Shrinkage: the factor on the contribution of each tree. A smaller one needs more rounds.
    max_iter : int, default=100
        Maximum number of boosting rounds, each of which adds a tree.
    max_leaf_nodes : int, default=31
        Maximum number of leaves of a tree; those of greatest gain are split first. None: no limit.
    max_depth : int, optional
        Maximum number of splits between the root and a leaf. None: no limit.
    min_samples_leaf : int, default=20
        Minimum number of rows in a leaf.
    l2_regularization : float, default=0.0
        L2 regularization: added to the curvature of each leaf, which shrinks its value towards zero.
    max_bins : int, default=255
        Bins that a column is cut into at the most.
    categorical_features : array of names, numbers or bool, "from_dtype" or None, default="from_dtype"
        The columns that are categories, such as outputs of an OrdinalEncoder; the others are numbers then. By default
        columns of text and categorical columns are; with None no column is.
    monotonic_cst : array of shape (columns,) or dict, optional
        1: the margin must not fall as the column rises; -1: it must not rise; 0: it is free. A dict has names.
    warm_start : bool, default=False
        Whether a second `fit` keeps the trees of the first one and adds rounds, up to `max_iter` of them together.
    early_stopping : bool or "auto", default="auto"
        Whether to keep rows back, and to stop when their loss has not fallen by `tol` for `n_iter_no_change` rounds.
        "auto": if there are more than 10,000 rows, or `fit` is given `X_val`.
    validation_fraction : float, default=0.1
        Share of the rows set aside for validation, drawn by their numbers in the source; none, if `fit` is given
        `X_val`.
    n_iter_no_change : int, default=10
        Rounds without a fall of the loss after which a fit stops early.
    tol : float, default=1e-7
        Smallest decrease of the loss that counts as one.
    random_state : int, default=0
        Seed of the sample that the edges of the bins come from, and of the draws.
    subsample : float, default=1.0
        Share of the rows that each round learns from, drawn by their numbers in the source.
    min_data_per_group : int, default=1
        Categories with fewer rows in a node are taken together there, as one; "subset" splits only.
    cat_smooth : float, default=0.0
        Smoothing of category means: categories are sorted as if each had this many additional rows at the mean of the
        node.
    cat_penalty : float, default=1.0
        Times that the decrease which chance alone gives to a column of more than ten categories is taken off what
        its best set gains; with 0, an uninformative column of many categories is split before all others.
    max_features, interaction_cst, scoring : optional
        As in scikit-learn; other values raise an error that names an alternative.
    verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    n_iter_ : int
        Rounds that were made.
    train_score_, validation_score_ : array of shape (rounds + 1,)
        With early stopping, minus the mean loss of the training rows and of validation rows, before the first round and
        after each; else empty.
    feature_importances_ : array of shape (columns,)
        Share of the gain of all splits: it favours columns with many values.
    n_trees_per_iteration_ : int
        Trees of a round: one, or one for each class of more than two.
    is_categorical_ : array of shape (columns,) or None
        Whether each column has categories; None, if none has.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import HistGradientBoostingRegressor
    >>> model = HistGradientBoostingRegressor(max_iter=50, min_samples_leaf=1)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 5.0, 5.0, 1.0]).predict([[0.2], [1.4]]).round(1).tolist()
    [1.0, 5.0]
    """

    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"max_iter": 4, "min_samples_leaf": 2},
        {"max_iter": 3, "loss": "absolute_error", "min_samples_leaf": 2},
        {"max_iter": 3, "loss": "quantile", "quantile": 0.3, "min_samples_leaf": 2},
        {"max_iter": 3, "subsample": 0.7, "min_samples_leaf": 2},
        {"max_iter": 3, "monotonic_cst": [1, -1, 0], "min_samples_leaf": 2},
    )

    loss: Annotated[str, losses_of_numbers] = "squared_error"
    _: KW_ONLY
    quantile: Annotated[float | None, share(), None, Behind("loss")] = None

    def start(self, schema: Schema) -> Initial:
        # Nothing but the schema; refuse a quantile without its loss, and the loss without it.
        if (self.loss == "quantile") != (self.quantile is not None):
            raise ValueError(f"loss={self.loss!r} with quantile={self.quantile}. Remedy: both, or neither")
        return super().start(schema)

    @property
    def level(self) -> float:
        # The level of the quantile; a half, if there is none.
        return 0.5 if self.quantile is None else float(self.quantile)
