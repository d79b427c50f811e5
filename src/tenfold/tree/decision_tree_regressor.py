"""A decision tree for numbers: the split that lowers the squared error most, then the same of each branch.

The sums Σw(c - y) and Σw by column and bin, in whole units, merge exactly: the same tree for any parts.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tenfold.compiled.tree.tree_missing import PARTS
from tenfold.core import Array, Claim, Codes, Columns, Need
from tenfold.estimator import Regressor
from tenfold.tree.decision_tree import DecisionTree
from tenfold.tree.growing.grower import MAX_WHOLE_WEIGHT, NumberTrees
from tenfold.tree.growing.missing import blend
from tenfold.tree.records import LeafTotals, Ranges, TreeModel

TARGET_ROUNDING = "targets were summed in whole multiples of this"


class DecisionTreeRegressor(DecisionTree, NumberTrees, Regressor):
    """A regression tree, exact in each pass.

    A node is split where the squared error falls most, and not at all where it would not fall.

    Parameters
    ----------
    split : {"subset", "multiway"}, default="subset"
        How categories are split: into two sets, or into a branch for each.
    method : {"histogram", "exact"}, default="histogram"
        "exact" tries every threshold between distinct values and needs all rows in memory; "histogram" does not.
    missing : {"learned", "node_majority", "fractional"}, default="learned"
        What becomes of missing values: they go where the error falls most (among categories they are one more); they
        take the most common value among the rows of the node; or they go to every branch in parts, as C4.5 has it.
    max_depth : int, optional
        Splits from the root to a leaf, at most; None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer rows than this is not split; a float: this share of all rows.
    min_samples_leaf : int or float, default=1
        Each leaf has at least this many rows; a float: this share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Each leaf has at least this share of the weight of all rows.
    min_impurity_decrease : float, default=0.0
        Least decrease of the variance, weighted by the node's share of the rows.
    max_features : int, float, "sqrt" or "log2", optional
        How many columns each node may choose from; all by default. More, if none of those can be split.
    max_leaf_nodes : int, optional
        With it, the split of greatest gain comes first.
    prune : {"reduced_error", "best_cut", "cost_complexity"}, optional
        By validation rows: cut where they lose nothing by it, from the leaves up, or where they gain most first; or
        take the price of a leaf that suits them best.
    held_back : float, default=0.25
        Share of the rows set aside for pruning (validation).
    ccp_alpha : float, default=0.0
        Price of a leaf, in variance weighted by the node's share of the rows: cut what does not earn it.
    min_data_per_group : int, default=1
        Categories with fewer rows in a node are taken together there, as one; "subset" splits only.
    cat_smooth : float, default=0.0
        Smoothing of category means: categories are sorted as if each had this many additional rows at the mean of the
        node.
    cat_penalty : float, default=1.0
        Times that the decrease which chance alone gives to a column of more than ten categories is taken off what
        its best set gains; with 0, an uninformative column of many categories is split before all others.
    max_bins : int or "auto", default="auto"
        Bins of each numeric column, at most 255; splits lie between bins. Half of the edges lie beside the values of
        rare classes and extreme targets. "auto": 255, or one for each number of at most 4,096 rows.
    random_state : int, default=0
        Seed of the sample that bins come from, of `max_features`, and of the validation rows. None draws one, and the
        certificate records it.
    criterion, splitter, monotonic_cst : optional
        As in scikit-learn; other values raise an error that names an alternative.

    Attributes
    ----------
    tree_ : Tree
        Its nodes: `feature`, `threshold`, `children_left`, `children_right`, ..., as scikit-learn's users walk them.
    value_ : array of shape (nodes, 2)
        Mean of the target, and weight, of the training rows in each node.
    feature_importances_ : array of shape (columns,)
        Share of the gain of all splits: it favours columns with many values.
    max_features_ : int
        How many columns each node may choose from.
    n_outputs_ : int
        One: that of the target.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0])
    >>> model.predict([[0.5], [9.0]])
    array([1., 6.])
    """

    need = Need("mixed", missing=True, sparse=True, target="number")
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"missing": "node_majority"},
        {"missing": "fractional"},
        {"method": "exact"},
        {"method": "exact", "missing": "fractional"},
        {"max_leaf_nodes": 4, "min_impurity_decrease": 0.01},
        {"prune": "reduced_error"},
        {"ccp_alpha": 0.02},
        {"split": "multiway"},
    )

    def values(self, ranges: Ranges, units: Array, sums: Codes) -> Array:
        g, h = sums[:, 0] * units[0], sums[:, 1] * units[1]
        return np.column_stack([ranges.center - g / h, h])

    def certify(self, model: TreeModel, s: LeafTotals) -> tuple[Claim, ...]:
        """How far a leaf can be from the mean of its rows, since targets were rounded; how finely they were."""
        ranges = model.ranges
        unit = self.target_unit(ranges)
        fine = (Claim("resolution", unit, "proved", TARGET_ROUNDING, "arithmetic"), *self.column_claims(ranges))
        if self._missing_code == PARTS:
            return fine
        ends, leaves = s.sums[model.tree.leaves], model.tree.leaves
        off = np.abs(self.values(ranges, np.array([unit, ranges.unit]), ends)[:, 0] - model.value[leaves, 0])
        far = np.abs(model.value[leaves, 0] - ranges.center) > ranges.reach if ranges.near.aside else off < 0
        off = np.where(far, 0.0, off)  # the sums lack what was taken off far targets, and the means do not
        rows = ends[:, 2] / (ends[:, 1] * ranges.unit)
        each = unit * (1.0 if ranges.weights_up_to(MAX_WHOLE_WEIGHT) else rows)
        if ranges.unit != 1.0:  # weights were rounded too
            each = each + 2 * np.where(far, ranges.distance, ranges.reach) * ranges.unit * rows
        floats = 4 * np.finfo(float).eps * (abs(ranges.center) + np.where(far, ranges.distance, ranges.reach))
        rounded = off + 0.5 * each + floats
        why = "at most, of a leaf from the mean of the rows that end in it, sent down the tree: each was rounded"
        return Claim("leaf error", float(rounded.max()), "proved", why, "arithmetic"), *fine

    def predict_from(self, model: TreeModel, X: Columns) -> Array:
        """The mean of each row's leaf."""
        if self._missing_code == PARTS:
            return blend(model.tree, model.value[:, 1], model.value[:, :1], X)[:, 0]
        return np.asarray(model.value[model.tree.apply(X), 0])
