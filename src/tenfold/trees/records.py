"""What a tree learner knows between reduces, and what it asks of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from tenfold.core import Array, Codes, Flags, Schema
from tenfold.core.allowed import ANYTHING, COUNTS, EDGES, LEVELS, POSITIVE, OneOf
from tenfold.stats.gathered import Gathered
from tenfold.stats.tree_bins import Cut, WeightUnit
from tenfold.trees import frontier as fr
from tenfold.trees.tree import Tree


class TreeState(NamedTuple):
    """A tree, and how to go on."""

    step: int
    phase: Annotated[str, OneOf("look", "rows", "values", "level", "finish", "prune", "judge", "done")]
    turn: int
    """how many reduces there were since the look"""
    bin_edges: Annotated[Array, "column", "edge", EDGES]
    levels: Annotated[Codes, "column", LEVELS]
    rows: int
    unit: Annotated[float, POSITIVE]
    """what one means in sums of weights"""
    even: bool
    """whether every weight is one"""
    center: float
    scale: float
    """of the target, if it is a number: the middle, and the way from there to the ends"""
    whole: int
    """weight of all rows, in whole units, once it is known"""
    factor: Annotated[Codes, "weighed class", COUNTS]
    heft: Annotated[float, POSITIVE]
    """weights of the classes in whole units, none if all are one; and that unit"""
    costs: Annotated[Array, "column"]
    frontier: fr.Frontier
    tree: Tree
    value: Annotated[Array, "tree.node", "output"]
    """weights of the classes, or the mean of the target and the weight, of the training rows of each node"""
    outputs: int
    gaps: Annotated[Flags, "column"]
    """whether a value of the column was missing"""
    heaviest: float = 1.0
    """the largest weight"""
    log_prior: float = 0.0
    """ln of the weight of this pruning among all that held-back rows could have chosen"""

    @property
    def cut(self) -> Cut:
        """Where columns are cut."""
        return Cut(self.bin_edges, self.levels)

    @property
    def weights(self) -> WeightUnit:
        """What one means in sums of weights."""
        return WeightUnit(self.unit, self.even)

    def sound(self, schema: Schema) -> bool:
        """Whether nodes say as many numbers as there are outputs, and classes have weights, or none has."""
        return self.value.shape[1] == self.outputs and len(self.factor) in (0, schema.size("class"))


@dataclass(frozen=True, eq=False)
class Histograms:
    """Of the nodes that want one: slots x (channels x cells). Whole numbers: merging is exact."""

    sums: Annotated[Codes, "slot", "cell", ANYTHING]

    @classmethod
    def of(cls, hist: Any, squares: Any) -> Histograms:
        """From histograms, and sums of squares by slot, or None."""
        flat = hist.reshape(len(hist), -1)
        return cls(flat if squares is None else np.concatenate([flat, squares[:, None]], axis=1))

    def apart(self, channels: int, cells: int) -> tuple[Any, Any]:
        """The histograms, and the sums of squares or None."""
        n = len(self.sums)
        hist = self.sums[:, : channels * cells].reshape(n, channels, cells)
        return hist, self.sums[:, -1] if self.sums.shape[1] > channels * cells else None

    def __add__(self, other: Histograms) -> Histograms:
        return Histograms(self.sums + other.sums)


@dataclass(frozen=True, eq=False)
class RowsOf:
    """The rows of the nodes that want them, and the node of each."""

    rows: Gathered
    node: Annotated[Codes, "entry", COUNTS]

    def sound(self, schema: Schema) -> bool:
        """Whether every row has a node."""
        return len(self.node) == self.rows.rows

    def __add__(self, other: RowsOf) -> RowsOf:
        return RowsOf(self.rows + other.rows, np.concatenate([self.node, other.node]))


@dataclass(frozen=True, eq=False)
class Ends:
    """Channel sums of the rows that end in each node of the finished tree; the error of rows that end in several."""

    sums: Annotated[Codes, "node", "channel", ANYTHING]
    wrong: int
    whole: int
    """of those rows: the weight of the wrong ones, and of all"""
    back: Annotated[Codes, "held back", "channel", ANYTHING]
    """the channel sums of held-back rows, if there are any"""

    def __add__(self, other: Ends) -> Ends:
        whole = self.whole + other.whole
        return Ends(self.sums + other.sums, self.wrong + other.wrong, whole, self.back + other.back)
