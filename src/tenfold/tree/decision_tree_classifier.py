"""A decision tree for classes: split on the most informative column, then recursively in each branch.

Weights of classes by column and bin merge, so each level is one reduce; while the rows fit in one place they
are gathered there once, and the tree is grown from them: the same tree, because all sums are of whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tenfold.compiled.tree import tree_search as ts
from tenfold.compiled.tree.tree_missing import PARTS
from tenfold.core import Array, Claim, Codes, Columns, DataError, Need, Schema
from tenfold.estimator.class_weights import ClassWeight
from tenfold.estimator.shell.constraints import array, choice, real, share
from tenfold.estimator.shell.parameters import Behind
from tenfold.tree.claims import held_back_claims, occam_claim
from tenfold.tree.decision_tree import DecisionTree
from tenfold.tree.growing import missing
from tenfold.tree.growing.grower import ClassTrees
from tenfold.tree.growing.missing import MISSING_RULES
from tenfold.tree.pruning.pruning_methods import BY_WEIGHT, HOLDOUT_PRUNERS
from tenfold.tree.records import LeafTotals, Ranges, TreeModel

CRITERIA = {
    "gini": ts.GINI,
    "entropy": ts.ENTROPY,
    "log_loss": ts.ENTROPY,
    "error": ts.ERROR,
    "gain_ratio": ts.RATIO,
    "gain_squared_per_cost": ts.COST_SQUARE,
    "gain_power_per_cost": ts.COST_POWER,
}


class DecisionTreeClassifier(DecisionTree, ClassTrees):
    """A decision tree, exact in each pass.

    Columns of numbers are cut into bins (`method="histogram"`); one with at most `max_bins` distinct values loses
    nothing by it. Columns of categories are not binned.

    Parameters
    ----------
    criterion : str, default="gini"
        What makes a split good. The decrease of "gini", "entropy" (or "log_loss"), "error" (rows not of the most common
        class). "gain_ratio": the decrease of entropy over the entropy of the split itself. For columns that cost
        something to look at, with the decrease of entropy G and the column's cost C: "gain_squared_per_cost" is G² / C
        (Tan and Schlimmer), "gain_power_per_cost" (2ᴳ - 1) / (C + 1)ʷ (Núñez).
    split : {"subset", "multiway"}, default="subset"
        How categories are split: into two sets, or into a branch for each.
    method : {"histogram", "exact"}, default="histogram"
        "exact" tries every threshold between distinct values and needs all rows in memory; "histogram" does not.
    missing : {"learned", "node_majority", "class_majority", "fractional"}, default="learned"
        What becomes of missing values: they go where impurity falls most (among categories they are one more); they
        take the most common value among the rows of the node; among those of their class (in prediction, of the node);
        or they go to every branch in parts, as C4.5 has it.
    max_depth : int, optional
        Splits from the root to a leaf, at most; None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer rows than this is not split; a float: this share of all rows.
    min_samples_leaf : int or float, default=1
        Each leaf has at least this many rows; a float: this share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Each leaf has at least this share of the weight of all rows.
    min_impurity_decrease : float, default=0.0
        Least decrease, weighted by the node's share of the rows; of a ratio, or per cost, its smallest value.
    min_impurity : float, default=0.0
        A node whose impurity is no more than this is a leaf, however good its split would be: its Gini impurity or
        share of errors, if that is the criterion, else its entropy in bits. The leaves of `max_leaf_nodes` are
        counted before.
    max_features : int, float, "sqrt" or "log2", optional
        How many columns each node may choose from; all by default. More, if none of those can be split.
    max_leaf_nodes : int, optional
        With it, the split of greatest gain comes first.
    class_weight : dict or "balanced", optional
        Weights of classes; "balanced" gives all the same.
    feature_costs : array of shape (columns,) or dict from names, optional
        Costs of columns; one each by default.
    cost_power : float, default=1.0
        The w above, from 0 to 1: how much costs matter.
    prune : str, optional
        "reduced_error" and "best_cut" cut where validation rows lose nothing by it, from the leaves up, or where they
        gain most first; "cost_complexity" takes the price of a leaf that suits them best. "pessimistic" is C4.5's, and
        "chi_squared" stops at splits that chance could have made: neither holds rows back.
    held_back : float, default=0.25
        Share of the rows set aside for pruning (validation).
    ccp_alpha : float, default=0.0
        Price of a leaf, in impurity weighted by the node's share of the rows: cut what does not earn it.
    confidence : float, default=0.25
        Of the error limits that "pessimistic" compares; the smaller, the more is cut.
    significance : float, default=0.05
        For "chi_squared": the chance of so good a split, up to which it stays.
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
    splitter, monotonic_cst : optional
        As in scikit-learn; other values raise an error that names an alternative.

    Attributes
    ----------
    classes_ : array
    n_classes_ : int
    tree_ : Tree
        Its nodes: `feature`, `threshold`, `children_left`, `children_right`, ..., as scikit-learn's users walk them.
    value_ : array of shape (nodes, classes)
        Weight of the classes of the training rows in each node.
    feature_importances_ : array of shape (columns,)
        Share of the gain of all splits: it favours columns with many values.
    max_features_ : int
        How many columns each node may choose from.
    n_outputs_ : int
        One: that of the target.
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "a"])
    >>> model.predict([[0.2], [1.4]]).tolist()
    ['a', 'b']
    """

    need = Need("mixed", missing=True, sparse=True, target="class")
    law_params: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"criterion": "entropy", "split": "multiway"},
        {"criterion": "gain_ratio", "missing": "node_majority"},
        {"criterion": "error", "missing": "class_majority"},
        {"missing": "fractional"},
        {"method": "exact"},
        {"method": "exact", "missing": "node_majority"},
        {"method": "exact", "missing": "fractional", "split": "multiway"},
        {"class_weight": "balanced", "max_leaf_nodes": 4},
        {"prune": "reduced_error"},
        {"prune": "best_cut"},
        {"prune": "cost_complexity"},
        {"prune": "pessimistic"},
        {"prune": "chi_squared"},
        {"ccp_alpha": 0.02},
        {"min_impurity": 0.3},
        {"criterion": "gain_squared_per_cost", "feature_costs": [1.0, 2.0, 3.0]},
    )

    criterion: Annotated[str, choice(*CRITERIA)] = "gini"
    _: KW_ONLY
    missing: Annotated[str, choice(*MISSING_RULES)] = "learned"
    min_impurity: Annotated[float, real(0), Behind("min_impurity_decrease")] = 0.0
    class_weight: Annotated[ClassWeight, dict, choice("balanced"), None, Behind("max_leaf_nodes")] = None
    feature_costs: Annotated[ArrayLike | Mapping[str, float] | None, array, dict, None, Behind("class_weight")] = None
    cost_power: Annotated[float, share(), Behind("feature_costs")] = 1.0
    prune: Annotated[str | None, choice(*HOLDOUT_PRUNERS, *BY_WEIGHT), None] = None
    confidence: Annotated[float, share(open=True), Behind("ccp_alpha")] = 0.25
    significance: Annotated[float, share(open=True), Behind("confidence")] = 0.05

    @property
    def criterion_code(self) -> int:
        return CRITERIA[self.criterion]

    def check_params(self, schema: Schema) -> None:
        super().check_params(schema)
        self.costs(schema)

    def costs(self, schema: Schema) -> Array:
        given = self.feature_costs
        if given is None:
            return np.ones(len(schema.columns))
        if isinstance(given, Mapping):
            if strange := sorted(set(given) - set(schema.names)):
                raise ValueError(f"feature_costs names {strange}; the columns are {list(schema.names)}")
            given = [given.get(name, 1.0) for name in schema.names]
        found = np.asarray(given, dtype=np.float64)
        if found.shape != (len(schema.columns),) or not (np.isfinite(found) & (found > 0)).all():
            raise DataError(f"feature_costs: a cost above 0 for each of the {len(schema.columns)} columns is needed")
        return found

    def values(self, ranges: Ranges, units: Array, sums: Codes) -> Array:
        return np.asarray(sums[:, :-1] * units[0])

    def certify(self, model: TreeModel, s: LeafTotals) -> tuple[Claim, ...]:
        """The training error, from rows sent down the tree; what follows for others, if all rows count the same."""
        in_parts, ranges = self._missing_code == PARTS, model.ranges
        wrong, whole = (s.wrong, s.whole) if in_parts else errors_of(model, s.sums)
        why = "share of the weight of the training rows, sent down the tree"
        claims: tuple[Claim, ...] = (Claim("training error", float(wrong / whole), "proved", why, "data"),)
        if ranges.uniform_weights and not in_parts:
            claims += (occam_claim(model.tree, ranges.levels, model.value.shape[1], wrong, whole),)
        if ranges.uniform_weights and len(s.back):
            claims += held_back_claims(model.log_prior, *errors_of(model, s.back))
        return claims + self.column_claims(ranges)

    def scores_from(self, model: TreeModel, X: Columns) -> Array:
        """The shares of the classes in each row's leaf, or in those that parts of it get to."""
        if self._missing_code == PARTS:
            return missing.blended_shares(model.tree, model.value, X)
        return missing.shares(model.value)[model.tree.apply(X)]


def errors_of(model: TreeModel, sums: Codes) -> tuple[int, int]:
    """Weight of the rows whose class is not that of the node they end in, and of all, in whole units."""
    weight = sums[:, :-1]
    right = weight[np.arange(len(weight)), model.value.argmax(axis=1)].sum()
    return int(weight.sum() - right), int(weight.sum())
