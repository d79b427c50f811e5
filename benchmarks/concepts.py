"""Concept learning: 1,000 version spaces against lists, PAC in 1,000 runs, a million rows, 200 graphs.

`python benchmarks/concepts.py` exits with 1 if a promise is missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import combinations, product
from pathlib import Path

import numpy as np

import tenfold as tn
from workloads import Promises

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from theory.simulations import find_s


def spaces(count: int) -> int:
    """In how many random spaces candidate elimination and the list differ, as classifiers."""
    wrong = 0
    for seed in range(count):
        random = np.random.default_rng(seed)
        width = int(random.integers(1, 4))
        X = np.array(list("abc"), dtype=object)[random.integers(0, 3, (int(random.integers(2, 9)), width))]
        y = random.random(len(X)) < 0.5 if seed % 4 == 0 else X[:, 0] == "a"
        one = tn.CandidateElimination(pos_label=True).fit(X, y)
        other = tn.ListThenEliminate(max_literals=None, pos_label=True).fit(X, y)
        same = one.version_space_.size == other.n_consistent_
        if same and other.n_consistent_:
            points = np.array(list(product("abc", repeat=width)), dtype=object)
            same = np.allclose(one.predict_proba(points), other.predict_proba(points))
        wrong += not same
    return wrong


def graphs(count: int) -> int:
    """In how many random graphs the DNF of three terms and a search for three colours differ."""
    from tenfold.concept.clauses.graph_coloring import examples_of_graph

    wrong = 0
    for seed in range(count):
        random = np.random.default_rng(seed)
        n = int(random.integers(4, 9))
        edges = [pair for pair in combinations(range(n), 2) if random.random() < 0.55]
        colours = any(all(c[a] != c[b] for a, b in edges) for c in product(range(3), repeat=n))
        wrong += colours != (tn.k_term_dnf(*examples_of_graph(n, edges), 3) is not None)
    return wrong


def seconds(learner: tn.FindS | tn.KCNF, X: np.ndarray, y: np.ndarray) -> float:
    learner.fit(X[:1000], y[:1000])
    start = time.perf_counter()
    learner.fit(X, y)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    given = parser.parse_args()
    promises = Promises(True)

    def note(what: str, found: float, promised: float) -> None:
        print(f"{what}: {found:.4g}", flush=True)
        promises.at_most(what, found, promised)

    note("spaces in which candidate elimination differs from the list", spaces(given.runs), 0)
    delta = 0.05
    broken = sum(find_s(np.random.default_rng([3, run]), delta) for run in range(given.runs))
    note("share of runs in which Find-S errs more than eps", broken / given.runs, delta)
    note("graphs in which DNF and colouring differ", graphs(200), 0)
    X = (np.random.default_rng(0).random((given.rows, 40)) < 0.5).astype(np.int8)
    y = (X[:, 0] | X[:, 1]) & (1 - X[:, 2])
    for learner in (tn.FindS(), tn.KCNF(2)):
        note(f"seconds of {type(learner).__name__}", seconds(learner, X, y), 10)
    promises.settle()


if __name__ == "__main__":
    main()
