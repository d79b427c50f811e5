"""Shapley values of a tree whose unknown columns follow the rows that came by its nodes: path-dependent TreeSHAP.

With the columns of S known, a leaf of value v is reached where every known column of its way leads there (o = 1, else
0), and of unknown ones by the share z of rows that went so. This game is a product over the columns of the way,
v Π_{i∈S} oᵢ Π_{i∉S} zᵢ, and its Shapley values are an integral over its multilinear extension (Owen, 1972):

    φⱼ = v (oⱼ - zⱼ) ∫₀¹ Π_{i≠j} ((1 - t) zᵢ + t oᵢ) dt

The integrand is a polynomial, which the rule of Gauss and Legendre with half as many points as there are columns
integrates exactly. All terms are positive, so nothing is lost by cancellation, and leaves below a node share their
factors: the work is that of the nodes, not of the leaves times the square of their depth.
"""

from __future__ import annotations

import numpy as np

from tenfold.core import Array, Codes
from tenfold.tree.tree import Tree

EMPTY_LEAF_ROWS = 1e-9
"""rows of a leaf that none came to: shares of nothing are not defined"""
CELLS_PER_BLOCK = 1 << 19
"""nodes times points times rows per block: few enough to stay in cache"""
MIN_ROWS_PER_BLOCK = 32
"""rows at a time at the least, however large a tree is: with fewer the loops are too short"""


class ShapleyTree:
    """One tree of a forest, in nodes from `start` to `stop`, prepared for SHAP values.

    Where a category leads to no branch the node itself answers: it has a leaf more, to which those rows go.

    Parameters
    ----------
    tree : Tree
    start, stop : int
    value : array of shape (nodes, outputs)
        What is said of rows that end in a node.
    ended : array of shape (nodes,)
        How many rows end there.

    Attributes
    ----------
    expected : array of shape (outputs,)
        Prediction with no column known: the mean of the leaves, weighted by their rows.
    """

    def __init__(self, tree: Tree, start: int, stop: int, value: Array, ended: Array) -> None:
        self.tree, self.start = tree, start
        feature, many = tree.feature[start:stop], tree.children[start:stop]
        self.inner = np.flatnonzero(feature >= 0)
        stops = np.array([k for k in self.inner.tolist() if self._stops(start + k)], np.int64)
        n, m = stop - start, stop - start + len(stops)
        many, first = many[self.inner], tree.first_child[start:stop][self.inner] - start
        child = np.repeat(first - np.cumsum(many) + many, many) + np.arange(many.sum())
        self.parent, self.branch = np.zeros(m, np.int64), np.full(m, -1)
        self.parent[child] = np.repeat(self.inner, many)
        self.branch[child] = child - np.repeat(first, many)
        self.parent[n:] = stops
        self.column = feature[self.parent]
        depth = tree.depth[start:stop]
        depth = np.append(depth, depth[stops] + 1)
        self.levels = [np.flatnonzero(depth == d) for d in range(1, int(depth.max()) + 1)]
        leaf = np.append(np.flatnonzero(feature < 0), np.arange(n, m))
        source = start + np.append(np.arange(n), stops)
        cover = np.zeros(m)
        cover[leaf] = np.maximum(ended[source[leaf]], EMPTY_LEAF_ROWS)
        self._to_parents(cover)
        self.value = np.zeros((m, value.shape[1]))
        self.value[leaf] = value[source[leaf]]
        self.expected: Array = cover @ self.value / cover[0]
        self.above = self._same_column_above()
        self.share = np.ones(m + 1)
        for at in self.levels:
            self.share[at] = cover[at] / cover[self.parent[at]] * self.share[self.above[at]]

    def _stops(self, k: int) -> bool:
        """Whether rows may end in a node that has branches."""
        t = self.tree
        return t.route_at[k] >= 0 and bool((t.route[t.route_at[k] : t.route_at[k] + t.route_width[k]] < 0).any())

    def _to_parents(self, sums: Array) -> None:
        """Sum values over the subtree of each node, in place."""
        for at in reversed(self.levels):
            for branch in range(-1, int(self.branch[at].max()) + 1):
                some = at[self.branch[at] == branch]  # of different parents
                sums[self.parent[some]] += sums[some]

    def _same_column_above(self) -> Codes:
        """The last node on the way to each that the same column leads to; one beyond all nodes, if there is none."""
        m = len(self.parent)
        found, at, todo = np.full(m, m), self.parent.copy(), np.arange(1, m)
        while len(todo):
            here = at[todo]
            same = (here > 0) & (self.column[here] == self.column[todo])
            found[todo[same]] = here[same]
            todo = todo[(here > 0) & ~same]
            at[todo] = self.parent[at[todo]]
        return found

    def add_values(self, rows: Array, out: Array) -> None:
        """Add the contributions of each column to the prediction of the tree for each row.

        Parameters
        ----------
        rows : array of shape (rows, columns)
            Categories as codes, one beyond the last for those that are missing or unknown.
        out : array of shape (rows, columns, outputs)
        """
        if not self.levels:
            return
        points = (min(len(self.levels), len(np.unique(self.column[1:]))) + 1) // 2
        step = max(MIN_ROWS_PER_BLOCK, CELLS_PER_BLOCK // (points * len(self.parent)))
        for start in range(0, len(rows), step):
            self._add_block(rows[start : start + step], points, out[start : start + step])

    def _add_block(self, rows: Array, points: int, out: Array) -> None:
        m, above, z = len(self.parent), self.above, self.share[:, None, None]
        place, weight = np.polynomial.legendre.leggauss(points)
        t, weight = 0.5 + 0.5 * place[None, :, None], 0.5 * weight[None, :, None]
        o = self._known(rows)[:, None, :]
        factor = (1.0 - t) * z + t * o
        product, slope = np.ones((m, points, len(rows))), weight * ((o - z) / factor)
        for at in self.levels:
            product[at] = product[self.parent[at]] * (factor[at] / factor[above[at]])
        slope = slope[1:m] - slope[above[1:]]
        order = np.argsort(self.column[1:], kind="stable")
        column, first = np.unique(self.column[1:][order], return_index=True)
        for output in np.flatnonzero(self.value.any(axis=0)).tolist():
            below = product * self.value[:, output, None, None]
            self._to_parents(below)
            found = (slope * below[1:]).sum(axis=1)
            out[:, column, output] += np.add.reduceat(found[order], first, axis=0).T

    def _known(self, rows: Array) -> Array:
        """Whether each row is led to each node by the column above it, wherever that column leads there; then 1."""
        t, at = self.tree, self.start + self.inner
        x = rows[:, t.feature[at]].T
        with np.errstate(invalid="ignore"):
            branch = np.where(np.isnan(x), 1 - t.missing_left[at, None], x > t.threshold[at, None])
        for k in np.flatnonzero(t.route_at[at] >= 0).tolist():
            branch[k] = t.route[t.route_at[at[k]] + x[k].astype(np.int64)]
        place = np.zeros(len(self.parent), np.int64)
        place[self.inner] = np.arange(len(self.inner))
        known = np.ones((len(self.parent) + 1, len(rows)))
        known[:-1] = branch[place[self.parent]] == self.branch[:, None]
        for level in self.levels:
            known[level] *= known[self.above[level]]
        return known
