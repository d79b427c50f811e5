"""Discriminants and principal components beside scikit-learn: `python benchmarks/discriminants.py [--rows 1000000]`.

Ten folds of linear and quadratic discriminant analysis on the same folds as the peer, whose scores must be the same to
the last row; and one fit of PCA. `--folds 2` times two of the peer's ten folds and says so.
"""

from __future__ import annotations

import argparse
import platform
import time
from importlib.metadata import version
from typing import Any

import numpy as np
import sklearn.discriminant_analysis as peer
from sklearn.decomposition import PCA
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_info

import tenfold as tn
from workloads import Promises, regression, seconds

PAUSE = 0.3
"""seconds between the two sides: idle BLAS threads of one spin for a while and would slow the other"""
FOLDS = 10


def timed(name: str, call: Any, repeat: int) -> tuple[float, Any]:
    """One line: seconds, the best of some."""
    time.sleep(PAUSE)
    taken, result = seconds(call, repeat)
    print(f"  {name:44s} {taken:9.3f} s", flush=True)
    return taken, result


def folds_of(model: Any, X: Any, y: Any, some: int) -> tuple[float, list[float]]:
    """Seconds and scores of the peer's first folds, as `cross_val_score` would have them."""
    time.sleep(PAUSE)
    splits = list(StratifiedKFold(FOLDS).split(X, y))[:some]
    began = time.perf_counter()
    scores = [model.fit(X[train], y[train]).score(X[test], y[test]) for train, test in splits]
    return time.perf_counter() - began, scores


def ten_folds(
    name: str,
    ours: Any,
    peers: dict[str, tuple[Any, float]],
    X: Any,
    y: Any,
    some: int,
    repeat: int,
    promises: Promises,
) -> None:
    """Ten folds of ours beside those of the peers, and the ratios that are wanted."""
    print(f"\n{name}, {FOLDS} folds, {X.shape[0]:,} x {X.shape[1]}")
    taken, found = timed("tenfold, ten folds", lambda: tn.cross_validate(ours, X, y, folds=FOLDS), repeat)
    timed("tenfold, ten folds, shuffled", lambda: tn.cross_validate(ours, X, y, folds=FOLDS, shuffle=True), repeat)
    one, _ = timed("tenfold, one fit", lambda: type(ours)().fit(X, y), repeat)
    for label, (model, wanted) in peers.items():
        theirs, scores = folds_of(model, X, y, some)
        theirs *= FOLDS / some
        said = "" if some == FOLDS else f", {FOLDS // some} times {some} folds"
        print(f"  {f'{label}, ten folds{said}':44s} {theirs:9.3f} s", flush=True)
        off = np.abs(found.scores[0, 0, :some] - scores).max()
        print(f"  {'peer : tenfold':44s} {theirs / taken:9.1f}   (wanted {wanted:g}; scans: {found.scans})")
        print(f"  largest difference of a fold's score {off:.2g}")
        assert off == 0, "the scores are not those of the peer"
        promises.at_least(f"{name}, ten folds: {label} : tenfold", theirs / taken, wanted)
    print(f"  {'tenfold, ten folds : one fit':44s} {taken / one:9.2f}")


def components(X: Any, repeat: int, promises: Promises) -> None:
    """One fit of each, all components and ten."""
    for k in (None, 10):
        print(f"\nPCA(n_components={k}), one fit, {X.shape[0]:,} x {X.shape[1]}")
        best, ratios = [np.inf, np.inf], []
        for _ in range(repeat):  # in turns: this machine may have others on it
            theirs, right = seconds(lambda k=k: PCA(k).fit(X))
            time.sleep(PAUSE)
            ours, found = seconds(lambda k=k: tn.PCA(k).fit(X))
            time.sleep(PAUSE)
            best = [min(best[0], theirs), min(best[1], ours)]
            ratios.append(theirs / ours)
        print(f"  {'peer':44s} {best[0]:9.3f} s\n  {'tenfold':44s} {best[1]:9.3f} s")
        print(
            f"  {'peer : tenfold':44s} {best[0] / best[1]:9.2f}   (wanted 5; of pairs: median {np.median(ratios):.2f}, "
            f"{min(ratios):.2f} to {max(ratios):.2f})"
        )
        off = np.abs(found.explained_variance_ / right.explained_variance_ - 1).max()
        print(f"  largest relative difference of a variance {off:.2g}")
        assert off < 1e-9, "the variances are not those of the peer"
        promises.at_least(f"PCA(n_components={k}): peer : tenfold", best[0] / best[1], 5.0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=5, help="calls of which the best counts")
    parser.add_argument("--folds", type=int, default=FOLDS, choices=(1, 2, 5, 10), help="of the peer's, of ten")
    given = parser.parse_args()
    names = ("tenfold", "scikit-learn", "numpy", "scipy", "numba")
    print(platform.platform(), ", ".join(f"{n} {version(n)}" for n in names))
    print("threads:", sorted({(lib["internal_api"], lib["num_threads"]) for lib in threadpool_info()}), tn.Local())
    X, y = regression(given.rows)
    label = (y > 0).astype(int)
    for learner in (tn.LinearDiscriminantAnalysis(), tn.QuadraticDiscriminantAnalysis()):
        for shuffle in (False, True):
            tn.cross_validate(
                learner, X[:2000], label[:2000], folds=FOLDS, shuffle=shuffle
            )  # compiled before the clock
    tn.PCA().fit(X[:2000])
    promises = Promises(given.rows == 1_000_000)
    components(X, given.repeat, promises)
    linear = {
        "lsqr": (peer.LinearDiscriminantAnalysis(solver="lsqr"), 40.0),
        "default solver": (peer.LinearDiscriminantAnalysis(), 150.0),
    }
    ten_folds("LDA", tn.LinearDiscriminantAnalysis(), linear, X, label, given.folds, given.repeat, promises)
    quadratic = {"default solver": (peer.QuadraticDiscriminantAnalysis(), 40.0)}
    ten_folds("QDA", tn.QuadraticDiscriminantAnalysis(), quadratic, X, label, given.folds, given.repeat, promises)
    promises.settle()


if __name__ == "__main__":
    main()
