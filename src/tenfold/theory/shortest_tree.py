"""Decision tree of minimum external path length, by exhaustive search: a reference for greedy growth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class ShortestTree(NamedTuple):
    """A tree that no other is shorter than.

    Examples
    --------
    >>> from tenfold.theory import shortest_tree
    >>> shortest_tree([["a"], ["b"]], ["no", "yes"])
    ShortestTree(length=2, leaves=2, height=1, tree=(0, {'a': 'no', 'b': 'yes'}))
    """

    length: int
    """Σ over leaves of their depth, or Σ over rows of the depth of their leaf"""
    leaves: int
    height: int
    tree: Any
    """a class, or (column, {value: tree})"""


def shortest_tree(X: ArrayLike, y: ArrayLike, *, weighted: bool = False, most: int = 100_000) -> ShortestTree:
    """Return the shortest tree without avoidable errors, with a branch for each value of a column.

    To find it is NP-hard: all sets of rows that tests can lead to are looked at, once for each depth.

    Parameters
    ----------
    X : array of shape (rows, columns)
        Values that are compared for being equal.
    y : array of shape (rows,)
        Classes.
    weighted : bool, default=False
        Count each leaf once for each row in it: then the length is how many tests the rows take together.
    most : int, default=100_000
        Sets of rows to look at before giving up.

    Returns
    -------
    ShortestTree
        Of equally short trees that which tests the earliest columns.

    Examples
    --------
    Whether two things differ, and a third that tells a little: greed asks for the third first, and grows further.

    >>> from tenfold import ID3
    >>> from tenfold.theory import shortest_tree
    >>> X = [[a, b, "du"[hint ^ (a != b)]] for a in "st" for b in "st" for hint in (0, 0, 1)]
    >>> y = [a != b for a, b, _ in X]
    >>> found = shortest_tree(X, y)
    >>> found.length, found.leaves, found.height
    (8, 4, 2)
    >>> ID3().fit(X, y).tree_stats().external_path_length
    24
    """
    X, y = np.asarray(X), np.asarray(y)
    if X.ndim != 2 or y.shape != (len(X),) or not len(X):
        raise ValueError(f"X must have rows and columns and y a class for each row, not shapes {X.shape} and {y.shape}")
    values = [(known.tolist(), code.tolist()) for known, code in (np.unique(x, return_inverse=True) for x in X.T)]
    codes, classes = [code for _, code in values], np.unique(y, return_inverse=True)
    names, label = classes[0].tolist(), classes[1].tolist()
    known: dict[tuple[frozenset[int], int], tuple[int, int | None]] = {}

    def best(rows: frozenset[int], depth: int) -> tuple[int, int | None]:
        """Length and column (None: a leaf) of the shortest tree for some rows, whose root is so deep."""
        if (rows, depth) in known:
            return known[rows, depth]
        if len(known) >= most:
            raise ValueError(f"more than {most} sets of rows to look at. Remedy: fewer columns or rows, or raise most")
        found: tuple[int, int | None] = (depth * (len(rows) if weighted else 1), None)
        if len({label[i] for i in rows}) > 1:
            tried = [
                (sum(best(part, depth + 1)[0] for part in parts.values()), j)
                for j in range(len(codes))
                if len(parts := _split(codes[j], rows)) > 1
            ]
            found = min(tried, default=found)  # rows alike in every column are a leaf, whatever their classes
        known[rows, depth] = found
        return found

    def build(rows: frozenset[int], depth: int) -> tuple[Any, int, int]:
        """The tree, its leaves and its height."""
        j = best(rows, depth)[1]
        if j is None:
            votes = [label[i] for i in rows]
            return names[max(sorted(set(votes)), key=votes.count)], 1, 0
        below = {k: build(part, depth + 1) for k, part in sorted(_split(codes[j], rows).items())}
        branches = {values[j][0][k]: tree for k, (tree, _, _) in below.items()}
        return (j, branches), sum(b[1] for b in below.values()), 1 + max(b[2] for b in below.values())

    every = frozenset(range(len(X)))
    length = best(every, 0)[0]
    tree, leaves, height = build(every, 0)
    return ShortestTree(length, leaves, height, tree)


def _split(codes: list[int], rows: frozenset[int]) -> dict[int, frozenset[int]]:
    """The rows of each value."""
    found: dict[int, set[int]] = {}
    for i in rows:
        found.setdefault(codes[i], set()).add(i)
    return {k: frozenset(part) for k, part in found.items()}
