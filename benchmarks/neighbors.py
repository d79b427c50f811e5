"""Nearest neighbours beside scikit-learn and oneDAL: `python benchmarks/neighbors.py [--sets 200] [--repeat 5]`.

10,000 queries against 100,000 x 20, k = 10, in turns in one process: at least four times as fast as brute force of
scikit-learn, and not slower than oneDAL, if scikit-learn-intelex is installed. Before that, neighbours must be those of
a float64 brute force on random sets: duplicates, ties, constant columns, offsets of 1e8, outliers, extreme sizes. They
are those of the tests (`tests/neighbors/exact_sets.py`), which draw a few.
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import neighbors as peer

import tenfold as tn
from workloads import Promises, seconds

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "neighbors"))  # a package of that name would be this file

from exact_sets import KINDS, exact

PAUSE = 0.3
"""seconds between two sides: idle threads of one spin for a while and would slow the other"""


def contenders(X: Any, y: Any) -> dict[str, Any]:
    """Fitted models, by name."""
    found = {
        "tenfold": tn.KNeighborsClassifier(10).fit(X, y),
        "scikit-learn": peer.KNeighborsClassifier(10, algorithm="brute").fit(X, y),
    }
    if find_spec("sklearnex") is not None:
        from sklearnex.neighbors import KNeighborsClassifier

        found["oneDAL"] = KNeighborsClassifier(10, algorithm="brute").fit(X, y)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--rows", type=int, default=100_000)
    given = parser.parse_args()
    promises = Promises(given.rows == 100_000)
    wrong = [(seed, KINDS[seed % len(KINDS)]) for seed in range(given.sets) if not exact(seed)]
    print(f"{given.sets} sets, neighbours unlike those of brute force in {len(wrong)} {wrong[:8] or ''}", flush=True)
    promises.at_least("share of sets with exact neighbours", 1 - len(wrong) / max(given.sets, 1), 1.0)

    random = np.random.default_rng(0)
    X, Q = random.normal(size=(given.rows, 20)), random.normal(size=(10_000, 20))
    y = (X[:, 0] + random.normal(size=given.rows) > 0).astype(int)
    models = contenders(X, y)
    best, said = dict.fromkeys(models, np.inf), {}
    for _ in range(given.repeat):
        for name, model in models.items():
            time.sleep(PAUSE)
            taken, said[name] = seconds(lambda model=model: model.predict(Q))
            best[name] = min(best[name], taken)
    for name, taken in best.items():
        off = int((said[name] != said["tenfold"]).sum())
        print(f"  {name:14s} {taken:8.3f} s   peer : tenfold {taken / best['tenfold']:6.2f}   other answers: {off}")
    promises.at_least("scikit-learn : tenfold", best["scikit-learn"] / best["tenfold"], 4.0)
    if "oneDAL" in best:
        promises.at_least("oneDAL : tenfold", best["oneDAL"] / best["tenfold"], 1.0)
    promises.settle()


if __name__ == "__main__":
    main()
