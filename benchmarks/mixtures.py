"""Mixtures and k-means: `python benchmarks/mixtures.py [--runs 500] [--rows 20000000] [--folder DIR] [--no-scan]`.

Draws small sets and fits GaussianMixture without regularisation: the likelihood never falls; and KMeans: the inertia
never rises. Both from the same start as scikit-learn come to the same numbers, and a weighted row is a repeated one.
Then times beside scikit-learn, the two sides taking turns; and rounds over rows of Parquet beside a bare scan, with the
time that the kernels alone take for as many rows in memory.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.cluster
import sklearn.mixture
from sklearn.exceptions import ConvergenceWarning

import tenfold as tn
from scan import bare_scan, rows_in
from workloads import Promises, clusters, seconds

KINDS = ("full", "tied", "diag", "spherical")
FALLS = 1e-10
"""of the likelihood, relative, that are rounding"""
EQUAL = 1e-8
"""relative difference to scikit-learn, and of weighted and repeated rows"""
FULL, LLOYD = 5.0, 1.0
"""times as fast as scikit-learn: full covariances, and k-means"""
SCAN = 2.5
"""times a bare scan, or what the kernels alone take, if that is more, that a round over Parquet may take"""
PAUSE = 0.3
"""seconds between the two sides: idle BLAS threads of one spin for a while and would slow the other"""


def drawn(seed: int, far: bool = True) -> tuple[Any, int, str]:
    """Rows of some clumps, a third of the sets `far` from zero, a number of components and a kind of covariance."""
    random = np.random.default_rng(seed)
    p, k = int(random.integers(1, 6)), int(random.integers(1, 5))
    n = int(random.integers(40 * k * p, 80 * k * p))
    middles = random.normal(size=(k, p)) * random.uniform(0.5, 4.0)
    shape = random.normal(size=(k, p, p)) * 10.0 ** random.integers(-1, 2)
    which = random.integers(0, k, n)
    X = middles[which] + np.einsum("ij,ijk->ik", random.normal(size=(n, p)), shape[which])
    return X + far * random.choice([0.0, 0.0, 1e4]), k, KINDS[seed % 4]


def start_of(X: Any, k: int, kind: str, seed: int) -> dict[str, Any]:
    """Weights, means and precisions from which both sides start."""
    random, p = np.random.default_rng(seed), X.shape[1]
    unit = 1.0 / X.var(axis=0)
    precisions = {
        "full": np.array([np.diag(unit)] * k), "tied": np.diag(unit),
        "diag": np.array([unit] * k), "spherical": np.full(k, p / X.var(axis=0).sum()),
    }  # fmt: skip
    means = X[random.choice(len(X), k, replace=False)]
    return {"weights_init": np.full(k, 1 / k), "means_init": means, "precisions_init": precisions[kind]}


def falls(seed: int, rounds: int = 12) -> float:
    """The largest fall of the likelihood from one round to the next, relative; -inf if a component has no density."""
    X, k, kind = drawn(seed)
    given = start_of(X, k, kind, seed)
    learner = tn.GaussianMixture(k, covariance_type=kind, reg_covar=0.0, tol=0.0, max_iter=rounds, **given)
    try:
        model = learner.fit(X)
    except tn.DataError:
        return -math.inf
    found = [turn["log-likelihood"] for turn in model.history_ if "log-likelihood" in turn]
    assert len(found) == rounds + 1
    return float(max(-np.diff(found) / np.abs(found[1:]), default=0.0))


def rises(seed: int) -> float:
    """The largest rise of the inertia from one round to the next, relative."""
    X, _, _ = drawn(seed)
    k = 2 + seed % 7
    model = tn.KMeans(k, init=X[:k], tol=0.0).fit(X)
    found = [turn["inertia"] for turn in model.history_ if "inertia" in turn]
    return float(max(np.diff(found) / np.abs(found[:-1]), default=0.0))


def difference(seed: int) -> float:
    """How far mixture and centres are from scikit-learn's, from the same start, after some rounds.

    Not far from zero: there scikit-learn's sums of squares lose digits, and ours, around the means, do not. Nor where
    a cluster has lost all its rows: scikit-learn then takes the row that it gets from the mean of another.
    """
    X, k, kind = drawn(seed, far=False)
    given = dict(covariance_type=kind, tol=0.0, max_iter=1 + seed % 8, **start_of(X, k, kind, seed))
    try:
        theirs = sklearn.mixture.GaussianMixture(k, random_state=0, **given).fit(X)
    except ValueError:  # a component without a density
        return 0.0
    ours = tn.GaussianMixture(k, **given).fit(X)
    unit = np.sqrt(X.var(axis=0))
    scale = {"full": np.outer(unit, unit), "tied": np.outer(unit, unit), "diag": unit**2, "spherical": (unit**2).mean()}
    off = [
        np.abs(ours.weights_ - theirs.weights_).max(),
        (np.abs(ours.means_ - theirs.means_) / unit).max(),
        (np.abs(ours.covariances_ - theirs.covariances_) / scale[kind]).max(),
    ]
    lloyd = {"n_clusters": 2 + seed % 5, "init": X[: 2 + seed % 5], "max_iter": 1 + seed % 8, "tol": 0.0}
    model = tn.KMeans(**lloyd).fit(X)
    if all(turn["asked"] != "FarthestRows" for turn in model.history_):
        off.append((np.abs(model.cluster_centers_ - peers_centers(X, lloyd)) / unit).max())
    return float(max(off))


def peers_centers(X: Any, given: dict[str, Any]) -> Any:
    """Scikit-learn's centres after so many rounds."""
    return sklearn.cluster.KMeans(n_init=1, algorithm="lloyd", **given).fit(X).cluster_centers_


def repeated(seed: int) -> float:
    """How far a mixture and centres of weighted rows are from those of repeated ones."""
    X, k, kind = drawn(seed)
    times = np.random.default_rng(seed).integers(0, 3, len(X))
    many = np.repeat(X, times, axis=0)
    learner = tn.GaussianMixture(k, covariance_type=kind, tol=0.0, max_iter=4, **start_of(X, k, kind, seed))
    a, b = learner.fit(X, sample_weight=times).means_, learner.fit(many).means_
    lloyd = tn.KMeans(k, init=X[:k], tol=0.0, max_iter=5)
    c, d = lloyd.fit(X, sample_weight=times).cluster_centers_, lloyd.fit(many).cluster_centers_
    unit = np.sqrt(X.var(axis=0))
    return float(max((np.abs(a - b) / unit).max(), (np.abs(c - d) / unit).max()))


def beside(name: str, ours: Any, theirs: Any, turns: int) -> float:
    """One line: the best of some times of both, taking turns; how many times as fast as the peer."""
    best = [math.inf, math.inf]
    for _ in range(turns):
        for at, call in enumerate((ours, theirs)):
            time.sleep(PAUSE)
            began = time.perf_counter()
            call()
            best[at] = min(best[at], time.perf_counter() - began)
    print(f"  {name:44s} {best[0]:8.3f} s, scikit-learn {best[1]:8.3f} s, {best[1] / best[0]:5.1f} times", flush=True)
    return best[1] / best[0]


def speed(promises: Promises, turns: int) -> None:
    """Mixtures of 200,000 x 32, eight components, five rounds; k-means of 500,000 x 32, 64 clusters, ten rounds."""
    print("\ntimes beside scikit-learn")
    peer = sklearn.mixture.GaussianMixture
    random = np.random.default_rng(0)
    middles = random.normal(size=(8, 32)) * 1.5
    X = middles[random.integers(0, 8, 200_000)] + random.normal(size=(200_000, 32))
    for kind in KINDS:
        given = {"covariance_type": kind, "tol": 0.0, "max_iter": 5}
        from_start = start_of(X, 8, kind, 0)
        for how, start in (("own start", {}), ("given start", from_start)):
            ratio = beside(
                f"GaussianMixture, {kind}, {how}",
                lambda given=given, start=start: tn.GaussianMixture(8, **given, **start).fit(X),
                lambda given=given, start=start: peer(8, random_state=0, **given, **start).fit(X),
                turns,
            )
            if kind == "full":
                promises.at_least(f"full covariances, {how}, times as fast", ratio, FULL)
    Z = clusters()
    for dtype in (np.float32, np.float64):
        rows = Z.astype(dtype)
        km = {"n_clusters": 64, "init": rows[:64].copy(), "max_iter": 10, "tol": 0.0}
        ratio = beside(
            f"KMeans, {np.dtype(dtype).name}, given start",
            lambda rows=rows, km=km: tn.KMeans(**km).fit(rows),
            lambda rows=rows, km=km: sklearn.cluster.KMeans(n_init=1, **km).fit(rows),
            turns,
        )
        promises.at_least(f"k-means, {np.dtype(dtype).name}, times as fast", ratio, LLOYD)


def out_of_core(folder: Path, rows: int, promises: Promises, turns: int) -> None:
    """A round over Parquet, from the second on, beside a bare scan and beside the kernels over rows in memory."""
    files = rows_in(folder, max(rows // 1_000_000, 1))
    count = len(files) * 1_000_000
    print(f"\nrounds over {count:,} rows of Parquet")
    source = tn.scan(files, drop=["y"])
    few = np.random.default_rng(0).standard_normal((1_000_000, 20)).astype(np.float32)
    unit = few.var(axis=0, dtype=np.float64)
    mixture = {
        "weights_init": np.full(4, 0.25), "means_init": few[:4], "precisions_init": np.array([1 / unit] * 4),
        "covariance_type": "diag", "tol": 0.0,
    }  # fmt: skip
    cases = {
        "KMeans(8)": lambda n: tn.KMeans(8, init=few[:8], max_iter=n, tol=0.0),
        "KMeans(32)": lambda n: tn.KMeans(32, init=few[:32], max_iter=n, tol=0.0),
        "GaussianMixture(4, diag)": lambda n: tn.GaussianMixture(4, max_iter=n, **mixture),
    }
    for name, make in cases.items():
        make(1).fit(source)  # before the clock runs
        ratios = []
        for _ in range(turns):
            scan = min(bare_scan(files) for _ in range(2))
            there = _per_round(make, source)
            kernel = _per_round(make, few) * count / len(few)
            ratios.append(there / max(scan, kernel))
            print(
                f"  {name:28s} round {there:7.2f} s, bare scan {scan:7.2f} s, in memory {kernel:7.2f} s: "
                f"{there / scan:.2f} scans, {there / kernel:.2f} of memory", flush=True,
            )  # fmt: skip
        promises.at_most(f"{name}, a round over Parquet beside the scan or its kernel", min(ratios), SCAN)


def _per_round(make: Any, rows: Any, more: int = 4) -> float:
    """Seconds of a round: a fit with some more rounds, less one with a single round; the best of two each."""
    fits = {rounds: seconds(lambda n=rounds: make(n).fit(rows), 2)[0] for rounds in (1, 1 + more)}
    return (fits[1 + more] - fits[1]) / more


def main() -> None:
    """Draw, compare, time; end with 1 if a promise is missed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=500)
    options.add_argument("--rows", type=int, default=20_000_000)
    options.add_argument("--folder", type=Path, default=Path(__file__).parent / "data" / "scan")
    options.add_argument("--turns", type=int, default=3)
    options.add_argument("--no-scan", action="store_true", help="leave out the rows of Parquet")
    options.add_argument("--no-times", action="store_true", help="leave out the times beside scikit-learn")
    given = options.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    promises = Promises()
    seeds = range(given.runs)
    fallen = [falls(seed) for seed in seeds]
    proper = sum(math.isfinite(fall) for fall in fallen)
    figures = {
        "likelihood falls": (max(fallen), FALLS),
        "inertia rises": (max(rises(seed) for seed in seeds), FALLS),
        "difference to scikit-learn": (max(difference(seed) for seed in seeds), EQUAL),
        "weighted and repeated differ": (max(repeated(seed) for seed in seeds), EQUAL),
    }
    print(f"{given.runs} sets, {proper} with a density for every component; the largest of each, relative")
    for name, (found, most) in figures.items():
        print(f"  {name:44s} {found:9.1e}")
        promises.at_most(name, found, most)
    promises.at_least("share of sets with a density for every component", proper / given.runs, 0.9)
    if not given.no_times:
        speed(promises, given.turns)
    if not given.no_scan:
        out_of_core(given.folder, given.rows, promises, given.turns)
    promises.settle()


if __name__ == "__main__":
    main()
