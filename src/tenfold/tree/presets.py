"""Trees by the names they have in books: the same engine, the parameters that make it that algorithm."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from tenfold.estimator.shell.constraints import choice, integer, nonzero_fraction, seed, share
from tenfold.estimator.shell.parameters import Behind, fixed
from tenfold.tree.decision_tree_classifier import DecisionTreeClassifier
from tenfold.tree.pruning.pruning_methods import BY_WEIGHT


class _Preset(DecisionTreeClassifier):
    """Base of presets of the decision tree, which fix all other parameters."""

    criterion = "gini"
    split = "subset"
    method = "histogram"
    missing = "learned"
    min_weight_fraction_leaf = 0.0
    min_impurity_decrease = 0.0
    max_features = None
    max_leaf_nodes = None
    class_weight = None
    feature_costs = None
    cost_power = 1.0
    prune = fixed(None)
    held_back = 0.25
    ccp_alpha = 0.0
    confidence = 0.25
    significance = 0.05
    min_data_per_group = 1
    cat_smooth = 0.0
    cat_penalty = 0.0
    splitter = "best"
    monotonic_cst = None
    min_impurity = 0.0
    max_bins = fixed("auto")
    law_params: ClassVar[tuple[dict[str, Any], ...]] = ({},)

    max_depth: Annotated[int | None, integer(1), None] = None
    min_samples_split: Annotated[int | float, integer(2), nonzero_fraction] = 2
    min_samples_leaf: Annotated[int | float, integer(1), share(open=True)] = 1
    random_state: Annotated[int | None, seed] = 0


class ID3(_Preset):
    """ID3 (Quinlan 1986): the column of greatest information gain, a branch for each category, until nodes are pure.

    A category that no training row of a node had gets the most common class of that node. Columns of numbers, which ID3
    did not have, are split at thresholds.

    Parameters
    ----------
    max_depth : int, optional
        Splits from the root to a leaf, at most; None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer rows than this is not split; a float: this share of all rows.
    min_samples_leaf : int or float, default=1
        Each leaf has at least this many rows; a float: this share of all rows.
    random_state : int, default=0
        Seed of all that is drawn; the same seed gives the same bits.

    Attributes
    ----------
    classes_ : array
    tree_ : Tree
    value_ : array of shape (nodes, classes)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import ID3
    >>> model = ID3().fit([["sun", "mild"], ["sun", "hot"], ["rain", "mild"]], ["out", "in", "in"])
    >>> model.predict([["sun", "mild"], ["rain", "hot"]]).tolist()
    ['out', 'in']
    """

    criterion = "entropy"
    split = "multiway"


class C45(_Preset):
    """C4.5 (Quinlan 1993): gain ratio, a branch for each category, thresholds, missing values in parts.

    A row that misses the value of a node's column goes to every branch with a part of its weight, in training and in
    prediction. Every column may win, not only those of at least average gain. The tree is pruned by pessimistic
    estimates; branches are cut, and none is put in the place of the node above it.

    Parameters
    ----------
    max_depth : int, optional
        Splits from the root to a leaf, at most; None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer rows than this is not split; a float: this share of all rows.
    min_samples_leaf : int or float, default=1
        In a multiway split, two branches must have this number of rows; a float: this share of all rows.
    prune : {"pessimistic", "chi_squared"} or None, default="pessimistic"
        How the grown tree is cut back; None: not at all.
    confidence : float, default=0.25
        Of the error limits that are compared; the smaller, the more is cut.
    random_state : int, default=0
        Seed of all that is drawn; the same seed gives the same bits.

    Attributes
    ----------
    classes_ : array
    tree_ : Tree
    value_ : array of shape (nodes, classes)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import C45
    >>> model = C45().fit([[1.0], [2.0], [3.0], [4.0], [float("nan")]], ["a", "a", "b", "b", "b"])
    >>> model.predict_proba([[float("nan")]]).round(2).tolist()
    [[0.4, 0.6]]
    """

    criterion = "gain_ratio"
    split = "multiway"
    missing = "fractional"
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"prune": "chi_squared"},
        {"prune": None},
    )

    prune: Annotated[str | None, choice(*BY_WEIGHT), None, Behind("min_samples_leaf")] = "pessimistic"
    confidence: Annotated[float, share(open=True), Behind("prune")] = 0.25


class CART(_Preset):
    """CART (Breiman and others 1984) for classes: Gini, two branches, sets of categories.

    Missing values go to the side that lowers impurity more; there are no surrogate splits. The tree is not pruned here.

    Parameters
    ----------
    max_depth : int, optional
        Splits from the root to a leaf, at most; None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer rows than this is not split; a float: this share of all rows.
    min_samples_leaf : int or float, default=1
        Each leaf has at least this many rows; a float: this share of all rows.
    random_state : int, default=0
        Seed of all that is drawn; the same seed gives the same bits.

    Attributes
    ----------
    classes_ : array
    tree_ : Tree
    value_ : array of shape (nodes, classes)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import CART
    >>> CART(max_depth=1).fit([["red"], ["blue"], ["green"]], [1, 0, 1]).predict([["green"]])
    array([1])
    """


class SLIQ(_Preset):
    """SLIQ (Mehta and others 1996): exact, Gini, two branches; columns are sorted once, the tree grows breadth first.

    All rows are held in memory. Every threshold between distinct values is tried; of up to 12 categories and more than
    two classes, every set. For rows that do not fit, `CART` does the same on bins.

    Parameters
    ----------
    max_depth : int, optional
        Splits from the root to a leaf, at most; None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer rows than this is not split; a float: this share of all rows.
    min_samples_leaf : int or float, default=1
        Each leaf has at least this many rows; a float: this share of all rows.
    random_state : int, default=0
        Seed of all that is drawn; the same seed gives the same bits.

    Attributes
    ----------
    classes_ : array
    tree_ : Tree
    value_ : array of shape (nodes, classes)
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import SLIQ
    >>> SLIQ().fit([[1.0], [2.0], [4.0]], [0, 0, 1]).tree_.threshold[0]
    np.float64(3.0)
    """

    method = "exact"
