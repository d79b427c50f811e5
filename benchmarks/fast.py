"""Times beside scikit-learn, one process, one after the other: `python benchmarks/fast.py`.

Prints tenfold : peer as a ratio, the first call apart (it may compile). The thread settings of both
sides are read before each call and must be equal.
"""

from __future__ import annotations

import platform
import time
import warnings
from importlib.metadata import version

import numpy as np
import sklearn.cluster
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.preprocessing
from threadpoolctl import threadpool_info

import tenfold as tn
from workloads import Promises, clusters, regression, seconds

PAUSE = 0.3
"""seconds between the two sides: idle BLAS threads of one spin for a while and would slow the other"""

LARGE = {"Ridge": 3.0, "LinearRegression": 3.0, "GaussianNB": 3.0, "StandardScaler": 1.0}
"""times as fast as the peer on a million rows"""
KMEANS = 0.8
"""of the peer's speed: parity was aimed at, and 0.93 measured"""


def settings() -> list[tuple[str, int]]:
    return sorted({(lib["filepath"], lib["num_threads"]) for lib in threadpool_info()})


def compare(name, theirs, ours, *, repeat=5, unit=1.0):
    """One line: times, ratio, and the first call of ours."""
    before = settings()
    first, _ = seconds(ours)
    time.sleep(PAUSE)
    assert settings() == before, "thread settings changed"
    peer, _ = seconds(theirs, repeat)
    time.sleep(PAUSE)
    assert settings() == before, "thread settings changed"
    mine, _ = seconds(ours, repeat)
    print(
        f"{name:34s} peer {peer * unit:8.3f}  tenfold {mine * unit:8.3f}  ratio {peer / mine:6.2f}"
        f"  first call {first * unit:8.3f}"
    )
    return peer, mine


def main() -> None:
    warnings.simplefilter("ignore")
    names = ("tenfold", "scikit-learn", "numpy", "scipy", "numba")
    print(platform.platform(), ", ".join(f"{n} {version(n)}" for n in names))
    print("threads:", sorted({(lib["internal_api"], lib["num_threads"]) for lib in threadpool_info()}))

    print("\nlarge, seconds (1M x 50; k-means 500k x 32 float32, 64 clusters, 10 rounds)")
    X, y = regression()
    c = (y > 0).astype(int)
    sk = sklearn
    promises = Promises()
    large = {
        "Ridge": (lambda: sk.linear_model.Ridge().fit(X, y), lambda: tn.Ridge().fit(X, y), 5),
        "LinearRegression": (
            lambda: sk.linear_model.LinearRegression().fit(X, y), lambda: tn.LinearRegression().fit(X, y), 3,
        ),
        "GaussianNB": (lambda: sk.naive_bayes.GaussianNB().fit(X, c), lambda: tn.GaussianNB().fit(X, c), 5),
        "StandardScaler": (
            lambda: sk.preprocessing.StandardScaler().fit(X), lambda: tn.StandardScaler().fit(X), 5,
        ),
    }  # fmt: skip
    for name, (theirs, ours, repeat) in large.items():
        peer, mine = compare(name, theirs, ours, repeat=repeat)
        promises.at_least(f"{name}, a million rows, times as fast as the peer", peer / mine, LARGE[name])
    Z = clusters()
    km = {"n_clusters": 64, "init": Z[:64].copy(), "max_iter": 10, "tol": 0.0}
    given = compare(
        "KMeans, given start",
        lambda: sk.cluster.KMeans(n_init=1, **km).fit(Z),
        lambda: tn.KMeans(**km).fit(Z),
    )
    own = compare(
        "KMeans, own start",
        lambda: sk.cluster.KMeans(64, n_init=1, max_iter=10, tol=0.0, random_state=0).fit(Z),
        lambda: tn.KMeans(64, max_iter=10, tol=0.0).fit(Z),
        repeat=2,
    )
    for name, (peer, mine) in (("given", given), ("own", own)):
        promises.at_least(f"KMeans, {name} start, of the peer's speed", peer / mine, KMEANS)
    print("\nsmall, milliseconds (1,000 x 20); at most 1.5 x the peer or 5 ms, whichever is larger")
    X, y = X[:1000, :20].copy(), y[:1000].copy()
    c, codes = (y > 0).astype(int), np.digitize(X, [-1, 0, 1])
    cases = {
        "LinearRegression": (sk.linear_model.LinearRegression(), tn.LinearRegression(), X, y),
        "Ridge": (sk.linear_model.Ridge(), tn.Ridge(), X, y),
        "GaussianNB": (sk.naive_bayes.GaussianNB(), tn.GaussianNB(), X, c),
        "CategoricalNB": (sk.naive_bayes.CategoricalNB(), tn.CategoricalNB(), codes, c),
        "StandardScaler": (sk.preprocessing.StandardScaler(), tn.StandardScaler(), X, None),
        "MaxAbsScaler": (sk.preprocessing.MaxAbsScaler(), tn.MaxAbsScaler(), X, None),
        "MinMaxScaler": (sk.preprocessing.MinMaxScaler(), tn.MinMaxScaler(), X, None),
        "Normalizer": (sk.preprocessing.Normalizer(), tn.Normalizer(), X, None),
        "OneHotEncoder": (sk.preprocessing.OneHotEncoder(), tn.OneHotEncoder(), codes, None),
        "KMeans": (sk.cluster.KMeans(random_state=0), tn.KMeans(), X, None),
        "FindS (no peer: CategoricalNB)": (sk.naive_bayes.CategoricalNB(), tn.FindS(), codes, c),
    }
    for name, (theirs, ours, rows, target) in cases.items():
        peer, mine = compare(
            name,
            lambda theirs=theirs, rows=rows, target=target: theirs.fit(rows, target),
            lambda ours=ours, rows=rows, target=target: ours.fit(rows, target),
            repeat=30,
            unit=1000.0,
        )
        promises.at_most(f"{name}, 1,000 rows, milliseconds", 1000 * mine, max(1500 * peer, 5.0))
    promises.settle()


if __name__ == "__main__":
    main()
