"""A model for each key beside one fit of all rows, and beside pandas' groupby.apply: `python benchmarks/cube.py`.

CPU seconds of the process, best of some, of a Parquet file with keys in random order, which is the worst case. The peer
is timed on some of the cells and multiplied. The promises are about the usual sizes.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import tenfold as tn
from workloads import Promises

PROMISED = {1_000: 4.0, 10_000: 12.0, 100_000: 40.0}
"""CPU seconds of a cube beside those of one fit of the same rows, at most, by the number of cells"""
PEER = 5.0
"""times as long as the cube that the peer takes, at least, from 10,000 cells on"""


def written(path: Path, rows: int, columns: int, cells: list[int]) -> None:
    """Write rows with a key for each number of cells."""
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, columns))
    table = {f"x{j}": X[:, j] for j in range(columns)}
    table["y"] = X @ random.normal(size=columns) + random.normal(size=rows)
    table |= {f"key{n}": random.integers(0, n, rows) for n in cells}
    pq.write_table(pa.table(table), path, row_group_size=1 << 16)


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


def main() -> None:
    """Time all of it and print a table."""
    asks = argparse.ArgumentParser(description=__doc__)
    asks.add_argument("--rows", type=int, default=500_000)
    asks.add_argument("--columns", type=int, default=20)
    asks.add_argument("--cells", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    asks.add_argument("--times", type=int, default=2)
    asks.add_argument("--peer-cells", type=int, default=300)
    given = asks.parse_args()
    promises = Promises((given.rows, given.columns) == (500_000, 20))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        written(path, given.rows, given.columns, given.cells)
        names = [f"x{j}" for j in range(given.columns)]
        rows = tn.scan(str(path), target="y", columns=names)
        one = seconds(lambda: tn.Ridge().fit(rows), given.times + 1)
        print(f"{given.rows:,} rows x {given.columns}; one fit: {one:.2f} s CPU")
        heads = ("fit", "solve", "ratio", "peer", "beside", "peak GB", "unsolved")
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
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            ratio, beside = (fit + solve) / one, peer / (fit + solve)
            figures = "".join(f"{figure:>9.2f}" for figure in (fit, solve, ratio, peer, beside, peak))
            print(f"{table.num_rows:>9,}{figures}{cube.failed_.num_rows:>9,}")
            promises.at_most(f"{cells:,} cells, beside one fit", ratio, PROMISED.get(cells, np.inf))
            promises.at_least(f"{cells:,} cells, the peer beside it", beside, PEER if cells >= 10_000 else 0.0)
    promises.settle()


if __name__ == "__main__":
    main()
