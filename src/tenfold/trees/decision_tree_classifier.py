"""A decision tree for classes: ask for the column that tells most, then the same of each branch.

Weights of classes by column and bin merge, so each level is one reduce; while the rows fit in one place they
are gathered there once, and the tree is grown from them: the same tree, because all sums are of whole numbers.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tenfold.core import Array, Claim, Columns, Need, Schema
from tenfold.estimator import Classifier
from tenfold.estimator.constraints import choice, integer, seed
from tenfold.kernels import tree_search as ts
from tenfold.trees.frontier import root
from tenfold.trees.growing import Rules
from tenfold.trees.learner import Ends, TreeLearner, TreeState
from tenfold.trees.tree import leaf

CRITERIA = {"gini": ts.GINI, "entropy": ts.ENTROPY, "log_loss": ts.ENTROPY, "error": ts.ERROR, "gain_ratio": ts.RATIO}


class DecisionTreeClassifier(TreeLearner, Classifier):
    """A decision tree on binned columns, exact in each pass.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "error", "gain_ratio"}, default="gini"
    max_depth : int, optional
    min_samples_split : int, default=2
    min_samples_leaf : int, default=1
    max_leaf_nodes : int, optional
    max_bins : int, default=255
    random_state : int, default=0

    Attributes
    ----------
    classes_ : array
    tree_ : Tree
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "b", "b", "a"])
    >>> model.predict([[0.2], [1.4]]).tolist()
    ['a', 'b']
    """

    need = Need("mixed", missing=True, target="class")
    state_type = TreeState
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "criterion": [choice(*CRITERIA)],
        "max_depth": [integer(1), None],
        "min_samples_split": [integer(2)],
        "min_samples_leaf": [integer(1)],
        "max_leaf_nodes": [integer(2), None],
        "max_bins": [integer(2)],
        "random_state": [seed],
    }

    def __init__(
        self,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_leaf_nodes: int | None = None,
        max_bins: int = 255,
        random_state: int | None = 0,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.max_bins = max_bins
        self.random_state = random_state

    def start(self, schema: Schema) -> TreeState:
        """Nothing known."""
        k, edges = len(schema.classes), np.zeros((len(schema.columns), 0))
        return TreeState(
            0, "look", 0, edges, schema.levels, 0, 1.0, True, 0.0, 1.0, root(k + 1, 0), leaf(), np.zeros((1, k)), k
        )

    def channels(self, state: TreeState) -> int:
        """The classes, and the number of rows."""
        return state.outputs + 1

    def rules_of(self, state: TreeState) -> Rules:
        """The parameters, as the kernels have them."""
        return Rules(
            CRITERIA[self.criterion],
            np.where(state.levels > 0, ts.SUBSET, ts.NUMERIC),
            np.full(2, state.unit),
            -1 if self.max_depth is None else self.max_depth,
            self.min_samples_split,
            self.min_samples_leaf,
            max_leaf_nodes=self.max_leaf_nodes or 0,
        )

    def numbers(self, state: TreeState, target: Any, weight: Any) -> tuple[Any, Any, Any]:
        """Labels and weights."""
        return target.astype(np.uint16), weight, np.zeros(0, np.int64)

    def values(self, state: TreeState, sums: Any) -> Array:
        """The weights of the classes."""
        return np.asarray(sums[:, :-1] * state.unit)

    def certify(self, state: TreeState, s: Any) -> tuple[Claim, ...] | None:
        """The training error, from rows sent down the tree."""
        if not isinstance(s, Ends):
            return None
        weight = s.sums[:, :-1]
        wrong = weight.sum() - weight[np.arange(len(weight)), state.value.argmax(axis=1)].sum()
        why = "share of the weight of the training rows, sent down the tree"
        return (Claim("training error", float(wrong / weight.sum()), "proved", why, "data"),)

    def scores_from(self, state: TreeState, X: Columns) -> Array:
        """The shares of the classes in each row's leaf."""
        share = state.value / state.value.sum(axis=1, keepdims=True)
        return share[state.tree.apply(X)]

    def probability_from(self, scores: Any) -> Any:
        """Shares are probabilities."""
        return scores

    def log_probability_from(self, scores: Any) -> Any:
        """Their logarithm."""
        with np.errstate(divide="ignore"):
            return np.log(scores)
