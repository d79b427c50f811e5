"""Gradient boosting: `python benchmarks/gradient_boosting.py [--seeds 5] [--big] [--workers 1 2 3] [--kill]`.

Beside LightGBM (both cores) and scikit-learn's HistGradientBoosting on 100,000 x 30, one process, one after the other:
seconds to fit 200 trees of 31 leaves, ratio, test log loss, seconds to predict. With `--big`, 20 rounds over 20M rows
of Parquet on workers of a cluster: seconds, reduces, the bare scan, the most memory of a process, and the digest of the
trees, for each number of workers (0: the threads of this process); with `--kill`, once more while a worker is killed.
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import tenfold as tn
from scan import labelled, rows_in, timed
from tenfold.testing import bits
from workloads import Promises

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

LIGHTGBM = 1.5
"""times LightGBM's seconds that a fit may take: 1.2 was measured"""
LOSS = 0.005
"""by which the test loss may be above LightGBM's, in the mean over the seeds"""


def beside_the_peers(seeds: int, trees: int) -> None:
    import lightgbm
    import sklearn
    from sklearn.datasets import make_classification
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import log_loss

    print(
        f"LightGBM {lightgbm.__version__}, scikit-learn {sklearn.__version__}; 100,000 x 30, {trees} trees of 31 leaves"
    )
    found = []
    for seed in range(seeds):
        X, y = make_classification(120_000, 30, n_informative=15, flip_y=0.05, random_state=seed)
        learn, test = slice(0, 100_000), slice(100_000, None)
        models = {
            "tenfold": tn.HistGradientBoostingClassifier(max_iter=trees, early_stopping=False),
            "HistGradientBoosting": HistGradientBoostingClassifier(max_iter=trees, early_stopping=False),
            "LightGBM": lightgbm.LGBMClassifier(n_estimators=trees, num_leaves=31, n_jobs=2, verbose=-1),
        }
        if not seed:
            tn.HistGradientBoostingClassifier(max_iter=1).fit(X[learn], y[learn])  # compiled
        row: dict[str, tuple[float, float, float]] = {}
        for name, model in models.items():  # LightGBM last: its threads spin on
            fit = timed(partial(model.fit, X[learn], y[learn]))
            predict = timed(partial(model.predict_proba, X[learn]))
            row[name] = fit, predict, float(log_loss(y[test], model.predict_proba(X[test])))
            time.sleep(0.3)
        found.append([row[name] for name in models])
        print(
            f"seed {seed}: "
            + "; ".join(f"{n} fit {f:.2f} s predict {p:.2f} s loss {q:.5f}" for n, (f, p, q) in row.items())
        )
    ours, hist, light = np.array(found).mean(axis=0)
    print(f"fit {ours[0] / light[0]:.2f} x LightGBM, {ours[0] / hist[0]:.2f} x HistGradientBoosting;", end=" ")
    print(f"predict {ours[1] / light[1]:.2f} x LightGBM; loss {ours[2] - light[2]:+.5f} of LightGBM's")
    promises = Promises(trees == 200)
    promises.at_most("fit : LightGBM", ours[0] / light[0], LIGHTGBM)
    promises.at_most("test loss less LightGBM's", ours[2] - light[2], LOSS)
    promises.settle()


def over_many(files: list[str], rounds: int, workers: list[int], kill: bool) -> None:
    import faults

    rows = tn.scan(files, target="label")
    if 0 in workers:
        bare = timed(lambda: tn.MaxAbsScaler().fit(tn.scan(files, drop=["label"])))
        model = tn.HistGradientBoostingClassifier(max_iter=rounds, early_stopping=False)
        taken = timed(partial(model.fit, rows))
        _say(model, rows, "threads", rounds, taken, bare, _peak(), 0)
    for many in filter(None, workers):
        with faults.Cluster(many) as cluster, tn.on(cluster.runner):
            bare = timed(lambda: tn.MaxAbsScaler().fit(tn.scan(files, drop=["label"])))
            for fault in (None, cluster.kill) if kill else (None,):
                with cluster.after(sys.maxsize if fault is None else 500, fault) as seen:
                    model = tn.HistGradientBoostingClassifier(max_iter=rounds, early_stopping=False)
                    taken = timed(partial(model.fit, rows))
                _say(model, rows, f"{many} workers", rounds, taken, bare, _most(cluster), seen.lost)


def _say(model: Any, rows: Any, where: str, rounds: int, taken: float, bare: float, most: int, lost: int) -> None:
    each = np.diff([0.0, *(turn["seconds"] for turn in model.history_)]) / bare
    first = " ".join(f"{x:.2f}" for x in each[:4])
    most_of = f"{np.median(each[4:]):.2f}, at most {each[4:].max():.2f}"
    print(
        f"{rows.n_rows:,} rows, {where}, {rounds} rounds: {taken:.1f} s, {len(each)} reduces, bare scan {bare:.2f} s,"
        f" of which they took {first}, then {most_of}; most {most} MB a process, lost {lost}, trees"
        f" {bits(model.model_.trees)[:12]}, loss {model.model_.train_score[-1]:.6f}",
        flush=True,
    )


def _most(cluster: Any) -> int:
    """Megabytes that a process has had at most: a worker, or this one."""
    return max(_peak(), *cluster.client.run(_peak).values())


def _peak() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--trees", type=int, default=200)
    parser.add_argument("--big", action="store_true")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--workers", type=int, nargs="*", default=[2])
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/pq20"))
    parser.add_argument("--labelled", type=Path, default=Path("/tmp/pq20c"))
    given = parser.parse_args()
    if given.big:
        files = labelled(given.labelled, rows_in(given.folder, given.files))
        over_many(files, given.rounds, given.workers, given.kill)
    else:
        beside_the_peers(given.seeds, given.trees)


if __name__ == "__main__":
    main()
