"""Whether this checkout is slower than another: `python benchmarks/against.py --before REF [--only NAME ...]`.

The other is a git worktree of REF. Each side is a process of its own with its own PYTHONPATH, which lives until the
end; both run this file's workloads, warmed up once. A workload is timed in pairs, one run on each side, the first side
changing from pair to pair. Its ratio is the median over the pairs of after : before; its noise is twice the standard
error of that median, 2 x 1.4826 x (median absolute deviation of the ratios) / sqrt(pairs). It is slower if the ratio is
above 1.05 + noise, and again in as many pairs more. If any is, the exit code is 1; an error of this checkout is 2.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

MARGIN = 0.05
"""slower by more than this, beyond the noise, is a failure"""
LONG = 0.2
"""seconds that a run takes at least: shorter calls are repeated"""
HERE = Path(__file__).resolve().parent

Call = Callable[[], Any]


# ---- workloads: from a scale of the number of rows to a call that is timed -------------------------------------------


def rows(scale: float, n: int, p: int, classes: bool = False) -> tuple[Any, Any]:
    from workloads import regression

    X, y = regression(max(200, int(n * scale)), p)
    return X, (y > 0).astype(int) if classes else y


def memory() -> int:
    """Bytes that are free, as far as this system says so."""
    if hasattr(os, "sysconf") and "SC_AVPHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    return 8 << 30


def fitting(learner: str, n: int, p: int, classes: bool = False, **params: Any) -> Callable[[float], Call]:
    """A fit of a learner by name."""

    def prepare(scale: float) -> Call:
        import tenfold as tn

        X, y = rows(scale, n, p, classes)
        model = getattr(tn, learner)(**params)
        return lambda: model.fit(X, y)

    return prepare


def validating(learner: str, n: int, p: int, classes: bool = False, **params: Any) -> Callable[[float], Call]:
    """Ten folds of a learner."""

    def prepare(scale: float) -> Call:
        import tenfold as tn

        X, y = rows(scale, n, p, classes)
        model = getattr(tn, learner)(**params)
        return lambda: tn.cross_validate(model, X, y, folds=10)

    return prepare


def kmeans(scale: float) -> Call:
    import tenfold as tn
    from workloads import clusters

    Z = clusters(max(200, int(200_000 * scale)), 32)
    model = tn.KMeans(32, init=Z[:32].copy(), max_iter=10, tol=0.0)
    return lambda: model.fit(Z)


def small(scale: float) -> Call:
    """Ten learners of 1,000 x 20."""
    import tenfold as tn

    X, y = rows(1.0, 1_000, 20)
    c = (y > 0).astype(int)
    models: list[tuple[Any, Any]] = [
        (tn.Ridge(), y), (tn.LinearRegression(), y), (tn.Lasso(0.1), y), (tn.GaussianNB(), c),
        (tn.LogisticRegression(), c), (tn.LinearDiscriminantAnalysis(), c), (tn.StandardScaler(), None),
        (tn.PCA(3), None), (tn.DecisionTreeClassifier(max_depth=3), c), (tn.KMeans(3, random_state=0), None),
    ]  # fmt: skip

    def call() -> None:
        for model, target in models:
            model.fit(X, target)

    return call


def parquet(scale: float) -> Call:
    """One scan of a file of 2M rows, in row groups of 100,000."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    import tenfold as tn

    path = Path(os.environ["TENFOLD_AGAINST"]) / f"rows-{scale:g}.parquet"
    n = max(2_000, int(2_000_000 * scale))
    if not path.exists():  # the first side writes it for both
        X = np.random.default_rng(0).standard_normal((n, 10))
        columns = {f"x{j}": X[:, j] for j in range(10)} | {"y": X.sum(axis=1)}
        pq.write_table(pa.table(columns), path, row_group_size=max(1, n // 20))
    return lambda: tn.Ridge().fit(tn.scan(str(path), target="y"))


def large(scale: float) -> float:
    """The scale of 1M rows, a fifth of it if memory is short."""
    return scale if memory() > 8e9 * scale else scale / 5


WORKLOADS: dict[str, Callable[[float], Call]] = {
    "ridge": fitting("Ridge", 1_000_000, 50),
    "ridge, ten folds": validating("Ridge", 1_000_000, 50),
    "GaussianNB, ten folds": validating("GaussianNB", 1_000_000, 50, classes=True),
    "LassoCV": fitting("LassoCV", 200_000, 50),
    "logistic": lambda scale: fitting("LogisticRegression", 1_000_000, 50, classes=True)(large(scale)),
    "LDA": fitting("LinearDiscriminantAnalysis", 500_000, 50, classes=True),
    "k-means": kmeans,
    "full tree": fitting("DecisionTreeClassifier", 100_000, 30, classes=True),
    "tree of depth 8": fitting("DecisionTreeClassifier", 100_000, 30, classes=True, max_depth=8),
    "forest": fitting("RandomForestClassifier", 50_000, 30, classes=True, n_estimators=10, random_state=0),
    "boosting": fitting(
        "GradientBoostingClassifier",
        100_000,
        30,
        classes=True,
        max_iter=200,
        max_leaf_nodes=31,
        max_depth=None,
        min_samples_leaf=20,
        random_state=0,
    ),
    "AdaBoost": fitting("AdaBoostClassifier", 100_000, 30, classes=True, n_estimators=100),
    "bagging": fitting("BaggingRegressor", 100_000, 30, random_state=0),
    "stacking": fitting("StackingRegressor", 50_000, 30),
    "SGD": fitting("SGDClassifier", 200_000, 30, classes=True, max_iter=5, random_state=0),
    "small fits": small,
    "Parquet": parquet,
}


# ---- one side ----------------------------------------------------------------------------------------------------


def work() -> None:
    """Read orders, one JSON object a line; answer with one each."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a workload prints is no answer
    warnings.simplefilter("ignore")
    call: Call | None = None
    for line in sys.stdin:
        order = json.loads(line)
        try:
            answer: dict[str, Any] = {}
            if order["do"] == "prepare":
                call = None  # the rows of the last one go first
                call = WORKLOADS[order["name"]](order["scale"])
                call()
            elif order["do"] == "run":
                assert call is not None
                began = time.perf_counter()
                for _ in range(order["times"]):
                    call()
                answer["seconds"] = time.perf_counter() - began
            elif order["do"] == "where":
                import tenfold

                answer["where"] = tenfold.__file__
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


class Side:
    """A process that runs workloads with one checkout."""

    def __init__(self, tree: Path, folder: str) -> None:
        given = os.environ | {"PYTHONPATH": str(tree / "src"), "TENFOLD_AGAINST": folder}
        command = [sys.executable, str(HERE / "against.py"), "--worker"]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env=given, text=True, cwd=folder, **pipes)
        where = self.ask(do="where")
        if not where.get("where", "").startswith(str(tree)):
            raise SystemExit(f"tenfold of {tree} cannot be imported: {where}")

    def ask(self, **order: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "the process has ended"}

    def run(self, times: int) -> float:
        answer = self.ask(do="run", times=times)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return float(answer["seconds"])

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


# ---- both sides --------------------------------------------------------------------------------------------------


def git(*args: str) -> str:
    return subprocess.run(["git", *args], cwd=HERE, check=True, capture_output=True, text=True).stdout.strip()


@contextlib.contextmanager
def worktree(ref: str) -> Iterator[Path]:
    """A checkout of a commit, removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder).resolve() / "before"
        git("worktree", "add", "--detach", str(tree), ref)
        try:
            yield tree
        finally:
            git("worktree", "remove", "--force", str(tree))


def pairs(before: Side, after: Side, count: int) -> tuple[list[float], float, float]:
    """Ratios of after to before, and the median seconds of one call on each side."""
    once = max(before.run(1), 1e-9)
    times = max(1, round(LONG / once))
    seconds: dict[Side, list[float]] = {before: [], after: []}
    for at in range(count):
        for side in (before, after) if at % 2 == 0 else (after, before):
            seconds[side].append(side.run(times) / times)
    ratios = [a / b for a, b in zip(seconds[after], seconds[before], strict=True)]
    return ratios, statistics.median(seconds[before]), statistics.median(seconds[after])


def judged(ratios: list[float]) -> tuple[float, float]:
    """The median ratio and its noise."""
    middle = statistics.median(ratios)
    spread = statistics.median(abs(ratio - middle) for ratio in ratios)
    return middle, 2 * 1.4826 * spread / len(ratios) ** 0.5


def compare(name: str, before: Side, after: Side, count: int, scale: float) -> int:
    """Print a line; 0, or 1 if it is slower, 2 if this checkout fails."""
    failures = [side.ask(do="prepare", name=name, scale=scale).get("error") for side in (before, after)]
    if failures[1]:
        print(f"{name:24s} fails: {failures[1]}")
        return 2
    if failures[0]:
        print(f"{name:24s} there is nothing to compare with: {failures[0]}")
        return 0
    ratios, old, new = pairs(before, after, count)
    ratio, noise = judged(ratios)
    slower = ratio > 1 + MARGIN + noise
    if slower:
        again = pairs(before, after, count)[0]
        slower = judged(again)[0] > 1 + MARGIN + judged(again)[1]
        ratio, noise = judged(ratios + again)
    mark = "  SLOWER" if slower else ""
    print(f"{name:24s} {old:10.4f} s {new:10.4f} s   ratio {ratio:6.3f}  noise {noise:5.3f}{mark}", flush=True)
    return int(slower)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--before", metavar="REF", help="the commit to compare with")
    parser.add_argument("--only", action="append", choices=[*WORKLOADS], help="a workload; may be given several times")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="of the numbers of rows: 0.01 for a try")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        work()
        return 0
    if given.before is None:
        parser.error("--before REF is missing")
    dirty = " and changes" if git("status", "--porcelain", "--untracked-files=no") else ""
    print(f"before {git('rev-parse', '--short', given.before)}, after {git('rev-parse', '--short', 'HEAD')}{dirty}")
    names = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow")
    print(f"{platform.platform()}, Python {platform.python_version()}, ", end="")
    print(", ".join(f"{name} {version(name)}" for name in names), flush=True)
    with worktree(given.before) as tree, tempfile.TemporaryDirectory() as folder:
        before, after = Side(tree, folder), Side(HERE.parent, folder)
        try:
            codes = [compare(name, before, after, given.pairs, given.scale) for name in given.only or WORKLOADS]
        finally:
            before.close()
            after.close()
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
