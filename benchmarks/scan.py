"""One pass over 20M rows of Parquet beside a bare scan: `python benchmarks/scan.py [--folder DIR] [--groups 100000]`.

Writes the workload once: 20 files of 1M rows x 21 float32 columns, about 1.7 GB, and as many whose target is a class.
For Ridge and GaussianNB, nine times: two threads that only decode the row groups, then a fit; the median ratio, and
the most memory. Then predictions written to Parquet beside a bare read and write, and how long it takes to plan
very many small row groups.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import tenfold as tn
from workloads import Promises

SCAN = 1.25
"""times a bare scan that a fit of one pass may take"""
MEMORY = 1024
"""megabytes that this process may have while it fits"""
TURNS = 9
"""pairs of a bare scan and a fit"""
PREDICT = 4.0
"""times a bare read and write that writing predictions may take"""


def write(folder: Path, files: int = 20, rows: int = 1_000_000, p: int = 20, group: int = 250_000) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(0)
    w = random.standard_normal(p)
    for k in range(files):
        path = folder / f"part{k:02d}.parquet"
        X = random.standard_normal((rows, p)).astype(np.float32)
        y = (X @ w + random.standard_normal(rows)).astype(np.float32)
        if not path.exists():
            table = pa.table({**{f"x{j}": X[:, j] for j in range(p)}, "y": y})
            pq.write_table(table, path, compression="snappy", row_group_size=group)
    return sorted(str(path) for path in folder.glob("*.parquet"))


def rows_in(folder: Path, files: int = 20) -> list[str]:
    """Some files of the workload, which is written if it is not there."""
    found = sorted(str(path) for path in folder.glob("*.parquet"))
    return (found if len(found) >= files else write(folder, files=files))[:files]


def labelled(folder: Path, files: list[str]) -> list[str]:
    """The same files with a column `label`, whether y is above zero, in place of y; written once."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in files:
        out = folder / Path(path).name
        if out.exists():
            continue
        part = out.with_suffix(".tmp")
        source, writer = pq.ParquetFile(path), None
        for group in range(source.num_row_groups):
            table = _with_label(source.read_row_group(group))
            writer = writer or pq.ParquetWriter(part, table.schema, compression="snappy")
            writer.write_table(table, row_group_size=table.num_rows)
        writer.close()
        part.rename(out)
    return [str(folder / Path(path).name) for path in files]


def rows_for(target: str, folder: Path, files: int = 20) -> list[str]:
    """The files with that target; those of classes are in a folder beside."""
    found = rows_in(folder, files)
    return found if target == "y" else labelled(folder.with_name(f"{folder.name}-{target}"), found)


def _with_label(table: Any) -> Any:
    label = pa.array((table.column("y").to_numpy() > 0).astype(np.int8))
    return table.drop_columns(["y"]).append_column("label", label)


def groups_of(files: list[str]) -> list[tuple[str, int]]:
    return [(path, g) for path in files for g in range(pq.read_metadata(path).num_row_groups)]


def decode(part: tuple[str, int]) -> pa.Table:
    return pq.ParquetFile(part[0]).read_row_group(part[1], use_threads=False)


LEARNERS = {"Ridge": (tn.Ridge(), "y"), "GaussianNB": (tn.GaussianNB(), "label")}
"""of one pass, with their targets"""


def timed(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def bare_scan(files: list[str]) -> float:
    """Seconds in which two threads decode all row groups, and do nothing with them."""
    with ThreadPoolExecutor(2) as pool:
        return timed(lambda: sum(t.num_rows for t in pool.map(lambda part: decode(part).slice(0, 1), groups_of(files))))


def memory() -> int:
    """Most megabytes this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent / "data" / "scan")
    parser.add_argument("--groups", type=int, default=100_000)
    given = parser.parse_args()
    pool = ThreadPoolExecutor(2)
    promises = Promises()
    with tn.on(tn.Local(threads=2)):
        for name, (learner, target) in LEARNERS.items():
            files = rows_for(target, given.folder)
            parts = groups_of(files)
            learner.fit(tn.scan(files[:1], target=target))  # compiled once, before the clock runs
            rows, ratios = tn.scan(files, target=target), []
            print(f"{name}: {rows.n_rows:,} rows, {len(rows)} row groups, pyarrow {pa.__version__}")
            for _ in range(TURNS):
                bare = timed(lambda: sum(t.num_rows for t in pool.map(lambda part: decode(part).slice(0, 1), parts)))  # noqa: B023
                ours = timed(lambda: learner.fit(tn.scan(files, target=target)))  # noqa: B023
                ratios.append(ours / bare)
                print(f"bare scan {bare:.2f} s  fit {ours:.2f} s  ratio {ratios[-1]:.2f}", flush=True)
            print(f"{name}: median {statistics.median(ratios):.3f}, most {memory()} MB")
            promises.at_most(f"{name} : bare scan, the median of {TURNS}", statistics.median(ratios), SCAN)
        promises.at_most("megabytes", memory(), MEMORY)
        files = rows_in(given.folder)
        parts, rows = groups_of(files), tn.scan(files, target="y")
        model = tn.Ridge().fit(rows)
        with tempfile.TemporaryDirectory(dir=given.folder.parent) as out:

            def copy(part: tuple[str, int]) -> None:
                table = decode(part).select(["y"])
                pq.write_table(table, Path(out) / f"{Path(part[0]).stem}-{part[1]}.parquet")

            bare = timed(lambda: list(pool.map(copy, parts)))
            ours = timed(lambda: model.predict(rows).to_parquet(Path(out) / "predictions"))
        print(
            f"bare read and write {bare:.2f} s  predictions {ours:.2f} s  ratio {ours / bare:.2f}  most {memory()} MB"
        )
        promises.at_most("predictions : bare read and write", ours / bare, PREDICT)
        with tempfile.TemporaryDirectory(dir=given.folder.parent) as many:
            small = pa.table({"x": np.arange(10.0), "y": np.arange(10.0)})
            for k in range(100):
                with pq.ParquetWriter(Path(many) / f"{k:03d}.parquet", small.schema) as writer:
                    for _ in range(given.groups // 100):
                        writer.write_table(small)
            before = memory()
            taken = timed(lambda: tn.scan(str(many), target="y"))
            print(f"{given.groups:,} row groups planned in {taken:.1f} s, {memory() - before} MB more than before")
    promises.settle()


if __name__ == "__main__":
    main()
