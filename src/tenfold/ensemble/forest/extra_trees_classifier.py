"""A forest of trees for classes whose cuts are drawn: the best of one cut of each of a few columns splits a node."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

from tenfold.ensemble.forest.random_forest_classifier import RandomForestClassifier
from tenfold.estimator.shell.constraints import boolean
from tenfold.estimator.shell.parameters import Behind


class ExtraTreesClassifier(RandomForestClassifier):
    """Extremely randomized trees on binned columns, the same trees for any threads and workers.

    Each node draws one cut in each of a few columns, uniformly between the least and the greatest value of its rows,
    and takes the best of them. The draws come from a hash of the tree and the path to the node, so every tree may see
    all rows. The trees' shares of the classes are averaged.

    A cut is moved to the nearest edge of a bin. Of a categorical column, it is drawn among the categories in the order
    of their means.

    Parameters
    ----------
    n_estimators : int, default=100
        How many trees are grown.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        What a split is chosen by: the impurity that it takes away.
    max_depth : int, optional
        Splits from the root to a leaf, at most; None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer rows than this is not split; a float: this share of all rows.
    min_samples_leaf : int or float, default=1
        Each leaf has at least this many rows; a float: this share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Each leaf has at least this share of the weight of all rows.
    min_impurity_decrease : float, default=0.0
        Least decrease, weighted by the node's share of the rows; shares are of all rows, however many a tree has drawn.
    max_features : int, float, "sqrt" or "log2", default="sqrt"
        How many columns each node may choose from; None: all. More, if none of those can be split, or by enough.
    max_leaf_nodes : int, optional
        With it, the split of greatest gain comes first.
    class_weight : dict or "balanced", optional
        Weights of classes; "balanced" gives all the same. The out-of-bag error takes no notice of them.
    bootstrap : bool, default=False
        Whether trees draw rows; else each sees all.
    min_data_per_group : int, default=1
        Categories with fewer rows in a node are taken together there, as one; "subset" splits only.
    cat_smooth : float, default=0.0
        Smoothing of category means: categories are sorted as if each had this many additional rows at the mean of the
        node.
    cat_penalty : float, default=1.0
        Times that the decrease which chance alone gives to a column of more than ten categories is taken off what
        its set gains; with 0, an uninformative column of many categories is split before all others.
    max_bins : int or "auto", default="auto"
        Bins of each numeric column, at most 255; cuts lie between bins. Half of the edges lie beside the values of
        rare classes and extreme targets. "auto": 255, or one for each number of at most 4,096 rows.
    random_state : int, default=0
        Seed of the draws, and of the sample that bins come from. None draws one, and the certificate records it.
    max_samples : int or float, optional
        How many rows each tree draws with `bootstrap=True`, or their share of all; by default as many as there are. How
        often a row is drawn is a Poisson number, so these are means; a tree that draws no row is left out.
    ccp_alpha : float, default=0.0
        What a leaf costs: branches of a grown tree that lower its impurity by less than their leaves cost are cut.
    warm_start : bool, default=False
        Whether a second `fit` keeps the trees of the first one and adds others, up to `n_estimators` of them together.
    monotonic_cst : optional
        As in scikit-learn; other values raise an error that names an alternative.
    oob_score, n_jobs, verbose : optional
        Accepted for compatibility with scikit-learn; has no effect (see *Coming from scikit-learn*).

    Attributes
    ----------
    classes_ : array
    n_classes_ : int
    trees_ : Tree
        The nodes of all trees, one tree after the other.
    roots_ : array of shape (trees,)
    value_ : array of shape (nodes, classes)
        Shares of the classes.
    feature_importances_ : array of shape (columns,)
        By decrease of impurity, which favours columns with many values, and gives noise its share.
    estimators_ : list of DecisionTreeClassifier
        The trees, each by itself.
    oob_score_ : float
        Out-of-bag accuracy, with `bootstrap=True`; NaN without rows that some tree has not drawn.
    max_features_ : int
        How many columns each node may choose from.
    n_outputs_ : int
        One: that of the target.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import ExtraTreesClassifier
    >>> X = [[float(i)] for i in range(20)]
    >>> model = ExtraTreesClassifier(20).fit(X, ["a"] * 10 + ["b"] * 10)
    >>> model.predict([[1.5], [17.5]]).tolist()
    ['a', 'b']
    """

    draws_cuts = True
    expected_failed_checks: ClassVar[dict[str, str]] = {}
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {"n_estimators": 3},
        {"n_estimators": 3, "criterion": "entropy", "class_weight": "balanced", "max_leaf_nodes": 4},
        {"n_estimators": 2, "bootstrap": True, "max_features": None, "ccp_alpha": 0.01},
    )

    _: KW_ONLY
    bootstrap: Annotated[bool, boolean, Behind("max_leaf_nodes")] = False
