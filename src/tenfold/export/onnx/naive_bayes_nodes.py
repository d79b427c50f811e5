"""Naive Bayes: the sum over columns of log P(x_j | c), and log P(c)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.core import Array
from tenfold.export.onnx.converters import ClassOutputs, classified
from tenfold.export.onnx.graph_builder import GraphBuilder
from tenfold.export.onnx.graph_columns import GraphColumns, table_rows
from tenfold.naive_bayes.bernoulli_nb import BernoulliNB
from tenfold.naive_bayes.categorical_nb import CategoricalNB
from tenfold.naive_bayes.gaussian_nb import GaussianNB
from tenfold.naive_bayes.multinomial_nb import MultinomialNB
from tenfold.naive_bayes.naive_bayes import BERNOULLI, CATEGORICAL, GAUSSIAN, POISSON, NaiveBayes


def normalized(graph: GraphBuilder, scores: str, classes: int) -> ClassOutputs:
    """Return the probabilities of log-probabilities; of a row that no class allows, all are the same."""
    endless = graph.node("Equal", scores, graph.constant(-np.inf))
    some = graph.total(graph.cast(endless, np.int64), 1)
    none = graph.node("Unsqueeze", graph.node("Equal", some, graph.constant(classes)), graph.constant([1]))
    return ClassOutputs(scores, graph.node("Softmax", graph.pick(none, graph.constant(0.0), scores), axis=1))


def times(graph: GraphBuilder, z: str, log_prob: Array, base: Array) -> str:
    """Return Σ_j x_j log_prob[c, j] + base[c], where zero times minus infinity is zero."""
    never = np.isneginf(log_prob)
    out = graph.node("MatMul", z, graph.constant(np.where(never, 0.0, log_prob).T))
    if never.any():
        some = graph.node("MatMul", z, graph.constant(never.T.astype(np.float64)))
        out = graph.pick(graph.node("Greater", some, graph.constant(0.0)), graph.constant(-np.inf), out)
    return graph.node("Add", out, graph.constant(base))


@classified.register(GaussianNB)
def gaussian(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return the scores: log π_c - ½ Σ_j [log 2πσ²_cj + (x_j - μ_cj)² / σ²_cj]."""
    m = model.model_
    with np.errstate(divide="ignore"):
        level = np.log(m.class_prior) - 0.5 * np.log(2 * np.pi * m.var).sum(axis=1)
    each = _squares(graph, table.numbers(graph), m.theta, m.var)
    return normalized(graph, graph.node("Sub", graph.constant(level), graph.total(each, 2)), len(level))


def _squares(graph: GraphBuilder, z: str, theta: Array, var: Array) -> str:
    """Return ½ (x_j - μ_cj)² / σ²_cj, rows x classes x columns."""
    away = graph.node("Sub", graph.node("Unsqueeze", z, graph.constant([1])), graph.constant(theta))
    return graph.node("Mul", graph.node("Mul", away, away), graph.constant(0.5 / var))


@classified.register(MultinomialNB)
def multinomial(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return the scores: log π_c + Σ_j x_j log P(j | c)."""
    m = model.model_
    scores = times(graph, table.numbers(graph), m.feature_log_prob, m.class_log_prior)
    return normalized(graph, scores, len(m.class_log_prior))


@classified.register(BernoulliNB)
def bernoulli(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return the scores: log π_c, the columns that are there, and those that are not."""
    m, z = model.model_, table.numbers(graph)
    if model.binarize is not None:
        z = graph.floats(graph.node("Greater", z, graph.constant(float(model.binarize))))
    with np.errstate(divide="ignore"):
        without = np.log1p(-np.exp(np.minimum(m.feature_log_prob, 0.0)))
    absent = graph.node("Sub", graph.constant(1.0), z)
    here = times(graph, z, m.feature_log_prob, m.class_log_prior)
    scores = graph.node("Add", here, times(graph, absent, without, np.zeros(len(without))))
    return normalized(graph, scores, len(without))


@classified.register(CategoricalNB)
def categorical(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return the scores: log π_c and the log-probability of each category that the fit had."""
    m = model.model_
    scores = graph.constant(m.class_log_prior[None])
    for j in range(len(m.n_categories)):
        scores = graph.node("Add", scores, _shares(model, graph, table, j))
    return normalized(graph, scores, len(m.class_log_prior))


def _shares(model: Any, graph: GraphBuilder, table: GraphColumns, j: int) -> str:
    """Return the log-probability of the category of one column in each class; 0 if it was not seen or is missing."""
    m = model.model_
    end = int(m.n_categories[: j + 1].sum())
    rows = m.log_prob[:, end - int(m.n_categories[j]) : end].T
    nothing = np.zeros((2, rows.shape[1]))
    return table_rows(graph, np.concatenate([rows, nothing]), table.codes(graph, j, model.schema_.columns[j]))


@classified.register(NaiveBayes)
def mixed(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return the scores of columns of all kinds; a missing value has no term."""
    m = model.model_
    scores = graph.constant(m.class_log_prior[None])
    kinds = {number: np.flatnonzero(m.kind == number) for number in (GAUSSIAN, BERNOULLI, POISSON)}
    for number, at in kinds.items():
        if len(at):
            z = table.select(graph, at.tolist()).numbers(graph)
            terms = {GAUSSIAN: _gaussian_terms, BERNOULLI: _bernoulli_terms, POISSON: _poisson_terms}[number]
            scores = graph.node("Add", scores, terms(graph, z, m.theta[:, at], m.var[:, at]))
    for j in np.flatnonzero(m.kind == CATEGORICAL).tolist():
        scores = graph.node("Add", scores, _shares(model, graph, table, j))
    return normalized(graph, scores, len(m.class_log_prior))


def _gaussian_terms(graph: GraphBuilder, z: str, theta: Array, var: Array) -> str:
    level = graph.constant(-0.5 * np.log(2 * np.pi * var))
    each = graph.node("Sub", level, _squares(graph, z, theta, var))
    return graph.total(graph.pick(graph.node("IsNaN", each), graph.constant(0.0), each), 2)


def _bernoulli_terms(graph: GraphBuilder, z: str, theta: Array, var: Array) -> str:
    """Return the terms of 0 and 1; another number, or one that no class has, has none."""
    with np.errstate(divide="ignore"):
        each = np.stack([np.log1p(-theta), np.log(theta)])
    each = np.where(np.isneginf(each).all(axis=1, keepdims=True), 0.0, each)
    found = []
    for value, log_prob in enumerate(each):
        equal = graph.floats(graph.node("Equal", z, graph.constant(float(value))))
        found.append(times(graph, equal, log_prob, np.zeros(len(log_prob))))
    return graph.node("Add", *found)


def _poisson_terms(graph: GraphBuilder, z: str, theta: Array, var: Array) -> str:
    """Return x log λ - λ; a number below 0 has no term, and neither has a column that is 0 in all classes."""
    there = graph.node("GreaterOrEqual", z, graph.constant(0.0))
    x = graph.pick(there, z, graph.constant(0.0))
    with np.errstate(divide="ignore"):
        log_rate = np.where((theta == 0).all(axis=0), 0.0, np.log(theta))
    rates = graph.node("MatMul", graph.floats(there), graph.constant(theta.T))
    return graph.node("Sub", times(graph, x, log_rate, np.zeros(len(theta))), rates)
