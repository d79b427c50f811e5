"""Trees whose values add up: one tree, a forest, or boosted trees, as exports write them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tenfold.core import Array, Codes
from tenfold.ensemble.boosting.boosted import BoostedModel
from tenfold.tree.forest import ForestModel
from tenfold.tree.growing.missing import shares
from tenfold.tree.records import TreeModel
from tenfold.tree.tree import Tree, joined


class SummedTrees(NamedTuple):
    """The nodes of all trees, and what a row that ends in a node adds to each output.

    An output is (base + Σ value) / divisor.
    """

    trees: Tree
    roots: Codes
    value: Array
    """nodes x outputs"""
    base: Array
    divisor: float = 1.0
    by_turns: bool = False
    """whether the trees add to one output each, by turns"""

    @classmethod
    def of(cls, model: Any) -> SummedTrees:
        """Return the trees of a fitted tree, forest or boosted trees."""
        found = model.model_
        match found:
            case TreeModel(tree, value):
                if model.missing == "fractional":
                    raise TypeError(
                        "with missing='fractional' a row with missing values goes down the tree in parts, and the "
                        "trees of other formats send it one way. Remedy: fit with missing='learned'"
                    )
                value = value[:, :1] if model.schema_.classes is None else shares(value)
                return cls(tree, np.zeros(1, np.int64), value, np.zeros(value.shape[1]))
            case ForestModel(roots, trees, value):
                if len(found.voters) < len(roots):  # trees that have drawn no row are a root
                    value = value.copy()
                    value[np.setdiff1d(roots, roots[found.voters])] = 0.0
                return cls(trees, roots, value, np.zeros(value.shape[1]), float(len(found.voters)))
            case BoostedModel(roots, trees, added, _, base):
                tree_of = np.repeat(np.arange(len(roots)), np.diff(np.append(roots, trees.node_count)))
                value = np.zeros((len(added), len(base)))
                value[np.arange(len(value)), tree_of % len(base)] = added
                return cls(trees, roots, value, base, by_turns=True)
        raise TypeError(f"{type(model).__name__} has no trees that add up")

    @classmethod
    def voting(cls, members: list[Any], weights: Array, classes: int) -> SummedTrees:
        """Return trees each of which gives its weight to the class of a row."""
        each = [cls.of(member) for member in members]
        roots = np.cumsum([0, *(one.trees.node_count for one in each)])[:-1]
        votes = [w * np.eye(classes)[one.value.argmax(axis=1)] for w, one in zip(weights, each, strict=True)]
        return cls(joined([one.trees for one in each]), roots, np.concatenate(votes), np.zeros(classes))

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The first node of each tree, and that of the next."""
        return list(pairwise([*self.roots.tolist(), self.trees.node_count]))

    def routes(self, k: int) -> tuple[list[tuple[int, list[int]]], list[int]]:
        """Return the codes of a categorical split that go to each child, with its node, and those that end there."""
        t = self.trees
        route = t.route[t.route_at[k] : t.route_at[k] + t.route_width[k]]
        ways = [(int(t.first_child[k]) + b, np.flatnonzero(route == b).tolist()) for b in range(int(t.children[k]))]
        return [way for way in ways if way[1]], np.flatnonzero(route < 0).tolist()
