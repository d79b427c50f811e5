"""Linear models: z = xᵀβ + β₀, or a function of it. A category adds a row of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array, Schema
from tenfold.discriminant_analysis.linear_discriminant_analysis import LinearDiscriminantAnalysis
from tenfold.export.onnx.converters import ClassOutputs, classified, regressed
from tenfold.export.onnx.graph_builder import GraphBuilder
from tenfold.export.onnx.graph_columns import GraphColumns, feature_offsets, table_rows
from tenfold.linear_model.class_moments.adaline import Adaline
from tenfold.linear_model.cross_validated.elastic_net_cv import ElasticNetCV
from tenfold.linear_model.cross_validated.lasso_cv import LassoCV
from tenfold.linear_model.cross_validated.ridge_cv import RidgeCV
from tenfold.linear_model.glm.gamma_regressor import GammaRegressor
from tenfold.linear_model.glm.logistic_regression import LogisticRegression
from tenfold.linear_model.glm.poisson_regressor import PoissonRegressor
from tenfold.linear_model.least_squares.linear_regression import LinearRegression
from tenfold.linear_model.least_squares.ridge import Ridge
from tenfold.linear_model.penalized.bridge_regression import BridgeRegression
from tenfold.linear_model.penalized.elastic_net import ElasticNet
from tenfold.linear_model.penalized.lasso import Lasso
from tenfold.linear_model.sgd.perceptron import Perceptron
from tenfold.linear_model.sgd.sgd_classifier import SGDClassifier
from tenfold.linear_model.sgd.sgd_regressor import SGDRegressor
from tenfold.svm.linear_svc import LinearSVC
from tenfold.svm.linear_svr import LinearSVR


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


def coefficients(model: Any) -> tuple[Array, Array]:
    """Return the coefficients, features x outputs, and the intercept of each output."""
    W = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    return W.T, np.broadcast_to(np.asarray(model.intercept_, dtype=np.float64).ravel(), (len(W),))


@regressed.register(LinearRegression)
@regressed.register(Ridge)
@regressed.register(RidgeCV)
@regressed.register(Lasso)
@regressed.register(LassoCV)
@regressed.register(ElasticNet)
@regressed.register(ElasticNetCV)
@regressed.register(BridgeRegression)
@regressed.register(SGDRegressor)
@regressed.register(LinearSVR)
def line(model: Any, graph: GraphBuilder, table: GraphColumns) -> str:
    """Return xᵀβ + β₀."""
    return affine(graph, table, model.schema_, *coefficients(model))


@regressed.register(PoissonRegressor)
@regressed.register(GammaRegressor)
def mean_of_log_link(model: Any, graph: GraphBuilder, table: GraphColumns) -> str:
    """Return exp(xᵀβ + β₀)."""
    return graph.node("Exp", affine(graph, table, model.schema_, *coefficients(model)))


@classified.register(SGDClassifier)
@classified.register(Perceptron)
@classified.register(Adaline)
@classified.register(LinearSVC)
def planes(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return distances from planes: of two classes one, on the side of the second."""
    f = affine(graph, table, model.schema_, *coefficients(model))
    if len(model.classes_) > 2:
        return ClassOutputs(f, None)
    return ClassOutputs(both_sides(graph, f), None, graph.node("Squeeze", f, graph.constant([1])))


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
