"""What boosting knows between rounds, and what it asks of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Codes, Schema
from tenfold.core.allowed import ANYTHING, CLASS_COUNT, EDGES, LEVELS, NOT_NAN, POSITIVE, RISING, Index, OneOf
from tenfold.stats.tree_bins import Cut, WeightUnit
from tenfold.trees import frontier as fr
from tenfold.trees.records import Histograms
from tenfold.trees.renewing import Sought
from tenfold.trees.tree import Tree, stacked

FEW = 64
"""weights up to this, if they are whole numbers, leave the units alone in which gradients are summed"""


class Ensemble(NamedTuple):
    """Trees that add up."""

    roots: Codes
    """of the trees: first, since what has more trees is told by these alone"""
    trees: Tree
    """one after the other"""
    value: Array
    """what a row that ends in a node adds to its margin"""
    base: Array
    """the margin to start from"""

    @property
    def outputs(self) -> int:
        """Trees in a round."""
        return len(self.base)

    def begins_round(self, frontier: fr.Frontier) -> bool:
        """Whether the tree that grows is the first of a round, and is about to begin."""
        return len(frontier.node) == 1 and len(self.roots) % self.outputs == 0

    @property
    def walk(self) -> Walk:
        """The trees, ready to be gone down."""
        t, roots = self.trees, self.roots
        leaf = t.feature < 0
        return Walk(
            np.where(leaf, 0, t.feature).astype(np.int32),
            np.where(leaf, np.inf, t.threshold),
            np.where(leaf, 1 << 20, t.place).astype(np.int32),
            (t.missing_left == 0) & ~leaf,
            np.where(leaf, np.arange(len(leaf)), t.first_child).astype(np.int32),
            np.maximum.reduceat(t.depth, roots) if len(roots) else roots,
        )

    @property
    def last(self) -> Tree:
        """The last tree alone."""
        at = int(self.roots[-1])
        t = self.trees
        fields: Any = (x if name == "route" else x[at:] for name, x in t._asdict().items())
        found = Tree(*fields)
        return found._replace(first_child=np.where(found.feature >= 0, found.first_child - at, 0))


class Boosted(NamedTuple):
    """The trees so far, and how to go on."""

    step: int
    phase: Annotated[str, OneOf("look", "start", "rows", "level", "renew", "judge", "done")]
    turn: int
    bin_edges: Annotated[Array, "column", "edge", EDGES]
    levels: Annotated[Codes, "column", LEVELS]
    rows: int
    unit: Annotated[float, POSITIVE]
    even: bool
    least: Annotated[float, NOT_NAN]
    most: Annotated[float, NOT_NAN]
    heaviest: float
    way: Annotated[Codes, "column", OneOf(-1, 0, 1)]
    """1: the margin must not fall as the column rises; -1: must not rise; 0: free"""
    labels: Annotated[int, CLASS_COUNT]
    """classes, or 0"""
    base: Annotated[Array, "output"]
    """the margin to start from"""
    trees: Tree
    """one after the other"""
    roots: Annotated[Codes, "tree", RISING, Index("trees.node")]
    value: Annotated[Array, "trees.node"]
    """what a row that ends in a node adds to its margin"""
    train_score: Annotated[Array, "round"]
    validation_score: Annotated[Array, "round", ANYTHING]
    frontier: fr.Frontier
    sought: Sought
    """the leaves of the last tree, if they are to say quantiles"""
    margin: Annotated[Array, "row", "output"]
    """of rows in one place"""
    row_weight: float = 1.0
    """what a row weighs: one, if weights are whole numbers, as they then count rows; else the mean"""

    @property
    def cut(self) -> Cut:
        """Where columns are cut."""
        return Cut(self.bin_edges, self.levels)

    @property
    def weights(self) -> WeightUnit:
        """What one means in sums of weights."""
        return WeightUnit(self.unit, self.even)

    def sound(self, schema: Schema) -> bool:
        """Whether every tree begins at its root."""
        return self.trees.rooted(self.roots)

    @property
    def few(self) -> bool:
        """Whether weights are small whole numbers, so that rows can be counted: then those of weight two are two."""
        return self.unit == 1 and self.heaviest <= FEW

    @property
    def outputs(self) -> int:
        """Trees in a round."""
        return len(self.base)

    @property
    def ensemble(self) -> Ensemble:
        """The trees so far."""
        return Ensemble(self.roots, self.trees, self.value, self.base)

    def plus(self, tree: Tree, value: Array) -> Boosted:
        """One tree more."""
        return self._replace(
            trees=stacked(self.trees, tree),
            roots=np.append(self.roots, self.trees.node_count),
            value=np.append(self.value, value),
        )


class Walk(NamedTuple):
    """Nodes of trees, as those need them who go down: a leaf splits the first column and leads to itself."""

    column: Any
    threshold: Any
    place: Any
    strays: Any
    """whether missing values go to the second child"""
    first: Any
    deep: Any
    """steps in each tree"""


@dataclass(frozen=True, eq=False)
class Level:
    """Histograms of the nodes that want one, and the loss at the margins so far."""

    histograms: Histograms
    loss: Loss

    def __add__(self, other: Level) -> Level:
        return Level(self.histograms + other.histograms, self.loss + other.loss)


@dataclass(frozen=True, eq=False)
class Loss:
    """Loss of the rows learned from and of those kept back, in whole units, and their weights."""

    sums: Annotated[Codes, "side", ANYTHING]
    weight: Annotated[Array, "side"]

    def __add__(self, other: Loss) -> Loss:
        return Loss(self.sums + other.sums, self.weight + other.weight)


def directions(given: Any, schema: Schema) -> Codes:
    """Of each column, from an array or from a dict of names."""
    way = np.zeros(len(schema.columns), np.int64)
    if given is None:
        return way
    if isinstance(given, dict):
        unknown = sorted(set(given) - set(schema.names))
        if unknown:
            raise ValueError(f"monotonic_cst names columns that are not there: {unknown}")
        given = [given.get(name, 0) for name in schema.names]
    found = np.asarray(given)
    if found.shape != way.shape or not np.isin(found, (-1, 0, 1)).all():
        raise ValueError(f"monotonic_cst must have {len(way)} entries of -1, 0 or 1, one a column, not {given!r}")
    wrong = np.flatnonzero((found != 0) & (schema.levels > 0))
    if len(wrong):
        raise ValueError(f"column {schema.names[wrong[0]]!r} is categorical. Remedy: no direction in monotonic_cst")
    return found.astype(np.int64)
