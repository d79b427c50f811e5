"""Cross-validation beside scikit-learn, one after the other: `python benchmarks/cross_validation.py [--rows 1000000]`.

Ten folds of ridge regression and of Gaussian naive Bayes on the same folds as the peer, whose scores must be the same;
beside one fit of the peer; folds drawn by chance beside folds in a row; five learners beside the slowest of them;
thirty penalties beside one. Ten folds over the files that `benchmarks/scan.py --folder DIR` writes (`--parquet DIR`)
beside a plain fit, and the bits of the scores on a Dask cluster of two processes.
"""

from __future__ import annotations

import argparse
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_info

import tenfold as tn
from workloads import Promises, regression, seconds

PAUSE = 0.3
"""seconds between the two sides: idle BLAS threads of one spin for a while and would slow the other"""
FOLDS = 10
FASTER = 20.0
"""times as fast as ten folds of the peer, in one process: 30 and more was measured"""
SHARED = 1.5
"""times one learner that five, or thirty penalties, or folds by chance may take: they share the scan"""


def timed(name: str, call: Any, repeat: int) -> tuple[float, Any]:
    """One line: seconds, the best of some."""
    time.sleep(PAUSE)
    taken, result = seconds(call, repeat)
    print(f"  {name:44s} {taken:9.3f} s", flush=True)
    return taken, result


def say(what: str, ratio: float, more: str = "") -> None:
    print(f"  {what:44s} {ratio:9.2f}  " + (f" ({more})" if more else ""), flush=True)


def beside_the_peer(name: str, ours: Any, peer: Any, X: Any, y: Any, cv: Any, repeat: int, promises: Promises) -> None:
    """Ten folds of both, one fit of the peer, and what folds by chance cost."""

    def theirs(jobs: int | None = None, rows: slice = slice(None)) -> Any:
        return cross_val_score(peer, X[rows], y[rows], cv=cv, n_jobs=jobs)

    def mine(shuffle: bool = False) -> Any:
        return tn.cross_validate(ours, X, y, folds=FOLDS, shuffle=shuffle)

    print(f"\n{name}, {FOLDS} folds, {X.shape[0]:,} x {X.shape[1]}")
    theirs(2, slice(0, 1000))  # its processes are started before the clock runs
    fit, _ = timed("peer, one fit", lambda: peer.fit(X, y), repeat)
    alone, wanted = timed("peer, ten folds", theirs, 1)
    two, _ = timed("peer, ten folds, n_jobs=2", lambda: theirs(2), 1)
    first, _ = timed("tenfold, ten folds, the first call", mine, 1)
    row, found = timed("tenfold, ten folds", mine, repeat)
    chance, _ = timed("tenfold, ten folds, shuffled", lambda: mine(True), repeat)
    own, _ = timed("tenfold, one fit", lambda: type(ours)().fit(X, y), repeat)
    off = np.abs(found.scores[0, 0] - wanted).max()
    say("peer : tenfold", alone / row, f"n_jobs=2: {two / row:.2f}; first call: {alone / first:.2f}")
    say("tenfold : one fit of the peer", row / fit, f"one fit of its own: {row / own:.2f}; scans: {found.scans}")
    say("shuffled : in a row", chance / row)
    print(f"  largest difference of a fold's score {off:.2g}")
    assert off < 1e-9, "the scores are not those of the peer"
    promises.at_least(f"{name}, ten folds: peer : tenfold", alone / row, FASTER)
    promises.at_most(f"{name}, ten folds : one fit of the peer", row / fit, 1.0)
    promises.at_most(f"{name}, shuffled : in a row", chance / row, SHARED)


def many(X: Any, y: Any, repeat: int, promises: Promises) -> None:
    """Learners that share a scan."""
    five = {
        "Ridge": tn.Ridge(),
        "Ridge(10)": tn.Ridge(10.0),
        "LinearRegression": tn.LinearRegression(),
        "Ridge, no intercept": tn.Ridge(fit_intercept=False),
        "LinearRegression, no intercept": tn.LinearRegression(fit_intercept=False),
    }
    print(f"\nfive learners of one pass, {FOLDS} folds, {X.shape[0]:,} x {X.shape[1]}")
    alone = {}
    for name, learner in five.items():
        alone[name], _ = timed(name, lambda learner=learner: tn.cross_validate(learner, X, y, folds=FOLDS), repeat)
    together, cv = timed("all five", lambda: tn.cross_validate(five, X, y, folds=FOLDS), repeat)
    say("five : the slowest alone", together / max(alone.values()), f"scans: {cv.scans}")
    print(f"\nthirty penalties, {FOLDS} folds, {X.shape[0]:,} x {X.shape[1]}")
    thirty = [tn.Ridge(alpha) for alpha in np.logspace(-3, 3, 30)]
    one, _ = timed("one", lambda: tn.cross_validate(tn.Ridge(), X, y, folds=FOLDS), repeat)
    all_, cv = timed("thirty", lambda: tn.cross_validate(thirty, X, y, folds=FOLDS), repeat)
    grid = {"alpha": np.logspace(-3, 3, 30).tolist()}
    best, _ = timed("thirty, and the best fitted", lambda: tn.tune(tn.Ridge(), grid, X, y, folds=FOLDS), repeat)
    say("thirty : one", all_ / one, f"and the best fitted: {best / one:.2f}; scans: {cv.scans}")
    promises.at_most("five learners : the slowest alone", together / max(alone.values()), SHARED)
    promises.at_most("thirty penalties : one", all_ / one, SHARED)


def files(folder: Path, repeat: int, most: int | None) -> None:
    """Ten folds over Parquet beside a fit, and the same bits from two processes."""
    paths = sorted(str(path) for path in folder.glob("*.parquet"))
    if most is not None:
        paths = paths[:most]
    source = tn.scan(paths, target="y")
    print(f"\nParquet, {source.n_rows:,} x {len(source.names)}, {len(source)} row groups, {len(paths)} files")
    plain, _ = timed("Ridge, one fit", lambda: tn.Ridge().fit(source), repeat)
    folds, here = timed("Ridge, ten folds", lambda: _ten(source, False), repeat)
    chance, mixed = timed("Ridge, ten folds, shuffled", lambda: _ten(source, True), repeat)
    print(
        f"  ten folds : one fit           {folds / plain:8.2f}   (shuffled: {chance / plain:.2f}; scans: {here.scans})"
    )
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
        tn.on(tn.Dask(client)),
    ):
        tn.cross_validate(tn.Ridge(), tn.scan(paths[:1], target="y"), folds=FOLDS)  # workers compile, or load
        _, there = timed("Ridge, ten folds, two processes of Dask", lambda: _ten(source, False), 1)
        _, also = timed("Ridge, ten folds, shuffled, the same", lambda: _ten(source, True), 1)
    same = here.scores.tobytes() == there.scores.tobytes() and mixed.scores.tobytes() == also.scores.tobytes()
    print(f"  the same bits on Dask: {same}")
    assert same, "bits differ between threads and processes"


def _ten(source: Any, shuffle: bool) -> Any:
    return tn.cross_validate(tn.Ridge(), source, folds=FOLDS, shuffle=shuffle)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3, help="calls of which the best counts")
    parser.add_argument("--parquet", type=Path, default=Path("/tmp/pq20"), metavar="DIR")
    parser.add_argument("--files", type=int, default=None, help="read so many of the files only; 0: none")
    given = parser.parse_args()
    names = ("tenfold", "scikit-learn", "numpy", "scipy", "numba", "pyarrow", "joblib")
    print(platform.platform(), ", ".join(f"{n} {version(n)}" for n in names))
    print("threads:", sorted({(lib["internal_api"], lib["num_threads"]) for lib in threadpool_info()}), tn.Local())
    promises = Promises(given.rows == 1_000_000)
    X, y = regression(given.rows)
    label = (y > np.median(y)).astype(int)
    small = X[:1000]
    for learner, target in ((tn.Ridge(), y[:1000]), (tn.GaussianNB(), label[:1000])):
        for shuffle in (False, True):
            tn.cross_validate(learner, small, target, folds=FOLDS, shuffle=shuffle)  # compiled before the clock runs
    beside_the_peer("Ridge", tn.Ridge(), Ridge(), X, y, KFold(FOLDS), given.repeat, promises)
    classes = StratifiedKFold(FOLDS)
    beside_the_peer("GaussianNB", tn.GaussianNB(), GaussianNB(), X, label, classes, given.repeat, promises)
    many(X, y, given.repeat, promises)
    if given.files != 0 and any(given.parquet.glob("*.parquet")):
        del X, y, label, small
        files(given.parquet, given.repeat, given.files)
    elif given.files != 0:
        print(f"\nthere are no Parquet files in {given.parquet}: python benchmarks/scan.py --folder {given.parquet}")
    promises.settle()


if __name__ == "__main__":
    main()
