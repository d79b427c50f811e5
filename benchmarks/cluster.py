"""What the cluster runner costs: `python benchmarks/cluster.py [--folder DIR] [--groups 100000] [--only scan]`.

On two worker processes of one thread each. Nine times, Ridge and GaussianNB over 20M rows of Parquet beside tasks that
only decode the same row groups, with the most memory of workers and driver. Then 100,000 small row groups: what the
driver (with the scheduler in it) has to do. Then a round of AdaBoost on few rows: milliseconds,
and how much the scheduler knows.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # first: there the fault kit is

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

import faults
import tenfold as tn
from scan import LEARNERS, TURNS, decode, groups_of, rows_for, timed
from tenfold.engine import fit
from tenfold.engine.executors.executor import Executor
from tenfold.engine.merge_tree import runs
from workloads import Promises

WORKERS = 2
SCAN = 1.3
"""times a bare scan in the same tasks that a fit of one pass may take, by the median"""
MEMORY = 1024
"""megabytes that the driver or a worker may have while it fits"""
ROUND = 30.0
"""milliseconds that a round of few rows in few parts may take"""


@contextmanager
def most_memory(cluster: faults.Cluster) -> Iterator[dict[str, int]]:
    """Within the block, the most megabytes of the driver and of each worker, looked at twenty times a second."""
    pids = {"driver": psutil.Process().pid, **{f"worker {k}": pid for k, pid in enumerate(cluster.pids())}}
    most, over = dict.fromkeys(pids, 0), threading.Event()

    def look() -> None:
        processes = {name: psutil.Process(pid) for name, pid in pids.items()}
        while True:
            for name, process in processes.items():
                most[name] = max(most[name], process.memory_info().rss >> 20)
            if over.wait(0.05):
                return

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield most
    finally:
        over.set()
        thread.join()


def decode_some(parts: list[tuple[str, int]]) -> int:
    """On a worker: decode some row groups one after the other, and nothing else."""
    return sum(decode(part).num_rows for part in parts)


def scan_cost(cluster: faults.Cluster, files: list[str], name: str, promises: Promises) -> None:
    """A fit beside a bare scan, in the same tasks."""
    learner, target = LEARNERS[name]
    parts = groups_of(files)
    some = [[parts[at] for at in run] for run in runs(range(len(parts)), Executor.tasks_per_thread * WORKERS)]
    rows = tn.scan(files, target=target)
    print(f"{name}: {rows.n_rows:,} rows, {len(parts)} row groups in {len(some)} tasks on {WORKERS} workers")

    def bare() -> None:
        found = cluster.client.gather(cluster.client.map(decode_some, some, pure=False))
        assert sum(found) == rows.n_rows

    with tn.on(cluster.runner):
        learner.fit(tn.scan(files[:1], target=target))  # imported and compiled, before the clock runs
        bare()
        ratios = []
        for _ in range(TURNS):
            with most_memory(cluster) as lean:
                first = timed(bare)
            with most_memory(cluster) as most:
                ours = timed(lambda: learner.fit(tn.scan(files, target=target)))
            said = ", ".join(f"{name} {mb} MB (bare {lean[name]})" for name, mb in most.items())
            print(f"bare scan {first:.2f} s  fit {ours:.2f} s  ratio {ours / first:.2f}  most: {said}", flush=True)
            ratios.append(ours / first)
            promises.at_most("megabytes", max(most.values()), MEMORY)
    print(f"{name}: median {statistics.median(ratios):.3f}")
    promises.at_most(f"{name} : bare scan, the median of {TURNS}", statistics.median(ratios), SCAN)


def many_parts(cluster: faults.Cluster, groups: int) -> None:
    """Very many small row groups: time and memory of the driver."""
    small = pa.table({"x": np.arange(10.0), "y": np.arange(10.0) % 3})
    with tempfile.TemporaryDirectory() as many:
        for k in range(100):
            with pq.ParquetWriter(Path(many) / f"{k:03d}.parquet", small.schema) as writer:
                for _ in range(groups // 100):
                    writer.write_table(small)
        with most_memory(cluster) as before:
            pass
        with most_memory(cluster) as most, tn.on(cluster.runner):
            cpu, start = time.process_time(), time.perf_counter()
            rows = tn.scan(many, target="y")
            planned = time.perf_counter() - start
            busy = [sum(psutil.Process(pid).cpu_times()[:2]) for pid in cluster.pids()]
            taken = timed(lambda: tn.Ridge().fit(rows))
            busy = [
                sum(psutil.Process(pid).cpu_times()[:2]) - had for pid, had in zip(cluster.pids(), busy, strict=True)
            ]
            cpu = time.process_time() - cpu
    print(
        f"{len(rows):,} parts: planned in {planned:.1f} s, fitted in {taken:.1f} s; processor time of the driver "
        f"{cpu:.2f} s, of the workers {', '.join(f'{b:.1f}' for b in busy)} s; driver "
        f"{most['driver']} MB, {most['driver'] - before['driver']} more than before",
        flush=True,
    )


def rounds(cluster: faults.Cluster, promises: Promises, stumps: int = 100) -> None:
    """Rounds of AdaBoost on few rows: what is left is the cost of a round."""
    random = np.random.default_rng(0)
    X = random.standard_normal((32_000, 10))
    label = (X[:, 0] * X[:, 1] + random.standard_normal(len(X)) > 0).astype(np.int8)
    table = pa.table({**{f"x{j}": X[:, j] for j in range(10)}, "label": label})
    when: list[float] = []
    known: list[int] = []

    def watch(at: object) -> None:
        when.append(time.perf_counter())
        known.append(len(cluster.scheduler.tasks))

    with tempfile.TemporaryDirectory() as folder:
        pq.write_table(table, Path(folder) / "rows.parquet", row_group_size=2000)
        rows = tn.scan(folder, target="label")
        for _ in range(2):  # the first time, workers compile
            when.clear(), known.clear()
            fit(tn.AdaBoostClassifier(n_estimators=stumps), rows, runner=cluster.runner, watchers=[watch])
        with tn.on(tn.Local(threads=WORKERS)):
            here = timed(lambda: tn.AdaBoostClassifier(n_estimators=stumps).fit(rows)) / stumps
    each = np.diff(when)[10:]
    ten, last = known[11], known[-1]  # the first turn is for the edges of the bins
    print(
        f"a round of AdaBoost, {rows.n_rows:,} rows in {len(rows)} parts: {1000 * statistics.median(each):.1f} ms "
        f"(slowest {1000 * each.max():.1f}; on threads {1000 * here:.1f}); the scheduler has {ten} tasks at round 10, "
        f"{last} at round {stumps}, {max(known)} at most",
        flush=True,
    )
    promises.at_most("milliseconds of a round", 1000 * statistics.median(each), ROUND)
    promises.at_most("tasks at the last round less those at round 10", last - ten, ten)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=Path("/tmp/pq20"))
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--groups", type=int, default=100_000)
    parser.add_argument("--only", choices=["scan", "parts", "rounds"])
    given = parser.parse_args()
    promises = Promises(given.files == 20)
    with faults.Cluster(WORKERS) as cluster:
        if given.only in (None, "scan"):
            for name, (_, target) in LEARNERS.items():
                scan_cost(cluster, rows_for(target, given.folder, given.files), name, promises)
        if given.only in (None, "parts"):
            many_parts(cluster, given.groups)
        if given.only in (None, "rounds"):
            rounds(cluster, promises)
    promises.settle()


if __name__ == "__main__":
    main()
