"""Curves over shared scans beside scikit-learn's, and how often the interval of an area holds the true one.

python benchmarks/curves.py [rows] [columns]
"""

import platform
import sys
import time

import numpy as np
import sklearn
from scipy.stats import norm
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, StratifiedKFold, learning_curve, validation_curve
from sklearn.naive_bayes import GaussianNB

import tenfold as tn
from tenfold.model_selection.certification.auc_interval import auc_interval
from tenfold.stats.metrics import Ranking
from workloads import Promises

FASTER = 5.0
"""times as fast as scikit-learn: a curve shares its scans, and scikit-learn fits each point of each fold"""
HOLDS = 0.92
"""share of intervals at 95 % that hold the true area, at least"""
SIZES = [0.1, 0.325, 0.55, 0.775, 1.0]


def seconds(function, times=3):
    best = np.inf
    for _ in range(times):
        start = time.perf_counter()
        found = function()
        best = min(best, time.perf_counter() - start)
    return best, found


def curves(n, p, promises):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, p))
    y = X @ random.normal(size=p) + random.normal(size=n)
    label = (y > 0).astype(int)
    alphas = np.logspace(-2, 4, 10).tolist()
    ten, ten_classes = KFold(10), StratifiedKFold(10)
    pairs = {
        "one fit, Ridge": (lambda: tn.Ridge().fit(X, y), lambda: Ridge().fit(X, y)),
        "learning curve, Ridge": (
            lambda: tn.learning_curve(tn.Ridge(), X, y, train_sizes=SIZES),
            lambda: learning_curve(Ridge(), X, y, train_sizes=SIZES, cv=ten),
        ),
        "learning curve, GaussianNB": (
            lambda: tn.learning_curve(tn.GaussianNB(), X, label, train_sizes=SIZES),
            lambda: learning_curve(GaussianNB(), X, label, train_sizes=SIZES, cv=ten_classes),
        ),
        "validation curve, Ridge, 10 penalties": (
            lambda: tn.validation_curve(tn.Ridge(), X, y, param_name="alpha", param_range=alphas),
            lambda: validation_curve(Ridge(), X, y, param_name="alpha", param_range=alphas, cv=ten),
        ),
    }
    print(f"{n:,} rows, {p} columns, 10 folds, 5 sizes; best of 3 and of 1")
    for name, (mine, theirs) in pairs.items():
        ours, found = seconds(mine)
        peer, _ = seconds(theirs, 1)
        scans = f", scans: {found.scans}" if hasattr(found, "scans") else ""
        print(f"{name:40s} tenfold {ours:8.3f} s{scans}, scikit-learn {peer:8.3f} s: {peer / ours:.1f} times")
        if name != "one fit, Ridge":
            promises.at_least(f"{name}, times as fast", peer / ours, FASTER)


def coverage(promises, draws=10_000):
    print(f"interval of an area, 95 %, {draws:,} samples: share that hold the true area")
    for apart, n, share in ((0.5, 40, 0.5), (1.0, 80, 0.3), (2.0, 200, 0.2), (3.0, 200, 0.5)):
        random = np.random.default_rng(0)
        true, hits, told = norm.cdf(apart / np.sqrt(2)), 0, 0
        for _ in range(draws):
            y = (random.random(n) < share).astype(int)
            found = auc_interval(Ranking.of(y, apart * y + random.normal(size=n)))
            told += found is not None
            hits += found is not None and true in found
        rows = f"true area {true:.3f}, {n} rows, {share:.0%} positive"
        print(f"  {rows}: {hits / told:.4f} ({draws - told} without interval)")
        promises.at_least(f"{rows}: share of intervals that hold", hits / told, HOLDS)


if __name__ == "__main__":
    rows, columns = (int(v) for v in (*sys.argv[1:], "200000", "50")[:2])
    print(f"{platform.machine()}, numpy {np.__version__}, scikit-learn {sklearn.__version__}")
    timed, held = Promises((rows, columns) == (200_000, 50)), Promises()
    curves(rows, columns, timed)
    coverage(held)
    held.missed += timed.missed
    held.settle()
