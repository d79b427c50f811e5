"""Trees in SQL: nested CASE expressions, one for each tree and output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tenfold.core import Schema
from tenfold.core.schema import is_text
from tenfold.ensemble.ada_boost.ada_boost_classifier import AdaBoostClassifier
from tenfold.ensemble.boosting.boosting_classifier import BoostingClassifier
from tenfold.ensemble.boosting.boosting_regressor import BoostingRegressor
from tenfold.ensemble.forest.random_forest_classifier import RandomForestClassifier
from tenfold.ensemble.forest.random_forest_regressor import RandomForestRegressor
from tenfold.export.sql.sql_families import ClassScores, ScoreKind, refused, sql_number, sql_scores
from tenfold.export.sql.sql_text import SqlColumn, added, category, number
from tenfold.export.summed_trees import SummedTrees
from tenfold.tree.decision_tree_classifier import DecisionTreeClassifier
from tenfold.tree.decision_tree_regressor import DecisionTreeRegressor

MAX_BRANCHES = 200_000
"""of all trees and outputs: a statement of some 20 MB"""


class TreeCases:
    """The CASE expressions of trees, for columns with these expressions."""

    def __init__(self, summed: SummedTrees, columns: Sequence[SqlColumn], schema: Schema) -> None:
        branches = summed.trees.node_count * summed.value.shape[1]
        if branches > MAX_BRANCHES:
            raise ValueError(
                f"the trees have {branches:,} branches, and a statement of more than {MAX_BRANCHES:,} is beyond what "
                "databases read. Remedy: fewer trees, or a smaller max_depth or max_leaf_nodes"
            )
        self.summed, self.columns, self.schema = summed, columns, schema

    def outputs(self) -> list[str]:
        """Return (base + Σ value) / divisor for each output."""
        found, summed = [], self.summed
        for k, base in enumerate(summed.base.tolist()):
            owned = summed.roots[k :: len(summed.base)] if summed.by_turns else summed.roots
            each = added([*([number(base)] if base else []), *(self._node(root, k) for root in owned.tolist())])
            found.append(each if summed.divisor == 1 else f"{each} / {number(summed.divisor)}")
        return found

    def _node(self, k: int, output: int) -> str:
        t = self.summed.trees
        if t.feature[k] < 0:
            return number(self.summed.value[k, output])
        x, first = self.columns[t.feature[k]].expression, int(t.first_child[k])
        if t.route_at[k] >= 0:
            return self._sets(k, output, x)
        condition = f"{x} <= {number(t.threshold[k])}"
        condition += f" OR {x} IS NULL" if t.missing_left[k] else ""
        return f"CASE WHEN {condition} THEN {self._node(first, output)} ELSE {self._node(first + 1, output)} END"

    def _sets(self, k: int, output: int, x: str) -> str:
        """Return a split of categories: what is missing or was not seen goes where the last code does."""
        labels = self.schema.columns[self.summed.trees.feature[k]].categories
        ways, ends = self.summed.routes(k)
        each = [(codes, self._node(child, output)) for child, codes in ways]
        each += [(ends, number(self.summed.value[k, output]))] if ends else []
        (otherwise,) = (value for codes, value in each if len(labels) in codes)
        whens = []
        for codes, value in each:
            if len(labels) not in codes:
                some = ", ".join(category(labels[code], is_text(labels)) for code in codes)
                whens.append(f"WHEN {x} IN ({some}) THEN {value}")
        return f"CASE {' '.join(whens)} ELSE {otherwise} END"


def _sums(model: Any, columns: Sequence[SqlColumn]) -> list[str]:
    return TreeCases(SummedTrees.of(model), columns, model.schema_).outputs()


@sql_number.register(DecisionTreeRegressor)
@sql_number.register(RandomForestRegressor)
def mean_of_leaves(model: Any, columns: Sequence[SqlColumn]) -> str:
    """Return the mean of the leaf, or of the leaves of all trees."""
    return _sums(model, columns)[0]


@sql_scores.register(DecisionTreeClassifier)
@sql_scores.register(RandomForestClassifier)
def shares_of_leaves(model: Any, columns: Sequence[SqlColumn]) -> ClassScores:
    """Return the shares of the classes in the leaf, or their mean in the leaves of all trees."""
    return ClassScores(_sums(model, columns), ScoreKind.SHARES)


@sql_number.register(BoostingRegressor)
def boosted(model: Any, columns: Sequence[SqlColumn]) -> str:
    """Return the margin, or its exponential if it is the logarithm of a mean."""
    (margin,) = _sums(model, columns)
    return f"EXP({margin})" if model.loss == "poisson" else margin


@sql_scores.register(BoostingClassifier)
def boosted_classes(model: Any, columns: Sequence[SqlColumn]) -> ClassScores:
    """Return the margins, of two classes 0 and that of the second."""
    margins = _sums(model, columns)
    return ClassScores(margins if len(margins) > 1 else [number(0.0), *margins], ScoreKind.LOGARITHMS)


@sql_scores.register(AdaBoostClassifier)
def votes(model: Any, columns: Sequence[SqlColumn]) -> ClassScores:
    """Return what the softmax makes the probabilities of: the shares of the votes, times K / (K - 1)²."""
    members, weights, classes = model.estimators_, model.model_.estimator_weights, len(model.classes_)
    if not all(isinstance(member, DecisionTreeClassifier) for member in members):
        raise refused(members[0])
    trees = SummedTrees.voting(members, weights, classes)
    trees = trees._replace(divisor=float(weights.sum()) * (classes - 1) ** 2 / classes)
    return ClassScores(TreeCases(trees, columns, model.schema_).outputs(), ScoreKind.LOGARITHMS)
