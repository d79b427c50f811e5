"""Where rows end in grown trees, the nodes on their way there, and how much of the gain is due to each column."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tenfold.compiled.tree.tree_missing import PARTS
from tenfold.compiled.tree.tree_search import SUMS
from tenfold.core import Array, Codes, Columns
from tenfold.core.arrays import MatrixLike
from tenfold.estimator import Estimator, check_is_fitted, fitted
from tenfold.tree.forest import ForestModel
from tenfold.tree.pruning.pruning import up
from tenfold.tree.pruning.pruning_methods import impurities
from tenfold.tree.records import TreeModel
from tenfold.tree.rules.readable import Readable
from tenfold.tree.tree import Tree


class NodeTable(Tree):
    """The nodes of a fitted tree, with what training rows left in them, by the names of scikit-learn's `tree_`."""

    _learner: Any

    @classmethod
    def of(cls, learner: Any) -> NodeTable:
        """The table of a fitted learner of one tree."""
        found = cls._make(learner.model_.tree)
        found._learner = learner
        return found

    @property
    def value(self) -> Array:
        """Nodes x 1 x outputs: the shares of the classes, or the mean of the target."""
        value: Array = self._learner.model_.value
        if self._learner.criterion_code == SUMS:
            return value[:, None, :1].copy()
        return np.asarray(value / value.sum(axis=1, keepdims=True))[:, None]

    @property
    def weighted_n_node_samples(self) -> Array:
        """The weight of the training rows of each node."""
        value: Array = self._learner.model_.value
        return value[:, 1].copy() if self._learner.criterion_code == SUMS else np.asarray(value.sum(axis=1))

    @property
    def n_node_samples(self) -> Codes:
        """The number of training rows of each node."""
        return np.asarray(up(self, self._ended("n_node_samples", "weighted_n_node_samples").sums[:, -1]))

    @property
    def impurity(self) -> Array:
        """The impurity of each node: Gini, error or entropy, as the criterion of the classifier is; or the variance."""
        learner = self._learner
        weight, value = self.weighted_n_node_samples, learner.model_.value
        if learner.criterion_code != SUMS:
            return np.asarray(impurities(value, learner.criterion_code) / weight)
        squares, above = self._ended("impurity", "np.var of the targets of the node's rows").squares, self.parent[1:]
        between = np.zeros_like(weight)  # of the means of branches from that of the node above
        between[1:] = weight[1:] * (value[1:, 0] - value[above, 0]) ** 2
        below = np.bincount(above, up(self, between)[1:], len(weight)) if len(above) else between
        return np.asarray((up(self, squares) + below) / weight)

    def _ended(self, name: str, remedy: str) -> Any:
        """Channel sums of the training rows in their leaves; AttributeError if they were not kept."""
        learner = self._learner
        if learner._missing_code == PARTS:
            raise AttributeError(f'{name}: with missing="fractional" a row is in several nodes. Remedy: {remedy}')
        if learner.summary_ is None:
            raise AttributeError(f"{name}: what rows left in the nodes was not kept, only weights. Remedy: {remedy}")
        return learner.summary_


class TreePaths(Readable):
    """Decision paths, depth and leaves of a fitted tree."""

    @property
    @fitted
    def tree_(self) -> NodeTable:
        """The nodes: `feature`, `threshold`, `children_left`, `value`, `n_node_samples` and others."""
        if "model_" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'tree_'")
        return NodeTable.of(self)

    @fitted
    def apply(self, X: MatrixLike) -> Any:
        """The number of the node in which each row ends.

        It is a leaf, or an inner node for a category that no training row of the node had.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        node : array of shape (rows,)
        """
        check_is_fitted(self)
        self._in_one_leaf("apply")
        return self._apply(_node, X, lambda: ["node"])

    @fitted
    def decision_path(self, X: MatrixLike) -> sp.csr_matrix:
        """The nodes that each row goes through, the root and its last one included.

        Parameters
        ----------
        X : array or frame

        Returns
        -------
        path : CSR matrix of shape (rows, nodes)
            1 where a row goes through a node.
        """
        return ancestor_matrix(self.model_.tree)[_in_memory(self.apply(X))]

    @fitted
    def get_depth(self) -> int:
        """The number of splits on the longest way from the root to a leaf.

        Returns
        -------
        depth : int
        """
        check_is_fitted(self)
        return int(self.model_.tree.max_depth)

    @fitted
    def get_n_leaves(self) -> int:
        """The number of leaves of the tree.

        Returns
        -------
        leaves : int
        """
        check_is_fitted(self)
        return len(self.model_.tree.leaves)

    @property
    @fitted
    def feature_importances_(self) -> Array:
        """Share of the gain of all splits that is due to each column.

        It favours columns with many values, and does not show whether a column helps on unseen rows.
        """
        check_is_fitted(self)
        model: TreeModel = self.model_
        return shares(gains(model.tree, len(model.ranges.levels)))


class ForestPaths(Estimator):
    """Decision paths and leaves of a fitted forest."""

    @fitted
    def apply(self, X: MatrixLike) -> Any:
        """The number of the node in which each row ends, in each tree.

        Parameters
        ----------
        X : array, frame or Source

        Returns
        -------
        node : array of shape (rows, trees)
        """
        check_is_fitted(self)
        return self._apply(nodes, X, lambda: [f"node_{t}" for t in range(len(self.model_.roots))])

    @fitted
    def decision_path(self, X: MatrixLike) -> tuple[sp.csr_matrix, Codes]:
        """The nodes of all trees that each row goes through.

        Parameters
        ----------
        X : array or frame

        Returns
        -------
        path : CSR matrix of shape (rows, nodes)
            1 where a row goes through a node.
        n_nodes_ptr : array of shape (trees + 1,)
            Nodes from n_nodes_ptr[t] on, up to n_nodes_ptr[t + 1], are those of tree t.
        """
        ends = _in_memory(self.apply(X))
        model: ForestModel = self.model_
        every = ancestor_matrix(model.trees)
        return sum(every[node] for node in (ends + model.roots).T), np.append(model.roots, model.trees.node_count)


def ancestor_matrix(trees: Tree) -> sp.csr_matrix:
    """Matrix with ones for the nodes on the path from the root to each node."""
    above, n = trees.parent, trees.node_count
    at, end = np.arange(n), np.arange(n)
    found = []
    while len(at):
        found.append((end, at))
        end, at = end[above[at] >= 0], above[at][above[at] >= 0]
    rows, columns = (np.concatenate(side) for side in zip(*found, strict=True))
    return sp.csr_matrix((np.ones(len(rows), np.int64), (rows, columns)), shape=(n, n))


def gains(trees: Tree, columns: int) -> Array:
    """The gain of all splits of each column."""
    inner = trees.feature >= 0
    return np.bincount(trees.feature[inner], trees.gain[inner], columns).astype(np.float64, copy=False)


def shares(gain: Array) -> Array:
    """Shares of the sum, or zeros."""
    return gain / gain.sum() if gain.any() else gain


def _node(learner: Any, model: TreeModel, X: Columns) -> Codes:
    return model.tree.apply(X)


def nodes(learner: Any, model: Any, X: Columns) -> Codes:
    """The node in which each row ends, in each tree, numbered from its root on."""
    found = [model.trees.apply(X, int(root)) - root for root in model.roots]
    return np.ascontiguousarray(np.column_stack(found))


def tree_at(trees: Tree, roots: Codes, t: int) -> tuple[Tree, slice]:
    """One of several trees, and the range of its nodes."""
    stop = int(roots[t + 1]) if t + 1 < len(roots) else trees.node_count
    at = slice(int(roots[t]), stop)
    found = Tree._make(field[at] for field in trees)._replace(route=trees.route)
    return found._replace(first_child=np.where(found.feature >= 0, found.first_child - at.start, 0)), at


def _in_memory(ends: Any) -> Codes:
    if not isinstance(ends, np.ndarray):
        raise TypeError("decision_path is of rows in memory. Remedy: apply, which takes a source")
    return ends
