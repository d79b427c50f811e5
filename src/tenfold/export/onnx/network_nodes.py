"""Networks: matrix products, constants and activations."""

from __future__ import annotations

from typing import Any

from tenfold.export.onnx.converters import ClassOutputs, classified, regressed
from tenfold.export.onnx.graph_builder import GraphBuilder
from tenfold.export.onnx.graph_columns import GraphColumns
from tenfold.export.onnx.linear_nodes import affine, probable
from tenfold.neural_network.mlp.mlp_classifier import MLPClassifier
from tenfold.neural_network.mlp.mlp_regressor import MLPRegressor
from tenfold.neural_network.mlp.network_weights import SLOPE

OPERATORS = {"relu": "Relu", "tanh": "Tanh", "logistic": "Sigmoid"}
"""activations that ONNX has; a leaky ReLU is made of others, since runtimes have it in single precision alone"""


@regressed.register(MLPRegressor)
def outputs(model: Any, graph: GraphBuilder, table: GraphColumns) -> str:
    """Append the layers of a network."""
    each = list(zip(model.coefs_, model.intercepts_, strict=True))
    z = affine(graph, table, model.schema_, *each[0])
    for W, b in each[1:]:
        z = graph.node("Gemm", _activated(graph, model.activation, z), graph.constant(W), graph.constant(b))
    return z


@classified.register(MLPClassifier)
def class_scores(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Append the layers, and the probabilities of what comes out."""
    return probable(graph, outputs(model, graph, table), len(model.intercepts_[-1]))


def _activated(graph: GraphBuilder, activation: str, z: str) -> str:
    if activation == "identity":
        return z
    if activation == "leaky_relu":
        return graph.node("Max", z, graph.node("Mul", z, graph.constant(SLOPE)))
    return graph.node(OPERATORS[activation], z)
