"""A messy table out of core: `python benchmarks/messy.py [--rows 20000000] [--folder DIR]`.

A generator writes Parquet in pieces, once: five columns of numbers with holes, ten of categories as text with holes,
two of dates, a class that some of them tell of and a coin that nothing tells of. Then, in processes of their own, on
threads and on a cluster of Dask: impute, encode, take dates apart and scale, then logistic regression of ten folds;
and gradient boosting of 20 rounds of three folds, on a quarter of the rows. Scores and models must have the same bits
on both, preprocessing must read the rows no more than once for each of its stages, and the process on threads must
stay within 2 GiB. Of the coin nothing can be learned: its area under the curve shows that no fold leaks.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.pipeline import make_pipeline

import tenfold as tn
from tenfold.sources.files.parquet import ParquetSource
from tenfold.testing import bits
from workloads import Promises

ROWS, BOOSTED = 20_000_000, 4
"""rows, and which share of them is boosted: one of so many"""
GROUP = 250_000
"""rows of a row group"""
MEMORY = 2048
"""megabytes that the process on threads may have at most"""
STAGES = 3
"""impute, encode, scale"""
NUMBERS = [f"number_{j}" for j in range(5)]
LEVELS = {f"category_{j}": levels for j, levels in enumerate((2, 3, 4, 5, 8, 12, 20, 30, 50, 80))}
DATES = ["opened", "closed"]
COIN = 0.5


def write(path: Path, rows: int) -> str:
    """The table, in row groups; the same for the same number of rows."""
    random = np.random.default_rng(0)
    effects = {name: random.normal(0, 0.6, levels) for name, levels in LEVELS.items()}
    words = {name: pa.array([f"{name[0]}{k:03d}" for k in range(levels)]) for name, levels in LEVELS.items()}
    writer = None
    for start in range(0, rows, GROUP):
        n = min(GROUP, rows - start)
        table: dict[str, Any] = {}
        signal = np.zeros(n)
        for j, name in enumerate(NUMBERS):
            values = random.gamma(2.0, 10.0**j, n)
            signal += (j % 2) * 0.3 * (values / 10.0**j - 2)
            table[name] = pa.array(values, mask=random.random(n) < 0.05 * j)
        for name, levels in LEVELS.items():
            code = np.minimum(random.geometric(min(0.5, 3 / levels), n) - 1, levels - 1)
            signal += effects[name][code]
            table[name] = words[name].take(pa.array(code, mask=random.random(n) < 0.02))
        table["opened"] = pa.array(random.integers(1_500_000_000, 1_700_000_000, n) * 10**6, pa.timestamp("us"))
        table["closed"] = pa.array(random.integers(18_000, 20_000, n).astype(np.int32), pa.date32())
        table["label"] = (random.random(n) < 1 / (1 + np.exp(-signal))).astype(np.int8)
        table["coin"] = random.integers(0, 2, n).astype(np.int8)
        made = pa.table(table)
        writer = writer or pq.ParquetWriter(path, made.schema)
        writer.write_table(made, row_group_size=GROUP)
    assert writer is not None
    writer.close()
    return str(path)


def prepared() -> Any:
    """Numbers imputed, categories encoded, dates taken apart, in one scan."""
    dates = tn.DateParts(["month", "weekday", "hour"], cyclic=True)
    return tn.ColumnTransformer(
        [
            ("impute", tn.SimpleImputer(), NUMBERS),
            ("code", tn.OneHotEncoder(handle_unknown="ignore"), list(LEVELS)),
            ("when", dates, DATES),
        ]
    )


def logistic() -> Any:
    """Impute, encode and scale, then a logistic regression."""
    return make_pipeline(prepared(), tn.StandardScaler(with_mean=False), tn.LogisticRegression())


def boosted() -> Any:
    """Impute and encode, then gradient boosting."""
    encode = tn.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    dates = tn.DateParts(["year", "month", "weekday"])
    each = tn.ColumnTransformer(
        [("impute", tn.SimpleImputer(), NUMBERS), ("code", encode, list(LEVELS)), ("when", dates, DATES)]
    )
    return make_pipeline(each, tn.HistGradientBoostingClassifier(max_iter=20, early_stopping=False))


def scan(path: str, target: str) -> Any:
    """The rows, with one of the two targets."""
    return tn.scan(path, target=target, drop=["coin" if target == "label" else "label"])


# ---- processes ---------------------------------------------------------------------------------------------


def judged(path: str, few: str, workers: int) -> dict[str, Any]:
    """Everything over the files, on threads or on a cluster: bits, scores, reads, seconds, and memory."""
    found: dict[str, Any] = {}
    reads: list[int] = []
    tables = ParquetSource.tables

    def counting(self: Any, part: int, columns: list[str], rows: int | None = None) -> Any:
        reads.append(part)
        return tables(self, part, columns, rows)

    def judge() -> None:
        ParquetSource.tables = counting  # type: ignore[method-assign]
        source = scan(path, "label")
        begun = time.perf_counter()
        steps = logistic()
        made = steps[0].fit(source)
        steps[1].fit(made.transform(source))
        found["preprocessing"] = time.perf_counter() - begun
        found["scans"] = len(reads) / len(source)
        found["bits"] = [bits(one.model_) for one in steps[:2]]
        ParquetSource.tables = tables  # type: ignore[method-assign]
        for name, where, target, model, folds in (
            ("logistic", path, "label", logistic(), 10),
            ("boosting", few, "label", boosted(), 3),
            ("coin", few, "coin", logistic(), 3),
        ):
            begun = time.perf_counter()
            cv = tn.cross_validate(model, scan(where, target), folds=folds, scoring="roc_auc", shuffle=True)
            found[name] = {
                "scores": [score.hex() for score in cv.scores[0, 0].tolist()], "mean": float(cv.scores.mean()),
                "scans": cv.scans, "seconds": time.perf_counter() - begun,
            }  # fmt: skip

    if workers:
        from distributed import Client, LocalCluster

        options = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with LocalCluster(**options) as cluster, Client(cluster) as client, tn.on(tn.Dask(client)):
            judge()
    else:
        with tn.on(tn.Local(threads=2, memory=400 << 20)):
            judge()
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def own_process(path: str, few: str, workers: int) -> dict[str, Any]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--judge", path, few, str(workers)]
    said = subprocess.check_output(command, text=True)
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    return found


def run(folder: Path, rows: int, *, bind: bool, workers: int = 2) -> Promises:
    """Write the table, score it on both runners, and hold what is promised against it."""
    path, few = folder / f"messy-{rows}.parquet", folder / f"messy-{rows // BOOSTED}-few.parquet"
    for file, many in ((path, rows), (few, rows // BOOSTED)):
        if not file.exists():
            write(file, many)
    here, there = (own_process(str(path), str(few), many) for many in (0, workers))
    promises = Promises(bind)
    for name, one in (("threads", here), ("cluster", there)):
        print(f"{name}: preprocessing {one['preprocessing']:.1f} s, {one['megabytes']:.0f} MB")
        for what in ("logistic", "boosting", "coin"):
            done = one[what]
            print(f"  {what}: AUC {done['mean']:.4f}, {done['scans']} scans, {done['seconds']:.1f} s")
    same = all(here[what]["scores"] == there[what]["scores"] for what in ("logistic", "boosting", "coin"))
    promises.at_least("the same bits on both runners", float(same and here["bits"] == there["bits"]), 1)
    promises.at_most("scans of preprocessing", here["scans"], STAGES)
    promises.at_most("megabytes of the process on threads", here["megabytes"], MEMORY)
    noise = 5 / np.sqrt(rows / BOOSTED)
    promises.at_most("how far the coin is from chance", abs(here["coin"]["mean"] - COIN), noise)
    promises.at_least("AUC of the class", min(here["logistic"]["mean"], here["boosting"]["mean"]), 0.7)
    return promises


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--judge", nargs=3, metavar=("PATH", "FEW", "WORKERS"))
    given = parser.parse_args()
    if given.judge:
        path, few, workers = given.judge
        print(json.dumps(judged(path, few, int(workers))))
        return
    with tempfile.TemporaryDirectory() as temporary:
        run(given.folder or Path(temporary), given.rows, bind=True).settle()


if __name__ == "__main__":
    main()
