"""Trees as the shap package takes them: two children a node, a threshold each, and how many rows came by.

A split of categories becomes thresholds between their codes, with a copy of a branch for each run of codes that leads
to it. The copies share its rows, so that the expectations of the tree are the same. What is missing or was not seen
has a code beyond the last.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tenfold.core import Array, DataError
from tenfold.trees.tree import Tree

TINY = 1e-9
"""rows of a leaf that none came to: shares of nothing are not defined"""
MOST = 1_000_000
"""nodes of a tree"""


def binary_tree(tree: Tree, start: int, stop: int, value: Array, ended: Array) -> dict[str, Any]:
    """One tree of those that stand one after the other, in nodes from `start` to `stop`.

    Parameters
    ----------
    tree : Tree
    start, stop : int
    value : array of shape (nodes, outputs)
        What is said of rows that end in a node.
    ended : array of shape (nodes,)
        How many rows end there.
    """
    if (tree.route_at[start:stop] < 0).all():
        return _plain(tree, start, stop, value[start:stop], ended[start:stop])
    return Unfolding(tree, value, ended).table(start)


def _plain(tree: Tree, start: int, stop: int, value: Array, ended: Array) -> dict[str, Any]:
    """Without categories: the same nodes."""
    feature = tree.feature[start:stop]
    inner = feature >= 0
    left = np.where(inner, tree.first_child[start:stop] - start, -1)
    right = np.where(inner, left + 1, -1)
    cover = np.where(inner, 0.0, np.maximum(ended, TINY))
    depth = tree.depth[start:stop]
    for level in range(int(depth.max(initial=0)), -1, -1):
        at = np.flatnonzero(inner & (depth == level))
        cover[at] = cover[left[at]] + cover[right[at]]
    return {
        "children_left": left,
        "children_right": right,
        "children_default": np.where(tree.missing_left[start:stop] == 1, left, right),
        "features": np.where(inner, feature, -1),
        "thresholds": np.where(inner, tree.threshold[start:stop], 0.0),
        "values": np.array(value),
        "node_sample_weight": cover,
    }


class Unfolding:
    """A tree with splits of categories, node by node."""

    def __init__(self, tree: Tree, value: Array, ended: Array) -> None:
        self.tree, self.value, self.ended = tree, value, ended
        self.nodes: list[list[Any]] = []

    def table(self, root: int) -> dict[str, Any]:
        """All nodes below a root."""
        self._node(root, 1.0)
        left, right, default, feature, threshold, cover, node = (np.array(c) for c in zip(*self.nodes, strict=True))
        return {
            "children_left": left, "children_right": right, "children_default": default, "features": feature,
            "thresholds": threshold, "values": self.value[node], "node_sample_weight": cover,
        }  # fmt: skip

    def _node(self, k: int, share: float) -> int:
        """The number of a node for node k, to which this share of its rows comes."""
        t = self.tree
        if t.feature[k] < 0:
            return self._leaf(k, share)
        if t.route_at[k] >= 0:
            route = t.route[t.route_at[k] : t.route_at[k] + t.route_width[k]]
            starts = [0, *(np.flatnonzero(route[1:-1] != route[:-2]) + 1).tolist(), len(route) - 1, len(route)]
            runs = [(low, int(route[low])) for low, high in pairwise(starts) if low < high]
            often = {branch: sum(b == branch for _, b in runs) for _, branch in runs}
            return self._runs(k, runs, often, share)
        at = self._inner(k, float(t.threshold[k]))
        left, right = (self._node(int(t.first_child[k]) + side, share) for side in (0, 1))
        return self._close(at, left, right, bool(t.missing_left[k]))

    def _runs(self, k: int, runs: list[tuple[int, int]], often: dict[int, int], share: float) -> int:
        """Runs of codes, each with its branch: halved until there is one."""
        if len(runs) == 1:
            branch = runs[0][1]
            some = share / often[branch]
            return self._leaf(k, some) if branch < 0 else self._node(int(self.tree.first_child[k]) + branch, some)
        half = len(runs) // 2
        at = self._inner(k, runs[half][0] - 0.5)
        left, right = (self._runs(k, some, often, share) for some in (runs[:half], runs[half:]))
        return self._close(at, left, right, False)

    def _inner(self, k: int, threshold: float) -> int:
        if len(self.nodes) > MOST:
            raise DataError(
                f"with its splits of categories in two, a tree has more than {MOST:,} nodes. Remedy: a smaller "
                "max_depth, or fewer categories"
            )
        self.nodes.append([-1, -1, -1, int(self.tree.feature[k]), threshold, 0.0, k])
        return len(self.nodes) - 1

    def _close(self, at: int, left: int, right: int, missing_left: bool) -> int:
        self.nodes[at][:3] = left, right, left if missing_left else right
        self.nodes[at][5] = self.nodes[left][5] + self.nodes[right][5]
        return at

    def _leaf(self, k: int, share: float) -> int:
        self.nodes.append([-1, -1, -1, -1, 0.0, max(float(self.ended[k]), TINY) * share, k])
        return len(self.nodes) - 1
