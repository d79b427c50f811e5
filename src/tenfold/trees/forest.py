"""What a forest is while it grows: its trees, one after the other."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np

from tenfold.core import Array, Codes, Schema
from tenfold.core.allowed import COUNTS, EDGES, LEVELS, POSITIVE, RISING, Index, OneOf
from tenfold.kernels.forests import add_unseen
from tenfold.stats.draws import ROWS, keys_of
from tenfold.stats.tree_bins import Cut, OfBins, Seen, WeightUnit
from tenfold.trees.frontier import Frontier
from tenfold.trees.node_statistics import TreeDraws
from tenfold.trees.tree import Tree, tree_from

S = TypeVar("S")


class Trees(NamedTuple):
    """Trees, one after the other, and what each says of rows that end in a node."""

    roots: Codes
    nodes: Tree
    value: Array


class Forest(NamedTuple):
    """The trees so far, and how to go on."""

    step: int
    """how many trees there are"""
    phase: Annotated[str, OneOf("look", "weigh", "rows", "level", "finish", "judge", "done")]
    turn: int
    bin_edges: Annotated[Array, "column", "edge", EDGES]
    levels: Annotated[Codes, "column", LEVELS]
    rows: int
    unit: Annotated[float, POSITIVE]
    even: bool
    heaviest: float
    center: float
    scale: float
    """of the target, if it is a number: the middle, and the way from there to the ends"""
    whole: int
    """weight of all rows, in whole units, if it matters"""
    factor: Annotated[Codes, "weighed class", COUNTS]
    heft: Annotated[float, POSITIVE]
    """weights of the classes in whole units, none if all are one; and that unit"""
    trees: Tree
    """one after the other"""
    roots: Annotated[Codes, "tree", RISING, Index("trees.node")]
    value: Annotated[Array, "trees.node", "output"]
    """what a tree says of rows that end in a node"""
    frontier: Frontier
    """of the trees that grow level by level: their roots come first"""

    @property
    def cut(self) -> Cut:
        """Where columns are cut."""
        return Cut(self.bin_edges, self.levels)

    @property
    def weights(self) -> WeightUnit:
        """What one means in sums of weights."""
        return WeightUnit(self.unit, self.even)

    @property
    def grown(self) -> Trees:
        """The trees so far."""
        return Trees(self.roots, self.trees, self.value)

    def sound(self, schema: Schema) -> bool:
        """Whether there are as many trees as it says, and classes have weights, or none has."""
        fits = self.step == len(self.roots) and self.trees.rooted(self.roots)
        return fits and len(self.factor) in (0, schema.size("class"))

    @property
    def outputs(self) -> int:
        """Numbers that a tree says of a row."""
        return self.value.shape[1]


class OutOfBag(OfBins[S]):
    """Base of statistics of what trees say of rows that they have not drawn."""

    trees: Trees
    draws: TreeDraws

    def unseen(self, seen: Seen) -> tuple[Array, Codes]:
        """Sums of what the trees say of rows they have not drawn, and how many trees those are."""
        n, t = seen.bins.shape[1], self.trees.nodes
        out, trees = np.zeros((n, self.trees.value.shape[1])), np.zeros(n, np.int64)
        add_unseen(
            seen.bins, self.lens.cut.gap, t.feature, t.place, t.missing_left, t.first_child, t.route_at, t.route,
            self.trees.roots, self.trees.value, seen.places, keys_of(self.draws.seed, ROWS, 0, self.draws.many), out,
            trees,
        )  # fmt: skip
        return out, trees


def taken(node: Any, at: Frontier, t: int, cut: Cut) -> tuple[Tree, Any]:
    """The t-th of the growing trees, from the table of all their nodes."""
    node, real, sums = node.copy(), at.real.copy(), at.sums.copy()
    node[0], real[0], sums[0] = node[t], real[t], sums[t]
    tree, old = tree_from(node, real, at.route, cut)
    return tree, sums[old]


def joined(trees: list[Tree]) -> Tree:
    """One tree after the other."""
    node, route, moved = 0, 0, []
    for tree in trees:
        moved.append(
            tree._replace(
                first_child=np.where(tree.feature >= 0, tree.first_child + node, 0),
                route_at=np.where(tree.route_at >= 0, tree.route_at + route, -1),
            )
        )
        node, route = node + tree.node_count, route + len(tree.route)
    fields: Any = (np.concatenate(x) for x in zip(*moved, strict=True))
    return Tree(*fields)
