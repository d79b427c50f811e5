"""Benchmark problems of other kinds: knapsack, colouring, queens, tours, and a rough surface."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from tenfold.core import Array, Codes, Values
from tenfold.search.problem import Problem
from tenfold.search.spaces import Bits, Box, Discrete, Permutations
from tenfold.theory.checks import positive, vector, whole


def knapsack(weights: ArrayLike, values: ArrayLike, capacity: float) -> Problem:
    """Knapsack problem: the most valuable items within a weight limit; a selection beyond it has fitness 0.

    Parameters
    ----------
    weights, values : array
        Of the things.
    capacity : float
        How much can be carried.

    Returns
    -------
    problem : Problem

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> search.knapsack([10, 5, 2], [1, 2, 3], capacity=7).objective(np.array([[0, 1, 1], [1, 0, 0]]))
    array([5., 0.])
    """
    heavy, worth = vector("weights", weights), vector("values", values)
    if heavy.shape != worth.shape or (heavy < 0).any() or (worth < 0).any():
        raise ValueError("weights and values must have an entry for each thing, none of them negative")
    limit = positive("capacity", capacity)
    return Problem(partial(_carried, heavy, worth, limit), Bits(len(heavy)), name=f"knapsack ({len(heavy)})")


def k_coloring(edges: ArrayLike, k: int, n_nodes: int | None = None) -> Problem:
    """Colouring of a graph by k colours: as few edges as can be whose ends have one colour.

    Parameters
    ----------
    edges : array of shape (edges, 2)
        The ends of each edge, counted from 0.
    k : int
    n_nodes : int, optional
        By default the nodes that have an edge.

    Returns
    -------
    problem : Problem

    Examples
    --------
    >>> from tenfold import search
    >>> square = search.k_coloring([[0, 1], [1, 2], [2, 3], [3, 0]], k=2)
    >>> search.optimize(square, search.MIMIC(population=50), evaluations=500).fitness
    0.0
    """
    ends = np.asarray(edges)
    if ends.ndim != 2 or ends.shape[1] != 2 or not len(ends) or ends.dtype.kind not in "iu" or ends.min() < 0:
        raise ValueError("edges must have two nodes in each row, whole numbers from 0 on")
    nodes = whole("n_nodes", int(ends.max()) + 1 if n_nodes is None else n_nodes, int(ends.max()) + 1)
    space = Discrete([whole("k", k, 2)] * nodes)
    return Problem(partial(_clashes, ends), space, maximize=False, name=f"{k}-colouring ({nodes})")


def queens(n: int) -> Problem:
    """n queens, one in each row and column, as an order of columns: as few pairs as can be that share a diagonal.

    Parameters
    ----------
    n : int

    Returns
    -------
    problem : Problem

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> search.queens(4).objective(np.array([[1, 3, 0, 2], [0, 1, 2, 3]]))
    array([0., 6.])
    """
    optimum = 0 if n > 3 else None
    return Problem(
        _attacks, Permutations(n, move="swap"), maximize=False, optimum=optimum, name=f"queens ({n})"
    )  # fmt: skip


def tsp(cities: ArrayLike) -> Problem:
    """Travelling salesman problem: the shortest closed tour through all cities.

    Parameters
    ----------
    cities : array of shape (cities, 2) or more columns, or of shape (cities, cities)
        Coordinates of the cities; or, if square, the matrix of distances.

    Returns
    -------
    problem : Problem

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> search.tsp([[0, 0], [0, 1], [1, 1], [1, 0]]).objective(np.array([[0, 1, 2, 3], [0, 2, 1, 3]])).round(3)
    array([4.   , 4.828])
    """
    given = np.asarray(cities, dtype=np.float64)
    if given.ndim != 2 or len(given) < 3 or not np.isfinite(given).all():
        raise ValueError("cities must have a row each, at least three, of finite numbers")
    apart = given
    if given.shape[0] != given.shape[1]:
        apart = np.sqrt(((given[:, None] - given) ** 2).sum(axis=2))
    return Problem(partial(_length, apart), Permutations(len(apart)), maximize=False, name=f"tour ({len(apart)})")


def rastrigin(n: int, width: float = 5.12) -> Problem:
    """Rastrigin's function, 10n + Σ x² - 10 cos 2πx: a bowl with a dent at every point of whole numbers, lowest at 0.

    Parameters
    ----------
    n : int
        How many variables there are.
    width : float, default=5.12
        They lie between minus this and this.

    Returns
    -------
    problem : Problem

    Examples
    --------
    >>> import numpy as np
    >>> from tenfold import search
    >>> search.rastrigin(2).objective(np.array([[0.0, 0.0], [1.0, 2.0]]))
    array([0., 5.])
    """
    size = whole("n", n)
    bound = np.full(size, positive("width", width))
    return Problem(_dents, Box(-bound, bound), maximize=False, optimum=0.0, name=f"Rastrigin ({size})")


def _carried(weights: Array, values: Array, capacity: float, X: Values) -> Array:
    return np.asarray(np.where(X @ weights <= capacity, X @ values, 0.0))


def _clashes(edges: Codes, X: Values) -> Array:
    return np.asarray((X[:, edges[:, 0]] == X[:, edges[:, 1]]).sum(axis=1), dtype=np.float64)


def _attacks(X: Values) -> Array:
    """Pairs on one diagonal, from how many queens each has."""
    n = X.shape[1]
    place, row = np.arange(n), np.arange(len(X))[:, None] * (2 * n)
    pairs = np.zeros(len(X))
    for diagonal in (X + place, X - place + n):
        count = np.bincount((row + diagonal).ravel(), minlength=len(X) * 2 * n).reshape(len(X), -1)
        pairs += (count * (count - 1) // 2).sum(axis=1)
    return pairs


def _length(apart: Array, X: Values) -> Array:
    return np.asarray(apart[X, np.roll(X, -1, axis=1)].sum(axis=1))


def _dents(X: Values) -> Array:
    return np.asarray((10 + X**2 - 10 * np.cos(2 * np.pi * X)).sum(axis=1))
