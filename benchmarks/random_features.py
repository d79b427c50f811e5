"""A kernel machine on 20M rows that stay on disk: `python benchmarks/random_features.py [--folder DIR] [--files 20]`.

Two overlapping classes that no plane tells apart. Writes 20 files of 1M rows x 10 float32 columns once, fits 256 random
features and `LogisticRegression` to all of them out of core, then `SVC` and the same features to a sample of 30,000
rows, the most that an exact machine takes in seconds. `compare` says whose errors on new rows are fewer.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.pipeline import make_pipeline

import tenfold as tn
from workloads import Promises

COLUMNS = [f"x{j}" for j in range(10)]
FEATURES, GAMMA, SAMPLE, NEW = 256, 0.05, 30_000, 200_000
MEMORY = 2048
"""megabytes that this process may have while it fits"""
WORSE = 0.02
"""share of new rows by which the features may be wrong more often than the exact machine on the sample"""


def drawn(random: Any, rows: int) -> tuple[Any, Any]:
    """Rows and classes: inside or outside of a shell, which another pair of columns bends."""
    X = random.standard_normal((rows, len(COLUMNS)), dtype=np.float32)
    far = (X[:, :3] ** 2).sum(axis=1) + 0.9 * X[:, 3] * X[:, 4] + random.standard_normal(rows)
    return X, (far > 2.6).astype(np.int64)


def write(folder: Path, files: int) -> None:
    """The files that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for k in range(files):
        path = folder / f"part{k:02d}.parquet"
        if not path.exists():
            X, y = drawn(np.random.default_rng([0, k]), 1_000_000)
            table = pa.table({**{name: X[:, j] for j, name in enumerate(COLUMNS)}, "y": y})
            pq.write_table(table, path, row_group_size=250_000)


def machine() -> Any:
    """An approximate Gaussian kernel, and a linear learner that merges or walks over any source."""
    features = tn.RBFSampler(gamma=GAMMA, n_components=FEATURES, random_state=0)
    return make_pipeline(features, tn.LogisticRegression())


def timed(what: str, fit: Any) -> Any:
    """What `fit` makes; how long it took is printed."""
    start = time.perf_counter()
    made = fit()
    print(f"{what}: {time.perf_counter() - start:.1f} s", flush=True)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "tenfold-random-features")
    parser.add_argument("--files", type=int, default=20)
    given = parser.parse_args()
    promises = Promises(given.files == 20)
    write(given.folder, given.files)
    files = sorted(given.folder.glob("*.parquet"))[: given.files]
    source = tn.scan([str(file) for file in files], target="y", columns=COLUMNS)
    large = timed(f"{source.n_rows:,} rows, {FEATURES} features, logistic regression", lambda: machine().fit(source))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"passes: {large[-1].certificate_.provenance.passes:.2f}; at most {memory:,.0f} MB\n{large[-1].certificate_}")
    promises.at_most("memory, MB", memory, MEMORY)

    X, y = drawn(np.random.default_rng([1, 0]), SAMPLE)
    small = timed(f"the same, {SAMPLE:,} rows", lambda: machine().fit(X, y))
    exact = timed(f"SVC, {SAMPLE:,} rows", lambda: tn.SVC(gamma=GAMMA).fit(X, y))
    new, truth = drawn(np.random.default_rng([2, 0]), NEW)
    said = {
        "features, all rows": large.predict(pd.DataFrame(new, columns=COLUMNS)),
        "features, sample": small.predict(new),
        "SVC": exact.predict(new),
    }
    wrong = {name: float((one != truth).mean()) for name, one in said.items()}
    print("wrong on new rows:", ", ".join(f"{name} {share:.4f}" for name, share in wrong.items()))
    for other in ("SVC", "features, sample"):
        pair = ("features, all rows", other)
        print(tn.compare(said[pair[0]], said[other], "mcnemar", truth=truth, names=pair).sentence)
    promises.at_most("errors, beside SVC", wrong["features, all rows"] - wrong["SVC"], WORSE)
    promises.at_most("errors, beside the sample", wrong["features, all rows"] - wrong["features, sample"], 0.0)
    promises.settle()


if __name__ == "__main__":
    main()
