"""Trees of columns by Chow and Liu: of all trees, the one whose edges have the largest mutual information in sum.

It is the tree of largest likelihood, and all that it needs are counts of pairs of values, which add up.
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from tenfold.core import Array, Codes, Flags

TIE_DIGITS = 10
"""digits of mutual information that are compared: edges that differ by rounding errors of another order of sums tie"""


def pair_information(count: Array, levels: Codes) -> Array:
    """Mutual information of all pairs of columns, in nats, from the weight of their pairs of values.

    Parameters
    ----------
    count : array of shape (values, values)
        Of the rows that have both values.
    levels : array of int
        How many values each column has.

    Returns
    -------
    information : array of shape (columns, columns)
        Times the weight of the rows that have both.
    """
    out = np.zeros((len(levels), len(levels)))
    some = np.flatnonzero(levels)
    if not len(some):
        return out
    first = (np.cumsum(levels) - levels)[some]

    def by_column(table: Array, axis: int) -> Array:
        return np.add.reduceat(table, first, axis=axis)

    one = by_column(count, 1)  # value of a column x other column: weight of the rows that have the other one
    whole = by_column(one, 0)
    both = by_column(by_column(xlogy(count, count), 0), 1)
    alone = by_column(xlogy(one, one), 0)
    out[np.ix_(some, some)] = np.maximum(both - alone - alone.T + xlogy(whole, whole), 0.0)
    return out


def spanning_tree(weight: Array, some: Flags) -> tuple[int, ...]:
    """The parent of each node in the spanning tree of largest weight, -1 of the root: the first of some nodes.

    Of equal edges the first wins, so that the tree is the same wherever it is found. Nodes that are not among `some`
    have neither parents nor children.
    """
    if not some.all():
        out = np.full(len(some), -1)
        nodes = np.flatnonzero(some)
        inner = np.array(spanning_tree(weight[np.ix_(nodes, nodes)], some[nodes]), dtype=np.int64)
        out[nodes[inner >= 0]] = nodes[inner[inner >= 0]]
        return tuple(out.tolist())
    n = len(weight)
    parent, best = np.full(n, -1), np.full(n, -np.inf)
    near = np.zeros(n, dtype=np.int64)
    scale = max(float(weight.max(initial=0.0)), 1e-300)
    rounded = np.round(weight / scale, TIE_DIGITS)
    rest = np.ones(n, dtype=bool)
    at = 0
    for _ in range(n - 1):
        rest[at] = False
        closer = rest & (rounded[at] > best)
        best[closer], near[closer] = rounded[at][closer], at
        at = int(np.where(rest, best, -np.inf).argmax())
        parent[at] = near[at]
    return tuple(parent.tolist())
