"""Clusters, and classes that are quadratic: squared distances to centres."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.cluster.kmeans import KMeans
from tenfold.cluster.mini_batch_kmeans import MiniBatchKMeans
from tenfold.discriminant_analysis.quadratic_discriminant_analysis import QuadraticDiscriminantAnalysis
from tenfold.export.onnx.converters import ClassOutputs, ClusterOutputs, classified, clustered, transformed
from tenfold.export.onnx.graph_builder import GraphBuilder
from tenfold.export.onnx.graph_columns import GraphColumns
from tenfold.export.onnx.naive_bayes_nodes import normalized


@clustered.register(KMeans)
@clustered.register(MiniBatchKMeans)
def nearest(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClusterOutputs:
    """Return the number of the nearest centre, and the distance to each."""
    centers = graph.constant(model.cluster_centers_)
    away = graph.node("Sub", graph.node("Unsqueeze", table.numbers(graph), graph.constant([1])), centers)
    squares = graph.total(graph.node("Mul", away, away), 2)
    return ClusterOutputs(graph.node("ArgMin", squares, axis=1, keepdims=0), graph.node("Sqrt", squares))


@transformed.register(KMeans)
@transformed.register(MiniBatchKMeans)
def distances(model: Any, graph: GraphBuilder, table: GraphColumns) -> GraphColumns:
    """Return the distance to each centre."""
    return GraphColumns.of_numbers(nearest(model, graph, table).distances, len(model.cluster_centers_))


@classified.register(QuadraticDiscriminantAnalysis)
def quadratic(model: Any, graph: GraphBuilder, table: GraphColumns) -> ClassOutputs:
    """Return the scores: level - ½ |W (x - μ)|², computed around the mean of all rows as the model does."""
    m = model.model_
    classes, width = m.means.shape
    center = m.priors @ m.means
    moved = np.concatenate([w @ (mean - center) for w, mean in zip(m.whitening, m.means, strict=True)])
    z = graph.node("Sub", table.numbers(graph), graph.constant(center))
    z = graph.node("MatMul", z, graph.constant(m.whitening.reshape(-1, width).T))
    z = graph.node("Sub", z, graph.constant(moved))
    each = graph.node("Reshape", graph.node("Mul", z, z), graph.constant(np.array([-1, classes, width])))
    half = graph.node("Mul", graph.total(each, 2), graph.constant(0.5))
    return normalized(graph, graph.node("Sub", graph.constant(m.level), half), classes)
