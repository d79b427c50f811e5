"""Shattering, growth functions and the VC dimension of a class on given points, by search.

A class is given by what it can do: a name ("half-spaces", "intervals", "rectangles"), a table with a row for each of
its hypotheses, or a function that says whether a labelling of points is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenfold.theory.checks import one_of, whole
from tenfold.theory.classes.separability import linearly_separable

Labelling: TypeAlias = NDArray[np.bool_]
Realizes: TypeAlias = Callable[[NDArray[Any], Labelling], bool]
"""whether a hypothesis of a class labels these points so"""
MAX_LABELLED_POINTS = 20
"""points that are labelled in every way, at most"""


def intervals(points: NDArray[Any], labels: Labelling) -> bool:
    """Whether an interval of the line has exactly the positives: no negative lies between two of them."""
    x = points[:, 0]
    return not labels.any() or not ((x >= x[labels].min()) & (x <= x[labels].max()) & ~labels).any()


def rectangles(points: NDArray[Any], labels: Labelling) -> bool:
    """Whether an axis-parallel box contains exactly the positives: the smallest one around them has no negative."""
    if not labels.any():
        return True
    low, high = points[labels].min(axis=0), points[labels].max(axis=0)
    return not (((points >= low) & (points <= high)).all(axis=1) & ~labels).any()


def half_spaces(points: NDArray[Any], labels: Labelling) -> bool:
    """Whether a half-space has exactly the positives."""
    return bool(linearly_separable(points, labels))


NAMED_CLASSES: dict[str, Realizes] = {"half-spaces": half_spaces, "intervals": intervals, "rectangles": rectangles}


def labellings(hypotheses: str | ArrayLike | Realizes, points: ArrayLike) -> set[tuple[bool, ...]]:
    """All labellings of the points by hypotheses of a class.

    Parameters
    ----------
    hypotheses : str, array of shape (hypotheses, n), or callable
        "half-spaces", "intervals", "rectangles"; or for each hypothesis which of the points it has; or a function of
        points and labels that says whether a hypothesis labels them so.
    points : array of shape (n, d)

    Returns
    -------
    set of tuples of bool

    Examples
    --------
    >>> from tenfold.theory import labellings
    >>> len(labellings("intervals", [[1], [2], [3]]))  # all 8 but the one that has both ends and not the middle
    7
    """
    X = _points(points)
    if isinstance(hypotheses, str) or callable(hypotheses):
        realizes = _realizes(hypotheses)
        return {one for one in _all(len(X)) if realizes(X, np.array(one, dtype=bool))}
    return {tuple(row) for row in _table(hypotheses, len(X)).tolist()}


def shatters(hypotheses: str | ArrayLike | Realizes, points: ArrayLike) -> bool:
    """Whether a class can label the points in every way.

    Parameters
    ----------
    hypotheses : str, array or callable
        As in `labellings`.
    points : array of shape (n, d)

    Returns
    -------
    bool

    Examples
    --------
    >>> from tenfold.theory import shatters
    >>> shatters("half-spaces", [[0, 0], [1, 0], [0, 1]]), shatters("half-spaces", [[0, 0], [1, 0], [0, 1], [1, 1]])
    (True, False)
    """
    X = _points(points)
    if isinstance(hypotheses, str) or callable(hypotheses):
        realizes = _realizes(hypotheses)
        return all(realizes(X, np.array(one, dtype=bool)) for one in _all(len(X)))
    return len(labellings(hypotheses, X)) == 1 << len(X)


def vc_dimension(hypotheses: str | ArrayLike | Realizes, points: ArrayLike) -> int:
    """The size of the largest subset of the points that a class shatters: its VC dimension, if these are all points.

    Of a class on more points than these, it is a lower bound.

    Parameters
    ----------
    hypotheses : str, array or callable
        As in `labellings`.
    points : array of shape (n, d)

    Returns
    -------
    int
        0 if not even one point is shattered; -1 for a class without hypotheses.

    Examples
    --------
    >>> from tenfold.theory import vc_dimension
    >>> vc_dimension("rectangles", [[0, 1], [1, 0], [0, -1], [-1, 0], [0, 0]])
    4
    >>> vc_dimension([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[1], [2], [3]])  # sets of one point at most
    1
    """
    X = _points(points)
    size = -1
    for size in range(len(X) + 1):
        if not any(_shattered(hypotheses, X, list(some)) for some in combinations(range(len(X)), size)):
            return size - 1
    return size


def growth_function(hypotheses: str | ArrayLike | Realizes, points: ArrayLike, m: int) -> int:
    """The largest number of ways in which a class labels m of the points; `growth` bounds it by the VC dimension.

    Parameters
    ----------
    hypotheses : str, array or callable
        As in `labellings`.
    points : array of shape (n, d)
    m : int
        At most n.

    Returns
    -------
    int

    Examples
    --------
    >>> from tenfold.theory import growth, growth_function
    >>> growth_function("intervals", [[1], [2], [3], [4], [5]], 4), growth(4, 2)
    (11, 11)
    """
    X = _points(points)
    m = whole("m", m, 0, len(X))
    counts = (len(_on(hypotheses, X, list(some))) for some in combinations(range(len(X)), m))
    return max(counts)


def _shattered(hypotheses: str | ArrayLike | Realizes, X: NDArray[Any], some: list[int]) -> bool:
    if isinstance(hypotheses, str) or callable(hypotheses):
        return not some or shatters(hypotheses, X[some])
    return len(_on(hypotheses, X, some)) == 1 << len(some)


def _on(hypotheses: str | ArrayLike | Realizes, X: NDArray[Any], some: list[int]) -> set[tuple[bool, ...]]:
    """The labellings of some of the points."""
    if isinstance(hypotheses, str) or callable(hypotheses):
        return labellings(hypotheses, X[some]) if some else {()}
    return {tuple(row) for row in _table(hypotheses, len(X))[:, some].tolist()}


def _realizes(hypotheses: str | Realizes) -> Realizes:
    return hypotheses if callable(hypotheses) else NAMED_CLASSES[one_of("hypotheses", hypotheses, tuple(NAMED_CLASSES))]


def _all(n: int) -> Iterator[tuple[bool, ...]]:
    if n > MAX_LABELLED_POINTS:
        raise ValueError(f"{n} points have 2^{n} labellings: the limit is {MAX_LABELLED_POINTS} points")
    return product((False, True), repeat=n)


def _table(hypotheses: ArrayLike, n: int) -> Labelling:
    table = np.asarray(hypotheses).astype(bool)
    if table.ndim != 2 or table.shape[1] != n:
        raise ValueError(f"a table of hypotheses must have a column for each of the {n} points, got {table.shape}")
    return table


def _points(points: ArrayLike) -> NDArray[Any]:
    X = np.asarray(points)
    if X.ndim != 2:
        raise ValueError(f"points must be a matrix, a row each, got shape {X.shape}")
    return X
