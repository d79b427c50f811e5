"""Penalties chosen by ten folds beside scikit-learn, in one process: `python benchmarks/lasso_cv.py [--rows 1000000]`.

LassoCV on the same folds as the peer, whose errors and choice must be the same; ElasticNetCV with three mixtures;
RidgeCV with ten penalties; then the lasso on few rows of many columns, dense and CSR (`--wide 20000`, 0: none).
"""

from __future__ import annotations

import argparse
import platform
import time
from importlib.metadata import version
from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.linear_model as peer
from threadpoolctl import threadpool_info

import tenfold as tn
from workloads import Promises, regression, seconds

PAUSE = 0.3
"""seconds between the two sides: idle BLAS threads of one spin for a while and would slow the other"""
FOLDS = 10
FASTER = {"LassoCV": 30.0, "ElasticNetCV": 30.0, "RidgeCV": 10.0}
"""times as fast as the peer, a million rows"""


def timed(name: str, call: Any, repeat: int = 1) -> tuple[float, Any]:
    """One line: seconds, the best of some."""
    time.sleep(PAUSE)
    taken, result = seconds(call, repeat)
    print(f"  {name:44s} {taken:9.3f} s", flush=True)
    return taken, result


def folds(name: str, ours: Any, lot: Any, theirs: Any, X: Any, y: Any, repeat: int, promises: Promises) -> None:
    """Both on the same folds, and ours with random folds."""
    print(f"\n{name}, {FOLDS} folds, {X.shape[0]:,} x {X.shape[1]}")
    slow, wanted = timed("peer", lambda: theirs.fit(X, y))
    fast, found = timed("tenfold, the same folds", lambda: ours.fit(X, y), repeat)
    own, _ = timed("tenfold, random folds", lambda: lot.fit(X, y), repeat)
    print(f"  peer : tenfold {slow / fast:.1f}   (at random: {slow / own:.1f})")
    promises.at_least(f"{name}, times as fast as the peer", slow / fast, FASTER[name])
    print(f"  alpha {found.alpha_:.10g} and {wanted.alpha_:.10g}, gap {found.certificate_['gap'].value:.2g}")
    if hasattr(wanted, "mse_path_"):
        off = np.abs(found.mse_path_ / wanted.mse_path_ - 1).max()
        print(f"  largest difference of an error {off:.2g} (the peer stops at tol={theirs.tol:g})")


def few_rows(p: int, n: int = 500) -> None:
    """The lasso where the Gram matrix of all columns would not pay."""
    random = np.random.default_rng(0)
    dense = random.standard_normal((n, p))
    thin = sp.random_array((n, p), density=0.02, format="csr", random_state=random)
    for X, kind in ((dense, "dense"), (thin, "CSR")):
        y = X[:, :20] @ (3 * random.standard_normal(20)) + (0.1 if kind == "CSR" else 1.0) * random.standard_normal(n)
        top = tn.Lasso().fit(X, y).path(2).alphas[0]
        for share in (0.3, 0.03):
            alpha = share * top

            def objective(model: Any, X: Any = X, y: Any = y, alpha: float = alpha) -> float:
                return float(((y - model.predict(X)) ** 2).mean() / 2 + alpha * np.abs(model.coef_).sum())

            print(f"\nLasso, {n:,} x {p:,}, {kind}, alpha {share:g} of the largest")
            ours, found = timed("tenfold, gap 1e-12", lambda X=X, y=y, a=alpha: tn.Lasso(a).fit(X, y), 3)
            loose, rough = timed("peer, tol=1e-4", lambda X=X, y=y, a=alpha: peer.Lasso(a).fit(X, y), 3)
            tight = peer.Lasso(alpha, tol=1e-8, max_iter=100_000)
            slow, wanted = timed("peer, tol=1e-8", lambda X=X, y=y, model=tight: model.fit(X, y))
            inside = np.count_nonzero(found.coef_)
            print(f"  peer : tenfold {loose / ours:.2f}, tight {slow / ours:.2f}; {inside} columns")
            if share == 0.03:
                whole, path = timed("tenfold, 50 penalties down to it", lambda m=found: m.path(50, eps=0.03))
                grid = {"alphas": path.alphas, "tol": 1e-4, "max_iter": 100_000}
                centred = X - X.mean(axis=0) if kind == "dense" else X.tocsc()
                slow, _ = timed(
                    "peer, 50 penalties down to it", lambda Z=centred, y=y, g=grid: peer.lasso_path(Z, y, **g)
                )
                print(f"  peer : tenfold {slow / whole:.2f}")
            least = objective(found)
            above = [(objective(model) - least) / least for model in (rough, wanted)]
            print(f"  objective of the peer above ours, as a share: {above[0]:.2g}, tight {above[1]:.2g}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3, help="calls of which the best counts")
    parser.add_argument("--wide", type=int, default=20_000, help="columns of the wide data; 0: none")
    given = parser.parse_args()
    names = ("tenfold", "scikit-learn", "numpy", "scipy", "numba")
    print(platform.platform(), ", ".join(f"{n} {version(n)}" for n in names))
    print("threads:", sorted({(lib["internal_api"], lib["num_threads"]) for lib in threadpool_info()}), tn.Local())
    promises = Promises(given.rows == 1_000_000)
    X, y = regression(given.rows)
    for model in (tn.LassoCV(cv=FOLDS), tn.LassoCV(), tn.RidgeCV()):
        model.fit(X[:1000], y[:1000])  # compiled before the clock runs
    folds("LassoCV", tn.LassoCV(cv=FOLDS), tn.LassoCV(), peer.LassoCV(cv=FOLDS), X, y, given.repeat, promises)
    mixtures = [0.5, 0.9, 1.0]
    net = peer.ElasticNetCV(l1_ratio=mixtures, cv=FOLDS)
    both = tn.ElasticNetCV(mixtures, cv=FOLDS), tn.ElasticNetCV(mixtures)
    folds("ElasticNetCV", *both, net, X, y, given.repeat, promises)
    alphas = np.logspace(-2, 2, 10)
    ridge = peer.RidgeCV(alphas, cv=FOLDS, scoring="neg_mean_squared_error")
    folds("RidgeCV", tn.RidgeCV(alphas, cv=FOLDS), tn.RidgeCV(alphas), ridge, X, y, given.repeat, promises)
    del X, y
    if given.wide:
        few_rows(given.wide)
    promises.settle()


if __name__ == "__main__":
    main()
