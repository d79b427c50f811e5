"""Trees, forests and boosting on five real data sets, beside scikit-learn and LightGBM: who errs less, is it noise?

python benchmarks/real_data.py [--folds 5] [--repeats 5] [--data iris wine ...]

All learners are scored on the same folds, drawn again for each repeat. The difference from the best peer has the
interval of Nadeau and Bengio, which knows that folds share what they learn from. "Within noise" means that 0 is in it;
that the peer is chosen by its score on these folds is to its advantage. The script fails if a peer is better than that.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from typing import Any

import lightgbm
import sklearn
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn import datasets, ensemble, tree
from threadpoolctl import threadpool_limits

import tenfold as tn

DATA = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "diabetes": datasets.load_diabetes,
}
CLASSES = {
    "tree": {
        "tenfold": tn.DecisionTreeClassifier(),
        "scikit-learn": tree.DecisionTreeClassifier(random_state=0),
    },
    "forest": {
        "tenfold": tn.RandomForestClassifier(100),
        "scikit-learn": ensemble.RandomForestClassifier(100, random_state=0),
    },
    "boosting": {
        "tenfold": tn.HistGradientBoostingClassifier(early_stopping=False),
        "scikit-learn": ensemble.HistGradientBoostingClassifier(early_stopping=False, random_state=0),
        "LightGBM": LGBMClassifier(n_jobs=1, verbose=-1, random_state=0),
    },
}
NUMBERS = {
    "tree": {
        "tenfold": tn.DecisionTreeRegressor(),
        "scikit-learn": tree.DecisionTreeRegressor(random_state=0),
    },
    "forest": {
        "tenfold": tn.RandomForestRegressor(100),
        "scikit-learn": ensemble.RandomForestRegressor(100, random_state=0),
    },
    "boosting": {
        "tenfold": tn.HistGradientBoostingRegressor(early_stopping=False),
        "scikit-learn": ensemble.HistGradientBoostingRegressor(early_stopping=False, random_state=0),
        "LightGBM": LGBMRegressor(n_jobs=1, verbose=-1, random_state=0),
    },
}


def judge(name: str, folds: int, repeats: int) -> list[tuple[str, bool]]:
    """The errors of all learners on one data set, and where a peer is better than noise."""
    X, y = DATA[name](return_X_y=True)
    numbers = name == "diabetes"
    kinds: dict[str, dict[str, Any]] = NUMBERS if numbers else CLASSES
    learners = {f"{kind}, {who}": one for kind, some in kinds.items() for who, one in some.items()}
    scoring = "neg_root_mean_squared_error" if numbers else "accuracy"
    start = time.perf_counter()
    found = tn.cross_validate(learners, X, y, folds=folds, shuffle=True, repeats=repeats, scoring=scoring)
    error = dict(zip(found.names, (0.0 if numbers else 1.0) - found.mean[:, 0], strict=True))
    taken = time.perf_counter() - start
    print(f"\n{name}: {len(X):,} x {X.shape[1]}, {'root mean squared error' if numbers else 'error'} ({taken:.0f} s)")
    worse = []
    for kind, some in kinds.items():
        ours, *peers = (f"{kind}, {who}" for who in some)
        best = min(peers, key=error.__getitem__)
        told = found.compare(ours, best)
        verdict = {ours: "better", best: "WORSE", None: "within noise"}[told.better]
        worse.append((f"{name}, {kind}", told.better == best))
        print(f"  {kind:9s}" + ", ".join(f"{who} {error[f'{kind}, {who}']:.4f}" for who in some))
        away = f"{0 - told.high:+.4f} to {0 - told.low:+.4f}"
        print(f"           {verdict}: error {away} of {best.split(', ')[1]}'s, p {told.p:.2g}", flush=True)
    ours, best = (min((n for n in error if ("tenfold" in n) == mine), key=error.__getitem__) for mine in (True, False))
    told = found.compare(ours, best)
    worse.append((f"{name}, best", told.better == best))
    print(f"  best: {ours} {error[ours]:.4f}; {best} {error[best]:.4f}; {0 - told.high:+.4f} to {0 - told.low:+.4f}")
    return worse


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--data", nargs="*", default=list(DATA), choices=list(DATA))
    given = parser.parse_args()
    versions = f"tenfold {tn.__version__}, scikit-learn {sklearn.__version__}, LightGBM {lightgbm.__version__}"
    print(f"{versions}; {given.repeats} x {given.folds} folds, 95 % intervals of the difference")
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    with threadpool_limits(1, "openmp"):  # tables this small are not worth a second thread
        worse = [one for name in given.data for one in judge(name, given.folds, given.repeats)]
    beaten = [what for what, bad in worse if bad]
    print(
        f"\n{len(worse)} comparisons, a peer is better in {len(beaten)}" + (f": {'; '.join(beaten)}" if beaten else "")
    )
    sys.exit(bool(beaten))


if __name__ == "__main__":
    main()
