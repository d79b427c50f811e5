"""A model for each key beside one fit of all rows, and beside pandas' groupby.apply: `python benchmarks/cube.py`.

CPU seconds of the process, best of some, of a Parquet file with keys in random order, which is the worst case. The peer
is timed on some of the cells and multiplied. The promises are about the usual sizes, and about those of `--large`: five
million rows, of up to a million cells, with half a gigabyte of memory for rows. `--many` cells are then read from one
process of their own, whose peak memory is measured: a third of them is degenerate, and some are compared with fits of
their rows, byte by byte.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import tenfold as tn
from workloads import Promises

PROMISED = {1_000: 4.0, 10_000: 8.0, 100_000: 24.0}
"""CPU seconds of a cube beside those of one fit of the same rows, at most, by the number of cells"""
SECONDS_OF_LARGE = {1_000: 4.0, 10_000: 8.0, 100_000: 14.0}
"""CPU seconds of fit and models of the large rows, at most"""
PEER, LARGE_PEER, LARGE_POLARS = 5.0, 20.0, 5.0
"""times as long as the cube that pandas takes, at least: from 10,000 cells on; of large rows, of 100,000; and polars"""
MANY_SECONDS, MANY_GB = 90.0, 2.0
"""CPU seconds and peak memory of a million cells, at most"""
PREDICT_SECONDS, CELL_MS = 2.0, 10.0
"""CPU of predicting a million rows, and of reading a cell of an opened file of a cube, at most"""
MEMORY = 1 << 29
"""bytes for rows while there are many cells"""
OPENED = 200
"""cells that are read from the file of a cube"""
FEW, FEWER = 1_000, 20
"""cells that are compared with fits of their rows in a copy, and in all rows"""


def written(path: Path, rows: int, columns: int, cells: list[int], many: int) -> None:
    """Write rows with a key for each number of cells; of the last, `many`, a third of the cells is degenerate."""
    random, beta = np.random.default_rng(0), np.random.default_rng(1).normal(size=columns)
    writer = None
    for start in range(0, rows, 1 << 16):
        n = min(1 << 16, rows - start)
        X = random.normal(size=(n, columns))
        key = random.integers(0, many, n)
        X[key % 10 == 0, 1] = X[key % 10 == 0, 0]  # a copied column
        X[key % 10 == 1, 1] = 3.0  # a constant one
        table = {f"x{j}": X[:, j] for j in range(columns)}
        table["y"] = X @ beta + random.normal(size=n)
        table |= {f"key{c}": random.integers(0, c, n) for c in cells} | {"many": key}
        table["gap"] = np.where((key % 10 == 2) & (random.random(n) < 0.3), np.nan, X[:, 0])
        found = pa.table(table)
        writer = writer or pq.ParquetWriter(path, found.schema)
        writer.write_table(found, row_group_size=1 << 16)
    assert writer is not None
    writer.close()


def seconds(what: Callable[[], Any], times: int) -> float:
    """CPU seconds, the least of some."""
    found = []
    for _ in range(times):
        began = time.process_time()
        what()
        found.append(time.process_time() - began)
    return min(found)


def peer_seconds(path: Path, key: str, names: list[str], most: int) -> float:
    """CPU seconds of reading, and of scikit-learn's Ridge for each group: of some groups, multiplied."""
    from sklearn.linear_model import Ridge

    began = time.process_time()
    frame = pd.read_parquet(path, columns=[*names, "y", key])
    read = time.process_time() - began
    keys = frame[key].unique()
    some = frame[frame[key].isin(keys[:most])]
    began = time.process_time()
    some.groupby(key)[[*names, "y"]].apply(lambda g: Ridge().fit(g[names], g["y"]).coef_)
    return read + (time.process_time() - began) * len(keys) / min(most, len(keys))


def polars_seconds(path: Path, key: str, names: list[str], most: int) -> float:
    """CPU seconds of polars with NumPy's solve for each group: of some groups, multiplied; nan without polars."""
    try:
        import polars as pl
    except ImportError:
        return float("nan")

    def one(group: Any) -> Any:
        X, y = group.select(names).to_numpy(), group["y"].to_numpy()
        X = X - X.mean(axis=0)
        coef = np.linalg.solve(X.T @ X + np.eye(X.shape[1]), X.T @ (y - y.mean()))
        return pl.DataFrame({key: [group[key][0]], "coef": [coef]})

    began = time.process_time()
    frame = pl.read_parquet(path, columns=[*names, "y", key])
    read, keys = time.process_time() - began, frame[key].unique()
    some = frame.filter(pl.col(key).is_in(keys.sort()[:most].to_list()))
    began = time.process_time()
    some.group_by(key).map_groups(one)
    return read + (time.process_time() - began) * len(keys) / min(most, len(keys))


def slopes(path: Path, key: str) -> None:
    """Compare the slopes of one column with DuckDB's `regr_slope`."""
    try:
        import duckdb
    except ImportError:
        return
    query = f"select {key}, regr_slope(y, x0) from '{path}' group by {key} order by {key}"
    duckdb.sql("set threads = 2")
    theirs = seconds(lambda: duckdb.sql(query).fetchnumpy(), 2)
    wanted = duckdb.sql(query).fetchnumpy()
    cube = tn.Cube(tn.LinearRegression(), by=key)
    source = tn.scan(str(path), target="y", columns=["x0", key])
    ours = seconds(lambda: cube.fit(source).table(), 2)
    table = cube.table()
    found, there = table["coef_x0"].to_numpy(), np.asarray(table["rows"]) > 2
    names = [name for name in wanted if name != key]
    theirs_at = np.asarray(wanted[names[0]], dtype=float)
    off = (np.abs(found - theirs_at) / np.maximum(np.abs(theirs_at), 1.0))[there]
    print(
        f"one column, {len(found):,} cells: {ours:.2f} s CPU, DuckDB {theirs:.2f}; largest difference {off.max():.1e}"
    )


def peak_gb() -> float:
    """Peak memory of this process; `ru_maxrss` may be that of the process which started it."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if "VmHWM" in line) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def of_many(path: Path, names: list[str], folder: Path, figures: Any) -> None:
    """Fit many cells within a memory of rows, write them, open some, and compare some with fits of their rows."""
    with tn.on(tn.Local(memory=MEMORY)):
        began = time.process_time()
        cube = tn.Cube(tn.Ridge(), by="many").fit(tn.scan(str(path), target="y", columns=[*names, "many"]))
        status = np.asarray(cube.table()["status"])
        figures["seconds"] = time.process_time() - began
        figures["GB"] = peak_gb()
        figures["cells"], figures["unsolved"] = len(cube), int((status == "failed").sum())
        gaps = tn.Cube(tn.Ridge(), by="many").fit(tn.scan(str(path), target="y", columns=["gap", *names[1:], "many"]))
        failed = np.asarray(gaps.failed_["many"])
        figures["failed for NaN"], figures["other failures"] = len(failed), int((failed % 10 != 2).sum())
        random = np.random.default_rng(2)
        keys = random.choice(np.asarray(cube.keys_["many"]), min(FEW, len(cube)), replace=False)
        copy, file = folder / "copy.parquet", pq.ParquetFile(path)
        with pq.ParquetWriter(copy, file.schema_arrow, write_statistics=False) as writer:
            for group in range(file.num_row_groups):  # the same parts, some of their rows
                table = file.read_row_group(group)
                writer.write_table(table.filter(pc.is_in(table["many"], pa.array(keys))))
        equal = 0
        for at, key in enumerate(keys.tolist()):
            where = pc.field("many") == key
            for rows in (copy, path)[: 2 if at < FEWER else 1]:
                source = tn.scan(str(rows), target="y", columns=[*names, "many"], where=where, drop=["many"])
                alone = tn.Ridge().fit(source.without("many") if "many" in source.names else source)
                again = alone.certificate_.provenance.passes > 1
                equal += again or alone.coef_.tobytes() == cube[key].coef_.tobytes()
        figures["equal"], figures["compared"] = equal, len(keys) + min(FEWER, len(keys))
        cube.to_parquet(folder / "cube.parquet")
        opened = tn.Cube.open(folder / "cube.parquet")
        each = keys[:OPENED].tolist()
        opened[each[0]]
        ms = [1e3 * seconds(lambda key=key: opened[key], 1) for key in each]
        figures["ms"], figures["ms at worst"] = np.median(ms), max(ms)
        figures["ms to open"] = 1e3 * seconds(lambda: tn.Cube.open(folder / "cube.parquet"), 3)
        figures["ms alone"] = 1e3 * np.median(
            [seconds(lambda key=key: tn.Cube.open_cell(folder / "cube.parquet", key), 1) for key in each[:20]]
        )


def main() -> None:
    """Time all of it and print a table."""
    asks = argparse.ArgumentParser(description=__doc__)
    asks.add_argument("--large", action="store_true", help="5,000,000 rows, 1,000,000 cells: minutes")
    asks.add_argument("--rows", type=int)
    asks.add_argument("--columns", type=int, default=20)
    asks.add_argument("--cells", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    asks.add_argument("--many", type=int, help="cells of the run in a process of its own")
    asks.add_argument("--times", type=int, default=2)
    asks.add_argument("--peer-cells", type=int, default=300)
    given = asks.parse_args()
    usual = 5_000_000 if given.large else 500_000
    rows_, many = given.rows or usual, given.many or usual // 5
    promises = Promises((rows_, given.columns, many) == (usual, 20, usual // 5))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "rows.parquet"
        written(path, rows_, given.columns, given.cells, many)
        names = [f"x{j}" for j in range(given.columns)]
        rows = tn.scan(str(path), target="y", columns=names)
        one = seconds(lambda: tn.Ridge().fit(rows), given.times + 1)
        print(f"{rows_:,} rows x {given.columns}; one fit: {one:.2f} s CPU; load {os.getloadavg()[0]:.1f}")
        heads = ("fit", "solve", "ratio", "peer", "beside", "polars", "predict", "unsolved")
        print(f"{'cells':>9}" + "".join(f"{head:>9}" for head in heads))
        for cells in given.cells:
            key = f"key{cells}"
            cube = tn.Cube(tn.Ridge(), by=key)
            source = tn.scan(str(path), target="y", columns=[*names, key])
            fit = seconds(lambda cube=cube, source=source: cube.fit(source), given.times)
            began = time.process_time()
            table = cube.table()
            solve = time.process_time() - began
            peer = peer_seconds(path, key, names, given.peer_cells)
            other = polars_seconds(path, key, names, given.peer_cells) / (fit + solve)
            new = pq.read_table(path, columns=[*names, key]).slice(0, 1_000_000)
            predict = seconds(lambda cube=cube, new=new: np.asarray(cube.predict(new)), 2)
            large = given.large and cells >= 100_000
            ratio, beside = (fit + solve) / one, peer / (fit + solve)
            figures = "".join(f"{f:>9.2f}" for f in (fit, solve, ratio, peer, beside, other, predict))
            print(f"{table.num_rows:>9,}{figures}{cube.failed_.num_rows:>9,}", flush=True)
            if given.large:
                promises.at_most(f"{cells:,} cells", fit + solve, SECONDS_OF_LARGE.get(cells, np.inf))
            else:
                promises.at_most(f"{cells:,} cells, beside one fit", ratio, PROMISED.get(cells, np.inf))
            least = PEER if not given.large and cells >= 10_000 else 0.0
            promises.at_least(f"{cells:,} cells, the peer beside it", beside, LARGE_PEER if large else least)
            promises.at_least(f"{cells:,} cells, polars beside it", other, LARGE_POLARS if large else 0.0)
            promises.at_most(f"{cells:,} cells, prediction", predict, PREDICT_SECONDS)
        slopes(path, f"key{given.cells[-1]}")
        context = multiprocessing.get_context("spawn")
        with context.Manager() as manager:
            shared = manager.dict()
            process = context.Process(target=of_many, args=(path, names, folder, shared))
            process.start()
            process.join()
            found = dict(shared)
        print(" ".join(f"{name}: {value:.4g}" for name, value in found.items()), f"load: {os.getloadavg()[0]:.1f}")
        promises.at_most("seconds of many cells", found.get("seconds", np.nan), MANY_SECONDS)
        promises.at_most("GB of many cells", found.get("GB", np.nan), MANY_GB)
        promises.at_most("many cells without a model", found.get("unsolved", np.nan), 0)
        promises.at_most("cells that failed for another's NaN", found.get("other failures", np.nan), 0)
        promises.at_least("cells equal to fits", found.get("equal", 0), found.get("compared", np.nan))
        promises.at_most("ms to read a cell", found.get("ms", np.nan), CELL_MS)
        promises.at_most("ms to read a cell, at worst", found.get("ms at worst", np.nan), CELL_MS)
    promises.settle()


if __name__ == "__main__":
    main()
