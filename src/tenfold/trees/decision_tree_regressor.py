"""A decision tree for numbers: the split that lowers the squared error most, then the same of each branch.

The sums Σw(c - y) and Σw by column and bin, in whole units, merge exactly: the same tree for any parts.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tenfold.core import Array, Claim, Columns, Need, Schema
from tenfold.estimator import Regressor
from tenfold.estimator.constraints import integer, seed
from tenfold.kernels import tree_search as ts
from tenfold.stats.tree_bins import fine_unit
from tenfold.trees.frontier import root
from tenfold.trees.growing import Rules
from tenfold.trees.learner import Ends, TreeLearner, TreeState
from tenfold.trees.tree import leaf


class DecisionTreeRegressor(TreeLearner, Regressor):
    """A regression tree on binned columns, exact in each pass.

    Parameters
    ----------
    max_depth : int, optional
    min_samples_split : int, default=2
    min_samples_leaf : int, default=1
    max_leaf_nodes : int, optional
    max_bins : int, default=255
    random_state : int, default=0

    Attributes
    ----------
    tree_ : Tree
    certificate_ : Certificate

    Examples
    --------
    >>> from tenfold import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0])
    >>> model.predict([[0.5], [9.0]])
    array([1., 6.])
    """

    need = Need("mixed", missing=True, target="number")
    state_type = TreeState
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "max_depth": [integer(1), None],
        "min_samples_split": [integer(2)],
        "min_samples_leaf": [integer(1)],
        "max_leaf_nodes": [integer(2), None],
        "max_bins": [integer(2)],
        "random_state": [seed],
    }

    def __init__(
        self,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_leaf_nodes: int | None = None,
        max_bins: int = 255,
        random_state: int | None = 0,
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.max_bins = max_bins
        self.random_state = random_state

    def start(self, schema: Schema) -> TreeState:
        """Nothing known."""
        edges = np.zeros((len(schema.columns), 0))
        return TreeState(
            0, "look", 0, edges, schema.levels, 0, 1.0, True, 0.0, 1.0, root(3, 0), leaf(), np.zeros((1, 2)), 2
        )

    def channels(self, state: TreeState) -> int:
        """Σg, Σh, and the number of rows."""
        return 3

    def rules_of(self, state: TreeState) -> Rules:
        """The parameters, as the kernels have them."""
        return Rules(
            ts.SUMS,
            np.where(state.levels > 0, ts.SUBSET, ts.NUMERIC),
            np.array([fine_unit(state.scale, state.rows), state.unit]),
            -1 if self.max_depth is None else self.max_depth,
            self.min_samples_split,
            self.min_samples_leaf,
            max_leaf_nodes=self.max_leaf_nodes or 0,
        )

    def numbers(self, state: TreeState, target: Any, weight: Any) -> tuple[Any, Any, Any]:
        """Distances from the centre, in whole units, and weights."""
        away = (state.center - target) * (weight * state.unit if len(weight) else 1.0)
        g = np.rint(away / fine_unit(state.scale, state.rows)).astype(np.int64)
        return np.zeros(0, np.uint16), g, weight

    def values(self, state: TreeState, sums: Any) -> Array:
        """The mean of the target, and the weight."""
        g, h = sums[:, 0] * fine_unit(state.scale, state.rows), sums[:, 1] * state.unit
        return np.column_stack([state.center - g / h, h])

    def certify(self, state: TreeState, s: Any) -> tuple[Claim, ...] | None:
        """That the means are those of the rows that end there, and how finely targets were summed."""
        if not isinstance(s, Ends):
            return None
        off = float(np.abs(self.values(state, s.sums[state.tree.leaves]) - state.value[state.tree.leaves]).max())
        why = "largest difference of a leaf from the rows that end in it, sent down the tree"
        fine = "targets were summed in whole multiples of this"
        return (
            Claim("leaf error", off, "proved", why, "arithmetic"),
            Claim("resolution", fine_unit(state.scale, state.rows), "proved", fine, "arithmetic"),
        )

    def predict_from(self, state: TreeState, X: Columns) -> Array:
        """The mean of each row's leaf."""
        return np.asarray(state.value[state.tree.apply(X), 0])
