"""Linear models: z = xᵀβ + β₀, or a function of it. A category adds a row of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array, Schema
from tenfold.discriminant_analysis.linear_discriminant_analysis import LinearDiscriminantAnalysis
from tenfold.export.linear_terms import GLM_REGRESSORS, LINEAR_REGRESSORS, PLANES, coefficients, feature_offsets
from tenfold.export.onnx.converters import ClassOutputs, classified, regressed
from tenfold.export.onnx.graph_builder import GraphBuilder
from tenfold.export.onnx.graph_columns import GraphColumns, table_rows
from tenfold.linear_model.glm.logistic_regression import LogisticRegression


def affine(graph: GraphBuilder, table: GraphColumns, schema: Schema, W: Array, b: Array) -> str:
    """Return xᵀW + b, rows x outputs: W has a row for each number and each category.

    A category that was not seen adds nothing; one that is missing makes the outputs NaN, as a missing number does.
    """
    first, levels = feature_offsets(schema), schema.levels
    numbers = np.flatnonzero(levels == 0)
    terms = []
    if len(numbers):
        z = table.select(graph, numbers.tolist()).numbers(graph)
        terms.append(graph.node("Gemm", z, graph.constant(W[first[numbers]]), graph.constant(b)))
    for j in np.flatnonzero(levels).tolist():
        each = W[first[j] : first[j + 1]]
        rows = np.concatenate([each, np.full((1, W.shape[1]), np.nan), np.zeros((1, W.shape[1]))])
        rows = rows if terms else rows + b
        terms.append(table_rows(graph, rows, table.codes(graph, j, schema.columns[j])))
    out = terms[0]
    for term in terms[1:]:
        out = graph.node("Add", out, term)
    return out


def line(model: Any, graph: GraphBuilder, table: GraphColumns) -> str:
    """Return xᵀβ + β₀."""
    return affine(graph, table, model.schema_, *coefficients(model))


def mean_of_log_link(model: Any, graph: GraphBuilder, table: GraphColumns) -> str:
    """Return exp(xᵀβ + β₀)."""
    return graph.node("Exp", affine(graph, table, model.schema_, *coefficients(model)))


def planes(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return distances from planes: of two classes one, on the side of the second."""
    f = affine(graph, table, model.schema_, *coefficients(model))
    if len(model.classes_) > 2:
        return ClassOutputs(f, None)
    return ClassOutputs(both_sides(graph, f), None, graph.node("Squeeze", f, graph.constant([1])))


for _kind in LINEAR_REGRESSORS:
    regressed.register(_kind, line)
for _kind in GLM_REGRESSORS:
    regressed.register(_kind, mean_of_log_link)
for _kind in PLANES:
    classified.register(_kind, planes)


@classified.register(LogisticRegression)
def log_odds(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return log-odds, and the probabilities that they are of."""
    W, b = coefficients(model)
    return probable(graph, affine(graph, table, model.schema_, W, b), len(b))


@classified.register(LinearDiscriminantAnalysis)
def linear_discriminant(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return the scores, computed around the mean of the rows as the model does."""
    m = model.model_
    z = graph.node("Sub", table.numbers(graph), graph.constant(m.xbar))
    return probable(graph, graph.node("Gemm", z, graph.constant(m.coef.T), graph.constant(m.level)), len(m.level))


def both_sides(graph: GraphBuilder, f: str) -> str:
    """Return the scores of two classes from that of the second."""
    return graph.node("Concat", graph.node("Neg", f), f, axis=1)


def probable(graph: GraphBuilder, f: str, outputs: int) -> ClassOutputs:
    """Return probabilities of log-odds of the second class, or of scores of all classes."""
    if outputs == 1:
        both = both_sides(graph, f)
        return ClassOutputs(both, graph.node("Sigmoid", both))
    return ClassOutputs(f, graph.node("Softmax", f, axis=1))
