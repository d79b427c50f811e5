"""Linear models of mixed Parquet files: time and peak memory of a fresh process, and a smaller fit beside the matrix.

`python benchmarks/categorical.py [--rows 5000000] [--levels 1000] [--columns 10] [--numbers 20] [--folder /tmp]`
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

GROUP = 250_000
"""rows of a row group"""
OFF = 1e-6
"""of the largest coefficient: how far gradients may end from moments"""
SLOPES = 0.05
"""how far slopes of 5 million rows may be from the true ones, which have noise of size one"""


def effects(given: argparse.Namespace) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    return random.normal(size=(given.columns, given.levels)), random.normal(size=given.numbers)


def write(path: Path, given: argparse.Namespace) -> None:
    """Rows with text columns, unevenly distributed, the first two of them related."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table, slope = effects(given)
    words = pa.array([f"level {k:05d}" for k in range(given.levels)])
    random = np.random.default_rng(1)
    writer = None
    for start in range(0, given.rows, GROUP):
        n = min(GROUP, given.rows - start)
        codes = (given.levels * random.random((given.columns, n)) ** 1.5).astype(int)
        codes[1] = np.where(random.random(n) < 0.5, codes[0], codes[1])
        Z = random.normal(size=(n, given.numbers))
        y = Z @ slope + table[np.arange(given.columns)[:, None], codes].sum(axis=0) + random.normal(size=n)
        data = {f"c{j}": words.take(pa.array(codes[j])) for j in range(given.columns)}
        data |= {f"z{j}": pa.array(Z[:, j]) for j in range(given.numbers)} | {"y": pa.array(y)}
        rows = pa.table(data)
        writer = writer or pq.ParquetWriter(path, rows.schema)
        writer.write_table(rows)
    if writer is not None:
        writer.close()


def peak() -> float:
    """GiB that this process has had at most (`ru_maxrss` would count what its parent had, too)."""
    said = Path("/proc/self/status").read_text()
    return int(said.split("VmHWM:")[1].split()[0]) / 2**20


def fit(path: Path, given: argparse.Namespace) -> None:
    """In this process, which does nothing else."""
    import tenfold as tn

    model = {"Ridge": tn.Ridge(), "LinearRegression": tn.LinearRegression()}[given.fit]
    before = peak()
    start = time.perf_counter()
    model.fit(tn.scan(str(path), target="y"))
    taken = time.perf_counter() - start
    most = peak()
    _, slope = effects(given)
    off = np.abs(model.coef_[-given.numbers :] - slope).max()
    if not off <= SLOPES:
        raise SystemExit(f"{given.fit}: slopes are off by {off:.2g}, promised at most {SLOPES}")
    gap, passes = model.certificate_["gap"], model.certificate_.provenance.passes
    print(
        f"{given.fit}: {given.rows:,} rows, {len(model.coef_):,} features: {taken:.1f} s, {passes:g} passes; peak "
        f"memory {most:.2f} GiB ({before:.2f} before); gap {gap.value:.2g} ({gap.status}); slopes off by {off:.2g}",
        flush=True,
    )


def beside_the_matrix(given: argparse.Namespace) -> None:
    """The same model with and without the table of pairs."""
    import pyarrow.parquet as pq

    import tenfold as tn
    from tenfold.linear_model.least_squares import conjugate_gradients

    small = argparse.Namespace(rows=200_000, levels=100, columns=10, numbers=5)
    path = Path(given.folder) / "tenfold-categorical-small.parquet"
    write(path, small)
    rows = pq.read_table(path)
    X, y = rows.drop_columns(["y"]), rows["y"].to_numpy()
    for learner in (tn.Ridge(), tn.LinearRegression()):
        found = []
        for limit in (conjugate_gradients.MAX_COUNTED_CATEGORIES, 0):
            conjugate_gradients.MAX_COUNTED_CATEGORIES, before = limit, conjugate_gradients.MAX_COUNTED_CATEGORIES
            start = time.perf_counter()
            found.append(learner.fit(X, y).coef_)
            taken = time.perf_counter() - start
            conjugate_gradients.MAX_COUNTED_CATEGORIES = before
            print(f"{learner}, {'gradients' if not limit else 'moments'}: {len(found[-1]):,} features, {taken:.2f} s")
        off = np.abs(found[0] - found[1]).max() / np.abs(found[0]).max()
        print(f"{learner}: the largest difference is {off:.2g} of the largest coefficient", flush=True)
        if not off <= OFF:
            raise SystemExit(f"{learner}: promised at most {OFF:g}")
    path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser()
    for name, value in (("rows", 5_000_000), ("levels", 1000), ("columns", 10), ("numbers", 20)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--folder", default="/tmp")
    parser.add_argument("--fit", help="fit this learner to the file, in this process")
    given = parser.parse_args()
    path = Path(given.folder) / "tenfold-categorical.parquet"
    if given.fit:
        return fit(path, given)
    beside_the_matrix(given)
    write(path, given)
    print(f"{path}: {path.stat().st_size / 2**30:.2f} GiB", flush=True)
    for name in ("Ridge", "LinearRegression"):
        subprocess.run([sys.executable, __file__, *sys.argv[1:], "--fit", name], check=True)
    path.unlink()


if __name__ == "__main__":
    main()
