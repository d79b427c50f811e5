"""Families: a variable and its parents. How often their values meet is counted, and the counts of parts add up.

The counts, and the tables made of them, are consecutive in a single array: for each variable an axis for every
parent, then one to itself.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from tenfold.core import Array, Chunk, Codes, Columns, Mergeable, Schema, Values
from tenfold.core.field_values import COUNTS, NOT_NEGATIVE, Between, Index
from tenfold.core.statistic import Grouped
from tenfold.graphical.bayesian_network import BayesianNetwork
from tenfold.graphical.dag import Parents, parents_first

PROBABILITY_SUM_TOLERANCE = 1e-6
"""by how much the sum of probabilities may differ from one"""
ROWS_PER_BLOCK = 1 << 14
"""rows at a time: few enough to stay in cache, many enough that a step takes longer than its call"""


class NetworkLayout(NamedTuple):
    """The graph and the number of values of each variable, which determine offset and shape of every table."""

    parents: Parents
    levels: tuple[int, ...]
    """number of values of each variable; at least 1, for a column without values"""

    @classmethod
    def of(cls, parents: Parents, levels: Codes) -> NetworkLayout:
        """Layout of a graph whose variables have these numbers of values."""
        return cls(parents, tuple(np.maximum(levels, 1).tolist()))

    @classmethod
    def read(cls, levels: Codes, parent: Codes, child: Codes) -> NetworkLayout:
        """The layout that arrays of a record describe: edges in the order of the axes."""
        some: list[list[int]] = [[] for _ in levels]
        for one, other in zip(parent.tolist(), child.tolist(), strict=True):
            some[other].append(one)
        return cls.of(tuple(map(tuple, some)), levels)

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shape of the table of each variable: parents, then the variable."""
        return [tuple(self.levels[one] for one in (*some, at)) for at, some in enumerate(self.parents)]

    @property
    def size(self) -> int:
        """How many numbers all tables have together."""
        return sum(math.prod(shape) for shape in self.shapes)

    def edges(self) -> tuple[Codes, Codes]:
        """Parents and children, as arrays of a record."""
        pairs = [(one, at) for at, some in enumerate(self.parents) for one in some]
        both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])

    def split(self, flat: Array) -> list[Array]:
        """Yield the table of each variable, as views of the flat array."""
        ends = np.cumsum([math.prod(shape) for shape in self.shapes])
        return [piece.reshape(shape) for piece, shape in zip(np.split(flat, ends[:-1]), self.shapes, strict=True)]

    def is_valid(self, size: int) -> bool:
        """Whether the graph has no cycle, and the tables have the size of its layout."""
        once = all(len(set(some)) == len(some) for some in self.parents)
        return once and len(parents_first(self.parents)) == len(self.levels) and self.size == size


class NetworkModel(NamedTuple):
    """The tables of a network, one after another, and its graph. The first variables are the columns."""

    levels: Annotated[Codes, "node", COUNTS]
    parent: Annotated[Codes, "edge", Index("node")]
    child: Annotated[Codes, "edge", Index("node")]
    table: Annotated[Array, "cell", Between(0.0, 1.0 + PROBABILITY_SUM_TOLERANCE)]

    @classmethod
    def of(cls, layout: NetworkLayout, levels: Codes, tables: Sequence[Array]) -> NetworkModel:
        """Build the record of some tables, for variables with these numbers of values."""
        flat = np.concatenate([table.ravel() for table in tables]) if tables else np.zeros(0)
        return cls(levels, *layout.edges(), flat)

    @property
    def layout(self) -> NetworkLayout:
        """The graph, and how many values each variable has."""
        return NetworkLayout.read(self.levels, self.parent, self.child)

    def tables(self) -> list[Array]:
        """P(variable | parents) of each variable."""
        return self.layout.split(self.table)

    def is_valid(self, schema: Schema) -> bool:
        """Whether graph, schema and tables fit, and probabilities sum to one."""
        if not _begins_with(self.levels, schema.levels) or not self.layout.is_valid(len(self.table)):
            return False
        return all(bool((np.abs(table.sum(axis=-1) - 1) <= PROBABILITY_SUM_TOLERANCE).all()) for table in self.tables())

    def network(self, names: Sequence[str], values: Sequence[Sequence[Hashable]]) -> BayesianNetwork:
        """The network of these tables, whose variables have names and values."""
        if empty := [name for name, some in zip(names, values, strict=True) if not len(some)]:
            raise ValueError(f"column {empty[0]!r} has no values: all are missing. Remedy: drop it, and fit again")
        parents = {names[at]: [names[one] for one in some] for at, some in enumerate(self.layout.parents)}
        return BayesianNetwork(dict(zip(names, values, strict=True)), parents, dict(zip(names, self.tables())))


class FamilyCounts(Mergeable):
    """Weight of the rows that have these values of a variable and its parents."""

    exact: ClassVar[bool] = True
    levels: Annotated[Codes, "node", COUNTS]
    parent: Annotated[Codes, "edge", Index("node")]
    child: Annotated[Codes, "edge", Index("node")]
    count: Annotated[Array, "cell", NOT_NEGATIVE]
    by_weight = ("count",)

    def __add__(self, other: FamilyCounts) -> FamilyCounts:
        return replace(self, count=self.count + other.count)

    @property
    def layout(self) -> NetworkLayout:
        """The graph, and how many values each variable has."""
        return NetworkLayout.read(self.levels, self.parent, self.child)

    def tables(self) -> list[Array]:
        """Tables of counts, one for each variable with its parents."""
        return self.layout.split(self.count)

    def is_valid(self, schema: Schema) -> bool:
        """Whether graph, schema and counts fit."""
        return _begins_with(self.levels, schema.levels) and self.layout.is_valid(len(self.count))

    def recode(self, old: Schema, new: Schema) -> FamilyCounts:
        """Recode the counts to a schema with more categories."""
        levels = np.concatenate([new.levels, self.levels[len(new.levels) :]])
        return replace(self, levels=levels, count=recoded(self.layout, self.count, levels, old, new))


def recoded(layout: NetworkLayout, flat: Array, levels: Codes, old: Schema, new: Schema) -> Array:
    """Tables of all families under a larger schema, with zeros for new categories."""
    at = old.places("value", new)
    if at is None:
        return flat
    places = [np.arange(k) for k in layout.levels]
    for column, (here, there, k) in enumerate(zip(old.value_offsets, new.value_offsets, old.levels, strict=False)):
        if k:
            places[column] = at[here : here + k] - there
    out = [np.zeros(shape) for shape in NetworkLayout.of(layout.parents, levels).shapes]
    for node, table in enumerate(layout.split(flat)):
        out[node][np.ix_(*(places[one] for one in (*layout.parents[node], node)))] = table
    return np.concatenate([table.ravel() for table in out])


def _begins_with(levels: Codes, columns: Codes) -> bool:
    """Whether the first variables are the columns."""
    return np.array_equal(levels[: len(columns)], columns)


class CountsByFamily(Grouped[FamilyCounts]):
    """Weight of the values of each variable with those of its parents; a row counts where it has all of them."""

    levels: Codes
    parent: Codes
    child: Codes

    def summarize(self, chunk: Chunk) -> FamilyCounts:
        layout = NetworkLayout.read(self.levels, self.parent, self.child)
        columns = [chunk.X.column(at) for at in range(chunk.X.shape[1])]
        ones = bool(chunk.uniform and len(chunk.weight) and chunk.weight[0] == 1)
        out = [np.zeros(math.prod(shape)) for shape in layout.shapes]
        for start in range(0, len(chunk.weight), ROWS_PER_BLOCK):
            rows = slice(start, start + ROWS_PER_BLOCK)
            _add_families(out, layout, [column[rows] for column in columns], None if ones else chunk.weight[rows])
        return FamilyCounts(self.levels, self.parent, self.child, np.concatenate(out) if out else np.zeros(0))


def _add_families(out: list[Array], layout: NetworkLayout, columns: Sequence[Values], weight: Array | None) -> None:
    """Add to the counts of each family the weights of some rows, which are ones if none are given."""
    whole = [bool(column.min() >= 0) for column in columns]  # of NaN, it is not
    short: Any = np.int32 if max(map(len, out), default=0) < 1 << 31 else np.int64  # half the bytes to move
    codes = [
        (column if fine else np.where(column >= 0, column, -1.0)).astype(short)
        for column, fine in zip(columns, whole, strict=True)
    ]
    for at, some in enumerate(layout.parents):
        family = (*some, at)
        cell, mass = codes[family[0]], weight
        for one in family[1:]:
            cell = cell * short(layout.levels[one])
            cell += codes[one]
        if not all(whole[one] for one in family):
            there = np.logical_and.reduce([codes[one] >= 0 for one in family])
            cell, mass = cell[there], None if weight is None else weight[there]
        out[at] += np.bincount(cell, mass, minlength=len(out[at]))


def coded_blocks(X: Columns) -> Iterator[tuple[slice, Codes]]:
    """The codes of some rows at a time, columns x rows; -1 where a value is missing, or was never seen."""
    for rows, block in X.blocks(ROWS_PER_BLOCK):
        yield rows, np.where(block.T >= 0, block.T, -1.0).astype(np.int64)


def tree_tables(layout: NetworkLayout, levels: Codes, pairs: Array, tree: Sequence[int]) -> list[Array]:
    """The counts of each column with its parent in a tree, from those of all pairs of values.

    Parameters
    ----------
    layout : Layout
    levels : array of int
        Values of each column.
    pairs : array of shape (..., values, values)
        With the same axes before the last two, the counts have them too.
    tree : sequence of int
        The parent of each column, -1 if it has none.
    """
    ends = np.cumsum(levels).tolist()
    place = [slice(end - size, end) for end, size in zip(ends, levels.tolist(), strict=True)]
    own = np.diagonal(pairs, axis1=-2, axis2=-1)
    out = []
    for at, parent in enumerate(tree):
        count = pairs[..., place[parent], place[at]] if parent >= 0 else own[..., place[at]]
        shape = layout.shapes[at]
        out.append(count if count.shape == shape else np.zeros(shape))  # of a column without values
    return out
