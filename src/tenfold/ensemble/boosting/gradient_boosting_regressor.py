"""Gradient boosting for numbers by the names and defaults of scikit-learn's GradientBoosting: trees of depth three."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

from tenfold.ensemble.boosting.boosting_regressor import BoostingRegressor
from tenfold.ensemble.boosting.gradient_boosting import GradientBoosting
from tenfold.estimator.shell.constraints import share
from tenfold.estimator.shell.parameters import Behind


class GradientBoostingRegressor(GradientBoosting, BoostingRegressor):
    """Gradient boosted trees of depth three, on binned columns.

    The trees are the same for any parts, threads and workers, unless rows are drawn (`subsample`, early stopping): then
    by part and place in it.

    :class:`HistGradientBoostingRegressor` grows the same trees, with other names and defaults of the parameters.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "poisson", "quantile"}, default="squared_error"
        With the absolute and the quantile loss, the value of a leaf is a quantile of the residuals of its rows. A row
        that is predicted exactly has slope 0 in these two; scikit-learn counts it as above the prediction.
    learning_rate : float, default=0.1
        Shrinkage: the factor on the contribution of each tree. A smaller one needs more rounds.
    n_estimators : int, default=100
        Maximum number of boosting rounds, each of which adds a tree.
    subsample : float, default=1.0
        Share of the rows that each round learns from, drawn by their numbers in the source.
    min_samples_split : int or float, default=2
        Minimum number of rows in a node that is split; a float: this share of all rows.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf; a float: this share of all rows.
    max_depth : int, default=3
        Maximum number of splits between the root and a leaf. None: no limit.
    random_state : int, default=0
        Seed of the sample that the edges of the bins come from, and of the draws.
    alpha : float, default=0.9
        The level, if the loss is "quantile".
    max_leaf_nodes : int, optional
        Maximum number of leaves of a tree; those of greatest gain are split first. None: no limit.
    warm_start : bool, default=False
        Whether a second `fit` keeps the trees of the first one and adds rounds, up to `n_estimators` of them together.
    validation_fraction : float, default=0.1
        Share of the rows that `n_iter_no_change` sets aside for validation, drawn by their numbers in the source.
    n_iter_no_change : int, optional
        If given, a validation set is held out, and boosting stops when its loss has not fallen by `tol` for this many
        rounds.
    tol : float, default=1e-4
        Smallest decrease of the loss that counts as one.
    l2_regularization : float, default=0.0
        L2 regularization: added to the curvature of each leaf, which shrinks its value towards zero.
    max_bins : int or "auto", default="auto"
        Bins of each numeric column, at most 255; splits lie between bins. Half of the edges lie beside the values of
        rare classes and extreme targets. "auto": 255, or one for each number of at most 4,096 rows.
    monotonic_cst : array of shape (columns,) or dict, optional
        1: the margin must not fall as the column rises; -1: it must not rise; 0: it is free. A dict has names.
    min_data_per_group : int, default=1
        Categories with fewer rows in a node are taken together there, as one; "subset" splits only.
    cat_smooth : float, default=0.0
        Smoothing of category means: categories are sorted as if each had this many additional rows at the mean of the
        node.
    cat_penalty : float, default=1.0
        Times that the decrease which chance alone gives to a column of more than ten categories is taken off what
        its best set gains; with 0, an uninformative column of many categories is split before all others.
    max_iter : int, optional
        Another name of `n_estimators`, which it overrules.
    min_weight_fraction_leaf, min_impurity_decrease, init : optional
        As in scikit-learn; other values raise an error that names an alternative.
    max_features, ccp_alpha : optional
        As in scikit-learn; other values raise an error that names an alternative.
    criterion, verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    n_iter_ : int
        Rounds that were made.
    n_estimators_ : int
        The same, as scikit-learn calls it here.
    train_score_, validation_score_ : array of shape (rounds,)
        Loss of the training rows after each round, and of validation rows, if some were held back:
        the mean squared error, or the mean of another loss.
    feature_importances_ : array of shape (columns,)
        Share of the gain of all splits: it favours columns with many values.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import GradientBoostingRegressor
    >>> model = GradientBoostingRegressor(n_estimators=50)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 5.0, 5.0, 1.0]).predict([[0.2], [1.4]]).round(1).tolist()
    [1.0, 5.0]
    """

    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"n_estimators": 4},
        {"n_estimators": 3, "loss": "quantile", "alpha": 0.3},
        {"n_estimators": 3, "min_samples_split": 9, "n_iter_no_change": 1},
    )

    _: KW_ONLY
    alpha: Annotated[float, share(), Behind("max_features")] = 0.9

    @property
    def level(self) -> float:
        # The level of the quantile; a half, if the loss has none.
        return float(self.alpha) if self.loss == "quantile" else 0.5
