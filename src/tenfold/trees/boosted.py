"""What boosting knows between rounds, and what it asks of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from tenfold.core import Array, Codes
from tenfold.stats.tree_bins import Cut
from tenfold.trees import frontier as fr
from tenfold.trees.learner import Histograms
from tenfold.trees.tree import Tree, stacked


class Boosted(NamedTuple):
    """The trees so far, and how to go on."""

    step: int
    phase: str
    turn: int
    bin_edges: Annotated[Array, "column", "edge"]
    levels: Annotated[Codes, "column"]
    rows: int
    unit: float
    even: bool
    least: float
    most: float
    heaviest: float
    base: Annotated[Array, "output"]
    """the margin to start from"""
    trees: Tree
    """one after the other"""
    roots: Annotated[Codes, "tree"]
    value: Annotated[Array, "node"]
    """what a row that ends in a node adds to its margin"""
    train_score: Annotated[Array, "round"]
    validation_score: Annotated[Array, "round"]
    frontier: fr.Frontier
    margin: Annotated[Array, "row", "output"]
    """of rows in one place"""

    @property
    def cut(self) -> Cut:
        """Where columns are cut."""
        return Cut(self.bin_edges, self.levels)

    @property
    def outputs(self) -> int:
        """Trees in a round."""
        return len(self.base)

    def plus(self, tree: Tree, value: Array) -> Boosted:
        """One tree more."""
        return self._replace(
            trees=stacked(self.trees, tree),
            roots=np.append(self.roots, self.trees.node_count),
            value=np.append(self.value, value),
        )


@dataclass(frozen=True, eq=False)
class Start:
    """Weight of each class, or Σ of the target in whole units: what a constant is made from."""

    sums: Annotated[Codes, "class or number"]
    weight: int

    def __add__(self, other: Start) -> Start:
        return Start(self.sums + other.sums, self.weight + other.weight)


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

    sums: Annotated[Codes, "side"]
    weight: Annotated[Array, "side"]

    def __add__(self, other: Loss) -> Loss:
        return Loss(self.sums + other.sums, self.weight + other.weight)
