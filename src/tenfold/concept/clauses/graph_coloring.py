"""Colouring a graph with k colours and finding a k-term DNF are the same problem: both ways of the reduction.

A column for each vertex. The positive of vertex i is true but for i; the negative of an edge is true but for its two
ends. The term of a colour has the vertices that are *not* of that colour: so it holds for the positives of its own
vertices, and for no edge between two colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tenfold.concept.clauses.k_term_dnf import Term, satisfies
from tenfold.core import Flags

Edge = tuple[int, int]


def examples_of_graph(n: int, edges: Iterable[Edge]) -> tuple[Flags, Flags]:
    """The examples that a k-term DNF agrees with exactly if the graph has a colouring with k colours.

    Parameters
    ----------
    n : int
        Vertices, numbered from 0.
    edges : sequence of pairs

    Returns
    -------
    X, y : arrays of bool of shape (n + edges, n) and (n + edges,)

    Examples
    --------
    >>> from tenfold import k_term_dnf
    >>> from tenfold.concept.clauses.graph_coloring import examples_of_graph
    >>> triangle = [(0, 1), (1, 2), (0, 2)]
    >>> k_term_dnf(*examples_of_graph(3, triangle), 3) is not None, k_term_dnf(*examples_of_graph(3, triangle), 2)
    (True, None)
    """
    ends = list(edges)
    if any(a == b or not (0 <= a < n and 0 <= b < n) for a, b in ends):
        raise ValueError(f"edges must join two of the vertices 0 to {n - 1}")
    X = np.ones((n + len(ends), n), bool)
    X[np.arange(n), np.arange(n)] = False
    for k, (a, b) in enumerate(ends):
        X[n + k, [a, b]] = False
    return X, np.arange(n + len(ends)) < n


def terms_of_colouring(colours: Sequence[int]) -> list[Term]:
    """The k-term DNF of a colouring: the term of a colour has the vertices that are not of that colour.

    Parameters
    ----------
    colours : sequence of int
        The colour of each vertex.

    Returns
    -------
    list of frozensets of (vertex, True)

    Examples
    --------
    >>> from tenfold.concept.clauses.graph_coloring import terms_of_colouring
    >>> [sorted(term) for term in terms_of_colouring([0, 1, 0])]
    [[(1, True)], [(0, True), (2, True)]]
    """
    return [frozenset((v, True) for v, own in enumerate(colours) if own != c) for c in sorted(set(colours))]


def colouring_of_terms(terms: Sequence[Term], n: int) -> list[int]:
    """The colouring of a k-term DNF that agrees with the examples of a graph: the first term that a vertex satisfies.

    Parameters
    ----------
    terms : sequence of frozensets of (vertex, value)
    n : int
        Vertices.

    Returns
    -------
    list of int

    Examples
    --------
    >>> from tenfold.concept.clauses.graph_coloring import colouring_of_terms, terms_of_colouring
    >>> colouring_of_terms(terms_of_colouring([0, 1, 0]), 3)
    [0, 1, 0]
    """
    positives = examples_of_graph(n, [])[0]
    hits = np.array([satisfies([term], positives) for term in terms]).reshape(-1, n)
    if not hits.any(axis=0).all():
        raise ValueError("a vertex satisfies none of the terms: they do not agree with the examples of a graph")
    return [int(c) for c in hits.argmax(axis=0)]
