"""Fits in a container that holds a quarter of the rows: `python benchmarks/container_memory.py --gib 8 --limit 2048`.

Parquet files of 8 GiB, as rows take them in memory, are written to a temporary folder: numbers, and a messy table with
holes and categories as text; and a quarter as many bytes of documents, which take longer. Thirteen kinds of fit, each
in a process of its own in a control group of 2 GiB, must stay below that. The process finds the limit as in any
container. Where no control group can be made, the library is given the limits that one would have, and memory is only
measured. The peak is that of resident memory of the process and those that it starts; the page cache, which the system
takes back, is not part of it. Exits with 1 if a fit is killed, fails, or exceeds the limit.

`--gib 0.5 --limit 512` is a first look; `--only NAME` runs the fits whose names have this in them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import tenfold as tn
from tenfold.engine.executors import threads
from tenfold.engine.executors.container_limits import Limits
from workloads import Promises

GIB, MIB = 1 << 30, 1 << 20
GROUP = 1 << 20
"""rows of a row group, as pyarrow writes them"""
FILES = 4
NUMBERS = [f"x{j}" for j in range(30)]
SHOPS = [f"shop_{j}" for j in range(4)]
HOLES = [f"amount_{j}" for j in range(4)]
DOCUMENTS, WORDS = 20_000, 30_000
"""different documents, of which all rows are drawn, and words"""

# ---- files ---------------------------------------------------------------------------------------


def numbers(random: np.random.Generator, rows: int) -> pa.Table:
    """Thirty columns of numbers, a class and a number that three of them tell."""
    X = random.standard_normal((len(NUMBERS), rows))
    score = X[0] + X[1] * X[2]
    label = (score + random.standard_normal(rows) > 0).astype(np.int64)
    return pa.table({**dict(zip(NUMBERS, X, strict=True)), "label": label, "y": score})


def messy(random: np.random.Generator, rows: int) -> pa.Table:
    """Numbers with holes, categories as text, and a class."""
    signal = np.zeros(rows)
    columns: dict[str, Any] = {}
    for j, name in enumerate(HOLES):
        values = random.gamma(2.0, 10.0**j, rows)
        signal += values / 10.0**j - 2
        columns[name] = pa.array(values, mask=random.random(rows) < 0.1)
    for j, name in enumerate(SHOPS):
        codes = random.integers(0, 20 * (j + 1), rows)
        signal += codes % 3 - 1
        columns[name] = pa.array([f"number {k:04d}" for k in range(20 * (j + 1))]).take(pa.array(codes))
    columns["label"] = (signal + random.standard_normal(rows) > 0).astype(np.int64)
    return pa.table(columns)


def documents(random: np.random.Generator, rows: int) -> pa.Table:
    """Documents of about forty words that are as frequent as in a language, and a class."""
    fixed = np.random.default_rng(0)
    words = np.array([f"w{k:x}" for k in range(WORDS)], dtype=object)
    places = np.minimum(fixed.zipf(1.2, (DOCUMENTS, 40)) - 1, WORDS - 1)
    label = np.arange(DOCUMENTS) % 2
    places[label == 1, :3] = WORDS - 1 - places[label == 1, :3]
    pool = pa.array([" ".join(words[row]) for row in places])
    at = random.integers(0, DOCUMENTS, rows)
    return pa.table({"text": pool.take(pa.array(at)), "label": label[at]})


TABLES: dict[str, Callable[[np.random.Generator, int], pa.Table]] = {
    "numbers": numbers, "messy": messy, "documents": documents,
}  # fmt: skip
SHARES = {"numbers": 1.0, "messy": 1.0, "documents": 0.25}
"""of the bytes that are asked for"""


def write(folder: Path, name: str, size: float) -> None:
    """Write a table of so many bytes to a folder, as files of row groups."""
    few = TABLES[name](np.random.default_rng(1), 2_000)
    rows = int(size / (few.nbytes / len(few)))
    there = folder / name
    there.mkdir(parents=True)
    each = -(-rows // FILES)
    for k in range(FILES):
        with pq.ParquetWriter(there / f"{k}.parquet", few.schema) as writer:
            for start in range(0, each, GROUP):
                random = np.random.default_rng((k, start))
                writer.write_table(TABLES[name](random, min(GROUP, each - start)), row_group_size=GROUP)


# ---- fits ----------------------------------------------------------------------------------------


class Shape(NamedTuple):
    """A kind of fit: a table, its target, and what is done with it."""

    table: str
    target: str | None
    fit: Callable[[Any], Any]


def _encoded() -> Any:
    """Impute, scale and encode, then a logistic regression."""
    amounts = tn.make_pipeline(tn.SimpleImputer(), tn.StandardScaler())
    shops = [("shops", tn.OneHotEncoder(), SHOPS[:2]), ("means", tn.TargetEncoder(), SHOPS[2:])]
    columns = [("amounts", amounts, HOLES), *shops]
    return tn.make_pipeline(tn.ColumnTransformer(columns), tn.LogisticRegression(max_iter=3))


SHAPES = {
    "linear regression": Shape("numbers", "y", lambda rows: tn.LinearRegression().fit(rows)),
    "logistic regression": Shape("numbers", "label", lambda rows: tn.LogisticRegression(max_iter=3).fit(rows)),
    "tree": Shape("numbers", "label", lambda rows: tn.DecisionTreeClassifier(max_depth=5).fit(rows)),
    "forest": Shape(
        "numbers", "label", lambda rows: tn.RandomForestClassifier(4, max_depth=5, random_state=0).fit(rows)
    ),
    "gradient boosting": Shape(
        "numbers", "label", lambda rows: tn.HistGradientBoostingClassifier(max_iter=4, early_stopping=False).fit(rows)
    ),
    "k-means": Shape("numbers", None, lambda rows: tn.KMeans(8, max_iter=2, random_state=0).fit(rows)),
    "Gaussian mixture": Shape(
        "numbers", None, lambda rows: tn.GaussianMixture(3, covariance_type="diag", max_iter=2).fit(rows)
    ),
    "naive Bayes": Shape("numbers", "label", lambda rows: tn.GaussianNB().fit(rows)),
    "imputer, encoders": Shape("messy", "label", lambda rows: _encoded().fit(rows)),
    "five folds": Shape(
        "numbers", "label",
        lambda rows: tn.cross_validate([tn.GaussianNB(), tn.LogisticRegression(max_iter=2)], rows, folds=5),
    ),
    "text": Shape(
        "documents", "label", lambda rows: tn.make_pipeline(tn.TfidfVectorizer(), tn.MultinomialNB()).fit(rows)
    ),
    "principal components": Shape("numbers", None, lambda rows: tn.PCA(5).fit(rows)),
    "neural network": Shape(
        "numbers", "label", lambda rows: tn.MLPClassifier((32,), max_iter=1, batch_size=1000, random_state=0).fit(rows)
    ),
}  # fmt: skip


def fit(name: str, folder: Path, faked: int) -> None:
    """Fit in this process, and print the seconds and the budget that the library found."""
    if faked:
        threads.limits = lambda: Limits(faked, None)
    table, target, call = SHAPES[name]
    used = {"numbers": NUMBERS, "messy": [*HOLES, *SHOPS], "documents": ["text"]}[table]
    began = time.perf_counter()
    call(tn.scan(folder / table, target=target, columns=used))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": time.perf_counter() - began, "held": tn.Local().memory, "peak": most}))


# ---- the container -------------------------------------------------------------------------------


class Container:
    """A control group below this process's own, with a limit; or none, where it cannot be made."""

    def __init__(self, folder: Path | None, new: bool) -> None:
        self.folder, self.new = folder, new

    def enter(self) -> None:
        """Put the calling process into the group."""
        if self.folder is not None:
            (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def resident(self) -> int:
        """Bytes of memory in use now that are not page cache."""
        if self.folder is None:
            return 0
        words = dict(line.split() for line in (self.folder / "memory.stat").read_text().splitlines())
        return int(words["anon"] if self.new else words["rss"])

    def kills(self) -> int:
        """How many processes were killed for want of memory."""
        if self.folder is None:
            return 0
        name = "memory.events" if self.new else "memory.oom_control"
        return int(dict(line.split() for line in (self.folder / name).read_text().splitlines())["oom_kill"])


def _own_group() -> tuple[Path, bool] | None:
    """The folder of this process's group of memory, and whether it is of version 2."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        number, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            return Path("/sys/fs/cgroup/memory") / path.lstrip("/"), False
        if number == "0" and Path("/sys/fs/cgroup/cgroup.controllers").exists():
            return Path("/sys/fs/cgroup") / path.lstrip("/"), True
    return None


def _new_group(limit: int) -> tuple[Path | None, bool]:
    """A group with a limit, below this process's own, and whether it is of version 2; None where it cannot be made."""
    own = _own_group()
    if own is None:
        return None, False
    folder, new = own[0] / f"tenfold-{os.getpid()}", own[1]
    try:
        folder.mkdir()
        (folder / ("memory.max" if new else "memory.limit_in_bytes")).write_text(str(limit))
    except OSError:
        with suppress(OSError):
            folder.rmdir()
        return None, False
    return folder, new


@contextmanager
def container(limit: int) -> Iterator[Container]:
    """A control group with a limit of memory, while the block runs."""
    folder, new = _new_group(limit)
    try:
        yield Container(folder, new)
    finally:
        if folder is not None:
            folder.rmdir()


class Found(NamedTuple):
    """What became of a fit."""

    seconds: float
    peak: int
    """bytes of resident memory, of all processes"""
    held: int
    """bytes that the runner may hold between rounds"""
    error: str


def tree_of(pid: int) -> Iterator[int]:
    """A process and all that it has started."""
    yield pid
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from tree_of(int(child))


def resident(pid: int) -> int:
    """Bytes of resident memory of a process and all that it has started."""
    page, total = resource.getpagesize(), 0
    for one in tree_of(pid):
        with suppress(OSError, IndexError):
            total += int(Path(f"/proc/{one}/statm").read_text().split()[1]) * page
    return total


def run(name: str, folder: Path, limit: int) -> Found:
    """One fit in a container of its own."""
    with container(limit) as group:
        command = [sys.executable, __file__, "--fit", name, "--folder", str(folder)]
        command += [] if group.folder else ["--faked", str(limit)]
        began = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=group.enter
        )
        peaks, over = [0], threading.Event()

        def watch() -> None:
            while not over.wait(0.02):
                with suppress(OSError):
                    peaks[0] = max(peaks[0], resident(process.pid), group.resident())

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            said, wrong = process.communicate()
        finally:
            process.kill()
            process.wait()
            over.set()
            watcher.join()
        seconds = time.perf_counter() - began
        error = "" if process.returncode == 0 else (wrong.strip().splitlines() or [""])[-1]
        if group.kills():
            error = "killed for want of memory"
        elif process.returncode:
            error = error or f"exit code {process.returncode}"
        told = json.loads(said.splitlines()[-1]) if not error else {"held": 0, "peak": 0}
        return Found(seconds, max(peaks[0], told["peak"]), told["held"], error)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gib", type=float, default=8.0, help="of rows in memory, of each table")
    parser.add_argument("--limit", type=int, default=2048, help="MiB of the container")
    parser.add_argument("--only", default="", help="a part of the name of a fit")
    parser.add_argument("--folder", type=Path, help="where files are written; those that are there are used")
    parser.add_argument("--fit", help=argparse.SUPPRESS)
    parser.add_argument("--faked", type=int, default=0, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fit:
        fit(given.fit, given.folder, given.faked)
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # files and groups are removed then, too
    chosen = [name for name in SHAPES if given.only in name]
    limit, promises = given.limit * MIB, Promises()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="tenfold-container-"))
    try:
        for table in dict.fromkeys(SHAPES[name].table for name in chosen):
            if not (folder / table).exists():
                began = time.perf_counter()
                gib = given.gib * SHARES[table]
                write(folder, table, gib * GIB)
                print(f"{table}: {gib:g} GiB written in {time.perf_counter() - began:.0f} s", flush=True)
        with container(limit) as group:
            print(f"limit: {given.limit} MiB, {'of a control group' if group.folder else 'faked'}\n")
        print(f"{'fit':24s}{'peak MiB':>10s}{'seconds':>10s}{'may hold':>10s}")
        for name in chosen:
            found = run(name, folder, limit)
            row = f"{name:24s}{found.peak / MIB:10.0f}{found.seconds:10.1f}{found.held / MIB:10.0f}"
            print(f"{row}  {found.error}".rstrip(), flush=True)
            promises.at_most(f"{name}: MiB", float("nan") if found.error else found.peak / MIB, given.limit)
    finally:
        if given.folder is None:
            shutil.rmtree(folder, ignore_errors=True)
    promises.settle()


if __name__ == "__main__":
    main()
