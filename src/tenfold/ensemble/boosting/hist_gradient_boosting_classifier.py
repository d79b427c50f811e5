"""Gradient boosting for classes by the names and defaults of scikit-learn's HistGradientBoosting: 31 leaves a tree."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

from tenfold.ensemble.boosting.boosting import log_loss
from tenfold.ensemble.boosting.boosting_classifier import BoostingClassifier
from tenfold.ensemble.boosting.hist_gradient_boosting import HistGradientBoosting
from tenfold.estimator.class_weights import ClassWeight, ClassWeighted
from tenfold.estimator.shell.constraints import choice
from tenfold.estimator.shell.parameters import Behind


class HistGradientBoostingClassifier(  # type: ignore[misc, override]  # two states more
    ClassWeighted, HistGradientBoosting, BoostingClassifier
):
    """Gradient boosted trees on binned columns.

    The trees are the same for any parts, threads and workers, unless rows are drawn (`subsample`, early stopping): then
    by part and place in it.

    :class:`GradientBoostingClassifier` grows the same trees, with other names and defaults of the parameters.

    Parameters
    ----------
    learning_rate : float, default=0.1
        Shrinkage: the factor on the contribution of each tree. A smaller one needs more rounds.
    max_iter : int, default=100
        Maximum number of boosting rounds, each of which adds a tree, or one for each of more than two classes.
    max_leaf_nodes : int, default=31
        Maximum number of leaves of a tree; those of greatest gain are split first. None: no limit.
    max_depth : int, optional
        Maximum number of splits between the root and a leaf. None: no limit.
    min_samples_leaf : int, default=20
        Minimum number of rows in a leaf.
    l2_regularization : float, default=0.0
        L2 regularization: added to the curvature of each leaf, which shrinks its value towards zero.
    max_bins : int, default=255
        Maximum number of bins of a column. If a class is rare, up to four fifths of the edges lie beside the values
        of its rows.
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
    class_weight : dict or "balanced", optional
        Weights by class, 1 for a class that is not listed; "balanced" gives all classes the
        same weight, with one scan more.
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
    loss, max_features, interaction_cst, scoring : optional
        As in scikit-learn; other values raise an error that names an alternative.
    verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    classes_ : array
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
    >>> from tenfold import HistGradientBoostingClassifier
    >>> model = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=1)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "a"]).predict([[0.2], [1.4]]).tolist()
    ['a', 'b']
    """

    refines = True
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"max_iter": 4, "min_samples_leaf": 2},
        {"max_iter": 3, "min_samples_leaf": 2, "subsample": 0.7},
        {"max_iter": 3, "min_samples_leaf": 2, "early_stopping": True, "n_iter_no_change": 1},
        {"max_iter": 3, "max_depth": 2, "l2_regularization": 1.0, "min_samples_leaf": 2},
        {"max_iter": 3, "min_samples_leaf": 2, "class_weight": "balanced"},
    )

    loss: Annotated[str, log_loss] = "log_loss"
    _: KW_ONLY
    class_weight: Annotated[ClassWeight, choice("balanced"), dict, None, Behind("random_state")] = None
