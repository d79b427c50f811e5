"""The rows of a graph: nodes that hold the columns, and categories as codes.

A category is coded as models have it, by its place among those of the fit. What is missing has the first code behind
them, what was not seen the one after.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Column, Schema
from tenfold.core.schema import is_text
from tenfold.export.onnx.graph_builder import ML, GraphBuilder

MISSING_WORD = ""
"""the text that stands for a missing value, since ONNX has none"""
REFUSED_INDEX = 1 << 40
"""an index beyond all tables, at which a runtime raises an error"""


class NodeBlock(NamedTuple):
    """A node that holds some columns side by side."""

    node: str
    width: int
    text: bool = False


class GraphColumns(NamedTuple):
    """Nodes that hold the columns of rows, one after the other."""

    blocks: tuple[NodeBlock, ...]

    @classmethod
    def of_numbers(cls, node: str, width: int) -> GraphColumns:
        """Return a table whose columns are one node of numbers."""
        return cls((NodeBlock(node, width),))

    @property
    def width(self) -> int:
        """How many columns there are."""
        return sum(block.width for block in self.blocks)

    def places(self) -> list[tuple[int, int]]:
        """The block of each column, and its place there."""
        return [(at, j) for at, block in enumerate(self.blocks) for j in range(block.width)]

    def beside(self, other: GraphColumns) -> GraphColumns:
        """Return the columns of both."""
        return GraphColumns(self.blocks + other.blocks)

    def select(self, graph: GraphBuilder, columns: Sequence[int]) -> GraphColumns:
        """Return some of the columns, in this order."""
        if list(columns) == list(range(self.width)):
            return self
        places, found = self.places(), list[NodeBlock]()
        for at, group in groupby((places[j] for j in columns), key=lambda place: place[0]):
            block, some = self.blocks[at], [j for _, j in group]
            if some == list(range(block.width)):
                found.append(block)
                continue
            node = graph.node("Gather", block.node, graph.constant(np.array(some)), axis=1)
            found.append(NodeBlock(node, len(some), block.text))
        return GraphColumns(tuple(found))

    def numbers(self, graph: GraphBuilder) -> str:
        """Return the node of all columns, which hold numbers."""
        if any(block.text for block in self.blocks):
            raise TypeError(
                "text comes out of a step, and no number is made of it. Remedy: OneHotEncoder() or OrdinalEncoder() "
                "after it"
            )
        nodes = [block.node for block in self.blocks]
        return nodes[0] if len(nodes) == 1 else graph.node("Concat", *nodes, axis=1)

    def codes(self, graph: GraphBuilder, j: int, column: Column) -> str:
        """Return the code of each value of a categorical column: rows."""
        (block,) = self.select(graph, [j]).blocks
        labels, flat = column.categories, graph.constant([1])
        many = len(labels)
        if block.text:
            keys = [*map(str, labels)]
            places = list(range(many))
            if MISSING_WORD not in keys:
                keys, places = [*keys, MISSING_WORD], [*places, many]
            return graph.node("Squeeze", _looked_up(graph, block.node, np.array(keys, object), places, many + 1), flat)
        if is_text(labels) and many:
            raise TypeError(f"column {column.name!r} holds text in the fit, and numbers come to it in the graph")
        z = graph.cast(block.node, np.float64)
        known = np.asarray(labels, np.float64).astype(graph.dtype).astype(np.float64)
        if len(np.unique(known)) < many or (labels.dtype.kind in "iu" and (known.astype(labels.dtype) != labels).any()):
            raise ValueError(
                f"categories of column {column.name!r} are numbers that {graph.dtype} does not tell apart. Remedy: "
                "dtype='float64', or make them text before the fit"
            )
        code = _looked_up(graph, z, known, range(many), many + 1) if many else graph.cast(z, np.int64)
        code = graph.pick(graph.node("IsNaN", z), graph.constant(many), code)
        return graph.node("Squeeze", code, flat)

    def coded(self, graph: GraphBuilder, schema: Schema) -> str:
        """Return all columns as float64, categories as codes; what is missing or was not seen is one beyond them."""
        found = []
        for categorical, group in groupby(enumerate(schema.levels.tolist()), key=lambda pair: pair[1] > 0):
            some = [j for j, _ in group]
            if not categorical:
                found.append(graph.cast(self.select(graph, some).numbers(graph), np.float64))
                continue
            for j in some:
                code = self.codes(graph, j, schema.columns[j])
                code = graph.node("Min", code, graph.constant(int(schema.levels[j])))
                found.append(graph.cast(graph.node("Unsqueeze", code, graph.constant([1])), np.float64))
        return found[0] if len(found) == 1 else graph.node("Concat", *found, axis=1)


def _looked_up(graph: GraphBuilder, z: str, keys: Any, places: Iterable[int], otherwise: int) -> str:
    """Return the place of each value, or another number for one that is none of the keys."""
    return graph.node(
        "LabelEncoder", z, domain=ML,
        keys_tensor=graph.onnx.numpy_helper.from_array(keys),
        values_tensor=graph.tensor(np.array(list(places), np.int64)),
        default_tensor=graph.tensor(np.array([otherwise], np.int64)),
    )  # fmt: skip


def table_rows(graph: GraphBuilder, values: Any, codes: str) -> str:
    """Return the row of a table that each code names."""
    return graph.node("Gather", graph.constant(values), codes, axis=0)


def known_codes(graph: GraphBuilder, codes: str, known: Any) -> str:
    """Return the codes; one that is not known is an index at which the runtime raises an error."""
    if np.all(known):
        return codes
    index = np.where(known, np.arange(len(known)), REFUSED_INDEX)
    return table_rows(graph, index.astype(np.int64), codes)


def inputs_of(graph: GraphBuilder, schema: Schema) -> tuple[list[Any], GraphColumns]:
    """Describe the inputs of a graph: one matrix of numbers, or an input for each column that is read.

    The latter if some hold text, or if some of a frame are not read.
    """
    for column in schema.columns:
        if column.kind in ("date", "time"):
            raise TypeError(
                f"column {column.name!r} holds {column.kind}s, which to_onnx does not take. Remedy: numbers of it "
                "before the fit, DateParts()"
            )
    chosen = schema.named and any(column.kind == "unused" for column in schema.columns)
    if not chosen and not any(map(holds_text, schema.columns)):
        width = len(schema.columns)
        return [graph.output("X", [None, width])], GraphColumns.of_numbers("X", width)
    found, blocks = [], []
    for column in schema.columns:
        text = holds_text(column)
        if column.kind != "unused":
            found.append(graph.output(column.name, [None, 1], graph.kind_of(str) if text else None))
        blocks.append(NodeBlock(column.name, 1, text))
    return found, GraphColumns(tuple(blocks))


def holds_text(column: Column) -> bool:
    """Whether the values of a column are text."""
    labels = column.categories
    return column.kind == "text" or (labels is not None and len(labels) > 0 and is_text(labels))
