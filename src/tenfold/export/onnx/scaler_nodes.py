"""Scalers, projections and filled-in values: numbers made of numbers, and text filled in."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.decomposition.pca import PCA
from tenfold.discriminant_analysis.linear_discriminant_analysis import LinearDiscriminantAnalysis
from tenfold.estimator.ensembles.passthrough import Passthrough
from tenfold.export.onnx.converters import transformed
from tenfold.export.onnx.graph_builder import GraphBuilder
from tenfold.export.onnx.graph_columns import MISSING_WORD, GraphColumns, NodeBlock
from tenfold.impute.simple_imputer import SimpleImputer
from tenfold.preprocessing.max_abs_scaler import MaxAbsScaler
from tenfold.preprocessing.min_max_scaler import MinMaxScaler
from tenfold.preprocessing.robust_scaler import RobustScaler
from tenfold.preprocessing.standard_scaler import StandardScaler


@transformed.register(Passthrough)
def unchanged(model: Any, graph: GraphBuilder, table: GraphColumns) -> GraphColumns:
    """Return the columns as they are."""
    return table


@transformed.register(StandardScaler)
def standardized(model: Any, graph: GraphBuilder, table: GraphColumns) -> GraphColumns:
    """Return (x - μ) / σ."""
    z = table.numbers(graph)
    z = graph.node("Sub", z, graph.constant(model.model_.mean)) if model.with_mean else z
    z = graph.node("Div", z, graph.constant(model.model_.scale)) if model.with_std else z
    return GraphColumns.of_numbers(z, table.width)


@transformed.register(RobustScaler)
def robust(model: Any, graph: GraphBuilder, table: GraphColumns) -> GraphColumns:
    """Return (x - median) / scale."""
    center, scale = model.offset_and_scale(model.model_)
    z = graph.node("Sub", table.numbers(graph), graph.constant(center))
    return GraphColumns.of_numbers(graph.node("Div", z, graph.constant(scale)), table.width)


@transformed.register(MaxAbsScaler)
def by_largest(model: Any, graph: GraphBuilder, table: GraphColumns) -> GraphColumns:
    """Return x / scale."""
    z = graph.node("Div", table.numbers(graph), graph.constant(model.model_.scale))
    return GraphColumns.of_numbers(z, table.width)


@transformed.register(MinMaxScaler)
def by_range(model: Any, graph: GraphBuilder, table: GraphColumns) -> GraphColumns:
    """Return scale · x + min, within the range if it is to be clipped."""
    z = graph.node("Mul", table.numbers(graph), graph.constant(model.model_.scale))
    z = graph.node("Add", z, graph.constant(model.model_.min))
    if model.clip:
        low, high = (graph.constant(float(end)) for end in model.feature_range)
        clipped = graph.node("Min", graph.node("Max", z, low), high)
        z = graph.pick(graph.node("IsNaN", z), z, clipped)  # runtimes differ in what the greater of NaN and 0 is
    return GraphColumns.of_numbers(z, table.width)


@transformed.register(PCA)
@transformed.register(LinearDiscriminantAnalysis)
def projected(model: Any, graph: GraphBuilder, table: GraphColumns) -> GraphColumns:
    """Return (x - centre) on each direction."""
    center, directions = model.directions(model.model_)
    z = graph.node("Sub", table.numbers(graph), graph.constant(center))
    return GraphColumns.of_numbers(graph.node("MatMul", z, graph.constant(directions)), directions.shape[1])


@transformed.register(SimpleImputer)
def filled_in(model: Any, graph: GraphBuilder, table: GraphColumns) -> GraphColumns:
    """Return the columns, filled up, then the indicators; a column that had no value stays as it is."""
    fill = np.asarray(model.statistics_, dtype=object).tolist()
    marked = {name.removeprefix("missingindicator_") for name in _indicator_names(model)}
    if not any(block.text for block in table.blocks):
        z = table.numbers(graph)
        gone = graph.node("IsNaN", z)
        filled = graph.pick(gone, graph.constant(np.array(fill, np.float64)), z)
        at = [j for j, column in enumerate(model.schema_.columns) if column.name in marked]
        found = GraphColumns.of_numbers(filled, table.width)
        if not at:
            return found
        return found.beside(
            GraphColumns.of_numbers(graph.floats(graph.node("Gather", gone, graph.constant(at), axis=1)), len(at))
        )
    blocks, indicators = [], []
    for j, column in enumerate(model.schema_.columns):
        (block,) = table.select(graph, [j]).blocks
        if block.text:
            gone = graph.node("Equal", block.node, graph.constant(np.array([MISSING_WORD], object)))
            value = graph.constant(np.array([fill[j]], object))
        else:
            gone, value = graph.node("IsNaN", block.node), graph.constant(np.array([fill[j]], np.float64))
        blocks.append(NodeBlock(graph.pick(gone, value, block.node), 1, block.text))
        if column.name in marked:
            indicators.append(NodeBlock(graph.floats(gone), 1))
    return GraphColumns((*blocks, *indicators))


def _indicator_names(model: Any) -> list[str]:
    """Names of the columns of zeros and ones."""
    names = list(model.schema_.names)
    return list(model.names_out(names))[len(names) :]
