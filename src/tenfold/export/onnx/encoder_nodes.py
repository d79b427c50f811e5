"""Encoders of categories: indicators, and numbers of places."""

from __future__ import annotations

from typing import Any

import numpy as np

from tenfold.export.onnx.converters import transformed
from tenfold.export.onnx.graph_builder import GraphBuilder
from tenfold.export.onnx.graph_columns import GraphColumns, NodeBlock, known_codes, table_rows
from tenfold.preprocessing.one_hot_encoder import OneHotEncoder
from tenfold.preprocessing.ordinal_encoder import OrdinalEncoder


@transformed.register(OneHotEncoder)
def indicators(model: Any, graph: GraphBuilder, table: GraphColumns) -> GraphColumns:
    """Return ones where categories are. A runtime raises an error where the encoder does."""
    each, _ = model.indicator_table(model.model_)
    found, start = [], 0
    for j, (place, width) in enumerate(zip(_by_column(model, each), _widths(model), strict=True)):
        here = np.where(place >= 0, place - start, -1)
        code = table_rows(graph, here, _codes(model, graph, table, j))
        equal = graph.node(
            "Equal", graph.node("Unsqueeze", code, graph.constant([1])), graph.constant(np.arange(width))
        )
        found.append(NodeBlock(graph.floats(equal), width))
        start += width
    return GraphColumns(tuple(block for block in found if block.width))


@transformed.register(OrdinalEncoder)
def places(model: Any, graph: GraphBuilder, table: GraphColumns) -> GraphColumns:
    """Return the place of each category. A runtime raises an error where the encoder does."""
    found = []
    for j, number in enumerate(_by_column(model, model.number_table(model.model_))):
        values = table_rows(graph, number, _codes(model, graph, table, j))
        found.append(NodeBlock(graph.node("Unsqueeze", values, graph.constant([1])), 1))
    return GraphColumns(tuple(found))


def _by_column(model: Any, values: Any) -> list[Any]:
    """Cut a table of the codes of all columns by column: categories, missing, unknown."""
    many = np.diff(model.model_.first) + 2
    return np.split(values, np.cumsum(many)[:-1])


def _widths(model: Any) -> list[int]:
    """How many indicators each column has."""
    outputs = model.places(model.model_).outputs - (model.model_.dropped >= 0)
    return [int(n) for n in outputs]


def _codes(model: Any, graph: GraphBuilder, table: GraphColumns, j: int) -> str:
    """Return the codes of a column; at one that the encoder refuses, the runtime raises an error."""
    codes = table.codes(graph, j, model.schema_.columns[j])
    if model.handle_unknown != "error":
        return codes
    return known_codes(graph, codes, _by_column(model, model.known_positions(model.model_))[j])
