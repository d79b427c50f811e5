"""Pruning: a tree is cut at some nodes, which become leaves that predict from their training rows.

Every pruner reads a table of the nodes: the weights of the training rows, and for some the loss of validation rows,
which are sums that merge. None reads rows.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.special import betaincinv, chdtrc

from tenfold.core import Array, Codes, Flags
from tenfold.tree.tree import Tree

Sums = TypeVar("Sums", Array, Codes)
C45_EXTRA_ERRORS = 0.1
"""errors that C4.5 lets a leaf have more than the branches it replaces"""


class Losses(NamedTuple):
    """Losses of validation rows by node."""

    through: Array
    """of all rows that come to a node, if it were a leaf"""
    ends: Array
    """of the rows that end in it as the tree is: all, in a leaf; those of unknown categories, in any other"""


class Path(NamedTuple):
    """Cost-complexity pruning: the nodes in the order in which they are cut, from the whole tree to its root."""

    node: Codes
    """-1: none is cut yet"""
    alpha: Array
    """price of a leaf from which on it is cut"""
    impurity: Array
    """of the tree that is left"""
    loss: Array
    """of the validation rows, by that tree"""


def cut(tree: Tree, at: Flags) -> tuple[Tree, Codes]:
    """The tree in which these nodes are leaves, and the old numbers of its nodes."""
    above, stays = tree.parent, np.ones(tree.node_count, bool)
    for depth in range(1, tree.max_depth + 1):
        level = np.flatnonzero(tree.depth == depth)
        stays[level] = stays[above[level]] & ~at[above[level]]
    old = np.flatnonzero(stays)
    new = np.cumsum(stays) - 1
    inner = (tree.feature[old] >= 0) & ~at[old]
    sets = inner & (tree.route_at[old] >= 0)
    width = np.where(sets, tree.route_width[old], 0)
    start = np.cumsum(width) - width
    route = tree.route[np.repeat(np.where(sets, tree.route_at[old], 0) - start, width) + np.arange(width.sum())]
    fields = {name: getattr(tree, name)[old] for name in tree._fields if name != "route"}
    for name, none in (("feature", -1), ("threshold", np.nan), ("place", 0), ("missing_left", 0), ("children", 0)):
        fields[name] = np.where(inner, fields[name], none)
    return Tree(**{
        **fields, "first_child": np.where(inner, new[fields["first_child"]], 0), "route": route,
        "route_at": np.where(sets, start, -1), "route_width": width, "gain": np.where(inner, fields["gain"], 0.0),
    }), old  # fmt: skip


def up(tree: Tree, ends: Sums) -> Sums:
    """Sums over all that comes to a node, from sums over what ends in it."""
    total, above = ends.copy(), tree.parent
    for depth in range(tree.max_depth, 0, -1):
        level = np.flatnonzero(tree.depth == depth)
        np.add.at(total, above[level], total[level])
    return total


def reduced_error(tree: Tree, losses: Losses) -> Flags:
    """Reduced error pruning, bottom-up: a node is cut if that does not raise the loss of validation rows.

    The tree before and after the cut is the same but for this node (as cut below already); of all prunings this one has
    the least loss, and of those the fewest leaves.
    """
    at, below, above = tree.feature < 0, losses.ends.copy(), tree.parent
    for k in range(tree.node_count - 1, -1, -1):
        if tree.feature[k] >= 0 and losses.through[k] <= below[k]:
            at[k], below[k] = True, losses.through[k]
        if k:
            below[above[k]] += below[k]
    return at & (tree.feature >= 0)


def best_cut(tree: Tree, losses: Losses) -> Flags:
    """Greedy: cut where validation rows gain most, of equals the node nearest to the root, while they lose nothing."""
    below, above = up(tree, losses.ends), tree.parent
    at = np.zeros(tree.node_count, bool)
    gain = below - losses.through
    heap = [(-gain[k], k) for k in np.flatnonzero(tree.feature >= 0).tolist()]
    heapq.heapify(heap)
    while heap and heap[0][0] <= 0:
        worth, k = heapq.heappop(heap)
        if worth != -gain[k] or at[k] or _under(k, at, above):
            continue
        at[k] = True
        step = losses.through[k] - below[k]
        for a in _ancestors(k, above):
            below[a] += step
            gain[a] += step
            heapq.heappush(heap, (-gain[a], a))
    return at


def pessimistic(tree: Tree, weight: Array, confidence: float) -> Flags:
    """C4.5: from the leaves to the root, a node is cut if its estimated errors are no more than those of its branches.

    The estimate is the upper limit of the binomial rate at this confidence, times the weight of the training rows.
    """
    n = weight.sum(axis=1)
    leaf = n * upper_rate(n - weight.max(axis=1), n, confidence)
    at, above = np.zeros(tree.node_count, bool), tree.parent
    below = np.where(tree.feature < 0, leaf, 0.0)
    for k in range(tree.node_count - 1, -1, -1):
        if tree.feature[k] >= 0 and leaf[k] <= below[k] + C45_EXTRA_ERRORS:
            at[k], below[k] = True, leaf[k]
        if k:
            below[above[k]] += below[k]
    return at


def upper_rate(errors: Array, n: Array, confidence: float) -> Array:
    """The error rate at which so few errors, or fewer, would have this chance."""
    rest = np.asarray(n - errors, dtype=np.float64)
    rate = betaincinv(np.asarray(errors) + 1.0, np.where(rest > 0, rest, 1.0), 1 - confidence)
    return np.where(rest > 0, rate, 1.0)


def chi_squared(tree: Tree, weight: Array, significance: float) -> Flags:
    """Chi-squared pruning, top-down: a split is kept if the classes of its branches differ significantly.

    Pearson's statistic of branches by classes. It takes no notice of the choice among many splits.
    """
    above = tree.parent
    whole = weight.sum(axis=1)
    share = weight / np.where(whole > 0, whole, 1.0)[:, None]
    expected = share[above[1:]] * whole[1:, None]
    off = np.where(expected > 0, (weight[1:] - expected) ** 2 / np.where(expected > 0, expected, 1.0), 0.0).sum(axis=1)
    statistic = np.bincount(above[1:], weights=off, minlength=tree.node_count)
    freedom = np.maximum((tree.children - 1) * ((weight > 0).sum(axis=1) - 1), 1)
    return (tree.feature >= 0) & (chdtrc(freedom, statistic) > significance)


def cost_complexity_path(tree: Tree, drop: Array, impurity: float, losses: Losses | None = None) -> Path:
    """Weakest links first: the node whose branches lower impurity least per leaf they add; `drop` is of its split."""
    above, inner = tree.parent, tree.feature >= 0
    saved = up(tree, drop)
    leaves = up(tree, (~inner).astype(np.int64))
    loss = np.zeros(tree.node_count) if losses is None else up(tree, losses.ends)
    through = loss if losses is None else losses.through
    at = np.zeros(tree.node_count, bool)
    price = {k: saved[k] / (leaves[k] - 1) for k in np.flatnonzero(inner).tolist()}
    heap = [(p, k) for k, p in price.items()]
    heapq.heapify(heap)
    steps = [(-1, 0.0, impurity - saved[0], loss[0])]
    while heap:
        alpha, k = heapq.heappop(heap)
        if at[k] or alpha != price[k] or _under(k, at, above):
            continue
        at[k] = True
        less, fewer, step = saved[k], leaves[k] - 1, through[k] - loss[k]
        for a in (k, *_ancestors(k, above)):
            saved[a] -= less
            leaves[a] -= fewer
            loss[a] += step
            if a != k:
                price[a] = saved[a] / (leaves[a] - 1)
                heapq.heappush(heap, (price[a], a))
        steps.append((k, alpha, impurity - saved[0], loss[0]))
    node, alpha, rest, lost = (np.array(x) for x in zip(*steps, strict=True))
    return Path(node.astype(np.int64), np.maximum.accumulate(np.maximum(alpha, 0.0)), rest, lost)


def cuts_of(path: Path, steps: int, nodes: int) -> Flags:
    """Nodes at which the tree is cut after this number of steps."""
    at = np.zeros(nodes, bool)
    at[path.node[1 : steps + 1]] = True
    return at


def log_prior(tree: Tree, at: Flags) -> float:
    """ln of a weight of each pruning, which sum to one: from the root down, each node is cut or not by a coin."""
    _, old = cut(tree, at)
    return -float((tree.feature[old] >= 0).sum() * np.log(2.0))


def _ancestors(k: int, above: Codes) -> list[int]:
    found = []
    while (k := int(above[k])) >= 0:
        found.append(k)
    return found


def _under(k: int, at: Flags, above: Codes) -> bool:
    """Whether a node is a descendant of a cut node."""
    return any(at[a] for a in _ancestors(k, above))
