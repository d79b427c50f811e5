"""Ensembles of other models: votes of AdaBoost, means of bagging; and transformers side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.ensemble.ada_boost.ada_boost_classifier import AdaBoostClassifier
from tenfold.ensemble.bagging.bagging_classifier import BaggingClassifier
from tenfold.ensemble.bagging.bagging_regressor import BaggingRegressor
from tenfold.estimator.ensembles.parallel_transformers import Branches
from tenfold.export.fitted_stages import fitted_stages
from tenfold.export.onnx.converters import ClassOutputs, classified, regressed, transformed
from tenfold.export.onnx.graph_builder import GraphBuilder
from tenfold.export.onnx.graph_columns import GraphColumns
from tenfold.export.onnx.tree_nodes import summed
from tenfold.export.summed_trees import SummedTrees
from tenfold.tree.decision_tree_classifier import DecisionTreeClassifier


@classified.register(AdaBoostClassifier)
def votes(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return the votes for each class, less the mean of those for others, as a share of all; and their softmax."""
    weights, members = model.model_.estimator_weights, model.estimators_
    classes = len(model.classes_)
    if all(isinstance(member, DecisionTreeClassifier) for member in members):
        trees = SummedTrees.voting(members, weights, classes)
        share = summed(graph, table.coded(graph, model.schema_), trees._replace(divisor=float(weights.sum())))
    else:
        each = [_vote(graph, classified(member, graph, table), classes, w) for member, w in zip(members, weights)]
        share = graph.node("Div", _added(graph, each), graph.constant(float(weights.sum())))
    others = max(classes - 1, 1)
    rest = graph.node("Div", graph.node("Sub", graph.constant(1.0), share), graph.constant(float(others)))
    scores = graph.node("Sub", share, rest)
    odds = graph.node("Div", scores, graph.constant(float(others)))
    return ClassOutputs(scores, graph.node("Softmax", odds, axis=1))


@regressed.register(BaggingRegressor)
def mean_of_members(model: Any, graph: GraphBuilder, table: GraphColumns) -> str:
    """Return the mean of the members' predictions."""
    each = [regressed(member, graph, table) for member in model.estimators_]
    return graph.node("Div", _added(graph, each), graph.constant(float(len(each))))


@classified.register(BaggingClassifier)
def mean_of_probabilities(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return the mean of the members' probabilities, or of their votes."""
    each, classes = [], len(model.classes_)
    for member in model.estimators_:
        found = classified(member, graph, table)
        each.append(found.probabilities or _vote(graph, found, classes, 1.0))
    mean = graph.node("Div", _added(graph, each), graph.constant(float(len(each))))
    return ClassOutputs(mean, mean)


def _vote(graph: GraphBuilder, found: ClassOutputs, classes: int, weight: float) -> str:
    """Return a weight for the class of the highest score, and 0 for others."""
    best = graph.node("ArgMax", found.scores, axis=1, keepdims=1)
    equal = graph.floats(graph.node("Equal", best, graph.constant(np.arange(classes))))
    return graph.node("Mul", equal, graph.constant(float(weight)))


def _added(graph: GraphBuilder, nodes: list[str]) -> str:
    return nodes[0] if len(nodes) == 1 else graph.node("Sum", *nodes)


@transformed.register(Branches)
def side_by_side(model: Any, graph: GraphBuilder, table: GraphColumns) -> GraphColumns:
    """Return what each transformer makes of its columns, one after the other."""
    fitted, found = model.fitted_by_name(), GraphColumns(())
    for branch, columns in zip(model.going(), model.columns(model.schema_), strict=True):
        mine = table.select(graph, list(columns))
        for step in fitted_stages(fitted[branch.name]):
            mine = transformed(step, graph, mine)
        found = found.beside(mine)
    return found
