"""A column of categories that says nothing, beside the same rows without it, and beside the peers.

`python benchmarks/noise_categories.py [--seeds 5] [--learner boosting tree forest]`: 20,000 rows to learn from and
20,000 to test. Exits with 1 if a test AUC is more than .02 below that without the column, or more than .01 below the
peer's that has the same column (LightGBM: as categories; scikit-learn's tree and forest: as ordinal codes).
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

import tenfold as tn

LEVELS = (10, 100, 1_000, 3_000, 10_000, 0)
"""0: a category of its own for each row"""
WITHOUT, PEER = 0.02, 0.01


def table(rows: int, levels: int, seed: int) -> tuple[Any, Any]:
    """Three columns of numbers, two of which tell something, and a column of categories that tells nothing."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(rows, 3)), columns=["a", "b", "c"])
    margin = X["a"] + np.sin(2 * X["b"])
    y = (random.random(rows) < 1 / (1 + np.exp(-margin))).astype(int)
    codes = np.arange(rows) if levels == 0 else random.integers(0, levels, rows)
    X["noise"] = pd.Categorical([f"k{code}" for code in codes])
    return X, y


def ours(name: str) -> Any:
    """The learner, in settings of use: a tree that grows to its last row is noise on any column."""
    return {
        "boosting": lambda: tn.HistGradientBoostingClassifier(early_stopping=False),
        "tree": lambda: tn.DecisionTreeClassifier(max_depth=8, min_samples_leaf=20),
        "forest": lambda: tn.RandomForestClassifier(n_estimators=50, min_samples_leaf=5),
    }[name]()


def peers(name: str) -> Any:
    """The peer with the same settings."""
    if name == "boosting":
        import lightgbm

        return lightgbm.LGBMClassifier(verbose=-1, n_jobs=2)
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    if name == "tree":
        return DecisionTreeClassifier(max_depth=8, min_samples_leaf=20, random_state=0)
    return RandomForestClassifier(n_estimators=50, min_samples_leaf=5, random_state=0, n_jobs=2)


def auc(model: Any, train: Any, test: Any) -> float:
    """Of the test rows."""
    model.fit(*train)
    return float(roc_auc_score(test[1], model.predict_proba(test[0])[:, 1]))


def measure(name: str, levels: int, seed: int, rows: int = 20_000, peer: bool = True) -> tuple[float, float, float]:
    """Test AUC without the column, with it, and the peer's with it (nan: not asked for)."""
    X, y = table(2 * rows, levels, seed)
    train, test = (X[:rows], y[:rows]), (X[rows:], y[rows:])
    bare = [(some.drop(columns="noise"), target) for some, target in (train, test)]
    without, with_it = auc(ours(name), *bare), auc(ours(name), train, test)
    if not peer:
        return without, with_it, np.nan
    if name != "boosting":
        train, test = ((some.assign(noise=some["noise"].cat.codes), target) for some, target in (train, test))
    return without, with_it, auc(peers(name), train, test)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--learner", nargs="*", default=["boosting", "tree", "forest"])
    parser.add_argument("--levels", nargs="*", type=int, default=LEVELS)
    given = parser.parse_args()
    missed = 0
    print(f"{'learner':10}{'levels':>8}{'seed':>6}{'without':>9}{'with':>9}{'peer':>9}")
    for name in given.learner:
        for levels in given.levels:
            for seed in range(given.seeds):
                without, with_it, peer = measure(name, levels, seed)
                bad = with_it < without - WITHOUT or with_it < peer - PEER
                missed += bad
                print(
                    f"{name:10}{levels or 'a row':>8}{seed:6}{without:9.4f}{with_it:9.4f}{peer:9.4f}"
                    + (" missed" if bad else ""),
                    flush=True,
                )
    print("every promise was kept" if not missed else f"{missed} promises were missed")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
