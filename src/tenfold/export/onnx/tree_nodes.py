"""Trees and sums of them: the operator TreeEnsemble, in float64 whatever the type of the graph.

Thresholds in float32 would send rows another way. A split of categories is a chain of nodes, each of which asks whether
a code is in a set.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Array
from tenfold.ensemble.boosting.boosting_classifier import BoostingClassifier
from tenfold.ensemble.boosting.boosting_regressor import BoostingRegressor
from tenfold.ensemble.forest.random_forest_classifier import RandomForestClassifier
from tenfold.ensemble.forest.random_forest_regressor import RandomForestRegressor
from tenfold.export.onnx.converters import ClassOutputs, classified, regressed
from tenfold.export.onnx.graph_builder import ML, GraphBuilder
from tenfold.export.onnx.graph_columns import GraphColumns
from tenfold.export.onnx.linear_nodes import probable
from tenfold.export.summed_trees import SummedTrees
from tenfold.tree.decision_tree_classifier import DecisionTreeClassifier
from tenfold.tree.decision_tree_regressor import DecisionTreeRegressor

LESS_OR_EQUAL, MEMBER = 0, 6
"""numbers of the comparisons in ONNX"""


class Way(NamedTuple):
    """Where a branch leads: to a node of the operator, or to one of its leaves."""

    at: int
    leaf: bool


class TreeNodes:
    """The nodes and leaves of trees, as the operator TreeEnsemble numbers them."""

    def __init__(self, summed: SummedTrees) -> None:
        self.summed = summed
        self.tree_roots: list[int] = []
        self.nodes: list[tuple[int, int, float, bool]] = []
        self.ways: list[list[Way]] = []
        self.members: list[float] = []
        self.leaves: list[tuple[int, int]] = []
        for number, (root, _) in enumerate(summed.spans):
            self.tree_roots.append(len(self.nodes))
            self._grow(root, number)

    def _grow(self, root: int, number: int) -> None:
        """Add one tree, each node after the one that leads to it."""
        if self.summed.trees.feature[root] < 0:  # a leaf alone, to which both branches of a node lead
            end = self._leaf(root, number)
            at = self._node(0, LESS_OR_EQUAL, 0.0, False)
            self.ways[at] = [end, end]
            return
        todo: list[tuple[int, list[Way], int]] = [(root, [], 0)]
        while todo:
            k, above, side = todo.pop()
            for child, ways, place in self._expanded(k, above, side, number):
                todo.append((child, ways, place))

    def _expanded(self, k: int, above: list[Way], side: int, number: int) -> list[tuple[int, list[Way], int]]:
        """Add the nodes of one split, link it to the branch that leads there, and return where it leads."""
        t = self.summed.trees
        if t.feature[k] < 0:
            above[side] = self._leaf(k, number)
            return []
        first = len(self.nodes)
        column = int(t.feature[k])
        if t.route_at[k] < 0:
            at = self._node(column, LESS_OR_EQUAL, float(t.threshold[k]), bool(t.missing_left[k]))
            found = [(int(t.first_child[k]) + place, self.ways[at], place) for place in (0, 1)]
        else:
            ways, ends = self.summed.routes(k)
            tests = ways if ends else ways[:-1]
            found = []
            for child, codes in tests:
                at = self._node(column, MEMBER, 0.0, False)
                self.members += [*map(float, codes), np.nan]
                self.ways[at][1] = Way(at + 1, False)
                found.append((child, self.ways[at], 0))
            if ends:
                self.ways[at][1] = self._leaf(k, number)
            else:
                found.append((ways[-1][0], self.ways[at], 1))
        if above:
            above[side] = Way(first, False)
        return found

    def _node(self, column: int, mode: int, threshold: float, missing_left: bool) -> int:
        self.nodes.append((column, mode, threshold, missing_left))
        self.ways.append([Way(0, True), Way(0, True)])
        return len(self.nodes) - 1

    def _leaf(self, k: int, number: int) -> Way:
        self.leaves.append((k, number))
        return Way(len(self.leaves) - 1, True)

    def operator(self, graph: GraphBuilder, z: str, targets: int, target: Array, weight: Array) -> str:
        """Append the operator: each leaf adds a weight to one of the targets."""
        column, mode, threshold, missing_left = (list(each) for each in zip(*self.nodes, strict=True))
        yes, no = zip(*self.ways, strict=True)
        sets: dict[str, Any] = {}
        if self.members:
            sets["membership_values"] = graph.tensor(np.array(self.members))
        return graph.node(
            "TreeEnsemble", z, domain=ML, n_targets=targets, aggregate_function=1, post_transform=0,
            tree_roots=self.tree_roots,
            nodes_featureids=column,
            nodes_modes=graph.tensor(np.array(mode, np.uint8)),
            nodes_splits=graph.tensor(np.array(threshold, np.float64)),
            nodes_missing_value_tracks_true=[int(one) for one in missing_left],
            nodes_truenodeids=[way.at for way in yes], nodes_trueleafs=[int(way.leaf) for way in yes],
            nodes_falsenodeids=[way.at for way in no], nodes_falseleafs=[int(way.leaf) for way in no],
            leaf_targetids=[int(one) for one in target],
            leaf_weights=graph.tensor(np.asarray(weight, np.float64)),
            **sets,
        )  # fmt: skip


def summed(graph: GraphBuilder, z: str, trees: SummedTrees) -> str:
    """Return (base + Σ value) / divisor, rows x outputs, of columns as float64."""
    nodes = TreeNodes(trees)
    node, number = np.array(nodes.leaves).T
    outputs = trees.value.shape[1]
    each = (trees.value[node] != 0).sum(axis=1)
    if outputs == 1 or (each <= 1).all():  # a leaf of the operator adds to one output
        target = np.abs(trees.value[node]).argmax(axis=1)
        out = nodes.operator(graph, z, outputs, target, trees.value[node, target])
    else:  # a target for each tree: the place of the leaf in a table of values
        rows = nodes.operator(graph, z, len(trees.roots), number, np.arange(len(node), dtype=np.float64))
        values = graph.constant(trees.value[node], exact=True)
        out = graph.total(graph.node("Gather", values, graph.cast(rows, np.int64), axis=0), 1)
    if trees.base.any():
        out = graph.node("Add", out, graph.constant(trees.base, exact=True))
    if trees.divisor != 1:
        out = graph.node("Div", out, graph.constant(trees.divisor, exact=True))
    return graph.floats(out)


@regressed.register(DecisionTreeRegressor)
@regressed.register(RandomForestRegressor)
def mean_of_leaves(model: Any, graph: GraphBuilder, table: GraphColumns) -> str:
    """Return the mean of the leaf, or of the leaves of all trees."""
    return summed(graph, table.coded(graph, model.schema_), SummedTrees.of(model))


@classified.register(DecisionTreeClassifier)
@classified.register(RandomForestClassifier)
def shares_of_leaves(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return the shares of the classes in the leaf, or their mean in the leaves of all trees."""
    found = summed(graph, table.coded(graph, model.schema_), SummedTrees.of(model))
    return ClassOutputs(found, found)


def _margins(model: Any, graph: GraphBuilder, table: GraphColumns) -> str:
    return summed(graph, table.coded(graph, model.schema_), SummedTrees.of(model))


@regressed.register(BoostingRegressor)
def boosted(model: Any, graph: GraphBuilder, table: GraphColumns) -> str:
    """Return the margin, or its exponential if it is the logarithm of a mean."""
    margin = _margins(model, graph, table)
    return graph.node("Exp", margin) if model.loss == "poisson" else margin


@classified.register(BoostingClassifier)
def boosted_classes(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return the margins, and the probabilities that they are log-odds of."""
    return probable(graph, _margins(model, graph, table), model.model_.outputs)
