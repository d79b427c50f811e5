"""SVC and SVR beside scikit-learn, oneDAL and Clarabel: `python benchmarks/support_vectors.py [--problems 500]`.

500 random small problems, of classes and of numbers, weighted, with hard and soft margins: values beside Clarabel's,
the proved gap, the conditions of optimality, and whether a hard margin exists as a linear program decides it. Then
times beside LIBSVM in one process, on 30,000 rows of two overlapping classes, on 10,000 rows with numbers and on 1,000
rows, and beside oneDAL if scikit-learn-intelex is installed; and the memory of a fit to 100,000 rows, in a process of
its own.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.svm as peer
from sklearn.datasets import make_classification

from tenfold import SVC, SVR
from workloads import Promises, seconds

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from dual_problems import KINDS, examine


def table(n: int, p: int) -> tuple[Any, Any]:
    """Two classes that overlap, in columns of mean 0 and variance 1."""
    X, y = make_classification(n, p, n_informative=p // 2, flip_y=0.05, random_state=0)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def truth(problems: int, promises: Promises) -> None:
    """Random small machines."""
    start, found = time.perf_counter(), [examine(seed) for seed in range(problems)]
    for kind in KINDS:
        some = [one for one in found if one.kind == kind]
        off, gap, below, kkt = (max(getattr(one, f) for one in some) for f in ("off", "gap", "below", "kkt"))
        refused, wrong = (sum(getattr(one, f) for one in some) for f in ("refused", "wrong"))
        print(
            f"{kind}: {len(some)} problems, {refused} without a solution ({wrong} decided unlike the linear program); "
            f"off Clarabel by {off:.1e}, gap {gap:.1e}, too small by {below:.1e}, KKT {kkt:.1e}"
        )
        promises.at_most(f"{kind}: off Clarabel", off, 1e-6)
        promises.at_most(f"{kind}: proved gap", gap, 1e-6)
        promises.at_most(f"{kind}: gap too small by", below, 1e-8)
        promises.at_most(f"{kind}: KKT", kkt, 1e-6)
        promises.at_most(f"{kind}: decided unlike the linear program", wrong, 0)
    print(f"({time.perf_counter() - start:.0f} s)")


def dual_value(model: Any, X: Any, sign: Any, gamma: float) -> float:
    """The dual value of a fitted machine of two classes."""
    beta = np.zeros(len(X))
    beta[model.support_] = model.dual_coef_[0]
    F = model.decision_function(model.support_vectors_) - model.intercept_[0]
    return float(sign @ beta - beta[model.support_] @ F / 2)


def classes(n: int, repeat: int, promises: Promises) -> None:
    """Fit and predict of SVC."""
    X, y = table(n, 40)
    given: dict[str, Any] = {"C": 1.0, "gamma": 1 / 40, "cache_size": 1000}
    SVC(**given).fit(X[:3000], y[:3000])  # kernels are loaded
    ours = theirs = predict = predict_theirs = float("inf")
    for _ in range(repeat):
        taken, mine = seconds(lambda: SVC(**given).fit(X, y))
        ours = min(ours, taken)
        predict = min(predict, seconds(partial(mine.predict, X))[0])
        taken, libsvm = seconds(lambda: peer.SVC(**given).fit(X, y))
        theirs = min(theirs, taken)
        predict_theirs = min(predict_theirs, seconds(partial(libsvm.predict, X))[0])
    sign = np.where(y == 1, 1.0, -1.0)
    a, b = dual_value(mine, X, sign, 1 / 40), dual_value(libsvm, X, sign, 1 / 40)
    print(
        f"\nSVC, {n:,} x 40: fit {ours:.2f} s, LIBSVM {theirs:.2f} s, {theirs / ours:.1f}x; predict {predict:.2f} s, "
        f"LIBSVM {predict_theirs:.2f} s, {predict_theirs / predict:.1f}x; dual value {a:.6f} and {b:.6f}; "
        f"{mine.n_support_.sum():,} and {libsvm.n_support_.sum():,} support vectors; relative gap "
        f"{mine.certificate_['relative gap'].value:.1e}"
    )
    promises.at_least("SVC fit", theirs / ours, 3.5)
    promises.at_least("SVC predict", predict_theirs / predict, 8)
    promises.at_most("dual value off LIBSVM's", abs(a - b) / b, 1e-4)
    if find_spec("sklearnex") is not None:
        from sklearnex.svm import SVC as OneDAL

        other = seconds(lambda: OneDAL(**given).fit(X, y), repeat)[0]
        ours = min(ours, seconds(lambda: SVC(**given).fit(X, y))[0])
        print(f"  oneDAL {other:.2f} s, {other / ours:.1f}x")
        promises.at_least("SVC fit, beside oneDAL", other / ours, 1.0)


def numbers(n: int, repeat: int, promises: Promises) -> None:
    """Fit of SVR."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 30))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * random.normal(size=n)
    given: dict[str, Any] = {"C": 1.0, "gamma": 1 / 30, "cache_size": 1000}
    SVR(**given).fit(X[:2000], y[:2000])
    ours = theirs = float("inf")
    for _ in range(repeat):
        ours = min(ours, seconds(lambda: SVR(**given).fit(X, y))[0])
        theirs = min(theirs, seconds(lambda: peer.SVR(**given).fit(X, y))[0])
    print(f"\nSVR, {n:,} x 30: fit {ours:.2f} s, LIBSVM {theirs:.2f} s, {theirs / ours:.1f}x")
    promises.at_least("SVR fit", theirs / ours, 4)


def few(repeat: int, promises: Promises) -> None:
    """1,000 rows: fit and predict."""
    X, y = table(1000, 20)
    for ours, theirs in ((SVC(), peer.SVC()), (SVR(), peer.SVR())):
        best = {"fit": [float("inf")] * 2, "predict": [float("inf")] * 2}
        for _ in range(20 * repeat):
            for side, model in enumerate((ours, theirs)):
                best["fit"][side] = min(best["fit"][side], seconds(partial(model.fit, X, y))[0])
                best["predict"][side] = min(best["predict"][side], seconds(partial(model.predict, X))[0])
        for what, (a, b) in best.items():
            name = f"{type(ours).__name__} {what} of 1,000 x 20"
            print(f"{name}: {1e3 * a:.1f} ms, LIBSVM {1e3 * b:.1f} ms, {b / a:.1f}x")
            promises.at_least(name, b / a, 1.0)


def memory(n: int, promises: Promises) -> None:
    """The peak memory of a process that fits SVC."""
    done = subprocess.run([sys.executable, __file__, "--fit", str(n)], capture_output=True, text=True, check=True)
    peak = float(done.stdout.split()[-1])
    print(f"\nSVC, {n:,} x 40: peak memory {peak:.2f} GiB")
    promises.at_most("peak memory of 100,000 rows, GiB", peak, 3.0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--problems", type=int, default=500)
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--fit", type=int, default=0, help="fit so many rows, print the peak memory in GiB, and end")
    given = parser.parse_args()
    if given.fit:
        X, y = table(given.fit, 40)
        SVC(C=1.0, gamma=1 / 40, cache_size=1000).fit(X, y)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
        return
    promises = Promises(given.rows == 30_000)
    truth(given.problems, promises)
    classes(given.rows, given.repeat, promises)
    numbers(given.rows // 3, given.repeat, promises)
    few(given.repeat, promises)
    memory(10 * given.rows // 3, promises)
    promises.settle()


if __name__ == "__main__":
    main()
