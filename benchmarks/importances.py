"""How often intervals of importances hold, and what importances cost: `python benchmarks/importances.py [--runs 300]`.

A linear model under squared loss has importances that are known: 2 c² + 2 c Cov(x, residual) of other rows, and the
mean over all pairs of these rows. Times are beside scikit-learn's function on the same model, one after the other.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.inspection import permutation_importance as theirs
from sklearn.linear_model import LinearRegression

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import tenfold as tn
from inspection.test_permutation_importance import of_all_pairs, rows, truth
from workloads import Promises

LEVEL = 0.95
HOLDS = 0.92
"""share of runs in which an interval at 95 % holds, at least, from 60 rows on: 0.92 to 0.97 was measured"""
SLOWER = 0.8
"""of the speed of scikit-learn's function, at least"""


def coverage(runs: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Shares of runs in which the intervals hold: for other rows, and for other repeats."""
    model, same = tn.LinearRegression().fit(*rows(200)), LinearRegression().fit(*rows(200))
    hits = np.zeros((2, 3))
    for seed in range(runs):
        X, y = rows(n, 1000 + seed)
        found = tn.permutation_importance(model, X, y, scoring="neg_mean_squared_error", random_state=seed)
        for i, (ends, wanted) in enumerate(
            ((found.interval, truth(model)), (found.repeats_interval, of_all_pairs(same, X, y)))
        ):
            hits[i] += (ends[:, 0] <= wanted) & (wanted <= ends[:, 1])
    return hits[0] / runs, hits[1] / runs


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=300)
    given = parser.parse_args()
    print(f"{given.runs} runs, level {LEVEL}: share of runs that hold, for each of three columns")
    promises = Promises()
    chance = 3 * float(np.sqrt(LEVEL * (1 - LEVEL) / given.runs))
    for n in (20, 60, 300, 1000):
        by_rows, by_repeats = coverage(given.runs, n)
        print(f"{n:5d} rows  other rows {by_rows.round(3)}  other repeats {by_repeats.round(3)}", flush=True)
        if n >= 60:
            promises.at_least(f"{n} rows, other rows: share that holds", by_rows.min(), HOLDS - max(0.0, chance - 0.03))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 20))
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=len(X))
    for model in (tn.LinearRegression(), tn.HistGradientBoostingRegressor(max_iter=50), LinearRegression()):
        model.fit(X[:20_000], y[:20_000])
        tn.permutation_importance(model, X[:500], y[:500])
        began = time.perf_counter()
        tn.permutation_importance(model, X, y)
        ours, began = time.perf_counter() - began, time.perf_counter()
        theirs(model, X, y, n_repeats=5)
        other = time.perf_counter() - began
        name = f"{type(model).__module__.split('.')[0]}.{type(model).__name__}"
        print(f"{name}: {ours:.2f} s, scikit-learn's function {other:.2f} s, ratio {other / ours:.2f}", flush=True)
        promises.at_least(f"{name}, times as fast as scikit-learn's function", other / ours, SLOWER)
    promises.settle()


if __name__ == "__main__":
    main()
