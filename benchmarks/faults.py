"""Soak: random faults in the middle of fits on three workers: `python benchmarks/faults.py --faults 40`.

Each line is a fit during which one fault is fired, of a random kind at a random moment (both from the seed): a worker
is killed, two are, one is stopped until the scheduler gives it up, slowed, sent away or joined, or some parts cannot
be read at first. Prints the time beside that of a fit without a fault, and whether every bit is the same. A fit that
takes longer than `--patience` seconds is a hang and ends the run.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # before this folder: the kit has this file's name

import pyarrow.parquet as pq

import faults
import tenfold as tn
from scan import labelled, rows_in
from tenfold.testing import bits

WORKERS = 3
KINDS = ("kill one", "kill two", "stop", "slow", "leave", "join", "read errors")


def learners(numbers: list[str], labels: list[str], few: int) -> dict[str, tuple[Any, Any]]:
    """The four learners with their rows; those that read often get fewer."""
    columns = [f"x{j}" for j in range(20)]
    return {
        "Ridge": (tn.Ridge(), tn.scan(numbers, target="y")),
        "GaussianNB": (tn.GaussianNB(), tn.scan(labels, target="label")),
        "KMeans": (tn.KMeans(8, max_iter=4, tol=0.0), tn.scan(numbers[:few], columns=columns)),
        "AdaBoostClassifier": (tn.AdaBoostClassifier(n_estimators=20), tn.scan(labels[:few], target="label")),
    }


def warm(cluster: faults.Cluster, folder: str, files: list[str]) -> None:
    """Import and compile everything on each worker, so that the clock does not see it."""
    few = [str(Path(folder) / f"few{k}.parquet") for k in range(len(files))]
    for path, small in zip(files, few, strict=True):
        if not Path(small).exists():
            pq.write_table(pq.ParquetFile(path).read_row_group(0).slice(0, 2000), small)
    there = [ws.address for ws in cluster.scheduler.workers.values()]
    todo = [cluster.client.submit(_warm, *few, workers=[where], pure=False) for where in there]
    cluster.client.gather(todo)


def _warm(numbers: str, labels: str) -> None:
    with tn.on(tn.Local(threads=1)):
        for learner, rows in learners([numbers], [labels], 1).values():
            learner.fit(rows)


def within(patience: float, call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result of a call, or its error; None for both if it takes too long."""
    done: list[Any] = []

    def run() -> None:
        start = time.perf_counter()
        try:
            found = call()
        except BaseException as error:
            found = error
        done.append((time.perf_counter() - start, found))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(patience)
    return done[0] if done else (float("inf"), None)


def fault_of(kind: str, cluster: faults.Cluster, draw: random.Random) -> Callable[[], None]:
    """What to do to the workers."""
    one, two = draw.sample(range(WORKERS), 2)
    return {
        "kill one": lambda: cluster.kill(one),
        "kill two": lambda: cluster.kill(one, two),
        "stop": lambda: cluster.stop(one),
        "slow": lambda: cluster.slow(one, 3.0),
        "leave": lambda: cluster.retire(one),
        "join": lambda: cluster.join(),
        "read errors": lambda: None,
    }[kind]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--faults", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/pq20"))
    parser.add_argument("--labelled", type=Path, default=Path("/tmp/pq20c"))
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--patience", type=float, default=300.0)
    parser.add_argument("--beside", action="store_true", help="time a fit without a fault before each: a busy machine")
    given = parser.parse_args()
    draw = random.Random(given.seed)
    numbers = rows_in(given.folder, given.files)
    labels = labelled(given.labelled, numbers)
    cases = learners(numbers, labels, max(1, given.files // 4))
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    wrong = hangs = 0
    with tempfile.TemporaryDirectory() as few, faults.Cluster(WORKERS, ttl=2) as cluster:

        def fit(learner: Any, rows: Any) -> Any:
            with tn.on(cluster.runner):
                model = learner.fit(rows)
            return bits(model.model_), bits(model.summary_)

        plain = {}
        for name, (learner, rows) in cases.items():
            here = learner.fit(rows)
            warm(cluster, few, [numbers[0], labels[0]])
            best, tasks = float("inf"), sys.maxsize
            for _ in range(2):
                with cluster.watched() as seen:
                    taken, found = within(given.patience, lambda learner=learner, rows=rows: fit(learner, rows))
                best, tasks = min(best, taken), min(tasks, seen.ended)
            same = found == (bits(here.model_), bits(here.summary_))
            plain[name] = best, tasks, found
            print(f"{name:20s} no fault: {best:6.1f} s, {tasks} tasks, same bits as threads: {same}", flush=True)
            wrong += not same
        print(f"\n{'learner':20s} {'fault':12s} {'after':>6s} {'seconds':>8s} {'ratio':>6s}  same bits")
        for _ in range(given.faults):
            name, kind, share = draw.choice(list(cases)), draw.choice(KINDS), draw.uniform(0.1, 0.8)
            learner, rows = cases[name]
            best, tasks, wanted = plain[name]
            warm(cluster.ready(WORKERS), few, [numbers[0], labels[0]])
            if given.beside:
                best, _ = within(given.patience, lambda learner=learner, rows=rows: fit(learner, rows))
            with tempfile.TemporaryDirectory() as notes:
                if kind == "read errors":
                    rows = faults.Shaky(rows, notes, set(draw.sample(range(len(rows)), min(3, len(rows)))))
                with cluster.after(max(1, int(share * tasks)), fault_of(kind, cluster, draw)) as seen:
                    taken, found = within(given.patience, lambda learner=learner, rows=rows: fit(learner, rows))
            same = "yes" if found == wanted else "NO" if isinstance(found, tuple) else f"NO: {found!r}"
            fired = "" if seen.fired else "  (the fit was over before)"
            print(f"{name:20s} {kind:12s} {share:6.0%} {taken:8.1f} {taken / best:6.2f}  {same}{fired}", flush=True)
            if found is None:
                hangs += 1
                break
            wrong += same != "yes"
            times[kind].append(taken / best)
        print(f"\nwrong {wrong}, hangs {hangs}")
        for kind, some in times.items():
            if some:
                print(f"{kind:12s} {len(some):3d} x  median {statistics.median(some):5.2f}  worst {max(some):5.2f}")
        sys.stdout.flush()
        if hangs:
            os._exit(1)  # something still waits
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
