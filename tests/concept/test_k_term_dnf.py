"""k-term DNF: graphs both ways, brute force, erratum 22, and consistency by learning."""

import os
import signal
import threading
import time
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest

from tenfold import KCNF, Conjunction, VersionSpace, k_term_dnf
from tenfold.concept.clauses.graph_coloring import colouring_of_terms, examples_of_graph, terms_of_colouring
from tenfold.concept.clauses.k_term_dnf import consistency_by_learning, satisfies

TRIANGLE = [(0, 1), (1, 2), (0, 2)]
K4 = list(combinations(range(4), 2))


def colour(n, edges, k):
    """A colouring by going from vertex to vertex and back, or None."""
    near = [[b if a == v else a for a, b in edges if v in (a, b)] for v in range(n)]

    def go(found):
        if len(found) == n:
            return found
        taken = {found[u] for u in near[len(found)] if u < len(found)}
        return next((done for c in range(k) if c not in taken and (done := go([*found, c]))), None)

    return go([])


def test_200_random_graphs():
    """The DNF route and a direct colouring agree, and each gives the other."""
    yes = 0
    for seed in range(200):
        random = np.random.default_rng(seed)
        n = int(random.integers(4, 9))
        edges = [pair for pair in combinations(range(n), 2) if random.random() < 0.55]
        X, y = examples_of_graph(n, edges)
        direct, terms = colour(n, edges, 3), k_term_dnf(X, y, 3)
        assert (direct is None) == (terms is None), (seed, edges)
        if terms is not None:
            yes += 1
            assert (satisfies(terms, X) == y).all()
            found = colouring_of_terms(terms, n)
            assert all(found[a] != found[b] for a, b in edges)
            assert len(set(found)) <= 3
            assert (satisfies(terms_of_colouring(direct), X) == y).all()
    assert 40 < yes < 160


def test_the_triangle_has_three_terms_and_k4_has_none():
    assert k_term_dnf(*examples_of_graph(3, TRIANGLE), 3) is not None
    assert k_term_dnf(*examples_of_graph(3, TRIANGLE), 2) is None
    assert k_term_dnf(*examples_of_graph(4, K4), 3) is None
    assert k_term_dnf(*examples_of_graph(4, K4), 4) is not None


def test_erratum_22_a_term_has_the_vertices_that_are_not_of_its_colour():
    """With the vertices that are, the term of a colour rejects the positives of its own vertices."""
    X, y = examples_of_graph(3, TRIANGLE)
    colours = [0, 1, 2]
    assert (satisfies(terms_of_colouring(colours), X) == y).all()
    printed = [frozenset((v, True) for v in range(3) if colours[v] == c) for c in range(3)]
    assert (satisfies(printed, X) != y).any()


def test_erratum_22_errors_are_symmetric_and_3_cnf_is_what_is_found():
    """The difference of concept and hypothesis is symmetric; a 3-term DNF is found as 3-CNF."""
    attributes = [["rain", "sun"], ["cold", "warm"]]
    sunny, warm, both = (Conjunction(h) for h in (["sun", "?"], ["?", "warm"], ["sun", "warm"]))
    for concept, hypothesis, error in ((sunny, warm, 0.5), (sunny, both, 0.25)):
        for c, h in ((concept, hypothesis), (hypothesis, concept)):  # rows that only c covers, and that only h covers
            assert VersionSpace(attributes, [h], [h]).largest_error(c) == error
    X, y = examples_of_graph(3, TRIANGLE)
    assert KCNF(3).fit(X, y).certificate_["consistent"].value == 1


@pytest.mark.parametrize("k", [1, 2])
def test_against_brute_force(k):
    points = np.array(list(product((False, True), repeat=3)))
    terms = [frozenset((j, bool(v)) for j, v in enumerate(which) if v < 2) for which in product((0, 1, 2), repeat=3)]
    possible = {tuple(satisfies(list(some), points).tolist()) for some in combinations_with_replacement(terms, k)} | {
        (False,) * 8
    }
    for seed in range(40):
        y = np.random.default_rng(seed).random(8) < 0.5
        found = k_term_dnf(points, y, k)
        assert (found is not None) == (tuple(y.tolist()) in possible)
        if found is not None:
            assert (satisfies(found, points) == y).all()


def test_a_learner_decides_consistency():
    """With ε = 1/(m + 1): an error below it is none."""

    def three_terms(rows, labels):
        terms = k_term_dnf(rows, labels, 3)
        return None if terms is None else lambda points: satisfies(terms, points)

    assert consistency_by_learning(*examples_of_graph(3, TRIANGLE), three_terms)
    assert not consistency_by_learning(*examples_of_graph(4, K4), three_terms)


def test_wrong_input_is_named():
    for act, message in (
        (lambda: k_term_dnf([[2]], [1], 1), "X must be boolean"),
        (lambda: k_term_dnf([[1]], [1, 0], 1), "a label for each row"),
        (lambda: k_term_dnf([[1]], [1], 0), "k must be at least 1"),
        (lambda: examples_of_graph(2, [(0, 2)]), "two of the vertices"),
        (lambda: colouring_of_terms([], 2), "satisfies none"),
    ):
        with pytest.raises(ValueError, match=message):
            act()


def test_an_interrupt_ends_the_search_and_the_next_one_is_python_s_too():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (400, 40)), rng.integers(0, 2, 400)
    k_term_dnf(X[:2], [0, 1], 1)  # the solver is imported
    for after in np.arange(0.4, 1.2, 0.05):  # while the model is made, as the search begins, within it
        timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
        start = time.monotonic()
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            k_term_dnf(X, y, 30, seconds=60)
        assert time.monotonic() - start < 30
        timer.join()
        time.sleep(0.05)  # the thread ends after its answer is there
        assert not any(thread.name == "k_term_dnf" for thread in threading.enumerate())
    assert k_term_dnf(X[:2], [0, 1], 1) is not None
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
