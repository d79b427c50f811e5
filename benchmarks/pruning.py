"""Test error with and without each pruner, 20 % of the labels flipped: `python benchmarks/pruning.py [--seeds 20]`.

Each seed draws other rows. Learners see the same rows, so the interval is of paired differences; seeds are independent,
so the plain paired t-test is the right one.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from sklearn.base import clone

import tenfold as tn

TREE = tn.DecisionTreeClassifier
ROWS, FRESH, NOISE = 2_000, 20_000, 0.2
PRUNERS = {
    "threshold (min_impurity_decrease=0.002)": (TREE(min_impurity_decrease=0.002), TREE()),
    "threshold (max_depth=6)": (TREE(max_depth=6), TREE()),
    "chi-squared": (TREE(prune="chi_squared"), TREE()),
    "chi-squared (0.001)": (TREE(prune="chi_squared", significance=0.001), TREE()),
    "reduced error": (TREE(prune="reduced_error"), TREE()),
    "best cut": (TREE(prune="best_cut"), TREE()),
    "cost-complexity": (TREE(prune="cost_complexity"), TREE()),
    "pessimistic": (TREE(prune="pessimistic"), TREE()),
    "pessimistic, C4.5": (TREE("gain_ratio", prune="pessimistic"), TREE("gain_ratio")),
    "rule post-pruning": (tn.RuleListClassifier(), TREE("gain_ratio", split="multiway")),
}


def rows(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Three columns that matter and five that do not; a share of the labels is flipped."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 8))
    y = (X[:, 0] + X[:, 1] > 0) ^ (X[:, 2] > 0.5)
    return X, y ^ (random.random(n) < NOISE)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=20)
    given = parser.parse_args()
    data = [(*rows(seed, ROWS), *rows(10_000 + seed, FRESH)) for seed in range(given.seeds)]
    print(f"{given.seeds} seeds, {ROWS:,} rows, {NOISE:.0%} of the labels flipped, {FRESH:,} fresh rows (flipped too)")
    failed = False
    judged: dict[str, tuple[np.ndarray, float]] = {}
    for name, pair in PRUNERS.items():
        start = time.perf_counter()
        for model in pair:
            if repr(model) not in judged:
                fits = [clone(model).fit(X, y) for X, y, _, _ in data]
                scores = [fit.score(fresh, truth) for fit, (_, _, fresh, truth) in zip(fits, data, strict=True)]
                judged[repr(model)] = np.array(scores), float(np.mean([len(fit.rules_) for fit in fits]))
        (mine, small), (whole, large) = (judged[repr(model)] for model in pair)
        found = tn.compare(mine, whole, "paired", names=(name, "unpruned"))
        failed |= found.better != name
        taken = time.perf_counter() - start
        print(
            f"{name:40s} error {1 - whole.mean():.4f} -> {1 - mine.mean():.4f}, "
            f"leaves {large:.0f} -> {small:.0f}  ({taken:.1f} s)"
        )
        print(f"    {found.sentence}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
