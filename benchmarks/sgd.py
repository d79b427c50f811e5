"""Stochastic gradient descent beside scikit-learn's: `python benchmarks/sgd.py [--rows N] [--columns P] [--epochs E]`.

One process, one after the other. Seconds an epoch are the difference of a fit of E + 1 epochs and one of one epoch, so
passes before and after are not in them; they are of the processor, which others on the machine disturb less. Seconds of
a whole fit are those of the clock. The last line is for a CSR matrix.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.linear_model import SGDClassifier as Theirs
from sklearn.linear_model import SGDRegressor as TheirRegressor

import tenfold as tn
from workloads import Promises

EPOCH = 0.7
"""of the peer's speed that an epoch has at least"""
WORSE = 0.02
"""less of a score than the peer's, at most"""


def seconds(learner: Any, X: Any, y: Any, epochs: int) -> tuple[float, float]:
    """Of a fit, by the clock and of the processor."""
    start, began = time.perf_counter(), time.process_time()
    learner.set_params(max_iter=epochs, tol=None).fit(X, y)
    return time.perf_counter() - start, time.process_time() - began


def each(learner: Any, X: Any, y: Any, epochs: int) -> tuple[float, float]:
    """Seconds an epoch and of the longer fit: the better of two tries."""
    seconds(learner, X[:1000], y[:1000], 1)  # compiles
    tries = [(seconds(learner, X, y, 1), seconds(learner, X, y, epochs + 1)) for _ in range(2)]
    return min((long[1] - short[1]) / epochs for short, long in tries), min(long[0] for _, long in tries)


def compare(name: str, ours: Any, theirs: Any, X: Any, y: Any, epochs: int, promises: Promises) -> None:
    """One line."""
    a, whole = each(ours, X, y, epochs)
    b, their_whole = each(theirs, X, y, epochs)
    told, their_told = ours.score(X, y), theirs.score(X, y)
    scores = f"{told:.4f} : {their_told:.4f}"
    promises.at_least(f"{name}, an epoch, of the peer's speed", b / a, EPOCH)
    promises.at_least(f"{name}, score less the peer's", told - their_told, -WORSE)
    print(
        f"{name:34s} epoch {a:.3f} : {b:.3f} s = {b / a:.2f}x; {epochs + 1} epochs {whole:.2f} : {their_whole:.2f} s "
        f"= {their_whole / whole:.2f}x; score {scores}",
        flush=True,
    )


def main() -> None:
    """All comparisons."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=5)
    given = parser.parse_args()
    random = np.random.default_rng(0)
    X = random.standard_normal((given.rows, given.columns))
    t = X @ random.standard_normal(given.columns) + 3 * random.standard_normal(given.rows)
    y = t > 0
    print(f"{given.rows:,} x {given.columns}, tenfold {tn.__version__} : scikit-learn {sklearn.__version__}")
    promises = Promises((given.rows, given.columns) == (1_000_000, 50))
    for loss in ("hinge", "log_loss"):
        theirs = Theirs(loss, random_state=0)
        compare(f"SGDClassifier {loss}", tn.SGDClassifier(loss), theirs, X, y, given.epochs, promises)
        mixed = tn.SGDClassifier(loss, mixing=True)
        compare(f"SGDClassifier {loss}, mixing", mixed, theirs, X, y, given.epochs, promises)
    compare("SGDRegressor", tn.SGDRegressor(), TheirRegressor(random_state=0), X, t, given.epochs, promises)
    rule = TheirPerceptron(random_state=0)
    compare("Perceptron averaged", tn.Perceptron("averaged"), rule, X, y, given.epochs, promises)
    rows = sp.random_array((given.rows // 5, 20_000), density=0.002, rng=random, format="csr")
    label = rows @ random.standard_normal(20_000) > 0
    name = f"CSR {rows.shape[0]:,} x 20,000, hinge"
    compare(name, tn.SGDClassifier(), Theirs(random_state=0), rows, label, given.epochs, promises)
    promises.settle()


if __name__ == "__main__":
    main()
